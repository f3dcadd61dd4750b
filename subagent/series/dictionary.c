#include "series/dictionary.h"

#include <string.h>

void dictionary_open(struct dictionary *dictionary)
{
    index_init(&dictionary->by_number);
    dictionary->next_number = 1;
}

void dictionary_close(struct dictionary *dictionary)
{
    index_release(&dictionary->by_number);
}

void dictionary_add(struct dictionary *dictionary, struct dictionary_entry *entry)
{
    entry->number = dictionary->next_number++;
    entry->node.key = &entry->number;
    entry->node.key_len = 1;
    index_add(&dictionary->by_number, &entry->node);
}

void dictionary_remove(struct dictionary *dictionary, struct dictionary_entry *entry)
{
    index_remove(&dictionary->by_number, &entry->node);
}

const char *dictionary_path(const struct dictionary_entry *entry)
{
    return entry->is_relayed ? entry->metric + strlen(entry->metric) + 1 : "";
}

/* -- For observers -------------------------------------------------------------------------- */

static struct series_view view_of(const void *series)
{
    const struct dictionary_entry *entry = series;
    return (struct series_view){.sensor = entry->sensor,
                                .instance = entry->instance,
                                .unit = entry->unit,
                                .result = *entry->result};
}

static struct watch **watches_of(void *series)
{
    return &((struct dictionary_entry *)series)->watches;
}

static const struct statistics_window *window_of(const void *series, uint64_t now_ns,
                                                 uint64_t *number)
{
    const struct dictionary_entry *entry = series;
    if (!entry->statistics)
        return NULL;
    struct statistics_view view = statistics_view(entry->statistics, now_ns);
    *number = view.begin_ns + 1;
    return view.complete && view.window->count > 0 ? view.window : NULL;
}

struct series_ref dictionary_series(struct dictionary_entry *entry)
{
    static const struct series_type type = {
        .view = view_of, .watches = watches_of, .window = window_of};
    return (struct series_ref){&type, entry};
}
