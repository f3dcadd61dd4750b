/* The lock between the core and its agent, which is held for memory work only. What is logged while
 * it is held is written afterwards, because writing a log may block. */
#ifndef DCAMP_DAEMON_LOCK_H
#define DCAMP_DAEMON_LOCK_H

#include <pthread.h>

void lock_take(pthread_mutex_t *lock);
void lock_release(pthread_mutex_t *lock);

#endif
