/* What a child's socket lets through to Net-SNMP, and which addresses it takes. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "snmpv3/link.h"

#include "unit.h"

static void addresses(void **state)
{
    (void)state;
    static const struct {
        const char *address;
        bool valid;
    } cases[] = {
        {"udp:127.0.0.1:161", true},
        {"127.0.0.1:161", true},
        {"udp:127.0.0.1", true},
        {"127.0.0.1", true},
        {"udp:127.255.255.254:65535", true},
        {"udp:localhost:161", false},
        {"localhost", false},
        {"udp:127.0.0.1:snmp", false},
        {"udp:127.0.0.1:65536x", false},
        {"udp:127.0.0.256:161", false},
        {"udp:127.0.0.1:65536", false},
        {"udp:127.0.0.1:0", false},
        {"udp:127.0.0.1:", false},
        {"udp:127.0.0.1:-1", false},
        {"udp:", false},
        {"", false},
        {":", false},
        {"udp6:[::1", false},
        {"udp6:[::1]x", false},
        {"tcp:127.0.0.1:161", false},
        {"unix:/tmp/x", false},
        {"udp:[]:161", false},
        {"udp:127.0.0.1:161:161", false},
        {"udp:1234567890123456789012345678901234567890123456789012345678901234567890", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = NULL;
        struct link *link = link_open(cases[i].address, NULL, &why);
        if ((link != NULL) != cases[i].valid)
            fail_msg("%s: %s", cases[i].address, why ? why : "taken");
        if (link)
            link_close(link);
        else
            assert_non_null(why);
    }
}

static void places_to_listen(void **state)
{
    (void)state;
    const char *why = NULL;
    int fd = link_listen("udp:127.0.0.1:29161", &why);
    for (int port = 29162; fd < 0 && port < 29200; port++) {
        char address[32];
        snprintf(address, sizeof address, "udp:127.0.0.1:%d", port);
        fd = link_listen(address, &why);
    }
    assert_true(fd >= 0);
    struct sockaddr_in self;
    socklen_t len = sizeof self;
    char text[64];
    assert_int_equal(getsockname(fd, (void *)&self, &len), 0);
    snprintf(text, sizeof text, "udp:127.0.0.1:%d", ntohs(self.sin_port));
    why = NULL;
    assert_int_equal(link_listen(text, &why), -1); /* it is taken */
    assert_string_equal(why, strerror(EADDRINUSE));
    why = NULL;
    assert_int_equal(link_listen("udp:localhost:1620", &why), -1);
    assert_non_null(why);
    assert_int_equal(send(fd, "", 0, MSG_DONTWAIT), -1); /* it is nobody's in particular */
    close(fd);
}

