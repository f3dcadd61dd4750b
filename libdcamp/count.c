#include "libdcamp/count.h"

#include "libdcamp/clock.h"

_Static_assert(SEGMENT_TIMER_NANOSECONDS == SEGMENT_TIMER_COUNT + 1 &&
                   SEGMENT_STEP_NANOSECONDS == SEGMENT_STEP_COUNT + 1,
               "count_durations()");

void dcamp_count_elsewhere(uint32_t panel, uint32_t word, uint64_t n)
{
    struct place place = dcamp_process_place(panel, SEGMENT_WORDS);
    if (!place.panel)
        return;
    if (place.shared)
        words_add_shared(&place.panel->word[word], n);
    else
        words_add_own(&place.panel->word[word], n);
}

void dcamp_count_bucket_elsewhere(uint32_t panel, uint32_t bucket, uint32_t n)
{
    struct place place = dcamp_process_place(panel, SEGMENT_BUCKETS);
    if (!place.panel)
        return;
    if (place.shared)
        words_count_shared(&place.panel->bucket[bucket], n);
    else
        words_count_own(&place.panel->bucket[bucket], n);
}

void dcamp_count_double(const struct handle *handle, unsigned word, double n)
{
    struct segment_panel *panel = dcamp_process_own_panel(handle->word_panel);
    if (!panel)
        panel = dcamp_process_place(handle->word_panel, SEGMENT_WORDS).panel;
    if (panel)
        words_add_double(&panel->word[handle->word + word], n);
}

uint64_t dcamp_count_elapsed(uint64_t moment)
{
    bool calibrated;
    uint64_t ns = dcamp_clock_elapsed(moment, &calibrated);
    if (__builtin_expect(calibrated, 0))
        dcamp_process_clock_changed();
    return ns;
}
