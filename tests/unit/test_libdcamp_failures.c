/* Where nothing can be published, or no more: the program runs the same, and is told why. Each test
 * is a process of its own. */
#include "libdcamp/dcamp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/segments.h"
#include "tests/unit/unit.h"

static char directory[64];

/* Leaves a process whose condition does not hold with the number of the line. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s (%d, %s)\n", __FILE__, __LINE__, #condition, dcamp_error(), \
                    dcamp_reason());                                                               \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void in_process(void (*function)(void))
{
    int status;
    segments_use(directory, sizeof directory);
    pid_t pid = fork();
    if (pid == 0) {
        function();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    segments_remove(directory);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("it ended with status 0x%x", status);
}

/* Every call of the interface, as a program would use it. They leave errno alone. */
static void use(struct dcamp_app *app, const char *instance, int error)
{
    struct dcamp_counter *counter = dcamp_counter_new(app, "counter", instance, "x");
    CHECK(dcamp_error() == error && counter);
    struct dcamp_gauge *gauge = dcamp_gauge_new(app, "gauge", instance, "x");
    CHECK(dcamp_error() == error && gauge);
    struct dcamp_timer *timer = dcamp_timer_new(app, "timer", instance);
    CHECK(dcamp_error() == error && timer);
    struct dcamp_histogram *histogram = dcamp_histogram_new(app, "histogram", instance, "x");
    CHECK(dcamp_error() == error && histogram);
    struct dcamp_top *top = dcamp_top_new(app, "top", instance, "x");
    CHECK(dcamp_error() == error && top);
    struct dcamp_step *step = dcamp_step_new(app, "step", instance, "x");
    CHECK(dcamp_error() == error && step);
    CHECK((error == 0) == (*dcamp_reason() == '\0'));
    errno = ECHILD;
    for (int i = 1; i < 3000; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        dcamp_counter_add(counter, 1);
        dcamp_gauge_set(gauge, i);
        dcamp_gauge_add(gauge, 1);
        dcamp_timer_stop(timer, dcamp_timer_start(timer));
        dcamp_histogram_record(histogram, i * 1000.0);
        dcamp_histogram_record(histogram, -i);
        dcamp_histogram_record(histogram, 0);
        dcamp_top_add(top, key, 1);
        dcamp_step_end(step, dcamp_step_begin(step, (uint64_t)i), i % 2);
    }
    dcamp_thread_name("name");
    CHECK(errno == ECHILD);
}

static void without_a_directory(void)
{
    setenv(SEGMENT_DIRECTORY_VARIABLE, "/nonexistent", 1);
    struct dcamp_app *app = dcamp_app_open("failures");
    CHECK(app && dcamp_error() == ENOENT);
    CHECK(strcmp(dcamp_reason(), "a file in /nonexistent cannot be created: "
                                 "No such file or directory") == 0);
    use(app, "", ENOENT);
    CHECK(strcmp(dcamp_reason(), "step: a file in /nonexistent cannot be created: "
                                 "No such file or directory") == 0);
    dcamp_app_close(app);
    setenv(SEGMENT_DIRECTORY_VARIABLE, directory, 1);
    app = dcamp_app_open("failures");
    CHECK(dcamp_error() == 0);
    use(app, "", 0);
    CHECK(own_copy(directory)->descriptors == 6);
}

static void a_directory_is_needed(void **state)
{
    (void)state;
    in_process(without_a_directory);
}

static void with_names_that_are_none(void)
{
    char path[PATH_MAX + 1];
    const char *bad[] = {NULL, "", "a b", "abcdefghijklmnopqrstuvwxyz.ABC_-x"};
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct dcamp_app *app = dcamp_app_open(bad[i]);
        CHECK(app && dcamp_error() == EINVAL);
        use(app, "", EINVAL);
        dcamp_app_close(app);
    }
    memset(path, '/', PATH_MAX);
    path[PATH_MAX] = '\0';
    setenv(SEGMENT_DIRECTORY_VARIABLE, path, 1);
    struct dcamp_app *app = dcamp_app_open("failures");
    CHECK(app && dcamp_error() == ENAMETOOLONG);
    use(app, "", ENAMETOOLONG);
    dcamp_app_close(app);
    CHECK(segments_count(directory) == 0);
}

static void names_are_needed(void **state)
{
    (void)state;
    in_process(with_names_that_are_none);
}

static void with_bad_sensors(void)
{
    use(NULL, "", EINVAL);
    CHECK(strcmp(dcamp_reason(), "step: there is no application") == 0);
    struct dcamp_app *app = dcamp_app_open("failures");
    use(app, "a\nb", EINVAL);
    CHECK(strcmp(dcamp_reason(), "step: instance, unit or purpose have control characters, or "
                                 "octets that are not UTF-8") == 0);
    dcamp_counter_add(dcamp_counter_new(app, NULL, NULL, NULL), 1);
    CHECK(dcamp_error() == EINVAL && errno == EINVAL);
    struct copy *copy = own_copy(directory);
    CHECK(copy->descriptors == 0 && copy->header->refused == 7);
}

