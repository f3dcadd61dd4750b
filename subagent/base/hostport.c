#include "base/hostport.h"

#include <string.h>

static bool split_brackets(const char *text, struct hostport *parts)
{
    const char *end = strchr(text, ']');
    if (!end || (end[1] != '\0' && end[1] != ':'))
        return false;
    parts->host = text + 1;
    parts->host_len = (size_t)(end - text - 1);
    parts->port = end[1] == ':' ? end + 2 : NULL;
    return true;
}

bool hostport_split(const char *text, struct hostport *parts)
{
    if (text[0] == '[')
        return split_brackets(text, parts);
    const char *colon = strchr(text, ':');
    if (colon && strchr(colon + 1, ':'))
        colon = NULL;
    parts->host = text;
    parts->host_len = colon ? (size_t)(colon - text) : strlen(text);
    parts->port = colon ? colon + 1 : NULL;
    return true;
}

bool hostport_is_port(const char *text)
{
    unsigned number = 0;
    size_t len = strspn(text, "0123456789");
    if (len == 0 || len > 5 || text[len] != '\0')
        return false;
    for (size_t i = 0; i < len; i++)
        number = 10 * number + (unsigned)(text[i] - '0');
    return number >= 1 && number <= 65535;
}
