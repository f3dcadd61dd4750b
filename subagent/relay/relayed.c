#include "relay/relayed.h"

#include <stdlib.h>
#include <string.h>

/* -- Paths ----------------------------------------------------------------------------------- */

static size_t name_length(const char *name)
{
    return strcspn(name, "/");
}

static bool is_name(const char *name, const char *other, size_t other_len)
{
    return name_length(name) == other_len && memcmp(name, other, other_len) == 0;
}

/* Whether that name is one of the names in the path. */
static bool has_name(const char *path, const char *name, size_t len)
{
    for (const char *at = path;; at++) {
        if (is_name(at, name, len))
            return true;
        at += name_length(at);
        if (!*at)
            return false;
    }
}

bool relayed_path(const struct child_series *series, const char *node, char path[ALARM_PATH_SIZE])
{
    const char *below = series->name->path;
    size_t len;
    if (!child_path(series->child, below, strlen(below), path, &len))
        return false;
    path[len] = '\0';
    if (has_name(path, node, strlen(node)))
        return false;
    for (const char *at = path; *at;) {
        size_t name = name_length(at);
        const char *behind = at + name;
        if (*behind && has_name(behind + 1, at, name))
            return false;
        at = *behind ? behind + 1 : behind;
    }
    return true;
}

/* -- The list -------------------------------------------------------------------------------- */

static uint32_t place_of(const struct relayed_list *list, uint32_t number)
{
    uint32_t low = 0, high = list->used;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->at[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Removes the places of those that have gone. */
static void sweep(struct relayed_list *list)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->used; i++)
        if (list->at[i].is)
            list->at[n++] = list->at[i];
    list->used = n;
}

static bool has_room(struct relayed_list *list)
{
    if (list->used == list->room)
        sweep(list);
    if (list->used < list->room)
        return true;
    uint32_t room = list->room ? list->room + list->room / 2 : 16;
    void *larger = reallocarray(list->at, room, sizeof *list->at);
    if (!larger)
        return false;
    list->at = larger;
    list->room = room;
    return true;
}

/* Inserts it; there must be room. */
static void insert(struct relayed_list *list, uint32_t number, struct relayed *relayed)
{
    uint32_t place = place_of(list, number);
    if (place == list->used || list->at[place].number != number) {
        memmove(list->at + place + 1, list->at + place, (list->used - place) * sizeof *list->at);
        list->used++;
    }
    list->at[place] = (struct relayed_place){number, relayed};
    list->n++;
}

struct relayed *relayed_new(struct relayed_list *list, struct child_series *series,
                            const char *path)
{
    const char *metric = series->name->is_aggregate ? SERIES_AGGREGATE : "";
    size_t size = strlen(metric) + 1;
    struct relayed *relayed =
        has_room(list) ? calloc(1, sizeof *relayed + size + strlen(path) + 1) : NULL;
    if (!relayed)
        return NULL;
    relayed->series = series;
    memcpy(relayed->texts, metric, size);
    memcpy(relayed->texts + size, path, strlen(path) + 1);
    relayed->result.state = RESULT_WAITING;
    relayed->entry = (struct dictionary_entry){.sensor = series->name->sensor,
                                               .instance = series->name->instance,
                                               .metric = relayed->texts,
                                               .unit = series->name->unit,
                                               .is_relayed = true,
                                               .result = &relayed->result};
    insert(list, series->number, relayed);
    return relayed;
}

static bool is_at(const struct relayed_list *list, uint32_t place,
                  const struct child_series *series)
{
    return place < list->used && list->at[place].is && list->at[place].is->series == series;
}

struct relayed *relayed_find(struct relayed_list *list, const struct child_series *series)
{
    if (!list)
        return NULL;
    uint32_t place = list->next;
    if (!is_at(list, place, series))
        place = place_of(list, series->number);
    if (!is_at(list, place, series))
        return NULL;
    list->next = place + 1;
    return list->at[place].is;
}

void relayed_free(struct relayed_list *list, struct relayed *relayed)
{
    list->at[place_of(list, relayed->series->number)].is = NULL;
    list->n--;
    if (list->used > 2 * list->n)
        sweep(list);
    free(relayed);
}
