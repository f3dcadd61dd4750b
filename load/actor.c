#include "load/actor.h"

#include <stdio.h>
#include <stdlib.h>

void actor_succeed(struct actor *actor)
{
    actor->ended(actor->context, NULL);
}

void actor_fail(struct actor *actor, enum failure_kind kind, const char *format, ...)
{
    struct failure failure = {.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure.text, sizeof failure.text, format, arguments);
    va_end(arguments);
    actor->ended(actor->context, &failure);
}

/* -- Nothing: what the tool itself costs ------------------------------------------------------- */

static struct hub *prepare_nothing(const struct action *action, struct reactor *reactor,
                                   char why[FAILURE_TEXT])
{
    struct hub *hub = malloc(sizeof *hub);
    if (hub)
        *hub = (struct hub){&nothing_type, action, reactor};
    else
        snprintf(why, FAILURE_TEXT, "out of memory");
    return hub;
}

static void finish_nothing(struct hub *hub)
{
    free(hub);
}

static struct actor *open_nothing(struct hub *hub)
{
    struct actor *actor = malloc(sizeof *actor);
    if (actor)
        *actor = (struct actor){.hub = hub};
    return actor;
}

static void begin_nothing(struct actor *actor, const struct call *call)
{
    (void)call;
    actor_succeed(actor);
}

static void cancel_nothing(struct actor *actor)
{
    (void)actor;
}

static void close_nothing(struct actor *actor)
{
    free(actor);
}

const struct actor_type nothing_type = {.prepare = prepare_nothing,
                                        .finish = finish_nothing,
                                        .open = open_nothing,
                                        .begin = begin_nothing,
                                        .cancel = cancel_nothing,
                                        .close = close_nothing};
