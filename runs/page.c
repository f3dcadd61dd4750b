#include "runs/page.h"

#include <math.h>
#include <string.h>

#include "base/atomicfile.h"
#include "base/date.h"
#include "base/text.h"
#include "runs/picture.h"
#include "runs/tables.h"

#define PICTURES_MAX 12 /* figures with pictures */
#define SCALE_LEAST 5.0 /* percent, the scale of the bars */
#define SCALE_MOST 100.0

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>";
static const char style[] =
    "</title>\n<style>\n"
    "body { font: 15px/1.4 sans-serif; color: #1a1a1a; background: #fff; margin: 1.5em auto; "
    "max-width: 80em; padding: 0 1em }\n"
    "h1 { font-size: 1.35em } h2 { font-size: 1.1em; margin: 1.6em 0 .3em }\n"
    "table { border-collapse: collapse } td, th { padding: .15em .7em; text-align: left }\n"
    "td.n { text-align: right; white-space: nowrap } th { color: #666; font-weight: normal }\n"
    "tr.slower { background: #fbe3d6 } tr.faster { background: #dff3ea } tr.beyond td { "
    "font-weight: 600 }\n"
    "tr + tr { border-top: 1px solid #ddd } svg { vertical-align: middle }\n"
    "img { max-width: 100%; height: auto } .pictures { display: flex; flex-wrap: wrap; gap: 1em }\n"
    "p.doubt { color: #a33 } footer { color: #666; margin-top: 2em }\n"
    "</style>\n</head>\n<body>\n";

struct page {
    const struct print_subject *subject;
    struct octets to;
    double scale; /* percent at the end of a bar */
};

/* -- Texts ----------------------------------------------------------------------------------- */

/* Adds text from outside: markup is escaped, and what is not valid text becomes '?'. */
static void add_text(struct page *page, const char *text)
{
    struct octets clean = {0};
    octets_add_clean(&clean, text, strlen(text), false);
    page->to.failed = page->to.failed || clean.failed;
    for (size_t i = 0; i < clean.len; i++)
        switch (clean.at[i]) {
        case '&':
            octets_add_text(&page->to, "&amp;");
            break;
        case '<':
            octets_add_text(&page->to, "&lt;");
            break;
        case '>':
            octets_add_text(&page->to, "&gt;");
            break;
        case '"':
            octets_add_text(&page->to, "&quot;");
            break;
        case '\'':
            octets_add_text(&page->to, "&#39;");
            break;
        default:
            octets_add(&page->to, clean.at + i, 1);
        }
    octets_release(&clean);
}

static void add(struct page *page, const char *markup)
{
    octets_add_text(&page->to, markup);
}

static void add_cell(struct page *page, const char *class, const char *text)
{
    add(page, class);
    add_text(page, text);
    add(page, "</td>");
}

/* -- Runs ------------------------------------------------------------------------------------ */

static void add_run(struct page *page, const char *letter, const struct run *run)
{
    char start[DECIMAL_SIZE], text[WORDING_NAME_SIZE];
    date_to_text(start, run->start_ms);
    add(page, "<tr>");
    add_cell(page, "<td>", letter);
    add_cell(page, "<td>", run->name);
    add_cell(page, "<td>", start);
    text_format(text, sizeof text, "%.1f s", (double)(run->stop_ms - run->start_ms) / 1e3);
    add_cell(page, "<td class=\"n\">", text);
    text_format(text, sizeof text, "%zu", run->n_series);
    add_cell(page, "<td class=\"n\">", text);
    add(page, "<td>");
    for (size_t i = 0; i < run->n_tags; i++) {
        add(page, i ? ", " : "");
        add_text(page, run->tags[i].key);
        add(page, "=");
        add_text(page, run->tags[i].value);
    }
    add(page, "</td></tr>\n");
}

static void add_doubt(struct page *page, const struct run *run)
{
    char doubt[WORDING_NAME_SIZE];
    wording_doubt(run, doubt);
    if (!doubt[0])
        return;
    add(page, "<p class=\"doubt\">");
    add_text(page, run->name);
    add(page, ": ");
    add_text(page, doubt);
    add(page, "</p>\n");
}

static void add_runs(struct page *page)
{
    add(page, "<table><tr><th></th><th>run</th><th>start</th><th>length</th><th>series</th>"
              "<th>tags</th></tr>\n");
    add_run(page, "A", page->subject->a);
    add_run(page, "B", page->subject->b);
    add(page, "</table>\n");
    add_doubt(page, page->subject->a);
    add_doubt(page, page->subject->b);
}

