/* One child of a poller: what is asked when, and what the core is told, at both sides of each
 * limit.
 *
 * The session is the test's own (--wrap, see ld(1)): it notes what it is asked for and has the
 * outcome that the test says. Real sessions have tests/integration/poller.sh. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "poller/peer.h"
#include "poller/peer_engine.h"

#include "unit.h"

/* -- Sessions -------------------------------------------------------------------------------- */

/* What was done, in letters: O opened, C closed, R put to rest, K keys forgotten, D discovers,
 * A asks, T its time forgotten, k times kept, F all times forgotten, P put back. */
static struct {
    char done[4096];
    bool refused;     /* it cannot be opened */
    bool unwatchable; /* its socket is a file */
    netsnmp_pdu *pdu; /* the last question */
    uint64_t timeout;
    enum session_outcome outcome; /* of the next read, or expiry */
    enum poll_failure failure;
    const char *text;
    struct snmp_engine engine; /* that is discovered */
    uint64_t round_trip;
} script;

static void note(char what)
{
    size_t n = strlen(script.done);
    assert_true(n + 1 < sizeof script.done);
    script.done[n] = what;
    script.done[n + 1] = '\0';
}

static void assert_done(const char *expected)
{
    assert_string_equal(script.done, expected);
    script.done[0] = '\0';
}

bool __wrap_session_open(struct session *session, const char *address,
                         const struct credential *credential);
void __wrap_session_close(struct session *session);
int __wrap_session_fd(const struct session *session);
void __wrap_session_rest(struct session *session);
void __wrap_session_forget_keys(struct session *session);
void __wrap_session_discover(struct session *session, uint64_t now, uint64_t timeout);
void __wrap_session_ask(struct session *session, netsnmp_pdu *pdu, uint64_t now, uint64_t timeout);
void __wrap_session_read(struct session *session, netsnmp_large_fd_set *readable, uint64_t now);
void __wrap_session_expire(struct session *session, uint64_t now);
void __wrap_session_forget_time(struct session *session);

bool __wrap_session_open(struct session *session, const char *address,
                         const struct credential *credential)
{
    assert_non_null(credential);
    assert_non_null(address);
    if (script.refused) {
        session->failure = POLL_UNREACHABLE;
        session->text = "the system refuses";
        return false;
    }
    if (!session->handle)
        note('O');
    session->handle = session;
    if (session->resting_fd < 0)
        session->resting_fd =
            script.unwatchable ? open("/dev/null", O_RDONLY | O_CLOEXEC) : eventfd(0, EFD_CLOEXEC);
    return true;
}

void __wrap_session_close(struct session *session)
{
    note('C');
    if (session->resting_fd >= 0)
        close(session->resting_fd);
    session->resting_fd = -1;
    session->handle = NULL;
    session->outcome = SESSION_IDLE;
}

int __wrap_session_fd(const struct session *session)
{
    return session->resting_fd;
}

void __wrap_session_rest(struct session *session)
{
    note('R');
    session->handle = NULL;
}

void __wrap_session_forget_keys(struct session *session)
{
    note('K');
    session->proven = false;
}

static void begin(struct session *session, char what, uint64_t now, uint64_t timeout)
{
    note(what);
    script.timeout = timeout;
    session->outcome = SESSION_WAITING;
    session->deadline = now + timeout;
}

void __wrap_session_discover(struct session *session, uint64_t now, uint64_t timeout)
{
    begin(session, 'D', now, timeout);
}

void __wrap_session_ask(struct session *session, netsnmp_pdu *pdu, uint64_t now, uint64_t timeout)
{
    assert_non_null(pdu);
    if (script.pdu)
        snmp_free_pdu(script.pdu);
    script.pdu = pdu;
    begin(session, 'A', now, timeout);
}

static void end(struct session *session, uint64_t now)
{
    session->outcome = script.outcome;
    session->failure = script.failure;
    session->text = script.text;
    if (script.outcome == SESSION_WAITING)
        session->deadline = now + script.timeout;
    if (script.outcome == SESSION_DISCOVERED)
        session->engine = script.engine;
    if (script.outcome != SESSION_ANSWERED)
        return;
    session->proven = true;
    session->round_trip = script.round_trip;
    session->answer(session->context, script.pdu);
}

void __wrap_session_read(struct session *session, netsnmp_large_fd_set *readable, uint64_t now)
{
    (void)readable;
    end(session, now);
}

void __wrap_session_expire(struct session *session, uint64_t now)
{
    end(session, now);
}

void __wrap_session_forget_time(struct session *session)
{
    session->known = (struct engine_time){0};
    note('T');
}

/* -- A poller without a process --------------------------------------------------------------- */

#define START (1000 * NS_PER_S)
#define PERIOD 2000

struct scene {
    struct peers peers;
    struct credential *credential;
    int core; /* the end of the core */
    char heard[4096];
};

static int setup(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    int ends[2];
    memset(&script, 0, sizeof script);
    script.round_trip = 3 * NS_PER_MS;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
    scene->core = ends[1];
    scene->peers.epoll = epoll_create1(EPOLL_CLOEXEC);
    RB_INIT(&scene->peers.timers);
    TAILQ_INIT(&scene->peers.waiting);
    outbox_init(&scene->peers.outbox, ends[0], 0);
    scene->credential = calloc(1, sizeof *scene->credential);
    strcpy(scene->credential->name, "lab");
    HASH_ADD_STR(scene->peers.credentials, name, scene->credential);
    *state = scene;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    while (scene->peers.all)
        peer_forget(&scene->peers, scene->peers.all->id);
    assert_null(timer_first(&scene->peers.timers));
    assert_true(TAILQ_EMPTY(&scene->peers.waiting));
    assert_int_equal(scene->peers.polls_per_hour, 0);
    assert_int_equal(scene->peers.asking, 0);
    assert_int_equal(scene->peers.looking_up, 0);
    HASH_DEL(scene->peers.credentials, scene->credential);
    free(scene->credential);
    close(scene->peers.outbox.fd);
    outbox_free(&scene->peers.outbox);
    close(scene->core);
    close(scene->peers.epoll);
    if (script.pdu)
        snmp_free_pdu(script.pdu);
    free(scene);
    return 0;
}

#define peer_test(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static struct message_child child_of(uint32_t id)
{
    struct message_child child = {.head = {.kind = MESSAGE_CHILD, .length = sizeof child},
                                  .id = id,
                                  .credential = "lab",
                                  .period_ms = PERIOD};
    snprintf(child.address, sizeof child.address, "udp:127.0.0.%u:161", id);
    return child;
}

static struct peer *set_child(struct scene *scene, const struct message_child *child, uint64_t now)
{
    struct peer *peer;
    assert_true(peer_set(&scene->peers, child, now));
    HASH_FIND(hh, scene->peers.all, &child->id, sizeof child->id, peer);
    assert_non_null(peer);
    return peer;
}

