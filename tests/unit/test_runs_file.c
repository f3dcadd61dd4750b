/* The file of a run: what went in comes out; files that are none, are cut or have other octets in
 * them are refused or read, and harm nobody. */
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runs/file.h"
#include "tests/unit/made_run.h"
#include "unit.h"

struct world {
    char path[64];
    char error[RUN_ERROR_SIZE];
};

static int setup(void **state)
{
    static struct world world;
    world = (struct world){.path = "/tmp/dcamp-runs-file.XXXXXX"};
    close(mkstemp(world.path));
    unlink(world.path);
    *state = &world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;
    unlink(world->path);
    return 0;
}

static const struct run_series level = {.node = "n1",
                                        .sensor = "level",
                                        .instance = "a'b\"; DROP TABLE run",
                                        .metric = "mem.free",
                                        .unit = "B"};

static struct run_file *start(struct world *world)
{
    struct run run = {.start_ms = MADE_START_MS, .n_tags = 1, .tags = {{"build", "4'1"}}};
    strcpy(run.name, "first");
    struct run_file *file = run_file_create(world->path, &run, "/history", world->error);
    assert_non_null(file);
    return file;
}

static void write_points(struct run_file *file, int64_t id)
{
    struct point points[3] = {{MADE_START_MS, {RESULT_VALID, 0.1}},
                              {MADE_START_MS + 1000, {RESULT_GAP, 0}},
                              {MADE_START_MS + 2000, {RESULT_VALID, 1e300}}};
    run_file_add_points(file, id, points, 3);
}

static void write_minute(struct run_file *file, int64_t id)
{
    struct statistics_window window = {.count = 0};
    for (int i = 1; i <= 100; i++)
        assert_int_equal(statistics_window_add(&window, i), 0);
    run_file_add_minute(file, id, MADE_START_MS, &window);
    statistics_window_release(&window);
}

static void write_all(struct world *world)
{
    const struct run_node node = {.path = "n1", .name = "n1", .last_ms = MADE_START_MS + 60000};
    const struct run_file_record record = {MADE_START_MS * 1000000, 2500000, 7, -1, 100, -1};
    struct run_file *file = start(world);
    assert_true(run_file_stop(file, MADE_START_MS + 60000, world->error));
    run_file_begin(file);
    run_file_add_node(file, &node);
    int64_t id = run_file_add_series(file, &level);
    write_points(file, id);
    write_minute(file, id);
    assert_int_equal(run_file_add_series(file, &level), id);
    run_file_add_record(file, id, &record);
    assert_true(run_file_commit(file, RUN_STOPPED, world->error));
    run_file_close(file);
}

static bool read_all(struct world *world, struct run *run)
{
    *run = (struct run){0};
    struct run_file *file = run_file_open(world->path, false, world->error);
    bool good = file && run_file_read(file, true, run, NULL, world->error);
    run_file_close(file);
    return good;
}

static void what_went_in_comes_out(void **state)
{
    struct world *world = *state;
    struct run run;
    write_all(world);
    assert_true(read_all(world, &run));
    assert_string_equal(run.name, "first");
    assert_int_equal(run.state, RUN_STOPPED);
    assert_int_equal(run.stop_ms - run.start_ms, 60000);
    assert_int_equal(run.n_tags, 1);
    assert_string_equal(run.tags[0].value, "4'1");
    assert_int_equal(run.n_series, 1);
    const struct run_series *series = &run.series[0];
    assert_string_equal(series->instance, level.instance);
    assert_int_equal(series->n_points, 2);
    assert_int_equal(series->n_gaps, 1);
    assert_true(series->points[0].value == 0.1 && series->points[1].value == 1e300);
    assert_int_equal(series->n_minutes, 1);
    assert_int_equal(series->minutes[0].window.histogram.count, 100);
    assert_true(series->minutes[0].window.mean == 50.5);
    assert_int_equal(series->n_records, 1);
    assert_true(series->records[0].seconds == 0.0025 && series->records[0].result == -1);
    assert_true(series->records[0].cpu_ns == 100 && series->records[0].allocated == -1);
    run_release(&run);
}

/* Windows that were put together have a mean that may be beyond their values, by rounding. */
static void a_mean_beyond_its_values_by_rounding(void **state)
{
    struct world *world = *state;
    struct statistics_window window = {.count = 0};
    struct run run;
    struct run_file *file = start(world);
    assert_true(run_file_stop(file, MADE_START_MS + 120000, world->error));
    run_file_begin(file);
    for (int i = 0; i < 3; i++)
        assert_int_equal(statistics_window_add(&window, 0.1), 0);
    int64_t id = run_file_add_series(file, &level);
    window.mean = nextafter(0.1, 1);
    run_file_add_minute(file, id, MADE_START_MS, &window);
    window.mean = nextafter(0.1, 0);
    run_file_add_minute(file, id, MADE_START_MS + 60000, &window);
    statistics_window_release(&window);
    assert_true(run_file_commit(file, RUN_STOPPED, world->error));
    run_file_close(file);
    assert_true(read_all(world, &run));
    assert_int_equal(run.series[0].n_minutes, 2);
    for (int i = 0; i < 2; i++)
        assert_true(run.series[0].minutes[i].window.mean == 0.1);
    run_release(&run);
}

static void a_run_of_that_name_is_not_touched(void **state)
{
    struct world *world = *state;
    struct run run = {.start_ms = 1};
    strcpy(run.name, "second");
    write_all(world);
    assert_null(run_file_create(world->path, &run, "/", world->error));
    assert_non_null(strstr(world->error, "there is a run of that name"));
    assert_true(read_all(world, &run));
    assert_string_equal(run.name, "first");
    run_release(&run);
}

