/* dcamp status, asked of an agent on loopback: the page, and what programs get. */
#include <stdlib.h>
#include <string.h>

#include "cli/status.h"

#include "asking.h"
#include "unit.h"

static struct asking asking;

static int begin(void **state)
{
    (void)state;
    asking_begin(&asking);
    asking_scalar_text(&asking, MIB_dcampNodeVersion, "0.1");
    asking_scalar(&asking, MIB_dcampNodeRole, dcampNodeRole_metric);
    asking_scalar(&asking, MIB_dcampNodeBoot, 7);
    asking_scalar(&asking, MIB_dcampNodeUpTime, 360000 + 300 * 100);
    asking_scalar(&asking, MIB_dcampSelfCpuTime, 39000000);
    asking_scalar(&asking, MIB_dcampSelfMemory, 5432);
    asking_scalar(&asking, MIB_dcampSelfCycles, 1000);
    asking_scalar(&asking, MIB_dcampSelfLateCycles, 3);
    return 0;
}

static int end(void **state)
{
    (void)state;
    asking_end(&asking);
    return 0;
}

static void put_child(const char *name, int64_t contact, const char *error)
{
    asking_number(&asking, MIB_dcampChildState, name, NULL, contact);
    asking_text(&asking, MIB_dcampChildError, name, NULL, error);
}

static void assert_line(const char *line)
{
    if (!strstr(asking.out, line))
        fail_msg("no '%s' in\n%s", line, asking.out);
}

static void a_page(void **state)
{
    (void)state;
    asking_number(&asking, MIB_dcampSensorState, "a", NULL, dcampSensorState_sampling);
    asking_number(&asking, MIB_dcampSensorState, "b", NULL, dcampSensorState_unavailable);
    asking_text(&asking, MIB_dcampSensorError, "a", NULL, "");
    asking_text(&asking, MIB_dcampSensorError, "b", NULL, "no \x1b[2Jsuch chip");
    asking_scalar_text(&asking, MIB_dcampSelfSetError, "dcampSensorMetric: wrongValue: x");
    assert_int_equal(asking_run(&asking, status_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.said, "");
    assert_line("node           lap, metric, dcampd 0.1\n");
    assert_line("up             1 h 5 min, boot 7\n");
    assert_line("sensors        2: 1 sampling, 1 unavailable\n");
    assert_line("children       0\n");
    assert_line("sinks          0\n");
    assert_line("cycles         1000, 3 late\n");
    assert_line("cost           39 s of CPU, 1.00 % since the start; 5.4 MB of memory\n");
    assert_line("refused last   dcampSensorMetric: wrongValue: x\n");
    assert_line("\nsensor  b  no ?[2Jsuch chip\n");
}

static void sinks(void **state)
{
    (void)state;
    asking_number(&asking, MIB_dcampSinkState, "archive", NULL, dcampSinkState_failing);
    asking_number(&asking, MIB_dcampSinkState, "history", NULL, dcampSinkState_up);
    asking_text(&asking, MIB_dcampSinkError, "archive", NULL, "disk full");
    asking_text(&asking, MIB_dcampSinkError, "history", NULL, "");
    assert_int_equal(asking_run(&asking, status_run, SHEET_TABLE), EXIT_GOOD);
    assert_line("sinks          2: 1 up, 1 failing\n");
    assert_line("\nsink  archive  disk full\n");
}

static void for_programs(void **state)
{
    (void)state;
    put_child("a", dcampChildState_up, "");
    put_child("b", dcampChildState_down, "no answer");
    struct cell severity = asking_cell(MIB_dcampChildAlarmSeverity, "a", NULL, NULL);
    cell_add_number(&severity, 3);
    agent_number(&asking.agent, &severity, dcampChildAlarmSeverity_warning);
    assert_int_equal(asking_run(&asking, status_run, SHEET_JSON), EXIT_GOOD);
    assert_line("\"alarmsBelow\":1,");
    assert_line("\"alarmsBelowWarning\":1,");
    assert_line("{\"node\":\"lap\",\"version\":\"0.1\",\"role\":\"metric\",\"group\":null,");
    assert_line("\"upTime\":3900000,");
    assert_line("\"children\":2,");
    assert_line("\"childrenUp\":1,");
    assert_line("\"childrenDown\":1,");
    assert_line("\"thresholdsNotReady\":0,");
    assert_null(strstr(asking.out, "thresholdsDestroy"));
    assert_line("\n{\"table\":\"child\",\"name\":\"b\",\"error\":\"no answer\"}\n");
}

/* Ten thousand children that are all up are not asked why they are not. */
static void who_has_nothing_to_complain_of(void **state)
{
    (void)state;
    put_child("a", dcampChildState_up, "not asked for");
    assert_int_equal(asking_run(&asking, status_run, SHEET_TABLE), EXIT_GOOD);
    assert_null(strstr(asking.out, "not asked for"));
    agent_drop_all(&asking.agent);
    asking_scalar_text(&asking, MIB_dcampNodeName, "lap");
    asking_number(&asking, MIB_dcampAggregateRowStatus, "sum", NULL, 1);
    asking_text(&asking, MIB_dcampAggregateError, "sum", NULL, "no children");
    assert_int_equal(asking_run(&asking, status_run, SHEET_TABLE), EXIT_GOOD);
    assert_null(strstr(asking.out, "no children"));
    put_child("b", dcampChildState_late, "");
    assert_int_equal(asking_run(&asking, status_run, SHEET_TABLE), EXIT_GOOD);
    assert_line("aggregate  sum  no children\n");
}

static void what_nobody_knows(void **state)
{
    (void)state;
    agent_drop_all(&asking.agent);
    assert_int_equal(asking_run(&asking, status_run, SHEET_TABLE), EXIT_SILENT);
    assert_string_equal(asking.out, "");
    asking_scalar_text(&asking, MIB_dcampNodeName, "lap");
    asking_number(&asking, MIB_dcampSensorState, "a", NULL, 99);
    assert_int_equal(asking_run(&asking, status_run, SHEET_TABLE), EXIT_GOOD);
    assert_line("sensors        1\n");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(a_page), TEST(sinks), TEST(for_programs),
                                       TEST(who_has_nothing_to_complain_of),
                                       TEST(what_nobody_knows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
