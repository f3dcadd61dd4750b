/* What values of nodes with 50 series cost in the archives of others, by their own libraries:
 *
 *   archives rrdtool DIRECTORY NODES STEPS
 *   archives pcp DIRECTORY NODES STEPS
 *
 * rrdtool: a file for each series, as collectd's plugin rrdtool makes it by default (three
 * consolidations of five spans, of 1,200 rows), and one value at a time. pcp: an archive for each
 * node, as pmlogger of Performance Co-Pilot has it, with one record for each step.
 *
 * Prints the nanoseconds of CPU time for each value.
 * The values are those of tests/week/world.h; they are made before the time is taken, as texts if
 * that is what a library takes. */
#include <pcp/pmapi.h>
#include <pcp/import.h>
#include <rrd.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/rounds.h"
#include "tests/week/world.h"

#define METRICS 5
#define INSTANCES (WORLD_SERIES / METRICS)
#define STEP_S (WORLD_STEP_MS / 1000)
#define START_S (WORLD_START_MS / 1000)
#define PATH_SIZE 512

struct run {
    const char *directory;
    size_t nodes, steps;
    struct world_series *series;
    double (*values)[WORLD_SERIES]; /* of a step, of each node */
    uint64_t ns;
};

/* In a gap, the value is the one before: other archives would have no value then, which costs them
 * nothing. */
static void measure(struct run *run, size_t step)
{
    for (size_t n = 0; n < run->nodes; n++)
        for (size_t s = 0; s < WORLD_SERIES; s++) {
            struct result result;
            if (world_step(&run->series[n * WORLD_SERIES + s], step, true, &result) &&
                result.state == RESULT_VALID)
                run->values[n][s] = result.value;
        }
}

/* -- RRDtool --------------------------------------------------------------------------------- */

static void rrd_path(const struct run *run, size_t node, size_t series, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%zu-%zu.rrd", run->directory, node, series);
}

/* Spans and rows are the defaults of collectd.conf(5): RRATimespan, RRARows and XFF. */
static void make_rrd(const char *path)
{
    static const char *const kinds[] = {"AVERAGE", "MIN", "MAX"};
    static const unsigned spans_s[] = {3600, 86400, 604800, 2678400, 31622400};
    char texts[16][64];
    const char *arguments[16];
    int n = 0;
    snprintf(texts[n++], 64, "DS:value:GAUGE:%lld:U:U", 2 * (long long)STEP_S);
    for (size_t i = 0; i < sizeof spans_s / sizeof *spans_s; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            unsigned points = spans_s[i] / (1200 * (unsigned)STEP_S);
            points = points ? points : 1;
            snprintf(texts[n++], 64, "RRA:%s:0.1:%u:%u", kinds[k], points,
                     (spans_s[i] + points * (unsigned)STEP_S - 1) / (points * (unsigned)STEP_S));
        }
    for (int i = 0; i < n; i++)
        arguments[i] = texts[i];
    if (rrd_create_r(path, STEP_S, START_S - 1, n, arguments) != 0)
        fail(rrd_get_error());
}

static void update_rrds(struct run *run, size_t step)
{
    char path[PATH_SIZE], text[64];
    const char *arguments[] = {text};
    for (size_t n = 0; n < run->nodes; n++)
        for (size_t s = 0; s < WORLD_SERIES; s++) {
            rrd_path(run, n, s, path);
            snprintf(text, sizeof text, "%lld:%.15g", (long long)(START_S + (int64_t)step * STEP_S),
                     run->values[n][s]);
            if (rrd_update_r(path, NULL, 1, arguments) != 0)
                fail(rrd_get_error());
        }
}

static void run_rrdtool(struct run *run)
{
    for (size_t n = 0; n < run->nodes; n++)
        for (size_t s = 0; s < WORLD_SERIES; s++) {
            char path[PATH_SIZE];
            rrd_path(run, n, s, path);
            make_rrd(path);
        }
    for (size_t step = 0; step < run->steps; step++) {
        measure(run, step);
        uint64_t before = cpu_ns();
        update_rrds(run, step);
        run->ns += cpu_ns() - before;
    }
}

/* -- Performance Co-Pilot -------------------------------------------------------------------- */

static void check(int code)
{
    if (code < 0)
        fail(pmiErrStr(code));
}

