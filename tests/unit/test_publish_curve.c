/* Curves: what went into a history comes out of it, as it is, and in steps that a recomputation
 * from the values agrees with. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "publish/curve.h"
#include "publish/history.h"
#include "tests/unit/scribe.h"
#include "remove_all.h"
#include "unit.h"

#define START_MS INT64_C(1795730400000) /* 2026-11-26 22:00:00 UTC */
#define SECOND_MS INT64_C(1000)
#define NOBODY 65534

struct world {
    char directory[64];
    struct scribe *scribe;
    struct history *history;
};

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    strcpy(world->directory, "/tmp/dcamp-curve.XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    world->scribe = scribe_open(world->directory, START_MS);
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;
    history_close(world->history);
    scribe_close(world->scribe);
    remove_all(world->directory);
    free(world);
    return 0;
}

static double value_of(int node, int i)
{
    return node * 1000 + (i % 2 ? i / 3.0 : i * 0.25);
}

static const char *const paths[] = {"node1", "node2", "collector1/node3"};

/* So many values of a sensor of each node, one a second; nothing from gap on for ten minutes. */
static void write_values(struct world *world, size_t nodes, int n, int gap)
{
    for (size_t node = 0; node < nodes; node++)
        for (int i = 0; i < n; i++) {
            const struct scribe_words words = {paths[node], "a", "total", "cpu.busy", "%"};
            if (i < gap || i >= gap + 600)
                scribe_value(world->scribe, &words, START_MS + i * SECOND_MS,
                             value_of((int)node, i));
        }
}

static struct curve_question question_of(size_t nodes, int seconds)
{
    return (struct curve_question){.paths = paths,
                                   .n_paths = nodes,
                                   .sensor = "a",
                                   .instance = "total",
                                   .from_ms = START_MS,
                                   .to_ms = START_MS + seconds * SECOND_MS - 1,
                                   .has_quantiles = true};
}

static struct curve ask(struct world *world, const struct curve_question *question)
{
    struct curve curve;
    int error;
    history_close(world->history);
    world->history = history_open(world->directory, &error);
    assert_non_null(world->history);
    assert_int_equal(curve_read(world->history, question, &curve), 0);
    assert_string_equal(history_fault(world->history), "");
    return curve;
}

/* -- Values ---------------------------------------------------------------------------------- */

static void values_are_as_they_went_in(void **state)
{
    struct world *world = *state;
    const struct curve_question question = question_of(1, 10000);
    write_values(world, 1, 10000, 10000);
    for (int digested = 0; digested < 2; digested++) {
        scribe_commit(world->scribe, START_MS + 3 * HOUR_MS, digested);
        struct curve curve = ask(world, &question);
        assert_int_equal(curve.tier, CURVE_RAW);
        assert_int_equal(curve.n, 10000);
        assert_int_equal(curve.n_values, 10000);
        for (int i = 0; i < 10000; i++) {
            const struct statistics_window *window = &curve.slots[i].window;
            assert_int_equal(curve.slots[i].start_ms, START_MS + i * SECOND_MS);
            assert_int_equal(window->count, 1);
            assert_true(window->mean == value_of(0, i));
            assert_true(window->min == window->mean && window->max == window->mean);
            assert_true(curve_quantile(&curve.slots[i], 0.9) == window->mean);
        }
        assert_int_equal(curve_interval(&curve), SECOND_MS);
        curve_release(&curve);
    }
}

static void a_gap_is_a_slot_without_values(void **state)
{
    struct world *world = *state;
    const struct curve_question question = question_of(1, 10);
    const struct scribe_words words = {"node1", "a", "total", "cpu.busy", "%"};
    for (int i = 0; i < 10; i++)
        scribe_value(world->scribe, &words, START_MS + i * SECOND_MS, i == 4 ? (double)NAN : i);
    scribe_commit(world->scribe, START_MS, true);
    struct curve curve = ask(world, &question);
    assert_int_equal(curve.n, 10);
    assert_int_equal(curve.n_values, 9);
    assert_int_equal(curve.slots[4].window.count, 0);
    curve_release(&curve);
}

/* -- Steps ----------------------------------------------------------------------------------- */

