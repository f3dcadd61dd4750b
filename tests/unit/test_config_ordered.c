/* Documents that are ordered in parts: which orders are obeyed, by their definition; every way to
 * cut a document; what is refused, and what that leaves; random histories of two roots. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/ordered.h"
#include "scarce.h"
#include "unit.h"

#define DOCUMENTS 3
#define LARGEST 300

/* Documents that need not be packed: nothing here unpacks them. */
struct sample {
    uint8_t octets[LARGEST];
    uint32_t len;
    uint8_t digest[CONFIG_DIGEST];
};

static struct sample sample_of(unsigned seed, uint32_t len)
{
    struct sample sample = {.len = len};
    for (uint32_t i = 0; i < len; i++)
        sample.octets[i] = (uint8_t)(seed * 31 + i * (seed + 7));
    struct parcel *parcel = parcel_of(sample.octets, len);
    memcpy(sample.digest, parcel->digest, sizeof sample.digest);
    parcel_drop(parcel);
    return sample;
}

#define ALL                                                                                        \
    (ORDER_HAS_TERM | ORDER_HAS_EPOCH | ORDER_HAS_ROOT | ORDER_HAS_DIGEST | ORDER_HAS_LENGTH)

/* The order of a document, NULL: of none, without a part. */
static struct order_request request_of(uint32_t term, uint32_t epoch, const char *root,
                                       const struct sample *sample)
{
    struct order_request request = {.given = ALL};
    request.order = (struct order){.term = term, .epoch = epoch, .is_empty = !sample};
    snprintf(request.order.root, sizeof request.order.root, "%s", root);
    if (sample) {
        memcpy(request.order.digest, sample->digest, sizeof sample->digest);
        request.order.length = sample->len;
    }
    return request;
}

static void add_part(struct order_request *request, const struct sample *sample, uint32_t offset,
                     uint32_t len)
{
    request->given |= ORDER_HAS_OFFSET | ORDER_HAS_PART;
    request->offset = offset;
    request->part_len = len;
    memcpy(request->part, sample->octets + offset, len);
}

/* Tests, commits and ends a request. text: FAULT_SIZE, or NULL. */
static enum order_verdict obey(struct ordered *ordered, const struct order_request *request,
                               char *text)
{
    char reason[FAULT_SIZE] = "";
    struct order_step *step = NULL;
    enum order_verdict verdict = order_test(ordered, request, &step, text ? text : reason);
    if (verdict)
        return verdict;
    assert_true(order_commit(step));
    assert_true(order_commit(step));
    order_end(step);
    return ORDER_OK;
}

static bool is_refused(struct ordered *ordered, const struct order_request *request,
                       const char *reason)
{
    char text[FAULT_SIZE] = "";
    enum document_state state = ordered_state(ordered);
    struct order order = ordered->order;
    if (obey(ordered, request, text) != ORDER_INCONSISTENT || !strstr(text, reason)) {
        print_message("\"%s\" is not in \"%s\"\n", reason, text);
        return false;
    }
    assert_memory_equal(&ordered->order, &order, sizeof order);
    assert_int_equal(ordered_state(ordered), state);
    return true;
}

/* The whole document in one order, as the core adopts it. */
static void order_whole(struct ordered *ordered, uint32_t term, uint32_t epoch, const char *root,
                        const struct sample *sample)
{
    struct order_request request = request_of(term, epoch, root, sample);
    if (sample)
        add_part(&request, sample, 0, sample->len);
    assert_int_equal(obey(ordered, &request, NULL), ORDER_OK);
    ordered_adopt(ordered);
}

static void assert_in_force(const struct ordered *ordered, const struct sample *sample)
{
    assert_int_equal(ordered->in_force != NULL, sample != NULL);
    if (!sample)
        return;
    assert_int_equal(ordered->in_force->len, sample->len);
    assert_memory_equal(ordered->in_force->octets, sample->octets, sample->len);
    assert_memory_equal(ordered->in_force->digest, sample->digest, CONFIG_DIGEST);
}

/* -- The rule -------------------------------------------------------------------------------- */

#define TERMS 4
#define EPOCHS 3
#define CHOICES (TERMS * EPOCHS * 2 * DOCUMENTS)

