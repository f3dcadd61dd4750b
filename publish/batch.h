/* A batch of parts on its way to a server by HTTP, which may refuse some of them for what they
 * are. */
#ifndef DCAMP_PUBLISH_BATCH_H
#define DCAMP_PUBLISH_BATCH_H

#include "publish/poster.h"
#include "publish/refusals.h"

/* What a protocol has to say. */
struct batch_protocol {
    /* Posts the parts from to to - 1; to == from: none. As poster_post(). */
    int (*post)(void *context, size_t from, size_t to, struct poster_answer *answer,
                char error[SINK_ERROR_SIZE]);
    /* Whether the server has taken the parts, but for as many as it has refused, of which why says
     * why. */
    bool (*takes)(const struct poster_answer *answer, uint64_t *refused, char why[256]);
    /* Whether it would, by what it answers to none. */
    bool (*is_well)(const struct poster_answer *answer);
};

struct batch {
    const struct batch_protocol *protocol;
    void *context;
    struct poster *poster; /* for errors */
    struct refusals *refusals;
    int64_t now_ms;
    char *error; /* SINK_ERROR_SIZE */
};

/* The server has all n parts, but for those that it will never take: with status 400, 413 and 422
 * it refuses what was sent, as something that has another type there. Where it does not say that it
 * has taken the others, the batch is halved until those are found that it refuses; they are
 * counted, as refusals. One that refuses every part may do so for another reason, as that there is
 * no such database: it is asked to take none. Every other answer is a failure. 0 or an errno, with
 * an error. */
int batch_post(const struct batch *batch, size_t n);

#endif
