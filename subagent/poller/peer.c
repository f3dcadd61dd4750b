#include "poller/peer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/text.h"
#include "poller/peer_answer.h"
#include "poller/peer_engine.h"

/* How long to wait while the core does not read: a part of the period, within these bounds. */
#define HOLD_PART 16
#define HOLD_LEAST (20 * NS_PER_MS)
#define HOLD_MOST (500 * NS_PER_MS)

/* A session that is not needed for at least so long is closed meanwhile. Opening it again costs a
 * twentieth of a poll, which does not matter if polls are so far apart. */
#define LONG_REST (5 * NS_PER_S)

/* So many peers are asked for their dictionaries at once. A request for one takes 45 KB in the
 * library, and when a thousand children are met at once, memory that is needed for good would be
 * allocated in between. */
#define LOOK_UPS_AT_ONCE 32

/* Far more than a child has; the core will ask again for what is beyond. */
#define SERIES_MAX ((size_t)1 << 16)

/* Thousands of peers have some series that they wait to ask for, when all children are met at
 * once. */
#define SERIES_ROOM 4

static void ask_next(struct peer *peer);

/* -- Rest and failure ------------------------------------------------------------------------ */

static void begin_work(struct peer *peer, enum peer_work work)
{
    peer->peers->looking_up += (work == PEER_LOOKS_UP) - (peer->work == PEER_LOOKS_UP);
    peer->peers->asking += (work != PEER_RESTS) - (peer->work != PEER_RESTS);
    peer->work = work;
}

static void stop_waiting(struct peer *peer)
{
    if (peer->waits)
        TAILQ_REMOVE(&peer->peers->waiting, peer, link);
    peer->waits = false;
}

static void wait_to_look_up(struct peer *peer)
{
    if (!peer->waits)
        TAILQ_INSERT_TAIL(&peer->peers->waiting, peer, link);
    peer->waits = true;
}

/* When a resting peer is polled: in its turn, or sooner because it has pushed. */
static uint64_t next_poll(const struct peer *peer)
{
    uint64_t due = pace_due(&peer->pace, pace_step(peer->peers->polls_per_hour));
    uint64_t hurry = peer->pushed.hurry;
    return hurry != 0 && hurry < due ? hurry : due;
}

static void rest_until_due(struct peer *peer)
{
    begin_work(peer, PEER_RESTS);
    peer->again = false;
    if (peer->polled)
        pace_next(&peer->pace, peer->now);
    peer->polled = false;
    uint64_t due = next_poll(peer);
    if (due >= peer->now + LONG_REST)
        session_rest(&peer->session);
    timer_set(&peer->peers->timers, &peer->timer, due);
}

static void tell_failure(struct peer *peer, enum poll_failure failure, const char *text)
{
    struct message_silent message = {
        .head = {.kind = MESSAGE_SILENT, .length = sizeof message},
        .id = peer->id,
        .failure = failure,
        .in_a_row = peer->pace.failures,
        .look_up = peer->work == PEER_LOOKS_UP,
    };
    text_format(message.text, sizeof message.text, "%s", text);
    outbox_put(&peer->peers->outbox, &message.head, peer->now);
}

/* No answer came. Perhaps it was sent in more than one packet, and the network drops fragments. */
static void ask_for_less(struct peer *peer)
{
    if (peer->device)
        device_timed_out(peer->device);
    else if (peer->work == PEER_POLLS)
        cursor_unanswered(&peer->cursor);
    else if (peer->work == PEER_LOOKS_UP && peer->n_asked > 1)
        peer->at_once = peer->n_asked / 2;
}

static void fail_request(struct peer *peer, enum poll_failure failure, const char *why)
{
    char text[sizeof((struct message_silent *)0)->text];
    text_format(text, sizeof text, "%s", why);
    peer->turned = false;
    if (failure == POLL_TIMEOUT)
        ask_for_less(peer);
    if (failure == POLL_NEW_ENGINE)
        peer_leave_engine(peer, text, sizeof text);
    else if (failure == POLL_NOT_IN_WINDOW)
        peer_heal_time(peer, text, sizeof text);
    else if (!peer->session.proven)
        peer_forget_engine(
            peer); /* the next poll finds out first whether anybody is there, and who */
    session_close(&peer->session);
    pace_failed(&peer->pace);
    tell_failure(peer, failure, text);
    rest_until_due(peer);
}

