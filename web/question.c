#include "web/question.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "publish/history.h"

enum { NOT_FOUND = 404, NO_MEMORY = 507, UNAVAILABLE = 503 };

json_t *question_fail(struct question *question, unsigned status, const char *format, ...)
{
    char text[REQUEST_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    request_fail(question->request, "%s", text);
    question->status = status;
    return NULL;
}

json_t *question_failed(struct question *question, int error)
{
    const char *fault = history_fault(question->history);
    if (error == ENOMEM)
        return question_fail(question, NO_MEMORY, "out of memory");
    if (error == E2BIG)
        return question_fail(question, 400,
                             "too many values: ask for fewer points, or a shorter range");
    return question_fail(question, UNAVAILABLE, "the history cannot be read: %s",
                         fault[0] ? fault : strerror(error));
}

bool question_has_read(struct question *question, int error)
{
    bool is_of_all = error == ENOMEM || error == E2BIG || error == EBUSY;
    const char *fault = history_fault(question->history);
    if (!error)
        return true;
    if (is_of_all || !history_has_read(question->history)) {
        question_failed(question, error);
        return false;
    }
    text_format(question->warning, sizeof question->warning,
                "not all of the history could be read: %s", fault[0] ? fault : strerror(error));
    return true;
}

json_t *question_no_series(struct question *question, const char *sensor, const char *instance)
{
    return question->warning[0]
               ? question_fail(question, UNAVAILABLE, "%s", question->warning)
               : question_fail(question, NOT_FOUND,
                               "there is no series %.40s '%.64s' in this range", sensor, instance);
}

const struct follow_node *question_find(const struct follow *follow, const char *text)
{
    const struct follow_node *by_name = NULL;
    for (size_t i = 0; i < follow_n_nodes(follow); i++) {
        const struct follow_node *node = follow_node(follow, i);
        if (strcmp(node->path, text) == 0)
            return node;
        if (!by_name && strcmp(node->name, text) == 0)
            by_name = node;
    }
    return by_name;
}

const char *question_node(struct question *question, const char *text)
{
    const struct follow_node *found = question_find(question->follow, text);
    struct nearest nearest = {.text = text};
    if (found)
        return found->path;
    for (size_t i = 0; i < follow_n_nodes(question->follow); i++) {
        nearest_offer(&nearest, follow_node(question->follow, i)->path);
        nearest_offer(&nearest, follow_node(question->follow, i)->name);
    }
    question_fail(question, NOT_FOUND, "there is no node %.64s%s%.64s%s", text,
                  nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "",
                  nearest.best ? "?" : "");
    return NULL;
}

json_t *question_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    static const char instead[] = "\xef\xbf\xbd";
    size_t len = strlen(text), n = 0;
    char *clean = malloc(len * (sizeof instead - 1) + 1);
    for (size_t i = 0; clean && i < len;) {
        size_t octets = text_utf8_length(text + i, len - i);
        memcpy(clean + n, octets ? text + i : instead, octets ? octets : sizeof instead - 1);
        n += octets ? octets : sizeof instead - 1;
        i += octets ? octets : 1;
    }
    value = clean ? json_stringn(clean, n) : NULL;
    free(clean);
    return value;
}

json_t *question_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}
