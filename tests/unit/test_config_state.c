#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/load.h"
#include "config/state_format.h"
#include "config/state_read.h"
#include "states.h"
#include "unit.h"

/* The SHA-256 of "a", which is YQ== in base64. */
#define DIGEST_OF_A "CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB"

/* A state directory, and what a daemon has after a while. */
struct world {
    struct place place;
    struct state state;
    struct config *config;
    struct alarms alarms;
};

static struct config *load(const char *interval)
{
    char text[512], error[CONFIG_ERROR_SIZE];
    int n = snprintf(text, sizeof text,
                     "<dcamp version=\"1\"><sensors><sensor name=\"a\" metric=\"cpu.busy\" "
                     "interval=\"%s\"/><sensor name=\"b\" metric=\"cpu.busy\"/></sensors></dcamp>",
                     interval);
    struct config *config = config_load_memory("f.xml", text, (size_t)n, error);
    assert_non_null(config);
    return config;
}

static void set(struct row *row, const char *field, const char *text)
{
    assert_int_equal(field_set_text(row, row_field(row->kind, field), text, strlen(text)),
                     FIELD_OK);
}

static struct row *add(struct config *config, enum row_kind kind, const char *name,
                       enum row_status status)
{
    struct row *row = row_new(kind, name);
    row->status = status;
    row->changed = true;
    assert_true(config_add(config, row));
    return row;
}

static void make_rows(struct config *config)
{
    struct row *row = config_find(config, ROW_SENSOR, "a");
    set(row, "interval", "7s");
    row->changed = true;
    row = add(config, ROW_THRESHOLD, "t", ROW_ACTIVE);
    set(row, "sensor", "not-there");
    set(row, "operator", "ge");
    set(row, "limit", "+90.50");
    set(row, "severity", "critical");
    set(row, "description", "<\xe2\x82\xac> & \"quoted\" 'too'");
    config_remove(config, row);
    row->local = TRUTH_TRUE;
    assert_true(config_add(config, row));
    row = add(config, ROW_FILTER, "f", ROW_NOT_IN_SERVICE);
    set(row, "gate", "none");
    set(row, "deadband", "0.1");
    row = add(config, ROW_CHILD, "c", ROW_ACTIVE);
    set(row, "address", "udp:192.0.2.7:161");
    set(row, "credential", "tree");
    set(row, "engine", "80001f88040A");
    set(row, "auth-key", "00FF");
    set(row, "priv-key", "01");
    row = add(config, ROW_SENSOR, "half", ROW_NOT_READY);
    set(row, "interval", "2m");
    row->changed = false; /* it is saved for not being in the file */
    row = add(config, ROW_SENSOR, "fleeting", ROW_NOT_READY);
    row->storage = STORAGE_VOLATILE;
    config_touch(config);
}

static void make_alarm(struct alarms *alarms, const char *key)
{
    struct alarm_facts facts = {.node = "n",
                                .threshold = "t",
                                .sensor = "s",
                                .instance = "eth0\xff;",
                                .value = "95.2",
                                .limit = "> 90",
                                .severity = SEVERITY_CRITICAL,
                                .message = "<b> is \"high\" & \xe2\x82\xac"};
    snprintf(facts.key, sizeof facts.key, "%s", key);
    facts.kind = key[0] == 'f' ? ALARM_OF_NODE : ALARM_OF_THRESHOLD; /* four and five */
    assert_true(alarm_raise(alarms, &facts, state_now));
}

static void make_series(struct state *state)
{
    struct saved_series series = {.threshold = "t",
                                  .node = "web1",
                                  .sensor = "s",
                                  .instance = "we%ird \x01\xff<>\"&",
                                  .state = {.phase = PHASE_RAISED,
                                            .samples = 64,
                                            .breached = UINT64_MAX,
                                            .unsettled = UINT64_C(0x8000000000000001),
                                            .since_ns = INT64_MAX}};
    assert_int_equal(state_add_series(state, &series), 0);
    for (int i = 0; i < 40; i++) {
        snprintf(series.instance, sizeof series.instance, "cpu%d", i);
        series.state = (struct threshold_state){.phase = PHASE_PENDING, .breached = (uint64_t)i};
        assert_int_equal(state_add_series(state, &series), 0);
    }
}

