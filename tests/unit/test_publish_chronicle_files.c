/* The history in SQLite: files that are not what they should be, disks that are full, and a writer
 * that is killed at any point. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chronicle_world.h"
#include "unit.h"

/* -- Files that are not what they should be -------------------------------------------------- */

static void write_file(const struct world *world, const char *which, off_t at, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", world->directory, which);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0 && pwrite(fd, text, strlen(text), at) == (ssize_t)strlen(text));
    close(fd);
}

static unsigned count_aside(const struct world *world, const char *word)
{
    char command[256];
    snprintf(command, sizeof command, "ls %s | grep -c 'db.%s-[0-9]*$'", world->directory, word);
    FILE *pipe = popen(command, "r");
    unsigned n = 0;
    assert_int_equal(fscanf(pipe, "%u", &n), 1);
    pclose(pipe);
    return n;
}

static void a_broken_file_is_put_aside(void **state)
{
    struct world *world = *state;
    world_name(world, 1, "a");
    world_add(world, 1, START_MS, 1);
    world_tell_all(world, START_MS);
    chronicle_close(world->chronicle);
    write_file(world, "history-2026-11.db", 0, "This is no database, though it was one.");
    world_open(world, START_MS);
    assert_int_equal(count_aside(world, "broken"), 1);
    assert_int_equal(chronicle_counters(world->chronicle)->broken, 1);
    assert_int_equal(world_cursor(world).n, 0);
    world_name(world, 1, "a");
    world->told = 0;
    world_tell_all(world, START_MS);
    world_has_points(world, "a", 1);
}

/* What the tables of another version say is not known. */
static void a_file_of_another_version_is_put_aside(void **state)
{
    struct world *world = *state;
    char path[4352];
    sqlite3 *db;
    world_name(world, 1, "a");
    world_add(world, 1, START_MS, 1);
    world_tell_all(world, START_MS);
    chronicle_close(world->chronicle);
    snprintf(path, sizeof path, "%s/history-2026-11.db", world->settings.directory);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(database_run(db, "PRAGMA user_version=2"), SQLITE_OK);
    sqlite3_close(db);
    world_open(world, START_MS);
    assert_int_equal(count_aside(world, "version"), 1);
    assert_int_equal(count_aside(world, "broken"), 0);
    assert_int_equal(world_cursor(world).n, 0);
    world_name(world, 1, "a");
    world->told = 0;
    world_tell_all(world, START_MS);
    world_has_points(world, "a", 1);
}

/* Its first page is as it should be, what follows is not. */
static void a_file_that_breaks_meanwhile_is_put_aside(void **state)
{
    struct world *world = *state;
    static char rubbish[4096];
    world_name(world, 1, "a");
    world_add(world, 1, START_MS, 1);
    world_tell_all(world, START_MS);
    chronicle_close(world->chronicle);
    memset(rubbish, 'x', sizeof rubbish - 1);
    for (off_t page = 1; page < 16; page++)
        write_file(world, "history-2026-11.db", page * 4096, rubbish);
    world_open(world, START_MS);
    world->told = 0;
    int error = world_tell(world, START_MS);
    assert_true(error == EBADMSG || chronicle_counters(world->chronicle)->broken == 1);
    assert_int_equal(count_aside(world, "broken"), 1);
    world_name(world, 1, "a");
    world->told = 0;
    world_tell_all(world, START_MS);
    world_has_points(world, "a", 1);
}

static void a_second_writer_is_refused(void **state)
{
    struct world *world = *state;
    char error[CHRONICLE_ERROR_SIZE];
    assert_null(chronicle_open(&world->settings, START_MS, error));
    assert_non_null(strstr(error, "writes there"));
}

static void a_directory_that_is_not_there(void **state)
{
    (void)state;
    char error[CHRONICLE_ERROR_SIZE];
    const struct chronicle_settings settings = {.directory = "/nonexistent/history"};
    assert_null(chronicle_open(&settings, START_MS, error));
    assert_string_equal(error, "/nonexistent/history: No such file or directory");
    int code;
    assert_null(history_open("/nonexistent/history", &code));
    assert_int_equal(code, ENOENT);
}

