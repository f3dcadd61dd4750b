/* Stands in for the core: runs a poller process, tells it what standard input says, and prints what
 * comes.
 *
 * Input, one line each:
 *   credential NAME USER AUTH-SECRET PRIV-SECRET
 *   child ID ADDRESS CREDENTIAL PERIOD-MS [BOOT NEXT [ENGINE-ID [BOOTS]]]
 *   forget ID
 *   look-up ID SERIES...
 *   sleep MS          further lines wait
 *   pause MS          and so does reading from the poller
 * Lines that come at once are told together, as the core does it. With the end of the input, or
 * after a line "end", the poller is told to end, too.
 *
 * Output, one line each:
 *   answer ID boot N first N last N lost N engine HEX boots N blocks SEQUENCE:LENGTH...
 *   silent ID FAILURE IN-A-ROW TEXT
 *   series ID boot N SERIES SENSOR INSTANCE METRIC UNIT      or    ... SERIES none
 *   exit STATUS answers N silent N cpu-us N max-rss-kb N
 * With -q only what is not an empty answer and the last line. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/message.h"
#include "poller/poller.h"

static const char *const failures[] = {[POLL_TIMEOUT] = "timeout",
                                       [POLL_UNREACHABLE] = "unreachable",
                                       [POLL_WRONG_KEY] = "wrong-key",
                                       [POLL_UNKNOWN_USER] = "unknown-user",
                                       [POLL_NOT_IN_WINDOW] = "not-in-window",
                                       [POLL_NEW_ENGINE] = "new-engine",
                                       [POLL_NO_SUCH_OBJECT] = "no-such-object",
                                       [POLL_REFUSED] = "refused",
                                       [POLL_GARBAGE] = "garbage",
                                       [POLL_NO_CREDENTIAL] = "no-credential"};

struct driver {
    int fd;
    bool quiet;
    uint64_t answers, silent;
    uint64_t wait_until, pause_until;
    _Alignas(8) uint8_t packet[MESSAGE_PACKET_MAX];
    _Alignas(8) uint8_t told[MESSAGE_PACKET_MAX];
    size_t used; /* of told */
};

static void fail(const char *what)
{
    fprintf(stderr, "poll-driver: %s\n", what);
    exit(2);
}

/* -- Input ----------------------------------------------------------------------------------- */

static void flush(struct driver *driver)
{
    if (driver->used > 0 && send(driver->fd, driver->told, driver->used, MSG_NOSIGNAL) < 0)
        fail("the poller is gone");
    driver->used = 0;
}

static void tell(struct driver *driver, const struct message *message)
{
    if (message_put(driver->told, &driver->used, message))
        return;
    flush(driver);
    if (!message_put(driver->told, &driver->used, message))
        fail("a message that is no message");
}

static void copy(char *text, size_t size, const char *word)
{
    if (!word || strlen(word) >= size)
        fail("a word is missing or too long");
    strcpy(text, word);
}

static uint32_t number(const char *word)
{
    return word ? (uint32_t)strtoul(word, NULL, 10) : 0;
}

#define WORD() strtok(NULL, " ")

static void tell_credential(struct driver *driver)
{
    struct message_credential message = {.head = {MESSAGE_CREDENTIAL, sizeof message},
                                         .credential = {.auth = AUTH_SHA256, .priv = PRIV_AES128}};
    struct usm_credential *credential = &message.credential;
    copy(credential->name, sizeof credential->name, WORD());
    copy(credential->user, sizeof credential->user, WORD());
    copy(credential->auth_secret, sizeof credential->auth_secret, WORD());
    copy(credential->priv_secret, sizeof credential->priv_secret, WORD());
    tell(driver, &message.head);
}

static void tell_child(struct driver *driver)
{
    struct message_child message = {.head = {MESSAGE_CHILD, sizeof message}};
    message.id = number(WORD());
    copy(message.address, sizeof message.address, WORD());
    copy(message.credential, sizeof message.credential, WORD());
    message.period_ms = number(WORD());
    message.report_boot = number(WORD());
    message.next_block = number(WORD());
    const char *hex = WORD();
    for (unsigned octet; hex && sscanf(hex, "%2x", &octet) == 1; hex += 2)
        message.engine_id[message.engine_id_len++ % ENGINE_ID_MAX] = (uint8_t)octet;
    message.engine_boots = number(WORD());
    tell(driver, &message.head);
}

static void tell_look_up(struct driver *driver)
{
    struct message_look_up message = {.head = {MESSAGE_LOOK_UP, sizeof message}};
    message.id = number(WORD());
    for (const char *word; message.n < POLL_SERIES_MAX && (word = WORD());)
        message.series[message.n++] = number(word);
    tell(driver, &message.head);
}

