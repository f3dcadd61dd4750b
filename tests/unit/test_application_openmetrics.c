#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "application/openmetrics.h"

#include "scarce.h"
#include "unit.h"

#define SEED 4711

/* What came, a line each: "family type part name{labels} bound/state = value @time #exemplar". */
struct heard {
    char text[65536];
    size_t len;
    int refuse_after; /* the sample with this number, from 1, is not taken */
    int n;
};

__attribute__((format(printf, 2, 3))) static void say(struct heard *heard, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(heard->text + heard->len, sizeof heard->text - heard->len, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && (size_t)n < sizeof heard->text - heard->len);
    heard->len += (size_t)n;
}

static void say_labels(struct heard *heard, const struct openmetrics_label *label, size_t n)
{
    for (size_t i = 0; i < n; i++)
        say(heard, "%s%s=%s", i > 0 ? "," : "{", label[i].name, label[i].value);
    say(heard, "%s", n > 0 ? "}" : "");
}

static int hear(void *context, const struct openmetrics_sample *sample)
{
    static const char *const types[] = {"unknown",        "counter", "gauge", "histogram",
                                        "gaugehistogram", "summary", "info",  "stateset"};
    static const char *const parts[] = {"value", "total",    "created", "bucket", "sum",
                                        "count", "quantile", "labels",  "state"};
    struct heard *heard = context;
    if (++heard->n == heard->refuse_after)
        return ECANCELED;
    say(heard, "%llu: %s %s %s %s", (unsigned long long)sample->line, sample->family->name,
        types[sample->family->type], parts[sample->part], sample->name);
    say_labels(heard, sample->label, sample->n_labels);
    if (sample->part == OPENMETRICS_BUCKET || sample->part == OPENMETRICS_QUANTILE)
        say(heard, " %g", sample->bound);
    if (sample->part == OPENMETRICS_STATE)
        say(heard, " %s", sample->state);
    say(heard, " = %.17g", sample->value);
    if (sample->has_time)
        say(heard, " @%.3f", sample->time_s);
    if (sample->exemplar) {
        say(heard, " #");
        say_labels(heard, sample->exemplar->label, sample->exemplar->n_labels);
        say(heard, " %.17g", sample->exemplar->value);
        if (sample->exemplar->has_time)
            say(heard, " @%.3f", sample->exemplar->time_s);
    }
    if (sample->family->unit[0])
        say(heard, " in %s", sample->family->unit);
    if (sample->family->help[0])
        say(heard, " (%s)", sample->family->help);
    say(heard, "\n");
    return 0;
}

static void hear_fault(void *context, uint64_t line, const char *why)
{
    say(context, "%llu! %s\n", (unsigned long long)line, why);
}

/* Reads a text in pieces of this size. */
static void read_pieces(enum openmetrics_format format, const struct openmetrics_limits *limits,
                        const char *text, size_t len, size_t piece, struct heard *heard,
                        struct openmetrics_summary *summary)
{
    *heard = (struct heard){.len = 0};
    struct openmetrics_listener listener = {hear, hear_fault, heard};
    struct openmetrics *reader = openmetrics_new(format, limits, SEED, &listener);
    assert_non_null(reader);
    for (size_t at = 0; at < len; at += piece) {
        size_t n = piece < len - at ? piece : len - at;
        char *copy = malloc(n);
        assert_non_null(copy);
        memcpy(copy, text + at, n);
        assert_int_equal(openmetrics_feed(reader, copy, n), 0);
        free(copy);
    }
    openmetrics_end(reader, summary);
    openmetrics_free(reader);
}

/* However it is cut into pieces, the same comes out. */
static void check_limited(enum openmetrics_format format, const struct openmetrics_limits *limits,
                          const char *text, size_t len, const char *wanted,
                          struct openmetrics_summary *summary)
{
    static struct heard heard, again;
    read_pieces(format, limits, text, len, len ? len : 1, &heard, summary);
    assert_string_equal(heard.text, wanted);
    for (size_t piece = 1; piece < 20 && piece < len; piece++) {
        struct openmetrics_summary other;
        read_pieces(format, limits, text, len, piece, &again, &other);
        assert_string_equal(again.text, heard.text);
        assert_memory_equal(&other, summary, sizeof other);
    }
}

static void check(enum openmetrics_format format, const char *text, const char *wanted)
{
    static const struct openmetrics_limits limits = OPENMETRICS_LIMITS;
    struct openmetrics_summary summary;
    check_limited(format, &limits, text, strlen(text), wanted, &summary);
    uint64_t faults = 0;
    for (const char *at = wanted; (at = strstr(at, "! ")); at++)
        faults++;
    assert_true(summary.faults == faults && summary.beyond == 0);
}

static void check_prometheus(const char *text, const char *wanted)
{
    check(OPENMETRICS_PROMETHEUS, text, wanted);
}

/* A text of OpenMetrics without its end mark. */
static void check_open(const char *text, const char *wanted)
{
    char whole[8192];
    assert_true((size_t)snprintf(whole, sizeof whole, "%s# EOF\n", text) < sizeof whole);
    check(OPENMETRICS_1, whole, wanted);
}

/* -- Types ------------------------------------------------------------------------------------- */

static void types_of_prometheus(void **state)
{
    (void)state;
    check_prometheus("# HELP requests_total How many requests.\n"
                     "# TYPE requests_total counter\n"
                     "requests_total{code=\"200\"} 5\n"
                     "requests_total{code=\"500\"} 6\n"
                     "\n"
                     "# a comment\n"
                     "# TYPE load gauge\n"
                     "load 0.5\n"
                     "# TYPE what untyped\n"
                     "what 1\n"
                     "without_type 2\n"
                     "without_type_total 3\n",
                     "3: requests_total counter total requests_total{code=200} = 5 "
                     "(How many requests.)\n"
                     "4: requests_total counter total requests_total{code=500} = 6 "
                     "(How many requests.)\n"
                     "8: load gauge value load = 0.5\n"
                     "10: what unknown value what = 1\n"
                     "11: without_type unknown value without_type = 2\n"
                     "12: without_type_total unknown value without_type_total = 3\n");
}

