/* Processes that exited, by records and events that this program makes itself: a pair of sockets
 * stands in the place of the kernel's. */
#include <errno.h>
#include <fcntl.h>
#include <linux/acct.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sample/process/members.h"
#include "sample/sources.h"

#include "heap.h"
#include "processes.h"

#define TICK 10000 /* microseconds */

/* -- What the kernel says ------------------------------------------------------------------- */

struct exit_datagram {
    struct nlmsghdr header;
    struct genlmsghdr generic;
    struct nlattr aggregate;
    struct nlattr pid;
    uint32_t tid;
    struct nlattr stats;
    struct taskstats record;
} __attribute__((packed));

struct event_datagram {
    struct nlmsghdr header;
    struct cn_msg message;
    struct proc_event event;
} __attribute__((packed));

/* A record of an exited task; times in microseconds. */
struct fake_exit {
    uint32_t pid, tid;
    const char *comm;
    bool more; /* other tasks of the process go on */
    uint32_t owner;
    uint64_t inode, device;
    uint64_t running, user, system, minor, major, read, write;
    uint64_t age_us;
};

/* Five seconds ago, in ticks since the machine was started; or then, if that is later. */
static unsigned a_while_ago(void)
{
    uint64_t ticks = clock_boot_us() / TICK;
    return ticks > 500 ? (unsigned)ticks - 500 : 0;
}

static uint64_t age_of(unsigned started)
{
    return clock_boot_us() - (uint64_t)started * TICK;
}

static void give_exit(int fd, const struct fake_exit *fake)
{
    uint32_t tid = fake->tid ? fake->tid : fake->pid;
    struct exit_datagram datagram = {
        .header = {.nlmsg_len = sizeof datagram, .nlmsg_type = 33},
        .aggregate = {sizeof datagram - NLMSG_HDRLEN - GENL_HDRLEN, TASKSTATS_TYPE_AGGR_PID},
        .pid = {NLA_HDRLEN + sizeof tid, TASKSTATS_TYPE_PID},
        .tid = tid,
        .stats = {NLA_HDRLEN + sizeof(struct taskstats), TASKSTATS_TYPE_STATS},
    };
    struct taskstats record = {
        .version = 12,
        .ac_pid = tid,
        .ac_tgid = fake->pid,
        .ac_uid = fake->owner,
        .ac_flag = fake->more ? 0 : AGROUP,
        .ac_tgetime = fake->age_us,
        .ac_exe_dev = fake->device,
        .ac_exe_inode = fake->inode,
        .ac_utime = fake->user,
        .ac_stime = fake->system,
        .cpu_run_virtual_total = fake->running * 1000,
        .ac_minflt = fake->minor,
        .ac_majflt = fake->major,
        .read_bytes = fake->read,
        .write_bytes = fake->write,
    };
    snprintf(record.ac_comm, sizeof record.ac_comm, "%s", fake->comm);
    memcpy(&datagram.record, &record, sizeof record);
    assert_int_equal(send(fd, &datagram, sizeof datagram, 0), sizeof datagram);
}

/* Of a fork if there is a parent, else of a program that was executed. */
static void give_event(int fd, pid_t pid, pid_t parent)
{
    struct event_datagram datagram = {
        .header = {.nlmsg_len = sizeof datagram},
        .message = {.id = {CN_IDX_PROC, CN_VAL_PROC}},
    };
    struct proc_event event = {.what = parent ? PROC_EVENT_FORK : PROC_EVENT_EXEC};
    if (parent) {
        event.event_data.fork.parent_tgid = parent;
        event.event_data.fork.child_pid = event.event_data.fork.child_tgid = pid;
    } else {
        event.event_data.exec.process_tgid = pid;
    }
    memcpy(&datagram.event, &event, sizeof event);
    assert_int_equal(send(fd, &datagram, sizeof datagram, 0), sizeof datagram);
}

/* -- A sampler with sockets ----------------------------------------------------------------- */

struct scene {
    const struct tree *tree;
    struct sampler *sampler;
    struct processes *processes;
    int exits, events; /* the ends of the kernel */
};

static void scene_open(struct scene *scene, const struct tree *tree, const char *pattern)
{
    int ends[2];
    scene->tree = tree;
    scene->sampler = processes_sampler(tree->root, pattern);
    processes_pass(scene->sampler, 1);
    scene->processes = scene->sampler->sources[SOURCE_PROCESS].own;
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
    scene->processes->exits = ends[0];
    scene->exits = ends[1];
    scene->events = -1;
}