/* A file may not grow, as on a full disk: nothing is taken, and all of it later. */
static void a_full_disk(void **state)
{
    struct world *world = *state;
    struct rlimit before, none = {.rlim_cur = 8192};
    world_name(world, 1, "a");
    world_tell_all(world, START_MS);
    for (int i = 0; i < 5000; i++)
        world_add(world, 1, START_MS + i * SECOND_MS, world_value(i));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    int error = world_tell(world, START_MS);
    if (!error)
        error = chronicle_commit(world->chronicle, START_MS);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_not_equal(error, 0);
    assert_string_not_equal(chronicle_error(world->chronicle), "");
    assert_int_equal(world_cursor(world).next, 0);
    world_name(world, 1, "a");
    world->told = 0;
    world_tell_all(world, START_MS);
    world_are_values(world_points(world, "a"), 5000);
}

static const char made_file[] = "history-2026-12.db.new";
static bool is_made_full;
static int (*usual_open)(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *file, int flags,
                         int *given);
static const sqlite3_io_methods *usual_methods;

/* The first page makes it a file with a log: what is in the log does not fit into the file. */
static int write_made(sqlite3_file *file, const void *octets, int len, sqlite3_int64 at)
{
    return is_made_full && at > 0 ? SQLITE_FULL : usual_methods->xWrite(file, octets, len, at);
}

static int open_made(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *file, int flags,
                     int *given)
{
    static sqlite3_io_methods methods;
    int code = usual_open(vfs, path, file, flags, given);
    size_t len = path ? strlen(path) : 0, end = strlen(made_file);
    if (code != SQLITE_OK || len < end || strcmp(path + len - end, made_file) != 0)
        return code;
    usual_methods = file->pMethods;
    methods = *usual_methods;
    methods.xWrite = write_made;
    file->pMethods = &methods;
    return code;
}

/* The disk has room for the log of the file of another month, but not for the file: nothing is
 * lost, and the file of the month before goes on until there is room. */
static void a_disk_that_is_full_when_the_month_ends(void **state)
{
    struct world *world = *state;
    int64_t december_ms = START_MS + 6 * DAY_MS;
    bool more;
    static sqlite3_vfs vfs;
    vfs = *sqlite3_vfs_find(NULL);
    usual_open = vfs.xOpen;
    vfs.xOpen = open_made;
    vfs.zName = "full";
    world->settings.raw_ms = 30 * DAY_MS;
    world_reopen(world, START_MS);
    world_name(world, 1, "a");
    for (int i = 0; i < 5000; i++)
        world_add(world, 1, START_MS + i * SECOND_MS, world_value(i));
    world_tell_all(world, START_MS);
    assert_int_equal(sqlite3_vfs_register(&vfs, true), SQLITE_OK);
    is_made_full = true;
    int error = chronicle_step(world->chronicle, december_ms, false, &more);
    is_made_full = false;
    assert_false(world_has_file(world, made_file));
    world_are_values(world_points(world, "a"), 5000);
    assert_int_equal(error, ENOSPC);
    assert_false(world_has_file(world, "history-2026-12.db"));
    world_digest_all(world, december_ms);
    chronicle_close(world->chronicle);
    assert_int_equal(sqlite3_vfs_unregister(&vfs), SQLITE_OK);
    world_open(world, december_ms);
    assert_true(world_has_file(world, "history-2026-12.db"));
    world_are_values(world_points(world, "a"), 5000);
    assert_int_equal(world_cursor(world).next, world->told + 1);
}

/* -- Killed at any point --------------------------------------------------------------------- */

#define KILLS 20
#define PER_BLOCK 50
#define BLOCKS_MAX 18 /* in one life: what all tell fits into struct found */
#define BLOCKS_READ 350

