#include "trapd-handlers/active.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomicfile.h"
#include "base/table.h"
#include "dcamp_mib.h"
#include "trapd-handlers/record.h"

#define FILE_NAME "active.json"

struct alarm {
    struct trap trap;
    char *service;
    UT_hash_handle hh;
};

struct active {
    struct alarm *alarms; /* by key */
    bool changed;
};

struct active *active_new(void)
{
    return calloc(1, sizeof(struct active));
}

static void forget(struct active *active, struct alarm *alarm)
{
    HASH_DEL(active->alarms, alarm);
    free(alarm->service);
    free(alarm);
}

void active_free(struct active *active)
{
    struct alarm *alarm, *next;
    if (!active)
        return;
    HASH_ITER(hh, active->alarms, alarm, next)
    forget(active, alarm);
    free(active);
}

static struct alarm *add(struct active *active, const struct trap *trap, const char *service)
{
    struct alarm *alarm = calloc(1, sizeof *alarm);
    char *copy = strdup(service);
    if (!alarm || !copy) {
        free(alarm);
        free(copy);
        return NULL;
    }
    alarm->trap = *trap;
    alarm->service = copy;
    HASH_ADD_STR(active->alarms, trap.text[TRAP_KEY], alarm);
    if (table_has(hh, alarm))
        return alarm;
    free(alarm->service);
    free(alarm);
    return NULL;
}

bool active_apply(struct active *active, const struct trap *trap, const char *service)
{
    struct alarm *alarm;
    if (trap->event == TRAP_SUPPRESSED)
        return true;
    HASH_FIND_STR(active->alarms, trap->text[TRAP_KEY], alarm);
    active->changed |= alarm || !trap_is_clear(trap);
    if (alarm)
        forget(active, alarm);
    return trap_is_clear(trap) || add(active, trap, service);
}

static bool is_worse(const struct trap *a, const struct trap *b)
{
    return a->severity > b->severity || (a->severity == b->severity && a->since_ms < b->since_ms);
}

static void sum_up(struct active_sum *sum, const struct trap *trap)
{
    size_t at = sum->n_worst;
    sum->n++;
    sum->critical += trap->severity == dcampAlarmSeverity_critical;
    sum->warning += trap->severity == dcampAlarmSeverity_warning;
    sum->info += trap->severity == dcampAlarmSeverity_info;
    if (at < ACTIVE_WORST)
        sum->n_worst++;
    else if (is_worse(trap, sum->worst[ACTIVE_WORST - 1]))
        at--;
    else
        return;
    for (; at > 0 && is_worse(trap, sum->worst[at - 1]); at--)
        sum->worst[at] = sum->worst[at - 1];
    sum->worst[at] = trap;
}

void active_sum(const struct active *active, const char *service, struct active_sum *sum)
{
    *sum = (struct active_sum){.n = 0};
    for (const struct alarm *alarm = active->alarms; alarm; alarm = alarm->hh.next)
        if (strcmp(alarm->service, service) == 0)
            sum_up(sum, &alarm->trap);
}

bool active_is_of(const struct active *active, const char *key, const char *service)
{
    const struct alarm *alarm;
    HASH_FIND_STR(active->alarms, key, alarm);
    return alarm && strcmp(alarm->service, service) == 0;
}

const struct trap *active_trap(const struct active *active, const char *key)
{
    struct alarm *alarm;
    HASH_FIND_STR(active->alarms, key, alarm);
    return alarm ? &alarm->trap : NULL;
}

size_t active_count(const struct active *active)
{
    return HASH_COUNT(active->alarms);
}

void active_each(const struct active *active, bool (*visit)(void *context, const struct trap *trap),
                 void *context)
{
    for (const struct alarm *alarm = active->alarms; alarm; alarm = alarm->hh.next)
        if (!visit(context, &alarm->trap))
            return;
}

/* -- The file: lines in pairs, the trap and the service -------------------------------------- */

static bool load_pair(struct active *active, const char **line)
{
    struct trap trap;
    const char *end = strchr(*line, '\n'), *last = end ? strchr(end + 1, '\n') : NULL;
    if (!last || !record_read(*line, (size_t)(end - *line), &trap))
        return false;
    char *service = strndup(end + 1, (size_t)(last - end - 1));
    bool good = service && active_apply(active, &trap, service);
    free(service);
    *line = last + 1;
    return good;
}

int active_load(struct active *active, const char *dir)
{
    struct buffer text = {0};
    char path[4096], chunk[8192];
    if (snprintf(path, sizeof path, "%s/" FILE_NAME, dir) >= (int)sizeof path)
        return ENAMETOOLONG;
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? 0 : errno;
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        buffer_put(&text, chunk, n);
    int code = ferror(file) ? EIO : text.failed ? ENOMEM : 0;
    fclose(file);
    const char *line = text.at ? text.at : "";
    while (!code && *line)
        code = load_pair(active, &line) ? 0 : EBADMSG;
    buffer_release(&text);
    active->changed = false;
    return code;
}

int active_save(struct active *active, const char *dir)
{
    struct buffer text = {0};
    if (!active->changed)
        return 0;
    for (const struct alarm *alarm = active->alarms; alarm; alarm = alarm->hh.next) {
        record_write(&text, &alarm->trap);
        buffer_clean(&text, alarm->service, "", '_');
        buffer_put(&text, "\n", 1);
    }
    int code = text.failed
                   ? ENOMEM
                   : atomicfile_write(dir, FILE_NAME, text.at ? text.at : "", text.len, false);
    active->changed = code != 0;
    buffer_release(&text);
    return code;
}
