/* What the history costs that publish/chronicle.h keeps, and a row for each value in SQLite.
 *
 *   storing NODES HOURS [COMMIT [WAY...]]
 *
 * Blocks of nodes with 50 series, a value of each every ten seconds, are made first. Then they are
 * stored in a directory of /tmp, by a simulated clock, with a commit each COMMIT seconds (10, or a
 * multiple of them), once in each of these ways, or in those that are named. For each way a
 * line is printed: its name, nanoseconds of CPU time and octets on the disk for each value.
 * The first blocks, in which each series gets its name, are not in the time for a value.
 *
 *   rows      SQLite: INSERT of series, time and value into a table WITHOUT ROWID
 *   raw       the history, raw values only
 *   minutes   and minutes
 *   all       and hours
 *
 * Below the lines of the history, the octets for each value are printed by table. */
#include <ftw.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "publish/chronicle.h"
#include "publish/database.h"
#include "report/report.h"
#include "rounds.h"

#define SERIES 50
#define STEP_MS INT64_C(10000)
#define START_MS INT64_C(1795730400000) /* 2026-11-26 22:00:00 UTC */

struct series {
    double level;
};

struct node {
    struct report_ring ring;
    const struct report_block **blocks; /* in their order */
    uint32_t told;
    struct series series[SERIES];
    struct sink_stream stream;
    char name[32];
};

struct run {
    struct node *nodes;
    size_t n_nodes, n_steps;
    size_t steps_per_commit;
    uint64_t seed, values;
    char directory[64];
};

/* xorshift64*, S. Vigna: An experimental exploration of Marsaglia's xorshift generators. */
static uint64_t random_number(struct run *run)
{
    run->seed ^= run->seed >> 12;
    run->seed ^= run->seed << 25;
    run->seed ^= run->seed >> 27;
    return run->seed * UINT64_C(2685821657736338717);
}

static double uniform(struct run *run)
{
    return (double)(random_number(run) >> 11) * 0x1p-53;
}

/* As sensors of a computer have them: percentages of jiffies, rates by a clock of nanoseconds,
 * levels in pages, loads in hundredths, small counts. */
static double next_value(struct run *run, struct series *series, size_t kind)
{
    double wander = uniform(run) - 0.5;
    switch (kind % 5) {
    case 0:
        series->level = fmin(fmax(series->level + 40 * wander, 0), 900);
        return 100.0 * floor(series->level) / (999 + floor(3 * uniform(run)));
    case 1:
        series->level = fmax(series->level + 20000 * wander, 0);
        return floor(series->level) / (10.0 + floor(2e6 * uniform(run)) / 1e9);
    case 2:
        series->level = fmax(series->level + 200 * wander, 0);
        return 4096 * (100000 + floor(series->level));
    case 3:
        series->level = fmax(series->level + 0.2 * wander, 0);
        return floor(100 * series->level) / 100;
    default:
        series->level = fmax(series->level + 2 * wander, 0);
        return floor(series->level);
    }
}

static void make_blocks(struct run *run)
{
    for (size_t n = 0; n < run->n_nodes; n++) {
        struct node *node = &run->nodes[n];
        snprintf(node->name, sizeof node->name, "node%zu", n);
        node->stream = (struct sink_stream){1, node->name, node->name, "", NULL, 0};
        if (report_open(&node->ring, 1, 1000000, 1200) != 0)
            fail("no memory");
        for (size_t i = 0; i < run->n_steps; i++) {
            int64_t wall_ms = START_MS + (int64_t)i * STEP_MS + (int64_t)(3 * uniform(run));
            for (size_t s = 0; s < SERIES; s++) {
                struct result result = {RESULT_VALID, next_value(run, &node->series[s], s)};
                if (report_add(&node->ring, (uint32_t)s + 1, wall_ms, &result) != 0)
                    fail("no memory");
                run->values++;
            }
            if (report_flush(&node->ring) != 0)
                fail("no memory");
        }
        node->blocks = allocate(node->ring.last, sizeof *node->blocks);
        for (uint32_t next = 1; next <= node->ring.last; next++)
            node->blocks[next - 1] =
                (const struct report_block *)index_find(&node->ring.index, &next, 1);
    }
}

/* -- Where it is stored ----------------------------------------------------------------------- */

static uint64_t octets;

