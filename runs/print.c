#include "runs/print.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/date.h"
#include "publish/octets.h"
#include "runs/tables.h"

void print_clean(const char *text, FILE *to)
{
    struct octets clean = {0};
    octets_add_clean(&clean, text, strlen(text), false);
    if (!clean.failed && clean.len > 0)
        fwrite(clean.at, 1, clean.len, to);
    octets_release(&clean);
}

/* Prints the text, padded with blanks to width. */
static void print_padded(const char *text, size_t width, FILE *to)
{
    print_clean(text, to);
    fprintf(to, "%*s ", strlen(text) < width ? (int)(width - strlen(text)) : 0, "");
}

/* -- Text ------------------------------------------------------------------------------------ */

static void print_run(char letter, const struct run *run, FILE *to)
{
    char start[DECIMAL_SIZE], doubt[WORDING_NAME_SIZE];
    date_to_text(start, run->start_ms);
    wording_doubt(run, doubt);
    fprintf(to, "%c  %s  %s  %.1f s, %zu series", letter, run->name, start,
            (double)(run->stop_ms - run->start_ms) / 1e3, run->n_series);
    for (size_t i = 0; i < run->n_tags; i++) {
        fputs("  ", to);
        print_clean(run->tags[i].key, to);
        putc('=', to);
        print_clean(run->tags[i].value, to);
    }
    if (doubt[0]) {
        fputs("; ", to);
        print_clean(doubt, to);
    }
    putc('\n', to);
}

static void print_title(const struct print_subject *subject, const struct compare_row *row,
                        FILE *to)
{
    static const char *const titles[] = {"response times", "throughput", "programs of ",
                                         "resources of "};
    fprintf(to, "\n%s", titles[row->group]);
    if (row->group >= COMPARE_PROGRAM)
        print_clean(pairs_node_name(subject->a, row->a_series->node), to);
    fprintf(to, "\n    %-12s %-12s %-10s %-20s WHAT\n", "A", "B", "DIFFERENCE", "INTERVAL");
}

static void print_row(const struct print_subject *subject, const struct compare_row *row, FILE *to)
{
    char a[WORDING_SIZE] = "-", b[WORDING_SIZE] = "-", difference[WORDING_SIZE];
    char interval[2 * WORDING_SIZE], name[WORDING_NAME_SIZE];
    if (row->a.fault != ESTIMATE_NONE)
        wording_value(row->a.value, row, a);
    if (row->b.fault != ESTIMATE_NONE)
        wording_value(row->b.value, row, b);
    wording_difference(row, difference);
    wording_interval(row, interval);
    wording_name(subject->a, row, name);
    fprintf(to, "  %c ", row->beyond_chance ? '*' : ' ');
    print_padded(a, 12, to);
    print_padded(b, 12, to);
    print_padded(difference, 10, to);
    print_padded(interval, 20, to);
    print_clean(name, to);
    fprintf(to, " %s, %s\n", compare_statistic_name(row->statistic), wording_verdict(row));
}

bool print_is_shown(const struct compare_row *row)
{
    return row->beyond_chance ||
           ((row->group == COMPARE_RESPONSE || row->group == COMPARE_THROUGHPUT) && !row->note) ||
           (row->note && strcmp(row->note, "constant in each, and not the same") == 0);
}

bool print_begins_section(const struct compare_row *row, const struct compare_row *before)
{
    return !before || row->group != before->group ||
           (row->group >= COMPARE_PROGRAM &&
            strcmp(row->a_series->node, before->a_series->node) != 0);
}

static void begin_table(void *context, const char *title, const struct tables_row *heads)
{
    fprintf(context, "\n%s\n    ", title);
    for (size_t i = 1; i < heads->n; i++)
        fprintf(context, "%-12s ", heads->cells[i]);
    fprintf(context, "%s\n", heads->cells[0]);
}

/* The first cell may have any length, so it comes last. */
static void print_cells(void *context, const struct tables_row *row)
{
    fputs("    ", context);
    for (size_t i = 1; i <= row->n; i++) {
        const char *text = row->cells[i % row->n];
        if (i < row->n)
            print_padded(text, 12, context);
        else
            print_clean(text, context);
    }
    putc('\n', context);
}

static void end_table(void *context)
{
    (void)context;
}

