/* Random tree documents: what a node reads in its share are the common rows and those of its group,
 * which stand before the common ones, and nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents.h"

#define ROUNDS CASES(300)
#define GROUPS_MAX 4
#define TEXT_SIZE (1 << 18)

struct random {
    uint64_t seed;
    char *text; /* the document */
    size_t len;
};

static unsigned below(struct random *random, unsigned limit)
{
    uint64_t *seed = &random->seed;
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (unsigned)((*seed * UINT64_C(2685821657736338717)) >> 33) % limit;
}

static void say(struct random *random, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(struct random *random, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    random->len +=
        (size_t)vsnprintf(random->text + random->len, TEXT_SIZE - random->len, format, args);
    va_end(args);
    assert_true(random->len < TEXT_SIZE);
}

/* An attribute, or not. */
static void maybe(struct random *random, const char *attribute)
{
    if (below(random, 2))
        say(random, " %s", attribute);
}

/* -- Documents ------------------------------------------------------------------------------- */

/* The common part has all of f0 to f3 and s0 to s9: rows may name them. */
static void say_sensor(struct random *random, unsigned i)
{
    static const char *const metrics[] = {"cpu.busy", "load.1", "mem.free", "net.rx.bytes"};
    say(random, "<sensor name=\"s%u\" metric=\"%s\"", i, metrics[below(random, 4)]);
    maybe(random, "interval=\"60s\"");
    maybe(random, "window=\"none\"");
    maybe(random, "instances=\"!lo *\"");
    maybe(random, "report=\"push\"");
    if (below(random, 2))
        say(random, " filter=\"f%u\"", below(random, 4));
    say(random, "/>");
}

static void say_filter(struct random *random, unsigned i)
{
    say(random, "<filter name=\"f%u\"", i);
    maybe(random, "throttle=\"1000ms\"");
    maybe(random, "deadband=\"0.50\"");
    maybe(random, "gate=\"gt\" gate-limit=\"-1\"");
    say(random, "/>");
}

/* On a sensor, an aggregate, or sensors of children. */
static void say_threshold(struct random *random, unsigned i)
{
    static const char *const on[] = {"sensor=\"s3\"", "sensor=\"a1\"",
                                     "sensor=\"far\" children=\"*\"",
                                     "sensor=\"a0\" groups=\"g*\""};
    say(random, "<threshold name=\"t%u\" %s operator=\"gt\" limit=\"%u.50\"", i,
        on[below(random, 4)], below(random, 100));
    maybe(random, "duration=\"120s\"");
    maybe(random, "severity=\"critical\"");
    maybe(random, "description=\"It is &lt;high&gt; &amp; &quot;stays&quot; &#8364;\"");
    if (below(random, 2))
        say(random, " disabled-by=\"t%u\"", (i + 1 + below(random, 5)) % 6);
    say(random, "/>");
}

static void say_aggregate(struct random *random, unsigned i)
{
    say(random, "<aggregate name=\"a%u\" sensor=\"s1\" function=\"avg\"", i);
    maybe(random, "by=\"group\"");
    maybe(random, "filter=\"f2\"");
    say(random, "/>");
}

static void say_object(struct random *random, unsigned i)
{
    say(random, "<object name=\"o%u\" oid=\"1.3.6.1.2.1.%u\"", i, below(random, 100));
    maybe(random, "scale=\"0.010\"");
    say(random, "/>");
}

static void say_condition(struct random *random, unsigned i)
{
    say(random, "<condition name=\"c%u\" thresholds=\"t%u *\"", i, below(random, 6));
    maybe(random, "require=\"any\"");
    say(random, "/>");
}

static void say_maintenance(struct random *random, unsigned i)
{
    say(random, "<maintenance name=\"m%u\" days=\"sun sat\" duration=\"%um\"", i,
        60 * (1 + below(random, 3)));
    maybe(random, "time=\"22:30\"");
    say(random, "/>");
}

static void say_sink(struct random *random, unsigned i)
{
    say(random, "<sink name=\"k%u\" kind=\"%s\"", i, below(random, 2) ? "sqlite" : "csv");
    maybe(random, "mode=\"async\" queue=\"1024k\"");
    maybe(random, "limit=\"none\"");
    maybe(random, "location=\"https://h:1/?a=b&amp;c=%3B\" credentials=\"/etc/dcamp/s\"");
    maybe(random, "raw=\"36h\" hours=\"17520h\"");
    say(random, "/>");
}

static const struct list {
    const char *element;
    unsigned n;
    bool all; /* the common part has them all */
    void (*say)(struct random *random, unsigned i);
} lists[] = {
    {"sensors", 10, true, say_sensor},           {"filters", 4, true, say_filter},
    {"thresholds", 6, true, say_threshold},      {"aggregates", 2, true, say_aggregate},
    {"objects", 3, false, say_object},           {"conditions", 3, false, say_condition},
    {"maintenances", 3, false, say_maintenance}, {"sinks", 2, false, say_sink},
};

static void say_lists(struct random *random, bool common)
{
    for (size_t i = 0; i < N_OF(lists); i++) {
        const struct list *list = &lists[i];
        if (!(common && list->all) && !below(random, 2))
            continue;
        say(random, "<%s>", list->element);
        for (unsigned k = 0; k < list->n; k++)
            if ((common && list->all) || below(random, 2))
                list->say(random, k);
        if (!common && list->all && below(random, 2))
            list->say(random, list->n); /* one that the common part does not have */
        say(random, "</%s>", list->element);
    }
}

static struct tree_config *make_tree(struct random *random)
{
    char error[CONFIG_ERROR_SIZE];
    random->len = 0;
    say(random, "<tree version=\"1\">" TREE_ACCESS TREE_CANDIDATES "<nodes>" TREE_NODE "</nodes>");
    say_lists(random, true);
    say(random, "<groups>");
    for (unsigned i = 0; i < GROUPS_MAX - 1; i++) {
        say(random, "<group name=\"g%u\">", i);
        say_lists(random, false);
        say(random, "</group>");
    }
    say(random, "</groups></tree>");
    struct tree_config *tree = load_tree(random->text, error);
    if (!tree)
        fail_msg("%s: %s", error, random->text);
    return tree;
}

/* -- What is expected ------------------------------------------------------------------------ */

struct node {
    const struct tree_config *tree;
    const struct tree_group *group; /* or NULL */
    bool collects;
};

static const struct row *row_of(const struct node *node, enum row_kind kind, const char *name)
{
    const struct row *row = node->group ? config_find(node->group->rows, kind, name) : NULL;
    return row ? row : config_find(node->tree->common, kind, name);
}

static bool is_on_aggregate(const struct row *row)
{
    const struct threshold_row *threshold = (const struct threshold_row *)row;
    return row->kind == ROW_THRESHOLD && strcmp(threshold->sensor, "a1") == 0;
}

static bool expects(const struct node *node, const struct row *row)
{
    bool of_children =
        row->kind == ROW_AGGREGATE || row->kind == ROW_OBJECT || row->kind == ROW_RELAY;
    return node->collects || (!of_children && !is_on_aggregate(row));
}

static void add_text(void *context, const char *text, size_t len)
{
    strncat(context, text, len);
}

static void assert_row(const struct node *node, const struct row *expected, const struct row *got)
{
    char of_expected[4096] = "", of_got[4096] = "", line[64];
    row_canonical(expected, false, add_text, of_expected);
    row_canonical(got, false, add_text, of_got);
    const struct threshold_row *threshold = (const struct threshold_row *)expected;
    if (expected->kind == ROW_THRESHOLD && threshold->disabled_by[0] && !node->collects &&
        is_on_aggregate(row_of(node, ROW_THRESHOLD, threshold->disabled_by))) {
        snprintf(line, sizeof line, "disabled-by=%s\n", threshold->disabled_by);
        char *at = strstr(of_expected, line);
        assert_non_null(at);
        memmove(at, at + strlen(line), strlen(at + strlen(line)) + 1);
    } else {
        assert_int_equal(got->origin, expected->origin);
    }
    assert_string_equal(of_got, of_expected);
}

/* Each row of a part of the document is in the share, unless the group has another of that name, or
 * the node has no use for it. Returns how many there are. */
static size_t assert_rows(const struct node *node, const struct config *part,
                          const struct config *share)
{
    size_t n = 0;
    for (int kind = 0; kind < ROW_KINDS; kind++)
        for (struct index_node *each = index_first(&part->rows[kind]); each;
             each = index_next(each)) {
            const struct row *row = (const struct row *)each;
            if (row_of(node, row->kind, row->name) != row || !expects(node, row))
                continue;
            const struct row *got = config_find(share, row->kind, row->name);
            if (!got)
                fail_msg("%s %s is not there", row_type(row->kind)->element, row->name);
            assert_row(node, row, got);
            n++;
        }
    return n;
}

static size_t count_rows(const struct config *config)
{
    size_t n = 0;
    for (int kind = 0; kind < ROW_KINDS; kind++)
        n += config->rows[kind].count;
    return n;
}

static void check_share(const struct node *node, const struct assignment *assignment)
{
    char error[CONFIG_ERROR_SIZE];
    struct assignment got;
    size_t len, again_len;
    char *text = share_make(node->tree, assignment, NULL, 0, &len);
    char *again = share_make(node->tree, assignment, NULL, 0, &again_len);
    assert_int_equal(len, again_len);
    assert_string_equal(text, again);
    struct config *share = load_share(text, &got, error);
    if (!share)
        fail_msg("%s: %s", error, text);
    size_t n = assert_rows(node, node->tree->common, share);
    if (node->group)
        n += assert_rows(node, node->group->rows, share);
    assert_int_equal(n, count_rows(share));
    assert_int_equal(got.role, assignment->role);
    assert_int_equal(got.level, assignment->level);
    assert_int_equal(got.serial, assignment->serial);
    assert_string_equal(got.parent, assignment->parent);
    assert_string_equal(got.group, assignment->group);
    assert_string_equal(got.reason, assignment->reason);
    config_free(share);
    free(again);
    free(text);
}

static void shares_are_what_the_document_says(void **state)
{
    (void)state;
    struct random random = {.seed = 1, .text = malloc(TEXT_SIZE)};
    for (int round = 0; round < ROUNDS; round++) {
        struct tree_config *tree = make_tree(&random);
        for (unsigned g = 0; g < GROUPS_MAX; g++) {
            enum share_role role = (enum share_role)(SHARE_METRIC + below(&random, 3));
            struct assignment assignment = {
                .role = role, .root = "r1", .serial = below(&random, 1000), .digest = TREE_DIGEST};
            snprintf(assignment.group, sizeof assignment.group, "g%u", g);
            if (role != SHARE_ROOT) {
                assignment.level = 1 + below(&random, 255);
                strcpy(assignment.parent, "r1");
                strcpy(assignment.reason, "below <r1>, as it is near");
            }
            const struct node node = {tree, g < tree->n_groups ? &tree->groups[g] : NULL,
                                      role != SHARE_METRIC};
            check_share(&node, &assignment);
        }
        tree_config_free(tree);
    }
    free(random.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_what_the_document_says),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
