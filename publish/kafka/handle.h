/* A handle of librdkafka, opened as the location wants it, and the latest reason that it has given
 * for not getting on. */
#ifndef DCAMP_PUBLISH_KAFKA_HANDLE_H
#define DCAMP_PUBLISH_KAFKA_HANDLE_H

#include <librdkafka/rdkafka.h>

#include "publish/kafka/target.h"

/* The library is waited for in slices, so many in a second, so that a refusal is noticed early. */
#define HANDLE_SLICES 5
#define HANDLE_SLICE_MS (1000 / HANDLE_SLICES)

/* How long leaving may take, so that nothing waits for a broker that hangs. */
#define HANDLE_LEAVE_MS 2000

struct handle {
    rd_kafka_t *rk;
    const struct target *target;
    char said[SINK_ERROR_SIZE]; /* "": nothing */
    int weight;                 /* of what was said: the weightiest stays */
    bool is_refused;            /* waiting makes no sense: our name or the certificate is refused */
    rd_kafka_resp_err_t lost;   /* why a message was not taken; 0: all were */
};

struct handle_option {
    const char *name, *value;
};

/* options: settings of librdkafka that this use needs, up to one without a name. The target must
 * stay. 0; ENOMEM, EINVAL. */
int handle_open(const struct target *target, rd_kafka_type_t type,
                const struct handle_option *options, struct handle **handle,
                char error[SINK_ERROR_SIZE]);
/* Leaves at once and gives up what is under way. handle_close(NULL) is legal. */
void handle_close(struct handle *handle);

/* Takes the events of the library. */
void handle_hear(struct handle *handle, int timeout_ms);

/* How many slices the patience of the target has. */
int handle_patience(const struct handle *handle);

/* Both write a line to error and return a status: handle_say() writes `why` and returns the given
 * status; handle_fail() prefers what the library has said, and returns EACCES after a refusal. */
int handle_say(const struct handle *handle, int status, char error[SINK_ERROR_SIZE],
               const char *why);
int handle_fail(const struct handle *handle, int status, char error[SINK_ERROR_SIZE],
                const char *why);

#endif
