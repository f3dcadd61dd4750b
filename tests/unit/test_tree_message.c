/* What the core and the director say to each other: lengths, texts, numbers; and that nothing else
 * is taken for it. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tree/message.h"

#include "unit.h"

struct packet {
    _Alignas(8) uint8_t octets[MESSAGE_PACKET_MAX];
    size_t used;
};

static const struct {
    uint32_t kind;
    size_t size;
} kinds[] = {
    {MESSAGE_ALIVE, sizeof(struct message)},
    {TREE_MESSAGE_DOCUMENT, sizeof(struct tree_message_document)},
    {TREE_MESSAGE_DISSOLVE, sizeof(struct message)},
    {TREE_MESSAGE_ROW, sizeof(struct tree_message_row)},
    {TREE_MESSAGE_GONE, sizeof(struct tree_message_gone)},
    {TREE_MESSAGE_ROLE, sizeof(struct tree_message_role)},
    {TREE_MESSAGE_DONE, sizeof(struct message)},
    {TREE_MESSAGE_LOG, sizeof(struct tree_message_log)},
};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static struct packet *new_packet(void)
{
    struct packet *packet = malloc(sizeof *packet);
    assert_non_null(packet);
    memset(packet->octets, 0xee, sizeof packet->octets);
    packet->used = 0;
    return packet;
}

/* The shortest good message of a kind. */
static void put_least(struct packet *packet, size_t i)
{
    struct message *message = calloc(1, kinds[i].size + 8);
    assert_non_null(message);
    *message = (struct message){.kind = kinds[i].kind, .length = (uint32_t)kinds[i].size};
    if (message->kind == TREE_MESSAGE_ROW) {
        struct tree_message_row *row = (void *)message;
        row->name[0] = 'a';
        row->state = TREE_UP;
    }
    assert_true(message_put(packet->octets, &packet->used, message));
    free(message);
}

static bool is_taken(const struct packet *packet)
{
    size_t at = 0;
    return tree_message_next(packet->octets, packet->used, &at) != NULL;
}

static void every_kind_comes_back(void **state)
{
    (void)state;
    struct packet *packet = new_packet();
    for (size_t i = 0; i < N_KINDS; i++)
        put_least(packet, i);
    size_t at = 0;
    for (size_t i = 0; i < N_KINDS; i++) {
        const struct message *message = tree_message_next(packet->octets, packet->used, &at);
        assert_non_null(message);
        assert_int_equal(message->kind, kinds[i].kind);
        assert_int_equal((uintptr_t)message % 8, 0);
    }
    assert_null(tree_message_next(packet->octets, packet->used, &at));
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
        put_least(packet, i);
        struct message *message = (void *)packet->octets;
        for (uint32_t length = 0; length < 2048; length++) {
            message->length = length;
            assert_int_equal(is_taken(packet), length == kinds[i].size);
        }
        message->length = UINT32_MAX;
        assert_false(is_taken(packet));
        message->length = (uint32_t)kinds[i].size;
        for (size_t used = 0; used < packet->used; used++) {
            size_t at = 0;
            assert_null(tree_message_next(packet->octets, used, &at));
            assert_int_equal(at, 0);
        }
    }
    free(packet);
}

/* Those of the pollers are none here, but for the one that both say. */
static void kinds_are_checked(void **state)
{
    (void)state;
    struct packet *packet = new_packet();
    put_least(packet, 0);
    struct message *message = (void *)packet->octets;
    for (uint32_t kind = 0; kind < 1000; kind++) {
        message->kind = kind;
        assert_int_equal(is_taken(packet), kind == MESSAGE_ALIVE || kind == TREE_MESSAGE_DISSOLVE ||
                                               kind == TREE_MESSAGE_DONE);
    }
    message->kind = UINT32_MAX;
    assert_false(is_taken(packet));
    message->kind = TREE_MESSAGE_DONE;
    size_t at = 0;
    assert_null(message_next(packet->octets, packet->used, &at)); /* nor the other way round */
    free(packet);
}

/* Texts without an end, numbers that mean nothing, a bool of 2. */
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
        FIELD(TREE_MESSAGE_DOCUMENT, tree_message_document, self, 'a'),
        FIELD(TREE_MESSAGE_DOCUMENT, tree_message_document, root, 'a'),
        FIELD(TREE_MESSAGE_DOCUMENT, tree_message_document, length, 1), /* without a part */
        FIELD(TREE_MESSAGE_DOCUMENT, tree_message_document, n, 1),
        FIELD(TREE_MESSAGE_DOCUMENT, tree_message_document, offset, 0xff),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, name, 'a'),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, name, 0),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, address, 'a'),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, role, 4),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, parent, 'a'),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, group, 'a'),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, state, 0),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, state, 9),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, digest, 'a'),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, version, 'a'),
        FIELD(TREE_MESSAGE_ROW, tree_message_row, error, 'a'),
        FIELD(TREE_MESSAGE_GONE, tree_message_gone, name, 'a'),
        FIELD(TREE_MESSAGE_ROLE, tree_message_role, is_root, 2),
        FIELD(TREE_MESSAGE_ROLE, tree_message_role, root, 'a'),
        FIELD(TREE_MESSAGE_ROLE, tree_message_role, reason, 'a'),
        FIELD(TREE_MESSAGE_LOG, tree_message_log, text, 'a'),
        FIELD(TREE_MESSAGE_LOG, tree_message_log, level, 4),
    };
    struct packet *packet = new_packet();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < N_KINDS; k++) {
            if (kinds[k].kind != cases[i].kind)
                continue;
            packet->used = 0;
            put_least(packet, k);
            assert_true(is_taken(packet));
            memset(packet->octets + cases[i].offset, cases[i].fill, cases[i].size);
            assert_false(is_taken(packet));
        }
    free(packet);
}