/* Tells block after block, digests in between, and says which ones are committed; then waits to be
 * killed. */
static void run_writer(struct world *world, uint32_t blocks, int out)
{
    uint32_t next = world_cursor(world).next;
    uint32_t first = next ? next : 1;
    for (uint32_t block = first; block < first + blocks; block++) {
        bool more;
        for (int i = 0; i < PER_BLOCK; i++) {
            int at = (int)(block - 1) * PER_BLOCK + i;
            world_add(world, 1, START_MS + at * SECOND_MS, world_value(at));
        }
        if (report_flush(&world->ring) != 0)
            _exit(1);
        const struct report_block *made =
            (const struct report_block *)index_find(&world->ring.index, &world->ring.last, 1);
        if (world_tell_block(world, block, made->bytes, made->len, START_MS) ||
            chronicle_commit(world->chronicle, START_MS) ||
            chronicle_step(world->chronicle, START_MS + DAY_MS, block % 3 == 0, &more) ||
            write(out, &block, sizeof block) != sizeof block)
            _exit(1);
    }
    pause();
}

/* *in: where it says them. */
static pid_t start_writer(struct world *world, uint32_t blocks, int *in)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char error[CHRONICLE_ERROR_SIZE];
        close(ends[0]);
        world->sensors[1] = "a";
        world->chronicle = chronicle_open(&world->settings, START_MS, error);
        if (!world->chronicle)
            _exit(1);
        run_writer(world, blocks, ends[1]);
    }
    close(ends[1]);
    *in = ends[0];
    return pid;
}

static void end_writer(pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

/* Returns the last block that it has said to be committed. */
static uint32_t kill_writer(struct world *world, int round)
{
    int in;
    uint32_t said = 0, block;
    pid_t pid = start_writer(world, BLOCKS_MAX, &in);
    for (int i = 0; i <= round % 7 && read(in, &block, sizeof block) == sizeof block; i++)
        said = block;
    usleep((useconds_t)(round * 137 % 2000));
    end_writer(pid);
    while (read(in, &block, sizeof block) == sizeof block)
        said = block;
    close(in);
    return said;
}

static void killed_at_any_point(void **state)
{
    struct world *world = *state;
    world->settings.raw_ms = 100 * DAY_MS;
    chronicle_close(world->chronicle);
    world->chronicle = NULL;
    for (int round = 0; round < KILLS; round++) {
        uint32_t said = kill_writer(world, round);
        world_open(world, START_MS);
        uint32_t next = world_cursor(world).next;
        assert_true(next > said);
        world_are_values(world_points(world, "a"), (int)(next - 1) * PER_BLOCK);
        world_cells_are(world, &tier_minute, (int)(next - 1) * PER_BLOCK);
        chronicle_close(world->chronicle);
        world->chronicle = NULL;
    }
}

/* What is read is what there was at one moment, though what was in the inbox is digested meanwhile.
 */
static void read_while_it_is_written(void **state)
{
    struct world *world = *state;
    int in;
    uint32_t block = 0;
    world->settings.raw_ms = 100 * DAY_MS;
    chronicle_close(world->chronicle);
    world->chronicle = NULL;
    pid_t pid = start_writer(world, BLOCKS_READ, &in);
    while (block < BLOCKS_READ && read(in, &block, sizeof block) == sizeof block) {
        const struct found *found = world_points(world, "a");
        assert_true(found->n >= block * PER_BLOCK);
        world_are_values(found, (int)found->n);
    }
    assert_int_equal(block, BLOCKS_READ);
    end_writer(pid);
    close(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_broken_file_is_put_aside, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(a_file_of_another_version_is_put_aside, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_breaks_meanwhile_is_put_aside, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(a_second_writer_is_refused, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(a_directory_that_is_not_there, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(a_full_disk, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(a_disk_that_is_full_when_the_month_ends, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(killed_at_any_point, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(read_while_it_is_written, world_setup, world_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
