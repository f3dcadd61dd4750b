/* For tests of the file systems: a statvfs that says what the test wants, and hangs where it wants.
 */
#ifndef DCAMP_TESTS_VOLUMES_H
#define DCAMP_TESTS_VOLUMES_H

#include <pthread.h>
#include <sys/statvfs.h>

#include "sampling.h"

#define SPACE                                                                                      \
    (MASK(FILESYSTEM_SIZE) | MASK(FILESYSTEM_USED) | MASK(FILESYSTEM_FREE) |                       \
     MASK(FILESYSTEM_AVAILABLE) | MASK(FILESYSTEM_USABLE))

#define INODES                                                                                     \
    (MASK(FILESYSTEM_INODES) | MASK(FILESYSTEM_INODES_USED) | MASK(FILESYSTEM_INODES_FREE))

#define FLAG MASK(FILESYSTEM_READ_ONLY)

struct volume {
    const char *point; /* the end of the path */
    int error;
    struct statvfs result;
    bool hangs;
    unsigned calls;
};

/* The lock of the list of volumes, and of how many calls are under way. */
extern pthread_mutex_t volumes_lock;
extern unsigned volumes_calling;

/* A sampler that asks this list. */
struct sampler *volumes_sampler(const char *root, struct volume *list, size_t n);

/* The same, which waits for what a busy machine takes: nothing may hang. */
struct sampler *volumes_patient(struct sampler *sampler);

/* Lets n calls come back. */
void volumes_release(size_t n);

/* Nobody is in a call any more, or the test fails; what the thread does after that takes no lock of
 * the test. */
void volumes_finish(void);
unsigned volumes_calls(const struct volume *volume);
const struct sample_set *volumes_pass(struct sampler *sampler);
uint32_t volumes_valid(const struct sample_set *set, const char *name);

#endif
