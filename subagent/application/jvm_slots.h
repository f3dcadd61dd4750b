/* JVMs and their collectors as the instances of a source: how what a JVM says of itself becomes
 * what sensors of dcampd measure. Their names are described in jvm_names.h. */
#ifndef DCAMP_APPLICATION_JVM_SLOTS_H
#define DCAMP_APPLICATION_JVM_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "application/jvm_helper.h"
#include "application/jvm_names.h"
#include "application/owner.h"
#include "sample/process/names.h"
#include "sample/source.h"

struct jvm_slots {
    struct jvm_helper helper;
    struct owners names;     /* the names of users */
    struct owner *owners;    /* owners of JVMs that are not read, by uid */
    struct jvm_named *found; /* those of this pass */
    size_t n, room;
    bool no_memory;
    bool told_unseen; /* it was logged that JVMs of others are not seen */
};

/* path: that of the process that looks for JVMs, as in jvm_helper.h; it must stay valid. */
void jvm_slots_open(struct jvm_slots *slots, const char *path);
void jvm_slots_close(struct jvm_slots *slots);

/* Nobody needs to know anything of JVMs any more. */
void jvm_slots_rest(struct jvm_slots *slots, uint64_t now_ns);

/* A pass over all JVMs: a sampler_reader, whose context is a struct jvm_slots. Returns the errors
 * of jvm_helper_ask(). */
int jvm_slots_read(void *slots, struct source *source, uint64_t now_ns);

/* The parts of a pass: it begins, takes what comes of an answer, and fills the slots of a
 * source. */
void jvm_slots_begin(struct jvm_slots *slots);
jvm_take jvm_slots_take;
int jvm_slots_fill(struct jvm_slots *slots, struct source *source, uint64_t now_ns);

#endif
