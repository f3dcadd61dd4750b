/* Locks that tell on those who break their rules. Programs that are linked with $(locks_flags)
 * abort where a lock is given back, or waited with, by a thread that does not hold it, or taken
 * twice by one thread. So what is done without the lock is noticed at the first time, and not only
 * when two threads happen to meet: see PTHREAD_MUTEX_ERRORCHECK in pthread_mutexattr_settype(3). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The names that the linker puts in the place of those of the library, and those it gives to the
 * real ones: see --wrap in ld(1). */
int __real_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes);
int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock);

int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock);

static int check(const char *call, int error)
{
    if (error) {
        fprintf(stderr, "%s: %s\n", call, strerror(error));
        abort();
    }
    return 0;
}

int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes)
{
    pthread_mutexattr_t strict;
    if (attributes)
        return __real_pthread_mutex_init(lock, attributes);
    pthread_mutexattr_init(&strict);
    pthread_mutexattr_settype(&strict, PTHREAD_MUTEX_ERRORCHECK);
    int error = __real_pthread_mutex_init(lock, &strict);
    pthread_mutexattr_destroy(&strict);
    return error;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
    return check("pthread_mutex_lock", __real_pthread_mutex_lock(lock));
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    return check("pthread_mutex_unlock", __real_pthread_mutex_unlock(lock));
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    return check("pthread_cond_wait", __real_pthread_cond_wait(condition, lock));
}
