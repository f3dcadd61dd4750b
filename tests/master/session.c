#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "master.h"

void master_listen(struct master *master, const char *path, pid_t pid)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    master->fd = -1;
    master->pid = pid;
    master->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen(path) >= sizeof address.sun_path)
        path = "";
    memcpy(address.sun_path, path, strlen(path));
    if (!*path || bind(master->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(master->listener, 4) != 0) {
        perror("master: socket");
        exit(2);
    }
}

bool master_is_alive(const struct master *master)
{
    return kill(master->pid, 0) == 0;
}

long master_kb(const struct master *master, const char *field)
{
    char path[64], line[256];
    long kb = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)master->pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, field, strlen(field)) == 0)
            kb = strtol(line + strlen(field) + 1, NULL, 10);
    if (file)
        fclose(file);
    return kb;
}

double master_cpu_s(const struct master *master)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(master->pid, &clock) || clock_gettime(clock, &t))
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool readable(int fd, int64_t until_ms)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    int64_t left = until_ms - now_ms();
    return poll(&one, 1, left > 0 ? (int)left : 0) > 0;
}

void master_hang_up(struct master *master)
{
    if (master->fd >= 0)
        close(master->fd);
    master->fd = -1;
    master->in.len = master->used = 0;
}

bool master_send(struct master *master, const struct packet *packet)
{
    size_t sent = 0;
    while (sent < packet->len) {
        ssize_t n = send(master->fd, packet->bytes + sent, packet->len - sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        sent += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The next packet, which stays in in until the next call. */
static enum heard next_packet(struct master *master, int64_t until_ms, struct seen *seen)
{
    struct packet *in = &master->in;
    in->len -= master->used;
    memmove(in->bytes, in->bytes + master->used, in->len);
    master->used = 0;
    for (;;) {
        size_t len = packet_length(in->bytes, in->len);
        if (len > PACKET_MAX)
            return LOST;
        if (len > 0 && in->len >= len) {
            master->used = len;
            return packet_read(in->bytes, len, seen) ? HEARD : LOST;
        }
        if (!readable(master->fd, until_ms))
            return SILENT;
        ssize_t n = recv(master->fd, in->bytes + in->len, PACKET_MAX - in->len, 0);
        if (n <= 0)
            return LOST;
        in->len += (size_t)n;
    }
}

/* Opening, registering, pings and notifications: all of it is granted. */
static bool grant(struct master *master, const struct seen *seen)
{
    struct packet packet;
    packet_begin(&packet, PACKET_RESPONSE, SESSION, seen->transaction, seen->id);
    packet_put_number(&packet, 0); /* sysUpTime */
    packet_put_number(&packet, 0); /* no error */
    packet_end(&packet);
    return master_send(master, &packet);
}

enum heard master_hear(struct master *master, uint32_t id, int ms, struct seen *seen)
{
    int64_t until_ms = now_ms() + ms;
    enum heard heard;
    while ((heard = next_packet(master, until_ms, seen)) == HEARD) {
        if (seen->type == PACKET_RESPONSE && seen->id == id)
            return HEARD;
        if (seen->type == PACKET_CLOSE || (seen->type != PACKET_RESPONSE && !grant(master, seen)))
            return LOST;
    }
    return heard;
}

enum heard master_ask(struct master *master, struct seen *seen)
{
    uint32_t id = master->id;
    return master_send(master, &master->out) ? master_hear(master, id, PATIENCE_MS, seen) : LOST;
}

/* It is attached once it answers: before that it has not registered, and asks for it. */
bool master_attach(struct master *master)
{
    const struct name name = name_of_scalar(&mib_objects[MIB_dcampNodeName]);
    const int64_t until_ms = now_ms() + PATIENCE_MS;
    struct seen seen;
    while (now_ms() < until_ms && master_is_alive(master)) {
        master_hang_up(master);
        if (!readable(master->listener, until_ms))
            return false;
        master->fd = accept(master->listener, NULL, NULL);
        if (master->fd >= 0 && client_get(master, &name, &seen) == HEARD)
            return true;
    }
    return false;
}