static void put_text(char *text, size_t size, const struct message *message)
{
    const struct message_silent *silent = (const struct message_silent *)message;
    const struct message_answer *answer = (const struct message_answer *)message;
    const struct message_series *series = (const struct message_series *)message;
    switch (message->kind) {
    case MESSAGE_SILENT:
        snprintf(text, size, "silent %u: %d, %u%s: %s. ", silent->id, silent->failure,
                 silent->in_a_row, silent->look_up ? ", look-up" : "", silent->text);
        break;
    case MESSAGE_ANSWER:
        snprintf(text, size, "answer %u: %u, %u to %u, lost %u, %u blocks. ", answer->id,
                 answer->report_boot, answer->first, answer->last, answer->lost, answer->n_blocks);
        break;
    case MESSAGE_SERIES:
        snprintf(text, size, "series %u. ", series->series);
        break;
    default:
        snprintf(text, size, "message %u. ", message->kind);
    }
}

/* What the core hears, as text. */
static const char *heard(struct scene *scene)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    ssize_t n;
    scene->heard[0] = '\0';
    assert_true(outbox_flush(&scene->peers.outbox, UINT64_MAX - 1));
    while ((n = recv(scene->core, packet, sizeof packet, 0)) > 0) {
        const struct message *message;
        size_t at = 0;
        while ((message = message_next(packet, (size_t)n, &at)))
            put_text(scene->heard + strlen(scene->heard),
                     sizeof scene->heard - strlen(scene->heard), message);
    }
    return scene->heard;
}

static netsnmp_variable_list *varbind(size_t i)
{
    netsnmp_variable_list *var = script.pdu->variables;
    while (i-- && var)
        var = var->next_variable;
    return var;
}

static size_t n_asked(void)
{
    size_t n = 0;
    while (varbind(n))
        n++;
    return n;
}

static void set_number(size_t i, long number)
{
    snmp_set_var_typed_value(varbind(i), ASN_UNSIGNED, &number, sizeof number);
}

/* The question becomes the answer: its head, and those blocks that were asked for and are there. */
static void answer_poll(struct peer *peer, long boot, long first, long last, uint64_t now)
{
    set_number(0, boot);
    set_number(1, first);
    set_number(2, last);
    for (size_t i = 3; varbind(i); i++) {
        long block = (long)(peer->first + i - 3);
        bool there = first > 0 && block >= first && block <= last;
        snmp_set_var_typed_value(varbind(i), there ? ASN_OCTET_STR : SNMP_NOSUCHINSTANCE,
                                 there ? "block" : NULL, there ? 5 : 0);
    }
    script.pdu->errstat = SNMP_ERR_NOERROR;
    script.outcome = SESSION_ANSWERED;
    peer_read(peer, now);
}

static void discover(struct peer *peer, const char *id, uint64_t now)
{
    script.engine = (struct snmp_engine){.len = (uint32_t)strlen(id)};
    memcpy(script.engine.id, id, strlen(id));
    script.outcome = SESSION_DISCOVERED;
    peer_read(peer, now);
}

static void fail_with(struct peer *peer, enum poll_failure failure, const char *text, uint64_t now)
{
    script.outcome = SESSION_FAILED;
    script.failure = failure;
    script.text = text;
    peer_timer(&peer->timer, now);
}

/* A peer that has been polled once and rests. */
static struct peer *known_peer(struct scene *scene, uint32_t id)
{
    const struct message_child child = child_of(id);
    struct peer *peer = set_child(scene, &child, START);
    uint64_t now = peer->timer.at;
    peer_timer(&peer->timer, now);
    char engine[16];
    snprintf(engine, sizeof engine, "engine%u", id);
    discover(peer, engine, now + 1);
    answer_poll(peer, 7, 0, 0, now + 2);
    assert_int_equal(peer->work, PEER_RESTS);
    heard(scene);
    script.done[0] = '\0';
    return peer;
}

/* -- Polls ------------------------------------------------------------------------------------ */

static void from_the_first_contact_on(void **state)
{
    struct scene *scene = *state;
    const struct message_child child = child_of(1);
    struct peer *peer = set_child(scene, &child, START);
    assert_done("CK");
    assert_int_equal(scene->peers.polls_per_hour, 1800);
    assert_int_equal(peer->at_once, QUERY_SERIES_MAX);
    uint64_t now = peer->timer.at;
    assert_in_range(now, START, START + NS_PER_S - 1);
    peer_timer(&peer->timer, now);
    assert_done("OD");
    assert_int_equal(peer->work, PEER_DISCOVERS);
    assert_int_equal(scene->peers.asking, 1);
    assert_int_equal(script.timeout, 500 * NS_PER_MS); /* a quarter of the period */
    assert_int_equal(peer->timer.at, now + 500 * NS_PER_MS);
    discover(peer, "abc", now + 5);
    assert_done("A");
    assert_int_equal(scene->peers.learned, 1);
    assert_int_equal(peer->work, PEER_POLLS);
    assert_int_equal(scene->peers.asking, 1);
    assert_int_equal(peer->timer.at, now + 5 + 500 * NS_PER_MS);
    assert_int_equal(n_asked(), 3); /* nothing is known yet */
    answer_poll(peer, 7, 4, 6, now + 9);
    assert_string_equal(heard(scene), "answer 1: 7, 4 to 6, lost 0, 0 blocks. ");
    assert_done("A");
    assert_int_equal(n_asked(), 3 + 3);
    answer_poll(peer, 7, 4, 8, now + 13);
    assert_string_equal(heard(scene), "answer 1: 7, 4 to 8, lost 0, 3 blocks. ");
    assert_int_equal(n_asked(), 3 + 2);
    assert_done("A");
    assert_int_equal(peer->pace.round_trip, 3 * NS_PER_MS);
    answer_poll(peer, 7, 4, 8, now + 17);
    assert_string_equal(heard(scene), "answer 1: 7, 4 to 8, lost 0, 2 blocks. ");
    assert_done("");
    assert_int_equal(peer->work, PEER_RESTS);
    assert_int_equal(scene->peers.asking, 0);
    assert_false(peer->polled);
    assert_int_equal(peer->before.len, 3);
    assert_in_range(peer->timer.at, now + NS_PER_S - NS_PER_S / 2, now + 3 * NS_PER_S);
    now = peer->timer.at; /* the next one, without a discovery */
    peer_timer(&peer->timer, now);
    assert_done("A");
    assert_int_equal(peer->cursor.rounds, 0);
    assert_int_equal(n_asked(), 3 + 4); /* five came in a row: the most there may be */
}

