/* One process of those that poll: how it is started, what it is told of secrets, why it is ended,
 * and what the log says of that. */
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "captured.h"
#include "pollers.h"
#include "unit.h"

/* -- The other process ------------------------------------------------------------------------ */

/* How it was started. */
static void say_start(int argc, char **argv)
{
    char text[128] = "";
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    snprintf(text, sizeof text, "%s %s%s", argv[0],
             getpgrp() == getpid() ? "own group" : "other group",
             sigismember(&blocked, SIGUSR1) ? ", blocked" : "");
    for (int i = 1; i < argc; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s", argv[i]);
    fake_poller_says(1, text);
}

/* The fault of each credential, and the kind of any other message. */
static int say_all(void)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    ssize_t n;
    while ((n = recv(POLLER_FD, packet, sizeof packet, 0)) > 0) {
        const struct message *message;
        size_t at = 0;
        while ((message = message_next(packet, (size_t)n, &at))) {
            char text[16];
            snprintf(text, sizeof text, "%u", message->kind);
            fake_poller_says(1, message->kind == MESSAGE_CREDENTIAL
                                    ? ((const struct message_credential *)message)->credential.fault
                                    : text);
        }
    }
    return 0;
}

static int run_as_poller(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[2], "says-start") == 0)
        say_start(argc, argv);
    if (strcmp(argv[argc - 1], "says-all") == 0)
        return say_all();
    return fake_poller();
}

/* -- The log ---------------------------------------------------------------------------------- */

/* Steps until the last process has ended and was waited for. */
static void wait_for_end(struct pollers *pollers, uint64_t now_ns)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    size_t used;
    siginfo_t info;
    for (int i = 0; i < 5000 && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
         i++, poll(NULL, 0, 1)) {
        pollers_receive(pollers, packet, &used, now_ns);
        pollers_step(pollers, now_ns);
    }
}

/* -- Start ------------------------------------------------------------------------------------ */

static void how_it_is_started(void **state)
{
    static const char *const options[] = {"says-start", "2", "3", "4", "5",
                                          "6",          "7", "8", "9", NULL};
    (void)state;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct pollers *pollers = pollers_new(options);
    pollers_send_child(pollers, 1, "");
    pollers_step(pollers, 1);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    assert_string_equal(pollers_hear_text(pollers, 1),
                        "dcampd own group --poller says-start 2 3 4 5 6 7 8");
    pollers_free(pollers);
}

/* -- Secrets ---------------------------------------------------------------------------------- */

/* Why there are none stands at the end: of a long text the beginning is left out. */
static void why_there_are_no_secrets(void **state)
{
    static const char *const options[] = {"says-all", NULL};
    (void)state;
    struct credential_source sources[2] = {
        {.name = "short", .user = "u", .auth = AUTH_SHA256, .priv = PRIV_AES128},
        {.name = "long", .user = "u", .auth = AUTH_SHA256, .priv = PRIV_AES128}};
    strcpy(sources[0].secrets, "/nowhere");
    memset(sources[1].secrets, 'x', sizeof sources[1].secrets - 1);
    sources[1].secrets[0] = '/';
    for (size_t i = 100; i < sizeof sources[1].secrets - 1; i += 100)
        sources[1].secrets[i] = '/';
    char text[CAPTURED_SIZE];
    struct captured captured = captured_begin();
    struct pollers *pollers = pollers_new(options);
    assert_int_equal(pollers_set_credentials(pollers, sources, 2), 0);
    pollers_send_child(pollers, 1, "");
    pollers_step(pollers, 1);
    char first[128];
    snprintf(first, sizeof first, "%s", pollers_hear_text(pollers, 1));
    const char *second = pollers_hear_text(pollers, 1);
    assert_non_null(strstr(first, "/nowhere"));
    assert_int_equal(strncmp(second, "...", 3), 0);
    assert_int_equal(strlen(second), CREDENTIAL_FAULT_SIZE - 1);
    assert_string_equal(second + strlen(second) - 12, first + strlen(first) - 12);
    pollers_free(pollers);
    captured_end(&captured, text);
    assert_non_null(strstr(text, "error collect: credential \"short\": "));
    assert_non_null(strstr(text, "error collect: credential \"long\": "));
}

