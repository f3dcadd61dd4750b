/* When the files of programs that have ended are looked for, even though nobody measures what
 * programs publish: a pass over their directory removes them. */
#ifndef DCAMP_DAEMON_TIDYING_H
#define DCAMP_DAEMON_TIDYING_H

#include <stdbool.h>
#include <stdint.h>

#include "application/directory.h"
#include "base/clock.h"

/* The pause after the last pass, whatever its purpose; and the pause if that pass did not
 * finish. */
#define TIDYING_PAUSE_NS (60 * NS_PER_S)
#define TIDYING_MORE_NS NS_PER_S

/* All zero: a pass is due at once. */
struct tidying {
    uint64_t due_ns; /* monotonic: when the directory is looked at next */
};

/* Whether a pass must be made now. If the directory has no files, it is looked at again after the
 * pause. */
bool tidying_begin(struct tidying *tidying, struct directory *directory, uint64_t now_ns);

/* To be called after each pass, whatever its purpose. */
void tidying_end(struct tidying *tidying, const struct directory *directory, uint64_t now_ns);

#endif
