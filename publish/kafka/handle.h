/* A handle of librdkafka, as the location wants it, and what it has said last of why it does not
 * get on. */
#ifndef DCAMP_PUBLISH_KAFKA_HANDLE_H
#define DCAMP_PUBLISH_KAFKA_HANDLE_H

#include <librdkafka/rdkafka.h>

#include "publish/kafka/target.h"

/* The library is waited for in slices, so that a refusal is heard early: so many in a second. */
#define HANDLE_SLICES 5
#define HANDLE_SLICE_MS (1000 / HANDLE_SLICES)

/* How long it may take to leave, so that nothing waits for a broker that hangs. */
#define HANDLE_LEAVE_MS 2000

struct handle {
    rd_kafka_t *rk;
    const struct target *target;
    char said[SINK_ERROR_SIZE]; /* "": nothing */
    int weight;                 /* of it: what says most stays */
    bool is_refused;            /* it makes no sense to wait on: who we are, or the certificate */
    rd_kafka_resp_err_t lost;   /* a message was not taken: why; 0: all were */
};

struct handle_option {
    const char *name, *value;
};

/* options: those of librdkafka that this use of it needs, up to one without a name. The target must
 * stay. 0; ENOMEM, EINVAL. */
int handle_open(const struct target *target, rd_kafka_type_t type,
                const struct handle_option *options, struct handle **handle,
                char error[SINK_ERROR_SIZE]);
/* Leaves at once; what is on its way is given up. handle_close(NULL) is legal. */
void handle_close(struct handle *handle);

/* Hears what has happened. */
void handle_hear(struct handle *handle, int timeout_ms);

/* So many slices does the target's patience have. */
int handle_patience(const struct handle *handle);

/* The status, and a line of this, or, where the library has said something better, of that. */
int handle_say(const struct handle *handle, int status, char error[SINK_ERROR_SIZE],
               const char *why);
int handle_fail(const struct handle *handle, int status, char error[SINK_ERROR_SIZE],
                const char *why);

#endif