static size_t open_files(void)
{
    size_t n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Whatever is the matter, it is said, and no socket stays open. */
static void no_socket(void **state)
{
    (void)state;
    const char *why = NULL;
    size_t before = open_files();
    assert_null(
        link_open("udp:127.255.255.255:161", NULL, &why)); /* to all, which nobody allowed */
    assert_string_equal(why, strerror(EACCES));
    assert_int_equal(link_listen("udp:192.0.2.1:1620", &why), -1); /* not of this host */
    assert_string_equal(why, strerror(EADDRNOTAVAIL));
    assert_int_equal(open_files(), before);
    struct rlimit old, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = (struct rlimit){0, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const char *to_open = NULL, *to_listen = NULL;
    struct link *link = link_open("udp:127.0.0.1:161", NULL, &to_open);
    int fd = link_listen("udp:127.0.0.1:1620", &to_listen);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_null(link);
    assert_string_equal(to_open, strerror(EMFILE));
    assert_int_equal(fd, -1);
    assert_string_equal(to_listen, strerror(EMFILE));
}

static void assert_own(int fd)
{
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

/* Nobody waits at a socket, and no other program gets it. */
static void sockets_are_our_own(void **state)
{
    (void)state;
    const char *why = NULL;
    struct link *link = link_open("udp:127.0.0.1:161", NULL, &why);
    int fd = link_listen("udp:127.0.0.1:0", &why);
    assert_int_equal(fd, -1); /* which port would that be? */
    assert_string_equal(why, "not a port: 1 to 65535");
    for (int port = 29261; fd < 0 && port < 29300; port++) {
        char address[32];
        snprintf(address, sizeof address, "udp:127.0.0.1:%d", port);
        fd = link_listen(address, &why);
    }
    assert_own(fd);
    assert_own(link->transport.sock);
    close(fd);
    link_close(link);
}

static void addresses_of_ipv6(void **state)
{
    (void)state;
    static const char *const valid[] = {"udp6:[::1]:161", "[::1]:161", "udp6:[::1]", "udp6:::1",
                                        "::1"};
    int fd = socket(AF_INET6, SOCK_DGRAM, 0);
    struct sockaddr_in6 self = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    bool has = fd >= 0 && bind(fd, (void *)&self, sizeof self) == 0;
    close(fd);
    if (!has)
        skip();
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        const char *why = NULL;
        struct link *link = link_open(valid[i], NULL, &why);
        if (!link)
            fail_msg("%s: %s", valid[i], why);
        link_close(link);
    }
}

/* -- Packets --------------------------------------------------------------------------------- */

struct pair {
    int agent;
    struct link *link;
};

static struct pair new_pair(void)
{
    struct pair pair = {.agent = socket(AF_INET, SOCK_DGRAM, 0)};
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof self;
    char address[64];
    const char *why;
    assert_int_equal(bind(pair.agent, (void *)&self, len), 0);
    assert_int_equal(getsockname(pair.agent, (void *)&self, &len), 0);
    snprintf(address, sizeof address, "udp:127.0.0.1:%u", ntohs(self.sin_port));
    pair.link = link_open(address, NULL, &why);
    assert_non_null(pair.link);
    len = sizeof self;
    assert_int_equal(getsockname(pair.link->transport.sock, (void *)&self, &len), 0);
    assert_int_equal(connect(pair.agent, (void *)&self, len), 0);
    return pair;
}

static void end_pair(struct pair *pair)
{
    close(pair->agent);
    link_close(pair->link);
}

/* The length of what is let through, or 0. */
static int pass(struct pair *pair, const void *packet, size_t len)
{
    static uint8_t buffer[65536];
    void *opaque;
    int opaque_len;
    netsnmp_transport *transport = &pair->link->transport;
    assert_int_equal(send(pair->agent, packet, len, 0), len);
    transport->flags &= ~NETSNMP_TRANSPORT_FLAG_EMPTY_PKT;
    int n = transport->f_recv(transport, buffer, sizeof buffer, &opaque, &opaque_len);
    assert_null(opaque);
    assert_int_equal(n == 0, (transport->flags & NETSNMP_TRANSPORT_FLAG_EMPTY_PKT) != 0);
    assert_true(n == 0 || memcmp(buffer, packet, len) == 0);
    return n;
}

/* Version 3, msgID 0x01020304, engine ID of 5 octets, boots 7. */
static const uint8_t answer[] = {
    0x30, 0x32, 2,    1,    3,                                              /* version */
    0x30, 0x10, 2,    4,    1, 2, 3,    4, 2, 2, 5, 0xdc, 4, 1, 0, 2, 1, 3, /* global data */
    4,    0x16, 0x30, 0x14, 4, 5, 0x80, 0, 0, 0, 5, 2,    1, 7, 2, 1, 9, /* engine, boots, time */
    4,    1,    'u',  4,    0, 4, 0,                                     /* user, no parameters */
    0x30, 0x03, 2,    1,    0, /* the rest of the message */
};
#define ANSWER_ID 0x01020304

static void only_the_answer_passes(void **state)
{
    (void)state;
    struct pair pair = new_pair();
    assert_int_equal(pair.link->request, LINK_NO_REQUEST);
    assert_int_equal(pass(&pair, answer, sizeof answer), 0);
    pair.link->request = ANSWER_ID;
    assert_int_equal(pass(&pair, answer, sizeof answer), sizeof answer);
    assert_int_equal(pair.link->engine_boots, 7);
    pair.link->request = ANSWER_ID + 1;
    assert_int_equal(pass(&pair, answer, sizeof answer), 0);
    pair.link->request = 0;
    assert_int_equal(pass(&pair, answer, sizeof answer), 0);
    assert_int_equal(pair.link->error, 0);
    end_pair(&pair);
}

/* Each octet of the head changed to each value, each cut, and noise: no crash, and what passes has
 * the version and the msgID. */
static void damaged_answers(void **state)
{
    (void)state;
    struct pair pair = new_pair();
    uint8_t packet[sizeof answer];
    pair.link->request = ANSWER_ID;
    for (size_t len = 0; len < sizeof answer; len++)
        assert_int_equal(pass(&pair, answer, len), 0);
    for (size_t i = 0; i < sizeof answer; i++)
        for (unsigned value = 0; value < 256; value++) {
            memcpy(packet, answer, sizeof packet);
            packet[i] = (uint8_t)value;
            bool head = (i >= 2 && i <= 4) || (i >= 7 && i <= 12);
            if (pass(&pair, packet, sizeof packet) > 0 && head)
                assert_int_equal(value, answer[i]);
        }
    srandom(5);
    for (int round = 0; round < 2000; round++) {
        uint8_t noise[300];
        size_t len = (size_t)random() % sizeof noise;
        for (size_t i = 0; i < len; i++)
            noise[i] = i < 2 ? answer[i] : (uint8_t)random();
        assert_int_equal(pass(&pair, noise, len), 0);
    }
    end_pair(&pair);
}

static int receive(struct pair *pair)
{
    static uint8_t buffer[65536];
    void *opaque;
    int opaque_len;
    return pair->link->transport.f_recv(&pair->link->transport, buffer, sizeof buffer, &opaque,
                                        &opaque_len);
}

static void flood(const struct pair *pair, int n)
{
    uint8_t junk[sizeof answer];
    memcpy(junk, answer, sizeof junk);
    junk[12] ^= 1;
    for (int i = 0; i < n; i++)
        assert_int_equal(send(pair->agent, junk, sizeof junk, 0), sizeof junk);
}

/* Behind a flood of other packets, the answer is found, and one call does not read for ever. */
static void floods(void **state)
{
    (void)state;
    static const struct {
        int others, calls;
    } cases[] = {{0, 1}, {1, 1}, {63, 1}, {64, 2}, {100, 2}};
    struct pair pair = new_pair();
    pair.link->request = ANSWER_ID;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flood(&pair, cases[i].others);
        assert_int_equal(send(pair.agent, answer, sizeof answer, 0), sizeof answer);
        for (int call = 1; call < cases[i].calls; call++)
            assert_int_equal(receive(&pair), 0);
        assert_int_equal(receive(&pair), sizeof answer);
    }
    end_pair(&pair);
}

/* What came while nobody listened is thrown away, but not for ever. */
static void what_came_meanwhile(void **state)
{
    (void)state;
    char octet;
    struct pair pair = new_pair();
    int fd = pair.link->transport.sock, left = 0;
    flood(&pair, 70);
    link_drop(fd);
    while (recv(fd, &octet, 1, MSG_DONTWAIT) > 0)
        left++;
    assert_int_equal(left, 6);
    link_drop(fd); /* nothing is there */
    flood(&pair, 3);
    link_drop(fd);
    assert_int_equal(recv(fd, &octet, 1, MSG_DONTWAIT), -1);
    end_pair(&pair);
}

/* An answer that is read late did not take that long. */
static void the_time_in_the_socket(void **state)
{
    (void)state;
    struct pair pair = new_pair();
    static uint8_t buffer[65536];
    void *opaque;
    int opaque_len;
    netsnmp_transport *transport = &pair.link->transport;
    pair.link->request = ANSWER_ID;
    assert_int_equal(send(pair.agent, answer, sizeof answer, 0), sizeof answer);
    usleep(100000);
    assert_int_equal(transport->f_recv(transport, buffer, sizeof buffer, &opaque, &opaque_len),
                     sizeof answer);
    assert_in_range(pair.link->waited, 100 * NS_PER_MS, 10 * NS_PER_S);
    uint64_t sent = clock_mono_ns();
    assert_int_equal(pass(&pair, answer, sizeof answer), sizeof answer);
    assert_in_range(pair.link->waited, 0, clock_mono_ns() - sent);
    end_pair(&pair);
}

static void strangers_are_not_heard(void **state)
{
    (void)state;
    struct pair pair = new_pair();
    struct sockaddr_in to;
    socklen_t len = sizeof to;
    static uint8_t buffer[65536];
    void *opaque;
    int opaque_len, stranger = socket(AF_INET, SOCK_DGRAM, 0);
    pair.link->request = ANSWER_ID;
    assert_int_equal(getsockname(pair.link->transport.sock, (void *)&to, &len), 0);
    assert_int_equal(sendto(stranger, answer, sizeof answer, 0, (void *)&to, len), sizeof answer);
    assert_int_equal(pair.link->transport.f_recv(&pair.link->transport, buffer, sizeof buffer,
                                                 &opaque, &opaque_len),
                     0);
    close(stranger);
    end_pair(&pair);
}

static void closed_ports_are_noticed(void **state)
{
    (void)state;
    struct pair pair = new_pair();
    static uint8_t buffer[65536];
    void *opaque = NULL;
    int opaque_len = 0;
    netsnmp_transport *transport = &pair.link->transport;
    close(pair.agent);
    assert_int_equal(transport->f_send(transport, answer, sizeof answer, &opaque, &opaque_len),
                     sizeof answer);
    assert_int_equal(transport->f_recv(transport, buffer, sizeof buffer, &opaque, &opaque_len), 0);
    assert_int_equal(pair.link->error, ECONNREFUSED);
    link_close(pair.link);
}

/* -- Ports ----------------------------------------------------------------------------------- */

#define LINKS (LINK_PORTS + 200)

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return good;
}

