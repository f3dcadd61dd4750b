/* When the files of programs that have ended are looked for, though nobody measures what programs
 * publish: a pass over their directory removes them. */
#ifndef DCAMP_DAEMON_TIDYING_H
#define DCAMP_DAEMON_TIDYING_H

#include <stdbool.h>
#include <stdint.h>

#include "application/directory.h"
#include "base/clock.h"

/* So long after the last pass, whatever it was for; and so long if that one was not done. */
#define TIDYING_PAUSE_NS (60 * NS_PER_S)
#define TIDYING_MORE_NS NS_PER_S

/* All zero octets are one that is due at once. */
struct tidying {
    uint64_t due_ns; /* monotonic: when the directory is looked at next */
};

/* Whether a pass is to be made now. Where the directory has no files, it is looked at again after
 * the pause. */
bool tidying_begin(struct tidying *tidying, struct directory *directory, uint64_t now_ns);

/* After each pass, whatever it was for. */
void tidying_end(struct tidying *tidying, const struct directory *directory, uint64_t now_ns);

#endif
