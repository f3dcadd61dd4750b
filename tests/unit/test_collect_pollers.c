/* Poller processes. The program starts itself as its own poller, as the daemon
 * does: with --poller it only listens, and does what the first child's address says. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/account.h"
#include "base/text.h"
#include "collect/poller_process.h"
#include "daemon/polling.h"

#include "manager.h"
#include "node.h"
#include "pollers.h"
#include "said.h"
#include "secrets.h"

static void one_poller(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    assert_non_null(pollers);
    assert_int_equal(pollers_step(pollers, 1), UINT64_MAX); /* nobody is needed */
    pollers_send_child(pollers, 1,
                       "echoes"); /* not running: what it does not hear it is told later */
    pollers_step(pollers, 1);
    struct poller_process *poller = pollers_begun(pollers);
    assert_non_null(poller);
    assert_null(pollers_begun(pollers));
    assert_true(poller_has(poller, 1));
    assert_false(poller_has(poller, 2));
    pollers_send_child(pollers, 1, "echoes");
    assert_string_equal(pollers_hear_text(pollers, 1), "child 1");
    pollers_send_child(pollers, 2, "echoes");
    assert_true(poller_has(poller, 2));
    assert_string_equal(pollers_hear_text(pollers, 1), "child 2");
    pollers_send_forget(pollers, 2);
    assert_false(poller_has(poller, 2));
    assert_string_equal(pollers_hear_text(pollers, 1), "forgotten");
    pollers_send_child(pollers, 3, "descriptors");
    assert_string_equal(pollers_hear_text(pollers, 1), "0 1 2 3 ");
    sigset_t blocked;
    assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &blocked), 0);
    assert_true(sigismember(&blocked, SIGTERM)); /* as the daemon does; see main */
    pollers_send_child(pollers, 3, "signals");
    assert_string_equal(pollers_hear_text(pollers, 1), "group of its own");
    assert_null(pollers_ended(pollers));
    pollers_free(pollers);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
    assert_int_equal(errno, ECHILD);
}

