/* Receives datagrams, many per system call, from several sockets until a signal ends that. */
#ifndef DCAMP_STATSD_RECEIVE_H
#define DCAMP_STATSD_RECEIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statsd/options.h"

/* Gets what arrives. take: is_cut says that the datagram was longer. lose: n datagrams were lost,
 * because the sockets were full. rest: nothing more has arrived for now. */
struct listener {
    void (*take)(void *context, const char *datagram, size_t size, bool is_cut);
    void (*lose)(void *context, uint64_t n);
    void (*rest)(void *context);
    void *context;
};

struct receiver;

/* Binds the addresses of the options, or else loopback, where ::1 may be missing; or takes standard
 * input. Returns NULL after an error was logged. */
struct receiver *receiver_open(const struct options *options);
void receiver_close(struct receiver *receiver);

/* Receives until SIGTERM or SIGINT, which receiver_open() has blocked in the calling thread, or
 * until the other side of standard input is gone. Returns 0, or an error number that was logged. */
int receiver_run(struct receiver *receiver, const struct listener *listener);

#endif
