#include "sample/files.h"

#include <errno.h>
#include <stdlib.h>

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

int files_read(const struct source *source, const uint32_t *has, int *error)
{
    struct files *files = source->own;
    int first_error = 0;
    bool any = false;
    for (unsigned i = 0; i < files->count; i++) {
        error[i] = has[i] & source->fields ? procfile_read(&files->file[i]) : FILE_UNWANTED;
        any |= error[i] == 0;
        if (error[i] > 0 && !first_error)
            first_error = error[i];
    }
    return any ? 0 : first_error;
}

void files_close(struct source *source)
{
    struct files *files = source->own;
    for (unsigned i = 0; files && i < files->count; i++)
        procfile_release(&files->file[i]);
    free(files);
    source->own = NULL;
}
