/* Thresholds and alarms over a restart: raised stays raised, without a word; what was cleared
 * meanwhile is cleared once; what is gone does not leave its alarm behind. */
#include <string.h>

#include "events.h"

#define LOAD "<sensor name=\"load\" metric=\"load.1\"/>"
#define LOAD_B "<sensor name=\"load.b\" metric=\"load.1\"/>"
#define RECEIVED                                                                                   \
    "<sensor name=\"rx\" metric=\"net.rx.bytes\"/>"                                                \
    "<sensor name=\"rate\" metric=\"net.rx.bytes\" calculation=\"rate\"/>"
#define HIGH "<threshold name=\"high\" sensor=\"load\" operator=\"gt\" limit=\"5\" clear=\"3\"/>"
#define HIGH_CRITICAL                                                                              \
    "<threshold name=\"high\" sensor=\"load\" operator=\"gt\" limit=\"5\" clear=\"3\" "            \
    "severity=\"critical\"/>"
#define HIGH_B                                                                                     \
    "<threshold name=\"high\" sensor=\"load.b\" operator=\"gt\" limit=\"5\" clear=\"3\"/>"
#define LONG                                                                                       \
    "<threshold name=\"long\" sensor=\"load\" operator=\"gt\" limit=\"5\" duration=\"10s\"/>"
#define SOME                                                                                       \
    "<threshold name=\"some\" sensor=\"load\" operator=\"gt\" limit=\"5\" match=\"3\" "            \
    "window=\"8\"/>"
#define RX(more) "<threshold name=\"rx\" sensor=\"rx\" operator=\"gt\" limit=\"1000\" " more "/>"
#define RATE "<threshold name=\"rate\" sensor=\"rate\" operator=\"gt\" limit=\"1000\"/>"
#define CONFIG(sensors, thresholds)                                                                \
    "<alarms rate=\"1000\" per=\"1s\" queue=\"1000\"/>\n<sensors>" sensors                         \
    "</sensors>\n<thresholds>" thresholds "</thresholds>"
#define ALL CONFIG(LOAD RECEIVED, HIGH LONG SOME RX("") RATE)

static const struct interface both[] = {{"lo", 1}, {"eth0", 20000}, {"eth1", 20000}};

static const char *const raised[] = {"lap:high:total", "lap:rx:eth0", "lap:rx:eth1",
                                     "lap:rate:eth0", "lap:rate:eth1"};

static void drain(struct node *node)
{
    while (node_told(node))
        alarms_pop(&node->daemon->alarms, true);
}

/* Thresholds "high", "rx" and "rate" are raised and their notifications gone out. */
static int node_setup(void **state)
{
    struct node *node = node_new(ALL);
    *state = node;
    node_load(node, "9.00");
    node_network(node, (const struct interface[]){{"lo", 1}, {"eth0", 5000}, {"eth1", 5000}}, 3);
    node_cycle(node, 0);
    node_load(node, "4.00"); /* below the limit and above the clear limit */
    node_network(node, both, 3);
    node_cycle(node, 1000);
    assert_int_equal(node->daemon->alarms.active.count, N_OF(raised));
    drain(node);
    return 0;
}

/* What was raised and cleared after an entry of the log: so many entries, so many notifications.
 * Key NULL: of all alarms. */
static void assert_new(struct node *node, uint32_t after, const char *key, size_t raises,
                       size_t clears)
{
    size_t n[ALARM_FLAPPING + 1] = {0}, queued = 0;
    for (struct index_node *i = index_first(&node->daemon->alarms.log); i; i = index_next(i)) {
        const struct alarm_entry *entry = (struct alarm_entry *)i;
        if (entry->sequence > after && (!key || strcmp(entry->facts.key, key) == 0))
            n[entry->facts.event]++;
    }
    for (const struct notification *q = node_told(node); q; q = q->next)
        queued += !key || strcmp(q->facts.key, key) == 0;
    if (n[ALARM_RAISED] != raises || n[ALARM_CLEARED] != clears || queued != raises + clears)
        fail_msg("%s: %zu raises, %zu clears, %zu notifications, not %zu and %zu",
                 key ? key : "all alarms", n[ALARM_RAISED], n[ALARM_CLEARED], queued, raises,
                 clears);
}

