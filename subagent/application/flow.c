#include "application/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

struct flow_step {
    UT_hash_handle hh;
    uint32_t number;
    char name[]; /* "STEP" or "STEP:INSTANCE" */
};

/* -- Life -------------------------------------------------------------------------------------- */

static void free_flow(struct flows *flows, struct flow *flow)
{
    struct flow_latency *latency, *next_latency;
    struct flow_step *step, *next_step;
    HASH_ITER(hh, flow->latencies, latency, next_latency)
    {
        HASH_DEL(flow->latencies, latency);
        free(latency);
    }
    HASH_ITER(hh, flow->steps, step, next_step)
    {
        HASH_DEL(flow->steps, step);
        free(step);
    }
    flows->followed -= flow->sequences != NULL;
    sequences_free(flow->sequences);
    HASH_DEL(flows->by_application, flow);
    free(flow);
}

void flows_release(struct flows *flows)
{
    struct flow *flow, *next;
    HASH_ITER(hh, flows->by_application, flow, next)
    free_flow(flows, flow);
}

struct flow *flows_find(const struct flows *flows, const char *application)
{
    struct flow *flow;
    HASH_FIND_STR(flows->by_application, application, flow);
    return flow;
}

/* How many flows one child has told of, or any child has: known ones, and followed ones. */
struct share {
    unsigned known, followed;
};

static void share_of(const struct flows *flows, uint32_t child, struct share *of_child,
                     struct share *of_children)
{
    *of_child = *of_children = (struct share){0};
    for (const struct flow *flow = flows->by_application; flow; flow = flow->hh.next) {
        of_child->known += flow->child == child;
        of_child->followed += flow->child == child && flow->sequences;
        of_children->known += flow->child != 0;
        of_children->followed += flow->child != 0 && flow->sequences;
    }
}

static bool may_know(const struct flows *flows, uint32_t child)
{
    struct share of_child, of_children;
    if (HASH_COUNT(flows->by_application) >= FLOWS_MAX)
        return false;
    share_of(flows, child, &of_child, &of_children);
    return child == 0 || (of_child.known < FLOWS_OF_CHILD && of_children.known < FLOWS_OF_CHILDREN);
}

static struct flow *find_or_make(struct flows *flows, uint32_t child, const char *application)
{
    struct flow *flow = flows_find(flows, application);
    if (flow || !may_know(flows, child))
        return flow;
    flow = calloc(1, sizeof *flow);
    if (!flow)
        return NULL;
    text_format(flow->application, sizeof flow->application, "%s", application);
    flow->child = child;
    flow->born = flows->pass;
    HASH_ADD_STR(flows->by_application, application, flow);
    if (table_has(hh, flow))
        return flow;
    free(flow);
    return NULL;
}

/* The length up to and including the "/". */
static size_t user_length(const char *application)
{
    return strcspn(application, "/") + 1;
}

static unsigned followed_of(const struct flows *flows, const char *application)
{
    unsigned n = 0;
    size_t length = user_length(application);
    for (const struct flow *flow = flows->by_application; flow; flow = flow->hh.next)
        n += flow->sequences && strncmp(flow->application, application, length) == 0;
    return n;
}

static bool may_follow(const struct flows *flows, const struct flow *flow)
{
    struct share of_child, of_children;
    if (flows->followed >= FLOWS_FOLLOWED_MAX)
        return false;
    share_of(flows, flow->child, &of_child, &of_children);
    if (flow->child != 0 && (of_child.followed >= FLOWS_FOLLOWED_OF_CHILD ||
                             of_children.followed >= FLOWS_FOLLOWED_OF_CHILDREN))
        return false;
    return followed_of(flows, flow->application) < FLOWS_FOLLOWED_OF_USER;
}

/* False: there are too many, or there is no memory. */
static bool follow(struct flows *flows, struct flow *flow)
{
    const struct sequence_bounds bounds = {.records = FLOW_RECORDS, .settle_ns = flows->settle_ns};
    if (flow->sequences)
        return true;
    if (!may_follow(flows, flow))
        return false;
    flow->sequences = sequences_new(&bounds);
    flows->followed += flow->sequences != NULL;
    return flow->sequences;
}

/* -- Records ----------------------------------------------------------------------------------- */

/* NULL: there are too many, or no memory. */
static const struct flow_step *find_or_make_step(struct flow *flow, const char *name)
{
    struct flow_step *step;
    size_t size = strlen(name) + 1;
    HASH_FIND_STR(flow->steps, name, step);
    if (step || HASH_COUNT(flow->steps) >= SEQUENCE_STEPS_MAX)
        return step;
    step = malloc(sizeof *step + size);
    if (!step)
        return NULL;
    step->number = HASH_COUNT(flow->steps);
    memcpy(step->name, name, size);
    HASH_ADD_STR(flow->steps, name, step);
    if (table_has(hh, step))
        return step;
    free(step);
    return NULL;
}

static void add_to(struct flows *flows, struct flow *flow, struct sequence_record *record,
                   const char *name, uint64_t now_ns)
{
    const struct flow_step *step = follow(flows, flow) ? find_or_make_step(flow, name) : NULL;
    flow->heard_ns = now_ns;
    flow->left_out += !step;
    if (!step)
        return;
    record->step = step->number;
    sequences_add(flow->sequences, record, now_ns);
}

