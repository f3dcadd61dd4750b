#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trapd-handlers/intake.h"
#include "trapd-handlers/record.h"
#include "trapd-handlers/spool.h"

#include "remove_all.h"
#include "traps.h"
#include "unit.h"

#define SIZE (UINT64_C(4) << 20)

static char top[] = "/tmp/dcamp-test.XXXXXX";
static char dir[64];

static int fresh(void **state)
{
    (void)state;
    remove_all(dir);
    return 0;
}

static void open_spool(struct spool *spool)
{
    char error[256];
    assert_int_equal(spool_open(spool, dir, SIZE, error, sizeof error), 0);
}

static void append(struct spool *spool, uint32_t sequence)
{
    struct buffer line = {0};
    struct trap trap = traps_raised(sequence);
    record_write(&line, &trap);
    spool_lock_intake(spool);
    assert_int_equal(spool_append(spool, line.at, line.len), 0);
    spool_unlock_intake(spool);
    buffer_release(&line);
}

/* Reads records up to the end, each after the one before; returns how many. Lines that are no
 * records are counted apart. */
static uint32_t drain_cut(struct spool *spool, uint32_t first, uint32_t *cut)
{
    struct buffer lines = {0};
    uint32_t n = 0;
    for (;;) {
        assert_int_equal(spool_read(spool, &lines), 0);
        if (lines.len == 0)
            break;
        for (char *line = lines.at, *end; line < lines.at + lines.len; line = end + 1) {
            struct trap trap;
            end = strchr(line, '\n');
            assert_non_null(end);
            if (record_read(line, (size_t)(end - line), &trap))
                assert_int_equal(trap.sequence, first + n++);
            else
                (*cut)++;
            spool_advance(spool, (size_t)(end - line) + 1);
        }
    }
    buffer_release(&lines);
    return n;
}

static uint32_t drain(struct spool *spool, uint32_t first)
{
    uint32_t cut = 0, n = drain_cut(spool, first, &cut);
    assert_int_equal(cut, 0);
    return n;
}

static void test_in_order_over_restarts(void **state)
{
    (void)state;
    struct spool spool;
    uint32_t next = 1, read = 1;
    for (int round = 0; round < 5; round++) {
        open_spool(&spool);
        assert_int_equal(spool_waits(&spool), read < next);
        for (int i = 0; i < 700; i++)
            append(&spool, next++);
        assert_true(spool_waits(&spool));
        if (round % 2) {
            read += drain(&spool, read);
            assert_int_equal(read, next);
        }
        spool_close(&spool);
    }
}

static void test_bounded(void **state)
{
    (void)state;
    struct spool spool;
    open_spool(&spool);
    for (uint32_t i = 0; i < 20000; i++)
        append(&spool, i);
    uint64_t dropped = spool.state->intake.counts.dropped, size = 0;
    assert_true(dropped > 1000 && dropped < 20000);
    for (uint64_t s = spool.state->intake.oldest; s <= spool.state->intake.newest; s++) {
        struct stat status;
        char path[128];
        snprintf(path, sizeof path, "%s/%010llu.json", dir, (unsigned long long)s);
        assert_int_equal(stat(path, &status), 0);
        size += (uint64_t)status.st_size;
    }
    assert_true(size <= SIZE + 1024);
    /* What was dropped is counted to the record; the rest is whole and in order. */
    assert_int_equal(drain(&spool, (uint32_t)dropped), 20000 - dropped);
    spool_close(&spool);
}

static void test_delivered_segments_go(void **state)
{
    (void)state;
    struct spool spool;
    open_spool(&spool);
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 1000; i++)
            append(&spool, round * 1000 + i);
        assert_int_equal(drain(&spool, round * 1000), 1000);
    }
    assert_int_equal(spool.state->intake.counts.dropped, 0);
    assert_true(spool.state->delivery.position.segment == spool.state->intake.newest);
    char path[128];
    snprintf(path, sizeof path, "%s/0000000001.json", dir);
    assert_int_equal(access(path, F_OK), -1);
    spool_close(&spool);
}