static void make_children(struct state *state)
{
    struct saved_child child = {.name = "child.0", .engine_boots = UINT32_MAX};
    memset(child.engine_id, 'F', sizeof child.engine_id - 1);
    assert_int_equal(state_add_child(state, &child), 0);
    for (int i = 1; i < 40; i++) {
        child = (struct saved_child){.engine_boots = (uint32_t)i};
        snprintf(child.name, sizeof child.name, "child.%d", i);
        snprintf(child.engine_id, sizeof child.engine_id, "%.*s", 2 * (i % 33),
                 "800007ED9801020304050607080900A0B0C0D0E0F0000000000000000000000000");
        assert_int_equal(state_add_child(state, &child), 0);
    }
}

static int make_world(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    *state = world;
    if (place_make(&world->place) != 0)
        return -1;
    world->config = load("1s");
    world->config->serial = 16;
    make_rows(world->config);
    alarms_open(&world->alarms, &state_limits, state_now.mono_ns);
    world->alarms.sequence = UINT32_MAX - 1; /* the log wraps */
    static const char *const keys[] = {"one", "two", "three", "four", "five"};
    for (size_t i = 0; i < 5; i++)
        make_alarm(&world->alarms, keys[i]);
    alarms_tick(&world->alarms, state_now); /* there are three tokens */
    struct alarm_facts facts = {.key = "two", .value = "1"};
    assert_true(alarm_clear(&world->alarms, &facts, state_now));
    facts = (struct alarm_facts){.key = "five"};
    assert_true(alarm_clear(&world->alarms, &facts, state_now));
    assert_true(alarm_acknowledge(&world->alarms, "three", "seen & \"done\"", state_now));
    alarms_pop(&world->alarms, true);
    world->state.boot = 7;
    make_series(&world->state);
    make_children(&world->state);
    world->place.text =
        state_format(&world->state, world->config, &world->alarms, &world->place.len);
    return world->place.text ? 0 : -1;
}

static int remove_world(void **state)
{
    struct world *world = *state;
    int result = place_remove(&world->place);
    config_free(world->config);
    alarms_close(&world->alarms);
    state_release(&world->state);
    free(world);
    return result;
}

static int read_fresh(struct fresh *fresh, const struct world *world)
{
    fresh_make(fresh, load("1s"));
    return fresh_read(fresh, &world->place);
}

static void assert_nothing_restored(const struct fresh *fresh)
{
    assert_int_equal(fresh->state.boot, 0);
    assert_int_equal(fresh->state.n_series, 0);
    assert_int_equal(fresh->alarms.active.count, 0);
    assert_int_equal(fresh->alarms.log.count, 0);
    assert_int_equal(fresh->alarms.queued, 0);
    assert_int_equal(fresh->alarms.sequence, 0);
    assert_int_equal(fresh->config->serial, 1);
    assert_int_equal(fresh->config->rows[ROW_SENSOR].count, 2);
    assert_int_equal(fresh->config->rows[ROW_THRESHOLD].count, 0);
}

static bool has_file(const struct world *world, const char *name)
{
    char path[128];
    place_path(path, &world->place, name);
    return access(path, F_OK) == 0;
}

static void assert_same_facts(const struct alarm_facts *a, const struct alarm_facts *b)
{
    assert_string_equal(a->key, b->key);
    assert_string_equal(a->node, b->node);
    assert_string_equal(a->threshold, b->threshold);
    assert_string_equal(a->sensor, b->sensor);
    assert_string_equal(a->instance, b->instance);
    assert_string_equal(a->value, b->value);
    assert_string_equal(a->limit, b->limit);
    assert_string_equal(a->message, b->message);
    assert_int_equal(a->severity, b->severity);
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->suppressed, b->suppressed);
    assert_int_equal(a->since_ms, b->since_ms);
    assert_int_equal(a->kind, b->kind);
}

static void assert_same_memory(const struct alarm_memory *a, const struct alarm_memory *b)
{
    assert_int_equal(a->told, b->told);
    assert_int_equal(a->acknowledged_at, b->acknowledged_at);
    assert_int_equal(a->acknowledged_ms, b->acknowledged_ms);
    assert_string_equal(a->acknowledged, b->acknowledged);
}

