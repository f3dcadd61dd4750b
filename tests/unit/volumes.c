#include "volumes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/filesystem.h"
#include "sample/sources.h"
#include "sample/worker.h"

#define PATIENCE_MS 60000

pthread_mutex_t volumes_lock = PTHREAD_MUTEX_INITIALIZER;

static struct volume *volumes;

static size_t n_volumes;

static int gate[2]; /* what hangs reads an octet from it */

unsigned volumes_calling;

static struct volume *find_answer(const char *path)
{
    size_t len = strlen(path);
    for (size_t i = 0; i < n_volumes; i++) {
        size_t point = strlen(volumes[i].point);
        if (len >= point && strcmp(path + len - point, volumes[i].point) == 0)
            return &volumes[i];
    }
    return NULL;
}

static int fake_statvfs(const char *path, struct statvfs *result)
{
    char octet;
    pthread_mutex_lock(&volumes_lock);
    struct volume *answer = find_answer(path);
    bool hangs = answer && answer->hangs;
    volumes_calling++;
    if (answer)
        answer->calls++;
    pthread_mutex_unlock(&volumes_lock);
    if (hangs && read(gate[0], &octet, 1) != 1)
        abort();
    pthread_mutex_lock(&volumes_lock);
    volumes_calling--;
    int error = answer ? answer->error : ENOENT;
    if (answer)
        *result = answer->result;
    pthread_mutex_unlock(&volumes_lock);
    errno = error;
    return error ? -1 : 0;
}

struct sampler *volumes_sampler(const char *root, struct volume *list, size_t n)
{
    struct sampler *sampler = sampler_new(root);
    assert_non_null(sampler);
    struct filesystems *own = sampler->sources[SOURCE_FILESYSTEM].own;
    own->statvfs = fake_statvfs;
    volumes = list;
    n_volumes = n;
    assert_int_equal(pipe(gate), 0);
    return sampler;
}

struct sampler *volumes_patient(struct sampler *sampler)
{
    struct filesystems *own = sampler->sources[SOURCE_FILESYSTEM].own;
    worker_be_patient(own->worker, 10 * NS_PER_S);
    return sampler;
}

void volumes_release(size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(write(gate[1], "x", 1), 1);
}

void volumes_finish(void)
{
    unsigned busy = 1;
    for (unsigned i = 0; busy && i < PATIENCE_MS; i++) {
        pthread_mutex_lock(&volumes_lock);
        busy = volumes_calling;
        pthread_mutex_unlock(&volumes_lock);
        usleep(1000);
    }
    if (busy)
        fail_msg("%u calls are under way for ever; of a test that failed, perhaps", busy);
    close(gate[0]);
    close(gate[1]);
    usleep(5000);
}

unsigned volumes_calls(const struct volume *answer)
{
    pthread_mutex_lock(&volumes_lock);
    unsigned calls = answer->calls;
    pthread_mutex_unlock(&volumes_lock);
    return calls;
}

const struct sample_set *volumes_pass(struct sampler *sampler)
{
    static uint64_t now;
    assert_int_equal(sampler_read(sampler, SOURCE_FILESYSTEM, ++now), 0);
    return sampler_set(sampler, SOURCE_FILESYSTEM);
}

uint32_t volumes_valid(const struct sample_set *set, const char *name)
{
    const struct sample_slot *slot = slot_named(set, name);
    if (!slot)
        fail_msg("%s is missing", name);
    return slot->valid;
}
