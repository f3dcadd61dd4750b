#include "director/target.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#define TIMEOUT_MIN (200 * NS_PER_MS)
#define TIMEOUT_MAX (5 * NS_PER_S)
#define ORDER_TIMEOUT (2 * NS_PER_S) /* the answer to a SET waits for the node's disk */
#define ROUND_TRIPS 4                /* an answer may take so many times as long as usual */

#define LOOKS_WHILE_LOST 5 /* heartbeats between two looks at a lost node */

/* A complete document comes into force within a cycle. */
#define WAITING (200 * NS_PER_MS)

/* One refusal may be due to an outdated look; a second one is taken seriously. */
#define REFUSALS_MAX 2
#define REFUSED_HOLD (30 * NS_PER_S)
#define SILENT_ORDERS_MAX 5
#define SILENT_HOLD (10 * NS_PER_S)

void target_init(struct target *target, const struct target_rules *rules)
{
    *target = (struct target){.rules = rules};
}

/* What a question is about is kept while it is under way. */
static void end_step(struct target *target)
{
    parcel_drop(target->step.order.packed);
    target->step = (struct target_step){.ask = TARGET_WAIT};
}

void target_release(struct target *target)
{
    end_step(target);
    for (int kind = 0; kind < TARGET_KINDS; kind++)
        parcel_drop(target->wanted[kind].packed);
    *target = (struct target){.rules = target->rules};
}

/* -- What is wanted -------------------------------------------------------------------------- */

/* What was refused was something else: it does not count any more. */
static void begin_anew(struct target *target)
{
    target->refusals = target->silent_orders = 0;
    target->refusal[0] = '\0';
    target->hold_ns = 0;
}

static bool is_same(const struct parcel *a, const struct parcel *b)
{
    return a == b || (a && b && memcmp(a->digest, b->digest, CONFIG_DIGEST) == 0);
}

void target_want(struct target *target, enum target_kind kind, struct parcel *packed)
{
    struct target_wanted *wanted = &target->wanted[kind];
    if (wanted->is_wanted && is_same(wanted->packed, packed))
        return;
    parcel_drop(wanted->packed);
    wanted->packed = packed ? parcel_use(packed) : NULL;
    wanted->is_wanted = true;
    begin_anew(target);
}

void target_want_nothing(struct target *target, enum target_kind kind)
{
    parcel_drop(target->wanted[kind].packed);
    target->wanted[kind] = (struct target_wanted){0};
}

void target_set_term(struct target *target, uint32_t term)
{
    if (target->term != term)
        begin_anew(target);
    target->term = term;
}

/* -- What it has ----------------------------------------------------------------------------- */

/* Whether the order that it accepted is of this root and term. */
static bool is_ours(const struct target *target, const struct target_document *document)
{
    return document->term == target->term && strcmp(document->root, target->rules->root) == 0;
}

static bool is_ordered(const struct target_document *document, const struct parcel *packed)
{
    return document->has_digest == (packed != NULL) &&
           (!packed || memcmp(document->digest, packed->digest, CONFIG_DIGEST) == 0);
}

static bool is_in_force(const struct target_document *document, const struct parcel *packed)
{
    return document->works == (packed != NULL) &&
           (!packed || memcmp(document->in_force, packed->digest, CONFIG_DIGEST) == 0);
}

/* A node that has no document need not be told to have none. */
static bool has(const struct target *target, enum target_kind kind)
{
    const struct target_wanted *wanted = &target->wanted[kind];
    const struct target_document *document = &target->look.documents[kind];
    if (!wanted->is_wanted || target->term == 0)
        return true;
    return is_ordered(document, wanted->packed) && is_in_force(document, wanted->packed) &&
           (!wanted->packed || is_ours(target, document));
}

bool target_has(const struct target *target, enum target_kind kind)
{
    return target->looked && has(target, kind);
}

bool target_is_unable(const struct target *target, enum target_kind kind)
{
    const struct target_wanted *wanted = &target->wanted[kind];
    const struct target_document *document = &target->look.documents[kind];
    return target->looked && wanted->is_wanted && wanted->packed && is_ours(target, document) &&
           is_ordered(document, wanted->packed) && document->state == TARGET_REFUSED;
}

static bool obeys_another(const struct target *target, const struct target_document *document)
{
    return document->term > target->term ||
           (document->term == target->term && strcmp(document->root, target->rules->root) != 0);
}

/* A document that is to be removed, and has been removed, need not be ordered. */
static bool is_fenced(const struct target *target, enum target_kind kind)
{
    return !has(target, kind) && obeys_another(target, &target->look.documents[kind]);
}

const struct target_document *target_fence(const struct target *target)
{
    const struct target_document *highest = NULL;
    for (int kind = 0; target->looked && kind < TARGET_KINDS; kind++)
        if (is_fenced(target, kind) &&
            (!highest || target->look.documents[kind].term > highest->term))
            highest = &target->look.documents[kind];
    return highest;
}