/* Every order of small numbers, two roots and three documents, of which the first is none. */
static struct order choice(int n)
{
    static const char *const roots[] = {"r1", "r2"};
    struct order order = {.term = (uint32_t)(n % TERMS), .epoch = (uint32_t)(n / TERMS % EPOCHS)};
    snprintf(order.root, sizeof order.root, "%s", roots[n / TERMS / EPOCHS % 2]);
    int document = n / TERMS / EPOCHS / 2;
    order.is_empty = document == 0;
    memset(order.digest, document, sizeof order.digest);
    order.length = document ? 10 : 0;
    return order;
}

static void orders_are_obeyed_by_their_rule(void **state)
{
    (void)state;
    size_t obeyed = 0;
    for (int k = 0; k < CHOICES; k++)
        for (int n = 0; n < CHOICES; n++) {
            struct order known = choice(k), order = choice(n);
            if (known.term == 0)
                known = (struct order){.term = 0};
            bool same = known.is_empty == order.is_empty &&
                        memcmp(known.digest, order.digest, sizeof known.digest) == 0;
            bool next = order.epoch > known.epoch || (order.epoch == known.epoch && same);
            bool right = order.term > known.term || (order.term == known.term && order.term > 0 &&
                                                     strcmp(order.root, known.root) == 0 && next);
            char text[FAULT_SIZE] = "";
            assert_int_equal(order_is_obeyed(&known, &order, text), right);
            assert_int_equal(text[0] == '\0', right);
            obeyed += right;
        }
    assert_in_range(obeyed, CHOICES, CHOICES * CHOICES - CHOICES);
}

static void refusals_say_what_is_known(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 20), b = sample_of(2, 20);
    struct ordered ordered = {.held = 0};
    order_whole(&ordered, 4, 7, "r2", &a);
    struct order_request lower = request_of(3, 9, "r1", &b);
    assert_true(is_refused(&ordered, &lower, "the order has term 3, but \"r2\" is root in term 4"));
    struct order_request other = request_of(4, 9, "r1", &b);
    assert_true(
        is_refused(&ordered, &other, "the order is of \"r1\" in term 4, but \"r2\" is root in it"));
    struct order_request older = request_of(4, 6, "r2", &b);
    assert_true(is_refused(&ordered, &older,
                           "the order has epoch 6, but epoch 7 of \"r2\" in term 4 is known"));
    struct order_request twice = request_of(4, 7, "r2", &b);
    assert_true(
        is_refused(&ordered, &twice, "epoch 7 of \"r2\" in term 4 has ordered another document"));
    struct ordered fresh = {.held = 0};
    struct order_request none = request_of(0, 1, "r1", &a);
    assert_true(is_refused(&fresh, &none, "the order has term 0; the first one is 1"));
    assert_in_force(&ordered, &a);
    ordered_release(&ordered);
}

/* -- Columns --------------------------------------------------------------------------------- */

static void every_set_of_columns(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 20);
    for (unsigned given = 0; given < 128; given++) {
        struct ordered ordered = {.held = 0};
        struct order_request request = request_of(1, 1, "r1", &a);
        add_part(&request, &a, 0, 20);
        request.given = given;
        char text[FAULT_SIZE] = "";
        enum order_verdict verdict = obey(&ordered, &request, text);
        assert_int_equal(verdict, given == 127 ? ORDER_OK : ORDER_INCONSISTENT);
        assert_true(given == 127 || strstr(text, "missing"));
        assert_int_equal(ordered_state(&ordered), given == 127 ? DOCUMENT_WAITING : DOCUMENT_NONE);
        ordered_release(&ordered);
    }
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 20);
    struct ordered ordered = {.held = 0};
    struct order_request request = request_of(1, 1, "r1", &a);
    request.order.length = 0;
    assert_true(is_refused(&ordered, &request, "the length is 0, but there is a digest"));
    request = request_of(1, 1, "r1", NULL);
    request.order.length = 5;
    assert_true(is_refused(&ordered, &request, "the length is 5 without a digest"));
    request = request_of(1, 1, "r1", NULL);
    add_part(&request, &a, 0, 0);
    assert_true(is_refused(&ordered, &request, "there is a part, but no document"));
    request = request_of(1, 1, "r1", &a);
    add_part(&request, &a, 0, 20);
    request.order.length = 19;
    assert_true(is_refused(&ordered, &request, "ends behind the 19 octets"));
    add_part(&request, &a, 1, 5);
    assert_true(is_refused(&ordered, &request, "begins at 1, but only 0 octets are here"));
    order_whole(&ordered, 1, 1, "r1", &a);
    request = request_of(1, 2, "r1", &a);
    request.order.length = 21;
    assert_true(is_refused(&ordered, &request, "has 20 octets, and not 21"));
    ordered_release(&ordered);
}