static void listen_to_events(struct scene *scene)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
    scene->processes->events = ends[0];
    scene->events = ends[1];
    process_table_told(scene->processes->table, true);
}

static void scene_close(const struct scene *scene)
{
    sampler_free(scene->sampler);
    close(scene->exits);
    if (scene->events >= 0)
        close(scene->events);
}

static uint64_t value(const struct scene *scene, const char *name, unsigned field)
{
    return processes_value(scene->sampler, name, field);
}

/* Whether a descriptor is still that of /dev/null: another file may have its number since. */
static bool is_device(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode);
}

/* -- Processes that nobody has read --------------------------------------------------------- */

static void record_counts_in_its_program(void **state)
{
    static const struct fake_exit rows[] = {
        {.pid = 50, .comm = "app", .running = 4000, .user = 3, .system = 1, .minor = 5, .major = 2},
        {.pid = 51, .comm = "other", .running = 9},
        {.pid = 52, .comm = "app", .more = true, .running = 70},
        {.pid = 53, .comm = "app", .read = 512, .write = 1024, .running = 100},
    };
    struct scene scene;
    tree_write(*state, "/proc/self/stat", "");
    scene_open(&scene, *state, "app");
    for (size_t i = 0; i < N_OF(rows); i++)
        give_exit(scene.exits, &rows[i]);
    processes_pass(scene.sampler, 2);
    assert_int_equal(value(&scene, "app", PROCESS_STARTED), 2);
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 0);
    assert_int_equal(value(&scene, "app", PROCESS_CPU), 4100);
    assert_int_equal(value(&scene, "app", PROCESS_CPU_USER), 3100);
    assert_int_equal(value(&scene, "app", PROCESS_CPU_SYSTEM), 1000);
    assert_int_equal(value(&scene, "app", PROCESS_FAULTS), 7);
    assert_int_equal(value(&scene, "app", PROCESS_FAULTS_MINOR), 5);
    assert_int_equal(value(&scene, "app", PROCESS_FAULTS_MAJOR), 2);
    assert_int_equal(value(&scene, "app", PROCESS_IO_READ), 512);
    assert_int_equal(value(&scene, "app", PROCESS_IO_WRITE), 1024);
    assert_null(processes_slot(scene.sampler, "other"));
    processes_pass(scene.sampler, 3); /* and not again */
    assert_int_equal(value(&scene, "app", PROCESS_STARTED), 2);
    assert_int_equal(value(&scene, "app", PROCESS_CPU), 4100);
    /* The record of its last task alone, in a later pass. */
    give_exit(scene.exits, &(struct fake_exit){.pid = 52, .comm = "app", .running = 1});
    processes_pass(scene.sampler, 4);
    assert_int_equal(value(&scene, "app", PROCESS_STARTED), 3);
    assert_int_equal(value(&scene, "app", PROCESS_CPU), 4101);
    scene_close(&scene);
}

/* The tasks of a process count together, under the name of the leader, or the first one's. */
static void tasks_of_a_process(void **state)
{
    static const struct {
        struct fake_exit exits[3];
        const char *name;
        uint64_t cpu, started;
    } rows[] = {
        {{{.pid = 60, .tid = 61, .comm = "thread", .more = true, .running = 10},
          {.pid = 60, .tid = 62, .comm = "thread2", .more = true, .running = 20},
          {.pid = 60, .comm = "app", .running = 3}},
         "app",
         33,
         1},
        {{{.pid = 60, .comm = "app", .more = true, .running = 10},
          {.pid = 60, .tid = 61, .comm = "thread", .more = true, .running = 20},
          {.pid = 60, .tid = 62, .comm = "thread2", .running = 3}},
         "app",
         33,
         1},
        {{{.pid = 60, .tid = 61, .comm = "thread", .more = true, .running = 10},
          {.pid = 60, .tid = 62, .comm = "app", .running = 20}},
         "thread",
         30,
         1},
        /* A pid that is used twice between two passes. */
        {{{.pid = 60, .comm = "app", .running = 10}, {.pid = 60, .comm = "app", .running = 20}},
         "app",
         30,
         2},
        {{{.pid = 60, .comm = "other", .running = 10},
          {.pid = 60, .tid = 61, .comm = "app", .running = 20}},
         "app",
         20,
         1},
    };
    tree_write(*state, "/proc/self/stat", "");
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct scene scene;
        scene_open(&scene, *state, rows[i].name);
        for (size_t k = 0; k < 3 && rows[i].exits[k].comm; k++)
            give_exit(scene.exits, &rows[i].exits[k]);
        processes_pass(scene.sampler, 2);
        if (value(&scene, rows[i].name, PROCESS_CPU) != rows[i].cpu)
            fail_msg("row %zu: %ju", i, (uintmax_t)value(&scene, rows[i].name, PROCESS_CPU));
        assert_int_equal(value(&scene, rows[i].name, PROCESS_STARTED), rows[i].started);
        scene_close(&scene);
    }
}

