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
    const char *fault;                   /* why new values could not be read; "": they were */
    unsigned status;                     /* of HTTP, if there is no answer */
    char warning[QUESTION_WARNING_SIZE]; /* what the answer lacks; "": nothing */
};

/* Each returns the answer, or NULL: question->status and request->error say why. */
typedef json_t *question_fn(struct question *question);
question_fn answer_status, answer_nodes, answer_series, answer_sensors, answer_top, answer_values,
    answer_changes, answer_alarms, answer_analysis;

/* Sets the status and the error, and returns NULL. */
json_t *question_fail(struct question *question, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for the error that a reader of publish/ returned. */
json_t *question_failed(struct question *question, int error);

/* Whether there is something to answer with: all was read, or all except some files, such as an old
 * one that is damaged; then the answer has a warning. False: as question_failed(). */
bool question_has_read(struct question *question, int error);
/* Fails because nothing was found of a series; if not all could be read, that is told as the
 * reason. Returns NULL. */
json_t *question_no_series(struct question *question, const char *sensor, const char *instance);

/* The node that somebody means by its path or its name; NULL: there is none. */
const struct follow_node *question_find(const struct follow *follow, const char *text);

/* The path of that node. NULL: there is none, and the question has failed. */
const char *question_node(struct question *question, const char *text);

/* A text as UTF-8: octets that are not UTF-8 become U+FFFD. NULL: no memory. */
json_t *question_text(const char *text);

/* A value that is not finite is null. */
json_t *question_number(double value);

/* How long a node may be silent before it is shown as silent. */
#define QUESTION_SILENT_MS INT64_C(600000)

/* How old the latest value of a series may be while its node is heard. Filters hold back values
 * that have not changed for a while, but not for that long. */
#define QUESTION_PRESENT_MS INT64_C(3600000)

#endif
