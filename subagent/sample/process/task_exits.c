#include "sample/process/task_exits.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/acct.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/procfile.h"
#include "sample/process/netlink.h"

/* Version 12, of Linux 5.19, added the process of a task and its executable. */
static_assert(TASKSTATS_VERSION >= 12, "linux/taskstats.h is too old");
#define LEAST (offsetof(struct taskstats, ac_exe_inode) + sizeof(uint64_t))

/* The kernel doubles this and charges up to 1,300 octets for a record: there is room for some ten
 * thousand records. */
#define ROOM (8 << 20)
#define DATAGRAM_SIZE 8192 /* two records of a thousand octets, and plenty to spare */

struct request {
    struct nlmsghdr header;
    struct genlmsghdr generic;
    char attributes[512];
};

/* An attribute of a message or of another attribute. */
struct attribute {
    const char *value;
    size_t size;
};

static bool find_attribute(struct attribute in, unsigned type, struct attribute *found)
{
    while (in.size >= NLA_HDRLEN) {
        struct nlattr header;
        memcpy(&header, in.value, sizeof header);
        if (header.nla_len < NLA_HDRLEN || header.nla_len > in.size)
            return false;
        *found = (struct attribute){in.value + NLA_HDRLEN, header.nla_len - (size_t)NLA_HDRLEN};
        if ((header.nla_type & NLA_TYPE_MASK) == type)
            return true;
        size_t step = NLA_ALIGN(header.nla_len);
        if (step > in.size)
            return false;
        in = (struct attribute){in.value + step, in.size - step};
    }
    return false;
}

/* The attributes of a message of that type. */
static bool open_message(const char *datagram, size_t size, unsigned type, struct attribute *all)
{
    struct nlmsghdr header;
    size_t start = NLMSG_HDRLEN + GENL_HDRLEN;
    if (size < start)
        return false;
    memcpy(&header, datagram, sizeof header);
    if (header.nlmsg_type != type || header.nlmsg_len < start || header.nlmsg_len > size)
        return false;
    *all = (struct attribute){datagram + start, header.nlmsg_len - start};
    return true;
}

