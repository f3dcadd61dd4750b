/* The processes that poll and receive, over real sockets: what they take from the core, what they
 * drop and why, and how they end. */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/message.h"
#include "poller/poller.h"
#include "poller/receiver.h"

#include "unit.h"

#define PATIENCE_MS 20000

/* A process, the end of the core, and what it logs. */
struct other {
    pid_t pid;
    int core, log;
    char address[64];
    uint16_t port;
    char text[4096]; /* of the log */
    uint64_t packet[MESSAGE_PACKET_MAX / 8];
    size_t used, at;
};

/* A socket on loopback, and its port. */
static int open_port(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static struct other *start(const char *address, bool receives)
{
    struct other *other = calloc(1, sizeof *other);
    int pair[2], log[2];
    assert_non_null(other);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(pipe(log), 0);
    other->pid = fork();
    if (other->pid == 0) {
        close(pair[0]);
        close(log[0]);
        dup2(log[1], STDERR_FILENO);
        _exit(receives ? receiver_run(pair[1], address) : poller_run(pair[1]));
    }
    close(pair[1]);
    close(log[1]);
    other->core = pair[0];
    other->log = log[0];
    return other;
}

static struct other *start_receiver(void)
{
    char address[64];
    uint16_t port;
    close(open_port(&port));
    snprintf(address, sizeof address, "udp:127.0.0.1:%u", port);
    struct other *other = start(address, true);
    memcpy(other->address, address, sizeof address);
    other->port = port;
    return other;
}

static int wait_exit(struct other *other)
{
    int status = -1;
    for (int i = 0; i < PATIENCE_MS && waitpid(other->pid, &status, WNOHANG) == 0; i += 10)
        poll(NULL, 0, 10);
    if (other->core >= 0)
        close(other->core);
    close(other->log);
    free(other);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int stop(struct other *other)
{
    close(other->core);
    other->core = -1;
    return wait_exit(other);
}

static void tell_octets(const struct other *other, const void *octets, size_t len)
{
    assert_int_equal(send(other->core, octets, len, MSG_NOSIGNAL), len);
}

static void tell(const struct other *other, const struct message *message)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    size_t used = 0;
    assert_true(message_put(packet, &used, message));
    tell_octets(other, packet, used);
}

static const struct message *hear(struct other *other)
{
    const struct message *message;
    for (;;) {
        if ((message = message_next(other->packet, other->used, &other->at)))
            return message;
        struct pollfd fd = {.fd = other->core, .events = POLLIN};
        if (poll(&fd, 1, PATIENCE_MS) != 1)
            fail_msg("nothing was heard");
        ssize_t n = recv(other->core, other->packet, sizeof other->packet, 0);
        assert_true(n > 0);
        other->used = (size_t)n;
        other->at = 0;
    }
}

/* The next message of a kind; others between them say that it is alive. */
static const void *hear_kind(struct other *other, enum message_kind kind)
{
    for (;;) {
        const struct message *message = hear(other);
        if (message->kind == kind)
            return message;
        assert_int_equal(message->kind, MESSAGE_ALIVE);
    }
}

/* Waits until the log has a text. */
static void assert_logged(struct other *other, const char *text)
{
    size_t n = strlen(other->text);
    while (!strstr(other->text, text)) {
        struct pollfd fd = {.fd = other->log, .events = POLLIN};
        ssize_t got = -1;
        if (poll(&fd, 1, PATIENCE_MS) == 1)
            got = read(other->log, other->text + n, sizeof other->text - 1 - n);
        if (got <= 0)
            fail_msg("\"%s\" is not in the log: %s", text, other->text);
        n += (size_t)got;
        other->text[n] = '\0';
    }
}

static void tell_credential(const struct other *other, const char *name)
{
    struct message_credential message = {
        .head = {.kind = MESSAGE_CREDENTIAL, .length = sizeof message},
        .credential = {.user = "user",
                       .auth = AUTH_SHA256,
                       .priv = PRIV_AES128,
                       .auth_secret = "12345678",
                       .priv_secret = "abcdefgh"},
    };
    snprintf(message.credential.name, sizeof message.credential.name, "%s", name);
    tell(other, &message.head);
}

/* -- Packets ---------------------------------------------------------------------------------- */

/* What an SNMPv3 message says of itself. */
struct form {
    const char *engine, *user;
    uint8_t flags, boots;
};

static size_t put(uint8_t *at, uint8_t type, const void *content, size_t len)
{
    assert_true(len < 128);
    at[0] = type;
    at[1] = (uint8_t)len;
    memcpy(at + 2, content, len);
    return len + 2;
}

static size_t put_number(uint8_t *at, uint8_t number)
{
    return put(at, 0x02, &number, 1);
}

/* All lengths are below 128, so that each has one octet. */
static size_t make_packet(uint8_t packet[256], const struct form *form)
{
    uint8_t global[32], security[128], wrapped[128], whole[256];
    size_t n = put_number(global, 77);
    n += put(global + n, 0x02, "\x20\x00", 2);
    n += put(global + n, 0x04, &form->flags, 1);
    n += put_number(global + n, 3);
    size_t m = put(security, 0x04, form->engine, strlen(form->engine));
    m += put_number(security + m, form->boots);
    m += put_number(security + m, 1);
    m += put(security + m, 0x04, form->user, strlen(form->user));
    m += put(security + m, 0x04, "0123456789ab", 12);
    m += put(security + m, 0x04, "01234567", 8);
    m = put(wrapped, 0x30, security, m);
    size_t len = put_number(whole, 3);
    len += put(whole + len, 0x30, global, n);
    len += put(whole + len, 0x04, wrapped, m);
    len += put(whole + len, 0x04, "nothing", 7);
    return put(packet, 0x30, whole, len);
}

static void send_octets(const struct other *other, const void *octets, size_t len)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(other->port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(sendto(fd, octets, len, 0, (const struct sockaddr *)&to, sizeof to), len);
    close(fd);
}

static void send_form(const struct other *other, const struct form *form)
{
    uint8_t packet[256];
    send_octets(other, packet, make_packet(packet, form));
}

static void tell_sender(const struct other *other, uint32_t id, const char *engine)
{
    struct message_sender message = {.head = {.kind = MESSAGE_SENDER, .length = sizeof message},
                                     .id = id,
                                     .credential = "lab",
                                     .engine_id_len = (uint32_t)strlen(engine),
                                     .engine_boots = 5};
    memcpy(message.engine_id, engine, strlen(engine));
    tell(other, &message.head);
}

/* -- The receiver ----------------------------------------------------------------------------- */

static void ends_with_the_core(void **state)
{
    (void)state;
    struct other *receiver = start_receiver();
    assert_int_equal(hear(receiver)->kind, MESSAGE_ALIVE); /* it has said nothing yet */
    assert_int_equal(stop(receiver), 0);
    struct other *poller = start(NULL, false);
    assert_int_equal(hear(poller)->kind, MESSAGE_ALIVE);
    assert_int_equal(stop(poller), 0);
}

static void what_is_no_message(void **state)
{
    (void)state;
    const struct message_forget forget = {.head = {.kind = MESSAGE_FORGET, .length = sizeof forget},
                                          .id = 7};
    const struct message alive = {.kind = MESSAGE_ALIVE, .length = sizeof alive};
    for (int receives = 0; receives < 2; receives++) {
        struct other *other = receives ? start_receiver() : start(NULL, false);
        tell(other, &forget.head); /* of nobody: that is no fault */
        assert_int_equal(stop(other), 0);
        other = receives ? start_receiver() : start(NULL, false);
        tell_octets(other, "garbage", 7);
        assert_int_equal(wait_exit(other), 1);
        other = receives ? start_receiver() : start(NULL, false);
        tell_octets(other, "x", 1);
        assert_int_equal(wait_exit(other), 1);
        other = receives ? start_receiver() : start(NULL, false);
        tell(other, &alive); /* which only the core hears */
        assert_int_equal(wait_exit(other), 1);
    }
}

static void nowhere_to_listen(void **state)
{
    (void)state;
    uint16_t port;
    char address[64];
    int fd = open_port(&port);
    snprintf(address, sizeof address, "udp:127.0.0.1:%u", port);
    struct other *other = start(address, true);
    assert_logged(other, "pushed blocks cannot be received there: ");
    assert_int_equal(wait_exit(other), 1);
    close(fd);
    other = start("nonsense", true);
    assert_logged(other, "nonsense: pushed blocks cannot be received there: ");
    assert_int_equal(wait_exit(other), 1);
}

/* Why each one is dropped, in the order in which it is looked at. */
static void why_packets_are_dropped(void **state)
{
    static const char *const unknown = "it does not name the engine ID of exactly one child";
    static const char *const user = "it is not encrypted by the user of this child";
    const struct {
        struct form form;
        bool credential;
        const char *why;
    } rows[] = {
        {{"other-engine", "user", 3, 5}, true, unknown},
        {{"twin-engine", "user", 3, 5}, true, unknown},
        {{"gone-engine", "user", 3, 5}, true, unknown},
        {{"the-engine", "user", 3, 5}, false, "there is no credential for this child"},
        {{"the-engine", "use", 3, 5}, true, user},
        {{"the-engine", "users", 3, 5}, true, user},
        {{"the-engine", "abcd", 3, 5}, true, user},
        {{"the-engine", "user", 1, 5}, true, user},
        {{"the-engine", "user", 0, 5}, true, user},
        {{"the-engine", "user", 3, 4}, true, "it is too old"},
        {{"the-engine", "user", 3, 5}, true, "it is not authentic"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct message_forget forget = {
            .head = {.kind = MESSAGE_FORGET, .length = sizeof forget}, .id = 4};
        char line[256];
        struct other *other = start_receiver();
        hear_kind(other, MESSAGE_ALIVE);
        tell_sender(other, 1, "the-engine");
        tell_sender(other, 2, "twin-engine");
        tell_sender(other, 3, "twin-engine");
        tell_sender(other, 4, "gone-engine");
        tell(other, &forget.head);
        if (rows[i].credential)
            tell_credential(other, "lab");
        send_form(other, &rows[i].form);
        assert_logged(other, "a packet from 127.0.0.1 port ");
        snprintf(line, sizeof line, " is dropped: %s (others of the next minute are only counted)",
                 rows[i].why);
        if (!strstr(other->text, line))
            fail_msg("row %zu: %s", i, other->text);
        assert_int_equal(stop(other), 0);
    }
}

/* Until it goes on, packets only lie in its socket. */
static void hold_still(const struct other *other)
{
    int status;
    assert_int_equal(kill(other->pid, SIGSTOP), 0);
    assert_int_equal(waitpid(other->pid, &status, WUNTRACED), other->pid);
    assert_true(WIFSTOPPED(status));
}

/* They are counted, and told together, a second after the first; then it begins anew. */
static void dropped_packets_are_counted(void **state)
{
    static const struct form known = {"the-engine", "user", 3, 4},
                             unknown = {"other", "user", 3, 5};
    static uint8_t big[9000];
    (void)state;
    struct other *other = start_receiver();
    hear_kind(other, MESSAGE_ALIVE);
    tell_sender(other, 1, "the-engine");
    tell_credential(other, "lab");
    make_packet(big, &known); /* and then too much */
    for (int round = 0; round < 2; round++) {
        hold_still(other);
        for (int i = 0; i < 4; i++)
            send_form(other, &known);
        send_form(other, &unknown);
        send_octets(other, "", 0); /* nothing at all is not even dropped */
        send_octets(other, "x", 1);
        send_octets(other, big, sizeof big);
        assert_int_equal(kill(other->pid, SIGCONT), 0);
        const struct message_dropped *told = hear_kind(other, MESSAGE_DROPPED);
        assert_int_equal(told->refused, 4);
        assert_int_equal(told->unknown, 3);
    }
    assert_int_equal(stop(other), 0);
}

/* -- The poller ------------------------------------------------------------------------------- */

static void tell_child(const struct other *other, uint32_t id, uint16_t port, uint32_t period_ms)
{
    struct message_child child = {.head = {.kind = MESSAGE_CHILD, .length = sizeof child},
                                  .id = id,
                                  .credential = "lab",
                                  .period_ms = period_ms};
    snprintf(child.address, sizeof child.address, "udp:127.0.0.1:%u", port);
    tell(other, &child.head);
}

static void child_without_credential(void **state)
{
    (void)state;
    struct other *other = start(NULL, false);
    tell_child(other, 3, 9, 100);
    for (uint32_t i = 1; i <= 2; i++) {
        const struct message_silent *silent = hear_kind(other, MESSAGE_SILENT);
        assert_int_equal(silent->id, 3);
        assert_int_equal(silent->failure, POLL_NO_CREDENTIAL);
        assert_int_equal(silent->in_a_row, i);
        assert_string_equal(silent->text, "there is no such credential");
    }
    assert_int_equal(stop(other), 0);
}

/* A port at which nobody listens, and one at which somebody listens and says nothing: that one is
 * asked twice, for its engine ID. */
static void children_that_do_not_answer(void **state)
{
    (void)state;
    uint16_t port, closed;
    int fd = open_port(&port);
    uint8_t packet[2048];
    close(open_port(&closed));
    struct other *other = start(NULL, false);
    tell_credential(other, "lab");
    tell_child(other, 3, closed, 100);
    const struct message_silent *silent = hear_kind(other, MESSAGE_SILENT);
    assert_int_equal(silent->id, 3);
    assert_int_equal(silent->failure, POLL_UNREACHABLE);
    const struct message_forget forget = {.head = {.kind = MESSAGE_FORGET, .length = sizeof forget},
                                          .id = 3};
    tell(other, &forget.head);
    tell_child(other, 4, port, 100);
    do
        silent = hear_kind(other, MESSAGE_SILENT);
    while (silent->id == 3);
    assert_int_equal(silent->id, 4);
    assert_int_equal(silent->failure, POLL_TIMEOUT);
    assert_false(silent->look_up);
    for (int i = 0; i < 2; i++) {
        ssize_t n = recv(fd, packet, sizeof packet, MSG_DONTWAIT);
        assert_in_range(n, 32, 128);
        assert_int_equal(packet[0], 0x30);
        assert_memory_equal(packet + 2, "\x02\x01\x03", 3); /* version 3 */
    }
    assert_int_equal(stop(other), 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_with_the_core),          cmocka_unit_test(what_is_no_message),
        cmocka_unit_test(nowhere_to_listen),           cmocka_unit_test(why_packets_are_dropped),
        cmocka_unit_test(dropped_packets_are_counted), cmocka_unit_test(child_without_credential),
        cmocka_unit_test(children_that_do_not_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
