/* The records of exited tasks, as datagrams that this program makes itself. */
#include <errno.h>
#include <fcntl.h>
#include <linux/acct.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sample/process/task_exits.h"

#include "unit.h"

#define START ((size_t)(NLMSG_HDRLEN + GENL_HDRLEN))
#define LEAST (offsetof(struct taskstats, ac_exe_inode) + sizeof(uint64_t))

/* A datagram that grows. */
struct datagram {
    size_t size;
    char text[3 * sizeof(struct taskstats)];
};

static size_t attribute(struct datagram *datagram, unsigned type, const void *value, size_t size)
{
    struct nlattr header = {.nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = (uint16_t)type};
    size_t at = datagram->size;
    memcpy(datagram->text + at, &header, sizeof header);
    if (value)
        memcpy(datagram->text + at + NLA_HDRLEN, value, size);
    datagram->size += value ? NLA_ALIGN(header.nla_len) : NLA_HDRLEN;
    return at;
}

/* The attribute that began there holds all that has come since. */
static void close_attribute(struct datagram *datagram, size_t at)
{
    uint16_t length = (uint16_t)(datagram->size - at);
    memcpy(datagram->text + at, &length, sizeof length);
}

static void close_message(struct datagram *datagram)
{
    struct nlmsghdr header = {.nlmsg_len = (uint32_t)datagram->size, .nlmsg_type = 33};
    memcpy(datagram->text, &header, sizeof header);
}

/* How a datagram differs from a whole one. */
struct shape {
    size_t stats_size;
    size_t pid_size;
    unsigned aggregate, pid, stats; /* types */
    bool before;                    /* other attributes stand before each */
};

static const struct shape whole = {
    .stats_size = sizeof(struct taskstats),
    .pid_size = 4,
    .aggregate = TASKSTATS_TYPE_AGGR_PID,
    .pid = TASKSTATS_TYPE_PID,
    .stats = TASKSTATS_TYPE_STATS,
};

static void others(struct datagram *datagram)
{
    attribute(datagram, 9, "", 0);
    attribute(datagram, 9, "12345", 5);
}

static struct datagram datagram_of(const struct shape *shape, const struct taskstats *stats,
                                   uint32_t tid)
{
    struct datagram datagram = {.size = START};
    char record[2 * sizeof *stats] = {0}, number[8] = {0};
    memcpy(record, stats, sizeof *stats);
    memcpy(number, &tid, sizeof tid);
    if (shape->before)
        others(&datagram);
    size_t aggregate = attribute(&datagram, shape->aggregate, NULL, 0);
    if (shape->before)
        others(&datagram);
    attribute(&datagram, shape->pid, number, shape->pid_size);
    if (shape->before)
        others(&datagram);
    attribute(&datagram, shape->stats, record, shape->stats_size);
    close_attribute(&datagram, aggregate);
    close_message(&datagram);
    return datagram;
}

static struct taskstats record(void)
{
    struct taskstats stats = {
        .version = 12,
        .ac_pid = 4711,
        .ac_tgid = 4700,
        .ac_uid = 1000,
        .ac_flag = AGROUP,
        .ac_tgetime = 123456,
        .ac_exe_dev = 0x800002,
        .ac_exe_inode = 777,
        .ac_utime = 30,
        .ac_stime = 10,
        .cpu_run_virtual_total = 5599999,
        .ac_minflt = 5,
        .ac_majflt = 6,
        .read_bytes = 7,
        .write_bytes = 8,
    };
    strcpy(stats.ac_comm, "worker");
    return stats;
}

