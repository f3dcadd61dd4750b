/* Steps: a timer, and a record of each execution. */
#include "libdcamp/app.h"
#include "libdcamp/clock.h"
#include "libdcamp/count.h"

struct dcamp_step {
    struct handle handle;
};

struct dcamp_step *dcamp_step_new(struct dcamp_app *app, const char *name, const char *instance,
                                  const char *purpose)
{
    struct dcamp_step *step = dcamp_app_sensor(
        app, &(struct dcamp_app_sensor){SEGMENT_STEP, name, instance, "s", purpose, sizeof *step});
    return step ? step : (struct dcamp_step *)&dcamp_app_unpublished;
}

struct dcamp_execution dcamp_step_begin(struct dcamp_step *step, uint64_t sequence)
{
    if (step)
        count_word(&step->handle, SEGMENT_STEP_BEGUN, 1);
    return (struct dcamp_execution){.start = dcamp_clock_now(), .sequence = sequence};
}

/* The place of record n, from 1 on, in the ring of a shard; NULL if there is no panel for it. */
static struct segment_record *record_at(unsigned shard, uint64_t n)
{
    uint32_t number =
        dcamp_process_ring() + (uint32_t)((n - 1) / SEGMENT_RECORDS_IN_PANEL) % SEGMENT_RING_PANELS;
    struct segment_panel *panel = dcamp_process_panel(shard, number, SEGMENT_RECORDS);
    return panel ? &panel->record[(n - 1) % SEGMENT_RECORDS_IN_PANEL] : NULL;
}

/* Several threads, or a signal handler, may write at the same time: each takes a number, and has
 * the record of that number for itself until the ring has come round. */
static void keep_record(unsigned shard, struct segment_record *record)
{
    struct table *table = dcamp_process_table(shard);
    uint64_t *steps = table ? table->steps : NULL;
    if (!steps)
        return;
    uint64_t n = __atomic_add_fetch(steps, 1, __ATOMIC_RELAXED);
    struct segment_record *into = record_at(shard, n);
    if (!into)
        return;
    words_store(&into->number, UINT64_C(0));
    __atomic_thread_fence(__ATOMIC_RELEASE);
    words_store(&into->descriptor, record->descriptor);
    words_store(&into->result, record->result);
    words_store(&into->sequence, record->sequence);
    words_store(&into->start, record->start);
    words_store(&into->duration, record->duration);
    words_store(&into->thread, record->thread);
    words_publish(&into->number, n);
}

void dcamp_step_end(struct dcamp_step *step, struct dcamp_execution execution, int32_t result)
{
    uint64_t ns = dcamp_count_elapsed(execution.start);
    if (!step)
        return;
    count_duration(&step->handle, SEGMENT_STEP_COUNT, ns);
    if (result != 0)
        count_word(&step->handle, SEGMENT_STEP_FAILED, 1);
    if (step->handle.panel == PROCESS_SINK)
        return;
    struct segment_record record = {
        .descriptor = step->handle.index,
        .result = result,
        .sequence = execution.sequence,
        .start = dcamp_clock_realtime() - ns,
        .duration = ns,
        .thread = dcamp_process_own.thread,
    };
    keep_record(dcamp_process_own.shard, &record);
}
