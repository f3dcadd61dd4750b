/* Locks among the series of an application: dcamp_lock_new(3) makes six sensors for a lock, and
 * their names tell which belong together. Pure. */
#ifndef DCAMP_APPLICATION_LOCKS_H
#define DCAMP_APPLICATION_LOCKS_H

#include <stdbool.h>

#include "application/application.h"

/* The series of a lock from which its contention is computed. */
struct lock_series {
    struct application_series_key key; /* that of the lock: its name, and the instance */
    const struct application_series *arrivals, *waits, *failures, *hold;
};

/* Finds the lock whose arrivals the series counts. False: it is no such series, or one of the
 * others does not exist. */
bool lock_of(const struct application_series *series, struct lock_series *lock);

#endif
