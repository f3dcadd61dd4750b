#include <errno.h>
#include <stdlib.h>

#include "sample/source.h"

int files_open(struct source *source, const char *const *paths, unsigned n)
{
    struct files *files = calloc(1, sizeof *files + n * sizeof *files->file);
    source->own = files;
    if (!files)
        return ENOMEM;
    for (; files->count < n; files->count++) {
        int error = procfile_init(&files->file[files->count], source->root, paths[files->count]);
        if (error)
            return error;
    }
    return 0;
}

void files_close(struct source *source)
{
    struct files *files = source->own;
    for (unsigned i = 0; files && i < files->count; i++)
        procfile_release(&files->file[i]);
    free(files);
    source->own = NULL;
}
