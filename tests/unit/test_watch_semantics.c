/* What alarms mean: the rows of doc/alarms.md, each played through a whole node. */
#include "semantics.h"

#define KEY "lap:t:total"

static void acknowledge(struct node *node)
{
    assert_true(alarm_acknowledge(&node->daemon->alarms, KEY, "Ann: on it", node->now));
}

static void take_back(struct node *node)
{
    assert_true(alarm_acknowledge(&node->daemon->alarms, KEY, "", node->now));
}

static void restart(struct node *node)
{
    node_start_again(node);
}

/* A maintenance of everything for 20 seconds from now. */
static void begin_maintenance(struct node *node)
{
    const struct bind binds[] = {
        {MIB_dcampMaintenanceRowStatus, "m", dcampMaintenanceRowStatus_createAndGo, NULL},
        {MIB_dcampMaintenanceDuration, "m", 20000, NULL}};
    assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
}

static void end_maintenance(struct node *node)
{
    node_set_one(node, MIB_dcampMaintenanceRowStatus, "m", dcampMaintenanceRowStatus_destroy, NULL);
}

static void step_forward(struct node *node)
{
    node->now.wall_ms += 3600000;
}

static void step_back(struct node *node)
{
    node->now.wall_ms -= 3600000;
}

static void tell(struct node *node)
{
    node_set_one(node, MIB_dcampThresholdNotify, "t", 1, NULL);
}

static void make_critical(struct node *node)
{
    node_set_one(node, MIB_dcampThresholdSeverity, "t", SEVERITY_CRITICAL, NULL);
}

/* Two quiet thresholds, and a condition on both. */
#define TWO(attributes)                                                                            \
    "<thresholds>" THRESHOLD(                                                                      \
        "notify=\"false\"") "<threshold name=\"u\" sensor=\"load\" operator=\"gt\" limit=\"95\" "  \
                            "clear=\"90\" "                                                        \
                            "notify=\"false\"/></thresholds><conditions><condition name=\"both\" " \
                            "thresholds=\"t u\" "                                                  \
                            "severity=\"critical\" " attributes "/></conditions>"

