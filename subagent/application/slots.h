/* Applications and their sensors as the instances of a source of samples: how what programs have
 * counted becomes what sensors of dcampd measure.
 *
 * An application is the instance USER/PROGRAM, a sensor of it USER/PROGRAM:SENSOR or, if it has an
 * instance, USER/PROGRAM:SENSOR:INSTANCE. USER is the name of the user, or the number of a user
 * without a name. What would have a name that is too long for an instance, or that another one has,
 * is not shown.
 *
 * Records of steps that nodes below have reported are treated like those of this node: sensors of
 * this node that select the records of a step get those of all nodes (application/relay.h). */
#ifndef DCAMP_APPLICATION_SLOTS_H
#define DCAMP_APPLICATION_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "application/application.h"
#include "application/directory.h"
#include "application/flow.h"
#include "report/pace.h"
#include "application/relay.h"
#include "sample/process/names.h"
#include "sample/source.h"

struct application_slots {
    struct directory *directory; /* the owner's; only slots_read() uses it */
    struct owners owners;        /* names of users */
    unsigned wanted;             /* what must also be read of the programs for others: program.h */
    /* Whether somebody reports the records of a step; NULL: nobody does. pace limits how many. */
    bool (*wants_records)(const void *context, const char *instance);
    const void *context;
    struct pace pace;
    bool follows; /* somebody needs sequences */
    struct flows flows;
    bool relays; /* somebody reports records of some steps */
    struct relay relay;
    uint64_t now_ns; /* monotonic: the time of the pass */
    size_t hidden;   /* applications and sensors that the last pass did not show */
    bool told;
    uint64_t hidden_ns; /* monotonic: when there last were any */
};

/* If all but the directory is zero, it has not begun. */
void slots_release(struct application_slots *slots);

/* Whether executions on nodes below are needed, which slots_take_record() then takes: judged by the
 * fields that sensors want. */
bool slots_want_records(struct application_slots *slots, uint32_t fields);

/* Takes one execution of a step on a node below, as told by a child, whose number is not 0. */
void slots_take_record(struct application_slots *slots, uint32_t child, const char *path,
                       const struct report_record *record, uint64_t now_ns);

/* A pass over the directory, and its results: a sampler_reader, whose context is a struct
 * application_slots. Returns an errno if the directory cannot be read. */
int slots_read(void *slots, struct source *source, uint64_t now_ns);

/* The second half of a pass: fills the slots of a source with what programs have counted. */
void slots_fill(struct application_slots *slots, const struct applications *applications,
                struct source *source);

#endif
