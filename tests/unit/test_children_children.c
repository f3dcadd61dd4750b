/* Children: their states and what is told of them, the configuration, the state file, pollers that
 * come and go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "children/behind.h"

#include "polled.h"

static const char key[] = "leaf:node-lost:";

/* -- States ---------------------------------------------------------------------------------- */

enum event {
    ANSWERS,
    TIMES_OUT,
    UNREACHABLE,
    WRONG_KEY,
    NO_USER,
    NO_SECRET,
    OTHER,
    GARBAGE,
    NO_DAEMON
};

static void happen(struct polled *polled, const struct child *child, enum event event)
{
    static const enum poll_failure failures[] = {0,
                                                 POLL_TIMEOUT,
                                                 POLL_UNREACHABLE,
                                                 POLL_WRONG_KEY,
                                                 POLL_UNKNOWN_USER,
                                                 POLL_NO_CREDENTIAL,
                                                 POLL_NEW_ENGINE,
                                                 POLL_GARBAGE,
                                                 POLL_NO_SUCH_OBJECT};
    polled_wait(polled, 1000);
    if (event == ANSWERS)
        polled_answer(polled, child, 7, NULL, 0);
    else
        polled_silent(polled, child, failures[event], "the reason");
}

static void states(void **state)
{
    struct polled *polled = *state;
    static const struct {
        enum event event;
        enum child_state state;
        size_t lost, joined;
    } steps[] = {
        {TIMES_OUT, CHILD_DISCOVERING, 0, 0},
        {NO_DAEMON, CHILD_REFUSED, 0, 0},
        {ANSWERS, CHILD_UP, 0, 1},
        {ANSWERS, CHILD_UP, 0, 1},
        {TIMES_OUT, CHILD_LATE, 0, 1},
        {ANSWERS, CHILD_UP, 0, 1},
        {TIMES_OUT, CHILD_LATE, 0, 1},
        {UNREACHABLE, CHILD_LATE, 0, 1},
        {TIMES_OUT, CHILD_DOWN, 1, 1},
        {TIMES_OUT, CHILD_DOWN, 1, 1},
        {TIMES_OUT, CHILD_DOWN, 1, 1},
        {WRONG_KEY, CHILD_WRONG_KEY, 1, 1},
        {TIMES_OUT, CHILD_DOWN, 1, 1},
        {ANSWERS, CHILD_UP, 1, 2},
        {WRONG_KEY, CHILD_WRONG_KEY, 1, 2},
        {TIMES_OUT, CHILD_LATE, 1, 2},
        {ANSWERS, CHILD_UP, 1, 2},
        {NO_USER, CHILD_WRONG_KEY, 1, 2},
        {NO_SECRET, CHILD_WRONG_KEY, 1, 2},
        {OTHER, CHILD_REFUSED, 2, 2},
        {GARBAGE, CHILD_REFUSED, 2, 2},
        {ANSWERS, CHILD_UP, 2, 3},
        {NO_DAEMON, CHILD_LATE, 2, 3},
        {NO_DAEMON, CHILD_LATE, 2, 3},
        {NO_DAEMON, CHILD_DOWN, 3, 3},
        {ANSWERS, CHILD_UP, 3, 4},
    };
    struct child *child = polled_child(polled, "leaf");
    uint64_t missed = 0;
    for (size_t i = 0; i < N_OF(steps); i++) {
        happen(polled, child, steps[i].event);
        missed += steps[i].event != ANSWERS;
        if (child->contact.state != steps[i].state)
            fail_msg("step %zu: state %d, not %d", i, child->contact.state, steps[i].state);
        assert_told(polled, key, steps[i].lost, steps[i].joined);
        assert_int_equal(alarm_find(polled->alarms, key) != NULL,
                         steps[i].lost + 1 > steps[i].joined && steps[i].lost > 0);
        assert_int_equal(child->contact.missed, missed);
        assert_int_equal(child->contact.polls, i + 1 - missed);
        assert_string_equal(child_error(child), steps[i].event == ANSWERS ? "" : "the reason");
    }
    assert_int_equal(child->contact.round_trip_us, 321);
    assert_int_equal(child->contact.last.mono_ns, polled->now.mono_ns);
    assert_int_equal(child->identity.engine_id_len, 5);
    assert_int_equal(child->identity.engine_boots, 3);
    assert_int_equal(child->cursor.boot, 7);
}

