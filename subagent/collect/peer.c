#include "collect/peer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/text.h"
#include "report/report.h"

/* While the core does not read. */
#define HOLD (20 * NS_PER_MS)

/* Far more than a child has; what is beyond, the core will ask for again. */
#define SERIES_MAX ((size_t)1 << 16)

/* Then the library's list of engines, 100 octets each, is rid of those that are there no more. */
#define DISCOVERIES_MAX 1024

static void go_on(struct peer *peer);

/* -- To the core ----------------------------------------------------------------------------- */

static void tell_failure(struct peer *peer, enum poll_failure failure, const char *text)
{
    struct message_silent message = {
        .head = {.kind = MESSAGE_SILENT, .length = sizeof message},
        .id = peer->id,
        .failure = failure,
        .in_a_row = peer->pace.failures,
    };
    text_format(message.text, sizeof message.text, "%s", text);
    outbox_put(&peer->peers->outbox, &message.head, peer->now);
}

static bool tell_answer(struct peer *peer, const struct query_blocks *blocks,
                        const struct cursor_step *step)
{
    union {
        struct message_block block;
        uint8_t room[sizeof(struct message_block) + REPORT_BLOCK_MAX];
    } copies[CURSOR_BLOCKS_MAX];
    const struct message_block *list[CURSOR_BLOCKS_MAX];
    const struct engine *engine = &peer->session.engine;
    struct message_answer answer = {
        .id = peer->id,
        .round_trip_us = (uint32_t)((peer->now - peer->session.sent) / NS_PER_US),
        .engine_id_len = engine->len,
        .engine_boots = engine->boots,
        .report_boot = blocks->head.boot,
        .first = blocks->head.first,
        .last = blocks->head.last,
        .lost = step->lost,
        .n_blocks = step->take,
    };
    memcpy(answer.engine_id, engine->id, engine->len);
    for (uint32_t i = 0; i < step->take; i++) {
        copies[i].block.sequence = step->first + i;
        copies[i].block.length = (uint32_t)blocks->at[i].len;
        memcpy(copies[i].block.bytes, blocks->at[i].octets, blocks->at[i].len);
        list[i] = &copies[i].block;
    }
    return outbox_put_answer(&peer->peers->outbox, &answer, list, peer->now);
}

/* -- Answers --------------------------------------------------------------------------------- */

/* The cursor moves only when the core's copy is safe. */
static void take_poll(struct peer *peer, const netsnmp_pdu *pdu)
{
    struct query_blocks blocks;
    if (pdu->errstat == SNMP_ERR_TOOBIG && cursor_too_big(&peer->cursor)) {
        peer->again = true;
        return;
    }
    peer->error = query_read_poll(pdu, peer->first, peer->n, &blocks);
    if (peer->error.failure)
        return;
    struct cursor moved = peer->cursor;
    struct cursor_step step = cursor_answer(&moved, &blocks.head, blocks.present);
    if (step.garbage)
        peer->error = (struct query_error){POLL_GARBAGE, step.garbage};
    else if (!tell_answer(peer, &blocks, &step))
        peer->error = (struct query_error){POLL_REFUSED, "no memory for the answer"};
    if (!peer->error.failure || step.garbage)
        peer->cursor = moved;
    peer->again = step.again;
}

static void drop_asked(struct peer *peer)
{
    peer->n_series -= peer->n_asked;
    memmove(peer->series, peer->series + peer->n_asked, peer->n_series * sizeof *peer->series);
    peer->n_asked = 0;
}

/* Series that bring garbage are not asked for again, unless the core does so. */
static void take_series(struct peer *peer, const netsnmp_pdu *pdu)
{
    struct message_series entries[QUERY_SERIES_MAX];
    peer->error = query_read_series(pdu, peer->series, peer->n_asked, entries);
    for (uint32_t i = 0; !peer->error.failure && i < peer->n_asked; i++) {
        entries[i].head = (struct message){.kind = MESSAGE_SERIES, .length = sizeof entries[i]};
        entries[i].id = peer->id;
        if (!outbox_put(&peer->peers->outbox, &entries[i].head, peer->now))
            peer->error = (struct query_error){POLL_REFUSED, "no memory for the answer"};
    }
    drop_asked(peer);
}

