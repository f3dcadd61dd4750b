/* The processes of the node, by executable name: a cheap scan that reads the details of a
 * process only when it is new, and seldom afterwards. */
#ifndef DCAMP_SAMPLE_PROCESS_PROCESS_H
#define DCAMP_SAMPLE_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"

#define PROCESS_IDENTIFIER_SIZE 64
#define PROCESS_UNIT_SIZE 58 /* with "cgroup:" before it, an instance */

struct process {
    pid_t pid;
    uid_t owner;                              /* the effective user */
    char name[NAME_SIZE];                     /* 1 to 32 of [A-Za-z0-9._-] */
    char identifier[PROCESS_IDENTIFIER_SIZE]; /* "name/pid" */
    char unit[PROCESS_UNIT_SIZE]; /* last part of its cgroup v2; "": unknown, or not asked for */
    uint64_t started;             /* milliseconds since boot */
    uint64_t seen_ns;             /* when it was first seen under this pid */
    bool ended;                   /* a zombie: only its pid is left */
};

struct process_table;

/* Reads below root ("/" on a real system). NULL: out of memory. */
struct process_table *process_table_new(const char *root);
void process_table_free(struct process_table *table);

/* Tells of each process that comes (before is NULL), goes (after is NULL) or changes in anything
 * but its time: another start time is another process with the same pid. It is called from within
 * process_scan and process_look, and must call neither; both structs are gone when it returns. */
typedef void process_changed(void *context, const struct process *before,
                             const struct process *after);
void process_table_watch(struct process_table *table, process_changed *changed, void *context);

/* Whether units are wanted. A change makes the next scan read all details again. */
void process_table_units(struct process_table *table, bool wanted);

/* Whether somebody learns of forks, execs and other changes, and calls process_look: a scan then
 * rereads what is new, and else, for the units, of which nobody tells, as without. */
void process_table_told(struct process_table *table, bool told);

/* The next scan reads all details again. */
void process_table_forget(struct process_table *table);

/* Brings the table up to date. The details of a process are read when it is first seen, once
 * more in the next scan (a fork may have become another program by then), when its directory
 * became another one, and then every ten to twenty minutes.
 * Those that are gone go before others come.
 * Returns 0 or an errno; while it is not known which are there, no process goes. Processes that
 * cannot be read (hidepid of proc(5), or gone meanwhile) are not listed. */
int process_scan(struct process_table *table, uint64_t now_ns);

/* Reads the details of one process now: it comes, changes, goes, or nothing happens. */
int process_look(struct process_table *table, pid_t pid, uint64_t now_ns);

/* Grows whenever a process comes, goes or becomes another one. */
uint64_t process_membership(const struct process_table *table);
size_t process_count(const struct process_table *table);

/* NULL: no such process. */
const struct process *process_find(const struct process_table *table, pid_t pid);

/* The processes, which are in the order of their pids after a scan. Valid until the next scan or
 * look; NULL after the last one. */
const struct process *process_first(const struct process_table *table);
const struct process *process_next(const struct process *process);

#endif
