/* What came is given to one sink, which confirms it. What has failed is tried again, ever later:
 * the sink is opened anew, and everything that it has not confirmed is given again. */
#ifndef DCAMP_PUBLISH_DELIVERY_H
#define DCAMP_PUBLISH_DELIVERY_H

#include "base/clock.h"
#include "publish/cursor_file.h"
#include "publish/queue.h"

/* So long, and with so many octets, is a sink not asked to confirm. */
#define DELIVERY_COMMIT_NS NS_PER_S
#define DELIVERY_COMMIT_OCTETS ((size_t)1 << 20)

/* How long after a failure the sink is tried again: doubled with each one in a row; later, where
 * the sink says so. */
#define DELIVERY_AGAIN_NS NS_PER_S
#define DELIVERY_AGAIN_MAX_NS (64 * NS_PER_S)

#define DELIVERY_QUEUE ((uint64_t)16 << 20) /* octets that may wait, by default */
#define DELIVERY_QUEUE_MIN ((uint64_t)64 << 10)

#define DELIVERY_NEVER UINT64_MAX

#define DELIVERY_PATH_SIZE 4096

/* What finds the kind of the sink; NULL: error says why it does not. */
typedef const struct sink_type *delivery_find_fn(const void *context, const char *kind,
                                                 char error[SINK_ERROR_SIZE]);

struct delivery_place {
    const char *state; /* the state directory, which is there */
    delivery_find_fn *find;
    const void *context;
};

struct delivery {
    struct outlet_sink settings;
    struct delivery_place place;
    const struct sink_type *type; /* NULL: not found yet */
    struct sink *sink;            /* NULL: it is not open */
    /* Of this sink, below the state directory: its lock, and its cursors. */
    char directory[DELIVERY_PATH_SIZE];
    int lock;                    /* -1: it is not taken yet */
    struct cursor_file *cursors; /* of a sink that does not know its own */
    struct queue queue;
    struct outlet_state state; /* without what waits; its head is not used */
    /* A sink that was opened again has less than it had confirmed: its streams are to be read again
     * from where it says. Set here, and cleared by who does that. */
    bool is_behind;
    uint64_t given_ns; /* when the first block of those was given that are not confirmed */
    uint64_t again_ns; /* when it is opened again */
    uint64_t pause_ns;
    int64_t step_ms;    /* when it is to do what is to be done from time to time */
    uint64_t refused;   /* blocks that are none */
    bool is_short;      /* there was no memory for names */
    bool has_held;      /* a stream has to wait for names; cleared by who asks for them */
    bool has_confirmed; /* since the sink was opened */
    bool has_stepped;   /* likewise, and it has done what it has to */
    char complaint[SINK_ERROR_SIZE]; /* of its last step, which has not failed; "": none */
    bool is_unsaved; /* the file of cursors does not have all that the sink has confirmed */
};

/* What the place refers to must stay. */
void delivery_open(struct delivery *delivery, const struct outlet_sink *settings,
                   const struct delivery_place *place);

/* Asks the sink to confirm what it was given, and closes it. */
void delivery_close(struct delivery *delivery, struct moment now);

/* Opens the sink, if its time has come; gives blocks, but for a bounded part of them; has them
 * confirmed; lets the sink do what it has to. */
void delivery_work(struct delivery *delivery, struct moment now);

/* Whatever was given is confirmed now, if the sink does. */
void delivery_commit(struct delivery *delivery, struct moment now);

/* When there is something to do again, monotonic: 0: at once; DELIVERY_NEVER: when something comes.
 */
uint64_t delivery_due(const struct delivery *delivery, struct moment now);

/* Whether blocks may come: false, while as many wait as may. Of those that are dropped instead,
 * with mode async, the oldest go here. is_asked: answers are under way, behind the blocks that were
 * sent before. */
bool delivery_has_room(struct delivery *delivery, bool is_asked);

/* The node numbers the blocks of the stream anew: the sink is told, if that matters to it. */
void delivery_count_anew(struct delivery *delivery, const struct stream *stream, struct moment now);

/* Tells how far the sink is, which is open. 0 or an errno: then it has failed. */
int delivery_cursors(struct delivery *delivery, cursor_file_fn *each, void *context,
                     struct moment now);

#endif
