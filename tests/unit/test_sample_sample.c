#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/slot.h"

#include "heap.h"
#include "sampling.h"

/* A network file of the interfaces in[0..n), each with its own number as every count. */
static void write_interfaces(const struct tree *tree, const unsigned *in, size_t n)
{
    char text[8192];
    size_t length = 0;
    for (size_t i = 0; i < n; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "if%u: %u %u %u %u\n",
                                   in[i], in[i], in[i], in[i], in[i]);
    tree_write_bytes(tree, "/proc/net/dev", text, length);
}

#define NAMES 40
#define NOWHERE SIZE_MAX

struct model {
    bool there[NAMES];
    size_t slot[NAMES]; /* of the pass before; NOWHERE: it was not there */
    uint32_t incarnation[NAMES];
};

static size_t find_slot(const struct sample_set *set, unsigned name)
{
    char text[16];
    size_t found = NOWHERE;
    snprintf(text, sizeof text, "if%u", name);
    for (size_t i = 0; i < set->count; i++)
        if (set->slots[i].present && strcmp(set->slots[i].name, text) == 0) {
            assert_int_equal(found, NOWHERE);
            found = i;
        }
    return found;
}

/* Compares the set with the model, brings the model up to date, counts what came and went. */
static unsigned check_pass(const struct sample_set *set, struct model *model)
{
    unsigned changes = 0;
    for (unsigned name = 0; name < NAMES; name++) {
        size_t at = find_slot(set, name);
        assert_int_equal(at != NOWHERE, model->there[name]);
        if (at != NOWHERE)
            assert_int_equal(set->slots[at].field[NETWORK_RX_BYTES], name);
        if (at != NOWHERE && model->slot[name] != NOWHERE) {
            assert_int_equal(at, model->slot[name]);
            assert_int_equal(set->slots[at].incarnation, model->incarnation[name]);
        }
        changes += (at == NOWHERE) != (model->slot[name] == NOWHERE);
        model->slot[name] = at;
        model->incarnation[name] = at == NOWHERE ? 0 : set->slots[at].incarnation;
    }
    return changes;
}

static size_t shuffled(unsigned *seed, const struct model *model, unsigned *in)
{
    size_t n = 0;
    for (unsigned name = 0; name < NAMES; name++) {
        if (!model->there[name])
            continue;
        size_t at = (size_t)rand_r(seed) % 4 ? n : (size_t)rand_r(seed) % (n + 1);
        in[n++] = in[at];
        in[at] = name;
    }
    return n;
}

/* Random comings, goings and orders against a model. */
static void slots_follow_instances(void **state)
{
    const struct tree *tree = *state;
    unsigned seed = 20240502;
    unsigned in[NAMES];
    struct model model = {0};
    for (size_t i = 0; i < NAMES; i++)
        model.slot[i] = NOWHERE;
    tree_write(tree, "/proc/net/dev", "");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_NETWORK);
    uint64_t membership = 0;
    for (unsigned pass = 0; pass < 600; pass++) {
        for (int i = 0; i < (int)(pass % 5); i++)
            model.there[rand_r(&seed) % NAMES] ^= true;
        model.there[0] = true;
        write_interfaces(tree, in, shuffled(&seed, &model, in));
        assert_int_equal(sampler_read(sampler, SOURCE_NETWORK, pass), 0);
        membership += check_pass(set, &model);
        assert_int_equal(set->membership, membership);
        assert_true(set->count <= NAMES);
    }
    assert_true(membership > 500);
    sampler_free(sampler);
}

struct unwanted_case {
    enum metric_source source;
    const char *path;
    const char *before, *between, *behind; /* the name of the instance and a number, in its line */
    const char *wanted, *unwanted;
    unsigned field;
};

static void write_lines(const struct tree *tree, const struct unwanted_case *row, unsigned number,
                        bool both)
{
    const char *names[] = {row->wanted, row->unwanted};
    char text[512];
    size_t n = 0;
    for (unsigned i = 0; i < 1u + both; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s%u%s\n", row->before, names[i],
                              row->between, number, row->behind);
    tree_write_bytes(tree, row->path, text, n);
}

static const struct sample_slot *read_slot(struct sampler *sampler, const struct unwanted_case *row,
                                           const char *name)
{
    assert_int_equal(sampler_read(sampler, row->source, 1), 0);
    return slot_named(sampler_set(sampler, row->source), name);
}

