#include <string.h>

#include "cli/answer.h"

#include "unit.h"

#define ROWS 4

static netsnmp_pdu *pdu;

static void begin(void)
{
    if (pdu)
        snmp_free_pdu(pdu);
    pdu = snmp_pdu_create(SNMP_MSG_RESPONSE);
    assert_non_null(pdu);
}

static int end(void **state)
{
    (void)state;
    if (pdu)
        snmp_free_pdu(pdu);
    pdu = NULL;
    return 0;
}

/* A cell as an agent sends it, with more sub-identifiers behind its name. */
static void put(const struct cell *cell, size_t more, u_char type, const void *value, size_t len)
{
    oid name[MAX_OID_LEN] = {0};
    for (size_t i = 0; i < cell->len; i++)
        name[i] = cell->oid[i];
    assert_non_null(snmp_pdu_add_variable(pdu, name, cell->len + more, type, value, len));
}

static void put_text(const struct cell *cell, const char *text)
{
    put(cell, 0, ASN_OCTET_STR, text, strlen(text));
}

static void put_number(const struct cell *cell, u_char type, long number)
{
    put(cell, 0, type, &number, sizeof number);
}

static struct cell text_cell(const char *sensor)
{
    struct cell cell;
    cell_start(&cell, MIB_dcampValueText);
    if (sensor)
        cell_add_text(&cell, sensor);
    return cell;
}

/* Where more may come than is text. */
static void octets_with_room(void **state)
{
    (void)state;
    uint8_t room[300];
    char long_text[302];
    memset(long_text, 'x', 301);
    for (size_t len = 299; len <= 301; len++) {
        struct cell cell = text_cell("a");
        long_text[len] = '\0';
        memset(room, 0, sizeof room);
        begin();
        put_text(&cell, long_text);
        cell.room = room;
        cell.room_size = sizeof room;
        assert_true(answer_get(pdu, &cell, 1));
        assert_int_equal(cell.kind, len <= sizeof room ? CELL_TEXT : CELL_MISSING);
        assert_int_equal(room[0], len <= sizeof room ? 'x' : 0);
        if (len > sizeof room)
            continue;
        assert_int_equal(cell.text_len, len);
        assert_memory_equal(room, long_text, len);
        long_text[len] = 'x';
    }
}

static void values(void **state)
{
    (void)state;
    const uint64_t big = UINT64_C(0x7fffffff00000005);
    struct counter64 counter = {.high = big >> 32, .low = big & 0xffffffff};
    struct cell cells[5] = {text_cell("a")};
    cell_scalar(&cells[1], MIB_dcampNodeRole);
    cell_scalar(&cells[2], MIB_dcampNodeBoot);
    cell_scalar(&cells[3], MIB_dcampNodeUpTime);
    cell_scalar(&cells[4], MIB_dcampSelfCycles);
    begin();
    put_text(&cells[0], "12.5");
    put_number(&cells[1], ASN_INTEGER, 2);
    put_number(&cells[2], ASN_UNSIGNED, 4294967295);
    put_number(&cells[3], ASN_TIMETICKS, 100);
    put(&cells[4], 0, ASN_COUNTER64, &counter, sizeof counter);
    assert_true(answer_get(pdu, cells, 5));
    assert_int_equal(cells[0].kind, CELL_TEXT);
    assert_string_equal(cells[0].text, "12.5");
    assert_int_equal(cells[0].text_len, 4);
    for (int i = 1; i < 5; i++)
        assert_int_equal(cells[i].kind, CELL_NUMBER);
    assert_string_equal(cell_label(&cells[1]), "metric");
    assert_true(cells[2].number == 4294967295);
    assert_int_equal(cells[3].number, 100);
    assert_true(cells[4].number == INT64_C(0x7fffffff00000005));
}

static void missing(void **state)
{
    (void)state;
    static const u_char exceptions[] = {SNMP_NOSUCHOBJECT, SNMP_NOSUCHINSTANCE, SNMP_ENDOFMIBVIEW};
    for (size_t i = 0; i < sizeof exceptions; i++) {
        struct cell cell = text_cell("a");
        cell.kind = CELL_TEXT;
        begin();
        put(&cell, 0, exceptions[i], NULL, 0);
        assert_true(answer_get(pdu, &cell, 1));
        assert_int_equal(cell.kind, CELL_MISSING);
        cell.kind = CELL_TEXT;
        assert_true(answer_next(pdu, &cell, 1));
        assert_int_equal(cell.kind, CELL_MISSING);
    }
}

/* Every other type than the object's, and texts that are longer than any of the MIB. */
static void wrong_values_are_missing(void **state)
{
    (void)state;
    static const u_char numbers[] = {ASN_INTEGER, ASN_UNSIGNED, ASN_TIMETICKS, ASN_COUNTER};
    char text[MESSAGE_SIZE + 1];
    struct cell cell = text_cell("a"), number;
    cell_scalar(&number, MIB_dcampNodeBoot);
    for (size_t i = 0; i < sizeof numbers; i++) {
        begin();
        put_number(&cell, numbers[i], 1);
        assert_true(answer_get(pdu, &cell, 1));
        assert_int_equal(cell.kind, CELL_MISSING);
    }
    begin();
    put_text(&number, "1");
    assert_true(answer_get(pdu, &number, 1));
    assert_int_equal(number.kind, CELL_MISSING);
    memset(text, 'x', sizeof text);
    for (size_t len = MESSAGE_SIZE - 2; len <= MESSAGE_SIZE + 1; len++) {
        begin();
        put(&cell, 0, ASN_OCTET_STR, text, len);
        assert_true(answer_get(pdu, &cell, 1));
        assert_int_equal(cell.kind, len < MESSAGE_SIZE ? CELL_TEXT : CELL_MISSING);
    }
}

