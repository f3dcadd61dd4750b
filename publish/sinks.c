#include "publish/sinks.h"

#include <string.h>

#include "publish/sink_csv.h"
#include "publish/sink_influx.h"
#include "publish/sink_journald.h"
#include "publish/sink_json.h"
#include "publish/sink_otlp.h"
#include "publish/sink_sqlite.h"
#include "publish/sink_syslog.h"

static const struct sink_type *const linked[] = {&sink_csv,    &sink_influx, &sink_json,
                                                 &sink_otlp,   &sink_syslog, &sink_journald,
                                                 &sink_sqlite, NULL};

const struct sink_type *sinks_find(const char *kind)
{
    for (const struct sink_type *const *type = linked; *type; type++)
        if (strcmp((*type)->kind, kind) == 0)
            return *type;
    return NULL;
}
