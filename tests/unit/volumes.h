/* For tests of the file systems: a statvfs that says what the test wants, and hangs where it wants.
 */
#ifndef DCAMP_TESTS_VOLUMES_H
#define DCAMP_TESTS_VOLUMES_H

#include "sampling.h"

#include <pthread.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "sample/filesystem.h"
#include "sample/source.h"

#define SPACE                                                                                      \
    (MASK(FILESYSTEM_SIZE) | MASK(FILESYSTEM_USED) | MASK(FILESYSTEM_FREE) |                       \
     MASK(FILESYSTEM_AVAILABLE) | MASK(FILESYSTEM_USABLE))
#define INODES                                                                                     \
    (MASK(FILESYSTEM_INODES) | MASK(FILESYSTEM_INODES_USED) | MASK(FILESYSTEM_INODES_FREE))
#define FLAG MASK(FILESYSTEM_READ_ONLY)

struct answer {
    const char *point; /* the end of the path */
    int error;
    struct statvfs result;
    bool hangs;
    unsigned calls;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct answer *answers;
static size_t n_answers;
static int gate[2]; /* what hangs reads an octet from it */
static unsigned calling;

static inline struct answer *find_answer(const char *path)
{
    size_t len = strlen(path);
    for (size_t i = 0; i < n_answers; i++) {
        size_t point = strlen(answers[i].point);
        if (len >= point && strcmp(path + len - point, answers[i].point) == 0)
            return &answers[i];
    }
    return NULL;
}

static inline int fake_statvfs(const char *path, struct statvfs *result)
{
    char octet;
    pthread_mutex_lock(&lock);
    struct answer *answer = find_answer(path);
    bool hangs = answer && answer->hangs;
    calling++;
    if (answer)
        answer->calls++;
    pthread_mutex_unlock(&lock);
    if (hangs && read(gate[0], &octet, 1) != 1)
        abort();
    pthread_mutex_lock(&lock);
    calling--;
    int error = answer ? answer->error : ENOENT;
    if (answer)
        *result = answer->result;
    pthread_mutex_unlock(&lock);
    errno = error;
    return error ? -1 : 0;
}

static inline struct sampler *fake_sampler(const char *root, struct answer *list, size_t n)
{
    struct sampler *sampler = sampler_new(root);
    assert_non_null(sampler);
    struct filesystems *own = sampler->sources[SOURCE_FILESYSTEM].own;
    own->statvfs = fake_statvfs;
    answers = list;
    n_answers = n;
    assert_int_equal(pipe(gate), 0);
    return sampler;
}

/* Lets n calls come back. */
static inline void release(size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(write(gate[1], "x", 1), 1);
}

/* Nobody is in a call any more; what the thread does after that takes no lock of the test. */
static inline void finish(void)
{
    for (unsigned busy = 1; busy;) {
        pthread_mutex_lock(&lock);
        busy = calling;
        pthread_mutex_unlock(&lock);
        usleep(1000);
    }
    close(gate[0]);
    close(gate[1]);
    usleep(5000);
}

static inline unsigned calls_of(const struct answer *answer)
{
    pthread_mutex_lock(&lock);
    unsigned calls = answer->calls;
    pthread_mutex_unlock(&lock);
    return calls;
}

static inline const struct sample_set *pass(struct sampler *sampler)
{
    static uint64_t now;
    assert_int_equal(sampler_read(sampler, SOURCE_FILESYSTEM, ++now), 0);
    return sampler_set(sampler, SOURCE_FILESYSTEM);
}

static inline uint32_t valid_of(const struct sample_set *set, const char *name)
{
    const struct sample_slot *slot = slot_named(set, name);
    if (!slot)
        fail_msg("%s is missing", name);
    return slot->valid;
}

#endif
