#include "publish/told.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"

struct name {
    uint32_t boot, id;
    char path[ALARM_PATH_SIZE];
};

struct alarm {
    struct name name; /* the key: each octet of it is set */
    uint32_t hash;
    char node[LINE_NODE_SIZE];
    struct told_words words;
    UT_hash_handle hh;
};

struct told {
    struct alarm *all;
};

struct told *told_new(void)
{
    return calloc(1, sizeof(struct told));
}

static void forget(struct told *told)
{
    struct alarm *alarm, *next;
    HASH_ITER(hh, told->all, alarm, next)
    {
        HASH_DEL(told->all, alarm);
        free(alarm);
    }
}

void told_free(struct told *told)
{
    if (!told)
        return;
    forget(told);
    free(told);
}

static struct alarm *add(struct told *told, const struct name *name)
{
    if (HASH_COUNT(told->all) >= TOLD_MAX)
        forget(told);
    struct alarm *alarm = calloc(1, sizeof *alarm);
    if (!alarm)
        return NULL;
    alarm->name = *name;
    HASH_ADD(hh, told->all, name, sizeof alarm->name, alarm);
    if (table_has(hh, alarm))
        return alarm;
    free(alarm);
    return NULL;
}

static bool is_news(struct told *told, struct alarm *alarm, const struct name *name,
                    const struct line *line)
{
    if (alarm && alarm->hash == line->alarm_hash)
        return false;
    if (!alarm)
        alarm = add(told, name);
    if (!alarm)
        return true;
    alarm->hash = line->alarm_hash;
    strcpy(alarm->node, line->node);
    text_format(alarm->words.sensor, sizeof alarm->words.sensor, "%s", line->words.sensor);
    text_format(alarm->words.instance, sizeof alarm->words.instance, "%s", line->words.instance);
    return true;
}

bool told_is_news(struct told *told, struct line *line, struct told_words *words)
{
    if (line->kind != LINE_ALARM && line->kind != LINE_ALARM_CLEARED)
        return true;
    struct name name;
    struct alarm *alarm;
    memset(&name, 0, sizeof name);
    name.boot = line->stream->boot;
    name.id = line->alarm_id;
    memcpy(name.path, line->stream->path, strlen(line->stream->path));
    HASH_FIND(hh, told->all, &name, sizeof name, alarm);
    if (line->kind == LINE_ALARM)
        return is_news(told, alarm, &name, line);
    if (!alarm)
        return true;
    *words = alarm->words;
    line->words = (struct sink_words){words->sensor, words->instance, "", "", ""};
    strcpy(line->node, alarm->node);
    HASH_DEL(told->all, alarm);
    free(alarm);
    return true;
}
