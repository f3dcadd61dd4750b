#include "runs/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A series, with the node's name as both runs have it. */
struct key {
    const char *node;
    const struct run_series *series;
};

struct keys {
    struct key *list;
    size_t n;
};

const char *pairs_node_name(const struct run *run, const char *path)
{
    if (*path)
        return path;
    for (size_t i = 0; i < run->n_nodes; i++)
        if (!*run->nodes[i].path && *run->nodes[i].name)
            return run->nodes[i].name;
    return path;
}

/* -- Nodes ----------------------------------------------------------------------------------- */

/* The path of the node that has this path or name; NULL if there is none. */
static const char *find_node(const struct run *run, const char *text)
{
    const char *named = NULL;
    for (size_t i = 0; i < run->n_series; i++) {
        const char *path = run->series[i].node;
        if (strcmp(path, text) == 0)
            return path;
        if (strcmp(pairs_node_name(run, path), text) == 0)
            named = path;
    }
    for (size_t i = 0; i < run->n_nodes && !named; i++)
        if (strcmp(run->nodes[i].name, text) == 0)
            named = run->nodes[i].path;
    return named;
}

/* The only node of the run; NULL if there are several. */
static const char *only_node(const struct run *run)
{
    for (size_t i = 1; i < run->n_series; i++)
        if (strcmp(run->series[i].node, run->series[0].node) != 0)
            return NULL;
    return run->n_series > 0 ? run->series[0].node : NULL;
}

static void rename_node(struct keys *keys, const char *from, const char *to)
{
    for (size_t i = 0; i < keys->n; i++)
        if (strcmp(keys->list[i].series->node, from) == 0)
            keys->list[i].node = to;
}

static bool map_one(const struct run *a, const struct run *b, char *word, struct keys *keys,
                    char error[PAIRS_ERROR_SIZE])
{
    char *to = strchr(word, '=');
    if (!to) {
        text_format(error, PAIRS_ERROR_SIZE, "--map %s: expected NODE=NODE", word);
        return false;
    }
    *to++ = '\0';
    const char *from_path = find_node(a, word), *to_path = find_node(b, to);
    if (!from_path || !to_path) {
        text_format(error, PAIRS_ERROR_SIZE, "--map %s=%s: %s has no node %s", word, to,
                    from_path ? b->name : a->name, from_path ? to : word);
        return false;
    }
    rename_node(keys, from_path, to_path);
    return true;
}

static bool map_nodes(const struct run *a, const struct run *b, const char *map, struct keys *keys,
                      char error[PAIRS_ERROR_SIZE])
{
    char *words = strdup(map), *rest = words, *word;
    bool good = words != NULL;
    if (!words)
        text_format(error, PAIRS_ERROR_SIZE, "no memory");
    while (good && (word = strsep(&rest, ",")))
        good = map_one(a, b, word, keys, error);
    free(words);
    return good;
}

/* -- Series ---------------------------------------------------------------------------------- */

static int order_words(const struct key *one, const struct key *other)
{
    int order = strcmp(one->node, other->node);
    if (!order)
        order = strcmp(one->series->sensor, other->series->sensor);
    return order ? order : strcmp(one->series->instance, other->series->instance);
}

static int order_keys(const void *a, const void *b)
{
    return order_words(a, b);
}

static bool list_keys(const struct run *run, struct keys *keys)
{
    keys->list = calloc(run->n_series + 1, sizeof *keys->list);
    for (size_t i = 0; keys->list && i < run->n_series; i++)
        keys->list[keys->n++] = (struct key){run->series[i].node, &run->series[i]};
    return keys->list != NULL;
}

static void sort_keys(struct keys *keys)
{
    if (keys->n > 0)
        qsort(keys->list, keys->n, sizeof *keys->list, order_keys);
}

static bool add_pair(struct pairs *pairs, const struct run_series *a, const struct run_series *b)
{
    void *list = run_grow(pairs->list, pairs->n, &pairs->room, sizeof *pairs->list);
    if (!list)
        return false;
    pairs->list = list;
    pairs->list[pairs->n++] = (struct pair){a, b};
    pairs->n_both += a && b;
    pairs->only_a += a && !b;
    pairs->only_b += !a && b;
    return true;
}

static bool merge(const struct keys *a, const struct keys *b, struct pairs *pairs)
{
    size_t i = 0, k = 0;
    bool good = true;
    while (good && (i < a->n || k < b->n)) {
        int order = i == a->n ? 1 : k == b->n ? -1 : order_words(&a->list[i], &b->list[k]);
        good = add_pair(pairs, order <= 0 ? a->list[i].series : NULL,
                        order >= 0 ? b->list[k].series : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    return good;
}

static bool find(const struct run *a, const struct run *b, const char *map, struct keys keys[2],
                 struct pairs *pairs, char error[PAIRS_ERROR_SIZE])
{
    const char *only_a = only_node(a), *only_b = only_node(b);
    bool good = list_keys(a, &keys[0]) && list_keys(b, &keys[1]);
    if (good && map && !map_nodes(a, b, map, &keys[0], error))
        return false;
    if (good && !map && only_a && only_b && strcmp(only_a, only_b) != 0) {
        rename_node(&keys[0], only_a, only_b);
        pairs->ignores_nodes = true;
    }
    if (good) {
        sort_keys(&keys[0]);
        sort_keys(&keys[1]);
        good = merge(&keys[0], &keys[1], pairs);
    }
    if (!good)
        text_format(error, PAIRS_ERROR_SIZE, "no memory");
    return good;
}

bool pairs_find(const struct run *a, const struct run *b, const char *map, struct pairs *pairs,
                char error[PAIRS_ERROR_SIZE])
{
    struct keys keys[2] = {{0}};
    *pairs = (struct pairs){0};
    bool good = find(a, b, map, keys, pairs, error);
    free(keys[0].list);
    free(keys[1].list);
    return good;
}

void pairs_release(struct pairs *pairs)
{
    free(pairs->list);
    *pairs = (struct pairs){0};
}
