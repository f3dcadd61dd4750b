#include "threshold/damper.h"

#include <stddef.h>

#include "base/clock.h"

#define KEPT (DAMPER_COUNT_MAX + 1)

static void note(struct damper_times *times, uint64_t now_ns)
{
    times->at_ns[times->n % KEPT] = now_ns;
    times->n++;
}

/* How many of the times are less than ms milliseconds ago. */
static uint32_t within(const struct damper_times *times, uint64_t now_ns, uint32_t ms)
{
    uint32_t n = 0;
    while (n < KEPT && n < times->n &&
           now_ns - times->at_ns[(times->n - 1 - n) % KEPT] < ms * NS_PER_MS)
        n++;
    return n;
}

uint32_t damper_changes(const struct damper_rule *rule, const struct damper *damper,
                        uint64_t now_ns)
{
    return within(&damper->changes, now_ns, rule->flap_ms);
}

static void settle(const struct damper_rule *rule, struct damper *damper, uint64_t now_ns)
{
    if (damper_changes(rule, damper, now_ns) == 0)
        damper->flapping = damper->flap_told = false;
}

static void change(const struct damper_rule *rule, struct damper *damper, uint64_t now_ns)
{
    settle(rule, damper, now_ns);
    note(&damper->changes, now_ns);
    if (rule->flap_count && damper_changes(rule, damper, now_ns) > rule->flap_count)
        damper->flapping = true;
}

static bool is_held(const struct damper_rule *rule, const struct damper *damper, uint64_t now_ns)
{
    switch (rule->dampening) {
    case DAMPEN_EVERY_NTH:
        return damper->raises.n % rule->count != 0;
    case DAMPEN_COUNT_WITHIN:
        return within(&damper->raises, now_ns, rule->time_ms) < rule->count;
    default:
        return false;
    }
}

bool damper_raise(const struct damper_rule *rule, struct damper *damper, uint64_t now_ns)
{
    change(rule, damper, now_ns);
    note(&damper->raises, now_ns);
    damper->holds = is_held(rule, damper, now_ns);
    damper->due_ns = now_ns;
    if (rule->dampening == DAMPEN_ONCE_PER && damper->was_told &&
        now_ns - damper->told_ns < rule->time_ms * NS_PER_MS)
        damper->due_ns = damper->told_ns + rule->time_ms * NS_PER_MS;
    bool news = damper->flapping && !damper->flap_told;
    damper->flap_told |= news;
    return news;
}

void damper_clear(const struct damper_rule *rule, struct damper *damper, uint64_t now_ns)
{
    change(rule, damper, now_ns);
    if (now_ns < damper->due_ns)
        return;
    damper->told_ns = damper->due_ns;
    damper->was_told = true;
}

enum damper_verdict damper_verdict(const struct damper_rule *rule, struct damper *damper,
                                   uint64_t now_ns)
{
    settle(rule, damper, now_ns);
    if (damper->flapping)
        return DAMPER_FLAPPING;
    return damper->holds || now_ns < damper->due_ns ? DAMPER_DAMPENED : DAMPER_TELL;
}

bool damper_needed(const struct damper_rule *rule)
{
    return rule->dampening > DAMPEN_NONE || rule->flap_count > 0;
}

const char *damper_fault(const struct damper_rule *rule)
{
    bool timed = rule->dampening == DAMPEN_ONCE_PER || rule->dampening == DAMPEN_COUNT_WITHIN;
    if (timed && rule->time_ms == 0)
        return "this dampening needs a dampening-time";
    if (rule->flap_count && rule->flap_ms == 0)
        return "flap-count needs a flap-time";
    return NULL;
}
