/* The connection to the master: packets in pieces, too long ones, bad ones, and a master that does
 * not read. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "agent/agentx.h"
#include "agent/wire.h"

#include "heap.h"
#include "masters.h"
#include "scarce.h"
#include "unit.h"

static struct master master;

/* What was taken of the packets, in their order. */
static struct taken {
    size_t n, limit; /* no more than limit are wanted */
    int command[16];
    long session[16], transaction[16], packet[16];
    size_t octets[16]; /* of the value of the first variable */
} taken;

static bool take(void *context, netsnmp_pdu *pdu)
{
    struct taken *to = context;
    to->command[to->n] = pdu->command;
    to->session[to->n] = pdu->sessid;
    to->transaction[to->n] = pdu->transid;
    to->packet[to->n] = pdu->reqid;
    to->octets[to->n] = pdu->variables ? pdu->variables->val_len : 0;
    to->n++;
    return to->n < to->limit;
}

static struct wire *connected(void)
{
    int error = -1;
    struct wire *wire = wire_open(master.address, &error);
    assert_non_null(wire);
    assert_int_equal(error, 0);
    assert_true(master_accept(&master));
    taken = (struct taken){.limit = N_OF(taken.command)};
    return wire;
}

static void disconnect(struct wire *wire)
{
    wire_close(wire);
    master_hang_up(&master);
}

static int wire_setup(void **state)
{
    (void)state;
    master_begin(&master);
    return 0;
}

static int wire_teardown(void **state)
{
    (void)state;
    master_end(&master);
    return 0;
}

#define UNREADABLE "the master sent what cannot be read"

/* -- Beginning and end ----------------------------------------------------------------------- */

static void open_and_close(void)
{
    struct wire *wire = connected();
    char octet;
    wire_close(wire);
    assert_int_equal(recv(master.fd, &octet, 1, MSG_DONTWAIT), 0); /* it is closed */
    master_hang_up(&master);
}

static void begins_and_ends(void **state)
{
    (void)state;
    struct wire *wire = connected();
    struct timeval limit;
    socklen_t size = sizeof limit;
    assert_int_equal(getsockopt(wire_fd(wire), SOL_SOCKET, SO_SNDTIMEO, &limit, &size), 0);
    assert_int_equal(limit.tv_sec, 2);
    assert_int_equal(limit.tv_usec, 0);
    disconnect(wire);
    assert_keeps_nothing(open_and_close);
}

static void open_in_vain(void)
{
    int error = 0;
    assert_null(wire_open("unix:/nowhere/master", &error));
    assert_int_equal(error, ENOENT);
}

static void nobody_there(void **state)
{
    (void)state;
    open_in_vain();
    assert_keeps_nothing(open_in_vain);
}

static size_t nth;

static void open_without_memory(void)
{
    int error = 0;
    scarce_fail(nth);
    struct wire *wire = wire_open(master.address, &error);
    assert_true(scarce_stop());
    assert_null(wire);
    assert_int_equal(error, ENOMEM);
}

static void no_memory_to_begin(void **state)
{
    (void)state;
    for (nth = 1; nth <= 4; nth++)
        assert_keeps_nothing(open_without_memory);
}

/* -- What comes ------------------------------------------------------------------------------ */

/* A packet with one value of so many octets, or without any value. */
static u_char *packet_of(int type, long id, size_t octets, int flags, size_t *len)
{
    static const oid name[] = {1, 3};
    static u_char value[1 << 17];
    netsnmp_pdu *pdu = master_pdu(type, 77, 1000 + id, id);
    pdu->flags |= (u_long)flags;
    if (octets > 0)
        assert_non_null(snmp_pdu_add_variable(pdu, name, N_OF(name), ASN_OCTET_STR, value, octets));
    return master_octets(pdu, len);
}

static void say_packet(int type, long id, size_t octets)
{
    size_t len;
    u_char *packet = packet_of(type, id, octets, 0, &len);
    master_say_octets(&master, packet, len);
    free(packet);
}

/* The header, twelve octets of type and name, the length, and the value. */
#define OVERHEAD 40

static void nothing_comes(void **state)
{
    (void)state;
    struct wire *wire = connected();
    assert_null(wire_read(wire, take, &taken));
    assert_int_equal(taken.n, 0);
    disconnect(wire);
}

