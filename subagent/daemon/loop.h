/* The loop of the core thread: cycles by the monotonic clock, signals, systemd's watchdog. */
#ifndef DCAMP_DAEMON_LOOP_H
#define DCAMP_DAEMON_LOOP_H

struct dcampd;

/* Blocks the signals that the loop reads, in the calling thread and those it starts later: to be
 * called before any thread is. */
void loop_block_signals(void);

/* Until TERM or INT. 0, or an errno when the loop itself cannot be set up. */
int loop_run(struct dcampd *daemon);

#endif
