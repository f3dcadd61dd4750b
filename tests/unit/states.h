/* Directories with state files, for tests. After cmocka.h. */
#ifndef TESTS_UNIT_STATES_H
#define TESTS_UNIT_STATES_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/state.h"

static const struct alarm_limits limits = {
    .log_size = 100, .rate = 3, .period_ms = 60000, .queue = 100};
static const struct moment now = {.mono_ns = 5, .wall_ms = INT64_C(1700000000000)};

/* The directory, and the text of a state file. */
struct place {
    char dir[64];
    char *text;
    size_t len;
};

static inline int make_place(struct place *place)
{
    snprintf(place->dir, sizeof place->dir, "/tmp/test_config_state.XXXXXX");
    return mkdtemp(place->dir) ? 0 : -1;
}

static inline int remove_place(struct place *place)
{
    DIR *dir = opendir(place->dir);
    struct dirent *entry;
    while ((entry = readdir(dir)))
        if (unlinkat(dirfd(dir), entry->d_name, 0) < 0)
            unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
    closedir(dir);
    free(place->text);
    return rmdir(place->dir);
}

static inline void path_of(char path[128], const struct place *place, const char *name)
{
    snprintf(path, 128, "%s/%s", place->dir, name);
}

static inline void put_file(const struct place *place, const char *name, const char *text,
                            size_t len)
{
    char path[128];
    path_of(path, place, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

/* What a daemon has right after its start. */
struct fresh {
    struct state state;
    struct config *config;
    struct alarms alarms;
    char error[CONFIG_ERROR_SIZE];
};

static inline void make_fresh(struct fresh *fresh, struct config *config)
{
    *fresh = (struct fresh){.config = config};
    alarms_open(&fresh->alarms, &limits, now.mono_ns);
}

static inline int read_place(struct fresh *fresh, const struct place *place)
{
    return state_read(place->dir, &fresh->state, fresh->config, &fresh->alarms, fresh->error);
}

static inline void drop_fresh(struct fresh *fresh)
{
    state_release(&fresh->state);
    config_free(fresh->config);
    alarms_close(&fresh->alarms);
}

#endif