static const struct scenario scenarios[] = {
    /* One limit. */
    {"hysteresis",
     RULE(""),
     {{1000, "80", "", "", NULL},
      {1000, "81", "Rw", "Rw", NULL},
      {1000, "75", "", "", NULL},
      {1000, "82", "", "", NULL},
      {1000, "70", "C-", "C-", NULL}}},
    {"x-of-y",
     RULE("match=\"2\" window=\"3\""),
     {{1000, "90", "", "", NULL},
      {1000, "10", "", "", NULL},
      {1000, "90", "Rw", "Rw", NULL},
      {1000, "10", "C-", "C-", NULL},
      {1000, "10", "", "", NULL},
      {1000, "90", "", "", NULL}}},
    {"minimum-duration",
     RULE("duration=\"3s\""),
     {{1000, "90", "", "", NULL},
      {1000, "90", "", "", NULL},
      {1000, "90", "", "", NULL},
      {1000, "90", "Rw", "Rw", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"no-value-changes-nothing",
     RULE(""),
     {{1000, "90", "Rw", "Rw", NULL}, {60000, NULL, "", "", NULL}, {1000, "10", "C-", "C-", NULL}}},
    /* Several. */
    {"severity-rises-and-falls",
     RULE("critical-limit=\"95\" critical-clear=\"90\""),
     {{1000, "85", "Rw", "Rw", NULL},
      {1000, "96", "Hc", "Hc", NULL},
      {1000, "91", "", "", NULL},
      {1000, "90", "Hw", "Hw", NULL},
      {1000, "70", "C-", "C-", NULL},
      {1000, "99", "Rc", "Rc", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"three-limits",
     RULE("severity=\"info\" warning-limit=\"90\" critical-limit=\"95\""),
     {{1000, "85", "Ri", "Ri", NULL},
      {1000, "91", "Hw", "Hw", NULL},
      {1000, "96", "Hc", "Hc", NULL},
      {1000, "95", "Hw", "Hw", NULL},
      {1000, "80", "Hi", "Hi", NULL},
      {1000, "70", "C-", "C-", NULL}}},
    {"each-limit-counts-on-its-own",
     RULE("critical-limit=\"95\" duration=\"2s\""),
     {{1000, "85", "", "", NULL},
      {1000, "85", "", "", NULL},
      {1000, "99", "Rw", "Rw", NULL},
      {1000, "99", "", "", NULL},
      {1000, "99", "Hc", "Hc", NULL}}},
    {"severity-survives-a-restart",
     RULE("critical-limit=\"95\" critical-clear=\"90\""),
     {{1000, "85", "Rw", "Rw", NULL},
      {1000, "96", "Hc", "Hc", NULL},
      {1000, "92", "", "", restart},
      {1000, "85", "Hw", "Hw", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"severity-that-is-set-counts-at-once",
     RULE(""),
     {{1000, "90", "Rw", "Rw", NULL},
      {1000, "90", "Hc", "Hc", make_critical},
      {1000, "10", "C-", "C-", NULL},
      {1000, "90", "Rc", "Rc", NULL}}},
    /* Acknowledgement. */
    {"acknowledged-is-logged-only",
     RULE("repeat=\"5s\""),
     {{1000, "90", "Rw", "Rw", NULL},
      {5000, "90", "Pw", "Pw", NULL},
      {1000, "90", "Aw", "", acknowledge},
      {5000, "90", "", "", NULL},
      {60000, "90", "", "", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"a-higher-severity-ends-it",
     RULE("critical-limit=\"95\""),
     {{1000, "90", "Rw", "Rw", NULL},
      {1000, "90", "Aw", "", acknowledge},
      {1000, "96", "Hc", "Hc", NULL},
      {1000, "96", "Ac", "", acknowledge},
      {1000, "90", "Hw", "", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"acknowledged-survives-a-restart",
     RULE("repeat=\"5s\""),
     {{1000, "90", "Rw", "Rw", NULL},
      {1000, "90", "Aw", "", acknowledge},
      {1000, "90", "", "", restart},
      {9000, "90", "", "", NULL},
      {1000, "90", "AwPw", "Pw", take_back},
      {9000, "90", "Pw", "Pw", NULL}}},
    /* Repeating. */
    {"repeats-while-raised",
     RULE("repeat=\"10s\""),
     {{1000, "90", "Rw", "Rw", NULL},
      {9000, "90", "", "", NULL},
      {1000, "90", "Pw", "Pw", NULL},
      {10000, "90", "Pw", "Pw", NULL},
      {1000, "10", "C-", "C-", NULL},
      {20000, "10", "", "", NULL}}},
    /* Maintenance. */
    {"maintenance-holds-until-its-end",
     RULE(""),
     {{1000, "10", "", "", NULL},
      {1000, "90", "Rw", "", begin_maintenance},
      {10000, "90", "", "", NULL},
      {10000, "90", "", "Rw", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"maintenance-forgets-what-is-over",
     RULE(""),
     {{1000, "10", "", "", NULL},
      {1000, "90", "Rw", "", begin_maintenance},
      {5000, "10", "C-", "", NULL},
      {30000, "10", "", "", NULL}}},
    {"a-clear-passes-maintenance",
     RULE(""),
     {{1000, "90", "Rw", "Rw", NULL}, {1000, "10", "C-", "C-", begin_maintenance}}},
    {"maintenance-that-is-removed-ends",
     RULE(""),
     {{1000, "10", "", "", NULL},
      {1000, "90", "Rw", "", begin_maintenance},
      {2000, "90", "", "Rw", end_maintenance}}},
    {"maintenance-follows-the-wall-clock",
     RULE(""),
     {{1000, "10", "", "", NULL},
      {1000, "90", "Rw", "", begin_maintenance},
      {2000, "90", "", "Rw", step_forward},
      {1000, "10", "C-", "C-", NULL},
      {1000, "90", "Rw", "", step_back}}},
    {"maintenance-survives-a-restart",
     RULE(""),
     {{1000, "10", "", "", NULL},
      {1000, "90", "Rw", "", begin_maintenance},
      {5000, "90", "", "", restart},
      {20000, "90", "", "Rw", NULL}}},
    /* Absence. */
    {"absence-raises-and-a-value-clears",
     RULE("absence=\"10s\""),
     {{1000, "10", "", "", NULL},
      {9000, NULL, "", "", NULL},
      {1000, NULL, "Rw", "Rw", NULL},
      {60000, NULL, "", "", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"absence-turns-into-a-breach",
     RULE("absence=\"10s\""),
     {{1000, "10", "", "", NULL},
      {10000, NULL, "Rw", "Rw", NULL},
      {1000, "90", "", "", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"absence-survives-a-restart",
     RULE("absence=\"10s\""),
     {{1000, "10", "", "", NULL},
      {10000, NULL, "Rw", "Rw", NULL},
      {1000, NULL, "", "", restart},
      {1000, "10", "C-", "C-", NULL}}},
    /* Sources. */
    {"statistic-of-the-last-window",
     RULE("source=\"max\""),
     {{10000, "10", "", "", NULL}, /* the window that began at a whole ten seconds */
      {1000, "90", "", "", NULL},
      {8000, "10", "", "", NULL},
      {1000, "10", "Rw", "Rw", NULL},
      {9000, "10", "", "", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"deviation-of-the-last-window",
     RULE("source=\"stddev\""),
     {{10000, "0", "", "", NULL},
      {1000, "200", "", "", NULL},
      {9000, "0", "Rw", "Rw", NULL},
      {10000, "0", "C-", "C-", NULL}}},
    {"rate-of-change",
     SENSORS "<thresholds><threshold name=\"t\" sensor=\"load\" operator=\"gt\" limit=\"2\" "
             "source=\"rate\" span=\"4s\"/></thresholds>",
     {{1000, "10", "", "", NULL},
      {1000, "13", "", "", NULL},
      {1000, "16", "Rw", "Rw", NULL},
      {1000, "19", "", "", NULL},
      {1000, "20", "", "", NULL},
      {1000, "20", "C-", "C-", NULL}}},
    {"forecast-reaches-the-limit",
     RULE("source=\"forecast\" span=\"10s\" horizon=\"20s\" confidence=\"0.9\""),
     {{1000, "20", "", "", NULL},
      {2000, "24", "", "", NULL},
      {2000, "28", "", "", NULL},
      {2000, "32", "", "", NULL}, /* 32 + 20 * 2 */
      {2000, "36", "", "", NULL},
      {2000, "40", "", "", NULL},
      {2000, "44", "Rw", "Rw", NULL}}},
    {"forecast-wants-confidence",
     RULE("source=\"forecast\" span=\"10s\" horizon=\"100s\" confidence=\"0.9\""),
     {{1000, "20", "", "", NULL},
      {2000, "60", "", "", NULL},
      {2000, "10", "", "", NULL},
      {2000, "70", "", "", NULL},
      {2000, "20", "", "", NULL},
      {2000, "79", "", "", NULL}}},
    {"forecast-clears-without-a-trend",
     RULE("source=\"forecast\" span=\"10s\" horizon=\"100s\" confidence=\"0.9\""),
     {{1000, "20", "", "", NULL},
      {2000, "24", "", "", NULL},
      {2000, "28", "", "", NULL},
      {2000, "32", "Rw", "Rw", NULL},
      {2000, "32", "", "", NULL},
      {2000, "32", "", "", NULL},
      {2000, "32", "", "", NULL},
      {2000, "32", "C-", "C-", NULL}}},
    /* Dampening. */
    {"once-per-time",
     RULE("dampening=\"oncePer\" dampening-time=\"30s\""),
     {{1000, "90", "Rw", "Rw", NULL},
      {1000, "10", "C-", "C-", NULL},
      {1000, "90", "Rw", "", NULL},
      {1000, "10", "C-", "", NULL},
      {1000, "90", "Rw", "", NULL},
      {24000, "90", "", "", NULL},
      {2000, "90", "", "Rw", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"every-nth",
     RULE("dampening=\"everyNth\" dampening-count=\"3\""),
     {{1000, "90", "Rw", "", NULL},
      {1000, "10", "C-", "", NULL},
      {1000, "90", "Rw", "", NULL},
      {1000, "10", "C-", "", NULL},
      {1000, "90", "Rw", "Rw", NULL},
      {1000, "10", "C-", "C-", NULL},
      {1000, "90", "Rw", "", NULL}}},
    {"count-within-a-time",
     RULE("dampening=\"countWithin\" dampening-count=\"2\" dampening-time=\"10s\""),
     {{1000, "90", "Rw", "", NULL},
      {1000, "10", "C-", "", NULL},
      {20000, "90", "Rw", "", NULL},
      {1000, "10", "C-", "", NULL},
      {1000, "90", "Rw", "Rw", NULL},
      {1000, "10", "C-", "C-", NULL}}},
    {"quiet",
     RULE("notify=\"false\""),
     {{1000, "90", "Rw", "", NULL},
      {1000, "10", "C-", "", NULL},
      {1000, "90", "Rw", "", NULL},
      {2000, "90", "", "Rw", tell}}},
    /* Hold-off and flapping. */
    {"hold-off-after-start-and-clear",
     RULE("hold-off=\"10s\""),
     {{1000, "90", "", "", NULL},
      {9000, "90", "", "", NULL},
      {1000, "90", "Rw", "Rw", NULL},
      {1000, "10", "C-", "C-", NULL},
      {1000, "90", "", "", NULL},
      {8000, "90", "", "", NULL},
      {1000, "90", "Rw", "Rw", NULL}}},
    {"flapping-is-told-once",
     RULE("flap-count=\"3\" flap-time=\"10s\""),
     {{1000, "90", "Rw", "Rw", NULL},
      {1000, "10", "C-", "C-", NULL},
      {1000, "90", "Rw", "Rw", NULL},
      {1000, "10", "C-", "", NULL},
      {1000, "90", "RwFw", "Fw", NULL},
      {1000, "10", "C-", "", NULL},
      {1000, "90", "Rw", "", NULL},
      {1000, "10", "C-", "", NULL},
      {9000, "10", "", "", NULL},
      {2000, "10", "", "C-", NULL}}},
    {"flapping-that-ends-raised-repeats-from-then",
     RULE("flap-count=\"3\" flap-time=\"10s\" repeat=\"30s\""),
     {{1000, "90", "Rw", "Rw", NULL},
      {1000, "10", "C-", "C-", NULL},
      {1000, "90", "Rw", "Rw", NULL},
      {1000, "10", "C-", "", NULL},
      {1000, "90", "RwFw", "Fw", NULL},
      {1000, "10", "C-", "", NULL},
      {1000, "90", "Rw", "", NULL},
      {9000, "90", "", "", NULL},
      {2000, "90", "", "", NULL},
      {2000, "90", "", "", NULL},
      {30000, "90", "Pw", "Pw", NULL}}},
    /* Rules and rules. */
    {"disabled-by-another-rule",
     SENSORS
     "<thresholds>" THRESHOLD("disabled-by=\"full\"") "<threshold name=\"full\" sensor=\"load\" "
                                                      "operator=\"gt\" limit=\"95\" clear=\"90\" "
                                                      "severity=\"critical\"/></thresholds>",
     {{1000, "85", "Rw", "Rw", NULL},
      {1000, "96", "RcC-", "RcC-", NULL},
      {1000, "92", "", "", NULL},
      {1000, "85", "C-Rw", "C-Rw", NULL}}},
    /* Conditions. */
    {"all-of-several",
     SENSORS TWO("require=\"all\""),
     {{1000, "85", "Rw", "", NULL}, /* its member is quiet */
      {1000, "96", "RwRc", "Rc", NULL},
      {1000, "91", "", "", NULL},
      {1000, "85", "C-C-", "C-", NULL},
      {1000, "10", "C-", "", NULL}}},
    {"any-of-several",
     SENSORS TWO("require=\"any\" by=\"instance\""),
     {{1000, "85", "RwRc", "Rc", NULL},
      {1000, "96", "Rw", "", NULL},
      {1000, "85", "C-", "", NULL},
      {1000, "10", "C-C-", "C-", NULL}}},
    {"a-condition-survives-a-restart",
     SENSORS TWO("require=\"any\""),
     {{1000, "85", "RwRc", "Rc", NULL},
      {1000, "85", "", "", restart},
      {1000, "10", "C-C-", "C-", NULL}}},
};

static void all_scenarios(void **state)
{
    (void)state;
    size_t good = 0;
    for (size_t i = 0; i < N_OF(scenarios); i++)
        good += scenario_play(&scenarios[i]);
    assert_int_equal(good, N_OF(scenarios));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_scenarios)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
