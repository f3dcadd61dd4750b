/* Answers of children that are not to be trusted. */

#include <string.h>

#include "dcamp_mib.h"
#include "poller/query.h"
#include "report/report.h"

#include "unit.h"

/* The question itself becomes the answer: the same names, with values. */
static void set(netsnmp_pdu *pdu, int i, u_char type, const void *value, size_t len)
{
    netsnmp_variable_list *var = pdu->variables;
    while (i--)
        var = var->next_variable;
    assert_int_equal(snmp_set_var_typed_value(var, type, value, len), 0);
}

static void set_number(netsnmp_pdu *pdu, int i, long value)
{
    set(pdu, i, ASN_UNSIGNED, &value, sizeof value);
}

static netsnmp_pdu *new_poll(uint32_t first, uint32_t n)
{
    netsnmp_pdu *pdu = query_poll(first, n);
    assert_non_null(pdu);
    pdu->errstat = SNMP_ERR_NOERROR;
    set_number(pdu, 0, 7);
    set_number(pdu, 1, 1);
    set_number(pdu, 2, 100);
    for (uint32_t i = 0; i < n; i++)
        set(pdu, 3 + (int)i, ASN_OCTET_STR, "block", 5);
    return pdu;
}

static enum poll_failure read_and_free(netsnmp_pdu *pdu, uint32_t first, uint32_t n,
                                       struct query_blocks *blocks)
{
    struct query_error error = query_read_poll(pdu, first, n, blocks);
    assert_int_equal(error.failure != 0, error.text != NULL);
    snmp_free_pdu(pdu);
    return error.failure;
}

static void good_polls(void **state)
{
    (void)state;
    struct query_blocks blocks;
    for (uint32_t n = 0; n <= CURSOR_BLOCKS_MAX; n++) {
        assert_int_equal(read_and_free(new_poll(5, n), 5, n, &blocks), 0);
        assert_int_equal(blocks.head.boot, 7);
        assert_int_equal(blocks.head.first, 1);
        assert_int_equal(blocks.head.last, 100);
        assert_int_equal(blocks.present, (UINT32_C(1) << n) - 1);
    }
    netsnmp_pdu *pdu = new_poll(UINT32_MAX - 1, 2);
    set(pdu, 4, SNMP_NOSUCHINSTANCE, NULL, 0);
    assert_int_equal(read_and_free(pdu, UINT32_MAX - 1, 2, &blocks), 0);
    assert_int_equal(blocks.present, 1);
    assert_int_equal(blocks.at[0].len, 5);
}

/* Each type in each place: nothing but the right ones is taken. */
static void types_of_polls(void **state)
{
    (void)state;
    static const u_char types[] = {ASN_INTEGER,         ASN_OCTET_STR,    ASN_NULL,
                                   ASN_OBJECT_ID,       ASN_IPADDRESS,    ASN_COUNTER,
                                   ASN_UNSIGNED,        ASN_TIMETICKS,    ASN_COUNTER64,
                                   ASN_OPAQUE,          ASN_BIT_STR,      SNMP_NOSUCHOBJECT,
                                   SNMP_NOSUCHINSTANCE, SNMP_ENDOFMIBVIEW};
    static const union {
        long number;
        oid name[8];
        uint8_t octets[sizeof(struct counter64)];
    } value = {.octets = {1}};
    for (int place = 0; place < 5; place++)
        for (size_t i = 0; i < sizeof types; i++) {
            netsnmp_pdu *pdu = new_poll(5, 2);
            struct query_blocks blocks;
            size_t len = types[i] == ASN_IPADDRESS   ? 4
                         : types[i] == ASN_COUNTER64 ? sizeof(struct counter64)
                                                     : sizeof(long);
            bool none = types[i] == ASN_NULL || types[i] >= SNMP_NOSUCHOBJECT;
            set(pdu, place, types[i], none ? NULL : &value, none ? 0 : len);
            enum poll_failure expected = POLL_GARBAGE;
            if (types[i] >= SNMP_NOSUCHOBJECT)
                expected = place < 3 ? POLL_NO_SUCH_OBJECT : 0;
            else if (types[i] == (place < 3 ? ASN_UNSIGNED : ASN_OCTET_STR))
                expected = 0;
            assert_int_equal(read_and_free(pdu, 5, 2, &blocks), expected);
        }
}