/* A network with these ports for sockets to come from. */
static bool enter_network(const char *ports)
{
    struct ifreq lo = {.ifr_name = "lo"};
    bool alone = unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    int fd = alone ? socket(AF_INET, SOCK_DGRAM, 0) : -1;
    bool up = fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &lo) == 0;
    lo.ifr_flags |= IFF_UP;
    up = up && ioctl(fd, SIOCSIFFLAGS, &lo) == 0;
    if (fd >= 0)
        close(fd);
    return up && write_file("/proc/sys/net/ipv4/ip_local_port_range", ports);
}

static struct sockaddr_in name_of(const struct link *link,
                                  int (*name)(int, struct sockaddr *, socklen_t *))
{
    struct sockaddr_in is = {0};
    socklen_t len = sizeof is;
    if (name(link->transport.sock, (void *)&is, &len) != 0)
        is.sin_port = 0;
    return is;
}

/* Each link hears what is sent to it and nothing else, whoever has its port. */
static bool hear_their_own(struct link *const links[LINKS], int agent)
{
    static uint8_t buffer[65536];
    void *opaque = NULL;
    int opaque_len = 0;
    for (int i = 0; i < LINKS; i++) {
        struct sockaddr_in from = name_of(links[i], getpeername),
                           to = name_of(links[i], getsockname);
        struct in_pktinfo info = {.ipi_spec_dst = from.sin_addr};
        union {
            struct cmsghdr head;
            uint8_t room[CMSG_SPACE(sizeof info)];
        } control = {.head = {.cmsg_len = CMSG_LEN(sizeof info),
                              .cmsg_level = IPPROTO_IP,
                              .cmsg_type = IP_PKTINFO}};
        struct iovec part = {.iov_base = (void *)answer, .iov_len = sizeof answer};
        struct msghdr message = {.msg_name = &to,
                                 .msg_namelen = sizeof to,
                                 .msg_iov = &part,
                                 .msg_iovlen = 1,
                                 .msg_control = &control,
                                 .msg_controllen = sizeof control};
        memcpy(CMSG_DATA(&control.head), &info, sizeof info);
        links[i]->request = ANSWER_ID;
        if (sendmsg(agent, &message, 0) != sizeof answer)
            return false;
    }
    for (int i = 0; i < LINKS; i++)
        if (links[i]->transport.f_recv(&links[i]->transport, buffer, sizeof buffer, &opaque,
                                       &opaque_len) != sizeof answer)
            return false;
    return true;
}

