/* What this process may: it gives up all capabilities but two, and can never get others. */
#ifndef DCAMP_JVM_RIGHTS_H
#define DCAMP_JVM_RIGHTS_H

#include <stdbool.h>

/* 0 or an errno: it has more than it is to have, and cannot give that up. *is_privileged: it has
 * both, CAP_SYS_PTRACE to look at what others run (/proc/PID/maps and /proc/PID/root), and
 * CAP_DAC_READ_SEARCH to open their files. Without them, it sees what its user runs. */
int rights_drop(bool *is_privileged);

#endif
