/* Fuzz target: any octets as a report block. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "main.h"
#include "report/report.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* All windows of the input, as if they were of one sensor. */
struct merged {
    const struct report_header *header;
    struct statistics_window sum;
    bool headless; /* counts without moments came in */
};

static void check_value(const struct result *result)
{
    expect(result->state >= RESULT_VALID && result->state <= RESULT_UNAVAILABLE);
    expect(isfinite(result->value));
}

static void merge(struct merged *merged, const struct report_window *window)
{
    bool no_values = window->has_totals && window->count == 0;
    expect(window->window_ms > 0);
    expect(window->histogram ? (window->histogram->count > 0) == !no_values
                             : window->count > 0 && window->has_moments && !window->has_totals);
    expect(!window->has_totals || (window->has_moments && isfinite(window->totals.sum) &&
                                   window->totals.expected >= window->count));
    int error = report_window_merge(&merged->sum, window);
    expect(error == 0 || error == EOVERFLOW);
    merged->headless |= !window->has_moments;
    expect(isfinite(merged->sum.mean) && isfinite(merged->sum.m2) && merged->sum.m2 >= 0);
    expect(merged->sum.min <= merged->sum.max);
}

/* What was read can be written again, and is the same then. */
static void check_alarm(const struct report_entry *entry)
{
    struct report_ring ring;
    struct report_alarm alarm;
    struct report_written written;
    report_alarm_read(entry, &alarm);
    expect(alarm.id == entry->alarm.id && alarm.id > 0);
    expect(alarm.severity >= REPORT_SEVERITY_MIN && alarm.severity <= REPORT_SEVERITY_MAX);
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++)
        expect(alarm.text[i].len < MESSAGE_SIZE);
    expect(report_open(&ring, 1, 2, REPORT_BLOCK_MAX) == 0);
    expect(report_add_alarm(&ring, entry->wall_ms, &alarm, &written) == 0);
    report_close(&ring);
}

/* The same. */
static int check_same(void *context, const struct report_entry *entry)
{
    const struct report_entry *wanted = context;
    const struct report_record *a = &entry->record, *b = &wanted->record;
    expect(entry->kind == REPORT_RECORD && entry->series == wanted->series);
    expect(entry->wall_ms == wanted->wall_ms && a->start_ns == b->start_ns);
    expect(a->duration_ns == b->duration_ns && a->sequence == b->sequence);
    expect(a->result == b->result && a->has_cpu == b->has_cpu && a->cpu_ns == b->cpu_ns);
    expect(a->has_allocated == b->has_allocated && a->allocated == b->allocated);
    expect(a->node_len == b->node_len && a->node_len < ALARM_PATH_SIZE);
    expect(a->node_len == 0 || memcmp(a->node, b->node, a->node_len) == 0);
    return 0;
}

static void check_record(const struct report_entry *entry)
{
    struct report_ring ring;
    struct report_header header;
    struct report_entry wanted = *entry;
    const char *why;
    expect(report_open(&ring, 1, 2, REPORT_BLOCK_MIN) == 0);
    expect(report_add_record(&ring, entry->series, entry->wall_ms, &entry->record) == 0);
    expect(report_flush(&ring) == 0);
    const struct report_block *block = (const struct report_block *)index_first(&ring.index);
    expect(report_decode(block->bytes, block->len, &header, check_same, &wanted, &why) == 0);
    report_close(&ring);
}

/* The keys of a part, when they are told again as all there are. */
static int check_same_keys(void *context, const struct report_entry *entry)
{
    const struct top_keys *wanted = context;
    struct top_key key[REPORT_KEYS_MAX];
    expect(entry->kind == REPORT_KEYS && entry->keys.size == wanted->size);
    expect(entry->keys.n == wanted->size && entry->keys.absent == wanted->absent);
    report_keys_read(&entry->keys, key);
    expect(memcmp(key, wanted->key, wanted->size * sizeof *key) == 0);
    return 0;
}

