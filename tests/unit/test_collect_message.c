#include <stdlib.h>
#include <string.h>

#include "base/oid.h"
#include "collect/message.h"

#include "unit.h"

struct packet {
    _Alignas(8) uint8_t octets[MESSAGE_PACKET_MAX];
    size_t used;
};

static struct packet *new_packet(void)
{
    struct packet *packet = malloc(sizeof *packet);
    assert_non_null(packet);
    memset(packet->octets, 0xee, sizeof packet->octets);
    packet->used = 0;
    return packet;
}

static const struct {
    uint32_t kind;
    size_t size;
} kinds[] = {{MESSAGE_CREDENTIAL, sizeof(struct message_credential)},
             {MESSAGE_CHILD, sizeof(struct message_child)},
             {MESSAGE_FORGET, sizeof(struct message_forget)},
             {MESSAGE_LOOK_UP, sizeof(struct message_look_up)},
             {MESSAGE_ANSWER, sizeof(struct message_answer)},
             {MESSAGE_SILENT, sizeof(struct message_silent)},
             {MESSAGE_SERIES, offsetof(struct message_series, path) + 1},
             {MESSAGE_MOVE, sizeof(struct message_move)},
             {MESSAGE_SENDER, sizeof(struct message_sender)},
             {MESSAGE_PUSHED, sizeof(struct message_pushed)},
             {MESSAGE_DROPPED, sizeof(struct message_dropped)},
             {MESSAGE_DROP_OBJECT, sizeof(struct message_drop_object)},
             {MESSAGE_OBJECTS, sizeof(struct message_objects)},
             {MESSAGE_INSTANCE, sizeof(struct message_instance)},
             {MESSAGE_SAMPLES, sizeof(struct message_samples)},
             {MESSAGE_FAULT, sizeof(struct message_fault)}};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static void put_zeros(struct packet *packet, uint32_t kind, size_t size)
{
    struct message *message = calloc(1, size + 8);
    *message = (struct message){.kind = kind, .length = (uint32_t)size};
    assert_true(message_put(packet->octets, &packet->used, message));
    free(message);
}

static void every_kind_comes_back(void **state)
{
    (void)state;
    struct packet *packet = new_packet();
    for (size_t i = 0; i < N_KINDS; i++)
        put_zeros(packet, kinds[i].kind, kinds[i].size);
    size_t at = 0;
    for (size_t i = 0; i < N_KINDS; i++) {
        const struct message *message = message_next(packet->octets, packet->used, &at);
        assert_non_null(message);
        assert_int_equal(message->kind, kinds[i].kind);
        assert_int_equal((uintptr_t)message % 8, 0);
        assert_int_equal(at % 8, 0);
    }
    assert_null(message_next(packet->octets, packet->used, &at));
    assert_int_equal(at, packet->used);
    free(packet);
}

/* Of each kind, every length but the right one, and every cut of a packet. */
static void lengths_are_checked(void **state)
{
    (void)state;
    struct packet *packet = new_packet();
    for (size_t i = 0; i < N_KINDS; i++) {
        packet->used = 0;
        put_zeros(packet, kinds[i].kind, kinds[i].size);
        struct message *message = (void *)packet->octets;
        for (uint32_t length = 0; length < 2048; length++) {
            size_t at = 0;
            bool fits = length == kinds[i].size;
            bool may = kinds[i].kind == MESSAGE_ANSWER && length > kinds[i].size &&
                       (length + 7) / 8 * 8 <= packet->used;
            message->length = length;
            assert_int_equal(message_next(packet->octets, packet->used, &at) != NULL, fits || may);
        }
        message->length = (uint32_t)kinds[i].size;
        for (size_t used = 0; used < packet->used; used++) {
            size_t at = 0;
            assert_null(message_next(packet->octets, used, &at));
            assert_int_equal(at, 0);
        }
    }
    free(packet);
}

static void kinds_are_checked(void **state)
{
    (void)state;
    struct packet *packet = new_packet();
    put_zeros(packet, MESSAGE_FORGET, sizeof(struct message_forget));
    struct message *message = (void *)packet->octets;
    for (uint32_t kind = 0; kind < 1000; kind++) {
        size_t at = 0;
        message->kind = kind;
        assert_int_equal(message_next(packet->octets, packet->used, &at) != NULL,
                         kind == MESSAGE_FORGET);
    }
    free(packet);
}

