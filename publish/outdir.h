/* The files of outfile.h in their directory: their names, and what they have together. */
#ifndef DCAMP_PUBLISH_OUTDIR_H
#define DCAMP_PUBLISH_OUTDIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"

#define OUTDIR_DAY_SIZE 16 /* "2026-11-26" */
#define OUTDIR_NAME_SIZE (NAME_SIZE + 48)
#define OUTDIR_FILES_MAX 9999 /* of a day */

/* The day in UTC. */
void outdir_day(char day[OUTDIR_DAY_SIZE], int64_t now_ms);

/* Whether a file is called as those of this sink are; then the day of it. */
bool outdir_day_of(const char *sink, const char *suffix, const char *name,
                   char day[OUTDIR_DAY_SIZE]);

/* Of functions with dir: an open directory. 0 or an errno. */

/* The name of the next file of a day, which is behind all that there are. ENFILE: they are
 * OUTDIR_FILES_MAX. */
int outdir_next(int dir, const char *sink, const char *suffix, const char *day,
                char name[OUTDIR_NAME_SIZE]);

/* The octets of all files but that one. */
int outdir_size(int dir, const char *sink, const char *suffix, const char *but, uint64_t *octets);

/* Removes the oldest files but that one, until they have at most that many octets; the log has
 * which. path: of the directory, for that. */
int outdir_trim(const char *path, int dir, const char *sink, const char *suffix, const char *but,
                uint64_t most, uint64_t *octets);

#endif
