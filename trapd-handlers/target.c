#include "trapd-handlers/target.h"

#include <stdarg.h>
#include <stdio.h>

enum delivery target_fail(struct target *target, enum delivery delivery, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(target->why, sizeof target->why, format, args);
    va_end(args);
    /* The answer of a server goes into a log, so it must stay in one line. */
    for (char *c = target->why; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    return delivery;
}

enum delivery target_deliver_each(struct target *target,
                                  enum delivery (*one)(struct target *, const struct trap *),
                                  const struct trap *traps, size_t n, size_t *done)
{
    enum delivery delivery = DELIVERY_DONE;
    for (*done = 0; *done < n && delivery == DELIVERY_DONE;) {
        delivery = one(target, &traps[*done]);
        *done += delivery == DELIVERY_DONE;
    }
    return delivery;
}
