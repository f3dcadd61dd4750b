/* One process of dcamp-publish that is connected: what it says, and what it is told. */
#ifndef DCAMP_OUTLET_PUBLISHER_H
#define DCAMP_OUTLET_PUBLISHER_H

#include "outlet/outlet.h"

/* How long a process that has connected may say nothing: it should say who it is at once. */
#define PUBLISHER_HELLO_NS (10 * NS_PER_S)

/* What the process has to say next. */
enum publisher_stage {
    PUBLISHER_HELLO,   /* who it is */
    PUBLISHER_CURSORS, /* how far its sink has each stream; then BEGIN */
    PUBLISHER_TAKES,   /* it takes blocks */
    PUBLISHER_HEARS    /* it has no sink, and is told which sinks there are */
};

struct outlet_publisher {
    TAILQ_ENTRY(outlet_publisher) link;
    int fd;
    uint64_t began_ns; /* monotonic: when it connected */
    enum publisher_stage stage;
    const char *ends; /* why it must be disconnected, for the log; NULL: it stays */
    bool says_why;    /* the reason is logged */

    struct outlet_sink_row *row; /* lock: NULL: it has no sink, or no longer has one */
    char sink[NAME_SIZE];

    uint32_t own_cursor; /* 0: none */
    uint32_t own_next;
    bool own_told;                /* it knows of the own stream */
    struct backlog_reader reader; /* lock */

    bool tells_sinks;  /* lock: it must be told all sinks */
    size_t sinks_told; /* lock: how many of these it was told */

    bool readable, writable; /* as far as is known */
    uint32_t events;         /* which epoll was told to wait for */
    uint8_t *out, *in;       /* packets: the one that waits to be sent, and the one that was
                              * received */
    size_t out_used, in_used, in_at;
};

/* Takes over fd, which must be non-blocking. NULL: no memory, or no more files; then fd is
 * closed. */
struct outlet_publisher *publisher_new(struct outlet *outlet, int fd, uint64_t now_ns);

/* Takes the lock. */
void publisher_free(struct outlet *outlet, struct outlet_publisher *publisher);

/* One turn: hears what it says, hands out what there is, at most one packet. Takes the lock for
 * copying only. True: a packet was sent, and there may be more. */
bool publisher_turn(struct outlet *outlet, struct outlet_publisher *publisher, uint64_t now_ns);

/* Whether there is something to do for it even if nothing comes in. */
bool publisher_waits(const struct outlet_publisher *publisher);

/* Until when it must say who it is; after that it loses its place. UINT64_MAX: it has said so. */
uint64_t publisher_deadline(const struct outlet_publisher *publisher);

#endif