/* It is for people: what is wrong, and where to look. */
static void no_reports_in_words(void **state)
{
    (void)state;
    struct query_blocks blocks;
    netsnmp_pdu *pdu = new_poll(5, 1);
    set(pdu, 0, SNMP_NOSUCHOBJECT, NULL, 0);
    struct query_error error = query_read_poll(pdu, 5, 1, &blocks);
    assert_int_equal(error.failure, POLL_NO_SUCH_OBJECT);
    assert_null(strstr(error.text, "dcampReport"));
    assert_non_null(strstr(error.text, "dcampd"));
    assert_true(strlen(error.text) < sizeof((struct message_silent *)0)->text);
    snmp_free_pdu(pdu);
}

static void lengths_of_blocks(void **state)
{
    (void)state;
    static uint8_t octets[65536];
    static const struct {
        size_t len;
        bool good;
    } cases[] = {{0, false},
                 {1, true},
                 {REPORT_BLOCK_MAX, true},
                 {REPORT_BLOCK_MAX + 1, false},
                 {sizeof octets, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        netsnmp_pdu *pdu = new_poll(5, 1);
        struct query_blocks blocks;
        set(pdu, 3, ASN_OCTET_STR, octets, cases[i].len);
        assert_int_equal(read_and_free(pdu, 5, 1, &blocks), cases[i].good ? 0 : POLL_GARBAGE);
    }
}

/* Too few, too many, another order, other names. */
static void shapes_of_polls(void **state)
{
    (void)state;
    struct query_blocks blocks;
    for (uint32_t asked = 0; asked <= CURSOR_BLOCKS_MAX; asked++)
        for (uint32_t given = 0; given <= CURSOR_BLOCKS_MAX; given++)
            assert_int_equal(read_and_free(new_poll(5, given), 5, asked, &blocks),
                             asked == given ? 0 : POLL_GARBAGE);
    assert_int_equal(read_and_free(new_poll(5, 1), 6, 1, &blocks), POLL_GARBAGE);
    netsnmp_pdu *pdu = new_poll(5, 1);
    snmp_free_varbind(pdu->variables);
    pdu->variables = NULL;
    assert_int_equal(read_and_free(pdu, 5, 1, &blocks), POLL_GARBAGE);
    pdu = new_poll(5, 2);
    netsnmp_variable_list *second = pdu->variables->next_variable;
    pdu->variables->next_variable = second->next_variable;
    second->next_variable = pdu->variables;
    pdu->variables = second;
    assert_int_equal(read_and_free(pdu, 5, 2, &blocks), POLL_GARBAGE);
    pdu = new_poll(5, 1);
    pdu->variables->name_length--;
    assert_int_equal(read_and_free(pdu, 5, 1, &blocks), POLL_GARBAGE);
}

static void error_statuses(void **state)
{
    (void)state;
    for (long status = -3; status < 30; status++) {
        netsnmp_pdu *pdu = new_poll(5, 1);
        struct query_blocks blocks;
        pdu->errstat = status;
        enum poll_failure failure = read_and_free(pdu, 5, 1, &blocks);
        assert_int_equal(failure, status == 0                            ? 0
                                  : status > 0 && status <= MAX_SNMP_ERR ? POLL_REFUSED
                                                                         : POLL_GARBAGE);
    }
}

/* -- The dictionary -------------------------------------------------------------------------- */

static const uint32_t series[] = {3, UINT32_MAX};

static netsnmp_pdu *new_series(void)
{
    netsnmp_pdu *pdu = query_series(series, 2);
    assert_non_null(pdu);
    pdu->errstat = SNMP_ERR_NOERROR;
    set_number(pdu, 0, 7);
    for (int i = 0; i < 2; i++) {
        set(pdu, 1 + 5 * i, ASN_OCTET_STR, "", 0);
        set(pdu, 2 + 5 * i, ASN_OCTET_STR, "cpu.busy", 8);
        set(pdu, 3 + 5 * i, ASN_OCTET_STR, "total", 5);
        set(pdu, 4 + 5 * i, ASN_OCTET_STR, "", 0);
        set(pdu, 5 + 5 * i, ASN_OCTET_STR, "%", 1);
    }
    return pdu;
}

static void good_series(void **state)
{
    (void)state;
    struct message_series entries[2];
    netsnmp_pdu *pdu = new_series();
    for (int i = 6; i < 11; i++)
        set(pdu, i, SNMP_NOSUCHINSTANCE, NULL, 0);
    assert_int_equal(query_read_series(pdu, series, 2, entries).failure, 0);
    assert_true(entries[0].exists);
    assert_string_equal(entries[0].sensor, "cpu.busy");
    assert_string_equal(entries[0].instance, "total");
    assert_string_equal(entries[0].metric, "");
    assert_string_equal(entries[0].unit, "%");
    assert_int_equal(entries[0].report_boot, 7);
    assert_int_equal(entries[0].series, 3);
    assert_false(entries[1].exists);
    assert_int_equal(entries[1].series, UINT32_MAX);
    snmp_free_pdu(pdu);
}

/* What is wrong with one entry costs that series, and no other one. */
static void bad_series(void **state)
{
    (void)state;
    static const struct {
        int place;
        u_char type;
        const char *text;
        size_t len;
        bool good;
    } cases[] = {
        {1, ASN_OCTET_STR, "a/b-1/c", 7, true},
        {1, ASN_OCTET_STR, "/a", 2, false},
        {1, ASN_OCTET_STR, "a/", 2, false},
        {1, ASN_OCTET_STR, "a//b", 4, false},
        {1, ASN_OCTET_STR, "a/b c", 5, false},
        {1, ASN_OCTET_STR, "a\0/b", 4, false},
        {1, ASN_OPAQUE, "ab", 2, false},
        {1, SNMP_NOSUCHOBJECT, "", 0, true}, /* a node of before there were paths */
        {2, ASN_OCTET_STR, "", 0, false},
        {2, ASN_OCTET_STR, "a b", 3, false},
        {2, ASN_OCTET_STR, "a\0b", 3, false},
        {2, ASN_OPAQUE, "ab", 2, false},
        {2, ASN_OCTET_STR, "123456789012345678901234567890123", 33, false},
        {2, ASN_OCTET_STR, "12345678901234567890123456789012", 32, true},
        {3, ASN_OPAQUE, "ab", 2, false},
        {3, ASN_OCTET_STR, "1234567890123456789012345678901234567890123456789012345678901234", 64,
         true},
        {3, ASN_OCTET_STR, "12345678901234567890123456789012345678901234567890123456789012345", 65,
         false},
        {4, ASN_OCTET_STR, "cpu.busy", 8, true},
        {4, ASN_OCTET_STR, "*", 1, false},
        {5, ASN_OCTET_STR, "", 0, true},
        {5, ASN_OCTET_STR, "\033[2J", 4, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned which = 0; which < 2; which++) {
            struct message_series entries[2];
            netsnmp_pdu *pdu = new_series();
            set(pdu, cases[i].place + 5 * (int)which, cases[i].type, cases[i].text, cases[i].len);
            assert_int_equal(query_read_series(pdu, series, 2, entries).failure, 0);
            assert_true(entries[0].exists && entries[1].exists);
            assert_int_equal(entries[which].sensor[0] != '\0', cases[i].good);
            assert_string_equal(entries[!which].sensor, "cpu.busy");
            assert_string_equal(entries[!which].instance, "total");
            snmp_free_pdu(pdu);
        }
    netsnmp_pdu *pdu = new_series();
    struct message_series entries[2];
    set(pdu, 0, ASN_OCTET_STR, "7", 1);
    assert_int_equal(query_read_series(pdu, series, 2, entries).failure, POLL_GARBAGE);
    snmp_free_pdu(pdu);
}

/* A series may end between two columns of one answer. */
static void half_a_series(void **state)
{
    (void)state;
    for (int place = 2; place <= 5; place++) {
        struct message_series entries[2];
        netsnmp_pdu *pdu = new_series();
        set(pdu, place, place % 2 ? SNMP_NOSUCHINSTANCE : SNMP_NOSUCHOBJECT, NULL, 0);
        assert_int_equal(query_read_series(pdu, series, 2, entries).failure, 0);
        assert_false(entries[0].exists);
        assert_true(entries[1].exists);
        snmp_free_pdu(pdu);
    }
}

/* Whatever kernels, programs and devices call them; what nobody can show is cleaned. */
static void instances_of_all_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len;
        const char *shown;
    } cases[] = {
        {"", 0, ""},
        {"/mnt/\xc3\xa4", 7, "/mnt/\xc3\xa4"},
        {"www/shop:orders:GET|HEAD", 24, "www/shop:orders:GET|HEAD"},
        {"a;b", 3, "a;b"},
        {"a\xe2\x80\xa8"
         "b",
         5,
         "a\xe2\x80\xa8"
         "b"},
        {"a\nb", 3, "a?b"},
        {"a\0b", 3, "a?b"},
        {"a\xc2\x85z", 4, "a??z"},
        {"\xff", 1, "?"},
        {"\xe2\x82", 2, "??"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct message_series entries[2];
        netsnmp_pdu *pdu = new_series();
        set(pdu, 3, ASN_OCTET_STR, cases[i].text, cases[i].len);
        assert_int_equal(query_read_series(pdu, series, 2, entries).failure, 0);
        assert_string_equal(entries[0].sensor, "cpu.busy");
        assert_string_equal(entries[0].instance, cases[i].shown);
        snmp_free_pdu(pdu);
    }
}

static void shapes_of_series(void **state)
{
    (void)state;
    struct message_series entries[2];
    netsnmp_pdu *pdu = new_series();
    assert_int_equal(query_read_series(pdu, series, 1, entries).failure, POLL_GARBAGE);
    assert_int_equal(query_read_series(pdu, series + 1, 1, entries).failure, POLL_GARBAGE);
    netsnmp_variable_list *var = pdu->variables;
    while (var->next_variable->next_variable)
        var = var->next_variable;
    snmp_free_varbind(var->next_variable);
    var->next_variable = NULL;
    assert_int_equal(query_read_series(pdu, series, 2, entries).failure, POLL_GARBAGE);
    snmp_free_pdu(pdu);
}

/* -- Notifications --------------------------------------------------------------------------- */

/* As notify_push makes them, with sysUpTime, which the agent puts in front. */
static netsnmp_pdu *new_push(uint32_t sequence)
{
    netsnmp_pdu *pdu = query_poll(sequence, 1);
    const struct mib_info *pushed = &mib_objects[MIB_dcampReportPushed];
    netsnmp_variable_list *front = NULL;
    oid name[MAX_OID_LEN] = {1, 3, 6, 1, 2, 1, 1, 3, 0}, value[MAX_OID_LEN];
    u_long ticks = 5;
    snmp_varlist_add_variable(&front, name, 9, ASN_TIMETICKS, &ticks, sizeof ticks);
    for (size_t i = 0; i < N_OF(oid_snmpTrapOID); i++)
        name[i] = oid_snmpTrapOID[i];
    name[N_OF(oid_snmpTrapOID)] = 0;
    for (size_t i = 0; i < pushed->oid_len; i++)
        value[i] = pushed->oid[i];
    snmp_varlist_add_variable(&front, name, N_OF(oid_snmpTrapOID) + 1, ASN_OBJECT_ID, value,
                              pushed->oid_len * sizeof *value);
    front->next_variable->next_variable = pdu->variables;
    pdu->variables = front;
    pdu->command = SNMP_MSG_TRAP2;
    set_number(pdu, 2, 7);
    set_number(pdu, 3, 1);
    set_number(pdu, 4, 100);
    set(pdu, 5, ASN_OCTET_STR, "block", 5);
    return pdu;
}

static netsnmp_variable_list *varbind(netsnmp_pdu *pdu, int i)
{
    netsnmp_variable_list *var = pdu->variables;
    while (i--)
        var = var->next_variable;
    return var;
}

static void good_pushes(void **state)
{
    (void)state;
    static const uint32_t sequences[] = {1, 100, UINT32_MAX};
    for (size_t i = 0; i < N_OF(sequences); i++) {
        struct query_push push;
        netsnmp_pdu *pdu = new_push(sequences[i]);
        assert_int_equal(query_read_push(pdu, &push).failure, 0);
        assert_int_equal(push.head.boot, 7);
        assert_int_equal(push.head.last, 100);
        assert_int_equal(push.sequence, sequences[i]);
        assert_int_equal(push.len, 5);
        assert_memory_equal(push.block, "block", 5);
        snmp_free_pdu(pdu);
    }
}

static void refuse(netsnmp_pdu *pdu)
{
    struct query_push push;
    struct query_error error = query_read_push(pdu, &push);
    assert_int_not_equal(error.failure, 0);
    assert_non_null(error.text);
    snmp_free_pdu(pdu);
}

static void bad_pushes(void **state)
{
    (void)state;
    static const u_char types[] = {ASN_NULL, ASN_INTEGER, ASN_OBJECT_ID, SNMP_NOSUCHINSTANCE};
    static char huge[REPORT_BLOCK_MAX + 1];
    const oid other[] = {1, 3, 6};
    netsnmp_pdu *pdu;
    for (int n = 0; n < 6; n++) { /* cut off */
        pdu = new_push(4);
        netsnmp_variable_list **end = &pdu->variables;
        for (int i = 0; i < n; i++)
            end = &(*end)->next_variable;
        snmp_free_varbind(*end);
        *end = NULL;
        refuse(pdu);
    }
    for (int i = 1; i < 6; i++) { /* another name, a shorter and a longer one */
        pdu = new_push(4);
        varbind(pdu, i)->name[3]++;
        refuse(pdu);
        pdu = new_push(4);
        varbind(pdu, i)->name_length = 0;
        refuse(pdu);
        pdu = new_push(4);
        varbind(pdu, i)->name_length++;
        refuse(pdu);
    }
    for (size_t t = 0; t < N_OF(types); t++)
        for (int i = 2; i < 6; i++) {
            pdu = new_push(4);
            varbind(pdu, i)->type = types[t];
            refuse(pdu);
        }
    pdu = new_push(4);
    pdu->command = SNMP_MSG_INFORM;
    refuse(pdu);
    pdu = new_push(4);
    set(pdu, 1, ASN_OBJECT_ID, other, sizeof other);
    refuse(pdu);
    pdu = new_push(4);
    set(pdu, 5, ASN_OCTET_STR, huge, sizeof huge);
    refuse(pdu);
    pdu = new_push(4);
    set(pdu, 5, ASN_OCTET_STR, "", 0);
    refuse(pdu);
    pdu = new_push(4);
    varbind(pdu, 5)->name[varbind(pdu, 5)->name_length - 1] = 0;
    refuse(pdu);
    pdu = new_push(4);
    varbind(pdu, 5)->name[varbind(pdu, 5)->name_length - 1] = (oid)UINT32_MAX + 1;
    refuse(pdu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_polls),          cmocka_unit_test(types_of_polls),
        cmocka_unit_test(no_reports_in_words), cmocka_unit_test(lengths_of_blocks),
        cmocka_unit_test(shapes_of_polls),     cmocka_unit_test(error_statuses),
        cmocka_unit_test(good_series),         cmocka_unit_test(bad_series),
        cmocka_unit_test(half_a_series),       cmocka_unit_test(instances_of_all_kinds),
        cmocka_unit_test(shapes_of_series),    cmocka_unit_test(good_pushes),
        cmocka_unit_test(bad_pushes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