/* Whatever ends a stop: the next one begins the copy anew, with the same end. */
static void a_stop_that_was_interrupted(void **state)
{
    struct world *world = *state;
    struct run run;
    char *directory;
    struct run_file *file = start(world);
    assert_true(run_file_stop(file, MADE_START_MS + 5000, world->error));
    run_file_begin(file);
    run_file_add_series(file, &level);
    run_file_close(file);
    file = run_file_open(world->path, true, world->error);
    assert_true(run_file_read(file, true, &run, &directory, world->error));
    assert_int_equal(run.state, RUN_STOPPING);
    assert_int_equal(run.stop_ms, MADE_START_MS + 5000);
    assert_int_equal(run.n_series, 0);
    assert_string_equal(directory, "/history");
    assert_false(run_is_whole(&run));
    free(directory);
    run_release(&run);
    run_file_close(file);
}

static void write_octets(const char *path, const void *octets, size_t len)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(octets, 1, len, file), len);
    fclose(file);
}

static void files_that_are_none(void **state)
{
    struct world *world = *state;
    struct run run;
    assert_false(read_all(world, &run));
    assert_non_null(strstr(world->error, "No such file"));
    write_octets(world->path, "", 0);
    assert_false(read_all(world, &run));
    assert_non_null(strstr(world->error, "no file of a run"));
    write_octets(world->path, "This is no database, but it is long enough to look like one.", 60);
    assert_false(read_all(world, &run));
    assert_non_null(strstr(world->error, "no file of a run"));
    run_release(&run);
}

static size_t slurp(const char *path, uint8_t **octets)
{
    struct stat status;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && fstat(fd, &status) == 0);
    *octets = malloc((size_t)status.st_size);
    assert_int_equal(read(fd, *octets, (size_t)status.st_size), status.st_size);
    close(fd);
    return (size_t)status.st_size;
}

/* A file that somebody has mailed: one octet or several are others, or its end is missing. What is
 * read of it is finite, whatever it is. */
static void any_octets(void **state)
{
    struct world *world = *state;
    uint8_t *octets;
    uint64_t seed = 1;
    write_all(world);
    size_t len = slurp(world->path, &octets);
    for (int i = 0; i < CASES(1000); i++) {
        struct run run;
        uint8_t *copy = malloc(len);
        memcpy(copy, octets, len);
        for (int changes = i % 5; changes >= 0; changes--)
            copy[(size_t)(made_uniform(&seed) * (double)len)] =
                (uint8_t)(made_uniform(&seed) * 256);
        write_octets(world->path, copy, i % 7 ? len : (size_t)(made_uniform(&seed) * (double)len));
        if (!read_all(world, &run))
            assert_true(strlen(world->error) > 0);
        run_release(&run);
        free(copy);
    }
    free(octets);
}

/* What somebody has made of a good file by SQL is refused, and soon. */
static void hostile_ones(void **state)
{
    static const char *const changes[] = {
        "UPDATE run SET start = -9223372036854775807 - 1",
        "UPDATE run SET stop = 9223372036854775807",
        "UPDATE node SET last = -9223372036854775807 - 1",
        "UPDATE minute SET count = -1",
        "UPDATE minute SET start = 9223372036854775807",
        "UPDATE minute SET m2 = -1",
        "UPDATE record SET start = -9223372036854775807 - 1",
        "UPDATE record SET duration = -1",
        "DELETE FROM series",
        "ALTER TABLE tag RENAME TO other; CREATE VIEW tag AS WITH RECURSIVE n(i) AS"
        " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'a' AS key, max(i) AS value FROM n",
        "ALTER TABLE tag RENAME TO other; CREATE VIEW tag AS SELECT * FROM other"};
    struct world *world = *state;
    for (size_t i = 0; i < N_OF(changes); i++) {
        struct run run;
        sqlite3 *db;
        write_all(world);
        assert_true(read_all(world, &run));
        run_release(&run);
        assert_int_equal(sqlite3_open(world->path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, changes[i], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        assert_false(read_all(world, &run));
        if (!strstr(world->error, "the file is broken"))
            fail_msg("%s: %s", changes[i], world->error);
        run_release(&run);
        unlink(world->path);
    }
}

/* The history tells all executions once more, where one of its files has changed meanwhile. */
static void executions_that_come_once_more(void **state)
{
    struct world *world = *state;
    const struct run_file_record record = {.start_ns = 1000, .duration_ns = 5, .cpu_ns = -1};
    struct run run;
    struct run_file *file = start(world);
    assert_true(run_file_stop(file, MADE_START_MS + 5000, world->error));
    run_file_begin(file);
    for (int i = 0; i < 3; i++)
        run_file_add_record(file, run_file_add_series(file, &level), &record);
    run_file_forget_records(file);
    run_file_add_record(file, run_file_add_series(file, &level), &record);
    assert_true(run_file_commit(file, RUN_STOPPED, world->error));
    run_file_close(file);
    assert_true(read_all(world, &run));
    assert_int_equal(run.n_series, 1);
    assert_int_equal(run.series[0].n_records, 1);
    run_release(&run);
}

static void names(void **state)
{
    (void)state;
    assert_true(run_is_name("b-41_2.x"));
    assert_false(run_is_name(""));
    assert_false(run_is_name(".."));
    assert_false(run_is_name("-x"));
    assert_false(run_is_name("a/b"));
    assert_false(run_is_name("a b"));
    assert_false(run_is_name("12345678901234567890123456789012345678901234567890123456789012345"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_went_in_comes_out),
        TEST(a_mean_beyond_its_values_by_rounding),
        TEST(a_run_of_that_name_is_not_touched),
        TEST(a_stop_that_was_interrupted),
        TEST(files_that_are_none),
        TEST(any_octets),
        TEST(hostile_ones),
        TEST(executions_that_come_once_more),
        TEST(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
