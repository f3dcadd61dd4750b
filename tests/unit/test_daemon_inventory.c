/* The resources of a node: which there are, and their sizes. When it looks for them is in
 * test_daemon_daemon.c. */
#include <stdatomic.h>
#include <sys/statvfs.h>

#include "sample/filesystem.h"
#include "sample/sources.h"

#include "manager.h"
#include "node.h"

static int node_setup(void **state)
{
    *state = node_new("");
    return 0;
}

static bool has_resource(struct node *node, uint32_t class, const char *name)
{
    struct mib_value value;
    struct mib_oid oid = cell_of(MIB_dcampResourceSize, "", NULL);
    oid.len--;
    oid.id[oid.len++] = class;
    oid.len += index_key_text(oid.id + oid.len, name);
    return node_get(node, &oid, &value) == ENGINE_OK;
}

/* Without any sensor: control groups by name, the others by passes of its own. Programs and
 * processes are in another table. */
static void resources_of_every_kind(void **state)
{
    static const struct {
        enum resource_class class;
        const char *name;
    } expected[] = {
        {RESOURCE_CPU, "0"},
        {RESOURCE_INTERFACE, "lo"},
        {RESOURCE_DISK, "loop0"},
        {RESOURCE_FILESYSTEM, "/boot/efi"},
        {RESOURCE_CGROUP, "user.slice"},
        {RESOURCE_HARDWARE, "coretemp/Core 1"},
    };
    struct node *node = *state;
    node_process(node, 7, "seven");
    node_cycle(node, 0);
    for (size_t i = 0; i < N_OF(expected); i++)
        assert_true(has_resource(node, expected[i].class, expected[i].name));
    assert_false(has_resource(node, RESOURCE_PROGRAM, "seven"));
    assert_int_equal(node->daemon->inventory.resources.count, 9 + 5 + 10 + 8);
}

static atomic_ulong blocks;

static int fake_statvfs(const char *path, struct statvfs *result)
{
    (void)path;
    *result = (struct statvfs){.f_frsize = 512, .f_blocks = blocks};
    return 0;
}

static uint64_t size_of_root(struct node *node)
{
    uint32_t key[INSTANCE_SIZE + 1] = {RESOURCE_FILESYSTEM};
    size_t n = 1 + index_key_text(key + 1, "/");
    const struct index *index = &node->daemon->inventory.resources;
    return ((struct resource_row *)index_find(index, key, n))->resource.size;
}

/* A size is taken over at a scan, into the row that is there. */
static void sizes_follow_file_systems(void **state)
{
    struct node *node = *state;
    struct filesystems *own = node->daemon->sampler->sources[SOURCE_FILESYSTEM].own;
    own->statvfs = fake_statvfs;
    const struct index_node *row = NULL;
    for (blocks = 2; blocks < 5; blocks++) {
        /* A call may come back too late for a pass. */
        for (int i = 0; i < 10 && (i == 0 || size_of_root(node) != 512 * blocks); i++)
            node_cycle(node, 60000);
        assert_int_equal(size_of_root(node), 512 * blocks);
        const struct index_node *first = index_first(&node->daemon->inventory.resources);
        assert_true(!row || row == first);
        row = first;
    }
}

static bool has_rank(struct node *node, enum mib_object object, uint32_t by,
                     struct mib_value *value)
{
    struct mib_oid oid = cell_of(object, "", NULL);
    oid.len = mib_objects[object].oid_len;
    oid.id[oid.len++] = by;
    oid.id[oid.len++] = 1;
    return node_get(node, &oid, value) == ENGINE_OK;
}

static bool has_scalar(struct node *node, enum mib_object object)
{
    struct mib_value value;
    struct mib_oid oid = cell_of(object, "", NULL);
    oid.len = mib_objects[object].oid_len;
    oid.id[oid.len++] = 0;
    return node_get(node, &oid, &value) == ENGINE_OK;
}

/* Processes are looked at when somebody reads, once more for the CPU, and not once else; when
 * nobody has read for half a minute there are no rows, and no memory. */
static void processes_are_ranked_on_demand(void **state)
{
    struct node *node = *state;
    const struct ranked *ranked = &node->daemon->ranked;
    struct mib_value value;
    node_process(node, 7, "seven");
    node_cycle(node, 60000);
    assert_null(ranked->own);
    assert_int_equal(ranked_due(ranked), UINT64_MAX);

    assert_false(has_rank(node, MIB_dcampProcessRankPid, dcampProcessRankBy_memory, &value));
    node_cycle(node, 10);
    assert_true(has_rank(node, MIB_dcampProcessRankPid, dcampProcessRankBy_memory, &value));
    assert_false(has_rank(node, MIB_dcampProcessRankPid, dcampProcessRankBy_cpu, &value));
    assert_true(has_scalar(node, MIB_dcampProcessRankAge));
    assert_false(has_scalar(node, MIB_dcampProcessRankSpan));

    uint64_t looked = ranked->looked_ns;
    node_cycle(node, 10); /* once a second at most */
    assert_int_equal(ranked->looked_ns, looked);
    node_cycle(node, 60000 - 20);
    assert_true(has_rank(node, MIB_dcampProcessRankCpu, dcampProcessRankBy_cpu, &value));
    assert_true(has_scalar(node, MIB_dcampProcessRankSpan));
    assert_true(has_scalar(node, MIB_dcampProcessRankProcesses));
    node_cycle(node, 1000);
    looked = ranked->looked_ns;
    node_cycle(node, 5000); /* nobody has read */
    assert_int_equal(ranked->looked_ns, looked);
    node_cycle(node, 30000);
    assert_null(ranked->own);
    assert_int_equal(ranked->rows.count, 0);
    assert_false(has_scalar(node, MIB_dcampProcessRankAge));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(resources_of_every_kind),
        node_test(sizes_follow_file_systems),
        node_test(processes_are_ranked_on_demand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
