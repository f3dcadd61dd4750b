#include "full.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "forged.h"
#include "polled.h"

const char full_elements[] =
    "<report keep=\"16\"/><alarms log=\"20\" rate=\"1000\" per=\"1s\" queue=\"1000\"/>\n"
    "<sensors>"
    "<sensor name=\"avail\" metric=\"mem.available\" filter=\"quiet\"/>"
    "<sensor name=\"busy\" metric=\"cpu.busy\" calculation=\"percent\"/>"
    "<sensor name=\"disk\" metric=\"disk.busy\" calculation=\"percent\"/>"
    "<sensor name=\"load\" metric=\"load.1\" filter=\"gated\"/>"
    "<sensor name=\"mem.moved\" metric=\"mem.free\" calculation=\"delta\"/>"
    "<sensor name=\"rx\" metric=\"net.rx.bytes\" instances=\"!lo *\" calculation=\"rate\"/>"
    "<sensor name=\"rx.raw\" metric=\"net.rx.bytes\" filter=\"quiet\"/>"
    "<sensor name=\"slow\" metric=\"net.rx.bytes\" calculation=\"rate\" interval=\"1d\"/>"
    "</sensors>\n<filters>"
    "<filter name=\"gated\" gate=\"gt\" gate-limit=\"0.5\"/>"
    "<filter name=\"quiet\" deadband=\"10\" heartbeat=\"60s\"/>"
    "</filters>\n<thresholds>"
    "<threshold name=\"high\" sensor=\"load\" operator=\"ge\" limit=\"0.4\"/>"
    "<threshold name=\"late\" sensor=\"load\" operator=\"ge\" limit=\"0.4\" duration=\"1h\"/>"
    "<threshold name=\"many\" sensor=\"rx.raw\" operator=\"gt\" limit=\"400\"/>"
    "<threshold name=\"never\" sensor=\"slow\" operator=\"gt\" limit=\"1\"/>"
    "<threshold name=\"was\" sensor=\"load\" operator=\"gt\" limit=\"0.5\" severity=\"critical\"/>"
    "</thresholds>\n<credentials>"
    "<credential name=\"lab\" user=\"dcamp\" secrets=\"/nowhere\"/>"
    "</credentials>\n<children>"
    "<child name=\"leaf.1\" address=\"udp:127.0.0.1:1161\" credential=\"lab\"/>"
    "<child name=\"leaf.2\" address=\"udp6:[::1]:1161\" credential=\"lab\" group=\"other\"/>"
    "</children>\n<aggregates>"
    "<aggregate name=\"load.sum\" sensor=\"load\" function=\"sum\" by=\"child\" filter=\"quiet\" "
    "interval=\"1s\"/>"
    "<aggregate name=\"load.top\" sensor=\"load\" function=\"top\" parameter=\"2\" "
    "interval=\"1s\"/>"
    "</aggregates>\n<objects>"
    "<object name=\"if.in\" oid=\"1.3.6.1.2.1.31.1.1.1.6\" filter=\"quiet\"/>"
    "<object name=\"uptime\" oid=\"1.3.6.1.2.1.1.3\" type=\"scalar\"/>"
    "</objects>\n<conditions>"
    "<condition name=\"both\" thresholds=\"*\"/>"
    "<condition name=\"either\" thresholds=\"l*\" require=\"any\" by=\"instance\"/>"
    "</conditions>\n<maintenances>"
    "<maintenance name=\"sunday\" days=\"sun\" time=\"03:00\" duration=\"1h\"/>"
    "<maintenance name=\"move\" nodes=\"nobody\" begin=\"2026-01-01T00:00:00Z\" "
    "end=\"2026-01-02T00:00:00Z\"/>"
    "</maintenances>\n<relays>"
    "<relay name=\"busy\" sensors=\"cpu.*\" filter=\"quiet\"/>"
    "<relay name=\"load\" sensors=\"load\" nodes=\"leaf.1\"/>"
    "</relays>\n<sinks>"
    "<sink name=\"broker\" kind=\"mqtt\" mode=\"async\" location=\"mqtts://b:8883/a%3Bb\" "
    "credentials=\"/etc/dcamp/broker.secret\"/>"
    "<sink name=\"history\" kind=\"sqlite\"/>"
    "</sinks>";

static void walk_network(struct node *node, uint64_t eth0, uint64_t wlan0)
{
    const struct interface interfaces[] = {{"lo", 7}, {"eth0", eth0}, {"wlan0", wlan0}};
    node_network(node, interfaces, N_OF(interfaces));
}

