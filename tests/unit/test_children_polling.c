/* What pollers and the receiver are told of children when there is no room for it: later, each
 * thing once, as it is then, and nothing of a child that is gone. */
#include "children/polling.h"
#include "children/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "polled.h"
#include "switch.h"

static bool everyone(void *context, uint32_t id)
{
    (void)context;
    (void)id;
    return true;
}

static bool is_one(void *context, uint32_t id)
{
    return id == *(uint32_t *)context;
}

static void remove_row(struct polled *polled, struct row *row)
{
    config_remove(polled->config, row);
    row_free(row);
}

static void poller_goes_on(struct polled *polled, uint32_t from)
{
    children_tell_on(&polled->children, everyone, NULL, from, polled->now);
}

static size_t sent_of(const struct polled *polled, enum message_kind kind)
{
    size_t n;
    polled_sent(polled, kind, &n);
    return n;
}

/* So many children, of which nobody was told. */
static void children_without_room(struct polled *polled, unsigned n)
{
    char name[NAME_SIZE];
    polled->no_room = true;
    for (unsigned i = 1; i <= n; i++) {
        snprintf(name, sizeof name, "leaf%02u", n - i);
        polled_row(polled, name);
    }
    polled_sync(polled);
    assert_int_equal(polled->n_sent, 0);
}

/* There is room for so many messages, which are of these children, one after the other. */
static void assert_portion(struct polled *polled, enum message_kind kind, uint32_t from,
                           size_t room, size_t n)
{
    polled->room = room;
    polled->no_room = false;
    if (kind == MESSAGE_SENDER)
        children_tell_receiver_on(&polled->children, from);
    else
        poller_goes_on(polled, from);
    assert_int_equal(polled->n_sent, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(polled->sent[i]->kind, kind);
        assert_int_equal(((const struct message_forget *)polled->sent[i])->id, from + i);
    }
    polled_forget_sent(polled);
}

/* Each goes on with the first that it was not told of, in the order of their ids. */
static void in_portions(void **state)
{
    struct polled *polled = *state;
    static const enum message_kind kinds[] = {MESSAGE_CHILD, MESSAGE_SENDER};
    children_without_room(polled, 10);
    for (size_t i = 0; i < N_OF(kinds); i++) {
        assert_portion(polled, kinds[i], 1, 3, 3);
        assert_portion(polled, kinds[i], 4, 3, 3);
        assert_portion(polled, kinds[i], 7, 4, 4);
        assert_portion(polled, kinds[i], 1, 0, 0);
    }
}

/* A poller that has begun is told its own children, and nothing else goes to it before that. */
static void of_one_poller(void **state)
{
    struct polled *polled = *state;
    uint32_t id = 2;
    polled_row(polled, "one");
    polled_row(polled, "two");
    polled_row(polled, "zoo");
    polled_sync(polled);
    polled_forget_sent(polled);
    polled->no_room = true;
    children_resend(&polled->children, is_one, &id, polled->now);
    polled->no_room = false;
    children_tell_receiver_on(&polled->children, 1);
    id = 1;
    children_tell_on(&polled->children, is_one, &id, 1, polled->now);
    assert_int_equal(polled->n_sent, 0);
    id = 2;
    children_tell_on(&polled->children, is_one, &id, 1, polled->now);
    assert_int_equal(polled->n_sent, 1);
    assert_int_equal(
        ((const struct message_child *)polled_sent(polled, MESSAGE_CHILD, &(size_t){0}))->id, 2);
    children_tell_on(&polled->children, is_one, &id, 1, polled->now);
    assert_int_equal(polled->n_sent, 1);
}

static void set_keys(struct polled *polled, struct child *child, const char *auth)
{
    struct row *row = config_find(polled->config, ROW_CHILD, child->name);
    polled_set(row, "engine", "6162636465");
    polled_set(row, "auth-key", auth);
    polled_set(row, "priv-key", "ab");
    config_touch(polled->config);
    polled_sync(polled);
}

/* A child that its poller knows goes on while its new keys wait; they are told once, as they are
 * then. */
static void keys_wait(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    struct report_ring *ring = ring_new(7);
    set_keys(polled, child, "01ff");
    child = children_find(&polled->children, "leaf");
    polled_forget_sent(polled);
    polled->no_room = true;
    set_keys(polled, child, "02ff");
    set_keys(polled, child, "03ff");
    assert_ptr_equal(children_find(&polled->children, "leaf"), child);
    assert_int_equal(polled->n_sent, 0);
    ring_value(ring, 1, 1);
    polled_answer(polled, child, 7, ring, 1);
    ring_free(ring);
    assert_int_equal(sent_of(polled, MESSAGE_LOOK_UP), 1);
    child_read_again(&polled->children, child);
    assert_int_equal(sent_of(polled, MESSAGE_MOVE), 1);
    polled_forget_sent(polled);
    polled->no_room = false;
    poller_goes_on(polled, child->id);
    children_tell_receiver_on(&polled->children, child->id);
    assert_int_equal(polled->n_sent, 2);
    size_t n;
    const struct message_child *row = polled_sent(polled, MESSAGE_CHILD, &n);
    assert_int_equal(row->keys.auth[0], 3);
    assert_int_equal(row->next_block, 2);
    const struct message_sender *sender = polled_sent(polled, MESSAGE_SENDER, &n);
    assert_int_equal(sender->keys.auth[0], 3);
    assert_int_equal(sender->engine_boots, 3); /* which the answer told */
    poller_goes_on(polled, 1);
    children_tell_receiver_on(&polled->children, 1);
    assert_int_equal(polled->n_sent, 2);
    /* Whoever is told all is told the keys with it. */
    polled->no_room = true;
    set_keys(polled, child, "04ff");
    children_resend(&polled->children, everyone, NULL, polled->now);
    assert_int_equal(polled->n_sent, 2);
    polled->no_room = false;
    poller_goes_on(polled, 1);
    assert_int_equal(polled->n_sent, 3);
}

