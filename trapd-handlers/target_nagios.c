/* dcamp-trap nagios: the external command file, a FIFO that Nagios reads. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trapd-handlers/service.h"
#include "trapd-handlers/target.h"

/* Opened for each delivery: Nagios makes the FIFO anew when it starts. */
static enum delivery open_commands(struct target *target, int *fd)
{
    const char *path = target->options->command_file;
    struct stat status;
    *fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0 && errno == ENXIO)
        return target_fail(target, DELIVERY_LATER, "%s: nobody reads it: is Nagios running?", path);
    if (*fd < 0)
        return target_fail(target, DELIVERY_LATER, "%s: %s", path, strerror(errno));
    if (fstat(*fd, &status) != 0 || !S_ISFIFO(status.st_mode)) {
        close(*fd);
        return target_fail(target, DELIVERY_LATER, "%s: not a FIFO", path);
    }
    return DELIVERY_DONE;
}

/* Up to PIPE_BUF octets go in whole or not at all: pipe(7). */
static enum delivery write_line(struct target *target, int fd)
{
    const char *path = target->options->command_file;
    struct pollfd poller = {.fd = fd, .events = POLLOUT};
    if (target->text.failed)
        return target_fail(target, DELIVERY_LATER, "no memory");
    if (target->text.len > PIPE_BUF)
        return target_fail(target, DELIVERY_REFUSED, "a command of %zu octets", target->text.len);
    for (;;) {
        if (write(fd, target->text.at, target->text.len) == (ssize_t)target->text.len)
            return DELIVERY_DONE;
        if (errno != EAGAIN && errno != EINTR)
            return target_fail(target, DELIVERY_LATER, "%s: %s", path, strerror(errno));
        if (poll(&poller, 1, (int)target->options->timeout_ms) == 0)
            return target_fail(target, DELIVERY_LATER, "%s: full for %u ms", path,
                               target->options->timeout_ms);
    }
}

/* Both commands in one write: either both are there or none. */
static enum delivery deliver_one(struct target *target, int fd, const struct trap *trap)
{
    struct service service = {0};
    const struct options *options = target->options;
    buffer_clear(&target->text);
    if (!service_of(&service, options, target->active, trap))
        target->text.failed = true;
    else
        format_nagios(&target->text, trap, &service.result);
    if (options->host_check && (trap->event == TRAP_LOST || trap->event == TRAP_JOINED))
        format_nagios_host(&target->text, trap, service.result.host);
    enum delivery delivery = write_line(target, fd);
    service_release(&service);
    return delivery;
}

static enum delivery deliver(struct target *target, const struct trap *traps, size_t n,
                             size_t *done)
{
    int fd;
    *done = 0;
    enum delivery delivery = open_commands(target, &fd);
    if (delivery != DELIVERY_DONE)
        return delivery;
    while (*done < n && delivery == DELIVERY_DONE) {
        delivery = deliver_one(target, fd, &traps[*done]);
        *done += delivery == DELIVERY_DONE;
    }
    close(fd);
    return delivery;
}

const struct target_kind target_nagios = {
    .name = "nagios", .keeps_active = true, .batch = 16, .deliver = deliver};