static void bad_sensors_are_refused(void **state)
{
    (void)state;
    in_process(with_bad_sensors);
}

static void limit(rlim_t most)
{
    struct rlimit limit = {.rlim_cur = most, .rlim_max = RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* The file must not grow: sensors are refused from then on, what there is counts on, and values
 * that have no bucket are in the count all the same. When it may grow again, it does. */
static void with_a_file_that_cannot_grow(void)
{
    struct dcamp_app *app = dcamp_app_open("failures");
    struct dcamp_histogram *histogram = dcamp_histogram_new(app, "wide", "", "x");
    struct dcamp_top *top = dcamp_top_new(app, "keys", "", "x");
    char name[16];
    limit(2 * SEGMENT_EXTENT - 1);
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "key%d", i);
        dcamp_top_add(top, name, 1);
        dcamp_histogram_record(histogram, i % 2 ? i + 1.0 : -1e-9 * (i + 1));
    }
    unsigned sensors = 2;
    do
        snprintf(name, sizeof name, "c%u", sensors);
    while (dcamp_counter_new(app, name, "", ""), dcamp_error() == 0 && ++sensors);
    CHECK(dcamp_error() == EFBIG);
    snprintf(name, sizeof name, "c%u: ", sensors);
    CHECK(strncmp(dcamp_reason(), name, strlen(name)) == 0);
    CHECK(strcmp(dcamp_reason() + strlen(name), "the file cannot grow: File too large") == 0);
    struct copy *copy = own_copy(directory);
    static struct merged merged[SEGMENT_TOP_ENTRIES];
    CHECK(copy->size == SEGMENT_EXTENT && copy->descriptors == sensors);
    CHECK(copy->header->full > 0 && copy->header->refused == 1);
    const struct segment_descriptor *is = copy_descriptor(copy, "wide", "");
    CHECK(copy_word(copy, is, SEGMENT_HISTOGRAM_COUNT) == 10000);
    is = copy_descriptor(copy, "keys", "");
    size_t n = copy_top(copy, is, merged, N_OF(merged));
    uint64_t counted = copy_word(copy, is, SEGMENT_TOP_MISSED);
    CHECK(n > 0 && n < SEGMENT_TOP_ENTRIES && n % SEGMENT_ENTRIES_IN_PANEL == 0);
    for (size_t i = 0; i < n; i++)
        counted += merged[i].count;
    CHECK(counted == 10000 && copy_word(copy, is, SEGMENT_TOP_TOTAL) == 10000);
    for (int i = 0; i < 1000; i++) {
        dcamp_top_new(app, "later", "", "x");
        CHECK(dcamp_error() == EFBIG);
    }
    limit(RLIM_INFINITY);
    dcamp_top_add(dcamp_top_new(app, "later", "", "x"), "key", 3);
    CHECK(dcamp_error() == 0);
    snprintf(name, sizeof name, "c%u", sensors);
    dcamp_counter_add(dcamp_counter_new(app, name, "", ""), 4);
    CHECK(dcamp_error() == 0);
    copy = own_copy(directory);
    CHECK(copy->size > SEGMENT_EXTENT);
    CHECK(copy_word(copy, copy_descriptor(copy, name, ""), 0) == 4);
    CHECK(copy_top(copy, copy_descriptor(copy, "later", ""), merged, N_OF(merged)) == 1);
}

static void a_file_that_cannot_grow_is_used_on(void **state)
{
    (void)state;
    in_process(with_a_file_that_cannot_grow);
}

static void without_room_for_a_file(void)
{
    limit(1000);
    struct dcamp_app *app = dcamp_app_open("failures");
    CHECK(dcamp_error() == EFBIG);
    use(app, "", EFBIG);
    CHECK(segments_count(directory) == 0);
}

static void a_file_that_cannot_be_is_not_left(void **state)
{
    (void)state;
    in_process(without_room_for_a_file);
}

static bool is_alive(const char *path)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fcntl(fd, F_OFD_GETLK, &lock) == 0);
    close(fd);
    return lock.l_type != F_UNLCK;
}

/* A program closes all that it does not know. It still has the lock: its memory holds that, too. */
static void with_closed_descriptors(void)
{
    struct dcamp_app *app = dcamp_app_open("failures");
    use(app, "a", 0);
    for (int fd = 3; fd < 100; fd++)
        close(fd);
    FILE *other = fopen("/dev/null", "w");
    char path[512];
    CHECK(is_alive(segment_path(directory, getpid(), path, sizeof path)));
    char name[16];
    int sensors = 0;
    do
        snprintf(name, sizeof name, "s%d", sensors++);
    while (dcamp_counter_new(app, name, "", ""), dcamp_error() == 0);
    CHECK(dcamp_error() == EBADF);
    use(app, "a", 0);
    dcamp_app_close(app);
    CHECK(fputs("text", other) >= 0 && fclose(other) == 0);
}

static void closed_descriptors_do_no_harm(void **state)
{
    (void)state;
    in_process(with_closed_descriptors);
}

