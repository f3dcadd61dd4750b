/* The tables of dcampApplications, on a node that reads what programs publish: when their rows are
 * made, what they say, how many keys there are; and that reading them takes nothing from sensors.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/tables.h"
#include "forged.h"
#include "manager.h"

#define MS(n) ((uint64_t)(n)*NS_PER_MS)

static const char elements[] =
    "<sensors><sensor name=\"load\" metric=\"load.1\" interval=\"1d\"/></sensors>";
static const char elements_of_events[] =
    "<sensors><sensor name=\"times\" metric=\"app.time\" calculation=\"average\" interval=\"10s\""
    " window=\"1h\"/></sensors>";

/* One program that lives: what it has in memory is written again as it changes. */
static struct shop {
    struct forged *forged;
    const struct segment_descriptor *counter, *gauge, *timer, *top;
    int fd;
} shop;

static void open_shop(const struct node *node)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%.4000s/1.1", node->apps_dir);
    shop.forged = forged_new("shop");
    shop.counter = forged_sensor(shop.forged, SEGMENT_COUNTER, "orders", "north", "orders");
    shop.gauge = forged_sensor(shop.forged, SEGMENT_GAUGE, "queue", "", "jobs");
    shop.timer = forged_sensor(shop.forged, SEGMENT_TIMER, "payment", "", "s");
    shop.top = forged_sensor(shop.forged, SEGMENT_TOP, "dishes", "", "dishes");
    shop.fd = forged_publish(shop.forged, file, true);
}

static void write_again(void)
{
    assert_int_equal(pwrite(shop.fd, shop.forged->octets, shop.forged->size, 0), shop.forged->size);
}

static void count_orders(uint64_t n)
{
    *forged_word(shop.forged, shop.counter, 0, SEGMENT_COUNTER_VALUE) += n;
    write_again();
}

static int setup(void **state)
{
    struct node *node = node_new(elements);
    *state = node;
    node_cycle(node, 0);
    open_shop(node);
    return 0;
}

static int teardown(void **state)
{
    close(shop.fd);
    forged_free(shop.forged);
    return node_teardown(state);
}

/* -- What a manager sees ----------------------------------------------------------------------- */

/* The cell of a row: of an application, or with sensor and instance of a sensor, or with rank of a
 * key, or with process and shard of a thread. */
struct place {
    const char *sensor, *instance;
    uint32_t rank, process, shard;
};

static enum engine_status look(struct node *node, enum mib_object object, struct place place,
                               struct mib_value *value)
{
    const struct mib_info *info = &mib_objects[object];
    struct mib_oid oid = {.len = info->oid_len};
    memcpy(oid.id, info->oid, info->oid_len * sizeof *oid.id);
    oid.len += index_key_text(oid.id + oid.len, owners_name(&node->daemon->slots.owners, getuid()));
    oid.len += index_key_text(oid.id + oid.len, "shop");
    if (place.sensor)
        oid.len += index_key_text(oid.id + oid.len, place.sensor);
    if (place.instance)
        oid.len += index_key_text(oid.id + oid.len, place.instance);
    if (place.rank)
        oid.id[oid.len++] = place.rank;
    if (place.process) {
        oid.id[oid.len++] = place.process;
        oid.id[oid.len++] = place.shard;
    }
    return node_get(node, &oid, value);
}

static uint64_t number(struct node *node, enum mib_object object, struct place place)
{
    struct mib_value value;
    if (look(node, object, place, &value) != ENGINE_OK)
        fail_msg("%s is not there", mib_objects[object].name);
    return value.number;
}

