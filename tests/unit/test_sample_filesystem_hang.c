#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#include "volumes.h"

static void write_mounts(const struct tree *tree, size_t local, size_t remote)
{
    char text[4096] = "";
    size_t n = 0;
    for (size_t i = 0; i < remote; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "1 1 0:%zu / /r%zu rw - nfs4 s: rw\n",
                              i + 1, i);
    for (size_t i = 0; i < local; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "1 1 8:%zu / /l%zu rw - ext4 /dev/x rw\n",
                              i + 1, i);
    tree_write(tree, "/proc/filesystems", "nodev\tnfs4\n\text4\n");
    tree_write(tree, "/proc/self/mountinfo", text);
}

/* A pass must never take long, whatever hangs; one that does may be the fault of a machine that
 * stands still, but not several. */
static const struct sample_set *quick_pass(struct sampler *sampler)
{
    static unsigned slow;
    uint64_t begin = clock_mono_ns();
    const struct sample_set *set = volumes_pass(sampler);
    slow += clock_mono_ns() - begin >= NS_PER_S;
    assert_in_range(slow, 0, 3);
    return set;
}

/* Passes until a file system has an answer. */
static void pass_until_valid(struct sampler *sampler, const char *name)
{
    for (unsigned i = 0; i < 2000; i++) {
        if (volumes_valid(quick_pass(sampler), name))
            return;
        usleep(1000);
    }
    fail_msg("%s never comes back", name);
}

static void dead_server(void **state)
{
    const struct tree *tree = *state;
    struct volume list[] = {
        {.point = "/r0", .result = {.f_frsize = 1, .f_blocks = 5}, .hangs = true},
        {.point = "/l0", .result = {.f_frsize = 1, .f_blocks = 6}},
        {.point = "/l1", .result = {.f_frsize = 1, .f_blocks = 7}},
    };
    write_mounts(tree, 2, 1);
    struct sampler *sampler = volumes_sampler(tree->root, list, N_OF(list));
    for (unsigned i = 0; i < 20; i++) {
        const struct sample_set *set = quick_pass(sampler);
        assert_int_equal(set->error, 0);
        assert_int_equal(volumes_valid(set, "/r0"), 0);
        assert_int_equal(volumes_valid(set, "/l0"), SPACE | FLAG);
        assert_int_equal(slot_named(set, "/l1")->field[FILESYSTEM_SIZE], 7);
    }
    assert_int_equal(volumes_calls(&list[0]), 1);
    assert_true(volumes_calls(&list[2]) >= 20);
    list[0].hangs = false;
    volumes_release(1);
    pass_until_valid(sampler, "/r0");
    assert_int_equal(slot_named(sampler_set(sampler, SOURCE_FILESYSTEM), "/r0")->field[0], 5);
    assert_int_equal(sampler_set(sampler, SOURCE_FILESYSTEM)->membership, 3);
    sampler_free(sampler);
    volumes_finish();
}

/* However many mounts of a dead server there are, the local ones are looked at. */
static void many_mounts_of_a_dead_server(void **state)
{
    const struct tree *tree = *state;
    struct volume list[12] = {{.point = "/l0", .result = {.f_frsize = 1, .f_blocks = 6}}};
    char points[11][8];
    for (unsigned i = 0; i < 11; i++) {
        snprintf(points[i], sizeof points[i], "/r%u", i);
        list[i + 1] = (struct volume){.point = points[i], .hangs = true};
    }
    write_mounts(tree, 1, 11);
    struct sampler *sampler = volumes_sampler(tree->root, list, N_OF(list));
    for (unsigned i = 0; i < 10; i++) {
        const struct sample_set *set = quick_pass(sampler);
        assert_int_equal(volumes_valid(set, "/l0"), SPACE | FLAG);
        for (unsigned j = 0; j < 11; j++)
            assert_int_equal(volumes_valid(set, points[j]), 0);
    }
    unsigned hanging = 0;
    for (unsigned i = 1; i < N_OF(list); i++)
        hanging += volumes_calls(&list[i]);
    assert_int_equal(hanging, 3);
    pthread_mutex_lock(&volumes_lock);
    for (unsigned i = 1; i < N_OF(list); i++)
        list[i].hangs = false;
    pthread_mutex_unlock(&volumes_lock);
    volumes_release(3);
    for (unsigned i = 0; i < 11; i++)
        pass_until_valid(sampler, points[i]);
    sampler_free(sampler);
    volumes_finish();
}

static unsigned number_calling(void)
{
    pthread_mutex_lock(&volumes_lock);
    unsigned n = volumes_calling;
    pthread_mutex_unlock(&volumes_lock);
    return n;
}

