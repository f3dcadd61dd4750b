#include "daemon/publishing.h"

#include <stdlib.h>

#include "base/text.h"

_Static_assert((int)SINK_SYNC == (int)OUTLET_SYNC && (int)SINK_ASYNC == (int)OUTLET_ASYNC,
               "a mode of a row is one of a sink");
_Static_assert(
    sizeof((struct outlet_sink *)0)->location == sizeof((struct sink_row *)0)->location &&
        sizeof((struct outlet_sink *)0)->credentials == sizeof((struct sink_row *)0)->credentials &&
        sizeof((struct outlet_sink *)0)->sensors == sizeof((struct sink_row *)0)->sensors,
    "a text of a row is one of a sink");
_Static_assert(SINKS_MAX < OUTLET_PUBLISHERS_MAX, "each sink has a process, and one starts them");

/* All octets of the sink must be 0 before. */
static void set_up(struct outlet_sink *sink, const struct sink_row *row)
{
    text_format(sink->name, sizeof sink->name, "%s", row->row.name);
    text_format(sink->kind, sizeof sink->kind, "%s", row->kind);
    text_format(sink->location, sizeof sink->location, "%s", row->location);
    text_format(sink->credentials, sizeof sink->credentials, "%s", row->credentials);
    text_format(sink->sensors, sizeof sink->sensors, "%s", row->sensors);
    sink->mode = (uint32_t)row->mode;
    sink->queue = row->queue;
    sink->limit = row->limit;
    sink->rotate = row->rotate;
    sink->raw_s = row->raw_s;
    sink->minutes_s = row->minutes_s;
    sink->hours_s = row->hours_s;
}

bool publishing_sync(struct outlet *outlet, const struct config *config)
{
    const struct index *rows = &config->rows[ROW_SINK];
    struct outlet_sink *sinks = calloc(rows->count + 1, sizeof *sinks);
    size_t n = 0;
    if (!sinks)
        return false;
    for (struct index_node *node = index_first(rows); node; node = index_next(node)) {
        const struct sink_row *row = (const struct sink_row *)node;
        if (row->row.status == ROW_ACTIVE)
            set_up(&sinks[n++], row);
    }
    bool whole = outlet_sync(outlet, sinks, n);
    free(sinks);
    return whole;
}
