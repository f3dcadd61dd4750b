#include "tests/week/asker.h"

#include <sqlite3.h>
#include <string.h>

#include "publish/curve.h"
#include "publish/history.h"
#include "tests/bench/rounds.h"
#include "tests/week/world.h"

#define QUESTIONS 51
#define MANY 1000 /* series */
#define MANY_QUESTIONS 5

struct asking {
    const char *directory;
    size_t nodes;
    int64_t from_ms, to_ms;
    size_t n; /* answers */
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static struct history *open_history(const struct asking *asking)
{
    int error;
    struct history *history = history_open(asking->directory, &error);
    if (!history)
        fail(strerror(error));
    return history;
}

static void take_point(void *context, const struct point *point)
{
    struct asking *asking = context;
    (void)point;
    asking->n++;
}

/* A day of a series, with all values as they were told: the files are opened for each question. */
static void ask_day(struct asking *asking, size_t question)
{
    char path[24];
    uint64_t hash = world_hash(8, question, 0);
    struct world_words words = world_words((hash >> 32) % WORLD_SERIES);
    world_node_name(hash % asking->nodes, path);
    struct history *history = open_history(asking);
    const struct history_question day = {
        path, words.sensor, words.instance, asking->from_ms, asking->to_ms, false};
    if (history_points(history, &day, take_point, asking) != 0)
        fail(history_fault(history));
    history_close(history);
}

/* A day of many series, minute by minute, as a page draws each of them. */
static void ask_minutes(struct asking *asking, size_t question)
{
    struct history *history = open_history(asking);
    for (size_t i = 0; i < MANY; i++) {
        char path[24];
        const char *paths[] = {path};
        struct world_words words = world_words((question + i) / asking->nodes % WORLD_SERIES);
        struct curve curve;
        world_node_name((question + i) % asking->nodes, path);
        const struct curve_question of = {.paths = paths,
                                          .n_paths = 1,
                                          .sensor = words.sensor,
                                          .instance = words.instance,
                                          .from_ms = asking->from_ms,
                                          .to_ms = asking->to_ms,
                                          .step_ms = MINUTE_MS,
                                          .tier = CURVE_MINUTES};
        if (curve_read(history, &of, &curve) != 0)
            fail(history_fault(history));
        asking->n += curve.n_values;
        curve_release(&curve);
    }
    history_close(history);
}

static void ask(struct asking *asking, const char *name,
                void (*question)(struct asking *asking, size_t question), size_t times)
{
    double took[QUESTIONS];
    asking->n = 0;
    for (size_t i = 0; i < times; i++) {
        double before = now_ms();
        question(asking, i);
        took[i] = now_ms() - before;
    }
    qsort(took, times, sizeof *took, compare_rounds);
    printf("%s %.2f %.2f %zu\n", name, took[times / 2], took[times - 1], asking->n / times);
}

/* -- Sizes ----------------------------------------------------------------------------------- */

struct sizes {
    const char *directory;
    uint64_t raw, minute, hour, inbox, rest;
};

static void add_table(struct sizes *sizes, const char *name, uint64_t octets)
{
    if (strstr(name, "raw_"))
        sizes->raw += octets;
    else if (strstr(name, "minute"))
        sizes->minute += octets;
    else if (strstr(name, "hour"))
        sizes->hour += octets;
    else if (strstr(name, "inbox"))
        sizes->inbox += octets;
    else
        sizes->rest += octets;
}

/* A database_file_fn. */
static void add_file(void *context, const char *name, int64_t end_ms)
{
    struct sizes *sizes = context;
    char path[DATABASE_PATH_SIZE];
    sqlite3 *db;
    sqlite3_stmt *select = NULL;
    bool is_frozen;
    struct database_stamp stamp;
    (void)end_ms;
    snprintf(path, sizeof path, "%s/%s", sizes->directory, name);
    /* Reads as readers do, so that no log is left, which would make the next questions slower. */
    if (database_read(path, &db, &is_frozen, &stamp) != SQLITE_OK ||
        sqlite3_prepare_v2(db, "SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE", -1,
                           &select, NULL) != SQLITE_OK)
        fail(sqlite3_errmsg(db));
    while (sqlite3_step(select) == SQLITE_ROW)
        add_table(sizes, (const char *)sqlite3_column_text(select, 0),
                  (uint64_t)sqlite3_column_int64(select, 1));
    sqlite3_finalize(select);
    sqlite3_close(db);
}

void asker_run(const char *directory, size_t nodes, size_t steps)
{
    int64_t end_ms = WORLD_START_MS + (int64_t)steps * WORLD_STEP_MS;
    struct asking asking = {directory, nodes, end_ms - DAY_MS, end_ms, 0};
    struct sizes sizes = {.directory = directory};
    ask(&asking, "day_ms", ask_day, QUESTIONS);
    ask(&asking, "minutes_ms", ask_minutes, MANY_QUESTIONS);
    database_each_file(directory, add_file, &sizes);
    printf("raw %llu\nminute %llu\nhour %llu\ninbox %llu\nrest %llu\n",
           (unsigned long long)sizes.raw, (unsigned long long)sizes.minute,
           (unsigned long long)sizes.hour, (unsigned long long)sizes.inbox,
           (unsigned long long)sizes.rest);
}
