#include "sample/process/events.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sample/process/netlink.h"

/* The kernel doubles this and charges about 800 octets for an event: there is room for some ten
 * thousand events. */
#define ROOM (4 << 20)

#define EVENT_AT (NLMSG_HDRLEN + sizeof(struct cn_msg))
#define DATA_AT (EVENT_AT + offsetof(struct proc_event, event_data))
#define WORD_AT(type, member) (DATA_AT + offsetof(struct type, member))

#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(at))
#define IF_EQUAL(number, then_skip, else_skip)                                                     \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(number), (then_skip), (else_skip))

struct request {
    struct nlmsghdr header;
    struct cn_msg message;
    enum proc_cn_mcast_op operation;
} __attribute__((packed));

static int send_request(int fd, enum proc_cn_mcast_op operation, uint32_t number)
{
    struct request request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = NLMSG_DONE},
        .message = {.id = {CN_IDX_PROC, CN_VAL_PROC},
                    .ack = number,
                    .len = sizeof request.operation},
        .operation = operation,
    };
    return send(fd, &request, sizeof request, 0) < 0 ? errno : 0;
}

struct event {
    uint32_t ack;
    struct proc_event event;
};

/* Parts of the datagram are copied, because its headers are not suitably aligned. */
static bool take_event(const char *datagram, size_t size, struct event *event)
{
    struct nlmsghdr header;
    struct cn_msg message;
    size_t least = DATA_AT;
    if (size < least)
        return false;
    memcpy(&header, datagram, sizeof header);
    memcpy(&message, datagram + NLMSG_HDRLEN, sizeof message);
    if (header.nlmsg_len > size || message.id.idx != CN_IDX_PROC || message.id.val != CN_VAL_PROC)
        return false;
    size_t have = size - EVENT_AT;
    memset(event, 0, sizeof *event);
    event->ack = message.ack;
    memcpy(&event->event, datagram + EVENT_AT,
           have < sizeof event->event ? have : sizeof event->event);
    return true;
}

/* The answer, an event of the kind PROC_EVENT_NONE, comes before send returns. In another namespace
 * of pids the kernel ignores the request; events may come all the same, because others have asked
 * for them. */
static int await_answer(int fd, uint32_t number)
{
    char datagram[1024];
    struct event event;
    for (unsigned i = 0; i < NETLINK_DRAIN_MAX; i++) {
        ssize_t got = netlink_receive(fd, datagram, sizeof datagram);
        if (got <= 0)
            return got == 0 ? EPERM : (int)-got;
        if (take_event(datagram, (size_t)got, &event) && event.event.what == PROC_EVENT_NONE &&
            event.ack == number + 1)
            return (int)event.event.event_data.ack.err;
    }
    return EBUSY;
}

/* The filter lets the kernel drop the events of threads, which may be most: the pid of a thread
 * differs from its tgid. All events but fork begin with these two, as exec does. BPF loads swap the
 * octets as if they came from a network, so the constants are swapped, too. */
static int open_socket(void)
{
    struct sock_filter of_processes[] = {
        LOAD(EVENT_AT + offsetof(struct proc_event, what)),
        IF_EQUAL(PROC_EVENT_NONE, 13, 0),
        IF_EQUAL(PROC_EVENT_FORK, 8, 0),
        IF_EQUAL(PROC_EVENT_EXEC, 3, 0),
        IF_EQUAL(PROC_EVENT_UID, 2, 0),
        IF_EQUAL(PROC_EVENT_COMM, 1, 0),
        IF_EQUAL(PROC_EVENT_EXIT, 0, 9),
        LOAD(WORD_AT(exec_proc_event, process_pid)),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        LOAD(WORD_AT(exec_proc_event, process_tgid)),
        BPF_STMT(BPF_JMP | BPF_JA, 3),
        LOAD(WORD_AT(fork_proc_event, child_pid)),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        LOAD(WORD_AT(fork_proc_event, child_tgid)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    const struct sock_fprog filter = {sizeof of_processes / sizeof *of_processes, of_processes};
    return netlink_open(NETLINK_CONNECTOR, CN_IDX_PROC, ROOM, &filter);
}

int process_events_open(void)
{
    int fd = open_socket();
    if (fd < 0)
        return fd;
    uint32_t number = netlink_port(fd);
    int error = send_request(fd, PROC_CN_MCAST_LISTEN, number);
    if (!error)
        error = await_answer(fd, number);
    if (!error)
        return fd;
    close(fd);
    return -error;
}

/* The kernel counts its listeners; before Linux 6.6 it counts requests only. */
void process_events_close(int fd)
{
    if (fd < 0)
        return;
    send_request(fd, PROC_CN_MCAST_IGNORE, 0);
    close(fd);
}

static void tell_event(const struct proc_event *event, process_event *take, void *context)
{
    switch (event->what) {
    case PROC_EVENT_FORK:
        if (event->event_data.fork.child_pid == event->event_data.fork.child_tgid)
            take(context, event->event_data.fork.child_tgid, event->event_data.fork.parent_tgid);
        break;
    case PROC_EVENT_EXEC:
    case PROC_EVENT_UID:
    case PROC_EVENT_COMM:
    case PROC_EVENT_EXIT:
        take(context, event->event_data.exec.process_tgid, 0);
        break;
    default:
        break;
    }
}

/* Who is to be told of the events. */
struct listener {
    process_event *take;
    void *context;
};

static void take_datagram(void *context, const char *datagram, size_t size)
{
    const struct listener *listener = context;
    struct event event;
    if (take_event(datagram, size, &event))
        tell_event(&event.event, listener->take, listener->context);
}

int process_events_drain(int fd, process_event *take, void *context)
{
    char datagram[1024];
    struct listener listener = {take, context};
    return netlink_drain(fd, datagram, sizeof datagram, take_datagram, &listener);
}
