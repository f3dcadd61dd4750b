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
    uint64_t changes; /* of the tree document: those that the director was told of */
    bool starved;     /* memory ran out when it was to be told of the latest: this is tried again */
    struct tree_view *view;
    struct role *role;
    pthread_mutex_t *lock; /* protects the view; NULL: steering_begin was not called */
    struct directing directing;
    void *packet;         /* the latest packet of the director */
    bool became_root;     /* the director has become root, which nobody has asked for yet */
    uint64_t complain_ns; /* monotonic: when it was last logged that a row is left out; 0: never */
};

/* From now on there is a director while there is a tree document. self: the name of this node. The
 * lock must be free. options: as for directing_open. 0 or an errno. steering_end must be called in
 * either case, and does nothing if steering_begin was not called. */
int steering_begin(struct steering *steering, const struct tree_in_force *tree, const char *self,
                   struct tree_view *view, struct role *role, pthread_mutex_t *lock,
                   const char *const *options);
void steering_end(struct steering *steering);

/* Hears what the director has to say, up to a bound, and tells it as much as it takes. Takes the
 * lock for one packet at a time. Returns when there is something to do again even if nothing comes
 * in. */
uint64_t steering_step(struct steering *steering, struct moment now);

/* Whether the director has become root since this was last asked. */
bool steering_has_become_root(struct steering *steering);

/* Tells the director of the children that this node polls, because it knows nothing of those that
 * announced themselves to an earlier root. Takes the lock, under which config is read. */
void steering_know_children(struct steering *steering, const struct config *config,
                            uint64_t now_ns);

/* Whether the tree that this node was to take apart has been taken apart: there is no director any
 * more. */
bool steering_has_ended(const struct steering *steering);

/* Becomes readable when steering_step has something to do; -1: never. */
int steering_fd(const struct steering *steering);

#endif