/* Sends a request with one attribute of text. The kernel answers before send returns. */
static int ask(int fd, uint16_t family, uint8_t command, uint16_t type, const char *text)
{
    struct request request = {
        .header = {.nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .generic = {.cmd = command, .version = 1},
    };
    size_t size = strlen(text) + 1;
    struct nlattr header = {.nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = type};
    if (NLA_HDRLEN + size > sizeof request.attributes)
        return E2BIG;
    memcpy(request.attributes, &header, sizeof header);
    memcpy(request.attributes + NLA_HDRLEN, text, size);
    request.header.nlmsg_len =
        (uint32_t)(offsetof(struct request, attributes) + NLA_ALIGN(header.nla_len));
    return send(fd, &request, request.header.nlmsg_len, 0) < 0 ? errno : 0;
}

/* The error of an acknowledgement, 0 if there was none; negative: the datagram is not an
 * acknowledgement. */
static int acknowledged(const char *datagram, size_t size)
{
    struct nlmsghdr header;
    struct nlmsgerr answer;
    if (size < NLMSG_HDRLEN + sizeof answer)
        return -1;
    memcpy(&header, datagram, sizeof header);
    memcpy(&answer, datagram + NLMSG_HDRLEN, sizeof answer);
    return header.nlmsg_type == NLMSG_ERROR ? -answer.error : -1;
}

/* Reads up to the acknowledgement; before it comes the number of the family, if that was asked for.
 */
static int await_answer(int fd, uint16_t *family)
{
    char datagram[DATAGRAM_SIZE];
    for (unsigned i = 0; i < NETLINK_DRAIN_MAX; i++) {
        struct attribute all, number;
        ssize_t got = netlink_receive(fd, datagram, sizeof datagram);
        if (got <= 0)
            return got == 0 ? EPROTO : (int)-got;
        if (family && open_message(datagram, (size_t)got, GENL_ID_CTRL, &all) &&
            find_attribute(all, CTRL_ATTR_FAMILY_ID, &number) && number.size >= sizeof *family)
            memcpy(family, number.value, sizeof *family);
        int error = acknowledged(datagram, (size_t)got);
        if (error >= 0)
            return error;
    }
    return EBUSY;
}

/* The processors from which records are wanted, as "0-3". */
static int all_processors(char *text, size_t size)
{
    int error = procfile_read_once(AT_FDCWD, "/sys/devices/system/cpu/possible", text, size);
    text[strcspn(text, "\n")] = '\0';
    return error;
}

static int subscribe(int fd)
{
    char processors[256];
    uint16_t family = 0;
    int error = all_processors(processors, sizeof processors);
    if (!error)
        error =
            ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
    if (!error)
        error = await_answer(fd, &family);
    if (!error && family == 0)
        error = ENOENT;
    if (!error)
        error = ask(fd, family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, processors);
    return error ? error : await_answer(fd, NULL);
}

int task_exits_open(void)
{
    int fd = netlink_open(NETLINK_GENERIC, 0, ROOM, NULL);
    if (fd < 0)
        return fd;
    int error = subscribe(fd);
    if (!error)
        return fd;
    close(fd);
    return -error;
}

/* The virtual run time is what the scheduler counted, which /proc/PID/stat shows, too; without
 * delay accounting in the kernel it is missing. */
static void take_usage(const struct taskstats *stats, struct task_usage *usage)
{
    uint64_t by_ticks = stats->ac_utime + stats->ac_stime;
    *usage = (struct task_usage){
        .running = stats->cpu_run_virtual_total ? stats->cpu_run_virtual_total / 1000 : by_ticks,
        .user = stats->ac_utime,
        .system = stats->ac_stime,
        .minor_faults = stats->ac_minflt,
        .major_faults = stats->ac_majflt,
        .read_bytes = stats->read_bytes,
        .write_bytes = stats->write_bytes,
    };
}

/* In addition to the record of the task, a datagram may hold one of its process, which lacks the
 * times. The pid outside of the struct shows whether the struct has the known layout: in version
 * 15, of Linux 6.14 and 6.15, fields were inserted in its middle. */
static bool take_record(const char *datagram, size_t size, struct task_exit *exit)
{
    struct attribute all, task, pid, stats;
    struct taskstats record = {0};
    uint32_t tid;
    struct nlmsghdr header;
    memcpy(&header, datagram, sizeof header);
    if (!open_message(datagram, size, header.nlmsg_type, &all) ||
        !find_attribute(all, TASKSTATS_TYPE_AGGR_PID, &task) ||
        !find_attribute(task, TASKSTATS_TYPE_PID, &pid) || pid.size < sizeof tid ||
        !find_attribute(task, TASKSTATS_TYPE_STATS, &stats) || stats.size < LEAST)
        return false;
    memcpy(&tid, pid.value, sizeof tid);
    memcpy(&record, stats.value, stats.size < sizeof record ? stats.size : sizeof record);
    if (record.version < 12 || record.ac_pid != tid)
        return false;
    *exit = (struct task_exit){
        .tid = (pid_t)tid,
        .pid = (pid_t)record.ac_tgid,
        .owner = record.ac_uid,
        .last = record.ac_flag & AGROUP,
        .age_us = record.ac_tgetime,
        .executable = {record.ac_exe_dev, record.ac_exe_inode},
    };
    memcpy(exit->comm, record.ac_comm, TS_COMM_LEN);
    take_usage(&record, &exit->usage);
    return true;
}

/* Who is to be told of the exits. */
struct listener {
    task_exited *exited;
    void *context;
};

static void take_datagram(void *context, const char *datagram, size_t size)
{
    const struct listener *listener = context;
    struct task_exit exit;
    if (size >= NLMSG_HDRLEN && take_record(datagram, size, &exit))
        listener->exited(listener->context, &exit);
}

int task_exits_drain(int fd, task_exited *exited, void *context)
{
    char datagram[DATAGRAM_SIZE];
    struct listener listener = {exited, context};
    return netlink_drain(fd, datagram, sizeof datagram, take_datagram, &listener);
}

void task_usage_add(struct task_usage *sum, const struct task_usage *usage)
{
    sum->running += usage->running;
    sum->user += usage->user;
    sum->system += usage->system;
    sum->minor_faults += usage->minor_faults;
    sum->major_faults += usage->major_faults;
    sum->read_bytes += usage->read_bytes;
    sum->write_bytes += usage->write_bytes;
}
