/* The file of what was learnt of seasons: written in time, read again, and whatever else is found
 * in its place. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/learned_file.h"
#include "daemon/learning.h"
#include "said.h"
#include "scarce.h"
#include "threshold/season_pack.h"
#include "unit.h"
#include "watched.h"

static struct scene {
    char dir[32], path[64], bad[80];
    struct saver *saver;
    struct watched *watched;
    struct learning learning;
} scene;

static void on_done(void *context)
{
    (void)context;
}

static int scene_setup(void **state)
{
    (void)state;
    scene = (struct scene){.dir = "/tmp/dcamp-test.XXXXXX", .watched = watched_new()};
    if (!mkdtemp(scene.dir))
        return -1;
    snprintf(scene.path, sizeof scene.path, "%s/" LEARNED_FILE, scene.dir);
    snprintf(scene.bad, sizeof scene.bad, "%s.bad", scene.path);
    scene.saver = saver_start(scene.dir, on_done, NULL);
    said_begin();
    return scene.saver ? 0 : -1;
}

static int scene_teardown(void **state)
{
    (void)state;
    saver_stop(scene.saver);
    said_end();
    watched_free(scene.watched);
    unlink(scene.path);
    unlink(scene.bad);
    rmdir(scene.dir);
    return 0;
}

/* What was handed over is on disk. */
static void written(void)
{
    assert_int_equal(saver_stop(scene.saver), 0);
    scene.saver = saver_start(scene.dir, on_done, NULL);
    assert_non_null(scene.saver);
}

static void learn(void)
{
    struct fake_series *load = watched_series(scene.watched, NULL, "load", "a");
    watched_row(scene.watched, ROW_THRESHOLD, "d",
                "sensor=load;operator=gt;limit=5;source=deviation;span=10s");
    watched_sync(scene.watched);
    watched_value(scene.watched, load, 1);
}

static size_t taken_again(void)
{
    struct watches watches = {.changes = 0};
    scene.learning = (struct learning){.due_ns = 0};
    learning_read(&scene.learning, &watches, scene.dir);
    size_t n = watches.learned.n;
    learned_release(&watches.learned);
    return n;
}

static off_t size_of_file(void)
{
    struct stat file;
    return stat(scene.path, &file) == 0 ? file.st_size : -1;
}

/* Each hour, and only where there is something, or was. */
static void every_hour(void **state)
{
    (void)state;
    struct moment now = scene.watched->now;
    for (int minute = 0; minute < 130; minute += 10, now.mono_ns += 600 * NS_PER_S)
        learning_step(&scene.learning, &scene.watched->watches, scene.saver, now);
    written();
    assert_int_equal(size_of_file(), -1);
    learn();
    learning_step(&scene.learning, &scene.watched->watches, scene.saver, now);
    written();
    assert_int_equal(size_of_file(), -1); /* a quarter of an hour is none */
    now.mono_ns += 3600 * NS_PER_S;
    learning_step(&scene.learning, &scene.watched->watches, scene.saver, now);
    written();
    assert_true(size_of_file() > LEARNED_FILE_HEAD);
    assert_int_equal(taken_again(), 1);
    watched_remove(scene.watched, ROW_THRESHOLD, "d");
    watched_sync(scene.watched);
    learning_save(&scene.learning, &scene.watched->watches, scene.saver);
    written();
    assert_int_equal(size_of_file(), LEARNED_FILE_HEAD);
    unlink(scene.path);
    learning_save(&scene.learning, &scene.watched->watches, scene.saver);
    written();
    assert_int_equal(size_of_file(), -1); /* there is nothing to save, and was not */
    assert_int_equal(taken_again(), 0);
    assert_string_equal(said_now(), "");
}

static void put_file(const char *octets, size_t n)
{
    FILE *file = fopen(scene.path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(octets, 1, n, file), n);
    fclose(file);
}

/* Wherever a bit is another one, or the file ends. */
static void damaged_files(void **state)
{
    (void)state;
    char good[8192];
    learn();
    learning_save(&scene.learning, &scene.watched->watches, scene.saver);
    written();
    FILE *file = fopen(scene.path, "r");
    size_t n = fread(good, 1, sizeof good, file);
    fclose(file);
    assert_int_equal(taken_again(), 1);
    for (size_t at = 0; at < 2 * n; at += 7) {
        put_file(good, at < n ? at : n);
        if (at >= n) {
            file = fopen(scene.path, "r+");
            fseek(file, (long)(at - n), SEEK_SET);
            fputc(good[at - n] ^ 0x10, file);
            fclose(file);
        }
        assert_int_equal(taken_again(), 0);
        const char *words = said_now();
        assert_non_null(strstr(words, LEARNED_FILE ": is "));
        assert_non_null(strstr(words, "learn anew"));
        assert_int_equal(access(scene.path, F_OK), -1);
        assert_int_equal(access(scene.bad, F_OK), 0);
        assert_false(scene.learning.is_unreadable);
    }
}