/* -- Answers --------------------------------------------------------------------------------- */

static struct device_report report_of(struct peer *peer)
{
    return (struct device_report){
        .outbox = &peer->peers->outbox,
        .id = peer->id,
        .engine = &peer->session.engine,
        .round_trip_us = (uint32_t)(peer->session.round_trip / NS_PER_US),
        .now = peer->now,
    };
}

static struct query_error take_device(struct peer *peer, const netsnmp_pdu *pdu)
{
    const struct device_report report = report_of(peer);
    return device_take_pdu(peer->device, pdu, &report);
}

static void renew_device(struct peer *peer)
{
    const struct device_report report = report_of(peer);
    device_tell_renewal(peer->device, &report);
    device_begin(peer->device, peer->now);
}

static void take_answer(void *context, const netsnmp_pdu *pdu)
{
    struct peer *peer = context;
    if (peer_is_behind(peer))
        peer->error = (struct query_error){POLL_NOT_IN_WINDOW, SESSION_WENT_BACK};
    else if (peer->device)
        peer->error = take_device(peer, pdu);
    else if (peer->work == PEER_POLLS)
        peer_take_poll(peer, pdu);
    else if (peer->work == PEER_LOOKS_UP)
        peer_take_series(peer, pdu);
}

/* -- Questions ------------------------------------------------------------------------------- */

/* A new engine ID is told to the core before it is adopted, unless the core has told which one to
 * expect: then no other comes as far as this. A new engine is a new node: its blocks have nothing
 * to do with those fetched so far, even if its boots have the same number. */
static void adopt_engine(struct peer *peer)
{
    struct session *session = &peer->session;
    struct snmp_engine *engine = &session->engine, *before = &peer->before;
    peer_fall_back(peer);
    if (engine_is_same(before, engine)) {
        engine->boots = before->boots;
    } else if (before->len != 0 && !peer->keys && !engine_is_same(&session->found, engine)) {
        session->found = *engine;
        fail_request(peer, POLL_NEW_ENGINE, "");
        return;
    } else if (before->len != 0) {
        cursor_set(&peer->cursor, 0, 0);
        peer->pushed.boot = 0; /* that was about the other engine */
        if (peer->device)
            renew_device(peer);
    }
    *before = *engine;
    ask_next(peer);
}

/* While keys are changed, a node has either the old or the new ones. The request is repeated at
 * once with the other keys, so that a poll is missed only if both are wrong. False: there are no
 * other keys, or they were tried already. */
static bool ask_by_other_keys(struct peer *peer)
{
    struct session *session = &peer->session;
    if (session->failure != POLL_WRONG_KEY || !peer->next_keys || peer->turned)
        return false;
    peer->turned = true;
    session->localized = session->localized == peer->keys ? peer->next_keys : peer->keys;
    session_rest(session);
    session_forget_keys(session);
    peer->again = peer->again || peer->work == PEER_POLLS;
    ask_next(peer);
    return true;
}

/* Acts on the outcome of the session, after a request was sent or something was received. */
static void settle_request(struct peer *peer)
{
    switch (peer->session.outcome) {
    case SESSION_WAITING:
        timer_set(&peer->peers->timers, &peer->timer, peer->session.deadline);
        break;
    case SESSION_DISCOVERED:
        peer->peers->learned++;
        adopt_engine(peer);
        break;
    case SESSION_ANSWERED:
        if (peer->error.failure) {
            fail_request(peer, peer->error.failure, peer->error.text);
            break;
        }
        peer->before = peer->session.engine;
        peer->turned = false;
        if (!peer->device || peer->device->ask == DEVICE_NOTHING) /* the whole poll has been
                                                                   * answered */
            pace_answered(&peer->pace, peer->session.round_trip);
        ask_next(peer);
        break;
    case SESSION_FAILED:
        if (!ask_by_other_keys(peer))
            fail_request(peer, peer->session.failure, peer->session.text);
        break;
    case SESSION_IDLE:
        break;
    }
}

