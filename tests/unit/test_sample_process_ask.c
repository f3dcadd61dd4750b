/* How the kernel is asked to tell of processes, and what follows from each of its answers. A pair
 * of sockets is in the place of the kernel (--wrap, see ld(1)): its answers lie there before it is
 * asked. */
#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/procfile.h"
#include "sample/process/events.h"
#include "sample/process/netlink.h"
#include "sample/process/task_exits.h"

#include "unit.h"

#define FAMILY 27

static struct {
    int ends[2]; /* of the program, of the kernel */
    int refused; /* an errno: there is no such socket */
    int protocol;
    uint32_t groups;
    bool filtered;
} kernel;

int __wrap_netlink_open(int protocol, uint32_t groups, int size, const struct sock_fprog *filter);

int __wrap_netlink_open(int protocol, uint32_t groups, int size, const struct sock_fprog *filter)
{
    assert_true(size >= 1 << 20);
    kernel.protocol = protocol;
    kernel.groups = groups;
    kernel.filtered = filter != NULL;
    return kernel.refused ? -kernel.refused : kernel.ends[0];
}

static void kernel_open(void)
{
    memset(&kernel, 0, sizeof kernel);
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, kernel.ends), 0);
}

/* After the attempt to open, the descriptor is returned, or closed. */
static void kernel_close(int opened)
{
    assert_int_equal(fcntl(kernel.ends[0], F_GETFD) >= 0, opened >= 0);
    if (opened >= 0)
        close(kernel.ends[0]);
    close(kernel.ends[1]);
}

static void answer(const void *datagram, size_t size)
{
    assert_int_equal(send(kernel.ends[1], datagram, size, 0), size);
}

/* -- Events ---------------------------------------------------------------------------------- */

#define EVENT_AT ((size_t)NLMSG_HDRLEN + sizeof(struct cn_msg))

/* cut: so many octets of it are missing. */
static void answer_event(uint32_t what, uint32_t ack, uint32_t error, size_t cut)
{
    char text[EVENT_AT + sizeof(struct proc_event)] = "";
    const struct nlmsghdr header = {.nlmsg_len = (uint32_t)(sizeof text - cut)};
    const struct cn_msg message = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .ack = ack};
    struct proc_event event;
    memset(&event, 0, sizeof event);
    event.what = what;
    event.event_data.ack.err = error;
    memcpy(text, &header, sizeof header);
    memcpy(text + NLMSG_HDRLEN, &message, sizeof message);
    memcpy(text + EVENT_AT, &event, sizeof event);
    answer(text, sizeof text - cut);
}

static void events(void **state)
{
    static const struct {
        struct {
            bool come;
            uint32_t what, ack, error;
            size_t cut;
        } answers[3];
        int error;
    } rows[] = {
        {{{false, 0, 0, 0, 0}}, EPERM}, /* nobody answers in another namespace of pids */
        {{{true, PROC_EVENT_NONE, 1, 0, 0}}, 0},
        {{{true, PROC_EVENT_NONE, 1, EPERM, 0}}, EPERM},
        {{{true, PROC_EVENT_NONE, 1, EINVAL, 0}}, EINVAL},
        {{{true, PROC_EVENT_NONE, 0, 0, 0}}, EPERM}, /* to somebody else */
        {{{true, PROC_EVENT_NONE, 2, EINVAL, 0}, {true, PROC_EVENT_NONE, 1, 0, 0}}, 0},
        {{{true, PROC_EVENT_FORK, 1, EINVAL, 0}, {true, PROC_EVENT_NONE, 1, 0, 0}}, 0},
        {{{true, PROC_EVENT_FORK, 1, 0, 0}}, EPERM},
        {{{true, PROC_EVENT_NONE, 1, 0, sizeof(struct proc_event)},
          {true, PROC_EVENT_EXIT, 7, 0, 0},
          {true, PROC_EVENT_NONE, 1, EACCES, 0}},
         EACCES},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        kernel_open();
        for (size_t k = 0; k < N_OF(rows[i].answers); k++)
            if (rows[i].answers[k].come)
                answer_event(rows[i].answers[k].what, rows[i].answers[k].ack,
                             rows[i].answers[k].error, rows[i].answers[k].cut);
        int fd = process_events_open();
        if (fd != (rows[i].error ? -rows[i].error : kernel.ends[0]))
            fail_msg("row %zu: %d", i, fd);
        kernel_close(fd);
    }
}

