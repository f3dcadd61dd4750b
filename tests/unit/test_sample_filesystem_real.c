/* The file systems of this machine, with mounts of the test's own in a namespace of its own: that
 * needs privileges, without which most of this is skipped. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define _GNU_SOURCE 1

#include "volumes.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include "base/clock.h"
#include "sample/filesystem.h"
#include "sample/sources.h"

struct mounts_test {
    struct tree tree; /* below which is mounted */
    bool allowed;
};

static int setup(void **state)
{
    struct mounts_test *test = calloc(1, sizeof *test);
    tree_new(&test->tree);
    test->allowed =
        unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    *state = test;
    return 0;
}

static int teardown(void **state)
{
    struct mounts_test *test = *state;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/hung", test->tree.root); /* of a test that failed */
    umount2(path, MNT_DETACH);
    tree_remove(&test->tree, "");
    free(test);
    return 0;
}

static void folder(const struct mounts_test *test, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", test->tree.root, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

/* What is mounted at "/" agrees with statvfs, whatever is written meanwhile. */
static void root(void **state)
{
    (void)state;
    struct statvfs result;
    struct sampler *sampler = volumes_patient(sampler_new("/"));
    const struct sample_set *set = volumes_pass(sampler);
    assert_int_equal(statvfs("/", &result), 0);
    const struct sample_slot *slot = slot_named(set, "/");
    if (slot && slot->valid) {
        assert_int_equal(slot->field[FILESYSTEM_SIZE], (uint64_t)result.f_blocks * result.f_frsize);
        assert_int_equal(slot->field[FILESYSTEM_READ_ONLY], (result.f_flag & ST_RDONLY) != 0);
    }
    sampler_free(sampler);
}

/* The kernel tells of each change, and only of changes. */
static void mounts_come_and_go(void **state)
{
    const struct mounts_test *test = *state;
    char path[PATH_MAX];
    if (!test->allowed)
        skip();
    folder(test, "a b", path);
    struct sampler *sampler = volumes_patient(sampler_new("/"));
    const struct sample_set *set = volumes_pass(sampler);
    uint64_t membership = set->membership;
    for (uint64_t i = 1; i <= 3; i++) {
        assert_int_equal(mount("none", path, "tmpfs", 0, "size=65536,nr_inodes=100"), 0);
        const struct sample_slot *slot = slot_named(volumes_pass(sampler), path);
        assert_non_null(slot);
        assert_int_equal(slot->field[FILESYSTEM_SIZE], 65536);
        assert_int_equal(slot->field[FILESYSTEM_INODES], 100);
        assert_int_equal(slot->field[FILESYSTEM_READ_ONLY], 0);
        assert_int_equal(mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
        slot = slot_named(volumes_pass(sampler), path);
        assert_int_equal(slot->field[FILESYSTEM_READ_ONLY], 1);
        assert_int_equal(set->membership, membership + 2 * i - 1);
        assert_int_equal(umount(path), 0);
        assert_null(slot_named(volumes_pass(sampler), path));
        assert_int_equal(set->membership, membership + 2 * i);
    }
    struct filesystems *own = sampler->sources[SOURCE_FILESYSTEM].own;
    uint64_t listing = own->listing;
    for (unsigned i = 0; i < 10; i++)
        volumes_pass(sampler);
    assert_int_equal(own->listing, listing);
    sampler_free(sampler);
}

/* A FUSE file system whose daemon never says a word. */
static void hung_mount(void **state)
{
    const struct mounts_test *test = *state;
    char path[PATH_MAX];
    char options[64];
    int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (!test->allowed || fuse < 0)
        skip();
    folder(test, "hung", path);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
    if (mount("hung", path, "fuse.hung", MS_NODEV | MS_NOSUID, options) != 0)
        skip();
    struct sampler *sampler = sampler_new("/");
    unsigned slow = 0, late = 0; /* of a machine that stands still, not of a mount that hangs */
    for (unsigned i = 0; i < 10; i++) {
        uint64_t begin = clock_mono_ns();
        const struct sample_set *set = volumes_pass(sampler);
        slow += clock_mono_ns() - begin >= NS_PER_S;
        assert_int_equal(volumes_valid(set, path), 0);
        const struct sample_slot *slash = slot_named(set, "/");
        late += slash && !slash->valid;
    }
    assert_in_range(slow, 0, 2);
    assert_in_range(late, 0, 3);
    close(fuse); /* now the call comes back, with ENOTCONN */
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(volumes_valid(volumes_pass(sampler), path), 0);
    assert_int_equal(umount2(path, MNT_DETACH), 0);
    assert_null(slot_named(volumes_pass(sampler), path));
    sampler_free(sampler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root),
        cmocka_unit_test(mounts_come_and_go),
        cmocka_unit_test(hung_mount),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