/* Texts without an end, numbers beyond their arrays, a bool of 2. */
static void contents_are_checked(void **state)
{
    (void)state;
    static const struct {
        uint32_t kind;
        size_t offset, size;
        uint8_t fill;
    } cases[] = {
#define FIELD(kind, type, member, fill)                                                            \
    {kind, offsetof(struct type, member), sizeof(((struct type *)0)->member), fill}
        FIELD(MESSAGE_CREDENTIAL, message_credential, credential.name, 'a'),
        FIELD(MESSAGE_CREDENTIAL, message_credential, credential.user, 'a'),
        FIELD(MESSAGE_CREDENTIAL, message_credential, credential.auth_secret, 'a'),
        FIELD(MESSAGE_CREDENTIAL, message_credential, credential.priv_secret, 'a'),
        FIELD(MESSAGE_CHILD, message_child, address, 'a'),
        FIELD(MESSAGE_CHILD, message_child, credential, 'a'),
        FIELD(MESSAGE_CHILD, message_child, engine_id_len, 0xff),
        FIELD(MESSAGE_CHILD, message_child, keys.engine_id_len, 0xff),
        FIELD(MESSAGE_CHILD, message_child, keys.engine_id_len, 5),
        FIELD(MESSAGE_CHILD, message_child, keys.auth_len, 0xff),
        FIELD(MESSAGE_CHILD, message_child, keys.auth_len, 32),
        FIELD(MESSAGE_CHILD, message_child, keys.priv_len, 0xff),
        FIELD(MESSAGE_CHILD, message_child, keys.priv_len, 32),
        FIELD(MESSAGE_SENDER, message_sender, keys.engine_id_len, 5),
        FIELD(MESSAGE_SENDER, message_sender, keys.auth_len, 32),
        FIELD(MESSAGE_SENDER, message_sender, keys.priv_len, 32),
        FIELD(MESSAGE_LOOK_UP, message_look_up, n, 0xff),
        FIELD(MESSAGE_ANSWER, message_answer, engine_id_len, 0xff),
        FIELD(MESSAGE_SILENT, message_silent, text, 'a'),
        FIELD(MESSAGE_SENDER, message_sender, credential, 'a'),
        FIELD(MESSAGE_SENDER, message_sender, engine_id_len, 0xff),
        FIELD(MESSAGE_PUSHED, message_pushed, engine_id_len, 0xff),
        FIELD(MESSAGE_PUSHED, message_pushed, block.length, 0xff),
        FIELD(MESSAGE_SERIES, message_series, exists, 2),
        FIELD(MESSAGE_SERIES, message_series, sensor, 'a'),
        FIELD(MESSAGE_SERIES, message_series, instance, 'a'),
        FIELD(MESSAGE_SERIES, message_series, metric, 'a'),
        FIELD(MESSAGE_SERIES, message_series, unit, 'a'),
        {MESSAGE_SERIES, offsetof(struct message_series, path), 1, 'a'},
        FIELD(MESSAGE_CHILD, message_child, is_device, 2),
        FIELD(MESSAGE_OBJECTS, message_objects, n, 1),
        FIELD(MESSAGE_OBJECTS, message_objects, n, 0xff),
        FIELD(MESSAGE_INSTANCE, message_instance, exists, 2),
        FIELD(MESSAGE_INSTANCE, message_instance, instance, 'a'),
        FIELD(MESSAGE_SAMPLES, message_samples, n, 1),
        FIELD(MESSAGE_SAMPLES, message_samples, n, 0xff),
        FIELD(MESSAGE_SAMPLES, message_samples, engine_id_len, 0xff),
        FIELD(MESSAGE_SAMPLES, message_samples, has_up_time, 2),
        FIELD(MESSAGE_SAMPLES, message_samples, is_last, 2),
        FIELD(MESSAGE_SAMPLES, message_samples, is_all, 2),
        FIELD(MESSAGE_FAULT, message_fault, text, 'a'),
    };
    struct packet *packet = new_packet();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < N_KINDS; k++) {
            packet->used = 0;
            if (kinds[k].kind == cases[i].kind)
                put_zeros(packet, kinds[k].kind, kinds[k].size);
            else
                continue;
            size_t at = 0;
            assert_non_null(message_next(packet->octets, packet->used, &at));
            memset(packet->octets + cases[i].offset, cases[i].fill, cases[i].size);
            at = 0;
            assert_null(message_next(packet->octets, packet->used, &at));
        }
    }
    free(packet);
}

