/* Inside sample/: sources of several files. */
#ifndef DCAMP_SAMPLE_FILES_H
#define DCAMP_SAMPLE_FILES_H

#include "sample/source.h"

/* What source.own is of a source of several files. */
struct files {
    unsigned count;
    uint32_t selected;         /* of files that are instances: bit 1 << file */
    uint64_t patterns_changed; /* of the source, when that was found */
    struct procfile file[];
};

int files_open(struct source *source, const char *const *paths, unsigned n);
void files_close(struct source *source);

/* Reads those of the files that have a wanted field; has[i]: the fields in file i. error[i]: 0, an
 * errno or FILE_UNWANTED. The first errno, when not one of them could be read. */
#define FILE_UNWANTED (-1)
int files_read(const struct source *source, const uint32_t *has, int *error);

#endif
