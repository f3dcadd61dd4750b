/* publish/kafka: locations, keys and times of messages, cursors as messages. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "publish/kafka/message.h"
#include "publish/kafka/target.h"
#include "unit.h"

/* -- Locations ------------------------------------------------------------------------------- */

static int read_target(struct target *target, const char *location, const char *credentials,
                       char error[SINK_ERROR_SIZE])
{
    struct outlet_sink settings = {.name = "sink"};
    snprintf(settings.location, sizeof settings.location, "%s", location);
    snprintf(settings.credentials, sizeof settings.credentials, "%s", credentials);
    error[0] = '\0';
    return target_read(target, &settings, error);
}

static void what_is_not_said_has_defaults(void **state)
{
    struct target target;
    char error[SINK_ERROR_SIZE];
    (void)state;
    assert_int_equal(read_target(&target, "kafka://h", "", error), 0);
    assert_string_equal(target.servers, "h:9092");
    assert_string_equal(target.topic, "dcamp");
    assert_string_equal(target.cursors, "dcamp-positions");
    assert_string_equal(target.authority, "");
    assert_string_equal(target.compression, "lz4");
    assert_false(target.has_tls);
    assert_int_equal(target.patience_s, 10);
    const char *name = strrchr(target.identity, '/');
    assert_non_null(name);
    assert_string_equal(name, "/sink");
}

static void each_server_has_its_port(void **state)
{
    struct target target;
    char error[SINK_ERROR_SIZE];
    (void)state;
    assert_int_equal(read_target(&target, "kafka://a:1,b,[::1]:65535,[fe80::2]/t", "", error), 0);
    assert_string_equal(target.servers, "a:1,b:9092,[::1]:65535,[fe80::2]:9092");
    assert_int_equal(read_target(&target, "kafkas://a,b:2/t", "", error), 0);
    assert_string_equal(target.servers, "a:9093,b:2");
    assert_true(target.has_tls);
}

static void as_many_servers_as_there_is_room(void **state)
{
    struct target target;
    char error[SINK_ERROR_SIZE], location[OUTLET_TEXT_SIZE] = "kafka://a";
    (void)state;
    while (strlen(location) + 3 < sizeof location)
        strcat(location, ",a");
    assert_int_equal(read_target(&target, location, "", error), 0);
    size_t n = (strlen(location) - strlen("kafka://") + 1) / 2;
    assert_int_equal(strlen(target.servers), n * strlen("a:9092,") - 1);
}

static void options_are_read(void **state)
{
    struct target target;
    char error[SINK_ERROR_SIZE];
    (void)state;
    assert_int_equal(read_target(&target,
                                 "kafkas://h/t?client=me&positions=p&sasl=SCRAM-SHA-256&ca=/x&"
                                 "compression=zstd&timeout=50",
                                 "/c", error),
                     0);
    assert_string_equal(target.identity, "me");
    assert_string_equal(target.cursors, "p");
    assert_string_equal(target.mechanism, "SCRAM-SHA-256");
    assert_string_equal(target.authority, "/x");
    assert_string_equal(target.compression, "zstd");
    assert_string_equal(target.credentials, "/c");
    assert_int_equal(target.patience_s, 50);
}

/* Nobody's password goes in the clear unless somebody has asked for that. */
static void a_password_is_not_shown_by_default(void **state)
{
    struct target target;
    char error[SINK_ERROR_SIZE];
    (void)state;
    assert_int_equal(read_target(&target, "kafka://h/t", "/c", error), 0);
    assert_string_equal(target.mechanism, "SCRAM-SHA-512");
    assert_int_equal(read_target(&target, "kafkas://h/t", "/c", error), 0);
    assert_string_equal(target.mechanism, "PLAIN");
    assert_int_equal(read_target(&target, "kafka://h/t?sasl=PLAIN", "/c", error), 0);
    assert_string_equal(target.mechanism, "PLAIN");
}

