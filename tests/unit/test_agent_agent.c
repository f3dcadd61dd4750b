/* The agent's thread, with a master at the other end: what it serves, what it tells of itself, and
 * in which order; when it wakes up. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>

/* The tests have a struct tree, too. */
#define tree snmp_tree
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#undef tree

/* For what it does with times. */
#include "agent/agent.c"

#include "manager.h"
#include "masters.h"
#include "rings.h"
#include "said.h"
#include "scarce.h"

#define SESSION 42

static const char elements[] =
    "<agentx ping=\"1h\" timeout=\"1m\"/>"
    "<sensors><sensor name=\"load\" metric=\"load.1\" interval=\"1s\"/></sensors>"
    "<thresholds>"
    "<threshold name=\"high\" sensor=\"load\" operator=\"ge\" limit=\"0.1\"/>"
    "<threshold name=\"higher\" sensor=\"load\" operator=\"ge\" limit=\"0.2\"/>"
    "<threshold name=\"highest\" sensor=\"load\" operator=\"ge\" limit=\"0.3\"/>"
    "</thresholds>";

static struct scene {
    struct node *node;
    struct dcampd *core;
    struct master master;
    void *server;
    long packets;
} scene;

static int scene_setup(void **state)
{
    (void)state;
    scene = (struct scene){.node = node_new(elements)};
    scene.core = scene.node->daemon;
    master_begin(&scene.master);
    text_format(scene.core->config->agentx.socket, sizeof scene.core->config->agentx.socket, "%s",
                scene.master.address);
    node_load(scene.node, "0.01");
    node_cycle(scene.node, 0);
    node_wait_saved(scene.node);
    return 0;
}

static int scene_teardown(void **state)
{
    (void)state;
    if (scene.server)
        agent_server.stop(scene.server);
    master_end(&scene.master);
    node_free(scene.node);
    return 0;
}

/* -- Steps ----------------------------------------------------------------------------------- */

static netsnmp_pdu *hear(enum agentx_type type)
{
    netsnmp_pdu *pdu = master_await(&scene.master);
    assert_non_null(pdu);
    assert_int_equal(pdu->command, type);
    return pdu;
}

static void answer(long id, long error)
{
    netsnmp_pdu *pdu = master_pdu(AGENTX_RESPONSE, SESSION, 0, id);
    pdu->errstat = error;
    master_say(&scene.master, pdu);
}

static void answer_next(enum agentx_type type)
{
    netsnmp_pdu *pdu = hear(type);
    answer(pdu->reqid, 0);
    snmp_free_pdu(pdu);
}

static void attach(void)
{
    assert_true(master_accept(&scene.master));
    answer_next(AGENTX_OPEN);
    answer_next(AGENTX_REGISTER);
    answer_next(AGENTX_ADD_CAPS);
}

static void start(void)
{
    char error[1024] = "";
    scene.server = agent_server.start(scene.core, error);
    assert_string_equal(error, "");
    assert_non_null(scene.server);
}

static void stop(void)
{
    agent_server.stop(scene.server);
    scene.server = NULL;
}

/* The thread is done with all that came before; what it had to say of itself, it has said. */
static void assert_nothing_told(void)
{
    for (int i = 0; i < 2; i++) {
        netsnmp_pdu *pdu = master_pdu(AGENTX_GET, SESSION, 1, ++scene.packets + 100000);
        struct mib_oid cell = cell_of(MIB_dcampNodeName, NULL, NULL);
        oid name[OID_MAX];
        for (size_t arc = 0; arc < cell.len; arc++)
            name[arc] = cell.id[arc];
        snmp_add_null_var(pdu, name, cell.len);
        master_say(&scene.master, pdu);
        agent_server.wake(scene.server);
        pdu = hear(AGENTX_RESPONSE);
        assert_int_equal(pdu->reqid, scene.packets + 100000);
        assert_memory_equal(pdu->variables->val.string, "lap", 3);
        snmp_free_pdu(pdu);
    }
}

/* Raises the alarms of all thresholds; what is told waits in the queue. */
static void raise_alarms(void)
{
    node_load(scene.node, "0.90");
    node_cycle(scene.node, 1000);
    dcampd_lock(scene.core);
    alarms_gate(&scene.core->alarms, 0, true);
    assert_int_equal(scene.core->alarms.queued, 3);
    dcampd_unlock(scene.core);
    agent_server.wake(scene.server);
}

static struct alarms *alarms(void)
{
    return &scene.core->alarms;
}

