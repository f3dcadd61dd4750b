/* The loop of the core thread: what it tells the service manager (sd_notify(3)), and signals. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "daemon/loop.h"

#include "node.h"

#define SENSOR "<sensors><sensor name=\"load\" metric=\"load.1\" interval=\"1s\"/></sensors>"

struct manager {
    struct node *node;
    pthread_t thread;
    const struct dcampd_server *server;
    int socket; /* what NOTIFY_SOCKET names */
    int result;
};

static void listen_for_notifications(struct manager *manager)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval limit = {.tv_sec = 5};
    text_format(address.sun_path, sizeof address.sun_path, "%s/notify", manager->node->tree.root);
    manager->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(manager->socket, (struct sockaddr *)&address, sizeof address), 0);
    setsockopt(manager->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
}

/* The next message that begins so; others may come before. Fails when none comes. */
static void expect(struct manager *manager, const char *begin)
{
    char text[256];
    for (int i = 0; i < 100; i++) {
        ssize_t n = recv(manager->socket, text, sizeof text - 1, 0);
        if (n < 0)
            fail_msg("no %s", begin);
        text[n] = '\0';
        if (strncmp(text, begin, strlen(begin)) == 0)
            return;
    }
    fail_msg("no %s among 100 messages", begin);
}

static void *serve(struct dcampd *daemon, char error[1024])
{
    (void)error;
    return daemon;
}

static void do_nothing(void *server)
{
    (void)server;
}

static const struct dcampd_server nobody = {serve, do_nothing, do_nothing};

static atomic_int woken;

static void count_wake(void *server)
{
    (void)server;
    woken++;
}

static const struct dcampd_server somebody = {serve, count_wake, do_nothing};

static void *run(void *context)
{
    struct manager *manager = context;
    manager->result = dcampd_run(manager->node->daemon, manager->server);
    return NULL;
}

static int set_up(void **state)
{
    struct manager *manager = calloc(1, sizeof *manager);
    loop_block_signals();
    manager->node = node_new(SENSOR);
    manager->server = &nobody;
    listen_for_notifications(manager);
    *state = manager;
    return 0;
}

static int tear_down(void **state)
{
    struct manager *manager = *state;
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    close(manager->socket);
    node_free(manager->node);
    free(manager);
    return 0;
}

static void start(struct manager *manager)
{
    assert_int_equal(pthread_create(&manager->thread, NULL, run, manager), 0);
    expect(manager, "READY=1");
}

static void stop(struct manager *manager)
{
    kill(getpid(), SIGTERM);
    expect(manager, "STOPPING=1");
    pthread_join(manager->thread, NULL);
    assert_int_equal(manager->result, 0);
}

static void ready_and_stopping(void **state)
{
    start(*state);
    stop(*state);
}

static void watchdog_is_fed_in_time(void **state)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("WATCHDOG_USEC", "200000", 1);
    setenv("WATCHDOG_PID", pid, 1);
    start(*state);
    uint64_t took = NS_PER_S;
    for (int tries = 0; tries < 5 && took >= NS_PER_S; tries++) { /* the machine may stand still */
        uint64_t begin = clock_mono_ns();
        for (int i = 0; i < 5; i++)
            expect(*state, "WATCHDOG=1");
        took = clock_mono_ns() - begin;
    }
    assert_true(took < NS_PER_S);
    stop(*state);
}

static void hup_reloads(void **state)
{
    struct manager *manager = *state;
    start(manager);
    uint64_t before = manager->node->daemon->reloads;
    node_configure(manager->node, "lap", SENSOR "<filters><filter name=\"f\"/></filters>");
    kill(getpid(), SIGHUP);
    expect(manager, "RELOADING=1");
    expect(manager, "READY=1");
    pthread_mutex_lock(&manager->node->daemon->lock);
    assert_int_equal(manager->node->daemon->reloads, before + 1);
    assert_non_null(config_find(manager->node->daemon->config, ROW_FILTER, "f"));
    pthread_mutex_unlock(&manager->node->daemon->lock);
    stop(manager);
}

static void bad_reload_keeps_all(void **state)
{
    struct manager *manager = *state;
    start(manager);
    uint64_t before = manager->node->daemon->reloads;
    node_configure(manager->node, "lap", "<nonsense/>");
    kill(getpid(), SIGHUP);
    expect(manager, "RELOADING=1");
    expect(manager, "READY=1");
    assert_int_equal(manager->node->daemon->reloads, before);
    assert_non_null(config_find(manager->node->daemon->config, ROW_SENSOR, "load"));
    stop(manager);
}

