#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/procfile.h"

#include "tree.h"

static void path_is_joined(void **state)
{
    static const struct {
        const char *root, *path, *joined;
    } rows[] = {
        {"/", "/proc/stat", "/proc/stat"},
        {"", "/proc/stat", "/proc/stat"},
        {"/a/b", "/proc/stat", "/a/b/proc/stat"},
        {"a//", "/sys", "a/sys"},
        {".", "/sys", "./sys"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char joined[64];
        struct procfile file;
        assert_int_equal(procfile_path(joined, sizeof joined, rows[i].root, rows[i].path), 0);
        assert_string_equal(joined, rows[i].joined);
        assert_int_equal(procfile_init(&file, rows[i].root, rows[i].path), 0);
        assert_string_equal(file.path, rows[i].joined);
        procfile_release(&file);
    }
    char small[11];
    assert_int_equal(procfile_path(small, sizeof small, "/", "/proc/stat"), 0);
    assert_int_equal(procfile_path(small, sizeof small - 1, "/", "/proc/stat"), ENAMETOOLONG);
}

static void check_size(const struct tree *tree, struct procfile *file, size_t size)
{
    char *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)('a' + i % 23);
    tree_write_bytes(tree, "/file", bytes, size);
    assert_int_equal(procfile_read(file), 0);
    assert_int_equal(file->length, size);
    assert_memory_equal(file->text, bytes, size);
    assert_int_equal(file->text[size], '\0');
    free(bytes);
}

/* Around the sizes of the buffer, up and down, with one file that keeps growing and a fresh one
 * for each size. */
static void whole_file_is_read(void **state)
{
    static const size_t sizes[] = {0,    1,    4094,  4095,   4096, 4097, 8190, 8191, 8192,
                                   8193, 1000, 65535, 300000, 4095, 1,    0,    4096};
    const struct tree *tree = *state;
    struct procfile kept;
    tree_write(tree, "/file", "");
    assert_int_equal(procfile_init(&kept, tree->root, "/file"), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct procfile fresh;
        assert_int_equal(procfile_init(&fresh, tree->root, "/file"), 0);
        check_size(tree, &kept, sizes[i]);
        check_size(tree, &fresh, sizes[i]);
        procfile_release(&fresh);
    }
    procfile_release(&kept);
}

