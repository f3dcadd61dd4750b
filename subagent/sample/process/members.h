/* Inside sample/process/: the processes that are part of an instance. */
#ifndef DCAMP_SAMPLE_PROCESS_MEMBERS_H
#define DCAMP_SAMPLE_PROCESS_MEMBERS_H

#include "sample/process/processes.h"

/* The watcher of the table; its context is the struct processes. */
process_changed members_follow;

/* Applies the patterns to everything that the table has. */
void members_select(struct processes *processes);

/* Reads all members. Returns 0 or an errno that is ours (process_own_error). */
int members_read(struct processes *processes);

/* The members that have ended leave what they have used to their sums, and are removed. */
void members_finish_ended(struct processes *processes);
void members_release(struct processes *processes);

/* Gives a record to the member whose task it was. False: the process was never known. */
bool members_take_exit(struct processes *processes, const struct task_exit *exit);

/* Converts what tasks have used into counters. */
void usage_to_counters(const struct task_usage *usage, uint64_t counters[PROCESS_COUNTERS]);

#endif
