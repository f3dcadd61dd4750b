#include "children/dictionary.h"

#include "children/child.h"

/* A look-up that was not answered within this time is made again. */
#define LOOK_UP_NS (10 * NS_PER_S)

void child_begin_boot(struct children *children, struct child *child, struct moment now)
{
    child_series_begin_boot(children, child, now);
    child->dictionary.n_asked = 0;
    child->dictionary.bad_name = child->dictionary.bad_look_up = false;
}

/* -- Answers -------------------------------------------------------------------------------- */

const char *child_dictionary_take(struct children *children, struct child *child,
                                  const struct message_series *message, struct moment now)
{
    struct child_series *series =
        message->report_boot == child->cursor.boot ? child_series_at(child, message->series) : NULL;
    if (!series)
        return NULL; /* the series has ended meanwhile */
    if (child->dictionary.n_asked > 0 && series->request == child->dictionary.request)
        child->dictionary.n_asked--;
    series->request = 0;
    if (!message->exists) {
        child_series_end(children, series, CHILD_SERIES_GONE, now);
        return NULL;
    }
    const struct series_words words = {
        .sensor = series_word(message->sensor, sizeof message->sensor),
        .instance = series_word(message->instance, sizeof message->instance),
        .metric = series_word(message->metric, sizeof message->metric),
        .unit = series_word(message->unit, sizeof message->unit),
        .path = series_word(message->path, sizeof message->path)};
    return child_series_take_words(children, series, &words, now);
}

/* -- Questions ------------------------------------------------------------------------------ */

/* In both lists, the series that have waited longest come first; those behind the chosen ones are
 * not looked at. */
static uint32_t choose_series(struct child *child, struct message_look_up *ask, uint64_t now_ns)
{
    struct child_series *series;
    uint32_t n = 0;
    TAILQ_FOREACH(series, &child->series.unnamed, link)
    {
        if (n == POLL_SERIES_MAX)
            return n;
        series->request = child->dictionary.request;
        ask->series[n++] = series->number;
    }
    TAILQ_FOREACH(series, &child->series.named, link)
    {
        if (n == POLL_SERIES_MAX || !child_series_needs_look(series, now_ns))
            return n;
        series->request = child->dictionary.request;
        ask->series[n++] = series->number;
    }
    return n;
}

void child_look_up(struct children *children, struct child *child, uint64_t now_ns)
{
    struct message_look_up ask = {
        .head = {.kind = MESSAGE_LOOK_UP, .length = sizeof ask},
        .id = child->id,
    };
    if (!children->send ||
        (child->dictionary.n_asked > 0 && now_ns - child->dictionary.asked_ns < LOOK_UP_NS))
        return;
    child_series_settle_doubt(child, now_ns);
    if (++child->dictionary.request == 0)
        child->dictionary.request = 1; /* 0 means no request; nobody waits any more for number 1,
                                        * which was so long ago */
    ask.n = child->dictionary.n_asked = choose_series(child, &ask, now_ns);
    child->dictionary.asked_ns = now_ns;
    child->dictionary.bad_look_up &= ask.n > 0;
    if (ask.n > 0)
        children_send(children, child->id, &ask.head);
}