/* False: the end. */
static bool take_line(struct driver *driver, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    const char *verb = strtok(line, " ");
    if (!verb)
        return true;
    if (strcmp(verb, "end") == 0)
        return false;
    if (strcmp(verb, "credential") == 0) {
        tell_credential(driver);
    } else if (strcmp(verb, "child") == 0) {
        tell_child(driver);
    } else if (strcmp(verb, "look-up") == 0) {
        tell_look_up(driver);
    } else if (strcmp(verb, "forget") == 0) {
        struct message_forget message = {.head = {MESSAGE_FORGET, sizeof message}};
        message.id = number(WORD());
        tell(driver, &message.head);
    } else if (strcmp(verb, "sleep") == 0) {
        driver->wait_until = clock_mono_ns() + number(WORD()) * NS_PER_MS;
    } else if (strcmp(verb, "pause") == 0) {
        driver->pause_until = driver->wait_until = clock_mono_ns() + number(WORD()) * NS_PER_MS;
    } else {
        fail(verb);
    }
    return true;
}

/* -- Output ---------------------------------------------------------------------------------- */

static void print_answer(struct driver *driver, const struct message_answer *answer)
{
    driver->answers++;
    if (driver->quiet && answer->n_blocks == 0 && answer->lost == 0)
        return;
    printf("answer %" PRIu32 " boot %" PRIu32 " first %" PRIu32 " last %" PRIu32 " lost %" PRIu32
           " engine ",
           answer->id, answer->report_boot, answer->first, answer->last, answer->lost);
    for (uint32_t i = 0; i < answer->engine_id_len; i++)
        printf("%02x", answer->engine_id[i]);
    printf(" boots %" PRIu32 " blocks", answer->engine_boots);
    for (uint32_t i = 0; i < answer->n_blocks; i++) {
        const struct message_block *block = message_block(answer, i);
        if (!block)
            fail("an answer lacks a block");
        printf(" %" PRIu32 ":%" PRIu32, block->sequence, block->length);
    }
    putchar('\n');
}

static void print_series(const struct message_series *series)
{
    printf("series %" PRIu32 " boot %" PRIu32 " %" PRIu32, series->id, series->report_boot,
           series->series);
    if (series->exists)
        printf(" %s %s %s %s\n", series->sensor, series->instance, series->metric, series->unit);
    else
        puts(" none");
}

static void print(struct driver *driver, const struct message *message)
{
    const void *content = message;
    const struct message_silent *silent = content;
    switch (message->kind) {
    case MESSAGE_ANSWER:
        print_answer(driver, content);
        break;
    case MESSAGE_SERIES:
        print_series(content);
        break;
    case MESSAGE_SILENT:
        driver->silent++;
        printf("silent %" PRIu32 " %s %" PRIu32 " %s\n", silent->id, failures[silent->failure],
               silent->in_a_row, silent->text);
        break;
    case MESSAGE_ALIVE:
        break;
    default:
        fail("a message that a poller does not send");
    }
}

/* False: the poller closed its end. */
static bool read_packet(struct driver *driver)
{
    ssize_t n = recv(driver->fd, driver->packet, sizeof driver->packet, 0);
    if (n <= 0)
        return false;
    size_t at = 0;
    const struct message *message;
    while ((message = message_next(driver->packet, (size_t)n, &at)))
        print(driver, message);
    if (at != (size_t)n)
        fail("a packet with something that is no message");
    fflush(stdout);
    return true;
}

/* -- The program ----------------------------------------------------------------------------- */

static int finish(struct driver *driver, pid_t pid)
{
    int status;
    struct rusage usage;
    close(driver->fd);
    if (wait4(pid, &status, 0, &usage) != pid)
        fail("there is no poller to wait for");
    printf("exit %d answers %" PRIu64 " silent %" PRIu64 " cpu-us %" PRIu64 " max-rss-kb %ld\n",
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), driver->answers,
           driver->silent,
           (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
               (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
           usage.ru_maxrss);
    return status == 0 ? 0 : 1;
}

static int drive(struct driver *driver)
{
    char line[4096];
    for (;;) {
        uint64_t now = clock_mono_ns();
        bool waits = now < driver->wait_until, pauses = now < driver->pause_until;
        struct pollfd fds[] = {{.fd = waits ? -1 : STDIN_FILENO, .events = POLLIN},
                               {.fd = pauses ? -1 : driver->fd, .events = POLLIN}};
        int timeout = driver->used > 0 ? 0 : waits ? 5 : -1;
        if (poll(fds, 2, timeout) < 0 && errno != EINTR)
            fail("poll");
        if (!fds[0].revents)
            flush(driver);
        if (fds[1].revents && !read_packet(driver))
            return 1;
        if (fds[0].revents && (!fgets(line, sizeof line, stdin) || !take_line(driver, line)))
            return 0;
    }
}

int main(int argc, char **argv)
{
    static struct driver driver;
    int fds[2];
    driver.quiet = argc > 1 && strcmp(argv[1], "-q") == 0;
    setvbuf(stdin, NULL, _IONBF, 0); /* poll(2) does not see what stdio has read ahead */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        fail("no sockets");
    pid_t pid = fork();
    if (pid < 0)
        fail("no process");
    if (pid == 0) {
        close(fds[0]);
        exit(poller_run(fds[1]));
    }
    close(fds[1]);
    driver.fd = fds[0];
    drive(&driver);
    flush(&driver);
    return finish(&driver, pid);
}
