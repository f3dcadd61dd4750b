/* The daemon as a whole: start, reload, what is saved and when, the inventory. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events.h"
#include "said.h"

#define RX "<sensor name=\"rx\" metric=\"net.rx.bytes\"/>"

static const char elements[] =
    "<sensors><sensor name=\"load\" metric=\"load.1\" filter=\"f\"/>" RX
    "</sensors>\n<filters><filter name=\"f\" deadband=\"1\"/></filters>\n"
    "<thresholds><threshold name=\"high\" sensor=\"load\" "
    "operator=\"gt\" limit=\"5\"/></thresholds>";

static int node_setup(void **state)
{
    *state = node_new(elements);
    return 0;
}

static bool reload(struct node *node, char error[1024])
{
    return dcampd_reload(node->daemon, error);
}

static bool file_is_there(const struct node *node, const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", node->state_dir, name);
    return access(path, F_OK) == 0;
}

static void file_write(const struct node *node, const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "/state/%s", name);
    tree_write(&node->tree, path, text);
}

/* The state file, as it is now, to be freed. */
static char *saved_text(const struct node *node)
{
    char path[PATH_MAX + 64];
    size_t length;
    snprintf(path, sizeof path, "%s/state.xml", node->state_dir);
    return file_text(path, &length);
}

static bool saved_has(const struct node *node, const char *text)
{
    char *all = saved_text(node);
    bool found = strstr(all, text) != NULL;
    free(all);
    return found;
}

/* -- Start ----------------------------------------------------------------------------------- */

static void refuse_start(struct node *node, const char *said)
{
    char error[1024] = "";
    struct dcampd_options options = {
        .config_path = node->config_path, .state_dir = node->state_dir, .root = node->tree.root};
    assert_null(dcampd_new(&options, error));
    assert_non_null(strstr(error, said));
}

/* A second daemon, and a state that cannot be read: neither starts, and the state stays. */
static void state_is_not_taken_over(void **state)
{
    struct node *node = *state;
    char path[PATH_MAX + 64];
    node_cycle(node, 0);
    node_wait_saved(node);
    refuse_start(node, "another dcampd (pid ");
    node_stop(node);
    char *before = saved_text(node);
    snprintf(path, sizeof path, "%s/state.xml.1", node->state_dir);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    file_write(node, "state.xml", "damaged");
    refuse_start(node, "state.xml.1: is a directory");
    file_write(node, "state.xml", before);
    free(before);
    assert_int_equal(rmdir(path), 0);
    node_start(node);
    assert_int_equal(node->daemon->boot, 2);
}

static const char *const bad_files[] = {
    "",
    "<dcamp",
    "<dcamp version=\"2\"/>",
    "<dcamp version=\"1\"><sensors><sensor name=\"a\"/></sensors></dcamp>",
    "<dcamp version=\"1\"><sensors><sensor name=\"a\" metric=\"no.metric\"/></sensors></dcamp>",
    "<dcamp version=\"1\"><thresholds><threshold name=\"a\" sensor=\"b\" operator=\"gt\" "
    "limit=\"1\"/></thresholds></dcamp>",
};

static void bad_configuration_at_start(void **state)
{
    struct node *node = *state;
    struct dcampd_options options = {.config_path = node->config_path,
                                     .state_dir = node->state_dir};
    for (size_t i = 0; i < N_OF(bad_files); i++) {
        char error[1024] = "";
        tree_write(&node->tree, "/dcamp.xml", bad_files[i]);
        assert_null(dcampd_new(&options, error));
        assert_true(strlen(error) > strlen(node->config_path));
        assert_null(strchr(error, '\n'));
    }
    char error[1024] = "";
    options.config_path = "/nowhere/at/all.xml";
    assert_null(dcampd_new(&options, error));
    assert_non_null(strstr(error, "/nowhere/at/all.xml"));
    dcampd_free(NULL);
}

/* What a node says of its place in the tree is what it was told by its configuration, and nothing
 * where it was told nothing: a level of 0 would make every node a root. */