static void check_keys(const struct report_entry *entry)
{
    struct report_ring ring;
    struct report_header header;
    struct top_key key[REPORT_KEYS_MAX];
    struct top_keys keys = {key, entry->keys.n, entry->keys.absent};
    const char *why;
    expect(keys.size <= entry->keys.size && entry->keys.size <= REPORT_KEYS_MAX);
    report_keys_read(&entry->keys, key);
    for (size_t i = 0; i < keys.size; i++)
        expect(key[i].error <= key[i].count &&
               (i == 0 || memcmp(key[i - 1].octets, key[i].octets, sizeof key->octets) < 0));
    expect(report_open(&ring, 1, 2, REPORT_BLOCK_MAX) == 0);
    expect(report_add_keys(&ring, entry->series, entry->wall_ms, &keys) == 0);
    if (ring.last == 0)
        expect(report_flush(&ring) == 0);
    const struct report_block *block = (const struct report_block *)index_first(&ring.index);
    if (ring.last == 1 && !report_pending(&ring))
        expect(report_decode(block->bytes, block->len, &header, check_same_keys, &keys, &why) == 0);
    report_close(&ring);
}

static int check_entry(void *context, const struct report_entry *entry)
{
    struct merged *merged = context;
    expect(merged->header->version >= 1 && merged->header->version <= 2 &&
           merged->header->sequence > 0);
    switch (entry->kind) {
    case REPORT_VALUE:
        check_value(&entry->result);
        break;
    case REPORT_WINDOW:
        merge(merged, &entry->window);
        break;
    case REPORT_RECORD:
        check_record(entry);
        break;
    case REPORT_KEYS:
        check_keys(entry);
        break;
    case REPORT_ALARM:
        check_alarm(entry);
        break;
    case REPORT_ALARM_CLEARED:
        expect(entry->alarm.id > 0);
        break;
    case REPORT_ALARMS:
        break;
    }
    return 0;
}

static void decode_all(const struct report_ring *ring, struct merged *again)
{
    struct report_header header;
    const char *why = NULL;
    again->header = &header;
    for (struct index_node *i = index_first(&ring->index); i; i = index_next(i)) {
        const struct report_block *block = (const struct report_block *)i;
        expect(block->len <= REPORT_BLOCK_MIN);
        expect(report_decode(block->bytes, block->len, &header, check_entry, again, &why) == 0);
    }
}

/* What was merged goes to the next parent, in blocks as small as they can be. A mean or m2 on the
 * very border of what is allowed may be rounded beyond it. */
static void send_on(const struct statistics_window *sum, bool headless)
{
    struct report_ring ring;
    struct merged again = {.headless = false};
    expect(report_open(&ring, 1, 10000, REPORT_BLOCK_MIN) == 0);
    int error = (sum->histogram.count > 0 ? report_add_window : report_add_moments)(&ring, 1, 0,
                                                                                    60000, sum);
    if (error == 0) {
        expect(report_flush(&ring) == 0);
        decode_all(&ring, &again);
        expect(again.sum.count == sum->count);
        expect(again.sum.count == 0 || histogram_equal(&again.sum.histogram, &sum->histogram));
    } else {
        double largest = fmax(fabs(sum->min), fabs(sum->max));
        bool near_border = sum->mean >= sum->max || sum->mean <= sum->min || largest > 1e139 ||
                           sum->m2 / (double)sum->count > 1e279;
        expect(error == EINVAL && (headless || near_border));
        expect(ring.last == 0);
    }
    statistics_window_release(&again.sum);
    report_close(&ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct report_header header = {0};
    struct merged merged = {.header = &header};
    const char *why = NULL;
    int error = report_decode(data, size, &header, check_entry, &merged, &why);
    expect(!error == !why);
    if (error)
        expect(header.version == 0 && merged.sum.histogram.count == 0);
    send_on(&merged.sum, merged.headless);
    statistics_window_release(&merged.sum);
    return 0;
}
