#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"
#include "arrivals.h"
#include "knobs.h"

#define BATCH 64
#define REQUEST_SIZE 8192
#define BUFFER_SIZE (16 << 20)
#define LINE_SIZE 1024

/* What an event of epoll is about: a socket, or one of these. */
#define TAG_COMMANDS UINT64_MAX
#define TAG_SIGNAL (UINT64_MAX - 1)

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(struct in_pktinfo))];
};

struct half {
    struct mmsghdr headers[BATCH];
    struct iovec pieces[BATCH];
    struct sockaddr_in peers[BATCH];
    union control controls[BATCH];
};

struct wire {
    int epoll, signals;
    int *sockets;
    uint32_t n_sockets;
    struct half in, out;
    unsigned n_out;
    uint8_t *requests, *answers; /* BATCH buffers each */
    char line[LINE_SIZE];        /* of commands, as far as it came */
    size_t line_len;
};

struct delayed {
    struct event event;
    const struct sim_child *child;
    struct sockaddr_in to;
    size_t len;
    uint8_t bytes[];
};

static bool complain(const char *what)
{
    fprintf(stderr, "dcamp-sim: %s: %s\n", what, strerror(errno));
    return false;
}

/* -- Opening --------------------------------------------------------------------------------- */

static int open_socket(const struct sim_options *options, uint32_t index)
{
    const int on = 1, size = options->ports ? BUFFER_SIZE / 64 : BUFFER_SIZE;
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)(options->port + index)),
        .sin_addr.s_addr = htonl(options->ports ? options->address : INADDR_ANY),
    };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    /* Where these are not allowed, the system's defaults do for fewer children. */
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) != 0)
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if ((!options->ports && (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) != 0 ||
                             setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on) != 0)) ||
        bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static bool watch(const struct wire *wire, int fd, uint64_t tag)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};
    return epoll_ctl(wire->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool open_sockets(struct sim *sim)
{
    struct wire *wire = sim->wire;
    uint32_t n = sim->options.ports ? sim->options.children : 1;
    wire->sockets = calloc(n, sizeof *wire->sockets);
    if (!wire->sockets)
        return complain("sockets");
    for (; wire->n_sockets < n; wire->n_sockets++) {
        int fd = open_socket(&sim->options, wire->n_sockets);
        if (fd < 0) {
            fprintf(stderr, "dcamp-sim: port %u: %s\n", sim->options.port + wire->n_sockets,
                    strerror(errno));
            return false;
        }
        wire->sockets[wire->n_sockets] = fd;
        if (!watch(wire, fd, wire->n_sockets))
            return complain("epoll");
    }
    return true;
}

static void prepare(struct half *half, uint8_t *buffers, size_t size)
{
    for (unsigned i = 0; i < BATCH; i++) {
        half->pieces[i] = (struct iovec){buffers ? buffers + i * size : NULL, size - CODEC_SLACK};
        half->headers[i].msg_hdr = (struct msghdr){
            .msg_name = &half->peers[i],
            .msg_namelen = sizeof half->peers[i],
            .msg_iov = &half->pieces[i],
            .msg_iovlen = 1,
        };
    }
}

static bool open_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return false;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return -1;
    return signalfd(-1, &set, SFD_CLOEXEC);
}

bool wire_open(struct sim *sim)
{
    struct wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        return complain("sockets");
    sim->wire = wire;
    wire->epoll = epoll_create1(EPOLL_CLOEXEC);
    wire->signals = open_signals();
    wire->requests = calloc(BATCH, REQUEST_SIZE);
    wire->answers = malloc((size_t)BATCH * MESSAGE_SIZE_MAX);
    if (wire->epoll < 0 || wire->signals < 0 || !wire->requests || !wire->answers ||
        !watch(wire, wire->signals, TAG_SIGNAL))
        return complain("event loop");
    prepare(&wire->in, wire->requests, REQUEST_SIZE);
    prepare(&wire->out, NULL, CODEC_SLACK);
    return open_files() ? open_sockets(sim) : complain("limit of open files");
}

void wire_close(struct sim *sim)
{
    struct wire *wire = sim->wire;
    if (!wire)
        return;
    for (uint32_t i = 0; i < wire->n_sockets; i++)
        close(wire->sockets[i]);
    close(wire->epoll);
    close(wire->signals);
    free(wire->sockets);
    free(wire->requests);
    free(wire->answers);
    free(wire);
    sim->wire = NULL;
}

