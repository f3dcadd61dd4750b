/* Asks the servers of an etcd cluster what a claim wants to know, without ever waiting: by libcurl,
 * which is loaded only here, so that nodes without etcd do not need it. */
#ifndef DCAMP_DIRECTOR_ETCD_H
#define DCAMP_DIRECTOR_ETCD_H

#include "config/tree_config.h"
#include "director/etcd_json.h"

struct etcd;

/* Its sockets are watched in an epoll set of their own, which is in epoll with the struct etcd as
 * its data. NULL: error says why, and which package is missing. */
struct etcd *etcd_new(const struct tree_coordination *setup, const char *self, int epoll,
                      char error[512]);
void etcd_free(struct etcd *etcd);

/* Continues what is under way, tells the claim the result, and asks what the claim wants to be
 * asked next. If that is nothing, the errand is run, and run again after a pause until it is over;
 * then it may be another one. Returns when to call it again at the latest, if nothing can be read
 * before, by the clock of boot_ns, CLOCK_BOOTTIME. */
uint64_t etcd_step(struct etcd *etcd, struct claim *claim, struct etcd_errand *errand,
                   uint64_t boot_ns);

#endif