static void take_answer(void *context, const netsnmp_pdu *pdu)
{
    struct peer *peer = context;
    if (peer->device)
        peer->error = peer_take_device(peer, pdu);
    else if (peer->work == PEER_POLLS)
        take_poll(peer, pdu);
    else if (peer->work == PEER_LOOKS_UP)
        take_series(peer, pdu);
}

/* -- Rest and failure ------------------------------------------------------------------------ */

static void rest(struct peer *peer)
{
    peer->work = PEER_RESTS;
    peer->again = false;
    if (peer->polled)
        pace_next(&peer->pace, peer->now);
    peer->polled = false;
    timer_set(&peer->peers->timers, &peer->timer, pace_due(&peer->pace));
}

static bool is_same(const struct engine *a, const struct engine *b)
{
    return a->len == b->len && memcmp(a->id, b->id, a->len) == 0;
}

/* Who answers with this engine ID at another address, as far as this process knows. */
static const struct peer *find_twin(const struct peer *peer)
{
    for (const struct peer *other = peer->peers->all; other; other = other->hh.next)
        if (strcmp(other->address, peer->address) != 0 &&
            is_same(&other->session.engine, &peer->session.engine))
            return other;
    return NULL;
}

static void hex(char *text, const struct engine *engine)
{
    for (uint32_t i = 0; i < engine->len; i++)
        text_format(text + 2 * i, 3, "%02x", engine->id[i]);
}

/* The boots that an engine had before are forgotten, once and for the reason that is told, since
 * otherwise nothing of it would ever be taken again. An old record cannot make use of it: it has
 * not the msgID of the request. */
static void heal_time(struct peer *peer, char *text, size_t size)
{
    const struct peer *twin = find_twin(peer);
    if (twin)
        text_format(text, size, "its engine ID is also that of %s: cloned", twin->address);
    session_forget_time(&peer->session.engine);
    peer->session.engine.boots = 0;
}

static void forget_engine(struct peer *peer)
{
    session_forget_keys(&peer->session);
    peer->session.engine = (struct engine){0};
}

static void leave_engine(struct peer *peer, char *text, size_t size)
{
    char id[2 * ENGINE_ID_MAX + 1] = "";
    hex(id, &peer->session.found);
    text_format(text, size, "another engine ID answers at this address: %s", id);
    forget_engine(peer);
}

static void fail(struct peer *peer, enum poll_failure failure, const char *why)
{
    char text[sizeof peer->session.text];
    text_format(text, sizeof text, "%s", why);
    if (peer->device && failure == POLL_TIMEOUT)
        device_timed_out(peer->device);
    if (failure == POLL_NEW_ENGINE)
        leave_engine(peer, text, sizeof text);
    else if (failure == POLL_NOT_IN_WINDOW)
        heal_time(peer, text, sizeof text);
    else if (!peer->session.proven)
        forget_engine(peer); /* whether anybody is there, and who, the next poll finds out first */
    session_close(&peer->session);
    pace_failed(&peer->pace);
    tell_failure(peer, failure, text);
    rest(peer);
}

/* -- Questions ------------------------------------------------------------------------------- */

static void count_discovery(struct peers *peers)
{
    if (++peers->discoveries < DISCOVERIES_MAX)
        return;
    peers->discoveries = 0;
    for (struct peer *peer = peers->all; peer; peer = peer->hh.next)
        session_keep_time(&peer->session);
    session_forget_times();
    for (struct peer *peer = peers->all; peer; peer = peer->hh.next)
        session_put_time_back(&peer->session);
}

/* A new engine ID is told before it is adopted. It is a new node: its blocks have nothing to do
 * with those fetched so far, even where its boots have the same number. */
static void adopt_engine(struct peer *peer)
{
    struct session *session = &peer->session;
    struct engine *engine = &session->engine, *before = &peer->before;
    if (is_same(before, engine)) {
        engine->boots = before->boots;
    } else if (before->len != 0 && !is_same(&session->found, engine)) {
        session->found = *engine;
        fail(peer, POLL_NEW_ENGINE, "");
        return;
    } else if (before->len != 0) {
        cursor_set(&peer->cursor, 0, 0);
        if (peer->device)
            peer_renew_device(peer);
    }
    *before = *engine;
    go_on(peer);
}

