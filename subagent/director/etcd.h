/* The servers of an etcd cluster, asked what a claim wants to know, without ever waiting: by
 * libcurl, which is loaded only here, so that nodes without etcd do not need it. */
#ifndef DCAMP_DIRECTOR_ETCD_H
#define DCAMP_DIRECTOR_ETCD_H

#include "config/tree_config.h"
#include "director/etcd_json.h"

struct etcd;

/* Its sockets are watched in a set of their own, which is in epoll with the struct etcd as its
 * data. NULL: error says why, and which package is missing. */
struct etcd *etcd_new(const struct tree_coordination *setup, const char *self, int epoll,
                      char error[512]);
void etcd_free(struct etcd *etcd);

/* Goes on with what is under way, tells the claim what came of it, and asks what it wants to be
 * asked next; where that is nothing, the errand is run, and again after a pause until it is over.
 * It may be another one then. Returns when to call it again at the latest, if nothing can be read
 * before, by the clock of boot_ns, CLOCK_BOOTTIME. */
uint64_t etcd_step(struct etcd *etcd, struct claim *claim, struct etcd_errand *errand,
                   uint64_t boot_ns);

#endif
