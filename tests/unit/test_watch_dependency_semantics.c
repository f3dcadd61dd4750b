/* What the loss of a child means for the alarms of those behind it: rows of doc/alarms.md. */
#include <string.h>

#include "children/behind.h"
#include "watch/inhibition.h"
#include "watch/watches.h"

#include "polled.h"

/* Whether each child answers its poll in this second, in the order hub, switch, leaf; then what is
 * logged and told: L lost, J joined, each with the first letter of the child. T is the alarm of a
 * threshold on the leaf, raised once and let be. */
struct step {
    const char *answers; /* "+-+" */
    const char *logged, *told;
};

struct scenario {
    const char *name;
    const char *behind[3]; /* what hub, switch and leaf are behind */
    bool threshold; /* the leaf has an alarm of a threshold from the beginning of silence on */
    struct step steps[12];
};

static const char *const names[] = {"hub", "switch", "leaf"};

static const struct scenario scenarios[] = {
    {"lost-on-its-own",
     {"", "", ""},
     false,
     {{"+++", "JhJsJl", "JhJsJl"},
      {"+-+", "", ""},
      {"+-+", "", ""},
      {"+-+", "Ls", "Ls"},
      {"+++", "Js", "Js"}}},
    {"a-lost-collector-stands-for-what-is-behind-it",
     {"", "hub", "switch"},
     false,
     {{"+++", "JhJsJl", "JhJsJl"},
      {"---", "", ""},
      {"---", "", ""},
      {"---", "LhLsLl", "Lh"},
      {"---", "", ""},
      {"+++", "JhJsJl", "Jh"}}},
    {"what-stays-lost-is-told-then",
     {"", "hub", "switch"},
     false,
     {{"+++", "JhJsJl", "JhJsJl"},
      {"---", "", ""},
      {"---", "", ""},
      {"---", "LhLsLl", "Lh"},
      {"++-", "JhJs", "LlJh"},
      {"++-", "", ""},
      {"+++", "Jl", "Jl"}}},
    {"nobody-is-told-before-it-is-known-who-is-lost",
     {"", "hub", ""},
     false,
     {{"+++", "JhJsJl", "JhJsJl"},
      {"+-+", "", ""},
      {"+-+", "", ""},
      {"--+", "Ls", ""}, /* the hub is silent, too, and may be lost */
      {"--+", "", ""},
      {"--+", "Lh", "Lh"},
      {"+++", "JhJs", "Jh"}}},
    {"an-alarm-of-a-lost-node-is-held",
     {"", "", ""},
     true,
     {{"+++", "JhJsJl", "JhJsJl"},
      {"++-", "", ""},
      {"++-", "", ""},
      {"++-", "LlTl", "Ll"},
      {"+++", "Jl", "JlTl"},
      {"+++", "", ""}}},
};

static void put(char *text, const struct alarm_facts *facts, int event)
{
    size_t n = strlen(text);
    text[n++] = facts->kind == ALARM_OF_THRESHOLD ? 'T' : event == ALARM_RAISED ? 'L' : 'J';
    text[n++] = facts->node[0];
    text[n] = '\0';
}

static void poll_all(struct polled *polled, const char *answers)
{
    polled_wait(polled, 1000);
    for (size_t i = 0; i < 3; i++) {
        struct child *child = children_find(&polled->children, names[i]);
        if (answers[i] == '+')
            polled_answer(polled, child, 7, NULL, 0);
        else
            polled_silent(polled, child, POLL_TIMEOUT, "no answer");
    }
}

static void raise_threshold(struct polled *polled)
{
    struct alarm_facts facts = {.node = "leaf", .threshold = "t", .severity = SEVERITY_WARNING};
    alarm_key(facts.key, facts.node, facts.threshold, "");
    if (children_find(&polled->children, "leaf")->contact.silent == CHILD_LOST_AFTER)
        alarm_raise(polled->alarms, &facts, polled->now);
}

static bool play_step(struct polled *polled, const struct scenario *scenario, size_t i)
{
    const struct step *step = &scenario->steps[i];
    char logged[64] = "", told[64] = "";
    uint32_t sequence = polled->alarms->sequence;
    const struct notification *n;
    poll_all(polled, step->answers);
    if (scenario->threshold)
        raise_threshold(polled);
    for (sequence++; sequence <= polled->alarms->sequence; sequence++) {
        const struct alarm_entry *entry =
            (struct alarm_entry *)index_find(&polled->alarms->log, &sequence, 1);
        put(logged, &entry->facts, entry->facts.event);
    }
    for (alarms_tick(polled->alarms, polled->now); (n = alarms_peek(polled->alarms));
         alarms_pop(polled->alarms, true))
        put(told, &n->facts, n->facts.event);
    bool good = strcmp(logged, step->logged) == 0 && strcmp(told, step->told) == 0;
    if (!good)
        print_error("%s, step %zu: logged %s, told %s\n", scenario->name, i + 1, logged, told);
    return good;
}

static bool follows(const void *children, const struct alarm_facts *facts)
{
    return children_hold(children, facts);
}

static bool play(const struct scenario *scenario)
{
    struct polled *polled = polled_new();
    struct watches watches;
    watches_open(&watches, polled->alarms);
    struct inhibition inhibition = {.watches = &watches,
                                    .config = (const struct config *const *)&polled->config,
                                    .follows = follows,
                                    .context = &polled->children};
    polled->alarms->judge = inhibition_judge;
    polled->alarms->judge_context = &inhibition;
    for (size_t i = 0; i < 3; i++)
        polled_set(polled_row(polled, names[i]), "behind", scenario->behind[i]);
    polled_sync(polled);
    bool good = true;
    for (size_t i = 0; good && scenario->steps[i].answers; i++)
        good = play_step(polled, scenario, i);
    watches_close(&watches);
    polled_free(polled);
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

/* The alarm of the collector carries the number; rows in a circle end somewhere. */
static void the_number_behind(void **state)
{
    struct polled *polled = *state;
    polled_set(polled_row(polled, "hub"), "behind", "");
    polled_set(polled_row(polled, "switch"), "behind", "hub");
    polled_set(polled_row(polled, "leaf"), "behind", "switch");
    polled_set(polled_row(polled, "other"), "behind", "elsewhere");
    polled_set(polled_row(polled, "a"), "behind", "b");
    polled_set(polled_row(polled, "b"), "behind", "a");
    polled_sync(polled);
    assert_int_equal(children_behind(&polled->children, "hub"), 2);
    assert_int_equal(children_behind(&polled->children, "switch"), 1);
    assert_int_equal(children_behind(&polled->children, "leaf"), 0);
    assert_int_equal(children_behind(&polled->children, "a"), 2);
    struct child *hub = children_find(&polled->children, "hub");
    for (int i = 0; i < CHILD_LOST_AFTER; i++)
        polled_silent(polled, hub, POLL_TIMEOUT, "no answer");
    const struct alarm *alarm = alarm_find(polled->alarms, "hub:node-lost:");
    assert_non_null(strstr(alarm->facts.message, ", and what is behind it: 2"));
    struct alarm_facts facts = {.kind = ALARM_OF_NODE, .node = "a"};
    assert_false(children_hold(&polled->children, &facts));
    struct row *row = config_find(polled->config, ROW_CHILD, "a");
    polled_set(row, "behind", "a");
    assert_string_equal(row_fault(row), "a child cannot be behind itself");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_scenarios),
        cmocka_unit_test_setup_teardown(the_number_behind, polled_setup, polled_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
