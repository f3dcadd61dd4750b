/* What a poller knows of devices and senders, when some allocation fails: what is known stays
 * known, and the rest is found the next time. */
#include <stdio.h>
#include <stdlib.h>

#include "poller/device_pdu.h"
#include "poller/outbox.h"
#include "poller/senders.h"

#include "devices.h"
#include "scarce.h"

#define ROWS 40 /* more than the first room holds, and than one answer */

/* -- Devices --------------------------------------------------------------------------------- */

/* A poll of which only what the device itself allocates counts. */
static void poll_scarcely(struct bench *bench, uint64_t seconds)
{
    const struct device_events events = bench_events(bench);
    bench->log[0] = '\0';
    bench->now += seconds * NS_PER_S;
    scarce_go_on();
    device_begin(bench->device, bench->now);
    scarce_stop();
    for (size_t rounds = 0; bench->device->ask != DEVICE_NOTHING; rounds++) {
        assert_true(rounds < 1000);
        struct reply *reply = bench_reply(bench);
        scarce_go_on();
        const char *why = device_answer(bench->device, &reply->answer, &events, bench->now);
        scarce_stop();
        assert_null(why);
        free(reply);
    }
}

static void put_rows(struct bench *bench, unsigned from, unsigned n)
{
    char name[16];
    for (unsigned i = from; i < from + n; i++) {
        snprintf(name, sizeof name, "eth%u", i);
        bench_put_if(bench, i, name, i);
    }
}

static struct bench *switch_of(unsigned rows)
{
    struct bench *bench;
    assert_int_equal(bench_setup((void **)&bench), 0);
    bench_object(bench, "1.3.6.1.2.1.1.3", NULL, "*");
    bench_object(bench, IF_IN, IF_NAME, "*");
    bench_object(bench, IF_IN, "", "*");
    bench_put_number(bench, "1.3.6.1.2.1.1.3.0", 77);
    put_rows(bench, 1, rows);
    return bench;
}

/* It is looked through for the first time; then rows have come; then there is memory again. */
static bool look_with(size_t nth)
{
    struct bench *bench = switch_of(ROWS);
    bench_set(bench);
    scarce_fail(nth);
    scarce_stop();
    poll_scarcely(bench, 1);
    size_t known = bench->begun;
    put_rows(bench, ROWS + 1, ROWS);
    poll_scarcely(bench, 301);
    bool failed = scarce_stop();
    if (bench->ended)
        fail_msg("allocation %zu: %zu of %zu series have ended: %s", nth, bench->ended, known,
                 bench->log);
    bench_poll(bench, 301);
    if (bench->ended || bench->begun != 1 + 2 * 2 * ROWS)
        fail_msg("allocation %zu: %zu series have begun, %zu ended", nth, bench->begun,
                 bench->ended);
    assert_int_equal(bench->sampled > 0, true);
    bench_teardown((void **)&bench);
    return failed;
}

static void what_is_known_stays_known(void **state)
{
    (void)state;
    size_t nth = 1;
    while (look_with(nth))
        nth++;
    assert_true(nth > 2 * ROWS);
}

/* A poller that has no memory for what it is told ends, and is told all again. */
static void objects_are_chosen_or_none(void **state)
{
    (void)state;
    static const uint32_t ids[] = {1, 2, 3};
    for (size_t nth = 1, failed = 1; failed; nth++) {
        struct bench *bench = switch_of(2);
        scarce_fail(nth);
        bool done = device_set(bench->device, 1, bench->objects, ids, N_OF(ids));
        failed = scarce_stop();
        assert_int_equal(bench->device->n_objects, done ? N_OF(ids) : 0);
        assert_true(done || failed);
        bench_set(bench);
        bench_poll(bench, 1);
        assert_int_equal(bench->begun, 5);
        bench_teardown((void **)&bench);
    }
}

static void an_object_is_defined_or_not(void **state)
{
    (void)state;
    static const union {
        struct message_object message;
        uint8_t room[sizeof(struct message_object) + 4 * sizeof(uint32_t)];
    } whole = {.message = {.object = 1, .is_scalar = true, .instances = "*", .n_oid = 2}};
    for (size_t nth = 1, failed = 1; failed; nth++) {
        struct object *all = NULL;
        scarce_fail(nth);
        bool done = object_define(&all, &whole.message);
        failed = scarce_stop();
        assert_int_equal(done, all != NULL);
        assert_true(object_define(&all, &whole.message));
        object_drop_all(&all);
    }
}

/* What the core is told of: of each series that it begins, or the poller has to be started again.
 */