/* -- Parts ----------------------------------------------------------------------------------- */

/* Every way to cut 9 octets into parts, in one epoch or with a new one for each. */
static void documents_come_in_parts(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9);
    for (unsigned cuts = 0; cuts < 256; cuts++)
        for (uint32_t more = 0; more < 2; more++) {
            struct ordered ordered = {.held = 0};
            uint32_t begin = 0, epoch = 1;
            for (uint32_t end = 1; end <= 9; end++) {
                if (end < 9 && !(cuts & 1u << (end - 1)))
                    continue;
                struct order_request request = request_of(1, epoch, "r1", &a);
                add_part(&request, &a, begin, end - begin);
                assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
                assert_int_equal(ordered_state(&ordered),
                                 end < 9 ? DOCUMENT_PARTIAL : DOCUMENT_WAITING);
                assert_int_equal(ordered.held, end);
                assert_in_force(&ordered, NULL);
                begin = end;
                epoch += more;
            }
            ordered_adopt(&ordered);
            assert_int_equal(ordered_state(&ordered), DOCUMENT_IN_FORCE);
            assert_in_force(&ordered, &a);
            ordered_release(&ordered);
        }
}

/* A part that is sent again, whole or in other pieces, does no harm. */
static void parts_may_come_again(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9);
    for (uint32_t held = 0; held < 9; held++)
        for (uint32_t begin = 0; begin <= held; begin++)
            for (uint32_t end = begin; end <= 9; end++) {
                struct ordered ordered = {.held = 0};
                struct order_request request = request_of(1, 1, "r1", &a);
                add_part(&request, &a, 0, held);
                assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
                add_part(&request, &a, begin, end - begin);
                assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
                assert_int_equal(ordered.held, end > held ? end : held);
                add_part(&request, &a, ordered.held, 9 - ordered.held);
                assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
                assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
                assert_int_equal(ordered_state(&ordered), DOCUMENT_WAITING);
                ordered_adopt(&ordered);
                assert_in_force(&ordered, &a);
                ordered_release(&ordered);
            }
}

/* One octet is another one: the document never comes into force, and can be sent anew. */
static void wrong_octets_are_found(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9);
    for (uint32_t wrong = 0; wrong < 9; wrong++)
        for (uint32_t cut = 0; cut < 9; cut++) {
            struct ordered ordered = {.held = 0};
            struct sample spoiled = a;
            spoiled.octets[wrong] ^= 0x10;
            struct order_request request = request_of(1, 1, "r1", &a);
            add_part(&request, &spoiled, 0, cut);
            assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
            add_part(&request, &spoiled, cut, 9 - cut);
            assert_true(is_refused(&ordered, &request, "its SHA-256 is not the one"));
            assert_int_equal(ordered.held, 0);
            assert_null(ordered.coming);
            order_whole(&ordered, 1, 1, "r1", &a);
            assert_in_force(&ordered, &a);
            ordered_release(&ordered);
        }
}

static void other_octets_than_before_are_found(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9), spoiled = a;
    spoiled.octets[3] ^= 1;
    struct ordered ordered = {.held = 0};
    struct order_request request = request_of(1, 1, "r1", &a);
    add_part(&request, &a, 0, 5);
    assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
    add_part(&request, &spoiled, 3, 2);
    assert_true(is_refused(&ordered, &request, "other octets than those that are here"));
    assert_int_equal(ordered.held, 0);
    /* Once it is whole and waits, it is what was ordered, whatever comes. */
    add_part(&request, &a, 0, 9);
    assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
    add_part(&request, &spoiled, 3, 2);
    assert_true(is_refused(&ordered, &request, "other octets than those that are here"));
    assert_int_equal(ordered.held, 9);
    ordered_adopt(&ordered);
    assert_in_force(&ordered, &a);
    ordered_release(&ordered);
}

/* What another order left is not mixed with what a new one brings, and a wrong document of one
 * order costs that of another nothing. */