static void place_in_the_tree(void **state)
{
    struct node *node = *state;
    static const char child[] =
        "<credentials><credential name=\"c\" user=\"u\" secrets=\"/nowhere\"/></credentials>"
        "<children><child name=\"k\" address=\"udp:192.0.2.1:161\" credential=\"c\"/></children>";
    static const struct {
        const char *place, *more, *parent;
        int64_t level; /* -1: not there */
        int role;
    } cases[] = {
        {"", "", "", -1, dcampNodeRole_base},
        {"", child, "", -1, dcampNodeRole_collector},
        {"level=\"0\"", child, "", 0, dcampNodeRole_root},
        {"level=\"0\"", "", "", 0, dcampNodeRole_base},
        {"parent=\"top\" level=\"1\"", child, "top", 1, dcampNodeRole_collector},
        {"parent=\"top\"", child, "top", -1, dcampNodeRole_collector},
        {"parent=\"region.2\" level=\"255\"", "", "region.2", 255, dcampNodeRole_base},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text, "<dcamp version=\"1\"><node name=\"lap\" %s/>%s</dcamp>",
                 cases[i].place, cases[i].more);
        tree_write(&node->tree, "/dcamp.xml", text);
        node_start_again(node);
        node_cycle(node, 0);
        assert_cell_text(node, MIB_dcampNodeParent, NULL, NULL, cases[i].parent);
        assert_int_equal(node_has(node, MIB_dcampNodeLevel, NULL, NULL), cases[i].level >= 0);
        if (cases[i].level >= 0)
            assert_int_equal(number_at(node, MIB_dcampNodeLevel, NULL, NULL), cases[i].level);
        assert_int_equal(number_at(node, MIB_dcampNodeRole, NULL, NULL), cases[i].role);
    }
}

/* No sensors, nothing to wait for but the inventory. */
static void empty_configuration(void **state)
{
    struct node *node = *state;
    node_configure(node, "lap", "");
    node_start_again(node);
    assert_int_equal(number_at(node, MIB_dcampNodeRole, NULL, NULL), dcampNodeRole_base);
    node_cycle(node, 0);
    node_wait_saved(node);
    int64_t due = node_cycle(node, 1000);
    assert_in_range(due, NS_PER_S, 60 * NS_PER_S);
    assert_int_equal(node->daemon->self.cycles, 0);
    assert_int_equal(node->daemon->report.last, 1); /* there is no alarm */
    assert_true(node->daemon->inventory.resources.count > 0);
}

static void boots_are_counted(void **state)
{
    struct node *node = *state;
    for (uint32_t boot = 1; boot < 5; boot++) {
        assert_int_equal(number_at(node, MIB_dcampNodeBoot, NULL, NULL), boot);
        node_cycle(node, 1000); /* which saves it, even where nothing else happens */
        node_wait_saved(node);
        dcampd_free(node->daemon);
        node_start(node);
    }
}

static const char *const bad_states[] = {"", "<", "<dcamp-state/>", "rubbish",
                                         "<?xml version=\"1.0\"?>\n<dcamp version=\"1\"/>"};

/* A bad state file is put aside and the one before it is taken; with none, the daemon begins
 * anew. */
static void bad_state_at_start(void **state)
{
    struct node *node = *state;
    for (size_t i = 0; i < N_OF(bad_states); i++) {
        node_start_again(node);
        node_start_again(node); /* so that there is one before the last */
        uint32_t boot = node->daemon->boot;
        node_stop(node);
        file_write(node, "state.xml", bad_states[i]);
        node_start(node);
        assert_int_equal(node->daemon->boot, boot);
        assert_true(file_is_there(node, "state.xml.bad"));
        node_stop(node);
        file_write(node, "state.xml", bad_states[i]);
        file_write(node, "state.xml.1", bad_states[N_OF(bad_states) - 1 - i]);
        node_start(node);
        assert_int_equal(node->daemon->boot, 1);
        node_cycle(node, 1000);
        assert_true(node_has(node, MIB_dcampValueText, "load", "total"));
    }
}

/* -- Reload ---------------------------------------------------------------------------------- */

static void set_some(struct node *node)
{
    const struct bind binds[] = {
        {MIB_dcampSensorRowStatus, "mine", dcampSensorRowStatus_createAndGo, NULL},
        {MIB_dcampSensorMetric, "mine", 0, "load.5"},
        {MIB_dcampSensorInterval, "load", 3000, NULL},
    };
    assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
}

