#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/load.h"
#include "documents.h"

static const char *const good[] = {
    "<dcamp version=\"1\"/>",
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<!-- c --><?pi x?><dcamp version='1'></dcamp>\n",
    "\xef\xbb\xbf<dcamp version=\"1\"/>",
    "<?xml version=\"1.0\" encoding=\"US-ASCII\"?><dcamp version=\"1\"/>",
    "<dcamp version=\"1\"><thresholds/><filters/><sensors/><alarms/><report/><state/><agentx/>"
    "<node/></dcamp>",
    "<dcamp version=\"1\"><node name=\"\" address=\"\"/></dcamp>",
    "<dcamp version=\"1\"><node name=\"a.b-c_9\" group=\"g\" address=\"255.0.0.1\"/></dcamp>",
    "<dcamp version=\"1\"><node parent=\"\" level=\"\"/></dcamp>",
    "<dcamp version=\"1\"><node parent=\"p\" level=\"255\"/></dcamp>",
    "<dcamp version=\"1\"><node level=\"0\"/></dcamp>",
    "<dcamp version=\"1\"><report keep=\"16\" block-bytes=\"256\"/></dcamp>",
    "<dcamp version=\"1\"><report keep=\"65536\" block-bytes=\"4096\"/></dcamp>",
    "<dcamp version=\"1\"><agentx socket=\"tcp:localhost:705\" ping=\"100ms\" timeout=\"1m\"/>"
    "</dcamp>",
    "<dcamp version=\"1\"><alarms log=\"10\" rate=\"1\" per=\"1s\" queue=\"1\"/></dcamp>",
    "<dcamp version=\"1\"><alarms log=\"10000\" rate=\"1000\" per=\"1h\" queue=\"1000\"/></dcamp>",
    "<dcamp version=\"1\"><state directory=\"/\"/></dcamp>",
    SENSORS(A_SENSOR),
    SENSORS("<sensor name=\"s\" metric=\"cpu.busy\" interval=\"100ms\"/>"
            "<sensor name=\"t\" metric=\"cpu.busy\" interval=\"1d\" filter=\"\"/>"),
    SENSORS("<sensor name=\"s\" metric=\"cpu.busy\"><!-- c --></sensor>"),
    FILTERS("<filter name=\"f\" throttle=\"7d\" heartbeat=\"7d\" deadband=\"0\" "
            "deadband-percent=\"1.5\" gate=\"ne\" gate-limit=\"-3\"/>"),
    FILTERS("<filter name=\"f\" deadband=\"\" gate=\"none\" gate-limit=\"\"/>"),
    FILTERS("<filter name=\"f\" deadband=\"+0.5\" deadband-percent=\"-0\"/>"),
    THRESHOLD("name=\"t\" sensor=\"s\" operator=\"gt\" limit=\"90\" clear=\"90\" match=\"64\" "
              "window=\"64\" duration=\"1d\" severity=\"info\" "
              "description=\"&lt;\xe2\x82\xac&gt; &quot;&amp;&#x41;\""),
    THRESHOLD("name=\"t\" sensor=\"s\" operator=\"lt\" limit=\"-0.5\" clear=\"+1\""),
};

static void loads_good(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE];
    for (size_t i = 0; i < N_OF(good); i++) {
        struct config *config = load_text(good[i], error);
        assert_string_equal(error, "");
        assert_non_null(config);
        assert_int_equal(config->serial, 1);
        config_free(config);
    }
}

/* Up to the limit, whatever it is made of, and with lines beyond the 16 bits of old libxml2. */
static void line_of_large_file(void **state)
{
    (void)state;
    enum { LINES = 100000 };
    char *text = malloc(LINES + 200), error[CONFIG_ERROR_SIZE];
    int n = sprintf(text, "<dcamp version=\"1\">");
    memset(text + n, '\n', LINES);
    strcpy(text + n + LINES, "<node\nname=\"a b\"/></dcamp>");
    assert_null(load_text(text, error));
    assert_memory_equal(error, "f.xml:100002: ", strlen("f.xml:100002: "));
    free(text);
}

/* A billion laughs, in an attribute, where entities are expanded at once. */
static void laughs(void **state)
{
    (void)state;
    char text[2048], error[CONFIG_ERROR_SIZE];
    int n = sprintf(text, "<!DOCTYPE d [<!ENTITY a \"aaaaaaaaaa\">");
    for (char c = 'b'; c < 'l'; c++) {
        n += sprintf(text + n, "<!ENTITY %c \"", c);
        for (int i = 0; i < 10; i++)
            n += sprintf(text + n, "&%c;", c - 1);
        n += sprintf(text + n, "\">");
    }
    sprintf(text + n, "]><dcamp version=\"&k;\"/>");
    assert_null(load_text(text, error));
    assert_string_equal(error, "f.xml:1: a DOCTYPE; remove it, document types and entities are not "
                               "used here");
}

