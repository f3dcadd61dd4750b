#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trapd-handlers/active.h"

#include "traps.h"
#include "unit.h"

static struct trap alarm_of(const char *key, uint32_t severity)
{
    struct trap trap = severity == 1 ? traps_cleared(1) : traps_raised(1);
    trap.severity = severity;
    traps_set(&trap, TRAP_KEY, key);
    traps_set(&trap, TRAP_THRESHOLD, "disk");
    traps_set(&trap, TRAP_INSTANCE, strrchr(key, ':') + 1);
    return trap;
}

/* Worst first; of the same severity, what is active for longest. */
static void test_sum(void **state)
{
    (void)state;
    struct active *active = active_new();
    struct active_sum sum;
    char key[32];
    for (uint32_t i = 0; i < 12; i++) {
        snprintf(key, sizeof key, "node1:disk:%02u", (unsigned)i);
        struct trap trap = alarm_of(key, 2 + i % 3);
        trap.since_ms = 1000 - (int64_t)i;
        assert_true(active_apply(active, &trap, i == 11 ? "other" : "s"));
    }
    active_sum(active, "s", &sum);
    assert_int_equal(sum.n, 11);
    assert_int_equal(sum.critical, 3);
    assert_int_equal(sum.warning, 4);
    assert_int_equal(sum.info, 4);
    assert_int_equal(sum.n_worst, ACTIVE_WORST);
    static const char *const order[ACTIVE_WORST] = {"08", "05", "02", "10", "07", "04", "01", "09"};
    for (size_t i = 0; i < ACTIVE_WORST; i++)
        assert_string_equal(sum.worst[i]->text[TRAP_INSTANCE], order[i]);
    active_sum(active, "none", &sum);
    assert_int_equal(sum.n, 0);
    assert_true(active_is_of(active, "node1:disk:11", "other"));
    assert_false(active_is_of(active, "node1:disk:11", "s"));
    assert_false(active_is_of(active, "node1:disk:12", "s"));
    active_free(active);
}

static void test_saved(void **state)
{
    (void)state;
    char dir[] = "/tmp/dcamp-test.XXXXXX", path[64];
    struct active *active = active_new(), *again = active_new();
    struct trap nasty = alarm_of("node1:disk:x", 3);
    struct active_sum sum;
    assert_non_null(mkdtemp(dir));
    traps_set(&nasty, TRAP_MESSAGE, TRAPS_NASTY);
    assert_true(active_apply(active, &nasty, "h;s 1"));
    assert_int_equal(active_save(active, dir), 0);
    assert_int_equal(active_load(again, dir), 0);
    active_sum(again, "h;s 1", &sum);
    assert_int_equal(sum.n, 1);
    assert_string_equal(sum.worst[0]->text[TRAP_MESSAGE], nasty.text[TRAP_MESSAGE]);
    assert_non_null(active_trap(again, "node1:disk:x"));
    active_free(again);
    active_free(active);
    snprintf(path, sizeof path, "%s/active.json", dir);
    unlink(path);
    rmdir(dir);
}

static void test_broken_file(void **state)
{
    (void)state;
    char dir[] = "/tmp/dcamp-test.XXXXXX", path[64];
    struct active *active = active_new();
    assert_non_null(mkdtemp(dir));
    assert_int_equal(active_load(active, dir), 0);
    snprintf(path, sizeof path, "%s/active.json", dir);
    static const char *const texts[] = {"x", "{}\nh\n", "{\"event\":0}\n", "\n\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *file = fopen(path, "w");
        fputs(texts[i], file);
        fclose(file);
        assert_int_equal(active_load(active, dir), EBADMSG);
    }
    active_free(active);
    unlink(path);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_saved),
        cmocka_unit_test(test_broken_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
