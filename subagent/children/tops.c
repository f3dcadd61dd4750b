#include "children/tops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "children/bound.h"

size_t child_top_cost(const struct child_top *top)
{
    size_t keys = top ? (top->parts.size + top->whole.size) * sizeof(struct top_key) : 0;
    return top ? sizeof *top + keys + (1 + top->whole.size) * CHILD_TOP_ROW : 0;
}

void child_top_free(struct child_top *top)
{
    if (!top)
        return;
    keys_release(&top->parts);
    keys_release(&top->whole);
    free(top);
}

/* Whether an entry has the keys that follow the parts that have come. */
static bool continues(const struct child_top *top, const struct report_entry *entry,
                      const struct top_key *first)
{
    const struct top_keys *parts = &top->parts;
    const struct report_keys *more = &entry->keys;
    return parts->size > 0 && more->n > 0 && top->wall_ms == entry->wall_ms &&
           top->size == more->size && parts->absent == more->absent &&
           parts->size + more->n <= more->size &&
           memcmp(parts->key[parts->size - 1].octets, first->octets, sizeof first->octets) < 0;
}

/* False: no memory. */
static bool append(struct top_keys *parts, const struct top_key *key, size_t n)
{
    if (n == 0)
        return true;
    struct top_key *all = reallocarray(parts->key, parts->size + n, sizeof *all);
    if (!all)
        return false;
    memcpy(all + parts->size, key, n * sizeof *all);
    parts->key = all;
    parts->size += n;
    return true;
}

static void finish_if_whole(struct child_top *top)
{
    if (top->parts.size < top->size)
        return;
    keys_release(&top->whole);
    top->whole = top->parts;
    top->parts = (struct top_keys){0};
    top->whole_ms = top->wall_ms;
    top->finished++;
}

int child_top_take(struct child_top **at, const struct report_entry *entry)
{
    struct top_key key[REPORT_KEYS_MAX];
    if (!*at)
        *at = calloc(1, sizeof **at);
    struct child_top *top = *at;
    if (!top)
        return ENOMEM;
    report_keys_read(&entry->keys, key);
    bool is_next = continues(top, entry, key);
    struct top_keys parts = is_next ? top->parts : (struct top_keys){.absent = entry->keys.absent};
    if (!append(&parts, key, entry->keys.n))
        return ENOMEM;
    if (!is_next)
        keys_release(&top->parts);
    top->parts = parts;
    top->wall_ms = entry->wall_ms;
    top->size = entry->keys.size;
    finish_if_whole(top);
    return 0;
}