/* What nobody wants is an instance as any other one, but has no values: not those of a pass when it
 * was new or wanted either. */
static void unwanted_have_no_values(void **state)
{
    static const struct unwanted_case cases[] = {
        {SOURCE_NETWORK, "/proc/net/dev", "", ": ", " 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "eth0",
         "lo", NETWORK_RX_BYTES},
        {SOURCE_DISK, "/proc/diskstats", "8 0 ", " ", " 2 3 4 5 6 7 8 9 10 11", "sda", "loop0",
         DISK_READS},
        {SOURCE_CPU, "/proc/stat", "cpu", " ", " 2 3 4 5 6 7 8 9 10", "0", "1", CPU_USER},
    };
    const struct tree *tree = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct unwanted_case *row = &cases[i];
        const char *const all = "*";
        struct sampler *sampler = sampler_new(tree->root);
        assert_int_equal(sampler_select(sampler, row->source, &row->wanted, 1, SAMPLE_ALL_FIELDS),
                         0);
        write_lines(tree, row, 100, true);
        assert_non_null(read_slot(sampler, row, row->unwanted));
        write_lines(tree, row, 200, true);
        const struct sample_slot *slot = read_slot(sampler, row, row->unwanted);
        assert_non_null(slot);
        assert_int_equal(slot->valid, 0);
        slot = slot_named(sampler_set(sampler, row->source), row->wanted);
        assert_int_equal(slot->field[row->field], 200);

        assert_int_equal(sampler_select(sampler, row->source, &all, 1, SAMPLE_ALL_FIELDS), 0);
        write_lines(tree, row, 300, true);
        slot = read_slot(sampler, row, row->unwanted);
        assert_true(slot->valid >> row->field & 1);
        assert_int_equal(slot->field[row->field], 300);

        assert_int_equal(sampler_select(sampler, row->source, &row->wanted, 1, SAMPLE_ALL_FIELDS),
                         0);
        assert_int_equal(read_slot(sampler, row, row->unwanted)->valid, 0);
        write_lines(tree, row, 400, false);
        assert_null(read_slot(sampler, row, row->unwanted));
        sampler_free(sampler);
    }
}

static void sources_are_independent(void **state)
{
    (void)state;
    struct sampler *sampler = fixture_sampler("cpus128");
    assert_int_equal(sampler_read(sampler, SOURCE_NETWORK, 1), ENOENT);
    assert_int_equal(sampler_read(sampler, SOURCE_CPU, 2), 0);
    assert_int_equal(sampler_set(sampler, SOURCE_NETWORK)->error, ENOENT);
    assert_int_equal(sampler_set(sampler, SOURCE_CPU)->error, 0);
    assert_int_equal(sampler_set(sampler, SOURCE_DISK)->taken_ns, 0);
    sampler_free(sampler);
    sampler_free(NULL);
}

/* Each metric has a value in the captured tree on some instance of each of its classes, and no
 * instance is of a class that no metric has. Those of processes have tests of their own. */
static void registry_matches_samplers(void **state)
{
    (void)state;
    const char *const all = "*";
    struct sampler *sampler = fixture_sampler("laptop");
    uint32_t valid[SOURCE_COUNT][RESOURCE_PROGRAM + 1] = {0};
    unsigned seen[SOURCE_COUNT] = {0};
    unsigned named[SOURCE_COUNT] = {0};
    for (unsigned source = 0; source < SOURCE_PROCESS; source++) {
        assert_int_equal(sampler_select(sampler, source, &all, 1, SAMPLE_ALL_FIELDS), 0);
        assert_int_equal(sampler_read(sampler, source, 1), 0);
        const struct sample_set *set = sampler_set(sampler, source);
        for (size_t i = 0; i < set->count; i++) {
            seen[source] |= 1u << set->slots[i].class;
            valid[source][set->slots[i].class] |= set->slots[i].valid;
        }
    }
    for (size_t i = 0; i < metric_count; i++) {
        const struct metric *metric = &metric_registry[i];
        named[metric->source] |= metric->classes;
        for (unsigned class = 0; class <= RESOURCE_PROGRAM && metric->source < SOURCE_PROCESS;
             class ++)
            if (metric->classes >> class & 1 &&
                !(valid[metric->source][class] >> metric->field & 1))
                fail_msg("%s has no value on any instance of class %u: the sampler does not fill "
                         "its field, or tests/fixtures/laptop does not have it",
                         metric->name, class);
    }
    for (unsigned source = 0; source < SOURCE_PROCESS; source++)
        assert_int_equal(named[source], seen[source]);
    sampler_free(sampler);
}

