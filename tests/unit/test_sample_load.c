#include <errno.h>
#include <string.h>

#include "sampling.h"

#define AVERAGES (MASK(LOAD_1) | MASK(LOAD_5) | MASK(LOAD_15))
#define TASKS (MASK(LOAD_RUNNING) | MASK(LOAD_TASKS))

static void fixtures(void **state)
{
    static const struct expected laptop = {
        "total", RESOURCE_NODE, AVERAGES | TASKS, {42, 107, 1230, 2, 1153}};
    static const struct expected old = {
        "total", RESOURCE_NODE, AVERAGES | TASKS, {5, 10, 15, 1, 47}};
    (void)state;
    check_fixture("laptop", SOURCE_LOAD, &laptop, 1);
    check_fixture("old-kernel", SOURCE_LOAD, &old, 1);
}

static void broken(void **state)
{
    (void)state;
    check_error("broken-empty", SOURCE_LOAD, EBADMSG);
    check_error("broken-garbage", SOURCE_LOAD, EBADMSG);
    check_error("broken-truncated", SOURCE_LOAD, EBADMSG);
    check_error("broken-empty/proc", SOURCE_LOAD, ENOENT);
}

static void strange_fields(void **state)
{
    static const struct {
        const char *text;
        uint32_t valid; /* 0: nothing is recognized */
        uint64_t field[LOAD_FIELDS];
    } rows[] = {
        {"0.00 0.00 0.00 0/0 1\n", AVERAGES | TASKS, {0}},
        {"1234567.89 0.01 0.10 1/2\n", AVERAGES | TASKS, {123456789, 1, 10, 1, 2}},
        {"0.10 x 0.30 1/2 3\n", (AVERAGES & ~MASK(LOAD_5)) | TASKS, {10, 0, 30, 1, 2}},
        {"-0.10 0.20 0.30 1/2 3\n", (AVERAGES & ~MASK(LOAD_1)) | TASKS, {0, 20, 30, 1, 2}},
        {"0.1 0.20 0.300 1/2 3\n", MASK(LOAD_5) | TASKS, {0, 20, 0, 1, 2}},
        {"0.10 0.20 0.30 1-2 3\n", AVERAGES, {10, 20, 30}},
        {"0.10 0.20 0.30 1/ 3\n", AVERAGES, {10, 20, 30}},
        {"0.10 0.20 0.30\n", AVERAGES, {10, 20, 30}},
        {"0.10\n0.20 0.30 1/2 3\n", MASK(LOAD_1), {10}},
        {"99999999999999999999.00 1. .5 /\n", 0, {0}},
        {"4294967296.00 1.0x 0,50 1/2x\n", 0, {0}},
        {"0.10 0.20 0.30 1/2 3", 0, {0}},
        {"\n", 0, {0}},
    };
    const struct tree *tree = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        tree_write(tree, "/proc/loadavg", rows[i].text);
        struct sampler *sampler = sampler_new(tree->root);
        assert_int_equal(sampler_read(sampler, SOURCE_LOAD, 1), rows[i].valid ? 0 : EBADMSG);
        struct expected expected = {"total", RESOURCE_NODE, rows[i].valid, {0}};
        memcpy(expected.field, rows[i].field, sizeof rows[i].field);
        assert_slots(sampler_set(sampler, SOURCE_LOAD), &expected, rows[i].valid ? 1 : 0);
        sampler_free(sampler);
    }
}

static void stale(void **state)
{
    check_stale(*state, SOURCE_LOAD, "/proc/loadavg");
}

static void any_bytes(void **state)
{
    check_any_bytes(*state, SOURCE_LOAD, "/proc/loadavg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures), cmocka_unit_test(broken), tree_test(strange_fields),
        tree_test(stale),           tree_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