void flows_add(struct flows *flows, uint32_t child, uint32_t node, const char *path,
               const struct report_record *record, uint64_t now_ns)
{
    char application[INSTANCE_SIZE];
    size_t length = strcspn(path, ":");
    bool is_path = length < sizeof application && path[length] == ':';
    struct sequence_record of_sequence = {.node = node,
                                          .result = record->result,
                                          .sequence = record->sequence,
                                          .start_ns = record->start_ns,
                                          .duration_ns = record->duration_ns};
    if (is_path)
        text_format(application, sizeof application, "%.*s", (int)length, path);
    struct flow *flow = is_path ? find_or_make(flows, child, application) : NULL;
    if (flow)
        add_to(flows, flow, &of_sequence, path + length + 1, now_ns);
    else
        flows->left_out++;
}

/* -- Figures ----------------------------------------------------------------------------------- */

static const char *name_of(const struct flow *flow, uint32_t number)
{
    const struct flow_step *step = flow->steps;
    while (step->number != number)
        step = step->hh.next;
    return step->name;
}

/* NULL: there are too many, or no memory. */
static struct flow_latency *find_or_make_latency(const struct flows *flows, struct flow *flow,
                                                 const struct sequence_latency_key *key)
{
    struct flow_latency *latency;
    char name[3 * INSTANCE_SIZE];
    HASH_FIND(hh, flow->latencies, key, sizeof *key, latency);
    if (latency || HASH_COUNT(flow->latencies) >= FLOW_LATENCIES_MAX)
        return latency;
    latency = calloc(1, sizeof *latency);
    if (!latency)
        return NULL;
    latency->key = *key;
    latency->born = flows->pass;
    text_format(name, sizeof name, "%s:%s>%s", flow->application, name_of(flow, key->from),
                name_of(flow, key->to));
    if (strlen(name) < sizeof latency->name)
        text_format(latency->name, sizeof latency->name, "%s", name);
    HASH_ADD(hh, flow->latencies, key, sizeof latency->key, latency);
    if (table_has(hh, latency))
        return latency;
    free(latency);
    return NULL;
}

static double sum_of(const struct statistics_window *window)
{
    return window->count > 0 ? window->mean * (double)window->count : 0;
}

static const struct statistics_window *unless_empty(const struct statistics_window *window)
{
    return window->count > 0 ? window : NULL;
}

static void take_latencies(const struct flows *flows, struct flow *flow)
{
    for (const struct sequence_latency *is = sequences_latencies(flow->sequences); is;
         is = is->hh.next) {
        struct flow_latency *latency = find_or_make_latency(flows, flow, &is->key);
        if (!latency) {
            flow->left_out += is->latency.count;
            continue;
        }
        latency->count += is->latency.count;
        latency->negative += is->negative;
        latency->sum += sum_of(&is->latency);
        latency->grown = unless_empty(&is->latency);
    }
}

/* Records may be lost and left out whenever they are added, in a pass or not. */
static void take_losses(struct flow *flow)
{
    const struct sequence_totals *totals = sequences_totals(flow->sequences);
    flow->lost += totals->lost - flow->lost_before;
    flow->left_out += totals->left_out - flow->left_out_before;
    flow->lost_before = totals->lost;
    flow->left_out_before = totals->left_out;
}

static void take_figures(const struct flows *flows, struct flow *flow)
{
    const struct sequence_totals *totals = sequences_totals(flow->sequences);
    flow->complete += totals->complete;
    flow->failed += totals->failed;
    flow->negative += totals->negative;
    flow->sum += sum_of(&totals->whole);
    flow->grown = unless_empty(&totals->whole);
    take_losses(flow);
    take_latencies(flows, flow);
}

static void begin(struct flow *flow)
{
    flow->grown = NULL;
    for (struct flow_latency *latency = flow->latencies; latency; latency = latency->hh.next)
        latency->grown = NULL;
    if (!flow->sequences)
        return;
    take_losses(flow);
    sequences_begin(flow->sequences);
    flow->lost_before = flow->left_out_before = 0;
}

static bool is_idle(const struct flow *flow, uint64_t now_ns)
{
    size_t records = 0;
    if (flow->sequences)
        sequences_waiting(flow->sequences, &records);
    return records == 0 && now_ns - flow->heard_ns >= FLOW_IDLE_NS;
}

void flows_begin(struct flows *flows, uint64_t now_ns)
{
    struct flow *flow, *next;
    flows->pass++;
    HASH_ITER(hh, flows->by_application, flow, next)
    {
        begin(flow);
        if (is_idle(flow, now_ns))
            free_flow(flows, flow);
    }
}

void flows_end(struct flows *flows, uint64_t now_ns)
{
    for (struct flow *flow = flows->by_application; flow; flow = flow->hh.next) {
        if (!flow->sequences)
            continue;
        sequences_settle_after(flow->sequences, flows->settle_ns);
        sequences_settle(flow->sequences, now_ns);
        take_figures(flows, flow);
    }
}