static void assert_same_facts(const struct alarm_facts *a, const struct alarm_facts *b)
{
    assert_string_equal(a->key, b->key);
    assert_string_equal(a->node, b->node);
    assert_string_equal(a->threshold, b->threshold);
    assert_string_equal(a->sensor, b->sensor);
    assert_string_equal(a->instance, b->instance);
    assert_string_equal(a->value, b->value);
    assert_string_equal(a->limit, b->limit);
    assert_string_equal(a->message, b->message);
    assert_int_equal(a->severity, b->severity);
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->since_ms, b->since_ms);
    assert_int_equal(a->suppressed, b->suppressed);
}

/* -- Raised and cleared ----------------------------------------------------------------------- */

static void raised_stays_raised(void **state)
{
    struct node *node = *state;
    uint32_t sequence = node->daemon->alarms.sequence;
    struct alarm_facts facts = active_alarm(node, raised[0])->facts;
    for (uint32_t life = 2; life < 5; life++) {
        node_start_again(node);
        assert_int_equal(node->daemon->boot, life);
        assert_int_equal(node->daemon->alarms.active.count, N_OF(raised));
        node_cycle(node, 1000); /* for "rate", the first of two samples */
        assert_new(node, sequence, NULL, 0, 0);
        for (size_t i = 0; i < N_OF(raised); i++)
            assert_non_null(active_alarm(node, raised[i]));
        assert_int_equal(phase_of(node, "high", "total"), PHASE_RAISED);
        assert_int_equal(phase_of(node, "rate", "eth1"), PHASE_RAISED);
        assert_int_equal(number_at(node, MIB_dcampThresholdRaised, "rx", NULL), 2);
        assert_same_facts(&active_alarm(node, raised[0])->facts, &facts);
    }
    node_network(node, (const struct interface[]){{"lo", 1}, {"eth0", 90000}, {"eth1", 20001}}, 3);
    node_cycle(node, 1000);
    assert_new(node, sequence, NULL, 0, 1);
    assert_new(node, sequence, "lap:rate:eth1", 0, 1);
}

static void cleared_meanwhile_is_cleared_once(void **state)
{
    struct node *node = *state;
    uint32_t sequence = node->daemon->alarms.sequence;
    int64_t since_ms = active_alarm(node, raised[0])->facts.since_ms;
    node_stop(node);
    node_load(node, "1.00");
    node->now.wall_ms += 3600000;
    node_start(node);
    assert_non_null(active_alarm(node, raised[0])); /* until it is known */
    for (int i = 0; i < 3; i++)
        node_cycle(node, i ? 10 : 1000);
    assert_new(node, sequence, NULL, 0, 1);
    const struct alarm_entry *entry = last_event(node);
    assert_string_equal(entry->facts.key, raised[0]);
    assert_string_equal(entry->facts.value, "1");
    assert_int_equal(entry->facts.since_ms, since_ms);
    assert_int_equal(entry->sequence, sequence + 1);
    node_load(node, "9.00");
    node_cycle(node, 1000);
    assert_new(node, sequence, raised[0], 1, 1);
    assert_true(active_alarm(node, raised[0])->index > sequence + 1);
}

/* The daemon dies: what its last cycles saved is enough. Numbers that it may have given since then
 * are not given again. */
static void crash(void **state)
{
    struct node *node = *state;
    node_cycle(node, 500);
    node_cycle(node, 500);
    node_wait_saved(node);
    uint32_t sequence = node->daemon->alarms.sequence, reserved = node->daemon->saving.reserved;
    assert_true(reserved - sequence >= 100 + 2 * node->daemon->watches.watches.count);
    dcampd_free(node->daemon);
    node_start(node);
    assert_int_equal(node->daemon->alarms.sequence, reserved);
    node_cycle(node, 1000);
    assert_int_equal(node->daemon->boot, 2);
    assert_non_null(active_alarm(node, raised[0]));
    assert_int_equal(node->daemon->alarms.sequence, reserved);
}