static void good_reload(void **state)
{
    struct node *node = *state;
    char error[1024];
    set_some(node);
    node_cycle(node, 0);
    uint32_t number = (uint32_t)number_at(node, MIB_dcampValueSeries, "rx", "eth0");
    uint32_t serial = node->daemon->config->serial;
    node_configure(node, "lap",
                   "<sensors><sensor name=\"load\" metric=\"load.1\" filter=\"f\"/>" RX
                   "<sensor name=\"new\" metric=\"load.15\"/></sensors>"
                   "<filters><filter name=\"f\" deadband=\"1\"/></filters>");
    assert_true(reload(node, error));
    assert_int_equal(node->daemon->config->serial, serial + 1);
    node_cycle(node, 1000);
    assert_true(node_has(node, MIB_dcampValueText, "new", "total"));
    assert_true(node_has(node, MIB_dcampValueText, "mine", "total"));
    assert_int_equal(number_at(node, MIB_dcampSensorInterval, "load", NULL), 3000);
    assert_false(node_has(node, MIB_dcampThresholdRaised, "high", NULL));
    /* What did not change goes on. */
    assert_int_equal(number_at(node, MIB_dcampValueSeries, "rx", "eth0"), number);
    assert_int_equal(number_at(node, MIB_dcampValueSamples, "rx", "eth0"), 2);
}

/* The file says something else of a row that was SET: the file counts. */
static void file_wins_where_it_changed(void **state)
{
    struct node *node = *state;
    char error[1024];
    set_some(node);
    node_configure(node, "lap",
                   "<sensors><sensor name=\"load\" metric=\"load.1\" interval=\"7s\"/>" RX
                   "<sensor name=\"mine\" metric=\"load.15\"/></sensors>");
    assert_true(reload(node, error));
    node_cycle(node, 0);
    assert_int_equal(number_at(node, MIB_dcampSensorInterval, "load", NULL), 7000);
    assert_cell_text(node, MIB_dcampSensorMetric, "mine", NULL, "load.15");
    assert_int_equal(number_at(node, MIB_dcampSensorStorageType, "mine", NULL),
                     dcampSensorStorageType_permanent);
}

static void reload_without_a_change(void **state)
{
    struct node *node = *state;
    char error[1024];
    set_some(node);
    node_cycle(node, 0);
    node_wait_saved(node);
    uint32_t serial = node->daemon->config->serial;
    for (int i = 0; i < 3; i++) {
        assert_true(reload(node, error));
        node_cycle(node, 1000);
        assert_int_equal(node->daemon->config->serial, serial);
    }
    assert_int_equal(number_at(node, MIB_dcampValueSamples, "rx", "eth0"), 4);
    /* Alarms are told under the node's name, which is in the new configuration now. */
    node_load(node, "9.00");
    assert_true(reload(node, error));
    node_cycle(node, 3000);
    assert_string_equal(active_alarm(node, "lap:high:total")->facts.node, "lap");
}

/* What is no row is not in the serial, and is applied all the same. */
static void reload_of_a_setting_alone(void **state)
{
    struct node *node = *state;
    char error[1024];
    node_cycle(node, 0);
    assert_string_equal(node->daemon->outlet.group, "default");
    uint32_t serial = node->daemon->config->serial;
    node_configure(node, "lap\" group=\"blue", elements);
    assert_true(reload(node, error));
    node_cycle(node, 1000);
    assert_int_equal(node->daemon->config->serial, serial);
    assert_string_equal(node->daemon->outlet.group, "blue");
}

static void bad_reload(void **state)
{
    struct node *node = *state;
    set_some(node);
    node_load(node, "9.00");
    node_cycle(node, 0);
    const struct config *config = node->daemon->config;
    uint32_t serial = config->serial;
    uint64_t reloads = node->daemon->reloads;
    for (size_t i = 0; i < N_OF(bad_files); i++) {
        char error[1024] = "";
        tree_write(&node->tree, "/dcamp.xml", bad_files[i]);
        assert_false(reload(node, error));
        assert_non_null(strstr(error, node->config_path));
        assert_ptr_equal(node->daemon->config, config);
        assert_int_equal(config->serial, serial);
        assert_int_equal(node->daemon->reloads, reloads);
        node_cycle(node, 1000);
        assert_events(node, "lap:high:total", 1, 0);
    }
    tree_remove(&node->tree, "/dcamp.xml");
    char error[1024];
    assert_false(reload(node, error));
    assert_ptr_equal(node->daemon->config, config);
}

