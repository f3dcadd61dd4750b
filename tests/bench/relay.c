/* Stands between a manager and an agent, both on the loopback, and counts what passes.
 *
 *   relay PORT FILE
 *
 * takes a port of its own and hands every datagram on to PORT and every answer back to who asked
 * last. FILE always has one line: its own port, then the datagrams to the agent and their octets,
 * then those from it. Octets are those of the UDP payload: without headers of UDP and IP. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct relay {
    int manager, agent; /* sockets to them */
    int file;
    uint16_t port;
    struct sockaddr_in asked; /* who asked last */
    struct count {
        uint64_t datagrams, octets;
    } to, from;
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/* Numbers only grow, so that a line never gets shorter. */
static void write_counts(const struct relay *relay)
{
    char line[128];
    int len =
        snprintf(line, sizeof line, "%u %llu %llu %llu %llu\n", relay->port,
                 (unsigned long long)relay->to.datagrams, (unsigned long long)relay->to.octets,
                 (unsigned long long)relay->from.datagrams, (unsigned long long)relay->from.octets);
    if (pwrite(relay->file, line, (size_t)len, 0) != len)
        fail("relay: the counts");
}

static void relay_open(struct relay *relay, uint16_t port, const char *path)
{
    struct sockaddr_in own = loopback(0), agent = loopback(port);
    socklen_t len = sizeof own;
    relay->manager = socket(AF_INET, SOCK_DGRAM, 0);
    relay->agent = socket(AF_INET, SOCK_DGRAM, 0);
    if (relay->manager < 0 || relay->agent < 0)
        fail("relay: socket");
    if (bind(relay->manager, (struct sockaddr *)&own, sizeof own) != 0 ||
        getsockname(relay->manager, (struct sockaddr *)&own, &len) != 0)
        fail("relay: bind");
    if (connect(relay->agent, (struct sockaddr *)&agent, sizeof agent) != 0)
        fail("relay: connect");
    relay->port = ntohs(own.sin_port);
    relay->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (relay->file < 0)
        fail(path);
    write_counts(relay);
}

static void count(struct count *count, ssize_t octets)
{
    count->datagrams++;
    count->octets += (uint64_t)octets;
}

/* What cannot be handed on is lost, as datagrams may be. */
static void to_agent(struct relay *relay)
{
    static char datagram[65536];
    socklen_t len = sizeof relay->asked;
    ssize_t n = recvfrom(relay->manager, datagram, sizeof datagram, 0,
                         (struct sockaddr *)&relay->asked, &len);
    if (n < 0 || send(relay->agent, datagram, (size_t)n, 0) != n)
        return;
    count(&relay->to, n);
}

static void to_manager(struct relay *relay)
{
    static char datagram[65536];
    ssize_t n = recv(relay->agent, datagram, sizeof datagram, 0);
    if (n < 0 || sendto(relay->manager, datagram, (size_t)n, 0, (struct sockaddr *)&relay->asked,
                        sizeof relay->asked) != n)
        return;
    count(&relay->from, n);
}

int main(int argc, char **argv)
{
    struct relay relay = {0};
    unsigned long port = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    if (port == 0 || port > UINT16_MAX) {
        fputs("usage: relay PORT FILE\n", stderr);
        return 2;
    }
    relay_open(&relay, (uint16_t)port, argv[2]);
    for (;;) {
        struct pollfd fds[] = {{relay.manager, POLLIN, 0}, {relay.agent, POLLIN, 0}};
        if (poll(fds, 2, -1) < 0)
            fail("relay: poll");
        if (fds[0].revents)
            to_agent(&relay);
        if (fds[1].revents)
            to_manager(&relay);
        write_counts(&relay);
    }
}