static void histogram_of_prometheus(void **state)
{
    (void)state;
    check_prometheus("# TYPE h histogram\n"
                     "h_bucket{a=\"1\",le=\"0.1\",b=\"2\"} 1\n"
                     "h_bucket{a=\"1\",le=\"+Inf\",b=\"2\"} 2\n"
                     "h_sum{a=\"1\",b=\"2\"} 0.75\n"
                     "h_count{a=\"1\",b=\"2\"} 2\n"
                     "h_created 5\n"
                     "h 5\n"
                     "h_bucket 5\n"
                     "h_bucket{le=\"x\"} 5\n"
                     "h_bucket{le=\"NaN\"} 5\n"
                     "h_bucket{le=\"-1e-3\"} 5\n",
                     "2: h histogram bucket h_bucket{a=1,b=2} 0.1 = 1\n"
                     "3: h histogram bucket h_bucket{a=1,b=2} inf = 2\n"
                     "4: h histogram sum h_sum{a=1,b=2} = 0.75\n"
                     "5: h histogram count h_count{a=1,b=2} = 2\n"
                     "6: h_created unknown value h_created = 5\n"
                     "7! Its name is not that of a sample of the type of its family.\n"
                     "8! It lacks the label that says which bucket, quantile or state it is.\n"
                     "9! Its bound is no number.\n"
                     "10! Its bound is no number.\n"
                     "11: h histogram bucket h_bucket -0.001 = 5\n");
}

static void summary_of_prometheus(void **state)
{
    (void)state;
    check_prometheus("# TYPE s summary\n"
                     "s{quantile=\"0\"} 1\n"
                     "s{quantile=\"0.5\"} NaN\n"
                     "s{quantile=\"1\"} 3\n"
                     "s_sum 4\n"
                     "s_count 5\n"
                     "s{quantile=\"1.1\"} 6\n"
                     "s{quantile=\"-0.1\"} 6\n"
                     "s{quantile=\"\"} 6\n"
                     "s 7\n"
                     "s_bucket{le=\"1\"} 8\n",
                     "2: s summary quantile s 0 = 1\n"
                     "3: s summary quantile s 0.5 = nan\n"
                     "4: s summary quantile s 1 = 3\n"
                     "5: s summary sum s_sum = 4\n"
                     "6: s summary count s_count = 5\n"
                     "7! Its quantile is not between 0 and 1.\n"
                     "8! Its quantile is not between 0 and 1.\n"
                     "9! Its bound is no number.\n"
                     "10! It lacks the label that says which bucket, quantile or state it is.\n"
                     "11: s_bucket unknown value s_bucket{le=1} = 8\n");
}

static void types_of_openmetrics(void **state)
{
    (void)state;
    check_open("# TYPE c counter\n"
               "# UNIT c \n"
               "# HELP c Count.\n"
               "c_total 5\n"
               "c_created 1500000000.25\n"
               "# TYPE g_seconds gauge\n"
               "# UNIT g_seconds seconds\n"
               "g_seconds -1.5\n"
               "# TYPE u unknown\n"
               "u 1\n"
               "# TYPE h histogram\n"
               "h_bucket{le=\"1.0\"} 1\n"
               "h_bucket{le=\"+Inf\"} 2\n"
               "h_sum 3\n"
               "h_count 2\n"
               "h_created 7\n"
               "# TYPE gh gaugehistogram\n"
               "gh_bucket{le=\"+Inf\"} 2\n"
               "gh_gsum -3\n"
               "gh_gcount 2\n"
               "# TYPE s summary\n"
               "s{quantile=\"0.5\"} 1\n"
               "s_sum 3\n"
               "s_count 2\n"
               "s_created 7\n"
               "# TYPE i info\n"
               "i_info{version=\"1\"} 1\n"
               "# TYPE st stateset\n"
               "st{host=\"x\",st=\"up\"} 1\n"
               "st{host=\"x\",st=\"down\"} 0\n"
               "plain 3\n",
               "4: c counter total c_total = 5 (Count.)\n"
               "5: c counter created c_created = 1500000000.25 (Count.)\n"
               "8: g_seconds gauge value g_seconds = -1.5 in seconds\n"
               "10: u unknown value u = 1\n"
               "12: h histogram bucket h_bucket 1 = 1\n"
               "13: h histogram bucket h_bucket inf = 2\n"
               "14: h histogram sum h_sum = 3\n"
               "15: h histogram count h_count = 2\n"
               "16: h histogram created h_created = 7\n"
               "18: gh gaugehistogram bucket gh_bucket inf = 2\n"
               "19: gh gaugehistogram sum gh_gsum = -3\n"
               "20: gh gaugehistogram count gh_gcount = 2\n"
               "22: s summary quantile s 0.5 = 1\n"
               "23: s summary sum s_sum = 3\n"
               "24: s summary count s_count = 2\n"
               "25: s summary created s_created = 7\n"
               "27: i info labels i_info{version=1} = 1\n"
               "29: st stateset state st{host=x} up = 1\n"
               "30: st stateset state st{host=x} down = 0\n"
               "31: plain unknown value plain = 3\n");
}