/* Rows that are not active, of each kind. */
static void walk_pause(struct node *node)
{
    node_set_one(node, MIB_dcampSensorRowStatus, "half", dcampSensorRowStatus_createAndWait, NULL);
    node_set_one(node, MIB_dcampFilterRowStatus, "half", dcampFilterRowStatus_createAndWait, NULL);
    node_set_one(node, MIB_dcampThresholdRowStatus, "half", dcampThresholdRowStatus_createAndWait,
                 NULL);
    node_set_one(node, MIB_dcampChildRowStatus, "half", dcampChildRowStatus_createAndWait, NULL);
    node_set_one(node, MIB_dcampAggregateRowStatus, "half", dcampAggregateRowStatus_createAndWait,
                 NULL);
    node_set_one(node, MIB_dcampSensorRowStatus, "busy", dcampSensorRowStatus_notInService, NULL);
}

/* Two alarms of a child: one as it was raised, one that somebody has acknowledged below a collector
 * that has lost its node since. */
static void walk_child_alarms(struct report_ring *ring)
{
    static const char *const texts[REPORT_ALARM_TEXTS] = {
        "leaf.7", "leaf.7:many:eth0",         "leaf.7", "many", "rx", "eth0", "1000",
        "> 400",  "many: rx on eth0 is 1000", "Ann"};
    struct report_alarm alarm = {
        .id = 1, .index = 8, .severity = SEVERITY_WARNING, .since_ms = 1700000000000};
    struct report_written written;
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++) {
        alarm.text[i].at = texts[i];
        alarm.text[i].len = strlen(texts[i]);
    }
    assert_int_equal(report_add_alarm(ring, 1700000000000, &alarm, &written), 0);
    alarm.id = 2;
    alarm.acknowledged_ms = 1700000001000;
    alarm.unconfirmed_ms = 1700000002000;
    assert_int_equal(report_add_alarm(ring, 1700000000000, &alarm, &written), 0);
    assert_int_equal(report_flush(ring), 0);
}

/* As if the load were that of a top: the keys that have most. */
static void walk_child_keys(struct report_ring *ring)
{
    struct top_key key[] = {{7, 2, "soup"}, {5, 0, "tea"}};
    const struct top_keys keys = {key, N_OF(key), 1};
    assert_int_equal(report_add_keys(ring, 1, 1700000000000, &keys), 0);
    assert_int_equal(report_flush(ring), 0);
}

/* One of the two children has answered. */
static void walk_child(struct node *node)
{
    struct children *children = &node->daemon->children;
    const struct child *child = children_find(children, "leaf.1");
    struct report_ring *ring = ring_new(5);
    ring_value(ring, 1, 0.5);
    ring_value(ring, 2, 12.25);
    walk_child_keys(ring);
    walk_child_alarms(ring);
    struct answer *answer = answer_new(child->id, 5);
    for (struct index_node *i = index_first(&ring->index); i; i = index_next(i)) {
        const struct report_block *block = (struct report_block *)i;
        answer_add(answer, block->sequence, block->bytes, block->len);
    }
    children_message(children, &answer->head.head, node->now);
    struct message_series names[] = {series_of(child, 1, "load", "total"),
                                     series_of(child, 2, "rx", "eth0")};
    for (size_t i = 0; i < N_OF(names); i++)
        children_message(children, &names[i].head, node->now);
    free(answer);
    ring_free(ring);
}

static void walk_acknowledge(struct node *node)
{
    const struct alarm *alarm = (struct alarm *)index_first(&node->daemon->alarms.active);
    assert_non_null(alarm);
    assert_true(alarm_acknowledge(&node->daemon->alarms, alarm->facts.key, "Ann", node->now));
}

static void walk_refuse(struct node *node)
{
    const struct bind bind = {MIB_dcampThresholdLimit, "nobody", 0, "5"};
    assert_int_equal(node_set(node, &bind, 1), SET_INCONSISTENT_NAME);
}

/* As its director says of the root, and of a node that has never answered. */
static void walk_tree(struct node *node)
{
    const struct tree_message_row rows[] = {{.name = "lap",
                                             .address = "udp:127.0.0.1:161",
                                             .role = SHARE_ROOT,
                                             .group = "default",
                                             .state = TREE_UP,
                                             .found = TREE_LISTED,
                                             .heard_ns = node->now.mono_ns,
                                             .term = 1,
                                             .version = PACKAGE_VERSION},
                                            {.name = "leaf.1",
                                             .address = "udp:127.0.0.1:1161",
                                             .state = TREE_UNREACHABLE,
                                             .found = TREE_ANNOUNCED,
                                             .error = "no answer"}};
    for (size_t i = 0; i < N_OF(rows); i++)
        assert_int_equal(tree_view_put(&node->daemon->tree, &rows[i]), 0);
}

