#include "publish/openmetrics/family.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "metric/metric.h"

#define AGGREGATE "aggregate" /* the metric of an aggregate, in the dictionary of a node */

struct unit_word {
    const char *unit, *word, *one; /* one: used after "per" */
};

/* The units of metric/, and those that calculations and expressions make of them. */
static const struct unit_word unit_words[] = {
    {"%", "percent", "percent"},
    {"A", "amperes", "ampere"},
    {"B", "bytes", "byte"},
    {"C", "celsius", "celsius"},
    {"CPUs", "cpus", "cpu"},
    {"V", "volts", "volt"},
    {"W", "watts", "watt"},
    {"answers", "answers", "answer"},
    {"classes", "classes", "class"},
    {"collections", "collections", "collection"},
    {"connections", "connections", "connection"},
    {"datagrams", "datagrams", "datagram"},
    {"erlang", "erlangs", "erlang"},
    {"events", "events", "event"},
    {"faults", "faults", "fault"},
    {"files", "files", "file"},
    {"flag", "flag", "flag"},
    {"inodes", "inodes", "inode"},
    {"interrupts", "interrupts", "interrupt"},
    {"latencies", "latencies", "latency"},
    {"lines", "lines", "line"},
    {"min", "minutes", "minute"},
    {"ms", "milliseconds", "millisecond"},
    {"operations", "operations", "operation"},
    {"packets", "packets", "packet"},
    {"pages", "pages", "page"},
    {"periods", "periods", "period"},
    {"processes", "processes", "process"},
    {"records", "records", "record"},
    {"s", "seconds", "second"},
    {"safepoints", "safepoints", "safepoint"},
    {"samples", "samples", "sample"},
    {"segments", "segments", "segment"},
    {"sensors", "sensors", "sensor"},
    {"sequences", "sequences", "sequence"},
    {"series", "series", "series"},
    {"sockets", "sockets", "socket"},
    {"switches", "switches", "switch"},
    {"tasks", "tasks", "task"},
    {"threads", "threads", "thread"},
    {"timeouts", "timeouts", "timeout"},
    {"us", "microseconds", "microsecond"},
};

static const struct unit_word *find_unit(const char *unit, size_t len)
{
    for (size_t i = 0; i < sizeof unit_words / sizeof *unit_words; i++)
        if (strlen(unit_words[i].unit) == len && memcmp(unit_words[i].unit, unit, len) == 0)
            return &unit_words[i];
    return NULL;
}

/* Puts a unit into words: "B/s", "1/min", "B", "1" or "". False: it is no such unit, or not in the
 * list. */
static bool name_unit(char word[FAMILY_UNIT_SIZE], const char *unit)
{
    size_t len = strcspn(unit, "/");
    const char *below = unit[len] ? unit + len + 1 : NULL;
    bool is_one = len == 0 ? !below : len == 1 && unit[0] == '1';
    const struct unit_word *over = is_one ? NULL : find_unit(unit, len);
    const struct unit_word *under = below ? find_unit(below, strlen(below)) : NULL;
    word[0] = '\0';
    if ((!is_one && !over) || (below && !under))
        return false;
    if (under)
        text_format(word, FAMILY_UNIT_SIZE, "%s%sper_%s", over ? over->word : "", over ? "_" : "",
                    under->one);
    else if (over)
        text_format(word, FAMILY_UNIT_SIZE, "%s", over->word);
    return true;
}

/* Makes the name end with "_UNIT"; a word that both have where they meet stands there once. */
static void append_unit(char name[FAMILY_NAME_SIZE], const char *unit)
{
    size_t len = strlen(name);
    const char *last = strrchr(name, '_') + 1;
    size_t n = strlen(last);
    if (strncmp(unit, last, n) == 0 && (unit[n] == '\0' || unit[n] == '_'))
        len = (size_t)(last - name) - 1;
    text_format(name + len, FAMILY_NAME_SIZE - len, "_%s", unit);
}

static void name_metric(char name[FAMILY_NAME_SIZE], const char *metric)
{
    text_format(name, FAMILY_NAME_SIZE, "dcamp_%s", metric);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
}

static enum writing_type type_of(const struct metric *metric, const char *unit, bool is_aggregate)
{
    if (metric && (metric->kind == METRIC_GAUGE || strcmp(metric->unit, unit) != 0))
        return WRITING_GAUGE;
    return is_aggregate ? WRITING_GAUGE : WRITING_UNKNOWN;
}

static void help_of(struct family_words *words, const struct metric *metric, bool is_aggregate,
                    bool is_window)
{
    const char *what = metric         ? metric->meaning
                       : is_aggregate ? "Computed of values of several nodes"
                                      : "Of a device, or a metric that this version does not know";
    text_format(words->help, sizeof words->help, "%s%s%s%s%s", what, metric ? " (" : "",
                metric ? metric->name : "", metric ? ")" : "",
                is_window ? "; quantiles of the last window, count and sum of all since this "
                            "publisher began"
                          : "");
}

void family_of(struct family_words *words, const char *metric, const char *unit, bool is_window)
{
    const struct metric *known = metric_find(metric);
    bool is_aggregate = strcmp(metric, AGGREGATE) == 0;
    bool has_unit = name_unit(words->unit, unit);
    words->needs_metric = !known && !is_aggregate && metric[0];
    words->needs_unit = !has_unit;
    name_metric(words->name, known || is_aggregate ? metric : "value");
    if (is_window)
        text_format(words->name + strlen(words->name), FAMILY_NAME_SIZE - strlen(words->name),
                    "_window");
    if (words->unit[0])
        append_unit(words->name, words->unit);
    words->type = is_window ? WRITING_SUMMARY : type_of(known, unit, is_aggregate);
    help_of(words, known, is_aggregate, is_window);
}
