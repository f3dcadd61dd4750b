/* Inside sample/process/: processes that exited before they could be read. */
#ifndef DCAMP_SAMPLE_PROCESS_EXITED_H
#define DCAMP_SAMPLE_PROCESS_EXITED_H

#include "sample/process/processes.h"

/* Reads the records of all tasks that exited. Those of members are given to the members; what other
 * processes have used is added directly to the sums. */
void exited_take_records(struct processes *processes);

#endif
