/* What a node does, as dcampNodeRole has it, why, and dcampRoleChanged. */
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

/* Its word in the MIB: "collector". */
const char *role_word(enum node_role role);

/* What the role follows from. A node without sensors and children has nothing to do but wait. */
struct role_basis {
    const struct assignment *assignment; /* of the share in force; role 0: there is none */
    uint32_t level;                      /* as the configuration says */
    size_t children, sensors;
};
enum node_role role_of(const struct role_basis *basis);

/* Zeros in the beginning. Under the lock, but for what is said otherwise. */
struct role {
    enum node_role is;            /* 0: not known yet */
    char reason[MESSAGE_SIZE];    /* why, for people */
    struct order order;           /* core thread only: which the node works by; term 0: by none */
    struct assignment was;        /* core thread only: when the role was last looked at */
    uint32_t term;                /* core thread only: of the order of that time */
    char promotion[MESSAGE_SIZE]; /* core thread only: why its director is to be root, as that said
                                     last; "": nothing */
};

/* The node works by another order from now on. */
void role_ordered(struct role *role, const struct order *order);

/* What its director says of itself: why it takes over comes before its share does, as a rule. */
void role_heard(struct role *role, const struct tree_message_role *message);

/* Looks at what the role is. The first time that is where the node begins, or goes on after a
 * restart; from then on, another one is logged and notified. */
void role_step(struct role *role, const struct role_basis *basis, struct alarms *alarms,
               const char *node, struct moment now);

#endif
