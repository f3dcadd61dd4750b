/* The directory of the files of runs, which are called NAME.run. */
#ifndef DCAMP_RUNS_FOLDER_H
#define DCAMP_RUNS_FOLDER_H

#include "runs/run.h"

#define FOLDER_PATH_SIZE 4096

/* The default: $XDG_STATE_HOME/dcamp/runs, or ~/.local/state/dcamp/runs (XDG Base Directory
 * Specification). Returns false if neither variable is set. */
bool folder_default(const char *state_home, const char *home, char path[FOLDER_PATH_SIZE]);

/* Makes the directory and those above it, accessible to their owner only. Returns 0 or an errno. */
int folder_make(const char *path);

/* Whether the text is the path of a file instead of the name of a run: it has a '/' or ends with
 * .run. */
bool folder_is_path(const char *text);

/* The path of the file of a run: text is the name of a run in the directory, or a path. Returns
 * false if it is neither. */
bool folder_find(const char *folder, const char *text, char path[FOLDER_PATH_SIZE]);

/* The names of the runs, ascending; each name and the list have to be freed. Returns 0 or an errno;
 * if there is no such directory, there are no names. */
int folder_list(const char *folder, char ***names, size_t *n);

#endif