static void queued_notifications_survive(void **state)
{
    struct node *node = *state;
    node_load(node, "1.00");
    node_cycle(node, 1000); /* clears "high"; and "rate", which did not move */
    uint32_t first = node_told(node)->facts.sequence;
    size_t queued = node->daemon->alarms.queued;
    assert_int_equal(queued, 3);
    for (int life = 0; life < 2; life++) {
        node_start_again(node);
        node_cycle(node, 1000);
        assert_int_equal(node->daemon->alarms.queued, queued);
        for (const struct notification *n = node_told(node); n; n = n->next)
            assert_int_equal(n->facts.sequence, first++);
        first -= (uint32_t)queued;
    }
}

/* -- What has not come to a raise yet ---------------------------------------------------------- */

/* The time while the daemon was down does not count. */
static void pending_goes_on(void **state)
{
    struct node *node = *state;
    uint32_t sequence = node->daemon->alarms.sequence;
    node_load(node, "9.00");
    for (int i = 0; i < 5; i++)
        node_cycle(node, 1000);
    assert_int_equal(phase_of(node, "long", "total"), PHASE_PENDING); /* for 4 s */
    node_stop(node);
    node->now.mono_ns += 3600 * NS_PER_S;
    node->now.wall_ms += 3600000;
    node_start(node);
    for (int i = 0; i < 7; i++) {
        node_cycle(node, 1000);
        assert_int_equal(phase_of(node, "long", "total"), i < 6 ? PHASE_PENDING : PHASE_RAISED);
    }
    assert_new(node, sequence, "lap:long:total", 1, 0);
}

static void windows_go_on(void **state)
{
    struct node *node = *state; /* one breach, one not */
    uint32_t sequence = node->daemon->alarms.sequence;
    node_load(node, "9.00");
    node_cycle(node, 1000);
    assert_int_equal(number_at(node, MIB_dcampThresholdStateBreaches, "some", "total"), 2);
    node_start_again(node);
    node_cycle(node, 1000);
    assert_int_equal(number_at(node, MIB_dcampThresholdStateBreaches, "some", "total"), 3);
    assert_new(node, sequence, "lap:some:total", 1, 0);
}

/* -- Another node, other rows, other instances ------------------------------------------------- */

/* The key begins with the node's name: what stood under the old one is over. */
static void another_name_for_the_node(void **state)
{
    struct node *node = *state;
    uint32_t sequence = node->daemon->alarms.sequence;
    node_stop(node);
    node_configure(node, "new", ALL);
    node_load(node, "9.00");
    node_start(node);
    node_cycle(node, 1000);
    assert_new(node, sequence, "lap:high:total", 0, 1);
    assert_new(node, sequence, "new:high:total", 1, 0);
    assert_new(node, sequence, "lap:rx:eth0", 0, 1);
    assert_new(node, sequence, "new:rx:eth0", 1, 0);
    assert_new(node, sequence, "lap:rate:eth0", 0, 1);
    assert_new(node, sequence, "new:rate:eth0", 0, 0); /* waits for its second sample */
    for (size_t i = 0; i < N_OF(raised); i++)
        assert_null(active_alarm(node, raised[i]));
    assert_string_equal(active_alarm(node, "new:high:total")->facts.node, "new");
    node_start_again(node);
    node_cycle(node, 1000);
    assert_new(node, sequence, "new:high:total", 1, 0);
    assert_new(node, sequence, "lap:high:total", 0, 1);
}

