/* The processes of the node, by executable name: a cheap scan that reads the details of a
 * process only when it is new, and seldom afterwards. */
#ifndef DCAMP_SAMPLE_PROCESS_H
#define DCAMP_SAMPLE_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"

#define PROCESS_IDENTIFIER_SIZE 64

struct process {
    pid_t pid;
    char name[NAME_SIZE];                     /* 1 to 32 of [A-Za-z0-9._-] */
    char identifier[PROCESS_IDENTIFIER_SIZE]; /* "name/pid" */
    uint64_t started;                         /* milliseconds since boot */
};

struct process_table;

/* Reads below root ("/" on a real system). NULL: out of memory. */
struct process_table *process_table_new(const char *root);
void process_table_free(struct process_table *table);

/* Brings the table up to date. The details of a process are read when it is first seen, once
 * more in the next scan (a fork may have become another program by then), when its directory
 * became another one, and then every ten to twenty minutes.
 * Returns 0 or an errno; on an error no process goes. Processes that cannot be read (hidepid of
 * proc(5), or gone meanwhile) are not listed. */
int process_scan(struct process_table *table, uint64_t now_ns);

/* Grows whenever a process comes, goes or becomes another one. */
uint64_t process_membership(const struct process_table *table);
size_t process_count(const struct process_table *table);

/* NULL: no such process. */
const struct process *process_find(const struct process_table *table, pid_t pid);

/* In the order of the pids. Valid until the next scan; NULL after the last one. */
const struct process *process_first(const struct process_table *table);
const struct process *process_next(const struct process *process);

#endif