static void a_new_digest_begins_at_0(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9), b = sample_of(2, 12);
    struct ordered ordered = {.held = 0};
    struct order_request first = request_of(1, 1, "r1", &a), second = request_of(2, 1, "r2", &b);
    add_part(&first, &a, 0, 5);
    assert_int_equal(obey(&ordered, &first, NULL), ORDER_OK);
    add_part(&second, &b, 5, 7);
    assert_true(is_refused(&ordered, &second, "begins at 5, but only 0 octets are here"));
    add_part(&second, &a, 0, 9);
    second.order.length = 9;
    assert_true(is_refused(&ordered, &second, "its SHA-256 is not the one"));
    assert_int_equal(ordered.held, 5);
    second.order.length = 12;
    add_part(&second, &b, 0, 12);
    assert_int_equal(obey(&ordered, &second, NULL), ORDER_OK);
    ordered_adopt(&ordered);
    assert_in_force(&ordered, &b);
    ordered_release(&ordered);
}

/* -- What is in force ------------------------------------------------------------------------ */

static void what_is_in_force_needs_no_parts(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9), b = sample_of(2, 12);
    struct ordered ordered = {.held = 0};
    order_whole(&ordered, 1, 1, "r1", &a);
    struct order_request request = request_of(2, 1, "r2", &a);
    assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
    assert_int_equal(ordered_state(&ordered), DOCUMENT_IN_FORCE);
    assert_string_equal(ordered.order.root, "r2");
    /* Neither does it, if parts of another one are here. */
    struct order_request other = request_of(2, 2, "r2", &b);
    assert_true(is_refused(&ordered, &other, "the document of this digest is not here"));
    add_part(&other, &b, 0, 5);
    assert_int_equal(obey(&ordered, &other, NULL), ORDER_OK);
    assert_int_equal(ordered_state(&ordered), DOCUMENT_PARTIAL);
    request = request_of(2, 3, "r2", &a);
    assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
    assert_int_equal(ordered_state(&ordered), DOCUMENT_IN_FORCE);
    assert_null(ordered.coming);
    assert_in_force(&ordered, &a);
    ordered_release(&ordered);
}

static void there_may_be_none(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9);
    struct ordered ordered = {.held = 0};
    struct order_request none = request_of(1, 1, "r1", NULL);
    assert_int_equal(obey(&ordered, &none, NULL), ORDER_OK);
    assert_int_equal(ordered_state(&ordered), DOCUMENT_NONE);
    order_whole(&ordered, 1, 2, "r1", &a);
    none = request_of(1, 3, "r1", NULL);
    assert_int_equal(obey(&ordered, &none, NULL), ORDER_OK);
    assert_int_equal(ordered_state(&ordered), DOCUMENT_WAITING);
    assert_null(ordered_wanted(&ordered));
    assert_in_force(&ordered, &a);
    ordered_adopt(&ordered);
    assert_int_equal(ordered_state(&ordered), DOCUMENT_NONE);
    assert_in_force(&ordered, NULL);
    ordered_release(&ordered);
}

static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9), b = sample_of(2, 12);
    struct ordered ordered = {.held = 0};
    order_whole(&ordered, 1, 1, "r1", &a);
    struct order_request request = request_of(1, 2, "r1", &b);
    add_part(&request, &b, 0, 12);
    assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
    ordered_refuse(&ordered, "share:3: it is wrong");
    assert_int_equal(ordered_state(&ordered), DOCUMENT_REFUSED);
    assert_string_equal(ordered.error, "share:3: it is wrong");
    assert_in_force(&ordered, &a);
    assert_ptr_equal(ordered_wanted(&ordered), ordered.in_force);
    /* Nothing waits: neither can be said twice. */
    ordered_refuse(&ordered, "again");
    ordered_adopt(&ordered);
    assert_string_equal(ordered.error, "share:3: it is wrong");
    order_whole(&ordered, 1, 3, "r1", &b);
    assert_string_equal(ordered.error, "");
    assert_in_force(&ordered, &b);
    ordered_lose(&ordered, "it cannot be read any more");
    assert_int_equal(ordered_state(&ordered), DOCUMENT_REFUSED);
    assert_in_force(&ordered, NULL);
    ordered_release(&ordered);
}

/* -- The previous one ------------------------------------------------------------------------ */

/* As order_whole, of a document of which two are kept. */
static void supersede(struct ordered *ordered, uint32_t epoch, const struct sample *sample)
{
    struct order_request request = request_of(1, epoch, "r1", sample);
    if (sample)
        add_part(&request, sample, 0, sample->len);
    assert_int_equal(obey(ordered, &request, NULL), ORDER_OK);
    ordered_supersede(ordered);
}

