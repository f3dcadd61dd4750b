/* Inside sample/process/: instances that are sums of processes. */
#ifndef DCAMP_SAMPLE_PROCESS_SUMS_H
#define DCAMP_SAMPLE_PROCESS_SUMS_H

#include "sample/process/processes.h"

/* Whether the patterns want an instance of that name. */
bool processes_want(const struct processes *processes, const char *name);

/* Takes over new patterns: removes the sums that nobody wants, and makes those that a pattern
 * names. No member may have a share in a sum that is not wanted. */
void sums_select(struct processes *processes);

/* The sum of that name if it is wanted; it is made if it does not exist. */
struct process_sum *sum_get(struct processes *processes, const char *name);

/* What a process belongs to in a view: its program, owner or unit; "": not known. */
const char *view_label(struct processes *processes, enum process_view view,
                       const struct process *process);

/* Makes a name of "user:" or the like, the label, and the tail; a label that is too long is cut. */
void view_name(char name[INSTANCE_SIZE], enum process_view view, const char *label,
               const char *tail);

/* The member leaves the sum; what it has used so far stays with the sum. */
void share_leave(struct processes *processes, struct process_member *member,
                 enum process_view view);

/* Computes the values of all sums in this pass, and removes sums that have been empty for long. */
void sums_make(struct processes *processes);
void sums_release(struct processes *processes);

#endif