/* A credential without a file is told as it is, and nothing is complained of. */
static void a_credential_without_secrets(void **state)
{
    (void)state;
    const struct credential_source source = {
        .name = "tree", .user = "u", .auth = AUTH_SHA256, .priv = PRIV_AES128};
    char text[CAPTURED_SIZE];
    struct captured captured = captured_begin();
    struct pollers *pollers = pollers_new(NULL);
    assert_int_equal(pollers_set_credentials(pollers, &source, 1), 0);
    pollers_send_child(pollers, 1, "");
    pollers_step(pollers, 1);
    pollers_send_child(pollers, 1, "credentials");
    pollers_send_child(pollers, 1, "fault");
    assert_string_equal(pollers_hear_text(pollers, 1), "tree=u///11 ");
    assert_string_equal(pollers_hear_text(pollers, 1), "");
    pollers_free(pollers);
    captured_end(&captured, text);
    assert_null(strstr(text, "credential"));
}

/* Each process is told; the log says it once. */
static void told_to_all_logged_once(void **state)
{
    static const char *const options[] = {"says-all", NULL};
    (void)state;
    struct credential_source source = {
        .name = "none", .user = "u", .auth = AUTH_SHA256, .priv = PRIV_AES128};
    strcpy(source.secrets, "/nowhere");
    struct pollers *pollers = pollers_new(options);
    for (uint32_t id = 1; id <= LOAD_CHILDREN + 1; id++)
        pollers_send_child(pollers, id, "");
    pollers_step(pollers, 1);
    char text[CAPTURED_SIZE];
    struct captured captured = captured_begin();
    assert_int_equal(pollers_set_credentials(pollers, &source, 1), 0);
    pollers_step(pollers, 1);
    pollers_step(pollers, 1);
    captured_end(&captured, text);
    const char *once = strstr(text, "credential \"none\": ");
    assert_non_null(once);
    assert_null(strstr(once + 1, "credential \"none\": "));
    for (int i = 0; i < 2; i++)
        assert_non_null(strstr(pollers_hear_text(pollers, 1), "/nowhere"));
    pollers_free(pollers);
}

/* -- Who is told what ------------------------------------------------------------------------- */

static void what_is_for_all(void **state)
{
    static const char *const options[] = {"says-all", NULL};
    (void)state;
    struct pollers *pollers = pollers_new(options);
    const struct message_drop_object drop = {
        .head = {.kind = MESSAGE_DROP_OBJECT, .length = sizeof drop}, .object = 7};
    assert_false(pollers_left_out(pollers));
    assert_true(pollers_lack(pollers, 1));
    for (uint32_t id = 1; id <= LOAD_CHILDREN + 1; id++)
        pollers_send_child(pollers, id, "");
    assert_false(pollers_lack(pollers, 1));
    assert_false(pollers_lack(pollers, LOAD_CHILDREN + 1));
    assert_true(pollers_lack(pollers, LOAD_CHILDREN + 2));
    assert_false(pollers_left_out(pollers));
    assert_int_equal(pollers_listen(pollers, "here"), 0);
    pollers_send(pollers, 0, &drop.head); /* nobody runs */
    pollers_step(pollers, 1);
    pollers_send(pollers, 0, &drop.head);
    pollers_step(pollers, 1);
    char kind[16];
    snprintf(kind, sizeof kind, "%d", MESSAGE_DROP_OBJECT);
    for (int i = 0; i < 2; i++)
        assert_string_equal(pollers_hear_text(pollers, 1), kind);
    /* The receiver has not heard it: what it hears first is what is said to it next. */
    const struct message_sender sender = {.head = {.kind = MESSAGE_SENDER, .length = sizeof sender},
                                          .id = 1};
    pollers_send(pollers, 1, &sender.head);
    pollers_step(pollers, 1);
    snprintf(kind, sizeof kind, "%d", MESSAGE_SENDER);
    assert_string_equal(pollers_hear_text(pollers, 1), kind);
    /* One that is forgotten is told so, and the receiver, too. */
    pollers_send_forget(pollers, 1);
    assert_true(pollers_lack(pollers, 1));
    pollers_step(pollers, 1);
    snprintf(kind, sizeof kind, "%d", MESSAGE_FORGET);
    for (int i = 0; i < 2; i++)
        assert_string_equal(pollers_hear_text(pollers, 1), kind);
    pollers_free(pollers);
}

/* -- Ends ------------------------------------------------------------------------------------- */