static void assert_previous(const struct ordered *ordered, const struct sample *sample,
                            uint32_t serial)
{
    assert_int_equal(ordered->previous != NULL, sample != NULL);
    assert_int_equal(ordered->previous_serial, serial);
    if (sample)
        assert_memory_equal(ordered->previous->digest, sample->digest, CONFIG_DIGEST);
}

static void the_previous_one_is_kept(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9), b = sample_of(2, 12);
    struct ordered ordered = {.held = 0};
    ordered_supersede(&ordered); /* nothing waits */
    supersede(&ordered, 1, &a);
    assert_in_force(&ordered, &a);
    assert_previous(&ordered, NULL, 0);
    ordered.serial = 7;
    supersede(&ordered, 2, &b);
    assert_in_force(&ordered, &b);
    assert_int_equal(ordered.serial, 0);
    assert_previous(&ordered, &a, 7);
    /* the same once more is no other one, and what is refused is none */
    supersede(&ordered, 3, &b);
    assert_previous(&ordered, &a, 7);
    struct order_request request = request_of(1, 4, "r1", &a);
    add_part(&request, &a, 0, a.len);
    assert_int_equal(obey(&ordered, &request, NULL), ORDER_OK);
    ordered_refuse(&ordered, "no");
    ordered_supersede(&ordered);
    assert_in_force(&ordered, &b);
    assert_previous(&ordered, &a, 7);
    /* back, and back again */
    ordered.serial = 8;
    supersede(&ordered, 5, &a);
    assert_in_force(&ordered, &a);
    assert_previous(&ordered, &b, 8);
    supersede(&ordered, 6, &b);
    assert_previous(&ordered, &a, 0);
    ordered_release(&ordered);
    assert_previous(&ordered, NULL, 0);
}

/* A node that is to have none any more has no previous one either. */
static void the_previous_one_ends_as_well(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9), b = sample_of(2, 12);
    struct ordered ordered = {.held = 0};
    supersede(&ordered, 1, &a);
    supersede(&ordered, 2, &b);
    supersede(&ordered, 3, NULL);
    assert_in_force(&ordered, NULL);
    assert_previous(&ordered, NULL, 0);
    supersede(&ordered, 4, &a);
    ordered.serial = 3;
    supersede(&ordered, 5, &b);
    struct order_request none = request_of(1, 6, "r1", NULL);
    assert_int_equal(obey(&ordered, &none, NULL), ORDER_OK);
    ordered_end(&ordered);
    assert_previous(&ordered, &a, 3);
    ordered_ended(&ordered);
    assert_previous(&ordered, NULL, 0);
    ordered_release(&ordered);
}

static void an_undo_restores_the_previous_one(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9), b = sample_of(2, 12), c = sample_of(3, 5);
    struct ordered ordered = {.held = 0};
    struct order_step *step = NULL;
    char text[FAULT_SIZE];
    supersede(&ordered, 1, &a);
    supersede(&ordered, 2, &b);
    struct order_request request = request_of(1, 3, "r1", &c);
    add_part(&request, &c, 0, c.len);
    assert_int_equal(order_test(&ordered, &request, &step, text), ORDER_OK);
    assert_true(order_commit(step));
    ordered_supersede(&ordered);
    assert_previous(&ordered, &b, 0);
    order_undo(step);
    assert_in_force(&ordered, &b);
    assert_previous(&ordered, &a, 0);
    order_end(step);
    ordered_release(&ordered);
}

/* A reason that is too long is cut between two characters. */
static void reasons_are_cut(void **state)
{
    (void)state;
    for (size_t before = 0; before < 4; before++) {
        char reason[2 * MESSAGE_SIZE] = "abc";
        struct ordered ordered = {.held = 0};
        reason[before] = '\0';
        while (strlen(reason) < MESSAGE_SIZE + 8)
            strcat(reason, "\xe2\x82\xac");
        ordered_lose(&ordered, reason);
        size_t len = strlen(ordered.error);
        assert_in_range(len, MESSAGE_SIZE - 4, MESSAGE_SIZE - 1);
        assert_int_equal((len - before) % 3, 0);
        assert_memory_equal(ordered.error, reason, len);
        ordered_release(&ordered);
    }
}

/* -- Undo ------------------------------------------------------------------------------------ */

/* All that can be seen of a document. */
struct picture {
    struct order order;
    enum document_state state;
    uint32_t held;
    uint8_t coming[LARGEST];
    uint8_t in_force[CONFIG_DIGEST];
    bool is_in_force;
    char error[MESSAGE_SIZE];
};

