/* The sender protocol to a server on loopback that gives one answer. */

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trapd-handlers/zabbix_sender.h"

#include "traps.h"
#include "unit.h"

static void answer_one(int listener, const char *body)
{
    unsigned char header[ZABBIX_HEADER_SIZE];
    char request[65536];
    int fd = accept(listener, NULL, NULL);
    ssize_t n = recv(fd, request, sizeof request, 0);
    zabbix_header(header, (uint32_t)strlen(body));
    bool good = n > 0 && send(fd, header, sizeof header, MSG_NOSIGNAL) > 0 &&
                send(fd, body, strlen(body), MSG_NOSIGNAL) > 0;
    /* Until the client closes: what it has not sent yet must not become a reset. */
    while (good && recv(fd, request, sizeof request, 0) > 0)
        continue;
    _exit(good ? 0 : 1);
}

/* Delivers n traps to a server that answers with that body. */
static enum delivery deliver(struct target *target, size_t n, const char *body, size_t *done)
{
    struct trap traps[2] = {traps_raised(1), traps_raised(2)};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof at;
    char server[32];
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), status = 1;
    assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
    snprintf(server, sizeof server, "127.0.0.1:%u", ntohs(at.sin_port));
    const struct options options = {
        .server = server, .host = "%n", .item = "dcamp.trap", .timeout_ms = 5000};
    *target = (struct target){.options = &options};
    pid_t pid = fork();
    if (pid == 0)
        answer_one(listener, body);
    enum delivery delivery = zabbix_sender_deliver(target, traps, n, done);
    buffer_release(&target->text);
    target->options = NULL;
    close(listener);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    return delivery;
}

static void test_all_taken(void **state)
{
    (void)state;
    struct target target;
    size_t done;
    static const char body[] =
        "{\"response\":\"success\",\"info\":\"processed: 2; failed: 0; total: 2\"}";
    assert_int_equal(deliver(&target, 2, body, &done), DELIVERY_DONE);
    assert_int_equal(done, 2);
    assert_int_equal(target.refused, 0);
}

/* The server does not tell which: they are counted, and said. */
static void test_some_refused(void **state)
{
    (void)state;
    struct target target;
    size_t done;
    static const char body[] =
        "{\"response\":\"success\",\"info\":\"processed: 1; failed: 1; total: 2\"}";
    assert_int_equal(deliver(&target, 2, body, &done), DELIVERY_DONE);
    assert_int_equal(done, 2);
    assert_int_equal(target.refused, 1);
    assert_non_null(strstr(target.why, "1 of 2"));
}

static void test_one_refused(void **state)
{
    (void)state;
    struct target target;
    size_t done;
    static const char body[] =
        "{\"response\":\"success\",\"info\":\"processed: 0; failed: 1; total: 1\"}";
    assert_int_equal(deliver(&target, 1, body, &done), DELIVERY_REFUSED);
    assert_int_equal(done, 0);
    assert_int_equal(target.refused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_taken),
                                       cmocka_unit_test(test_some_refused),
                                       cmocka_unit_test(test_one_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
