/* The loop of the core thread: cycles by the monotonic clock, signals, systemd's watchdog. */
#ifndef DCAMP_DAEMON_LOOP_H
#define DCAMP_DAEMON_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#define LOOP_INPUTS 3

/* What it runs. */
struct loop {
    /* Returns the monotonic time at which it must be called again. */
    uint64_t (*cycle)(void *context, struct moment now);
    void (*reload)(void *context); /* called when HUP came */
    void *context;
    int wake_fd;                /* an eventfd: when it is readable, the next cycle comes at once */
    int input_fds[LOOP_INPUTS]; /* when one is readable, the next cycle comes at once, and reads it;
                                 * -1: there is none */
    bool *came[LOOP_INPUTS];    /* set to true when the input is readable; NULL: nobody needs to
                                 * know */
};

/* Blocks the signals that the loop reads, in the calling thread and those that it starts later:
 * must be called before any thread is started. */
void loop_block_signals(void);

/* Runs until TERM or INT. Returns 0, or an errno if the loop itself cannot be set up. */
int loop_run(const struct loop *loop);

#endif