/* One that is never reached is lost, too, and its first answer is told of once. */
static void lost_before_it_was_reached(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    for (int i = 0; i < 5; i++)
        happen(polled, child, TIMES_OUT);
    assert_told(polled, key, 1, 0);
    happen(polled, child, ANSWERS);
    happen(polled, child, ANSWERS);
    assert_told(polled, key, 1, 1);
}

/* Those that are down, and no others, as many as there is room for. */
static void who_is_down(void **state)
{
    struct polled *polled = *state;
    static const char *const names[] = {"aa", "bb", "cc", "dd"};
    struct child *children[N_OF(names)];
    char text[MESSAGE_SIZE];
    for (size_t i = 0; i < N_OF(names); i++)
        polled_child(polled, names[i]);
    for (size_t i = 0; i < N_OF(names); i++)
        children[i] = children_find(&polled->children, names[i]);
    children_down(&polled->children, text, sizeof text);
    assert_string_equal(text, "");
    for (int i = 0; i < 3; i++) {
        happen(polled, children[0], i < 2 ? TIMES_OUT : WRONG_KEY);
        happen(polled, children[1], TIMES_OUT);
        happen(polled, children[2], i < 2 ? ANSWERS : TIMES_OUT);
        happen(polled, children[3], TIMES_OUT);
    }
    children_down(&polled->children, text, sizeof text);
    assert_string_equal(text, "bb dd");
    children_down(&polled->children, text, sizeof "bb dd");
    assert_string_equal(text, "bb dd");
    children_down(&polled->children, text, sizeof "bb d");
    assert_string_equal(text, "bb");
    children_down(&polled->children, text, sizeof "b");
    assert_string_equal(text, "");
    happen(polled, children[3], ANSWERS);
    children_down(&polled->children, text, sizeof text);
    assert_string_equal(text, "bb");
}

/* A poller that tells of several polls at once. */
static void silences_in_one_message(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    struct message_silent silent = {.head = {.kind = MESSAGE_SILENT, .length = sizeof silent},
                                    .id = child->id,
                                    .failure = POLL_TIMEOUT,
                                    .in_a_row = 3};
    happen(polled, child, ANSWERS);
    children_message(&polled->children, &silent.head, polled->now);
    assert_int_equal(child->contact.state, CHILD_DOWN);
    assert_told(polled, key, 1, 1);
    /* The text is not trusted. */
    memset(silent.text, 'x', sizeof silent.text);
    children_message(&polled->children, &silent.head, polled->now);
    assert_int_equal(strlen(child_error(child)), CHILD_ERROR_SIZE - 1);
    memcpy(silent.text, "a\nb", 4);
    children_message(&polled->children, &silent.head, polled->now);
    assert_string_equal(child_error(child), "no answer");
    assert_told(polled, key, 1, 1);
}

static const struct alarm_facts *last_facts(const struct polled *polled)
{
    return &((struct alarm_entry *)index_find(&polled->alarms->log, &polled->alarms->sequence, 1))
                ->facts;
}

static void facts(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    happen(polled, child, ANSWERS);
    const struct alarm_facts *told = last_facts(polled);
    assert_int_equal(told->kind, ALARM_OF_NODE);
    assert_string_equal(told->node, "leaf");
    assert_string_equal(told->key, key);
    assert_int_equal(told->severity, SEVERITY_CLEAR);
    assert_string_equal(told->message, "leaf has joined, at udp:127.0.0.1:1161");
    for (int i = 0; i < 3; i++)
        happen(polled, child, TIMES_OUT);
    told = last_facts(polled);
    assert_int_equal(told->kind, ALARM_OF_NODE);
    assert_string_equal(told->key, key);
    assert_string_equal(told->node, "leaf");
    assert_string_equal(told->threshold, "node-lost");
    assert_string_equal(told->sensor, "");
    assert_string_equal(told->instance, "");
    assert_string_equal(told->value, "");
    assert_int_equal(told->severity, SEVERITY_CRITICAL);
    assert_string_equal(
        told->message,
        "leaf is lost: the reason (the last answer came at 2023-11-14 22:13:21 UTC)");
    happen(polled, child, ANSWERS);
    told = last_facts(polled);
    assert_int_equal(told->kind, ALARM_OF_NODE);
    assert_int_equal(told->severity, SEVERITY_CLEAR);
    assert_string_equal(told->message, "leaf is back, at udp:127.0.0.1:1161");
}