/* Passes until so many threads hang: on a busy machine a new one takes its time to begin. */
static void pass_until_calling(struct sampler *sampler, unsigned n)
{
    for (unsigned i = 0; i < 2000 && number_calling() < n; i++) {
        quick_pass(sampler);
        usleep(1000);
    }
    assert_int_equal(number_calling(), n);
}

/* All threads hang in local calls: nothing is known any more, but the passes go on; and so does
 * everything when they come back. */
static void dead_disks(void **state)
{
    const struct tree *tree = *state;
    struct volume list[6];
    char points[6][8];
    for (unsigned i = 0; i < 6; i++) {
        snprintf(points[i], sizeof points[i], "/l%u", i);
        list[i] = (struct volume){.point = points[i], .hangs = i < 4};
    }
    write_mounts(tree, 6, 0);
    struct sampler *sampler = volumes_sampler(tree->root, list, N_OF(list));
    for (unsigned i = 0; i < 5; i++) {
        const struct sample_set *set = quick_pass(sampler);
        for (unsigned j = 0; j < 4; j++)
            assert_int_equal(volumes_valid(set, points[j]), 0);
    }
    pass_until_calling(sampler, 4);
    pthread_mutex_lock(&volumes_lock);
    for (unsigned i = 0; i < 4; i++)
        list[i].hangs = false;
    pthread_mutex_unlock(&volumes_lock);
    volumes_release(4);
    for (unsigned i = 0; i < 6; i++)
        pass_until_valid(sampler, points[i]);
    sampler_free(sampler);
    volumes_finish();
}

/* The mount, the device at it, or the daemon goes while the call hangs: it comes back to nobody. */
static void gone_while_hanging(void **state)
{
    const struct tree *tree = *state;
    struct volume list[] = {
        {.point = "/r0", .result = {.f_frsize = 1, .f_blocks = 5}, .hangs = true},
        {.point = "/r1", .result = {.f_frsize = 1, .f_blocks = 5}, .hangs = true},
        {.point = "/l0", .result = {.f_frsize = 1, .f_blocks = 6}},
    };
    write_mounts(tree, 1, 2);
    struct sampler *sampler = volumes_sampler(tree->root, list, N_OF(list));
    assert_int_equal(volumes_valid(quick_pass(sampler), "/r0"), 0);
    write_mounts(tree, 1, 1);
    assert_null(slot_named(quick_pass(sampler), "/r1"));
    pthread_mutex_lock(&volumes_lock);
    list[0].hangs = list[1].hangs = false;
    pthread_mutex_unlock(&volumes_lock);
    /* Another server at /r0: it answers while the old one still hangs. */
    tree_write(tree, "/proc/self/mountinfo",
               "1 1 0:77 / /r0 rw - nfs4 t: rw\n1 1 8:1 / /l0 rw - ext4 /dev/x rw\n");
    pass_until_valid(sampler, "/r0");
    assert_int_equal(volumes_valid(quick_pass(sampler), "/l0"), SPACE | FLAG);
    sampler_free(sampler); /* without waiting for what comes back only now */
    volumes_release(2);
    volumes_finish();
}

/* A slow answer is taken in the pass after it came, and no pass waits for it a second time. */
static void slow_answers(void **state)
{
    const struct tree *tree = *state;
    struct volume list[] = {
        {.point = "/r0", .result = {.f_frsize = 1, .f_blocks = 5}, .hangs = true}};
    write_mounts(tree, 0, 1);
    struct sampler *sampler = volumes_sampler(tree->root, list, 1);
    const struct sample_set *set = quick_pass(sampler);
    assert_int_equal(volumes_valid(set, "/r0"), 0);
    for (uint64_t i = 1; i <= 5; i++) {
        pthread_mutex_lock(&volumes_lock);
        list[0].result.f_blocks = i;
        pthread_mutex_unlock(&volumes_lock);
        usleep(12000); /* so long at least that it counts as slow */
        volumes_release(1);
        for (unsigned busy = 1; busy; usleep(1000)) {
            pthread_mutex_lock(&volumes_lock);
            busy = volumes_calling;
            pthread_mutex_unlock(&volumes_lock);
        }
        usleep(1000);
        pass_until_valid(sampler, "/r0");
        assert_int_equal(slot_named(set, "/r0")->field[FILESYSTEM_SIZE], i);
        for (unsigned waited = 0; volumes_calls(&list[0]) < i + 1 && waited < 2000; waited++)
            usleep(1000);
        assert_int_equal(volumes_calls(&list[0]), i + 1);
    }
    list[0].hangs = false;
    sampler_free(sampler);
    volumes_release(1);
    volumes_finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(dead_server),  tree_test(many_mounts_of_a_dead_server),
        tree_test(dead_disks),   tree_test(gone_while_hanging),
        tree_test(slow_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
