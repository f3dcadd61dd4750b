/* The capabilities of this process: it gives up all but two, and can never get others. */
#ifndef DCAMP_JVM_RIGHTS_H
#define DCAMP_JVM_RIGHTS_H

#include <stdbool.h>

/* Returns 0, or an errno if it has more than it should and cannot give that up. *is_privileged:
 * whether it has both CAP_SYS_PTRACE, to look at processes of other users (/proc/PID/maps and
 * /proc/PID/root), and CAP_DAC_READ_SEARCH, to open their files. Without them, it sees only the
 * processes of its own user. */
int rights_drop(bool *is_privileged);

#endif
