/* What the files of SOURCE_PROCESS share; not for other stages.
 *
 * Three views: the processes of a program, of an owner and of a control group. In each view, a
 * process may be an instance of its own, and be part of an instance that is a sum. Both exist only
 * while a pattern wants them. A member is a process that is part of any of these. */
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

/* A sum that has no processes, and that no pattern names literally, goes after this time: so short-
 * lived programs keep theirs, and the names of a build do not pile up. */
#define SUM_EMPTY_NS (600 * NS_PER_S)

struct process_sum {
    UT_hash_handle hh;
    char name[INSTANCE_SIZE];
    bool literal; /* a pattern names it */
    size_t members;
    uint64_t empty_ns; /* since when there are none */
    uint64_t started;
    uint64_t left[PROCESS_COUNTERS]; /* by those that are no members any more */
    bool refused;                    /* this pass: of a process that does not show all */
    uint32_t valid;                  /* this pass */
    uint64_t field[PROCESS_FIELDS];
};

/* The part of a process in a sum is what it has used since it became a member. */
struct process_share {
    struct process_sum *sum; /* NULL: it is in none */
    bool pending;            /* the base is what the next reading gives */
    uint64_t base[PROCESS_COUNTERS];
};

struct process_member {
    UT_hash_handle hh;
    struct process process; /* process.pid is the key */
    struct process_reader reader;
    char comm[NAME_SIZE]; /* of the last reading */
    bool was_read;
    uint32_t valid;
    uint64_t field[PROCESS_FIELDS];
    bool has_exits;
    bool has_last;           /* the record of its last task is among them */
    struct task_usage exits; /* of its tasks that have exited since it became a member */
    struct process_share shares[PROCESS_VIEWS];
    char instances[PROCESS_VIEWS][INSTANCE_SIZE]; /* "": not wanted */
};

/* A process of which something was told in this pass. */
struct process_hint {
    UT_hash_handle hh;
    pid_t pid;
    char unit[PROCESS_UNIT_SIZE]; /* of its parent, when it was forked; "": not known */
};

struct exited_process;

struct processes {
    struct process_table *table; /* NULL: nothing is wanted, and nothing is open */
    struct process_files files;
    int events; /* -1: none, a scan in each pass */
    int exits;  /* -1: none, what the dead used last is lost */
    bool lost;  /* events were lost: everything has to be read again */
    int failure;
    uint64_t now_ns;
    uint64_t first_ns;  /* of the first pass: what it found had begun long before */
    uint64_t last_ns;   /* of the pass before */
    uint64_t rescan_ns; /* when to scan although there are events */
    uint64_t selected;  /* patterns_changed of the source when they were last applied */
    const char *const *patterns;
    size_t n_patterns;
    bool views[PROCESS_VIEWS]; /* some pattern may want its instances */
    struct pool member_pool, hint_pool;
    struct process_sum *sums;
    struct process_member *members;
    struct process_member *ended; /* members whose process is gone: their last share is due */
    struct process_hint *hints;
    struct exited_process *exited; /* that are no members, of this pass */
    struct executables executables;
    struct owners owners;
    uint64_t boot_us;      /* of this pass, since boot */
    uint64_t last_boot_us; /* of the pass before */
    uint64_t suspended_us; /* so much of that the machine was suspended */
};

#endif
