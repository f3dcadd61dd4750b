/* What dcamp top shows, screen by screen: the fields of each, and where in the MIB they are. */
#ifndef DCAMP_CLI_TOP_SUBJECT_H
#define DCAMP_CLI_TOP_SUBJECT_H

#include "cli/top_model.h"
#include "dcamp_mib.h"

enum top_subject_id {
    TOP_NODES, /* of a collector: its children */
    TOP_AGGREGATES,
    TOP_PROCESSES,
    TOP_APPLICATIONS,
    TOP_ALARMS,
    TOP_VALUES, /* of the node itself */
    TOP_SCREENS,
    TOP_TREE = TOP_SCREENS, /* in the place of TOP_NODES, where the node is the root of a tree */
    TOP_CHILD,              /* in the place of TOP_VALUES: those of one child */
    TOP_SUBJECTS
};

/* When the object of a field is read again. */
enum top_when {
    TOP_ONCE, /* it does not change: read when it is first seen, or sorted or filtered by */
    TOP_SEEN, /* in each round, of the rows that are on the screen; of all, if sorted by it */
    TOP_EACH  /* in each round, of all rows */
};

/* Where a field is: an object, or a part of the index of the row. */
struct top_place {
    enum mib_object object; /* MIB_OBJECTS: none */
    int index;              /* 1: the first part; 0: none */
};

/* A table of the MIB. Its rows are found by a walk of one column, which is a field as well. */
struct top_table {
    const char *index;              /* of its parts: 't' text, 'n' number */
    size_t walked;                  /* the field */
    const struct top_place *places; /* of the fields; NULL: there is no such table */
};

#define TOP_TABLES 2

struct top_subject {
    const char *name;
    const struct top_field *fields;
    const enum top_when *when; /* of the fields */
    size_t n_fields;
    size_t sort;                         /* the field, at first */
    struct top_table tables[TOP_TABLES]; /* none: dcampProcessRankTable, whose rows come by rank */
    const char *empty;                   /* what is said if there is no row */
};

extern const struct top_subject top_subjects[TOP_SUBJECTS];

/* Fields that the code refers to by name. */
enum { TOP_NODE_NAME = 0 };
enum { TOP_ALARM_SEVERITY, TOP_ALARM_INDEX = 9, TOP_ALARM_KEY = 10, TOP_ALARM_PATH = 11 };
enum {
    TOP_PROCESS_PID,
    TOP_PROCESS_OWNER,
    TOP_PROCESS_CPU,
    TOP_PROCESS_MEMORY,
    TOP_PROCESS_TIME,
    TOP_PROCESS_THREADS,
    TOP_PROCESS_NAME,
    TOP_PROCESS_FIELDS
};

/* The subject that a word names: the screens, as "alarms". False: none. */
bool top_subject_find(const char *word, enum top_subject_id *id);

#endif