/* The owner of the last record, the unit not known. */
static void owner_of_the_dead(void **state)
{
    struct scene scene;
    const struct passwd *root = getpwuid(0);
    char name[INSTANCE_SIZE];
    assert_non_null(root);
    snprintf(name, sizeof name, "user:%s", root->pw_name);
    tree_write(*state, "/proc/self/stat", "");
    scene_open(&scene, *state, "user:* cgroup:*");
    give_exit(scene.exits,
              &(struct fake_exit){
                  .pid = 60, .comm = "a", .owner = 3999999999u, .more = true, .running = 1});
    give_exit(scene.exits, &(struct fake_exit){.pid = 60, .comm = "a", .running = 2});
    give_exit(scene.exits,
              &(struct fake_exit){.pid = 61, .comm = "a", .owner = 3999999998u, .running = 4});
    processes_pass(scene.sampler, 2);
    assert_int_equal(present_count(sampler_set(scene.sampler, SOURCE_PROCESS)), 2);
    assert_int_equal(value(&scene, name, PROCESS_CPU), 3);
    assert_int_equal(value(&scene, "user:3999999998", PROCESS_CPU), 4);
    scene_close(&scene);
}

/* A sum that only the dead have begun goes like another one: ten minutes after the last of them. */
static void sum_of_the_dead_goes(void **state)
{
    struct scene scene;
    tree_write(*state, "/proc/self/stat", "");
    scene_open(&scene, *state, "a*");
    give_exit(scene.exits, &(struct fake_exit){.pid = 60, .comm = "app", .running = 1});
    processes_pass(scene.sampler, 5 * NS_PER_S);
    give_exit(scene.exits, &(struct fake_exit){.pid = 61, .comm = "app", .running = 1});
    processes_pass(scene.sampler, 7 * NS_PER_S);
    processes_pass(scene.sampler, 607 * NS_PER_S - 1);
    assert_int_equal(value(&scene, "app", PROCESS_STARTED), 2);
    processes_pass(scene.sampler, 607 * NS_PER_S);
    assert_null(processes_slot(scene.sampler, "app"));
    scene_close(&scene);
}

/* What a living process was executed from names the dead of the same file; a task without a file
 * does not take it away again. */
static void file_names_the_dead(void **state)
{
    const struct tree *tree = *state;
    struct scene scene;
    struct stat status;
    char path[PATH_MAX];
    tree_write(tree, "/bin/worker-long-name", "");
    tree_path(tree, "/bin/worker-long-name", path);
    assert_int_equal(stat(path, &status), 0);
    uint64_t device = (uint64_t)major(status.st_dev) << 8 | (minor(status.st_dev) & 0xff) |
                      (uint64_t)(minor(status.st_dev) & ~0xffu) << 12;
    fake_put(tree, &(struct fake){.pid = 7, .comm = "init", .started = 1});
    scene_open(&scene, tree, "worker-long-name");
    fake_put(tree, &(struct fake){.pid = 8, .comm = "worker", .exe = path, .started = 2});
    processes_pass(scene.sampler, 2);
    assert_int_equal(value(&scene, "worker-long-name", PROCESS_COUNT), 1);
    give_exit(scene.exits, &(struct fake_exit){.pid = 60,
                                               .tid = 61,
                                               .comm = "x",
                                               .more = true,
                                               .inode = status.st_ino,
                                               .device = device});
    give_exit(scene.exits, &(struct fake_exit){.pid = 60, .comm = "x"});
    give_exit(
        scene.exits,
        &(struct fake_exit){.pid = 62, .comm = "x", .inode = status.st_ino + 1, .device = device});
    give_exit(
        scene.exits,
        &(struct fake_exit){.pid = 63, .comm = "x", .inode = status.st_ino, .device = device + 1});
    give_exit(scene.exits, &(struct fake_exit){.pid = 64, .comm = "x"});
    processes_pass(scene.sampler, 3);
    assert_int_equal(value(&scene, "worker-long-name", PROCESS_STARTED), 2);
    scene_close(&scene);
}

