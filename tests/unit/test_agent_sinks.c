/* dcampSinkTable: the sinks of the configuration, and what their processes have said. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/tables.h"
#include "base/text.h"

#include "manager.h"
#include "unit.h"

static const char elements[] =
    "<sinks><sink name=\"broker\" kind=\"mqtt\" mode=\"async\" location=\"mqtts://b:8883/a%3Bb\" "
    "credentials=\"/etc/dcamp/broker.secret\" sensors=\"cpu.* !*\" queue=\"64k\" limit=\"none\" "
    "rotate=\"none\" raw=\"1h\" minutes=\"36h\" hours=\"3650d\"/>"
    "<sink name=\"history\" kind=\"sqlite\"/></sinks>";

static int node_setup(void **state)
{
    *state = node_new(elements);
    node_cycle(*state, 0);
    return 0;
}

static struct outlet_sink_row *sink_of(struct node *node, const char *name)
{
    uint32_t key[NAME_SIZE];
    size_t len = index_key_text(key, name);
    return (struct outlet_sink_row *)index_find(&node->daemon->outlet.sinks, key, len);
}

static int64_t number(struct node *node, enum mib_object object)
{
    return number_at(node, object, "broker", NULL);
}

/* All that a row says reaches who starts the processes. */
static void settings(void **state)
{
    struct node *node = *state;
    const struct outlet_sink *broker = &sink_of(node, "broker")->settings,
                             *history = &sink_of(node, "history")->settings;
    assert_string_equal(broker->name, "broker");
    assert_string_equal(broker->kind, "mqtt");
    assert_int_equal(broker->mode, OUTLET_ASYNC);
    assert_string_equal(broker->location, "mqtts://b:8883/a%3Bb");
    assert_string_equal(broker->credentials, "/etc/dcamp/broker.secret");
    assert_string_equal(broker->sensors, "cpu.* !*");
    assert_int_equal(broker->queue, 65536);
    assert_int_equal(broker->limit, 0);
    assert_int_equal(broker->rotate, 0);
    assert_int_equal(broker->raw_s, 3600);
    assert_int_equal(broker->minutes_s, 36 * 3600);
    assert_int_equal(broker->hours_s, 3650 * 86400);
    assert_string_equal(history->kind, "sqlite");
    assert_int_equal(history->mode, OUTLET_SYNC);
    assert_string_equal(history->location, "");
    assert_string_equal(history->sensors, "*");
    assert_int_equal(history->queue, 16 << 20);
    assert_int_equal(history->limit, 1 << 30);
    assert_int_equal(history->rotate, 64 << 20);
    assert_int_equal(history->raw_s, 2 * 86400);
    assert_int_equal(history->minutes_s, 60 * 86400);
    assert_int_equal(history->hours_s, 730 * 86400);
}

static void nobody_works(void **state)
{
    struct node *node = *state;
    assert_int_equal(node_count(node, &table_sink), 2);
    assert_cell_text(node, MIB_dcampSinkKind, "broker", NULL, "mqtt");
    assert_cell_text(node, MIB_dcampSinkLocation, "broker", NULL, "mqtts://b:8883/a%3Bb");
    assert_cell_text(node, MIB_dcampSinkLocation, "history", NULL, "");
    assert_int_equal(number(node, MIB_dcampSinkMode), dcampSinkMode_async);
    assert_int_equal(number(node, MIB_dcampSinkState), dcampSinkState_absent);
    assert_cell_text(node, MIB_dcampSinkError, "broker", NULL,
                     "no process of dcamp-publish works for it");
    assert_int_equal(number(node, MIB_dcampSinkBlocks), 0);
    assert_false(node_has(node, MIB_dcampSinkConfirmed, "broker", NULL));
    assert_false(node_has(node, MIB_dcampSinkDelay, "broker", NULL));
    assert_false(node_has(node, MIB_dcampSinkSince, "broker", NULL));
}

