/* The file of a segment: created for one process, locked, and never in the way of the program. */
#include "libdcamp/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdcamp/segment.h"
#include "tests/unit/segments.h"
#include "tests/unit/unit.h"

static char directory[64], path[512];

static int use_directory(void **state)
{
    (void)state;
    segments_use(directory, sizeof directory);
    segment_path(directory, getpid(), path, sizeof path);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    segments_remove(directory);
    return 0;
}

/* So many allocations fail, and with what. See ld(1), --wrap. */
static int failures, failure;

int __real_fallocate(int fd, int mode, off_t from, off_t size);
int __wrap_fallocate(int fd, int mode, off_t from, off_t size);

int __wrap_fallocate(int fd, int mode, off_t from, off_t size)
{
    if (failures == 0)
        return __real_fallocate(fd, mode, from, size);
    failures--;
    errno = failure;
    return -1;
}

static void start_times_are_found(void **state)
{
    (void)state;
    const char *end = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 19 20\n";
    char text[128];
    snprintf(text, sizeof text, "12 (name)%s", end);
    assert_int_equal(dcamp_file_start_time(text), 4711);
    snprintf(text, sizeof text, "12 (a) b ((c) 9 9)%s", end);
    assert_int_equal(dcamp_file_start_time(text), 4711);
    assert_int_equal(dcamp_file_start_time("12 (name) S 1 2 3"), 0);
    assert_int_equal(dcamp_file_start_time("12 (name)"), 0);
    assert_int_equal(dcamp_file_start_time(""), 0);
}

static int lock_of(const char *file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_OFD_GETLK, &lock), 0);
    close(fd);
    return lock.l_type;
}

static struct file create(void)
{
    struct file file;
    const char *step;
    uint64_t start;
    assert_int_equal(dcamp_file_create(&file, directory, &start, &step), 0);
    return file;
}

/* Its mode does not depend on the umask, and a program that is run does not inherit it. */
static void it_is_created_and_locked(void **state)
{
    (void)state;
    mode_t mask = umask(0177);
    struct file file = create();
    umask(mask);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, SEGMENT_MODE);
    assert_int_equal(status.st_size, SEGMENT_EXTENT);
    assert_true(status.st_blocks * 512 >= SEGMENT_EXTENT);
    assert_int_equal(fcntl(file.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(lock_of(path), F_WRLCK);
    file.base[SEGMENT_EXTENT - 1] = 1;
    dcamp_file_release(&file);
    assert_int_equal(lock_of(path), F_UNLCK);
    assert_int_equal(file.fd, -1);
    assert_int_equal(stat(path, &status), 0);
}

/* As /proc/self/maps has it. */
static void assert_protection(const unsigned char *octet, const char *expected)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096], protection[8] = "none";
    uintptr_t begin, end, at = (uintptr_t)octet;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &begin, &end, protection) == 3 &&
            at >= begin && at < end)
            break;
    fclose(maps);
    assert_string_equal(protection, expected);
}

/* What reads all memory of the program, as Valgrind does, finds nothing that is not in the file. */
static void only_the_file_is_within_reach(void **state)
{
    (void)state;
    struct file file = create();
    assert_protection(file.base, "rw-s");
    assert_protection(file.base + SEGMENT_EXTENT - 1, "rw-s");
    assert_protection(file.base + SEGMENT_EXTENT, "---s");
    assert_protection(file.base + SEGMENT_SIZE_MAX - 1, "---s");
    assert_int_equal(dcamp_file_allocate(&file, SEGMENT_EXTENT, SEGMENT_EXTENT), 0);
    assert_protection(file.base + 2 * SEGMENT_EXTENT - 1, "rw-s");
    assert_protection(file.base + 2 * SEGMENT_EXTENT, "---s");
    unsigned char *base = file.base;
    dcamp_file_release(&file);
    assert_protection(base + SEGMENT_SIZE_MAX - 1, "rw-p");
    munmap(base, SEGMENT_SIZE_MAX);
}

