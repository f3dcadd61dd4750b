/* For tests: one whole node without threads of its own, on a copy of a fixture, with a clock that
 * the test steps; and what a manager would do with it. */
#ifndef DCAMP_TESTS_NODE_H
#define DCAMP_TESTS_NODE_H

#include "tree.h"

#include <time.h>

#include "agent/engine.h"
#include "agent/set.h"
#include "agent/tables.h"
#include "daemon/dcampd.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

struct node {
    struct tree tree; /* proc and sys, the configuration and the state directory */
    char config_path[PATH_MAX];
    char state_dir[PATH_MAX];
    struct dcampd *daemon;
    struct engine engine;
    struct moment now;
};

/* The clock begins at a whole minute, some time after the daemon did. */
static inline void node_start(struct node *node)
{
    char error[1024] = "";
    struct dcampd_options options = {
        .config_path = node->config_path, .state_dir = node->state_dir, .root = node->tree.root};
    node->daemon = dcampd_new(&options, error);
    if (!node->daemon)
        fail_msg("%s", error);
    assert_null(engine_open(&node->engine, node->daemon, dcamp_tables, dcamp_table_count));
    if (node->now.mono_ns)
        return;
    uint64_t minute = 60 * NS_PER_S;
    node->now.mono_ns = (node->daemon->started.mono_ns / minute + 2) * minute;
    node->now.wall_ms = INT64_C(1700000000000);
}

/* The elements of a configuration; the node's name, if it is to have one. */
static inline void node_configure(struct node *node, const char *name, const char *elements)
{
    char text[16384];
    int n = snprintf(text, sizeof text, "<dcamp version=\"1\"><node name=\"%s\"/>\n%s</dcamp>\n",
                     name, elements);
    assert_in_range(n, 1, sizeof text - 1);
    tree_write(&node->tree, "/dcamp.xml", text);
}

static inline struct node *node_new(const char *elements)
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
    assert_int_equal(mkdir(node->state_dir, 0700), 0);
    node_configure(node, "lap", elements);
    node_start(node);
    return node;
}

/* As the daemon ends: what there is to save is handed over, and written before all is freed. */
static inline void node_stop(struct node *node)
{
    node->daemon->ended = true;
    pthread_mutex_lock(&node->daemon->lock);
    dcampd_save(node->daemon, node->now.mono_ns);
    pthread_mutex_unlock(&node->daemon->lock);
    dcampd_free(node->daemon);
    node->daemon = NULL;
}

static inline void node_restart(struct node *node)
{
    node_stop(node);
    node_start(node);
}

static inline void node_free(struct node *node)
{
    dcampd_free(node->daemon);
    tree_remove(&node->tree, "");
    free(node);
}

/* A cycle, ms after the one before. Returns when the next one is due, from then. */
static inline int64_t node_cycle(struct node *node, uint64_t ms)
{
    node->now.mono_ns += ms * NS_PER_MS;
    node->now.wall_ms += (int64_t)ms;
    return (int64_t)(dcampd_cycle(node->daemon, node->now) - node->now.mono_ns);
}

/* Until the saver has nothing to do. */
static inline void node_wait(struct node *node)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < 5000 && saver_status(node->daemon->saver).busy; i++)
        nanosleep(&pause, NULL);
    assert_false(saver_status(node->daemon->saver).busy);
}

/* Until the state file has everything: what was SET while the saver was busy comes in a cycle
 * soon after. */
static inline void node_wait_saved(struct node *node)
{
    node_wait(node);
    for (int i = 0; i < 20 && dcampd_dirty(node->daemon); i++) {
        node_cycle(node, 10);
        node_wait(node);
    }
    assert_false(dcampd_dirty(node->daemon));
}

/* The oldest notification, whether its state is on disk yet or not. */
static inline const struct notification *node_told(struct node *node)
{
    alarms_gate(&node->daemon->alarms, 0, true);
    return alarms_peek(&node->daemon->alarms);
}

/* -- Kernel files ---------------------------------------------------------------------------- */

/* Interfaces, each with the octets it has received; names are those of the fixture or new. */
struct interface {
    const char *name;
    uint64_t rx_bytes;
};

static inline void node_network(struct node *node, const struct interface *interfaces, size_t n)
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

static inline void node_load(struct node *node, const char *load)
{
    char text[64];
    snprintf(text, sizeof text, "%s 1.07 12.30 2/1153 26442\n", load);
    tree_write(&node->tree, "/proc/loadavg", text);
}

static inline void node_process(struct node *node, int pid, const char *name)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    snprintf(text, sizeof text, "%d (%s) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n", pid,
             name, 100 + pid);
    tree_write(&node->tree, path, text);
}

/* -- What a manager sees --------------------------------------------------------------------- */

/* The cell of an object: instance NULL for a row with one name; both NULL for a scalar. Of the
 * state of a threshold, it is a series of this node's own. */
static inline struct mib_oid cell_of(enum mib_object object, const char *name, const char *instance)
{
    const struct mib_info *info = &mib_objects[object];
    struct mib_oid oid = {.len = info->oid_len};
    memcpy(oid.id, info->oid, info->oid_len * sizeof *oid.id);
    if (name)
        oid.len += index_key_text(oid.id + oid.len, name);
    if (object == MIB_dcampThresholdStatePhase || object == MIB_dcampThresholdStateSince ||
        object == MIB_dcampThresholdStateBreaches)
        oid.len += index_key_text(oid.id + oid.len, "lap");
    if (instance)
        oid.len += index_key_text(oid.id + oid.len, instance);
    if (!name)
        oid.id[oid.len++] = 0;
    return oid;
}

