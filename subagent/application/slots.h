/* Applications and their sensors as the instances of a source of samples: how what programs have
 * counted becomes what sensors of dcampd measure.
 *
 * An application is the instance USER/PROGRAM, a sensor of it USER/PROGRAM:SENSOR or, if it has an
 * instance, USER/PROGRAM:SENSOR:INSTANCE. USER is the name of the user, or the number of one that
 * has none. What would be longer than an instance can be, or be called as another one, is not
 * shown.
 *
 * Records of steps that nodes below have reported are beside those of this node: where sensors of
 * this node want the records of a step, they get those of all nodes (application/relay.h). */
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
    unsigned wanted;             /* what of the programs is read for others, too: program.h */
    /* Whether somebody reports the records of a step; NULL: nobody does. And how many may be. */
    bool (*wants_records)(const void *context, const char *instance);
    const void *context;
    struct pace pace;
    bool follows; /* somebody wants to know of sequences */
    struct flows flows;
    bool relays; /* somebody reports records of some steps */
    struct relay relay;
    uint64_t now_ns; /* of the pass, monotonic */
    size_t hidden;   /* applications and sensors that the last pass did not show */
    bool told;
    uint64_t hidden_ns; /* when there were any last, monotonic */
};

/* All zero octets but for the directory are one that has not begun. */
void slots_release(struct application_slots *slots);

/* Whether executions on nodes below are wanted, of which slots_take_record() tells then: by the
 * fields that sensors want. */
bool slots_want_records(struct application_slots *slots, uint32_t fields);

/* One execution of a step on a node below, which a child has told, whose number is not 0. */
void slots_take_record(struct application_slots *slots, uint32_t child, const char *path,
                       const struct report_record *record, uint64_t now_ns);

/* A pass over the directory, and what it has found: a sampler_reader, whose context is a struct
 * application_slots. An errno: the directory cannot be read. */
int slots_read(void *slots, struct source *source, uint64_t now_ns);

/* The second half of it: fills the slots of a source with what programs have counted. */
void slots_fill(struct application_slots *slots, const struct applications *applications,
                struct source *source);

#endif
