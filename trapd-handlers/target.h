/* Where traps go. Each kind of target formats traps by its writer (format.h) and does the I/O,
 * which never takes longer than the time-out. */
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
    DELIVERY_LATER,  /* the target is down, slow, full or confused: try again later */
    DELIVERY_REFUSED /* the target will never take this one */
};

#define TARGET_WHY_SIZE 512

struct target {
    const struct target_kind *kind;
    const struct options *options;
    struct active *active;     /* NULL if the kind keeps none */
    struct buffer text;        /* for one delivery */
    void *own;                 /* data of the kind */
    size_t refused;            /* how many traps of a successful delivery were not taken; see why */
    char why[TARGET_WHY_SIZE]; /* why something was not delivered, in one line */
};

struct target_kind {
    const char *name;
    bool keeps_active;
    size_t batch; /* how many are delivered before the spool notes it; 0: all that there are */
    /* Prepares the target. Returns false on failure, and why says the reason; the exit status
     * is 3. */
    bool (*open)(struct target *target);
    void (*close)(struct target *target);
    /* Delivers as many of n traps as it can, in their order. *done is how many; traps[*done] is the
     * first that it could not deliver. */
    enum delivery (*deliver)(struct target *target, const struct trap *traps, size_t n,
                             size_t *done);
    /* Sends from time to time what has to be repeated; NULL if nothing has. */
    enum delivery (*again)(struct target *target, int64_t now_ms);
};

extern const struct target_kind target_nagios, target_icinga, target_zabbix, target_alertmanager,
    target_mail, target_exec;

/* Sets why and returns the delivery. */
enum delivery target_fail(struct target *target, enum delivery delivery, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For kinds that deliver traps one at a time: delivers up to the first that fails. */
enum delivery target_deliver_each(struct target *target,
                                  enum delivery (*one)(struct target *, const struct trap *),
                                  const struct trap *traps, size_t n, size_t *done);

#endif