/* After a request was sent, or something came. */
static void settle(struct peer *peer)
{
    switch (peer->session.outcome) {
    case SESSION_WAITING:
        timer_set(&peer->peers->timers, &peer->timer, peer->session.deadline);
        break;
    case SESSION_DISCOVERED:
        count_discovery(peer->peers);
        adopt_engine(peer);
        break;
    case SESSION_ANSWERED:
        if (peer->error.failure) {
            fail(peer, peer->error.failure, peer->error.text);
            break;
        }
        peer->before = peer->session.engine;
        if (!peer->device || peer->device->ask == DEVICE_NOTHING) /* all of the poll has come */
            pace_answered(&peer->pace, peer->now - peer->session.sent);
        go_on(peer);
        break;
    case SESSION_FAILED:
        fail(peer, peer->session.failure, peer->session.text);
        break;
    case SESSION_IDLE:
        break;
    }
}

static void ask_poll(struct peer *peer)
{
    peer->work = PEER_POLLS;
    peer->again = false;
    peer->n = cursor_ask(&peer->cursor, &peer->first);
    session_ask(&peer->session, query_poll(peer->first, peer->n), peer->now,
                pace_timeout(&peer->pace));
    settle(peer);
}

static void ask_device(struct peer *peer)
{
    peer->work = PEER_POLLS;
    peer->again = false;
    session_ask(&peer->session, device_pdu(peer->device), peer->now, pace_timeout(&peer->pace));
    settle(peer);
}

static void ask_series(struct peer *peer)
{
    peer->work = PEER_LOOKS_UP;
    peer->n_asked = peer->n_series < QUERY_SERIES_MAX ? (uint32_t)peer->n_series : QUERY_SERIES_MAX;
    session_ask(&peer->session, query_series(peer->series, peer->n_asked), peer->now,
                pace_timeout(&peer->pace));
    settle(peer);
}

static bool watch(struct peer *peer)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
    return epoll_ctl(peer->peers->epoll, EPOLL_CTL_ADD, session_fd(&peer->session), &event) == 0;
}

/* False: it failed, and that was told. */
static bool make_ready(struct peer *peer)
{
    const struct credential *credential = keys_find(peer->peers->credentials, peer->credential);
    if (!credential || credential->invalid) {
        fail(peer, POLL_NO_CREDENTIAL,
             credential ? credential->invalid : "there is no such credential");
        return false;
    }
    bool opened = peer->session.handle == NULL;
    if (!session_open(&peer->session, peer->address, credential)) {
        fail(peer, peer->session.failure, peer->session.text);
        return false;
    }
    if (opened && !watch(peer)) {
        fail(peer, POLL_REFUSED, "its socket cannot be watched");
        return false;
    }
    return true;
}

/* The next request, or rest. Between two requests of a poll the work stays what the last one was.
 */
static void go_on(struct peer *peer)
{
    enum peer_work done = peer->work;
    peer->error = (struct query_error){0};
    if (outbox_is_full(&peer->peers->outbox)) {
        peer->again = peer->again || done != PEER_LOOKS_UP;
        peer->work = PEER_RESTS;
        timer_set(&peer->peers->timers, &peer->timer, peer->now + HOLD);
        return;
    }
    if (!make_ready(peer))
        return;
    if (peer->session.engine.len == 0) {
        peer->work = PEER_DISCOVERS;
        session_discover(&peer->session, peer->now, pace_timeout(&peer->pace));
        settle(peer);
    } else if (peer->device && peer->device->ask != DEVICE_NOTHING) {
        ask_device(peer);
    } else if (peer->device) {
        rest(peer);
    } else if (peer->again || done == PEER_RESTS || done == PEER_DISCOVERS) {
        ask_poll(peer);
    } else if (peer->n_series) {
        ask_series(peer);
    } else {
        rest(peer);
    }
}

void peer_read(struct peer *peer, uint64_t now)
{
    if (!peer->session.handle)
        return;
    peer->now = now;
    bool waiting = peer->session.outcome == SESSION_WAITING;
    session_read(&peer->session, &peer->peers->readable, now);
    if (waiting && peer->session.outcome != SESSION_WAITING)
        settle(peer);
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
        settle(peer);
        return;
    }
    if (!peer->again)
        cursor_begin(&peer->cursor);
    if (!peer->again && peer->device)
        device_begin(peer->device, now);
    peer->polled = true;
    go_on(peer);
}