static int remove_one(const char *path, const struct stat *file, int type, struct FTW *where)
{
    (void)file;
    (void)type;
    (void)where;
    return remove(path);
}

static int count_one(const char *path, const struct stat *file, int type, struct FTW *where)
{
    (void)path;
    (void)where;
    if (type == FTW_F)
        octets += (uint64_t)file->st_size;
    return 0;
}

static void begin(struct run *run)
{
    snprintf(run->directory, sizeof run->directory, "/tmp/dcamp-storing.XXXXXX");
    if (!mkdtemp(run->directory))
        fail("/tmp: no directory can be made");
    for (size_t n = 0; n < run->n_nodes; n++)
        run->nodes[n].told = 0;
}

/* ns is the time that so many of the values took. */
static void end(struct run *run, const char *name, uint64_t ns, uint64_t timed)
{
    octets = 0;
    nftw(run->directory, count_one, 8, FTW_PHYS);
    printf("%s %.1f ns %.2f octets\n", name, (double)ns / (double)timed,
           (double)octets / (double)run->values);
    nftw(run->directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* -- The history ------------------------------------------------------------------------------ */

static const struct sink_words *words_of(const void *context, uint32_t number)
{
    static struct sink_words words;
    static char sensor[16];
    (void)context;
    snprintf(sensor, sizeof sensor, "sensor%u", number);
    words = (struct sink_words){sensor, "total", "cpu.busy", "%", ""};
    return &words;
}

/* The blocks of a step, of all nodes. */
static void tell(struct run *run, struct chronicle *chronicle, int64_t now_ms)
{
    for (size_t n = 0; n < run->n_nodes; n++) {
        struct node *node = &run->nodes[n];
        for (uint32_t next = node->told + 1; next <= node->ring.last; next++) {
            const struct report_block *made = node->blocks[next - 1];
            if (made->wall_ms > now_ms)
                break;
            const struct sink_block block = {.stream = &node->stream,
                                             .number = next,
                                             .octets = made->bytes,
                                             .len = made->len,
                                             .words = words_of};
            if (chronicle_block(chronicle, &block, now_ms) != 0)
                fail(chronicle_error(chronicle));
            node->told = next;
        }
    }
    if (chronicle_commit(chronicle, now_ms) != 0)
        fail(chronicle_error(chronicle));
}

static void work(struct chronicle *chronicle, int64_t now_ms, bool all)
{
    for (bool more = true; more;)
        if (chronicle_step(chronicle, now_ms, all, &more) != 0)
            fail(chronicle_error(chronicle));
}

static void print_tables(const struct run *run)
{
    char path[128];
    sqlite3 *db;
    sqlite3_stmt *select = NULL;
    snprintf(path, sizeof path, "%s/history-2026-11.db", run->directory);
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
        sqlite3_prepare_v2(
            db, "SELECT name, sum(pgsize), sum(unused) FROM dbstat GROUP BY name ORDER BY 2 DESC",
            -1, &select, NULL);
    while (select && sqlite3_step(select) == SQLITE_ROW && sqlite3_column_int64(select, 1) > 9000)
        printf("  %s %.2f octets, %.2f of them unused\n", sqlite3_column_text(select, 0),
               (double)sqlite3_column_int64(select, 1) / (double)run->values,
               (double)sqlite3_column_int64(select, 2) / (double)run->values);
    sqlite3_finalize(select);
    sqlite3_close(db);
}

static void store(struct run *run, const char *name, int64_t minute_ms, int64_t hour_ms)
{
    char error[CHRONICLE_ERROR_SIZE];
    begin(run);
    const struct chronicle_settings settings = {.directory = run->directory,
                                                .raw_ms = 2 * DAY_MS,
                                                .minute_ms = minute_ms,
                                                .hour_ms = hour_ms,
                                                .inbox_octets = CHRONICLE_INBOX_OCTETS,
                                                .inbox_ms = CHRONICLE_INBOX_MS};
    struct chronicle *chronicle = chronicle_open(&settings, START_MS, error);
    if (!chronicle)
        fail(error);
    uint64_t begun = cpu_ns();
    int64_t now_ms = START_MS;
    tell(run, chronicle, now_ms + 5);
    uint64_t named = cpu_ns();
    for (size_t i = 1; i < run->n_steps; i++) {
        now_ms += STEP_MS;
        if (i % run->steps_per_commit != 0)
            continue;
        tell(run, chronicle, now_ms + 5);
        work(chronicle, now_ms, false);
    }
    tell(run, chronicle, now_ms + STEP_MS);
    work(chronicle, now_ms + STEP_MS, true);
    chronicle_close(chronicle);
    uint64_t ns = cpu_ns() - named;
    uint64_t first = run->n_nodes * SERIES;
    print_tables(run);
    printf("  a series %.2f us, once\n", (double)(named - begun) / 1e3 / (double)first);
    end(run, name, ns, run->values - first);
}

/* -- A row for each value ---------------------------------------------------------------------- */

struct rows {
    sqlite3 *db;
    sqlite3_stmt *insert;
    int64_t node;
};

static int insert_row(void *context, const struct report_entry *entry)
{
    struct rows *rows = context;
    sqlite3_bind_int64(rows->insert, 1, rows->node * SERIES + entry->series);
    sqlite3_bind_int64(rows->insert, 2, entry->wall_ms);
    sqlite3_bind_double(rows->insert, 3, entry->result.value);
    int code = sqlite3_step(rows->insert);
    sqlite3_reset(rows->insert);
    if (code != SQLITE_DONE)
        fail(sqlite3_errmsg(rows->db));
    return 0;
}

static void store_rows(struct run *run)
{
    struct rows rows = {0};
    char path[128];
    const char *why;
    begin(run);
    snprintf(path, sizeof path, "%s/rows.db", run->directory);
    if (sqlite3_open(path, &rows.db) != SQLITE_OK ||
        sqlite3_exec(rows.db,
                     "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                     "PRAGMA cache_size=-32768; CREATE TABLE value(series INTEGER, time INTEGER,"
                     " value REAL, PRIMARY KEY(series, time)) WITHOUT ROWID",
                     NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(rows.db, "INSERT INTO value VALUES(?, ?, ?)", -1, &rows.insert, NULL))
        fail("SQLite");
    uint64_t before = cpu_ns();
    for (uint32_t step = 1; step <= run->n_steps; step++) {
        if (step % run->steps_per_commit == 1 % run->steps_per_commit)
            sqlite3_exec(rows.db, "BEGIN", NULL, NULL, NULL);
        for (size_t n = 0; n < run->n_nodes; n++) {
            struct report_header header;
            const struct report_block *made = run->nodes[n].blocks[step - 1];
            rows.node = (int64_t)n;
            report_decode(made->bytes, made->len, &header, insert_row, &rows, &why);
        }
        if (step % run->steps_per_commit == 0)
            sqlite3_exec(rows.db, "COMMIT", NULL, NULL, NULL);
    }
    sqlite3_finalize(rows.insert);
    sqlite3_close(rows.db);
    end(run, "rows", cpu_ns() - before, run->values);
}

/* The ways are behind COMMIT; none there means all. */
static bool is_wanted(const char *way, char **behind)
{
    if (!behind[0] || !behind[1])
        return true;
    while (*++behind)
        if (strcmp(*behind, way) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        fail("usage: NODES HOURS [COMMIT [WAY...]]");
    struct run run = {.n_nodes = number_of(argv[1]),
                      .n_steps = number_of(argv[2]) * HOUR_MS / STEP_MS,
                      .steps_per_commit = argc > 3 ? (number_of(argv[3]) + 9) / 10 : 1,
                      .seed = 88172645463325252};
    /* As publish/sink_sqlite.c and publish/database.c do for themselves; the rows have it, too. */
    memory_keep();
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    run.nodes = allocate(run.n_nodes, sizeof *run.nodes);
    make_blocks(&run);
    if (is_wanted("rows", argv + 3))
        store_rows(&run);
    if (is_wanted("raw", argv + 3))
        store(&run, "raw", 0, 0);
    if (is_wanted("minutes", argv + 3))
        store(&run, "minutes", 60 * DAY_MS, 0);
    if (is_wanted("all", argv + 3))
        store(&run, "all", 60 * DAY_MS, 730 * DAY_MS);
    for (size_t n = 0; n < run.n_nodes; n++) {
        report_close(&run.nodes[n].ring);
        free(run.nodes[n].blocks);
    }
    free(run.nodes);
    return 0;
}
