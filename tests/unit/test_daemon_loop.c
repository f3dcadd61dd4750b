/* The loop of the core thread: what it tells the service manager (sd_notify(3)), and signals. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void *run(void *context)
{
    struct manager *manager = context;
    manager->result = dcampd_run(manager->node->daemon, &nobody);
    return NULL;
}

static int set_up(void **state)
{
    struct manager *manager = calloc(1, sizeof *manager);
    loop_block_signals();
    manager->node = node_new(SENSOR);
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
    uint64_t begin = clock_mono_ns();
    for (int i = 0; i < 5; i++)
        expect(*state, "WATCHDOG=1");
    assert_true(clock_mono_ns() - begin < NS_PER_S);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ready_and_stopping, set_up, tear_down),
        cmocka_unit_test_setup_teardown(watchdog_is_fed_in_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hup_reloads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_reload_keeps_all, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