static void wrong_locations_are_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"http://h/t", "expected kafka://"},
        {"kafka:h/t", "expected SCHEME://"},
        {"kafka:///t", "there is no host"},
        {"kafka://u:p@h/t", "a user or a password does not belong there"},
        {"kafka://h:0/t", "expected HOST or HOST:PORT"},
        {"kafka://h:65536/t", "expected HOST or HOST:PORT"},
        {"kafka://h,/t", "expected HOST or HOST:PORT"},
        {"kafka://,h/t", "expected HOST or HOST:PORT"},
        {"kafka://h h/t", "expected HOST or HOST:PORT"},
        {"kafka://[::1/t", "expected HOST or HOST:PORT"},
        {"kafka://h/a/b", "a topic is"},
        {"kafka://h/a%0Ab", "a topic is"},
        {"kafka://h/..", "a topic is"},
        {"kafka://h/t?positions=a%20b", "a topic is"},
        {"kafka://h/t?positions=t", "not the topic of the values"},
        {"kafka://h/t?timeout=1", "timeout: expected a number"},
        {"kafka://h/t?compression=best", "compression: not best"},
        {"kafka://h/t?sasl=PLAIN", "sasl: only with a file of credentials"},
        {"kafka://h/t?ca=/x", "ca: only with kafkas://"},
        {"kafka://h/t?acks=0", "there is no option acks"},
    };
    struct target target;
    char error[SINK_ERROR_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(read_target(&target, wrong[i][0], "", error), EINVAL);
        if (!strstr(error, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], error);
    }
    assert_int_equal(read_target(&target, "kafkas://h/t?sasl=GSSAPI", "/c", error), EINVAL);
    assert_non_null(strstr(error, "sasl: not GSSAPI"));
}

static void topics_are_those_of_kafka(void **state)
{
    char name[300];
    (void)state;
    memset(name, 'a', sizeof name);
    name[249] = '\0';
    assert_true(target_is_topic(name));
    name[249] = 'a';
    name[250] = '\0';
    assert_false(target_is_topic(name));
    assert_true(target_is_topic("A.b_c-9"));
    assert_true(target_is_topic("..."));
    assert_false(target_is_topic(""));
    assert_false(target_is_topic("."));
    assert_false(target_is_topic("\xc3\xa4"));
}

/* -- Messages -------------------------------------------------------------------------------- */

static void check_key(const struct line *line, const char *expected)
{
    struct octets key = {0};
    message_add_key(&key, line);
    assert_false(key.failed);
    assert_int_equal(key.len, strlen(expected));
    assert_memory_equal(key.at, expected, key.len);
    octets_release(&key);
}

static void a_key_is_that_of_a_series(void **state)
{
    struct line line = {.kind = LINE_VALUE, .words = {"cpu", "a b/c", "m", "u"}};
    (void)state;
    snprintf(line.node, sizeof line.node, "%s", "collector1/node7");
    check_key(&line, "collector1%2Fnode7/cpu/a%20b%2Fc");
    line.kind = LINE_WINDOW;
    check_key(&line, "collector1%2Fnode7/cpu/a%20b%2Fc");
    line.words.sensor = "$alarm";
    check_key(&line, "collector1%2Fnode7/%24alarm/a%20b%2Fc");
    line.kind = LINE_ALARM;
    line.alarm_id = 7;
    check_key(&line, "collector1%2Fnode7/$alarm/7");
    line.kind = LINE_ALARM_CLEARED;
    check_key(&line, "collector1%2Fnode7/$alarm/7");
}

static void times_that_are_refused_are_the_present(void **state)
{
    const int64_t now = INT64_C(1795737598000);
    (void)state;
    assert_int_equal(message_time(now - 1, now), now - 1);
    assert_int_equal(message_time(1, now), 1);
    assert_int_equal(message_time(0, now), now);
    assert_int_equal(message_time(-5, now), now);
    assert_int_equal(message_time(now + MESSAGE_AHEAD_MS, now), now + MESSAGE_AHEAD_MS);
    assert_int_equal(message_time(now + MESSAGE_AHEAD_MS + 1, now), now);
}

/* -- Cursors --------------------------------------------------------------------------------- */

static void check_cursor(const struct sink_stream *stream, const char *identity)
{
    struct octets key = {0};
    struct message_cursor cursor;
    message_add_cursor_key(&key, identity, stream);
    assert_true(message_read_cursor_key(&cursor, identity, key.at, key.len));
    assert_int_equal(cursor.stream.boot, stream->boot);
    assert_string_equal(cursor.stream.path, stream->path);
    assert_int_equal(cursor.stream.engine_id_len, stream->engine_id_len);
    if (stream->engine_id_len > 0)
        assert_memory_equal(cursor.stream.engine_id, stream->engine_id, stream->engine_id_len);
    assert_false(message_read_cursor_key(&cursor, "another", key.at, key.len));
    for (size_t len = 0; len + 1 < key.len; len++)
        if (message_read_cursor_key(&cursor, identity, key.at, len))
            assert_int_not_equal(cursor.stream.boot, stream->boot);
    octets_release(&key);
}

