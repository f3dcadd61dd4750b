#include "config/state_format.h"
#include "config/state_read.h"
#include "states.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

const struct alarm_limits state_limits = {
    .log_size = 100, .rate = 3, .period_ms = 60000, .queue = 100};

const struct moment state_now = {.mono_ns = 5, .wall_ms = INT64_C(1700000000000)};

int place_make(struct place *place)
{
    snprintf(place->dir, sizeof place->dir, "/tmp/test_config_state.XXXXXX");
    return mkdtemp(place->dir) ? 0 : -1;
}

int place_remove(struct place *place)
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

void place_path(char path[128], const struct place *place, const char *name)
{
    snprintf(path, 128, "%s/%s", place->dir, name);
}

void place_put(const struct place *place, const char *name, const char *text, size_t len)
{
    char path[128];
    place_path(path, place, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

void fresh_make(struct fresh *fresh, struct config *config)
{
    *fresh = (struct fresh){.config = config};
    alarms_open(&fresh->alarms, &state_limits, state_now.mono_ns);
}

int fresh_read(struct fresh *fresh, const struct place *place)
{
    return state_read(place->dir, &fresh->state, fresh->config, &fresh->alarms, fresh->error);
}

void fresh_drop(struct fresh *fresh)
{
    state_release(&fresh->state);
    config_free(fresh->config);
    alarms_close(&fresh->alarms);
}
