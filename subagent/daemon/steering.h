/* Between the tree document of this node, its director, and the view of the tree. Core thread
 * only. */
#ifndef DCAMP_DAEMON_STEERING_H
#define DCAMP_DAEMON_STEERING_H

#include <pthread.h>

#include "base/clock.h"
#include "daemon/documents.h"
#include "daemon/role.h"
#include "tree/directing.h"
#include "tree/view.h"

struct steering {
    const struct tree_in_force *tree;
    char self[NAME_SIZE];
    uint64_t changes; /* of the tree document, those that the director is told of */
    bool starved;     /* it could not be told of the latest, for want of memory: tried again */
    struct tree_view *view;
    struct role *role;
    pthread_mutex_t *lock; /* on the view; NULL: steering_begin was not called */
    struct directing directing;
    void *packet;         /* the latest of the director */
    bool became_root;     /* the director, and that was not asked for yet */
    uint64_t complain_ns; /* monotonic: the log was last told of a row that is left out; 0: never */
};

/* From now on there is a director while there is a tree document. self: the name of this node. lock
 * is free. options: as directing_open has them. 0 or an errno. steering_end is to be called in
 * either case, and does nothing where steering_begin was not. */
int steering_begin(struct steering *steering, const struct tree_in_force *tree, const char *self,
                   struct tree_view *view, struct role *role, pthread_mutex_t *lock,
                   const char *const *options);
void steering_end(struct steering *steering);

/* Hears what the director has to say, up to a bound, and tells it what it takes. Takes the lock for
 * one packet at a time. Returns when there is something to do again, whatever comes in. */
uint64_t steering_step(struct steering *steering, struct moment now);

/* Whether the director has become root since this was last asked. */
bool steering_has_become_root(struct steering *steering);

/* Tells it of the children that this node polls: of those that have announced themselves, to a root
 * before it, it knows nothing. Takes the lock, under which config is read. */
void steering_know_children(struct steering *steering, const struct config *config,
                            uint64_t now_ns);

/* Whether the tree that this node was to take apart is: there is no director any more. */
bool steering_has_ended(const struct steering *steering);

/* Becomes readable when steering_step has something to do; -1: never. */
int steering_fd(const struct steering *steering);

#endif
