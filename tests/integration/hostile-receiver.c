/* hostile-receiver: receivers of UDP packets that do everything wrong. Prints "NAME PORT" for each
 * and serves until its standard input ends; then prints "NAME packets N sent N".
 *
 * silent   takes nothing, until the socket is full
 * slow     takes one packet in a second
 * refusing has gone: the port is closed
 * garbage  answers each packet with three: random octets, the same packet, the same one spoilt */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum kind { SILENT, SLOW, REFUSING, GARBAGE, KINDS };

static const char *const names[] = {"silent", "slow", "refusing", "garbage"};

struct receiver {
    int fd;
    uint64_t packets, sent;
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static int open_receiver(enum kind kind)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int small = 4096, fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        fail(names[kind]);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    printf("%s %u\n", names[kind], (unsigned)ntohs(address.sin_port));
    if (kind != REFUSING)
        return fd;
    close(fd);
    return -1;
}

static void answer(struct receiver *receiver, uint8_t *packet, size_t len,
                   const struct sockaddr_in *to)
{
    uint8_t noise[600];
    const struct sockaddr *address = (const struct sockaddr *)to;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)rand();
    receiver->sent +=
        sendto(receiver->fd, noise, 1 + (size_t)rand() % sizeof noise, 0, address, sizeof *to) > 0;
    receiver->sent += sendto(receiver->fd, packet, len, 0, address, sizeof *to) > 0;
    packet[(size_t)rand() % len] ^= (uint8_t)(1 + rand() % 255);
    receiver->sent += sendto(receiver->fd, packet, len, 0, address, sizeof *to) > 0;
}

/* False: there is none. */
static int take(struct receiver *receiver, int answers)
{
    uint8_t packet[65536];
    struct sockaddr_in from;
    socklen_t from_len = sizeof from;
    ssize_t n =
        recvfrom(receiver->fd, packet, sizeof packet, 0, (struct sockaddr *)&from, &from_len);
    if (n <= 0)
        return 0;
    receiver->packets++;
    if (answers)
        answer(receiver, packet, (size_t)n, &from);
    return 1;
}

static void serve(struct receiver receivers[KINDS])
{
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = receivers[GARBAGE].fd, .events = POLLIN}};
    for (time_t slow = 0; !fds[0].revents;) {
        if (poll(fds, 2, 1000) < 0 && errno != EINTR)
            fail("poll");
        for (int i = 0; i < 64 && take(&receivers[GARBAGE], 1); i++)
            continue;
        if (time(NULL) != slow)
            take(&receivers[SLOW], 0);
        slow = time(NULL);
    }
}

int main(void)
{
    struct receiver receivers[KINDS] = {{.fd = -1}};
    for (int kind = 0; kind < KINDS; kind++)
        receivers[kind].fd = open_receiver((enum kind)kind);
    fflush(stdout);
    serve(receivers);
    for (int kind = 0; kind < KINDS; kind++)
        printf("%s packets %llu sent %llu\n", names[kind],
               (unsigned long long)receivers[kind].packets,
               (unsigned long long)receivers[kind].sent);
    return 0;
}