/* Three packets of both byte orders, cut in two at every place. */
static void cut_everywhere(void **state)
{
    (void)state;
    static const int types[] = {AGENTX_PING, AGENTX_NOTIFY, AGENTX_PING};
    static const int orders[] = {MASTER_NETWORK_ORDER, 0, MASTER_NETWORK_ORDER};
    u_char all[256];
    size_t len = 0, ends[N_OF(types)];
    for (size_t i = 0; i < N_OF(types); i++) {
        size_t n;
        u_char *packet = packet_of(types[i], (long)i + 1, i == 1 ? 9 : 0, orders[i], &n);
        memcpy(all + len, packet, n);
        len = ends[i] = len + n;
        free(packet);
    }
    assert_int_equal(ends[0], 20);
    for (size_t cut = 0; cut <= len; cut++) {
        struct wire *wire = connected();
        size_t whole = 0;
        master_say_octets(&master, all, cut);
        assert_null(wire_read(wire, take, &taken));
        while (whole < N_OF(ends) && ends[whole] <= cut)
            whole++;
        assert_int_equal(taken.n, whole);
        master_say_octets(&master, all + cut, len - cut);
        assert_null(wire_read(wire, take, &taken));
        assert_int_equal(taken.n, N_OF(types));
        for (size_t i = 0; i < N_OF(types); i++) {
            assert_int_equal(taken.command[i], types[i]);
            assert_int_equal(taken.session[i], 77);
            assert_int_equal(taken.transaction[i], 1001 + i);
            assert_int_equal(taken.packet[i], i + 1);
            assert_int_equal(taken.octets[i], i == 1 ? 9 : 0);
        }
        disconnect(wire);
    }
}

static void octet_by_octet(void **state)
{
    (void)state;
    struct wire *wire = connected();
    size_t len;
    u_char *packet = packet_of(AGENTX_NOTIFY, 5, 30, MASTER_NETWORK_ORDER, &len);
    for (size_t round = 1; round <= 3; round++)
        for (size_t i = 0; i < len; i++) {
            assert_int_equal(taken.n, round - 1);
            master_say_octets(&master, packet + i, 1);
            assert_null(wire_read(wire, take, &taken));
        }
    assert_int_equal(taken.n, 3);
    free(packet);
    disconnect(wire);
}

/* Around the room that there is at first, and up to the largest packet there may be; another one
 * behind it. */
static void sizes(void **state)
{
    (void)state;
    static const size_t totals[] = {4092, 4096, 4100, 8192, 30000, 65532, 65536};
    for (size_t i = 0; i < N_OF(totals); i++) {
        struct wire *wire = connected();
        size_t octets = totals[i] - OVERHEAD, len;
        u_char *packet = packet_of(AGENTX_NOTIFY, 1, octets, 0, &len);
        assert_int_equal(len, totals[i]);
        for (size_t at = 0; at < len; at += 1000) {
            assert_int_equal(taken.n, 0);
            master_say_octets(&master, packet + at, len - at < 1000 ? len - at : 1000);
            assert_null(wire_read(wire, take, &taken));
        }
        assert_int_equal(taken.n, 1);
        assert_int_equal(taken.octets[0], octets);
        say_packet(AGENTX_PING, 2, 0);
        assert_null(wire_read(wire, take, &taken));
        assert_int_equal(taken.n, 2);
        free(packet);
        disconnect(wire);
    }
}

/* More than there is room for, behind a part of a packet: the rest stays in the socket. */
static void more_than_there_is_room_for(void **state)
{
    (void)state;
    struct wire *wire = connected();
    size_t len;
    u_char *packet = packet_of(AGENTX_NOTIFY, 1, 4096 - OVERHEAD, 0, &len);
    master_say_octets(&master, packet, 3000);
    assert_null(wire_read(wire, take, &taken));
    master_say_octets(&master, packet + 3000, len - 3000);
    say_packet(AGENTX_NOTIFY, 2, 3000);
    assert_null(wire_read(wire, take, &taken));
    assert_int_equal(taken.n, 1);
    assert_null(wire_read(wire, take, &taken));
    assert_int_equal(taken.n, 2);
    assert_int_equal(taken.octets[0], 4096 - OVERHEAD);
    assert_int_equal(taken.octets[1], 3000);
    free(packet);
    disconnect(wire);
}

