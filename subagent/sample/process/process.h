/* The processes of the node, by executable name: a cheap scan reads the details of a process only
 * when it is new, and seldom afterwards. */
#ifndef DCAMP_SAMPLE_PROCESS_PROCESS_H
#define DCAMP_SAMPLE_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"

#define PROCESS_IDENTIFIER_SIZE 64
#define PROCESS_UNIT_SIZE 58 /* an instance is "cgroup:" and this */

struct process {
    pid_t pid;
    uid_t owner;                              /* the effective user */
    char name[NAME_SIZE];                     /* 1 to 32 of [A-Za-z0-9._-] */
    char identifier[PROCESS_IDENTIFIER_SIZE]; /* "name/pid" */
    char unit[PROCESS_UNIT_SIZE]; /* last part of its cgroup v2 path; "": unknown, or not asked for
                                   */
    uint64_t started;             /* milliseconds since boot */
    uint64_t seen_ns;             /* when it was first seen under this pid */
    bool ended;                   /* a zombie: nothing but its pid is left */
};

struct process_table;

/* Reads below root ("/" on a real system). NULL: out of memory. */
struct process_table *process_table_new(const char *root);
void process_table_free(struct process_table *table);

/* Is told of each process that comes (before is NULL), goes (after is NULL), or changes in anything
 * but its times. Another start time means another process with the same pid. It is called from
 * within process_scan and process_look, and must call neither; both structs are invalid once it
 * returns. */
typedef void process_changed(void *context, const struct process *before,
                             const struct process *after);
void process_table_watch(struct process_table *table, process_changed *changed, void *context);

/* Sets whether units are wanted. A change makes the next scan read all details again. */
void process_table_units(struct process_table *table, bool wanted);

/* Sets whether somebody learns of forks, execs and other changes, and calls process_look for them.
 * A scan then reads details only of what is new; but if units are wanted, it reads all again from
 * time to time as before, because nobody tells of a change of unit. */
void process_table_told(struct process_table *table, bool told);

/* The next scan reads all details again. */
void process_table_forget(struct process_table *table);

/* Brings the table up to date. The details of a process are read when it is first seen, once more
 * in the next scan (a fork may have become another program by then), when its directory has become
 * another one, and then every ten to twenty minutes. Processes that are gone are removed before
 * others are added. Returns 0 or an errno; while it is not known which processes there are, none is
 * removed. Processes that cannot be read (hidepid of proc(5), or gone meanwhile) are not listed. */
int process_scan(struct process_table *table, uint64_t now_ns);

/* Reads the details of one process now, by which it may come, change or go in the table. */
int process_look(struct process_table *table, pid_t pid, uint64_t now_ns);

/* Grows whenever a process comes, goes or becomes another one. */
uint64_t process_membership(const struct process_table *table);
size_t process_count(const struct process_table *table);

/* NULL: no such process. */
const struct process *process_find(const struct process_table *table, pid_t pid);

/* The processes; after a scan they are in the order of their pids. They are valid until the next
 * scan or look; NULL follows the last one. */
const struct process *process_first(const struct process_table *table);
const struct process *process_next(const struct process *process);

#endif