/* A process that cannot have a file lives beside one that has. */
static void without_rights(void)
{
    CHECK(chmod(directory, 0555) == 0);
    if (geteuid() == 0)
        CHECK(seteuid(65534) == 0);
    struct dcamp_app *app = dcamp_app_open("failures");
    CHECK(dcamp_error() == EACCES);
    use(app, "", EACCES);
}

static void without_rights_of_the_child(void)
{
    struct dcamp_app *app = dcamp_app_open("failures");
    int status;
    CHECK(dcamp_error() == 0);
    pid_t pid = fork();
    if (pid == 0) {
        CHECK(chmod(directory, 0555) == 0);
        if (geteuid() == 0)
            CHECK(seteuid(65534) == 0);
        use(app, "", EACCES);
        CHECK(strcmp(dcamp_reason(), "step: this child has no file: Permission denied") == 0);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    use(app, "", 0);
}

static void rights_are_needed(void **state)
{
    (void)state;
    in_process(without_rights);
    in_process(without_rights_of_the_child);
}

/* As many as there are numbers; the last ones are refused, and the others still count. */
static void with_too_many_panels(void)
{
    struct dcamp_app *app = dcamp_app_open("failures");
    char name[16];
    unsigned n = 0;
    for (; n < SEGMENT_DESCRIPTORS_MAX; n++) {
        snprintf(name, sizeof name, "h%u", n);
        struct dcamp_histogram *histogram = dcamp_histogram_new(app, name, "", "");
        dcamp_histogram_record(histogram, n + 1);
        if (dcamp_error())
            break;
    }
    CHECK(dcamp_error() == ENOSPC && n == 327);
    struct copy *copy = own_copy(directory);
    CHECK(copy->descriptors == n);
    for (unsigned i = 0; i < n; i++) {
        snprintf(name, sizeof name, "h%u", i);
        CHECK(copy_word(copy, copy_descriptor(copy, name, ""), 0) == 1);
    }
}

static void panels_have_an_end(void **state)
{
    (void)state;
    in_process(with_too_many_panels);
}

/* What a process has left that was killed: the lock is free, and the file is unfinished, or sound.
 */
static bool is_sound(const char *path)
{
    struct copy *copy = copy_of(path);
    bool sound = !is_alive(path);
    if (copy && *copy->fault) {
        print_message("%s\n", copy->fault);
        sound = false;
    }
    copy_free(copy);
    return sound;
}

static unsigned look_at_all(unsigned *finished)
{
    unsigned files = 0;
    DIR *dir = opendir(directory);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[512];
        if (*entry->d_name == '.')
            continue;
        snprintf(path, sizeof path, "%s/%.200s", directory, entry->d_name);
        assert_true(is_sound(path));
        struct copy *copy = copy_of(path);
        *finished += copy != NULL;
        copy_free(copy);
        assert_int_equal(unlink(path), 0);
        files++;
    }
    closedir(dir);
    return files;
}

static void make_and_count(void)
{
    for (;;) {
        struct dcamp_app *app = dcamp_app_open("killed");
        use(app, "", 0);
        dcamp_app_close(app);
    }
}

/* On a busy machine, most are killed before they have run at all: more are needed then. */
static bool has_seen_enough(unsigned long kills, unsigned files, unsigned finished)
{
    return finished > 0 && files > kills / 10;
}

/* The creation takes some tens of microseconds, what comes after it some milliseconds: most are
 * killed in the former. DCAMP_KILLS says how many (make sensors-long: 20,000). */
static void it_may_be_killed_at_any_moment(void **state)
{
    (void)state;
    const char *number = getenv("DCAMP_KILLS");
    unsigned long kills = number ? strtoul(number, NULL, 10) : 300;
    unsigned files = 0, finished = 0, seed = 5;
    unsigned long i = 0;
    segments_use(directory, sizeof directory);
    for (; i < kills || (i < 20 * kills && !has_seen_enough(kills, files, finished)); i++) {
        int ready[2], status;
        char octet;
        assert_int_equal(pipe(ready), 0);
        pid_t pid = fork();
        if (pid == 0) {
            CHECK(write(ready[1], "", 1) == 1);
            make_and_count();
        }
        assert_int_equal(read(ready[0], &octet, 1), 1);
        unsigned long patience = (unsigned)rand_r(&seed) % (i % 4 ? 40000 : 400000);
        for (volatile unsigned long spin = 0; spin < patience * 10; spin++)
            ;
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        close(ready[0]);
        close(ready[1]);
        files += look_at_all(&finished);
    }
    print_message("%lu killed: %u files, %u of them finished\n", i, files, finished);
    assert_true(has_seen_enough(kills, files, finished));
    segments_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_is_needed),
        cmocka_unit_test(names_are_needed),
        cmocka_unit_test(bad_sensors_are_refused),
        cmocka_unit_test(a_file_that_cannot_grow_is_used_on),
        cmocka_unit_test(a_file_that_cannot_be_is_not_left),
        cmocka_unit_test(closed_descriptors_do_no_harm),
        cmocka_unit_test(rights_are_needed),
        cmocka_unit_test(panels_have_an_end),
        cmocka_unit_test(it_may_be_killed_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
