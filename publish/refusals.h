/* What a server has refused because of its content: it is not sent again, but counted and reported.
 * Pure but for the log. */
#ifndef DCAMP_PUBLISH_REFUSALS_H
#define DCAMP_PUBLISH_REFUSALS_H

#include <stdbool.h>
#include <stdint.h>

#include "publish/sink.h"

/* How often at most the log tells of them. */
#define REFUSALS_SAY_MS INT64_C(60000)
/* How long after the last one they are shown as what is wrong with the sink. */
#define REFUSALS_SHOWN_MS INT64_C(3600000)

struct refusals {
    const char *sink; /* its name, which must stay */
    const char *what; /* "points" */
    uint64_t n;       /* since the sink was opened */
    int64_t last_ms;  /* when the last one was refused, */
    char why[256];    /* and why: one line */
    bool has_said;
    int64_t said_ms;
};

/* n more were refused; 0 does nothing. */
void refusals_add(struct refusals *refusals, uint64_t n, const char *why, int64_t now_ms);

/* One line for dcampSinkError; "": there are none, or the last one was too long ago. */
void refusals_show(const struct refusals *refusals, int64_t now_ms, char text[SINK_ERROR_SIZE]);

#endif
