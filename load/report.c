#include "load/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

/* The percentiles that are shown, and their names. */
static const struct {
    const char *name;
    double quantile;
} quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}};

#define QUANTILES (sizeof quantiles / sizeof *quantiles)

/* -- JSON ------------------------------------------------------------------------------------ */

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Rounded to nanoseconds: more digits would be meaningless. */
static json_t *seconds_or_null(double seconds)
{
    return isfinite(seconds) ? json_real(round(seconds * 1e9) / 1e9) : json_null();
}

static double rate_of(uint64_t n, double seconds)
{
    return seconds > 0 ? (double)n / seconds : 0;
}

static void add_times(json_t *to, const struct statistics_window *times)
{
    bool is_known = times->count > 0;
    json_object_set_new(to, "mean", is_known ? seconds_or_null(times->mean) : json_null());
    json_object_set_new(to, "min", is_known ? seconds_or_null(times->min) : json_null());
    json_object_set_new(to, "max", is_known ? seconds_or_null(times->max) : json_null());
    for (size_t i = 0; i < QUANTILES; i++)
        json_object_set_new(to, quantiles[i].name,
                            seconds_or_null(tally_quantile(times, quantiles[i].quantile)));
}

/* Octets from the other side that are not UTF-8 would make invalid JSON. */
static json_t *example_of(const struct tally_failures *failures)
{
    char text[FAILURE_TEXT];
    memcpy(text, failures->example, sizeof text);
    text_clean(text, sizeof text, '?');
    return json_pack("{s:I, s:s}", "count", (json_int_t)failures->n, "example", text);
}

static json_t *failures_of(const struct tally *tally)
{
    json_t *all = json_object();
    for (int i = 0; i < FAILURE_KINDS; i++)
        if (tally->failures[i].n > 0)
            json_object_set_new(all, failure_word((enum failure_kind)i),
                                example_of(&tally->failures[i]));
    return all;
}

static void add_tally(json_t *to, const struct tally *tally, double seconds)
{
    json_t *lateness = json_object();
    json_object_set_new(to, "operations", json_integer((json_int_t)tally->operations));
    json_object_set_new(to, "errors", json_integer((json_int_t)tally->errors));
    json_object_set_new(to, "throughput", real_or_null(rate_of(tally->operations, seconds)));
    add_times(to, &tally->response);
    add_times(lateness, &tally->lateness);
    json_object_set_new(to, "lateness", lateness);
    json_object_set_new(to, "failures", failures_of(tally));
    if (tally->uncounted > 0)
        json_object_set_new(to, "uncounted", json_integer((json_int_t)tally->uncounted));
}

/* The object may be NULL, if memory has run out. */
static bool print_json(FILE *to, json_t *object)
{
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    bool is_good = text && fprintf(to, "%s\n", text) > 0 && fflush(to) == 0;
    free(text);
    json_decref(object);
    return is_good;
}

static json_t *stage_object(const struct ramp_stage *stage)
{
    return json_pack("{s:o, s:f, s:o, s:I, s:I, s:b}", "level", json_real(stage->level),
                     "throughput", stage->throughput, "percentile",
                     seconds_or_null(stage->percentile), "operations",
                     (json_int_t)stage->operations, "errors", (json_int_t)stage->errors, "cut",
                     (int)stage->is_cut);
}

static json_t *ramp_object(const struct ramp *ramp, const char *of)
{
    const struct ramp_stage *best = ramp_best(ramp);
    json_t *stages = json_array();
    for (size_t i = 0; i < ramp->n_stages; i++)
        json_array_append_new(stages, stage_object(&ramp->stage[i]));
    return json_pack("{s:s, s:f, s:o, s:s, s:o}", "of", of, "quantile", ramp->quantile, "stages",
                     stages, "end", ramp_reason(ramp->end), "best",
                     best ? stage_object(best) : json_null());
}

static void add_each(json_t *to, const struct scenario *scenario,
                     const struct engine_result *result)
{
    json_t *each = json_array();
    for (uint32_t i = 0; i < scenario->n_names; i++) {
        json_t *one = json_pack("{s:s}", "name", scenario->name[i].text);
        add_tally(one, &result->tally[i], result->seconds);
        json_array_append_new(each, one);
    }
    json_object_set_new(to, "each", each);
}

static bool print_result_json(FILE *to, const struct tally *all, const struct engine_load *load,
                              const struct engine_result *result)
{
    json_t *object = json_object();
    add_tally(object, all, result->seconds);
    json_object_set_new(object, "seconds", seconds_or_null(result->seconds));
    json_object_set_new(object, "interrupted", json_boolean(result->signal != 0));
    json_object_set_new(object, "unfinished", json_integer((json_int_t)result->unfinished));
    if (load->rate > 0)
        json_object_set_new(object, "overdue", json_integer((json_int_t)result->overdue));
    if (result->is_overdue_least)
        json_object_set_new(object, "overdue_is_least", json_true());
    json_object_set_new(object, "seed", json_integer((json_int_t)load->seed));
    if (result->why[0])
        json_object_set_new(object, "broken_off", json_string(result->why));
    if (load->ramp)
        json_object_set_new(object, "ramp",
                            ramp_object(load->ramp, load->rate > 0 ? "rate" : "workers"));
    if (load->scenario->n_names > 1)
        add_each(object, load->scenario, result);
    return print_json(to, object);
}

static bool print_second_json(struct report *report, const struct engine_second *second)
{
    json_t *object = json_object();
    json_object_set_new(object, "second", seconds_or_null(second->seconds));
    json_object_set_new(object, "running", json_integer((json_int_t)second->running));
    json_object_set_new(object, "level", json_real(second->level));
    json_object_set_new(object, "operations", json_integer((json_int_t)second->tally->operations));
    json_object_set_new(object, "errors", json_integer((json_int_t)second->tally->errors));
    add_times(object, &second->tally->response);
    return print_json(report->to, object);
}