/* Of each type, each name that it has not. */
static void other_names(void **state)
{
    (void)state;
    check_open("# TYPE c counter\nc 1\n# TYPE i info\ni 1\n# TYPE h histogram\nh 1\n"
               "# TYPE gh gaugehistogram\ngh 1\n",
               "2! Its name is not that of a sample of the type of its family.\n"
               "4! Its name is not that of a sample of the type of its family.\n"
               "6! Its name is not that of a sample of the type of its family.\n"
               "8! Its name is not that of a sample of the type of its family.\n");
    check_open("# TYPE g gauge\ng_total 1\n# TYPE h gauge\nh_sum 2\n# TYPE _total counter\n"
               "_total 1\n",
               "2: g_total unknown value g_total = 1\n"
               "4: h_sum unknown value h_sum = 2\n"
               "6! Its name is not that of a sample of the type of its family.\n");
    /* A family of the whole name goes before one of its beginning. */
    check_prometheus("# TYPE a summary\n# TYPE a_count gauge\na_count 1\na_sum 2\n",
                     "3: a_count gauge value a_count = 1\n4: a summary sum a_sum = 2\n");
}

static void values_of_types(void **state)
{
    (void)state;
    check_open("# TYPE c counter\nc_total -1\nc_total NaN\nc_total +Inf\n"
               "# TYPE h histogram\nh_bucket{le=\"1\"} -1\nh_bucket{le=\"1\"} 0.5\n"
               "h_count NaN\nh_bucket{le=\"1\"} 1.0\n"
               "# TYPE i info\ni_info 2\n# TYPE st stateset\nst{st=\"a\"} 0.5\nst 1\n",
               "2! A counter is negative or not a number.\n"
               "3! A counter is negative or not a number.\n"
               "4: c counter total c_total = inf\n"
               "6! A count is no whole number.\n"
               "7! A count is no whole number.\n"
               "8! A count is no whole number.\n"
               "9: h histogram bucket h_bucket 1 = 1\n"
               "11! The value of an info is not 1.\n"
               "13! A state is neither 0 nor 1.\n"
               "14! It lacks the label that says which bucket, quantile or state it is.\n");
    check_prometheus("# TYPE c counter\nc -1\n", "2: c counter total c = -1\n");
}

/* -- Descriptions ------------------------------------------------------------------------------ */

static void descriptions(void **state)
{
    (void)state;
    check_prometheus("# TYPE a gauge\n# TYPE a gauge\n# HELP a x\n# HELP a y\na 1\n"
                     "# HELP b late\nb 1\n# TYPE b gauge\n"
                     "# TYPE c strange\n# TYPE c\n# TYPE d info\nc 2\n"
                     "# TYPE 1x gauge\n# TYPE\n# HELPING x\n#\n# UNIT e seconds\n"
                     "#TYPE f counter\nf 3\n#\tTYPE\tg\tgauge \t\ng 4\n# HELP h\nh 5\n"
                     "# TYPE i{ gauge\n",
                     "2! The family has it already.\n"
                     "4! The family has it already.\n"
                     "5: a gauge value a = 1 (x)\n"
                     "7: b unknown value b = 1 (late)\n"
                     "8! It comes after the first sample of its family.\n"
                     "9! There is no such type.\n"
                     "10! There is no such type.\n"
                     "11! There is no such type.\n"
                     "12: c unknown value c = 2\n"
                     "13! It does not begin with the name of a metric.\n"
                     "19: f counter total f = 3\n"
                     "21: g gauge value g = 4\n"
                     "23: h unknown value h = 5\n"
                     "24! The name is not followed by a blank.\n");
}

static void descriptions_of_openmetrics(void **state)
{
    (void)state;
    check_open("# UNIT a seconds\n# UNIT _b b\n# UNIT c_b b\n# UNIT c_b b\nc_b 1\n"
               "# HELP c_b late\n# UNIT d_s x\n# UNIT b b\n"
               "# comment\n#TYPE x gauge\n# TYPE  x gauge\n# TYPE x gauge \n# TYPE x untyped\n"
               "# HELP x\n# HELP x \n# HELP y\ttab\n#\n# EOFF\n\n x 1\nx 1\n",
               "1! The name of the family does not end with its unit.\n"
               "2! The name of the family does not end with its unit.\n"
               "4! The family has it already.\n"
               "5: c_b unknown value c_b = 1 in b\n"
               "7! The name of the family does not end with its unit.\n"
               "8! The name of the family does not end with its unit.\n"
               "9! It is neither HELP, TYPE, UNIT nor EOF.\n"
               "10! It is neither HELP, TYPE, UNIT nor EOF.\n"
               "11! It does not begin with the name of a metric.\n"
               "12! There is no such type.\n"
               "13! There is no such type.\n"
               "14! The name is not followed by a blank.\n"
               "16! The name is not followed by a blank.\n"
               "17! It is neither HELP, TYPE, UNIT nor EOF.\n"
               "18! It is neither HELP, TYPE, UNIT nor EOF.\n"
               "19! It does not begin with the name of a metric.\n"
               "20! It does not begin with the name of a metric.\n"
               "21: x unknown value x = 1\n");
}

static void families_stand_together(void **state)
{
    (void)state;
    static const char text[] =
        "# TYPE a gauge\n# TYPE b gauge\na 1\nb 2\na{x=\"1\"} 3\nb{x=\"1\"} 4\n";
    check_prometheus(text, "3: a gauge value a = 1\n4: b gauge value b = 2\n"
                           "5: a gauge value a{x=1} = 3\n6: b gauge value b{x=1} = 4\n");
    check_open(text, "3! The lines of its family ended before those of another one.\n"
                     "4: b gauge value b = 2\n"
                     "5! The lines of its family ended before those of another one.\n"
                     "6: b gauge value b{x=1} = 4\n");
    check_open("a 1\nb 2\n# HELP a x\nb{x=\"1\"} 3\n",
               "1: a unknown value a = 1\n2: b unknown value b = 2\n"
               "3! The lines of its family ended before those of another one.\n"
               "4: b unknown value b{x=1} = 3\n");
}

