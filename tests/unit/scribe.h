/* For tests: a history in files, made by the real writer from blocks of real report rings. */
#ifndef DCAMP_TESTS_SCRIBE_H
#define DCAMP_TESTS_SCRIBE_H

#include <stdbool.h>
#include <stdint.h>

#include "calculate/calculate.h"
#include "calculate/statistics.h"

struct scribe;

/* The directory is there. Ends the test program where something fails, as all of these. */
struct scribe *scribe_open(const char *directory, int64_t now_ms);
void scribe_close(struct scribe *scribe);

/* The node itself is "" and is called "root1", a child as the last name of its path. */
struct scribe_words {
    const char *path, *sensor, *instance, *metric, *unit;
};

/* A value of a series, which is told of when it comes first. NAN: a gap. */
void scribe_value(struct scribe *scribe, const struct scribe_words *words, int64_t wall_ms,
                  double value);

/* The statistics of a minute that ended then, all but the histogram. */
void scribe_moments(struct scribe *scribe, const struct scribe_words *words, int64_t wall_ms,
                    const struct statistics_window *window);

/* What was written is there to stay; with digest, nothing is in the inbox any more. */
void scribe_commit(struct scribe *scribe, int64_t now_ms, bool digest);

#endif
