/* What a server has refused for what it is: it is not sent again, but counted and said. Pure but
 * for the log. */
#ifndef DCAMP_PUBLISH_REFUSALS_H
#define DCAMP_PUBLISH_REFUSALS_H

#include <stdbool.h>
#include <stdint.h>

#include "publish/sink.h"

/* The log has them at most so often. */
#define REFUSALS_SAY_MS INT64_C(60000)
/* So long after the last one are they shown as what is wrong with the sink. */
#define REFUSALS_SHOWN_MS INT64_C(3600000)

struct refusals {
    const char *sink; /* its name, which must stay */
    const char *what; /* "points" */
    uint64_t n;       /* since the sink was opened */
    int64_t last_ms;  /* the last one, */
    char why[256];    /* and why: one line */
    bool has_said;
    int64_t said_ms;
};

/* n more were; 0 does nothing. */
void refusals_add(struct refusals *refusals, uint64_t n, const char *why, int64_t now_ms);

/* One line for dcampSinkError; "": there are none, or none for so long. */
void refusals_show(const struct refusals *refusals, int64_t now_ms, char text[SINK_ERROR_SIZE]);

#endif