/* Who notifies is woken for an alarm that is on disk, and for nothing else. */
static void an_alarm_wakes_who_notifies(void **state)
{
    struct manager *manager = *state;
    manager->server = &somebody;
    woken = 0;
    start(manager);
    assert_int_equal(woken, 0);
    node_configure(manager->node, "lap",
                   SENSOR "<thresholds><threshold name=\"any\" sensor=\"load\" operator=\"ge\" "
                          "limit=\"0\"/></thresholds>");
    kill(getpid(), SIGHUP);
    for (int i = 0; i < 20000 && woken == 0; i++)
        usleep(1000);
    assert_true(woken > 0);
    stop(manager);
}

/* -- The loop alone -------------------------------------------------------------------------- */

/* Nothing is ever due: each cycle and each reload is somebody's doing. */
struct counter {
    struct loop loop;
    pthread_t thread;
    int input[2]; /* a pipe */
    atomic_int cycles, reloads, result;
};

static uint64_t count_cycle(void *context, struct moment now)
{
    struct counter *counter = context;
    char octet;
    (void)now;
    while (read(counter->input[0], &octet, 1) == 1)
        ;
    counter->cycles++;
    return UINT64_MAX;
}

static void count_reload(void *context)
{
    ((struct counter *)context)->reloads++;
}

static void *run_counter(void *context)
{
    struct counter *counter = context;
    counter->result = loop_run(&counter->loop);
    return NULL;
}

/* input: which one; -1: none. */
static void begin_counter(struct counter *counter, int input)
{
    loop_block_signals();
    *counter = (struct counter){.result = -1};
    assert_int_equal(pipe2(counter->input, O_NONBLOCK | O_CLOEXEC), 0);
    counter->loop =
        (struct loop){count_cycle,  count_reload, counter, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
                      {-1, -1, -1}, {NULL}};
    if (input >= 0)
        counter->loop.input_fds[input] = counter->input[0];
    assert_int_equal(pthread_create(&counter->thread, NULL, run_counter, counter), 0);
}

static void await_count(const atomic_int *count, int expected)
{
    for (int i = 0; i < 20000 && *count < expected; i++)
        usleep(1000);
    usleep(20000); /* and no more */
    assert_int_equal(*count, expected);
}

static void end_counter(struct counter *counter, int signal)
{
    kill(getpid(), signal);
    pthread_join(counter->thread, NULL);
    assert_int_equal(counter->result, 0);
    close(counter->loop.wake_fd);
    close(counter->input[0]);
    close(counter->input[1]);
}

static void one_cycle_for_each(int input)
{
    const uint64_t one = 1;
    struct counter counter;
    begin_counter(&counter, input);
    await_count(&counter.cycles, 1);
    for (int i = 2; i <= 3; i++) {
        assert_int_equal(write(counter.loop.wake_fd, &one, sizeof one), sizeof one);
        await_count(&counter.cycles, i);
    }
    assert_int_equal(write(counter.input[1], "", 1), 1);
    await_count(&counter.cycles, 4);
    for (int i = 1; i <= 2; i++) {
        kill(getpid(), SIGHUP);
        await_count(&counter.reloads, i);
        await_count(&counter.cycles, 4 + i);
    }
    end_counter(&counter, SIGTERM);
}

static void one_cycle_for_each_reason(void **state)
{
    (void)state;
    for (int input = 0; input < LOOP_INPUTS; input++)
        one_cycle_for_each(input);
}

static void without_input(void **state)
{
    (void)state;
    struct counter counter;
    begin_counter(&counter, -1);
    await_count(&counter.cycles, 1);
    assert_int_equal(write(counter.input[1], "", 1), 1);
    await_count(&counter.cycles, 1);
    end_counter(&counter, SIGINT);
}

/* What cannot be watched is told, and no cycle begins. */
static void nothing_to_watch(void **state)
{
    (void)state;
    struct counter counter = {.result = -1};
    counter.loop = (struct loop){count_cycle,  count_reload, &counter, open("/dev/null", O_RDONLY),
                                 {-1, -1, -1}, {NULL}};
    assert_int_equal(loop_run(&counter.loop), EPERM);
    close(counter.loop.wake_fd);
    counter.loop.wake_fd = 12345;
    assert_int_equal(loop_run(&counter.loop), EBADF);
    counter.loop.wake_fd = -1;
    for (int i = 0; i < LOOP_INPUTS; i++) {
        counter.loop.input_fds[i] = 12345;
        assert_int_equal(loop_run(&counter.loop), EBADF);
        counter.loop.input_fds[i] = -1;
    }
    assert_int_equal(counter.cycles, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ready_and_stopping, set_up, tear_down),
        cmocka_unit_test_setup_teardown(watchdog_is_fed_in_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hup_reloads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_reload_keeps_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_alarm_wakes_who_notifies, set_up, tear_down),
        cmocka_unit_test(one_cycle_for_each_reason),
        cmocka_unit_test(without_input),
        cmocka_unit_test(nothing_to_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