static void assert_text(struct node *node, enum mib_object object, struct place place,
                        const char *text)
{
    struct mib_value value;
    assert_int_equal(look(node, object, place, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, strlen(text));
    assert_memory_equal(value.octets.at, text, strlen(text));
}

static bool is_there(struct node *node, enum mib_object object, struct place place)
{
    struct mib_value value;
    return look(node, object, place, &value) == ENGINE_OK;
}

static const struct place none, orders = {.sensor = "orders", .instance = "north"},
                                queue = {.sensor = "queue", .instance = ""};

/* -- When rows are made ------------------------------------------------------------------------ */

static void made_while_somebody_reads(void **state)
{
    struct node *node = *state;
    assert_false(node_has(node, MIB_dcampApplicationAge, NULL, NULL));
    assert_int_equal(directory_cost(node->daemon->applications).files, 0);
    count_orders(5);
    assert_false(is_there(node, MIB_dcampApplicationSensorCount, orders));
    node_cycle(node, 10);
    assert_int_equal(number(node, MIB_dcampApplicationSensorCount, orders), 5);
    assert_int_equal(number_at(node, MIB_dcampApplicationSensorAge, NULL, NULL), 0);
    assert_false(node_has(node, MIB_dcampApplicationAge, NULL, NULL)); /* nobody has read that */
    assert_false(node_has(node, MIB_dcampTopAge, NULL, NULL));
    count_orders(1);
    assert_int_equal(node_cycle(node, 10), (int64_t)MS(990)); /* somebody has read it again */
    assert_int_equal(number(node, MIB_dcampApplicationSensorCount, orders), 5);
    assert_int_equal(number_at(node, MIB_dcampApplicationSensorAge, NULL, NULL), 10);
    node_cycle(node, 990);
    assert_int_equal(number(node, MIB_dcampApplicationSensorCount, orders), 6);
    assert_int_equal(number_at(node, MIB_dcampApplicationSensorAge, NULL, NULL), 0);
}

/* Nobody pays for what nobody reads, but for a pass in a minute that removes files of the dead; in
 * the end the rows are given up. */
static void given_up(void **state)
{
    struct node *node = *state;
    assert_false(is_there(node, MIB_dcampApplicationProcesses, none));
    node_cycle(node, 10);
    uint64_t pass = directory_applications(node->daemon->applications)->pass;
    for (int i = 0; i < 100; i++)
        node_cycle(node, 30000);
    assert_int_equal(directory_applications(node->daemon->applications)->pass, pass + 50);
    assert_int_equal(number_at(node, MIB_dcampApplicationAge, NULL, NULL), 3000000);
    node_cycle(node, 600000);
    assert_false(node_has(node, MIB_dcampApplicationAge, NULL, NULL));
    assert_int_equal(node->daemon->listed.listing[LISTING_APPLICATIONS].index.count, 0);
    assert_int_equal(listed_due(&node->daemon->listed), UINT64_MAX);
    assert_false(is_there(node, MIB_dcampApplicationProcesses, none));
    node_cycle(node, 10);
    assert_int_equal(number(node, MIB_dcampApplicationProcesses, none), 1);
}

/* A directory that is not there is no fault of a sensor, and is said. */
static void without_a_directory(void **state)
{
    struct node *node = *state;
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%.4000s/1.1", node->apps_dir);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(node->apps_dir), 0);
    assert_false(is_there(node, MIB_dcampApplicationProcesses, none));
    node_cycle(node, 10);
    assert_cell_text(node, MIB_dcampApplicationsError, NULL, NULL,
                     "the directory cannot be read: No such file or directory");
    assert_int_equal(number_at(node, MIB_dcampSelfSampleErrors, NULL, NULL), 0);
    assert_int_equal(number_at(node, MIB_dcampApplicationAge, NULL, NULL), 0);
}

/* -- What they say ----------------------------------------------------------------------------- */

static void application_and_sensors(void **state)
{
    struct node *node = *state;
    char path[256];
    shop.forged->header->refused = 3;
    shop.forged->header->crowded = 4;
    shop.forged->header->full = 5;
    count_orders(UINT64_C(1) << 40);
    is_there(node, MIB_dcampApplicationProcesses, none);
    is_there(node, MIB_dcampApplicationSensorKind, orders);
    node_cycle(node, 10);
    uint64_t ticks = (node->now.mono_ns - node->daemon->started.mono_ns) / MS(10);
    assert_int_equal(number(node, MIB_dcampApplicationSince, none), ticks);
    assert_int_equal(number(node, MIB_dcampApplicationSensorSince, orders), ticks);
    assert_int_equal(number(node, MIB_dcampApplicationProcesses, none), 1);
    assert_int_equal(number(node, MIB_dcampApplicationEnded, none), 0);
    assert_int_equal(number(node, MIB_dcampApplicationSensors, none), 4);
    assert_int_equal(number(node, MIB_dcampApplicationLost, none), 0);
    assert_int_equal(number(node, MIB_dcampApplicationRefused, none), 3);
    assert_int_equal(number(node, MIB_dcampApplicationCrowded, none), 4);
    assert_int_equal(number(node, MIB_dcampApplicationFull, none), 5);
    assert_text(node, MIB_dcampApplicationError, none, "");
    assert_int_equal(number(node, MIB_dcampApplicationSensorCount, orders), UINT64_C(1) << 40);
    assert_int_equal(number(node, MIB_dcampApplicationSensorKind, orders), SEGMENT_COUNTER);
    assert_text(node, MIB_dcampApplicationSensorUnit, orders, "orders");
    assert_text(node, MIB_dcampApplicationSensorPurpose, orders, "");
    snprintf(path, sizeof path, "%s/shop:orders:north",
             owners_name(&node->daemon->slots.owners, getuid()));
    assert_text(node, MIB_dcampApplicationSensorPath, orders, path);
    assert_int_equal(number(node, MIB_dcampApplicationSensorKind, queue), SEGMENT_GAUGE);
    assert_false(is_there(node, MIB_dcampApplicationSensorCount, queue));
    assert_cell_text(node, MIB_dcampApplicationsError, NULL, NULL, "");
    assert_int_equal(number_at(node, MIB_dcampApplicationsLeftOut, NULL, NULL), 0);
}

/* -- Records that are missing ---------------------------------------------------------------- */

/* The first step of a program that has begun before dcampd, and its records by their numbers. */
static void record(uint32_t step, uint64_t first, uint64_t last)
{
    for (uint64_t n = first; n <= last; n++)
        forged_record(shop.forged, 1, n, step)->duration = 1;
    write_again();
}

static struct node *node_of_records(void **state, uint32_t *step)
{
    struct node *node = node_new("<report keep=\"16\" block-bytes=\"256\"/><sensors>"
                                 "<sensor name=\"all\" metric=\"app.records\"/></sensors>");
    *state = node;
    open_shop(node);
    *step = shop.forged->header->descriptors;
    forged_sensor(shop.forged, SEGMENT_STEP, "pay", "", "s");
    return node;
}

/* What was made before dcampd was there, what the thread has overwritten, and what is more than the
 * blocks have room for. */
static void records_of_programs(void **state)
{
    uint32_t step;
    struct node *node = node_of_records(state, &step);
    record(step, 1, 7);
    is_there(node, MIB_dcampApplicationUnread, none);
    node_cycle(node, 0);
    assert_int_equal(number(node, MIB_dcampApplicationUnread, none), 7);
    assert_int_equal(number(node, MIB_dcampApplicationUnreported, none), 0);
    record(step, 8, 7 + 4 + SEGMENT_RING);
    node_cycle(node, 1000);
    assert_int_equal(number(node, MIB_dcampApplicationUnread, none), 7);
    assert_int_equal(number(node, MIB_dcampApplicationLost, none), 4);
    uint64_t unreported = number(node, MIB_dcampApplicationUnreported, none);
    assert_in_range(unreported, SEGMENT_RING - 60, SEGMENT_RING - 30);
}

static void records_of_children(void **state)
{
    struct node *node = *state;
    const struct report_record is = {.sequence = 1, .duration_ns = 1};
    assert_int_equal(number_at(node, MIB_dcampStepRecordsLost, NULL, NULL), 0);
    assert_int_equal(number_at(node, MIB_dcampStepRecordsBefore, NULL, NULL), 0);
    assert_int_equal(number_at(node, MIB_dcampStepRecordsLeftOut, NULL, NULL), 0);
    assert_int_equal(number_at(node, MIB_dcampStepRecordsUnreported, NULL, NULL), 0);
    node->daemon->slots.relay.unreported = 7;
    flows_add(&node->daemon->slots.flows, 1, 1, "no path", &is, node->now.mono_ns);
    node->daemon->children.records_lost = UINT64_C(1) << 40;
    node->daemon->children.records_before = 3;
    node_cycle(node, 1000);
    assert_int_equal(number_at(node, MIB_dcampStepRecordsLost, NULL, NULL), UINT64_C(1) << 40);
    assert_int_equal(number_at(node, MIB_dcampStepRecordsBefore, NULL, NULL), 3);
    assert_int_equal(number_at(node, MIB_dcampStepRecordsLeftOut, NULL, NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampStepRecordsUnreported, NULL, NULL), 7);
}

/* -- Keys that have most --------------------------------------------------------------------- */

static struct place rank(uint32_t n)
{
    return (struct place){.sensor = "dishes", .instance = "", .rank = n};
}

/* Twelve keys, of which the first has 12. */
static void touch(struct node *node)
{
    for (unsigned i = 0; i < 12; i++) {
        char key[8];
        snprintf(key, sizeof key, "k%u", i);
        forged_entry(shop.forged, shop.top, i % 2, i / 2, key, 12 - i)->error = i == 11;
    }
    write_again();
    is_there(node, MIB_dcampTopKey, rank(1));
    node_cycle(node, 1000);
}

static void as_many_keys_as_are_wanted(void **state)
{
    struct node *node = *state;
    struct bind bind = {MIB_dcampTopSize, NULL, 0, NULL};
    static const int64_t sizes[] = {10, 1, 12, 100, 3};
    assert_int_equal(number_at(node, MIB_dcampTopSize, NULL, NULL), 10);
    for (size_t i = 0; i < N_OF(sizes); i++) {
        if (i > 0)
            node_set_one(node, MIB_dcampTopSize, NULL, sizes[i], NULL);
        touch(node);
        uint32_t n = sizes[i] < 12 ? (uint32_t)sizes[i] : 12;
        assert_text(node, MIB_dcampTopKey, rank(1), "k0");
        for (uint32_t r = 1; r <= n; r++) {
            assert_int_equal(number(node, MIB_dcampTopCount, rank(r)), 13 - r);
            assert_int_equal(number(node, MIB_dcampTopError, rank(r)), r == 12);
            assert_int_equal(number(node, MIB_dcampTopGuaranteed, rank(r)), TRUTH_TRUE);
        }
        assert_false(is_there(node, MIB_dcampTopKey, rank(n + 1)));
    }
    for (bind.number = -1; bind.number < 200; bind.number += 102)
        assert_int_not_equal(node_set(node, &bind, 1), SET_OK);
    assert_cell_text(node, MIB_dcampSelfSetError, NULL, NULL,
                     "dcampTopSize.0: wrongValue: it is not within 1 to 100");
    bind.number = 5;
    bind.name = "x";
    assert_int_equal(node_set(node, &bind, 1), SET_NO_CREATION);
    assert_int_equal(number_at(node, MIB_dcampTopSize, NULL, NULL), 3);
}

/* Together with a row of the configuration in one PDU, or not at all; and taken back. */
static void set_with_others(void **state)
{
    struct node *node = *state;
    struct set_transaction *transaction;
    size_t index;
    struct bind binds[] = {{MIB_dcampTopSize, NULL, 7, NULL},
                           {MIB_dcampSensorInterval, "load", 1, NULL}};
    assert_int_equal(node_set(node, binds, 2), SET_WRONG_VALUE);
    assert_int_equal(number_at(node, MIB_dcampTopSize, NULL, NULL), 10);
    struct pdu pdu = {.n = 0};
    pdu_add(&pdu, &binds[0]);
    assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index), SET_OK);
    assert_int_equal(number_at(node, MIB_dcampTopSize, NULL, NULL), 10);
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    assert_int_equal(number_at(node, MIB_dcampTopSize, NULL, NULL), 7);
    assert_true(set_commit_number(transaction) > 0); /* it is answered when it is on disk */
    assert_int_equal(set_undo(transaction, node->now), SET_OK);
    set_cleanup(transaction);
    assert_int_equal(number_at(node, MIB_dcampTopSize, NULL, NULL), 10);
}