/* -- The configuration ----------------------------------------------------------------------- */

static void told_to_a_poller(void **state)
{
    struct polled *polled = *state;
    size_t n;
    struct child *child = polled_child(polled, "leaf");
    const struct message_child *told = polled_sent(polled, MESSAGE_CHILD, &n);
    assert_int_equal(n, 1);
    assert_int_equal(told->head.length, sizeof *told);
    assert_int_equal(told->id, child->id);
    assert_int_not_equal(told->id, 0);
    assert_string_equal(told->address, "udp:127.0.0.1:1161");
    assert_string_equal(told->credential, "lab");
    assert_int_equal(told->period_ms, 5000);
    assert_int_equal(told->engine_id_len + told->engine_boots + told->next_block, 0);
    polled_forget_sent(polled);
    polled_sync(polled); /* nothing new: nothing is said */
    assert_int_equal(polled->n_sent, 0);
    assert_ptr_equal(child, children_find(&polled->children, "leaf"));
}

static void a_changed_row_begins_anew(void **state)
{
    struct polled *polled = *state;
    static const char *const changes[][2] = {{"address", "udp6:[::1]:1161"},
                                             {"credential", "other"},
                                             {"group", "here"},
                                             {"period", "1s"}};
    struct child *child = polled_child(polled, "leaf");
    happen(polled, child, ANSWERS);
    for (size_t i = 0; i < N_OF(changes); i++) {
        uint32_t id = child->id;
        size_t n;
        polled_forget_sent(polled);
        polled_set(config_find(polled->config, ROW_CHILD, "leaf"), changes[i][0], changes[i][1]);
        child = polled_child(polled, "leaf");
        assert_int_not_equal(child->id, id);
        assert_int_equal(child->contact.state, CHILD_DISCOVERING);
        const struct message_forget *forget = polled_sent(polled, MESSAGE_FORGET, &n);
        assert_int_equal(n, 1);
        assert_int_equal(forget->id, id);
        polled_sent(polled, MESSAGE_CHILD, &n);
        assert_int_equal(n, 1);
        struct answer *late = answer_new(id, 7); /* of the one before */
        answer_give(polled, late);
        assert_int_equal(child->contact.state, CHILD_DISCOVERING);
        happen(polled, child, ANSWERS);
        assert_told(polled, key, 0, 1); /* it joined once */
    }
    assert_string_equal(child->group, "here");
    assert_int_equal(child->period_ms, 1000);
}

/* Of every field of a row: the child begins anew if the field says so, and once. */
static void any_field_may_change(void **state)
{
    struct polled *polled = *state;
    static const char *const values[][2] = {{"address", "udp6:[::1]:1161"},
                                            {"credential", "other"},
                                            {"group", "here"},
                                            {"period", "1s"},
                                            {"kind", "snmp"},
                                            {"behind", "router"},
                                            {"engine", "80001f8804"},
                                            {"auth-key", "01"},
                                            {"priv-key", "02"},
                                            {"next-auth-key", "03"},
                                            {"next-priv-key", "04"}};
    const struct row_type *type = row_type(ROW_CHILD);
    uint32_t id = polled_child(polled, "leaf")->id;
    assert_int_equal(type->n_fields, N_OF(values));
    for (size_t i = 0; i < N_OF(values); i++) {
        const struct field *field = row_field(ROW_CHILD, values[i][0]);
        polled_set(config_find(polled->config, ROW_CHILD, "leaf"), values[i][0], values[i][1]);
        uint32_t changed = polled_child(polled, "leaf")->id;
        assert_int_equal(changed != id, field->change == CHANGE_RESTARTS);
        polled_forget_sent(polled);
        id = polled_child(polled, "leaf")->id;
        assert_int_equal(id, changed);
        assert_int_equal(polled->n_sent, 0);
    }
}

