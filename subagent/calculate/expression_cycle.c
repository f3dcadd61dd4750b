#include "calculate/expression_cycle.h"

#include <bsd/sys/tree.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A derived sensor that the search has reached. */
struct visit {
    RB_ENTRY(visit) link;
    const char *name;
    const struct expression *expression;
    size_t next;          /* the index of the next of its names to be followed */
    struct visit *parent; /* the sensor from which the search came here */
    struct visit *child;  /* where the search went next; set once a cycle is found */
    bool done;            /* no reference leads from it back to it */
};

RB_HEAD(visits, visit);

static int visit_compare(struct visit *a, struct visit *b)
{
    return strcmp(a->name, b->name);
}

/* RB_GENERATE_STATIC cannot be used: it relies on an __unused that glibc does not define. */
RB_GENERATE_INTERNAL(visits, visit, link, visit_compare, __attribute__((__unused__)) static)

/* Returns NULL if there is no memory. */
static struct visit *visit(struct visits *visits, const char *name,
                           const struct expression *expression, struct visit *parent)
{
    struct visit *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->name = name;
    made->expression = expression;
    made->parent = parent;
    RB_INSERT(visits, visits, made);
    return made;
}

static void release(struct visits *visits)
{
    struct visit *each, *next;
    RB_FOREACH_SAFE(each, visits, visits, next)
    {
        RB_REMOVE(visits, visits, each);
        free(each);
    }
}

static void append(char text[MESSAGE_SIZE], const char *piece)
{
    size_t used = strlen(text), len = strlen(piece);
    memcpy(text + used, piece, len + 1);
}

/* Describes the cycle that goes from first to last, which refers to first. */
static void describe(struct visit *first, struct visit *last, char text[MESSAGE_SIZE])
{
    static const char arrow[] = " -> ", more[] = " -> ...";
    for (struct visit *at = last; at != first; at = at->parent)
        at->parent->child = at;
    last->child = NULL;
    size_t tail = sizeof more + sizeof arrow + strlen(first->name);
    text[0] = '\0';
    append(text, first->name);
    for (struct visit *at = first->child; at; at = at->child) {
        if (strlen(text) + sizeof arrow + strlen(at->name) + tail > MESSAGE_SIZE) {
            append(text, more);
            break;
        }
        append(text, arrow);
        append(text, at->name);
    }
    append(text, arrow);
    append(text, first->name);
}

/* The search goes depth first, without recursion: chains may be as long as there are sensors. */
static int search(struct visits *visits, struct visit *at, expression_of_fn *of, void *context,
                  char text[MESSAGE_SIZE])
{
    while (at) {
        struct visit wanted = {.name = expression_names(at->expression, at->next++)};
        if (!wanted.name) {
            at->done = true;
            at = at->parent;
            continue;
        }
        struct visit *known = RB_FIND(visits, visits, &wanted);
        if (known && !known->done) {
            describe(known, at, text);
            return ELOOP;
        }
        const struct expression *expression = known ? NULL : of(context, wanted.name);
        if (expression && !(at = visit(visits, wanted.name, expression, at)))
            return ENOMEM;
    }
    return 0;
}

int expression_cycle(const char *name, expression_of_fn *of, void *context, char text[MESSAGE_SIZE])
{
    struct visits visits = RB_INITIALIZER(&visits);
    const struct expression *expression = of(context, name);
    if (!expression)
        return 0;
    struct visit *first = visit(&visits, name, expression, NULL);
    int error = first ? search(&visits, first, of, context, text) : ENOMEM;
    release(&visits);
    return error;
}