static const struct {
    const char *elements;
    bool eth1;           /* is still there */
    const char *gone[3]; /* alarms that are over */
} orphans[] = {
    {ALL, true, {NULL}},
    {ALL, false, {"lap:rx:eth1", "lap:rate:eth1", NULL}},
    {CONFIG(LOAD RECEIVED, LONG SOME RX("") RATE), true, {"lap:high:total", NULL}},
    {CONFIG(RECEIVED, RX("") RATE), true, {"lap:high:total", NULL}},
    {CONFIG(LOAD RECEIVED, HIGH RX("")), true, {"lap:rate:eth0", "lap:rate:eth1", NULL}},
    {CONFIG(LOAD RECEIVED, HIGH RX("instances=\"eth0\"") RATE), true, {"lap:rx:eth1", NULL}},
    {CONFIG(LOAD LOAD_B RECEIVED, HIGH_B RX("") RATE), true, {"lap:high:total", NULL}},
    {CONFIG("", ""), true, {"lap:rx:eth0", "lap:rx:eth1", "lap:high:total"}},
};

static void orphans_are_cleared(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(orphans); i++) {
        void *own;
        node_setup(&own);
        struct node *node = own;
        uint32_t sequence = node->daemon->alarms.sequence;
        size_t gone = 0;
        node_stop(node);
        node_configure(node, "lap", orphans[i].elements);
        node_network(node, both, orphans[i].eth1 ? 3 : 2);
        node_start(node);
        node_cycle(node, 1000);
        for (; gone < 3 && orphans[i].gone[gone]; gone++) {
            assert_new(node, sequence, orphans[i].gone[gone], 0, 1);
            assert_null(active_alarm(node, orphans[i].gone[gone]));
        }
        if (gone < 3)
            assert_new(node, sequence, NULL, 0, gone);
        assert_int_equal(node->daemon->alarms.active.count, gone < 3 ? N_OF(raised) - gone : 0);
        node_free(node);
    }
}

static void make_threshold(struct node *node, const char *name, int storage)
{
    const struct bind binds[] = {
        {MIB_dcampThresholdRowStatus, name, dcampThresholdRowStatus_createAndGo, NULL},
        {MIB_dcampThresholdStorageType, name, storage, NULL},
        {MIB_dcampThresholdSensor, name, 0, "load"},
        {MIB_dcampThresholdOperator, name, COMPARE_GT, NULL},
        {MIB_dcampThresholdLimit, name, 0, "3"},
    };
    assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
}

static void thresholds_that_were_set(void **state)
{
    struct node *node = *state;
    make_threshold(node, "stays", STORAGE_NONVOLATILE);
    make_threshold(node, "goes", STORAGE_VOLATILE);
    node_cycle(node, 1000);
    drain(node);
    uint32_t sequence = node->daemon->alarms.sequence;
    assert_non_null(active_alarm(node, "lap:goes:total"));
    node_start_again(node);
    node_cycle(node, 1000);
    assert_new(node, sequence, "lap:stays:total", 0, 0);
    assert_non_null(active_alarm(node, "lap:stays:total"));
    assert_new(node, sequence, "lap:goes:total", 0, 1);
}

/* -- Sources that cannot be read at first ------------------------------------------------------ */

static void restart_blind(struct node *node)
{
    node_stop(node);
    tree_write(&node->tree, "/proc/net/dev", "");
    node_start(node);
    node_cycle(node, 1000);
}

/* Nobody knows whether the instances are there, until the source can be read: then eth0 is, as it
 * was, and eth1 is not. */
static void alarms_wait_for_their_source(void **state)
{
    struct node *node = *state;
    uint32_t sequence = node->daemon->alarms.sequence;
    restart_blind(node);
    restart_blind(node);
    node_cycle(node, 1000);
    assert_new(node, sequence, NULL, 0, 0);
    assert_int_equal(node->daemon->alarms.active.count, N_OF(raised));
    node_network(node, both, 2);
    node_cycle(node, 1000);
    assert_new(node, sequence, "lap:rx:eth0", 0, 0);
    assert_int_equal(phase_of(node, "rx", "eth0"), PHASE_RAISED);
    assert_new(node, sequence, "lap:rx:eth1", 0, 1);
    assert_new(node, sequence, "lap:rate:eth1", 0, 1);
    assert_new(node, sequence, NULL, 0, 2);
    /* From now on an unreadable source is just that. */
    tree_write(&node->tree, "/proc/net/dev", "");
    node_cycle(node, 1000);
    assert_new(node, sequence, NULL, 0, 2);
}

