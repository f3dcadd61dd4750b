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
