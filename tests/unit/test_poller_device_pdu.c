/* What devices are asked as PDUs, and answers of every type and of none. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "poller/device_pdu.h"

#include "devices.h"

#define OBJECT "1.3.6.1.4.1.9.1"

struct wire {
    struct outbox outbox;
    int core; /* the other end of its socket */
    struct snmp_engine engine;
    struct device_report report;
    _Alignas(8) uint8_t packet[MESSAGE_PACKET_MAX];
    size_t used, at;
};

static struct wire *wire_new(uint64_t now)
{
    struct wire *wire = calloc(1, sizeof *wire);
    int pair[2];
    assert_non_null(wire);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    outbox_init(&wire->outbox, pair[0], 0);
    wire->core = pair[1];
    wire->engine = (struct snmp_engine){.id = "ABCDE", .len = 5, .boots = 3};
    wire->report = (struct device_report){
        .outbox = &wire->outbox, .id = 7, .engine = &wire->engine, .round_trip_us = 11, .now = now};
    return wire;
}

static void wire_free(struct wire *wire)
{
    close(wire->outbox.fd);
    close(wire->core);
    outbox_free(&wire->outbox);
    free(wire);
}

/* The next message to the core, or NULL. */
static const struct message *told(struct wire *wire)
{
    if (wire->at == wire->used) {
        wire->at = wire->used = 0;
        assert_true(outbox_flush(&wire->outbox, UINT64_MAX - 1));
        ssize_t n = recv(wire->core, wire->packet, sizeof wire->packet, MSG_DONTWAIT);
        wire->used = n > 0 ? (size_t)n : 0;
    }
    return message_next(wire->packet, wire->used, &wire->at);
}

static const struct message_samples *told_samples(struct wire *wire)
{
    const struct message *message = told(wire);
    assert_non_null(message);
    assert_int_equal(message->kind, MESSAGE_SAMPLES);
    return (const void *)message;
}

static netsnmp_variable_list *at(netsnmp_pdu *pdu, int i)
{
    netsnmp_variable_list *var = pdu->variables;
    while (i--)
        var = var->next_variable;
    return var;
}

static void set(netsnmp_pdu *pdu, int i, u_char type, const void *value, size_t len)
{
    assert_int_equal(snmp_set_var_typed_value(at(pdu, i), type, value, len), 0);
}

static netsnmp_pdu *begin(struct bench *bench)
{
    long ticks = 1234;
    device_begin(bench->device, bench->now);
    netsnmp_pdu *pdu = device_pdu(bench->device);
    assert_non_null(pdu);
    pdu->errstat = SNMP_ERR_NOERROR;
    set(pdu, 0, ASN_TIMETICKS, &ticks, sizeof ticks);
    return pdu;
}

static struct query_error take(struct bench *bench, struct wire *wire, netsnmp_pdu *pdu)
{
    struct query_error error = device_take_pdu(bench->device, pdu, &wire->report);
    snmp_free_pdu(pdu);
    return error;
}

static void one_scalar(struct bench *bench)
{
    bench_object(bench, OBJECT, NULL, "*");
    bench_set(bench);
}

/* -- Questions ------------------------------------------------------------------------------- */

