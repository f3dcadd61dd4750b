/* The directory in which programs publish their segments: which files there are, whose they are and
 * whether their writers live; they are read by pread(2) into memory of this process and never
 * mapped. This file is the I/O of the room, and all that it logs.
 *
 * Anybody may make files there. So a pass looks at so many new files, reads so many octets of each
 * user and remembers so many names, and what is beyond that waits. Each kind of trouble that the
 * files of a user make is logged once, when it begins and when it is over. */
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

/* Files that a pass opens which it does not read yet: those that it has never looked at, and those
 * that it looks at again DIRECTORY_AGAIN_NS later. The latter are also those whose names begin with
 * ".dead-", which a dcampd has left that was killed when it removed them: they are removed, unless
 * somebody has locked them. */
#define DIRECTORY_NEW_MAX 256
#define DIRECTORY_AGAIN_MAX 64
#define DIRECTORY_AGAIN_NS (10 * NS_PER_S)

/* So old is a file without a magic number and without a lock that its writer has died. */
#define DIRECTORY_UNFINISHED_NS (10 * NS_PER_S)

/* What the last pass has done, and what there is now. */
struct directory_cost {
    size_t names;    /* that are remembered */
    size_t files;    /* that are read */
    size_t waiting;  /* that are not, for whatever reason */
    size_t examined; /* that were opened in order to find out whether they may be read */
    size_t removed;  /* whose writers are dead, or that a dcampd before had to leave */
    uint64_t octets; /* that were read */
};

struct directory;

/* Opens nothing yet: the directory may come later. NULL: no memory. The path is copied. */
struct directory *directory_new(const char *path);

/* Nothing is removed on the disk. NULL is allowed. */
void directory_free(struct directory *directory);

/* One pass over all files: applications_begin(), and everything that has grown since the last one.
 * wanted: PROGRAM_TOPS and so on; the observer, which may be NULL, gets the records. 0; ENOENT
 * and others: the directory cannot be read, and nothing was. If it is not there, its programs have
 * ended; should it come back with the same files, they go on. ENOMEM: some of it could not be
 * taken, and the next pass makes up for it. */
int directory_pass(struct directory *directory, uint64_t now_ns, unsigned wanted,
                   const struct program_observer *observer);

/* Whether there is anything in it for a pass: a file that the last one has left, or any name. One
 * that is not there, or cannot be read, has nothing, and nothing is logged of that. What comes into
 * one that had nothing has come since, as after a pass. Costs a few system calls. */
bool directory_has_files(struct directory *directory);

/* Whether the last pass has left files that it had no time for: another one goes on with them. */
bool directory_has_more(const struct directory *directory);

/* What the programs have counted: of the last pass, and the directory's own. */
const struct applications *directory_applications(const struct directory *directory);

/* Owners of files, or of what has been counted: a table by uid. */
const struct owner *directory_owners(const struct directory *directory);

struct directory_cost directory_cost(const struct directory *directory);

#endif
