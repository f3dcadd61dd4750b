/* Directories that one process has for itself, and whose files have the owner of the directory. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/directory.h"

#include "tree.h"

static void assert_content(const struct tree *tree, const char *expected)
{
    char path[PATH_MAX];
    size_t length;
    tree_path(tree, "/lock", path);
    char *text = file_text(path, &length);
    assert_int_equal(length, strlen(expected));
    assert_string_equal(text, expected);
    free(text);
}

static void one_has_it(void **state)
{
    const struct tree *tree = *state;
    char own[24], path[PATH_MAX];
    int lock, other;
    pid_t holder = 77;
    struct stat status;
    snprintf(own, sizeof own, "%d\n", (int)getpid());
    tree_write(tree, "/lock", "a text that is longer than any number of a process\n");
    assert_int_equal(directory_lock(tree->root, &lock, &holder), 0);
    assert_int_equal(holder, 0);
    assert_true(lock >= 0);
    assert_content(tree, own);
    assert_int_equal(fcntl(lock, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(directory_lock(tree->root, &other, &holder), EBUSY);
    assert_int_equal(holder, getpid());
    assert_int_equal(other, -1);
    assert_content(tree, own);
    close(lock);
    assert_int_equal(directory_lock(tree->root, &other, &holder), 0);
    assert_int_equal(holder, 0);
    close(other);
    tree_remove(tree, "/lock");
    assert_int_equal(directory_lock(tree->root, &lock, &holder), 0);
    tree_path(tree, "/lock", path);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    close(lock);
}

/* Who has it is told only while a process of that number runs. */
static void who_has_it(void **state)
{
    static const struct {
        const char *text;
        bool runs;
    } rows[] = {{"", false},     {"none\n", false},     {"0\n", false},
                {"-1\n", false}, {"99999999\n", false}, {"1\n", true}};
    const struct tree *tree = *state;
    int lock, other;
    pid_t holder;
    assert_int_equal(directory_lock(tree->root, &lock, &holder), 0);
    for (size_t i = 0; i < N_OF(rows); i++) {
        tree_write(tree, "/lock", rows[i].text);
        assert_int_equal(directory_lock(tree->root, &other, &holder), EBUSY);
        if (holder != (rows[i].runs ? 1 : 0))
            fail_msg("row %zu: %d", i, (int)holder);
    }
    close(lock);
}

/* The kernel gives it back, however the process ends. */
static void ends_with_the_process(void **state)
{
    const struct tree *tree = *state;
    int lock;
    pid_t holder, pid = fork();
    if (pid == 0) {
        directory_lock(tree->root, &lock, &holder);
        _exit(lock >= 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(directory_lock(tree->root, &lock, &holder), 0);
    close(lock);
}

static int open_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void what_is_no_directory_and_no_file(void **state)
{
    const struct tree *tree = *state;
    char path[PATH_MAX];
    int lock = 7, open_before = open_descriptors();
    pid_t holder = 7;
    tree_path(tree, "/none", path);
    assert_int_equal(directory_lock(path, &lock, &holder), ENOENT);
    assert_int_equal(lock, -1);
    assert_int_equal(holder, 0);
    tree_write(tree, "/file", "");
    tree_path(tree, "/file", path);
    assert_int_equal(directory_lock(path, &lock, &holder), ENOTDIR);
    tree_link(tree, "/lock", "file");
    assert_int_equal(directory_lock(tree->root, &lock, &holder), ELOOP);
    tree_remove(tree, "/lock");
    tree_path(tree, "/lock", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(directory_lock(tree->root, &lock, &holder), EINVAL);
    assert_int_equal(lock, -1);
    tree_remove(tree, "/lock");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(directory_lock(tree->root, &lock, &holder), EISDIR);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(open_descriptors(), open_before);
}

/* What root makes in the directory of somebody else is theirs; either of the two ids is enough. */
static void files_of_the_owner(void **state)
{
    static const struct {
        uid_t uid;
        gid_t gid;
    } rows[] = {{4321, 1234}, {0, 1234}, {4321, 0}, {0, 0}};
    const struct tree *tree = *state;
    char path[PATH_MAX];
    tree_path(tree, "/lock", path);
    for (size_t i = 0; i < N_OF(rows); i++) {
        int lock;
        pid_t holder;
        struct stat status;
        if (chown(tree->root, rows[i].uid, rows[i].gid) != 0)
            skip();
        assert_int_equal(directory_lock(tree->root, &lock, &holder), 0);
        assert_int_equal(fstat(lock, &status), 0);
        assert_int_equal(status.st_uid, rows[i].uid);
        assert_int_equal(status.st_gid, rows[i].gid);
        close(lock);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(one_has_it),
        tree_test(who_has_it),
        tree_test(ends_with_the_process),
        tree_test(what_is_no_directory_and_no_file),
        tree_test(files_of_the_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