/* -- Sending --------------------------------------------------------------------------------- */

static int socket_of(const struct sim *sim, const struct sim_child *child)
{
    return sim->wire->sockets[sim->options.ports ? child->number - 1 : 0];
}

static void send_from(const struct sim *sim, const struct sim_child *child, struct msghdr *header,
                      union control *control)
{
    header->msg_control = NULL;
    header->msg_controllen = 0;
    if (sim->options.ports)
        return;
    struct in_pktinfo from = {
        .ipi_spec_dst.s_addr = htonl(sim->options.address + child->number - 1),
    };
    memset(control, 0, sizeof *control);
    header->msg_control = control;
    header->msg_controllen = sizeof *control;
    struct cmsghdr *part = CMSG_FIRSTHDR(header);
    part->cmsg_level = IPPROTO_IP;
    part->cmsg_type = IP_PKTINFO;
    part->cmsg_len = CMSG_LEN(sizeof from);
    memcpy(CMSG_DATA(part), &from, sizeof from);
}

void wire_send(struct sim *sim, const struct sim_child *child, const struct sockaddr_in *to,
               const uint8_t *bytes, size_t len)
{
    union control control;
    struct sockaddr_in peer = *to;
    struct iovec piece = {(void *)(uintptr_t)bytes, len};
    struct msghdr header = {
        .msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = &piece, .msg_iovlen = 1};
    send_from(sim, child, &header, &control);
    sendmsg(socket_of(sim, child), &header, 0);
}

static void send_delayed(struct sim *sim, struct event *event, struct moment now)
{
    (void)now;
    struct delayed *delayed = (struct delayed *)event; /* its first member */
    wire_send(sim, delayed->child, &delayed->to, delayed->bytes, delayed->len);
    free(delayed);
}

static void delay(struct sim *sim, const struct sim_child *child, const struct sockaddr_in *to,
                  const struct iovec *piece, struct moment now)
{
    struct delayed *delayed = calloc(1, sizeof *delayed + piece->iov_len);
    if (!delayed)
        return;
    delayed->event.fire = send_delayed;
    delayed->event.allocated = true;
    delayed->child = child;
    delayed->to = *to;
    delayed->len = piece->iov_len;
    memcpy(delayed->bytes, piece->iov_base, piece->iov_len);
    event_plan(sim, &delayed->event, now.mono_ns + child->delay_ms * NS_PER_MS);
}

/* An answer is kept first, and sent again after those that follow. */
static void replay(struct sim *sim, struct sim_child *child, const struct sockaddr_in *to,
                   const struct iovec *piece)
{
    struct replay *replay = &child->replay;
    if (replay->bytes) {
        wire_send(sim, child, to, replay->bytes, replay->len);
        replay->left--;
    } else if ((replay->bytes = malloc(piece->iov_len))) {
        memcpy(replay->bytes, piece->iov_base, piece->iov_len);
        replay->len = piece->iov_len;
    }
    if (replay->left == 0) {
        free(replay->bytes);
        replay->bytes = NULL;
    }
}

static void flush(struct wire *wire, int fd)
{
    for (unsigned sent = 0; sent < wire->n_out;) {
        int n = sendmmsg(fd, wire->out.headers + sent, wire->n_out - sent, 0);
        /* One that cannot be sent is lost, as on any network. */
        sent += n > 0 ? (unsigned)n : 1;
    }
    wire->n_out = 0;
}

/* -- Receiving ------------------------------------------------------------------------------- */

/* Which child a packet is for; NULL: none. */
static struct sim_child *addressee(const struct sim *sim, struct msghdr *header, uint32_t socket)
{
    if (sim->options.ports)
        return &sim->children[socket];
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
        struct in_pktinfo to;
        if (part->cmsg_level != IPPROTO_IP || part->cmsg_type != IP_PKTINFO)
            continue;
        memcpy(&to, CMSG_DATA(part), sizeof to);
        uint32_t index = ntohl(to.ipi_addr.s_addr) - sim->options.address;
        return index < sim->options.children ? &sim->children[index] : NULL;
    }
    return NULL;
}

