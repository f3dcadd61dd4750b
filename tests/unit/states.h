/* Directories with state files, for tests. */
#ifndef DCAMP_TESTS_STATES_H
#define DCAMP_TESTS_STATES_H

#include "config/state.h"

extern const struct alarm_limits state_limits;
extern const struct moment state_now;

/* The directory, and the text of a state file. */
struct place {
    char dir[64];
    char *text;
    size_t len;
};

int place_make(struct place *place);
int place_remove(struct place *place);
void place_path(char path[128], const struct place *place, const char *name);
void place_put(const struct place *place, const char *name, const char *text, size_t len);

/* What a daemon has right after its start. */
struct fresh {
    struct state state;
    struct config *config;
    struct alarms alarms;
    char error[CONFIG_ERROR_SIZE];
};

void fresh_make(struct fresh *fresh, struct config *config);
int fresh_read(struct fresh *fresh, const struct place *place);
void fresh_drop(struct fresh *fresh);

#endif
