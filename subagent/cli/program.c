#include "cli/program.h"

#include <unistd.h>

#include "base/spawn.h"

void program_become(const char *name, char *const *argv)
{
    char path[PATH_MAX];
    spawn_find(name, DCAMP_LIBEXEC_DIR, path);
    execv(path, argv);
}
