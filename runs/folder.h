/* The directory in which the files of runs are: NAME.run each. */
#ifndef DCAMP_RUNS_FOLDER_H
#define DCAMP_RUNS_FOLDER_H

#include "runs/run.h"

#define FOLDER_PATH_SIZE 4096

/* Where it is if nobody says: $XDG_STATE_HOME/dcamp/runs, or ~/.local/state/dcamp/runs (XDG Base
 * Directory Specification). False: neither variable is set. */
bool folder_default(const char *state_home, const char *home, char path[FOLDER_PATH_SIZE]);

/* Makes it, and what is above it, for its owner only. 0 or an errno. */
int folder_make(const char *path);

/* Whether the text is not the name of a run but the path of its file: it has a '/' or ends with
 * .run. */
bool folder_is_path(const char *text);

/* The file of a run: of a name in the directory, or that of the path. False: it is neither. */
bool folder_find(const char *folder, const char *text, char path[FOLDER_PATH_SIZE]);

/* The names of the runs, ascending, which are to be freed one by one, and the list. 0 or an errno;
 * where there is no such directory there are none. */
int folder_list(const char *folder, char ***names, size_t *n);

#endif