static void handle_is_kept(void **state)
{
    const struct tree *tree = *state;
    struct procfile file;
    assert_int_equal(procfile_init(&file, tree->root, "/file"), 0);
    assert_int_equal(file.fd, -1);
    tree_write(tree, "/file", "one\n");
    assert_int_equal(procfile_read(&file), 0);
    int fd = file.fd;
    assert_true(fd >= 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    tree_write(tree, "/file", "two, longer\n");
    assert_int_equal(procfile_read(&file), 0);
    assert_string_equal(file.text, "two, longer\n");
    assert_int_equal(file.fd, fd);
    procfile_release(&file);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

/* A handle that gives an error, here one of a directory (EISDIR), is replaced. */
static void bad_handle_is_reopened(void **state)
{
    const struct tree *tree = *state;
    struct procfile file;
    tree_write(tree, "/file", "text\n");
    assert_int_equal(procfile_init(&file, tree->root, "/file"), 0);
    assert_int_equal(procfile_read(&file), 0);
    int folder = open(tree->root, O_RDONLY);
    assert_true(folder >= 0);
    assert_int_equal(dup2(folder, file.fd), file.fd);
    assert_int_equal(procfile_read(&file), 0);
    assert_string_equal(file.text, "text\n");

    tree_remove(tree, "/file");
    assert_int_equal(dup2(folder, file.fd), file.fd);
    assert_int_equal(procfile_read(&file), ENOENT);
    assert_int_equal(file.fd, -1);
    assert_int_equal(file.length, 0);
    tree_write(tree, "/file", "again\n");
    assert_int_equal(procfile_read(&file), 0);
    assert_string_equal(file.text, "again\n");
    close(folder);
    procfile_release(&file);
}

static void errors_are_returned(void **state)
{
    const struct tree *tree = *state;
    static const struct {
        const char *path;
        int error;
    } rows[] = {{"/none", ENOENT}, {"/file/below", ENOTDIR}, {"/", EISDIR}};
    tree_write(tree, "/file", "x");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct procfile file;
        assert_int_equal(procfile_init(&file, tree->root, rows[i].path), 0);
        assert_int_equal(procfile_read(&file), rows[i].error);
        assert_int_equal(procfile_read(&file), rows[i].error);
        assert_int_equal(file.fd, -1);
        procfile_release(&file);
        procfile_release(&file);
    }
}

/* Nobody writes into it: that must not hold up who reads. */
static void pipe_is_refused(void **state)
{
    const struct tree *tree = *state;
    char full[PATH_MAX], text[8];
    struct procfile file;
    tree_path(tree, "/pipe", full);
    assert_int_equal(mkfifo(full, 0600), 0);
    assert_int_equal(procfile_init(&file, tree->root, "/pipe"), 0);
    alarm(10);
    assert_int_equal(procfile_read(&file), ESPIPE);
    assert_int_equal(procfile_read_once(AT_FDCWD, full, text, sizeof text), ESPIPE);
    alarm(0);
    procfile_release(&file);
}

static void endless_file_is_refused(void **state)
{
    (void)state;
    struct procfile file;
    assert_int_equal(procfile_init(&file, "/", "/dev/zero"), 0);
    assert_int_equal(procfile_read(&file), EFBIG);
    procfile_release(&file);
}

/* A seq_file of many records comes in several reads. */
static void kernel_file_is_read(void **state)
{
    (void)state;
    struct procfile file;
    char once[65536];
    assert_int_equal(procfile_init(&file, "/", "/proc/self/limits"), 0);
    assert_int_equal(procfile_read(&file), 0);
    assert_int_equal(procfile_read_once(AT_FDCWD, "/proc/self/limits", once, sizeof once), 0);
    assert_string_equal(file.text, once);
    procfile_release(&file);
    assert_int_equal(procfile_init(&file, "/", "/proc/kallsyms"), 0);
    if (procfile_read(&file) == 0)
        assert_int_equal(strlen(file.text), file.length);
    procfile_release(&file);
}

/* The kernel gives a page of this file at a time. */
static void several_reads_fill_the_text(void **state)
{
    (void)state;
    char text[12000];
    size_t whole = 0;
    FILE *file = fopen("/proc/self/smaps", "r");
    assert_non_null(file);
    while (fgetc(file) != EOF)
        whole++;
    fclose(file);
    assert_true(whole >= sizeof text);
    assert_int_equal(procfile_read_once(AT_FDCWD, "/proc/self/smaps", text, sizeof text), 0);
    assert_int_equal(strlen(text), sizeof text - 1);
}

static void small_file_is_read_once(void **state)
{
    const struct tree *tree = *state;
    char full[PATH_MAX];
    char text[6];
    tree_write(tree, "/attribute", "12345678\n");
    tree_path(tree, "/attribute", full);
    assert_int_equal(procfile_read_once(AT_FDCWD, full, text, sizeof text), 0);
    assert_string_equal(text, "12345");
    int folder = open(tree->root, O_RDONLY | O_DIRECTORY);
    assert_int_equal(procfile_read_once(folder, "attribute", text, 3), 0);
    assert_string_equal(text, "12");
    tree_write(tree, "/attribute", "");
    assert_int_equal(procfile_read_once(folder, "attribute", text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(procfile_read_once(folder, "none", text, sizeof text), ENOENT);
    assert_int_equal(procfile_read_once(folder, ".", text, sizeof text), EISDIR);
    assert_string_equal(text, "");
    close(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_is_joined),
        tree_test(whole_file_is_read),
        tree_test(handle_is_kept),
        tree_test(bad_handle_is_reopened),
        tree_test(errors_are_returned),
        tree_test(pipe_is_refused),
        cmocka_unit_test(endless_file_is_refused),
        cmocka_unit_test(kernel_file_is_read),
        cmocka_unit_test(several_reads_fill_the_text),
        tree_test(small_file_is_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
