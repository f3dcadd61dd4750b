/* What the kernel tells of processes, as datagrams that this program makes itself. */
#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample/process/events.h"
#include "sample/process/netlink.h"

#include "unit.h"

#define EVENT_AT ((size_t)NLMSG_HDRLEN + sizeof(struct cn_msg))
#define DATA_AT (EVENT_AT + offsetof(struct proc_event, event_data))
#define WHOLE (EVENT_AT + sizeof(struct proc_event))

struct datagram {
    size_t size;
    char text[WHOLE + 64];
};

/* The words of the event come as they stand in all kinds but fork: pid, tgid; of fork: those of
 * the parent, those of the child. */
static struct datagram datagram_of(uint32_t what, const uint32_t words[4])
{
    struct nlmsghdr header = {.nlmsg_len = WHOLE};
    struct cn_msg message = {.id = {CN_IDX_PROC, CN_VAL_PROC}};
    struct datagram datagram = {.size = WHOLE};
    memcpy(datagram.text, &header, sizeof header);
    memcpy(datagram.text + NLMSG_HDRLEN, &message, sizeof message);
    memcpy(datagram.text + EVENT_AT + offsetof(struct proc_event, what), &what, sizeof what);
    memcpy(datagram.text + DATA_AT, words, 4 * sizeof *words);
    return datagram;
}

static void set_length(struct datagram *datagram, uint32_t length)
{
    memcpy(datagram->text, &length, sizeof length);
}

/* A pair of sockets in the place of the kernel, and what was told. */
struct link {
    int ends[2];
    unsigned n;
    pid_t pid, parent;
};

static void link_open(struct link *link)
{
    *link = (struct link){.n = 0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, link->ends), 0);
}

static void link_close(const struct link *link)
{
    close(link->ends[0]);
    close(link->ends[1]);
}

static void told(void *context, pid_t pid, pid_t parent)
{
    struct link *link = context;
    link->n++;
    link->pid = pid;
    link->parent = parent;
}

static void give(const struct link *link, const struct datagram *datagram)
{
    assert_int_equal(send(link->ends[1], datagram->text, datagram->size, 0), datagram->size);
}

static unsigned told_of(struct link *link, const struct datagram *datagram)
{
    unsigned before = link->n;
    give(link, datagram);
    assert_int_equal(process_events_drain(link->ends[0], told, link), 0);
    return link->n - before;
}

