/* Counters and gauges, which are one word each; and the name of the calling thread. */
#include "libdcamp/app.h"
#include "libdcamp/count.h"

void dcamp_thread_name(const char *name)
{
    dcamp_process_name_thread(name ? name : "");
}

struct dcamp_counter {
    struct handle handle;
};

struct dcamp_gauge {
    struct handle handle;
};

struct dcamp_counter *dcamp_counter_new(struct dcamp_app *app, const char *name,
                                        const char *instance, const char *unit)
{
    struct dcamp_counter *counter =
        dcamp_app_sensor(app, &(struct dcamp_app_sensor){SEGMENT_COUNTER, name, instance, unit,
                                                         NULL, sizeof *counter});
    return counter ? counter : (struct dcamp_counter *)&dcamp_app_unpublished;
}

void dcamp_counter_add(struct dcamp_counter *counter, uint64_t n)
{
    if (counter)
        count_word(&counter->handle, SEGMENT_COUNTER_VALUE, n);
}

struct dcamp_gauge *dcamp_gauge_new(struct dcamp_app *app, const char *name, const char *instance,
                                    const char *unit)
{
    struct dcamp_gauge *gauge = dcamp_app_sensor(
        app, &(struct dcamp_app_sensor){SEGMENT_GAUGE, name, instance, unit, NULL, sizeof *gauge});
    return gauge ? gauge : (struct dcamp_gauge *)&dcamp_app_unpublished;
}

/* A gauge belongs to the process, not to a thread, and so there is one word of it. */
static uint64_t *gauge_word(const struct dcamp_gauge *gauge)
{
    struct segment_panel *panel = dcamp_process_panel(0, gauge->handle.word_panel, SEGMENT_WORDS);
    return panel ? &panel->word[gauge->handle.word + SEGMENT_GAUGE_VALUE] : NULL;
}

void dcamp_gauge_set(struct dcamp_gauge *gauge, double value)
{
    uint64_t *word = gauge ? gauge_word(gauge) : NULL;
    if (word)
        words_store(word, words_of_double(value));
}

void dcamp_gauge_add(struct dcamp_gauge *gauge, double n)
{
    uint64_t *word = gauge ? gauge_word(gauge) : NULL;
    if (word)
        words_add_double(word, n);
}