/* An answer names the engine and what it took. */
static void what_an_answer_says(void **state)
{
    struct scene *scene = *state;
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    struct peer *peer = known_peer(scene, 1);
    peer->session.engine.boots = 9;
    peer_timer(&peer->timer, peer->timer.at);
    script.round_trip = 4567999;
    answer_poll(peer, 7, 1, 1, peer->now + 5);
    assert_true(outbox_flush(&scene->peers.outbox, UINT64_MAX - 1));
    ssize_t n = recv(scene->core, packet, sizeof packet, 0);
    assert_true(n > 0);
    size_t at = 0;
    const struct message_answer *answer =
        (const struct message_answer *)message_next(packet, (size_t)n, &at);
    assert_non_null(answer);
    assert_int_equal(answer->head.kind, MESSAGE_ANSWER);
    assert_int_equal(answer->round_trip_us, 4567);
    assert_int_equal(answer->engine_id_len, 7);
    assert_memory_equal(answer->engine_id, "engine1", 7);
    assert_int_equal(answer->engine_boots, 9);
    assert_int_equal(answer->n_blocks, 1);
    const struct message_block *block = message_block(answer, 0);
    assert_non_null(block);
    assert_int_equal(block->sequence, 1);
    assert_int_equal(block->length, 5);
    assert_memory_equal(block->bytes, "block", 5);
    assert_null(message_block(answer, 1));
}

/* What is known from before is asked for at once. */
static void known_from_before(void **state)
{
    struct scene *scene = *state;
    struct message_child child = child_of(1);
    memcpy(child.engine_id, "abc", 3);
    child.engine_id_len = 3;
    child.engine_boots = 5;
    child.report_boot = 7;
    child.next_block = 11;
    struct peer *peer = set_child(scene, &child, START);
    assert_int_equal(peer->session.engine.boots, 5);
    peer_timer(&peer->timer, peer->timer.at);
    assert_done("CKOA");
    assert_int_equal(peer->first, 11);
    assert_int_equal(peer->n, 1);
    assert_int_equal(n_asked(), 4);
}

static unsigned n_done(char what)
{
    unsigned n = 0;
    for (const char *done = script.done; *done; done++)
        n += *done == what;
    return n;
}

/* A child that is polled once a minute, with sensors of one minute and of two, each with a block of
 * its own: each poll is one request. */
static void one_request_a_poll(void **state)
{
    struct scene *scene = *state;
    struct message_child child = child_of(1);
    long last = 0;
    child.period_ms = 60000;
    struct peer *peer = set_child(scene, &child, START);
    peer_timer(&peer->timer, peer->timer.at);
    discover(peer, "abc", peer->now);
    answer_poll(peer, 7, 0, 0, peer->now);
    for (int minute = 1; minute <= 60; minute++) {
        last += minute % 2 == 0 ? 2 : 1;
        script.done[0] = '\0';
        peer_timer(&peer->timer, peer->timer.at);
        while (peer->work == PEER_POLLS)
            answer_poll(peer, 7, 1, last, peer->now + 1);
        assert_int_equal(peer->cursor.next, last + 1);
        assert_int_equal(n_done('A'), minute == 2 ? 2 : 1); /* it learns that there are two */
    }
}

/* A session rests where the next poll is five seconds away, and keeps its socket. */
static void long_rests(void **state)
{
    static const struct {
        uint32_t period_ms;
        const char *done;
    } rows[] = {{2000, "A"}, {60000, "AR"}};
    struct scene *scene = *state;
    for (uint32_t i = 0; i < N_OF(rows); i++) {
        struct message_child child = child_of(i + 1);
        child.period_ms = rows[i].period_ms;
        struct peer *peer = set_child(scene, &child, START);
        peer_timer(&peer->timer, peer->timer.at);
        script.done[0] = '\0';
        discover(peer, "abc", peer->now);
        answer_poll(peer, 7, 0, 0, peer->now);
        bool far = peer->timer.at >= peer->now + 5 * NS_PER_S;
        assert_int_equal(far, i == 1);
        assert_done(rows[i].done);
        peer_timer(&peer->timer, peer->timer.at);
        assert_done(far ? "OA" : "A");
        peer_forget(&scene->peers, i + 1);
        script.done[0] = '\0';
    }
}

/* -- Failures --------------------------------------------------------------------------------- */

static void silence(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    uint64_t now = peer->timer.at;
    peer_timer(&peer->timer, now);
    assert_done("A");
    script.outcome = SESSION_WAITING; /* it is sent once more */
    peer_timer(&peer->timer, now + script.timeout);
    assert_int_equal(peer->timer.at, now + 2 * script.timeout);
    assert_string_equal(heard(scene), "");
    fail_with(peer, POLL_TIMEOUT, "no answer", now + 2 * script.timeout);
    assert_string_equal(heard(scene), "silent 1: 1, 1: no answer. ");
    assert_done("C"); /* it was proven: who it is stays known */
    assert_int_equal(peer->session.engine.len, 7);
    assert_int_equal(peer->work, PEER_RESTS);
    assert_int_equal(scene->peers.asking, 0);
    assert_int_equal(peer->pace.failures, 1);
    assert_true(peer->timer.at > peer->now);
    peer->session.proven = false;
    peer->cursor.want = 3;
    peer_timer(&peer->timer, peer->timer.at);
    fail_with(peer, POLL_TIMEOUT, "no answer", peer->timer.at);
    assert_string_equal(heard(scene), "silent 1: 1, 2: no answer. ");
    assert_int_equal(peer->cursor.want, 1); /* perhaps the answer was too long for the network */
    assert_done("OAKC");
    assert_int_equal(peer->session.engine.len, 0);
    assert_int_equal(peer->before.len, 7);
    peer_timer(&peer->timer, peer->timer.at);
    assert_done("OD");
    discover(peer, "engine1", peer->now); /* the same: the cursor is still of use */
    assert_int_equal(peer->cursor.boot, 7);
    answer_poll(peer, 7, 0, 0, peer->now);
    assert_int_equal(peer->pace.failures, 0);
}

static void no_credential(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    strcpy(peer->credential, "none");
    peer_timer(&peer->timer, peer->timer.at);
    assert_string_equal(heard(scene), "silent 1: 10, 1: there is no such credential. ");
    strcpy(peer->credential, "lab");
    scene->credential->invalid = "its secret is too short";
    peer_timer(&peer->timer, peer->timer.at);
    assert_string_equal(heard(scene), "silent 1: 10, 2: its secret is too short. ");
    scene->credential->invalid = NULL;
    script.refused = true;
    peer_timer(&peer->timer, peer->timer.at);
    assert_string_equal(heard(scene), "silent 1: 2, 3: the system refuses. ");
    script.refused = false;
    assert_int_equal(peer->work, PEER_RESTS);
}

static void socket_that_cannot_be_watched(void **state)
{
    struct scene *scene = *state;
    const struct message_child child = child_of(1);
    struct peer *peer = set_child(scene, &child, START);
    script.unwatchable = true; /* epoll(7) takes no such file */
    peer_timer(&peer->timer, peer->timer.at);
    assert_string_equal(heard(scene), "silent 1: 8, 1: its socket cannot be watched. ");
}