static void begin_archive(const struct run *run, size_t node, int *context)
{
    char path[PATH_SIZE], name[32];
    snprintf(path, sizeof path, "%s/%zu", run->directory, node);
    *context = pmiStart(path, 0);
    check(*context);
    check(pmiSetHostname("node"));
    check(pmiSetTimezone("UTC"));
    for (int m = 0; m < METRICS; m++) {
        snprintf(name, sizeof name, "bench.m%d", m);
        check(pmiAddMetric(name, pmiID(60, 0, m), PM_TYPE_DOUBLE, pmiInDom(60, 0), PM_SEM_INSTANT,
                           pmiUnits(0, 0, 0, 0, 0, 0)));
    }
    for (int i = 0; i < INSTANCES; i++) {
        snprintf(name, sizeof name, "i%d", i);
        check(pmiAddInstance(pmiInDom(60, 0), name, i));
    }
}

/* A record: all values of a node at a moment. */
struct record {
    pmResult *result;
    double *at[WORLD_SERIES]; /* where each value goes; not aligned */
};

static struct record make_record(void)
{
    struct record record = {allocate(1, sizeof *record.result + METRICS * sizeof(pmValueSet *)),
                            {0}};
    record.result->numpmid = METRICS;
    for (int m = 0; m < METRICS; m++) {
        pmValueSet *set = allocate(1, sizeof *set + INSTANCES * sizeof(pmValue));
        *set = (pmValueSet){.pmid = pmiID(60, 0, m), .numval = INSTANCES, .valfmt = PM_VAL_DPTR};
        for (int i = 0; i < INSTANCES; i++) {
            pmValueBlock *block = allocate(1, PM_VAL_HDR_SIZE + sizeof(double));
            block->vtype = PM_TYPE_DOUBLE;
            block->vlen = PM_VAL_HDR_SIZE + sizeof(double);
            set->vlist[i].inst = i;
            set->vlist[i].value.pval = block;
            record.at[i * METRICS + m] = (double *)block->vbuf;
        }
        record.result->vset[m] = set;
    }
    return record;
}

static void release_record(struct record *record)
{
    for (int m = 0; m < METRICS; m++) {
        for (int i = 0; i < INSTANCES; i++)
            free(record->result->vset[m]->vlist[i].value.pval);
        free(record->result->vset[m]);
    }
    free(record->result);
}

static void write_records(struct run *run, struct record *record, const int *contexts, size_t step)
{
    for (size_t n = 0; n < run->nodes; n++) {
        check(pmiUseContext(contexts[n]));
        for (size_t s = 0; s < WORLD_SERIES; s++)
            memcpy(record->at[s], &run->values[n][s], sizeof(double));
        record->result->timestamp.tv_sec = START_S + (int64_t)step * STEP_S;
        check(pmiPutResult(record->result));
    }
}

static void run_pcp(struct run *run)
{
    struct record record = make_record();
    int *contexts = allocate(run->nodes, sizeof *contexts);
    for (size_t n = 0; n < run->nodes; n++)
        begin_archive(run, n, &contexts[n]);
    for (size_t step = 0; step < run->steps; step++) {
        measure(run, step);
        uint64_t before = cpu_ns();
        write_records(run, &record, contexts, step);
        run->ns += cpu_ns() - before;
    }
    for (size_t n = 0; n < run->nodes; n++) {
        check(pmiUseContext(contexts[n]));
        check(pmiEnd());
    }
    free(contexts);
    release_record(&record);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        fail("usage: archives rrdtool|pcp DIRECTORY NODES STEPS");
    struct run run = {
        .directory = argv[2], .nodes = number_of(argv[3]), .steps = number_of(argv[4])};
    run.series = allocate(run.nodes * WORLD_SERIES, sizeof *run.series);
    run.values = allocate(run.nodes, sizeof *run.values);
    for (size_t i = 0; i < run.nodes * WORLD_SERIES; i++)
        run.series[i] = world_series(i / WORLD_SERIES, i % WORLD_SERIES);
    if (strcmp(argv[1], "rrdtool") == 0)
        run_rrdtool(&run);
    else
        run_pcp(&run);
    printf("%.1f\n", (double)run.ns / (double)(run.nodes * run.steps * WORLD_SERIES));
    free(run.values);
    free(run.series);
    return 0;
}