static void each_kind(void **state)
{
    static const struct {
        uint32_t what, words[4];
        unsigned n;
        pid_t pid, parent;
    } rows[] = {
        {PROC_EVENT_FORK, {11, 10, 20, 20}, 1, 20, 10},
        {PROC_EVENT_FORK, {10, 10, 21, 20}, 0, 0, 0},
        {PROC_EVENT_FORK, {10, 10, 20, 21}, 0, 0, 0},
        {PROC_EVENT_EXEC, {31, 30, 0, 0}, 1, 30, 0},
        {PROC_EVENT_UID, {40, 41, 7, 8}, 1, 41, 0},
        {PROC_EVENT_COMM, {50, 51, 7, 8}, 1, 51, 0},
        {PROC_EVENT_EXIT, {60, 61, 7, 8}, 1, 61, 0},
        {PROC_EVENT_NONE, {0, 5, 5, 5}, 0, 0, 0},
        {PROC_EVENT_GID, {5, 5, 5, 5}, 0, 0, 0},
        {PROC_EVENT_SID, {5, 5, 5, 5}, 0, 0, 0},
        {PROC_EVENT_PTRACE, {5, 5, 5, 5}, 0, 0, 0},
        {PROC_EVENT_COREDUMP, {5, 5, 5, 5}, 0, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct link link;
        struct datagram datagram = datagram_of(rows[i].what, rows[i].words);
        link_open(&link);
        if (told_of(&link, &datagram) != rows[i].n)
            fail_msg("row %zu: %u events", i, link.n);
        assert_int_equal(link.pid, rows[i].pid);
        assert_int_equal(link.parent, rows[i].parent);
        link_close(&link);
    }
}

static void lengths(void **state)
{
    static const uint32_t words[4] = {60, 61, 62, 63};
    (void)state;
    const struct datagram good = datagram_of(PROC_EVENT_EXIT, words);
    struct link link;
    link_open(&link);
    struct datagram datagram = good;
    set_length(&datagram, WHOLE + 1);
    assert_int_equal(told_of(&link, &datagram), 0);
    datagram.size = WHOLE + 1;
    assert_int_equal(told_of(&link, &datagram), 1);
    datagram.size = sizeof datagram.text; /* of a newer kernel */
    assert_int_equal(told_of(&link, &datagram), 1);
    for (size_t size = 1; size < DATA_AT; size++) {
        datagram.size = size;
        set_length(&datagram, (uint32_t)size);
        assert_int_equal(told_of(&link, &datagram), 0);
    }
    link_close(&link);
}

/* Older kernels tell less; what is not told is 0, and not what the datagram before it had. */
static void short_event(void **state)
{
    static const uint32_t words[4] = {60, 61, 62, 62};
    (void)state;
    struct link link;
    link_open(&link);
    struct datagram datagram = datagram_of(PROC_EVENT_FORK, words);
    assert_int_equal(told_of(&link, &datagram), 1);
    datagram.size = DATA_AT + 12; /* without the tgid of the child */
    set_length(&datagram, (uint32_t)datagram.size);
    assert_int_equal(told_of(&link, &datagram), 0);
    datagram = datagram_of(PROC_EVENT_EXEC, words);
    datagram.size = DATA_AT + 8;
    set_length(&datagram, (uint32_t)datagram.size);
    assert_int_equal(told_of(&link, &datagram), 1);
    assert_int_equal(link.pid, 61);
    datagram.size = DATA_AT;
    set_length(&datagram, (uint32_t)datagram.size);
    assert_int_equal(told_of(&link, &datagram), 1);
    assert_int_equal(link.pid, 0);
    link_close(&link);
}

static void other_connectors(void **state)
{
    static const uint32_t words[4] = {60, 61, 62, 63};
    static const struct cb_id ids[] = {{CN_IDX_PROC + 1, CN_VAL_PROC},
                                       {CN_IDX_PROC, CN_VAL_PROC + 1}};
    (void)state;
    struct link link;
    link_open(&link);
    for (size_t i = 0; i < N_OF(ids); i++) {
        struct datagram datagram = datagram_of(PROC_EVENT_EXIT, words);
        memcpy(datagram.text + NLMSG_HDRLEN, ids + i, sizeof *ids);
        assert_int_equal(told_of(&link, &datagram), 0);
    }
    link_close(&link);
}

static void all_that_wait(void **state)
{
    (void)state;
    struct link link;
    link_open(&link);
    assert_int_equal(process_events_drain(link.ends[0], told, &link), 0);
    for (uint32_t pid = 1; pid <= 4; pid++) {
        const uint32_t words[4] = {pid, pid, 0, 0};
        struct datagram datagram = datagram_of(PROC_EVENT_EXEC, words);
        give(&link, &datagram);
    }
    assert_int_equal(process_events_drain(link.ends[0], told, &link), 0);
    assert_int_equal(link.n, 4);
    assert_int_equal(link.pid, 4);
    link_close(&link);
}

static void what_is_no_socket(void **state)
{
    (void)state;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(process_events_drain(fd, told, NULL), ENOTSOCK);
    process_events_close(fd);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    process_events_close(-1);
}

/* Who closes says so first: before Linux 6.6, the kernel counts its listeners by that. */
static void closing_tells_the_kernel(void **state)
{
    (void)state;
    struct nlmsghdr header;
    struct cn_msg message;
    enum proc_cn_mcast_op operation;
    char text[256];
    struct link link;
    link_open(&link);
    process_events_close(link.ends[1]);
    const size_t size = (size_t)NLMSG_HDRLEN + sizeof message + sizeof operation;
    assert_int_equal(recv(link.ends[0], text, sizeof text, 0), size);
    memcpy(&header, text, sizeof header);
    memcpy(&message, text + NLMSG_HDRLEN, sizeof message);
    memcpy(&operation, text + NLMSG_HDRLEN + sizeof message, sizeof operation);
    assert_int_equal(header.nlmsg_len, size);
    assert_int_equal(header.nlmsg_type, NLMSG_DONE);
    assert_int_equal(message.id.idx, CN_IDX_PROC);
    assert_int_equal(message.id.val, CN_VAL_PROC);
    assert_int_equal(message.len, sizeof operation);
    assert_int_equal(operation, PROC_CN_MCAST_IGNORE);
    assert_int_equal(fcntl(link.ends[1], F_GETFD), -1);
    close(link.ends[0]);
}

/* -- The kernel ----------------------------------------------------------------------------- */

static int lowest_descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(fd);
    return fd;
}

/* In namespaces of one's own the kernel refuses, or says nothing at all; in one of the network
 * nobody is there to be asked. */