static void garbage(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    peer_timer(&peer->timer, peer->timer.at);
    uint64_t next = peer->cursor.next;
    answer_poll(peer, 7, 5, 4, peer->now);
    assert_string_equal(heard(scene), "silent 1: 9, 1: its first block is after its last. ");
    assert_int_equal(peer->cursor.next, next);
    assert_int_equal(peer->work, PEER_RESTS);
    /* Numbers that go back: the cursor begins anew, or nothing would ever be taken again. */
    cursor_set(&peer->cursor, 7, 100);
    peer_timer(&peer->timer, peer->timer.at);
    answer_poll(peer, 7, 1, 4, peer->now);
    assert_string_equal(heard(scene), "silent 1: 9, 2: its block numbers went back. ");
    assert_int_equal(peer->cursor.boot, 0);
    /* A head that is none. */
    peer_timer(&peer->timer, peer->timer.at);
    snmp_set_var_typed_value(varbind(0), ASN_OCTET_STR, "x", 1);
    script.outcome = SESSION_ANSWERED;
    peer_read(peer, peer->now);
    assert_non_null(strstr(heard(scene), "silent 1: 9, 3: "));
    assert_int_equal(peer->cursor.boot, 0);
}

static void too_big(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    cursor_set(&peer->cursor, 7, 1);
    peer->cursor.want = 4;
    peer_timer(&peer->timer, peer->timer.at);
    assert_int_equal(n_asked(), 3 + 4);
    script.pdu->errstat = SNMP_ERR_TOOBIG;
    script.outcome = SESSION_ANSWERED;
    peer_read(peer, peer->now);
    assert_int_equal(n_asked(), 3 + 2);
    script.pdu->errstat = SNMP_ERR_TOOBIG;
    peer_read(peer, peer->now);
    assert_int_equal(n_asked(), 3 + 1);
    assert_string_equal(heard(scene), "");
    script.pdu->errstat = SNMP_ERR_TOOBIG;
    peer_read(peer, peer->now);
    assert_non_null(strstr(heard(scene), "silent 1: "));
}

/* -- Who answers ------------------------------------------------------------------------------ */

static void another_engine(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    peer->pushed.boot = 7;
    peer_timer(&peer->timer, peer->timer.at);
    peer->session.proven = false;
    fail_with(peer, POLL_TIMEOUT, "no answer", peer->timer.at);
    heard(scene);
    peer_timer(&peer->timer, peer->timer.at);
    script.done[0] = '\0';
    discover(peer, "other", peer->now);
    assert_string_equal(heard(scene), "silent 1: 6, 2: another engine ID answers at this address: "
                                      "6f74686572. ");
    assert_done("KC");
    assert_int_equal(peer->session.engine.len, 0);
    assert_int_equal(peer->cursor.boot, 7);
    peer_timer(&peer->timer, peer->timer.at);
    discover(peer, "third", peer->now); /* not the one that was told */
    assert_string_equal(heard(scene), "silent 1: 6, 3: another engine ID answers at this address: "
                                      "7468697264. ");
    peer_timer(&peer->timer, peer->timer.at);
    script.done[0] = '\0';
    peer->pushed.boot = 7;
    discover(peer, "third", peer->now);
    assert_done("A");
    assert_int_equal(peer->cursor.boot, 0);
    assert_int_equal(peer->pushed.boot, 0);
    assert_int_equal(n_asked(), 3);
    assert_memory_equal(peer->before.id, "third", 5);
}

static void boots_of_the_same_engine(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    peer->before.boots = 12;
    peer->session.engine = (struct snmp_engine){.len = 0};
    peer_timer(&peer->timer, peer->timer.at);
    discover(peer, "engine1", peer->now);
    assert_int_equal(peer->session.engine.boots, 12);
}

static void time_that_went_back(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1), *twin = known_peer(scene, 2);
    peer->session.engine.boots = 12;
    peer_timer(&peer->timer, peer->timer.at);
    script.done[0] = '\0';
    fail_with(peer, POLL_NOT_IN_WINDOW, "not in the window", peer->timer.at);
    assert_string_equal(heard(scene), "silent 1: 5, 1: not in the window. ");
    assert_done("TC");
    assert_int_equal(peer->session.engine.boots, 0);
    assert_int_equal(peer->session.engine.len, 7);
    twin->session.engine = peer->session.engine;
    peer_timer(&peer->timer, peer->timer.at);
    fail_with(peer, POLL_NOT_IN_WINDOW, "not in the window", peer->timer.at);
    assert_string_equal(
        heard(scene), "silent 1: 5, 2: its engine ID is also that of udp:127.0.0.2:161: cloned. ");
    strcpy(twin->address, peer->address); /* the same node, under two names */
    peer_timer(&peer->timer, peer->timer.at);
    fail_with(peer, POLL_NOT_IN_WINDOW, "not in the window", peer->timer.at);
    assert_string_equal(heard(scene), "silent 1: 5, 3: not in the window. ");
}

static void same_engines(void **state)
{
    static const struct {
        struct snmp_engine a, b;
        bool same;
    } rows[] = {
        {{"abc", 3, 1}, {"abc", 3, 2}, true}, {{"abc", 3, 1}, {"abd", 3, 1}, false},
        {{"abc", 2, 1}, {"abd", 2, 1}, true}, {{"abc", 3, 1}, {"abc", 2, 1}, false},
        {{"abc", 0, 1}, {"xyz", 0, 1}, true},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++)
        assert_int_equal(engine_is_same(&rows[i].a, &rows[i].b), rows[i].same);
}

/* Polls a peer, whose engine says these boots and this time. */
static void polled_at(struct peer *peer, uint32_t boots, uint32_t time)
{
    peer_timer(&peer->timer, peer->timer.at);
    peer->session.known = (struct engine_time){boots, time, peer->now};
    answer_poll(peer, 7, 0, 0, peer->now);
}

/* Another one that has the engine ID of the first. */
static struct peer *clone_of(struct scene *scene, const struct peer *original, uint32_t id)
{
    struct peer *clone = known_peer(scene, id);
    assert_true(clone->is_ahead);
    peer_fall_back(clone);
    clone->before = clone->session.engine = original->session.engine;
    return clone;
}

/* Who has had the most boots, and the latest time, is believed; that of a clone is told, once for
 * each time that the other one is heard. */
static void clones(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1), *clone = clone_of(scene, peer, 2);
    polled_at(peer, 9, 1000);
    assert_string_equal(heard(scene), "answer 1: 7, 0 to 0, lost 0, 0 blocks. ");
    assert_true(peer->is_ahead);
    for (uint32_t i = 0; i < 2; i++) {
        script.done[0] = '\0';
        polled_at(clone, 8, 5000);
        assert_non_null(
            strstr(heard(scene), "its engine ID is also that of udp:127.0.0.1:161: cloned. "));
        assert_done("ATC");
        assert_false(peer->is_ahead || clone->is_ahead);
        assert_int_equal(clone->session.engine.boots, 0);
        polled_at(clone, 8, 5000); /* healed */
        assert_string_equal(heard(scene), "answer 2: 7, 0 to 0, lost 0, 0 blocks. ");
        assert_true(clone->is_ahead);
        polled_at(peer, 9, 1010);
        assert_string_equal(heard(scene), "answer 1: 7, 0 to 0, lost 0, 0 blocks. ");
        assert_true(peer->is_ahead && !clone->is_ahead);
    }
}