/* What is released stays writable, but is no more the file. */
static void released_memory_is_private(void **state)
{
    (void)state;
    struct file file = create();
    unsigned char *base = file.base;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    base[100] = 7;
    dcamp_file_release(&file);
    base[100] = 8;
    base[SEGMENT_SIZE_MAX - 1] = 9;
    unsigned char octet;
    assert_int_equal(pread(fd, &octet, 1, 100), 1);
    assert_int_equal(octet, 7);
    close(fd);
    munmap(base, SEGMENT_SIZE_MAX);
}

static void a_living_file_is_not_touched(void **state)
{
    (void)state;
    struct file first = create(), second;
    const char *step;
    uint64_t start;
    assert_int_equal(dcamp_file_create(&second, directory, &start, &step), EEXIST);
    assert_string_equal(step, "cannot be created");
    assert_int_equal(segments_count(directory), 1);
    dcamp_file_release(&first);
}

/* A segment in Java has a POSIX lock, which must not go when C looks for one. */
static void nor_is_one_in_java(void **state)
{
    (void)state;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int java = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, SEGMENT_MODE), status;
    assert_true(java >= 0);
    assert_int_equal(fcntl(java, F_SETLK, &lock), 0);
    struct file file;
    const char *step;
    uint64_t start;
    assert_int_equal(dcamp_file_create(&file, directory, &start, &step), EEXIST);
    pid_t child = fork();
    if (child == 0)
        _exit(lock_of(path) == F_WRLCK ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(java);
}

/* The first nine images of a process leave their files to the reader; the tenth of those that
 * nobody reads is gone. */
static void files_of_earlier_images_are_set_aside(void **state)
{
    (void)state;
    char aside[520];
    for (int image = 0; image < 12; image++) {
        struct file file = create();
        file.base[0] = (unsigned char)(image + 1);
        dcamp_file_release(&file);
    }
    assert_int_equal(segments_count(directory), 10);
    for (int n = 1; n <= 9; n++) {
        unsigned char octet = 0;
        assert_true((size_t)snprintf(aside, sizeof aside, "%s.%d", path, n) < sizeof aside);
        int fd = open(aside, O_RDONLY | O_CLOEXEC);
        assert_int_equal(pread(fd, &octet, 1, 0), 1);
        assert_int_equal(octet, n);
        close(fd);
    }
}

static void a_link_is_not_followed(void **state)
{
    (void)state;
    char target[128];
    struct file file;
    const char *step;
    uint64_t start;
    snprintf(target, sizeof target, "%s/target", directory);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(dcamp_file_create(&file, directory, &start, &step), EEXIST);
    assert_int_equal(access(target, F_OK), -1);
}

static void it_needs_its_directory(void **state)
{
    (void)state;
    struct file file;
    const char *step;
    uint64_t start;
    assert_int_equal(dcamp_file_create(&file, "/nonexistent", &start, &step), ENOENT);
    assert_string_equal(step, "cannot be created");
    assert_int_equal(dcamp_file_create(&file, "/proc", &start, &step), ENOENT);
}

static void limit(rlim_t most)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* SIGXFSZ would end this test. Nothing is left. */
static void the_limit_of_a_process_is_kept(void **state)
{
    (void)state;
    struct file file;
    const char *step;
    uint64_t start;
    limit(SEGMENT_EXTENT - 1);
    int error = dcamp_file_create(&file, directory, &start, &step);
    limit(RLIM_INFINITY);
    assert_int_equal(error, EFBIG);
    assert_string_equal(step, "cannot be allocated");
    assert_int_equal(segments_count(directory), 0);
    limit(SEGMENT_EXTENT);
    file = create();
    assert_int_equal(dcamp_file_allocate(&file, SEGMENT_EXTENT, 1), EFBIG);
    limit(SEGMENT_EXTENT + 1);
    assert_int_equal(dcamp_file_allocate(&file, SEGMENT_EXTENT, 1), 0);
    limit(RLIM_INFINITY);
    assert_int_equal(dcamp_file_allocate(&file, SEGMENT_SIZE_MAX - 1, 2), EFBIG);
    assert_int_equal(dcamp_file_allocate(&file, SEGMENT_SIZE_MAX - 4096, 4096), 0);
    dcamp_file_release(&file);
}