static void truncated_and_changed(void **state)
{
    (void)state;
    static const char text[] =
        "<?xml version=\"1.0\"?><dcamp version=\"1\"><node name=\"n\"/><sensors><sensor name=\"s\" "
        "metric=\"cpu.busy\"/></sensors></dcamp>";
    char error[CONFIG_ERROR_SIZE], copy[sizeof text];
    for (size_t len = 0; len < sizeof text - 1; len++) {
        assert_null(config_load_memory("f.xml", text, len, error));
        assert_memory_equal(error, "f.xml:", 6);
    }
    for (size_t at = 0; at < sizeof text - 1; at++) {
        static const char others[] = {'\0', '<', '"', '&', '\xff', 'z'};
        memcpy(copy, text, sizeof text);
        copy[at] = others[at % sizeof others];
        struct config *config = config_load_memory("f.xml", copy, sizeof text - 1, error);
        assert_int_equal(config == NULL, error[0] != '\0');
        config_free(config);
    }
}

static void unreadable(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE], dir[] = "/tmp/test_config_load.XXXXXX", path[64], expected[160];
    assert_null(config_load("/nonexistent/f.xml", error));
    assert_string_equal(error, "/nonexistent/f.xml: cannot be read: No such file or directory");
    assert_non_null(mkdtemp(dir));
    assert_null(config_load(dir, error));
    snprintf(expected, sizeof expected, "%s: is a directory; it must be an ordinary file", dir);
    assert_string_equal(error, expected);
    snprintf(path, sizeof path, "%s/pipe", dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(config_load(path, error));
    snprintf(expected, sizeof expected, "%s: is a device or pipe; it must be an ordinary file",
             path);
    assert_string_equal(error, expected);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/large.xml", dir);
    FILE *file = fopen(path, "w");
    assert_int_equal(ftruncate(fileno(file), (32 << 20) + 1), 0);
    fclose(file);
    assert_null(config_load(path, error));
    snprintf(expected, sizeof expected, "%s: is too large; the most that is read is 32 MiB", path);
    assert_string_equal(error, expected);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

static void defaults(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE], host[256];
    struct config *config = load_text("<dcamp version=\"1\"/>", error);
    assert_non_null(config);
    assert_string_equal(config->node.group, "default");
    assert_string_equal(config->node.address, "");
    assert_int_equal(gethostname(host, sizeof host), 0);
    host[strcspn(host, ".")] = '\0';
    if (strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(host) &&
        strlen(host) < NAME_SIZE)
        assert_string_equal(config->node.name, host);
    assert_true(config->node.name[0]);
    assert_string_equal(config->agentx.socket, "unix:/run/agentx/master");
    assert_int_equal(config->agentx.ping_ms, 15000);
    assert_int_equal(config->agentx.timeout_ms, 5000);
    assert_int_equal(config->report.keep, 600);
    assert_int_equal(config->report.block_bytes, 1200);
    assert_string_equal(config->state_dir, "/var/lib/dcamp");
    assert_int_equal(config->alarm.log_size, 1000);
    assert_int_equal(config->alarm.rate, 10);
    assert_int_equal(config->alarm.period_ms, 10000);
    assert_int_equal(config->alarm.queue, 500);
    for (int kind = 0; kind < ROW_KINDS; kind++)
        assert_int_equal(config->rows[kind].count, 0);
    config_free(config);
}

