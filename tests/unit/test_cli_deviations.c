/* dcamp deviations, asked of an agent on loopback: which rows there are, which of them are local,
 * and what is wrong with them. */
#include <stdlib.h>
#include <string.h>

#include "cli/deviations.h"

#include "asking.h"
#include "unit.h"

static struct asking asking;

static struct cell cell_of(enum mib_object object, uint32_t kind, const char *name)
{
    struct cell cell;
    cell_start(&cell, object);
    cell_add_number(&cell, kind);
    cell_add_text(&cell, name);
    return cell;
}

static void has(uint32_t kind, const char *name, int64_t what, int64_t local, const char *error)
{
    struct cell cell = cell_of(MIB_dcampDeviationWhat, kind, name);
    agent_number(&asking.agent, &cell, what);
    cell = cell_of(MIB_dcampDeviationLocal, kind, name);
    agent_number(&asking.agent, &cell, local);
    cell = cell_of(MIB_dcampDeviationError, kind, name);
    agent_text(&asking.agent, &cell, error);
}

static void none(void **state)
{
    (void)state;
    assert_int_equal(asking_run(&asking, deviations_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.out, "no deviations\n");
    assert_int_equal(asking_run(&asking, deviations_run, SHEET_JSON), EXIT_GOOD);
    assert_string_equal(asking.out, "");
}

static void some(void **state)
{
    (void)state;
    has(dcampDeviationKind_sensor, "load.1", dcampDeviationWhat_added, dcampDeviationLocal_false,
        "");
    has(dcampDeviationKind_threshold, "hot", dcampDeviationWhat_changed, dcampDeviationLocal_true,
        "sensor=\"x\" is not a sensor of this node; add it or name another");
    assert_int_equal(asking_run(&asking, deviations_run, SHEET_JSON), EXIT_GOOD);
    assert_string_equal(asking.out,
                        "{\"row\":\"sensor.load.1\",\"what\":\"added\",\"local\":false,"
                        "\"error\":null}\n"
                        "{\"row\":\"threshold.hot\",\"what\":\"changed\",\"local\":true,"
                        "\"error\":\"sensor=\\\"x\\\" is not a sensor of this node; add it or name "
                        "another\"}\n");
    assert_int_equal(asking_run(&asking, deviations_run, SHEET_TABLE), EXIT_GOOD);
    assert_non_null(strstr(asking.out, "ROW"));
    assert_non_null(strstr(asking.out, "threshold.hot"));
}

/* A kind that this dcamp does not know is shown by its number. */
static void of_a_kind_to_come(void **state)
{
    (void)state;
    has(99, "x", dcampDeviationWhat_added, dcampDeviationLocal_true, "");
    assert_int_equal(asking_run(&asking, deviations_run, SHEET_TSV), EXIT_GOOD);
    assert_string_equal(asking.out, "row\twhat\tlocal\terror\n99.x\tadded\tyes\t\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {ASKING_TEST(none), ASKING_TEST(some),
                                       ASKING_TEST(of_a_kind_to_come)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
