/* The files of outfile.h in their directory: their names, and their size together. */
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

/* Whether a file has a name as the files of this sink have; then also its day. */
bool outdir_day_of(const char *sink, const char *suffix, const char *name,
                   char day[OUTDIR_DAY_SIZE]);

/* dir, below, is an open directory. These return 0 or an errno. */

/* The name of the next file of a day, behind all that there are. ENFILE: there are OUTDIR_FILES_MAX
 * already. */
int outdir_next(int dir, const char *sink, const char *suffix, const char *day,
                char name[OUTDIR_NAME_SIZE]);

/* The octets of all files except `but`. */
int outdir_size(int dir, const char *sink, const char *suffix, const char *but, uint64_t *octets);

/* Removes the oldest files except `but`, until the others have at most `most` octets; the log says
 * which. path: that of the directory, for the log. */
int outdir_trim(const char *path, int dir, const char *sink, const char *suffix, const char *but,
                uint64_t most, uint64_t *octets);

#endif