bool target_is_lost(const struct target *target)
{
    return target->failures >= target->rules->missed;
}

bool target_is_done(const struct target *target)
{
    return target->looked && !target_is_lost(target) && has(target, TARGET_SHARE) &&
           has(target, TARGET_TREE);
}

/* -- What to ask ----------------------------------------------------------------------------- */

static uint32_t part_length(const struct parcel *packed, uint32_t offset)
{
    uint32_t left = packed->len - offset;
    return left < TARGET_PART_MAX ? left : TARGET_PART_MAX;
}

/* The next part of the document whose order it has accepted. False: there is none, so it has to be
 * ordered anew. */
static bool go_on(const struct target_document *document, const struct parcel *packed,
                  struct target_order *order)
{
    if (!packed || document->state != TARGET_PARTIAL || document->offset >= packed->len)
        return false;
    order->epoch = document->epoch;
    order->offset = document->offset;
    order->n = part_length(packed, order->offset);
    return true;
}

/* False: there is nothing to order, or not now. */
static bool find_order(const struct target *target, enum target_kind kind,
                       struct target_order *order)
{
    struct parcel *packed = target->wanted[kind].packed;
    const struct target_document *document = &target->look.documents[kind];
    bool ordered = is_ours(target, document) && is_ordered(document, packed);
    if (has(target, kind) || is_fenced(target, kind) || target_is_unable(target, kind) ||
        (ordered && document->state == TARGET_WAITING))
        return false;
    *order = (struct target_order){.kind = kind, .term = target->term, .packed = packed};
    if (ordered && go_on(document, packed, order))
        return true;
    if (document->term == target->term && document->epoch == UINT32_MAX)
        return false; /* a new term is needed, and comes with the next root */
    order->epoch = document->term == target->term ? document->epoch + 1 : 1;
    if (packed && !is_in_force(document, packed))
        order->n = part_length(packed, 0);
    return true;
}

static bool find_any_order(const struct target *target, struct target_order *order)
{
    for (int kind = 0; kind < TARGET_KINDS; kind++)
        if (find_order(target, (enum target_kind)kind, order))
            return true;
    return false;
}

static struct target_step begin(struct target *target, struct target_step step, uint64_t now_ns)
{
    if (step.order.packed)
        parcel_use(step.order.packed);
    target->step = step;
    target->asked_ns = now_ns;
    return step;
}

static struct target_step wait_until(uint64_t ns)
{
    return (struct target_step){.ask = TARGET_WAIT, .until_ns = ns};
}

struct target_step target_next(struct target *target, uint64_t now_ns)
{
    struct target_step step = {.ask = TARGET_ORDER};
    if (target->step.ask != TARGET_WAIT)
        return wait_until(UINT64_MAX); /* until the answer comes */
    if (target->explain && !target->is_held)
        return begin(target, (struct target_step){.ask = TARGET_EXPLAIN}, now_ns);
    if (now_ns >= target->due_ns)
        return begin(target,
                     (struct target_step){.ask = target->met && !target->is_held ? TARGET_LOOK
                                                                                 : TARGET_DISCOVER},
                     now_ns);
    if (target->is_held || target->failures > 0 || !target->looked ||
        !find_any_order(target, &step.order))
        return wait_until(target->due_ns);
    if (now_ns < target->hold_ns)
        return wait_until(target->hold_ns < target->due_ns ? target->hold_ns : target->due_ns);
    return begin(target, step, now_ns);
}

uint64_t target_timeout(const struct target *target)
{
    uint64_t timeout = target->rules->heartbeat_ns / 4;
    if (timeout < TIMEOUT_MIN)
        timeout = TIMEOUT_MIN;
    if (timeout < ROUND_TRIPS * target->round_trip_ns)
        timeout = ROUND_TRIPS * target->round_trip_ns;
    for (uint32_t i = 0; !target->looked && i < target->failures && timeout < TIMEOUT_MAX; i++)
        timeout *= 2; /* a node that never answered may need more time */
    if (target->step.ask == TARGET_ORDER && timeout < ORDER_TIMEOUT)
        timeout = ORDER_TIMEOUT;
    return timeout < TIMEOUT_MAX ? timeout : TIMEOUT_MAX;
}

/* -- What became of it ----------------------------------------------------------------------- */

void target_stop(struct target *target)
{
    end_step(target);
    target->due_ns = 0;
}

void target_hurry(struct target *target)
{
    target->due_ns = 0;
}

static bool is_waiting(const struct target_look *look)
{
    return look->documents[TARGET_SHARE].state == TARGET_WAITING ||
           look->documents[TARGET_TREE].state == TARGET_WAITING;
}

static uint64_t pace_of(const struct target *target)
{
    return target->is_leaf ? target->rules->leaf_heartbeat_ns : target->rules->heartbeat_ns;
}

