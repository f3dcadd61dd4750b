/* A lease of a coordination service, as the root holds it where a partition must never lead to two
 * roots. Pure: times are parameters, of CLOCK_BOOTTIME, which continues while the machine sleeps.
 *
 * The service counts from when it receives a request, which is never before it was sent. So a
 * holder that counts from the sending of the last confirmed request knows the end of its lease
 * before the service does. It stops configuring at two thirds of the time, so that what it has
 * sent by then has arrived before another one is elected, and so that the clocks need not run
 * equally fast: their speeds may differ by a third. Orders that come too late nevertheless have a
 * lower term, and are refused. */
#ifndef DCAMP_TREE_LEASE_H
#define DCAMP_TREE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/* The least that etcd grants; and a day. */
#define LEASE_TTL_MIN_NS UINT64_C(2000000000)
#define LEASE_TTL_MAX_NS UINT64_C(86400000000000)

/* All zero: no lease is held. */
struct lease {
    bool is_held;
    uint32_t term; /* the term that came with it */
    uint64_t ttl_ns;
    uint64_t confirmed_ns; /* when the last request that was confirmed had been sent */
    uint64_t tried_ns;     /* when the last request was sent */
};

enum lease_state {
    LEASE_NONE,  /* none was taken, or it is over: another one may hold it */
    LEASE_SURE,  /* it may configure */
    LEASE_UNSURE /* it may not, but a renewal can still be confirmed */
};

/* The lease was granted, by a request that was sent at that time. False, and no change, if the time
 * to live is unusable. */
bool lease_take(struct lease *lease, uint32_t term, uint64_t ttl_ns, uint64_t sent_ns);

/* A renewal is being sent. */
void lease_try(struct lease *lease, uint64_t now_ns);

/* The renewal that was sent at that time was confirmed, with this time to live; answers may come
 * late and in any order. If the time is 0 or unusable, the service does not know the lease any
 * more, and it is over. Once it is over, nothing renews it. */
void lease_confirm(struct lease *lease, uint64_t ttl_ns, uint64_t sent_ns, uint64_t now_ns);

/* The lease was given back, or another one has it. */
void lease_lose(struct lease *lease);

enum lease_state lease_state(const struct lease *lease, uint64_t now_ns);

/* When the next renewal must be sent: a third of its time after the last confirmed one was sent,
 * and from then on every twelfth. UINT64_MAX: never, because none is held. */
uint64_t lease_due(const struct lease *lease, uint64_t now_ns);

/* When the state changes, if nothing is confirmed before; UINT64_MAX: never. */
uint64_t lease_changes(const struct lease *lease, uint64_t now_ns);

#endif
