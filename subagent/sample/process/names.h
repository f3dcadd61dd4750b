/* Names that were learned from living processes, for dead ones of which only numbers are known:
 * programs by the file that they were executed from, owners by their number. */
#ifndef DCAMP_SAMPLE_PROCESS_NAMES_H
#define DCAMP_SAMPLE_PROCESS_NAMES_H

#include <sys/types.h>

#include "base/limits.h"
#include "sample/process/task_exits.h"

struct learned_name;

/* Names, looked up by a number. There are two generations, each of a limited size: when the recent
 * ones have reached it, they become the older ones, and those that were older are forgotten. A name
 * that is asked for becomes recent again, so that names in use stay. */
struct names {
    struct learned_name *recent, *older;
};

/* A machine has thousands of programs, of which few are executed again and again. One that builds
 * or tests programs executes new files all the time, most of them once. */
#define EXECUTABLES_RECENT 128
struct executables {
    struct names by_id;
};

void executables_release(struct executables *executables);

/* Learns the name of a process below an open /proc, if its executable may be looked at. */
void executables_learn(struct executables *executables, int folder, pid_t pid, const char *name);

/* The name of an executable. If it was never learned, it is looked for in the folders of commands,
 * under the name that the kernel has of the process ("sh" may lead to "dash"). NULL: not known. */
const char *executables_find(struct executables *executables, struct executable_id id,
                             const char *comm);

#define OWNERS_RECENT 2048
struct owners {
    struct names by_number;
};

void owners_release(struct owners *owners);

/* The name of a user, or the number as text if there is no name; "_" if there is no memory. Valid
 * until the next call. */
const char *owners_name(struct owners *owners, uid_t owner);

#endif
