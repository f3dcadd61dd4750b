#include <stdlib.h>
#include <string.h>

#include "trapd-handlers/stream.h"

#include "traps.h"
#include "unit.h"

#define MARK "DCAMP-TRAP 1 1795295045 UDP: [192.0.2.7]:40000->[192.0.2.1]:162\n"
#define COLUMN ".1.3.6.1.4.1.32473.1.1.10.1.1."
#define FIRST MARK ".1.3 1\n.1.4 \"61 62 \n63 \"\n"
#define SECOND MARK ".1.5 2\n"

static void add(struct stream *stream, const char *text, size_t len)
{
    char *room = stream_room(stream, len);
    assert_non_null(room);
    memcpy(room, text, len);
    stream_added(stream, len);
}

static void expect(struct stream *stream, bool end, const char *expected)
{
    const char *record;
    size_t len;
    if (!expected) {
        assert_false(stream_next(stream, end, &record, &len));
        return;
    }
    assert_true(stream_next(stream, end, &record, &len));
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(record, expected, len);
}

/* However the octets come in, the records are the same. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    static const char text[] =
        "NET-SNMP version 5.9.3\n\n" FIRST "\n\n2026 noise\n" SECOND SECOND "\nlast noise";
    for (size_t step = 1; step < sizeof text; step++) {
        struct stream stream = {0};
        const char *expected[] = {FIRST, SECOND, SECOND};
        size_t found = 0;
        for (size_t at = 0; at < sizeof text - 1; at += step) {
            const char *record;
            size_t len;
            add(&stream, text + at, sizeof text - 1 - at < step ? sizeof text - 1 - at : step);
            while (stream_next(&stream, false, &record, &len)) {
                assert_true(found < 3);
                assert_int_equal(len, strlen(expected[found]));
                assert_memory_equal(record, expected[found++], len);
            }
        }
        assert_int_equal(found, 3);
        expect(&stream, true, NULL);
        assert_int_equal(stream.strays, 3);
        stream_release(&stream);
    }
}

static void test_end_of_stream(void **state)
{
    (void)state;
    struct stream stream = {0};
    add(&stream, FIRST, strlen(FIRST));
    expect(&stream, false, NULL);
    expect(&stream, true, FIRST);
    expect(&stream, true, NULL);
    stream_release(&stream);
}

static void test_too_long(void **state)
{
    (void)state;
    struct stream stream = {0};
    char *text = malloc(STREAM_RECORD_MAX + 10);
    memset(text, 'x', STREAM_RECORD_MAX + 10);
    add(&stream, MARK, strlen(MARK));
    add(&stream, text, STREAM_RECORD_MAX + 10);
    expect(&stream, false, NULL);
    assert_int_equal(stream.oversized, 1);
    add(&stream, "\n\n" SECOND "\n", strlen(SECOND) + 3);
    expect(&stream, false, SECOND);
    /* A line without end that is in no record. */
    add(&stream, text, STREAM_RECORD_MAX + 10);
    expect(&stream, false, NULL);
    assert_true(stream.len == stream.start);
    free(text);
    stream_release(&stream);
}

static void test_first_line(void **state)
{
    (void)state;
    struct stream_record record;
    assert_true(stream_open_record(FIRST, strlen(FIRST), &record));
    assert_int_equal(record.received_ms, 1795295045000);
    assert_memory_equal(record.source, "UDP: [192.0.2.7]", 16);
    assert_int_equal(record.varbinds_len, strlen(FIRST) - strlen(MARK));
    static const char *const bad[] = {"",
                                      "DCAMP-TRAP 1",
                                      "DCAMP-TRAP 1 ",
                                      "DCAMP-TRAP 1 x y\n",
                                      "DCAMP-TRAP 1 12\n",
                                      "DCAMP-TRAP 2 12 x\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(stream_open_record(bad[i], strlen(bad[i]), &record));
}

/* What snmptrapd prints with stream_configuration. */
static void test_record_to_trap(void **state)
{
    (void)state;
    static const char text[] =
        MARK ".1.3.6.1.2.1.1.3.0 93764\n"
             ".1.3.6.1.6.3.1.1.4.1.0 .1.3.6.1.4.1.32473.1.0.1\n" COLUMN
             "2.5 \"6B 3A 72 3A 69 \"\n" COLUMN "3.5 \"6E 31 \"\n" COLUMN "4.5 \"\"\n" COLUMN
             "5.5 \"35 \"\n" COLUMN "6.5 \"3E 20 34 \"\n" COLUMN "7.5 \"77 \"\n" COLUMN
             "8.5 warning\n" COLUMN "9.5 7\n" COLUMN
             "10.5 \"07 EA 0B 15 15 04 01 00 2B 00 00 \"\n" COLUMN "11.5 0\n" COLUMN
             "12.5 \"61 0A 44 43 41 4D 50 2D 54 52 41 50 20 31 20 31 20 78 \"\n" COLUMN
             "14.5 \"72 \"\n" COLUMN "13.5 \"2F \"\n" COLUMN "18.5 repeated\n"
             ".1.3.6.1.6.3.18.1.3.0 10.1.2.3\n";
    struct trap trap;
    char error[TRAP_ERROR_SIZE];
    assert_int_equal(trap_parse_record(&trap, text, sizeof text - 1, error), TRAP_TAKEN);
    assert_string_equal(trap.text[TRAP_MESSAGE], "a\nDCAMP-TRAP 1 1 x");
    assert_string_equal(trap.text[TRAP_KEY], "k:r:i");
    assert_string_equal(trap_rule(&trap), "r");
    assert_string_equal(trap.text[TRAP_INSTANCE], "/");
    assert_string_equal(trap_happened_name(trap.happened), "repeated");
    assert_int_equal(trap.received_ms, 1795295045000);
    assert_int_equal(trap.severity, 3);
    assert_string_equal(trap.address, "10.1.2.3");
}

static void test_strings_that_are_not_hexadecimal(void **state)
{
    (void)state;
    static const char text[] =
        MARK ".1.3.6.1.6.3.1.1.4.1.0 .1.3.6.1.4.1.32473.1.0.1\n" COLUMN "2.5 \"plain\"\n";
    struct trap trap;
    char error[TRAP_ERROR_SIZE];
    assert_int_equal(trap_parse_record(&trap, text, sizeof text - 1, error), TRAP_BAD);
    assert_string_equal(error, "dcampAlarmKey is not in hexadecimal; see dcamp-trap "
                               "--print-snmptrapd-conf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_end_of_stream),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_first_line),
        cmocka_unit_test(test_record_to_trap),
        cmocka_unit_test(test_strings_that_are_not_hexadecimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