static void set_keys(struct polled *polled, const char *engine, const char *auth, const char *priv)
{
    static const char *const names[] = {"engine", "auth-key", "priv-key"};
    const char *const values[] = {engine, auth, priv};
    for (size_t i = 0; i < N_OF(names); i++)
        assert_int_equal(field_set_text(config_find(polled->config, ROW_CHILD, "leaf"),
                                        row_field(ROW_CHILD, names[i]), values[i],
                                        strlen(values[i])),
                         FIELD_OK);
    config_touch(polled->config);
    polled_sync(polled);
}

static void assert_keys(const struct localized_keys *keys, const char *engine, uint8_t auth)
{
    assert_int_equal(keys->engine_id_len, strlen(engine));
    assert_memory_equal(keys->engine_id, engine, strlen(engine));
    assert_int_equal(keys->auth_len, 2);
    assert_int_equal(keys->auth[0], auth);
    assert_int_equal(keys->priv_len, 1);
    assert_int_equal(keys->priv[0], 0xab);
}

/* Other keys for the same engine are used from now on, and the child goes on; another engine is
 * another node. Poller and receiver are told, also those that begin anew. */
static void keys_of_a_child(void **state)
{
    struct polled *polled = *state;
    size_t n;
    struct child *child = polled_child(polled, "leaf");
    assert_null(child->keys);
    assert_int_equal(
        ((const struct message_child *)polled_sent(polled, MESSAGE_CHILD, &n))->keys.engine_id_len,
        0);
    set_keys(polled, "6162636465", "01FF", "ab");
    child = children_find(&polled->children, "leaf");
    uint32_t id = child->id;
    assert_keys(&((const struct message_child *)polled_sent(polled, MESSAGE_CHILD, &n))->keys,
                "abcde", 1);
    happen(polled, child, ANSWERS);
    polled_forget_sent(polled);
    set_keys(polled, "6162636465", "02ff", "AB");
    assert_ptr_equal(children_find(&polled->children, "leaf"), child);
    assert_int_equal(child->id, id);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_int_equal(polled->n_sent, 2);
    const struct message_child *told = polled_sent(polled, MESSAGE_CHILD, &n);
    assert_int_equal(told->id, id);
    assert_keys(&told->keys, "abcde", 2);
    assert_keys(&((const struct message_sender *)polled_sent(polled, MESSAGE_SENDER, &n))->keys,
                "abcde", 2);
    polled_forget_sent(polled);
    children_tell_receiver(&polled->children);
    assert_keys(&((const struct message_sender *)polled_sent(polled, MESSAGE_SENDER, &n))->keys,
                "abcde", 2);
    set_keys(polled, "6162636466", "02ff", "ab");
    child = children_find(&polled->children, "leaf");
    assert_int_not_equal(child->id, id);
    assert_int_equal(child->contact.state, CHILD_DISCOVERING);
    set_keys(polled, "", "", "");
    assert_null(children_find(&polled->children, "leaf")->keys);
}

static void set_next_keys(struct polled *polled, const char *auth, const char *priv)
{
    static const char *const names[] = {"next-auth-key", "next-priv-key"};
    const char *const values[] = {auth, priv};
    for (size_t i = 0; i < N_OF(names); i++)
        assert_int_equal(field_set_text(config_find(polled->config, ROW_CHILD, "leaf"),
                                        row_field(ROW_CHILD, names[i]), values[i],
                                        strlen(values[i])),
                         FIELD_OK);
    config_touch(polled->config);
    polled_sync(polled);
}

/* While keys are changed, poller and receiver are told both; the child goes on. */
static void keys_that_take_their_place(void **state)
{
    struct polled *polled = *state;
    size_t n;
    polled_child(polled, "leaf");
    set_keys(polled, "6162636465", "01FF", "ab");
    struct child *child = children_find(&polled->children, "leaf");
    uint32_t id = child->id;
    assert_null(child->next_keys);
    polled_forget_sent(polled);
    set_next_keys(polled, "02ff", "ab");
    assert_ptr_equal(children_find(&polled->children, "leaf"), child);
    assert_int_equal(child->id, id);
    const struct message_child *told = polled_sent(polled, MESSAGE_CHILD, &n);
    assert_keys(&told->keys, "abcde", 1);
    assert_keys(&told->next_keys, "abcde", 2);
    const struct message_sender *sender = polled_sent(polled, MESSAGE_SENDER, &n);
    assert_keys(&sender->keys, "abcde", 1);
    assert_keys(&sender->next_keys, "abcde", 2);
    polled_forget_sent(polled);
    set_next_keys(polled, "", "");
    assert_null(child->next_keys);
    told = polled_sent(polled, MESSAGE_CHILD, &n);
    assert_keys(&told->keys, "abcde", 1);
    assert_int_equal(told->next_keys.engine_id_len, 0);
}