static void socket_that_fails(void **state)
{
    struct scene scene;
    tree_write(*state, "/proc/self/stat", "");
    scene_open(&scene, *state, "app");
    close(scene.processes->exits);
    int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    scene.processes->exits = file;
    processes_pass(scene.sampler, 2);
    assert_int_equal(scene.processes->exits, -1);
    assert_false(is_device(file));
    processes_pass(scene.sampler, 3);
    assert_int_equal(scene.processes->exits, -1);
    scene_close(&scene);
}

/* -- Processes that were read --------------------------------------------------------------- */

/* What was read last, and the records, whichever says more; no part goes back. */
static void last_record_of_a_member(void **state)
{
    static const struct {
        uint64_t running, user, system, minor, major, read, write; /* of the record */
        uint64_t cpu, cpu_user, cpu_system, faults, faults_major, io_read, io_write;
    } rows[] = {
        {1500000, 1, 1, 0, 0, 0, 0, 1500000, 750000, 750000, 11, 6, 4096, 8192},
        {1500000, 1, 0, 3, 10, 5000, 1, 1500000, 1100000, 400000, 15, 10, 5000, 8192},
        {500000, 1, 0, 6, 1, 1, 9000, 1000000, 600000, 400000, 12, 6, 4096, 9000},
        {1500000, 0, 1, 0, 0, 0, 0, 1500000, 600000, 900000, 11, 6, 4096, 8192},
        {1000000, 3, 2, 5, 6, 4096, 8192, 1000000, 600000, 400000, 11, 6, 4096, 8192},
        {1000001, 1, 0, 5, 6, 4096, 8192, 1000001, 600001, 400000, 11, 6, 4096, 8192},
    };
    const struct tree *tree = *state;
    fake_put(tree, &(struct fake){.pid = 1, .comm = "init", .started = 1});
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct scene scene;
        unsigned started = a_while_ago();
        fake_put(tree, &(struct fake){.pid = 10,
                                      .comm = "app",
                                      .started = started,
                                      .user = 60,
                                      .system = 40,
                                      .minor = 5,
                                      .major = 6});
        scene_open(&scene, tree, "app");
        fake_gone(tree, 10);
        /* Two tasks; the second one has used nothing but its time. */
        give_exit(scene.exits, &(struct fake_exit){.pid = 10,
                                                   .tid = 11,
                                                   .comm = "t",
                                                   .more = true,
                                                   .running = rows[i].running - 1,
                                                   .user = rows[i].user,
                                                   .system = rows[i].system,
                                                   .minor = rows[i].minor,
                                                   .major = rows[i].major,
                                                   .read = rows[i].read,
                                                   .write = rows[i].write,
                                                   .age_us = age_of(started)});
        give_exit(
            scene.exits,
            &(struct fake_exit){.pid = 10, .comm = "app", .running = 1, .age_us = age_of(started)});
        processes_pass(scene.sampler, 2);
        if (value(&scene, "app", PROCESS_CPU) != rows[i].cpu)
            fail_msg("row %zu", i);
        assert_int_equal(value(&scene, "app", PROCESS_CPU_USER), rows[i].cpu_user);
        assert_int_equal(value(&scene, "app", PROCESS_CPU_SYSTEM), rows[i].cpu_system);
        assert_int_equal(value(&scene, "app", PROCESS_FAULTS), rows[i].faults);
        assert_int_equal(value(&scene, "app", PROCESS_FAULTS_MAJOR), rows[i].faults_major);
        assert_int_equal(value(&scene, "app", PROCESS_IO_READ), rows[i].io_read);
        assert_int_equal(value(&scene, "app", PROCESS_IO_WRITE), rows[i].io_write);
        assert_int_equal(value(&scene, "app", PROCESS_STARTED), 1);
        scene_close(&scene);
    }
}