/* The last number of each that is good, and the next one. */
static void limits_of_numbers(void **state)
{
    (void)state;
    static const struct {
        size_t kind;
        size_t offset;
        uint32_t most;
    } cases[] = {
        {3, offsetof(struct tree_message_row, role), SHARE_ROOT},
        {3, offsetof(struct tree_message_row, state), TREE_STOPPING},
        {7, offsetof(struct tree_message_log, level), LOG_LEVEL_DEBUG},
    };
    struct packet *packet = new_packet();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t beyond = 0; beyond < 2; beyond++) {
            uint32_t number = cases[i].most + beyond;
            packet->used = 0;
            put_least(packet, cases[i].kind);
            memcpy(packet->octets + cases[i].offset, &number, sizeof number);
            assert_int_equal(is_taken(packet), beyond == 0);
        }
    free(packet);
}

/* -- Parts of a document ---------------------------------------------------------------------- */

static bool part_is_taken(uint32_t length, uint32_t offset, uint32_t n, uint32_t octets)
{
    struct packet *packet = new_packet();
    struct tree_message_document *document = calloc(1, sizeof *document + octets);
    assert_non_null(document);
    *document = (struct tree_message_document){
        .head = {TREE_MESSAGE_DOCUMENT, (uint32_t)sizeof *document + octets},
        .length = length,
        .offset = offset,
        .n = n};
    assert_true(message_put(packet->octets, &packet->used, &document->head));
    free(document);
    bool taken = is_taken(packet);
    free(packet);
    return taken;
}

static void parts_lie_in_their_text(void **state)
{
    (void)state;
    assert_true(part_is_taken(0, 0, 0, 0));
    assert_true(part_is_taken(10, 0, 10, 10));
    assert_true(part_is_taken(10, 9, 1, 1));
    assert_false(part_is_taken(10, 10, 0, 0)); /* a text has parts */
    assert_false(part_is_taken(10, 10, 1, 1));
    assert_false(part_is_taken(10, 9, 2, 2));
    assert_false(part_is_taken(10, 11, 1, 1));
    assert_false(part_is_taken(10, UINT32_MAX, 1, 1)); /* their sum wraps */
    assert_false(part_is_taken(10, 0, 10, 9));
    assert_false(part_is_taken(10, 0, 10, 11));
    assert_true(part_is_taken(TREE_PART_MAX, 0, TREE_PART_MAX, TREE_PART_MAX));
    assert_false(part_is_taken(TREE_PART_MAX + 1, 0, TREE_PART_MAX + 1, TREE_PART_MAX + 1));
    assert_true(part_is_taken(TREE_DOCUMENT_MAX, TREE_DOCUMENT_MAX - 1, 1, 1));
    assert_false(part_is_taken(TREE_DOCUMENT_MAX + 1, 0, 1, 1));
    assert_false(part_is_taken(UINT32_MAX, UINT32_MAX - 1, 1, 1));
}

/* -- Anything ---------------------------------------------------------------------------------- */

/* What is taken of random packets lies inside them, and its texts end. */
static void random_packets(void **state)
{
    (void)state;
    srandom(16);
    size_t taken = 0;
    for (int round = 0; round < 50000; round++) {
        size_t size = (size_t)random() % 160 * 8;
        uint8_t *octets = calloc(1, size ? size : 1); /* of the exact size, for the sanitizer */
        assert_non_null(octets);
        for (size_t i = 0; i < size; i++)
            octets[i] = random() % 4 ? 0 : (uint8_t)random();
        if (size >= sizeof(struct message)) {
            size_t kind = (size_t)random() % N_KINDS;
            *(struct message *)(void *)octets = (struct message){
                kinds[kind].kind,
                (uint32_t)(random() % 2 ? kinds[kind].size : (size_t)random() % 2048)};
        }
        size_t at = 0;
        const struct message *message;
        while ((message = tree_message_next(octets, size, &at))) {
            assert_true((const uint8_t *)message + message->length <= octets + size);
            if (message->kind == TREE_MESSAGE_GONE)
                assert_true(
                    strlen(((const struct tree_message_gone *)(const void *)message)->name) <
                    NAME_SIZE);
            taken++;
        }
        assert_true(at <= size);
        free(octets);
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_comes_back), cmocka_unit_test(lengths_are_checked),
        cmocka_unit_test(kinds_are_checked),     cmocka_unit_test(contents_are_checked),
        cmocka_unit_test(limits_of_numbers),     cmocka_unit_test(parts_lie_in_their_text),
        cmocka_unit_test(random_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
