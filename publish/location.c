#include "publish/location.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool refuse(char error[SINK_ERROR_SIZE], const char *why, const char *what)
{
    text_format(error, SINK_ERROR_SIZE, "location: %s%s", why, what);
    text_clean(error, SINK_ERROR_SIZE, '?');
    return false;
}

static int digit_of(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* Decodes in place: the text does not become longer. False: a '%' without two digits, or "%00". */
static bool decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++, to++) {
        *to = *from;
        if (*from != '%')
            continue;
        if (!isxdigit((unsigned char)from[1]) || !isxdigit((unsigned char)from[2]))
            return false;
        *to = (char)(digit_of(from[1]) * 16 + digit_of(from[2]));
        if (!*to)
            return false;
        from += 2;
    }
    *to = '\0';
    return true;
}

static bool add_option(struct location *location, char *text, char error[SINK_ERROR_SIZE])
{
    char *value = strchr(text, '=');
    if (!value)
        return refuse(error, "expected NAME=VALUE behind '?' and '&': ", text);
    *value++ = '\0';
    if (location->n == LOCATION_OPTIONS_MAX)
        return refuse(error, "too many options", "");
    if (!decode(text) || !decode(value))
        return refuse(error, "'%' without two hexadecimal digits: ", text);
    if (location_option(location, text))
        return refuse(error, "there twice: ", text);
    location->option[location->n].name = text;
    location->option[location->n++].value = value;
    return true;
}

static bool parse_options(struct location *location, char *text, char error[SINK_ERROR_SIZE])
{
    for (char *next; text && *text; text = next) {
        next = strchr(text, '&');
        if (next)
            *next++ = '\0';
        if (!add_option(location, text, error))
            return false;
    }
    return true;
}

bool location_parse(struct location *location, const char *text, char error[SINK_ERROR_SIZE])
{
    *location = (struct location){.scheme = location->room};
    text_format(location->room, sizeof location->room, "%s", text);
    char *authority = strstr(location->room, "://");
    if (!authority)
        return refuse(error, "expected SCHEME://HOST...", "");
    *authority = '\0';
    authority += strlen("://");
    char *options = strchr(authority, '?');
    if (options)
        *options++ = '\0';
    char *path = strchr(authority, '/');
    if (path)
        *path++ = '\0';
    else
        path = authority + strlen(authority);
    location->authority = authority;
    location->path = path;
    if (strchr(authority, '@'))
        return refuse(error,
                      "a user or a password does not belong there, but into a file of "
                      "credentials",
                      "");
    if (!*authority)
        return refuse(error, "there is no host", "");
    if (!decode(path))
        return refuse(error, "'%' without two hexadecimal digits: ", path);
    return parse_options(location, options, error);
}

const char *location_option(const struct location *location, const char *name)
{
    for (size_t i = 0; i < location->n; i++)
        if (strcmp(location->option[i].name, name) == 0)
            return location->option[i].value;
    return NULL;
}

bool location_has_only(const struct location *location, const char *const *names,
                       char error[SINK_ERROR_SIZE])
{
    for (size_t i = 0; i < location->n; i++) {
        const char *const *name = names;
        while (*name && strcmp(*name, location->option[i].name) != 0)
            name++;
        if (!*name)
            return refuse(error, "there is no option ", location->option[i].name);
    }
    return true;
}

bool location_number(const struct location *location, const char *name, long from, long to,
                     long *number, char error[SINK_ERROR_SIZE])
{
    const char *text = location_option(location, name);
    char *end, why[SINK_ERROR_SIZE];
    if (!text)
        return true;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (!errno && end != text && !*end && value >= from && value <= to) {
        *number = value;
        return true;
    }
    text_format(why, sizeof why, "%s: expected a number from %ld to %ld, not ", name, from, to);
    return refuse(error, why, text);
}