/* A pair of sockets in the place of the kernel, and what was told. */
struct link {
    int ends[2];
    unsigned n;
    struct task_exit last;
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

static void told(void *context, const struct task_exit *exit)
{
    struct link *link = context;
    link->n++;
    link->last = *exit;
}

static void give(const struct link *link, const struct datagram *datagram)
{
    assert_int_equal(send(link->ends[1], datagram->text, datagram->size, 0), datagram->size);
}

/* Of one datagram: how many records it is. */
static unsigned told_of(const struct datagram *datagram, struct task_exit *exit)
{
    struct link link;
    link_open(&link);
    give(&link, datagram);
    assert_int_equal(task_exits_drain(link.ends[0], told, &link), 0);
    link_close(&link);
    if (exit)
        *exit = link.last;
    return link.n;
}

static void each_field(void **state)
{
    (void)state;
    struct task_exit exit;
    struct taskstats stats = record();
    struct datagram datagram = datagram_of(&whole, &stats, 4711);
    assert_int_equal(told_of(&datagram, &exit), 1);
    assert_int_equal(exit.tid, 4711);
    assert_int_equal(exit.pid, 4700);
    assert_int_equal(exit.owner, 1000);
    assert_true(exit.last);
    assert_int_equal(exit.age_us, 123456);
    assert_string_equal(exit.comm, "worker");
    assert_int_equal(exit.executable.device, 0x800002);
    assert_int_equal(exit.executable.inode, 777);
    assert_int_equal(exit.usage.running, 5599);
    assert_int_equal(exit.usage.user, 30);
    assert_int_equal(exit.usage.system, 10);
    assert_int_equal(exit.usage.minor_faults, 5);
    assert_int_equal(exit.usage.major_faults, 6);
    assert_int_equal(exit.usage.read_bytes, 7);
    assert_int_equal(exit.usage.write_bytes, 8);
}

/* Without delay accounting the ticks have to do. */
static void time_without_delay_accounting(void **state)
{
    (void)state;
    struct task_exit exit;
    struct taskstats stats = record();
    stats.cpu_run_virtual_total = 0;
    stats.ac_flag = (uint8_t)~AGROUP;
    memset(stats.ac_comm, 'x', TS_COMM_LEN);
    struct datagram datagram = datagram_of(&whole, &stats, 4711);
    assert_int_equal(told_of(&datagram, &exit), 1);
    assert_int_equal(exit.usage.running, 40);
    assert_false(exit.last);
    assert_int_equal(strlen(exit.comm), TS_COMM_LEN);
}

static void layout_that_is_not_known(void **state)
{
    static const struct {
        uint16_t version;
        uint32_t tid;
        unsigned n;
    } rows[] = {{11, 4711, 0}, {12, 4711, 1}, {13, 4711, 1}, {12, 4710, 0}, {12, 4712, 0}};
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct taskstats stats = record();
        stats.version = rows[i].version;
        struct datagram datagram = datagram_of(&whole, &stats, rows[i].tid);
        assert_int_equal(told_of(&datagram, NULL), rows[i].n);
    }
}

static void shapes(void **state)
{
    const struct {
        struct shape shape;
        unsigned n;
    } rows[] = {
        {{LEAST, 4, TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, TASKSTATS_TYPE_STATS, false}, 1},
        {{LEAST - 1, 4, TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, TASKSTATS_TYPE_STATS, false},
         0},
        {{2 * sizeof(struct taskstats), 4, TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID,
          TASKSTATS_TYPE_STATS, false},
         1},
        {{LEAST, 3, TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, TASKSTATS_TYPE_STATS, false}, 0},
        {{LEAST, 8, TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, TASKSTATS_TYPE_STATS, false}, 1},
        {{LEAST, 4, TASKSTATS_TYPE_AGGR_TGID, TASKSTATS_TYPE_PID, TASKSTATS_TYPE_STATS, false}, 0},
        {{LEAST, 4, TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_TGID, TASKSTATS_TYPE_STATS, false}, 0},
        {{LEAST, 4, TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, TASKSTATS_TYPE_NULL, false}, 0},
        {{LEAST, 4, TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, TASKSTATS_TYPE_STATS, true}, 1},
        {{LEAST, 4, TASKSTATS_TYPE_AGGR_PID | NLA_F_NESTED, TASKSTATS_TYPE_PID,
          TASKSTATS_TYPE_STATS | NLA_F_NET_BYTEORDER, true},
         1},
    };
    (void)state;
    const struct taskstats stats = record();
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct task_exit exit;
        struct datagram datagram = datagram_of(&rows[i].shape, &stats, 4711);
        if (told_of(&datagram, &exit) != rows[i].n)
            fail_msg("row %zu", i);
        if (rows[i].n && exit.executable.inode != 777)
            fail_msg("row %zu: another executable", i);
    }
}

/* Lengths that do not fit what has come: a record counts whole or not at all. */
static void lengths(void **state)
{
    (void)state;
    const struct taskstats stats = record();
    const struct datagram good = datagram_of(&whole, &stats, 4711);
    const uint16_t inner[] = {0, NLA_HDRLEN - 1, NLA_HDRLEN, UINT16_MAX};
    struct datagram datagram = good;
    uint32_t length = (uint32_t)good.size + 1;
    memcpy(datagram.text, &length, sizeof length);
    assert_int_equal(told_of(&datagram, NULL), 0);
    datagram.size++; /* what stands behind the message is nothing */
    assert_int_equal(told_of(&datagram, NULL), 1);
    length = (uint32_t)START - 1;
    memcpy(datagram.text, &length, sizeof length);
    assert_int_equal(told_of(&datagram, NULL), 0);
    for (size_t i = 0; i < N_OF(inner); i++) {
        datagram = good;
        memcpy(datagram.text + START, inner + i, sizeof *inner);
        assert_int_equal(told_of(&datagram, NULL), 0);
        datagram = good;
        memcpy(datagram.text + START + NLA_HDRLEN, inner + i, sizeof *inner);
        assert_int_equal(told_of(&datagram, NULL), 0);
    }
}

