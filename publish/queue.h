/* Blocks that wait for a sink, in streams: those of one node's boot, in the order of their numbers.
 * Streams take turns, and a stream of which something is not known yet holds up no other. What a
 * sink was given is kept until the sink has confirmed it. Pure but for its memory. */
#ifndef DCAMP_PUBLISH_QUEUE_H
#define DCAMP_PUBLISH_QUEUE_H

#include <sys/queue.h>

#include "base/table.h"
#include "publish/names.h"

/* What identifies a stream, in any life of dcampd; unused octets are zeros. */
struct stream_key {
    uint32_t boot;
    uint32_t engine_id_len;
    uint8_t engine_id[ENGINE_ID_MAX];
    char path[ALARM_PATH_SIZE];
};
void stream_key_set(struct stream_key *key, const char *path, uint32_t boot,
                    const uint8_t *engine_id, size_t engine_id_len);

TAILQ_HEAD(queue_blocks, queue_block);
TAILQ_HEAD(queue_streams, stream);

struct stream {
    UT_hash_handle by_key, by_id, by_path;
    TAILQ_ENTRY(stream) turn;
    struct stream_key key;
    char name[NAME_SIZE], group[NAME_SIZE];
    uint32_t id;   /* in the connection to dcampd; 0: dcampd has not told of it in this one */
    bool is_ready; /* its next block may be given, as far as is known */
    struct queue_blocks waiting;
    size_t n_waiting, n_given;
    uint32_t told;      /* the cursor that dcampd was told in this connection; 0: none */
    uint32_t next;      /* a block with a smaller number has come before */
    uint32_t confirmed; /* the last one that the sink has for good */
    int64_t confirmed_ms;
    uint64_t came_ns; /* when its last block came */
    bool is_newest;   /* the newest of its path; from others nothing is expected any more */
    bool is_moved;    /* since dcampd was last told; is_to_save: since the file was */
    bool is_to_save;
    bool is_compared; /* the sink, which was opened again, knows it */
    bool has_refused; /* a block of it was not valid */
    struct names names;
    struct sink_stream shown; /* the same, as sinks see it */
};

struct queue_block {
    TAILQ_ENTRY(queue_block) all, own; /* all: of those waiting, or given; own: of its stream */
    struct stream *stream;
    uint32_t number;
    uint64_t came_ns;
    int64_t wall_ms;           /* when it was made; known when it is given */
    uint64_t values, nameless; /* entries in it; known likewise */
    size_t len;
    uint8_t octets[];
};

struct queue {
    struct stream *by_key, *by_id, *by_path;
    struct queue_streams ready;
    struct queue_blocks waiting, given; /* the oldest first */
    size_t octets;                      /* of all of them, as they are in memory */
    size_t n_waiting, n_given, given_octets;
};

void queue_open(struct queue *queue);
void queue_close(struct queue *queue);

/* The stream of that key, which is made if it is not there; NULL: no memory. */
struct stream *queue_stream(struct queue *queue, const struct stream_key *key);
struct stream *queue_find(const struct queue *queue, const struct stream_key *key);
struct stream *queue_find_id(const struct queue *queue, uint32_t id);

/* Sets the number of the stream in this connection; 0: none. Returns 0 or ENOMEM. */
int queue_set_id(struct queue *queue, struct stream *stream, uint32_t id);

/* Makes the stream the newest one of its path. 0 or ENOMEM. */
int queue_set_newest(struct queue *queue, struct stream *stream);

/* Removes the stream with its blocks, of which none may be with the sink. */
void queue_remove_stream(struct queue *queue, struct stream *stream);

/* Adds a block that came. 0 or ENOMEM. */
int queue_add(struct queue *queue, struct stream *stream, uint32_t number, const uint8_t *octets,
              size_t len, uint64_t now_ns);

/* The block that is to be given next; NULL: there is none. */
struct queue_block *queue_next(const struct queue *queue);

/* The next block of the stream has to wait for something; or it does not any more. */
void queue_hold(struct queue *queue, struct stream *stream);
void queue_go_on(struct queue *queue, struct stream *stream);

/* The block, the first that waits in its stream, was given to the sink. Then it is another stream's
 * turn. */
void queue_give(struct queue *queue, struct queue_block *block);

/* Removes the first block that was given, which is confirmed. */
void queue_confirm(struct queue *queue, struct queue_block *block);

/* All that was given waits again. */
void queue_take_back(struct queue *queue);

/* Drops a block that waits. */
void queue_drop(struct queue *queue, struct queue_block *block);

/* Drops all blocks of a stream that wait. */
void queue_drop_waiting(struct queue *queue, struct stream *stream);

#endif
