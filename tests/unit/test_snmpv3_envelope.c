/* What a message says of itself: read octet by octet, and refused where it is not what RFC 3412 and
 * RFC 3414 say. */
#include <string.h>

#include "snmpv3/envelope.h"

#include "unit.h"

/* msgID 0x01020304, flags 5, an engine ID of 5 octets, boots 7, time 9, user "user". */
static const u_char good[] = {
    0x30, 0x35, 2,    1,    3,                                               /* 0: version */
    0x30, 0x10, 2,    4,    1,   2,   3, 4, 2, 2, 5, 0xdc, 4, 1, 5, 2, 1, 3, /* 5: global data */
    4,    0x19, 0x30, 0x17,                                                  /* 23: parameters */
    4,    5,    0x80, 0,    0,   0,   5,                                     /* 27: engine ID */
    2,    1,    7,                                                           /* 34: boots */
    2,    1,    9,                                                           /* 37: time */
    4,    4,    'u',  's',  'e', 'r',                                        /* 40: user */
    4,    0,    4,    0,       /* 46: no authentication, no privacy */
    0x30, 3,    2,    1,    0, /* 50: the rest of the message */
};
#define END_OF_USER 46

static bool read_changed(size_t at, u_char octet, struct envelope *envelope)
{
    static u_char packet[sizeof good];
    memcpy(packet, good, sizeof good);
    packet[at] = octet;
    return envelope_read(packet, sizeof packet, envelope);
}

static void all_of_it(void **state)
{
    (void)state;
    u_char packet[sizeof good];
    struct envelope envelope;
    memcpy(packet, good, sizeof good);
    assert_true(envelope_read(packet, sizeof packet, &envelope));
    assert_int_equal(envelope.id, 0x01020304);
    assert_int_equal(envelope.flags, 5);
    assert_int_equal(envelope.model, 3);
    assert_ptr_equal(envelope.engine_id, packet + 29);
    assert_int_equal(envelope.engine_id_len, 5);
    assert_int_equal(envelope.engine_boots, 7);
    assert_int_equal(envelope.engine_time, 9);
    assert_ptr_equal(envelope.user, packet + 42);
    assert_int_equal(envelope.user_len, 4);
    assert_memory_equal(packet, good, sizeof good);
}

static void each_number(void **state)
{
    (void)state;
    struct envelope envelope;
    assert_true(read_changed(9, 0x7f, &envelope));
    assert_int_equal(envelope.id, 0x7f020304);
    assert_true(read_changed(9, 0xff, &envelope));
    assert_int_equal(envelope.id, (int)0xff020304);
    assert_true(read_changed(19, 0xfe, &envelope));
    assert_int_equal(envelope.flags, 0xfe);
    assert_true(read_changed(36, 0, &envelope));
    assert_int_equal(envelope.engine_boots, 0);
    assert_true(read_changed(36, 0xff, &envelope));
    assert_int_equal(envelope.engine_boots, -1);
    assert_true(read_changed(39, 0x7f, &envelope));
    assert_int_equal(envelope.engine_time, 127);
}

/* Places and what makes no message of it. */
static void each_part_is_looked_at(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        u_char octet;
    } cases[] = {
        {0, 0x31}, {1, 0x7f},                   /* the sequence */
        {2, 4},    {4, 2},     {4, 1},  {4, 0}, /* the version */
        {5, 4},    {6, 0x7f},                   /* the global data */
        {7, 4},    {8, 0x7f},                   /* msgID */
        {13, 4},                                /* msgMaxSize */
        {17, 2},   {18, 0},    {18, 2},         /* msgFlags: one octet */
        {20, 4},   {22, 2},    {22, 0},         /* the security model */
        {23, 2},   {24, 0x7f},                  /* the parameters, in an octet string ... */
        {25, 4},   {26, 0x7f},                  /* ... a sequence */
        {27, 2},   {28, 0x7f},                  /* the engine ID */
        {34, 4},                                /* boots */
        {37, 4},                                /* time */
        {40, 2},   {41, 0x7f},                  /* the user */
    };
    struct envelope envelope;
    for (size_t i = 0; i < N_OF(cases); i++)
        if (read_changed(cases[i].at, cases[i].octet, &envelope))
            fail_msg("%zu: %d is taken", cases[i].at, cases[i].octet);
}

/* The outer lengths follow, so that nothing but the end is at fault. */
static void each_cut(void **state)
{
    (void)state;
    u_char packet[sizeof good];
    struct envelope envelope;
    for (size_t len = 0; len < sizeof good; len++) {
        memcpy(packet, good, sizeof good);
        assert_false(envelope_read(packet, len, &envelope));
        if (len < 27)
            continue;
        packet[1] = (u_char)(len - 2);
        packet[24] = (u_char)(len - 25);
        packet[26] = (u_char)(len - 27);
        if (envelope_read(packet, len, &envelope) != (len >= END_OF_USER))
            fail_msg("a cut at %zu", len);
    }
}

/* An engine ID and a user of no octets, as a discovery has them. */
static void a_discovery(void **state)
{
    (void)state;
    static const u_char empty[] = {
        0x30, 0x29, 2, 1, 3, 0x30, 0x0d, 2, 1, 0, 2, 2, 5, 0xdc, 4, 1, 4,    2, 1, 3, 4, 0x10,
        0x30, 0x0e, 4, 0, 2, 1,    0,    2, 1, 0, 4, 0, 4, 0,    4, 0, 0x30, 3, 2, 1, 0,
    };
    u_char packet[sizeof empty];
    struct envelope envelope;
    memcpy(packet, empty, sizeof empty);
    assert_true(envelope_read(packet, sizeof packet, &envelope));
    assert_int_equal(envelope.id, 0);
    assert_int_equal(envelope.flags, 4);
    assert_int_equal(envelope.engine_id_len, 0);
    assert_int_equal(envelope.engine_boots, 0);
    assert_int_equal(envelope.engine_time, 0);
    assert_int_equal(envelope.user_len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it),
        cmocka_unit_test(each_number),
        cmocka_unit_test(each_part_is_looked_at),
        cmocka_unit_test(each_cut),
        cmocka_unit_test(a_discovery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