static void help_texts(void **state)
{
    (void)state;
    check_prometheus("# HELP a a\\nb \\\\ \\\" \\x\na 1\n# HELP b x\\\nb 1\n",
                     "2: a unknown value a = 1 (a\nb \\ \\\" \\x)\n"
                     "3! It ends with a backslash.\n"
                     "4: b unknown value b = 1\n");
    check_open("# HELP a a\\nb \\\\ \\\" \na 1\n# HELP b \\x\nb 1\n# HELP c \\\n",
               "2: a unknown value a = 1 (a\nb \\ \" )\n"
               "4: b unknown value b = 1 (\\x)\n"
               "5! It ends with a backslash.\n");
}

/* A long one is cut, and never within a character. */
static void long_help(void **state)
{
    (void)state;
    for (size_t before = 245; before < 260; before++) {
        static struct heard heard;
        struct openmetrics_summary summary;
        static const struct openmetrics_limits limits = OPENMETRICS_LIMITS;
        char text[1024], wanted[1024], xs[512];
        memset(xs, 'x', sizeof xs);
        snprintf(text, sizeof text, "# HELP a %.*s\u20acyyyyyyyyyyyyyyy\na 1\n", (int)before, xs);
        bool has_room = before + 3 < MESSAGE_SIZE;
        size_t kept = before < MESSAGE_SIZE - 1 ? before : MESSAGE_SIZE - 1;
        size_t ys = has_room ? MESSAGE_SIZE - 1 - before - 3 : 0;
        snprintf(wanted, sizeof wanted, "2: a unknown value a = 1 (%.*s%s%.*s)\n", (int)kept, xs,
                 has_room ? "\u20ac" : "", (int)(ys < 15 ? ys : 15), "yyyyyyyyyyyyyyy");
        read_pieces(OPENMETRICS_PROMETHEUS, &limits, text, strlen(text), strlen(text), &heard,
                    &summary);
        assert_string_equal(heard.text, wanted);
    }
}

/* -- Lines ------------------------------------------------------------------------------------- */

static void labels(void **state)
{
    (void)state;
    check_prometheus("a{} 1\n"
                     "a{b=\"c\",} 2\n"
                     "a { b = \"x\" , c = \"y\" , } 3\n"
                     "a{b=\"\\\\ \\\" \\n \\x, } {\"} 4\n"
                     "a{b=\"\"}5\n"
                     "a{b=\"\xe2\x82\xac\"} 6\n"
                     "a{,} 7\n"
                     "a{b} 8\n"
                     "a{b=c} 8\n"
                     "a{b=\"c} 8\n"
                     "a{b=\"c\\\"} 8\n"
                     "a{b=\"c\" c=\"d\"} 8\n"
                     "a{b=\"c\",b=\"d\"} 8\n"
                     "a{b:c=\"d\"} 8\n"
                     "a{1=\"d\"} 8\n"
                     "a{b=\"c\"\n"
                     "a{b=\"c\"}\n"
                     "a{\n"
                     "a{b\n"
                     "a{b=\n"
                     "a{b=\"\\\n",
                     "1: a unknown value a = 1\n"
                     "2: a unknown value a{b=c} = 2\n"
                     "3: a unknown value a{b=x,c=y} = 3\n"
                     "4: a unknown value a{b=\\ \" \n \\x, } {} = 4\n"
                     "5: a unknown value a{b=} = 5\n"
                     "6: a unknown value a{b=\xe2\x82\xac} = 6\n"
                     "7! There is no name of a label where one should be.\n"
                     "8! The name of a label is not followed by an equals sign.\n"
                     "9! The value of a label does not begin with a quotation mark.\n"
                     "10! The value of a label does not end with a quotation mark.\n"
                     "11! The value of a label does not end with a quotation mark.\n"
                     "12! Labels are not separated by a comma.\n"
                     "13! It has a label twice.\n"
                     "14! The name of a label is not followed by an equals sign.\n"
                     "15! There is no name of a label where one should be.\n"
                     "16! Labels are not separated by a comma.\n"
                     "17! It has no value.\n"
                     "18! There is no name of a label where one should be.\n"
                     "19! The name of a label is not followed by an equals sign.\n"
                     "20! The value of a label does not begin with a quotation mark.\n"
                     "21! It ends with a backslash.\n");
}

static void labels_of_openmetrics(void **state)
{
    (void)state;
    check_open("a{} 1\na{b=\"c\",} 2\na {b=\"c\"} 2\na{ b=\"c\"} 2\na{b =\"c\"} 2\n"
               "a{b= \"c\"} 2\na{b=\"c\" } 2\na{b=\"c\", c=\"d\"} 2\na{b=\"c\"}2\n"
               "a{b=\"\\x\"} 2\na{b=\"c\",c=\"d\"} 3\n"
               "a{b=\"C:\\dir\\\xc3\xa9\\ \"} 1\na{b=\"c\\\"} 1\na{b=\"c\\\n",
               "1: a unknown value a = 1\n"
               "2! There is no name of a label where one should be.\n"
               "3! The value is no number.\n"
               "4! There is no name of a label where one should be.\n"
               "5! The name of a label is not followed by an equals sign.\n"
               "6! The value of a label does not begin with a quotation mark.\n"
               "7! Labels are not separated by a comma.\n"
               "8! There is no name of a label where one should be.\n"
               "9! There is no single blank between two parts.\n"
               "10: a unknown value a{b=\\x} = 2\n"
               "11: a unknown value a{b=c,c=d} = 3\n"
               "12: a unknown value a{b=C:\\dir\\\xc3\xa9\\ } = 1\n"
               "13! The value of a label does not end with a quotation mark.\n"
               "14! It ends with a backslash.\n");
}

