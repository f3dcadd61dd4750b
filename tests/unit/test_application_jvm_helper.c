/* dcamp-jvm as the daemon sees it: the test is that process, at the other end of its socket. */
#include "application/jvm_helper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/said.h"
#include "tests/unit/unit.h"

#define S NS_PER_S

static char folder[] = "/tmp/dcamp-test.XXXXXX", path[64];
static int listener, peer;
static struct jvm_helper helper;
static unsigned found, ends;

static int open_scene(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(folder, "/tmp/dcamp-test.XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/jvm", folder);
    memcpy(address.sun_path, path, strlen(path));
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    peer = -1;
    said_begin();
    jvm_helper_open(&helper, path);
    return bind(listener, (const struct sockaddr *)&address, sizeof address) || listen(listener, 4);
}

static int close_scene(void **state)
{
    (void)state;
    jvm_helper_close(&helper);
    said_end();
    close(listener);
    if (peer >= 0)
        close(peer);
    unlink(path);
    return rmdir(folder);
}

static void take(void *context, const struct jvm_message *message)
{
    assert_ptr_equal(context, &helper);
    found += message->kind == JVM_FOUND;
    ends += message->kind == JVM_END;
}

static int ask(uint64_t now_ns)
{
    found = ends = 0;
    return jvm_helper_ask(&helper, now_ns, take, &helper);
}

static void send_octets(const void *octets, size_t size)
{
    assert_int_equal(send(peer, octets, size, MSG_NOSIGNAL), size);
}

static void say(enum jvm_message_kind kind, uint32_t number)
{
    uint8_t packet[JVM_PACKET_MAX];
    struct jvm_message is = {.kind = kind, .pass = number};
    if (kind == JVM_FOUND) {
        is.found = (struct jvm){.pid = 1};
        strcpy(is.found.profile.name, "Orders");
    }
    send_octets(packet, jvm_message_put(packet, &is));
}

static void assert_asked(uint32_t number)
{
    uint8_t packet[JVM_PACKET_MAX];
    struct jvm_message is;
    ssize_t n = recv(peer, packet, sizeof packet, MSG_DONTWAIT);
    assert_true(n > 0 && jvm_message_take(packet, (size_t)n, &is));
    assert_int_equal(is.kind, JVM_ASK);
    assert_int_equal(is.pass, number);
}

/* The first question comes with the connection: its answer is late. */
static void meet(void)
{
    assert_int_equal(ask(S), ETIMEDOUT);
    peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(peer >= 0);
    assert_asked(1);
}

static void answers(void **state)
{
    (void)state;
    meet();
    say(JVM_FOUND, 1);
    say(JVM_END, 1);
    say(JVM_FOUND, 2);
    say(JVM_FOUND, 2);
    say(JVM_END, 2);
    assert_false(jvm_helper_goes_on(&helper, S + JVM_LATE_NS + 1));
    assert_int_equal(ask(S + JVM_LATE_NS + 1), 0); /* what was that late does not count */
    assert_int_equal(found, 2);
    assert_int_equal(ends, 1);
    assert_asked(2);
    say(JVM_END, 3);
    assert_int_equal(ask(4 * S), 0);
    assert_int_equal(found, 0);
    assert_int_equal(ends, 1);
}

