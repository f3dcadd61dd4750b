/* What is forgotten of how far a sink is: what was not seen for long, never because the clock
 * jumps.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "publish/cursor_file.h"
#include "publish/elapsed.h"
#include "publish/positions.h"
#include "tree.h"
#include "unit.h"

#define START_MS INT64_C(1795730400000)
#define DAYS_MS(days) ((int64_t)(days)*24 * 3600 * 1000)
#define HOUR_MS INT64_C(3600000)

static void time_passes_but_does_not_jump(void **state)
{
    (void)state;
    struct elapsed elapsed = {0};
    assert_int_equal(elapsed_now(&elapsed, START_MS), START_MS);
    assert_int_equal(elapsed_now(&elapsed, START_MS + 1000), START_MS + 1000);
    assert_int_equal(elapsed_now(&elapsed, START_MS + 1000 + HOUR_MS), START_MS + 1000 + HOUR_MS);
    int64_t now = START_MS + 1000 + HOUR_MS;
    assert_int_equal(elapsed_now(&elapsed, now + DAYS_MS(100)), now + HOUR_MS);
    assert_int_equal(elapsed_now(&elapsed, now), now + HOUR_MS); /* and back */
    assert_int_equal(elapsed_now(&elapsed, now + 5), now + HOUR_MS + 5);
}

static void what_was_written_is_not_later_than_now(void **state)
{
    (void)state;
    struct elapsed elapsed = {0};
    elapsed_read(&elapsed, START_MS);
    elapsed_read(&elapsed, START_MS - 5);
    assert_int_equal(elapsed_now(&elapsed, START_MS + DAYS_MS(30)), START_MS);
    assert_int_equal(elapsed_now(&elapsed, START_MS + DAYS_MS(30) + 7), START_MS + 7);
}

static void count_cursor(void *context, const struct stream_key *key, uint32_t next)
{
    (void)key;
    (void)next;
    ++*(size_t *)context;
}

static struct stream_key key_of(const char *path)
{
    struct stream_key key;
    stream_key_set(&key, path, 7, NULL, 0);
    return key;
}

/* How many the file knows. */
static size_t saved(const char *directory)
{
    int error;
    size_t n = 0;
    struct cursor_file *cursors = cursor_file_open(directory, &error);
    assert_non_null(cursors);
    cursor_file_each(cursors, count_cursor, &n);
    cursor_file_close(cursors);
    return n;
}

static void a_file_of_cursors_outlives_a_jump(void **state)
{
    (void)state;
    struct tree tree;
    char directory[PATH_MAX];
    struct stream_key quiet = key_of("quiet"), busy = key_of("busy");
    int error;
    tree_new(&tree);
    tree_path(&tree, "", directory);
    struct cursor_file *cursors = cursor_file_open(directory, &error);
    assert_non_null(cursors);
    assert_int_equal(cursor_file_set(cursors, &quiet, 5, START_MS), 0);
    int64_t now = START_MS + DAYS_MS(1000);
    assert_int_equal(cursor_file_set(cursors, &busy, 5, now), 0);
    assert_int_equal(cursor_file_save(cursors, now), 0);
    assert_int_equal(saved(directory), 2);
    /* Another process, after a year in which there was none. */
    cursor_file_close(cursors);
    cursors = cursor_file_open(directory, &error);
    now += DAYS_MS(365);
    assert_int_equal(cursor_file_set(cursors, &busy, 6, now), 0);
    assert_int_equal(cursor_file_save(cursors, now), 0);
    assert_int_equal(saved(directory), 2);
    /* A week of others goes by. */
    for (int64_t hour = 0; hour <= 7 * 24; hour++)
        assert_int_equal(cursor_file_set(cursors, &busy, 7, now + hour * HOUR_MS), 0);
    assert_int_equal(cursor_file_save(cursors, now + DAYS_MS(7)), 0);
    assert_int_equal(saved(directory), 1);
    cursor_file_close(cursors);
    tree_remove(&tree, "");
}

static size_t lines_of(const struct positions *positions)
{
    struct octets text = {0};
    size_t n = 0;
    positions_write(positions, false, &text);
    for (size_t i = 0; i < text.len; i++)
        n += text.at[i] == '\n';
    octets_release(&text);
    return n;
}

static void positions_outlive_a_jump(void **state)
{
    (void)state;
    const struct sink_stream quiet = {.boot = 7, .path = "quiet"}, busy = {.boot = 7, .path = "b"};
    struct positions *positions = positions_new();
    int64_t now = START_MS + DAYS_MS(1000);
    assert_int_equal(positions_take(positions, &quiet, 1, START_MS), 0);
    assert_int_equal(positions_take(positions, &busy, 1, now), 0);
    positions_commit(positions);
    assert_int_equal(lines_of(positions), 2);
    for (int64_t hour = 0; hour <= 90 * 24; hour++)
        assert_int_equal(positions_take(positions, &busy, 2, now + hour * HOUR_MS), 0);
    positions_commit(positions);
    assert_int_equal(lines_of(positions), 1);
    positions_free(positions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_passes_but_does_not_jump),
        cmocka_unit_test(what_was_written_is_not_later_than_now),
        cmocka_unit_test(a_file_of_cursors_outlives_a_jump),
        cmocka_unit_test(positions_outlive_a_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