static bool begin_with(size_t nth)
{
    struct bench *bench = switch_of(0);
    struct snmp_engine engine = {.id = "ABCDE", .len = 5};
    struct outbox outbox;
    const struct device_report report = {
        .outbox = &outbox, .id = 7, .engine = &engine, .now = bench->now};
    long ticks = 1234;
    bench_set(bench);
    outbox_init(&outbox, -1, 0);
    device_begin(bench->device, bench->now);
    netsnmp_pdu *pdu = device_pdu(bench->device);
    assert_non_null(pdu);
    pdu->errstat = SNMP_ERR_NOERROR;
    for (netsnmp_variable_list *var = pdu->variables; var; var = var->next_variable)
        assert_int_equal(snmp_set_var_typed_value(var, ASN_TIMETICKS, &ticks, sizeof ticks), 0);
    scarce_fail(nth);
    struct query_error error = device_take_pdu(bench->device, pdu, &report);
    bool failed = scarce_stop();
    assert_int_equal(error.failure != 0, failed);
    assert_int_equal(outbox.lost, failed);
    assert_true(failed || outbox.n > 0);
    snmp_free_pdu(pdu);
    outbox_free(&outbox);
    bench_teardown((void **)&bench);
    return failed;
}

static void series_are_told_of(void **state)
{
    (void)state;
    size_t nth = 1;
    while (begin_with(nth))
        nth++;
    assert_true(nth > 1);
}

/* -- Senders --------------------------------------------------------------------------------- */

static struct message_sender sender_of(uint32_t id, uint8_t engine)
{
    return (struct message_sender){.id = id,
                                   .credential = "lab",
                                   .engine_id = {0x80, 0, 0, 0, engine},
                                   .engine_id_len = 5,
                                   .engine_boots = 1,
                                   .keys = {.engine_id = {0x80, 0, 0, 0, engine},
                                            .engine_id_len = 5,
                                            .auth_len = 32,
                                            .priv_len = 16}};
}

static bool set_sender(struct senders *senders, uint32_t id, uint8_t engine)
{
    const struct message_sender message = sender_of(id, engine);
    return senders_set(senders, &message);
}

static uint32_t who_has(const struct senders *senders, uint8_t engine)
{
    const struct message_sender message = sender_of(0, engine);
    const struct sender *sender = senders_find(senders, message.engine_id, message.engine_id_len);
    return sender ? sender->id : 0;
}

/* Two of one engine, of which none may push; one that is another later; one that goes. */
static void nobody_pushes_as_another(void **state)
{
    (void)state;
    for (size_t nth = 1, failed = 1; failed; nth++) {
        struct senders senders = {0};
        bool done = true;
        scarce_fail(nth);
        done &= set_sender(&senders, 1, 7);
        done &= set_sender(&senders, 2, 7);
        done &= set_sender(&senders, 3, 8);
        done &= set_sender(&senders, 3, 9);
        senders_forget(&senders, 1);
        failed = scarce_stop();
        assert_true(done || failed);
        assert_int_equal(who_has(&senders, 8), 0);
        assert_true(who_has(&senders, 7) == 0 || who_has(&senders, 7) == 2);
        assert_true(who_has(&senders, 9) == 0 || who_has(&senders, 9) == 3);
        senders_free(&senders);
        assert_true(set_sender(&senders, 2, 7) && set_sender(&senders, 3, 9));
        assert_int_equal(who_has(&senders, 7), 2);
        assert_int_equal(who_has(&senders, 9), 3);
        senders_free(&senders);
    }
}

/* -- What goes to the core ------------------------------------------------------------------- */

/* A message is in it whole or not at all, and the next one can be put. */
static void a_message_goes_out_or_not(void **state)
{
    (void)state;
    const struct message_forget message = {
        .head = {.kind = MESSAGE_FORGET, .length = sizeof message}, .id = 1};
    const size_t many = 3 * MESSAGE_PACKET_MAX / sizeof message;
    for (size_t nth = 1, failed = 1; failed; nth++) {
        struct outbox outbox;
        size_t put = 0, there = 0;
        outbox_init(&outbox, -1, 0);
        scarce_fail(nth);
        for (size_t i = 0; i < many; i++)
            put += outbox_put(&outbox, &message.head, 1);
        failed = scarce_stop();
        assert_true(failed ? put < many : put == many);
        there = outbox.n;
        assert_true(there >= put * sizeof message / MESSAGE_PACKET_MAX);
        assert_true(outbox_put(&outbox, &message.head, 1));
        outbox_free(&outbox);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_stays_known),   cmocka_unit_test(objects_are_chosen_or_none),
        cmocka_unit_test(an_object_is_defined_or_not), cmocka_unit_test(series_are_told_of),
        cmocka_unit_test(nobody_pushes_as_another),    cmocka_unit_test(a_message_goes_out_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
