/* What the files of SOURCE_PROCESS share. Not for other stages.
 *
 * There are three views: the processes of a program, of an owner and of a control group. In each
 * view, a process may be an instance of its own, and may be part of an instance that is a sum. Both
 * exist only while a pattern wants them. A member is a process that is part of any of these. */
#ifndef DCAMP_SAMPLE_PROCESS_PROCESSES_H
#define DCAMP_SAMPLE_PROCESS_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/table.h"
#include "sample/process/process.h"
#include "sample/process/names.h"
#include "sample/process/values.h"
#include "sample/process/task_exits.h"

enum process_view { VIEW_PROGRAM, VIEW_OWNER, VIEW_UNIT, PROCESS_VIEWS };

/* A sum that has no processes, and that no pattern names literally, is removed after this time: so
 * short-lived programs keep theirs, and the names of a build do not accumulate. */
#define SUM_EMPTY_NS (600 * NS_PER_S)

struct process_sum {
    UT_hash_handle hh;
    char name[INSTANCE_SIZE];
    bool literal; /* a pattern names it */
    size_t members;
    uint64_t empty_ns; /* since when it has had no members */
    uint64_t started;
    uint64_t left[PROCESS_COUNTERS]; /* what members that have left had used */
    bool refused;   /* in this pass: one of its processes does not show all its values */
    uint32_t valid; /* in this pass */
    uint64_t field[PROCESS_FIELDS];
};

/* The share of a process in a sum is what it has used since it became a member of the sum. */
struct process_share {
    struct process_sum *sum; /* NULL: there is none */
    bool pending;            /* the base is still to be set, by the next reading */
    uint64_t base[PROCESS_COUNTERS];
};

struct process_member {
    UT_hash_handle hh;
    struct process process; /* process.pid is the key */
    struct process_reader reader;
    char comm[NAME_SIZE]; /* at the last reading */
    bool was_read;
    uint32_t valid;
    uint64_t field[PROCESS_FIELDS];
    bool has_exits;
    bool has_last;           /* the record of the last task of the process is among the exits */
    struct task_usage exits; /* of those tasks that have exited since it became a member */
    struct process_share shares[PROCESS_VIEWS];
    char instances[PROCESS_VIEWS][INSTANCE_SIZE]; /* "": not wanted */
};

/* A process of which an event came in this pass. */
struct process_hint {
    UT_hash_handle hh;
    pid_t pid;
    char unit[PROCESS_UNIT_SIZE]; /* of its parent, at the fork; "": not known */
};

struct exited_process;

struct processes {
    struct process_table *table; /* NULL: nothing is wanted, and nothing is open */
    struct process_files files;
    int events; /* -1: there are none, and each pass makes a scan */
    int exits;  /* -1: there are none, and what dead processes used last is lost */
    bool lost;  /* events were lost: everything has to be read again */
    int failure;
    uint64_t now_ns;
    uint64_t first_ns;  /* of the first pass; what that found had begun long before */
    uint64_t last_ns;   /* of the pass before */
    uint64_t rescan_ns; /* when to scan although there are events */
    uint64_t selected;  /* patterns_changed of the source when the patterns were last applied */
    const char *const *patterns;
    size_t n_patterns;
    bool views[PROCESS_VIEWS]; /* some pattern may want its instances */
    struct pool member_pool, hint_pool;
    struct process_sum *sums;
    struct process_member *members;
    struct process_member *ended; /* their process is gone; their last share is still due */
    struct process_hint *hints;
    struct exited_process *exited; /* those that were no members, of this pass */
    struct executables executables;
    struct owners owners;
    uint64_t boot_us;      /* of this pass, since boot */
    uint64_t last_boot_us; /* of the pass before */
    uint64_t suspended_us; /* how much of boot_us the machine was suspended */
};

#endif
