/* Models of seasons without a watch: from an earlier run of the daemon, until their series are
 * back; of series that have ended, which may come again; of rules that were changed. A model of a
 * day is worth two days of learning. */
#ifndef DCAMP_WATCH_LEARNED_H
#define DCAMP_WATCH_LEARNED_H

#include "threshold/season.h"
#include "watch/saved.h"

/* A model of a series that has ended is added only while there are fewer than this, 2.5 MB. */
#define LEARNED_MAX 1000

struct learned_model;

struct learned {
    struct learned_model **models; /* by their names */
    size_t n, room;
    uint64_t tidy_ns; /* monotonic: when a full store may next be searched for old models */
};

void learned_release(struct learned *learned);

/* Stores a model, which then belongs to the store, in place of one with that name; if memory runs
 * out, the model is lost. */
void learned_keep(struct learned *learned, const struct saved_series *name, struct season *season);

/* The same for a series that has ended. There may be any number of those, so the model is also lost
 * if there are LEARNED_MAX models of other names. */
void learned_keep_ended(struct learned *learned, const struct saved_series *name,
                        struct season *season, struct moment now);

/* Takes out the model of a rule on a series, which then belongs to the caller. NULL: there is none
 * of that season. */
struct season *learned_take(struct learned *learned, const struct watch_rule *rule,
                            const struct series_view *view);

/* A rule was removed. */
void learned_forget_rule(struct learned *learned, const char *name);

/* A rule begins: forgets models of that name that it cannot use, because they are of another season
 * or sensor. */
void learned_forget_others(struct learned *learned, const struct watch_rule *rule);

/* Forgets models that are so old that they would begin to learn anew. */
void learned_forget_old(struct learned *learned, int64_t wall_ms);

/* The models as octets: for each model one CBOR item, an array of the name's threshold, node,
 * sensor and instance, and of the model. They are appended to octets, which are malloced; models
 * that might not fit within the limit are left out, and counted. 0 or ENOMEM. */
struct octets {
    uint8_t *at;
    size_t n, room;
    size_t most;     /* the limit: n never exceeds it */
    size_t left_out; /* models for which there was no room within the limit */
};
int learned_pack(const struct learned *learned, struct octets *octets);
int learned_pack_one(const struct saved_series *name, const struct season *season,
                     struct octets *octets);

/* Takes all models from the octets into a store that must be empty. 0; EBADMSG if they are
 * malformed, or ENOMEM; then it is still empty. */
int learned_unpack(struct learned *learned, const uint8_t *octets, size_t n);

#endif
