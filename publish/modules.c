#include "publish/modules.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define SYMBOL "dcamp_sink_type"

static const struct sink_type *refuse(void *module, char error[SINK_ERROR_SIZE], const char *path,
                                      const char *why)
{
    text_format(error, SINK_ERROR_SIZE, "%s: %s", path, why);
    dlclose(module);
    return NULL;
}

static const struct sink_type *load(const char *path, const char *kind, char error[SINK_ERROR_SIZE])
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        text_format(error, SINK_ERROR_SIZE, "%s", dlerror());
        return NULL;
    }
    const struct sink_type *type = dlsym(module, SYMBOL);
    if (!type)
        return refuse(module, error, path, "it has no " SYMBOL ", so it is no kind of sinks");
    if (type->abi != SINK_ABI)
        return refuse(module, error, path, "it is of another version of dcamp-publish");
    if (strcmp(type->kind, kind) != 0)
        return refuse(module, error, path, "it is a sink of another kind");
    return type;
}

const struct sink_type *modules_find(const char *kind, const char *directory,
                                     char error[SINK_ERROR_SIZE])
{
    char path[4096];
    text_format(path, sizeof path, "%s/%s.so", directory, kind);
    /* A name has neither "/" nor octets on which a terminal acts; "..so" is no module. */
    if (!text_is_name(kind, strlen(kind)) || kind[0] == '.')
        text_format(error, SINK_ERROR_SIZE, "a kind of sinks is a name, which this is not");
    else if (access(path, F_OK) < 0)
        text_format(error, SINK_ERROR_SIZE,
                    "there is no sink of kind %s: install the package dcamp-publish-%s", kind,
                    kind);
    else
        return load(path, kind, error);
    return NULL;
}