static void without_memory_for_a_large_one(void **state)
{
    (void)state;
    struct wire *wire = connected();
    say_packet(AGENTX_NOTIFY, 1, 5000);
    scarce_fail(1);
    const char *fault = wire_read(wire, take, &taken);
    assert_true(scarce_stop());
    assert_string_equal(fault, UNREADABLE);
    assert_int_equal(taken.n, 0);
    disconnect(wire);
}

/* Behind a good packet, which is taken: headers that none can have. */
static void bad_headers(void **state)
{
    (void)state;
    static const uint32_t payloads[] = {
        65520,                  /* four octets more than the largest packet */
        0x7fffffff,             /* and the header make more than an int has */
        0x80000000, 0xfffffffc, /* less than the header */
        0xffffffec,             /* nothing */
    };
    for (size_t i = 0; i < N_OF(payloads); i++) {
        struct wire *wire = connected();
        size_t len;
        u_char *packet = packet_of(AGENTX_PING, 3, 0, MASTER_NETWORK_ORDER, &len);
        say_packet(AGENTX_PING, 1, 0);
        for (int octet = 0; octet < 4; octet++)
            packet[16 + octet] = (u_char)(payloads[i] >> (24 - 8 * octet));
        master_say_octets(&master, packet, len);
        const char *fault = wire_read(wire, take, &taken);
        if (!fault || strcmp(fault, UNREADABLE) != 0)
            fail_msg("header %zu is taken", i);
        assert_int_equal(taken.n, 1);
        assert_int_equal(taken.packet[0], 1);
        free(packet);
        disconnect(wire);
    }
}

/* The length fits, the name inside does not. */
static void bad_inside(void **state)
{
    (void)state;
    struct wire *wire = connected();
    size_t len;
    u_char *packet = packet_of(AGENTX_NOTIFY, 1, 8, 0, &len);
    packet[24] = 200; /* sub-identifiers of the name */
    master_say_octets(&master, packet, len);
    assert_string_equal(wire_read(wire, take, &taken), UNREADABLE);
    assert_int_equal(taken.n, 0);
    free(packet);
    disconnect(wire);
}

static void no_more_are_wanted(void **state)
{
    (void)state;
    struct wire *wire = connected();
    taken.limit = 2;
    for (long id = 1; id <= 4; id++)
        say_packet(AGENTX_PING, id, 0);
    assert_non_null(wire_read(wire, take, &taken));
    assert_int_equal(taken.n, 2);
    assert_int_equal(taken.packet[1], 2);
    disconnect(wire);
}

static void read_one(void)
{
    struct wire *wire = connected();
    say_packet(AGENTX_NOTIFY, 1, 6000);
    assert_null(wire_read(wire, take, &taken));
    assert_null(wire_read(wire, take, &taken));
    assert_int_equal(taken.n, 1);
    say_packet(AGENTX_NOTIFY, 1, 70000);
    assert_string_equal(wire_read(wire, take, &taken), UNREADABLE);
    disconnect(wire);
}

static void packets_are_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(read_one);
}

static void the_master_goes(void **state)
{
    (void)state;
    struct wire *wire = connected();
    say_packet(AGENTX_PING, 1, 0);
    master_hang_up(&master);
    assert_null(wire_read(wire, take, &taken)); /* what it said before, first */
    assert_int_equal(taken.n, 1);
    assert_string_equal(wire_read(wire, take, &taken), "the master closed the connection");
    wire_close(wire);
}

/* Without having read what was sent to it. */
static void the_master_breaks_off(void **state)
{
    (void)state;
    struct wire *wire = connected();
    assert_true(wire_send(wire, master_pdu(AGENTX_PING, 1, 2, 3)));
    master_hang_up(&master);
    assert_string_equal(wire_read(wire, take, &taken), "the connection to the master broke");
    wire_close(wire);
}

/* -- What is sent ---------------------------------------------------------------------------- */

static netsnmp_pdu *notify_of(long id, size_t octets)
{
    static const oid name[] = {1, 3, 6, 1, 4, 1};
    static u_char value[1 << 16];
    netsnmp_pdu *pdu = master_pdu(AGENTX_NOTIFY, 7, 8, id);
    memset(value, (int)id, octets);
    assert_non_null(snmp_pdu_add_variable(pdu, name, N_OF(name), ASN_OCTET_STR, value, octets));
    return pdu;
}

