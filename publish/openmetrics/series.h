/* Families and the series in them, with what was rendered of each: what changes of a series is its
 * value. Pure but for memory. */
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
    /* Of all that came: counters, as those of a summary are. A sum that could fall is none. */
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
    bool is_known; /* its value is */
    double value;
    /* That as text, made when it is asked for: 0, if it is to be made. */
    char text[DOUBLE_SIZE + 1]; /* with a line feed behind it */
    uint8_t text_len;
    struct window *window; /* NULL: it is one of values */
    UT_hash_handle of_node, of_family;
    size_t len;
    char labels[]; /* without braces; its name in the family */
};

/* Numbers in blocks are those of a stream; values and windows of one are two series. */
static inline uint64_t series_key(uint32_t number, bool is_window)
{
    return (uint64_t)number << 1 | is_window;
}

struct families {
    struct family *by_name;
    size_t n_series;
};

/* Adds a series, known by nothing yet, to its family and to its node. One that has the same labels,
 * of the same node, has ended: it is freed. NULL: no memory, and nothing is changed. node: the name
 * of it as a label. */
struct series *series_add(struct families *families, struct node *node, const struct line *line,
                          bool is_window);

/* Out of family and node, and freed. */
void series_remove(struct families *families, struct series *series);

void series_set(struct series *series, double value);
void series_set_window(struct series *series, const struct line *line, int64_t now_ms);

/* All families that have something to show. Those of nodes that are silent have not. Returns how
 * many series that are. */
size_t series_write(struct families *families, struct octets *octets, enum writing_format format);

/* Of families without series. There must be none. */
void families_release(struct families *families);

#endif