static void kept(void **state)
{
    struct node *node = *state;
    node_set_one(node, MIB_dcampTopSize, NULL, 42, NULL);
    node_start_again(node);
    assert_int_equal(number_at(node, MIB_dcampTopSize, NULL, NULL), 42);
    node_start_again(node);
    assert_int_equal(number_at(node, MIB_dcampTopSize, NULL, NULL), 42);
}

/* -- Threads ----------------------------------------------------------------------------------- */

static struct place share(const char *sensor, const char *instance, uint32_t shard)
{
    return (struct place){.sensor = sensor, .instance = instance, .process = 4711, .shard = shard};
}

static void publish_threads(void)
{
    struct segment_shard *shards = shop.forged->header->shard;
    *forged_word(shop.forged, shop.counter, 7, 0) = 70;
    *forged_word(shop.forged, shop.counter, 8, 0) = 80;
    *forged_word(shop.forged, shop.timer, 7, SEGMENT_TIMER_COUNT) = 2;
    *forged_word(shop.forged, shop.timer, 7, SEGMENT_TIMER_NANOSECONDS) = 3000000000;
    forged_real(shop.forged, shop.gauge, 0, 0, -2.5);
    shards[7] = (struct segment_shard){.thread = 99, .epoch = 3, .sequence = 2, .name = "cook"};
    shards[8] = (struct segment_shard){.sequence = 5, .name = "changing"};
    write_again();
}