static void assert_heard(long id, size_t octets)
{
    netsnmp_pdu *pdu = master_await(&master);
    assert_non_null(pdu);
    assert_int_equal(pdu->command, AGENTX_NOTIFY);
    assert_int_equal(pdu->sessid, 7);
    assert_int_equal(pdu->transid, 8);
    assert_int_equal(pdu->reqid, id);
    assert_non_null(pdu->variables);
    assert_int_equal(pdu->variables->val_len, octets);
    for (size_t i = 0; i < octets; i++)
        assert_int_equal(pdu->variables->val.string[i], id);
    snmp_free_pdu(pdu);
}

static void packets_go_out(void **state)
{
    (void)state;
    struct wire *wire = connected();
    static const size_t octets[] = {5, 1, 4100, 20000, 2};
    for (size_t i = 0; i < N_OF(octets); i++) {
        assert_true(wire_send(wire, notify_of((long)i + 1, octets[i])));
        assert_heard((long)i + 1, octets[i]);
    }
    assert_null(master_hear(&master));
    disconnect(wire);
}

/* What the codec has no words for. */
static void no_packet(void **state)
{
    (void)state;
    struct wire *wire = connected();
    assert_false(wire_send(wire, master_pdu(99, 1, 2, 3)));
    assert_null(master_hear(&master));
    assert_true(wire_send(wire, notify_of(1, 3)));
    assert_heard(1, 3);
    disconnect(wire);
}

static void send_some(void)
{
    struct wire *wire = connected();
    assert_true(wire_send(wire, notify_of(1, 7000)));
    assert_true(wire_send(wire, notify_of(2, 9)));
    assert_false(wire_send(wire, master_pdu(99, 1, 2, 3)));
    master_hang_up(&master);
    assert_false(wire_send(wire, notify_of(3, 9)));
    wire_close(wire);
}

static void what_is_sent_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(send_some);
}

/* -- What is sent while packets are taken ----------------------------------------------------- */

struct answering {
    struct wire *wire;
    size_t octets;          /* of each answer */
    int n;                  /* taken, and answered */
    int n_sent;             /* without an error */
    int first_heard_behind; /* the answer behind which the master first had something; 0: none */
};

