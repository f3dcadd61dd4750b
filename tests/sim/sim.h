/* The simulator's state: one process that answers as many SNMPv3 agents. */
#ifndef DCAMP_SIM_SIM_H
#define DCAMP_SIM_SIM_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <bsd/sys/tree.h>

#include "base/clock.h"
#include "garbage.h"
#include "objects.h"
#include "report/report.h"
#include "usm.h"

#define ENGINE_ID_SIZE 32
#define MESSAGE_SIZE_MAX 65507 /* of UDP over IPv4 */
#define RANGES_MAX 64          /* --knob */

struct sim;

/* Something that is due at some time. It is part of something larger: of a child, or the first
 * member of what was allocated for it and is freed when it is over. */
struct event {
    uint64_t due_ns;
    void (*fire)(struct sim *sim, struct event *event, struct moment now);
    bool planned, allocated;
    RB_ENTRY(event) link;
};
RB_HEAD(event_tree, event);
RB_PROTOTYPE(event_tree, event, link, event_order)

void event_plan(struct sim *sim, struct event *event, uint64_t due_ns);
void event_cancel(struct sim *sim, struct event *event);

/* Frees those that were allocated. */
void events_release(struct sim *sim);

struct sim_options {
    uint32_t children;
    uint32_t address; /* of child 1, in host order */
    uint16_t port;
    bool ports; /* child n has the port port + n - 1, all have the same address */
    bool ready;
    const char *user, *auth_secret, *priv_secret;
    bool sha512, aes256;
    uint32_t series, share, period_ms, keep, block_bytes;
    uint32_t window_series, window_ms;
    uint32_t boots; /* of the engines and of dcampd, at first */
    const char *knobs[RANGES_MAX];
    unsigned n_knobs;
};

/* The arcs below usmStats, RFC 3414. */
enum usm_stat {
    USM_UNSUPPORTED_LEVELS = 1,
    USM_NOT_IN_WINDOWS,
    USM_UNKNOWN_USERS,
    USM_UNKNOWN_ENGINES,
    USM_WRONG_DIGESTS,
    USM_DECRYPTION_ERRORS,
    USM_STATS
};

/* See arrivals.h. */
struct arrivals {
    uint32_t period_ms;
    double *apart_ms; /* the times between polls, of all children that are recorded */
    size_t n, room;
    bool incomplete; /* there was no memory for more */
};

/* An old answer that will be sent again. */
struct replay {
    uint8_t *bytes; /* NULL until there was an answer to keep */
    size_t len;
    uint32_t left;
};

struct sim_child {
    uint32_t number; /* from 1 */
    struct event tick;
    uint8_t engine_id[ENGINE_ID_SIZE];
    size_t engine_id_len;
    uint32_t generation; /* part of the engine ID */
    uint32_t engine_boots;
    uint64_t engine_start_ns;
    struct usm_keys keys;
    uint32_t usm_stats[USM_STATS];
    uint64_t requests;
    bool recorded;
    uint64_t polled_ns; /* while it is: the last poll; 0: none yet */

    uint32_t boot; /* of its dcampd */
    struct report_ring ring;
    uint32_t period_ms; /* 0: the first report of a boot is the only one */
    bool full_next;     /* the next report has every series */
    int64_t full_ms;    /* the latest report that had; from then on, one came every period */
    uint32_t full_period_ms;
    int64_t last_ms; /* the latest report; 0: none since the boot */

    bool dead;
    uint32_t delay_ms;
    uint32_t loss; /* percent */
    uint32_t
        largest; /* octets of an answer: a larger one would be tooBig; 0: as the request says */
    enum garbage garbage;
    struct replay replay;
};

struct wire;

struct sim {
    struct sim_options options;
    struct usm usm;
    struct usm_keys master;
    struct sim_child *children;
    struct event_tree events;
    struct object_set objects;
    struct wire *wire;
    struct arrivals arrivals;
    uint64_t random; /* state of the generator */
    uint64_t requests, answers, malformed;
    bool stop;
};

/* The same sequence in every run. */
uint64_t sim_random(struct sim *sim);

#endif
