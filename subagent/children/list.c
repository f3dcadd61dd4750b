#include "children/list.h"

#include <stdlib.h>
#include <string.h>

/* The list grows by half of its size plus this many. */
#define LIST_MORE 8

bool list_reserve(struct child_list *list)
{
    if (list->n < list->room)
        return true;
    uint32_t room = list->room + list->room / 2 + LIST_MORE;
    struct child_series **at =
        (struct child_series **)reallocarray((void *)list->at, room, sizeof(struct child_series *));
    if (!at)
        return false;
    list->at = at;
    list->room = room;
    return true;
}

/* Moves the series from one place on to another place. */
static void move(struct child_list *list, uint32_t from, uint32_t to)
{
    memmove((void *)&list->at[to], (void *)&list->at[from],
            (list->n - from) * sizeof(struct child_series *));
}

void list_insert(struct child_list *list, uint32_t place, struct child_series *series)
{
    move(list, place, place + 1);
    list->at[place] = series;
    list->n++;
}

void list_remove(struct child_list *list, uint32_t place)
{
    move(list, place + 1, place);
    list->n--;
}

void list_clear(struct child_list *list)
{
    list->n = 0;
}

void list_release(struct child_list *list)
{
    free((void *)list->at);
    *list = (struct child_list){.n = 0};
}