/* A line that a crash has cut is not lost together with the next one. */
static void test_cut_line(void **state)
{
    (void)state;
    struct spool spool;
    struct buffer lines = {0};
    char path[128];
    open_spool(&spool);
    append(&spool, 1);
    spool_close(&spool);
    snprintf(path, sizeof path, "%s/0000000001.json", dir);
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, "{\"event\":0,", 11), 11);
    close(fd);
    open_spool(&spool);
    assert_int_equal(spool_read(&spool, &lines), 0);
    assert_true(lines.len > 12);
    assert_memory_equal(lines.at + lines.len - 12, "{\"event\":0,\n", 12);
    spool_advance(&spool, lines.len);
    assert_false(spool_waits(&spool)); /* for nothing that will not come */
    append(&spool, 2);
    assert_int_equal(drain(&spool, 2), 1);
    buffer_release(&lines);
    spool_close(&spool);
}

static void test_broken_state(void **state)
{
    (void)state;
    struct spool spool;
    char path[128];
    open_spool(&spool);
    append(&spool, 1);
    append(&spool, 2);
    spool_close(&spool);
    snprintf(path, sizeof path, "%s/state", dir);
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, "garbage!", 8, 0), 8);
    close(fd);
    open_spool(&spool);
    assert_int_equal(drain(&spool, 1), 2);
    /* After a power failure, the state may be ahead of the file. */
    spool.state->delivery.position.offset += 5000;
    spool_close(&spool);
    open_spool(&spool);
    append(&spool, 3);
    assert_int_equal(drain(&spool, 3), 1);
    /* One page of it may be ahead of another. */
    spool.state->delivery.position = (struct spool_position){spool.state->intake.newest + 1, 0};
    spool_close(&spool);
    open_spool(&spool);
    append(&spool, 4);
    assert_int_equal(drain(&spool, 4), 1);
    assert_false(spool_waits(&spool));
    spool_close(&spool);
}

/* Killed at any moment, what was appended before is there, and once. */
static void test_killed(void **state)
{
    (void)state;
    struct spool spool;
    uint32_t delivered = 0;
    for (int round = 0; round < 10; round++) {
        int ready[2];
        char octet;
        assert_int_equal(pipe(ready), 0);
        pid_t pid = fork();
        if (pid == 0) {
            open_spool(&spool);
            for (uint32_t i = (uint32_t)spool.state->intake.counts.received;; i++) {
                append(&spool, i);
                spool.state->intake.counts.received = i + 1;
                if (i % 50 == 49 && write(ready[1], "x", 1) != 1)
                    _exit(1);
                if (i - delivered > 4000) /* before the spool is full and drops */
                    pause();
            }
        }
        for (int i = 0; i <= round; i++)
            assert_int_equal(read(ready[0], &octet, 1), 1);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        close(ready[0]);
        close(ready[1]);
        open_spool(&spool);
        uint32_t counted = (uint32_t)spool.state->intake.counts.received;
        /* The kernel ends a write at a page's end when the writer is killed: that line was not
         * appended yet. */
        uint32_t cut = 0, n = drain_cut(&spool, delivered, &cut);
        assert_in_range(cut, 0, 1);
        assert_true(cut == 0 || delivered + n == counted);
        /* Between the two, it was killed. */
        assert_true(delivered + n == counted || delivered + n == counted + 1);
        delivered += n;
        spool.state->intake.counts.received = delivered;
        spool_close(&spool);
    }
    assert_true(delivered >= 500);
}

static void test_locks(void **state)
{
    (void)state;
    struct spool spool, other;
    open_spool(&spool);
    open_spool(&other);
    assert_true(spool_lock_delivery(&spool));
    assert_false(spool_lock_delivery(&other));
    append(&other, 1);
    assert_int_equal(drain(&spool, 1), 1);
    spool_unlock_delivery(&spool);
    assert_true(spool_lock_delivery(&other));
    assert_false(spool_waits(&other));
    spool_close(&spool);
    spool_close(&other);
}

/* Who opens the spool while another delivers leaves the position alone: what it saw of it may be
 * old, here the file of a segment that was done with meanwhile. */
