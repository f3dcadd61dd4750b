#include "config/load.h"
#include "documents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *source_dir(void)
{
    const char *dir = getenv("srcdir");
    return dir ? dir : ".";
}

int set_schema_dir(void **state)
{
    (void)state;
    char dir[512];
    snprintf(dir, sizeof dir, "%s/conf", source_dir());
    return setenv("DCAMP_SCHEMA_DIR", dir, 1);
}

struct config *load_text(const char *text, char error[CONFIG_ERROR_SIZE])
{
    return config_load_memory("f.xml", text, strlen(text), error);
}

struct tree_config *load_tree(const char *text, char error[CONFIG_ERROR_SIZE])
{
    return tree_config_load("f.xml", text, strlen(text), error);
}

struct config *load_share(const char *text, struct assignment *assignment,
                          char error[CONFIG_ERROR_SIZE])
{
    return share_load("f.xml", text, strlen(text), assignment, error);
}

void assert_refused(const struct bad_document *bad, const char *error)
{
    char expected[CONFIG_ERROR_SIZE], beginning[CONFIG_ERROR_SIZE];
    size_t len = (size_t)snprintf(expected, sizeof expected, "f.xml:%s", bad->error);
    snprintf(beginning, sizeof beginning, "%s", error);
    if (expected[len - 1] == '*')
        expected[len - 1] = beginning[len - 1] = '\0';
    assert_string_equal(beginning, expected);
    assert_null(strchr(error, '\n'));
}