static struct parcel *parcel_from(const char *octets, size_t len)
{
    struct parcel *parcel = parcel_of((const uint8_t *)octets, len);
    assert_non_null(parcel);
    return parcel;
}

/* As its process has said, of one that has none any more. */
static void walk_sinks(struct node *node)
{
    uint32_t key[NAME_SIZE];
    struct outlet_sink_row *sink = (struct outlet_sink_row *)index_find(
        &node->daemon->outlet.sinks, key, index_key_text(key, "broker"));
    assert_non_null(sink);
    sink->state.state = OUTLET_SINK_FAILING;
    text_format(sink->state.error, sizeof sink->state.error, "connection refused");
    sink->state.blocks = 7;
    sink->state.values = UINT64_C(5000000000);
    sink->state.dropped = 3;
    sink->state.nameless = 2;
    sink->state.waiting = UINT64_C(1) << 40;
    sink->since_ns = node->daemon->started.mono_ns + 2 * NS_PER_S;
    sink->lost = 4;
    sink->confirmed_ms = node->now.wall_ms - 1500;
}

/* As a candidate, of which the director says nothing here: two documents, one of two parts. */
static void walk_documents(struct node *node)
{
    static const char octets[1500] = "the one that is in force";
    struct ordered *tree = documents_of(&node->daemon->documents, DOCUMENT_TREE);
    tree->in_force = parcel_from(octets, sizeof octets);
    tree->previous = parcel_from("the one before", 14);
    tree->serial = 2;
    tree->previous_serial = 1;
}

/* Two programs that publish until these are closed; their tables are read. */
static void walk_applications(struct node *node, int fd[2])
{
    for (int i = 0; i < 2; i++) {
        char file[PATH_MAX];
        struct forged *forged = forged_new(i ? "shop" : "bar");
        const struct segment_descriptor *top =
            forged_sensor(forged, SEGMENT_TOP, "dishes", "", "dishes");
        const struct segment_descriptor *gauge =
            forged_sensor(forged, SEGMENT_GAUGE, "queue", "north", "jobs");
        const struct segment_descriptor *timer =
            forged_sensor(forged, SEGMENT_TIMER, "payment", "card", "s");
        forged_entry(forged, top, 0, 0, "soup", 5);
        forged_real(forged, gauge, 0, SEGMENT_GAUGE_VALUE, 7);
        *forged_word(forged, timer, 1, SEGMENT_TIMER_COUNT) = 2;
        *forged_word(forged, timer, 1, SEGMENT_TIMER_NANOSECONDS) = 3000;
        text_format(file, sizeof file, "%s/%d.1", node->apps_dir, i + 1);
        fd[i] = forged_publish(forged, file, true);
        forged_free(forged);
    }
    for (int kind = 0; kind < LISTINGS; kind++)
        listed_ask(&node->daemon->listed, (enum listing_kind)kind);
}

int full_setup(void **state)
{
    struct node *node = node_new(full_elements);
    int fd[2];
    *state = node;
    node->daemon->config->node.level = 1; /* as the file may say */
    node_process(node, 1, "init");
    node_process(node, 42, "a b/c");
    node_process(node, 4242, "init");
    node_load(node, "0.90");
    walk_network(node, 1000, 100);
    ranked_ask(&node->daemon->ranked);
    node_cycle(node, 0);
    node->daemon->ranked.due_ns = 0; /* however long the first look took on a busy machine */
    walk_child(node);
    node_load(node, "0.42");
    walk_network(node, 2000, UINT64_MAX - 250);
    node_cycle(node, 1000);
    walk_network(node, 500, UINT64_MAX);
    tree_write(&node->tree, "/proc/meminfo", "MemTotal: 16284412 kB\nMemFree: 0 kB\n");
    tree_write(&node->tree, "/proc/diskstats", "");
    walk_pause(node);
    walk_acknowledge(node);
    walk_refuse(node);
    walk_tree(node);
    walk_applications(node, fd);
    node_cycle(node, 1000);
    node_wait(node);
    close(fd[0]);
    close(fd[1]);
    walk_documents(node);
    walk_sinks(node);
    return 0;
}
