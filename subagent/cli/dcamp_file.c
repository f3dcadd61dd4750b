#include "cli/dcamp_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Behind the next one of these words; NULL: there is none. */
static const char *behind(const char *text, const char *end)
{
    const char *at = strstr(text, end);
    return at ? at + strlen(end) : NULL;
}

/* The next start of an element; NULL: there is none. Comments and processing instructions are none:
 * XML 1.0, sections 2.5 and 2.6. */
static const char *next_element(const char *text)
{
    while (text && (text = strchr(text, '<'))) {
        if (starts_with(text, "<!--"))
            text = behind(text, "-->");
        else if (starts_with(text, "<?"))
            text = behind(text, "?>");
        else if (text[1] == '!' || text[1] == '/')
            text++;
        else
            return text;
    }
    return NULL;
}

static bool is_named(const char *element, const char *name)
{
    size_t len = strlen(name);
    return strncmp(element + 1, name, len) == 0 && strchr(" \t\r\n/>", element[1 + len]);
}

/* Its '>', which may stand in attributes, too; NULL: it does not end. */
static const char *end_of(const char *element)
{
    char quote = '\0';
    for (; *element; element++) {
        if (quote)
            quote = *element == quote ? '\0' : quote;
        else if (*element == '"' || *element == '\'')
            quote = *element;
        else if (*element == '>')
            return element;
    }
    return NULL;
}

bool dcamp_file_announces(const char *text)
{
    const char *element = text;
    while ((element = next_element(element))) {
        if (is_named(element, "announce"))
            return true;
        element++;
    }
    return false;
}

char *dcamp_file_announce(const char *text, unsigned port)
{
    const char *root = next_element(text);
    const char *end = root && is_named(root, "dcamp") ? end_of(root) : NULL;
    if (!end || end[-1] == '/') {
        errno = EBADMSG;
        return NULL;
    }
    int head = (int)(end + 1 - text);
    char *changed = NULL;
    if (asprintf(&changed,
                 "%.*s\n\n  <!-- Made by \"dcamp init\". -->\n  <announce port=\"%u\"/>%s", head,
                 text, port, end + 1) >= 0)
        return changed;
    errno = ENOMEM;
    return NULL;
}
