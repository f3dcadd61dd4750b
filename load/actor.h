/* Actors perform operations without waiting for them: an operation is begun here, and ends while
 * the reactor waits. */
#ifndef DCAMP_LOAD_ACTOR_H
#define DCAMP_LOAD_ACTOR_H

#include <stdarg.h>

#include "load/action.h"
#include "load/failure.h"
#include "load/reactor.h"

/* One for each action: what all of its actors share. Each kind of action has a struct of its own
 * that begins with this one. */
struct hub {
    const struct actor_type *type;
    const struct action *action;
    struct reactor *reactor;
};

/* One for each worker and action; it does one operation at a time. Each kind of action has a struct
 * of its own that begins with this one. */
struct actor {
    struct hub *hub;
    /* Reports that the operation has ended; failure is NULL if it did not fail. It may be called
     * before begin() has returned, and it may begin the next operation. */
    void (*ended)(void *context, const struct failure *failure);
    void *context;
};

struct actor_type {
    /* Also checks whether the action can be done. Returns NULL if not, and why is a sentence. */
    struct hub *(*prepare)(const struct action *action, struct reactor *reactor,
                           char why[FAILURE_TEXT]);
    void (*finish)(struct hub *hub);

    /* Returns NULL if memory runs out. The caller sets the members of struct actor, except hub. */
    struct actor *(*open)(struct hub *hub);
    void (*begin)(struct actor *actor, const struct call *call);

    /* Gives up an operation that has begun and not ended: ended() is not called for it. */
    void (*cancel)(struct actor *actor);
    void (*close)(struct actor *actor);

    /* Called once in a process, before the first prepare(); NULL if there is nothing to do. */
    void (*start)(void);

    /* Returns what is known of why the operation has not ended yet, or NULL. The pointer itself is
     * NULL if nothing is ever known. */
    const char *(*why_late)(const struct actor *actor);
};

extern const struct actor_type nothing_type, program_type, url_type, line_type, snmp_type,
    object_type;

/* Ends the operation of the actor, as successful or as failed. */
void actor_succeed(struct actor *actor);
void actor_fail(struct actor *actor, enum failure_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
