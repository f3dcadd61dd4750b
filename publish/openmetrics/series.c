#include "publish/openmetrics/series.h"

#include <stdlib.h>
#include <string.h>

#include "publish/openmetrics/family.h"
#include "publish/openmetrics/node.h"

struct family {
    UT_hash_handle hh;
    struct series *series; /* by their labels */
    size_t name_len;
    struct octets head[WRITING_FORMATS]; /* the lines about the family itself */
    char name[FAMILY_NAME_SIZE];
};

/* -- Families -------------------------------------------------------------------------------- */

static void free_family(struct family *family)
{
    for (size_t i = 0; i < WRITING_FORMATS; i++)
        octets_release(&family->head[i]);
    free(family);
}

static void drop_family(struct families *families, struct family *family)
{
    HASH_DEL(families->by_name, family);
    free_family(family);
}

static struct family *new_family(const struct family_words *words)
{
    struct family *family = calloc(1, sizeof *family);
    bool failed = false;
    if (!family)
        return NULL;
    const struct writing_family told = {words->name, words->type, words->unit, words->help};
    family->name_len = strlen(words->name);
    memcpy(family->name, words->name, family->name_len + 1);
    for (size_t i = 0; i < WRITING_FORMATS; i++) {
        writing_add_family(&family->head[i], (enum writing_format)i, &told);
        failed = failed || family->head[i].failed;
    }
    if (!failed)
        return family;
    free_family(family);
    return NULL;
}

static struct family *need_family(struct families *families, const struct family_words *words)
{
    struct family *family;
    HASH_FIND_STR(families->by_name, words->name, family);
    if (family)
        return family;
    family = new_family(words);
    if (!family)
        return NULL;
    HASH_ADD_STR(families->by_name, name, family);
    if (table_has(hh, family))
        return family;
    free_family(family);
    return NULL;
}

void families_release(struct families *families)
{
    struct family *family, *next;
    HASH_ITER(hh, families->by_name, family, next)
    {
        drop_family(families, family);
    }
}

/* -- Series ---------------------------------------------------------------------------------- */

static void free_series(struct series *series)
{
    if (series)
        free(series->window);
    free(series);
}

/* "instance" is a label that Prometheus itself gives to what it scrapes. */
static void add_labels(struct octets *octets, const struct line *line,
                       const struct family_words *words)
{
    writing_add_label(octets, 0, "node", line->node);
    writing_add_label(octets, 0, "sensor", line->words.sensor);
    if (line->words.instance[0])
        writing_add_label(octets, 0, "dcamp_instance", line->words.instance);
    if (words->needs_metric)
        writing_add_label(octets, 0, "metric", line->words.metric);
    if (words->needs_unit)
        writing_add_label(octets, 0, "unit", line->words.unit);
}

static struct series *new_series(const struct line *line, const struct family_words *words,
                                 bool is_window)
{
    struct octets labels = {0};
    struct series *series = NULL;
    add_labels(&labels, line, words);
    if (!labels.failed)
        series = calloc(1, sizeof *series + labels.len);
    if (series) {
        series->key = series_key(line->series, is_window);
        series->len = labels.len;
        memcpy(series->labels, labels.at, labels.len);
        series->window = is_window ? calloc(1, sizeof *series->window) : NULL;
        if (is_window && !series->window) {
            free_series(series);
            series = NULL;
        }
    }
    octets_release(&labels);
    return series;
}

/* False: there is no memory, and the series is in neither table. */
static bool enter(struct families *families, struct series *series)
{
    struct family *family = series->family;
    struct node *node = series->node;
    struct series *earlier;
    HASH_FIND(of_family, family->series, series->labels, series->len, earlier);
    if (earlier)
        series_remove(families, earlier);
    HASH_ADD_KEYPTR(of_family, family->series, series->labels, series->len, series);
    if (!table_has(of_family, series))
        return false;
    HASH_ADD(of_node, node->series, key, sizeof series->key, series);
    if (table_has(of_node, series))
        return true;
    HASH_DELETE(of_family, family->series, series);
    return false;
}