/* Whoever told the poller more of the child meanwhile would tell of a child that it does not know.
 */
static void not_known_yet(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    polled_forget_sent(polled);
    child->dictionary.n_asked = 1; /* it had been asked */
    polled->no_room = true;
    children_resend(&polled->children, everyone, NULL, polled->now);
    struct {
        struct message_pushed message;
        uint8_t octets[64];
    } pushed = {.message = {.head = {MESSAGE_PUSHED, sizeof pushed},
                            .id = child->id,
                            .engine_id_len = child->identity.engine_id_len,
                            .report_boot = 7,
                            .last = 9,
                            .block = {.sequence = 9, .length = 64}}};
    memcpy(pushed.message.engine_id, child->identity.engine_id, ENGINE_ID_MAX);
    children_message(&polled->children, &pushed.message.head, polled->now);
    polled->no_room = false;
    child_tell_row(&polled->children, child); /* there is room, but it is not its turn */
    assert_int_equal(polled->n_sent, 0);
    poller_goes_on(polled, 1);
    assert_int_equal(polled->n_sent, 1);
    assert_int_equal(sent_of(polled, MESSAGE_CHILD), 1);
    assert_int_equal(child->dictionary.n_asked, 0);
    children_message(&polled->children, &pushed.message.head, polled->now);
    assert_int_equal(sent_of(polled, MESSAGE_MOVE), 1);
    ring_free(ring);
}

/* Removed, paused, changed, refused: of what is not there any more, nothing is told but that. */
static void gone_meanwhile(void **state)
{
    struct polled *polled = *state;
    children_without_room(polled, 4);
    static const char *const names[] = {"leaf00", "leaf01", "leaf02", "leaf03"};
    struct row *rows[N_OF(names)];
    for (size_t i = 0; i < N_OF(names); i++)
        rows[i] = config_find(polled->config, ROW_CHILD, names[i]);
    remove_row(polled, rows[0]);
    rows[1]->status = ROW_NOT_IN_SERVICE;
    polled_set(rows[2], "address", "udp:127.0.0.1:1162");
    struct child *refused = children_find(&polled->children, names[3]);
    refused->cost.work = UINT64_MAX / 2;
    refused->cost.work_ns = polled->now.mono_ns;
    uint32_t refused_id = refused->id;
    polled_silent(polled, refused, POLL_TIMEOUT, "");
    assert_int_equal(refused->contact.state, CHILD_REFUSED);
    polled_sync(polled);
    assert_int_equal(sent_of(polled, MESSAGE_FORGET), 4);
    assert_int_equal(polled->n_sent, 4);
    polled_forget_sent(polled);
    polled->no_room = false;
    poller_goes_on(polled, 1);
    children_tell_receiver_on(&polled->children, 1);
    assert_int_equal(polled->n_sent, 2); /* of the one that was changed, and is new */
    for (size_t i = 0; i < polled->n_sent; i++)
        assert_int_equal(((const struct message_forget *)polled->sent[i])->id, 5);
    assert_int_not_equal(refused_id, 5);
}

/* A device begins anew when its poller is told of it, not before; what it is polled for may have to
 * wait longer. */
static void devices(void **state)
{
    struct polled_switch *place = *state;
    struct polled *polled = place->polled;
    switch_object(polled, "load", "1.3.6.1");
    switch_sync(place);
    uint32_t generation = polled->generation;
    polled_forget_sent(polled);
    polled->no_room = true;
    children_resend(&polled->children, everyone, NULL, polled->now);
    assert_int_equal(polled->n_sent, 1);
    assert_int_equal(polled->sent[0]->kind, MESSAGE_OBJECT);
    polled->no_room = false;
    child_device_tell(&polled->children, place->child);
    assert_int_equal(polled->n_sent, 1);
    polled->room = 1;
    poller_goes_on(polled, 1);
    assert_int_equal(polled->n_sent, 2);
    assert_int_equal(polled->sent[1]->kind, MESSAGE_CHILD);
    assert_true(polled->no_room);
    switch_object(polled, "other", "1.3.6.2"); /* told of while its objects wait */
    switch_sync(place);
    polled->no_room = false;
    poller_goes_on(polled, 1);
    assert_int_equal(sent_of(polled, MESSAGE_OBJECTS), 1);
    size_t n;
    const struct message_objects *objects = polled_sent(polled, MESSAGE_OBJECTS, &n);
    assert_int_equal(objects->n, 2);
    assert_int_equal(objects->generation, generation + 2);
    poller_goes_on(polled, 1);
    assert_int_equal(sent_of(polled, MESSAGE_OBJECTS), 1);
}