/* Only who reads the table pays for it, and what is not there is not shown. */
static void threads_of_a_program(void **state)
{
    struct node *node = *state;
    publish_threads();
    is_there(node, MIB_dcampTopKey, rank(1));
    node_cycle(node, 1000);
    assert_int_equal(directory_applications(node->daemon->applications)->threads, 0);
    assert_false(node_has(node, MIB_dcampApplicationThreadAge, NULL, NULL));
    assert_false(is_there(node, MIB_dcampApplicationThreadCount, share("orders", "north", 7)));
    node_cycle(node, 1000);
    assert_int_equal(number_at(node, MIB_dcampApplicationThreadAge, NULL, NULL), 0);
    struct place cook = share("orders", "north", 7), changing = share("orders", "north", 8);
    assert_int_equal(number(node, MIB_dcampApplicationThreadCount, cook), 70);
    assert_int_equal(number(node, MIB_dcampApplicationThreadId, cook), 99);
    assert_text(node, MIB_dcampApplicationThreadName, cook, "cook");
    assert_int_equal(number(node, MIB_dcampApplicationThreadLives, cook), TRUTH_TRUE);
    assert_int_equal(number(node, MIB_dcampApplicationThreadThreads, cook), 3);
    assert_false(is_there(node, MIB_dcampApplicationThreadTime, cook));
    assert_false(is_there(node, MIB_dcampApplicationThreadValue, cook));
    assert_int_equal(number(node, MIB_dcampApplicationThreadCount, changing), 80);
    assert_false(is_there(node, MIB_dcampApplicationThreadId, changing));
    assert_false(is_there(node, MIB_dcampApplicationThreadName, changing));
    assert_false(is_there(node, MIB_dcampApplicationThreadLives, changing));
    assert_false(is_there(node, MIB_dcampApplicationThreadThreads, changing));
    struct place paying = share("payment", "", 7), gauge = share("queue", "", 0);
    assert_int_equal(number(node, MIB_dcampApplicationThreadCount, paying), 2);
    assert_int_equal(number(node, MIB_dcampApplicationThreadTime, paying), 3000000000);
    assert_text(node, MIB_dcampApplicationThreadValue, gauge, "-2.5");
    assert_int_equal(number(node, MIB_dcampApplicationThreadLives, gauge), TRUTH_FALSE);
    assert_false(is_there(node, MIB_dcampApplicationThreadCount, gauge));
    assert_false(is_there(node, MIB_dcampApplicationThreadCount, share("orders", "north", 0)));
}