static void assert_not_asked(void)
{
    char octet;
    assert_int_equal(recv(peer, &octet, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
}

/* What is a little late counts in the next pass, which does not ask again. */
static void a_little_late(void **state)
{
    (void)state;
    meet();
    say(JVM_FOUND, 1);
    assert_true(jvm_helper_goes_on(&helper, 2 * S));
    assert_int_equal(ask(2 * S), ETIMEDOUT);
    assert_int_equal(found, 1);
    assert_int_equal(ends, 0);
    say(JVM_FOUND, 1);
    say(JVM_END, 1);
    assert_true(jvm_helper_goes_on(&helper, 3 * S));
    assert_int_equal(ask(3 * S), 0);
    assert_int_equal(found, 1);
    assert_int_equal(ends, 1);
    assert_not_asked();
    assert_false(jvm_helper_goes_on(&helper, 3 * S));
    say(JVM_END, 2);
    assert_int_equal(ask(4 * S), 0);
    assert_asked(2);
}

/* Half of an answer is none; nobody is asked again before the other half is there. */
static void half(void **state)
{
    (void)state;
    meet();
    say(JVM_FOUND, 1);
    assert_int_equal(ask(10 * S), ETIMEDOUT);
    assert_int_equal(found, 0);
    assert_not_asked();
    say(JVM_END, 1);
    say(JVM_END, 2);
    assert_int_equal(ask(11 * S), 0);
    assert_asked(2);
}

static void assert_given_up(const char *fault, uint64_t now_ns)
{
    char expected[256];
    snprintf(expected, sizeof expected, "error jvm: dcamp-jvm %s; it is started anew\n", fault);
    assert_string_equal(said_now(), expected);
    close(peer);
    assert_int_equal(ask(now_ns), EAGAIN); /* not at once */
    assert_int_equal(ask(now_ns + JVM_BACKOFF_MIN_NS), ETIMEDOUT);
    peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(peer >= 0);
}

static void begin(void)
{
    meet();
    say(JVM_END, 1);
    assert_int_equal(ask(S + 1), 0);
    said_now();
}

static void silence(void **state)
{
    (void)state;
    meet();
    said_now();
    assert_int_equal(ask(100 * S), ETIMEDOUT); /* perhaps the machine was stopped */
    assert_int_equal(ask(100 * S + JVM_SILENT_NS - 1), ETIMEDOUT);
    say(JVM_FOUND, 1); /* it lives */
    assert_int_equal(ask(200 * S), ETIMEDOUT);
    assert_int_equal(ask(200 * S + JVM_SILENT_NS - 1), ETIMEDOUT);
    assert_string_equal(said_now(), "");
    assert_int_equal(ask(200 * S + JVM_SILENT_NS), EAGAIN);
    assert_given_up("is alive but silent: it is stopped, or hangs", 200 * S + JVM_SILENT_NS);
}

static void its_end(void **state)
{
    (void)state;
    begin();
    close(peer);
    peer = -1;
    assert_int_equal(ask(2 * S), EAGAIN);
    assert_given_up("has ended", 2 * S);
}

static void look(uint32_t number, pid_t pid, uint64_t started)
{
    uint8_t packet[JVM_PACKET_MAX];
    const struct jvm_message is = {.kind = JVM_LOOK, .pass = number, .look = {pid, started}};
    send_octets(packet, jvm_message_put(packet, &is));
}

/* The question of the helper that has begun at that time. */
static struct jvm_ask begin_again(uint64_t now_ns)
{
    uint8_t packet[JVM_PACKET_MAX];
    struct jvm_message is = {.ask.n = 0};
    assert_int_equal(ask(now_ns), ETIMEDOUT);
    close(peer);
    peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    ssize_t n = recv(peer, packet, sizeof packet, MSG_DONTWAIT);
    assert_true(n > 0 && jvm_message_take(packet, (size_t)n, &is));
    return is.ask;
}

static void end_of_peer(uint64_t now_ns)
{
    assert_int_equal(shutdown(peer, SHUT_RDWR), 0);
    assert_int_equal(ask(now_ns), EAGAIN);
}

/* Each helper hangs with the same process, and the first one after a look that was told between two
 * questions: it is left alone for 30 seconds, then for 60, and so on; and for one hour at most. */
static void who_hangs_it_is_left_alone(void **state)
{
    (void)state;
    uint64_t now_ns = 100 * S, length_ns = JVM_SHUN_MIN_NS;
    begin();
    look(1, 7, 70);
    look(1, 8, 80);
    end_of_peer(now_ns);
    for (unsigned times = 0; times < 10; times++) {
        struct jvm_ask is = begin_again(now_ns + length_ns - 1);
        assert_int_equal(is.n, 1);
        assert_int_equal(is.shunned[0].pid, 8);
        assert_int_equal(is.shunned[0].started, 80);
        end_of_peer(now_ns + length_ns - 1);
        is = begin_again(now_ns += length_ns + JVM_BACKOFF_MAX_NS);
        assert_int_equal(is.n, 0);
        look(helper.pass, 8, 80);
        end_of_peer(now_ns += S);
        length_ns = 2 * length_ns < JVM_SHUN_MAX_NS ? 2 * length_ns : JVM_SHUN_MAX_NS;
    }
    said_now();
}

/* Nor is one whose look has ended: by that at none, or by the end of the answer. */
static void others_are_not_left_alone(void **state)
{
    (void)state;
    begin();
    look(1, 7, 70);
    look(1, 0, 0);
    end_of_peer(100 * S);
    assert_int_equal(begin_again(110 * S).n, 0);
    look(helper.pass, 7, 70);
    say(JVM_END, helper.pass);
    assert_int_equal(ask(111 * S), 0);
    end_of_peer(112 * S);
    assert_int_equal(begin_again(150 * S).n, 0);
    said_now();
}

/* There is room for so many; it is taken from whoever may be looked at first. */
static void many_are_left_alone(void **state)
{
    (void)state;
    struct jvm_ask is = {.n = 0};
    begin();
    for (pid_t pid = 1; pid <= JVM_SHUNNED_MAX + 2; pid++) {
        helper.backoff_ns = 0;
        look(helper.pass, pid, 1);
        end_of_peer((100 + 2 * (uint64_t)pid) * S);
        is = begin_again((102 + 2 * (uint64_t)pid) * S - 1);
    }
    assert_int_equal(is.n, JVM_SHUNNED_MAX);
    bool there[JVM_SHUNNED_MAX + 3] = {false};
    for (unsigned i = 0; i < is.n; i++)
        there[is.shunned[i].pid] = true;
    for (pid_t pid = 1; pid <= JVM_SHUNNED_MAX + 2; pid++)
        assert_int_equal(there[pid], pid > 2);
    said_now();
}

static void nonsense(void **state)
{
    (void)state;
    static const char fault[] = "says what makes no sense, or is of another version";
    begin();
    send_octets("nonsense", 8);
    assert_int_equal(ask(2 * S), EAGAIN);
    assert_given_up(fault, 2 * S);
    say(JVM_ASK, 3); /* which is the daemon's to say */
    assert_int_equal(ask(100 * S), EAGAIN);
    said_now();
    assert_int_equal(ask(200 * S), ETIMEDOUT);
    close(peer);
    peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    say(JVM_END, 3); /* an answer to another question */
    said_now();
    assert_int_equal(ask(240 * S), EAGAIN);
    assert_given_up(fault, 240 * S);
}

/* Who says more than there can be is not listened to for ever. How much it was. */
static unsigned say_too_much(enum jvm_message_kind kind)
{
    meet();
    said_now();
    unsigned said = 0;
    for (uint64_t now_ns = 2 * S; helper.fd >= 0 && said < 2000; now_ns += S / 100) {
        for (unsigned i = 0; i < 20; i++, said++)
            say(kind, 1);
        ask(now_ns);
    }
    assert_string_equal(said_now(), "error jvm: dcamp-jvm says what makes no sense, or is of "
                                    "another version; it is started anew\n");
    return said;
}

static void too_much(void **state)
{
    (void)state;
    assert_in_range(say_too_much(JVM_FOUND), JVM_MAX + JVM_TROUBLES_MAX,
                    JVM_MAX + JVM_TROUBLES_MAX + 40);
}

static void too_many_looks(void **state)
{
    (void)state;
    assert_in_range(say_too_much(JVM_LOOK), JVM_MAX + JVM_LOOKS_MAX, JVM_MAX + JVM_LOOKS_MAX + 40);
}

/* Each time, it is waited for twice as long, up to a bound; after one that lasted, from the begin.
 */
static void later_each_time(void **state)
{
    (void)state;
    static const unsigned pauses[] = {1, 2, 4, 8, 16, 30, 30};
    uint64_t now_ns = S;
    close(listener);
    listener = -1;
    unlink(path);
    for (size_t i = 0; i < N_OF(pauses); i++) {
        assert_int_equal(ask(now_ns), ENOENT);
        assert_int_equal(helper.due_ns, now_ns + pauses[i] * S);
        assert_int_equal(ask(helper.due_ns - 1), ENOENT);
        now_ns = helper.due_ns;
    }
    assert_string_equal(said_now(),
                        "error jvm: dcamp-jvm, which looks for JVMs, cannot be started: No such "
                        "file or directory (it is in the package dcamp-jvm)\n");
}

static void nobody_wants_it(void **state)
{
    (void)state;
    begin();
    jvm_helper_rest(&helper, 2 * S);
    char octet;
    assert_int_equal(recv(peer, &octet, 1, 0), 0);
    assert_string_equal(said_now(), "info jvm: no sensor measures JVMs any more\n");
    jvm_helper_rest(&helper, 3 * S);
    assert_string_equal(said_now(), "");
}

/* A program that the daemon starts: it ends when its socket is closed, or is killed. */
static void a_program(void **state)
{
    (void)state;
    jvm_helper_open(&helper, "/bin/true");
    assert_int_equal(ask(S), EAGAIN);
    assert_true(helper.is_ending);
    while (helper.is_ending)
        jvm_helper_rest(&helper, 2 * S - 1);
    jvm_helper_open(&helper, "/bin/sleep"); /* says how it is used, and ends */
    ask(S);
    pid_t pid = helper.pid;
    jvm_helper_close(&helper);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(a_little_late, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(half, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(silence, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(its_end, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(who_hangs_it_is_left_alone, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(others_are_not_left_alone, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(many_are_left_alone, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(nonsense, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(too_much, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(too_many_looks, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(later_each_time, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(nobody_wants_it, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(a_program, open_scene, close_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