static void note_clear(void *context, const struct notification *notification, enum severity told)
{
    assert_string_equal(notification->facts.key, "two");
    assert_string_equal(notification->facts.value, "1");
    assert_int_equal(told, SEVERITY_CRITICAL);
    *(size_t *)context += 1;
}

static void assert_same_alarms(const struct alarms *a, const struct alarms *b)
{
    assert_int_equal(a->active.count, b->active.count);
    assert_int_equal(a->log.count, b->log.count);
    assert_int_equal(a->queued, b->queued);
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->held, b->held);
    struct index_node *x = index_first(&a->active), *y = index_first(&b->active);
    for (; x; x = index_next(x), y = index_next(y)) {
        assert_int_equal(((struct alarm *)x)->index, ((struct alarm *)y)->index);
        assert_same_facts(&((struct alarm *)x)->facts, &((struct alarm *)y)->facts);
        assert_same_memory(&((struct alarm *)x)->memory, &((struct alarm *)y)->memory);
        assert_int_equal(((struct alarm *)x)->hold, ((struct alarm *)y)->hold);
    }
    x = index_first(&a->log), y = index_first(&b->log);
    for (; x; x = index_next(x), y = index_next(y)) {
        const struct alarm_entry *p = (struct alarm_entry *)x, *q = (struct alarm_entry *)y;
        assert_int_equal(p->sequence, q->sequence);
        assert_int_equal(p->wall_ms, q->wall_ms);
        assert_int_equal(p->facts.event, q->facts.event);
        assert_int_equal(p->notified, q->notified);
        assert_int_equal(p->hold, q->hold);
        assert_same_facts(&p->facts, &q->facts);
    }
    size_t clears = 0;
    alarms_each_clear(b, &clears, note_clear);
    assert_int_equal(clears, 1);
    const struct notification *p = a->queue_head, *q = b->queue_head;
    for (; p; p = p->next, q = q->next) {
        assert_int_equal(p->facts.event, q->facts.event);
        assert_same_facts(&p->facts, &q->facts);
    }
}

static void assert_same_rows(const struct config *a, const struct config *b)
{
    for (int kind = 0; kind < ROW_KINDS; kind++)
        for (struct index_node *x = index_first(&a->rows[kind]); x; x = index_next(x)) {
            const struct row *p = (struct row *)x;
            const struct row *q = config_find(b, (enum row_kind)kind, p->name);
            if (p->storage == STORAGE_VOLATILE) {
                assert_null(q);
                continue;
            }
            assert_non_null(q);
            assert_int_equal(p->status, q->status);
            assert_int_equal(p->storage, q->storage);
            assert_int_equal(p->given, q->given);
            assert_int_equal(p->origin, q->origin);
            assert_int_equal(p->local, q->local);
            assert_int_equal(q->changed, p->changed || p->origin == 0);
            for (size_t i = 0; i < row_type(p->kind)->n_fields; i++) {
                char one[MESSAGE_SIZE], other[MESSAGE_SIZE];
                field_text(p, &row_type(p->kind)->fields[i], one);
                field_text(q, &row_type(p->kind)->fields[i], other);
                assert_string_equal(one, other);
            }
        }
}

static void round_trip(void **state)
{
    struct world *world = *state;
    struct fresh fresh;
    assert_int_equal(world->alarms.log.count, 8);
    assert_int_equal(world->alarms.active.count, 3);
    assert_int_equal(world->alarms.queued, 2);
    assert_int_not_equal(world->alarms.held, 0);
    assert_int_equal(state_write(world->place.dir, world->place.text, world->place.len), 0);
    assert_int_equal(read_fresh(&fresh, world), 0);
    assert_string_equal(fresh.error, "");
    assert_int_equal(fresh.state.boot, 7);
    assert_int_equal(fresh.state.n_series, world->state.n_series);
    for (size_t i = 0; i < world->state.n_series; i++) {
        const struct saved_series *a = &world->state.series[i], *b = &fresh.state.series[i];
        assert_string_equal(a->threshold, b->threshold);
        assert_string_equal(a->node, b->node);
        assert_string_equal(a->sensor, b->sensor);
        assert_string_equal(a->instance, b->instance);
        assert_memory_equal(&a->state, &b->state, sizeof a->state);
    }
    assert_int_equal(fresh.state.n_children, 40);
    for (size_t i = 0; i < fresh.state.n_children; i++) {
        const struct saved_child *a = &world->state.children[i], *b = &fresh.state.children[i];
        assert_string_equal(a->name, b->name);
        assert_string_equal(a->engine_id, b->engine_id);
        assert_int_equal(a->engine_boots, b->engine_boots);
    }
    assert_same_alarms(&world->alarms, &fresh.alarms);
    assert_same_rows(world->config, fresh.config);
    /* The row that is volatile is gone, which is a change. */
    assert_int_equal(fresh.config->serial, 18);
    fresh_drop(&fresh);
}

