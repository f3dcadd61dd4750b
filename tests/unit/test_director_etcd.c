/* Servers that do not answer as they should, and a machine without libcurl. That real ones are
 * understood is shown by tests/integration/etcd.sh. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "director/etcd.h"
#include "unit.h"

void *__wrap_dlopen(const char *name, int flags);
void *__real_dlopen(const char *name, int flags);

static bool is_missing; /* the library */

void *__wrap_dlopen(const char *name, int flags)
{
    return is_missing ? NULL : __real_dlopen(name, flags);
}

/* A server, or a port that nobody listens on. */
static int server(bool listens, struct tree_coordination *setup)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    if (listens)
        assert_int_equal(listen(fd, 4), 0);
    *setup = (struct tree_coordination){.kind = TREE_COORDINATION_ETCD, .prefix = "dcamp"};
    snprintf(setup->endpoints, sizeof setup->endpoints, "http://127.0.0.1:%u",
             (unsigned)ntohs(address.sin_port));
    return fd;
}

static uint64_t boot_ns(void)
{
    return clock_boot_us() * NS_PER_US;
}

/* Runs until the first question has come to its end; the server answers with this text. Returns how
 * long that took. */
static uint64_t run(const struct tree_coordination *setup, int fd, const char *text,
                    struct claim *claim)
{
    char error[512];
    int epoll = epoll_create1(0), connection = -1;
    uint64_t began = boot_ns();
    struct claim_setup claims = {.self = "r1", .ttl_ns = 3 * NS_PER_S};
    struct etcd_errand errand = {.kind = ETCD_NOTHING};
    *claim = (struct claim){.ask = CLAIM_WAIT};
    claim_begin(claim, &claims);
    struct etcd *etcd = etcd_new(setup, "r1", epoll, error);
    assert_string_equal(error, "");
    assert_non_null(etcd);
    do {
        struct epoll_event event;
        uint64_t due = etcd_step(etcd, claim, &errand, boot_ns());
        if (text && connection < 0)
            connection = accept4(fd, NULL, NULL, SOCK_NONBLOCK);
        char asked[4096];
        if (connection >= 0 && recv(connection, asked, sizeof asked, MSG_DONTWAIT) > 0)
            assert_int_equal(send(connection, text, strlen(text), MSG_NOSIGNAL), strlen(text));
        assert_true(due > 0);
        if (epoll_wait(epoll, &event, 1, 5) == 1)
            assert_ptr_equal(event.data.ptr, etcd);
    } while (claim->ask == CLAIM_READ);
    etcd_free(etcd);
    if (connection >= 0)
        close(connection);
    close(epoll);
    return boot_ns() - began;
}

static void a_server_that_is_silent(void **state)
{
    (void)state;
    struct tree_coordination setup;
    struct claim claim;
    int fd = server(true, &setup);
    uint64_t took = run(&setup, fd, NULL, &claim);
    assert_non_null(strstr(claim.fault, "timed out"));
    assert_memory_equal(claim.fault, setup.endpoints, strlen(setup.endpoints));
    assert_true(took >= 400 * NS_PER_MS && took < 10 * NS_PER_S);
    close(fd);
}

static void a_port_that_nobody_listens_on(void **state)
{
    (void)state;
    struct tree_coordination setup;
    struct claim claim;
    int fd = server(false, &setup);
    run(&setup, fd, NULL, &claim);
    assert_non_null(strstr(claim.fault, "connect"));
    close(fd);
}

static void answers_of_no_use(void **state)
{
    (void)state;
    static const struct {
        const char *answer, *fault;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", ""},
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "status 200 and no object of JSON"},
        {"HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno", "status 503 and no object of JSON"},
        {"HTTP/1.1 301 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\n{}",
         "status 301"},
        {"220 hello\r\n", "HTTP/0.9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tree_coordination setup;
        struct claim claim;
        /* The server is this test, which a machine may stop for longer than an answer may take. */
        bool is_late = true;
        for (int tries = 0; is_late && tries < 3; tries++) {
            int fd = server(true, &setup);
            run(&setup, fd, cases[i].answer, &claim);
            is_late = strstr(claim.fault, "timed out") != NULL;
            close(fd);
        }
        assert_non_null(strstr(claim.fault, cases[i].fault));
        assert_true((claim.read_ns > 0) == !cases[i].fault[0]);
    }
}

static void a_machine_without_the_library(void **state)
{
    (void)state;
    char error[512];
    struct tree_coordination setup;
    int fd = server(true, &setup), epoll = epoll_create1(0);
    is_missing = true;
    assert_null(etcd_new(&setup, "r1", epoll, error));
    is_missing = false;
    assert_string_equal(error, "coordination by etcd needs libcurl.so.4, which cannot be loaded; "
                               "install the package libcurl4");
    close(fd);
    close(epoll);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_is_silent),
        cmocka_unit_test(a_port_that_nobody_listens_on),
        cmocka_unit_test(answers_of_no_use),
        cmocka_unit_test(a_machine_without_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