/* Those of a process that has ended are gone with it. */
static void threads_of_the_living(void **state)
{
    struct node *node = *state;
    publish_threads();
    is_there(node, MIB_dcampApplicationThreadCount, share("orders", "north", 7));
    node_cycle(node, 1000);
    assert_true(is_there(node, MIB_dcampApplicationThreadCount, share("orders", "north", 7)));
    close(shop.fd);
    node_cycle(node, 1000);
    assert_false(is_there(node, MIB_dcampApplicationThreadCount, share("orders", "north", 7)));
    assert_int_equal(directory_applications(node->daemon->applications)->threads, 0);
    shop.fd = -1;
}

/* -- Beside sensors -------------------------------------------------------------------------- */

/* Passes that are made for the tables find events as well, and none is lost to the sensors. */
static void every_event_is_counted_all_the_same(void **state)
{
    struct node *node = node_new(elements_of_events);
    *state = node;
    char instance[INSTANCE_SIZE];
    open_shop(node);
    node_cycle(node, 0);
    snprintf(instance, sizeof instance, "%.40s/shop:payment",
             owners_name(&node->daemon->slots.owners, getuid()));
    for (unsigned i = 0; i < 100; i++) {
        *forged_word(shop.forged, shop.timer, 0, SEGMENT_TIMER_COUNT) += i;
        *forged_word(shop.forged, shop.timer, 0, SEGMENT_TIMER_NANOSECONDS) += i * NS_PER_S;
        *forged_bucket(shop.forged, shop.timer, 0, false, 0) += i;
        write_again();
        is_there(node, i % 2 ? MIB_dcampApplicationProcesses : MIB_dcampTopKey,
                 i % 2 ? none : rank(1));
        node_cycle(node, 700);
    }
    assert_true(directory_applications(node->daemon->applications)->pass > 60);
    node_cycle(node, 10000);
    assert_int_equal(number_at(node, MIB_dcampValueWindowSamples, "times", instance), 99 * 100 / 2);
    assert_cell_text(node, MIB_dcampValueMean, "times", instance, "1");
}