/* -- Rows ------------------------------------------------------------------------------------ */

static double place_of(const struct page *page, double percent)
{
    double share = percent / page->scale;
    return 100 + 96 * (share > 1 ? 1 : share < -1 ? -1 : share);
}

/* Draws the interval as a line and the difference as a dot; 0 is in the middle. */
static void add_bar(struct page *page, const struct compare_row *row)
{
    char text[512];
    add(page, "<td>");
    if (!row->note && row->is_relative) {
        double low = place_of(page, row->percent_low), high = place_of(page, row->percent_high);
        const char *colour = row->is_slower       ? "#d55e00"
                             : row->is_faster     ? "#009e73"
                             : row->beyond_chance ? "#0072b2"
                                                  : "#888";
        text_format(text, sizeof text,
                    "<svg width=\"200\" height=\"14\" role=\"img\" aria-hidden=\"true\">"
                    "<path d=\"M100 0V14\" stroke=\"#bbb\"/>"
                    "<path d=\"M%.1f 7H%.1f\" stroke=\"%s\" stroke-width=\"4\"/>"
                    "<circle cx=\"%.1f\" cy=\"7\" r=\"4\" fill=\"%s\"/></svg>",
                    low, high - low < 1 ? low + 1 : high, colour, place_of(page, row->percent),
                    colour);
        add(page, text);
    }
    add(page, "</td>");
}

static void add_side(struct page *page, const struct compare_side *side,
                     const struct compare_row *row)
{
    char text[WORDING_SIZE] = "";
    if (side->fault != ESTIMATE_NONE)
        wording_value(side->value, row, text);
    add_cell(page, "<td class=\"n\">", text);
}

static void add_row(struct page *page, const struct compare_row *row)
{
    char difference[WORDING_SIZE], interval[2 * WORDING_SIZE], name[WORDING_NAME_SIZE];
    wording_difference(row, difference);
    wording_interval(row, interval);
    wording_name(page->subject->a, row, name);
    add(page, row->is_slower       ? "<tr class=\"slower beyond\">"
              : row->is_faster     ? "<tr class=\"faster beyond\">"
              : row->beyond_chance ? "<tr class=\"beyond\">"
                                   : "<tr>");
    add_cell(page, "<td>", name);
    add_cell(page, "<td>", compare_statistic_name(row->statistic));
    add_side(page, &row->a, row);
    add_side(page, &row->b, row);
    add_cell(page, "<td class=\"n\">", difference);
    add_bar(page, row);
    add_cell(page, "<td class=\"n\">", interval);
    add_cell(page, "<td>", wording_verdict(row));
    add(page, "</tr>\n");
}

static void begin_table(struct page *page, const struct compare_row *row)
{
    static const char *const titles[] = {"Response times", "Throughput", "Programs of ",
                                         "Resources of "};
    add(page, "<h2>");
    add(page, titles[row->group]);
    if (row->group >= COMPARE_PROGRAM)
        add_text(page, pairs_node_name(page->subject->a, row->a_series->node));
    add(page, "</h2>\n<table><tr><th>what</th><th></th><th>A</th><th>B</th><th>difference</th>"
              "<th></th><th>interval</th><th></th></tr>\n");
}

/* Adds the rows that are shown at once, or the others. */
static void add_rows(struct page *page, bool shown)
{
    const struct comparison *comparison = page->subject->comparison;
    const struct compare_row *before = NULL;
    for (size_t i = 0; i < comparison->n; i++) {
        const struct compare_row *row = &comparison->rows[i];
        if (print_is_shown(row) != shown)
            continue;
        if (print_begins_section(row, before)) {
            add(page, before ? "</table>\n" : "");
            begin_table(page, row);
        }
        add_row(page, row);
        before = row;
    }
    add(page, before ? "</table>\n" : "");
}

static void choose_scale(struct page *page)
{
    const struct comparison *comparison = page->subject->comparison;
    page->scale = SCALE_LEAST;
    for (size_t i = 0; i < comparison->n; i++) {
        const struct compare_row *row = &comparison->rows[i];
        if (print_is_shown(row) && row->is_relative)
            page->scale = fmax(page->scale, fabs(row->percent));
    }
    page->scale = fmin(page->scale * 1.1, SCALE_MOST);
}

/* -- Pictures -------------------------------------------------------------------------------- */