static void not_what_was_asked_for(void **state)
{
    (void)state;
    struct cell cells[2] = {text_cell("a"), text_cell("b")};
    begin();
    assert_false(answer_get(pdu, cells, 2));
    assert_false(answer_next(pdu, cells, 2));
    put_text(&cells[0], "1");
    assert_false(answer_get(pdu, cells, 2));
    put_text(&cells[1], "2");
    assert_true(answer_get(pdu, cells, 2));
    assert_false(answer_get(pdu, cells, 1));
    struct cell swapped[2] = {cells[1], cells[0]};
    assert_false(answer_get(pdu, swapped, 2));
    begin();
    put(&cells[0], 1, ASN_OCTET_STR, "1", 1);
    assert_false(answer_get(pdu, cells, 1));
}

static void successors(void **state)
{
    (void)state;
    struct cell cells[2] = {text_cell("a"), text_cell("b")}, next = cells[0],
                other = text_cell("c");
    char instance[INSTANCE_SIZE];
    size_t at = 2;
    cell_add_text(&next, "total");
    begin();
    put_text(&next, "1");
    put_text(&other, "2");
    assert_true(answer_next(pdu, cells, 2));
    assert_int_equal(cells[0].kind, CELL_TEXT);
    assert_true(cell_index_text(&cells[0], &at, instance, sizeof instance));
    assert_string_equal(instance, "total");
    assert_int_equal(cells[1].kind, CELL_MISSING);
    assert_int_equal(cells[1].len, text_cell("b").len);
}

/* Of a walk: rows 1, 2, 3 ... of the active alarms. */
static struct cell row_of(uint32_t index)
{
    struct cell cell;
    cell_start(&cell, MIB_dcampAlarmSeverity);
    if (index)
        cell_add_number(&cell, index);
    return cell;
}

static struct cell rows[ROWS];
static struct answer_rows answer;

static bool bulk(const uint32_t *indexes, size_t n, const struct cell *last)
{
    const struct cell below = row_of(0);
    begin();
    for (size_t i = 0; i < n; i++) {
        struct cell cell = row_of(indexes[i]);
        put_number(&cell, ASN_INTEGER, 4);
    }
    return answer_bulk(pdu, &below, last, rows, ROWS, &answer);
}

#define BULK(last, ...)                                                                            \
    bulk((const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t), last)

static void a_walk(void **state)
{
    (void)state;
    const struct cell below = row_of(0);
    struct cell other;
    assert_true(BULK(NULL, 1, 2, 4294967295));
    assert_int_equal(answer.n, 3);
    assert_false(answer.at_end);
    assert_int_equal(rows[1].number, 4);
    assert_int_equal(rows[1].object, MIB_dcampAlarmSeverity);
    assert_true(rows[2].oid[rows[2].len - 1] == 4294967295);
    cell_start(&other, MIB_dcampAlarmSequence);
    cell_add_number(&other, 1);
    put_number(&other, ASN_UNSIGNED, 1);
    assert_true(answer_bulk(pdu, &below, NULL, rows, ROWS, &answer));
    assert_int_equal(answer.n, 3);
    assert_true(answer.at_end);
    begin();
    put(&other, 0, SNMP_ENDOFMIBVIEW, NULL, 0);
    assert_true(answer_bulk(pdu, &below, NULL, rows, ROWS, &answer));
    assert_int_equal(answer.n, 0);
    assert_true(answer.at_end);
    /* That there is no alarm, say, is not to be read out of nothing. */
    assert_false(bulk(NULL, 0, NULL));
}

/* The column itself is not one of its rows. */
static void a_walk_stays_below_its_start(void **state)
{
    (void)state;
    const struct cell below = row_of(0);
    begin();
    put_number(&below, ASN_INTEGER, 4);
    assert_true(answer_bulk(pdu, &below, NULL, rows, ROWS, &answer));
    assert_int_equal(answer.n, 0);
    assert_true(answer.at_end);
}

static void a_walk_only_goes_forward(void **state)
{
    (void)state;
    struct cell last = row_of(7);
    assert_false(BULK(NULL, 1, 2, 2));
    assert_false(BULK(NULL, 1, 3, 2));
    assert_false(BULK(&last, 7));
    assert_false(BULK(&last, 6, 8));
    assert_true(BULK(&last, 8));
    assert_true(BULK(NULL, 5));
    assert_true(BULK(&rows[0], 6, 7)); /* which it overwrites */
    assert_int_equal(answer.n, 2);
    assert_false(BULK(&rows[1], 7));
}

static void more_than_was_asked_for(void **state)
{
    (void)state;
    assert_true(BULK(NULL, 1, 2, 3, 4));
    assert_false(BULK(NULL, 1, 2, 3, 4, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(octets_with_room),
                                       cmocka_unit_test(values),
                                       cmocka_unit_test(missing),
                                       cmocka_unit_test(wrong_values_are_missing),
                                       cmocka_unit_test(not_what_was_asked_for),
                                       cmocka_unit_test(successors),
                                       cmocka_unit_test(a_walk),
                                       cmocka_unit_test(a_walk_stays_below_its_start),
                                       cmocka_unit_test(a_walk_only_goes_forward),
                                       cmocka_unit_test(more_than_was_asked_for)};
    return cmocka_run_group_tests(tests, NULL, end);
}
