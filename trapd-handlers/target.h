/* Where traps go. Each kind writes by its writer (format.h) and does the target's I/O, which
 * never takes longer than the time-out. */
#ifndef DCAMP_TRAP_TARGET_H
#define DCAMP_TRAP_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trapd-handlers/active.h"
#include "trapd-handlers/buffer.h"
#include "trapd-handlers/options.h"
#include "trapd-handlers/trap.h"

enum delivery {
    DELIVERY_DONE,   /* all of them */
    DELIVERY_LATER,  /* the target is down, slow, full or confused: again later */
    DELIVERY_REFUSED /* the target will never take this one */
};

#define TARGET_WHY_SIZE 512

struct target {
    const struct target_kind *kind;
    const struct options *options;
    struct active *active;     /* NULL: the kind keeps none */
    struct buffer text;        /* for one delivery */
    void *own;                 /* of the kind */
    size_t refused;            /* of a delivery that is done: how many were not taken; see why */
    char why[TARGET_WHY_SIZE]; /* why not, in one line */
};

struct target_kind {
    const char *name;
    bool keeps_active;
    size_t batch; /* how many are delivered before the spool knows of it; 0: as many as there are */
    /* What it needs besides the options. False: why says what is wrong; the exit status is 3. */
    bool (*open)(struct target *target);
    void (*close)(struct target *target);
    /* Delivers n traps in their order, as many as it can: done, of which the first that it could
     * not is traps[*done]. */
    enum delivery (*deliver)(struct target *target, const struct trap *traps, size_t n,
                             size_t *done);
    /* What is to be said again from time to time; NULL: nothing is. */
    enum delivery (*again)(struct target *target, int64_t now_ms);
};

extern const struct target_kind target_nagios, target_icinga, target_zabbix, target_alertmanager,
    target_mail, target_exec;

/* Notes why and returns the delivery. */
enum delivery target_fail(struct target *target, enum delivery delivery, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For kinds that deliver one at a time: up to the first that cannot be. */
enum delivery target_deliver_each(struct target *target,
                                  enum delivery (*one)(struct target *, const struct trap *),
                                  const struct trap *traps, size_t n, size_t *done);

#endif