/* One picture serves all statistics of a series except its rate. */
static bool is_drawn(const struct comparison *comparison, size_t row)
{
    const struct compare_row *rows = comparison->rows;
    if (!rows[row].beyond_chance || rows[row].statistic == COMPARE_FAILED)
        return false;
    for (size_t i = 0; i < row; i++)
        if (rows[i].beyond_chance && rows[i].a_series == rows[row].a_series &&
            rows[i].group == rows[row].group)
            return false;
    return true;
}

static bool add_pictures(struct page *page)
{
    const struct comparison *comparison = page->subject->comparison;
    size_t drawn = 0;
    bool good = true;
    for (size_t i = 0; i < comparison->n && good && drawn < PICTURES_MAX; i++) {
        if (!is_drawn(comparison, i))
            continue;
        add(page, drawn++ ? "" : "<h2>What differs</h2>\n");
        add(page, "<div class=\"pictures\">\n");
        good = picture_of_time(page->subject, &comparison->rows[i], &page->to) &&
               picture_of_quantiles(page->subject, &comparison->rows[i], &page->to);
        add(page, "</div>\n");
    }
    return good;
}

/* -- Tables ---------------------------------------------------------------------------------- */

static void begin_facts(void *context, const char *title, const struct tables_row *heads)
{
    struct page *page = context;
    add(page, "<h2>");
    add_text(page, title);
    add(page, "</h2>\n<table><tr>");
    for (size_t i = 0; i < heads->n; i++) {
        add(page, "<th>");
        add_text(page, heads->cells[i]);
        add(page, "</th>");
    }
    add(page, "</tr>\n");
}

static void add_facts(void *context, const struct tables_row *row)
{
    struct page *page = context;
    add(page, "<tr>");
    for (size_t i = 0; i < row->n; i++)
        add_cell(page, i < 2 ? "<td>" : "<td class=\"n\">", row->cells[i]);
    add(page, "</tr>\n");
}

static void end_facts(void *context)
{
    add(context, "</table>\n");
}

static bool add_tables(struct page *page)
{
    const struct tables_writer writer = {page, begin_facts, add_facts, end_facts};
    return tables_write(page->subject, true, &writer);
}

/* -- All ------------------------------------------------------------------------------------- */

static void add_footer(struct page *page)
{
    const struct comparison *comparison = page->subject->comparison;
    const struct compare_settings *settings = page->subject->settings;
    char text[1024];
    text_format(
        text, sizeof text,
        "%zu of %zu figures differ beyond chance, of which in the mean at most %g %% are by "
        "chance; %zu have no interval: constant, or too few values. %zu series are only in "
        "A, %zu only in B.%s Intervals of %g %%, by block bootstrap, seed %llu; those of "
        "what is beyond chance are wider, since they were chosen. dCAMP " PACKAGE_VERSION,
        comparison->n_beyond, comparison->n_tested, 100 * (1 - settings->level),
        comparison->n - comparison->n_tested, comparison->pairs.only_a, comparison->pairs.only_b,
        comparison->pairs.ignores_nodes
            ? " Each run has one node, and these are taken for the same."
            : "",
        100 * settings->level, (unsigned long long)settings->seed);
    add(page, "<footer>");
    add_text(page, text);
    add(page, "</footer>\n</body>\n</html>\n");
}

static bool fill(struct page *page)
{
    const struct print_subject *subject = page->subject;
    char conclusion[2 * WORDING_NAME_SIZE];
    wording_conclusion(subject->a, subject->b, subject->comparison, subject->settings, conclusion);
    choose_scale(page);
    add(page, head);
    add_text(page, subject->a->name);
    add(page, " and ");
    add_text(page, subject->b->name);
    add(page, style);
    add(page, "<h1>");
    add_text(page, conclusion);
    add(page, "</h1>\n");
    add_runs(page);
    add_rows(page, true);
    if (!add_tables(page) || !add_pictures(page))
        return false;
    add(page, "<details><summary>All other figures</summary>\n");
    add_rows(page, false);
    add(page, "</details>\n");
    add_footer(page);
    return !page->to.failed;
}

bool page_write(const struct print_subject *subject, const char *path, char error[PAGE_ERROR_SIZE])
{
    struct page page = {.subject = subject};
    const char *why = NULL;
    if (!fill(&page))
        why = "no memory";
    int code = why ? 0 : atomicfile_replace(path, page.to.at, page.to.len, 0644);
    if (code)
        why = strerror(code);
    octets_release(&page.to);
    if (why)
        text_format(error, PAGE_ERROR_SIZE, "%s: %s", path, why);
    return !why;
}
