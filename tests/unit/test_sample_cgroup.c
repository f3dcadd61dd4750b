#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/cgroup.h"
#include "sample/sources.h"

#include "sampling.h"

#define CPU                                                                                        \
    (MASK(CGROUP_CPU) | MASK(CGROUP_CPU_USER) | MASK(CGROUP_CPU_SYSTEM) |                          \
     MASK(CGROUP_THROTTLED_TIME) | MASK(CGROUP_THROTTLED_PERIODS))
#define IO                                                                                         \
    (MASK(CGROUP_READ_BYTES) | MASK(CGROUP_WRITE_BYTES) | MASK(CGROUP_READS) | MASK(CGROUP_WRITES))
#define MEMORY                                                                                     \
    (MASK(CGROUP_MEMORY) | MASK(CGROUP_SWAP) | MASK(CGROUP_OOM_KILLS) | MASK(CGROUP_PIDS))
#define NO_LIMIT (CPU | IO | MEMORY)
#define ALL (NO_LIMIT | MASK(CGROUP_MEMORY_LIMIT))

static void want(struct sampler *sampler, const char *pattern)
{
    assert_int_equal(sampler_select(sampler, SOURCE_CGROUP, &pattern, 1, SAMPLE_ALL_FIELDS), 0);
}

static const struct sample_set *pass_at(struct sampler *sampler, uint64_t now_ns)
{
    assert_int_equal(sampler_read(sampler, SOURCE_CGROUP, now_ns), 0);
    return sampler_set(sampler, SOURCE_CGROUP);
}

static const struct expected slice = {
    "system.slice",
    RESOURCE_CGROUP,
    NO_LIMIT,
    {[CGROUP_CPU] = 8000000,
     [CGROUP_CPU_USER] = 5000000,
     [CGROUP_CPU_SYSTEM] = 3000000,
     [CGROUP_MEMORY] = 1073741824,
     [CGROUP_SWAP] = 4096,
     [CGROUP_PIDS] = 61,
     [CGROUP_OOM_KILLS] = 1,
     [CGROUP_READ_BYTES] = 1024,
     [CGROUP_WRITE_BYTES] = 2000,
     [CGROUP_READS] = 31,
     [CGROUP_WRITES] = 40},
};
static const struct expected web = {
    "system.slice/web.service",
    RESOURCE_CGROUP,
    ALL,
    {[CGROUP_CPU] = 1500000,
     [CGROUP_CPU_USER] = 1000000,
     [CGROUP_CPU_SYSTEM] = 500000,
     [CGROUP_THROTTLED_TIME] = 123456,
     [CGROUP_THROTTLED_PERIODS] = 7,
     [CGROUP_MEMORY] = 268435456,
     [CGROUP_MEMORY_LIMIT] = 536870912,
     [CGROUP_PIDS] = 12,
     [CGROUP_OOM_KILLS] = 1,
     [CGROUP_READ_BYTES] = 512,
     [CGROUP_WRITE_BYTES] = 1024,
     [CGROUP_READS] = 2,
     [CGROUP_WRITES] = 3},
};
/* Not used for I/O yet. */
static const struct expected ssh = {
    "system.slice/ssh.service",
    RESOURCE_CGROUP,
    NO_LIMIT,
    {[CGROUP_CPU] = 700000,
     [CGROUP_CPU_USER] = 400000,
     [CGROUP_CPU_SYSTEM] = 300000,
     [CGROUP_MEMORY] = 20971520,
     [CGROUP_PIDS] = 3},
};
/* "user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.gnome.Terminal-2211.scope",
 * which has no controller but the one for memory. */
static const struct expected terminal = {
    "~@1000.service/app.slice/app-gnome-org.gnome.Terminal-2211.scope",
    RESOURCE_CGROUP,
    MASK(CGROUP_CPU) | MASK(CGROUP_CPU_USER) | MASK(CGROUP_CPU_SYSTEM) | MASK(CGROUP_MEMORY),
    {[CGROUP_CPU] = 77, [CGROUP_CPU_USER] = 70, [CGROUP_CPU_SYSTEM] = 7, [CGROUP_MEMORY] = 8192},
};