static void many_labels(void **state)
{
    (void)state;
    for (unsigned n = OPENMETRICS_LABELS_MAX - 1; n <= OPENMETRICS_LABELS_MAX + 1; n++) {
        char text[2048] = "a{", wanted[2048] = "1: a unknown value a{";
        for (unsigned i = 0; i < n; i++) {
            assert_true(snprintf(text + strlen(text), 16, "%sl%u=\"v\"", i > 0 ? "," : "", i) < 16);
            assert_true(snprintf(wanted + strlen(wanted), 16, "%sl%u=v", i > 0 ? "," : "", i) < 16);
        }
        strcat(text, "} 1\n");
        strcat(wanted, "} = 1\n");
        check_prometheus(text,
                         n <= OPENMETRICS_LABELS_MAX ? wanted : "1! It has more than 64 labels.\n");
    }
}

static void names(void **state)
{
    (void)state;
    check_prometheus("_a 1\n:a:b 2\nA9 3\n9a 4\n-a 4\na-b 4\na\n{a=\"b\"} 4\na.b 4\n",
                     "1: _a unknown value _a = 1\n"
                     "2: :a:b unknown value :a:b = 2\n"
                     "3: A9 unknown value A9 = 3\n"
                     "4! It does not begin with the name of a metric.\n"
                     "5! It does not begin with the name of a metric.\n"
                     "6! The name is followed by a character that cannot be in it.\n"
                     "7! It has no value.\n"
                     "8! It does not begin with the name of a metric.\n"
                     "9! The name is followed by a character that cannot be in it.\n");
    char text[1024], wanted[2048], xs[OPENMETRICS_NAME_MAX + 2];
    memset(xs, 'x', sizeof xs);
    snprintf(text, sizeof text, "%.255s 1\n%.256s 1\na{%.256s=\"1\"} 1\n", xs, xs, xs);
    snprintf(wanted, sizeof wanted,
             "1: %.255s unknown value %.255s = 1\n2! A name is longer than 255 octets.\n"
             "3! A name is longer than 255 octets.\n",
             xs, xs);
    check_prometheus(text, wanted);
}

static void numbers(void **state)
{
    static const struct {
        const char *text;
        bool is_good;
        double number;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, -0.0},
        {"+1", true, 1},
        {"1.", true, 1},
        {".5", true, .5},
        {"-.5e-1", true, -.05},
        {"1e3", true, 1000},
        {"1E+3", true, 1000},
        {"1.7976931348623157e308", true, 1.7976931348623157e308},
        {"5e-324", true, 5e-324},
        {"1e-400", true, 0},
        {"12345678901234567890123", true, 12345678901234567890123.0},
        {"9007199254740993", true, 9007199254740992},
        {"Inf", true, INFINITY},
        {"+inf", true, INFINITY},
        {"-INFINITY", true, -INFINITY},
        {"NaN", true, NAN},
        {"nan", true, NAN},
        {"-NaN", false, 0},
        {"1e999", false, 0},
        {"", false, 0},
        {"+", false, 0},
        {".", false, 0},
        {"e5", false, 0},
        {"1e", false, 0},
        {"1e+", false, 0},
        {"1e+-1", false, 0},
        {"--1", false, 0},
        {"1,5", false, 0},
        {"0x10", false, 0},
        {"1_000", false, 0},
        {"nan(1)", false, 0},
        {"infinit", false, 0},
        {"infx", false, 0},
        {"1f", false, 0},
        {"\xc2\xb2", false, 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        char text[64], wanted[128];
        snprintf(text, sizeof text, "a %s\n", cases[i].text);
        snprintf(wanted, sizeof wanted, "1: a unknown value a = %.17g\n", cases[i].number);
        if (!cases[i].is_good)
            snprintf(wanted, sizeof wanted, "1! %s\n",
                     cases[i].text[0] ? "The value is no number." : "It has no value.");
        check_prometheus(text, wanted);
        text[strlen(text) - 1] = '\0';
        strcat(text, "\n# EOF\n");
        check(OPENMETRICS_1, text, wanted);
    }
}

static void times(void **state)
{
    (void)state;
    check_prometheus("a 1 1500000000123\nb 1 -5\nc\t1\t0\t\nd 1 1.5\nd 1 1e3\nd 1 x\nd 1 NaN\n"
                     "d 1 2 3\nd 1 2 # {} 1\nd 1 # {} 1\nd 1 \n",
                     "1: a unknown value a = 1 @1500000000.123\n"
                     "2: b unknown value b = 1 @-0.005\n"
                     "3: c unknown value c = 1 @0.000\n"
                     "4! The time is no whole number of milliseconds.\n"
                     "5! The time is no whole number of milliseconds.\n"
                     "6! The time is no number.\n"
                     "7! The time is no finite number.\n"
                     "8! Something follows the value that is no time.\n"
                     "9! Something follows the value that is no time.\n"
                     "10! Something follows the value that is no time.\n"
                     "11: d unknown value d = 1\n");
    check_open("a 1 1500000000.123\nb 1 -5e-1\nd 1  2\nd  1\nd 1 \nd 1\t2\nd 1 Inf\nd 1 2 3\n",
               "1: a unknown value a = 1 @1500000000.123\n"
               "2: b unknown value b = 1 @-0.500\n"
               "3! The time is no number.\n"
               "4! The value is no number.\n"
               "5! The time is no number.\n"
               "6! There is no single blank between two parts.\n"
               "7! The time is no finite number.\n"
               "8! Something follows the value that is neither a time nor an exemplar.\n");
}

