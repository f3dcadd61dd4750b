/* Names learned from living processes, for the dead of which only numbers are known: programs by
 * the file they were executed from, owners by their number. */
#ifndef DCAMP_SAMPLE_PROCESS_NAMES_H
#define DCAMP_SAMPLE_PROCESS_NAMES_H

#include <sys/types.h>

#include "base/limits.h"
#include "sample/process/task_exits.h"

struct learned_name;

/* Names by the number of what has them. There are at most twice as many as one of the two has room
 * for: when the recent ones are that many, they become the older ones, and those that were older
 * are forgotten. A name that is asked for is recent again, so that what is used stays. */
struct names {
    struct learned_name *recent, *older;
};

/* A machine has thousands of programs, of which few are executed again and again; and one that
 * builds or tests programs executes new files all the time, most of them once. */
#define EXECUTABLES_RECENT 128
struct executables {
    struct names by_id;
};

void executables_release(struct executables *executables);

/* Learns the name of a process below an open /proc, if its executable may be looked at. */
void executables_learn(struct executables *executables, int folder, pid_t pid, const char *name);

/* The name of an executable. Where it was never learned, it is looked for where commands stand,
 * under the name that the kernel has of the process ("sh" may lead to "dash"). NULL: not known. */
const char *executables_find(struct executables *executables, struct executable_id id,
                             const char *comm);

#define OWNERS_RECENT 2048
struct owners {
    struct names by_number;
};

void owners_release(struct owners *owners);

/* The name of a user, or the number as text where there is none; "_": out of memory. Valid until
 * the next call. */
const char *owners_name(struct owners *owners, uid_t owner);

#endif