static struct picture picture_of(const struct ordered *ordered)
{
    struct picture picture;
    memset(&picture, 0, sizeof picture);
    picture.order = ordered->order;
    picture.state = ordered_state(ordered);
    picture.held = ordered->held;
    if (ordered->coming)
        memcpy(picture.coming, ordered->coming->octets, ordered->held);
    picture.is_in_force = ordered->in_force;
    if (ordered->in_force)
        memcpy(picture.in_force, ordered->in_force->digest, CONFIG_DIGEST);
    snprintf(picture.error, sizeof picture.error, "%s", ordered->error);
    return picture;
}

static void an_undo_restores_what_was(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9), b = sample_of(2, 12);
    for (int adopted = 0; adopted < 3; adopted++) {
        struct ordered ordered = {.held = 0};
        order_whole(&ordered, 1, 1, "r1", &a);
        struct order_request request = request_of(2, 1, "r2", &b);
        struct order_step *step, *late;
        char text[FAULT_SIZE];
        add_part(&request, &b, 0, 12);
        struct picture before = picture_of(&ordered);
        assert_int_equal(order_test(&ordered, &request, &step, text), ORDER_OK);
        assert_int_equal(order_test(&ordered, &request, &late, text), ORDER_OK);
        order_undo(step); /* of what was not done */
        assert_true(order_commit(step));
        assert_true(order_is_whole(step));
        /* The other one was tested against what is no more. */
        assert_false(order_commit(late));
        order_end(late);
        if (adopted == 1)
            ordered_adopt(&ordered);
        else if (adopted == 2)
            ordered_refuse(&ordered, "wrong");
        uint64_t changes = ordered.changes;
        order_undo(step);
        order_undo(step);
        struct picture after = picture_of(&ordered);
        assert_memory_equal(&before, &after, sizeof before);
        assert_int_equal(ordered.changes, changes + 1);
        assert_false(order_commit(step));
        order_end(step);
        assert_in_force(&ordered, &a);
        ordered_release(&ordered);
    }
}

/* -- Histories ------------------------------------------------------------------------------- */

struct history {
    struct ordered ordered;
    struct sample samples[DOCUMENTS];
    uint32_t term[2], epoch[2]; /* of the roots */
    size_t accepted, refused, adopted;
    uint32_t seed;
};

static uint32_t draw(struct history *history, uint32_t n)
{
    history->seed = history->seed * 1664525u + 1013904223u;
    return (history->seed >> 12) % n;
}

/* A root that now and then believes to be in another term, sends a part, a wrong one, or none. */
static struct order_request draw_request(struct history *history)
{
    static const char *const roots[] = {"r1", "r2"};
    uint32_t root = draw(history, 2);
    if (draw(history, 6) == 0) {
        uint32_t most = history->term[0] > history->term[1] ? history->term[0] : history->term[1];
        history->term[root] = most + draw(history, 2);
        history->epoch[root] = draw(history, 3);
    }
    history->epoch[root] += draw(history, 2);
    uint32_t which = draw(history, DOCUMENTS + 1);
    const struct sample *sample = which < DOCUMENTS ? &history->samples[which] : NULL;
    struct order_request request =
        request_of(history->term[root], history->epoch[root], roots[root], sample);
    if (sample && draw(history, 4) > 0) {
        uint32_t offset = draw(history, 2) ? draw(history, sample->len) : history->ordered.held;
        offset = offset > sample->len ? 0 : offset;
        add_part(&request, sample, offset,
                 draw(history, 3) ? sample->len - offset : draw(history, sample->len - offset + 1));
        if (draw(history, 12) == 0 && request.part_len > 0)
            request.part[draw(history, request.part_len)] ^= 4;
    }
    return request;
}

/* Of two orders that are obeyed one after the other. */
static void assert_in_order(const struct order *first, const struct order *second)
{
    assert_true(second->term >= first->term);
    if (second->term > first->term || first->term == 0)
        return;
    assert_string_equal(first->root, second->root);
    assert_true(second->epoch >= first->epoch);
}