/* Every beginning, each with a length that agrees: the last octets of the record may be missing. */
static void beginnings(void **state)
{
    (void)state;
    struct taskstats stats = record();
    const struct datagram good = datagram_of(&whole, &stats, 4711);
    struct link link;
    link_open(&link);
    for (size_t size = 1; size < good.size; size++) {
        struct datagram datagram = good;
        datagram.size = size;
        uint32_t length = (uint32_t)size;
        memcpy(datagram.text, &length, sizeof length);
        give(&link, &datagram);
        assert_int_equal(task_exits_drain(link.ends[0], told, &link), 0);
    }
    assert_int_equal(link.n, 0);
    link_close(&link);
}

/* The last attribute ends with the message, without the octets that align another one. */
static void last_attribute_is_not_aligned(void **state)
{
    (void)state;
    const struct taskstats stats = record();
    struct shape shape = whole;
    shape.stats_size = sizeof stats + 1;
    struct datagram datagram = datagram_of(&shape, &stats, 4711);
    datagram.size -= 3;
    close_attribute(&datagram, START);
    close_message(&datagram);
    assert_int_equal(told_of(&datagram, NULL), 1);
    /* One that is not looked for ends the search there. */
    shape.stats = 9;
    datagram = datagram_of(&shape, &stats, 4711);
    datagram.size -= 3;
    close_attribute(&datagram, START);
    close_message(&datagram);
    assert_int_equal(told_of(&datagram, NULL), 0);
}

/* Nor does the search go on behind the attribute that it is in. */
static void only_inside(void **state)
{
    (void)state;
    const struct taskstats stats = record();
    const uint32_t tid = 4711;
    struct datagram datagram = {.size = START};
    size_t aggregate = attribute(&datagram, TASKSTATS_TYPE_AGGR_PID, NULL, 0);
    attribute(&datagram, TASKSTATS_TYPE_PID, &tid, sizeof tid);
    attribute(&datagram, 9, "12345", 5);
    datagram.size -= 3;
    close_attribute(&datagram, aggregate);
    datagram.size += 3;
    attribute(&datagram, TASKSTATS_TYPE_STATS, &stats, sizeof stats);
    close_message(&datagram);
    assert_int_equal(told_of(&datagram, NULL), 0);
}

static void all_that_wait(void **state)
{
    (void)state;
    struct link link;
    link_open(&link);
    assert_int_equal(task_exits_drain(link.ends[0], told, &link), 0);
    assert_int_equal(link.n, 0);
    for (uint32_t tid = 1; tid <= 3; tid++) {
        struct taskstats stats = record();
        stats.ac_pid = tid;
        struct datagram datagram = datagram_of(&whole, &stats, tid);
        give(&link, &datagram);
    }
    assert_int_equal(task_exits_drain(link.ends[0], told, &link), 0);
    assert_int_equal(link.n, 3);
    assert_int_equal(link.last.tid, 3);
    assert_int_equal(task_exits_drain(link.ends[0], told, &link), 0);
    assert_int_equal(link.n, 3);
    link_close(&link);
}

static void what_is_no_socket(void **state)
{
    (void)state;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(task_exits_drain(fd, told, NULL), ENOTSOCK);
    close(fd);
    assert_int_equal(task_exits_drain(-1, told, NULL), EBADF);
}

static void sums_of_tasks(void **state)
{
    (void)state;
    const struct task_usage usage = {1, 2, 3, 4, 5, 6, 7};
    struct task_usage sum = {100, 200, 300, 400, 500, 600, 700};
    const struct task_usage expected = {101, 202, 303, 404, 505, 606, 707};
    task_usage_add(&sum, &usage);
    assert_memory_equal(&sum, &expected, sizeof sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field),
        cmocka_unit_test(time_without_delay_accounting),
        cmocka_unit_test(layout_that_is_not_known),
        cmocka_unit_test(shapes),
        cmocka_unit_test(lengths),
        cmocka_unit_test(beginnings),
        cmocka_unit_test(last_attribute_is_not_aligned),
        cmocka_unit_test(only_inside),
        cmocka_unit_test(all_that_wait),
        cmocka_unit_test(what_is_no_socket),
        cmocka_unit_test(sums_of_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