static void usage_as_counters(void **state)
{
    static const struct {
        struct task_usage usage;
        uint64_t counters[PROCESS_COUNTERS];
    } rows[] = {
        {{5599, 30, 10, 5, 6, 7, 8}, {5599, 4199, 1400, 11, 6, 5, 7, 8}},
        {{5599, 30, 0, 0, 0, 0, 0}, {5599, 5599, 0}},
        {{5599, 0, 30, 0, 0, 0, 0}, {5599, 0, 5599}},
        {{5599, 0, 0, 0, 0, 0, 0}, {5599, 5599, 0}},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint64_t counters[PROCESS_COUNTERS];
        usage_to_counters(&rows[i].usage, counters);
        assert_memory_equal(counters, rows[i].counters, sizeof counters);
    }
}

/* A process that exists for long has a past as what nobody wanted: what its record says does not
 * count. One that came and went between two passes had none. */
static void processes_that_became_something_else(void **state)
{
    static const struct {
        unsigned seen, gone; /* passes, seconds */
        uint64_t started;
    } rows[] = {{1, 2, 0}, {1, 3, 0}, {2, 3, 1}, {2, 4, 0}, {3, 4, 1}};
    const struct tree *tree = *state;
    fake_put(tree, &(struct fake){.pid = 1, .comm = "init", .started = 1});
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct scene scene;
        unsigned started = a_while_ago();
        struct fake fake = {.pid = 20, .comm = "shell", .started = started, .user = 5};
        if (rows[i].seen == 1)
            fake_put(tree, &fake);
        scene_open(&scene, tree, "app");
        for (unsigned second = 2; second <= rows[i].gone; second++) {
            if (second == rows[i].seen)
                fake_put(tree, &fake);
            if (second == rows[i].gone) {
                fake_gone(tree, 20);
                give_exit(scene.exits,
                          &(struct fake_exit){
                              .pid = 20, .comm = "app", .running = 9, .age_us = age_of(started)});
            }
            processes_pass(scene.sampler, second);
        }
        if (value(&scene, "app", PROCESS_STARTED) != rows[i].started)
            fail_msg("row %zu", i);
        assert_int_equal(value(&scene, "app", PROCESS_CPU), 9 * rows[i].started);
        scene_close(&scene);
    }
}

/* -- Whose record it is ---------------------------------------------------------------------- */

/* A member with a start and a record with an age, and the times between which the exit must have
 * been: in microseconds, before the record. */
static void records_that_fit(void **state)
{
    static const struct {
        bool last;
        bool new; /* it came in this pass */
        int64_t boot_us, last_boot_us, suspended_us, age_us;
        bool fits;
    } rows[] = {
        {false, false, 0, 0, 0, 0, true},          {false, false, 0, 12000, 0, 0, true},
        {false, false, 0, 12001, 0, 0, false},     {false, false, 99999, 12000, 0, 0, true},
        {false, false, 0, 12500, 500, 0, true},    {false, false, 0, 12501, 500, 0, false},
        {true, false, 12000, 99999, 0, 0, true},   {true, false, 12001, 0, 0, 0, false},
        {false, true, 99999, 99999, 0, 0, true},   {true, true, 12001, 0, 0, 0, false},
        {false, false, 0, 0, 0, 60000000, false},  {false, false, 0, 50000, 0, 38000, true},
        {false, false, 0, 50001, 0, 38000, false},
    };
    const struct tree *tree = *state;
    unsigned started = a_while_ago();
    const uint64_t base_us = (uint64_t)started * TICK + 1000000;
    fake_put(tree, &(struct fake){.pid = 10, .comm = "app", .started = started});
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct scene scene;
        scene_open(&scene, tree, "app");
        struct processes *processes = scene.processes;
        processes->now_ns = rows[i].new ? 1 : 2;
        processes->boot_us = base_us + (uint64_t)rows[i].boot_us;
        processes->last_boot_us = base_us + (uint64_t)rows[i].last_boot_us;
        processes->suspended_us = (uint64_t)rows[i].suspended_us;
        const struct task_exit exit = {.tid = 10,
                                       .pid = 10,
                                       .last = rows[i].last,
                                       .age_us = 1000000 + (uint64_t)rows[i].age_us,
                                       .usage = {.running = 77}};
        if (members_take_exit(processes, &exit) != rows[i].fits)
            fail_msg("row %zu", i);
        assert_int_equal(processes->members->has_exits, rows[i].fits);
        assert_int_equal(processes->members->has_last, rows[i].fits && rows[i].last);
        assert_int_equal(processes->members->exits.running, rows[i].fits ? 77 : 0);
        const struct task_exit other = {.tid = 11, .pid = 11, .age_us = exit.age_us};
        assert_false(members_take_exit(processes, &other));
        scene_close(&scene);
    }
}

