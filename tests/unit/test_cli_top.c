/* dcamp top --once, asked of an agent on loopback: what each screen has, in which order, and what
 * is said. The screen itself is in tests/integration/top.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/top.h"

#include "asking.h"
#include "unit.h"

static struct asking asking;

static enum exit_status run(const char *screen, enum sheet_format format)
{
    asking_set(&asking, 1u << COMMAND_ONCE, 1, &screen);
    return asking_run(&asking, top_run, format);
}

static void put_child(const char *name, int64_t state, int64_t critical)
{
    asking_number(&asking, MIB_dcampChildState, name, NULL, state);
    asking_number(&asking, MIB_dcampChildAlarmsCritical, name, NULL, critical);
    asking_text(&asking, MIB_dcampChildAddress, name, NULL, "udp:192.0.2.1:161");
}

static void nodes(void **state)
{
    (void)state;
    put_child("web10", dcampChildState_up, 0);
    put_child("web2", dcampChildState_down, 3);
    assert_int_equal(run("nodes", SHEET_TSV), EXIT_GOOD);
    const char *second = strstr(asking.out, "\nweb2\tdown\t3\t"),
               *tenth = strstr(asking.out, "\nweb10\tup\t0\t");
    assert_non_null(second);
    assert_non_null(tenth);
    assert_true(second < tenth);
    assert_string_equal(asking.said, "");
}

/* More than one round of a walk and one message have room for. */
static void many_nodes(void **state)
{
    (void)state;
    char name[16];
    for (int i = 0; i < 150; i++) {
        snprintf(name, sizeof name, "n%d", i);
        put_child(name, dcampChildState_up, i);
    }
    assert_int_equal(run("nodes", SHEET_TSV), EXIT_GOOD);
    const char *at = asking.out;
    for (int i = 0; i < 150; i++) {
        char line[48];
        snprintf(line, sizeof line, "\nn%d\tup\t%d\t", i, i);
        at = strstr(at, line);
        assert_non_null(at);
    }
}

/* A root has all nodes of its tree there. */
static void nodes_of_a_root(void **state)
{
    (void)state;
    put_child("web1", dcampChildState_up, 0);
    asking_scalar(&asking, MIB_dcampTreeIsRoot, 1);
    asking_number(&asking, MIB_dcampTreeState, "far", NULL, dcampTreeState_up);
    asking_number(&asking, MIB_dcampTreeAge, "far", NULL, 1500);
    asking_text(&asking, MIB_dcampTreeParent, "far", NULL, "web1");
    assert_int_equal(run("nodes", SHEET_TABLE), EXIT_GOOD);
    assert_non_null(strstr(asking.out, "\nfar "));
    assert_non_null(strstr(asking.out, " 1.5 s "));
    assert_null(strstr(asking.out, "192.0.2.1"));
}

static struct cell alarm_cell(enum mib_object object, const char *child, uint32_t number)
{
    struct cell cell;
    cell_start(&cell, object);
    if (child)
        cell_add_text(&cell, child);
    cell_add_number(&cell, number);
    return cell;
}

static void put_alarm(const char *child, uint32_t number, int64_t severity, const char *message)
{
    struct cell cell =
        alarm_cell(child ? MIB_dcampChildAlarmSeverity : MIB_dcampAlarmSeverity, child, number);
    agent_number(&asking.agent, &cell, severity);
    cell = alarm_cell(child ? MIB_dcampChildAlarmMessage : MIB_dcampAlarmMessage, child, number);
    agent_text(&asking.agent, &cell, message);
}

/* Own ones and those below, the most severe first; nothing of a text gets to the terminal as an
 * escape. */
static void alarms(void **state)
{
    (void)state;
    put_alarm(NULL, 7, dcampAlarmSeverity_warning, "own");
    put_alarm("web1", 3, dcampAlarmSeverity_critical, "\033]0;pwned\007below");
    assert_int_equal(run("alarms", SHEET_TSV), EXIT_GOOD);
    const char *own = strstr(asking.out, "\nwarning\t"),
               *below = strstr(asking.out, "\ncritical\t");
    assert_non_null(own);
    assert_non_null(below);
    assert_true(below < own);
    assert_non_null(strstr(below, "?]0;pwned?below"));
    assert_null(strchr(asking.out, '\033'));
}

static void put_rank(uint32_t by, uint32_t rank, int64_t pid, const char *name, int64_t cpu)
{
    const enum mib_object numbers[] = {MIB_dcampProcessRankPid, MIB_dcampProcessRankCpu};
    struct cell cell;
    for (size_t i = 0; i < 3; i++) {
        cell_start(&cell, i < 2 ? numbers[i] : MIB_dcampProcessRankName);
        cell_add_number(&cell, by);
        cell_add_number(&cell, rank);
        if (i < 2)
            agent_number(&asking.agent, &cell, i == 0 ? pid : cpu);
        else
            agent_text(&asking.agent, &cell, name);
    }
}

static void processes(void **state)
{
    (void)state;
    asking_scalar(&asking, MIB_dcampProcessRankSpan, 2000);
    asking_scalar(&asking, MIB_dcampProcessRankProcesses, 2);
    put_rank(dcampProcessRankBy_cpu, 1, 4711, "busy", 985);
    put_rank(dcampProcessRankBy_cpu, 2, 1, "init", 3);
    put_rank(dcampProcessRankBy_memory, 1, 1, "init", 3);
    assert_int_equal(run("processes", SHEET_JSON), EXIT_GOOD);
    assert_non_null(strstr(asking.out, "\"pid\":4711,"));
    assert_true(strstr(asking.out, "\"pid\":4711,") < strstr(asking.out, "\"pid\":1,"));
    assert_non_null(strstr(asking.out, "\"cpu\":985,"));
    assert_int_equal(run("processes", SHEET_TABLE), EXIT_GOOD);
    assert_non_null(strstr(asking.out, " 98.5 "));
}

static void nothing_there(void **state)
{
    (void)state;
    assert_int_equal(run("aggregates", SHEET_TSV), EXIT_GOOD);
    assert_int_equal(run("applications", SHEET_JSON), EXIT_GOOD);
    assert_string_equal(asking.out, "");
}

static void no_such_screen(void **state)
{
    (void)state;
    assert_int_equal(run("proceses", SHEET_TABLE), EXIT_USAGE);
    assert_string_equal(asking.out, "");
    assert_non_null(strstr(asking.said, "not \"proceses\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ASKING_TEST(nodes),          ASKING_TEST(many_nodes), ASKING_TEST(nodes_of_a_root),
        ASKING_TEST(alarms),         ASKING_TEST(processes),  ASKING_TEST(nothing_there),
        ASKING_TEST(no_such_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