/* A sampler closes what it opened, and nothing else: not the file 0 of a source that has none. */
static void closes_its_own_files(void **state)
{
    (void)state;
    bool was_open = fcntl(0, F_GETFD) >= 0;
    if (!was_open)
        assert_int_equal(open("/dev/null", O_RDONLY), 0);
    int before = open("/dev/null", O_RDONLY);
    close(before);
    struct sampler *sampler = fixture_sampler("laptop");
    const char *const all = "*";
    for (unsigned source = 0; source < SOURCE_COUNT; source++) {
        assert_int_equal(sampler_select(sampler, source, &all, 1, SAMPLE_ALL_FIELDS), 0);
        sampler_read(sampler, source, 1);
    }
    sampler_free(sampler);
    assert_true(fcntl(0, F_GETFD) >= 0);
    int after = open("/dev/null", O_RDONLY);
    assert_int_equal(after, before); /* the lowest free one, as before */
    close(after);
    if (!was_open)
        close(0);
}

/* Every pass counts, whether it could read the source or not; nothing else does. */
/* But those that have workers, which give back what they had when they get to it. */
static void sample_all(const char *fixture)
{
    static const char *const all = "*";
    struct sampler *sampler = fixture_sampler(fixture);
    for (unsigned source = 0; source < SOURCE_COUNT; source++) {
        if (source == SOURCE_FILESYSTEM || source == SOURCE_HARDWARE)
            continue;
        assert_int_equal(sampler_select(sampler, source, &all, 1, SAMPLE_ALL_FIELDS), 0);
        for (uint64_t pass = 1; pass < 3; pass++)
            sampler_read(sampler, source, pass);
    }
    sampler_free(sampler);
}

static void sample_a_laptop(void)
{
    sample_all("laptop");
}

static void sample_processes(void)
{
    sample_all("processes");
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(sample_a_laptop);
    assert_keeps_nothing(sample_processes);
}

static void passes_are_counted(void **state)
{
    (void)state;
    struct sampler *sampler = fixture_sampler("cpus128");
    const struct sampler_cost *cpu = sampler_cost(sampler, SOURCE_CPU);
    const struct sampler_cost *network = sampler_cost(sampler, SOURCE_NETWORK);
    uint64_t total_ns = 0;
    assert_int_equal(cpu->passes + cpu->errors + cpu->last_ns + cpu->total_ns, 0);
    for (unsigned i = 1; i <= 5; i++) {
        uint64_t begun_ns = clock_mono_ns();
        assert_int_equal(sampler_read(sampler, SOURCE_CPU, i), 0);
        assert_true(cpu->last_ns > 0 && cpu->last_ns <= clock_mono_ns() - begun_ns);
        total_ns += cpu->last_ns;
        assert_int_equal(cpu->passes, i);
        assert_int_equal(cpu->errors, 0);
        assert_int_equal(cpu->total_ns, total_ns);
    }
    assert_int_equal(network->passes, 0);
    assert_int_equal(sampler_read(sampler, SOURCE_NETWORK, 6), ENOENT);
    assert_int_equal(network->passes, 1);
    assert_int_equal(network->errors, 1);
    assert_int_equal(network->last_ns, network->total_ns);
    assert_int_equal(cpu->passes, 5);
    sampler_free(sampler);
}

static int provide_one(void *context, struct source *source, uint64_t now_ns)
{
    int *error = context;
    if (*error)
        return *error;
    struct sample_slot *slot = source_slot(source, "one", 3);
    slot->class = RESOURCE_APPLICATION;
    slot->field[0] = now_ns;
    slot->valid = 1 & source->fields;
    return 0;
}

