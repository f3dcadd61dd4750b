/* A lease of a coordination service, as who is root holds it where a partition must never give two
 * roots. Pure: times are parameters, of CLOCK_BOOTTIME, which goes on while the machine sleeps.
 *
 * The service counts from when it receives a request, which is never before it was sent. So who
 * counts from the sending of the last request that was confirmed knows of the end of its lease
 * before the service does. It stops to configure at two thirds, so that what it has sent by then
 * has arrived before another one is elected, and clocks need not run equally fast: theirs may
 * differ by a third. What comes late all the same has a lower term, and is refused. */
#ifndef DCAMP_TREE_LEASE_H
#define DCAMP_TREE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/* What etcd grants at least; and a day. */
#define LEASE_TTL_MIN_NS UINT64_C(2000000000)
#define LEASE_TTL_MAX_NS UINT64_C(86400000000000)

/* All zero: none is held. */
struct lease {
    bool is_held;
    uint32_t term; /* that came with it */
    uint64_t ttl_ns;
    uint64_t confirmed_ns; /* when the last request that was confirmed was sent */
    uint64_t tried_ns;     /* when the last one was */
};

enum lease_state {
    LEASE_NONE,  /* none was taken, or it is over: another one may hold it */
    LEASE_SURE,  /* it may configure */
    LEASE_UNSURE /* it may not, but a renewal can still be confirmed */
};

/* It was granted, by a request that was sent then. False, and no change, if the time to live is
 * none that can be worked with. */
bool lease_take(struct lease *lease, uint32_t term, uint64_t ttl_ns, uint64_t sent_ns);

/* A renewal is being sent. */
void lease_try(struct lease *lease, uint64_t now_ns);

/* The renewal that was sent then was confirmed, with this time to live; answers may come late and
 * in any order. 0, and what cannot be worked with: the service knows it no longer, and it is over.
 * Once it is over, nothing renews it. */
void lease_confirm(struct lease *lease, uint64_t ttl_ns, uint64_t sent_ns, uint64_t now_ns);

/* It was given back, or another one has it. */
void lease_lose(struct lease *lease);

enum lease_state lease_state(const struct lease *lease, uint64_t now_ns);

/* When the next renewal is to be sent: a third of its time after the last that was confirmed, and
 * from then on every twelfth. UINT64_MAX: never, for none is held. */
uint64_t lease_due(const struct lease *lease, uint64_t now_ns);

/* When the state changes, if nothing is confirmed before; UINT64_MAX: never. */
uint64_t lease_changes(const struct lease *lease, uint64_t now_ns);

#endif