static int order(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* All that went in between two times, of all nodes, in ascending order. */
static size_t values_between(double *values, size_t nodes, int n, int gap, int64_t from_ms,
                             int64_t to_ms)
{
    size_t count = 0;
    for (size_t node = 0; node < nodes; node++)
        for (int i = 0; i < n; i++) {
            int64_t at_ms = START_MS + i * SECOND_MS;
            if ((i < gap || i >= gap + 600) && at_ms >= from_ms && at_ms < to_ms)
                values[count++] = value_of((int)node, i);
        }
    qsort(values, count, sizeof *values, order);
    return count;
}

static void slot_is(const struct curve_slot *slot, const double *values, size_t n)
{
    double sum = 0;
    assert_int_equal(slot->window.count, n);
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    assert_true(slot->window.min == values[0] && slot->window.max == values[n - 1]);
    assert_true(fabs(slot->window.mean - sum / (double)n) <= 1e-9 * fabs(sum / (double)n));
    for (int percent = 10; percent < 100; percent += 40) {
        double exact = values[(size_t)(percent / 100.0 * (double)(n - 1))];
        assert_true(fabs(curve_quantile(slot, percent / 100.0) - exact) <= 0.0101 * fabs(exact));
    }
}

static void slots_are_what_went_in(struct world *world, const struct curve_question *question,
                                   int n, int gap, enum curve_tier tier)
{
    static double values[100000];
    struct curve curve = ask(world, question);
    assert_int_equal(curve.tier, tier);
    assert_true(curve.step_ms > 0);
    int64_t at_ms = database_floor(question->from_ms, curve.step_ms);
    assert_int_equal(curve.n, (question->to_ms - at_ms) / curve.step_ms + 1);
    for (size_t i = 0; i < curve.n; i++, at_ms += curve.step_ms) {
        assert_int_equal(curve.slots[i].start_ms, at_ms);
        slot_is(&curve.slots[i], values,
                values_between(values, question->n_paths, n, gap, at_ms, at_ms + curve.step_ms));
    }
    curve_release(&curve);
}

static void steps_of_each_tier_agree_with_a_recomputation(void **state)
{
    struct world *world = *state;
    static const struct {
        int64_t step_ms;
        enum curve_tier tier;
    } steps[] = {{7000, CURVE_RAW},       {10000, CURVE_RAW},     {60000, CURVE_MINUTES},
                 {300000, CURVE_MINUTES}, {3600000, CURVE_HOURS}, {7200000, CURVE_HOURS}};
    write_values(world, 3, 9000, 2000);
    scribe_commit(world->scribe, START_MS + 3 * HOUR_MS, true);
    for (size_t i = 0; i < N_OF(steps); i++)
        for (size_t nodes = 1; nodes <= 3; nodes++) {
            struct curve_question question = question_of(nodes, 9000);
            question.step_ms = steps[i].step_ms;
            slots_are_what_went_in(world, &question, 9000, 2000, steps[i].tier);
        }
}

static void a_number_of_slots(void **state)
{
    struct world *world = *state;
    write_values(world, 3, 9000, 9000);
    scribe_commit(world->scribe, START_MS + 3 * HOUR_MS, true);
    for (size_t most = 1; most < 3000; most = most * 3 + 1)
        for (size_t nodes = 1; nodes <= 3; nodes++) {
            struct curve_question question = question_of(nodes, 9000);
            question.most = most;
            struct curve curve = ask(world, &question);
            assert_in_range(curve.n, 1, most);
            curve_release(&curve);
            slots_are_what_went_in(world, &question, 9000, 9000, CURVE_RAW);
        }
}

/* Otherwise every second slot of a value a minute would be a gap. */
static void a_step_is_no_shorter_than_values_come(void **state)
{
    struct world *world = *state;
    struct curve_question question = question_of(1, 3600);
    const struct scribe_words words = {"node1", "a", "total", "cpu.busy", "%"};
    for (int i = 0; i < 3600; i += 60)
        scribe_value(world->scribe, &words, START_MS + i * SECOND_MS, i);
    scribe_commit(world->scribe, START_MS, true);
    question.most = 3600;
    struct curve curve = ask(world, &question);
    assert_int_equal(curve.step_ms, MINUTE_MS);
    assert_int_equal(curve.n, 60);
    assert_int_equal(curve.n_values, 60);
    curve_release(&curve);
}

/* Nodes report windows without histograms (level="basic"). */
static void percentiles_are_of_all_values_or_not_known(void **state)
{
    struct world *world = *state;
    struct curve_question question = question_of(2, 180);
    const struct scribe_words words = {"node1", "a", "total", "cpu.busy", "%"};
    const struct scribe_words other = {"node2", "a", "total", "cpu.busy", "%"};
    const struct statistics_window spread = {
        .count = 60, .min = 10, .max = 30, .mean = 20, .m2 = 600};
    const struct statistics_window constant = {.count = 60, .min = 5, .max = 5, .mean = 5};
    scribe_moments(world->scribe, &words, START_MS + MINUTE_MS, &spread);
    scribe_moments(world->scribe, &words, START_MS + 2 * MINUTE_MS, &constant);
    for (int i = 0; i < 180; i++)
        if (i < 60 || i >= 120)
            scribe_value(world->scribe, &other, START_MS + i * SECOND_MS, i);
    scribe_commit(world->scribe, START_MS + 3 * HOUR_MS, true);
    question.step_ms = MINUTE_MS;
    struct curve curve = ask(world, &question);
    assert_int_equal(curve.n_values, 3);
    assert_int_equal(curve.slots[0].window.count, 120);
    assert_true(curve.slots[0].window.min == 0 && curve.slots[0].window.max == 59);
    assert_true(isnan(curve_quantile(&curve.slots[0], 0.5)));
    assert_true(curve_quantile(&curve.slots[1], 0.5) == 5);
    assert_true(fabs(curve_quantile(&curve.slots[2], 0.5) - 149) <= 2);
    curve_release(&curve);
}

/* Coarser ones are read where values are not kept any more. */
static void what_is_not_kept_as_values_is_read_from_minutes(void **state)
{
    struct world *world = *state;
    struct curve_question question = question_of(1, 3600);
    write_values(world, 1, 3600, 3600);
    scribe_commit(world->scribe, START_MS + 5 * DAY_MS, true);
    struct curve curve = ask(world, &question);
    assert_int_equal(curve.tier, CURVE_MINUTES);
    assert_int_equal(curve.step_ms, MINUTE_MS);
    assert_int_equal(curve.n_values, 60);
    curve_release(&curve);
    question.most = 20;
    slots_are_what_went_in(world, &question, 3600, 3600, CURVE_MINUTES);
}

static void too_much_and_nonsense_are_refused(void **state)
{
    struct world *world = *state;
    struct curve_question question = question_of(1, 3600);
    struct curve curve;
    int error;
    scribe_commit(world->scribe, START_MS, true);
    world->history = history_open(world->directory, &error);
    question.step_ms = 1;
    assert_int_equal(curve_read(world->history, &question, &curve), E2BIG);
    curve_release(&curve);
    question.step_ms = -1;
    assert_int_equal(curve_read(world->history, &question, &curve), EINVAL);
    question.step_ms = 0;
    question.n_paths = 0;
    assert_int_equal(curve_read(world->history, &question, &curve), EINVAL);
    question = question_of(1, 3600);
    question.to_ms = question.from_ms - 1;
    assert_int_equal(curve_read(world->history, &question, &curve), EINVAL);
}

/* -- Rights ---------------------------------------------------------------------------------- */

static int count_file(const char *path, const struct stat *file, int type, struct FTW *where)
{
    (void)where;
    return type == FTW_F && (strstr(path, "-wal") || strstr(path, "-shm")) && file->st_size >= 0;
}

static bool has_log(const struct world *world)
{
    return nftw(world->directory, count_file, 8, FTW_PHYS) != 0;
}

/* In a process that may not write there: how many values it reads. */
static int read_as_nobody(const struct world *world)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const struct curve_question question = question_of(1, 100);
        struct curve curve;
        int error;
        if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(201);
        struct history *history = history_open(world->directory, &error);
        if (!history || curve_read(history, &question, &curve) != 0)
            _exit(202);
        _exit((int)curve.n_values);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int open_to_all(const char *path, const struct stat *file, int type, struct FTW *where)
{
    (void)file;
    (void)where;
    return chmod(path, type == FTW_F ? 0444 : 0555);
}

/* While there is a writer, after it has ended, and after it was killed. */
static void who_may_not_write_reads_all_the_same(void **state)
{
    struct world *world = *state;
    write_values(world, 1, 100, 100);
    scribe_commit(world->scribe, START_MS, false);
    assert_true(has_log(world));
    nftw(world->directory, open_to_all, 8, FTW_PHYS);
    assert_int_equal(read_as_nobody(world), 100);
    chmod(world->directory, 0700);
    scribe_close(world->scribe);
    world->scribe = NULL;
    assert_false(has_log(world));
    chmod(world->directory, 0555);
    assert_int_equal(read_as_nobody(world), 100);
    assert_false(has_log(world));
    chmod(world->directory, 0700);
}

/* A reader that may write makes nothing either: it would be his, and in the way of the writer. */
static void a_reader_makes_no_files(void **state)
{
    struct world *world = *state;
    const struct curve_question question = question_of(1, 100);
    write_values(world, 1, 100, 100);
    scribe_commit(world->scribe, START_MS, true);
    scribe_close(world->scribe);
    world->scribe = NULL;
    assert_false(has_log(world));
    struct curve curve = ask(world, &question);
    assert_int_equal(curve.n_values, 100);
    assert_false(has_log(world));
    curve_release(&curve);
}

/* A history that was opened while nobody wrote notices that somebody has begun to. */
static void a_writer_that_comes_later_is_noticed(void **state)
{
    struct world *world = *state;
    const struct curve_question question = question_of(1, 300);
    struct curve curve;
    write_values(world, 1, 100, 100);
    scribe_commit(world->scribe, START_MS, true);
    scribe_close(world->scribe);
    curve = ask(world, &question);
    assert_int_equal(curve.n_values, 100);
    curve_release(&curve);
    for (int n = 1; n <= 3; n++) {
        world->scribe = scribe_open(world->directory, START_MS);
        for (int i = 0; i < 10; i++) {
            const struct scribe_words words = {"node2", "a", "total", "cpu.busy", "%"};
            scribe_value(world->scribe, &words, START_MS + (n * 10 + i) * SECOND_MS, i);
        }
        scribe_commit(world->scribe, START_MS, n % 2);
        if (n != 2)
            scribe_close(world->scribe);
        struct curve_question other = question;
        other.paths = &paths[1];
        assert_int_equal(curve_read(world->history, &other, &curve), 0);
        /* The writer of this test begins anew at block 1 of the boot: those are taken once. */
        assert_in_range(curve.n_values, 10, 30);
        curve_release(&curve);
        if (n == 2)
            scribe_close(world->scribe);
    }
    world->scribe = NULL;
}

static void write_octets(const char *path, const char *octets, size_t n)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(file >= 0 && write(file, octets, n) == (ssize_t)n);
    close(file);
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
    struct world *world = *state;
    const struct curve_question question = question_of(1, 100);
    char path[128], sql[128];
    struct curve curve;
    int error;
    write_values(world, 1, 100, 100);
    scribe_commit(world->scribe, START_MS, true);
    snprintf(path, sizeof path, "%s/history-2026-12.db", world->directory);
    static char garbage[4096];
    memset(garbage, 'x', sizeof garbage);
    write_octets(path, garbage, sizeof garbage);
    world->history = history_open(world->directory, &error);
    assert_int_equal(curve_read(world->history, &question, &curve), EBADMSG);
    assert_string_equal(history_fault(world->history), "history-2026-12.db: no file of a history");
    assert_int_equal(curve.n_values, 100);
    curve_release(&curve);
    struct curve_question few = question;
    few.most = 10;
    assert_int_equal(curve_read(world->history, &few, &curve), EBADMSG);
    assert_int_equal(curve.n, 10);
    assert_int_equal(curve.n_values, 10);
    curve_release(&curve);
    history_close(world->history);
    scribe_close(world->scribe);
    world->scribe = NULL;
    remove(path);
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/history-2026-11.db", world->directory);
    assert_int_equal(database_open(path, true, &db), SQLITE_OK);
    snprintf(sql, sizeof sql, "PRAGMA user_version=99");
    assert_int_equal(database_run(db, sql), SQLITE_OK);
    database_close(db);
    world->history = history_open(world->directory, &error);
    assert_int_equal(curve_read(world->history, &question, &curve), EPROTO);
    assert_string_equal(history_fault(world->history),
                        "history-2026-11.db: written by another version of dCAMP");
    curve_release(&curve);
}