static void laptop(void **state)
{
    (void)state;
    struct expected services[] = {web, ssh};
    struct sampler *sampler = fixture_sampler("laptop");
    want(sampler, "*.service");
    assert_slots(pass_at(sampler, 1), services, N_OF(services));
    want(sampler, "system.slice");
    assert_slots(pass_at(sampler, 2), &slice, 1);
    /* Two sensors want something, one of them nothing that is there. */
    const char *const two[] = {"!* none", "~*Terminal*"};
    assert_int_equal(sampler_select(sampler, SOURCE_CGROUP, two, 2, SAMPLE_ALL_FIELDS), 0);
    assert_slots(pass_at(sampler, 3), &terminal, 1);
    sampler_free(sampler);
}

/* Nobody wants any: nothing is opened, and that is no error. Nor is a machine without cgroup v2. */
static void none(void **state)
{
    (void)state;
    struct sampler *sampler = fixture_sampler("laptop");
    assert_int_equal(pass_at(sampler, 1)->count, 0);
    assert_int_equal(((struct cgroups *)sampler->sources[SOURCE_CGROUP].own)->mounts.file.fd, -1);
    want(sampler, "*");
    assert_true(present_count(pass_at(sampler, 2)) > 0);
    assert_int_equal(sampler_select(sampler, SOURCE_CGROUP, NULL, 0, SAMPLE_ALL_FIELDS), 0);
    assert_int_equal(present_count(pass_at(sampler, 3)), 0);
    want(sampler, "nothing-like-it");
    assert_int_equal(present_count(pass_at(sampler, 4)), 0);
    sampler_free(sampler);

    sampler = fixture_sampler("broken-truncated");
    want(sampler, "*");
    assert_int_equal(pass_at(sampler, 1)->count, 0);
    sampler_free(sampler);
    sampler = fixture_sampler("old-kernel");
    want(sampler, "*");
    assert_int_equal(sampler_read(sampler, SOURCE_CGROUP, 1), ENOENT);
    sampler_free(sampler);
}

/* cgroup v2 beside v1, with few files. */
static void hybrid(void **state)
{
    static const struct expected expected = {
        "job", RESOURCE_CGROUP, MASK(CGROUP_CPU), {[CGROUP_CPU] = 50}};
    (void)state;
    struct sampler *sampler = fixture_sampler("odd-kernel");
    want(sampler, "*");
    assert_slots(pass_at(sampler, 1), &expected, 1);
    sampler_free(sampler);
}