static void print_totals(const struct print_subject *subject, size_t hidden, FILE *to)
{
    const struct comparison *comparison = subject->comparison;
    const struct pairs *pairs = &comparison->pairs;
    fprintf(to,
            "\n%zu of %zu figures differ beyond chance (*), of which in the mean at most %g %% are "
            "by chance;\n%zu have no interval: constant, or too few values",
            comparison->n_beyond, comparison->n_tested, 100 * (1 - subject->settings->level),
            comparison->n - comparison->n_tested);
    if (hidden > 0)
        fprintf(to, "; %zu are shown by --all", hidden);
    putc('\n', to);
    if (pairs->only_a + pairs->only_b > 0)
        fprintf(to, "%zu series are only in A, %zu only in B\n", pairs->only_a, pairs->only_b);
    if (pairs->ignores_nodes)
        fputs("each run has one node, and these are taken for the same\n", to);
}

bool print_text(const struct print_subject *subject, bool all, FILE *to)
{
    const struct comparison *comparison = subject->comparison;
    char conclusion[2 * WORDING_NAME_SIZE];
    const struct compare_row *before = NULL;
    size_t hidden = 0;
    print_run('A', subject->a, to);
    print_run('B', subject->b, to);
    wording_conclusion(subject->a, subject->b, comparison, subject->settings, conclusion);
    print_clean(conclusion, to);
    putc('\n', to);
    for (size_t i = 0; i < comparison->n; i++) {
        const struct compare_row *row = &comparison->rows[i];
        if (!all && !print_is_shown(row)) {
            hidden++;
            continue;
        }
        if (print_begins_section(row, before))
            print_title(subject, row, to);
        print_row(subject, row, to);
        before = row;
    }
    const struct tables_writer writer = {to, begin_table, print_cells, end_table};
    bool good = tables_write(subject, all, &writer);
    print_totals(subject, hidden, to);
    return good;
}

/* -- JSON ------------------------------------------------------------------------------------ */

/* jansson accepts only finite numbers, and only text that is UTF-8. */
static json_t *number_of(bool is_known, double value)
{
    return is_known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_of(const char *text)
{
    struct octets clean = {0};
    octets_add_clean(&clean, text, strlen(text), false);
    json_t *json = clean.failed ? NULL : json_stringn(clean.len ? clean.at : "", clean.len);
    octets_release(&clean);
    return json;
}

static json_t *object_of(const struct print_subject *subject, const struct compare_row *row)
{
    char name[WORDING_NAME_SIZE], unit[WORDING_SIZE];
    bool has_both = row->a.fault != ESTIMATE_NONE && row->b.fault != ESTIMATE_NONE;
    bool has_interval = !row->note;
    wording_name(subject->a, row, name);
    wording_unit(row, unit);
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, "
        "s:o, "
        "s:s}",
        "name", text_of(name), "node", text_of(pairs_node_name(subject->a, row->a_series->node)),
        "sensor", text_of(row->a_series->sensor), "instance", text_of(row->a_series->instance),
        "kind", wording_kind(row), "group", compare_group_name(row->group), "statistic",
        compare_statistic_name(row->statistic), "unit", text_of(unit), "a",
        number_of(row->a.fault != ESTIMATE_NONE, row->a.value), "b",
        number_of(row->b.fault != ESTIMATE_NONE, row->b.value), "difference",
        number_of(has_both && row->is_relative, row->percent), "low",
        number_of(has_interval && row->is_relative, row->percent_low), "high",
        number_of(has_interval && row->is_relative, row->percent_high), "beyond_chance",
        (int)row->beyond_chance, "absolute", number_of(has_both, row->difference), "absolute_low",
        number_of(has_interval, row->low), "absolute_high", number_of(has_interval, row->high),
        "count", json_pack("[I, I]", (json_int_t)row->a.count, (json_int_t)row->b.count), "verdict",
        wording_verdict(row));
}

bool print_json(const struct print_subject *subject, FILE *to)
{
    const struct comparison *comparison = subject->comparison;
    for (size_t i = 0; i < comparison->n; i++) {
        json_t *object = object_of(subject, &comparison->rows[i]);
        bool good = object && json_dumpf(object, to, JSON_COMPACT) == 0;
        json_decref(object);
        if (!good)
            return false;
        putc('\n', to);
    }
    return true;
}
