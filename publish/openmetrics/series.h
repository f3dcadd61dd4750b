/* Families and the series in them, with the text that was made of each: only the value of a series
 * changes. Pure but for memory. */
#ifndef DCAMP_PUBLISH_OPENMETRICS_SERIES_H
#define DCAMP_PUBLISH_OPENMETRICS_SERIES_H

#include <stdint.h>

#include "base/table.h"
#include "publish/lines.h"
#include "publish/openmetrics/writing.h"

struct node;
struct family;

struct window {
    double min, max, p50, p90, p99; /* of the last one */
    bool has_quantiles;             /* p50 to p99 */
    /* Of all windows that came: counters, as in a summary. There is no sum if it could fall. */
    uint64_t count;
    double sum;
    bool has_sum;
    int64_t came_ms;
    uint32_t length_ms;
};

struct series {
    uint64_t key; /* in the table of its node: see series_key() */
    struct node *node;
    struct family *family;
    bool is_known; /* its value is known */
    double value;
    /* The value as text, made when it is asked for; text_len 0: it is still to be made. */
    char text[DOUBLE_SIZE + 1]; /* with a line feed behind it */
    uint8_t text_len;
    struct window *window; /* NULL: it is a series of values */
    UT_hash_handle of_node, of_family;
    size_t len;
    char labels[]; /* without braces; they identify it in the family */
};

/* Numbers in blocks are those of a stream; the values and the windows of one are two series. */
static inline uint64_t series_key(uint32_t number, bool is_window)
{
    return (uint64_t)number << 1 | is_window;
}

struct families {
    struct family *by_name;
    size_t n_series;
};

/* Adds a series, whose value is not known yet, to its family and to its node. An earlier one with
 * the same labels has ended, and is freed. NULL: no memory. The label node is that of the line. */
struct series *series_add(struct families *families, struct node *node, const struct line *line,
                          bool is_window);

/* Removes it from family and node, and frees it. */
void series_remove(struct families *families, struct series *series);

void series_set(struct series *series, double value);
void series_set_window(struct series *series, const struct line *line, int64_t now_ms);

/* Writes all families that have something to show; series of nodes that are silent or not settled
 * are not shown. Returns how many series it has written. */
size_t series_write(struct families *families, struct octets *octets, enum writing_format format);

/* Frees the families. There must be no series any more. */
void families_release(struct families *families);

#endif
