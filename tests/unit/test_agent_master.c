/* The socket to the master: real ones, good and bad. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/master.h"

#include "unit.h"

static char dir[] = "/tmp/dcamp-test.XXXXXX";
static char path[64], address[80];

static int make_place(void **state)
{
    (void)state;
    if (!mkdtemp(dir) || chmod(dir, 0711) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/master", dir);
    snprintf(address, sizeof address, "unix:%s", path);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(dir);
}

static int listen_unix(int backlog)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    memcpy(at.sun_path, path, strlen(path) + 1);
    unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, backlog), 0);
    return fd;
}

static void assert_connects(const char *to)
{
    int error = -1, fd = master_connect(to, &error);
    assert_int_equal(error, 0);
    assert_true(fd >= 0);
    assert_false(fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
}

static void assert_fails(const char *to, int expected)
{
    int error = 0;
    assert_int_equal(master_connect(to, &error), -1);
    assert_int_equal(error, expected);
}

static void unix_socket(void **state)
{
    (void)state;
    unlink(path);
    assert_fails(address, ENOENT);
    int fd = listen_unix(5);
    assert_connects(address);
    assert_connects(path);
    close(fd);
    assert_fails(address, ECONNREFUSED);
}

/* As a master that is frozen has it: nobody accepts, and the queue is full. */
static void full_queue(void **state)
{
    int fd = listen_unix(1), waiting[8], n = 0, error = 0;
    (void)state;
    alarm(10);
    while (n < 8 && (waiting[n] = master_connect(address, &error)) >= 0)
        n++;
    alarm(0);
    assert_in_range(n, 1, 7);
    assert_int_equal(error, EAGAIN);
    while (n > 0)
        close(waiting[--n]);
    close(fd);
}

/* What another account is told: the socket, or its directory, is not its own. */
static int error_of_another(void)
{
    pid_t child = fork();
    if (child == 0) {
        int error = 0;
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(255);
        _exit(master_connect(address, &error) < 0 ? error : 0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

static void without_right(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    int fd = listen_unix(5);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(error_of_another(), 0);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(error_of_another(), EACCES);
    close(fd);
}

static void tcp_socket(void **state)
{
    static const char *const hosts[] = {"127.0.0.1:", "localhost:", ""};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    char text[64];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)state;
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    snprintf(text, sizeof text, "tcp:127.0.0.1:%d", ntohs(at.sin_port));
    assert_fails(text, ECONNREFUSED);
    assert_int_equal(listen(fd, 5), 0);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        snprintf(text, sizeof text, "tcp:%s%d", hosts[i], ntohs(at.sin_port));
        assert_connects(text);
    }
    close(fd);
}

/* An IPv6 address has brackets or, as agentXSocket may have it, none. */
static void tcp6_socket(void **state)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    socklen_t size = sizeof at;
    char text[64];
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)state;
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0)
        skip(); /* a machine without IPv6 */
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    assert_int_equal(listen(fd, 5), 0);
    snprintf(text, sizeof text, "tcp6:[::1]:%d", ntohs(at.sin6_port));
    assert_connects(text);
    snprintf(text, sizeof text, "tcp6:::1:%d", ntohs(at.sin6_port));
    assert_connects(text);
    close(fd);
}

static void no_addresses(void **state)
{
    char longest[160] = "unix:/";
    (void)state;
    static const char *const bad[] = {"",         ":",
                                      "unix",     "unix:",
                                      "tcp:",     "udp:localhost:705",
                                      "master",   "tcp:127.0.0.1:x",
                                      "tcp:[::1", "unixx:/x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(bad[i], EINVAL);
    memset(longest + 6, 'x', sizeof longest - 7);
    assert_fails(longest, ENAMETOOLONG);
}

static void explained(void **state)
{
    char fault[MASTER_FAULT_SIZE];
    (void)state;
    master_explain(fault, ENOENT);
    assert_string_equal(fault, "No such file or directory; snmpd does not run, has no line "
                               "\"master agentx\", or another agentXSocket");
    master_explain(fault, EACCES);
    assert_memory_equal(fault, "Permission denied; dcampd runs as user ", 39);
    assert_non_null(strstr(fault, ": agentXPerms of snmpd.conf must let it in"));
    master_explain(fault, EMFILE);
    assert_memory_equal(fault, "Too many open files; ", 21);
    master_explain(fault, EIO);
    assert_string_equal(fault, "Input/output error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unix_socket),   cmocka_unit_test(full_queue),
        cmocka_unit_test(without_right), cmocka_unit_test(tcp_socket),
        cmocka_unit_test(tcp6_socket),   cmocka_unit_test(no_addresses),
        cmocka_unit_test(explained),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
