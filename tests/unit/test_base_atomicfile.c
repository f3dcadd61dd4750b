#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomicfile.h"

#include "unit.h"

struct place {
    char dir[64];
};

static int make_place(void **state)
{
    struct place *place = malloc(sizeof *place);
    snprintf(place->dir, sizeof place->dir, "/tmp/test_atomicfile.XXXXXX");
    *state = place;
    return mkdtemp(place->dir) ? 0 : -1;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    DIR *dir = opendir(place->dir);
    struct dirent *entry;
    while ((entry = readdir(dir)))
        if (unlinkat(dirfd(dir), entry->d_name, 0) < 0)
            unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
    closedir(dir);
    int result = rmdir(place->dir);
    free(place);
    return result;
}

static size_t count_files(const struct place *place)
{
    DIR *dir = opendir(place->dir);
    size_t n = 0;
    struct dirent *entry;
    while ((entry = readdir(dir)))
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static void path_of(char path[128], const struct place *place, const char *name)
{
    snprintf(path, 128, "%s/%s", place->dir, name);
}

static void assert_content(const struct place *place, const char *name, const char *expected)
{
    char path[128], content[256];
    path_of(path, place, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(content, expected);
}

static int write_text(const struct place *place, const char *text, bool keep)
{
    return atomicfile_write(place->dir, "f", text, strlen(text), keep);
}

static void replaces(void **state)
{
    struct place *place = *state;
    char path[128];
    struct stat status;
    assert_int_equal(write_text(place, "one", false), 0);
    assert_content(place, "f", "one");
    path_of(path, place, "f");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(write_text(place, "x", false), 0);
    assert_content(place, "f", "x");
    assert_int_equal(write_text(place, "", false), 0);
    assert_content(place, "f", "");
    assert_int_equal(count_files(place), 1);
}

/* What root writes into a directory of another account is that account's to use. */
static void owner_of_directory(void **state)
{
    struct place *place = *state;
    char path[128];
    struct stat status;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chown(place->dir, 65534, 65533), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(write_text(place, "one", true), 0);
    for (int i = 0; i < 2; i++) {
        path_of(path, place, i ? "f.1" : "f");
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_uid, 65534);
        assert_int_equal(status.st_gid, 65533);
        assert_int_equal(status.st_mode & 07777, 0600);
    }
}

static void mode_without_umask(void **state)
{
    struct place *place = *state;
    char path[128];
    struct stat status;
    mode_t old = umask(0777);
    int result = write_text(place, "one", false);
    umask(old);
    assert_int_equal(result, 0);
    path_of(path, place, "f");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
}

static void keeps_previous(void **state)
{
    struct place *place = *state;
    assert_int_equal(write_text(place, "one", true), 0);
    assert_int_equal(count_files(place), 1);
    assert_int_equal(write_text(place, "two", true), 0);
    assert_content(place, "f", "two");
    assert_content(place, "f.1", "one");
    assert_int_equal(write_text(place, "three", true), 0);
    assert_content(place, "f", "three");
    assert_content(place, "f.1", "two");
    assert_int_equal(count_files(place), 2);
    /* As a kill between the two renames leaves it: both names are one file. */
    char path[128], kept[128];
    path_of(path, place, "f");
    path_of(kept, place, "f.1");
    assert_int_equal(unlink(kept), 0);
    assert_int_equal(link(path, kept), 0);
    assert_int_equal(write_text(place, "four", true), 0);
    assert_content(place, "f.1", "three");
    assert_int_equal(count_files(place), 2);
}

/* A temporary file that a killed process left is no obstacle, and is not written through. */
static void left_over(void **state)
{
    struct place *place = *state;
    char path[128], target[128];
    path_of(path, place, "f.new");
    path_of(target, place, "target");
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(write_text(place, "one", true), 0);
    assert_content(place, "f", "one");
    assert_int_equal(access(target, F_OK), -1);
    assert_int_equal(count_files(place), 1);
}

static void full_disk(void **state)
{
    struct place *place = *state;
    assert_int_equal(write_text(place, "one", true), 0);
    assert_int_equal(write_text(place, "two", true), 0);
    struct rlimit limit, tiny;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    tiny = limit;
    tiny.rlim_cur = 1000;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    char large[5000];
    memset(large, 'x', sizeof large);
    int result = atomicfile_write(place->dir, "f", large, sizeof large, true);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, before);
    assert_int_equal(result, EFBIG);
    assert_content(place, "f", "two");
    assert_content(place, "f.1", "one");
    assert_int_equal(count_files(place), 2);
}

static void obstacles(void **state)
{
    struct place *place = *state;
    char path[128];
    assert_int_equal(atomicfile_write("/nonexistent/dir", "f", "x", 1, true), ENOENT);
    path_of(path, place, "f");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(write_text(place, "one", false), EISDIR);
    assert_int_equal(count_files(place), 1);
    assert_int_equal(rmdir(path), 0);

    assert_int_equal(write_text(place, "one", true), 0);
    path_of(path, place, "f.1");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(write_text(place, "two", true), EISDIR);
    assert_content(place, "f", "one");
    assert_int_equal(count_files(place), 2);

    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(atomicfile_write(place->dir, name, "x", 1, true), ENAMETOOLONG);
    char file[128];
    path_of(file, place, "f");
    assert_int_equal(atomicfile_write(file, "f", "x", 1, true), ENOTDIR);
}

/* A file that others read stays readable for them. */
static void as_it_was(void **state)
{
    struct place *place = *state;
    char path[128], link[128];
    struct stat status;
    path_of(path, place, "f");
    path_of(link, place, "link");
    assert_int_equal(atomicfile_replace(path, "one", 3, 0644), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0644);
    assert_int_equal(status.st_uid, geteuid());
    assert_int_equal(chmod(path, 0640), 0);
    if (geteuid() == 0)
        assert_int_equal(chown(path, 65534, 65533), 0);
    assert_int_equal(symlink("f", link), 0);
    assert_int_equal(atomicfile_replace(link, "two", 3, 0644), 0);
    assert_content(place, "f", "two");
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    if (geteuid() == 0) {
        assert_int_equal(status.st_uid, 65534);
        assert_int_equal(status.st_gid, 65533);
    }
    assert_int_equal(count_files(place), 2);
}

static void no_file_to_replace(void **state)
{
    struct place *place = *state;
    char path[128];
    path_of(path, place, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(atomicfile_replace(path, "x", 1, 0644), EINVAL);
    assert_int_equal(atomicfile_replace(place->dir, "x", 1, 0644), EISDIR);
    assert_int_equal(atomicfile_replace("/nonexistent/f", "x", 1, 0644), ENOENT);
    assert_int_equal(atomicfile_replace("/", "x", 1, 0644), EISDIR);
    assert_int_equal(count_files(place), 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, make_place, remove_place)
    const struct CMUnitTest tests[] = {
        TEST(owner_of_directory), TEST(replaces),  TEST(mode_without_umask),
        TEST(keeps_previous),     TEST(left_over), TEST(full_disk),
        TEST(obstacles),          TEST(as_it_was), TEST(no_file_to_replace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