/* Name, state directory, socket and report ring stay until a restart; the alarm limits follow. */
static void what_a_reload_leaves_as_it_was(void **state)
{
    struct node *node = *state;
    char error[1024];
    uint32_t ping_ms = node->daemon->config->agentx.ping_ms;
    node_configure(node, "other",
                   "<agentx socket=\"unix:/elsewhere\" ping=\"77s\"/><report keep=\"16\"/>"
                   "<state directory=\"/elsewhere\"/><alarms log=\"11\" rate=\"3\"/>");
    assert_true(reload(node, error));
    node_cycle(node, 1000);
    const struct config *config = node->daemon->config;
    assert_string_equal(config->node.name, "lap");
    assert_string_equal(config->state_dir, node->state_dir);
    assert_string_not_equal(config->agentx.socket, "unix:/elsewhere");
    assert_int_equal(config->agentx.ping_ms, ping_ms);
    assert_int_equal(config->report.keep, 600);
    assert_int_equal(node->daemon->alarms.limits.log_size, 11);
    assert_int_equal(node->daemon->alarms.limits.rate, 3);
    node_start_again(node);
    assert_string_equal(node->daemon->config->node.name, "other");
    assert_int_equal(node->daemon->config->report.keep, 16);
}

/* -- Saving ---------------------------------------------------------------------------------- */

static void a_set_is_saved_at_once(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    node_wait_saved(node);
    assert_false(dcampd_dirty(node->daemon));
    assert_false(saved_has(node, "mine"));
    set_some(node);
    assert_true(dcampd_dirty(node->daemon));
    assert_int_equal(number_at(node, MIB_dcampSelfStateDirty, NULL, NULL),
                     dcampSelfStateDirty_true);
    node_cycle(node, 1); /* as soon as the core runs */
    node_wait(node);
    assert_false(dcampd_dirty(node->daemon));
    assert_int_equal(number_at(node, MIB_dcampSelfStateDirty, NULL, NULL),
                     dcampSelfStateDirty_false);
    assert_true(saved_has(node, "mine"));
    assert_true(node_has(node, MIB_dcampSelfStateSaved, NULL, NULL));
    dcampd_free(node->daemon);
    node_start(node);
    assert_cell_text(node, MIB_dcampSensorMetric, "mine", NULL, "load.5");
    assert_int_equal(number_at(node, MIB_dcampSensorInterval, "load", NULL), 3000);
}

/* What thresholds and alarms do is gathered for a second; a notification waits for its state. */
static void alarms_are_saved_within_a_second(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    node_wait_saved(node);
    node_cycle(node, 10000);
    uint64_t saved_ns = node->daemon->saving.last_ns;
    node_load(node, "9.00");
    node_cycle(node, 1000);
    assert_null(alarms_peek(&node->daemon->alarms));
    node_wait(node);
    assert_false(dcampd_dirty(node->daemon));
    assert_true(saved_has(node, "lap:high:total"));
    assert_true(node->daemon->saving.last_ns > saved_ns);
    node_cycle(node, 1);
    assert_int_equal(alarms_peek(&node->daemon->alarms)->facts.event, ALARM_RAISED);
    /* Soon after: not at once, but when the cycle says. */
    node_set_one(node, MIB_dcampSensorInterval, "load", 100, NULL);
    node_cycle(node, 200);
    node_wait(node);
    saved_ns = node->daemon->saving.last_ns;
    alarm_acknowledge(&node->daemon->alarms, "lap:high:total", "seen", node->now);
    int64_t due = node_cycle(node, 200);
    assert_true(dcampd_dirty(node->daemon));
    assert_int_equal(node->daemon->saving.last_ns, saved_ns);
    assert_in_range(due, 1, NS_PER_S - 200 * NS_PER_MS);
    for (int i = 0; i < 8; i++)
        node_cycle(node, 100);
    node_wait(node);
    assert_false(dcampd_dirty(node->daemon));
    assert_int_equal(node->daemon->saving.last_ns, saved_ns + NS_PER_S);
}