/* -- In whatever order ----------------------------------------------------------------------- */

#define NAMES 12
#define IDS 4096

/* A process that is told, as it understands it, and what it was not told yet. */
struct told {
    struct {
        bool known, forgotten;
        uint8_t key;
    } at[IDS];
    size_t room;
    uint32_t waits; /* as of struct poller_process */
};

struct both {
    struct told poller, receiver;
};

static bool take_told(struct told *told, uint32_t id, uint8_t key)
{
    assert_true(id < IDS);
    assert_false(told->at[id].forgotten);
    if (told->room == 0) {
        told->waits = told->waits == 0 || id < told->waits ? id : told->waits;
        return false;
    }
    told->room--;
    told->at[id].known = true;
    told->at[id].key = key;
    return true;
}

static void take_forget(struct told *told, uint32_t id)
{
    told->at[id].known = false;
    told->at[id].forgotten = true;
}

static bool take_message(void *context, uint32_t id, const struct message *message)
{
    struct both *both = context;
    const void *content = message;
    switch (message->kind) {
    case MESSAGE_CHILD:
        return take_told(&both->poller, id, ((const struct message_child *)content)->keys.auth[0]);
    case MESSAGE_SENDER:
        return take_told(&both->receiver, id,
                         ((const struct message_sender *)content)->keys.auth[0]);
    case MESSAGE_FORGET:
        take_forget(&both->poller, id);
        take_forget(&both->receiver, id);
        return true;
    default:
        assert_true(both->poller.at[id].known);
        return true;
    }
}

static void begin_again(struct told *told)
{
    for (size_t i = 0; i < IDS; i++)
        told->at[i].known = false;
    told->waits = 0;
}

static void assert_knows(const struct told *told, const struct child *child)
{
    assert_true(told->at[child->id].known);
    assert_int_equal(told->at[child->id].key, child->keys ? child->keys->auth[0] : 0);
}

/* Each process knows the children that there are, with their keys, and no others. */
static void assert_both_know(const struct polled *polled, const struct both *both)
{
    size_t n = 0, poller = 0, receiver = 0;
    for (struct index_node *node = index_first(&polled->children.index); node;
         node = index_next(node), n++) {
        assert_knows(&both->poller, (const struct child *)node);
        assert_knows(&both->receiver, (const struct child *)node);
    }
    for (size_t i = 0; i < IDS; i++) {
        poller += both->poller.at[i].known;
        receiver += both->receiver.at[i].known;
    }
    assert_int_equal(poller, n);
    assert_int_equal(receiver, n);
}

static void let_both_go_on(struct polled *polled, struct both *both, size_t room)
{
    uint32_t from = both->poller.waits;
    both->poller.room = both->receiver.room = room;
    both->poller.waits = 0;
    if (from)
        poller_goes_on(polled, from);
    from = both->receiver.waits;
    both->receiver.waits = 0;
    if (from)
        children_tell_receiver_on(&polled->children, from);
}

static void change_something(struct polled *polled, struct both *both)
{
    char name[NAME_SIZE], key[8];
    snprintf(name, sizeof name, "leaf%ld", random() % NAMES);
    snprintf(key, sizeof key, "%02lx", 1 + random() % 200);
    struct row *row = config_find(polled->config, ROW_CHILD, name);
    struct child *child = children_find(&polled->children, name);
    long what = random() % 10;
    if (what == 0) {
        begin_again(&both->poller);
        children_resend(&polled->children, everyone, NULL, polled->now);
    } else if (what == 1) {
        begin_again(&both->receiver);
        children_tell_receiver(&polled->children);
    } else if (!row) {
        polled_row(polled, name);
        polled_sync(polled);
    } else if (what < 4) {
        remove_row(polled, row);
        polled_sync(polled);
    } else if (child && what < 7) {
        set_keys(polled, child, key);
    } else if (child && both->poller.at[child->id].known) {
        polled_answer(polled, child, 7, NULL, 0);
    }
}

static void any_order(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 40; seed++) {
        struct polled *polled = polled_new();
        struct both *both = calloc(1, sizeof *both);
        assert_non_null(both);
        polled->children.send = take_message;
        polled->children.context = both;
        srandom(seed);
        for (int step = 0; step < 500; step++) {
            change_something(polled, both);
            if (random() % 3 == 0)
                let_both_go_on(polled, both, (size_t)(random() % 5));
            if (step % 100 != 99)
                continue;
            let_both_go_on(polled, both, SIZE_MAX);
            assert_both_know(polled, both);
        }
        polled_free(polled);
        free(both);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        polled_test(in_portions),    polled_test(of_one_poller),  polled_test(keys_wait),
        polled_test(not_known_yet),  polled_test(gone_meanwhile), switch_test(devices),
        cmocka_unit_test(any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