/* How many a router takes with it: those behind it, and those behind those, up to 16 steps; rows
 * may name each other in a circle, or nobody. */
static void who_is_behind_whom(void **state)
{
    struct polled *polled = *state;
    const struct children *children = &polled->children;
    for (int i = 0; i < 20; i++) {
        char name[16], behind[16];
        snprintf(name, sizeof name, "c%d", i);
        snprintf(behind, sizeof behind, "c%d", i - 1);
        polled_set(polled_row(polled, name), "behind", i ? behind : "router");
    }
    polled_row(polled, "alone");
    polled_sync(polled);
    assert_int_equal(children_behind(children, "router"), 16);
    assert_int_equal(children_behind(children, "c0"), 16);
    assert_int_equal(children_behind(children, "c10"), 9);
    assert_int_equal(children_behind(children, "c19"), 0);
    assert_int_equal(children_behind(children, "alone"), 0);
    polled_set(config_find(polled->config, ROW_CHILD, "c0"), "behind", "c2");
    polled_sync(polled);
    assert_int_equal(children_behind(children, "router"), 0);
    assert_int_equal(children_behind(children, "c0"), 17); /* itself among them */
}

/* The same by following each child up. */
static size_t count_by_each(int n, const int above[], int name)
{
    size_t count = 0;
    for (int child = 0; child < n; child++)
        for (int steps = 0, at = child; steps < 16 && at < n && above[at] >= 0; steps++) {
            at = above[at];
            if (at != name)
                continue;
            count++;
            break;
        }
    return count;
}

/* Any row may name any other, itself, one that there is not, or nobody, and another one tomorrow.
 */
static void anybody_behind_anybody(void **state)
{
    enum { CHILDREN = 30 };
    struct polled *polled = *state;
    int above[CHILDREN];
    char name[16], behind[16];
    srandom(3);
    for (int i = 0; i < CHILDREN; i++) {
        snprintf(name, sizeof name, "c%d", i);
        polled_row(polled, name);
        above[i] = -1;
    }
    for (int round = 0; round < 300; round++) {
        int i = (int)(random() % CHILDREN);
        above[i] = (int)(random() % (CHILDREN + 2)) - 1; /* -1: nobody; CHILDREN: no child */
        snprintf(name, sizeof name, "c%d", i);
        snprintf(behind, sizeof behind, "c%d", above[i]);
        polled_set(config_find(polled->config, ROW_CHILD, name), "behind",
                   above[i] < 0 ? "" : behind);
        polled_sync(polled);
        for (int k = 0; k <= CHILDREN; k++) {
            snprintf(name, sizeof name, "c%d", k);
            assert_int_equal(children_behind(&polled->children, name),
                             count_by_each(CHILDREN, above, k));
        }
    }
}

static void rows_that_go(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    for (int i = 0; i < 3; i++)
        happen(polled, child, TIMES_OUT);
    assert_told(polled, key, 1, 0);
    struct row *row = config_find(polled->config, ROW_CHILD, "leaf");
    row->status = ROW_NOT_IN_SERVICE;
    polled_sync(polled);
    assert_null(children_find(&polled->children, "leaf"));
    assert_told(polled, key, 1, 1);
    assert_string_equal(last_facts(polled)->message, "leaf is not polled any more");
    polled_sync(polled);
    assert_told(polled, key, 1, 1);
    row->status = ROW_ACTIVE;
    polled_child(polled, "leaf");
    config_remove(polled->config, row);
    row_free(row);
    uint64_t membership = polled->children.membership;
    polled_sync(polled);
    assert_null(children_find(&polled->children, "leaf"));
    assert_true(polled->children.membership > membership);
    assert_told(polled, key, 1, 1); /* it was not lost then */
}