static void alarms_do_not_wait_for_what_is_paused(void **state)
{
    struct node *node = *state;
    uint32_t sequence = node->daemon->alarms.sequence;
    restart_blind(node);
    node_set_one(node, MIB_dcampThresholdRowStatus, "rx", 2, NULL);
    node_cycle(node, 1000);
    assert_new(node, sequence, NULL, 0, 2);
    assert_new(node, sequence, "lap:rx:eth0", 0, 1);
    node_set_one(node, MIB_dcampSensorRowStatus, "rate", 2, NULL);
    node_cycle(node, 1000);
    assert_new(node, sequence, NULL, 0, 4);
    assert_non_null(active_alarm(node, "lap:high:total"));
}

/* The file gave a threshold another severity while the daemon was down. */
static void another_severity(void **state)
{
    struct node *node = *state;
    uint32_t sequence = node->daemon->alarms.sequence;
    node_stop(node);
    node_configure(node, "lap", CONFIG(LOAD RECEIVED, HIGH_CRITICAL LONG SOME RX("") RATE));
    node_start(node);
    node_cycle(node, 1000);
    assert_int_equal(active_alarm(node, "lap:high:total")->facts.severity, SEVERITY_CRITICAL);
    const struct notification *told = node_told(node);
    assert_non_null(told);
    assert_string_equal(told->facts.key, "lap:high:total");
    assert_int_equal(told->facts.event, ALARM_CHANGED);
    drain(node);
    assert_new(node, sequence, NULL, 0, 0);
}

/* -- Names that are no text ------------------------------------------------------------------- */

/* The kernel lets an interface have any name: alarms show it cleaned, and still know it. */
static void odd_instances(void **state)
{
    struct node *node = *state;
    static const struct interface odd[] = {{"a|b", 7000},  {"a_b", 7000},      {"a;b", 7000},
                                           {"\xff", 7000}, {"\xc3\xbc", 7000}, {"_", 7000}};
    node_network(node, odd, N_OF(odd));
    node_cycle(node, 1000);
    assert_int_equal(number_at(node, MIB_dcampThresholdRaised, "rx", NULL), N_OF(odd));
    drain(node);
    uint32_t sequence = node->daemon->alarms.sequence;
    for (int life = 0; life < 2; life++) {
        node_start_again(node);
        node_cycle(node, 1000);
        assert_new(node, sequence, NULL, 0, 0);
        assert_int_equal(number_at(node, MIB_dcampThresholdRaised, "rx", NULL), N_OF(odd));
        assert_int_equal(node->daemon->alarms.active.count, N_OF(odd) + 1);
    }
    /* One of them is not there after the next restart: its alarm is, and no other, over. */
    node_stop(node);
    node_network(node, odd + 1, N_OF(odd) - 1);
    node_start(node);
    node_cycle(node, 1000);
    assert_new(node, sequence, NULL, 0, 1);
    assert_int_equal(number_at(node, MIB_dcampThresholdRaised, "rx", NULL), N_OF(odd) - 1);
    assert_int_equal(node->daemon->alarms.active.count, N_OF(odd));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(raised_stays_raised),
        node_test(cleared_meanwhile_is_cleared_once),
        node_test(crash),
        node_test(queued_notifications_survive),
        node_test(pending_goes_on),
        node_test(windows_go_on),
        node_test(another_name_for_the_node),
        node_test(another_severity),
        cmocka_unit_test(orphans_are_cleared),
        node_test(thresholds_that_were_set),
        node_test(alarms_wait_for_their_source),
        node_test(alarms_do_not_wait_for_what_is_paused),
        node_test(odd_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