static void assert_is_sound(const struct history *history)
{
    const struct ordered *ordered = &history->ordered;
    if (ordered->in_force) {
        size_t i = 0;
        while (memcmp(history->samples[i].digest, ordered->in_force->digest, CONFIG_DIGEST) != 0)
            assert_true(++i < DOCUMENTS);
        assert_in_force(ordered, &history->samples[i]);
    }
    assert_true(ordered->coming || ordered->held == 0);
    assert_true(!ordered->coming || ordered->held <= ordered->coming->len);
    assert_true(!ordered->waits || !ordered->refused);
    if (ordered_state(ordered) == DOCUMENT_IN_FORCE)
        assert_memory_equal(ordered->in_force->digest, ordered->order.digest, CONFIG_DIGEST);
}

static void one_step_of(struct history *history)
{
    struct order_request request = draw_request(history);
    struct picture before = picture_of(&history->ordered);
    struct order_step *step;
    char text[FAULT_SIZE];
    if (order_test(&history->ordered, &request, &step, text)) {
        struct picture after = picture_of(&history->ordered);
        if (after.held == 0) /* wrong octets are dropped, and nothing else */
            before.held = 0, memset(before.coming, 0, sizeof before.coming);
        assert_memory_equal(&before, &after, sizeof before);
        history->refused++;
        return;
    }
    if (draw(history, 8) > 0) {
        assert_true(order_commit(step));
        assert_in_order(&before.order, &history->ordered.order);
        history->accepted++;
        if (history->ordered.waits && draw(history, 3) > 0) {
            history->adopted++;
            ordered_adopt(&history->ordered);
        } else if (draw(history, 3) == 0)
            ordered_refuse(&history->ordered, "wrong");
        if (draw(history, 6) == 0) {
            order_undo(step);
            struct picture after = picture_of(&history->ordered);
            assert_memory_equal(&before, &after, sizeof before);
        }
    }
    order_end(step);
}

static void histories_of_two_roots(void **state)
{
    (void)state;
    struct history total = {.accepted = 0};
    for (uint32_t seed = 1; seed <= 300; seed++) {
        struct history history = {.seed = seed, .term = {1, 1}};
        for (unsigned i = 0; i < DOCUMENTS; i++)
            history.samples[i] = sample_of(i + 1, i == 2 ? LARGEST : 4 + 3 * i);
        for (int i = 0; i < 300; i++) {
            one_step_of(&history);
            assert_is_sound(&history);
        }
        total.accepted += history.accepted;
        total.refused += history.refused;
        total.adopted += history.adopted;
        ordered_release(&history.ordered);
    }
    assert_in_range(total.accepted, 10000, 80000);
    assert_in_range(total.refused, 10000, 80000);
    assert_in_range(total.adopted, 3000, 40000);
}

/* -- Memory ---------------------------------------------------------------------------------- */

static void memory_may_fail(void **state)
{
    (void)state;
    struct sample a = sample_of(1, 9), b = sample_of(2, 12);
    struct order_request request = request_of(1, 2, "r1", &b);
    add_part(&request, &b, 0, 12);
    size_t nth = 0;
    for (bool failed = true; failed;) {
        struct ordered ordered = {.held = 0};
        order_whole(&ordered, 1, 1, "r1", &a);
        struct picture before = picture_of(&ordered);
        char text[FAULT_SIZE] = "";
        scarce_fail(++nth);
        enum order_verdict verdict = obey(&ordered, &request, text);
        failed = scarce_stop();
        struct picture after = picture_of(&ordered);
        assert_int_equal(verdict, failed ? ORDER_NO_MEMORY : ORDER_OK);
        if (failed) {
            assert_string_equal(text, "no memory");
            assert_memory_equal(&before, &after, sizeof before);
        }
        ordered_release(&ordered);
    }
    assert_int_equal(nth, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_obeyed_by_their_rule),
        cmocka_unit_test(refusals_say_what_is_known),
        cmocka_unit_test(every_set_of_columns),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(documents_come_in_parts),
        cmocka_unit_test(parts_may_come_again),
        cmocka_unit_test(wrong_octets_are_found),
        cmocka_unit_test(other_octets_than_before_are_found),
        cmocka_unit_test(a_new_digest_begins_at_0),
        cmocka_unit_test(what_is_in_force_needs_no_parts),
        cmocka_unit_test(there_may_be_none),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(the_previous_one_is_kept),
        cmocka_unit_test(the_previous_one_ends_as_well),
        cmocka_unit_test(an_undo_restores_the_previous_one),
        cmocka_unit_test(reasons_are_cut),
        cmocka_unit_test(an_undo_restores_what_was),
        cmocka_unit_test(histories_of_two_roots),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
