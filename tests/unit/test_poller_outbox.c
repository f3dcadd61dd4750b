/* When what waits for the core is sent, and how much of it in a packet. */

#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "poller/outbox.h"

#include "unit.h"

#define START (1000 * NS_PER_S)
#define DELAY (20 * NS_PER_MS)

struct wire {
    struct outbox outbox;
    int core;
};

static void wire_open(struct wire *wire)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    outbox_init(&wire->outbox, pair[0], DELAY);
    wire->core = pair[1];
    assert_true(outbox_due(&wire->outbox) == UINT64_MAX);
}

static void wire_close(struct wire *wire)
{
    close(wire->outbox.fd);
    close(wire->core);
    outbox_free(&wire->outbox);
}

static void put(struct wire *wire, uint32_t id, uint64_t now)
{
    const struct message_silent message = {
        .head = {.kind = MESSAGE_SILENT, .length = sizeof message}, .id = id};
    assert_true(outbox_put(&wire->outbox, &message.head, now));
}

/* How many messages come in the next packet, numbered from first; 0: there is none. */
static size_t take(struct wire *wire, uint64_t now, uint32_t first)
{
    _Alignas(8) static uint8_t packet[MESSAGE_PACKET_MAX];
    const struct message *message;
    size_t at = 0, n = 0;
    assert_true(outbox_flush(&wire->outbox, now));
    ssize_t used = recv(wire->core, packet, sizeof packet, MSG_DONTWAIT);
    while (used > 0 && (message = message_next(packet, (size_t)used, &at)))
        assert_int_equal(((const struct message_silent *)message)->id, first + n++);
    return n;
}

static void messages_wait_for_others(void **state)
{
    (void)state;
    struct wire wire;
    wire_open(&wire);
    for (uint32_t round = 0; round < 3; round++) {
        uint64_t now = START + round * NS_PER_S;
        put(&wire, 1, now);
        put(&wire, 2, now + DELAY - 1);
        assert_true(outbox_due(&wire.outbox) == now + DELAY); /* that of the oldest */
        assert_int_equal(take(&wire, now + DELAY - 1, 1), 0);
        assert_int_equal(take(&wire, now + DELAY, 1), 2);
        assert_true(outbox_due(&wire.outbox) == UINT64_MAX);
    }
    wire_close(&wire);
}

/* For those that wait, and not for the next ones. */
static void hurry(void **state)
{
    (void)state;
    struct wire wire;
    wire_open(&wire);
    outbox_hurry(&wire.outbox); /* there is nothing to hurry */
    put(&wire, 1, START);
    assert_int_equal(take(&wire, START, 1), 0);
    outbox_hurry(&wire.outbox);
    assert_true(outbox_due(&wire.outbox) <= START);
    assert_int_equal(take(&wire, START, 1), 1);
    put(&wire, 2, START);
    assert_int_equal(take(&wire, START, 2), 0);
    assert_int_equal(take(&wire, START + DELAY, 2), 1);
    wire_close(&wire);
}

static void full_packets_do_not_wait(void **state)
{
    (void)state;
    struct wire wire;
    uint32_t n = 0;
    wire_open(&wire);
    while (outbox_due(&wire.outbox) != START)
        put(&wire, n++, START);
    size_t first = take(&wire, START, 0);
    assert_in_range(first, 2, n - 1);
    assert_int_equal(take(&wire, START, (uint32_t)first), 0); /* the rest is no full packet */
    assert_int_equal(take(&wire, START + DELAY, (uint32_t)first), n - first);
    wire_close(&wire);
}

