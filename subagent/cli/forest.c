#include "cli/forest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NOBODY SIZE_MAX

/* Children are a list, so that a tree of any depth needs no stack. */
struct link {
    size_t parent, child, next; /* of nodes; NOBODY: none */
    bool placed;
};

struct forest {
    const struct forest_node *nodes;
    struct link *links;
    size_t *by_name; /* all nodes in the order in which they are shown */
    struct forest_place *places;
    size_t n_placed;
};

static int compare_names(const void *left, const void *right, void *context)
{
    const struct forest_node *nodes = context;
    size_t one = *(const size_t *)left, other = *(const size_t *)right;
    int order = strverscmp(nodes[one].name, nodes[other].name);
    return order ? order : (one > other) - (one < other);
}

static size_t find_name(const struct forest *forest, size_t n, const char *name)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strverscmp(forest->nodes[forest->by_name[middle]].name, name);
        if (order == 0)
            return forest->by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NOBODY;
}

/* Begins with the last node, so that each list is in the order of names. */
static void link_nodes(struct forest *forest, size_t n)
{
    for (size_t i = 0; i < n; i++)
        forest->links[i] = (struct link){NOBODY, NOBODY, NOBODY, false};
    for (size_t i = n; i-- > 0;) {
        size_t node = forest->by_name[i];
        struct link *link = &forest->links[node];
        const char *parent = forest->nodes[node].parent;
        link->parent = parent[0] ? find_name(forest, n, parent) : NOBODY;
        if (link->parent == NOBODY)
            continue;
        link->next = forest->links[link->parent].child;
        forest->links[link->parent].child = node;
    }
}

static void place(struct forest *forest, size_t node, size_t depth, bool astray)
{
    forest->places[forest->n_placed++] = (struct forest_place){node, depth, astray};
    forest->links[node].placed = true;
}

/* The first node of a list that has no place yet. In a circle, the one at its top has one
 * already. */
static size_t unplaced(const struct forest *forest, size_t node)
{
    while (node != NOBODY && forest->links[node].placed)
        node = forest->links[node].next;
    return node;
}

/* Places a node and all that is below it. */
static void place_tree(struct forest *forest, size_t top, bool astray)
{
    size_t node = top, depth = 0;
    place(forest, top, 0, astray);
    for (;;) {
        size_t next = unplaced(forest, forest->links[node].child);
        if (next != NOBODY) {
            depth++;
        } else {
            while (node != top && (next = unplaced(forest, forest->links[node].next)) == NOBODY) {
                node = forest->links[node].parent;
                depth--;
            }
            if (node == top)
                return;
        }
        node = next;
        place(forest, node, depth, false);
    }
}

static void place_all(struct forest *forest, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!forest->nodes[forest->by_name[i]].parent[0])
            place_tree(forest, forest->by_name[i], false);
    for (size_t i = 0; i < n; i++)
        if (forest->links[forest->by_name[i]].parent == NOBODY &&
            !forest->links[forest->by_name[i]].placed)
            place_tree(forest, forest->by_name[i], true);
    for (size_t i = 0; i < n; i++) /* circles are all that is left */
        if (!forest->links[forest->by_name[i]].placed)
            place_tree(forest, forest->by_name[i], true);
}

bool forest_layout(const struct forest_node *nodes, size_t n, struct forest_place *places)
{
    struct forest forest = {.nodes = nodes, .places = places};
    forest.links = reallocarray(NULL, n + 1, sizeof *forest.links);
    forest.by_name = reallocarray(NULL, n + 1, sizeof *forest.by_name);
    bool good = forest.links && forest.by_name;
    if (good) {
        for (size_t i = 0; i < n; i++)
            forest.by_name[i] = i;
        qsort_r(forest.by_name, n, sizeof *forest.by_name, compare_names, (void *)nodes);
        link_nodes(&forest, n);
        place_all(&forest, n);
    }
    free(forest.links);
    free(forest.by_name);
    return good;
}

void forest_indent(char text[FOREST_INDENT_SIZE], size_t depth)
{
    if (depth < FOREST_DEEP)
        text_format(text, FOREST_INDENT_SIZE, "%*s", (int)(2 * depth), "");
    else
        text_format(text, FOREST_INDENT_SIZE, "%*s%zu: ", 2 * FOREST_DEEP, "", depth);
}

void forest_cut(char *text, size_t columns)
{
    size_t at = 0;
    for (size_t n = 0; text[at]; at++) {
        bool begins = ((unsigned char)text[at] & 0xc0) != 0x80;
        if (begins && n == columns)
            break;
        n += begins;
    }
    if (!text[at])
        return;
    while (at > 0 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
        at--;
    if (at > 0)
        text[at - 1] = '~';
    text[at] = '\0';
}