struct series *series_add(struct families *families, struct node *node, const struct line *line,
                          bool is_window)
{
    struct family_words words;
    family_of(&words, line->words.metric, line->words.unit, is_window);
    struct series *series = new_series(line, &words, is_window);
    struct family *family = series ? need_family(families, &words) : NULL;
    if (family) {
        series->family = family;
        series->node = node;
        families->n_series++;
        if (enter(families, series))
            return series;
        families->n_series--;
        if (!family->series)
            drop_family(families, family);
    }
    free_series(series);
    return NULL;
}

void series_remove(struct families *families, struct series *series)
{
    HASH_DELETE(of_family, series->family->series, series);
    HASH_DELETE(of_node, series->node->series, series);
    families->n_series--;
    free_series(series);
}

void series_set(struct series *series, double value)
{
    if (!series->is_known || series->value != value)
        series->text_len = 0;
    series->value = value;
    series->is_known = true;
}

void series_set_window(struct series *series, const struct line *line, int64_t now_ms)
{
    const struct report_window *told = line->window;
    struct window *window = series->window;
    double sum = told->mean * (double)told->count;
    window->has_sum = (window->count == 0 || window->has_sum) && told->min >= 0;
    window->sum += sum;
    window->count += told->count;
    window->min = told->min;
    window->max = told->max;
    window->has_quantiles = line->has_quantiles;
    window->p50 = line->p50;
    window->p90 = line->p90;
    window->p99 = line->p99;
    window->came_ms = now_ms;
    window->length_ms = told->window_ms;
    series->is_known = true;
}

/* -- Writing --------------------------------------------------------------------------------- */

static void write_value(struct octets *octets, struct series *series)
{
    const struct family *family = series->family;
    if (series->text_len == 0) {
        series->text_len = (uint8_t)writing_from_double(series->text, series->value);
        series->text[series->text_len++] = '\n';
    }
    octets_add(octets, family->name, family->name_len);
    octets_add(octets, "{", 1);
    octets_add(octets, series->labels, series->len);
    octets_add(octets, "} ", 2);
    octets_add(octets, series->text, series->text_len);
}

/* Quantiles of a summary must not be negative: such ones are left out. */
static void write_quantile(struct octets *octets, const struct series *series, const char *quantile,
                           double value)
{
    const struct family *family = series->family;
    char text[DOUBLE_SIZE + 1];
    if (value < 0)
        return;
    size_t len = writing_from_double(text, value);
    text[len++] = '\n';
    octets_add(octets, family->name, family->name_len);
    octets_add(octets, "{", 1);
    octets_add(octets, series->labels, series->len);
    octets_add_text(octets, ",quantile=\"");
    octets_add_text(octets, quantile);
    octets_add(octets, "\"} ", 3);
    octets_add(octets, text, len);
}

static void write_window(struct octets *octets, const struct series *series)
{
    const struct window *window = series->window;
    write_quantile(octets, series, "0", window->min);
    if (window->has_quantiles) {
        write_quantile(octets, series, "0.5", window->p50);
        write_quantile(octets, series, "0.9", window->p90);
        write_quantile(octets, series, "0.99", window->p99);
    }
    write_quantile(octets, series, "1", window->max);
    writing_add_sample(octets, series->family->name, "_count", series->labels, series->len,
                       (double)window->count);
    if (window->has_sum)
        writing_add_sample(octets, series->family->name, "_sum", series->labels, series->len,
                           window->sum);
}

static size_t write_family(struct family *family, struct octets *octets, enum writing_format format)
{
    size_t n = 0;
    for (struct series *at = family->series; at; at = at->of_family.next) {
        if (!at->is_known || at->node->is_silent || !at->node->is_settled)
            continue;
        if (n++ == 0)
            octets_add(octets, family->head[format].at, family->head[format].len);
        if (at->window)
            write_window(octets, at);
        else
            write_value(octets, at);
    }
    return n;
}

size_t series_write(struct families *families, struct octets *octets, enum writing_format format)
{
    size_t n = 0;
    for (struct family *at = families->by_name; at; at = at->hh.next)
        n += write_family(at, octets, format);
    return n;
}
