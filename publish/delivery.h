/* Gives blocks to one sink, which confirms them. After a failure this is tried again, with longer
 * and longer pauses: the sink is opened anew, and all that it has not confirmed is given again. */
#ifndef DCAMP_PUBLISH_DELIVERY_H
#define DCAMP_PUBLISH_DELIVERY_H

#include "base/clock.h"
#include "publish/cursor_file.h"
#include "publish/queue.h"

/* A sink is asked to confirm after this time, or after this many octets. */
#define DELIVERY_COMMIT_NS NS_PER_S
#define DELIVERY_COMMIT_OCTETS ((size_t)1 << 20)

/* How long after a failure the sink is tried again: doubled with each failure in a row; longer if
 * the sink asks for it. */
#define DELIVERY_AGAIN_NS NS_PER_S
#define DELIVERY_AGAIN_MAX_NS (64 * NS_PER_S)

#define DELIVERY_QUEUE ((uint64_t)16 << 20) /* octets that may wait, by default */
#define DELIVERY_QUEUE_MIN ((uint64_t)64 << 10)

#define DELIVERY_NEVER UINT64_MAX

#define DELIVERY_PATH_SIZE 4096

/* Finds the kind of the sink; NULL: error says why not. */
typedef const struct sink_type *delivery_find_fn(const void *context, const char *kind,
                                                 char error[SINK_ERROR_SIZE]);

struct delivery_place {
    const char *state; /* the state directory, which must exist */
    delivery_find_fn *find;
    const void *context;
};

struct delivery {
    struct outlet_sink settings;
    struct delivery_place place;
    const struct sink_type *type; /* NULL: not found yet */
    struct sink *sink;            /* NULL: it is not open */
    /* The directory of this sink, below the state directory, with its lock and its cursors. */
    char directory[DELIVERY_PATH_SIZE];
    int lock;                    /* -1: it is not taken yet */
    struct cursor_file *cursors; /* of a sink that does not know its own */
    struct queue queue;
    struct outlet_state state; /* without the number of blocks that wait; its head is not used */
    /* The sink was opened again and has less than it had confirmed: its streams must be read again
     * from where it says. Set here, and cleared by whoever does that. */
    bool is_behind;
    uint64_t given_ns; /* when the first of the unconfirmed blocks was given */
    uint64_t again_ns; /* when it is opened again */
    uint64_t pause_ns;
    int64_t step_ms;    /* when its next step is due */
    uint64_t refused;   /* blocks that were not valid */
    bool is_short;      /* there was no memory for names */
    bool has_held;      /* a stream has to wait for names; cleared by whoever asks for them */
    bool has_confirmed; /* the sink, since it was opened */
    bool has_stepped;   /* likewise: it has done a step */
    char complaint[SINK_ERROR_SIZE]; /* what its last step, which did not fail, complained of; "":
                                        nothing */
    bool is_unsaved; /* the file of cursors does not have all that the sink has confirmed */
};

/* What the place refers to must stay. */
void delivery_open(struct delivery *delivery, const struct outlet_sink *settings,
                   const struct delivery_place *place);

/* Asks the sink to confirm what it was given, and closes it. */
void delivery_close(struct delivery *delivery, struct moment now);

/* Opens the sink if it is time; gives blocks, a bounded number of them; has them confirmed; lets
 * the sink do its step. */
void delivery_work(struct delivery *delivery, struct moment now);

/* Asks the sink to confirm now whatever it was given. */
void delivery_commit(struct delivery *delivery, struct moment now);

/* When there is something to do next, monotonic; 0: at once; DELIVERY_NEVER: when something comes.
 */
uint64_t delivery_due(const struct delivery *delivery, struct moment now);

/* Whether more blocks may come: false while the queue is full. With mode async, the oldest blocks
 * are dropped here instead. is_asked: answers are under way, behind the blocks that were sent
 * before them. */
bool delivery_has_room(struct delivery *delivery, bool is_asked);

/* The node begins to number the blocks of the stream anew: the sink is told, if it needs to know.
 */
void delivery_count_anew(struct delivery *delivery, const struct stream *stream, struct moment now);

/* Tells how far the sink, which is open, is. 0, or an errno; then the sink has failed. */
int delivery_cursors(struct delivery *delivery, cursor_file_fn *each, void *context,
                     struct moment now);

#endif
