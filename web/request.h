/* The parameters of a question to the REST interface, read without trust. Pure. */
#ifndef DCAMP_WEB_REQUEST_H
#define DCAMP_WEB_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REQUEST_PARAMETERS_MAX 128 /* a subscription has three for each of its series */
#define REQUEST_ERROR_SIZE 256

struct request_parameter {
    const char *name, *value; /* UTF-8 or any other octets, ended by NUL */
    bool is_used;
};

struct request {
    const char *path;
    struct request_parameter parameter[REQUEST_PARAMETERS_MAX];
    size_t n;
    int64_t now_ms;                 /* since 1970 */
    char error[REQUEST_ERROR_SIZE]; /* "": nothing was wrong so far; else the first error */
};

/* Sets the error, unless there is one already. */
void request_fail(struct request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The value of a parameter that may be given once; fallback if it is not given. */
const char *request_text(struct request *request, const char *name, const char *fallback);

/* The next value, from *place on, of a parameter that may be given several times; NULL: no more. */
const char *request_each(struct request *request, const char *name, size_t *place);

/* A whole number from least to most. */
int64_t request_number(struct request *request, const char *name, int64_t least, int64_t most,
                       int64_t fallback);

/* A point of time: milliseconds since 1970, or a time of RFC 3339. */
int64_t request_time(struct request *request, const char *name, int64_t fallback);

/* A duration of 1 ms to 100 years. */
int64_t request_span(struct request *request, const char *name, int64_t fallback_ms);

/* The range that "from" and "to", or "last" (a duration that ends now), give, with both ends
 * included. By default, the last fallback_ms milliseconds. */
void request_range(struct request *request, int64_t fallback_ms, int64_t *from_ms, int64_t *to_ms);

/* To be called after all of these. False, with an error: something was wrong, or a parameter has a
 * name that nobody asked for. */
bool request_end(struct request *request);

#endif