/* A process that lives and that nobody wants has its records for itself; one that was dead when it
 * was first seen is known by its record alone. */
static void records_of_no_members(void **state)
{
    static const struct {
        char state;
        unsigned passes;
        bool taken;
    } rows[] = {{'S', 1, true}, {'Z', 1, false}, {'Z', 2, true}};
    const struct tree *tree = *state;
    unsigned started = a_while_ago();
    fake_put(tree, &(struct fake){.pid = 1, .comm = "init", .started = 1});
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct scene scene;
        scene_open(&scene, tree, "none");
        fake_put(tree, &(struct fake){
                           .pid = 10, .comm = "app", .started = started, .state = rows[i].state});
        for (unsigned n = 0; n < rows[i].passes; n++)
            processes_pass(scene.sampler, 2 + n);
        const struct task_exit exit = {
            .tid = 10, .pid = 10, .last = true, .age_us = age_of(started)};
        if (members_take_exit(scene.processes, &exit) != rows[i].taken)
            fail_msg("row %zu", i);
        assert_null(scene.processes->members);
        scene_close(&scene);
        fake_gone(tree, 10);
    }
}

/* The records up to the last one are of the process that had the pid first. */
static void records_of_a_pid_used_again(void **state)
{
    const struct tree *tree = *state;
    struct scene scene;
    unsigned started = a_while_ago();
    fake_put(tree, &(struct fake){.pid = 10, .comm = "app", .started = started});
    scene_open(&scene, tree, "app");
    struct task_exit exit = {.tid = 10, .pid = 10, .usage = {.running = 5}};
    struct process_member *member = scene.processes->members;
    /* Ended, and another one lives under its pid. */
    const struct process before = member->process;
    struct process after = before;
    after.started += 10;
    scene.processes->now_ns = scene.processes->last_ns = 2;
    members_follow(scene.processes, &before, &after);
    assert_ptr_equal(scene.processes->ended, member);
    struct process_member *heir = scene.processes->members;
    assert_non_null(heir);
    assert_ptr_not_equal(heir, member);
    exit.age_us = age_of(started);
    exit.last = true;
    assert_true(members_take_exit(scene.processes, &exit));
    assert_int_equal(member->exits.running, 5);
    assert_true(member->has_last);
    exit.age_us = age_of(started + 1);
    exit.last = false;
    assert_true(members_take_exit(scene.processes, &exit));
    assert_int_equal(member->exits.running, 5);
    assert_int_equal(heir->exits.running, 5);
    assert_false(heir->has_last);
    scene_close(&scene);
}

/* -- Events --------------------------------------------------------------------------------- */

/* With events there is no scan but once in a minute. */
static void scans_with_events(void **state)
{
    const struct tree *tree = *state;
    struct scene scene;
    fake_put(tree, &(struct fake){.pid = 1, .comm = "init", .started = 1});
    scene_open(&scene, tree, "app");
    listen_to_events(&scene);
    scene.processes->lost = false;
    processes_pass(scene.sampler, 10 * NS_PER_S); /* that of the first pass counts a minute */
    fake_put(tree, &(struct fake){.pid = 10, .comm = "app", .started = 2});
    fake_put(tree, &(struct fake){.pid = 11, .comm = "app", .started = 3});
    processes_pass(scene.sampler, 11 * NS_PER_S);
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 0);
    give_event(scene.events, 11, 0);
    processes_pass(scene.sampler, 12 * NS_PER_S);
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 1);
    processes_pass(scene.sampler, 60 * NS_PER_S);
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 1);
    processes_pass(scene.sampler, 60 * NS_PER_S + 1);
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 2);
    /* A process that goes, told and not told. */
    fake_gone(tree, 10);
    fake_gone(tree, 11);
    give_event(scene.events, 10, 0);
    processes_pass(scene.sampler, 61 * NS_PER_S);
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 1);
    processes_pass(scene.sampler, 120 * NS_PER_S);
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 1);
    processes_pass(scene.sampler, 120 * NS_PER_S + 1);
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 0);
    scene_close(&scene);
}