static void exemplars(void **state)
{
    (void)state;
    check_open("# TYPE c counter\n"
               "c_total{a=\"1\"} 1 # {} 5\n"
               "c_total{a=\"2\"} 1 2 # {trace=\"x \\\" y\",span=\"z\"} 5.5 6.25\n"
               "c_total{a=\"3\"} 1 # {trace=\"x\"} 5 6 7\n"
               "c_total{a=\"3\"} 1 # {trace=\"x\"}\n"
               "c_total{a=\"3\"} 1 # {trace=\"x\"} \n"
               "c_total{a=\"3\"} 1 # {trace=\"x\"} z\n"
               "c_total{a=\"3\"} 1 # {trace=\"x\"} 5 z\n"
               "c_total{a=\"3\"} 1 # 5\n"
               "c_total{a=\"3\"} 1 #\n"
               "c_total{a=\"3\"} 1 # {trace=\"x\"\n"
               "c_total{a=\"3\"} 1 # {trace=\"x\",trace=\"y\"} 1\n"
               "c_created{a=\"3\"} 1 # {} 1\n"
               "# TYPE h histogram\n"
               "h_bucket{le=\"1\"} 1 # {} 0.5\n"
               "h_sum 1 # {} 0.5\n",
               "2: c counter total c_total{a=1} = 1 # 5\n"
               "3: c counter total c_total{a=2} = 1 @2.000 #{trace=x \" y,span=z} 5.5 @6.250\n"
               "4! Something follows the exemplar.\n"
               "5! There is no single blank between two parts.\n"
               "6! The value of the exemplar is no number.\n"
               "7! The value of the exemplar is no number.\n"
               "8! The time is no number.\n"
               "9! Something follows the value that is neither a time nor an exemplar.\n"
               "10! Something follows the value that is neither a time nor an exemplar.\n"
               "11! Labels are not separated by a comma.\n"
               "12! It has a label twice.\n"
               "13! Only counters and buckets have exemplars.\n"
               "15: h histogram bucket h_bucket 1 = 1 # 0.5\n"
               "16! Only counters and buckets have exemplars.\n");
}

/* 128 characters, which are not octets. One that is too long costs nothing but itself. */
static void long_exemplars(void **state)
{
    (void)state;
    for (unsigned n = 126; n <= 128; n++) {
        char text[1024] = "# TYPE c counter\nc_total 1 # {a=\"", wanted[1024];
        char value[512] = "";
        for (unsigned i = 0; i < n; i++)
            strcat(value, "\xc3\xa9");
        snprintf(text + strlen(text), 600, "%s\"} 1\n", value);
        snprintf(wanted, sizeof wanted, "2: c counter total c_total = 1 #{a=%s} 1\n", value);
        check_open(text, n <= 127 ? wanted : "2: c counter total c_total = 1\n");
    }
}

/* As many and as long labels as fit into a line; what is wrong behind them, or twice, is still. */
static void large_exemplars(void **state)
{
    (void)state;
    char many[2048] = "", name[OPENMETRICS_NAME_MAX + 2] = "", text[16384];
    memset(name, 'n', sizeof name - 1);
    for (unsigned i = 0; i <= OPENMETRICS_LABELS_MAX; i++)
        assert_true(snprintf(many + strlen(many), 16, "%sl%u=\"\"", i > 0 ? "," : "", i) < 16);
    snprintf(text, sizeof text,
             "# TYPE h histogram\n"
             "h_bucket{le=\"1\"} 1 # {%s=\"\"} 0.5\n"
             "h_bucket{le=\"2\"} 2 # {%s} 0.5 7\n"
             "h_bucket{le=\"3\"} 3 # {%s} x\n"
             "h_bucket{le=\"4\"} 3 # {%s,l0=\"\"} 0.5\n"
             "h_bucket{le=\"5\"} 3 # {l=\"\"} 0.5\n"
             "h_bucket{le=\"6\",%s=\"\"} 3\n"
             "h_count{%s} 3\n"
             "h_sum 3 # {%s} 0.5\n",
             name, many, many, many, name, many, many);
    check_open(text, "2: h histogram bucket h_bucket 1 = 1\n"
                     "3: h histogram bucket h_bucket 2 = 2\n"
                     "4! The value of the exemplar is no number.\n"
                     "5! It has a label twice.\n"
                     "6: h histogram bucket h_bucket 5 = 3 #{l=} 0.5\n"
                     "7! A name is longer than 255 octets.\n"
                     "8! It has more than 64 labels.\n"
                     "9! Only counters and buckets have exemplars.\n");
}

/* -- Series ------------------------------------------------------------------------------------ */

static void series_twice(void **state)
{
    (void)state;
    check_prometheus("a 1\na 2\na{x=\"1\",y=\"2\"} 3\na{y=\"2\",x=\"1\"} 4\na{x=\"2\",y=\"1\"} 5\n"
                     "a{x=\"12\",y=\"\"} 6\na{x=\"1\"} 7\na 8 9\n"
                     "# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"2\"} 1\n"
                     "h_bucket{le=\"1\"} 2\nh_sum 1\nh_count 1\n",
                     "1: a unknown value a = 1\n"
                     "2! The series has had a sample before.\n"
                     "3: a unknown value a{x=1,y=2} = 3\n"
                     "4! The series has had a sample before.\n"
                     "5: a unknown value a{x=2,y=1} = 5\n"
                     "6: a unknown value a{x=12,y=} = 6\n"
                     "7: a unknown value a{x=1} = 7\n"
                     "8! The series has had a sample before.\n"
                     "10: h histogram bucket h_bucket 1 = 1\n"
                     "11: h histogram bucket h_bucket 2 = 1\n"
                     "12! The series has had a sample before.\n"
                     "13: h histogram sum h_sum = 1\n"
                     "14: h histogram count h_count = 1\n");
}

