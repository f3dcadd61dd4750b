/* Names learned from living processes, for the dead of which only numbers are known: programs by
 * the file they were executed from, owners by their number. Not for other stages. */
#ifndef DCAMP_SAMPLE_PROCESS_NAMES_H
#define DCAMP_SAMPLE_PROCESS_NAMES_H

#include <sys/types.h>

#include "base/limits.h"
#include "sample/process/task_exits.h"

struct learned_name;

/* The few thousand programs of a machine. When more are learned than that, all are forgotten. */
struct executables {
    struct learned_name *by_id;
};

void executables_release(struct executables *executables);

/* Learns the name of a process below an open /proc, if its executable may be looked at. */
void executables_learn(struct executables *executables, int folder, pid_t pid, const char *name);

/* The name of an executable. Where it was never learned, it is looked for where commands stand,
 * under the name that the kernel has of the process ("sh" may lead to "dash"). NULL: not known. */
const char *executables_find(struct executables *executables, struct executable_id id,
                             const char *comm);

struct owners {
    struct learned_name *by_number;
};

void owners_release(struct owners *owners);

/* The name of a user, or the number as text where there is none; "_": out of memory. Valid until
 * the next call. */
const char *owners_name(struct owners *owners, uid_t owner);

#endif
