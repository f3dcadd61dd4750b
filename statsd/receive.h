/* Datagrams, many with each call of the system, from several sockets until a signal ends that. */
#ifndef DCAMP_STATSD_RECEIVE_H
#define DCAMP_STATSD_RECEIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statsd/options.h"

/* Who gets what comes. is_cut: there was more of the datagram. lose: so many datagrams were lost,
 * for the sockets were full. rest: no more has come so far. */
struct listener {
    void (*take)(void *context, const char *datagram, size_t size, bool is_cut);
    void (*lose)(void *context, uint64_t n);
    void (*rest)(void *context);
    void *context;
};

struct receiver;

/* Binds the addresses of the options, or loopback, of which one of the two addresses may be
 * missing; or takes standard input. NULL: something was logged. */
struct receiver *receiver_open(const struct options *options);
void receiver_close(struct receiver *receiver);

/* Until SIGTERM or SIGINT, which are blocked in the calling thread before anything is opened, or
 * until the other side of standard input is gone. 0, or an error number, which was logged. */
int receiver_run(struct receiver *receiver, const struct listener *listener);

#endif
