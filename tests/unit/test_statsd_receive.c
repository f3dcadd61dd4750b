/* Datagrams on standard input, from a socket that has errors: what the system says is the test's.
 */
#include "statsd/receive.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "said.h"
#include "unit.h"

/* So many readings fail, and with what. */
static struct {
    unsigned left, calls;
    int error;
} failing;

/* See ld(1), --wrap. */
int __real_recvmmsg(int fd, struct mmsghdr *message, unsigned n, int flags, struct timespec *wait);
int __wrap_recvmmsg(int fd, struct mmsghdr *message, unsigned n, int flags, struct timespec *wait);

int __wrap_recvmmsg(int fd, struct mmsghdr *message, unsigned n, int flags, struct timespec *wait)
{
    failing.calls++;
    if (failing.left == 0)
        return __real_recvmmsg(fd, message, n, flags, wait);
    failing.left--;
    errno = failing.error;
    return -1;
}

static unsigned taken;

static void take(void *context, const char *datagram, size_t size, bool is_cut)
{
    (void)context;
    assert_int_equal(size, 5);
    assert_memory_equal(datagram, "a:1|c", size);
    assert_false(is_cut);
    taken++;
}

static void lose(void *context, uint64_t n)
{
    (void)context;
    (void)n;
}

static void rest(void *context)
{
    (void)context;
}

/* One datagram is there, and then the other side goes. */
static void receive_one(unsigned failures, int error)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(dup2(pair[1], STDIN_FILENO), STDIN_FILENO);
    close(pair[1]);
    struct receiver *receiver = receiver_open(&(struct options){.from_stdin = true});
    assert_non_null(receiver);
    assert_int_equal(send(pair[0], "a:1|c", 5, 0), 5);
    close(pair[0]);
    taken = failing.calls = 0;
    failing.left = failures;
    failing.error = error;
    struct listener listener = {take, lose, rest, NULL};
    assert_int_equal(receiver_run(receiver, &listener), 0);
    receiver_close(receiver); /* and standard input, whose number nobody else is to get */
    assert_int_equal(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
}

static void datagrams_are_taken_until_the_other_side_is_gone(void **state)
{
    (void)state;
    said_begin();
    receive_one(0, 0);
    const char *said = said_now();
    said_end();
    assert_string_equal(said, "");
    assert_int_equal(taken, 1);
}

/* An error that stays is told once, and costs a reading a second. */
static void an_error_that_stays_is_no_busy_loop(void **state)
{
    (void)state;
    said_begin();
    uint64_t begun = clock_mono_ns();
    receive_one(3, ENOMEM);
    uint64_t passed = clock_mono_ns() - begun;
    const char *said = said_now();
    said_end();
    assert_true(passed >= 3 * NS_PER_S - 3 * NS_PER_MS);
    assert_string_equal(said, "error statsd: a socket cannot be read: Cannot allocate memory\n");
    assert_int_equal(taken, 1);
    assert_true(failing.calls <= 3 + 2);
}

/* Those that only say that nothing is there are none. */
static void to_find_nothing_is_no_error(void **state)
{
    (void)state;
    const int errors[] = {EAGAIN, EINTR};
    said_begin();
    for (size_t i = 0; i < N_OF(errors); i++) {
        receive_one(2, errors[i]);
        assert_int_equal(taken, 1);
    }
    const char *said = said_now();
    said_end();
    assert_string_equal(said, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(datagrams_are_taken_until_the_other_side_is_gone),
        cmocka_unit_test(an_error_that_stays_is_no_busy_loop),
        cmocka_unit_test(to_find_nothing_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
