/* A batch of parts that is sent to a server by HTTP, which may refuse some of them for their
 * content. */
#ifndef DCAMP_PUBLISH_BATCH_H
#define DCAMP_PUBLISH_BATCH_H

#include "publish/poster.h"
#include "publish/refusals.h"

/* What each protocol has to provide. */
struct batch_protocol {
    /* Posts the parts from `from` to to - 1, none if to == from. Returns the same as poster_post().
     */
    int (*post)(void *context, size_t from, size_t to, struct poster_answer *answer,
                char error[SINK_ERROR_SIZE]);
    /* Whether the server has taken the parts, except for *refused of them; why says why it has
     * refused those. */
    bool (*takes)(const struct poster_answer *answer, uint64_t *refused, char why[256]);
    /* Whether its answer to a request without parts says that it would take some. */
    bool (*is_well)(const struct poster_answer *answer);
};

struct batch {
    const struct batch_protocol *protocol;
    void *context;
    struct poster *poster; /* makes the errors */
    struct refusals *refusals;
    int64_t now_ms;
    char *error; /* SINK_ERROR_SIZE */
};

/* Afterwards the server has all n parts, except those that it will never take: with status 400, 413
 * or 422 it refuses what was sent, such as a value that has another type there. If its answer does
 * not say that it has taken the others, the batch is halved until the refused parts are found; they
 * are counted as refusals. A server that refuses every part may have another reason, such as a
 * missing database: it is asked to take none. Any other answer is a failure. 0, or an errno with an
 * error. */
int batch_post(const struct batch *batch, size_t n);

#endif