/* A program that closes all descriptors, as one does that becomes a daemon, and then opens files of
 * its own: they must neither grow nor be closed. */
static void a_descriptor_of_another_file_is_left_alone(void **state)
{
    (void)state;
    char other[128];
    struct stat status;
    struct file file = create();
    int number = file.fd;
    close(number);
    assert_int_equal(dcamp_file_allocate(&file, 0, 1), EBADF);
    snprintf(other, sizeof other, "%s/other", directory);
    int fd = open(other, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(fd, number);
    assert_int_equal(dcamp_file_allocate(&file, 0, SEGMENT_EXTENT), EBADF);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_size, 0);
    dcamp_file_release(&file);
    assert_int_equal(fstat(fd, &status), 0);
    close(fd);
}

/* Nobody writes zero octets instead: other threads may have counted there. */
static void a_file_system_must_allocate(void **state)
{
    (void)state;
    struct file file;
    const char *step;
    uint64_t start;
    failures = 1;
    failure = EOPNOTSUPP;
    assert_int_equal(dcamp_file_create(&file, directory, &start, &step), EOPNOTSUPP);
    assert_string_equal(step, "cannot be allocated");
    assert_int_equal(segments_count(directory), 0);
    file = create();
    failures = 1;
    assert_int_equal(dcamp_file_allocate(&file, SEGMENT_EXTENT, SEGMENT_EXTENT), EOPNOTSUPP);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, SEGMENT_EXTENT);
    dcamp_file_release(&file);
}

static void an_allocation_that_is_interrupted_is_tried_again(void **state)
{
    (void)state;
    struct file file = create();
    failures = 5;
    failure = EINTR;
    assert_int_equal(dcamp_file_allocate(&file, SEGMENT_EXTENT, SEGMENT_EXTENT), 0);
    assert_int_equal(failures, 0);
    failures = 1000000;
    assert_int_equal(dcamp_file_allocate(&file, SEGMENT_EXTENT, SEGMENT_EXTENT), EINTR);
    failures = 0;
    dcamp_file_release(&file);
}

static void what_is_undone_is_gone(void **state)
{
    (void)state;
    struct file file;
    const char *step;
    uint64_t start;
    assert_int_equal(dcamp_file_create(&file, directory, &start, &step), 0);
    dcamp_file_undo(&file, directory, start);
    assert_int_equal(segments_count(directory), 0);
    assert_int_equal(file.fd, -1);
}

static void there_may_be_no_file(void **state)
{
    (void)state;
    struct file file;
    assert_int_equal(dcamp_file_pretend(&file), 0);
    unsigned char *base = file.base;
    base[SEGMENT_SIZE_MAX - 1] = 1;
    assert_int_equal(dcamp_file_allocate(&file, 0, 1), EBADF);
    dcamp_file_release(&file);
    assert_int_equal(base[SEGMENT_SIZE_MAX - 1], 0);
    munmap(base, SEGMENT_SIZE_MAX);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, use_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_times_are_found),
        IN_DIRECTORY(it_is_created_and_locked),
        IN_DIRECTORY(only_the_file_is_within_reach),
        IN_DIRECTORY(released_memory_is_private),
        IN_DIRECTORY(a_living_file_is_not_touched),
        IN_DIRECTORY(nor_is_one_in_java),
        IN_DIRECTORY(files_of_earlier_images_are_set_aside),
        IN_DIRECTORY(a_link_is_not_followed),
        cmocka_unit_test(it_needs_its_directory),
        IN_DIRECTORY(the_limit_of_a_process_is_kept),
        IN_DIRECTORY(a_descriptor_of_another_file_is_left_alone),
        IN_DIRECTORY(a_file_system_must_allocate),
        IN_DIRECTORY(an_allocation_that_is_interrupted_is_tried_again),
        IN_DIRECTORY(what_is_undone_is_gone),
        cmocka_unit_test(there_may_be_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