static void receive_one(struct sim *sim, struct sim_child *child, unsigned at, struct moment now)
{
    struct wire *wire = sim->wire;
    struct codec_span packet = {wire->in.pieces[at].iov_base, wire->in.headers[at].msg_len};
    struct codec_out out = {wire->answers + (size_t)wire->n_out * MESSAGE_SIZE_MAX,
                            MESSAGE_SIZE_MAX, 0, false};
    arrivals_note(sim, child, now);
    if (child->dead || (child->loss && sim_random(sim) % 100 < child->loss))
        return;
    agent_answer(sim, child, packet, now, &out);
    if (out.used == 0)
        return;
    struct iovec *piece = &wire->out.pieces[wire->n_out];
    *piece = (struct iovec){codec_start(&out), out.used};
    if (child->replay.left)
        replay(sim, child, &wire->in.peers[at], piece);
    if (child->delay_ms) {
        delay(sim, child, &wire->in.peers[at], piece, now);
        return;
    }
    wire->out.peers[wire->n_out] = wire->in.peers[at];
    send_from(sim, child, &wire->out.headers[wire->n_out].msg_hdr,
              &wire->out.controls[wire->n_out]);
    wire->n_out++;
}

static void receive(struct sim *sim, uint32_t socket, struct moment now)
{
    struct wire *wire = sim->wire;
    for (unsigned i = 0; i < BATCH; i++) {
        struct msghdr *header = &wire->in.headers[i].msg_hdr;
        header->msg_namelen = sizeof wire->in.peers[i];
        header->msg_control = sim->options.ports ? NULL : &wire->in.controls[i];
        header->msg_controllen = sim->options.ports ? 0 : sizeof wire->in.controls[i];
    }
    int n = recvmmsg(wire->sockets[socket], wire->in.headers, BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < n; i++) {
        struct msghdr *header = &wire->in.headers[i].msg_hdr;
        struct sim_child *child = addressee(sim, header, socket);
        if (child && !(header->msg_flags & MSG_TRUNC))
            receive_one(sim, child, (unsigned)i, now);
    }
    flush(wire, wire->sockets[socket]);
}

/* -- Commands and the loop ------------------------------------------------------------------- */

static void take_lines(struct sim *sim, struct moment now)
{
    struct wire *wire = sim->wire;
    char *line = wire->line, *end;
    wire->line[wire->line_len] = '\0';
    while ((end = strchr(line, '\n'))) {
        *end = '\0';
        knobs_command(sim, line, now);
        line = end + 1;
    }
    wire->line_len = strlen(line);
    memmove(wire->line, line, wire->line_len + 1);
    if (wire->line_len == LINE_SIZE - 1) {
        printf("error: a command is longer than %d characters\n", LINE_SIZE - 2);
        wire->line_len = 0;
    }
    fflush(stdout);
}

/* False at the end. */
static bool read_commands(struct sim *sim, struct moment now)
{
    struct wire *wire = sim->wire;
    ssize_t n = read(STDIN_FILENO, wire->line + wire->line_len, LINE_SIZE - 1 - wire->line_len);
    if (n <= 0)
        return false;
    wire->line_len += (size_t)n;
    take_lines(sim, now);
    return true;
}

static void handle(struct sim *sim, const struct epoll_event *event, struct moment now)
{
    if (event->data.u64 == TAG_SIGNAL)
        sim->stop = true;
    else if (event->data.u64 != TAG_COMMANDS)
        receive(sim, (uint32_t)event->data.u64, now);
    else if (!read_commands(sim, now))
        epoll_ctl(sim->wire->epoll, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
}

static int wait_ms(struct sim *sim)
{
    const struct event *first = RB_MIN(event_tree, &sim->events);
    uint64_t now = clock_mono_ns();
    if (!first)
        return -1;
    if (first->due_ns <= now)
        return 0;
    uint64_t wait = (first->due_ns - now + NS_PER_MS - 1) / NS_PER_MS;
    return wait > INT32_MAX ? INT32_MAX : (int)wait;
}

static void fire(struct sim *sim, struct moment now)
{
    struct event *event;
    while ((event = RB_MIN(event_tree, &sim->events)) && event->due_ns <= now.mono_ns) {
        event_cancel(sim, event);
        event->fire(sim, event, now);
    }
}

void wire_run(struct sim *sim)
{
    struct epoll_event events[BATCH];
    /* A file cannot be watched, and is read at once. */
    if (!watch(sim->wire, STDIN_FILENO, TAG_COMMANDS))
        while (!sim->stop && read_commands(sim, clock_now()))
            continue;
    while (!sim->stop) {
        int n = epoll_wait(sim->wire->epoll, events, BATCH, wait_ms(sim));
        struct moment now = clock_now();
        for (int i = 0; i < n; i++)
            handle(sim, &events[i], now);
        fire(sim, now);
    }
}