/* Without them there is one in each pass. */
static void events_that_fail(void **state)
{
    const struct tree *tree = *state;
    struct scene scene;
    fake_put(tree, &(struct fake){.pid = 1, .comm = "init", .started = 1});
    scene_open(&scene, tree, "app");
    listen_to_events(&scene);
    processes_pass(scene.sampler, 2);
    int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(scene.processes->events);
    scene.processes->events = file;
    fake_put(tree, &(struct fake){.pid = 10, .comm = "app", .started = 2});
    processes_pass(scene.sampler, 3);
    assert_int_equal(scene.processes->events, -1);
    assert_false(is_device(file));
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 1);
    fake_put(tree, &(struct fake){.pid = 11, .comm = "app", .exe = "/bin/app", .started = 2});
    processes_pass(scene.sampler, 4);
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 2);
    /* A new process is read twice, as where nobody tells of an exec. */
    fake_put(tree, &(struct fake){.pid = 11, .comm = "app", .exe = "/bin/new", .started = 2});
    processes_pass(scene.sampler, 5);
    assert_int_equal(value(&scene, "app", PROCESS_COUNT), 1);
    scene_close(&scene);
}

/* The dead were in the control group of their parent, or of its parent: of all of them there are
 * only events and records. */
static void unit_of_the_dead(void **state)
{
    static const pid_t forks[][2] = {{50, 10}, {51, 50}, {52, 51}, {53, 99}};
    const struct tree *tree = *state;
    struct scene scene;
    fake_put(tree, &(struct fake){.pid = 10, .comm = "init", .started = 1});
    fake_unit(tree, 10, "0::/system.slice/app.service\n");
    scene_open(&scene, tree, "cgroup:*.service");
    listen_to_events(&scene);
    for (size_t i = 0; i < N_OF(forks); i++) {
        give_event(scene.events, forks[i][0], forks[i][1]);
        give_exit(scene.exits, &(struct fake_exit){
                                   .pid = (uint32_t)forks[i][0], .comm = "x", .running = 1u << i});
    }
    give_event(scene.events, 50, 0); /* what comes later does not take it away */
    give_exit(scene.exits, &(struct fake_exit){.pid = 54, .comm = "x", .running = 100});
    processes_pass(scene.sampler, 2);
    assert_int_equal(value(&scene, "cgroup:app.service", PROCESS_STARTED), 4);
    assert_int_equal(value(&scene, "cgroup:app.service", PROCESS_CPU), 7);
    assert_null(scene.processes->hints);
    scene_close(&scene);
}

/* Processes that come, are summed, and die with and without a record that was read. */
static const struct tree *played;

static void play_deaths(void)
{
    static const struct fake_exit rows[] = {{.pid = 50, .comm = "app", .running = 4000},
                                            {.pid = 51, .comm = "app", .more = true, .running = 9},
                                            {.pid = 52, .comm = "other", .running = 9}};
    static const char *const none = "none";
    struct scene scene;
    scene_open(&scene, played, "app app/* user:*");
    for (size_t i = 0; i < N_OF(rows); i++)
        give_exit(scene.exits, &rows[i]);
    processes_pass(scene.sampler, 2);
    assert_int_equal(value(&scene, "app", PROCESS_STARTED), 1);
    assert_int_equal(sampler_select(scene.sampler, SOURCE_PROCESS, &none, 1, SAMPLE_ALL_FIELDS), 0);
    processes_pass(scene.sampler, 3);
    scene_close(&scene);
}

static void all_is_given_back(void **state)
{
    played = *state;
    tree_write(played, "/proc/self/stat", "");
    assert_keeps_nothing(play_deaths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(record_counts_in_its_program),
        tree_test(tasks_of_a_process),
        tree_test(owner_of_the_dead),
        tree_test(sum_of_the_dead_goes),
        tree_test(file_names_the_dead),
        tree_test(socket_that_fails),
        tree_test(last_record_of_a_member),
        cmocka_unit_test(usage_as_counters),
        tree_test(processes_that_became_something_else),
        tree_test(records_that_fit),
        tree_test(records_of_no_members),
        tree_test(records_of_a_pid_used_again),
        tree_test(scans_with_events),
        tree_test(events_that_fail),
        tree_test(unit_of_the_dead),
        tree_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
