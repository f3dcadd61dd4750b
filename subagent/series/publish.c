#include "series/publish.h"

bool publish(const struct series_observer *observer, struct publication *publication,
             struct moment now)
{
    bool passes = true;
    if (publication->rule) {
        passes =
            filter_step(publication->rule, publication->filter, publication->result, now.mono_ns);
        ++*(passes ? publication->passed : publication->held);
    }
    if (passes)
        publication->report(publication, now);
    if (publication->is_watched && observer)
        observer->valued(observer->context, publication->series, publication->is_window, now);
    return passes;
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