/* What it does not take waits, and is not asked for again and again. */
static void the_core_does_not_read(void **state)
{
    (void)state;
    struct wire wire;
    uint32_t n = 0;
    wire_open(&wire);
    while (!outbox_is_full(&wire.outbox) && n < 1000000) {
        put(&wire, n++, START);
        assert_true(outbox_flush(&wire.outbox, START));
    }
    assert_true(wire.outbox.blocked);
    assert_true(outbox_due(&wire.outbox) == UINT64_MAX);
    uint32_t came = 0;
    for (size_t more; (more = take(&wire, START + DELAY, came));)
        came += (uint32_t)more;
    assert_int_equal(came, n);
    close(wire.core);
    put(&wire, 0, START);
    assert_false(outbox_flush(&wire.outbox, START + DELAY));
    wire.core = -1;
    wire_close(&wire);
}

/* Who has nothing to say says so, and not while something waits. */
static void silence_is_broken(void **state)
{
    (void)state;
    struct wire wire;
    _Alignas(8) uint8_t packet[64];
    const struct message *message = (const void *)packet;
    wire_open(&wire);
    put(&wire, 1, START);
    assert_true(outbox_alive_due(&wire.outbox) == UINT64_MAX);
    assert_int_equal(take(&wire, START + DELAY, 1), 1);
    uint64_t due = outbox_alive_due(&wire.outbox);
    assert_int_equal(due, START + DELAY + OUTBOX_ALIVE_NS);
    outbox_say_alive(&wire.outbox, due - 1);
    assert_true(outbox_due(&wire.outbox) == UINT64_MAX);
    outbox_say_alive(&wire.outbox, due);
    assert_int_equal(outbox_due(&wire.outbox), due);
    assert_true(outbox_flush(&wire.outbox, due));
    assert_int_equal(recv(wire.core, packet, sizeof packet, MSG_DONTWAIT), sizeof *message);
    assert_int_equal(message->kind, MESSAGE_ALIVE);
    assert_int_equal(outbox_alive_due(&wire.outbox), due + OUTBOX_ALIVE_NS);
    wire_close(&wire);
}

/* Answers with blocks, each whole and in one packet, with what was put between them. */
static void answers_are_not_divided(void **state)
{
    (void)state;
    struct wire wire;
    _Alignas(8) static uint8_t packet[MESSAGE_PACKET_MAX];
    union {
        struct message_block block;
        uint64_t room[1 + 2000 / 8];
    } block = {.block = {.sequence = 1, .length = 1234}};
    const struct message_block *blocks[] = {&block.block, &block.block, &block.block};
    const uint32_t answers = 3 * MESSAGE_PACKET_MAX / 4000;
    wire_open(&wire);
    for (uint32_t i = 0; i < answers; i++) {
        const struct message_answer answer = {
            .head = {.kind = MESSAGE_ANSWER}, .id = i, .n_blocks = 3};
        assert_true(outbox_put_answer(&wire.outbox, &answer, blocks, START));
        put(&wire, i, START);
    }
    assert_true(wire.outbox.n > 2);
    uint32_t came = 0, silent = 0;
    assert_true(outbox_flush(&wire.outbox, START + DELAY));
    for (ssize_t used; (used = recv(wire.core, packet, sizeof packet, MSG_DONTWAIT)) > 0;) {
        const struct message *message;
        size_t at = 0;
        while ((message = message_next(packet, (size_t)used, &at))) {
            const struct message_answer *answer = (const void *)message;
            if (message->kind == MESSAGE_SILENT) {
                assert_int_equal(((const struct message_silent *)message)->id, silent++);
                continue;
            }
            assert_int_equal(message->kind, MESSAGE_ANSWER);
            assert_int_equal(answer->id, came++);
            assert_int_equal(answer->n_blocks, 3);
        }
        assert_int_equal(at, used);
    }
    assert_int_equal(came, answers);
    assert_int_equal(silent, answers);
    wire_close(&wire);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_wait_for_others), cmocka_unit_test(hurry),
        cmocka_unit_test(full_packets_do_not_wait), cmocka_unit_test(the_core_does_not_read),
        cmocka_unit_test(silence_is_broken),        cmocka_unit_test(answers_are_not_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
