/* dcamp-trap zabbix: the file that Zabbix's SNMP trapper reads. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trapd-handlers/format.h"
#include "trapd-handlers/target.h"
#include "trapd-handlers/template.h"
#include "trapd-handlers/zabbix_sender.h"

/* Zabbix reads the file while it grows, so each batch is written at once, in whole traps. */
static enum delivery append(struct target *target)
{
    const char *path = target->options->trap_file;
    struct stat status;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
    if (fd < 0)
        return target_fail(target, DELIVERY_LATER, "%s: %s", path, strerror(errno));
    enum delivery delivery = DELIVERY_DONE;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        delivery = target_fail(target, DELIVERY_LATER, "%s: not a regular file", path);
    } else {
        ssize_t n = write(fd, target->text.at, target->text.len);
        if (n != (ssize_t)target->text.len)
            delivery = target_fail(target, DELIVERY_LATER, "%s: %s", path,
                                   n < 0 ? strerror(errno) : "no room");
        if (n > 0 && delivery != DELIVERY_DONE && ftruncate(fd, status.st_size) != 0)
            target_fail(target, DELIVERY_LATER, "%s: half a trap is in it: %s", path,
                        strerror(errno));
    }
    close(fd);
    return delivery;
}

static void put_trap(struct target *target, const struct trap *trap, struct buffer *address)
{
    buffer_clear(address);
    /* Zabbix compares it with the address or name of an interface, and takes it up to a blank. */
    template_write(address, target->options->address, trap, " ");
    target->text.failed |= address->failed;
    format_zabbix(&target->text, trap, address->at ? address->at : "", target->options->date);
}

static enum delivery deliver_to_file(struct target *target, const struct trap *traps, size_t n,
                                     size_t *done)
{
    struct buffer address = {0};
    *done = 0;
    buffer_clear(&target->text);
    for (size_t i = 0; i < n; i++)
        put_trap(target, &traps[i], &address);
    buffer_release(&address);
    if (target->text.failed)
        return target_fail(target, DELIVERY_LATER, "no memory");
    enum delivery delivery = append(target);
    *done = delivery == DELIVERY_DONE ? n : 0;
    return delivery;
}

static enum delivery deliver(struct target *target, const struct trap *traps, size_t n,
                             size_t *done)
{
    return target->options->server ? zabbix_sender_deliver(target, traps, n, done)
                                   : deliver_to_file(target, traps, n, done);
}

const struct target_kind target_zabbix = {.name = "zabbix", .deliver = deliver};