/* Without more boots it is the time that tells: 150 seconds and no less. */
static void clones_with_the_same_boots(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1), *clone = clone_of(scene, peer, 2);
    for (uint32_t behind = 149; behind <= 151; behind++) {
        polled_at(peer, 9, 1000);
        heard(scene);
        uint64_t since = (clone->timer.at - peer->session.known.heard_ns) / NS_PER_S;
        polled_at(clone, 9, (uint32_t)(1000 + since - behind));
        assert_int_equal(strstr(heard(scene), "cloned") != NULL, behind > ENGINE_TIME_WINDOW);
        assert_int_equal(peer->is_ahead, behind <= ENGINE_TIME_WINDOW);
    }
}

/* Whose engine is gone, or another one now, is not compared with. */
static void clones_of_the_past(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1), *clone = clone_of(scene, peer, 2);
    polled_at(peer, 9, 1000);
    peer->session.engine = (struct snmp_engine){.len = 0};
    peer->session.found = (struct snmp_engine){"other", 5, 0};
    peer_timer(&peer->timer, peer->timer.at);
    discover(peer, "other", peer->now);
    answer_poll(peer, 7, 0, 0, peer->now);
    assert_true(peer->is_ahead);
    heard(scene);
    polled_at(clone, 8, 5000);
    assert_string_equal(heard(scene), "answer 2: 7, 0 to 0, lost 0, 0 blocks. ");
    assert_true(clone->is_ahead);
    peer_forget(&scene->peers, 2);
    assert_int_equal(HASH_CNT(by_engine, scene->peers.ahead), 1);
    assert_ptr_equal(scene->peers.ahead, peer);
}

/* What it takes memory to learn. */
static void learning(void **state)
{
    struct scene *scene = *state;
    known_peer(scene, 1);
    assert_int_equal(scene->peers.learned, 1);
    struct peer *peer = known_peer(scene, 2);
    assert_int_equal(scene->peers.learned, 2);
    peer_timer(&peer->timer, peer->timer.at);
    answer_poll(peer, 7, 0, 0, peer->now);
    assert_int_equal(scene->peers.learned, 2);
    const struct message_look_up look_up = {
        .head = {.kind = MESSAGE_LOOK_UP, .length = sizeof look_up},
        .id = 2,
        .n = 1,
        .series = {1}};
    assert_true(peer_look_up(&scene->peers, &look_up, peer->now));
    peers_look_up(&scene->peers, peer->now);
    assert_int_equal(scene->peers.learned, 3);
}

/* -- The core does not read ------------------------------------------------------------------- */

static void full_outbox(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    uint32_t n = scene->peers.outbox.n;
    scene->peers.outbox.n = 8;
    uint64_t now = peer->timer.at;
    peer_timer(&peer->timer, now);
    assert_done("R"); /* it does not keep what a question needs */
    assert_true(peer->again);
    assert_int_equal(peer->work, PEER_RESTS);
    uint64_t period = peer->pace.period, hold = period / 16;
    assert_int_equal(peer->timer.at, now + hold);
    peer->cursor.rounds = 3;
    peer_timer(&peer->timer, now + hold);
    assert_int_equal(peer->timer.at, now + 2 * hold);
    peer->pace.period = 100 * NS_PER_MS;
    peer_timer(&peer->timer, now + 2 * hold);
    assert_int_equal(peer->timer.at, now + 2 * hold + 20 * NS_PER_MS);
    peer->pace.period = 60 * NS_PER_S;
    peer_timer(&peer->timer, now + 3 * hold);
    assert_int_equal(peer->timer.at, now + 3 * hold + 500 * NS_PER_MS);
    peer->pace.period = period;
    scene->peers.outbox.n = n;
    script.done[0] = '\0';
    peer_timer(&peer->timer, now + 12 * hold);
    assert_done("OA");
    assert_int_equal(peer->cursor.rounds, 3); /* the same poll goes on */
    assert_false(peer->again);
}

/* -- Dictionaries ----------------------------------------------------------------------------- */

static bool look_up(struct scene *scene, uint32_t id, uint32_t first, uint32_t n, uint64_t now)
{
    struct message_look_up message = {
        .head = {.kind = MESSAGE_LOOK_UP, .length = sizeof message}, .id = id, .n = n};
    for (uint32_t i = 0; i < n; i++)
        message.series[i] = first + i;
    return peer_look_up(&scene->peers, &message, now);
}

static void answer_series(struct peer *peer)
{
    for (size_t i = 0; varbind(i); i++)
        snmp_set_var_typed_value(varbind(i), ASN_OCTET_STR, "name", 4);
    set_number(0, 7); /* of which boot they are */
    script.pdu->errstat = SNMP_ERR_NOERROR;
    script.outcome = SESSION_ANSWERED;
    peer_read(peer, peer->now);
}

static void ten_at_a_time(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    uint64_t due = peer->timer.at, slot = peer->pace.slot;
    assert_true(look_up(scene, 1, 100, 0, peer->now));
    assert_false(peer->waits);
    assert_true(look_up(scene, 9, 100, 1, peer->now)); /* nobody */
    assert_true(look_up(scene, 1, 100, 12, peer->now));
    assert_true(peer->waits);
    assert_done("");
    peers_look_up(&scene->peers, peer->now);
    assert_done("A");
    assert_false(peer->waits);
    assert_int_equal(peer->work, PEER_LOOKS_UP);
    assert_int_equal(scene->peers.looking_up, 1);
    assert_int_equal(scene->peers.asking, 1);
    assert_int_equal(peer->n_asked, 10);
    answer_series(peer);
    assert_non_null(strstr(heard(scene), "series 100. series 101. "));
    assert_done("A");
    assert_int_equal(peer->n_asked, 2);
    assert_int_equal(peer->n_series, 2);
    assert_int_equal(peer->series[0], 110);
    answer_series(peer);
    assert_string_equal(heard(scene), "series 110. series 111. ");
    assert_int_equal(peer->work, PEER_RESTS);
    assert_int_equal(scene->peers.looking_up, 0);
    assert_null(peer->series);
    assert_int_equal(peer->n_series, 0);
    assert_int_equal(peer->timer.at, due); /* it does not take the place of a poll */
    assert_int_equal(peer->pace.slot, slot);
}

/* The last one alone. */
static void one_more_than_ten(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    assert_true(look_up(scene, 1, 100, 11, peer->now));
    peers_look_up(&scene->peers, peer->now);
    assert_int_equal(peer->n_asked, 10);
    answer_series(peer);
    assert_int_equal(peer->n_asked, 1);
    assert_int_equal(peer->n_series, 1);
    assert_non_null(peer->series);
    assert_int_equal(peer->series[0], 110);
    heard(scene);
    answer_series(peer);
    assert_string_equal(heard(scene), "series 110. ");
    assert_null(peer->series);
}

