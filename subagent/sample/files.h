/* Inside sample/: sources that read several files. */
#ifndef DCAMP_SAMPLE_FILES_H
#define DCAMP_SAMPLE_FILES_H

#include "sample/source.h"

/* The source.own of a source that reads several files. */
struct files {
    unsigned count;
    uint32_t selected; /* if the files are instances: those that are selected, as bits 1 << file */
    uint64_t patterns_changed; /* that of the source when the selection was made */
    struct procfile file[];
};

int files_open(struct source *source, const char *const *paths, unsigned n);
void files_close(struct source *source);

/* Reads those files that have a wanted field; has[i]: the fields in file i. Sets error[i] to 0, an
 * errno or FILE_UNWANTED. Returns the first errno if not one of the files could be read, else 0. */
#define FILE_UNWANTED (-1)
int files_read(const struct source *source, const uint32_t *has, int *error);

#endif
