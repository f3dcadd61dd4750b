/* What the daemon needs once, it does not keep. */
#ifndef DCAMP_BASE_MEMORY_H
#define DCAMP_BASE_MEMORY_H

/* Lets go of what only the start needed: free memory of the heap, and the pages of programs and
 * libraries, which come back from the page cache one by one where they are used again. */
void memory_let_go(void);

#endif