static void question_for_events(void **state)
{
    struct nlmsghdr header;
    struct cn_msg message;
    enum proc_cn_mcast_op operation;
    const size_t size = EVENT_AT + sizeof operation;
    char text[256];
    (void)state;
    kernel_open();
    answer_event(PROC_EVENT_NONE, 1, 0, 0);
    assert_int_equal(process_events_open(), kernel.ends[0]);
    assert_int_equal(kernel.protocol, NETLINK_CONNECTOR);
    assert_int_equal(kernel.groups, CN_IDX_PROC);
    assert_true(kernel.filtered);
    assert_int_equal(recv(kernel.ends[1], text, sizeof text, 0), size);
    memcpy(&header, text, sizeof header);
    memcpy(&message, text + NLMSG_HDRLEN, sizeof message);
    memcpy(&operation, text + EVENT_AT, sizeof operation);
    assert_int_equal(header.nlmsg_len, size);
    assert_int_equal(header.nlmsg_type, NLMSG_DONE);
    assert_int_equal(message.id.idx, CN_IDX_PROC);
    assert_int_equal(message.id.val, CN_VAL_PROC);
    assert_int_equal(message.ack, 0); /* the number of the socket, which has none here */
    assert_int_equal(message.len, sizeof operation);
    assert_int_equal(operation, PROC_CN_MCAST_LISTEN);
    kernel_close(kernel.ends[0]);
}

/* -- Records of exited tasks ------------------------------------------------------------------ */

/* The family has this number, in an attribute of so many octets. */
static void answer_family(uint16_t type, uint16_t attribute, size_t size)
{
    const uint16_t number = FAMILY;
    const struct nlattr inner = {.nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = attribute};
    const size_t start = (size_t)(NLMSG_HDRLEN + GENL_HDRLEN);
    char text[64] = "";
    const struct nlmsghdr header = {.nlmsg_len = (uint32_t)(start + inner.nla_len),
                                    .nlmsg_type = type};
    memcpy(text, &header, sizeof header);
    memcpy(text + start, &inner, sizeof inner);
    memcpy(text + start + NLA_HDRLEN, &number, sizeof number);
    answer(text, header.nlmsg_len);
}

/* An acknowledgement is an error of 0. */
static void answer_error(int error, size_t cut)
{
    char text[NLMSG_HDRLEN + sizeof(struct nlmsgerr)] = "";
    const struct nlmsghdr header = {.nlmsg_len = sizeof text, .nlmsg_type = NLMSG_ERROR};
    const struct nlmsgerr content = {.error = -error};
    memcpy(text, &header, sizeof header);
    memcpy(text + NLMSG_HDRLEN, &content, sizeof content);
    answer(text, sizeof text - cut);
}

/* One letter an answer: f the family, s its number in one octet, l in four, o another attribute, t
 * another type, a acknowledged, c cut off, p not permitted, b busy. */
static void answer_all(const char *answers)
{
    for (; *answers; answers++) {
        switch (*answers) {
        case 'f':
            answer_family(GENL_ID_CTRL, CTRL_ATTR_FAMILY_ID, 2);
            break;
        case 's':
            answer_family(GENL_ID_CTRL, CTRL_ATTR_FAMILY_ID, 1);
            break;
        case 'l':
            answer_family(GENL_ID_CTRL, CTRL_ATTR_FAMILY_ID, 4);
            break;
        case 'o':
            answer_family(GENL_ID_CTRL, CTRL_ATTR_VERSION, 2);
            break;
        case 't':
            answer_family(GENL_ID_CTRL + 1, CTRL_ATTR_FAMILY_ID, 2);
            break;
        case 'a':
            answer_error(0, 0);
            break;
        case 'c':
            answer_error(0, 1);
            break;
        case 'p':
            answer_error(EPERM, 0);
            break;
        default:
            answer_error(EBUSY, 0);
        }
    }
}

