/* Who does operations, without waiting for them: begun here, they end while the reactor waits. */
#ifndef DCAMP_LOAD_ACTOR_H
#define DCAMP_LOAD_ACTOR_H

#include <stdarg.h>

#include "load/action.h"
#include "load/failure.h"
#include "load/reactor.h"

/* One for each action: what all of its actors share. Each kind has one that begins with this. */
struct hub {
    const struct actor_type *type;
    const struct action *action;
    struct reactor *reactor;
};

/* One for each worker and action: it does one operation at a time. Each kind has one that begins
 * with this. */
struct actor {
    struct hub *hub;
    /* Tells that the operation has ended; failure: NULL, it did not fail. It may be called before
     * begin() has returned, and may begin the next one. */
    void (*ended)(void *context, const struct failure *failure);
    void *context;
};

struct actor_type {
    /* Also looks whether it can be done at all. NULL: why has a sentence. */
    struct hub *(*prepare)(const struct action *action, struct reactor *reactor,
                           char why[FAILURE_TEXT]);
    void (*finish)(struct hub *hub);

    /* NULL: no memory. The caller fills in what is of struct actor, but for the hub. */
    struct actor *(*open)(struct hub *hub);
    void (*begin)(struct actor *actor, const struct call *call);

    /* Gives up what was begun and has not ended: ended() is not called for it. */
    void (*cancel)(struct actor *actor);
    void (*close)(struct actor *actor);

    /* Once in a process, before the first prepare(); NULL: there is nothing to be done. */
    void (*start)(void);

    /* What is known of why the operation has not ended yet, or NULL; so is the function, where
     * nothing ever is. */
    const char *(*why_late)(const struct actor *actor);
};

extern const struct actor_type nothing_type, program_type, url_type, line_type, snmp_type,
    object_type;

/* Ends the operation of the actor, as good or as failed. */
void actor_succeed(struct actor *actor);
void actor_fail(struct actor *actor, enum failure_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
