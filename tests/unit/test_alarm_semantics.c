/* What receivers are told when there is more than the rate allows: rows of doc/alarms.md. */

#include <stdio.h>
#include <string.h>

#include "alarm/alarm.h"

#include "unit.h"

/* Two at once, and one every five seconds. What happens: "c1" alarm 1 is raised with severity
 * critical (w warning, i info), or changes to it; "-1" it is over. What is told: likewise, and
 * "S3": a summary of three. */
struct step {
    uint64_t ms; /* since the step before */
    const char *happens;
    const char *told;
};

struct scenario {
    const char *name;
    struct step steps[10]; /* up to one without texts */
};

static const struct scenario scenarios[] = {
    {"most-severe-first-then-oldest",
     {{1000, "i1 w2 c3 w4 c5", "c3 c5"},
      {5000, "", "S3"},
      {5000, "", "w2"},
      {5000, "", "S2"},
      {5000, "", "w4"},
      {5000, "", "i1"},
      {60000, "", ""}}},
    {"a-later-one-that-is-more-severe-goes-first",
     {{1000, "w1 w2 w3", "w1 w2"},
      {1000, "c4", ""},
      {4000, "", "S2"},
      {5000, "", "c4"},
      {5000, "", "w3"}}},
    {"what-comes-and-goes-meanwhile-is-only-counted",
     {{1000, "w1 w2 w3", "w1 w2"},
      {1000, "-3", ""},
      {4000, "", "S1"},
      {5000, "", ""},
      {5000, "-1", "-1"}}},
    {"one-that-waits-needs-no-summary",
     {{1000, "w1 w2 w3", "w1 w2"}, {5000, "", "w3"}, {60000, "", ""}}},
    {"clears-wait-as-what-they-clear",
     {{1000, "c1 w2", "c1 w2"},
      {1000, "-2", ""},
      {1000, "-1 i3", ""},
      {3000, "", "S3"},
      {5000, "", "-1"},
      {5000, "", "S2"},
      {5000, "", "-2"},
      {5000, "", "i3"}}},
    {"up-and-down-unnoticed",
     {{1000, "w1 w2", "w1 w2"},
      {1000, "c1", ""},
      {1000, "w1", ""},
      {3000, "", "S1"},
      {60000, "", ""}}},
    {"summaries-come-once-a-period",
     {{1000, "w1 w2 w3 w4 w5 w6", "w1 w2"},
      {5000, "", "S4"},
      {5000, "", "w3"},
      {5000, "", "S3"},
      {5000, "", "w4"},
      {5000, "", "S2"}}},
};

static struct alarm_facts facts_of(const char *number)
{
    struct alarm_facts facts = {.node = "n", .threshold = "t"};
    snprintf(facts.instance, sizeof facts.instance, "%.1s", number);
    alarm_key(facts.key, facts.node, facts.threshold, facts.instance);
    return facts;
}

static void happen(struct alarms *alarms, const char *what, struct moment now)
{
    static const char severities[] = " -iwc";
    for (; *what; what += strspn(what + 2, " ") + 2) {
        struct alarm_facts facts = facts_of(what + 1);
        facts.severity = (enum severity)(strchr(severities, what[0]) - severities);
        if (facts.severity == SEVERITY_CLEAR)
            assert_true(alarm_clear(alarms, &facts, now));
        else
            assert_true(alarm_find(alarms, facts.key) ? alarm_change(alarms, &facts, now)
                                                      : alarm_raise(alarms, &facts, now));
    }
}

static void take_told(struct alarms *alarms, char *text, size_t size)
{
    static const char severities[] = " -iwc";
    const struct notification *n;
    size_t len = 0;
    text[0] = '\0';
    for (; (n = alarms_peek(alarms)); alarms_pop(alarms, true)) {
        const char *blank = len ? " " : "";
        if (n->facts.event == ALARM_SUPPRESSED)
            len += (size_t)snprintf(text + len, size - len, "%sS%u", blank, n->facts.suppressed);
        else
            len += (size_t)snprintf(text + len, size - len, "%s%c%s", blank,
                                    severities[n->facts.severity], n->facts.instance);
    }
}

static bool play(const struct scenario *scenario)
{
    const struct alarm_limits limits = {
        .log_size = 100, .rate = 2, .period_ms = 10000, .queue = 100};
    struct moment now = {.mono_ns = NS_PER_S};
    struct alarms alarms;
    bool good = true;
    alarms_open(&alarms, &limits, now.mono_ns);
    for (size_t i = 0; good && scenario->steps[i].happens; i++) {
        const struct step *step = &scenario->steps[i];
        char told[128];
        now.mono_ns += step->ms * NS_PER_MS;
        happen(&alarms, step->happens, now);
        alarms_tick(&alarms, now);
        take_told(&alarms, told, sizeof told);
        good = strcmp(told, step->told) == 0;
        if (!good)
            print_error("%s, step %zu: told \"%s\"\n", scenario->name, i + 1, told);
    }
    alarms_close(&alarms);
    return good;
}

static void all_scenarios(void **state)
{
    (void)state;
    size_t good = 0;
    for (size_t i = 0; i < N_OF(scenarios); i++)
        good += play(&scenarios[i]);
    assert_int_equal(good, N_OF(scenarios));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_scenarios)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
