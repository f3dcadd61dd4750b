/* Finds, opens and reads the file in which a JVM keeps its performance data, without trusting
 * whoever made it. The file is read by pread(2) into memory of this process and never mapped,
 * because truncating a file kills those that have mapped it. */
#ifndef DCAMP_JVM_FILE_H
#define DCAMP_JVM_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "application/jvm.h"
#include "application/jvm_message.h"
#include "application/owner.h"
#include "jvm/candidates.h"
#include "sample/process/values.h"

/* Octets of the maps of one process that are read: twice the size of the maps of a process that has
 * all mappings that Linux usually allows, with paths of 100 characters. */
#define JVM_FILE_MAPS_MAX (16u << 20)

/* What all files share. */
struct jvm_reader {
    struct process_files files; /* of /proc */
    uint8_t *octets;            /* of PERFDATA_SIZE_MAX: the copy of a file */
    char *lines;                /* part of the maps of a process */
    uint64_t read;              /* octets of maps read since jvm_reader_open() */

    /* Called before a file is opened that a process maps, because opening it may hang. */
    void (*opens)(void *context, const struct candidate *candidate);
    void *context;
};

/* Returns 0 or an errno. */
int jvm_reader_open(struct jvm_reader *reader);
void jvm_reader_close(struct jvm_reader *reader);

struct jvm_file {
    struct jvm_reader *reader;
    int fd;
    struct process_reader process;
    struct jvm_plan plan;
};

struct jvm_fault {
    enum owner_problem problem;
    char why[MESSAGE_SIZE - 32]; /* a sentence without a full stop */
};

/* Returns 0 if the process is a JVM, and the file is open. ENOENT: it is none; ESRCH: it is gone;
 * EACCES: this process may not look at it; EBADMSG: it is one, or may be, and the fault says why
 * its file is not read; or an errno of this process, such as ENOMEM. */
int jvm_file_open(struct jvm_reader *reader, const struct candidate *candidate,
                  struct jvm_file **file, struct jvm_fault *fault);
void jvm_file_close(struct jvm_file *file);

/* Returns 0; EAGAIN if the file is not finished, but will be soon; ESRCH if the process is gone;
 * EBADMSG, with a fault. */
int jvm_file_read(struct jvm_file *file, const struct candidate *candidate, struct jvm *jvm,
                  struct jvm_fault *fault);

#endif