static void lengths_of_keys(void **state)
{
    (void)state;
    static const struct {
        uint8_t engine, auth, priv;
        bool good;
    } cases[] = {{0, 0, 0, true},     {5, 32, 32, true},   {32, 64, 64, true},
                 {33, 64, 64, false}, {32, 65, 64, false}, {32, 64, 65, false},
                 {0, 32, 32, false},  {5, 0, 32, false},   {5, 32, 0, false}};
    struct packet *packet = new_packet();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct message_child child = {.head = {.kind = MESSAGE_CHILD, .length = sizeof child},
                                      .keys = {.engine_id_len = cases[i].engine,
                                               .auth_len = cases[i].auth,
                                               .priv_len = cases[i].priv}};
        size_t at = 0;
        packet->used = 0;
        assert_true(message_put(packet->octets, &packet->used, &child.head));
        assert_int_equal(message_next(packet->octets, packet->used, &at) != NULL, cases[i].good);
    }
    free(packet);
}

static void limits_of_numbers(void **state)
{
    (void)state;
    static const struct {
        uint32_t kind;
        size_t offset;
        uint32_t most;
    } cases[] = {
        {MESSAGE_CHILD, offsetof(struct message_child, engine_id_len), ENGINE_ID_MAX},
        {MESSAGE_LOOK_UP, offsetof(struct message_look_up, n), POLL_SERIES_MAX},
        {MESSAGE_ANSWER, offsetof(struct message_answer, engine_id_len), ENGINE_ID_MAX},
        {MESSAGE_SENDER, offsetof(struct message_sender, engine_id_len), ENGINE_ID_MAX},
        {MESSAGE_PUSHED, offsetof(struct message_pushed, engine_id_len), ENGINE_ID_MAX},
        {MESSAGE_SAMPLES, offsetof(struct message_samples, engine_id_len), ENGINE_ID_MAX},
    };
    struct packet *packet = new_packet();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < N_KINDS; k++)
            for (uint32_t beyond = 0; beyond < 2 && kinds[k].kind == cases[i].kind; beyond++) {
                uint32_t number = cases[i].most + beyond;
                size_t at = 0;
                packet->used = 0;
                put_zeros(packet, kinds[k].kind, kinds[k].size);
                memcpy(packet->octets + cases[i].offset, &number, sizeof number);
                assert_int_equal(message_next(packet->octets, packet->used, &at) != NULL,
                                 beyond == 0);
            }
    free(packet);
}

/* Messages that say themselves how long they are: with so many parts, and with no other length. */
static void parts_are_counted(void **state)
{
    (void)state;
    union {
        struct message head;
        struct message_object object;
        struct message_objects objects;
        struct message_samples samples;
        uint8_t room[4096];
    } message;
    struct packet *packet = new_packet();
    for (uint32_t n = 0; n <= 300; n++) {
        struct {
            uint32_t kind;
            size_t size;
            bool good;
        } cases[] = {
            {MESSAGE_OBJECT, sizeof message.object + n * 4, n >= 2 && n <= 2 * OID_MAX},
            {MESSAGE_OBJECTS, sizeof message.objects + n * 4, n <= POLL_OBJECTS_MAX},
            {MESSAGE_SAMPLES, sizeof message.samples + n * sizeof(struct sample),
             n <= POLL_SAMPLES_MAX},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (cases[i].size > sizeof message)
                continue;
            memset(&message, 0, sizeof message);
            message.head = (struct message){cases[i].kind, (uint32_t)cases[i].size};
            if (cases[i].kind == MESSAGE_OBJECT) {
                message.object.n_oid = n > OID_MAX ? OID_MAX : n;
                message.object.n_label = n - message.object.n_oid;
            } else if (cases[i].kind == MESSAGE_OBJECTS) {
                message.objects.n = n;
            } else {
                message.samples.n = n;
            }
            for (int by = -4; by <= 4; by += 4) {
                size_t at = 0;
                packet->used = 0;
                message.head.length = (uint32_t)(cases[i].size + (size_t)by);
                assert_true(message_put(packet->octets, &packet->used, &message.head));
                for (size_t end = message.head.length; end < packet->used; end++)
                    assert_int_equal(packet->octets[end], 0); /* of older packets, nothing */
                if (message.head.length < packet->used)       /* it is not filled up */
                    assert_null(message_next(packet->octets, message.head.length, &at));
                assert_int_equal(message_next(packet->octets, packet->used, &at) != NULL,
                                 cases[i].good && by == 0);
            }
        }
    }
    free(packet);
}

static void full_packets_take_no_more(void **state)
{
    (void)state;
    struct packet *packet = new_packet();
    struct message_forget message = {.head = {MESSAGE_FORGET, sizeof message}};
    size_t n = 0;
    while (message_put(packet->octets, &packet->used, &message.head))
        n++;
    assert_int_equal(n, MESSAGE_PACKET_MAX / 16);
    assert_int_equal(packet->used, MESSAGE_PACKET_MAX);
    free(packet);
}

