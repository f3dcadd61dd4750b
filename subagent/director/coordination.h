/* What a candidate may do now: follow, order as root in a term, or take a new term; whether the
 * list of candidates decides that or a lease in etcd. Pure.
 *
 * What is seen of candidates and nodes is in the lead both ways. With a lease, it only says which
 * terms are used up; who is root says etcd. */
#ifndef DCAMP_DIRECTOR_COORDINATION_H
#define DCAMP_DIRECTOR_COORDINATION_H

#include "director/lead.h"
#include "tree/claim.h"

struct coordination {
    struct lead lead;
    bool by_lease;
    bool is_reading;    /* what etcd keeps of the tree; before, it does not become root */
    struct claim claim; /* of no meaning without a lease */
};

/* The time by CLOCK_MONOTONIC, and by CLOCK_BOOTTIME. */
void coordination_decide(struct coordination *coordination, uint64_t now_ns, uint64_t boot_ns,
                         struct lead_verdict *verdict);

#endif