static void other_namespaces(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        if (unshare(CLONE_NEWUSER) != 0)
            _exit(77);
        int lowest = lowest_descriptor();
        int error = -process_events_open();
        bool refused = error == EPERM || error == ECONNREFUSED;
        _exit(refused && lowest_descriptor() == lowest ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* -- Sockets of netlink ---------------------------------------------------------------------- */

static void no_such_protocol(void **state)
{
    (void)state;
    int lowest = lowest_descriptor();
    assert_int_equal(netlink_open(99, 0, 4096, NULL), -EPROTONOSUPPORT);
    struct sock_filter broken[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)}; /* it returns nothing */
    const struct sock_fprog filter = {1, broken};
    assert_int_equal(netlink_open(NETLINK_USERSOCK, 0, 4096, &filter), -EINVAL);
    assert_int_equal(lowest_descriptor(), lowest);
}

static void socket_options(void **state)
{
    (void)state;
    int size = 0;
    socklen_t length = sizeof size;
    int fd = netlink_open(NETLINK_USERSOCK, 0, 10000, NULL);
    assert_true(fd >= 0);
    assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, &length), 0);
    assert_int_equal(size, 20000); /* the kernel doubles it */
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    assert_int_not_equal(netlink_port(fd), 0);
    close(fd);
    assert_int_equal(netlink_port(fd), 0);
}

static void send_to(int from, uint32_t port, const char *text)
{
    struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_pid = port};
    assert_int_equal(sendto(from, text, strlen(text), 0, (const struct sockaddr *)&to, sizeof to),
                     strlen(text));
}

/* Other processes may send to the socket, too, and are not the kernel. */
static void others_are_not_the_kernel(void **state)
{
    (void)state;
    char text[64];
    int fd = netlink_open(NETLINK_USERSOCK, 0, 100000, NULL);
    int other = netlink_open(NETLINK_USERSOCK, 0, 100000, NULL);
    assert_true(fd >= 0 && other >= 0);
    assert_int_not_equal(netlink_port(fd), netlink_port(other));
    assert_int_equal(netlink_receive(fd, text, sizeof text), 0);
    send_to(other, netlink_port(fd), "one");
    send_to(other, netlink_port(fd), "two");
    assert_int_equal(netlink_receive(fd, text, sizeof text), 0);
    assert_int_equal(recv(fd, text, sizeof text, 0), -1);
    assert_int_equal(errno, EAGAIN);
    close(other);
    close(fd);
    assert_int_equal(netlink_receive(fd, text, sizeof text), -EBADF);
}

static void count(void *context, const char *datagram, size_t size)
{
    (void)datagram;
    *(size_t *)context += size;
}

/* More than there is room for: the kernel says it once, and what had room still comes. */
static void some_were_lost(void **state)
{
    (void)state;
    const uint32_t group = 1;
    char text[1024];
    size_t octets = 0;
    memset(text, 'x', sizeof text);
    int fd = netlink_open(NETLINK_USERSOCK, group, 2048, NULL);
    if (fd == -EPERM)
        skip();
    assert_true(fd >= 0);
    int other = netlink_open(NETLINK_USERSOCK, 0, 100000, NULL);
    struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_groups = group};
    for (unsigned i = 0; i < 100; i++)
        sendto(other, text, sizeof text, 0, (const struct sockaddr *)&to, sizeof to);
    assert_int_equal(netlink_drain(fd, text, sizeof text, count, &octets), ENOBUFS);
    assert_int_equal(octets, 0); /* they are not the kernel's */
    assert_int_equal(netlink_drain(fd, text, sizeof text, count, &octets), 0);
    close(other);
    close(fd);
}

/* Nothing passes the filter that it does not want. */
static void filter_is_there_first(void **state)
{
    (void)state;
    struct sock_filter nothing[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
    const struct sock_fprog filter = {1, nothing};
    char text[64];
    int fd = netlink_open(NETLINK_USERSOCK, 0, 100000, &filter);
    int other = netlink_open(NETLINK_USERSOCK, 0, 100000, NULL);
    assert_true(fd >= 0 && other >= 0);
    struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_pid = netlink_port(fd)};
    sendto(other, "x", 1, 0, (const struct sockaddr *)&to, sizeof to);
    assert_int_equal(recv(fd, text, sizeof text, 0), -1);
    assert_int_equal(errno, EAGAIN);
    close(other);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind),
        cmocka_unit_test(lengths),
        cmocka_unit_test(short_event),
        cmocka_unit_test(other_connectors),
        cmocka_unit_test(all_that_wait),
        cmocka_unit_test(what_is_no_socket),
        cmocka_unit_test(closing_tells_the_kernel),
        cmocka_unit_test(other_namespaces),
        cmocka_unit_test(no_such_protocol),
        cmocka_unit_test(socket_options),
        cmocka_unit_test(others_are_not_the_kernel),
        cmocka_unit_test(some_were_lost),
        cmocka_unit_test(filter_is_there_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