/* -- For people ------------------------------------------------------------------------------ */

/* "812 us", "3.41 ms", "1.02 s". */
static const char *time_text(char text[32], double seconds)
{
    if (!isfinite(seconds))
        text_format(text, 32, "-");
    else if (seconds < 1e-3)
        text_format(text, 32, "%.3g us", seconds * 1e6);
    else if (seconds < 1)
        text_format(text, 32, "%.3g ms", seconds * 1e3);
    else
        text_format(text, 32, "%.4g s", seconds);
    return text;
}

static void print_progress(struct report *report, const struct engine_second *second)
{
    char p50[32], p99[32];
    fprintf(report->progress,
            "\r%.0f s: %" PRIu64 " operations, %" PRIu64 " errors; now %" PRIu64
            "/s, p50 %s, p99 %s, %" PRIu64 " under way\033[K",
            second->seconds, second->operations, second->errors, second->tally->operations,
            time_text(p50, tally_quantile(&second->tally->response, 0.5)),
            time_text(p99, tally_quantile(&second->tally->response, 0.99)), second->running);
    fflush(report->progress);
}

bool report_second(struct report *report, const struct engine_second *second)
{
    if (report->progress)
        print_progress(report, second);
    return !report->is_json || print_second_json(report, second);
}

static void print_times(FILE *to, const char *what, const struct statistics_window *times)
{
    char text[32];
    fprintf(to, "%-10s mean %s", what, time_text(text, times->count ? times->mean : (double)NAN));
    for (size_t i = 0; i < QUANTILES; i++)
        fprintf(to, ", %s %s", quantiles[i].name,
                time_text(text, tally_quantile(times, quantiles[i].quantile)));
    fprintf(to, ", max %s\n", time_text(text, times->count ? times->max : (double)NAN));
}

static void print_tally(FILE *to, const struct tally *tally, double seconds)
{
    fprintf(to, "operations %" PRIu64 ", %.1f/s; errors %" PRIu64 "\n", tally->operations,
            rate_of(tally->operations, seconds), tally->errors);
    print_times(to, "response", &tally->response);
    print_times(to, "lateness", &tally->lateness);
    for (int i = 0; i < FAILURE_KINDS; i++) {
        char text[FAILURE_TEXT];
        memcpy(text, tally->failures[i].example, sizeof text);
        text_clean(text, sizeof text, '?');
        if (tally->failures[i].n > 0)
            fprintf(to, "%-10s %" PRIu64 ", as: %s\n", failure_word((enum failure_kind)i),
                    tally->failures[i].n, text);
    }
}

static void print_ramp(FILE *to, const struct ramp *ramp, const char *of)
{
    char text[32];
    const struct ramp_stage *best = ramp_best(ramp);
    fprintf(to, "%12s %14s %12s %10s\n", of, "throughput/s", "percentile", "errors");
    for (size_t i = 0; i < ramp->n_stages; i++)
        fprintf(to, "%12.6g %14.1f %12s %10" PRIu64 "%s\n", ramp->stage[i].level,
                ramp->stage[i].throughput, time_text(text, ramp->stage[i].percentile),
                ramp->stage[i].errors, ramp->stage[i].is_cut ? ", not whole" : "");
    fprintf(to, "end of the ramp: %s", ramp_reason(ramp->end));
    if (best)
        fprintf(to, "; best: %s %.6g, %.1f/s", of, best->level, best->throughput);
    putc('\n', to);
}

static bool print_result_text(FILE *to, const struct tally *all, const struct engine_load *load,
                              const struct engine_result *result)
{
    const struct scenario *scenario = load->scenario;
    if (load->ramp)
        print_ramp(to, load->ramp, load->rate > 0 ? "rate" : "workers");
    fprintf(to, "seconds    %.3f%s\n", result->seconds, result->signal ? ", interrupted" : "");
    if (result->unfinished > 0)
        fprintf(to, "unfinished %" PRIu64 "\n", result->unfinished);
    if (result->overdue > 0 || result->is_overdue_least)
        fprintf(to, "overdue    %s%" PRIu64 ", which no worker was free for\n",
                result->is_overdue_least ? "at least " : "", result->overdue);
    print_tally(to, all, result->seconds);
    for (uint32_t i = 0; i < scenario->n_names && scenario->n_names > 1; i++) {
        fprintf(to, "\n%s\n", scenario->name[i].text);
        print_tally(to, &result->tally[i], result->seconds);
    }
    return fflush(to) == 0 && !ferror(to);
}

bool report_result(struct report *report, const struct engine_load *load,
                   const struct engine_result *result)
{
    struct tally all = {0};
    for (uint32_t i = 0; i < load->scenario->n_names; i++)
        tally_merge(&all, &result->tally[i]);
    if (report->progress)
        fputs("\r\033[K", report->progress);
    bool is_good = report->is_json ? print_result_json(report->to, &all, load, result)
                                   : print_result_text(report->to, &all, load, result);
    tally_release(&all);
    return is_good;
}

bool report_count(FILE *to, const struct scenario *scenario, bool is_json)
{
    const struct scenario_node *root = scenario_root(scenario);
    if (is_json)
        fprintf(to, "{\"least\":%" PRIu64 ",\"most\":%" PRIu64 ",\"mean\":%.17g}\n", root->least,
                root->most, root->mean);
    else if (root->least == root->most)
        fprintf(to, "%" PRIu64 "\n", root->most);
    else
        fprintf(to, "%" PRIu64 " to %" PRIu64 ", %.17g on average\n", root->least, root->most,
                root->mean);
    return fflush(to) == 0 && !ferror(to);
}
