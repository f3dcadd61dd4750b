#include "sample/process/sums.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sample/select.h"
#include "sample/sample.h"

#define GLOB "*?[\\"
#define BLANKS " \t"
#define ALL_FIELDS ((UINT32_C(1) << PROCESS_FIELDS) - 1)

static const char *const prefixes[PROCESS_VIEWS] = {
    [VIEW_PROGRAM] = "",
    [VIEW_OWNER] = "user:",
    [VIEW_UNIT] = "cgroup:",
};

void view_name(char name[INSTANCE_SIZE], enum process_view view, const char *label,
               const char *tail)
{
    size_t room = INSTANCE_SIZE - 1 - strlen(prefixes[view]) - strlen(tail);
    snprintf(name, INSTANCE_SIZE, "%s%.*s%s", prefixes[view], (int)room, label, tail);
}

const char *view_label(struct processes *processes, enum process_view view,
                       const struct process *process)
{
    switch (view) {
    case VIEW_OWNER:;
        const char *owner = owners_name(&processes->owners, process->owner);
        if (!owner)
            processes->failure = ENOMEM;
        return owner ? owner : "";
    case VIEW_UNIT:
        return process->unit;
    default:
        return process->name;
    }
}

bool processes_want(const struct processes *processes, const char *name)
{
    return patterns_select(SOURCE_PROCESS, processes->patterns, processes->n_patterns, name);
}

/* Whether a glob may match some name with that prefix: what comes before its first special
 * character must not differ from the prefix. */
static bool glob_may_match(const char *glob, size_t len, const char *prefix)
{
    size_t literal = strcspn(glob, GLOB BLANKS);
    size_t n = strlen(prefix);
    if (n > 0 && !memchr(glob, ':', len))
        return false;
    if (literal < n && literal == len)
        return false;
    return strncmp(glob, prefix, literal < n ? literal : n) == 0;
}

static bool pattern_may_match(const char *pattern, const char *prefix)
{
    bool including = false;
    size_t len;
    for (const char *at = pattern + strspn(pattern, BLANKS); *at;
         at += len, at += strspn(at, BLANKS)) {
        len = strcspn(at, BLANKS);
        including |= *at != '!';
        if (*at != '!' && glob_may_match(at, len, prefix))
            return true;
    }
    return !including && *pattern && !*prefix;
}

static void select_views(struct processes *processes)
{
    for (unsigned view = 0; view < PROCESS_VIEWS; view++) {
        processes->views[view] = false;
        for (size_t i = 0; i < processes->n_patterns; i++)
            processes->views[view] |= pattern_may_match(processes->patterns[i], prefixes[view]);
    }
}

static struct process_sum *find_sum(const struct processes *processes, const char *name)
{
    struct process_sum *sum;
    HASH_FIND_STR(processes->sums, name, sum);
    return sum;
}

static struct process_sum *add_sum(struct processes *processes, const char *name)
{
    struct process_sum *sum = calloc(1, sizeof *sum);
    if (sum) {
        snprintf(sum->name, sizeof sum->name, "%s", name);
        sum->empty_ns = processes->now_ns;
        HASH_ADD_STR(processes->sums, name, sum);
        if (table_has(hh, sum))
            return sum;
        free(sum);
    }
    processes->failure = ENOMEM;
    return NULL;
}

struct process_sum *sum_get(struct processes *processes, const char *name)
{
    struct process_sum *sum = find_sum(processes, name);
    return sum || !processes_want(processes, name) ? sum : add_sum(processes, name);
}

static void drop_sum(struct processes *processes, struct process_sum *sum)
{
    HASH_DEL(processes->sums, sum);
    free(sum);
}

/* Makes the sum that one word of a pattern names. The name of a sum is not a glob and, unlike that
 * of a process, has no slash. */
static void select_literal(struct processes *processes, const char *word, size_t len)
{
    char name[INSTANCE_SIZE];
    if (len >= sizeof name || *word == '!' || strcspn(word, GLOB "/") < len)
        return;
    memcpy(name, word, len);
    name[len] = '\0';
    struct process_sum *sum = sum_get(processes, name);
    if (sum)
        sum->literal = true;
}

void sums_select(struct processes *processes)
{
    struct process_sum *sum;
    struct process_sum *next;
    select_views(processes);
    HASH_ITER(hh, processes->sums, sum, next)
    {
        sum->literal = false;
        if (!processes_want(processes, sum->name))
            drop_sum(processes, sum);
    }
    for (size_t i = 0; i < processes->n_patterns; i++) {
        size_t len;
        for (const char *at = processes->patterns[i] + strspn(processes->patterns[i], BLANKS); *at;
             at += len, at += strspn(at, BLANKS)) {
            len = strcspn(at, BLANKS);
            select_literal(processes, at, len);
        }
    }
}

static uint64_t share_of(const struct process_member *member, const struct process_share *share,
                         unsigned counter)
{
    uint64_t value = member->field[counter];
    bool has = !share->pending && value > share->base[counter];
    return has ? value - share->base[counter] : 0;
}

void share_leave(struct processes *processes, struct process_member *member, enum process_view view)
{
    struct process_share *share = &member->shares[view];
    struct process_sum *sum = share->sum;
    if (!sum)
        return;
    for (unsigned i = 0; i < PROCESS_COUNTERS; i++)
        sum->left[i] += share_of(member, share, i);
    if (--sum->members == 0)
        sum->empty_ns = processes->now_ns;
    *share = (struct process_share){.sum = NULL};
}

static void begin_sum(struct process_sum *sum)
{
    sum->valid = ALL_FIELDS;
    sum->refused = false;
    memset(sum->field, 0, sizeof sum->field);
    memcpy(sum->field, sum->left, sizeof sum->left);
    sum->field[PROCESS_STARTED] = sum->started;
    sum->field[PROCESS_COUNT] = sum->members;
}

/* A field that one of the processes lacks is not valid in the sum. */
static void add_values(struct process_sum *sum, const struct process_member *member,
                       const struct process_share *share)
{
    for (unsigned i = 0; i < PROCESS_COUNTERS; i++)
        sum->field[i] += share_of(member, share, i);
    for (unsigned i = PROCESS_RSS; i < PROCESS_COUNT; i++)
        sum->field[i] += member->field[i];
    sum->refused |= member->reader.io_refused;
    sum->valid &= member->valid | 1u << PROCESS_STARTED;
}

void sums_make(struct processes *processes)
{
    struct process_sum *sum;
    struct process_sum *next;
    HASH_ITER(hh, processes->sums, sum, next)
    {
        begin_sum(sum);
        if (sum->members == 0 && !sum->literal && processes->now_ns - sum->empty_ns >= SUM_EMPTY_NS)
            drop_sum(processes, sum);
    }
    for (struct process_member *member = processes->members; member; member = member->hh.next)
        for (unsigned view = 0; view < PROCESS_VIEWS; view++)
            if (member->was_read && member->shares[view].sum)
                add_values(member->shares[view].sum, member, &member->shares[view]);
}

void sums_release(struct processes *processes)
{
    struct process_sum *sum;
    struct process_sum *next;
    HASH_ITER(hh, processes->sums, sum, next)
    drop_sum(processes, sum);
}
