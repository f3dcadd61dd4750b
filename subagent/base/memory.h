/* Memory that only the start of the daemon needed is given back. */
#ifndef DCAMP_BASE_MEMORY_H
#define DCAMP_BASE_MEMORY_H

/* Gives the system what is free in the heap: malloc(3) by itself gives back no more than the end of
 * it, so that a daemon would keep for ever what its busiest second needed. */
void memory_trim(void);

/* Lets go of what only the start needed: free memory of the heap, and the pages of programs and
 * libraries, which come back from the page cache one by one where they are used again. */
void memory_let_go(void);

#endif
