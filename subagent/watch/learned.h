/* Models of seasons without a watch: of a former life of the daemon, until their series are back;
 * of series that have ended, which may come again; of rules that were changed. A day's model is
 * worth two days of learning. */
#ifndef DCAMP_WATCH_LEARNED_H
#define DCAMP_WATCH_LEARNED_H

#include "threshold/season.h"
#include "watch/saved.h"

/* A model of a series that has ended is added while there are fewer than so many, 2.5 MB. */
#define LEARNED_MAX 1000

struct learned_model;

struct learned {
    struct learned_model **models; /* by their names */
    size_t n, room;
    uint64_t tidy_ns; /* monotonic: when a full store may be searched for old ones again */
};

void learned_release(struct learned *learned);

/* Puts away a model, which is the store's now, in the place of one of that name; it is lost without
 * memory. */
void learned_keep(struct learned *learned, const struct saved_series *name, struct season *season);

/* The same of a series that has ended. Such may be without number: it is lost, too, if there are
 * LEARNED_MAX models of other names. */
void learned_keep_ended(struct learned *learned, const struct saved_series *name,
                        struct season *season, struct moment now);

/* The model of a rule on a series, which is the caller's then. NULL: there is none of that season.
 */
struct season *learned_take(struct learned *learned, const struct watch_rule *rule,
                            const struct series_view *view);

/* A rule was removed. */
void learned_forget_rule(struct learned *learned, const char *name);

/* A rule begins: forgets models of that name which it has no use for, of another season or sensor.
 */
void learned_forget_others(struct learned *learned, const struct watch_rule *rule);

/* Forgets those that would begin to learn anew. */
void learned_forget_old(struct learned *learned, int64_t wall_ms);

/* As octets: an item of CBOR for each model, an array of the name's threshold, node, sensor and
 * instance, and of the model. Appended to octets, which are malloced; what would not be certain to
 * fit into the most that they may be is left out, and counted. 0 or ENOMEM. */
struct octets {
    uint8_t *at;
    size_t n, room;
    size_t most;     /* there are never more */
    size_t left_out; /* models for which there was no room within that */
};
int learned_pack(const struct learned *learned, struct octets *octets);
int learned_pack_one(const struct saved_series *name, const struct season *season,
                     struct octets *octets);

/* Takes all that the octets have into a store that is empty. 0; EBADMSG: they are broken, or
 * ENOMEM; it is empty then, too. */
int learned_unpack(struct learned *learned, const uint8_t *octets, size_t n);

#endif