static struct parcel *parcel_from(const char *text)
{
    struct parcel *parcel = parcel_of((const uint8_t *)text, strlen(text));
    assert_non_null(parcel);
    return parcel;
}

/* Of a tree document, both; of any other, the one in force. */
static void documents(void **state)
{
    struct world *world = *state;
    struct ordered *tree = &world->state.documents[DOCUMENT_TREE - 1], *back;
    struct fresh fresh;
    size_t len;
    *tree = (struct ordered){.order = {.term = 3, .epoch = 4, .root = "r1", .length = 3},
                             .in_force = parcel_from("now"),
                             .serial = 7,
                             .previous = parcel_from("before"),
                             .previous_serial = UINT32_MAX};
    memcpy(tree->order.digest, tree->in_force->digest, CONFIG_DIGEST);
    for (int round = 0; round < 2; round++) {
        char *text = state_format(&world->state, world->config, &world->alarms, &len);
        assert_int_equal(state_write(world->place.dir, text, len), 0);
        free(text);
        assert_int_equal(read_fresh(&fresh, world), 0);
        assert_string_equal(fresh.error, "");
        back = &fresh.state.documents[DOCUMENT_TREE - 1];
        assert_int_equal(back->order.epoch, 4);
        assert_memory_equal(back->in_force->octets, "now", 3);
        assert_int_equal(back->serial, round ? 0 : 7);
        assert_int_equal(back->previous != NULL, !round);
        assert_int_equal(back->previous_serial, round ? 0 : UINT32_MAX);
        if (back->previous)
            assert_memory_equal(back->previous->octets, "before", 6);
        fresh_drop(&fresh);
        /* of a file of before there were previous ones, or of the first document */
        parcel_drop(tree->previous);
        tree->previous = NULL;
        tree->serial = tree->previous_serial = 0;
    }
}

/* What it takes for a previous document to be believed. */
static void previous_documents_that_are_none(void **state)
{
    struct world *world = *state;
    static const char *const bad[] = {
        "<previous digest=\"\">YQ==</previous>", "<previous>YQ==</previous>",
        /* the digest of another one, no base64, none at all, two of them */
        "<previous digest=\"" DIGEST_OF_A "\">Yg==</previous>",
        "<previous digest=\"" DIGEST_OF_A "\">?</previous>",
        "<previous digest=\"" DIGEST_OF_A "\"></previous>",
        "<previous digest=\"" DIGEST_OF_A "\">YQ==</previous>"
        "<previous digest=\"" DIGEST_OF_A "\">YQ==</previous>",
        "<previous digest=\"" DIGEST_OF_A "\" serial=\"-1\">YQ==</previous>",
        "<previous digest=\"" DIGEST_OF_A "\" kind=\"tree\">YQ==</previous>",
        "<previous digest=\"" DIGEST_OF_A "\">YQ==</previous>"};
    const char *at = strstr(world->place.text, "<documents/>");
    assert_non_null(at);
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct fresh fresh;
        char *text;
        int len = asprintf(&text, "%.*s<documents>%s</documents>%s", (int)(at - world->place.text),
                           world->place.text, bad[i], at + strlen("<documents/>"));
        assert_true(len > 0);
        assert_int_equal(state_write(world->place.dir, text, (size_t)len), 0);
        bool good = i + 1 == N_OF(bad);
        if (read_fresh(&fresh, world) != (good ? 0 : EBADMSG))
            fail_msg("%s: %s", bad[i], fresh.error);
        assert_int_equal(fresh.state.documents[DOCUMENT_TREE - 1].previous != NULL, good);
        fresh_drop(&fresh);
        free(text);
    }
}