static bool master_has_something(void)
{
    char octet;
    return recv(master.fd, &octet, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

static bool take_and_answer(void *context, netsnmp_pdu *pdu)
{
    struct answering *to = context;
    bool sent = wire_send(to->wire, notify_of(pdu->reqid, to->octets));
    to->n++;
    to->n_sent += sent;
    if (to->first_heard_behind == 0 && master_has_something())
        to->first_heard_behind = to->n;
    return sent;
}

static void say_requests(int n)
{
    for (int id = 1; id <= n; id++)
        say_packet(AGENTX_PING, id, 0);
}

static void assert_all_heard(int n, size_t octets)
{
    for (int id = 1; id <= n; id++)
        assert_heard(id, octets);
    assert_null(master_hear(&master));
}

static void answers_go_out_together(void **state)
{
    (void)state;
    struct answering to = {.wire = connected(), .octets = 100};
    say_requests(20);
    assert_null(wire_read(to.wire, take_and_answer, &to));
    assert_int_equal(to.n, 20);
    assert_int_equal(to.first_heard_behind, 0);
    assert_all_heard(20, 100);
    assert_true(wire_send(to.wire, notify_of(21, 9))); /* as soon as it is sent */
    assert_heard(21, 9);
    disconnect(to.wire);
}

/* With the third answer of more than 6,000 octets, more than 16 KiB wait. */
static void many_octets_do_not_wait(void **state)
{
    (void)state;
    struct answering to = {.wire = connected(), .octets = 6000};
    say_requests(8);
    assert_null(wire_read(to.wire, take_and_answer, &to));
    assert_int_equal(to.n, 8);
    assert_int_equal(to.first_heard_behind, 3);
    assert_all_heard(8, 6000);
    disconnect(to.wire);
}

/* What was answered before the packet that ends all goes out. */
static void answers_before_a_bad_packet(void **state)
{
    (void)state;
    struct answering to = {.wire = connected(), .octets = 10};
    size_t len;
    u_char *packet = packet_of(AGENTX_NOTIFY, 2, 8, 0, &len);
    packet[24] = 200;
    say_packet(AGENTX_PING, 1, 0);
    master_say_octets(&master, packet, len);
    assert_string_equal(wire_read(to.wire, take_and_answer, &to), UNREADABLE);
    assert_int_equal(to.n, 1);
    assert_heard(1, 10);
    free(packet);
    disconnect(to.wire);
}

static void answer_a_master_that_has_gone(void)
{
    struct answering to = {.wire = connected(), .octets = 10};
    say_requests(3);
    master_hang_up(&master);
    assert_string_equal(wire_read(to.wire, take_and_answer, &to),
                        "the master does not take what is sent");
    assert_int_equal(to.n_sent, 3);
    wire_close(to.wire);
}

static void the_master_goes_before_its_answers(void **state)
{
    (void)state;
    answer_a_master_that_has_gone();
    assert_keeps_nothing(answer_a_master_that_has_gone);
}

/* Room is made for each of two answers: without it, they do not wait. */
static void no_memory_for_answers(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 3; n++) {
        struct answering to = {.wire = connected(), .octets = 5000};
        say_requests(2);
        scarce_fail(n);
        assert_null(wire_read(to.wire, take_and_answer, &to));
        assert_int_equal(scarce_stop(), n <= 2);
        assert_int_equal(to.first_heard_behind, n <= 2 ? n : 0);
        assert_all_heard(2, 5000);
        disconnect(to.wire);
    }
}

/* The master's socket is full: who sends waits, but not for ever. The limit is cut short here. */
static void a_master_that_does_not_read(void **state)
{
    (void)state;
    struct wire *wire = connected();
    const struct timeval limit = {.tv_usec = 20000};
    bool sent = true;
    assert_int_equal(setsockopt(wire_fd(wire), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit), 0);
    alarm(20);
    for (int i = 0; sent && i < 1000; i++)
        sent = wire_send(wire, notify_of(1, 60000));
    alarm(0);
    assert_false(sent);
    disconnect(wire);
}

static volatile sig_atomic_t rung;

static void ring(int signal)
{
    (void)signal;
    rung++;
}

/* Once some signals have come to who sends. */
static void *read_late(void *context)
{
    (void)context;
    for (int i = 0; i < 20000 && rung < 5; i++)
        usleep(1000);
    assert_heard(1, 60000);
    assert_heard(2, 60000);
    return NULL;
}

/* Signals cut a send in two, or end it before it began: nothing is lost or comes twice. */
static void interrupted_sends(void **state)
{
    (void)state;
    struct wire *wire = connected();
    const int little = 4608;
    const struct sigaction action = {.sa_handler = ring};
    const struct itimerval often = {{.tv_usec = 2000}, {.tv_usec = 2000}}, never = {{0}, {0}};
    struct sigaction old;
    sigset_t alarm_only;
    pthread_t reader;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    assert_int_equal(setsockopt(wire_fd(wire), SOL_SOCKET, SO_SNDBUF, &little, sizeof little), 0);
    assert_int_equal(sigaction(SIGALRM, &action, &old), 0);
    pthread_sigmask(SIG_BLOCK, &alarm_only, NULL); /* inherited by the reader */
    assert_int_equal(pthread_create(&reader, NULL, read_late, NULL), 0);
    pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    bool first = wire_send(wire, notify_of(1, 60000)),
         second = wire_send(wire, notify_of(2, 60000));
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_join(reader, NULL);
    sigaction(SIGALRM, &old, NULL);
    assert_true(first);
    assert_true(second);
    assert_true(rung >= 5);
    disconnect(wire);
}

#define wire_test(test) cmocka_unit_test_setup_teardown(test, wire_setup, wire_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        wire_test(begins_and_ends),
        wire_test(nobody_there),
        wire_test(no_memory_to_begin),
        wire_test(nothing_comes),
        wire_test(cut_everywhere),
        wire_test(octet_by_octet),
        wire_test(sizes),
        wire_test(more_than_there_is_room_for),
        wire_test(without_memory_for_a_large_one),
        wire_test(bad_headers),
        wire_test(bad_inside),
        wire_test(no_more_are_wanted),
        wire_test(packets_are_given_back),
        wire_test(the_master_goes),
        wire_test(the_master_breaks_off),
        wire_test(packets_go_out),
        wire_test(no_packet),
        wire_test(what_is_sent_is_given_back),
        wire_test(answers_go_out_together),
        wire_test(many_octets_do_not_wait),
        wire_test(answers_before_a_bad_packet),
        wire_test(the_master_goes_before_its_answers),
        wire_test(no_memory_for_answers),
        wire_test(a_master_that_does_not_read),
        wire_test(interrupted_sends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
