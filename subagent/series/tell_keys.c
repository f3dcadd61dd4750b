#include "series/tell_keys.h"

static bool tells(const struct measure *measure, const struct sensor *sensor)
{
    return sensor->window_ns > 0 && sensor->level == LEVEL_PERCENTILE && sensor->metric &&
           sensor->metric->source == SOURCE_APPLICATION && measure->publisher->report;
}

uint32_t tell_keys_begin(struct measure *measure, struct sensor *sensor, struct moment now)
{
    if (!tells(measure, sensor))
        return 0;
    if (!sensor->keys_wait)
        sensor->keys_round = now.mono_ns / sensor->window_ns + 1;
    sensor->keys_wait = false;
    return measure->publisher->report->last;
}

/* False: the keys have not been read, or there is no room or no memory for them. */
static bool report_keys(struct report_ring *report, struct series *series,
                        const struct sample_slot *slot, uint32_t newest, struct moment now)
{
    struct top_keys keys = {0};
    if (!slot->keys || report->last - newest >= TELL_KEYS_BLOCKS ||
        slot->keys(slot->keys_of, &keys) != 0)
        return false;
    int error = report_add_keys(report, series->entry.number, now.wall_ms, &keys);
    keys_release(&keys);
    series->entry.is_reported |= !error;
    return !error;
}

void tell_keys(struct measure *measure, struct series *series, const struct sample_slot *slot,
               uint32_t newest, struct moment now)
{
    struct sensor *sensor = series->sensor;
    if (!slot->is_top || series->keys_round == sensor->keys_round || !tells(measure, sensor))
        return;
    if (report_keys(measure->publisher->report, series, slot, newest, now))
        series->keys_round = sensor->keys_round;
    else
        sensor->keys_wait = measure->keys_wait = true;
}

bool tell_keys_wants(struct measure *measure, uint64_t now_ns)
{
    bool wants = false, waits = false;
    if (!measure->keys_wait)
        return false;
    for (const struct sensor *sensor = measure->all; sensor; sensor = sensor->next) {
        waits |= sensor->keys_wait;
        wants |= sensor->keys_wait && sensor->due_ns <= now_ns;
    }
    measure->keys_wait = waits;
    return wants;
}