/* Without a directory to write to: counted, dirty, tried again every second, and well in the end.
 */
static void state_that_cannot_be_written(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    node_wait_saved(node);
    tree_remove(&node->tree, "/state");
    set_some(node);
    for (int i = 1; i < 4; i++) {
        node_cycle(node, 1000);
        node_wait(node);
        assert_true(dcampd_dirty(node->daemon));
        assert_int_equal(number_at(node, MIB_dcampSelfStateErrors, NULL, NULL), i);
        assert_int_equal(number_at(node, MIB_dcampSelfStateDirty, NULL, NULL),
                         dcampSelfStateDirty_true);
    }
    node_cycle(node, 100); /* not before the second is over */
    node_wait(node);
    assert_int_equal(number_at(node, MIB_dcampSelfStateErrors, NULL, NULL), 3);
    assert_int_equal(mkdir(node->state_dir, 0700), 0);
    node_cycle(node, 900);
    node_wait(node);
    assert_false(dcampd_dirty(node->daemon));
    assert_true(saved_has(node, "mine"));
}

/* -- Inventory ------------------------------------------------------------------------------- */

static bool has_process(struct node *node, const char *name, uint32_t pid)
{
    struct mib_value value;
    struct mib_oid oid = cell_of(MIB_dcampProcessIdentifier, name, NULL);
    oid.id[oid.len++] = pid;
    return node_get(node, &oid, &value) == ENGINE_OK;
}

/* Five seconds after the first scan, then every ten minutes; two seconds after the last scan, if
 * somebody asks. */
static void processes_are_scanned_when_somebody_asks(void **state)
{
    struct node *node = *state;
    node_configure(node, "lap", "");
    node_process(node, 7, "seven");
    node_start_again(node);
    node_cycle(node, 0);
    node_cycle(node, 5000);
    node_process(node, 8, "eight");
    for (int i = 0; i < 599; i++)
        node_cycle(node, 1000);
    assert_int_equal(node->daemon->inventory.processes.count, 1);
    node_cycle(node, 1000);
    assert_int_equal(node->daemon->inventory.processes.count, 2);
    tree_remove(&node->tree, "/proc/7");
    assert_true(has_process(node, "seven", 7)); /* asked */
    node_cycle(node, 1999);
    assert_int_equal(node->daemon->inventory.processes.count, 2);
    node_cycle(node, 1);
    assert_int_equal(node->daemon->inventory.processes.count, 1);
    assert_false(has_process(node, "seven", 7));
    assert_true(has_process(node, "eight", 8));
}

static bool has_resource(struct node *node, uint32_t class, const char *name)
{
    struct mib_value value;
    struct mib_oid oid = cell_of(MIB_dcampResourceSize, "", NULL);
    oid.len--;
    oid.id[oid.len++] = class;
    oid.len += index_key_text(oid.id + oid.len, name);
    return node_get(node, &oid, &value) == ENGINE_OK;
}

/* By the samples of a sensor, or by its own reading: a minute after the last one if somebody asks.
 */
static void resources_follow_the_machine(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    assert_true(has_resource(node, RESOURCE_INTERFACE, "eth0"));
    assert_true(has_resource(node, RESOURCE_CPU, "1"));
    assert_true(has_resource(node, RESOURCE_PARTITION, "nvme0n1p2"));
    assert_true(has_resource(node, RESOURCE_DISK, "nvme0n1"));
    assert_false(has_resource(node, RESOURCE_DISK, "nvme0n1p2"));
    assert_false(has_resource(node, RESOURCE_NODE, "total"));
    node_network(node, (const struct interface[]){{"tap7", 1}}, 1);
    tree_write(&node->tree, "/proc/diskstats", "   8 0 sdz 1 2 3 4 5 6 7 8 9 10 11\n");
    node_cycle(node, 1000);
    assert_true(has_resource(node, RESOURCE_INTERFACE, "tap7"));
    assert_false(has_resource(node, RESOURCE_INTERFACE, "eth0"));
    assert_true(has_resource(node, RESOURCE_DISK, "nvme0n1")); /* no sensor reads disks */
    node_cycle(node, 59000);
    assert_true(has_resource(node, RESOURCE_DISK, "sdz"));
    assert_false(has_resource(node, RESOURCE_DISK, "nvme0n1"));
}