static void test_opened_while_delivering(void **state)
{
    (void)state;
    struct spool spool, other;
    open_spool(&spool);
    append(&spool, 1);
    assert_true(spool_lock_delivery(&spool));
    spool.state->delivery.position.offset = 5000;
    open_spool(&other);
    assert_int_equal(spool.state->delivery.position.offset, 5000);
    assert_false(spool_lock_delivery(&other));
    spool_close(&other);
    spool_unlock_delivery(&spool);
    open_spool(&other);
    assert_in_range(spool.state->delivery.position.offset, 1, 4999);
    spool_close(&other);
    spool_close(&spool);
}

/* One that has just been opened never looks like one that delivers: what was spooled then would
 * wait for the next notification. */
static void test_opening_is_not_delivering(void **state)
{
    (void)state;
    struct spool spool, other;
    open_spool(&spool);
    pid_t pid = fork();
    while (pid == 0) {
        open_spool(&other);
        spool.state->delivery.failures++; /* how often */
        spool_close(&other);
    }
    int refused = 0;
    while (__atomic_load_n(&spool.state->delivery.failures, __ATOMIC_RELAXED) < 200) {
        bool locked = spool_lock_delivery(&spool);
        refused += !locked;
        if (locked)
            spool_unlock_delivery(&spool);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(refused, 0);
    spool_close(&spool);
}

/* No file may grow: as good as a full disk. */
static void limit_files(bool limited)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = limited ? 0 : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void take(struct intake *intake, uint32_t sequence)
{
    struct trap trap = traps_raised(sequence);
    intake_begin(intake);
    intake_add(intake, TRAP_TAKEN, &trap, "", TRAPS_NOW_MS);
    bool spooled = intake_end(intake);
    assert_int_equal(spooled, intake->n_kept == 0);
}

/* What comes later, a clear, must not be delivered before what could not be spooled, its raise. */
static void test_in_order_when_full(void **state)
{
    (void)state;
    struct spool spool;
    open_spool(&spool);
    struct intake intake = {.spool = &spool, .sync = SYNC_BATCH};
    signal(SIGXFSZ, SIG_IGN);
    take(&intake, 1);
    limit_files(true);
    take(&intake, 2);
    take(&intake, 3);
    assert_int_equal(intake.n_kept, 2);
    intake_spool_kept(&intake);
    assert_int_equal(intake.n_kept, 2);
    limit_files(false);
    take(&intake, 4);
    assert_int_equal(drain(&spool, 1), 1); /* not the fourth */
    intake_spool_kept(&intake);
    assert_int_equal(intake.n_kept, 0);
    take(&intake, 5);
    assert_int_equal(drain(&spool, 2), 4);
    assert_int_equal(spool.state->intake.counts.lost, 0);
    intake_release(&intake);
    spool_close(&spool);
}

static void test_cannot_be_opened(void **state)
{
    (void)state;
    struct spool spool;
    char error[256];
    assert_int_equal(spool_open(&spool, "/dev/null/x", SIZE, error, sizeof error), ENOTDIR);
    assert_string_equal(error, "spool /dev/null/x: Not a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_in_order_over_restarts, fresh),
        cmocka_unit_test_setup(test_bounded, fresh),
        cmocka_unit_test_setup(test_delivered_segments_go, fresh),
        cmocka_unit_test_setup(test_cut_line, fresh),
        cmocka_unit_test_setup(test_broken_state, fresh),
        cmocka_unit_test_setup(test_killed, fresh),
        cmocka_unit_test_setup(test_locks, fresh),
        cmocka_unit_test_setup(test_opened_while_delivering, fresh),
        cmocka_unit_test_setup(test_opening_is_not_delivering, fresh),
        cmocka_unit_test_setup(test_in_order_when_full, fresh),
        cmocka_unit_test_setup(test_cannot_be_opened, fresh),
    };
    if (!mkdtemp(top))
        return 1;
    snprintf(dir, sizeof dir, "%s/a/b", top);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_all(top);
    return failed;
}