static void alarms_of_thresholds_are_left_alone(void **state)
{
    struct polled *polled = *state;
    struct alarm_facts other = {.node = "gone", .threshold = "node-lost", .sensor = "load"};
    alarm_key(other.key, other.node, other.threshold, "total");
    assert_true(alarm_raise(polled->alarms, &other, polled->now));
    polled_sync(polled);
    assert_non_null(alarm_find(polled->alarms, other.key));
}

/* -- Restart --------------------------------------------------------------------------------- */

/* As the state file does it; the log and the queue begin empty. */
static void restart(struct polled *polled)
{
    struct state saved = {.boot = 1};
    struct alarms *old = polled->alarms;
    alarms_tick(old, polled->now); /* at the end of the cycle */
    polled_forget_sent(polled);
    assert_int_equal(children_save(&polled->children, &saved), 0);
    children_close(&polled->children);
    polled_open(polled);
    for (struct index_node *i = index_first(&old->active); i; i = index_next(i)) {
        const struct alarm *alarm = (struct alarm *)i;
        assert_int_equal(
            alarms_restore_active(polled->alarms, alarm->index, &alarm->facts, &alarm->memory), 0);
    }
    alarms_close(old);
    free(old);
    children_restore(&polled->children, &saved);
    assert_int_equal(saved.n_children, 0);
    state_release(&saved);
}

static void restart_while_lost(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    happen(polled, child, ANSWERS);
    for (int i = 0; i < 3; i++)
        happen(polled, child, TIMES_OUT);
    restart(polled);
    child = polled_child(polled, "leaf");
    assert_non_null(alarm_find(polled->alarms, key));
    for (int i = 0; i < 5; i++)
        happen(polled, child, TIMES_OUT);
    assert_told(polled, key, 0, 0);
    happen(polled, child, ANSWERS);
    assert_told(polled, key, 0, 1);
    assert_null(alarm_find(polled->alarms, key));
}

static void restart_while_up(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    polled_child(polled, "never");
    happen(polled, child, ANSWERS);
    uint64_t changes = polled->children.changes;
    happen(polled, child, ANSWERS);
    assert_int_equal(polled->children.changes, changes); /* no reason to save */
    restart(polled);
    restart(polled); /* before the rows are there: what was known stays known */
    child = polled_child(polled, "leaf");
    const struct message_child *told = (const struct message_child *)polled->sent[0];
    if (told->id != child->id)
        told = (const struct message_child *)polled->sent[1];
    assert_int_equal(told->engine_id_len, 5);
    assert_memory_equal(told->engine_id, ((uint8_t[]){0x80, 0, 0x7e, 0xd9, 1}), 5);
    assert_int_equal(told->engine_boots, 3);
    assert_int_equal(told->next_block, 0); /* its values are to be read again */
    happen(polled, child, ANSWERS);
    assert_told(polled, key, 0, 0);
    happen(polled, children_find(&polled->children, "never"), ANSWERS);
    assert_told(polled, "never:node-lost:", 0, 1);
}

static void restart_without_the_row(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    for (int i = 0; i < 3; i++)
        happen(polled, child, TIMES_OUT);
    struct row *row = config_find(polled->config, ROW_CHILD, "leaf");
    config_remove(polled->config, row);
    row_free(row);
    restart(polled);
    polled_sync(polled);
    assert_told(polled, key, 0, 1);
}

/* -- Pollers --------------------------------------------------------------------------------- */

static bool is_second(void *context, uint32_t id)
{
    return id == *(uint32_t *)context;
}

static void pollers_come_and_go(void **state)
{
    struct polled *polled = *state;
    struct child *one = polled_child(polled, "one"), *two = polled_child(polled, "two");
    struct report_ring *ring = ring_new(7);
    size_t n;
    ring_value(ring, 1, 1);
    ring_value(ring, 2, 1);
    polled_answer(polled, one, 7, NULL, 0);
    polled_answer(polled, two, 7, ring, 1);
    polled_forget_sent(polled);
    children_unpolled(&polled->children, is_second, &two->id, "its poller has ended");
    assert_int_equal(one->contact.state, CHILD_UP);
    assert_int_equal(two->contact.state, CHILD_LATE);
    assert_string_equal(child_error(two), "its poller has ended");
    children_resend(&polled->children, is_second, &two->id, polled->now);
    const struct message_child *told = polled_sent(polled, MESSAGE_CHILD, &n);
    assert_int_equal(n, 1);
    assert_int_equal(told->id, two->id);
    assert_int_equal(told->report_boot, 7);
    assert_int_equal(told->next_block, 3);
    assert_int_equal(told->engine_id_len, 5);
    /* The poller knows nothing of the look-up: it is asked at once. */
    polled_answer(polled, two, 7, NULL, 0);
    polled_sent(polled, MESSAGE_LOOK_UP, &n);
    assert_int_equal(n, 1);
    assert_int_equal(two->contact.state, CHILD_UP);
    assert_told(polled, "two:node-lost:", 0, 1);
    ring_free(ring);
}