/* What was restored is saved as the same text, and then the serial does not grow either. */
static void stable(void **state)
{
    struct world *world = *state;
    struct fresh one, other;
    assert_int_equal(state_write(world->place.dir, world->place.text, world->place.len), 0);
    assert_int_equal(read_fresh(&one, world), 0);
    size_t len;
    char *text = state_format(&one.state, one.config, &one.alarms, &len);
    assert_int_equal(state_write(world->place.dir, text, len), 0);
    assert_int_equal(read_fresh(&other, world), 0);
    assert_int_equal(other.config->serial, one.config->serial);
    size_t again_len;
    char *again = state_format(&other.state, other.config, &other.alarms, &again_len);
    assert_int_equal(again_len, len);
    assert_string_equal(again, text);
    free(text);
    free(again);
    fresh_drop(&one);
    fresh_drop(&other);
}

/* The text of a row is made once, and once more when the row comes back changed. */
static void text_of_a_row(void **state)
{
    struct world *world = *state;
    struct row *row = (struct row *)index_first(&world->config->rows[ROW_THRESHOLD]);
    row->changed = true;
    size_t len;
    free(state_format(&world->state, world->config, &world->alarms, &len));
    const char *before = row->saved;
    assert_non_null(before);
    free(state_format(&world->state, world->config, &world->alarms, &len));
    assert_ptr_equal(row->saved, before);
    struct row *copy = row_clone(row);
    assert_null(copy->saved);
    row_free(copy);
    config_remove(world->config, row);
    const struct field *field = row_field(ROW_THRESHOLD, "description");
    assert_int_equal(field_set_text(row, field, "new words", 9), FIELD_OK);
    config_add(world->config, row);
    char *text = state_format(&world->state, world->config, &world->alarms, &len);
    assert_non_null(strstr(text, "description=\"new words\""));
    free(text);
}

static void empty_state(void **state)
{
    struct world *world = *state;
    struct fresh fresh;
    assert_int_equal(read_fresh(&fresh, world), ENOENT);
    assert_string_equal(fresh.error, "");
    size_t len;
    char *text = state_format(&fresh.state, fresh.config, &fresh.alarms, &len);
    assert_int_equal(strlen(text), len);
    assert_int_equal(state_write(world->place.dir, text, len), 0);
    free(text);
    fresh_drop(&fresh);
    assert_int_equal(read_fresh(&fresh, world), 0);
    assert_nothing_restored(&fresh);
    fresh_drop(&fresh);
}