static void ask_poll(struct peer *peer)
{
    begin_work(peer, PEER_POLLS);
    peer->again = false;
    if (peer->pushed.again)
        cursor_back(&peer->cursor, peer->pushed.boot, peer->pushed.from);
    else
        cursor_pass(&peer->cursor, peer->pushed.boot, peer->pushed.next);
    peer->pushed.again = false;
    peer->pushed.boot = 0;
    peer->n = cursor_ask(&peer->cursor, &peer->first);
    session_ask(&peer->session, query_poll(peer->first, peer->n), peer->now,
                pace_timeout(&peer->pace));
    settle_request(peer);
}

static void ask_device(struct peer *peer)
{
    begin_work(peer, PEER_POLLS);
    peer->again = false;
    session_ask(&peer->session, device_pdu(peer->device), peer->now, pace_timeout(&peer->pace));
    settle_request(peer);
}

static void ask_series(struct peer *peer)
{
    begin_work(peer, PEER_LOOKS_UP);
    peer->peers->learned++;
    peer->n_asked = peer->n_series < peer->at_once ? (uint32_t)peer->n_series : peer->at_once;
    session_ask(&peer->session, query_series(peer->series, peer->n_asked), peer->now,
                pace_timeout(&peer->pace));
    settle_request(peer);
}

static bool watch_socket(struct peer *peer)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
    return epoll_ctl(peer->peers->epoll, EPOLL_CTL_ADD, session_fd(&peer->session), &event) == 0;
}

/* Opens the session if it is not open. False: that failed, and the core was told. */
static bool open_session(struct peer *peer)
{
    const struct credential *credential = keys_find(peer->peers->credentials, peer->credential);
    if (!credential || credential->invalid) {
        fail_request(peer, POLL_NO_CREDENTIAL,
                     credential ? credential->invalid : "there is no such credential");
        return false;
    }
    bool new_socket = session_fd(&peer->session) < 0;
    if (!session_open(&peer->session, peer->address, credential)) {
        fail_request(peer, peer->session.failure, peer->session.text);
        return false;
    }
    if (new_socket && !watch_socket(peer)) {
        fail_request(peer, POLL_REFUSED, "its socket cannot be watched");
        return false;
    }
    return true;
}

static bool may_look_up(const struct peers *peers)
{
    return peers->looking_up < LOOK_UPS_AT_ONCE;
}

/* How long to wait for a core that does not read. All children of all pollers wait then, and
 * checking often would take the CPU time away from the core that it needs for reading. */
static uint64_t hold_of(const struct peer *peer)
{
    uint64_t hold = peer->pace.period / HOLD_PART;
    if (hold > HOLD_MOST)
        return HOLD_MOST;
    return hold > HOLD_LEAST ? hold : HOLD_LEAST;
}

/* Waits until the core reads again. When all children are met at once, all of them may have to
 * wait, and open sessions take more memory than everything else. */
static void hold(struct peer *peer)
{
    begin_work(peer, PEER_RESTS);
    session_rest(&peer->session);
    timer_set(&peer->peers->timers, &peer->timer, peer->now + hold_of(peer));
}

/* Sends the next request, or rests. Between two requests of a poll, work keeps the value of the
 * last request. */
static void ask_next(struct peer *peer)
{
    enum peer_work done = peer->work;
    peer->error = (struct query_error){0};
    if (outbox_is_full(&peer->peers->outbox)) {
        peer->again = peer->again || done != PEER_LOOKS_UP;
        hold(peer);
        return;
    }
    if (!open_session(peer))
        return;
    if (peer->session.engine.len == 0) {
        begin_work(peer, PEER_DISCOVERS);
        session_discover(&peer->session, peer->now, pace_timeout(&peer->pace));
        settle_request(peer);
    } else if (peer->device && peer->device->ask != DEVICE_NOTHING) {
        ask_device(peer);
    } else if (peer->device) {
        rest_until_due(peer);
    } else if (peer->again || done == PEER_RESTS || done == PEER_DISCOVERS) {
        ask_poll(peer);
    } else if (peer->n_series && (done == PEER_LOOKS_UP || may_look_up(peer->peers))) {
        ask_series(peer);
    } else {
        if (peer->n_series)
            wait_to_look_up(peer);
        rest_until_due(peer);
    }
}

void peer_read(struct peer *peer, uint64_t now)
{
    peer->now = now;
    bool waiting = peer->session.outcome == SESSION_WAITING;
    session_read(&peer->session, &peer->peers->readable, now);
    if (waiting && peer->session.outcome != SESSION_WAITING)
        settle_request(peer);
    else if (waiting)
        timer_set(&peer->peers->timers, &peer->timer, peer->session.deadline);
}

