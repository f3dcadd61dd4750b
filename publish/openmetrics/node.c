#include "publish/openmetrics/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *node_name(const struct node *node)
{
    return node->path[0] ? node->path : node->name;
}

static bool is_same_engine(const struct node *node, const struct sink_stream *stream)
{
    return node->engine_id_len == stream->engine_id_len &&
           memcmp(node->engine_id, stream->engine_id, stream->engine_id_len) == 0;
}

static struct node *find_path(struct nodes *nodes, const char *path)
{
    struct node *node;
    HASH_FIND_STR(nodes->by_path, path, node);
    return node;
}

struct node *node_find(struct nodes *nodes, const struct sink_stream *stream)
{
    struct node *node = find_path(nodes, stream->path);
    return node && node->boot == stream->boot && is_same_engine(node, stream) ? node : NULL;
}

static struct node *add(struct nodes *nodes, const struct sink_stream *stream)
{
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    text_format(node->path, sizeof node->path, "%s", stream->path);
    HASH_ADD_STR(nodes->by_path, path, node);
    if (table_has(hh, node))
        return node;
    free(node);
    return NULL;
}

/* Boots of one engine are numbered; another engine under the same path has its own numbers, so that
 * the time decides. */
static bool is_later(const struct node *node, const struct sink_stream *stream, int64_t wall_ms)
{
    return is_same_engine(node, stream) ? stream->boot > node->boot : wall_ms > node->newest_ms;
}

static void adopt(struct nodes *nodes, struct node *node, const struct sink_stream *stream)
{
    node_clear(nodes, node);
    text_format(node->name, sizeof node->name, "%s", stream->name);
    text_format(node->group, sizeof node->group, "%s", stream->group);
    node->boot = stream->boot;
    node->engine_id_len =
        stream->engine_id_len < ENGINE_ID_MAX ? stream->engine_id_len : ENGINE_ID_MAX;
    memcpy(node->engine_id, stream->engine_id, node->engine_id_len);
    node->next = 0;
    node->since_ms = node->came_ms = 0;
    node->is_settled = false;
}

int node_of(struct nodes *nodes, const struct sink_stream *stream, int64_t wall_ms,
            struct node **node)
{
    struct node *found = find_path(nodes, stream->path);
    bool is_new = !found;
    if (is_new && !(found = add(nodes, stream)))
        return ENOMEM;
    bool is_it = !is_new && found->boot == stream->boot && is_same_engine(found, stream);
    *node = is_it || is_new || is_later(found, stream, wall_ms) ? found : NULL;
    if (*node && !is_it)
        adopt(nodes, found, stream);
    return 0;
}

void node_clear(struct nodes *nodes, struct node *node)
{
    struct series *series, *next;
    HASH_ITER(of_node, node->series, series, next)
    {
        series_remove(&nodes->families, series);
    }
    nodes->n_alarms -= alarms_clear(&node->alarms);
}

void node_remove(struct nodes *nodes, struct node *node)
{
    node_clear(nodes, node);
    HASH_DEL(nodes->by_path, node);
    free(node);
}