/* -- Answers --------------------------------------------------------------------------------- */

#define N_BLOCKS 20

static struct message_block *new_block(uint32_t sequence, uint32_t length)
{
    struct message_block *block = malloc(sizeof *block + length);
    assert_non_null(block);
    block->sequence = sequence;
    block->length = length;
    memset(block->bytes, (int)sequence, length);
    return block;
}

static void check_blocks(const struct message_answer *answer, uint32_t n, uint32_t step)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct message_block *block = message_block(answer, i);
        assert_non_null(block);
        assert_int_equal(block->sequence, i + 1);
        assert_int_equal(block->length, i * step);
        for (uint32_t k = 0; k < block->length; k++)
            assert_int_equal(block->bytes[k], i + 1);
    }
    assert_null(message_block(answer, n));
    assert_null(message_block(answer, UINT32_MAX));
}

/* However much room there is, as many blocks as fit come back whole, and nothing is written beyond
 * the packet. */
static void answers_carry_what_fits(void **state)
{
    (void)state;
    const uint32_t step = 37;
    struct message_block *blocks[N_BLOCKS];
    struct packet *packet = new_packet();
    size_t least = N_BLOCKS + 1, most = 0;
    for (uint32_t i = 0; i < N_BLOCKS; i++)
        blocks[i] = new_block(i + 1, i * step);
    struct message_answer answer = {.id = 7, .n_blocks = N_BLOCKS};
    for (size_t room = 0; room < 9000; room += 8) {
        size_t before = packet->used = MESSAGE_PACKET_MAX - room, at = before;
        size_t n = message_put_answer(packet->octets, &packet->used, &answer,
                                      (const struct message_block *const *)blocks);
        assert_true(packet->used <= MESSAGE_PACKET_MAX);
        least = n < least ? n : least;
        most = n > most ? n : most;
        if (n == 0) {
            assert_int_equal(packet->used, before);
            continue;
        }
        const struct message *message = message_next(packet->octets, packet->used, &at);
        assert_non_null(message);
        assert_int_equal(at, packet->used);
        assert_int_equal(((const struct message_answer *)(const void *)message)->n_blocks, n);
        check_blocks((const void *)message, (uint32_t)n, step);
    }
    assert_int_equal(least, 0);
    assert_int_equal(most, N_BLOCKS);
    for (uint32_t i = 0; i < N_BLOCKS; i++)
        free(blocks[i]);
    free(packet);
}

static void answers_without_blocks(void **state)
{
    (void)state;
    struct packet *packet = new_packet();
    struct message_answer answer = {.id = 7};
    size_t at = 0;
    assert_int_equal(message_put_answer(packet->octets, &packet->used, &answer, NULL), 0);
    assert_true(packet->used > 0);
    const struct message *message = message_next(packet->octets, packet->used, &at);
    assert_non_null(message);
    assert_null(message_block((const void *)message, 0));
    packet->used = MESSAGE_PACKET_MAX - 8;
    assert_int_equal(message_put_answer(packet->octets, &packet->used, &answer, NULL), 0);
    assert_int_equal(packet->used, MESSAGE_PACKET_MAX - 8);
    free(packet);
}

/* Any octets as an answer: message_block stays inside. */
static void random_answers(void **state)
{
    (void)state;
    srandom(1);
    for (int round = 0; round < 20000; round++) {
        size_t size = sizeof(struct message_answer) + (size_t)random() % 200;
        uint8_t *octets = malloc(size); /* of the exact size, for the sanitizer */
        for (size_t i = 0; i < size; i++)
            octets[i] = random() % 3 ? 0 : (uint8_t)random();
        struct message_answer *answer = (void *)octets;
        answer->head = (struct message){MESSAGE_ANSWER, (uint32_t)size};
        answer->engine_id_len = 0;
        for (uint32_t i = 0; i < 8; i++) {
            const struct message_block *block = message_block(answer, i);
            assert_true(!block || block->bytes + block->length <= octets + size);
        }
        free(octets);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_comes_back),     cmocka_unit_test(lengths_are_checked),
        cmocka_unit_test(kinds_are_checked),         cmocka_unit_test(contents_are_checked),
        cmocka_unit_test(full_packets_take_no_more), cmocka_unit_test(answers_carry_what_fits),
        cmocka_unit_test(answers_without_blocks),    cmocka_unit_test(random_answers),
        cmocka_unit_test(parts_are_counted),         cmocka_unit_test(lengths_of_keys),
        cmocka_unit_test(limits_of_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