static void everything(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE];
    struct config *config = load_text(
        "<dcamp version=\"1\"><node name=\"n\" group=\"g\" address=\"192.0.2.7\"/>"
        "<thresholds><threshold name=\"t\" sensor=\"s\" instances=\"eth*\" operator=\"le\" "
        "limit=\"1.50\" clear=\"2\" match=\"3\" window=\"5\" duration=\"90s\" "
        "severity=\"critical\" description=\"&lt;low&gt;\"/></thresholds>"
        "<sensors><sensor name=\"s\" metric=\"net.rx.bytes\" instances=\"!lo *\" "
        "calculation=\"rate\" interval=\"250ms\" filter=\"f\"/></sensors>"
        "<filters><filter name=\"f\" throttle=\"1s\" heartbeat=\"1m\" deadband=\"0.5\" "
        "deadband-percent=\"2\" gate=\"ge\" gate-limit=\"-7\"/></filters>"
        "<children><child name=\"c\" address=\"udp6:[::1]:1161\" credential=\"u\" "
        "group=\"web\" period=\"1s\"/></children><credentials><credential name=\"u\" "
        "user=\"dcamp\" auth=\"SHA-512\" priv=\"AES-256\" secrets=\"/s\"/>"
        "</credentials><objects><object name=\"o\" oid=\".1.3.6.1.2.1.31.1.1.1.6\" "
        "type=\"column\" kind=\"counter\" unit=\"B\" scale=\"8\" calculation=\"rate\" "
        "children=\"sw*\" groups=\"lan\" instances=\"eth*\" window=\"none\" filter=\"f\" "
        "label=\"1.3.6.1.2.1.31.1.1.1.1\"/></objects></dcamp>",
        error);
    assert_string_equal(error, "");
    assert_string_equal(config->node.name, "n");
    assert_string_equal(config->node.address, "192.0.2.7");
    struct sensor_row *sensor = (struct sensor_row *)config_find(config, ROW_SENSOR, "s");
    assert_non_null(sensor);
    assert_int_equal(sensor->row.status, ROW_ACTIVE);
    assert_int_equal(sensor->row.storage, STORAGE_PERMANENT);
    assert_int_not_equal(sensor->row.origin, 0);
    assert_false(sensor->row.changed);
    assert_string_equal(sensor->metric, "net.rx.bytes");
    assert_string_equal(sensor->instances, "!lo *");
    assert_int_equal(sensor->calculation, CALC_RATE);
    assert_int_equal(sensor->interval_ms, 250);
    assert_string_equal(sensor->filter, "f");
    struct filter_rule filter;
    config_filter_rule((struct filter_row *)config_find(config, ROW_FILTER, "f"), &filter);
    assert_int_equal(filter.throttle_ms, 1000);
    assert_int_equal(filter.heartbeat_ms, 60000);
    assert_true(filter.deadband == 0.5 && filter.deadband_percent == 2 && filter.gate_limit == -7);
    assert_int_equal(filter.gate, COMPARE_GE);
    struct threshold_row *row = (struct threshold_row *)config_find(config, ROW_THRESHOLD, "t");
    struct threshold_levels levels;
    config_threshold_levels(row, &levels);
    const struct threshold_rule rule = levels.rule[0];
    assert_int_equal(rule.op, COMPARE_LE);
    assert_true(rule.limit == 1.5 && rule.clear == 2);
    assert_int_equal(rule.match, 3);
    assert_int_equal(rule.window, 5);
    assert_int_equal(rule.duration_ms, 90000);
    assert_string_equal(row->limit.text, "1.50");
    assert_string_equal(row->instances, "eth*");
    assert_string_equal(row->description, "<low>");
    assert_int_equal(row->severity, SEVERITY_CRITICAL);
    struct child_row *child = (struct child_row *)config_find(config, ROW_CHILD, "c");
    assert_string_equal(child->address, "udp6:[::1]:1161");
    assert_string_equal(child->credential, "u");
    assert_string_equal(child->group, "web");
    assert_int_equal(child->period_ms, 1000);
    assert_int_equal(child->kind, CHILD_OF_DCAMP);
    struct object_row *object = (struct object_row *)config_find(config, ROW_OBJECT, "o");
    assert_string_equal(object->oid, "1.3.6.1.2.1.31.1.1.1.6");
    assert_int_equal(object->type, OBJECT_COLUMN);
    assert_int_equal(object->kind, METRIC_COUNTER);
    assert_string_equal(object->unit, "B");
    assert_true(object->scale.value == 8);
    assert_int_equal(object->calculation, CALC_RATE);
    assert_string_equal(object->children, "sw*");
    assert_string_equal(object->groups, "lan");
    assert_string_equal(object->instances, "eth*");
    assert_int_equal(object->window_ms, 0);
    assert_string_equal(object->filter, "f");
    assert_string_equal(object->label, "1.3.6.1.2.1.31.1.1.1.1");
    struct credential_row *credential =
        (struct credential_row *)config_find(config, ROW_CREDENTIAL, "u");
    assert_string_equal(credential->user, "dcamp");
    assert_int_equal(credential->auth, 2);
    assert_int_equal(credential->priv, 2);
    assert_string_equal(credential->secrets, "/s");
    config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_good), cmocka_unit_test(line_of_large_file),
        cmocka_unit_test(laughs),     cmocka_unit_test(truncated_and_changed),
        cmocka_unit_test(unreadable), cmocka_unit_test(defaults),
        cmocka_unit_test(everything),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
