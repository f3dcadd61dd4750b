/* The loop of the core thread: cycles by the monotonic clock, signals, systemd's watchdog. */
#ifndef DCAMP_DAEMON_LOOP_H
#define DCAMP_DAEMON_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#define LOOP_INPUTS 3

/* What it runs. */
struct loop {
    /* Returns the monotonic time at which it is to be called again. */
    uint64_t (*cycle)(void *context, struct moment now);
    void (*reload)(void *context); /* HUP came */
    void *context;
    int wake_fd;                /* an eventfd: the next cycle is to come at once */
    int input_fds[LOOP_INPUTS]; /* readable: likewise, and the cycle reads it; -1: there is none */
    bool *came[LOOP_INPUTS];    /* set to true when that is so; NULL: nobody needs to know */
};

/* Blocks the signals that the loop reads, in the calling thread and those it starts later: to be
 * called before any thread is. */
void loop_block_signals(void);

/* Until TERM or INT. 0, or an errno when the loop itself cannot be set up. */
int loop_run(const struct loop *loop);

#endif
