/* Sockets and the event loop.
 *
 * Children with addresses of their own share one socket: IP_PKTINFO tells which address a packet
 * came to, and makes the answer come from there. It takes packets from the loopback interface only.
 * Children with ports of their own have a socket each. */
#ifndef DCAMP_SIM_WIRE_H
#define DCAMP_SIM_WIRE_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include "sim.h"

/* False: why is written to stderr. */
bool wire_open(struct sim *sim);
void wire_close(struct sim *sim);

/* Until a signal ends it or sim->stop is set. */
void wire_run(struct sim *sim);

/* Sends what no request asked for, from the child's address. */
void wire_send(struct sim *sim, const struct sim_child *child, const struct sockaddr_in *to,
               const uint8_t *bytes, size_t len);

#endif
