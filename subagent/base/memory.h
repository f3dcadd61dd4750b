/* When the memory that is free in the heap is given back to the system: what only the start of a
 * daemon needed, now; what each of many rounds needs, never. */
#ifndef DCAMP_BASE_MEMORY_H
#define DCAMP_BASE_MEMORY_H

/* Gives the system what is free in the heap: malloc(3) by itself gives back no more than the end of
 * it, so that a daemon would keep for ever what its busiest second needed. */
void memory_trim(void);

/* Lets go of what only the start needed: free memory of the heap, and the pages of programs and
 * libraries, which come back from the page cache one by one where they are used again. */
void memory_let_go(void);

/* Keeps what is free at the end of the heap, up to 64 MiB, and puts what is larger than 128 KiB
 * there, too, up to 32 MiB: for a process that needs as much again and again, for which malloc(3)
 * would by itself give the same pages back and take them anew, which costs a fault and 4096 octets
 * of zeros for each. Of all threads, from now on. The limits are those to which mallopt(3) says
 * that malloc(3) goes by itself. */
void memory_keep(void);

#endif