static void exits(void **state)
{
    static const struct {
        const char *answers;
        int error;
    } rows[] = {
        {"", EPROTO},    {"f", EPROTO}, /* it is not acknowledged */
        {"a", ENOENT},                  /* without the family */
        {"p", EPERM},    {"fp", EPERM},  {"fa", EPROTO},  {"faa", 0},      {"laa", 0},
        {"ofaa", 0},     {"tfcaca", 0},  {"fac", EPROTO}, {"saa", ENOENT}, {"oaa", ENOENT},
        {"taa", ENOENT}, {"fap", EPERM}, /* such as in namespaces of one's own */
        {"fab", EBUSY},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        kernel_open();
        answer_all(rows[i].answers);
        int fd = task_exits_open();
        if (fd != (rows[i].error ? -rows[i].error : kernel.ends[0]))
            fail_msg("\"%s\": %d", rows[i].answers, fd);
        kernel_close(fd);
    }
}

/* One attribute of text, with what is needed to align the next one. */
static void assert_question(uint16_t type, uint8_t command, uint16_t attribute, const char *content)
{
    struct nlmsghdr header;
    struct genlmsghdr generic;
    struct nlattr inner;
    char text[1024];
    const size_t start = (size_t)(NLMSG_HDRLEN + GENL_HDRLEN);
    ssize_t got = recv(kernel.ends[1], text, sizeof text, 0);
    assert_int_equal(got, start + NLA_ALIGN(NLA_HDRLEN + strlen(content) + 1));
    memcpy(&header, text, sizeof header);
    memcpy(&generic, text + NLMSG_HDRLEN, sizeof generic);
    memcpy(&inner, text + start, sizeof inner);
    assert_int_equal(header.nlmsg_len, got);
    assert_int_equal(header.nlmsg_type, type);
    assert_int_equal(header.nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
    assert_int_equal(generic.cmd, command);
    assert_int_equal(generic.version, 1);
    assert_int_equal(inner.nla_type, attribute);
    assert_int_equal(inner.nla_len, NLA_HDRLEN + strlen(content) + 1);
    assert_string_equal(text + start + NLA_HDRLEN, content);
}

static void questions_for_exits(void **state)
{
    char processors[256] = "";
    (void)state;
    assert_int_equal(procfile_read_once(AT_FDCWD, "/sys/devices/system/cpu/possible", processors,
                                        sizeof processors),
                     0);
    processors[strcspn(processors, "\n")] = '\0';
    kernel_open();
    answer_all("faa");
    assert_int_equal(task_exits_open(), kernel.ends[0]);
    assert_int_equal(kernel.protocol, NETLINK_GENERIC);
    assert_int_equal(kernel.groups, 0);
    assert_question(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, "TASKSTATS");
    assert_question(FAMILY, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, processors);
    kernel_close(kernel.ends[0]);
}

/* -- Both ------------------------------------------------------------------------------------ */

static void no_socket(void **state)
{
    (void)state;
    kernel_open();
    kernel.refused = EPROTONOSUPPORT;
    assert_int_equal(process_events_open(), -EPROTONOSUPPORT);
    assert_int_equal(task_exits_open(), -EPROTONOSUPPORT);
    kernel.refused = 0;
    close(kernel.ends[1]);
    assert_int_equal(process_events_open(), -ECONNREFUSED); /* nobody is there to be asked */
    assert_int_equal(fcntl(kernel.ends[0], F_GETFD), -1);
    kernel_open();
    close(kernel.ends[1]);
    assert_int_equal(task_exits_open(), -ECONNREFUSED);
    assert_int_equal(fcntl(kernel.ends[0], F_GETFD), -1);
}

/* What is empty is none, and hides nothing behind it. */
static void empty_datagrams(void **state)
{
    char text[16];
    (void)state;
    kernel_open();
    answer("", 0);
    answer("one", 3);
    answer("", 0);
    assert_int_equal(netlink_receive(kernel.ends[0], text, sizeof text), 3);
    assert_int_equal(netlink_receive(kernel.ends[0], text, sizeof text), 0);
    kernel_close(kernel.ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events),    cmocka_unit_test(question_for_events),
        cmocka_unit_test(exits),     cmocka_unit_test(questions_for_exits),
        cmocka_unit_test(no_socket), cmocka_unit_test(empty_datagrams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
