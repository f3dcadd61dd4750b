/* What a node does (dcampNodeRole), why, and the notification dcampRoleChanged. */
#ifndef DCAMP_DAEMON_ROLE_H
#define DCAMP_DAEMON_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/limits.h"
#include "config/ordered.h"
#include "config/tree_config.h"

struct alarms;
struct config;
struct tree_message_role;

/* The numbers are those of DcampRole in the MIB. */
enum node_role { ROLE_BASE = 1, ROLE_METRIC = 2, ROLE_COLLECTOR = 3, ROLE_ROOT = 4 };

/* Its name in the MIB, such as "collector". */
const char *role_word(enum node_role role);

/* What determines the role. A node without sensors and children can only wait. */
struct role_basis {
    const struct assignment *assignment; /* that of the share in force; role 0: there is none */
    uint32_t level;                      /* as the configuration says */
    size_t children, sensors;
};
enum node_role role_of(const struct role_basis *basis);

/* All zero in the beginning. Under the lock, except where a member says otherwise. */
struct role {
    enum node_role is;            /* 0: not known yet */
    char reason[MESSAGE_SIZE];    /* why, for people */
    struct order order;           /* core thread only: the order by which the node works; term 0:
                                   * none */
    struct assignment was;        /* core thread only: when the role was last looked at */
    uint32_t term;                /* core thread only: that of the order at that time */
    char promotion[MESSAGE_SIZE]; /* core thread only: why its director is to be root, as the
                                   * director last said; "": nothing */
};

/* The node works by another order from now on. */
void role_ordered(struct role *role, const struct order *order);

/* Takes what its director says of itself: the reason for taking over usually comes before the share
 * does. */
void role_heard(struct role *role, const struct tree_message_role *message);

/* Determines the role. The first time, that is where the node begins, or continues after a restart;
 * from then on, a change is logged and notified. */
void role_step(struct role *role, const struct role_basis *basis, struct alarms *alarms,
               const char *node, struct moment now);

#endif
