/* When the free memory of the heap is given back to the system: memory that only the start of a
 * daemon needed is given back at once, memory that each of many rounds needs is never given back.
 */
#ifndef DCAMP_BASE_MEMORY_H
#define DCAMP_BASE_MEMORY_H

/* Gives the free memory of the heap back to the system. By itself, malloc(3) gives back no more
 * than the end of the heap, so that a daemon would keep for ever what its busiest second needed. */
void memory_trim(void);

/* Lets go of what only the start needed: free memory of the heap, and the pages of programs and
 * libraries, which come back one by one from the page cache when they are used again. */
void memory_let_go(void);

/* Keeps up to 64 MiB of free memory at the end of the heap, and takes blocks of more than 128 KiB,
 * up to 32 MiB, from there, too. This is for a process that needs as much again and again: by
 * itself, malloc(3) would give the same pages back and take them anew, which costs a fault and 4096
 * octets of zeros for each. It holds for all threads from now on. mallopt(3) says that malloc(3)
 * itself raises its limits up to these. */
void memory_keep(void);

#endif