/* -- From the core --------------------------------------------------------------------------- */

static struct peer *find(const struct peers *peers, uint32_t id)
{
    struct peer *peer;
    HASH_FIND(hh, peers->all, &id, sizeof id, peer);
    return peer;
}

static struct peer *add(struct peers *peers, const struct message_child *child, uint64_t now)
{
    struct peer *peer = calloc(1, sizeof *peer);
    struct device *device = child->is_device ? device_new() : NULL;
    if (!peer || (child->is_device && !device)) {
        free(peer);
        device_free(device);
        return NULL;
    }
    peer->device = device;
    peer->peers = peers;
    peer->id = peer->timer.id = child->id;
    session_init(&peer->session, take_answer, peer);
    peer->session.engine =
        (struct engine){.len = child->engine_id_len, .boots = child->engine_boots};
    memcpy(peer->session.engine.id, child->engine_id, child->engine_id_len);
    peer->before = peer->session.engine;
    cursor_set(&peer->cursor, child->report_boot, child->next_block);
    pace_init(&peer->pace, child->id, child->period_ms, now);
    HASH_ADD(hh, peers->all, id, sizeof peer->id, peer);
    return peer;
}

/* Begins anew: what was under way is dropped, what was learned stays. */
static void restart(struct peer *peer, uint64_t now)
{
    session_close(&peer->session);
    session_forget_keys(&peer->session);
    peer->work = PEER_RESTS;
    peer->again = peer->polled = false;
    pace_init(&peer->pace, peer->id, (uint32_t)(peer->pace.period / NS_PER_MS), now);
    timer_set(&peer->peers->timers, &peer->timer, pace_due(&peer->pace));
}

bool peer_set(struct peers *peers, const struct message_child *child, uint64_t now)
{
    struct peer *peer = find(peers, child->id);
    bool is_new = !peer;
    if (is_new)
        peer = add(peers, child, now);
    if (!peer)
        return false;
    bool moved = strcmp(peer->address, child->address) != 0;
    bool changed = moved || strcmp(peer->credential, child->credential) != 0;
    memcpy(peer->address, child->address, sizeof peer->address);
    memcpy(peer->credential, child->credential, sizeof peer->credential);
    if (!is_new && moved)
        peer->session.engine = (struct engine){0}; /* and adopt_engine sees whether it is another */
    if (!is_new && peer->pace.period != child->period_ms * NS_PER_MS) {
        pace_set_period(&peer->pace, child->period_ms, now);
        if (peer->work == PEER_RESTS)
            timer_set(&peers->timers, &peer->timer, pace_due(&peer->pace));
    }
    if (changed)
        restart(peer, now);
    return true;
}

void peer_renew(struct peers *peers, const char *credential, uint64_t now)
{
    for (struct peer *peer = peers->all; peer; peer = peer->hh.next)
        if (strcmp(peer->credential, credential) == 0)
            restart(peer, now);
}

void peer_forget(struct peers *peers, uint32_t id)
{
    struct peer *peer = find(peers, id);
    if (!peer)
        return;
    HASH_DEL(peers->all, peer);
    timer_clear(&peers->timers, &peer->timer);
    session_close(&peer->session);
    session_forget_keys(&peer->session);
    free(peer->series);
    device_free(peer->device);
    free(peer);
}

static bool make_room(struct peer *peer, size_t n)
{
    size_t room = peer->room ? peer->room : POLL_SERIES_MAX;
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

/* A child that is silent is asked when it answers again. */
bool peer_look_up(struct peers *peers, const struct message_look_up *message, uint64_t now)
{
    struct peer *peer = find(peers, message->id);
    if (!peer || message->n == 0 || peer->n_series + message->n > SERIES_MAX)
        return true;
    if (!make_room(peer, peer->n_series + message->n))
        return false;
    memcpy(peer->series + peer->n_series, message->series, message->n * sizeof *message->series);
    peer->n_series += message->n;
    peer->now = now;
    if (peer->work == PEER_RESTS && !peer->again && peer->session.proven &&
        peer->pace.failures == 0 && !outbox_is_full(&peers->outbox) && make_ready(peer))
        ask_series(peer);
    return true;
}
