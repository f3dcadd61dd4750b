#include "application/locks.h"

#include <string.h>

/* The name that libdcamp/lock.c gives it. */
#define ARRIVALS ".arrivals"

/* Another sensor of the lock. NULL: there is none with this name and kind. */
static const struct application_series *find(const struct application *application,
                                             const struct application_series_key *lock,
                                             const char *suffix, enum segment_kind kind)
{
    struct application_series_key key = *lock;
    const struct application_series *series;
    size_t name = strnlen(key.name, sizeof key.name), added = strlen(suffix);
    if (name + added > sizeof key.name)
        return NULL;
    memcpy(key.name + name, suffix, added);
    HASH_FIND(hh, application->series, &key, sizeof key, series);
    return series && series->kind == kind ? series : NULL;
}

bool lock_of(const struct application_series *series, struct lock_series *lock)
{
    const struct application_series_key *key = &series->key;
    const struct application *application = series->application;
    size_t length = strnlen(key->name, sizeof key->name), suffix = strlen(ARRIVALS);
    if (series->kind != SEGMENT_COUNTER || length <= suffix ||
        memcmp(key->name + length - suffix, ARRIVALS, suffix) != 0)
        return false;
    lock->key = *key;
    memset(lock->key.name + length - suffix, 0, suffix);
    lock->arrivals = series;
    lock->waits = find(application, &lock->key, ".waits", SEGMENT_COUNTER);
    lock->failures = find(application, &lock->key, ".failures", SEGMENT_COUNTER);
    lock->hold = find(application, &lock->key, ".hold", SEGMENT_TIMER);
    return lock->waits && lock->failures && lock->hold;
}