static int compare_ports(const void *a, const void *b)
{
    return *(const in_port_t *)a - *(const in_port_t *)b;
}

static int count_ports(struct link *const links[LINKS])
{
    in_port_t ports[LINKS];
    int n = 1;
    for (int i = 0; i < LINKS; i++)
        ports[i] = name_of(links[i], getsockname).sin_port;
    qsort(ports, LINKS, sizeof *ports, compare_ports);
    for (int i = 1; i < LINKS; i++)
        n += ports[i] != ports[i - 1];
    return n;
}

static bool open_links(struct link *links[LINKS], struct link_ports *ports)
{
    const char *why;
    for (int i = 0; i < LINKS; i++) {
        char address[64];
        snprintf(address, sizeof address, "udp:127.1.%d.%d:20000", i / 250, i % 250 + 1);
        links[i] = link_open(address, ports, &why);
        if (!links[i])
            return false;
    }
    return true;
}

static void close_links(struct link *links[LINKS])
{
    for (int i = 0; i < LINKS; i++)
        link_close(links[i]);
}

/* Who has a port of the closed links keeps it. A descriptor, or -1. */
static int occupy(in_port_t port)
{
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_port = port};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    return bind(fd, (void *)&self, sizeof self) == 0 ? fd : -1;
}

/* 0, or the number of the step that did not work. */
static int share_ports(int expected)
{
    struct link *links[LINKS];
    struct link_ports ports = {.n = 0};
    int agent = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_port = htons(20000)};
    if (bind(agent, (void *)&self, sizeof self) != 0)
        return 1;
    if (!open_links(links, &ports))
        return 2;
    if (count_ports(links) != expected || ports.n != (uint32_t)expected || !ports.full)
        return 3;
    if (!hear_their_own(links, agent))
        return 4;
    close_links(links);
    in_port_t taken = ports.at[3];
    int other = occupy(taken);
    if (other < 0 || !open_links(links, &ports) || !hear_their_own(links, agent))
        return 5;
    for (int i = 0; i < LINKS; i++)
        if (name_of(links[i], getsockname).sin_port == taken)
            return 6;
    if (count_ports(links) > expected)
        return 7;
    close_links(links);
    close(other);
    close(agent);
    return 0;
}

