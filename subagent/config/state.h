/* What must be kept when the daemon ends, in one file, state.xml, in the state directory: rows that
 * were SET, documents, threshold states, children, active alarms, the log, undelivered
 * notifications, counters. The rows have the same elements as in dcamp.xml; the file is validated
 * by a schema of its own.
 *
 * Saving takes two steps, so that no thread that samples or serves waits for a disk: state_format.h
 * makes the text (in memory only, while the caller holds the lock), and state_write puts it on disk
 * atomically (temporary file, fsync, link of the last good one to state.xml.1, rename, fsync of the
 * directory). */
#ifndef DCAMP_CONFIG_STATE_H
#define DCAMP_CONFIG_STATE_H

#include "config/ordered.h"
#include "config/tree_config.h"

/* A threshold on a series that is not simply clear. */
struct saved_series {
    char threshold[NAME_SIZE];
    char node[NAME_SIZE]; /* the child that has the series; "": this node */
    char sensor[NAME_SIZE];
    char instance[INSTANCE_SIZE];
    struct threshold_state state; /* since_ns: nanoseconds before the saving, not a time */
    bool taken;                   /* used by watch/watches: its watch has begun; not saved */
};

/* A child that has been reached before. */
struct saved_child {
    char name[NAME_SIZE];
    char engine_id[65]; /* hexadecimal */
    uint32_t engine_boots;
};

struct state {
    uint32_t boot;     /* how often the daemon has started */
    uint32_t reserved; /* see alarms_reserve(); 0: none */
    uint32_t top_size; /* dcampTopSize; 0: it was never set */
    struct saved_series *series;
    size_t n_series;
    size_t series_room;
    struct saved_child *children;
    size_t n_children;
    size_t children_room;
    struct ordered documents[DOCUMENT_KINDS]; /* those that the node was told of */
    struct assignment assignment;             /* that of the share in force, if there is one */
};

void state_release(struct state *state);

/* Each appends a copy. Returns 0 or ENOMEM. */
int state_add_series(struct state *state, const struct saved_series *series);
int state_add_child(struct state *state, const struct saved_child *child);

/* The size limit of a state file: a larger one is neither written (EFBIG) nor read. */
#define STATE_SIZE_MAX (64u << 20)

/* Takes the directory for this process, until lock is closed or the process ends, because two
 * daemons would overwrite what the other one saved. Returns 0 or an errno, EBUSY if another process
 * has it; after an error, error is one line with the cure. */
int state_claim(const char *dir, int *lock, char error[1024]);

/* Writes the text to dir/state.xml. Returns 0 or an errno; after an error the old file is whole. */
int state_write(const char *dir, const char *text, size_t len);

/* Appends what helps against an errno of the files in dir, if that is known. */
void state_add_cure(char error[1024], int code, const char *dir);

#endif
