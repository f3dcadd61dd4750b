/* What passes through several steps, in programs of this node and of those below: the sequences of
 * all applications (application/sequence.h), whose figures become totals that only grow, and what
 * came in one pass. Pure.
 *
 * An application is "USER/PROGRAM", on whatever nodes: what passes from one node to another belongs
 * to the same application on both, and has the same number there. */
#ifndef DCAMP_APPLICATION_FLOW_H
#define DCAMP_APPLICATION_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "application/sequence.h"
#include "base/limits.h"
#include "base/table.h"
#include "report/report.h"

/* How many applications may be known; how many of those may have been told first by children, of
 * all children together and of one. A child can name any users and programs, and must keep out
 * neither the programs of this node nor what other children tell. */
#define FLOWS_MAX 1024
#define FLOWS_OF_CHILDREN 768
#define FLOWS_OF_CHILD 256

/* The same limits for applications whose sequences are followed; and a limit for one user. */
#define FLOWS_FOLLOWED_MAX 32
#define FLOWS_FOLLOWED_OF_CHILDREN 24
#define FLOWS_FOLLOWED_OF_CHILD 8
#define FLOWS_FOLLOWED_OF_USER 8

/* How many records may wait in each, and how many latencies it keeps: as many as a pass may have.
 * It keeps them as long as it is known, so that further latencies are left out later. */
#define FLOW_RECORDS 8192
#define FLOW_LATENCIES_MAX SEQUENCE_LATENCIES_MAX

/* A flow that is not heard of for this long is forgotten. */
#define FLOW_IDLE_NS (600 * NS_PER_S)

/* The latency between two steps. */
struct flow_latency {
    UT_hash_handle hh;
    struct sequence_latency_key key;
    char name[INSTANCE_SIZE]; /* "USER/PROGRAM:FROM>TO"; empty: that would be too long */
    uint64_t born;            /* the pass in which it was made */
    uint64_t count, negative;
    double sum;                            /* in seconds */
    const struct statistics_window *grown; /* what came in this pass; NULL: nothing */
};

struct flow {
    UT_hash_handle hh;
    char application[INSTANCE_SIZE];
    uint32_t child;       /* the child that first told of it; 0: programs of this node did */
    uint64_t born, shown; /* passes: the one in which it was made; the other belongs to the owner */
    uint64_t heard_ns;    /* monotonic: when the last record came */
    /* Counts of sequences: complete ones; of these, those that failed and those that end before
     * they begin; lost ones; then records and latencies that are in no figures. */
    uint64_t complete, failed, negative, lost, left_out;
    double sum;                            /* of all complete sequences, in seconds */
    const struct statistics_window *grown; /* what came in this pass; NULL: nothing */
    struct flow_latency *latencies;        /* table by key */
    struct flow_step *steps;               /* numbers of steps, by name */
    struct sequences *sequences;           /* NULL: it is not followed */
    uint64_t lost_before, left_out_before; /* of these figures: what is already included in the
                                            * totals */
};

/* All zero except for the time: there are none. */
struct flows {
    uint64_t settle_ns; /* struct sequence_bounds; may change at any time */
    struct flow *by_application;
    unsigned followed;
    uint64_t pass;
    uint64_t left_out; /* records of applications that are not known, because there was no room or
                        * no memory */
};

void flows_release(struct flows *flows);

/* Begins a pass: nothing has grown yet. */
void flows_begin(struct flows *flows, uint64_t now_ns);

/* Takes one execution of the step with that path (application/application.h), on the node with that
 * number, as told by that child; child 0: a program of this node. May be called at any time. */
void flows_add(struct flows *flows, uint32_t child, uint32_t node, const char *path,
               const struct report_record *record, uint64_t now_ns);

/* Ends a pass: what is complete by now is added to what has grown. */
void flows_end(struct flows *flows, uint64_t now_ns);

/* NULL: there is none. */
struct flow *flows_find(const struct flows *flows, const char *application);

#endif
