#include "plugins/judge.h"

#include <string.h>

#include "base/text.h"

/* In the order in which they are reported. A paused child is silent on purpose. */
static const struct {
    const char *name;
    enum status status;
} states[] = {
    {"down", STATUS_CRITICAL}, {"refused", STATUS_CRITICAL},    {"wrongKey", STATUS_CRITICAL},
    {"late", STATUS_WARNING},  {"discovering", STATUS_WARNING}, {"up", STATUS_OK},
    {"paused", STATUS_OK}};
#define N_STATES (sizeof states / sizeof *states)
enum { UP = 5, PAUSED = 6 };

/* Returns N_STATES for a state that this program does not know. */
static size_t find_state(const char *name)
{
    size_t i = 0;
    while (i < N_STATES && strcmp(states[i].name, name) != 0)
        i++;
    return i;
}

struct tree {
    size_t count[N_STATES + 1];
    const struct child_row *worst; /* the first child in the worst state that occurs */
    size_t worst_state;
};

static void count_children(struct tree *tree, const struct child_row *rows, size_t n)
{
    tree->worst_state = N_STATES;
    for (size_t i = 0; i < n; i++) {
        size_t state = find_state(rows[i].state);
        tree->count[state]++;
        if (!tree->worst || state < tree->worst_state) {
            tree->worst = &rows[i];
            tree->worst_state = state;
        }
    }
}

static void put_lines(const struct tree_check *check, const struct child_row *rows, size_t n,
                      struct result *result)
{
    for (size_t state = 0; state <= N_STATES; state++)
        for (size_t i = 0; i < n; i++)
            if (find_state(rows[i].state) == state &&
                (check->all_lines || (state != UP && state != PAUSED)))
                result_line(result, "%s: %s%s%s%s%s", rows[i].name, rows[i].state,
                            rows[i].error[0] ? ": " : "", rows[i].error,
                            rows[i].last_contact[0] ? ", last heard " : "", rows[i].last_contact);
}

static void judge(const struct tree_check *check, const struct tree *tree, size_t n,
                  struct result *result)
{
    size_t polled = n - tree->count[PAUSED], absent = polled - tree->count[UP];
    if (check->warning.range.given || check->critical.range.given) {
        if (share_alerts(&check->critical, absent, polled))
            result_worsen(result, STATUS_CRITICAL);
        else if (share_alerts(&check->warning, absent, polled))
            result_worsen(result, STATUS_WARNING);
        return;
    }
    for (size_t state = 0; state < N_STATES; state++)
        if (tree->count[state] > 0)
            result_worsen(result, states[state].status);
    if (tree->count[N_STATES] > 0)
        result_worsen(result, STATUS_UNKNOWN);
}

static void say_alarms(const struct alarms_below *alarms, char *text, size_t size)
{
    text[0] = '\0';
    if (alarms->critical + alarms->warning + alarms->info > 0)
        text_format(text, size, "; alarms below: %llu critical, %llu warning, %llu info",
                    (unsigned long long)alarms->critical, (unsigned long long)alarms->warning,
                    (unsigned long long)alarms->info);
}

static void summarize(const struct tree *tree, size_t n, const struct alarms_below *alarms,
                      struct result *result)
{
    char below[96];
    say_alarms(alarms, below, sizeof below);
    char counts[256] = "";
    size_t len = 0;
    for (size_t state = 0; state < N_STATES; state++)
        if (state != UP && tree->count[state] > 0)
            len += (size_t)snprintf(counts + len, sizeof counts - len, ", %zu %s",
                                    tree->count[state], states[state].name);
    if (n == 0) {
        result_worsen(result, STATUS_UNKNOWN);
        result_summary(result, "the node polls no children");
    } else if (tree->worst_state == UP || tree->worst_state == PAUSED) {
        result_summary(result, "%zu of %zu children up%s%s", tree->count[UP], n, counts, below);
    } else {
        result_summary(result, "%zu of %zu children up%s: %s is %s%s%s%s", tree->count[UP], n,
                       counts, tree->worst->name, tree->worst->state,
                       tree->worst->error[0] ? ": " : "", tree->worst->error, below);
    }
}

void judge_tree(const struct tree_check *check, const struct child_row *rows, size_t n,
                const struct alarms_below *alarms, struct result *result)
{
    struct tree tree = {0};
    char all[32];
    count_children(&tree, rows, n);
    judge(check, &tree, n, result);
    summarize(&tree, n, alarms, result);
    put_lines(check, rows, n, result);
    text_format(all, sizeof all, "%zu", n);
    for (size_t state = N_STATES; state-- > 0;)
        result_count(result, states[state].name, tree.count[state], NULL, NULL);
    result_count(result, "children", n, NULL, NULL);
    result_count(result, "alarms_critical", alarms->critical, NULL, NULL);
    result_count(result, "alarms_warning", alarms->warning, NULL, NULL);
    result_count(result, "alarms_info", alarms->info, NULL, NULL);
}