static void too_big_for_series(void **state)
{
    struct scene *scene = *state;
    static const uint32_t at_once[] = {10, 5, 2, 1};
    struct peer *peer = known_peer(scene, 1);
    look_up(scene, 1, 100, 11, peer->now);
    peers_look_up(&scene->peers, peer->now);
    script.outcome = SESSION_ANSWERED;
    for (size_t i = 0; i < N_OF(at_once); i++) {
        assert_int_equal(peer->n_asked, at_once[i]);
        assert_int_equal(peer->n_series, 11);
        script.pdu->errstat = SNMP_ERR_TOOBIG;
        peer_read(peer, peer->now);
    }
    assert_non_null(strstr(heard(scene), ", look-up: "));
    assert_int_equal(peer->n_series, 10); /* that one is given up */
    assert_int_equal(peer->at_once, 1);
}

/* Fewer are asked for when nothing comes, and one more each time that something comes. */
static void silent_for_series(void **state)
{
    struct scene *scene = *state;
    static const uint32_t at_once[] = {10, 5, 2, 1, 1};
    struct peer *peer = known_peer(scene, 1);
    look_up(scene, 1, 100, 40, peer->now);
    for (size_t i = 0; i < N_OF(at_once); i++) {
        peers_look_up(&scene->peers, peer->now);
        assert_int_equal(peer->n_asked, at_once[i]);
        fail_with(peer, POLL_TIMEOUT, "no answer", peer->now + script.timeout);
        peer_timer(&peer->timer, peer->timer.at);
        answer_poll(peer, 7, 0, 0, peer->now);
    }
    for (uint32_t expected = 1; peer->n_series > 0; expected++) {
        assert_int_equal(peer->n_asked, expected <= 8 ? expected : 4);
        answer_series(peer);
    }
    assert_int_equal(peer->at_once, 9);
}

/* Those that are silent, or were never heard, are not asked. */
static void who_is_asked(void **state)
{
    static const struct {
        bool proven, again;
        uint32_t failures, looking_up, packets;
        const char *done;
        bool waits;
    } rows[] = {
        {true, false, 0, 0, 0, "A", false}, {true, false, 0, 31, 0, "A", false},
        {true, false, 0, 32, 0, "", true},  {true, false, 0, 0, 7, "A", false},
        {true, false, 0, 0, 8, "", true},   {false, false, 0, 0, 0, "", false},
        {true, true, 0, 0, 0, "", false},   {true, false, 1, 0, 0, "", false},
    };
    struct scene *scene = *state;
    for (uint32_t i = 0; i < N_OF(rows); i++) {
        struct peer *peer = known_peer(scene, i + 1);
        uint32_t packets = scene->peers.outbox.n;
        look_up(scene, i + 1, 100, 1, peer->now);
        peer->session.proven = rows[i].proven;
        peer->again = rows[i].again;
        peer->pace.failures = rows[i].failures;
        scene->peers.looking_up = rows[i].looking_up;
        scene->peers.outbox.n = rows[i].packets;
        peers_look_up(&scene->peers, peer->now);
        scene->peers.outbox.n = packets;
        if (strcmp(script.done, rows[i].done) != 0 || peer->waits != rows[i].waits)
            fail_msg("row %u: %s", i, script.done);
        assert_int_equal(scene->peers.looking_up, rows[i].looking_up + (rows[i].done[0] != '\0'));
        peer_forget(&scene->peers, i + 1);
        scene->peers.looking_up = 0;
        script.done[0] = '\0';
    }
}

/* After a poll they come at once, if there is a place; else it waits for one. */
static void after_a_poll(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    peer_timer(&peer->timer, peer->timer.at);
    look_up(scene, 1, 100, 1, peer->now);
    assert_false(peer->waits); /* it is being polled */
    answer_poll(peer, 7, 0, 0, peer->now);
    assert_done("AA");
    assert_int_equal(peer->work, PEER_LOOKS_UP);
    answer_series(peer);
    scene->peers.looking_up = 32;
    peer_timer(&peer->timer, peer->timer.at);
    look_up(scene, 1, 100, 1, peer->now);
    answer_poll(peer, 7, 0, 0, peer->now);
    assert_true(peer->waits);
    assert_int_equal(peer->work, PEER_RESTS);
    scene->peers.looking_up = 0;
}

static void very_many_series(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    for (uint32_t i = 0; i < 1024; i++) {
        assert_true(look_up(scene, 1, 64 * i, 64, peer->now));
        assert_true(peer->room >= peer->n_series && peer->room <= 2 * peer->n_series);
    }
    assert_int_equal(peer->n_series, 65536);
    assert_int_equal(peer->series[65535], 65535);
    assert_true(look_up(scene, 1, 1, 1, peer->now)); /* the core will ask again */
    assert_int_equal(peer->n_series, 65536);
}

/* -- From the core ---------------------------------------------------------------------------- */

static void changes_of_a_child(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    struct message_child child = child_of(1);
    uint64_t due = peer->timer.at;
    assert_ptr_equal(set_child(scene, &child, peer->now), peer);
    assert_done("");
    assert_int_equal(peer->timer.at, due);
    strcpy(child.credential, "other");
    set_child(scene, &child, peer->now);
    assert_done("CK");
    assert_string_equal(peer->credential, "other");
    assert_int_equal(peer->session.engine.len, 7);
    strcpy(child.address, "udp:127.0.0.9:161");
    set_child(scene, &child, peer->now);
    assert_done("CK");
    assert_string_equal(peer->address, "udp:127.0.0.9:161");
    assert_int_equal(peer->session.engine.len, 0);
    assert_int_equal(peer->before.len, 7);
    assert_int_equal(peer->pace.period, 2 * NS_PER_S);
    assert_int_equal(scene->peers.polls_per_hour, 1800);
    child.period_ms = 10000;
    set_child(scene, &child, peer->now);
    assert_done("");
    assert_int_equal(peer->pace.period, 10 * NS_PER_S);
    assert_int_equal(scene->peers.polls_per_hour, 360);
    assert_in_range(peer->timer.at, peer->now, peer->now + 10 * NS_PER_S);
    struct message_child second = child_of(2);
    set_child(scene, &second, peer->now);
    assert_int_equal(scene->peers.polls_per_hour, 2160);
    peer_forget(&scene->peers, 2);
    peer_forget(&scene->peers, 2);
    assert_int_equal(scene->peers.polls_per_hour, 360);
}

static void set_keys(struct message_child *child, const char *engine, uint8_t octet)
{
    child->keys = (struct localized_keys){
        .engine_id_len = (uint8_t)strlen(engine), .auth_len = 32, .priv_len = 32};
    memcpy(child->keys.engine_id, engine, strlen(engine));
    memset(child->keys.auth, octet, 32);
}

/* Other keys are tried at once, and all that was learned of the child stays. Of another engine it
 * has to be found out who is there. */
