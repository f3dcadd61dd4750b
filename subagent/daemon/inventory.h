/* Inventory: the resources and processes of the machine, as rows of the inquiry tables. */
#ifndef DCAMP_DAEMON_INVENTORY_H
#define DCAMP_DAEMON_INVENTORY_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/index.h"
#include "base/pool.h"
#include "sample/process/process.h"
#include "sample/resource.h"

struct resource_row {
    struct index_node node; /* key: class, name */
    uint32_t key[INSTANCE_SIZE + 1];
    struct resource resource;
};

struct process_row {
    struct index_node node; /* key: name, pid */
    uint32_t key[NAME_SIZE + 1];
    char identifier[PROCESS_IDENTIFIER_SIZE];
    int64_t started_ms; /* wall clock */
    uint64_t scan;      /* the last one that saw it */
};

struct inventory {
    struct index resources; /* read under the lock */
    struct index processes; /* read under the lock */
    struct pool process_rows;
    atomic_bool asked; /* set by the agent: somebody reads one of the tables */
    struct resources found;
    struct process_table *table;
    uint64_t scans;
    uint64_t due_ns; /* when the next scan is due at the latest */
    uint64_t scanned_ns;
    uint64_t membership; /* that of the resources from which the rows were made */
    bool starved;        /* there was no memory for a process: all are listed again */
};

/* root: the directory below which files are read. 0 or ENOMEM. */
int inventory_open(struct inventory *inventory, const char *root);
void inventory_close(struct inventory *inventory);

/* When there is something to do: five seconds after the first scan, then every ten minutes; or two
 * seconds after the last scan, if somebody asks. */
uint64_t inventory_due(const struct inventory *inventory);

/* Reads what is due, and takes the lock only to publish it: resources that came or went at once,
 * sizes at each scan. */
void inventory_update(struct inventory *inventory, struct sampler *sampler, pthread_mutex_t *lock,
                      struct moment now);

#endif
