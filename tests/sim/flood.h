/* Packets that nobody asked for, at somebody's port. */
#ifndef DCAMP_SIM_FLOOD_H
#define DCAMP_SIM_FLOOD_H

#include "sim.h"

/* n packets from the addresses of all children in turn, as fast as answering leaves time: random
 * octets, discovery reports of engines that do not exist, messages with a wrong digest of those
 * that do. Says when it is done. ENOMEM. */
int flood_start(struct sim *sim, const struct sockaddr_in *to, uint64_t n, struct moment now);

#endif