static void assert_name(const netsnmp_variable_list *var, const char *text)
{
    uint32_t arcs[OID_MAX];
    size_t n = oid_from_text(text, strlen(text), arcs);
    assert_int_equal(var->name_length, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(var->name[i], arcs[i]);
}

static void questions(void **state)
{
    struct bench *bench = *state;
    struct wire *wire = wire_new(bench->now);
    bench_object(bench, OBJECT, NULL, "*");
    bench_object(bench, "1.3.6.1.4.1.10", "1.3.6.1.4.1.11", "*");
    bench_set(bench);
    netsnmp_pdu *pdu = begin(bench);
    assert_int_equal(pdu->command, SNMP_MSG_GET);
    assert_name(at(pdu, 0), "1.3.6.1.2.1.1.3.0");
    assert_name(at(pdu, 1), OBJECT ".0");
    assert_null(at(pdu, 1)->next_variable);
    set(pdu, 1, ASN_GAUGE, &(long){5}, sizeof(long));
    assert_int_equal(take(bench, wire, pdu).failure, 0);
    pdu = device_pdu(bench->device);
    assert_int_equal(pdu->command, SNMP_MSG_GETBULK);
    assert_int_equal(pdu->non_repeaters, 0);
    assert_int_equal(pdu->max_repetitions, DEVICE_REPETITIONS);
    assert_name(at(pdu, 0), "1.3.6.1.4.1.11");
    assert_null(at(pdu, 0)->next_variable);
    snmp_free_pdu(pdu);
    wire_free(wire);
}

/* -- Answers --------------------------------------------------------------------------------- */

static const struct counter64 large = {.high = 0xffffffff, .low = 0xfffffffe};
static const struct counter64 minus = {.high = 0xffffffff, .low = 0xffffffff};

static void types(void **state)
{
    static const float real = 0.5F;
    static const double twice = -0.25;
    static const long number = 4294967295, negative = -5;
    static const oid name[] = {1, 3};
    static const struct {
        u_char type, carrier; /* what the library can set, and has the same form */
        const void *value;
        size_t len;
        enum sample_type sample;
        int64_t integer;
        double real;
    } cases[] = {
        {ASN_INTEGER, ASN_INTEGER, &negative, sizeof negative, SAMPLE_SIGNED, -5, 0},
        {ASN_COUNTER, ASN_COUNTER, &number, sizeof number, SAMPLE_COUNTER32, 4294967295, 0},
        {ASN_GAUGE, ASN_GAUGE, &number, sizeof number, SAMPLE_UNSIGNED, 4294967295, 0},
        {ASN_TIMETICKS, ASN_TIMETICKS, &number, sizeof number, SAMPLE_UNSIGNED, 4294967295, 0},
        {ASN_COUNTER64, ASN_COUNTER64, &large, sizeof large, SAMPLE_COUNTER64, -2, 0},
        {ASN_OPAQUE_FLOAT, ASN_OPAQUE_FLOAT, &real, sizeof real, SAMPLE_REAL, 0, 0.5},
        {ASN_OPAQUE_DOUBLE, ASN_OPAQUE_DOUBLE, &twice, sizeof twice, SAMPLE_REAL, 0, -0.25},
        {ASN_OPAQUE_COUNTER64, ASN_COUNTER64, &large, sizeof large, SAMPLE_COUNTER64, -2, 0},
        {ASN_OPAQUE_U64, ASN_COUNTER64, &large, sizeof large, SAMPLE_UNSIGNED, -2, 0},
        {ASN_OPAQUE_I64, ASN_COUNTER64, &minus, sizeof minus, SAMPLE_SIGNED, -1, 0},
        {ASN_OCTET_STR, ASN_OCTET_STR, "1.25", 4, SAMPLE_REAL, 0, 1.25},
        {ASN_OCTET_STR, ASN_OCTET_STR, "1.25\0", 5, SAMPLE_REAL, 0, 1.25},
        {ASN_OCTET_STR, ASN_OCTET_STR, "1.2\0005", 5, SAMPLE_NONE, 0, 0},
        {ASN_OCTET_STR, ASN_OCTET_STR, "", 0, SAMPLE_NONE, 0, 0},
        {ASN_OPAQUE, ASN_OCTET_STR, "\x9f\x78\x04\x3f", 4, SAMPLE_NONE, 0, 0},
        {ASN_IPADDRESS, ASN_IPADDRESS, "\x7f\0\0\1", 4, SAMPLE_NONE, 0, 0},
        {ASN_OBJECT_ID, ASN_OBJECT_ID, name, sizeof name, SAMPLE_NONE, 0, 0},
        {ASN_NULL, ASN_NULL, NULL, 0, SAMPLE_NONE, 0, 0},
    };
    struct bench *bench = *state;
    struct wire *wire = wire_new(bench->now);
    one_scalar(bench);
    for (size_t i = 0; i < N_OF(cases); i++) {
        netsnmp_pdu *pdu = begin(bench);
        set(pdu, 1, cases[i].carrier, cases[i].value, cases[i].len);
        at(pdu, 1)->type = cases[i].type;
        assert_int_equal(take(bench, wire, pdu).failure, 0);
        const struct message *message = told(wire);
        while (message && message->kind != MESSAGE_SAMPLES)
            message = told(wire);
        const struct message_samples *samples = (const void *)message;
        assert_non_null(samples);
        assert_int_equal(samples->n, 1);
        if (samples->samples[0].type != cases[i].sample)
            fail_msg("case %zu: type %u", i, samples->samples[0].type);
        if (cases[i].sample == SAMPLE_REAL)
            assert_true(samples->samples[0].real == cases[i].real);
        else
            assert_int_equal(samples->samples[0].integer, cases[i].integer);
        assert_null(told(wire));
    }
    wire_free(wire);
}

/* Who it was, how long it is up, and that this was all. */
static void heads(void **state)
{
    struct bench *bench = *state;
    struct wire *wire = wire_new(bench->now);
    one_scalar(bench);
    netsnmp_pdu *pdu = begin(bench);
    set(pdu, 1, ASN_GAUGE, &(long){5}, sizeof(long));
    assert_int_equal(take(bench, wire, pdu).failure, 0);
    const struct message_instance *instance = (const void *)told(wire);
    assert_int_equal(instance->head.kind, MESSAGE_INSTANCE);
    assert_int_equal(instance->id, 7);
    assert_int_equal(instance->generation, 1);
    assert_true(instance->exists);
    assert_string_equal(instance->instance, "total");
    const struct message_samples *samples = told_samples(wire);
    assert_int_equal(samples->id, 7);
    assert_int_equal(samples->generation, 1);
    assert_int_equal(samples->round_trip_us, 11);
    assert_int_equal(samples->engine_id_len, 5);
    assert_memory_equal(samples->engine_id, "ABCDE", 5);
    assert_int_equal(samples->engine_boots, 3);
    assert_true(samples->has_up_time && samples->is_last && samples->is_all);
    assert_int_equal(samples->up_time, 1234);
    assert_int_equal(samples->arrived_ns, bench->now);
    assert_int_equal(samples->samples[0].series, instance->series);
    pdu = begin(bench);
    set(pdu, 0, SNMP_NOSUCHOBJECT, NULL, 0); /* a view that hides it */
    set(pdu, 1, SNMP_NOSUCHINSTANCE, NULL, 0);
    assert_int_equal(take(bench, wire, pdu).failure, 0);
    const struct message_instance *ended = (const void *)told(wire);
    assert_int_equal(ended->head.kind, MESSAGE_INSTANCE);
    assert_false(ended->exists);
    samples = told_samples(wire);
    assert_int_equal(samples->n, 0);
    assert_true(samples->is_last && !samples->has_up_time);
    assert_null(told(wire));
    wire_free(wire);
}

/* Faults come before what they are about; a device of which all series end says so. */
static void faults_and_renewal(void **state)
{
    struct bench *bench = *state;
    struct wire *wire = wire_new(bench->now);
    one_scalar(bench);
    netsnmp_pdu *pdu = begin(bench);
    set(pdu, 1, ASN_OCTET_STR, "none", 4);
    assert_int_equal(take(bench, wire, pdu).failure, 0);
    assert_int_equal(told(wire)->kind, MESSAGE_INSTANCE);
    const struct message_fault *fault = (const void *)told(wire);
    assert_int_equal(fault->head.kind, MESSAGE_FAULT);
    assert_int_equal(fault->object, 0);
    assert_int_equal(fault->cycle, 1);
    assert_string_equal(fault->text, "its value is not a number");
    assert_int_equal(told_samples(wire)->cycle, 1);
    assert_true(device_tell_renewal(bench->device, &wire->report));
    const struct message_instance *ended = (const void *)told(wire);
    assert_int_equal(ended->head.kind, MESSAGE_INSTANCE);
    assert_false(ended->exists);
    assert_null(told(wire));
    wire_free(wire);
}

static void bad_pdus(void **state)
{
    struct bench *bench = *state;
    struct wire *wire = wire_new(bench->now);
    static const oid other[] = {1, 3, 6, 1, 4, 1, 9, 2, 0};
    one_scalar(bench);
    for (int i = 0; i < 6; i++) {
        netsnmp_pdu *pdu = begin(bench);
        set(pdu, 1, ASN_GAUGE, &(long){5}, sizeof(long));
        if (i == 0)
            snmp_set_var_objid(at(pdu, 0), other, N_OF(other));
        if (i == 1)
            snmp_set_var_objid(at(pdu, 1), other, N_OF(other));
        if (i == 2)
            for (int n = 0; n < 500; n++)
                snmp_add_null_var(pdu, other, N_OF(other));
        if (i == 3) {
            snmp_free_varbind(pdu->variables);
            pdu->variables = NULL;
        }
        if (i == 4)
            pdu->errstat = 99;
        if (i == 5)
            pdu->errstat = -1;
        struct query_error error = take(bench, wire, pdu);
        assert_int_equal(error.failure, POLL_GARBAGE);
        assert_non_null(error.text);
        assert_null(told(wire));
    }
    netsnmp_pdu *pdu = begin(bench);
    pdu->errstat = SNMP_ERR_GENERR;
    pdu->errindex = 1; /* sysUpTime itself */
    struct query_error error = take(bench, wire, pdu);
    assert_int_equal(error.failure, POLL_REFUSED);
    assert_null(told(wire));
    pdu = begin(bench);
    pdu->errstat = SNMP_ERR_GENERR;
    pdu->errindex = 2;
    assert_int_equal(take(bench, wire, pdu).failure, 0);
    assert_int_equal(told(wire)->kind, MESSAGE_FAULT);
    wire_free(wire);
}

/* An answer to what is not asked any more. */
static void late_answers(void **state)
{
    struct bench *bench = *state;
    struct wire *wire = wire_new(bench->now);
    one_scalar(bench);
    netsnmp_pdu *pdu = begin(bench);
    bench_set(bench);
    assert_int_equal(take(bench, wire, pdu).failure, 0);
    assert_null(told(wire));
    wire_free(wire);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(questions),          bench_test(types),    bench_test(heads),
        bench_test(faults_and_renewal), bench_test(bad_pdus), bench_test(late_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