/* Within the first seconds of the machine itself, too. */
static void inventory_right_after_boot(void **state)
{
    struct node *node = *state;
    node->now.mono_ns = NS_PER_S;
    node_configure(node, "lap", "");
    node_start_again(node);
    node_cycle(node, 0);
    assert_true(has_resource(node, RESOURCE_DISK, "nvme0n1"));
}

/* A start, some cycles and a reload that are as they should be: the log has nothing else. */
static void nothing_to_complain_of(void **state)
{
    (void)state;
    char error[1024];
    said_begin();
    struct node *node = node_new(elements);
    for (int i = 0; i < 3; i++)
        node_cycle(node, 1000);
    bool reloaded = reload(node, error);
    node_cycle(node, 1000);
    node_stop(node);
    char *said = strdup(said_now());
    said_end();
    assert_true(reloaded);
    assert_string_equal(said, "");
    free(said);
    node_free(node);
}

static void what_needs_a_restart(void **state)
{
    struct node *node = *state;
    static const struct {
        const char *name, *elements;
        bool told;
    } cases[] = {
        {"lap", "", false},
        {"lap", "<alarms log=\"20\"/>", false},
        {"top", "", true},
        {"lap", "<agentx ping=\"16s\"/>", true},
        {"lap", "<report keep=\"99\"/>", true},
        {"lap", "<applications directory=\"/nonexistent\"/>", true},
        {"lap", "", false},
    };
    char error[1024], text[1024];
    for (size_t i = 0; i < N_OF(cases); i++) {
        snprintf(text, sizeof text, "%s%s", cases[i].elements, elements);
        node_configure(node, cases[i].name, text);
        said_begin();
        bool reloaded = reload(node, error);
        bool told = strcmp(said_now(),
                           "warning config: the node's name, <agentx>, <state>, "
                           "<applications directory> and <report> change only at a restart\n") == 0;
        said_end();
        if (!reloaded || told != cases[i].told)
            fail_msg("case %zu: %s", i, reloaded ? "" : error);
        assert_string_equal(node->daemon->config->node.name, "lap");
    }
}

/* Each in a process of its own: limits do not go up again. */
static void how_many_files(void **state)
{
    (void)state;
    static const struct {
        rlim_t soft, hard, then;
    } cases[] = {{64, 64, 64},     {63, 64, 64}, {0, 1024, 64},
                 {100, 1024, 100}, {63, 63, 0},  {5, 63, 0}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        int status = -1;
        pid_t pid = fork();
        if (pid == 0) {
            char error[1024] = "";
            struct rlimit limit = {cases[i].soft, cases[i].hard};
            bool set = setrlimit(RLIMIT_NOFILE, &limit) == 0;
            bool good = dcampd_may_run(error) && getrlimit(RLIMIT_NOFILE, &limit) == 0;
            const char *expected =
                good ? ""
                     : "only 63 files may be open at once, dcampd needs 64: raise ulimit -n, or "
                       "LimitNOFILE= of the unit";
            _exit(!set || (good ? limit.rlim_cur : 0) != cases[i].then ||
                  strcmp(error, expected) != 0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status != 0)
            fail_msg("case %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_complain_of),
        node_test(what_needs_a_restart),
        cmocka_unit_test(how_many_files),
        node_test(bad_configuration_at_start),
        node_test(empty_configuration),
        node_test(place_in_the_tree),
        node_test(boots_are_counted),
        node_test(bad_state_at_start),
        node_test(state_is_not_taken_over),
        node_test(good_reload),
        node_test(file_wins_where_it_changed),
        node_test(reload_without_a_change),
        node_test(reload_of_a_setting_alone),
        node_test(bad_reload),
        node_test(what_a_reload_leaves_as_it_was),
        node_test(a_set_is_saved_at_once),
        node_test(alarms_are_saved_within_a_second),
        node_test(state_that_cannot_be_written),
        node_test(processes_are_scanned_when_somebody_asks),
        node_test(resources_follow_the_machine),
        node_test(inventory_right_after_boot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