static void keys_of_a_child(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    struct message_child child = child_of(1);
    assert_null(peer->session.localized);
    set_keys(&child, "engine1", 1);
    set_child(scene, &child, peer->now);
    assert_done("CK");
    assert_ptr_equal(peer->session.localized, peer->keys);
    assert_true(localized_keys_same(peer->keys, &child.keys));
    assert_int_equal(peer->session.engine.len, 7);
    assert_int_equal(peer->cursor.boot, 7);
    set_child(scene, &child, peer->now); /* the same */
    assert_done("");
    set_keys(&child, "engine1", 2);
    set_child(scene, &child, peer->now);
    assert_done("CK");
    assert_int_equal(peer->session.localized->auth[0], 2);
    assert_int_equal(peer->session.engine.len, 7);
    set_keys(&child, "engine", 2);
    set_child(scene, &child, peer->now);
    assert_done("CK");
    assert_int_equal(peer->session.engine.len, 0);
    assert_int_equal(peer->before.len, 7);
    child.keys.engine_id_len = child.keys.auth_len = child.keys.priv_len = 0;
    set_child(scene, &child, peer->now);
    assert_done("CK");
    assert_null(peer->session.localized);
    assert_null(peer->keys);
}

/* While keys are changed: the poll that meets the others is not missed, and they are the first ones
 * from then on. Only where both are wrong it is, and silence says nothing of keys. */
static void keys_that_are_changed(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    struct message_child child = child_of(1);
    set_keys(&child, "engine1", 1);
    child.next_keys = child.keys;
    child.next_keys.auth[0] = 2;
    set_child(scene, &child, peer->now);
    assert_done("CK");
    peer_timer(&peer->timer, peer->timer.at);
    assert_done("OA");
    assert_int_equal(peer->session.localized->auth[0], 1);
    fail_with(peer, POLL_WRONG_KEY, "wrongDigests", peer->now);
    assert_done("RKOA");
    assert_string_equal(heard(scene), "");
    assert_int_equal(peer->session.localized->auth[0], 2);
    answer_poll(peer, 7, 1, 1, peer->now);
    assert_string_equal(heard(scene), "answer 1: 7, 1 to 1, lost 0, 1 blocks. ");
    assert_done("");

    peer_timer(&peer->timer, peer->timer.at);
    assert_done("A");
    assert_int_equal(peer->session.localized->auth[0], 2);
    fail_with(peer, POLL_WRONG_KEY, "wrongDigests", peer->now);
    assert_done("RKOA");
    assert_int_equal(peer->session.localized->auth[0], 1);
    fail_with(peer, POLL_WRONG_KEY, "wrongDigests", peer->now);
    assert_done("KC");
    char expected[64];
    snprintf(expected, sizeof expected, "silent 1: %d, 1: wrongDigests. ", POLL_WRONG_KEY);
    assert_string_equal(heard(scene), expected);

    peer_timer(&peer->timer, peer->timer.at);
    discover(peer, "engine1", peer->now);
    assert_done("ODA");
    fail_with(peer, POLL_TIMEOUT, "no answer", peer->now);
    assert_int_equal(peer->session.localized->auth[0], 1);
    snprintf(expected, sizeof expected, "silent 1: %d, 2: no answer. ", POLL_TIMEOUT);
    assert_string_equal(heard(scene), expected);
    child.next_keys = (struct localized_keys){.engine_id_len = 0};
    child.keys.auth[0] = 2;
    set_child(scene, &child, peer->now);
    assert_null(peer->next_keys);
    assert_ptr_equal(peer->session.localized, peer->keys);
}

/* The engine that the keys are for is adopted without a word: the core knows of it. Any other is
 * told each time, and with what it has. */
static void keys_say_which_engine(void **state)
{
    struct scene *scene = *state;
    struct message_child child = child_of(1);
    memcpy(child.engine_id, "older", 5);
    child.engine_id_len = 5;
    child.engine_boots = 5;
    child.report_boot = 7;
    child.next_block = 11;
    set_keys(&child, "newer", 1);
    struct peer *peer = set_child(scene, &child, START);
    assert_int_equal(peer->session.engine.len, 0);
    peer_timer(&peer->timer, peer->timer.at);
    assert_done("CKOD");
    for (uint32_t i = 1; i <= 2; i++) {
        peer->session.found = (struct snmp_engine){.id = "else!", .len = 5};
        fail_with(peer, POLL_NEW_ENGINE, "its keys are for another engine ID", peer->now);
        char expected[128];
        snprintf(expected, sizeof expected,
                 "silent 1: %d, %u: its keys are for another engine ID, not for 656c736521. ",
                 POLL_NEW_ENGINE, i);
        assert_string_equal(heard(scene), expected);
        assert_int_equal(peer->cursor.next, 11);
        peer_timer(&peer->timer, peer->timer.at);
        assert_done("KCOD");
    }
    discover(peer, "newer", peer->now);
    assert_string_equal(heard(scene), "");
    assert_done("A");
    assert_int_equal(peer->work, PEER_POLLS);
    assert_int_equal(peer->cursor.boot, 0); /* another node: from its beginning */
}

/* What was under way is dropped; the timer of a request stays that of the request. */
static void changes_while_it_is_asked(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    struct message_child child = child_of(1);
    peer_timer(&peer->timer, peer->timer.at);
    uint64_t deadline = peer->timer.at;
    child.period_ms = 60000;
    set_child(scene, &child, peer->now);
    assert_int_equal(peer->timer.at, deadline);
    assert_int_equal(scene->peers.asking, 1);
    strcpy(child.address, "udp:127.0.0.9:161");
    set_child(scene, &child, peer->now);
    assert_int_equal(scene->peers.asking, 0);
    assert_int_equal(peer->work, PEER_RESTS);
    assert_false(peer->polled);
    assert_in_range(peer->timer.at, peer->now, peer->now + NS_PER_S);
    assert_int_equal(peer->pace.period, 60 * NS_PER_S);
}

static void new_secrets(void **state)
{
    struct scene *scene = *state;
    struct peer *one = known_peer(scene, 1), *two = known_peer(scene, 2);
    strcpy(two->credential, "other");
    peer_renew(&scene->peers, "lab", one->now);
    assert_done("CK");
    assert_false(one->session.proven);
    assert_true(two->session.proven);
    assert_int_equal(one->session.engine.len, 7); /* what was learned stays */
}

static void pushed_blocks(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    struct message_move move = {.head = {.kind = MESSAGE_MOVE, .length = sizeof move},
                                .id = 9,
                                .report_boot = 7,
                                .next_block = 5};
    cursor_set(&peer->cursor, 7, 3);
    uint64_t due = peer->timer.at, now = peer->now;
    assert_true(due > now + NS_PER_MS);
    peer_move(&scene->peers, &move, now);
    move.id = 1;
    peer_move(&scene->peers, &move, now);
    assert_int_equal(peer->timer.at, due); /* it is not soon */
    move.soon = 1;
    peer_move(&scene->peers, &move, now);
    assert_int_equal(peer->timer.at, now);
    peer_move(&scene->peers, &move, now + 1); /* once is enough */
    assert_int_equal(peer->timer.at, now);
    uint64_t slot = peer->pace.slot;
    peer_timer(&peer->timer, now);
    assert_int_equal(peer->pushed.hurry, 0);
    assert_int_equal(peer->first, 5);
    assert_false(peer->polled); /* out of turn */
    answer_poll(peer, 7, 1, 5, now);
    assert_int_equal(peer->pace.slot, slot);
    assert_int_equal(peer->timer.at, due);
    peer_move(&scene->peers, &move, now + 2); /* not more often than once in a second */
    assert_int_equal(peer->timer.at, now + NS_PER_S < due ? now + NS_PER_S : due);
    /* All of a boot once more; of another boot it says nothing. */
    move.again = 1;
    peer_move(&scene->peers, &move, now + 2);
    peer_timer(&peer->timer, peer->timer.at);
    assert_int_equal(peer->first, 0);
    assert_int_equal(peer->n, 0);
    assert_int_equal(peer->cursor.boot, 7);
    assert_false(peer->pushed.again);
    answer_poll(peer, 7, 0, 0, peer->now);
    cursor_set(&peer->cursor, 8, 3);
    peer_move(&scene->peers, &move, peer->now);
    peer_timer(&peer->timer, peer->timer.at);
    assert_int_equal(peer->first, 3);
}

