/* The location of a sink that is a URL: SCHEME://AUTHORITY/PATH?NAME=VALUE&... Pure. */
#ifndef DCAMP_PUBLISH_LOCATION_H
#define DCAMP_PUBLISH_LOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include "publish/sink.h"

#define LOCATION_OPTIONS_MAX 16

/* Everything points into room. */
struct location {
    char room[OUTLET_TEXT_SIZE];
    const char *scheme;
    const char *authority; /* as in the text: hosts and ports, without a user */
    const char *path;      /* without the first "/", percent-decoded */
    struct {
        const char *name, *value; /* percent-decoded */
    } option[LOCATION_OPTIONS_MAX];
    size_t n;
};

/* False: error says what is wrong. It does not show a text with a user or a password: these belong
 * into a file of credentials, and are refused. */
bool location_parse(struct location *location, const char *text, char error[SINK_ERROR_SIZE]);

/* The value of an option; NULL: it is not there. */
const char *location_option(const struct location *location, const char *name);

/* False: there is an option that is not among the names, which end with NULL; error names it. */
bool location_has_only(const struct location *location, const char *const *names,
                       char error[SINK_ERROR_SIZE]);

/* Reads a whole number between these two; if it is not there, *number stays as it is. False: error
 * says what is wrong. */
bool location_number(const struct location *location, const char *name, long from, long to,
                     long *number, char error[SINK_ERROR_SIZE]);

#endif
