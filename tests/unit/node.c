#include "node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "agent/tables.h"

void node_start(struct node *node)
{
    char error[1024] = "";
    struct dcampd_options options = {
        .config_path = node->config_path, .state_dir = node->state_dir, .root = node->tree.root};
    node->daemon = dcampd_new(&options, error);
    if (!node->daemon)
        fail_msg("%s", error);
    assert_null(engine_open(&node->engine, dcamp_tables, dcamp_table_count));
    if (node->now.mono_ns)
        return;
    uint64_t hour = 3600 * NS_PER_S; /* where windows begin */
    node->now.mono_ns = (node->daemon->started.mono_ns / hour + 2) * hour;
    node->now.wall_ms = INT64_C(1700000000000);
}

void node_configure(struct node *node, const char *name, const char *elements)
{
    char text[16384], applications[PATH_MAX + 64] = "";
    if (!strstr(elements, "<applications"))
        snprintf(applications, sizeof applications, "<applications directory=\"%s\"/>",
                 node->apps_dir);
    int n = snprintf(text, sizeof text, "<dcamp version=\"1\"><node name=\"%s\"/>%s\n%s</dcamp>\n",
                     name, applications, elements);
    assert_in_range(n, 1, sizeof text - 1);
    tree_write(&node->tree, "/dcamp.xml", text);
}

struct node *node_new(const char *elements)
{
    struct node *node = calloc(1, sizeof *node);
    const char *source = getenv("srcdir");
    char schemas[PATH_MAX];
    snprintf(schemas, sizeof schemas, "%s/conf", source ? source : ".");
    setenv("DCAMP_SCHEMA_DIR", schemas, 1);
    tree_new(&node->tree);
    tree_copy(&node->tree, "laptop");
    snprintf(node->config_path, sizeof node->config_path, "%s/dcamp.xml", node->tree.root);
    snprintf(node->state_dir, sizeof node->state_dir, "%s/state", node->tree.root);
    snprintf(node->apps_dir, sizeof node->apps_dir, "%s/apps", node->tree.root);
    assert_int_equal(mkdir(node->state_dir, 0700), 0);
    assert_int_equal(mkdir(node->apps_dir, 0700), 0);
    node_configure(node, "lap", elements);
    node_start(node);
    return node;
}

void node_stop(struct node *node)
{
    node->daemon->ended = true;
    pthread_mutex_lock(&node->daemon->lock);
    dcampd_save(node->daemon, node->now.mono_ns);
    pthread_mutex_unlock(&node->daemon->lock);
    dcampd_free(node->daemon);
    node->daemon = NULL;
}

void node_start_again(struct node *node)
{
    node_stop(node);
    node_start(node);
}

void node_free(struct node *node)
{
    dcampd_free(node->daemon);
    tree_remove(&node->tree, "");
    free(node);
}

int64_t node_cycle(struct node *node, uint64_t ms)
{
    node->now.mono_ns += ms * NS_PER_MS;
    node->now.wall_ms += (int64_t)ms;
    return (int64_t)(dcampd_cycle(node->daemon, node->now) - node->now.mono_ns);
}

void node_wait(struct node *node)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < 5000 && saver_status(node->daemon->saver).busy; i++)
        nanosleep(&pause, NULL);
    assert_false(saver_status(node->daemon->saver).busy);
}

void node_wait_saved(struct node *node)
{
    node_wait(node);
    for (int i = 0; i < 20 && dcampd_dirty(node->daemon); i++) {
        node_cycle(node, 10);
        node_wait(node);
    }
    assert_false(dcampd_dirty(node->daemon));
}

const struct notification *node_told(struct node *node)
{
    alarms_gate(&node->daemon->alarms, 0, true);
    return alarms_peek(&node->daemon->alarms);
}

/* -- Kernel files ---------------------------------------------------------------------------- */

void node_network(struct node *node, const struct interface *interfaces, size_t n)
{
    char text[8192];
    size_t length = (size_t)snprintf(text, sizeof text, "Inter-|\n face |bytes\n");
    for (size_t i = 0; i < n; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%6s: %ju 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", interfaces[i].name,
                                   (uintmax_t)interfaces[i].rx_bytes);
    assert_true(length < sizeof text);
    tree_write_bytes(&node->tree, "/proc/net/dev", text, length);
}

void node_load(struct node *node, const char *load)
{
    char text[64];
    snprintf(text, sizeof text, "%s 1.07 12.30 2/1153 26442\n", load);
    tree_write(&node->tree, "/proc/loadavg", text);
}

void node_process(struct node *node, int pid, const char *name)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    snprintf(text, sizeof text, "%d (%s) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n", pid,
             name, 100 + pid);
    tree_write(&node->tree, path, text);
}

/* -- Setup and teardown ---------------------------------------------------------------------- */

int node_teardown(void **state)
{
    node_free(*state);
    return 0;
}