/* Windows in the report blocks, and how many of them had slow events. */
struct windows {
    size_t n, slow, histograms;
};

static int take_window(void *context, const struct report_entry *entry)
{
    struct windows *windows = context;
    if (entry->kind != REPORT_WINDOW)
        return 0;
    windows->n++;
    windows->slow += entry->window.max > 0.9;
    windows->histograms += entry->window.histogram != NULL;
    return 0;
}

static struct windows reported(const struct node *node)
{
    struct windows windows = {.n = 0};
    for (struct index_node *i = index_first(&node->daemon->report.index); i; i = index_next(i)) {
        const struct report_block *block = (struct report_block *)i;
        struct report_header header;
        const char *why = "";
        assert_int_equal(
            report_decode(block->bytes, block->len, &header, take_window, &windows, &why), 0);
    }
    return windows;
}

static void count_times(unsigned n, uint64_t ns, int bucket)
{
    *forged_word(shop.forged, shop.timer, 0, SEGMENT_TIMER_COUNT) += n;
    *forged_word(shop.forged, shop.timer, 0, SEGMENT_TIMER_NANOSECONDS) += n * ns;
    *forged_bucket(shop.forged, shop.timer, 0, false, bucket) += n;
    write_again();
}

/* At the level threshold, the parent is told of the windows of events that a rule on windows finds
 * beyond its limit, though the sensor is due more seldom than they end. */
static void windows_of_events_that_breach(void **state)
{
    struct node *node = node_new("<sensors><sensor name=\"times\" metric=\"app.time\""
                                 " calculation=\"average\" interval=\"10s\" window=\"2s\""
                                 " level=\"threshold\"/></sensors><thresholds><threshold"
                                 " name=\"slow\" sensor=\"times\" operator=\"gt\" limit=\"0.5\""
                                 " source=\"p90\"/></thresholds>");
    *state = node;
    open_shop(node);
    node_cycle(node, 0);
    for (unsigned second = 0; second < 60; second++) {
        bool slow = second >= 19 && second < 29; /* counted a second later: five windows */
        count_times(10, slow ? NS_PER_S : 10 * NS_PER_MS, slow ? 0 : -230);
        is_there(node, MIB_dcampApplicationProcesses, none);
        node_cycle(node, 1000);
    }
    const struct windows windows = reported(node);
    assert_int_equal(windows.slow, 5);
    assert_int_equal(windows.n, 6); /* in the last one there is a value under the alarm */
    assert_int_equal(windows.histograms, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(made_while_somebody_reads),
        TEST(given_up),
        TEST(without_a_directory),
        TEST(application_and_sensors),
        TEST(as_many_keys_as_are_wanted),
        TEST(set_with_others),
        TEST(kept),
        TEST(threads_of_a_program),
        TEST(threads_of_the_living),
        TEST(records_of_children),
        cmocka_unit_test_teardown(records_of_programs, teardown),
        cmocka_unit_test_teardown(every_event_is_counted_all_the_same, teardown),
        cmocka_unit_test_teardown(windows_of_events_that_breach, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
