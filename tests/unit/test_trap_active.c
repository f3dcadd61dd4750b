#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "traps.h"
#include "trapd-handlers/service.h"

static struct trap alarm_of(const char *key, uint32_t severity)
{
    struct trap trap = severity == 1 ? traps_cleared(1) : traps_raised(1);
    trap.severity = severity;
    traps_set(&trap, TRAP_KEY, key);
    traps_set(&trap, TRAP_THRESHOLD, "disk");
    traps_set(&trap, TRAP_INSTANCE, strrchr(key, ':') + 1);
    return trap;
}

static const struct options names = {.host = "%n", .service = "dcamp %r"};

static void expect(struct active *active, const char *key, uint32_t severity,
                   enum service_state state, size_t count, const char *worst)
{
    struct service service = {0};
    struct trap trap = alarm_of(key, severity);
    assert_true(service_of(&service, &names, active, &trap));
    assert_string_equal(service.result.host, "node1");
    assert_string_equal(service.result.service, "dcamp disk");
    assert_int_equal(service.result.state, state);
    assert_int_equal(service.result.active, count);
    if (worst)
        assert_string_equal(service.result.worst, worst);
    else
        assert_null(service.result.worst);
    service_release(&service);
}

/* A service is as bad as the worst of its alarms. */
static void test_worst(void **state)
{
    (void)state;
    struct active *active = active_new();
    expect(active, "node1:disk:sda", 4, SERVICE_CRITICAL, 1, NULL);
    expect(active, "node1:disk:sdb", 3, SERVICE_CRITICAL, 2, "node1:disk:sda");
    expect(active, "node1:disk:sda", 1, SERVICE_WARNING, 1, "node1:disk:sdb");
    expect(active, "node1:disk:sdb", 4, SERVICE_CRITICAL, 1, NULL);
    expect(active, "node1:disk:sdc", 2, SERVICE_CRITICAL, 2, "node1:disk:sdb");
    expect(active, "node1:disk:sdb", 1, SERVICE_OK, 1, "node1:disk:sdc");
    expect(active, "node1:disk:sdc", 1, SERVICE_OK, 0, NULL);
    expect(active, "node1:disk:sdc", 1, SERVICE_OK, 0, NULL);
    active_free(active);
}

static void test_summaries_are_no_alarms(void **state)
{
    (void)state;
    struct active *active = active_new();
    struct trap summary = traps_summary(3);
    struct service service = {0};
    assert_true(service_of(&service, &names, active, &summary));
    assert_string_equal(service.result.service, "dcamp notifications");
    assert_int_equal(service.result.state, SERVICE_WARNING);
    assert_int_equal(active_count(active), 0);
    service_release(&service);
    active_free(active);
}

static void test_saved(void **state)
{
    (void)state;
    char dir[] = "/tmp/dcamp-test.XXXXXX", path[64];
    struct active *active = active_new(), *again = active_new();
    struct trap nasty = alarm_of("node1:disk:x", 3);
    size_t count;
    assert_non_null(mkdtemp(dir));
    traps_set(&nasty, TRAP_MESSAGE, TRAPS_NASTY);
    assert_true(active_apply(active, &nasty, "h;s 1"));
    assert_int_equal(active_save(active, dir), 0);
    assert_int_equal(active_load(again, dir), 0);
    const struct trap *worst = active_worst(again, "h;s 1", &count);
    assert_non_null(worst);
    assert_int_equal(count, 1);
    assert_string_equal(worst->text[TRAP_MESSAGE], nasty.text[TRAP_MESSAGE]);
    assert_non_null(active_find(again, "node1:disk:x"));
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
        cmocka_unit_test(test_worst),
        cmocka_unit_test(test_summaries_are_no_alarms),
        cmocka_unit_test(test_saved),
        cmocka_unit_test(test_broken_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
