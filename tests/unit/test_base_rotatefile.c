/* Files that are appended to, and begun anew. */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rotatefile.h"

#include "unit.h"

struct place {
    char dir[64], path[96], previous[96];
};

static int setup(void **state)
{
    static struct place place;
    strcpy(place.dir, "/tmp/test_base_rotatefile.XXXXXX");
    assert_non_null(mkdtemp(place.dir));
    snprintf(place.path, sizeof place.path, "%s/log", place.dir);
    snprintf(place.previous, sizeof place.previous, "%s/log.1", place.dir);
    *state = &place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    unlink(place->path);
    unlink(place->previous);
    return rmdir(place->dir);
}

static void assert_file(const char *path, const char *expected)
{
    char text[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static void appends_and_rotates(void **state)
{
    struct place *place = *state;
    assert_int_equal(rotatefile_append(place->path, 10, "one\n", 4), 0);
    assert_int_equal(rotatefile_append(place->path, 10, "two\n", 4), 0);
    assert_file(place->path, "one\ntwo\n");
    assert_int_equal(access(place->previous, F_OK), -1);
    assert_int_equal(rotatefile_append(place->path, 10, "six\n", 4), 0);
    assert_file(place->path, "six\n");
    assert_file(place->previous, "one\ntwo\n");
    assert_int_equal(rotatefile_append(place->path, 10, "more than there may be\n", 23), 0);
    assert_file(place->path, "more than there may be\n"); /* but never nothing */
    assert_file(place->previous, "six\n");
    struct stat status;
    assert_int_equal(stat(place->path, &status), 0);
    assert_int_equal(status.st_mode & 0007, 0);
}

static void what_is_no_file(void **state)
{
    struct place *place = *state;
    char below[128];
    snprintf(below, sizeof below, "%s/none/log", place->dir);
    assert_int_equal(rotatefile_append(below, 10, "x\n", 2), ENOENT);
    assert_int_not_equal(rotatefile_append(place->dir, 10, "x\n", 2), 0);
    assert_int_equal(symlink("/dev/null", place->path), 0);
    assert_int_equal(rotatefile_append(place->path, 10, "x\n", 2), ELOOP);
    assert_int_equal(rotatefile_append("/dev/full", 10, "x\n", 2), EINVAL);
}

/* What cannot be set aside is not overwritten: the error says so, and nothing is appended. */
static void cannot_rotate(void **state)
{
    struct place *place = *state;
    assert_int_equal(rotatefile_append(place->path, 10, "one\n", 4), 0);
    assert_int_equal(mkdir(place->previous, 0700), 0);
    assert_int_equal(rotatefile_append(place->path, 6, "two\n", 4), EISDIR);
    assert_file(place->path, "one\n");
    assert_int_equal(rmdir(place->previous), 0);
}

/* A record is there whole or not at all: of one that does not fit any more, nothing stays. */
static void no_room(void **state)
{
    struct place *place = *state;
    pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit few = {6, 6};
        signal(SIGXFSZ, SIG_IGN);
        if (rotatefile_append(place->path, 100, "one\n", 4) != 0 ||
            setrlimit(RLIMIT_FSIZE, &few) != 0)
            _exit(77);
        _exit(rotatefile_append(place->path, 100, "two\n", 4) == EFBIG ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_file(place->path, "one\n");
    assert_int_equal(rotatefile_append(place->path, 100, "two\n", 4), 0);
    assert_file(place->path, "one\ntwo\n");
}

/* A path that is as long as one may be leaves no room for the name of the predecessor. */
static void longest_path(void **state)
{
    static const size_t lengths[] = {PATH_MAX - 3, PATH_MAX - 2, PATH_MAX - 1};
    struct place *place = *state;
    for (size_t i = 0; i < N_OF(lengths); i++) {
        char path[PATH_MAX] = "";
        size_t len = strlen(place->dir);
        memcpy(path, place->dir, len);
        while (len < lengths[i] - 4)
            path[len++] = '/';
        memcpy(path + len, "/log", 5);
        assert_int_equal(strlen(path), lengths[i]);
        unlink(place->previous);
        assert_int_equal(rotatefile_append(path, 6, "one\n", 4), 0);
        assert_int_equal(rotatefile_append(path, 6, "two\n", 4), i == 0 ? 0 : ENAMETOOLONG);
        assert_file(place->path, i == 0 ? "two\n" : "one\n");
        assert_int_equal(access(place->previous, F_OK), i == 0 ? 0 : -1);
        unlink(place->path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(appends_and_rotates, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_file, setup, teardown),
        cmocka_unit_test_setup_teardown(cannot_rotate, setup, teardown),
        cmocka_unit_test_setup_teardown(no_room, setup, teardown),
        cmocka_unit_test_setup_teardown(longest_path, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