static void what_a_process_says(void **state)
{
    struct node *node = *state;
    struct outlet_sink_row *sink = sink_of(node, "broker");
    struct mib_value value;
    sink->state = (struct outlet_state){.state = OUTLET_SINK_FAILING,
                                        .error = "connection refused",
                                        .blocks = 7,
                                        .values = UINT64_C(5000000000),
                                        .dropped = 3,
                                        .nameless = 2,
                                        .waiting = UINT64_C(1) << 40};
    sink->lost = 4;
    sink->since_ns = node->daemon->started.mono_ns + 20 * NS_PER_MS;
    sink->confirmed_ms = node->now.wall_ms - 1500;
    assert_int_equal(number(node, MIB_dcampSinkState), dcampSinkState_failing);
    assert_cell_text(node, MIB_dcampSinkError, "broker", NULL, "connection refused");
    assert_int_equal(number(node, MIB_dcampSinkBlocks), 7);
    assert_true(number(node, MIB_dcampSinkValues) == INT64_C(5000000000));
    assert_int_equal(number(node, MIB_dcampSinkDropped), 3);
    assert_int_equal(number(node, MIB_dcampSinkLost), 4);
    assert_int_equal(number(node, MIB_dcampSinkNameless), 2);
    assert_int_equal(number(node, MIB_dcampSinkWaiting), UINT32_MAX);
    assert_int_equal(number(node, MIB_dcampSinkDelay), 1500);
    assert_int_equal(number(node, MIB_dcampSinkSince), 2);
    struct mib_oid confirmed = cell_of(MIB_dcampSinkConfirmed, "broker", NULL);
    assert_int_equal(node_get(node, &confirmed, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, 11);
    sink->state.state = OUTLET_SINK_ABSENT; /* what it said last stays */
    assert_cell_text(node, MIB_dcampSinkError, "broker", NULL, "connection refused");
    sink->confirmed_ms = node->now.wall_ms + 1; /* by a clock that is ahead */
    assert_int_equal(number(node, MIB_dcampSinkDelay), 0);
    sink->confirmed_ms = 1;
    assert_int_equal(number(node, MIB_dcampSinkDelay), UINT32_MAX);
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    text_format(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void say(int fd, const struct message *message)
{
    uint8_t packet[8192];
    size_t used = 0;
    message_put(packet, &used, message);
    assert_int_equal(send(fd, packet, used, 0), used);
}

/* A process begins to work for it, says how it is, and goes. */
static void a_process(void **state)
{
    struct node *node = *state;
    char path[PATH_MAX];
    struct outlet_hello hello = {
        .head = {OUTLET_HELLO, sizeof hello}, .version = OUTLET_VERSION, .sink = "broker"};
    struct message begin = {OUTLET_BEGIN, sizeof begin};
    struct outlet_state how = {.head = {OUTLET_STATE, sizeof how},
                               .state = OUTLET_SINK_FAILING,
                               .error = "connection refused",
                               .blocks = 7};
    text_format(path, sizeof path, "%s/publish", node->state_dir);
    assert_int_equal(outlet_listen(&node->daemon->outlet, path, 1, "lap", "", node->now.mono_ns),
                     0);
    int fd = connect_to(path);
    say(fd, &hello.head);
    node->daemon->outlet.is_ready = true;
    node_cycle(node, 1000);
    assert_int_equal(number(node, MIB_dcampSinkState),
                     dcampSinkState_absent); /* it has not said yet */
    assert_cell_text(node, MIB_dcampSinkError, "broker", NULL,
                     "its process has not said yet how it goes");
    assert_int_equal(number(node, MIB_dcampSinkSince),
                     (node->now.mono_ns - node->daemon->started.mono_ns) / 10 / NS_PER_MS);
    assert_false(node_has(node, MIB_dcampSinkSince, "history", NULL));
    say(fd, &begin);
    say(fd, &how.head);
    node->daemon->outlet.is_ready = true;
    node_cycle(node, 1000);
    assert_int_equal(number(node, MIB_dcampSinkState), dcampSinkState_failing);
    assert_cell_text(node, MIB_dcampSinkError, "broker", NULL, "connection refused");
    assert_int_equal(number(node, MIB_dcampSinkBlocks), 7);
    close(fd);
    node->daemon->outlet.is_ready = true;
    node_cycle(node, 1000);
    assert_int_equal(number(node, MIB_dcampSinkState), dcampSinkState_absent);
    assert_int_equal(number(node, MIB_dcampSinkBlocks), 7);
    unlink(path);
}

/* A sink whose row is as before goes on; of one that has changed its process is sent away. */
static void reload(void **state)
{
    char error[1024];
    struct node *node = *state;
    sink_of(node, "broker")->lost = 1;
    sink_of(node, "history")->lost = 2;
    sink_of(node, "history")->state.state = OUTLET_SINK_UP;
    node_configure(node, "lap",
                   "<sinks><sink name=\"history\" kind=\"sqlite\"/>"
                   "<sink name=\"log\" kind=\"csv\"/></sinks>");
    assert_true(dcampd_reload(node->daemon, error));
    node_cycle(node, 1000);
    assert_null(sink_of(node, "broker"));
    assert_int_equal(sink_of(node, "history")->lost, 2);
    assert_int_equal(sink_of(node, "history")->state.state, OUTLET_SINK_UP);
    assert_int_equal(sink_of(node, "log")->lost, 0);
    node_configure(node, "lap",
                   "<sinks><sink name=\"history\" kind=\"sqlite\" raw=\"1d\"/></sinks>");
    assert_true(dcampd_reload(node->daemon, error));
    node_cycle(node, 1000);
    assert_int_equal(node_count(node, &table_sink), 1);
    assert_int_equal(sink_of(node, "history")->settings.raw_s, 86400);
    assert_int_equal(sink_of(node, "history")->state.state, OUTLET_SINK_ABSENT);
    node_configure(node, "lap", "");
    assert_true(dcampd_reload(node->daemon, error));
    node_cycle(node, 1000);
    assert_int_equal(node_count(node, &table_sink), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(settings),  node_test(nobody_works), node_test(what_a_process_says),
        node_test(a_process), node_test(reload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
