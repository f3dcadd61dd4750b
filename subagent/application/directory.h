/* The directory in which programs publish their segments: which files there are, whose they are and
 * whether their writers live. Files are read by pread(2) into memory of this process and never
 * mapped. This file is the I/O of the room, and does all its logging.
 *
 * Anybody may make files there. So a pass looks at a limited number of new files, reads a limited
 * number of octets of each user and remembers a limited number of names; the rest waits. Each kind
 * of trouble that the files of a user make is logged once when it begins and once when it is
 * over. */
#ifndef DCAMP_APPLICATION_DIRECTORY_H
#define DCAMP_APPLICATION_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "application/application.h"
#include "application/program.h"

/* Files that are read of all users together, and names that are remembered. */
#define DIRECTORY_FILES_MAX 2048
#define DIRECTORY_NAMES_MAX 16384

/* How many files a pass opens that it does not read yet: those that it has never looked at, and
 * those that it looks at again after DIRECTORY_AGAIN_NS. The latter include files whose names begin
 * with ".dead-", which were left by a dcampd that was killed while it removed them: they are
 * removed, unless somebody has locked them. */
#define DIRECTORY_NEW_MAX 256
#define DIRECTORY_AGAIN_MAX 64
#define DIRECTORY_AGAIN_NS (10 * NS_PER_S)

/* At this age, a file without a magic number and without a lock shows that its writer has died. */
#define DIRECTORY_UNFINISHED_NS (10 * NS_PER_S)

/* What the last pass has done, and what there is now. */
struct directory_cost {
    size_t names;    /* how many are remembered */
    size_t files;    /* how many are read */
    size_t waiting;  /* how many are not read, for whatever reason */
    size_t examined; /* how many were opened to find out whether they may be read */
    size_t removed;  /* whose writers are dead, or that an earlier dcampd had to leave */
    uint64_t octets; /* that were read */
};

struct directory;

/* Opens nothing yet, because the directory may come later. NULL: no memory. The path is copied. */
struct directory *directory_new(const char *path);

/* Nothing is removed from the disk. NULL is allowed. */
void directory_free(struct directory *directory);

/* One pass over all files: applications_begin(), and everything that has grown since the last one.
 * wanted: PROGRAM_TOPS and so on; the observer, which may be NULL, gets the records. 0; ENOENT and
 * others: the directory cannot be read, and nothing was read. If it does not exist, its programs
 * count as ended; should it come back with the same files, they go on. ENOMEM: some of it could not
 * be taken, and the next pass makes up for that. */
int directory_pass(struct directory *directory, uint64_t now_ns, unsigned wanted,
                   const struct program_observer *observer);

/* Whether there is anything in it for a pass: a file that the last pass has left, or any name. A
 * directory that does not exist, or cannot be read, has nothing, and that is not logged. Files that
 * appear in a directory that had nothing count as new, as after a pass. This costs a few system
 * calls. */
bool directory_has_files(struct directory *directory);

/* Whether the last pass has left files that it had no time for: another pass goes on with them. */
bool directory_has_more(const struct directory *directory);

/* What the programs have counted, as of the last pass; it belongs to the directory. */
const struct applications *directory_applications(const struct directory *directory);

/* Owners of files, or of what has been counted: a table by uid. */
const struct owner *directory_owners(const struct directory *directory);

struct directory_cost directory_cost(const struct directory *directory);

#endif
