/* The saver's thread: what is on disk, what its status says, and what becomes of what cannot be
 * written. */
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/saver.h"

#include "said.h"
#include "unit.h"

static struct scene {
    char dir[32], state[48], lines[48], rotated[52];
    struct saver *saver;
    sem_t done, go;
    bool holds; /* after each attempt, until the test says go */
} scene;

static void on_done(void *context)
{
    struct scene *of = context;
    sem_post(&of->done);
    if (of->holds)
        sem_wait(&of->go);
}

static int scene_setup(void **state)
{
    (void)state;
    scene = (struct scene){.dir = "/tmp/dcamp-test.XXXXXX"};
    if (!mkdtemp(scene.dir))
        return -1;
    snprintf(scene.state, sizeof scene.state, "%s/state.xml", scene.dir);
    snprintf(scene.lines, sizeof scene.lines, "%s/lines", scene.dir);
    snprintf(scene.rotated, sizeof scene.rotated, "%s/lines.1", scene.dir);
    sem_init(&scene.done, 0, 0);
    sem_init(&scene.go, 0, 0);
    scene.saver = saver_start(scene.dir, on_done, &scene);
    said_begin();
    return scene.saver ? 0 : -1;
}

static int scene_teardown(void **state)
{
    (void)state;
    scene.holds = false;
    sem_post(&scene.go);
    saver_stop(scene.saver);
    said_end();
    unlink(scene.state);
    unlink(scene.lines);
    unlink(scene.rotated);
    rmdir(scene.dir);
    return 0;
}

static void submit(const char *text, uint64_t alarms, uint64_t commits)
{
    saver_submit(scene.saver, strdup(text), strlen(text), (struct save_mark){alarms, commits});
}

/* One attempt has ended. */
static void await_attempt(void)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 20;
    assert_int_equal(sem_timedwait(&scene.done, &limit), 0);
}

static bool no_attempt(void)
{
    int n;
    sem_getvalue(&scene.done, &n);
    return n == 0;
}

static void assert_file(const char *path, const char *expected)
{
    char text[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    assert_string_equal(text, expected);
}

static void assert_status(bool failed, uint64_t errors, struct save_mark saved,
                          struct save_mark tried)
{
    struct saver_status status = saver_status(scene.saver);
    assert_false(status.busy);
    assert_int_equal(status.failed, failed);
    assert_int_equal(status.errors, errors);
    assert_int_equal(status.saved.alarms, saved.alarms);
    assert_int_equal(status.saved.commits, saved.commits);
    assert_int_equal(status.tried.alarms, tried.alarms);
    assert_int_equal(status.tried.commits, tried.commits);
}

#define MARK(alarms, commits) ((struct save_mark){alarms, commits})

static void what_is_saved(void **state)
{
    (void)state;
    assert_status(false, 0, MARK(0, 0), MARK(0, 0));
    assert_int_equal(saver_status(scene.saver).saved_ms, 0);
    int64_t before_ms = clock_now().wall_ms;
    submit("first", 3, 4);
    await_attempt();
    int64_t after_ms = clock_now().wall_ms, saved_ms = saver_status(scene.saver).saved_ms;
    assert_file(scene.state, "first");
    assert_status(false, 0, MARK(3, 4), MARK(3, 4));
    assert_in_range(saved_ms, before_ms, after_ms);
    submit("second", 5, 6);
    await_attempt();
    assert_file(scene.state, "second");
    assert_status(false, 0, MARK(5, 6), MARK(5, 6));
    assert_true(no_attempt());
    assert_string_equal(said_now(), "");
}

/* Nobody waits while it writes; of what comes meanwhile, the latest is written. */
static void the_latest_is_written(void **state)
{
    (void)state;
    scene.holds = true;
    submit("first", 1, 1);
    await_attempt();
    assert_false(saver_status(scene.saver).busy);
    submit("second", 2, 2);
    assert_true(saver_status(scene.saver).busy);
    submit("third", 3, 3);
    assert_file(scene.state, "first");
    sem_post(&scene.go);
    await_attempt();
    sem_post(&scene.go);
    assert_file(scene.state, "third");
    assert_status(false, 0, MARK(3, 3), MARK(3, 3));
    assert_true(no_attempt());
}

static void a_disk_that_fails(void **state)
{
    (void)state;
    submit("first", 1, 2);
    await_attempt();
    int64_t saved_ms = saver_status(scene.saver).saved_ms;
    unlink(scene.state);
    assert_int_equal(rmdir(scene.dir), 0);
    char expected[256];
    snprintf(expected, sizeof expected,
             "error state: %s: No such file or directory; the last good one is kept\n",
             scene.state);
    for (uint64_t times = 1; times <= 2; times++) {
        submit("second", 3, 4 + times);
        await_attempt();
        assert_status(true, times, MARK(1, 2), MARK(3, 4 + times));
        assert_int_equal(saver_status(scene.saver).saved_ms, saved_ms);
        assert_string_equal(said_now(), times == 1 ? expected : "");
    }
    assert_int_equal(mkdir(scene.dir, 0700), 0);
    submit("third", 7, 8);
    await_attempt();
    assert_status(false, 2, MARK(7, 8), MARK(7, 8));
    assert_file(scene.state, "third");
    /* The next fault is news. */
    unlink(scene.state);
    assert_int_equal(rmdir(scene.dir), 0);
    submit("fourth", 9, 9);
    await_attempt();
    assert_string_equal(said_now(), expected);
}

static void what_waits_at_the_end(void **state)
{
    (void)state;
    submit("last", 1, 1);
    assert_int_equal(saver_stop(scene.saver), 0);
    assert_file(scene.state, "last");
    assert_int_equal(saver_stop(NULL), 0);
    unlink(scene.state);
    assert_int_equal(rmdir(scene.dir), 0);
    scene.saver = saver_start(scene.dir, on_done, &scene);
    submit("nowhere", 1, 1);
    assert_int_equal(saver_stop(scene.saver), ENOENT);
    scene.saver = NULL;
}

/* -- Lines ----------------------------------------------------------------------------------- */

static void append(const char *path, const char *lines, uint64_t most)
{
    saver_append(scene.saver, path, most, strdup(lines), strlen(lines));
}

/* Until what was appended is written. */
static void await_lines(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < 20000 && !saver_wants_lines(scene.saver); i++)
        nanosleep(&pause, NULL);
    assert_true(saver_wants_lines(scene.saver));
}

