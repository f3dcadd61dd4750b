#include "remove_all.h"

#include <ftw.h>
#include <stdio.h>

#define MOST_OPEN 16

static int remove_one(const char *path, const struct stat *file, int type, struct FTW *where)
{
    (void)file;
    (void)type;
    (void)where;
    return remove(path);
}

void remove_all(const char *directory)
{
    nftw(directory, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
}
