#include "alarms.h"

#include <stdio.h>

const struct alarm_limits roomy = {.log_size = 100, .rate = 0, .period_ms = 60000, .queue = 100};

struct moment at_s(uint64_t seconds)
{
    return (struct moment){.mono_ns = seconds * NS_PER_S,
                           .wall_ms = INT64_C(1700000000000) + (int64_t)seconds * 1000};
}

struct alarm_facts facts_of(const char *key)
{
    struct alarm_facts facts = {.node = "n1",
                                .threshold = "cpu-high",
                                .sensor = "cpu",
                                .instance = "total",
                                .value = "97.5",
                                .limit = "> 90",
                                .severity = SEVERITY_WARNING,
                                .sequence = 4711,
                                .since_ms = 4711,
                                .suppressed = 4711,
                                .message = "CPU is busy"};
    snprintf(facts.key, sizeof facts.key, "%s", key);
    return facts;
}

static struct alarm_facts clearing(const char *key)
{
    struct alarm_facts facts = {.node = "other",
                                .threshold = "other",
                                .sensor = "other",
                                .instance = "other",
                                .value = "12",
                                .limit = "> 80",
                                .severity = SEVERITY_CRITICAL,
                                .message = "CPU is calm"};
    snprintf(facts.key, sizeof facts.key, "%s", key);
    return facts;
}

int alarms_setup(void **state)
{
    static struct alarms alarms;
    alarms_open(&alarms, &roomy, 0);
    *state = &alarms;
    return 0;
}

int alarms_teardown(void **state)
{
    struct alarms *alarms = *state;
    alarms_close(alarms);
    assert_null(alarms->by_key);
    assert_int_equal(alarms->active.count, 0);
    assert_int_equal(alarms->log.count, 0);
    assert_int_equal(alarms->queued, 0);
    assert_null(alarms_peek(alarms));
    return 0;
}

const struct alarm_entry *entry_of(const struct alarms *alarms, uint32_t sequence)
{
    return (const struct alarm_entry *)index_find(&alarms->log, &sequence, 1);
}

bool raise_key(struct alarms *alarms, const char *key, struct moment now)
{
    struct alarm_facts facts = facts_of(key);
    return alarm_raise(alarms, &facts, now);
}

bool clear_key(struct alarms *alarms, const char *key, struct moment now)
{
    struct alarm_facts facts = clearing(key);
    return alarm_clear(alarms, &facts, now);
}