void peer_timer(struct timer *timer, uint64_t now)
{
    struct peer *peer = (struct peer *)(void *)((char *)timer - offsetof(struct peer, timer));
    peer->now = now;
    timer_clear(&peer->peers->timers, timer);
    if (peer->work != PEER_RESTS) {
        session_expire(&peer->session, now);
        settle_request(peer);
        return;
    }
    if (!peer->again)
        cursor_begin(&peer->cursor);
    if (!peer->again && peer->device)
        device_begin(peer->device, now);
    peer->polled = peer->polled || pace_is_turn(&peer->pace, now);
    if (peer->pushed.hurry <= now)
        peer->pushed.hurry = 0;
    ask_next(peer);
}

/* -- From the core --------------------------------------------------------------------------- */

static struct peer *find_peer(const struct peers *peers, uint32_t id)
{
    struct peer *peer;
    HASH_FIND(hh, peers->all, &id, sizeof id, peer);
    return peer;
}

static uint64_t polls_per_hour(const struct peer *peer)
{
    return MS_PER_HOUR * NS_PER_MS / peer->pace.period;
}

static struct peer *add_peer(struct peers *peers, const struct message_child *child, uint64_t now)
{
    struct peer *peer = calloc(1, sizeof *peer);
    struct device *device = child->is_device ? device_new() : NULL;
    if (!peer || (child->is_device && !device)) {
        free(peer);
        device_free(device);
        return NULL;
    }
    peer->id = peer->timer.id = child->id;
    HASH_ADD(hh, peers->all, id, sizeof peer->id, peer);
    if (!table_has(hh, peer)) {
        free(peer);
        device_free(device);
        return NULL;
    }
    peer->device = device;
    peer->peers = peers;
    session_init(&peer->session, take_answer, peer);
    peer->session.ports = &peers->ports;
    peer->session.engine =
        (struct snmp_engine){.len = child->engine_id_len, .boots = child->engine_boots};
    memcpy(peer->session.engine.id, child->engine_id, child->engine_id_len);
    peer->before = peer->session.engine;
    cursor_set(&peer->cursor, child->report_boot, child->next_block);
    pace_init(&peer->pace, child->id, child->period_ms, now);
    peers->polls_per_hour += polls_per_hour(peer);
    peer->at_once = QUERY_SERIES_MAX;
    return peer;
}

/* Begins anew: drops what was under way, and keeps what was learned. */
static void restart_peer(struct peer *peer, uint64_t now)
{
    session_close(&peer->session);
    session_forget_keys(&peer->session);
    begin_work(peer, PEER_RESTS);
    peer->again = peer->polled = peer->turned = false;
    pace_init(&peer->pace, peer->id, (uint32_t)(peer->pace.period / NS_PER_MS), now);
    timer_set(&peer->peers->timers, &peer->timer, next_poll(peer));
}

/* If an engine was known before, and the keys are not for that one, the engine is found out anew.
 * False: no memory. */
static bool set_keys(struct peer *peer, const struct localized_keys *keys,
                     const struct localized_keys *next)
{
    if (!localized_keys_keep_two(&peer->keys, keys, &peer->next_keys, next))
        return false;
    peer->session.localized = peer->keys;
    const struct snmp_engine *engine = &peer->session.engine;
    if (peer->keys && (engine->len != keys->engine_id_len ||
                       memcmp(engine->id, keys->engine_id, engine->len) != 0))
        peer->session.engine = (struct snmp_engine){0};
    return true;
}