static void share_ports_of(const char *range, int expected)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(enter_network(range) ? share_ports(expected) : 77);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip(); /* nobody but root may have a network of its own here */
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void more_links_than_ports(void **state)
{
    (void)state;
    share_ports_of("40000 40015", 16);
}

/* The other programs of the machine need ports, too. */
static void links_leave_ports(void **state)
{
    (void)state;
    share_ports_of("40000 49999", LINK_PORTS);
}

/* What a unit forbids looks like what the kernel cannot do, or a firewall does not let through. */
static void what_an_error_means(void **state)
{
    (void)state;
    unsetenv("INVOCATION_ID");
    assert_string_equal(link_why(EAFNOSUPPORT), strerror(EAFNOSUPPORT));
    assert_string_equal(link_why(EPERM), strerror(EPERM));
    setenv("INVOCATION_ID", "1", 1);
    const int codes[] = {EAFNOSUPPORT, EPERM, EACCES};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_non_null(strstr(link_why(codes[i]), "dcampd.service.d/collector.conf"));
    assert_string_equal(link_why(ECONNREFUSED), strerror(ECONNREFUSED));
    unsetenv("INVOCATION_ID");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),
        cmocka_unit_test(what_an_error_means),
        cmocka_unit_test(places_to_listen),
        cmocka_unit_test(no_socket),
        cmocka_unit_test(sockets_are_our_own),
        cmocka_unit_test(addresses_of_ipv6),
        cmocka_unit_test(only_the_answer_passes),
        cmocka_unit_test(damaged_answers),
        cmocka_unit_test(floods),
        cmocka_unit_test(what_came_meanwhile),
        cmocka_unit_test(the_time_in_the_socket),
        cmocka_unit_test(strangers_are_not_heard),
        cmocka_unit_test(closed_ports_are_noticed),
        cmocka_unit_test(more_links_than_ports),
        cmocka_unit_test(links_leave_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