/* What nobody provides is not there; what somebody does is as any other source. */
static void provided(void **state)
{
    (void)state;
    int error = 0;
    struct sampler *sampler = fixture_sampler("laptop");
    const struct sample_set *set = sampler_set(sampler, SOURCE_APPLICATION);
    assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, 1), ENOENT);
    sampler_provide(sampler, SOURCE_APPLICATION, provide_one, &error);
    assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, 7), 0);
    assert_int_equal(set->count, 1);
    assert_string_equal(set->slots[0].name, "one");
    assert_int_equal(set->slots[0].field[0], 7);
    assert_int_equal(set->taken_ns, 7);
    error = EACCES;
    assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, 8), EACCES);
    assert_int_equal(set->error, EACCES);
    assert_true(set->slots[0].present && set->slots[0].field[0] == 7);
    assert_int_equal(sampler_cost(sampler, SOURCE_APPLICATION)->passes, 3);
    assert_int_equal(sampler_cost(sampler, SOURCE_APPLICATION)->errors, 2);
    const char *const all = "*";
    assert_false(sampler_is_wanted(sampler, SOURCE_APPLICATION));
    assert_int_equal(sampler_select(sampler, SOURCE_APPLICATION, &all, 1, 1), 0);
    assert_true(sampler_is_wanted(sampler, SOURCE_APPLICATION));
    assert_false(sampler_is_wanted(sampler, SOURCE_JVM));
    sampler_free(sampler);
}

static void names(void **state)
{
    static const char *const expected[] = {
        "cpu",    "load",       "memory",      "network",  "disk",
        "kernel", "filesystem", "pressure",    "protocol", "hardware",
        "cgroup", "process",    "application", "jvm",      "endpoint",
    };
    (void)state;
    assert_int_equal(N_OF(expected), SOURCE_COUNT);
    for (unsigned source = 0; source < SOURCE_COUNT; source++)
        assert_string_equal(source_name(source), expected[source]);
}

/* A machine without any disk has an empty /proc/diskstats: nothing to recognize. */
static bool has_disks(void)
{
    size_t length;
    char *text = file_text("/proc/diskstats", &length);
    free(text);
    return length > 0;
}

/* What a machine may properly be without. */
static bool may_fail(enum metric_source source, int error)
{
    if (source == SOURCE_DISK)
        return error == EBADMSG && !has_disks();
    if (source == SOURCE_APPLICATION || source == SOURCE_JVM ||
        source == SOURCE_ENDPOINT) /* nobody provides them here */
        return error == ENOENT;
    return source == SOURCE_PRESSURE && (error == ENOENT || error == EOPNOTSUPP);
}

static void real_proc(void **state)
{
    (void)state;
    const char *const all = "*";
    struct sampler *sampler = sampler_new("/");
    for (unsigned source = 0; source < SOURCE_COUNT; source++) {
        assert_int_equal(sampler_select(sampler, source, &all, 1, SAMPLE_ALL_FIELDS), 0);
        int error = sampler_read(sampler, source, 1);
        if (error && !may_fail(source, error))
            fail_msg("source %u: %s", source, strerror(error));
        assert_int_equal(sampler_read(sampler, source, 2), error);
    }
    const struct sample_slot *total = slot_named(sampler_set(sampler, SOURCE_CPU), "total");
    assert_non_null(total);
    assert_true(total->valid & MASK(CPU_TOTAL));
    assert_true(total->field[CPU_TOTAL] > 0);
    assert_true(total->field[CPU_BUSY] > 0);
    total = slot_named(sampler_set(sampler, SOURCE_MEMORY), "total");
    assert_true(total->field[MEMORY_TOTAL] > total->field[MEMORY_FREE]);
    total = slot_named(sampler_set(sampler, SOURCE_LOAD), "total");
    assert_true(total->field[LOAD_TASKS] > 0);
    assert_non_null(slot_named(sampler_set(sampler, SOURCE_NETWORK), "lo"));
    total = slot_named(sampler_set(sampler, SOURCE_CPU), "total");
    assert_true(total->field[CPU_SWITCHES] > 0 && total->field[CPU_FORKS] > 0);
    total = slot_named(sampler_set(sampler, SOURCE_KERNEL), "total");
    assert_true(total->field[KERNEL_UPTIME] > 0 && total->field[KERNEL_FAULTS] > 0);
    total = slot_named(sampler_set(sampler, SOURCE_PROTOCOL), "total");
    assert_true(total->valid & MASK(TCP_SOCKETS));
    sampler_free(sampler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(slots_follow_instances),
        cmocka_unit_test_setup_teardown(unwanted_have_no_values, tree_setup, tree_teardown),
        cmocka_unit_test(sources_are_independent),
        cmocka_unit_test(registry_matches_samplers),
        cmocka_unit_test(passes_are_counted),
        cmocka_unit_test(provided),
        cmocka_unit_test(names),
        cmocka_unit_test(closes_its_own_files),
        cmocka_unit_test(all_is_given_back),
        cmocka_unit_test(real_proc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