bool peer_set(struct peers *peers, const struct message_child *child, uint64_t now)
{
    struct peer *peer = find_peer(peers, child->id);
    bool is_new = !peer;
    if (is_new)
        peer = add_peer(peers, child, now);
    if (!peer)
        return false;
    bool moved = strcmp(peer->address, child->address) != 0;
    bool other = !localized_keys_same(peer->keys, &child->keys) ||
                 !localized_keys_same(peer->next_keys, &child->next_keys);
    bool changed = moved || other || strcmp(peer->credential, child->credential) != 0;
    if (other && !set_keys(peer, &child->keys, &child->next_keys))
        return false;
    memcpy(peer->address, child->address, sizeof peer->address);
    memcpy(peer->credential, child->credential, sizeof peer->credential);
    if (!is_new && moved)
        peer->session.engine =
            (struct snmp_engine){0}; /* adopt_engine will see whether it is another one */
    if (!is_new && peer->pace.period != child->period_ms * NS_PER_MS) {
        peers->polls_per_hour -= polls_per_hour(peer);
        pace_set_period(&peer->pace, child->period_ms, now);
        peers->polls_per_hour += polls_per_hour(peer);
        if (peer->work == PEER_RESTS)
            timer_set(&peers->timers, &peer->timer, next_poll(peer));
    }
    if (changed)
        restart_peer(peer, now);
    return true;
}

void peer_renew(struct peers *peers, const char *credential, uint64_t now)
{
    for (struct peer *peer = peers->all; peer; peer = peer->hh.next)
        if (strcmp(peer->credential, credential) == 0)
            restart_peer(peer, now);
}

void peer_forget(struct peers *peers, uint32_t id)
{
    struct peer *peer = find_peer(peers, id);
    if (!peer)
        return;
    peer_fall_back(peer);
    HASH_DEL(peers->all, peer);
    peers->polls_per_hour -= polls_per_hour(peer);
    timer_clear(&peers->timers, &peer->timer);
    stop_waiting(peer);
    begin_work(peer, PEER_RESTS);
    session_close(&peer->session);
    session_forget_keys(&peer->session);
    localized_keys_drop(&peer->keys);
    localized_keys_drop(&peer->next_keys);
    free(peer->series);
    device_free(peer->device);
    free(peer);
}

bool peer_set_objects(struct peers *peers, const struct message_objects *message)
{
    const struct peer *peer = find_peer(peers, message->id);
    return !peer || !peer->device ||
           device_set(peer->device, message->generation, peers->objects, message->objects,
                      message->n);
}

/* A poll that is under way may bring the blocks that the push came ahead of; then this poll brings
 * nothing. */
void peer_move(struct peers *peers, const struct message_move *message, uint64_t now)
{
    struct peer *peer = find_peer(peers, message->id);
    if (!peer)
        return;
    peer->pushed.boot = message->report_boot;
    peer->pushed.next = message->next_block;
    if (message->again && (!peer->pushed.again || message->from < peer->pushed.from))
        peer->pushed.from = message->from;
    peer->pushed.again |= message->again;
    if (message->soon && peer->pushed.hurry == 0)
        peer->pushed.hurry = pace_hurry(&peer->pace, now);
    if (message->soon && peer->work == PEER_RESTS && !peer->again)
        timer_set(&peers->timers, &peer->timer, next_poll(peer));
}

static bool make_series_room(struct peer *peer, size_t n)
{
    size_t room = peer->room ? peer->room : SERIES_ROOM;
    while (room < n)
        room *= 2;
    if (room == peer->room)
        return true;
    uint32_t *series = realloc(peer->series, room * sizeof *series);
    if (!series)
        return false;
    peer->series = series;
    peer->room = room;
    return true;
}

/* A silent child is asked for the entries when it answers again. */
bool peer_look_up(struct peers *peers, const struct message_look_up *message, uint64_t now)
{
    struct peer *peer = find_peer(peers, message->id);
    if (!peer || message->n == 0 || peer->n_series + message->n > SERIES_MAX)
        return true;
    if (!make_series_room(peer, peer->n_series + message->n))
        return false;
    memcpy(peer->series + peer->n_series, message->series, message->n * sizeof *message->series);
    peer->n_series += message->n;
    peer->now = now;
    if (peer->work == PEER_RESTS)
        wait_to_look_up(peer);
    return true;
}

/* A peer that is silent or is being polled asks after its next answer. */
void peers_look_up(struct peers *peers, uint64_t now)
{
    struct peer *peer;
    while (may_look_up(peers) && !outbox_is_full(&peers->outbox) &&
           (peer = TAILQ_FIRST(&peers->waiting))) {
        stop_waiting(peer);
        peer->now = now;
        if (peer->work == PEER_RESTS && !peer->again && peer->n_series > 0 &&
            peer->session.proven && peer->pace.failures == 0 && open_session(peer))
            ask_series(peer);
    }
}
