/* What the answers of the REST interface share. */
#ifndef DCAMP_WEB_QUESTION_H
#define DCAMP_WEB_QUESTION_H

#include <jansson.h>

#include "publish/follow.h"
#include "web/request.h"

struct history;

#define QUESTION_WARNING_SIZE 320

struct question {
    struct request *request;
    struct history *history;
    const struct follow *follow;
    const char *directory;
    const char *fault;                   /* why what has come could not be read; "": it was */
    unsigned status;                     /* of HTTP, where there is no answer */
    char warning[QUESTION_WARNING_SIZE]; /* what the answer lacks; "": nothing */
};

/* Each returns the answer, or NULL: question->status and request->error say why. */
typedef json_t *question_fn(struct question *question);
question_fn answer_status, answer_nodes, answer_series, answer_sensors, answer_top, answer_values,
    answer_changes, answer_alarms, answer_analysis;

/* NULL, and sets the status and the error. */
json_t *question_fail(struct question *question, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for what a reader of publish/ returned. */
json_t *question_failed(struct question *question, int error);

/* Whether there is something to answer with: all was read, or all but some of the files, such as an
 * old one that is damaged, of which the answer then warns. False: as question_failed(). */
bool question_has_read(struct question *question, int error);
/* NULL: nothing was found of it; where not all could be read, that may be why. */
json_t *question_no_series(struct question *question, const char *sensor, const char *instance);

/* The node that somebody means by its path or its name; NULL: there is none. */
const struct follow_node *question_find(const struct follow *follow, const char *text);

/* Its path; NULL: as above. */
const char *question_node(struct question *question, const char *text);

/* Text of UTF-8, whatever the octets are: those that are none become U+FFFD. NULL: no memory. */
json_t *question_text(const char *text);

/* A value that is not finite is null. */
json_t *question_number(double value);

/* How long a node may be silent before it is said to be. */
#define QUESTION_SILENT_MS INT64_C(600000)

/* How old the latest value of a series may be, of a node that is heard. Filters hold back what has
 * not changed for a while, but not that long. */
#define QUESTION_PRESENT_MS INT64_C(3600000)

#endif
