#include "series/publish.h"

static void tell(const struct series_observer *observer, const struct publication *publication,
                 struct moment now)
{
    if (publication->is_watched && observer)
        observer->valued(observer->context, publication->series, publication->is_window, now);
}

/* A result that is no value, a gap for example, counts as a breach while there is an alarm. */
static bool is_breach(const struct series_observer *observer, const struct publication *publication)
{
    if (!observer)
        return false;
    if (publication->result->state != RESULT_VALID)
        return observer->holds(observer->context, publication->series);
    return observer->breaches(observer->context, publication->series, false);
}

bool publish(const struct series_observer *observer, struct publication *publication,
             struct moment now)
{
    struct level_state *told = publication->told;
    bool passes = true;
    if (told) {
        tell(observer, publication, now);
        passes = level_step(told, is_breach(observer, publication));
    }
    if (publication->rule) {
        passes = passes && filter_step(publication->rule, publication->filter, publication->result,
                                       now.mono_ns);
        ++*(passes ? publication->passed : publication->held);
    }
    if (passes)
        publication->report(publication, now);
    if (told && passes)
        level_told(told);
    else if (!told)
        tell(observer, publication, now);
    return passes;
}

bool publish_window(const struct publisher *publisher, struct dictionary_entry *entry,
                    struct moment now)
{
    const struct series_observer *observer = publisher->observer;
    if (!observer || !entry->watches)
        return false;
    observer->valued(observer->context, dictionary_series(entry), true, now);
    return observer->breaches(observer->context, dictionary_series(entry), true);
}

void publish_begin(const struct publisher *publisher, struct dictionary_entry *entry,
                   struct moment now)
{
    const struct series_observer *observer = publisher->observer;
    if (observer)
        observer->begun(observer->context, dictionary_series(entry), now);
}

void publish_end(const struct publisher *publisher, struct dictionary_entry *entry, const char *why,
                 struct moment now)
{
    static const struct result ended = {.state = RESULT_UNAVAILABLE};
    const struct series_observer *observer = publisher->observer;
    if (observer)
        observer->ended(observer->context, dictionary_series(entry), why, now);
    if (publisher->report && entry->is_reported)
        report_add(publisher->report, entry->number, now.wall_ms, &ended);
    entry->is_reported = false;
}