static inline enum engine_status node_get(struct node *node, const struct mib_oid *oid,
                                          struct mib_value *value)
{
    return engine_get(&node->engine, oid->id, oid->len, node->now, value);
}

static inline bool node_has(struct node *node, enum mib_object object, const char *name,
                            const char *instance)
{
    struct mib_value value;
    struct mib_oid oid = cell_of(object, name, instance);
    return node_get(node, &oid, &value) == ENGINE_OK;
}

/* The number of a cell that must be there. */
static inline int64_t number_at(struct node *node, enum mib_object object, const char *name,
                                const char *instance)
{
    struct mib_value value;
    struct mib_oid oid = cell_of(object, name, instance);
    if (node_get(node, &oid, &value) != ENGINE_OK)
        fail_msg("%s of %s %s is not there", mib_objects[object].name, name ? name : "",
                 instance ? instance : "");
    assert_int_not_equal(value.syntax, MIB_SYNTAX_OCTETS);
    assert_int_not_equal(value.syntax, MIB_SYNTAX_OID);
    return value.integer;
}

/* The text of a cell that must be there; of an object identifier its numbers. */
static inline const char *text_at(struct node *node, enum mib_object object, const char *name,
                                  const char *instance, char text[MESSAGE_SIZE])
{
    struct mib_value value;
    struct mib_oid oid = cell_of(object, name, instance);
    if (node_get(node, &oid, &value) != ENGINE_OK)
        fail_msg("%s of %s %s is not there", mib_objects[object].name, name ? name : "",
                 instance ? instance : "");
    if (value.syntax == MIB_SYNTAX_OID) {
        assert_int_not_equal(oid_to_text(value.oid.at, value.oid.len, text), 0);
        return text;
    }
    assert_int_equal(value.syntax, MIB_SYNTAX_OCTETS);
    assert_true(value.octets.len < MESSAGE_SIZE);
    memcpy(text, value.octets.at, value.octets.len);
    text[value.octets.len] = '\0';
    return text;
}

#define assert_cell_text(node, object, name, instance, expected)                                   \
    do {                                                                                           \
        char cell_text_[MESSAGE_SIZE];                                                             \
        assert_string_equal(text_at(node, object, name, instance, cell_text_), expected);          \
    } while (0)

/* -- SET ------------------------------------------------------------------------------------- */

/* A varbind of a column of the row of that name; text counts where it is not NULL. */
struct bind {
    enum mib_object object;
    const char *name;
    int64_t number;
    const char *text;
};

#define BINDS_MAX 96

/* The varbinds of one PDU and the OIDs they point to. */
struct pdu {
    struct set_varbind varbinds[BINDS_MAX];
    struct mib_oid oids[BINDS_MAX];
    size_t n;
};

/* The value of a varbind: octets, or of an object identifier its arcs, which are kept here for as
 * many turns as a PDU has varbinds. */
static inline void varbind_text(struct set_varbind *varbind, const char *text)
{
    static uint32_t arcs[2 * BINDS_MAX][OID_MAX];
    static size_t turn;
    size_t len = text ? strlen(text) : 0;
    varbind->octets = (const uint8_t *)text;
    varbind->octets_len = len;
    if (varbind->syntax == MIB_SYNTAX_OID) {
        varbind->arcs = arcs[turn++ % N_OF(arcs)];
        varbind->n_arcs = oid_from_text(text, len, arcs[(turn - 1) % N_OF(arcs)]);
    }
}

/* Adds a varbind, to be spoiled by the caller if need be. */
static inline struct set_varbind *pdu_add(struct pdu *pdu, const struct bind *bind)
{
    assert_true(pdu->n < BINDS_MAX);
    struct set_varbind *varbind = &pdu->varbinds[pdu->n];
    struct mib_oid *oid = &pdu->oids[pdu->n++];
    *oid = cell_of(bind->object, bind->name, NULL);
    *varbind = (struct set_varbind){.oid = oid->id,
                                    .oid_len = oid->len,
                                    .syntax = mib_objects[bind->object].syntax,
                                    .number = bind->number};
    varbind_text(varbind, bind->text);
    return varbind;
}

/* Test, commit and cleanup, as one PDU. */
static inline enum set_error pdu_set(struct node *node, const struct pdu *pdu, size_t *index)
{
    struct set_transaction *transaction = NULL;
    enum set_error error =
        set_test(&node->engine, pdu->varbinds, pdu->n, node->now, &transaction, index);
    if (!error)
        error = set_commit(transaction, node->now);
    set_cleanup(transaction);
    return error;
}

static inline enum set_error node_set(struct node *node, const struct bind *binds, size_t n)
{
    struct pdu pdu = {.n = 0};
    size_t index;
    for (size_t i = 0; i < n; i++)
        pdu_add(&pdu, &binds[i]);
    return pdu_set(node, &pdu, &index);
}

/* One varbind that must be taken. */
static inline void node_set_one(struct node *node, enum mib_object object, const char *name,
                                int64_t number, const char *text)
{
    struct bind bind = {object, name, number, text};
    assert_int_equal(node_set(node, &bind, 1), SET_OK);
}

/* -- Setup and teardown ---------------------------------------------------------------------- */

static inline int node_teardown(void **state)
{
    node_free(*state);
    return 0;
}

#define node_test(test) cmocka_unit_test_setup_teardown(test, node_setup, node_teardown)

#endif
