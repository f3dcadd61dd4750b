#include "tree/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/text.h"

void tree_view_open(struct tree_view *view)
{
    *view = (struct tree_view){.is_root = false};
    index_init(&view->rows);
}

static void tree_row_free(struct tree_row *row)
{
    free(row->error);
    free(row);
}

static void remove_row(struct tree_view *view, struct index_node *node)
{
    index_remove(&view->rows, node);
    tree_row_free((struct tree_row *)node);
}

static void remove_rows(struct tree_view *view)
{
    struct index_node *node;
    while ((node = index_first(&view->rows)))
        remove_row(view, node);
}

void tree_view_close(struct tree_view *view)
{
    remove_rows(view);
    index_release(&view->rows);
}

void tree_view_clear(struct tree_view *view)
{
    remove_rows(view);
    view->is_root = view->left_out = false;
    view->term = view->serial = 0;
    view->root[0] = view->reason[0] = '\0';
}

static struct index_node *find_row(const struct tree_view *view, const char *name)
{
    uint32_t key[NAME_SIZE];
    return index_find(&view->rows, key, index_key_text(key, name));
}

void tree_view_drop(struct tree_view *view, const char *name)
{
    struct index_node *node = find_row(view, name);
    if (node)
        remove_row(view, node);
}

/* NULL: no memory. */
static struct tree_row *tree_row_new(const char *name)
{
    struct tree_row *row = calloc(1, sizeof *row + (strlen(name) + 1) * sizeof *row->key);
    if (!row)
        return NULL;
    text_format(row->name, sizeof row->name, "%s", name);
    row->node.key = row->key;
    row->node.key_len = index_key_text(row->key, name);
    return row;
}

/* The director has the text from a node, which may say anything. */
static void copy_text(char *to, const char *from, size_t size)
{
    memcpy(to, from, size);
    text_clean(to, size, '?');
}

static void fill_row(struct tree_row *row, const struct tree_message_row *message)
{
    copy_text(row->address, message->address, sizeof row->address);
    copy_text(row->parent, message->parent, sizeof row->parent);
    copy_text(row->group, message->group, sizeof row->group);
    copy_text(row->version, message->version, sizeof row->version);
    row->role = (enum share_role)message->role;
    row->level = message->level;
    row->state = (enum tree_state)message->state;
    row->found = (enum tree_found)message->found;
    row->heard_ns = message->heard_ns;
    row->term = message->term;
    row->serial = message->serial;
    row->deviations = message->deviations;
    row->has_digest =
        hex_to_octets(message->digest, row->digest, sizeof row->digest) == sizeof row->digest;
}

int tree_view_put(struct tree_view *view, const struct tree_message_row *message)
{
    struct tree_row *row = (struct tree_row *)find_row(view, message->name);
    if (!row && view->rows.count >= TREE_ROWS_MAX)
        return E2BIG;
    char *error = message->error[0] ? strdup(message->error) : NULL;
    struct tree_row *new = row ? NULL : tree_row_new(message->name);
    if ((message->error[0] && !error) || (!row && !new)) {
        free(error);
        free(new);
        return ENOMEM;
    }
    if (new)
        index_add(&view->rows, &new->node);
    row = new ? new : row;
    free(row->error);
    row->error = error;
    if (error)
        text_clean(error, strlen(error) + 1, '?');
    fill_row(row, message);
    return 0;
}

void tree_view_role(struct tree_view *view, const struct tree_message_role *role)
{
    if (!role->is_root)
        remove_rows(view);
    view->is_root = role->is_root;
    view->term = role->term;
    view->serial = role->serial;
    copy_text(view->root, role->root, sizeof view->root);
    copy_text(view->reason, role->reason, sizeof view->reason);
}
