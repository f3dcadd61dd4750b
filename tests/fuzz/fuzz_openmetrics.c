/* Fuzz target: any octets as a text of metrics. The first one says which format it is, and in
 * pieces of which size it comes. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "application/openmetrics.h"
#include "main.h"

#define LINE 300
#define FAMILIES 10
#define SERIES 20

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* What came of one reading. */
struct heard {
    uint64_t samples, faults, last_line;
    uint64_t sum; /* of all octets that were told */
};

static void add(struct heard *heard, const char *text)
{
    expect(strlen(text) <= LINE);
    for (; *text; text++)
        heard->sum = heard->sum * 31 + (unsigned char)*text;
}

static void check_labels(struct heard *heard, const struct openmetrics_label *label, size_t n)
{
    expect(n <= OPENMETRICS_LABELS_MAX);
    for (size_t i = 0; i < n; i++) {
        expect(label[i].name[0] != '\0');
        add(heard, label[i].name);
        add(heard, label[i].value);
    }
}

static int hear(void *context, const struct openmetrics_sample *sample)
{
    struct heard *heard = context;
    expect(sample->line > 0 && sample->line >= heard->last_line);
    expect(sample->family->type < OPENMETRICS_TYPES && sample->part <= OPENMETRICS_STATE);
    expect(strncmp(sample->name, sample->family->name, strlen(sample->family->name)) == 0);
    add(heard, sample->family->name);
    add(heard, sample->family->unit);
    add(heard, sample->family->help);
    check_labels(heard, sample->label, sample->n_labels);
    if (sample->part == OPENMETRICS_BUCKET || sample->part == OPENMETRICS_QUANTILE)
        expect(!isnan(sample->bound));
    if (sample->part == OPENMETRICS_STATE)
        add(heard, sample->state);
    if (sample->exemplar)
        check_labels(heard, sample->exemplar->label, sample->exemplar->n_labels);
    heard->samples++;
    heard->last_line = sample->line;
    return 0;
}

static void hear_fault(void *context, uint64_t line, const char *why)
{
    struct heard *heard = context;
    expect(line >= heard->last_line && why[0] != '\0' && strlen(why) < MESSAGE_SIZE);
    add(heard, why);
    heard->faults++;
    heard->last_line = line;
}

static struct openmetrics_summary read_all(enum openmetrics_format format, const uint8_t *data,
                                           size_t size, size_t piece, struct heard *heard)
{
    const struct openmetrics_limits limits = {LINE, FAMILIES, SERIES};
    struct openmetrics_listener listener = {hear, hear_fault, heard};
    struct openmetrics *reader = openmetrics_new(format, &limits, 1, &listener);
    struct openmetrics_summary summary;
    expect(reader != NULL);
    for (size_t at = 0; at < size; at += piece)
        expect(openmetrics_feed(reader, (const char *)data + at,
                                piece < size - at ? piece : size - at) == 0);
    openmetrics_end(reader, &summary);
    openmetrics_free(reader);
    return summary;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    enum openmetrics_format format = data[0] & 1;
    struct heard whole = {0}, pieces = {0};
    struct openmetrics_summary a = read_all(format, data + 1, size - 1, size, &whole);
    struct openmetrics_summary b =
        read_all(format, data + 1, size - 1, 1 + (data[0] >> 1), &pieces);
    expect(memcmp(&a, &b, sizeof a) == 0 && memcmp(&whole, &pieces, sizeof whole) == 0);
    expect(a.samples == whole.samples && a.faults == whole.faults && a.samples <= a.lines);
    return 0;
}
