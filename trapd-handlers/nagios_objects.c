#include "trapd-handlers/nagios_objects.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/table.h"

/* Names of hosts and services contain no newline. */
#define SEPARATOR "\n"

struct entry {
    UT_hash_handle hh;
    char name[]; /* host, separator, service */
};

struct nagios_objects {
    struct entry *entries;
    struct stat file; /* as it was when it was read; all zero if it was not */
    char path[];
};

struct nagios_objects *nagios_objects_new(const char *path)
{
    size_t size = strlen(path) + 1;
    struct nagios_objects *objects = calloc(1, sizeof *objects + size);
    if (objects)
        memcpy(objects->path, path, size);
    return objects;
}

static void forget(struct nagios_objects *objects)
{
    struct entry *entry, *next;
    HASH_ITER(hh, objects->entries, entry, next)
    {
        HASH_DEL(objects->entries, entry);
        free(entry);
    }
    memset(&objects->file, 0, sizeof objects->file);
}

void nagios_objects_free(struct nagios_objects *objects)
{
    if (!objects)
        return;
    forget(objects);
    free(objects);
}

static size_t name_size(const char *host, const char *service)
{
    return strlen(host) + strlen(SEPARATOR) + strlen(service) + 1;
}

static bool add(struct nagios_objects *objects, const char *host, const char *service)
{
    size_t size = name_size(host, service);
    struct entry *entry = calloc(1, sizeof *entry + size), *old;
    if (!entry)
        return false;
    snprintf(entry->name, size, "%s" SEPARATOR "%s", host, service);
    HASH_REPLACE_STR(objects->entries, name, entry, old);
    free(old);
    if (table_has(hh, entry))
        return true;
    free(entry);
    return false;
}

/* -- The file: "define service {", a tab, a name, a tab and a value in each line, "}" --------- */

struct definition {
    bool of_service;
    char *host, *service;
};

static void begin(struct definition *definition, bool of_service)
{
    free(definition->host);
    free(definition->service);
    *definition = (struct definition){.of_service = of_service};
}

/* Returns false if memory runs out. */
static bool take_field(char **field, const char *line, const char *name)
{
    size_t len = strlen(name);
    if (strncmp(line, name, len) != 0 || !line[len] || !strchr(" \t", line[len]))
        return true;
    free(*field);
    *field = strdup(line + len + strspn(line + len, " \t"));
    return *field != NULL;
}

static bool take_line(struct nagios_objects *objects, struct definition *definition,
                      const char *line)
{
    line += strspn(line, " \t");
    if (strncmp(line, "define ", 7) == 0)
        begin(definition, strncmp(line + 7, "service ", 8) == 0);
    if (!definition->of_service)
        return true;
    if (line[0] != '}')
        return take_field(&definition->host, line, "host_name") &&
               take_field(&definition->service, line, "service_description");
    bool good = !definition->host || !definition->service ||
                add(objects, definition->host, definition->service);
    begin(definition, false);
    return good;
}

static int read_all(struct nagios_objects *objects, FILE *file)
{
    struct definition definition = {0};
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    for (ssize_t len; good && (len = getline(&line, &size, file)) >= 0;) {
        if (len > 0 && line[len - 1] == '\n')
            line[len - 1] = '\0';
        good = take_line(objects, &definition, line);
    }
    begin(&definition, false);
    free(line);
    return !good ? ENOMEM : ferror(file) ? EIO : 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int read_if_another(struct nagios_objects *objects, FILE *file)
{
    struct stat now;
    if (fstat(fileno(file), &now) != 0)
        return errno;
    if (is_same(&now, &objects->file))
        return 0;
    forget(objects);
    objects->file = now;
    return read_all(objects, file);
}

int nagios_objects_refresh(struct nagios_objects *objects)
{
    FILE *file = fopen(objects->path, "re");
    int code = file ? read_if_another(objects, file) : errno;
    if (file)
        fclose(file);
    if (code)
        forget(objects);
    return code;
}

bool nagios_objects_have(const struct nagios_objects *objects, const char *host,
                         const char *service)
{
    size_t size = name_size(host, service);
    char *name = malloc(size);
    const struct entry *entry = NULL;
    if (!name)
        return false;
    snprintf(name, size, "%s" SEPARATOR "%s", host, service);
    HASH_FIND_STR(objects->entries, name, entry);
    free(name);
    return entry != NULL;
}