static void nobody_to_send_to(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    ring_value(ring, 1, 1);
    polled->children.send = NULL;
    struct child *child = polled_child(polled, "leaf");
    polled_answer(polled, child, 7, ring, 1);
    assert_int_equal(child->contact.state, CHILD_UP);
    ring_free(ring);
}

/* -- Silence of the poller -------------------------------------------------------------------- */

/* Nothing at all is said of the child from now on, for so long. */
static void unheard(struct polled *polled, uint64_t ms)
{
    for (uint64_t waited = 0; waited < ms; waited += 500) {
        polled_wait(polled, 500);
        children_watch(&polled->children, polled->now);
    }
}

static void a_child_of_which_nothing_is_said(void **state)
{
    struct polled *polled = *state;
    struct row *row = polled_row(polled, "leaf");
    polled_set(row, "period", "5s");
    struct child *child = polled_child(polled, "leaf");
    polled_answer(polled, child, 7, NULL, 0);
    unheard(polled, 21000);
    assert_int_equal(child->contact.state, CHILD_UP);
    unheard(polled, 4000); /* two periods and 12 s, looked at within 2 */
    assert_int_equal(child->contact.state, CHILD_LATE);
    assert_string_equal(child_error(child), "its poller says nothing of it");
    assert_told(polled, key, 0, 1);
    unheard(polled, 12000);
    assert_int_equal(child->contact.state, CHILD_LATE);
    unheard(polled, 4000); /* three periods and 24 s */
    assert_int_equal(child->contact.state, CHILD_DOWN);
    assert_told(polled, key, 1, 1);
    unheard(polled, 60000);
    assert_told(polled, key, 1, 1); /* once */
    polled_answer(polled, child, 7, NULL, 0);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_told(polled, key, 1, 2);
    unheard(polled, 21000);
    assert_int_equal(child->contact.state, CHILD_UP);
}

static void one_of_which_little_is_said(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf"); /* every 5 s */
    polled_answer(polled, child, 7, NULL, 0);
    polled_silent(polled, child, POLL_TIMEOUT, "no answer");
    for (int i = 0; i < 4; i++) {
        unheard(polled, 20000);
        polled_silent(polled, child, POLL_TIMEOUT, "no answer");
        assert_int_equal(child->contact.state, i < 1 ? CHILD_LATE : CHILD_DOWN);
    }
    assert_told(polled, key, 1, 1);
}

/* All of the daemon was stopped: nobody could listen. */
static void a_daemon_that_was_stopped(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    polled_answer(polled, child, 7, NULL, 0);
    unheard(polled, 2000);
    polled_wait(polled, 3600000);
    unheard(polled, 20000);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_told(polled, key, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        polled_test(states),
        polled_test(lost_before_it_was_reached),
        polled_test(who_is_down),
        polled_test(silences_in_one_message),
        polled_test(facts),
        polled_test(told_to_a_poller),
        polled_test(a_changed_row_begins_anew),
        polled_test(any_field_may_change),
        polled_test(keys_of_a_child),
        polled_test(keys_that_take_their_place),
        polled_test(who_is_behind_whom),
        polled_test(anybody_behind_anybody),
        polled_test(rows_that_go),
        polled_test(alarms_of_thresholds_are_left_alone),
        polled_test(restart_while_lost),
        polled_test(restart_while_up),
        polled_test(restart_without_the_row),
        polled_test(pollers_come_and_go),
        polled_test(nobody_to_send_to),
        polled_test(a_child_of_which_nothing_is_said),
        polled_test(one_of_which_little_is_said),
        polled_test(a_daemon_that_was_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