static void spans_that_people_use(void **state)
{
    (void)state;
    assert_int_equal(curve_nice_span(1), 1000);
    assert_int_equal(curve_nice_span(1001), 2000);
    assert_int_equal(curve_nice_span(61000), 120000);
    assert_int_equal(curve_nice_span(HOUR_MS), HOUR_MS);
    assert_int_equal(curve_nice_span(8 * DAY_MS), 14 * DAY_MS);
}

static void means_are_between_the_ends_that_have_values(void **state)
{
    (void)state;
    struct curve_slot slots[5] = {0};
    struct curve curve = {.slots = slots, .n = 5};
    size_t n = 1, first = 1;
    assert_null(curve_means(&curve, &n, &first));
    assert_int_equal(n, 0);
    slots[1].window = (struct statistics_window){.count = 2, .mean = 3};
    slots[3].window = (struct statistics_window){.count = 1, .mean = -4};
    double *means = curve_means(&curve, &n, &first);
    assert_int_equal(n, 3);
    assert_int_equal(first, 1);
    assert_true(means[0] == 3 && isnan(means[1]) && means[2] == -4);
    free(means);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_are_as_they_went_in, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gap_is_a_slot_without_values, setup, teardown),
        cmocka_unit_test_setup_teardown(steps_of_each_tier_agree_with_a_recomputation, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_number_of_slots, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_is_no_shorter_than_values_come, setup, teardown),
        cmocka_unit_test_setup_teardown(percentiles_are_of_all_values_or_not_known, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_not_kept_as_values_is_read_from_minutes, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(too_much_and_nonsense_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(who_may_not_write_reads_all_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(a_reader_makes_no_files, setup, teardown),
        cmocka_unit_test_setup_teardown(a_writer_that_comes_later_is_noticed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_read_is_named, setup, teardown),
        cmocka_unit_test(spans_that_people_use),
        cmocka_unit_test(means_are_between_the_ends_that_have_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
