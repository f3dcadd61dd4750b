/* The line of /proc/PID/maps that a JVM has for its performance data. */
#include "jvm/maps.h"

#include <string.h>

#include "tests/unit/unit.h"

#define BEGIN "7f12bd009000-7f12bd011000 rw-s 00000000 fe:00 10961323                   "

static bool find(const char *line, struct maps_file *file)
{
    return maps_find(line, strlen(line), file);
}

static void found(void **state)
{
    static const struct {
        const char *line, *path, *base;
        unsigned number;
    } rows[] = {
        {BEGIN "/tmp/hsperfdata_root/27330", "/tmp/hsperfdata_root/27330", "hsperfdata_root/27330",
         27330},
        {BEGIN "/tmp/hsperfdata_bob/1 (deleted)", "/tmp/hsperfdata_bob/1", "hsperfdata_bob/1", 1},
        {BEGIN "/hsperfdata_a b/4194304", "/hsperfdata_a b/4194304", "hsperfdata_a b/4194304",
         4194304},
        {BEGIN "/srv/root/tmp/hsperfdata_/4294967295", "/srv/root/tmp/hsperfdata_/4294967295",
         "hsperfdata_/4294967295", 4294967295u},
        {"0-1 rw-s 0 0:0 0 /x/hsperfdata_y/7", "/x/hsperfdata_y/7", "hsperfdata_y/7", 7},
    };
    (void)state;
    struct maps_file file;
    for (size_t i = 0; i < N_OF(rows); i++) {
        assert_true(find(rows[i].line, &file));
        assert_int_equal(file.len, strlen(rows[i].path));
        assert_memory_equal(file.path, rows[i].path, file.len);
        assert_memory_equal(file.path + file.base, rows[i].base, strlen(rows[i].base));
        assert_int_equal(file.number, rows[i].number);
    }
}

static void others(void **state)
{
    static const char *const lines[] = {
        "",
        " ",
        "7f12bd009000-7f12bd011000",
        "7f12bd009000-7f12bd011000 rw-s",
        "7f12bd009000-7f12bd011000 rw-s 00000000 fe:00 0",
        /* jstat reads that of another one; and no file is kept private. */
        "7f12bd009000-7f12bd011000 r--s 00000000 fe:00 1   /tmp/hsperfdata_root/27330",
        "7f12bd009000-7f12bd011000 rw-p 00000000 fe:00 1   /tmp/hsperfdata_root/27330",
        "/hsperfdata_root rw-s /1",
        BEGIN "/tmp/hsperfdata_root/",
        BEGIN "/tmp/hsperfdata_root/0",
        BEGIN "/tmp/hsperfdata_root/1x",
        BEGIN "/tmp/hsperfdata_root/-1",
        BEGIN "/tmp/hsperfdata_root/4294967296",
        BEGIN "/tmp/hsperfdata_root/12345678901",
        BEGIN "/tmp/hsperfdata_root/1 (deleted) (deleted)",
        BEGIN "/tmp/hsperfdata_root",
        BEGIN "/tmp/xhsperfdata_root/1",
        BEGIN "/tmp/hsperfdat/1",
        BEGIN "/tmp/hsperfdata_root/1/2",
        BEGIN "/hsperfdata_root",
        BEGIN "/1",
        BEGIN "/",
        BEGIN "tmp/hsperfdata_root/1x",
        BEGIN "[heap]",
        BEGIN "anon_inode:[perf_event]",
    };
    (void)state;
    struct maps_file file;
    for (size_t i = 0; i < N_OF(lines); i++)
        if (find(lines[i], &file))
            fail_msg("%s", lines[i]);
}

/* Of a line that is cut anywhere, no octet behind its end counts. */
static void cut(void **state)
{
    (void)state;
    static const char line[] = BEGIN "/tmp/hsperfdata_root/27330 (deleted)";
    struct maps_file file;
    size_t begin = strlen(BEGIN "/tmp/hsperfdata_root/"), end = begin + 5;
    for (size_t n = 0; n <= strlen(line); n++) {
        bool is_found = maps_find(line, n, &file);
        assert_int_equal(is_found, (n > begin && n <= end) || n == strlen(line));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found),
        cmocka_unit_test(others),
        cmocka_unit_test(cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
