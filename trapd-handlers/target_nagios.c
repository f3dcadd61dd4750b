/* dcamp-trap nagios: the external command file, a FIFO that Nagios reads. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "trapd-handlers/nagios_objects.h"
#include "trapd-handlers/service.h"
#include "trapd-handlers/target.h"

/* The FIFO is opened for each delivery, because Nagios makes it anew when it starts. */
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

/* Up to PIPE_BUF octets are written as a whole or not at all: pipe(7). */
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

/* Chooses the first of the services of the trap that Nagios has. */
static enum delivery choose(struct target *target, struct service *service, const struct trap *trap)
{
    struct nagios_objects *objects = target->own;
    const struct options *options = target->options;
    int code = nagios_objects_refresh(objects);
    if (code && code != ENOENT)
        log_warning("nagios", "which services there are is not known: --objects %s: %s",
                    options->objects, strerror(code));
    for (int attempt = 0; service_choose(service, options, target->active, trap, attempt);
         attempt++)
        if (code || nagios_objects_have(objects, service->result.host, service->result.service))
            return DELIVERY_DONE;
    return target_fail(target, DELIVERY_REFUSED,
                       "Nagios has no service for %s on host \"%s\": neither its own nor \"%s\"",
                       trap_rule(trap), service->result.host, options->catch_all);
}

/* Writes all commands at once, so that either all of them arrive or none. */
static enum delivery deliver_one(struct target *target, int fd, const struct trap *trap)
{
    struct service service = {0};
    buffer_clear(&target->text);
    enum delivery delivery = choose(target, &service, trap);
    if (delivery == DELIVERY_DONE) {
        if (!service_take(&service, target->active, trap))
            target->text.failed = true;
        else
            format_nagios(&target->text, trap, &service.result);
        if (target->options->host_check && (trap->event == TRAP_LOST || trap->event == TRAP_JOINED))
            format_nagios_host(&target->text, trap, service.result.host);
        delivery = write_line(target, fd);
    }
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

static bool open_nagios(struct target *target)
{
    target->own = nagios_objects_new(target->options->objects);
    return target->own || target_fail(target, DELIVERY_LATER, "no memory") == DELIVERY_DONE;
}

static void close_nagios(struct target *target)
{
    nagios_objects_free(target->own);
}

const struct target_kind target_nagios = {.name = "nagios",
                                          .keeps_active = true,
                                          .batch = 16,
                                          .open = open_nagios,
                                          .close = close_nagios,
                                          .deliver = deliver};
