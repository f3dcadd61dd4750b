/* What a candidate may do now: follow, give orders as root in a term, or take a new term; this is
 * decided either by the list of candidates or by a lease in etcd. Pure.
 *
 * What is seen of candidates and nodes is kept in lead in both cases. With a lease, it only tells
 * which terms are used up; etcd decides who is root. */
#ifndef DCAMP_DIRECTOR_COORDINATION_H
#define DCAMP_DIRECTOR_COORDINATION_H

#include "director/lead.h"
#include "tree/claim.h"

struct coordination {
    struct lead lead;
    bool by_lease;
    bool is_reading;    /* it reads what etcd keeps of the tree, and does not become root before */
    struct claim claim; /* has no meaning without a lease */
};

/* The two times are those of CLOCK_MONOTONIC and of CLOCK_BOOTTIME. */
void coordination_decide(struct coordination *coordination, uint64_t now_ns, uint64_t boot_ns,
                         struct lead_verdict *verdict);

#endif
