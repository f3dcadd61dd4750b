/* What the location of a sink kafka says:
 * kafka://HOST[:PORT][,HOST[:PORT]...]/TOPIC?OPTION=VALUE&..., or kafkas:// with TLS. Pure. */
#ifndef DCAMP_PUBLISH_KAFKA_TARGET_H
#define DCAMP_PUBLISH_KAFKA_TARGET_H

#include <stdbool.h>

#include "publish/identity.h"
#include "publish/sink.h"

#define TOPIC_SIZE 250 /* of a name of a topic, with its NUL */

struct target {
    char servers[4 * OUTLET_TEXT_SIZE]; /* "HOST:PORT,HOST:PORT", each with its port */
    bool has_tls;
    char authority[OUTLET_TEXT_SIZE]; /* a file of certificates; "": those of the system */
    char topic[TOPIC_SIZE];           /* of the lines */
    char cursors[TOPIC_SIZE];         /* of the cursors */
    char identity[IDENTITY_SIZE];     /* of the publisher: the transactional.id */
    char credentials[OUTLET_TEXT_SIZE];
    char mechanism[16];   /* of SASL; used only with credentials */
    char compression[16]; /* a word of librdkafka's compression.type */
    int patience_s;       /* for how long a cluster may not get on until it is given up */
};

/* 0 or EINVAL: error says what is wrong in it. */
int target_read(struct target *target, const struct outlet_sink *settings,
                char error[SINK_ERROR_SIZE]);

/* Letters, digits and . _ -, at most 249 of them, and neither "." nor "..". */
bool target_is_topic(const char *name);

#endif