/* In OpenMetrics, a series may have several samples in the order of their times. */
static void series_of_several_times(void **state)
{
    (void)state;
    check_open("a 1 10\na 2 11\na 3 11\na 4 10.5\na 5\na 6 12\n",
               "1: a unknown value a = 1 @10.000\n"
               "2: a unknown value a = 2 @11.000\n"
               "3! The series has had a sample before.\n"
               "4! The series has had a sample before.\n"
               "5! The series has had a sample before.\n"
               "6: a unknown value a = 6 @12.000\n");
    check_open("a 1\na 2 11\n",
               "1: a unknown value a = 1\n2! The series has had a sample before.\n");
}

/* A line that was wrong has made neither a family nor a series. */
static void wrong_lines_leave_nothing(void **state)
{
    (void)state;
    check_prometheus("a{x=\"1\"} y\na{x=\"1\"} 1\nb 1 x\n# TYPE b counter\nb 1\n",
                     "1! The value is no number.\n2: a unknown value a{x=1} = 1\n"
                     "3! The time is no number.\n5: b counter total b = 1\n");
}

/* -- Limits ------------------------------------------------------------------------------------ */

static void long_lines(void **state)
{
    static const struct openmetrics_limits limits = {.line = 10, .families = 9, .series = 9};
    (void)state;
    static const char text[] = "aaaaaaaa 1\naaaaaaaaa 1\nb 1\n#56789012345678901234567890\nc 2\n";
    struct openmetrics_summary summary;
    check_limited(OPENMETRICS_PROMETHEUS, &limits, text, strlen(text),
                  "1: aaaaaaaa unknown value aaaaaaaa = 1\n"
                  "2! It is longer than 10 octets.\n"
                  "3: b unknown value b = 1\n"
                  "4! It is longer than 10 octets.\n"
                  "5: c unknown value c = 2\n",
                  &summary);
    assert_true(summary.is_whole && summary.lines == 5 && summary.samples == 3);
}

static void many_series(void **state)
{
    static const struct openmetrics_limits limits = {.line = 100, .families = 9, .series = 2};
    (void)state;
    static const char text[] = "a 1\na{x=\"1\"} 2\na{x=\"2\"} 3\na{x=\"3\"} 4\na 5\nb 6\nb x\n";
    struct openmetrics_summary summary;
    check_limited(OPENMETRICS_PROMETHEUS, &limits, text, strlen(text),
                  "1: a unknown value a = 1\n"
                  "2: a unknown value a{x=1} = 2\n"
                  "5! The series has had a sample before.\n"
                  "7! The value is no number.\n",
                  &summary);
    assert_true(summary.beyond == 3 && summary.faults == 2 && summary.samples == 2);
}

static void many_families(void **state)
{
    static const struct openmetrics_limits limits = {.line = 100, .families = 2, .series = 9};
    (void)state;
    static const char text[] = "# TYPE a gauge\nb 1\n# TYPE c gauge\nc 2\nd 3\na 4\nb{x=\"1\"} 5\n";
    struct openmetrics_summary summary;
    check_limited(OPENMETRICS_PROMETHEUS, &limits, text, strlen(text),
                  "2: b unknown value b = 1\n"
                  "6: a gauge value a = 4\n"
                  "7: b unknown value b{x=1} = 5\n",
                  &summary);
    assert_true(summary.beyond == 2 && summary.faults == 0 && summary.samples == 3);
}

/* -- Ends -------------------------------------------------------------------------------------- */

static void check_end(enum openmetrics_format format, const char *text, bool is_whole,
                      uint64_t lines, const char *wanted)
{
    static const struct openmetrics_limits limits = OPENMETRICS_LIMITS;
    struct openmetrics_summary summary;
    check_limited(format, &limits, text, strlen(text), wanted, &summary);
    assert_int_equal(summary.is_whole, is_whole);
    assert_int_equal(summary.lines, lines);
}

static void ends(void **state)
{
    (void)state;
    check_end(OPENMETRICS_PROMETHEUS, "", true, 0, "");
    check_end(OPENMETRICS_PROMETHEUS, "a 1\n", true, 1, "1: a unknown value a = 1\n");
    check_end(OPENMETRICS_PROMETHEUS, "a 1\nb 12", false, 2,
              "1: a unknown value a = 1\n2! The text ends within a line.\n");
    check_end(OPENMETRICS_PROMETHEUS, "# EOF\na 1\n", true, 2, "2: a unknown value a = 1\n");
    check_end(OPENMETRICS_1, "", false, 0, "0! The text ends without its end mark, # EOF.\n");
    check_end(OPENMETRICS_1, "# EOF\n", true, 1, "");
    check_end(OPENMETRICS_1, "# EOF", true, 1, "");
    check_end(OPENMETRICS_1, "a 1\n# EOF", true, 2, "1: a unknown value a = 1\n");
    check_end(OPENMETRICS_PROMETHEUS, "# EOF", false, 1, "1! The text ends within a line.\n");
    static const char *const cut[] = {"#",      "# EO",   "# EOF ", "# EOF\r",
                                      "# EOFa", " # EOF", "# eof"};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        check_end(OPENMETRICS_1, cut[i], false, 1, "1! The text ends within a line.\n");
    check_end(OPENMETRICS_1, "# EOF\n# EOF", false, 2, "2! The text ends within a line.\n");
    static const struct openmetrics_limits short_lines = {.line = 5, .families = 9, .series = 9};
    struct openmetrics_summary summary;
    check_limited(OPENMETRICS_1, &short_lines, "# EOF", 5, "", &summary);
    assert_true(summary.is_whole);
    check_limited(OPENMETRICS_1, &short_lines, "# EOFa", 6, "1! The text ends within a line.\n",
                  &summary);
    assert_false(summary.is_whole);
    check_end(OPENMETRICS_1, "a 1\n", false, 1,
              "1: a unknown value a = 1\n1! The text ends without its end mark, # EOF.\n");
    check_end(OPENMETRICS_1, "# EOF\na 1\n\n", true, 3,
              "2! It comes after the end of the text.\n3! It comes after the end of the text.\n");
}

