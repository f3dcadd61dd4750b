/* Stores what the nodes of a world tell, by the real writer and a simulated clock, and is killed
 * again and again meanwhile. */
#ifndef DCAMP_TESTS_WEEK_WRITER_H
#define DCAMP_TESTS_WEEK_WRITER_H

#include <stddef.h>
#include <stdint.h>

/* What all writing processes have done so far; in memory that they share. */
struct writer_done {
    size_t step;           /* the current one */
    uint64_t ns;           /* CPU time in the writer alone, not of the world */
    uint64_t blocks;       /* that the writer was given */
    uint64_t doubles;      /* of these, how many it had already */
    unsigned kills, reads; /* questions of readers meanwhile */
};

/* Prints what it has cost. Ends the program if something fails. */
void writer_run(const char *directory, size_t nodes, size_t steps, struct writer_done *done);

#endif
