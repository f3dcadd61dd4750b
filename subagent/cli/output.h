/* The file that dcamp export writes with --output, and what --run has run when it has changed. */
#ifndef DCAMP_CLI_OUTPUT_H
#define DCAMP_CLI_OUTPUT_H

#include <sys/types.h>

#include "cli/question.h"

struct output {
    const char *path;
    const char *run; /* by sh -c; NULL: nothing */
    mode_t mode;     /* of a file that is not there yet */
    bool is_due;     /* the command has not succeeded since the last change */
};

/* The text of the file, malloced, up to the first NUL; of one that is not there it is "". NULL:
 * question->status says why. */
char *output_read(const struct output *output, struct question *question);

/* Writes the file if that is another text than it had, and then runs the command; one that failed
 * is run again the next time. A signal that ends the process waits until both are done. what: told
 * on changes when the file is written. False: question->status says why; the file is then as it
 * was, or as it should be. */
bool output_write(struct output *output, struct question *question, const char *before,
                  const char *text, size_t len, FILE *changes, const char *what);

#endif