/* What is no file is put aside; what cannot be read now is not written over. */
static void no_files(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(scene.path, 0600), 0);
    assert_int_equal(taken_again(), 0);
    assert_int_equal(access(scene.bad, F_OK), 0);
    unlink(scene.bad);
    assert_int_equal(symlink("nowhere", scene.path), 0);
    assert_int_equal(taken_again(), 0);
    assert_non_null(strstr(said_now(), "until it can be read"));
    assert_true(scene.learning.is_unreadable);
    learn();
    learning_save(&scene.learning, &scene.watched->watches, scene.saver);
    written();
    struct stat file;
    assert_int_equal(lstat(scene.path, &file), 0);
    assert_true(S_ISLNK(file.st_mode));
}

/* What could not be written over is written over when that is possible. */
static void disks_that_fail(void **state)
{
    (void)state;
    learn();
    learning_save(&scene.learning, &scene.watched->watches, scene.saver);
    written();
    watched_remove(scene.watched, ROW_THRESHOLD, "d");
    watched_sync(scene.watched);
    unlink(scene.path);
    assert_int_equal(mkdir(scene.path, 0700), 0);
    learning_save(&scene.learning, &scene.watched->watches, scene.saver);
    while (!strstr(said_now(), "the last good one is kept"))
        usleep(1000);
    assert_int_equal(rmdir(scene.path), 0);
    learning_save(&scene.learning, &scene.watched->watches, scene.saver);
    written();
    assert_int_equal(size_of_file(), LEARNED_FILE_HEAD);
}

static void memory_that_fails(void **state)
{
    (void)state;
    learn();
    for (size_t nth = 1; nth <= 2; nth++) {
        scarce_fail(nth);
        learning_save(&scene.learning, &scene.watched->watches, scene.saver);
        assert_true(scarce_stop());
        written();
        assert_int_equal(size_of_file(), -1);
    }
    assert_non_null(strstr(said_now(), "no memory to save what was learnt"));
    learning_save(&scene.learning, &scene.watched->watches, scene.saver);
    written();
    scarce_fail(1);
    assert_int_equal(taken_again(), 0);
    assert_true(scarce_stop());
    assert_true(scene.learning.is_unreadable);
    assert_int_equal(taken_again(), 1);
}

static void too_much(void **state)
{
    (void)state;
    uint8_t octets[LEARNED_FILE_HEAD] = {0};
    assert_int_equal(learned_file_write(scene.dir, octets, (size_t)LEARNED_FILE_MAX + 1), EFBIG);
    assert_int_equal(size_of_file(), -1);
}

/* A model that is nearly as long as one can be. */
static size_t packed_model(uint8_t *octets, size_t room)
{
    struct season *season = season_new(86400000);
    for (int64_t i = 0; i < INT64_C(3) * SEASON_SLOTS; i++) {
        struct season_verdict verdict;
        season_add(season, (double)(i % 7) / 3, i * 86400000 / SEASON_SLOTS, &verdict);
    }
    size_t n = season_pack(season, octets, room);
    season_free(season);
    return n;
}

/* Of more models than the file may have, it has what there is room for, which is said once. */
static void too_many(void **state)
{
    (void)state;
    uint8_t octets[SEASON_PACKED_MAX];
    size_t n = packed_model(octets, sizeof octets), models = LEARNED_FILE_MAX / n + 10;
    for (size_t i = 0; i < models; i++) {
        struct item_reader reader = {octets, n};
        struct saved_series name = {.threshold = "d", .sensor = "load"};
        snprintf(name.instance, sizeof name.instance, "%08zu", i);
        learned_keep(&scene.watched->watches.learned, &name, season_unpack(&reader));
    }
    for (int i = 0; i < 2; i++) {
        learning_save(&scene.learning, &scene.watched->watches, scene.saver);
        written();
        assert_in_range(size_of_file(), LEARNED_FILE_MAX - 10000, LEARNED_FILE_MAX);
        const char *words = said_now();
        assert_int_equal(strstr(words, " has no room for ") != NULL, i == 0);
    }
    assert_in_range(taken_again(), models - 1000, models - 10);
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(every_hour),      scene_test(damaged_files),     scene_test(no_files),
        scene_test(too_much),        scene_test(memory_that_fails), scene_test(too_many),
        scene_test(disks_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