/* The key of the alarm that a notification tells of. */
static const char *key_of(const netsnmp_pdu *pdu)
{
    static char key[MESSAGE_SIZE];
    const netsnmp_variable_list *var = pdu->variables->next_variable;
    assert_true(var->val_len < sizeof key);
    memcpy(key, var->val.string, var->val_len);
    key[var->val_len] = '\0';
    return key;
}

static long hear_alarm(char key[MESSAGE_SIZE])
{
    netsnmp_pdu *pdu = hear(AGENTX_NOTIFY);
    long id = pdu->reqid;
    strcpy(key, key_of(pdu));
    snmp_free_pdu(pdu);
    return id;
}

/* -- The thread ------------------------------------------------------------------------------ */

static size_t open_files(void)
{
    size_t n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void it_serves(void **state)
{
    (void)state;
    size_t before = open_files();
    start();
    assert_true(master_accept(&scene.master));
    netsnmp_pdu *pdu = hear(AGENTX_OPEN);
    const char *description = "dCAMP node, dcampd " PACKAGE_VERSION;
    assert_int_equal(pdu->variables->val_len, strlen(description));
    assert_memory_equal(pdu->variables->val.string, description, strlen(description));
    answer(pdu->reqid, 0);
    snmp_free_pdu(pdu);
    answer_next(AGENTX_REGISTER);
    answer_next(AGENTX_ADD_CAPS);
    assert_nothing_told();
    assert_int_equal(scene.core->self.requests, 2);
    assert_int_equal(scene.core->self.reconnects, 0);
    stop();
    pdu = hear(AGENTX_CLOSE);
    assert_int_equal(pdu->errstat, AGENTX_REASON_SHUTDOWN);
    snmp_free_pdu(pdu);
    master_hang_up(&scene.master);
    assert_int_equal(open_files(), before);
}

static void it_does_not_start(void **state)
{
    (void)state;
    char error[1024];
    size_t before = open_files();
    static const char *const errors[] = {"no memory",
                                         "its thread cannot be started: Cannot allocate memory"};
    for (size_t nth = 1; nth <= N_OF(errors); nth++) {
        scarce_fail(nth);
        assert_null(agent_server.start(scene.core, error));
        assert_true(scarce_stop());
        assert_string_equal(error, errors[nth - 1]);
    }
    assert_int_equal(open_files(), before);
}

/* The master comes back: that is counted, but not the first time. */
static void it_comes_back(void **state)
{
    (void)state;
    start();
    attach();
    assert_nothing_told();
    assert_int_equal(scene.core->self.reconnects, 0);
    for (unsigned times = 1; times <= 2; times++) {
        master_hang_up(&scene.master);
        attach();
        assert_nothing_told();
        assert_int_equal(scene.core->self.reconnects, times);
    }
}

/* The timer rings again and again. */
static void pings(void **state)
{
    (void)state;
    scene.core->config->agentx.ping_ms = 100;
    start();
    attach();
    for (int i = 0; i < 3; i++)
        answer_next(AGENTX_PING);
}

/* -- What is told ---------------------------------------------------------------------------- */

static void alarms_one_at_a_time(void **state)
{
    (void)state;
    char first[MESSAGE_SIZE], key[MESSAGE_SIZE];
    start();
    attach();
    assert_nothing_told();
    raise_alarms();
    long id = hear_alarm(first);
    assert_nothing_told(); /* until it is answered */
    assert_int_equal(alarms()->queued, 3);
    answer(id, 0);
    id = hear_alarm(key);
    assert_string_not_equal(key, first);
    assert_int_equal(alarms()->queued, 2);
    assert_int_equal(alarms()->sent, 1);
    assert_nothing_told();
    /* Refused: it is dropped, and the next one has its turn. */
    answer(id, AGENTX_PROCESSING_ERROR);
    id = hear_alarm(key);
    assert_int_equal(alarms()->queued, 1);
    assert_int_equal(alarms()->sent, 1);
    assert_int_equal(alarms()->dropped, 1);
    answer(id, 0);
    assert_nothing_told();
    assert_int_equal(alarms()->queued, 0);
    assert_int_equal(alarms()->sent, 2);
}

static void refusals_are_logged(void **state)
{
    (void)state;
    char key[MESSAGE_SIZE];
    said_begin();
    start();
    attach();
    raise_alarms();
    long id = hear_alarm(key);
    dcampd_lock(scene.core);
    uint32_t sequence = alarms_peek(alarms())->facts.sequence;
    dcampd_unlock(scene.core);
    said_now();
    answer(id, AGENTX_PROCESSING_ERROR);
    id = hear_alarm(key);
    char expected[128];
    text_format(expected, sizeof expected,
                "error notify: the master refused notification %u: error 268\n", sequence);
    const char *said = said_now();
    answer(id, 0);
    hear_alarm(key);
    const char *nothing = strdup(said);
    said_end();
    assert_string_equal(nothing, expected);
    free((void *)(uintptr_t)nothing);
}

/* A master that has forgotten the session has not told anybody: it goes to the next one. */
static void not_delivered(void **state)
{
    (void)state;
    char first[MESSAGE_SIZE], key[MESSAGE_SIZE];
    start();
    attach();
    raise_alarms();
    long id = hear_alarm(first);
    answer(id, AGENTX_NOT_OPEN);
    id = hear_alarm(key);
    assert_string_equal(key, first);
    master_hang_up(&scene.master);
    attach();
    id = hear_alarm(key);
    assert_string_equal(key, first);
    assert_int_equal(alarms()->queued, 3);
    answer(id, 0);
    hear_alarm(key);
    assert_string_not_equal(key, first);
    assert_int_equal(alarms()->dropped, 0);
}

/* The queue has dropped it meanwhile: the answer is not that of the next one. */
static void dropped_in_flight(void **state)
{
    (void)state;
    char first[MESSAGE_SIZE], key[MESSAGE_SIZE];
    start();
    attach();
    raise_alarms();
    long id = hear_alarm(first);
    dcampd_lock(scene.core);
    alarms_pop(alarms(), false);
    dcampd_unlock(scene.core);
    answer(id, 0);
    hear_alarm(key);
    assert_string_not_equal(key, first);
    assert_int_equal(alarms()->queued, 2);
    assert_int_equal(alarms()->sent, 0);
}

/* -- Blocks ---------------------------------------------------------------------------------- */

/* So many blocks in the ring, of which the first one is the number that is returned. */
static uint32_t make_blocks(size_t n)
{
    dcampd_lock(scene.core);
    uint32_t first = scene.core->report.last + 1;
    while (n-- > 0)
        ring_value(&scene.core->report, 1, 1.5);
    dcampd_unlock(scene.core);
    return first;
}

static void push(uint32_t first, uint32_t last)
{
    dcampd_lock(scene.core);
    push_open(&scene.core->push, 1000, 0);
    push_blocks(&scene.core->push, first, last, NS_PER_S);
    dcampd_unlock(scene.core);
    agent_server.wake(scene.server);
}

/* The number of the block that a notification brings. */
static long hear_block(uint32_t *number)
{
    netsnmp_pdu *pdu = hear(AGENTX_NOTIFY);
    long id = pdu->reqid;
    const netsnmp_variable_list *var = pdu->variables;
    for (int i = 0; i < 4; i++)
        var = var->next_variable;
    assert_null(var->next_variable);
    *number = (uint32_t)var->name[var->name_length - 1];
    snmp_free_pdu(pdu);
    return id;
}

static void blocks_one_at_a_time(void **state)
{
    (void)state;
    uint32_t number;
    start();
    attach();
    assert_nothing_told();
    uint32_t first = make_blocks(2);
    push(first, first + 1);
    long id = hear_block(&number);
    assert_int_equal(number, first);
    assert_nothing_told();
    answer(id, 0);
    id = hear_block(&number);
    assert_int_equal(number, first + 1);
    assert_int_equal(scene.core->push.sent, 1);
    answer(id, 268);
    assert_nothing_told();
    assert_int_equal(scene.core->push.sent, 1);
    assert_int_equal(scene.core->push.held, 1);
    assert_int_equal(push_next(&scene.core->push), 0);
}

/* Some are not kept any more. */
static void blocks_that_are_gone(void **state)
{
    (void)state;
    uint32_t number;
    start();
    attach();
    assert_nothing_told();
    uint32_t last = make_blocks(1);
    push(last, last + 3);
    hear_block(&number);
    assert_int_equal(number, last);
    master_hang_up(&scene.master);
    attach(); /* nothing of what waited is pushed any more */
    assert_nothing_told();
    assert_int_equal(scene.core->push.held, 4);
    push(last + 1, last + 2);
    assert_nothing_told();
    assert_int_equal(scene.core->push.held, 2);
    assert_int_equal(scene.core->push.sent, 0);
}

static void alarms_before_blocks(void **state)
{
    (void)state;
    char key[MESSAGE_SIZE];
    uint32_t number;
    start();
    attach();
    assert_nothing_told();
    uint32_t first = make_blocks(1);
    raise_alarms();
    long id = hear_alarm(key);
    push(first, first);
    assert_nothing_told();
    for (int i = 0; i < 2; i++) {
        answer(id, 0);
        id = hear_alarm(key);
    }
    answer(id, 0);
    id = hear_block(&number);
    assert_int_equal(number, first);
    assert_int_equal(alarms()->sent, 3);
    answer(id, 0);
    assert_nothing_told();
    assert_int_equal(alarms()->sent, 3);
    assert_int_equal(scene.core->push.sent, 1);
}

/* -- Times ----------------------------------------------------------------------------------- */

static void far_and_near(void **state)
{
    (void)state;
    static const struct {
        uint64_t due_ms, now_ms, when_ms;
    } cases[] = {
        {5000, 5000, 5000},   {6999, 5000, 6999}, {7000, 5000, 7002}, {7001, 5000, 8002},
        {7999, 5000, 8002},   {8000, 5000, 8002}, {1, 5000, 1},       {0, 0, 0},
        {15300, 5300, 16002}, {7299, 5300, 7299}, {7300, 5300, 8002},
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(with_the_core(cases[i].due_ms * NS_PER_MS, cases[i].now_ms * NS_PER_MS),
                         cases[i].when_ms * NS_PER_MS);
    assert_int_equal(with_the_core(7 * NS_PER_S - 1, 5 * NS_PER_S), 7 * NS_PER_S - 1);
    assert_int_equal(with_the_core(7 * NS_PER_S + 1, 5 * NS_PER_S), 8 * NS_PER_S + 2 * NS_PER_MS);
}

/* Nanoseconds until the timer rings; 0: it has, or it is not set. */
static uint64_t rings_in(const struct agent *agent)
{
    struct itimerspec left;
    assert_int_equal(timerfd_gettime(agent->timer_fd, &left), 0);
    return (uint64_t)left.it_value.tv_sec * NS_PER_S + (uint64_t)left.it_value.tv_nsec;
}

static void the_timer(void **state)
{
    (void)state;
    struct agent agent = {.timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)};
    uint64_t now_ns = clock_mono_ns(), due_ns = now_ns + 7000 * NS_PER_S + NS_PER_S / 2;
    ring_at(&agent, due_ns);
    assert_int_equal(agent.timer_ns, due_ns);
    assert_in_range(rings_in(&agent), 6900 * NS_PER_S, 7000 * NS_PER_S + NS_PER_S / 2);
    ring_at(&agent, due_ns + NS_PER_S); /* too early is early enough */
    ring_at(&agent, due_ns);
    assert_int_equal(agent.timer_ns, due_ns);
    ring_at(&agent, due_ns - 1);
    assert_int_equal(agent.timer_ns, due_ns - 1);
    ring_at(&agent, due_ns - 3000 * NS_PER_S);
    assert_in_range(rings_in(&agent), 3900 * NS_PER_S, 4000 * NS_PER_S + NS_PER_S / 2);
    ring_at(&agent, 0);
    assert_int_equal(agent.timer_ns, 1);
    uint64_t rings = 0;
    assert_int_equal(read(agent.timer_fd, &rings, sizeof rings), sizeof rings);
    assert_int_equal(rings, 1);
    agent.timer_ns = 0; /* as when it has rung */
    ring_at(&agent, due_ns);
    assert_int_equal(agent.timer_ns, due_ns);
    close(agent.timer_fd);
}

static void drained(void **state)
{
    (void)state;
    uint64_t count = 5;
    int fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE | EFD_CLOEXEC);
    assert_int_equal(write(fd, &count, sizeof count), sizeof count);
    drain_fd(fd);
    assert_int_equal(read(fd, &count, sizeof count), -1);
    close(fd);
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(it_serves),
        scene_test(it_does_not_start),
        scene_test(it_comes_back),
        scene_test(pings),
        scene_test(alarms_one_at_a_time),
        scene_test(refusals_are_logged),
        scene_test(not_delivered),
        scene_test(dropped_in_flight),
        scene_test(blocks_one_at_a_time),
        scene_test(blocks_that_are_gone),
        scene_test(alarms_before_blocks),
        cmocka_unit_test(far_and_near),
        cmocka_unit_test(the_timer),
        cmocka_unit_test(drained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
