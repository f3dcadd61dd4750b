#include "application/exposed_name.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* -- Names ------------------------------------------------------------------------------------- */

#define CUT_DIGITS 8
#define CUT_SIZE (INSTANCE_SIZE - 1 - CUT_DIGITS) /* including the '~' */

/* A name that is being written: as much of it as there is room for, and a hash of all of it
 * (FNV-1a). */
struct writer {
    char *to;
    size_t len; /* of the whole name, even if there was no room for it */
    uint32_t hash;
};

static void put(struct writer *writer, const char *text)
{
    for (; *text; text++, writer->len++) {
        writer->hash = (writer->hash ^ (unsigned char)*text) * UINT32_C(16777619);
        if (writer->len < INSTANCE_SIZE - 1)
            writer->to[writer->len] = *text;
    }
}

static void put_label(struct writer *writer, char separator, const struct openmetrics_label *label)
{
    const char before[] = {separator, '\0'};
    put(writer, before);
    put(writer, label->name);
    put(writer, "=");
    put(writer, label->value);
}

/* Keeps the first octets, as whole characters, and appends the hash. */
static void cut(struct writer *writer)
{
    size_t end = 0, len = CUT_SIZE - 1;
    while (end < len) {
        size_t character = text_utf8_length(writer->to + end, INSTANCE_SIZE - 1 - end);
        character = character > 0 ? character : 1;
        if (end + character > len)
            break;
        end += character;
    }
    snprintf(writer->to + end, INSTANCE_SIZE - end, "~%08x", writer->hash);
}

/* By insertion: nearly all texts have the labels in this order already, and there are few. */
static size_t sort_labels(const struct openmetrics_label **sorted,
                          const struct openmetrics_label *label, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n && i < OPENMETRICS_LABELS_MAX; i++) {
        size_t at = count;
        if (!label[i].value[0])
            continue;
        while (at > 0 && strcmp(sorted[at - 1]->name, label[i].name) > 0) {
            sorted[at] = sorted[at - 1];
            at--;
        }
        sorted[at] = &label[i];
        count++;
    }
    return count;
}

void exposed_name(char name[INSTANCE_SIZE], const char *endpoint, const char *series,
                  const struct openmetrics_label *label, size_t n_labels,
                  const struct openmetrics_label *extra)
{
    const struct openmetrics_label *sorted[OPENMETRICS_LABELS_MAX];
    struct writer writer = {.to = name, .hash = UINT32_C(2166136261)};
    size_t n = sort_labels(sorted, label, n_labels);
    put(&writer, endpoint);
    put(&writer, ":");
    put(&writer, series);
    for (size_t i = 0; i < n; i++)
        put_label(&writer, i == 0 ? ':' : ',', sorted[i]);
    if (extra)
        put_label(&writer, n == 0 ? ':' : ',', extra);
    if (writer.len < INSTANCE_SIZE)
        name[writer.len] = '\0';
    else
        cut(&writer);
    text_clean_instance(name, name, strlen(name));
}

/* -- Units ------------------------------------------------------------------------------------- */

/* The base units of Prometheus ("Metric and label naming") and a few others that programs use. */
static const struct {
    const char *word, *unit;
} units[] = {
    {"seconds", "s"}, {"milliseconds", "ms"}, {"microseconds", "us"}, {"nanoseconds", "ns"},
    {"bytes", "B"},   {"celsius", "C"},       {"volts", "V"},         {"amperes", "A"},
    {"joules", "J"},  {"watts", "W"},         {"hertz", "Hz"},        {"meters", "m"},
    {"percent", "%"}, {"ratio", "1"},
};

static const char *known_unit(const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].word) == len && strncmp(units[i].word, word, len) == 0)
            return units[i].unit;
    return NULL;
}

/* The unit that the last word of the name says. */
static const char *unit_of_name(const char *name)
{
    static const char total[] = "_total";
    size_t len = strlen(name), begin, extra = sizeof total - 1;
    if (len > extra && strcmp(name + len - extra, total) == 0)
        len -= extra;
    for (begin = len; begin > 0 && name[begin - 1] != '_'; begin--)
        ;
    return begin > 0 ? known_unit(name + begin, len - begin) : NULL;
}

void exposed_unit(char unit[SAMPLE_UNIT_SIZE], const struct openmetrics_family *family)
{
    const char *known = family->unit[0] ? known_unit(family->unit, strlen(family->unit))
                                        : unit_of_name(family->name);
    text_format(unit, SAMPLE_UNIT_SIZE, "%s", known ? known : family->unit);
    text_clean(unit, SAMPLE_UNIT_SIZE, '?');
}