/* A file of before there were children: nothing in it says what an alarm is about. */
static void older_file(void **state)
{
    struct world *world = *state;
    struct fresh fresh;
    static const char text[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<dcamp-state version=\"1\" boot=\"7\" sequence=\"3\" serial=\"16\"><sensors/><filters/>"
        "<thresholds/><threshold-states/><alarms><alarm index=\"3\" key=\"n:t:i\" node=\"n\" "
        "threshold=\"t\" severity=\"critical\" sequence=\"3\"/></alarms><log/><queue/>"
        "</dcamp-state>\n";
    assert_int_equal(state_write(world->place.dir, text, sizeof text - 1), 0);
    assert_int_equal(read_fresh(&fresh, world), 0);
    assert_string_equal(fresh.error, "");
    assert_int_equal(fresh.state.n_children, 0);
    assert_int_equal(alarm_find(&fresh.alarms, "n:t:i")->facts.kind, ALARM_OF_THRESHOLD);
    fresh_drop(&fresh);
}

/* The file has changed since the SET: it counts. */
static void file_has_changed(void **state)
{
    struct world *world = *state;
    struct fresh fresh = {.config = load("3s")};
    alarms_open(&fresh.alarms, &state_limits, state_now.mono_ns);
    assert_int_equal(state_write(world->place.dir, world->place.text, world->place.len), 0);
    assert_int_equal(
        state_read(world->place.dir, &fresh.state, fresh.config, &fresh.alarms, fresh.error), 0);
    struct row *row = config_find(fresh.config, ROW_SENSOR, "a");
    assert_int_equal(((struct sensor_row *)row)->interval_ms, 3000);
    assert_false(row->changed);
    assert_non_null(config_find(fresh.config, ROW_SENSOR, "half"));
    fresh_drop(&fresh);
}

static void falls_back(void **state)
{
    struct world *world = *state;
    struct fresh fresh;
    char expected[256];
    place_put(&world->place, "state.xml", "<dcamp-state version=\"1\">\n<", 27);
    assert_int_equal(read_fresh(&fresh, world), EBADMSG);
    snprintf(expected, sizeof expected, "%s/state.xml:2: not well-formed XML: ", world->place.dir);
    assert_memory_equal(fresh.error, expected, strlen(expected));
    assert_nothing_restored(&fresh);
    assert_false(has_file(world, "state.xml"));
    assert_true(has_file(world, "state.xml.bad"));
    fresh_drop(&fresh);

    place_put(&world->place, "state.xml", "", 0);
    place_put(&world->place, "state.xml.1", world->place.text, world->place.len);
    assert_int_equal(read_fresh(&fresh, world), 0);
    assert_memory_equal(fresh.error, world->place.dir,
                        strlen(world->place.dir)); /* it tells of the bad one */
    assert_same_alarms(&world->alarms, &fresh.alarms);
    assert_false(has_file(world, "state.xml"));
    fresh_drop(&fresh);

    /* The daemon stopped before it saved again. */
    assert_int_equal(read_fresh(&fresh, world), 0);
    assert_string_equal(fresh.error, "");
    assert_int_equal(fresh.state.boot, 7);
    fresh_drop(&fresh);

    place_put(&world->place, "state.xml", "x", 1);
    place_put(&world->place, "state.xml.1", "y", 1);
    assert_int_equal(read_fresh(&fresh, world), EBADMSG);
    assert_nothing_restored(&fresh);
    assert_true(has_file(world, "state.xml.bad"));
    assert_true(has_file(world, "state.xml.1.bad"));
    fresh_drop(&fresh);
}

/* What is in the way of one file, and what is said of it. Each is the real thing. */
struct obstacle {
    const char *target; /* of a symbolic link; NULL: a FIFO; "": a directory */
    int error;
    const char *said;
};

static const struct obstacle obstacles[] = {
    {NULL, EINVAL, "is a device or pipe; it must be an ordinary file; move it away"},
    {"", EINVAL, "is a directory; it must be an ordinary file; move it away"},
    {"state.xml", ELOOP, "Too many levels of symbolic links; remove the symbolic link"},
    {"/dev/null/x", ENOTDIR, "Not a directory"},
    /* The kernel lets nobody read where there is no memory. */
    {"/proc/self/mem", EIO, "Input/output error; the disk or its file system fails"},
};

static void put_obstacle(const struct obstacle *obstacle, const char *path)
{
    unlink(path);
    rmdir(path);
    if (!obstacle->target)
        assert_int_equal(mkfifo(path, 0600), 0);
    else if (!obstacle->target[0])
        assert_int_equal(mkdir(path, 0700), 0);
    else
        assert_int_equal(
            symlink(strcmp(obstacle->target, "state.xml") ? obstacle->target : path, path), 0);
}

/* One that cannot be read is neither passed over nor moved, and the other one is left, too. */
static void unreadable(void **state)
{
    struct world *world = *state;
    char path[128], previous[128];
    place_path(path, &world->place, "state.xml");
    place_path(previous, &world->place, "state.xml.1");
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++)
        for (int damaged = 0; damaged < 3; damaged++) {
            struct fresh fresh;
            struct stat before, after;
            if (damaged)
                place_put(&world->place, "state.xml", "x", (size_t)damaged - 1);
            else
                place_put(&world->place, "state.xml.1", world->place.text, world->place.len);
            put_obstacle(&obstacles[i], damaged ? previous : path);
            assert_int_equal(lstat(damaged ? previous : path, &before), 0);
            assert_int_equal(read_fresh(&fresh, world), obstacles[i].error);
            assert_non_null(strstr(fresh.error, obstacles[i].said));
            assert_memory_equal(fresh.error, damaged ? previous : path, strlen(path));
            assert_nothing_restored(&fresh);
            assert_int_equal(lstat(damaged ? previous : path, &after), 0);
            assert_int_equal(before.st_ino, after.st_ino);
            assert_true(has_file(world, damaged ? "state.xml" : "state.xml.1"));
            assert_false(has_file(world, "state.xml.bad"));
            fresh_drop(&fresh);
            unlink(path), rmdir(path), unlink(previous), rmdir(previous);
        }
}

