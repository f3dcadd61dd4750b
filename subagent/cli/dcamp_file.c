#include "cli/dcamp_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/markup.h"

/* The first element of that name; NULL: there is none. */
static const char *find_element(const char *plain, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = plain; (at = strchr(at, '<')); at++)
        if (strncmp(at + 1, name, len) == 0 && strchr(" \t\r\n/>", at[1 + len]))
            return at;
    return NULL;
}

/* The '>' at the end of its tag; attributes may have one, too. NULL: the tag does not end. */
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

/* Where the first element can be put: behind the start of the root element. 0: errno says why
 * not. */
static size_t find_place(const char *plain)
{
    const char *root = find_element(plain, "dcamp"), *end = root ? end_of(root) : NULL;
    bool good = end && end[-1] != '/';
    errno = find_element(plain, "announce") ? EEXIST : EBADMSG;
    return good && errno != EEXIST ? (size_t)(end + 1 - plain) : 0;
}

char *dcamp_file_announce(const char *text, unsigned port)
{
    char *plain = markup_plain(text), *changed = NULL;
    size_t place = plain ? find_place(plain) : 0;
    int code = plain ? errno : ENOMEM;
    free(plain);
    if (place > 0) {
        code = ENOMEM;
        if (asprintf(&changed,
                     "%.*s\n\n  <!-- Made by \"dcamp init\". -->\n  <announce port=\"%u\"/>%s",
                     (int)place, text, port, text + place) >= 0)
            return changed;
    }
    errno = code;
    return NULL;
}