static void lines(void **state)
{
    (void)state;
    assert_true(saver_wants_lines(scene.saver));
    append(scene.lines, "one\n", 8);
    await_lines();
    append(scene.lines, "two\n", 8);
    await_lines();
    assert_file(scene.lines, "one\ntwo\n");
    append(scene.lines, "three\n", 8);
    await_lines();
    assert_file(scene.lines, "three\n");
    assert_file(scene.rotated, "one\ntwo\n");
    assert_true(no_attempt()); /* the state is another matter */
    assert_string_equal(said_now(), "");
}

/* What is said next, however long that takes; each look asks for another try. */
static const char *await_said(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const char *said = said_now();
    for (int i = 0; i < 20000 && !*said; i++, said = said_now()) {
        assert_false(saver_wants_lines(scene.saver));
        nanosleep(&pause, NULL);
    }
    return said;
}

/* It is logged once, however often it is tried; and the state does not wait for the lines. */
static void lines_wait_for_the_disk(void **state)
{
    (void)state;
    char later[40], path[48], expected[256];
    snprintf(later, sizeof later, "%s/later", scene.dir);
    snprintf(path, sizeof path, "%s/lines", later);
    snprintf(expected, sizeof expected,
             "error alarm: %s: No such file or directory; its lines wait\n", path);
    for (int times = 0; times < 2; times++) {
        append(path, "one\n", 100);
        assert_string_equal(await_said(), expected);
        for (uint64_t i = 1; i <= 20; i++) {
            assert_false(saver_wants_lines(scene.saver));
            submit("state", i, i); /* behind the next try */
            await_attempt();
        }
        assert_string_equal(said_now(), "");
        assert_file(scene.state, "state");
        assert_int_equal(mkdir(later, 0700), 0);
        await_lines();
        assert_file(path, "one\n");
        unlink(path);
        assert_int_equal(rmdir(later), 0); /* the next fault is news */
    }
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(what_is_saved),
        scene_test(the_latest_is_written),
        scene_test(a_disk_that_fails),
        scene_test(what_waits_at_the_end),
        scene_test(lines),
        scene_test(lines_wait_for_the_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