static void strange_octets(void **state)
{
    static const struct openmetrics_limits limits = OPENMETRICS_LIMITS;
    struct openmetrics_summary summary;
    (void)state;
    static const char text[] = "a 1\0\n\xff 1\nb{c=\"\xc3\"} 1\nb{c=\"\xed\xa0\x80\"} 1\n# \xfe\n"
                               "c 1\r\n";
    check_limited(OPENMETRICS_PROMETHEUS, &limits, text, sizeof text - 1,
                  "1! It has an octet that is 0.\n2! It is not in UTF-8.\n3! It is not in UTF-8.\n"
                  "4! It is not in UTF-8.\n5! It is not in UTF-8.\n6! The value is no number.\n",
                  &summary);
}

static void listeners(void **state)
{
    static const struct openmetrics_limits limits = OPENMETRICS_LIMITS;
    static struct heard heard;
    (void)state;
    heard = (struct heard){.refuse_after = 2};
    struct openmetrics_listener listener = {hear, NULL, &heard};
    struct openmetrics *reader = openmetrics_new(OPENMETRICS_PROMETHEUS, &limits, SEED, &listener);
    static const char text[] = "?\na 1\n?\nb 2\nc 3\n";
    assert_int_equal(openmetrics_feed(reader, text, strlen(text)), ECANCELED);
    assert_string_equal(heard.text, "2: a unknown value a = 1\n");
    openmetrics_free(reader);
    openmetrics_free(NULL);
}

static void formats(void **state)
{
    static const struct {
        const char *content_type;
        int format; /* -1: none */
    } cases[] = {
        {"text/plain", OPENMETRICS_PROMETHEUS},
        {"text/plain; version=0.0.4; charset=utf-8", OPENMETRICS_PROMETHEUS},
        {"text/plain;version=\"0.0.4\"", OPENMETRICS_PROMETHEUS},
        {" Text/Plain ;charset=utf-8;Version=0.0.4", OPENMETRICS_PROMETHEUS},
        {"text/plain; version=0.0.40", -1},
        {"text/plain; version=0.0", -1},
        {"text/plain; version=1.0.0", -1},
        {"application/openmetrics-text", OPENMETRICS_1},
        {"application/openmetrics-text; version=1.0.0; charset=utf-8", OPENMETRICS_1},
        {"application/openmetrics-text; version=0.0.1", OPENMETRICS_1},
        {"application/openmetrics-text; version=2.0.0", -1},
        {"application/openmetrics-text; version=0.0.4", -1},
        {"text/html", -1},
        {"text/plainer", -1},
        {"text", -1},
        {"", -1},
        {";", -1},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        enum openmetrics_format format = 99;
        assert_int_equal(openmetrics_format(cases[i].content_type, &format), cases[i].format >= 0);
        assert_int_equal(format, cases[i].format >= 0 ? cases[i].format : 99);
    }
}

/* -- Memory ------------------------------------------------------------------------------------ */

/* False: no memory. */
static bool read_scarce(const char *text)
{
    static const struct openmetrics_limits limits = OPENMETRICS_LIMITS;
    static struct heard heard;
    heard = (struct heard){.len = 0};
    struct openmetrics_listener listener = {hear, hear_fault, &heard};
    struct openmetrics *reader = openmetrics_new(OPENMETRICS_1, &limits, SEED, &listener);
    if (!reader)
        return false;
    int error = openmetrics_feed(reader, text, strlen(text));
    if (error)
        assert_int_equal(error, ENOMEM);
    openmetrics_free(reader);
    return !error;
}

/* Each allocation fails in its turn, the tables' own ones among them, which grow meanwhile. */
static void memory(void **state)
{
    static char text[65536];
    (void)state;
    strcpy(text, "# HELP a_s help\n# UNIT a_s s\n");
    for (unsigned i = 0; i < 400; i++)
        snprintf(text + strlen(text), 64, "a_s{x=\"%u\"} %u\n", i, i);
    for (unsigned i = 0; i < 50; i++)
        snprintf(text + strlen(text), 64, "f%u 1\n", i);
    size_t n = 1;
    for (bool has_failed = true; has_failed; n++) {
        scarce_fail(n);
        bool is_read = read_scarce(text);
        has_failed = scarce_stop();
        assert_int_equal(is_read, !has_failed);
    }
    assert_true(n > 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_prometheus),
        cmocka_unit_test(histogram_of_prometheus),
        cmocka_unit_test(summary_of_prometheus),
        cmocka_unit_test(types_of_openmetrics),
        cmocka_unit_test(other_names),
        cmocka_unit_test(values_of_types),
        cmocka_unit_test(descriptions),
        cmocka_unit_test(descriptions_of_openmetrics),
        cmocka_unit_test(families_stand_together),
        cmocka_unit_test(help_texts),
        cmocka_unit_test(long_help),
        cmocka_unit_test(labels),
        cmocka_unit_test(labels_of_openmetrics),
        cmocka_unit_test(many_labels),
        cmocka_unit_test(names),
        cmocka_unit_test(numbers),
        cmocka_unit_test(times),
        cmocka_unit_test(exemplars),
        cmocka_unit_test(long_exemplars),
        cmocka_unit_test(large_exemplars),
        cmocka_unit_test(series_twice),
        cmocka_unit_test(series_of_several_times),
        cmocka_unit_test(wrong_lines_leave_nothing),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(many_series),
        cmocka_unit_test(many_families),
        cmocka_unit_test(ends),
        cmocka_unit_test(strange_octets),
        cmocka_unit_test(listeners),
        cmocka_unit_test(formats),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