static void claimed_once(void **state)
{
    const struct world *world = *state;
    char error[1024], expected[256];
    int lock, other;
    /* What a process that has died left. */
    place_put(&world->place, "lock", "999999999\n", 10);
    assert_int_equal(state_claim(world->place.dir, &lock, error), 0);
    assert_int_equal(state_claim(world->place.dir, &other, error), EBUSY);
    snprintf(expected, sizeof expected, "another dcampd (pid %d) uses %s", (int)getpid(),
             world->place.dir);
    assert_string_equal(error, expected);
    /* A program of another kind has it: its number is not known. */
    assert_int_equal(ftruncate(lock, 0), 0);
    assert_int_equal(state_claim(world->place.dir, &other, error), EBUSY);
    snprintf(expected, sizeof expected, "another process uses %s: lslocks(8) shows it",
             world->place.dir);
    assert_string_equal(error, expected);
    close(lock);
    assert_int_equal(state_claim(world->place.dir, &lock, error), 0);
    close(lock);
    char path[128];
    place_path(path, &world->place, "lock");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(state_claim(world->place.dir, &lock, error), EINVAL);
    assert_non_null(strstr(error, "/lock is not an ordinary file; move it away"));
    assert_int_equal(state_claim("/nonexistent", &lock, error), ENOENT);
    assert_memory_equal(error, "the state directory /nonexistent cannot be used: No such file", 60);
    assert_non_null(strstr(error, "; make it: install -d -m 0750 -o "));
}

/* What is not the file's fault does not cost the file. */
static void stays(void **state)
{
    struct world *world = *state;
    struct fresh fresh;
    place_put(&world->place, "state.xml", world->place.text, world->place.len);
    char schema_dir[512];
    snprintf(schema_dir, sizeof schema_dir, "%s", getenv("DCAMP_SCHEMA_DIR"));
    place_put(&world->place, "dcamp-state.xsd", "<", 1);
    fresh.config = load("1s");
    alarms_open(&fresh.alarms, &state_limits, state_now.mono_ns);
    fresh.state = (struct state){.boot = 0};
    setenv("DCAMP_SCHEMA_DIR", world->place.dir, 1);
    assert_int_equal(
        state_read(world->place.dir, &fresh.state, fresh.config, &fresh.alarms, fresh.error),
        ENOPKG);
    setenv("DCAMP_SCHEMA_DIR", schema_dir, 1);
    assert_nothing_restored(&fresh);
    assert_true(has_file(world, "state.xml"));
    fresh_drop(&fresh);

    char path[128];
    snprintf(path, sizeof path, "%s/state.xml", world->place.dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(read_fresh(&fresh, world), EINVAL);
    assert_true(has_file(world, "state.xml"));
    assert_non_null(strstr(fresh.error, "is a directory"));
    fresh_drop(&fresh);
}

static void no_space(void **state)
{
    struct world *world = *state;
    struct fresh fresh;
    struct rlimit limit, tiny;
    assert_int_equal(state_write(world->place.dir, world->place.text, world->place.len), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    tiny = limit;
    tiny.rlim_cur = 2000;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    int result = state_write(world->place.dir, world->place.text, world->place.len);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, before);
    assert_int_equal(result, EFBIG);
    assert_false(has_file(world, "state.xml.new"));
    assert_int_equal(read_fresh(&fresh, world), 0);
    assert_int_equal(fresh.state.boot, 7);
    fresh_drop(&fresh);
    assert_int_equal(state_write(world->place.dir, world->place.text, STATE_SIZE_MAX + 1), EFBIG);
    assert_int_equal(state_write("/nonexistent", world->place.text, world->place.len), ENOENT);
}

int main(void)
{
    const char *source = getenv("srcdir");
    char dir[512];
    snprintf(dir, sizeof dir, "%s/conf", source ? source : ".");
    setenv("DCAMP_SCHEMA_DIR", dir, 1);
#define TEST(function) cmocka_unit_test_setup_teardown(function, make_world, remove_world)
    const struct CMUnitTest tests[] = {
        TEST(round_trip),
        TEST(stable),
        TEST(text_of_a_row),
        TEST(empty_state),
        TEST(older_file),
        TEST(file_has_changed),
        TEST(falls_back),
        TEST(stays),
        TEST(no_space),
        TEST(unreadable),
        TEST(claimed_once),
        TEST(documents),
        TEST(previous_documents_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