/* An agent's answer to any question shows that it is there, and how fast it is. */
static void hear(struct target *target, uint64_t round_trip_ns, uint64_t now_ns)
{
    target->heard_ns = now_ns;
    target->failures = 0;
    target->silence[0] = '\0';
    target->round_trip_ns = target->round_trip_ns ? (7 * target->round_trip_ns + round_trip_ns) / 8
                                                  : round_trip_ns; /* RFC 6298 */
}

void target_discovered(struct target *target, uint64_t now_ns)
{
    end_step(target);
    target->met = true;
    target->heard_ns = now_ns;
    if (!target->is_held)
        return; /* a look follows at once */
    target->failures = 0;
    target->silence[0] = '\0';
    target->due_ns = target->asked_ns + target->rules->leaf_heartbeat_ns;
}

/* Looks are paced from question to question, so that slow answers do not make them less
 * frequent. */
void target_looked(struct target *target, const struct target_look *look, uint64_t round_trip_ns,
                   uint64_t now_ns)
{
    struct target_order order;
    end_step(target);
    hear(target, round_trip_ns, now_ns);
    if (target->looked && look->boot != target->look.boot)
        begin_anew(target); /* the node had forgotten what was under way */
    target->look = *look;
    target->looked = true;
    target->seen_ns = target->asked_ns;
    target->due_ns = is_waiting(look) ? now_ns + WAITING : target->asked_ns + pace_of(target);
    if (!is_waiting(look) && !find_any_order(target, &order))
        begin_anew(target);
}

/* What the node has after an accepted order is known without looking. */
static void take_part(struct target *target, const struct target_order *order)
{
    struct target_document *document = &target->look.documents[order->kind];
    document->term = order->term;
    document->epoch = order->epoch;
    memcpy(document->root, target->rules->root, sizeof document->root);
    document->has_digest = true;
    memcpy(document->digest, order->packed->digest, CONFIG_DIGEST);
    document->length = order->packed->len;
    document->offset = order->offset + order->n;
    document->state = TARGET_PARTIAL;
}

void target_ordered(struct target *target, uint64_t now_ns)
{
    const struct target_order *order = &target->step.order;
    target->heard_ns = now_ns;
    target->silent_orders = 0;
    if (order->packed && order->n > 0 && order->offset + order->n < order->packed->len)
        take_part(target, order);
    else
        target->due_ns = now_ns; /* a look will tell whether it works by it */
    end_step(target);
}

static void hold_if(struct target *target, bool held, uint64_t until_ns)
{
    target->hold_ns = held ? until_ns : 0;
}

void target_refused(struct target *target, const char *text, uint64_t now_ns)
{
    end_step(target);
    target->heard_ns = now_ns;
    target->refusals++;
    target->explain = true;
    text_format(target->refusal, sizeof target->refusal, "%s", text);
    hold_if(target, target->refusals >= REFUSALS_MAX, now_ns + REFUSED_HOLD);
}

void target_explained(struct target *target, const char *text, uint64_t now_ns)
{
    end_step(target);
    target->heard_ns = now_ns;
    target->explain = false;
    target->due_ns = now_ns;
    if (text[0])
        text_format(target->refusal, sizeof target->refusal, "%s", text);
}

/* An order was not answered: the next look tells whether it arrived, and whether the node is
 * there. */
static void fail_order(struct target *target, const char *text, uint64_t now_ns)
{
    target->silent_orders++;
    target->due_ns = now_ns;
    if (target->silent_orders < SILENT_ORDERS_MAX)
        return;
    hold_if(target, true, now_ns + SILENT_HOLD);
    target->silent_orders = 0;
    text_format(target->refusal, sizeof target->refusal, "an order: %s", text);
}

/* Until the last look that may be missed, looks follow each other every half heartbeat, so that a
 * node that falls silent is known to be lost after no more heartbeats than looks may be missed. */
static void fail_look(struct target *target, const char *text)
{
    uint64_t heartbeat = target->rules->heartbeat_ns;
    if (target->failures < UINT32_MAX)
        target->failures++;
    text_format(target->silence, sizeof target->silence, "%s", text);
    uint64_t pause = target_is_lost(target) ? LOOKS_WHILE_LOST * heartbeat : heartbeat / 2;
    if (target->is_leaf && pause > target->rules->leaf_heartbeat_ns)
        pause = target->rules->leaf_heartbeat_ns;
    target->due_ns = target->asked_ns + pause;
}

void target_failed(struct target *target, const char *text, bool met, uint64_t now_ns)
{
    enum target_ask asked = target->step.ask;
    end_step(target);
    target->met = met;
    target->explain = false;
    if (asked == TARGET_ORDER)
        fail_order(target, text, now_ns);
    else if (asked == TARGET_EXPLAIN)
        target->due_ns = now_ns;
    else
        fail_look(target, text);
}
