/* Locks among the series of an application: dcamp_lock_new(3) makes six sensors of one, and their
 * names tell which belong together. Pure. */
#ifndef DCAMP_APPLICATION_LOCKS_H
#define DCAMP_APPLICATION_LOCKS_H

#include <stdbool.h>

#include "application/application.h"

/* The series of a lock that its contention is computed of. */
struct lock_series {
    struct application_series_key key; /* of the lock: its name, and the instance */
    const struct application_series *arrivals, *waits, *failures, *hold;
};

/* The lock whose arrivals the series counts. False: it is no such series, or one of the others is
 * not there. */
bool lock_of(const struct application_series *series, struct lock_series *lock);

#endif
