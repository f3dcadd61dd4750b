#include "web/request.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/text.h"

/* How many octets of a text of the request an error repeats. Errors become JSON, which escapes
 * them. */
#define SAID 40

void request_fail(struct request *request, const char *format, ...)
{
    va_list arguments;
    if (request->error[0])
        return;
    va_start(arguments, format);
    vsnprintf(request->error, sizeof request->error, format, arguments);
    va_end(arguments);
    text_clean(request->error, sizeof request->error, '?');
}

const char *request_each(struct request *request, const char *name, size_t *place)
{
    while (*place < request->n) {
        struct request_parameter *parameter = &request->parameter[(*place)++];
        if (strcmp(parameter->name, name) == 0) {
            parameter->is_used = true;
            return parameter->value;
        }
    }
    return NULL;
}

const char *request_text(struct request *request, const char *name, const char *fallback)
{
    size_t place = 0;
    const char *value = request_each(request, name, &place);
    if (!value)
        return fallback;
    if (request_each(request, name, &place))
        request_fail(request, "%s is there twice", name);
    return value;
}

int64_t request_number(struct request *request, const char *name, int64_t least, int64_t most,
                       int64_t fallback)
{
    const char *text = request_text(request, name, NULL);
    char *end;
    if (!text)
        return fallback;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    bool is_number = text[strspn(text, "-0123456789")] == '\0' && end != text && *end == '\0';
    if (errno || !is_number || number < least || number > most) {
        request_fail(request, "%s=%.*s: expected a whole number from %lld to %lld", name, SAID,
                     text, (long long)least, (long long)most);
        return fallback;
    }
    return number;
}

int64_t request_time(struct request *request, const char *name, int64_t fallback)
{
    const int64_t most = INT64_C(253402300799999); /* the end of the year 9999 */
    const char *text = request_text(request, name, NULL);
    int64_t wall_ms;
    if (!text)
        return fallback;
    if (date_from_text(text, strlen(text), &wall_ms))
        return wall_ms;
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0') {
        request_fail(request,
                     "%s=%.*s: expected milliseconds since 1970, or a time as 2026-11-27T08:00:00Z",
                     name, SAID, text);
        return fallback;
    }
    return request_number(request, name, 0, most, fallback);
}

int64_t request_span(struct request *request, const char *name, int64_t fallback_ms)
{
    const char *text = request_text(request, name, NULL);
    int64_t span_ms;
    if (!text)
        return fallback_ms;
    if (text_to_span(text, &span_ms))
        return span_ms;
    request_fail(request, "%s=%.*s: expected a duration as 90s, 6h, 7d or 4w", name, SAID, text);
    return fallback_ms;
}

void request_range(struct request *request, int64_t fallback_ms, int64_t *from_ms, int64_t *to_ms)
{
    bool has_last = request_text(request, "last", NULL) != NULL;
    int64_t span_ms = request_span(request, "last", fallback_ms);
    bool has_ends = request_text(request, "from", NULL) || request_text(request, "to", NULL);
    if (has_last && has_ends)
        request_fail(request, "last cannot be combined with from or to");
    *to_ms = request_time(request, "to", request->now_ms);
    *from_ms = request_time(request, "from", *to_ms - span_ms);
    if (*from_ms > *to_ms)
        request_fail(request, "from is later than to");
}

bool request_end(struct request *request)
{
    for (size_t i = 0; i < request->n; i++)
        if (!request->parameter[i].is_used)
            request_fail(request, "%s has no parameter '%.*s'", request->path, SAID,
                         request->parameter[i].name);
    return !request->error[0];
}
