#include "config/ordered_text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A name that is not that of any file; the schema is looked for in its directory. */
static void name_in(const char *dir, const char *what, char name[PATH_MAX])
{
    text_format(name, PATH_MAX, "%s%s%s", dir, dir[0] ? "/" : "", what);
}

/* Removes the directory from an error, because whoever ordered the document knows no directory of
 * this machine. */
static void strip_dir(const char *dir, char error[CONFIG_ERROR_SIZE])
{
    size_t n = strlen(dir);
    if (n > 0 && strncmp(error, dir, n) == 0 && error[n] == '/')
        memmove(error, error + n + 1, strlen(error + n + 1) + 1);
}

static char *unpack(const struct parcel *parcel, const char *what, size_t *len,
                    char error[CONFIG_ERROR_SIZE])
{
    char reason[FAULT_SIZE];
    char *text = parcel_unpack(parcel->octets, parcel->len, len, reason);
    int code = errno;
    if (!text)
        text_format(error, CONFIG_ERROR_SIZE, "%s: %s", what, reason);
    errno = code;
    return text;
}

struct config *ordered_share(const struct parcel *parcel, const char *schema_dir,
                             struct assignment *assignment, char error[CONFIG_ERROR_SIZE])
{
    char name[PATH_MAX];
    size_t len;
    char *text = unpack(parcel, "share", &len, error);
    if (!text)
        return NULL;
    name_in(schema_dir, "share", name);
    struct config *config = share_load(name, text, len, assignment, error);
    int code = errno;
    free(text);
    if (!config)
        strip_dir(schema_dir, error);
    errno = code;
    return config;
}

char *ordered_tree(const struct parcel *parcel, const char *schema_dir, size_t *len,
                   char error[CONFIG_ERROR_SIZE])
{
    char name[PATH_MAX];
    char *text = unpack(parcel, "tree", len, error);
    if (!text)
        return NULL;
    name_in(schema_dir, "tree", name);
    struct tree_config *tree = tree_config_load(name, text, *len, error);
    int code = errno;
    tree_config_free(tree);
    if (tree)
        return text;
    free(text);
    strip_dir(schema_dir, error);
    errno = code;
    return NULL;
}