static void what_the_log_says(void **state)
{
    static const struct {
        const char *how, *level, *end;
    } rows[] = {
        {"dies", "error", "has ended with exit status 3"},
        {"aborts", "error", "was ended by signal 9 (Killed)"},
        {NULL, "info", "has ended: it is not needed any more"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        char text[CAPTURED_SIZE], expected[128];
        struct captured captured = captured_begin();
        struct pollers *pollers = pollers_new(NULL);
        pollers_send_child(pollers, 1, "");
        pollers_step(pollers, 1);
        int pid = (int)pollers_begun(pollers)->pid;
        if (rows[i].how)
            pollers_send_child(pollers, 1, rows[i].how);
        else
            pollers_send_forget(pollers, 1);
        wait_for_end(pollers, 1);
        pollers_free(pollers);
        captured_end(&captured, text);
        text_format(expected, sizeof expected, "%s collect: poller 1 (process %d) %s\n",
                    rows[i].level, pid, rows[i].end);
        const char *end = strstr(text, expected);
        if (!end)
            fail_msg("row %zu: %s", i, text);
        assert_null(strstr(end + strlen(expected), "poller 1"));
        text_format(expected, sizeof expected, "info collect: poller 1 is process %d\n", pid);
        assert_non_null(strstr(text, expected));
    }
}

/* Who says what is no message is killed, and begins anew. */
static void one_that_is_blamed(void **state)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    (void)state;
    char text[CAPTURED_SIZE];
    size_t used;
    struct captured captured = captured_begin();
    struct pollers *pollers = pollers_new(NULL);
    pollers_blame(pollers); /* nobody has said anything */
    pollers_send_child(pollers, 1, "");
    pollers_step(pollers, 1);
    struct poller_process *poller = pollers_begun(pollers);
    assert_non_null(poller);
    pollers_send_child(pollers, 1, "echoes");
    assert_string_equal(pollers_hear_text(pollers, 1), "child 1");
    assert_false(pollers_receive(pollers, packet, &used, 1));
    pollers_blame(pollers);
    assert_null(pollers_ended(pollers));
    pollers_step(pollers, 1);
    assert_ptr_equal(pollers_ended(pollers), poller);
    assert_null(pollers_begun(pollers));
    wait_for_end(pollers, 1);
    pollers_step(pollers, POLLER_BACKOFF_MIN_NS);
    assert_null(pollers_begun(pollers));
    pollers_step(pollers, 1 + POLLER_BACKOFF_MIN_NS);
    assert_ptr_equal(pollers_begun(pollers), poller);
    pollers_free(pollers);
    captured_end(&captured, text);
    const char *said = strstr(text, ") said what is no message; it is killed and started anew\n");
    assert_non_null(said);
    assert_null(strstr(said, "has ended"));
    assert_null(strstr(said, "was ended"));
}

/* Waits until so many messages of a process lie in its socket. */
static void wait_said(const struct poller_process *poller, size_t n)
{
    const size_t wanted = n * ((sizeof(struct message_silent) + 7) & ~(size_t)7);
    int octets = 0;
    for (int i = 0; i < 20000 && (size_t)octets < wanted; i++, poll(NULL, 0, 1))
        assert_int_equal(ioctl(poller->fd, SIOCINQ, &octets), 0);
    assert_int_equal(octets, wanted);
}

/* All are listened to in turns, and who is not running says nothing. */
static void they_take_turns(void **state)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    (void)state;
    size_t used;
    struct pollers *pollers = pollers_new(NULL);
    assert_false(pollers_receive(pollers, packet, &used, 1));
    for (uint32_t id = 1; id <= LOAD_CHILDREN + 1; id++)
        pollers_send_child(pollers, id, "");
    assert_false(pollers_receive(pollers, packet, &used, 1));
    pollers_step(pollers, 1);
    const struct poller_process *both[] = {pollers_begun(pollers), pollers_begun(pollers)};
    for (int i = 0; i < 3; i++) {
        pollers_send_child(pollers, 1, "echoes");
        pollers_send_child(pollers, LOAD_CHILDREN + 1, "echoes");
    }
    pollers_step(pollers, 1);
    for (size_t i = 0; i < N_OF(both); i++) {
        assert_non_null(both[i]);
        wait_said(both[i], 3);
    }
    uint32_t last = 0;
    for (int i = 0; i < 6; i++) {
        size_t at = 0;
        assert_true(pollers_receive(pollers, packet, &used, 1));
        const struct message_silent *silent =
            (const struct message_silent *)message_next(packet, used, &at);
        assert_non_null(silent);
        assert_int_not_equal(silent->id, last);
        last = silent->id;
    }
    assert_false(pollers_receive(pollers, packet, &used, 1));
    pollers_free(pollers);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "--", 2) == 0)
        return run_as_poller(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_it_is_started),
        cmocka_unit_test(why_there_are_no_secrets),
        cmocka_unit_test(a_credential_without_secrets),
        cmocka_unit_test(told_to_all_logged_once),
        cmocka_unit_test(what_is_for_all),
        cmocka_unit_test(what_the_log_says),
        cmocka_unit_test(one_that_is_blamed),
        cmocka_unit_test(they_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