/* While it is asked, or goes on, a push does not touch its timer. */
static void pushed_while_it_is_asked(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    const struct message_move move = {.head = {.kind = MESSAGE_MOVE, .length = sizeof move},
                                      .id = 1,
                                      .report_boot = 7,
                                      .next_block = 5,
                                      .soon = 1};
    peer_timer(&peer->timer, peer->timer.at);
    uint64_t deadline = peer->timer.at;
    peer_move(&scene->peers, &move, peer->now);
    assert_int_equal(peer->timer.at, deadline);
    assert_int_equal(peer->pushed.hurry, peer->now);
    answer_poll(peer, 7, 0, 0, peer->now);
    assert_int_equal(peer->timer.at, peer->pushed.hurry);
}

/* Packets that decide nothing only move the deadline; those that come at rest are dropped. */
static void packets_in_between(void **state)
{
    struct scene *scene = *state;
    struct peer *peer = known_peer(scene, 1);
    uint64_t due = peer->timer.at;
    script.outcome = SESSION_IDLE;
    peer_read(peer, peer->now);
    assert_int_equal(peer->timer.at, due);
    peer_timer(&peer->timer, due);
    script.outcome = SESSION_WAITING;
    peer_read(peer, due + 7);
    assert_int_equal(peer->timer.at, due + 7 + script.timeout);
    assert_string_equal(heard(scene), "");
}

/* -- Devices ---------------------------------------------------------------------------------- */

#define SCALARS 150 /* more than are asked for at once */

static void define_scalars(struct scene *scene)
{
    static const uint32_t arcs[] = {1, 3, 6, 1, 4, 1, 9};
    union {
        struct message_object message;
        uint8_t room[sizeof(struct message_object) + sizeof arcs + sizeof *arcs];
    } object = {.message = {.is_scalar = true, .instances = "*", .n_oid = N_OF(arcs) + 1}};
    memcpy(object.message.arcs, arcs, sizeof arcs);
    for (uint32_t i = 1; i <= SCALARS; i++) {
        object.message.object = i;
        object.message.arcs[N_OF(arcs)] = i;
        assert_true(object_define(&scene->peers.objects, &object.message));
    }
}

static bool set_objects(struct scene *scene, uint32_t id, uint32_t generation, uint32_t n)
{
    union {
        struct message_objects message;
        uint8_t room[sizeof(struct message_objects) + SCALARS * sizeof(uint32_t)];
    } objects = {.message = {.id = id, .generation = generation, .n = n}};
    for (uint32_t i = 0; i < n; i++)
        objects.message.objects[i] = i + 1;
    return peer_set_objects(&scene->peers, &objects.message);
}

/* The number of varbinds that were asked for; the first is how long the device has been up. */
static size_t answer_device(struct peer *peer)
{
    long ticks = 1234;
    size_t n = n_asked();
    snmp_set_var_typed_value(varbind(0), ASN_TIMETICKS, &ticks, sizeof ticks);
    for (size_t i = 1; i < n; i++)
        set_number(i, 5);
    script.pdu->errstat = SNMP_ERR_NOERROR;
    script.outcome = SESSION_ANSWERED;
    peer_read(peer, peer->now);
    return n;
}

/* It is asked for its objects in several questions, and has answered with the last of them. */
static void devices(void **state)
{
    struct scene *scene = *state;
    struct message_child child = child_of(1);
    child.is_device = true;
    define_scalars(scene);
    struct peer *peer = set_child(scene, &child, START);
    assert_true(set_objects(scene, 9, 1, 1)); /* of nobody: that is no fault */
    assert_true(set_objects(scene, 1, 1, SCALARS));
    assert_int_equal(peer->device->n_objects, SCALARS);
    peer_timer(&peer->timer, peer->timer.at);
    discover(peer, "engine", peer->now);
    peer->pace.failures = 2;
    script.done[0] = '\0';
    size_t asked = 0, questions = 0;
    while (peer->work == PEER_POLLS && questions < 10) {
        assert_int_equal(peer->pace.failures, 2);
        assert_int_equal(strspn(script.done, "A"), questions);
        asked += answer_device(peer) - 1;
        questions++;
    }
    assert_int_equal(asked, SCALARS);
    assert_true(questions > 1);
    assert_int_equal(peer->pace.failures, 0);
    assert_int_equal(peer->work, PEER_RESTS);
    heard(scene);
    assert_true(set_objects(scene, 1, 2, 3));
    assert_int_equal(peer->device->n_objects, 3);
    peer_timer(&peer->timer, peer->timer.at);
    assert_int_equal(answer_device(peer), 1 + 3);
    assert_int_equal(peer->work, PEER_RESTS);
    peer_forget(&scene->peers, 1);
    for (uint32_t i = 1; i <= SCALARS; i++)
        object_drop(&scene->peers.objects, i);
    assert_null(scene->peers.objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        peer_test(from_the_first_contact_on),
        peer_test(what_an_answer_says),
        peer_test(known_from_before),
        peer_test(one_request_a_poll),
        peer_test(long_rests),
        peer_test(silence),
        peer_test(no_credential),
        peer_test(socket_that_cannot_be_watched),
        peer_test(garbage),
        peer_test(too_big),
        peer_test(another_engine),
        peer_test(boots_of_the_same_engine),
        peer_test(time_that_went_back),
        cmocka_unit_test(same_engines),
        peer_test(clones),
        peer_test(clones_with_the_same_boots),
        peer_test(clones_of_the_past),
        peer_test(learning),
        peer_test(full_outbox),
        peer_test(ten_at_a_time),
        peer_test(one_more_than_ten),
        peer_test(devices),
        peer_test(too_big_for_series),
        peer_test(silent_for_series),
        peer_test(who_is_asked),
        peer_test(after_a_poll),
        peer_test(very_many_series),
        peer_test(changes_of_a_child),
        peer_test(keys_of_a_child),
        peer_test(keys_that_are_changed),
        peer_test(keys_say_which_engine),
        peer_test(changes_while_it_is_asked),
        peer_test(new_secrets),
        peer_test(pushed_blocks),
        peer_test(pushed_while_it_is_asked),
        peer_test(packets_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
