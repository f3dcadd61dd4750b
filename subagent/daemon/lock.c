#include "daemon/lock.h"

#include "base/log.h"

void lock_take(pthread_mutex_t *lock)
{
    log_hold();
    pthread_mutex_lock(lock);
}

void lock_release(pthread_mutex_t *lock)
{
    pthread_mutex_unlock(lock);
    log_release();
}