static void cursors_come_out_exactly(void **state)
{
    uint8_t engine[ENGINE_ID_MAX];
    char path[ALARM_PATH_SIZE];
    struct sink_stream stream = {.boot = UINT32_MAX, .path = "", .engine_id = engine};
    (void)state;
    for (size_t i = 0; i < sizeof engine; i++)
        engine[i] = (uint8_t)(i * 37);
    for (size_t i = 0; i + 1 < sizeof path; i++)
        path[i] = (char)(1 + i * 2);
    path[sizeof path - 1] = '\0';
    check_cursor(&stream, "host/sink");
    stream.path = path;
    stream.engine_id_len = sizeof engine;
    check_cursor(&stream, "a name with blanks % and \xff");
    stream.path = "a/b";
    stream.boot = 0;
    check_cursor(&stream, "x");
}

static void golden_text(void **state)
{
    static const uint8_t engine[] = {0x80, 0x00, 0x0f};
    const struct sink_stream stream = {
        .boot = 17, .path = "a/b c", .engine_id = engine, .engine_id_len = 3};
    static const char expected[] = "h%2Fs a%2Fb%20c 80000f 17";
    struct octets key = {0};
    (void)state;
    message_add_cursor_key(&key, "h/s", &stream);
    assert_int_equal(key.len, strlen(expected));
    assert_memory_equal(key.at, expected, key.len);
    octets_release(&key);
}

static void what_is_no_cursor_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",         "x",         "x p 80",     "x p 80 1 ",    "x p 80 1 2", "x p 8 1",
        "x p 8G 1", "x p 8A 1",  "x p 80 ",    "x p 80 -1",    "x p 80 1a",  "x p 80 4294967296",
        "x % 80 1", "x %4 80 1", "x %4g 80 1", "x a%00b 80 1", " p 80 1",    "xx p 80 1",
    };
    struct message_cursor cursor;
    char path[ALARM_PATH_SIZE + 32], engine[2 * ENGINE_ID_MAX + 32];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (message_read_cursor_key(&cursor, "x", wrong[i], strlen(wrong[i])))
            fail_msg("%s", wrong[i]);
    snprintf(path, sizeof path, "x %0*d 80 1", ALARM_PATH_SIZE, 0);
    assert_false(message_read_cursor_key(&cursor, "x", path, strlen(path)));
    snprintf(engine, sizeof engine, "x p %0*d 1", 2 * ENGINE_ID_MAX + 2, 0);
    assert_false(message_read_cursor_key(&cursor, "x", engine, strlen(engine)));
    assert_false(message_read_cursor_key(&cursor, "x", "x \0 80 1", 8));
}

static void numbers_are_of_32_bits(void **state)
{
    uint32_t next;
    (void)state;
    assert_true(message_read_next(&next, "4294967295", 10));
    assert_int_equal(next, UINT32_MAX);
    assert_true(message_read_next(&next, "0", 1));
    assert_int_equal(next, 0);
    assert_false(message_read_next(&next, "", 0));
    assert_false(message_read_next(&next, "4294967296", 10));
    assert_false(message_read_next(&next, "00000000001", 11));
    assert_false(message_read_next(&next, "1 ", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_said_has_defaults),
        cmocka_unit_test(each_server_has_its_port),
        cmocka_unit_test(as_many_servers_as_there_is_room),
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(a_password_is_not_shown_by_default),
        cmocka_unit_test(wrong_locations_are_refused),
        cmocka_unit_test(topics_are_those_of_kafka),
        cmocka_unit_test(a_key_is_that_of_a_series),
        cmocka_unit_test(times_that_are_refused_are_the_present),
        cmocka_unit_test(cursors_come_out_exactly),
        cmocka_unit_test(golden_text),
        cmocka_unit_test(what_is_no_cursor_is_refused),
        cmocka_unit_test(numbers_are_of_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