static void write_hierarchy(const struct tree *tree)
{
    tree_write(tree, "/proc/self/mountinfo", "1 1 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
    tree_write(tree, "/cg/a/cpu.stat", "usage_usec 1\n");
}

/* The hierarchy that is told of by mountinfo may not be there, and come later. */
static void missing_hierarchy(void **state)
{
    const struct tree *tree = *state;
    tree_write(tree, "/proc/self/mountinfo", "1 1 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
    struct sampler *sampler = sampler_new(tree->root);
    want(sampler, "*");
    assert_int_equal(sampler_read(sampler, SOURCE_CGROUP, 1), ENOENT);
    assert_int_equal(sampler_read(sampler, SOURCE_CGROUP, 2), ENOENT);
    write_hierarchy(tree);
    assert_int_equal(present_count(pass_at(sampler, 3)), 1);
    /* Another one is mounted elsewhere, then none. */
    tree_write(tree, "/other/b/cpu.stat", "usage_usec 1\n");
    tree_write(tree, "/proc/self/mountinfo", "1 1 0:27 / /other rw - cgroup2 cgroup2 rw\n");
    assert_non_null(slot_named(pass_at(sampler, 4), "b"));
    assert_null(slot_named(pass_at(sampler, 4), "a"));
    tree_write(tree, "/proc/self/mountinfo", "1 1 0:27 / /other rw - proc proc rw\n");
    assert_int_equal(present_count(pass_at(sampler, 5)), 0);
    sampler_free(sampler);
}

/* Groups that come and go are noticed at once, and those below them. */
static void hot_plug(void **state)
{
    const struct tree *tree = *state;
    write_hierarchy(tree);
    struct sampler *sampler = sampler_new(tree->root);
    want(sampler, "*");
    const struct sample_set *set = pass_at(sampler, 1);
    assert_int_equal(set->membership, 1);
    tree_write(tree, "/cg/a/b/c/pids.current", "5\n");
    pass_at(sampler, 2);
    assert_int_equal(set->membership, 2); /* b has no file yet */
    assert_int_equal(slot_named(set, "a/b/c")->field[CGROUP_PIDS], 5);
    tree_write(tree, "/cg/a/b/pids.current", "6\n");
    tree_remove(tree, "/cg/a/b/c");
    pass_at(sampler, 3);
    assert_int_equal(present_count(set), 2);
    assert_int_equal(slot_named(set, "a/b")->field[CGROUP_PIDS], 6);
    tree_remove(tree, "/cg/a");
    pass_at(sampler, 4);
    assert_int_equal(present_count(set), 0);
    assert_int_equal(set->membership, 6);
    sampler_free(sampler);
}

/* Folders are walked when something happened, and every minute. In between, files of controllers
 * that were switched on are looked for every 10 seconds. */
static void walks(void **state)
{
    const struct tree *tree = *state;
    write_hierarchy(tree);
    struct sampler *sampler = sampler_new(tree->root);
    struct cgroups *own = sampler->sources[SOURCE_CGROUP].own;
    want(sampler, "*");
    const struct sample_set *set = pass_at(sampler, 20 * NS_PER_S);
    assert_true(own->watch >= 0 && own->all_watched);
    for (uint64_t i = 21; i < 80; i++) {
        pass_at(sampler, i * NS_PER_S);
        assert_int_equal(own->walked_ns, 20 * NS_PER_S);
    }
    pass_at(sampler, 80 * NS_PER_S);
    assert_int_equal(own->walked_ns, 80 * NS_PER_S);
    assert_int_equal(slot_named(set, "a")->valid, MASK(CGROUP_CPU));
    tree_write(tree, "/cg/a/memory.current", "3\n");
    char events[4096];
    assert_true(read(own->watch, events, sizeof events) > 0); /* the kernel would not tell */
    pass_at(sampler, 90 * NS_PER_S - 1);
    assert_int_equal(slot_named(set, "a")->valid, MASK(CGROUP_CPU));
    pass_at(sampler, 90 * NS_PER_S);
    assert_int_equal(slot_named(set, "a")->valid, MASK(CGROUP_CPU) | MASK(CGROUP_MEMORY));
    assert_int_equal(own->walked_ns, 80 * NS_PER_S);
    sampler_free(sampler);
}

/* Where inotify has no watch for a folder a walk every 10 seconds finds what came and went. */
static void walks_without_inotify(void **state)
{
    const struct tree *tree = *state;
    write_hierarchy(tree);
    struct sampler *sampler = sampler_new(tree->root);
    struct cgroups *own = sampler->sources[SOURCE_CGROUP].own;
    own->max_open = 0; /* a handle of a file of this tree does not tell that it was removed */
    want(sampler, "*");
    const struct sample_set *set = pass_at(sampler, NS_PER_S);
    close(own->watch);
    own->watch = open("/dev/null", O_RDONLY | O_CLOEXEC); /* which has no watches to give */
    pass_at(sampler, 61 * NS_PER_S);
    assert_false(own->all_watched);
    tree_write(tree, "/cg/b/cpu.stat", "usage_usec 2\n");
    pass_at(sampler, 71 * NS_PER_S - 1);
    assert_null(slot_named(set, "b"));
    pass_at(sampler, 71 * NS_PER_S);
    assert_non_null(slot_named(set, "b"));
    assert_int_equal(own->n_open, 0);
    /* A group of which all files are gone is gone at once. */
    tree_remove(tree, "/cg/b");
    pass_at(sampler, 71 * NS_PER_S + 1);
    assert_null(slot_named(set, "b"));
    assert_non_null(slot_named(set, "a"));
    sampler_free(sampler);
}

/* Some handles are kept, the other files are opened each time; a group that stays keeps its
 * handles through the walks. */
static void handles(void **state)
{
    const struct tree *tree = *state;
    tree_copy(tree, "laptop");
    struct sampler *sampler = sampler_new(tree->root);
    struct cgroups *own = sampler->sources[SOURCE_CGROUP].own;
    assert_true(own->max_open > 0);
    own->max_open = 10;
    want(sampler, "*");
    const struct sample_set *set = pass_at(sampler, 1);
    assert_int_equal(own->n_open, 10);
    int first = own->groups[0].fd[0];
    for (unsigned i = 0; i < 3; i++) {
        tree_write(tree, "/sys/fs/cgroup/system.slice/pids.current", i % 2 ? "1\n" : "20\n");
        tree_write(tree, "/sys/fs/cgroup/user.slice/pids.current", i % 2 ? "30\n" : "4\n");
        char path[64];
        snprintf(path, sizeof path, "/sys/fs/cgroup/a%u/cpu.stat", i);
        tree_write(tree, path, "usage_usec 1\n");
        pass_at(sampler, 2 + i);
        assert_int_equal(slot_named(set, "system.slice")->field[CGROUP_PIDS], i % 2 ? 1 : 20);
        assert_int_equal(slot_named(set, "user.slice")->field[CGROUP_PIDS], i % 2 ? 30 : 4);
        assert_int_equal(own->n_open, 10);
    }
    bool kept = false;
    for (size_t i = 0; i < own->n; i++)
        kept |= own->groups[i].fd[0] == first;
    assert_true(kept);
    want(sampler, "a0");
    pass_at(sampler, 9);
    assert_int_equal(own->n_open, 1);
    sampler_free(sampler);
}

static void each_field(void **state)
{
    (void)state;
    const struct expected services[] = {web, ssh};
    check_each_field("laptop", SOURCE_CGROUP, "*.service", services, N_OF(services), CGROUP_FIELDS);
    check_each_field("laptop", SOURCE_CGROUP, "*Terminal*", &terminal, 1, CGROUP_FIELDS);
}

/* Only files with wanted fields are opened, and closed when nobody wants them any more; a group is
 * there without them as long as it has others. */
static void wanted_files(void **state)
{
    const struct tree *tree = *state;
    static const uint32_t memory = MASK(CGROUP_MEMORY), cpu = MASK(CGROUP_CPU);
    write_hierarchy(tree);
    tree_write(tree, "/cg/b/memory.current", "3\n");
    tree_write(tree, "/cg/b/cpu.stat", "usage_usec 10\n");
    struct sampler *sampler = sampler_new(tree->root);
    struct cgroups *own = sampler->sources[SOURCE_CGROUP].own;
    select_fields(sampler, SOURCE_CGROUP, "*", memory);
    const struct sample_set *set = pass_at(sampler, 1);
    assert_int_equal(own->n_open, 1);
    assert_int_equal(slot_named(set, "a")->valid, 0);
    assert_int_equal(slot_named(set, "b")->valid, memory);
    pass_at(sampler, 2);
    assert_int_equal(own->walked_ns, 1); /* for a, too, all is known */

    tree_write(tree, "/cg/b/cpu.stat", "usage_usec 20\n");
    select_fields(sampler, SOURCE_CGROUP, "*", memory | cpu);
    pass_at(sampler, 3);
    assert_int_equal(own->n_open, 3);
    assert_int_equal(slot_named(set, "a")->field[CGROUP_CPU], 1);
    assert_int_equal(slot_named(set, "b")->field[CGROUP_CPU], 20);
    assert_int_equal(slot_named(set, "b")->field[CGROUP_MEMORY], 3);

    select_fields(sampler, SOURCE_CGROUP, "*", cpu);
    tree_remove(tree, "/cg/b/memory.current");
    pass_at(sampler, 4);
    assert_int_equal(own->n_open, 2);
    assert_int_equal(slot_named(set, "b")->valid, cpu);
    assert_int_equal(slot_named(set, "b")->field[CGROUP_MEMORY], 0);
    assert_int_equal(set->membership, 2);

    /* A group that goes is gone at once, whatever was wanted of it. */
    select_fields(sampler, SOURCE_CGROUP, "*", memory);
    pass_at(sampler, 5);
    assert_int_equal(own->n_open, 0);
    tree_remove(tree, "/cg/b");
    close(own->watch);
    own->watch = open("/dev/null", O_RDONLY | O_CLOEXEC);
    pass_at(sampler, 6);
    assert_null(slot_named(set, "b"));
    assert_int_equal(slot_named(set, "a")->valid, 0);
    sampler_free(sampler);
}

static void strange_files(void **state)
{
    const struct tree *tree = *state;
    static const struct {
        const char *file;
        const char *text;
        uint32_t valid;
        uint64_t field[CGROUP_FIELDS];
    } rows[] = {
        {"memory.current", "12\n", MASK(CGROUP_MEMORY), {[CGROUP_MEMORY] = 12}},
        {"memory.current", "12", 0, {0}},
        {"memory.current", "-12\n", 0, {0}},
        {"memory.current", "9223372036854775808\n", 0, {0}},
        {"memory.max", "max\n", 0, {0}},
        {"memory.max", "", 0, {0}},
        {"memory.max", "0\n", MASK(CGROUP_MEMORY_LIMIT), {0}},
        {"memory.events", "oom 5\noom_kill 6\n", MASK(CGROUP_OOM_KILLS), {[CGROUP_OOM_KILLS] = 6}},
        {"memory.events", "oom_kill x\noom_group_kill 1\n", 0, {0}},
        {"cpu.stat",
         "user_usec 5\nusage_usec\nsystem_usec 6 7\n",
         MASK(CGROUP_CPU_USER) | MASK(CGROUP_CPU_SYSTEM),
         {[CGROUP_CPU_USER] = 5, [CGROUP_CPU_SYSTEM] = 6}},
        {"io.stat", "", IO, {0}},
        {"io.stat", "8:0\n8:16 \n", IO, {0}},
        {"io.stat",
         "8:0 rbytes=1 rios=2\n8:16 rbytes=10 wios=x rios=20 wbytes\n9:0 rbytes=5",
         IO & ~MASK(CGROUP_WRITES),
         {[CGROUP_READ_BYTES] = 11, [CGROUP_READS] = 22}},
        {"io.stat",
         "8:0 rbytes=1=2 =3 wbytes=4\n",
         IO & ~MASK(CGROUP_READ_BYTES),
         {[CGROUP_WRITE_BYTES] = 4}},
        {"pids.current", "garbage\n", 0, {0}},
        {"memory.swap.current", "7\n", MASK(CGROUP_SWAP), {[CGROUP_SWAP] = 7}},
    };
    tree_write(tree, "/proc/self/mountinfo", "1 1 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
    for (size_t i = 0; i < N_OF(rows); i++) {
        char path[64];
        snprintf(path, sizeof path, "/cg/g/%s", rows[i].file);
        tree_write(tree, path, rows[i].text);
        struct sampler *sampler = sampler_new(tree->root);
        want(sampler, "g");
        struct expected expected = {"g", RESOURCE_CGROUP, rows[i].valid, {0}};
        memcpy(expected.field, rows[i].field, sizeof rows[i].field);
        assert_slots(pass_at(sampler, 1), &expected, 1);
        sampler_free(sampler);
        tree_remove(tree, "/cg/g");
    }
}

/* More devices than fit: the sums are not known. */
static void many_devices(void **state)
{
    const struct tree *tree = *state;
    write_hierarchy(tree);
    char *text = malloc(2 * CGROUP_TEXT_SIZE);
    size_t n = 0;
    for (unsigned i = 0; n < CGROUP_TEXT_SIZE; i++)
        n += (size_t)snprintf(text + n, 64, "8:%u rbytes=1 wbytes=2 rios=3 wios=4\n", i);
    tree_write_bytes(tree, "/cg/a/io.stat", text, n);
    struct sampler *sampler = sampler_new(tree->root);
    want(sampler, "a");
    assert_int_equal(slot_named(pass_at(sampler, 1), "a")->valid, MASK(CGROUP_CPU));
    n = 0;
    for (unsigned i = 0; i < 500; i++)
        n += (size_t)snprintf(text + n, 64, "8:%u rbytes=1 wbytes=2 rios=3 wios=4\n", i);
    tree_write_bytes(tree, "/cg/a/io.stat", text, n);
    const struct sample_slot *slot = slot_named(pass_at(sampler, 2), "a");
    assert_int_equal(slot->valid, MASK(CGROUP_CPU) | IO);
    assert_int_equal(slot->field[CGROUP_READ_BYTES], 500);
    assert_int_equal(slot->field[CGROUP_WRITES], 2000);
    sampler_free(sampler);
    free(text);
}

/* Paths beyond what a system call takes are left out. */
static void deep(void **state)
{
    const struct tree *tree = *state;
    char path[128] = "/cg/a";
    write_hierarchy(tree);
    for (unsigned i = 0; i < 20; i++)
        strcat(path, "/dd");
    strcat(path, "/cpu.stat");
    tree_write(tree, path, "usage_usec 3\n");
    struct sampler *sampler = sampler_new(tree->root);
    want(sampler, "*");
    const struct sample_set *set = pass_at(sampler, 1);
    assert_int_equal(present_count(set), 2);
    assert_int_equal(
        slot_named(set, "a/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd/dd")
            ->field[CGROUP_CPU],
        3);
    sampler_free(sampler);
}

static void broken(void **state)
{
    const char *const all = "*";
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct sampler *sampler = fixture_sampler(i ? "broken-garbage" : "broken-empty");
        assert_int_equal(sampler_select(sampler, SOURCE_CGROUP, &all, 1, SAMPLE_ALL_FIELDS), 0);
        assert_int_equal(pass_at(sampler, 1)->count, 0);
        sampler_free(sampler);
    }
}

/* On this machine: a group of the test's own, where that is allowed. */
static void real(void **state)
{
    (void)state;
    struct sampler *sampler = sampler_new("/");
    want(sampler, "*");
    const struct sample_set *set = pass_at(sampler, 1);
    struct cgroups *own = sampler->sources[SOURCE_CGROUP].own;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/dcamp-test-%d", own->mount ? own->mount : "", (int)getpid());
    if (!own->mount || mkdir(path, 0700) != 0) {
        sampler_free(sampler);
        skip();
    }
    pass_at(sampler, 2);
    const struct sample_slot *slot = slot_named(set, strrchr(path, '/') + 1);
    uint32_t valid = slot ? slot->valid : 0;
    assert_int_equal(rmdir(path), 0);
    assert_true(valid & MASK(CGROUP_CPU));
    pass_at(sampler, 3);
    assert_null(slot_named(set, strrchr(path, '/') + 1));
    sampler_free(sampler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laptop),
        cmocka_unit_test(none),
        cmocka_unit_test(hybrid),
        tree_test(missing_hierarchy),
        tree_test(hot_plug),
        tree_test(walks),
        tree_test(walks_without_inotify),
        tree_test(handles),
        tree_test(strange_files),
        cmocka_unit_test(each_field),
        tree_test(wanted_files),
        tree_test(many_devices),
        tree_test(deep),
        cmocka_unit_test(broken),
        cmocka_unit_test(real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