static void nothing_to_wait_with(void **state)
{
    (void)state;
    struct rlimit old, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = (struct rlimit){0, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct pollers *pollers = pollers_new(NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_null(pollers);
    pollers_free(NULL);
}

static void a_thousand_each(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    size_t begun = 0, has = 0;
    for (uint32_t id = 1; id <= 2 * LOAD_CHILDREN + 1; id++)
        pollers_send_child(pollers, id, "");
    pollers_step(pollers, 1);
    for (struct poller_process *poller; (poller = pollers_begun(pollers)); begun++) {
        size_t n = 0;
        for (uint32_t id = 0; id <= 2 * LOAD_CHILDREN + 2; id++)
            n += poller_has(poller, id);
        assert_in_range(n, 1, LOAD_CHILDREN);
        has += n;
    }
    assert_int_equal(begun, 3);
    assert_int_equal(has, 2 * LOAD_CHILDREN + 1);
    /* The third one has nothing to do any more, and its place is taken again. */
    pollers_send_forget(pollers, 2 * LOAD_CHILDREN + 1);
    pollers_step(pollers, 2);
    assert_non_null(pollers_ended(pollers));
    assert_null(pollers_ended(pollers));
    pollers_send_forget(pollers, 1);
    pollers_send_child(pollers, 5000, "");
    for (int i = 0; i < 100; i++) {
        pollers_step(pollers, 2);
        poll(NULL, 0, 1);
    }
    assert_null(pollers_begun(pollers));
    pollers_free(pollers);
}

static void send_with_period(struct pollers *pollers, uint32_t id, uint32_t period_ms)
{
    struct message_child child = {
        .head = {.kind = MESSAGE_CHILD, .length = sizeof child}, .id = id, .period_ms = period_ms};
    pollers_send(pollers, id, &child.head);
}

/* Those that have begun: how many, and the most and the fewest children of one. */
struct crowd {
    size_t n;
    uint32_t most, fewest;
};

static struct crowd begun_now(struct pollers *pollers)
{
    struct crowd crowd = {.fewest = UINT32_MAX};
    for (struct poller_process *poller; (poller = pollers_begun(pollers)); crowd.n++) {
        uint32_t children = poller->load.children;
        crowd.most = children > crowd.most ? children : crowd.most;
        crowd.fewest = children < crowd.fewest ? children : crowd.fewest;
    }
    return crowd;
}

/* Sends those of a poller that poller_has, or those that pollers_lack, with a period. */
static uint32_t send_those(struct pollers *pollers, bool (*those)(void *of, uint32_t id), void *of,
                           uint32_t last, uint32_t period_ms)
{
    uint32_t n = 0;
    for (uint32_t id = 1; id <= last; id++)
        if (those(of, id)) {
            send_with_period(pollers, id, period_ms);
            n++;
        }
    return n;
}

/* Once there are many pollers, each takes more; but none keeps more than it can poll. */
static void very_many(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    const uint32_t n = LOAD_POLLERS * (LOAD_CHILDREN + 2);
    assert_int_equal(pollers_listen(pollers, "udp:127.0.0.1:1"), 0); /* which is none of them */
    for (uint32_t id = 1; id <= n; id++)
        send_with_period(pollers, id, 10000);
    assert_false(pollers_left_out(pollers));
    pollers_step(pollers, 1);
    assert_true(poller_receives(pollers_begun(pollers)));
    struct poller_process *first = pollers_begun(pollers);
    struct crowd crowd = begun_now(pollers);
    assert_int_equal(crowd.n, LOAD_POLLERS - 1);
    assert_int_equal(crowd.most, LOAD_CHILDREN + 2);
    assert_int_equal(crowd.fewest, LOAD_CHILDREN + 2);
    assert_int_equal(first->load.children, LOAD_CHILDREN + 2);
    assert_int_equal(first->load.polls_per_hour, UINT64_C(360) * first->load.children);
    /* The first one's children are to be polled a hundred times as often. */
    assert_int_equal(send_those(pollers, poller_has, first, n, 100), LOAD_CHILDREN + 2);
    assert_true(pollers_left_out(pollers));
    assert_int_equal(first->load.children, LOAD_CHILDREN);
    assert_int_equal(send_those(pollers, pollers_lack, pollers, n, 100), 2);
    assert_false(pollers_left_out(pollers));
    assert_int_equal(send_those(pollers, pollers_lack, pollers, n, 100), 0);
    assert_int_equal(first->load.children, LOAD_CHILDREN);
    pollers_free(pollers);
}

/* A machine that allows few files: each poller has no more children than it can have sockets. */
static void few_descriptors(void **state)
{
    (void)state;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit few = {100, 100};
        bool set = setrlimit(RLIMIT_NOFILE, &few) == 0;
        struct pollers *pollers = pollers_new(NULL);
        for (uint32_t id = 1; id <= 77; id++)
            pollers_send_child(pollers, id, "");
        pollers_step(pollers, 1);
        const struct poller_process *first = pollers_begun(pollers),
                                    *second = pollers_begun(pollers);
        bool shared = first && second && first->load.children == 76 && second->load.children == 1;
        pollers_free(pollers);
        _exit(set && shared ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* What a child that is taken away from a poller is told: that it is not its own any more. */
static void one_that_moves(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    send_with_period(pollers, 1, 1000);
    pollers_step(pollers, 1);
    struct poller_process *poller = pollers_begun(pollers);
    poller->load = (struct load){LOAD_CHILDREN + 1, UINT64_C(3600) * LOAD_POLLS_PER_S};
    send_with_period(pollers, 1, 1000); /* nothing has changed */
    assert_true(poller_has(poller, 1));
    send_with_period(pollers, 1, 999);
    assert_false(poller_has(poller, 1));
    assert_true(pollers_lack(pollers, 1));
    assert_true(pollers_left_out(pollers));
    assert_int_equal(poller->load.children, LOAD_CHILDREN);
    assert_string_equal(pollers_hear_text(pollers, 1), "forgotten");
    pollers_free(pollers);
}

/* Until this poller has ended and was waited for: then a time to begin is known. ended: it was
 * told already. */
static uint64_t wait_ended(struct pollers *pollers, const struct poller_process *poller, bool ended,
                           uint64_t now_ns)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    size_t used;
    for (int i = 0; i < 20000; i++) {
        assert_false(pollers_receive(pollers, packet, &used, now_ns));
        uint64_t due = pollers_step(pollers, now_ns);
        ended = ended || pollers_ended(pollers) == poller;
        if (ended && due != UINT64_MAX && due >= now_ns + POLLER_BACKOFF_MIN_NS)
            return due;
        poll(NULL, 0, 1);
    }
    fail_msg("it does not end");
    return 0;
}

static void restarts_with_back_off(void **state)
{
    (void)state;
    static const uint64_t seconds[] = {1, 2, 4, 8, 16, 30, 30};
    struct pollers *pollers = pollers_new(NULL);
    uint64_t now = 100 * NS_PER_S;
    pollers_send_child(pollers, 1, "");
    for (size_t i = 0; i < N_OF(seconds); i++) {
        pollers_step(pollers, now);
        struct poller_process *poller = pollers_begun(pollers);
        assert_non_null(poller);
        pollers_send_child(pollers, 1, i % 2 ? "dies" : "aborts");
        uint64_t due = wait_ended(pollers, poller, false, now);
        assert_int_equal(due - now, seconds[i] * NS_PER_S);
        pollers_step(pollers, due - 1);
        assert_null(pollers_begun(pollers));
        now = due;
    }
    /* One that has lasted begins again soon. */
    pollers_step(pollers, now);
    struct poller_process *lasted = pollers_begun(pollers);
    assert_non_null(lasted);
    now += POLLER_BACKOFF_MAX_NS;
    pollers_send_child(pollers, 1, "dies");
    assert_int_equal(wait_ended(pollers, lasted, false, now) - now, POLLER_BACKOFF_MIN_NS);
    pollers_free(pollers);
}

static bool is_ready(const struct pollers *pollers, int wait_ms)
{
    struct pollfd fd = {.fd = pollers_fd(pollers), .events = POLLIN};
    return poll(&fd, 1, wait_ms) > 0;
}

/* One that takes nothing, and whose socket is full. */
static struct poller_process *stuck_poller(struct pollers *pollers, uint64_t now_ns)
{
    pollers_send_child(pollers, 1, "");
    pollers_step(pollers, now_ns);
    struct poller_process *poller = pollers_begun(pollers);
    assert_false(is_ready(pollers, 0));
    pollers_send_child(pollers, 1, "freezes");
    pollers_step(pollers, now_ns);
    assert_int_equal(waitpid(poller->pid, NULL, WUNTRACED), poller->pid);
    while (pollers_send_child(pollers, 1, ""))
        pollers_step(pollers, now_ns);
    assert_false(is_ready(pollers, 0));
    return poller;
}

/* What cannot wait elsewhere: the queue is bounded, and it is ended. */
static void one_that_is_stuck(void **state)
{
    (void)state;
    const struct message_move move = {.head = {MESSAGE_MOVE, sizeof move}, .id = 1};
    struct pollers *pollers = pollers_new(NULL);
    struct poller_process *poller = stuck_poller(pollers, 1);
    size_t fits = POLLER_QUEUE_MAX * (size_t)MESSAGE_PACKET_MAX / sizeof move;
    for (size_t i = 0; i < fits; i++)
        assert_true(pollers_send(pollers, 1, &move.head));
    assert_int_equal(poller->queued, POLLER_QUEUE_MAX);
    pollers_step(pollers, 1);
    assert_ptr_equal(pollers_ended(pollers), poller);
    wait_ended(pollers, poller, true, 1);
    pollers_free(pollers);
}

/* It is not told more than a portion of what can wait; but that it takes nothing is noticed, also
 * of one that has something to say. */
static void one_that_takes_nothing(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    uint64_t now = 100 * NS_PER_S;
    struct poller_process *poller = stuck_poller(pollers, now);
    assert_int_equal(poller->queued, POLLER_PORTION);
    now += POLLER_SILENT_NS - 1;
    poller->heard.last_ns = now;
    assert_int_equal(pollers_step(pollers, now), now + 1);
    now += 1 + 60 * NS_PER_S; /* perhaps all of the daemon was stopped */
    poller->heard.last_ns = now;
    assert_int_equal(pollers_step(pollers, now), now + POLLER_CHANCE_NS);
    now += POLLER_CHANCE_NS;
    poller->heard.last_ns = now;
    pollers_step(pollers, now - 1);
    assert_null(pollers_ended(pollers));
    pollers_step(pollers, now);
    assert_ptr_equal(pollers_ended(pollers), poller);
    assert_int_equal(poller->queued, 0);
    wait_ended(pollers, poller, true, now);
    pollers_free(pollers);
}

/* Of which the first was not taken, once there is room; after that, all are. */
static void portions(void **state)
{
    (void)state;
    struct message_sender sender = {.head = {MESSAGE_SENDER, sizeof sender}};
    const uint32_t fit = MESSAGE_PACKET_MAX / ((sizeof sender + 7) & ~7u) * POLLER_PORTION;
    struct pollers *pollers = pollers_new(NULL);
    uint32_t from = 77;
    assert_null(pollers_ready(pollers, &from));
    assert_true(pollers_send(pollers, 1, &sender.head)); /* nobody listens */
    assert_int_equal(pollers_listen(pollers, "here"), 0);
    assert_true(pollers_send(pollers, 1, &sender.head));
    pollers_step(pollers, 1);
    struct poller_process *receiver = pollers_begun(pollers);
    for (uint32_t id = 1000; id > 1000 - fit; id--)
        assert_true(pollers_send(pollers, sender.id = id, &sender.head));
    assert_int_equal(receiver->queued, POLLER_PORTION);
    static const uint32_t others[] = {500, 3, 7, UINT32_MAX};
    for (size_t i = 0; i < N_OF(others); i++)
        assert_false(pollers_send(pollers, sender.id = others[i], &sender.head));
    assert_null(pollers_ready(pollers, &from));
    pollers_send_forget(pollers, 9); /* does not wait */
    assert_in_range(receiver->queued, POLLER_PORTION, POLLER_PORTION + 1);
    pollers_step(pollers, 1);
    assert_int_equal(receiver->queued, 0);
    assert_ptr_equal(pollers_ready(pollers, &from), receiver);
    assert_int_equal(from, 3);
    assert_null(pollers_ready(pollers, &from));
    pollers_free(pollers);
}

/* One that takes nothing for a while: as soon as it does, it gets what waits. */
static void one_that_is_slow(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    struct poller_process *poller = stuck_poller(pollers, 1);
    assert_int_equal(kill(poller->pid, SIGCONT), 0);
    for (int i = 0; i < 100 && poller->queued > 0; i++) {
        assert_true(is_ready(pollers, 20000)); /* it says nothing: there is room */
        pollers_step(pollers, 1);
    }
    assert_int_equal(poller->queued, 0);
    assert_false(is_ready(pollers, 0));
    pollers_free(pollers);
}

/* Stopped by a signal, it neither says that it is alive nor ends by itself: it gets a last chance,
 * is killed, and another one begins. */
static void one_that_is_frozen(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    uint64_t now = 100 * NS_PER_S;
    pollers_send_child(pollers, 1, "");
    pollers_step(pollers, now);
    struct poller_process *poller = pollers_begun(pollers);
    now += POLLER_SILENT_NS - 1;
    pollers_send_child(pollers, 1, "echoes");
    assert_string_equal(pollers_hear_text(pollers, now), "child 1"); /* from then on it is silent */
    pollers_send_child(pollers, 1, "freezes");
    assert_int_equal(pollers_step(pollers, now + 1), now + POLLER_SILENT_NS);
    now += POLLER_SILENT_NS + 60 * NS_PER_S; /* perhaps all of the daemon was stopped */
    assert_int_equal(pollers_step(pollers, now), now + POLLER_CHANCE_NS);
    assert_int_equal(pollers_step(pollers, now + POLLER_CHANCE_NS - 1), now + POLLER_CHANCE_NS);
    assert_null(pollers_ended(pollers));
    now += POLLER_CHANCE_NS;
    uint64_t due = wait_ended(pollers, poller, false, now);
    assert_int_equal(due, now + POLLER_BACKOFF_MIN_NS);
    pollers_step(pollers, due);
    assert_ptr_equal(pollers_begun(pollers), poller);
    pollers_free(pollers);
}

static void one_that_uses_its_chance(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    pollers_send_child(pollers, 1, "");
    pollers_step(pollers, 1);
    pollers_step(pollers, POLLER_SILENT_NS + 1);
    pollers_send_child(pollers, 1, "echoes");
    assert_string_equal(pollers_hear_text(pollers, POLLER_SILENT_NS + 2), "child 1");
    pollers_step(pollers, POLLER_SILENT_NS + 2 + POLLER_CHANCE_NS);
    assert_null(pollers_ended(pollers));
    pollers_free(pollers);
}

/* It holds on to its life without its socket: it is killed. */
static void one_that_does_not_end(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    pollers_send_child(pollers, 1, "");
    pollers_step(pollers, 1);
    pollers_send_child(pollers, 1, "sleeps");
    pollers_step(pollers, 1);
    poll(NULL, 0, 20);
    pollers_send_forget(pollers, 1);
    pollers_step(pollers, 1);
    struct poller_process *poller = pollers_ended(pollers);
    siginfo_t how = {.si_pid = 0};
    assert_non_null(poller);
    assert_int_equal(pollers_step(pollers, 2), 2 + 10 * NS_PER_MS);
    pollers_step(pollers, POLLER_KILL_NS); /* which is a nanosecond too early */
    poll(NULL, 0, 20);
    assert_int_equal(waitid(P_PID, (id_t)poller->pid, &how, WEXITED | WNOHANG | WNOWAIT), 0);
    assert_int_equal(how.si_pid, 0);
    uint64_t due = 0;
    for (int i = 0; i < 20000 && due != UINT64_MAX; i++, poll(NULL, 0, 1))
        due = pollers_step(pollers, 1 + POLLER_KILL_NS);
    assert_int_equal(due, UINT64_MAX);
    pollers_free(pollers);
}

static void credentials(void **state)
{
    (void)state;
    struct credential_source sources[2] = {
        {.name = "one", .user = "u", .auth = AUTH_SHA512, .priv = PRIV_AES256},
        {.name = "two", .user = "v", .auth = AUTH_SHA256, .priv = PRIV_AES128}};
    const char *path = secrets_file("auth 12345678\npriv abcdefgh\n", 28, 0600);
    snprintf(sources[0].secrets, sizeof sources[0].secrets, "%s", path);
    snprintf(sources[1].secrets, sizeof sources[1].secrets, "/nowhere");
    struct pollers *pollers = pollers_new(NULL);
    assert_int_equal(pollers_set_credentials(pollers, sources, 2), 0);
    pollers_send_child(pollers, 1, "");
    pollers_step(pollers, 1);
    pollers_send_child(pollers, 1, "credentials");
    assert_string_equal(pollers_hear_text(pollers, 1), "one=u/12345678/abcdefgh/22 two=v///11 ");
    /* New secrets, read at the next step; they come before what is sent after it. */
    secrets_file("auth 87654321\npriv hgfedcba\n", 28, 0600);
    assert_int_equal(pollers_set_credentials(pollers, sources, 1), 0);
    pollers_step(pollers, 1);
    pollers_send_child(pollers, 1, "credentials");
    assert_string_equal(pollers_hear_text(pollers, 1),
                        "one=u/12345678/abcdefgh/22 two=v///11 one=u/87654321/hgfedcba/22 ");
    pollers_free(pollers);
}

/* The process that children push to: begun where there is something to listen on, and anew where
 * that changes; it is told who may push, and who may not any more. */
static void a_receiver(void **state)
{
    (void)state;
    struct message_sender sender = {.head = {MESSAGE_SENDER, sizeof sender}, .id = 7};
    struct pollers *pollers = pollers_new(NULL);
    assert_int_equal(pollers_listen(pollers, ""), 0);
    assert_int_equal(pollers_step(pollers, 1), UINT64_MAX);
    assert_int_equal(pollers_listen(pollers, "udp:127.0.0.1:1"), 0);
    pollers_step(pollers, 1);
    struct poller_process *receiver = pollers_begun(pollers);
    assert_true(poller_receives(receiver));
    assert_null(pollers_begun(pollers));
    assert_string_equal(pollers_hear_text(pollers, 1), "udp:127.0.0.1:1");
    pollers_send_child(pollers, 7, "");
    pollers_send(pollers, 7, &sender.head);
    assert_string_equal(pollers_hear_text(pollers, 1), "a sender");
    pollers_send_forget(pollers, 7);
    assert_string_equal(pollers_hear_text(pollers, 1), "forgotten");
    struct message_look_up all = {.head = {MESSAGE_LOOK_UP, sizeof all}};
    pollers_send(pollers, 0, &all.head); /* to those that poll */
    pollers_send(pollers, 7, &sender.head);
    assert_string_equal(pollers_hear_text(pollers, 1), "a sender");
    assert_ptr_not_equal(pollers_ended(pollers), receiver); /* but the poller that has no child */
    /* The same address is no reason; another one is. */
    assert_int_equal(pollers_listen(pollers, "udp:127.0.0.1:1"), 0);
    pollers_step(pollers, 1);
    assert_null(pollers_ended(pollers));
    assert_int_equal(pollers_listen(pollers, "udp:127.0.0.1:2"), 0);
    pollers_step(pollers, 1);
    assert_ptr_equal(pollers_ended(pollers), receiver);
    uint64_t due = wait_ended(pollers, receiver, true, 1);
    pollers_step(pollers, due);
    struct poller_process *begun;
    do
        begun = pollers_begun(pollers);
    while (begun && begun != receiver);
    assert_ptr_equal(begun, receiver);
    assert_string_equal(pollers_hear_text(pollers, due), "udp:127.0.0.1:2");
    /* Nothing to listen on: it is not needed any more. */
    assert_int_equal(pollers_listen(pollers, ""), 0);
    pollers_step(pollers, due);
    assert_ptr_equal(pollers_ended(pollers), receiver);
    pollers_free(pollers);
}

/* What is wrong with a file of secrets: its end, where it is too long for a message; and the log
 * has it once, however many are told. */
static void faults_of_secrets(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    struct credential_source source = {
        .name = "one", .user = "u", .auth = AUTH_SHA512, .priv = PRIV_AES256};
    char expected[CREDENTIAL_FAULT_SIZE], whole[512];
    for (uint32_t id = 1; id <= LOAD_CHILDREN + 1; id++)
        pollers_send_child(pollers, id, "");
    pollers_step(pollers, 1);
    for (int len = 1; len <= 200; len += len < 60 || len > 70 ? 13 : 1) {
        said_begin();
        snprintf(source.secrets, sizeof source.secrets, "/nowhere/%0*d", len, 7);
        assert_int_equal(pollers_set_credentials(pollers, &source, 1), 0);
        pollers_step(pollers, 1);
        const char *said = strdup(said_now());
        said_end();
        snprintf(whole, sizeof whole, "%s: user \"%s\" cannot read it: No such file or directory",
                 source.secrets, account_user((char[ACCOUNT_NAME_SIZE]){0}));
        size_t n = strlen(whole), room = sizeof expected - 1;
        text_format(expected, sizeof expected, "%s%s", n > room ? "..." : "",
                    n > room ? whole + n - (room - 3) : whole);
        pollers_send_child(pollers, 1, "fault");
        assert_string_equal(pollers_hear_text(pollers, 1), expected);
        pollers_send_child(pollers, LOAD_CHILDREN + 1, "fault");
        assert_string_equal(pollers_hear_text(pollers, 1), expected);
        char line[600];
        snprintf(line, sizeof line, "error collect: credential \"one\": %s\n", whole);
        assert_string_equal(said, line);
        free((void *)(uintptr_t)said);
    }
    pollers_free(pollers);
}

/* -- With the children ----------------------------------------------------------------------- */

static struct node *polling_node(const char *how)
{
    char elements[1024];
    snprintf(elements, sizeof elements,
             "<children><child name=\"leaf\" address=\"udp:127.0.0.1:1\" credential=\"%s\"/>"
             "</children><credentials><credential name=\"%s\" user=\"u\" secrets=\"/nowhere\"/>"
             "</credentials>",
             how, how);
    struct node *node = node_new(elements);
    assert_int_equal(polling_begin(&node->daemon->polling, &node->daemon->children,
                                   &node->daemon->lock, node->daemon->config, NULL),
                     0);
    return node;
}

/* Cycles until the value of a cell is a number. */
static void wait_number(struct node *node, enum mib_object object, const char *name, int64_t value)
{
    for (int i = 0; i < 2000; i++) {
        struct pollfd fd = {.fd = polling_fd(&node->daemon->polling), .events = POLLIN};
        node_cycle(node, 1);
        if (node_has(node, object, name, NULL) && number_at(node, object, name, NULL) == value)
            return;
        poll(&fd, 1, 10);
    }
    fail_msg("%s of %s is not %jd", mib_objects[object].name, name, (intmax_t)value);
}

static void a_value_comes_through(void **state)
{
    (void)state;
    struct node *node = polling_node("blocks");
    struct mib_oid cell = cell_of(MIB_dcampChildValueText, "leaf", "load");
    struct mib_value value;
    cell.len += index_key_text(cell.id + cell.len, "total");
    wait_number(node, MIB_dcampChildSeries, "leaf", 1);
    assert_int_equal(number_at(node, MIB_dcampChildState, "leaf", NULL), CHILD_UP);
    assert_int_equal(number_at(node, MIB_dcampNodeRole, NULL, NULL), dcampNodeRole_collector);
    assert_int_equal(node_get(node, &cell, &value), ENGINE_OK);
    assert_memory_equal(value.octets.at, "42", 2);
    node_free(node);
}

/* Its poller dies: the child is late, not lost; what polls it again is told of it. */
static void a_poller_dies_under_its_children(void **state)
{
    (void)state;
    struct node *node = polling_node("blocks");
    wait_number(node, MIB_dcampChildSeries, "leaf", 1);
    pid_t pid = 0;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &pid), 1);
    fclose(file);
    assert_int_equal(kill(pid, SIGKILL), 0);
    wait_number(node, MIB_dcampChildState, "leaf", CHILD_LATE);
    assert_cell_text(node, MIB_dcampChildError, "leaf", NULL, "its poller has ended");
    for (int i = 0; i < 100; i++) {
        node_cycle(node, 0);
        poll(NULL, 0, 1);
    }
    node_cycle(node, 1000);
    wait_number(node, MIB_dcampChildState, "leaf", CHILD_UP);
    node_free(node);
}

static void a_poller_that_talks_nonsense(void **state)
{
    (void)state;
    struct node *node = polling_node("garbage");
    for (int i = 0; i < 50; i++) {
        node_cycle(node, 1);
        poll(NULL, 0, 1);
    }
    assert_int_equal(number_at(node, MIB_dcampChildState, "leaf", NULL), CHILD_DISCOVERING);
    assert_null(pollers_ended(node->daemon->polling.pollers)); /* it was, and the children know */
    node_free(node);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--poller") == 0)
        return fake_poller();
    if (argc > 2 && strcmp(argv[1], "--receiver") == 0)
        return fake_listener(argv[2]);
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_poller),
        cmocka_unit_test(nothing_to_wait_with),
        cmocka_unit_test(a_thousand_each),
        cmocka_unit_test(very_many),
        cmocka_unit_test(few_descriptors),
        cmocka_unit_test(one_that_moves),
        cmocka_unit_test(restarts_with_back_off),
        cmocka_unit_test(one_that_is_stuck),
        cmocka_unit_test(one_that_takes_nothing),
        cmocka_unit_test(portions),
        cmocka_unit_test(one_that_is_slow),
        cmocka_unit_test(one_that_is_frozen),
        cmocka_unit_test(one_that_uses_its_chance),
        cmocka_unit_test(one_that_does_not_end),
        cmocka_unit_test_setup_teardown(credentials, secrets_setup, secrets_teardown),
        cmocka_unit_test(a_receiver),
        cmocka_unit_test(faults_of_secrets),
        cmocka_unit_test(a_value_comes_through),
        cmocka_unit_test(a_poller_dies_under_its_children),
        cmocka_unit_test(a_poller_that_talks_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
