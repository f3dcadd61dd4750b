/* What a JVM says of itself in its performance data: the JVM profile. Pure.
 *
 * Its values are the first JVM_VALUES of enum jvm_field (metric/field.h). Whatever a JVM does not
 * have is not known, which is something else than 0: other collectors and other releases have other
 * entries. Times are in nanoseconds, sizes in octets. */
#ifndef DCAMP_APPLICATION_JVM_H
#define DCAMP_APPLICATION_JVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "application/perfdata.h"
#include "base/limits.h"
#include "metric/field.h"

/* One of the collectors of the JVM: most have one for young objects and one for all. */
struct jvm_collector {
    char name[INSTANCE_SIZE]; /* as the JVM has it: "G1 young collection pauses" */
    bool has_count, has_time;
    uint64_t count;   /* counter: of collections, or of pauses where the name says so */
    uint64_t time_ns; /* counter: that they took */
};

#define JVM_COLLECTORS 8

struct jvm_profile {
    uint32_t known; /* bit 1 << enum jvm_field */
    uint64_t value[JVM_VALUES];
    unsigned n_collectors;
    struct jvm_collector collector[JVM_COLLECTORS]; /* in the order of their numbers */

    /* The used octets change at collections only; else they are those of some milliseconds ago, or
     * with G1 of when the latest region was begun. */
    bool heap_is_of_last_collection;

    /* What it runs: its main class, or the file name of its archive, without arguments, which may
     * hold secrets. "": not known, as of a JVM inside another program. */
    char name[INSTANCE_SIZE];

    uint32_t overflow; /* octets of entries that the JVM had no room for: those are not known */
};

static inline bool jvm_knows(const struct jvm_profile *profile, enum jvm_field value)
{
    return profile->known >> value & 1;
}

/* The generations that are heap: the permanent generation, number 2 until JDK 7, is not. */
#define JVM_GENERATIONS 2
#define JVM_SPACES 4

/* Where in the file the values of one JVM are. It is made anew when the JVM says that its entries
 * are others; all zero octets are none yet. Begin with those again for another JVM. Private but for
 * its size. */
struct jvm_plan {
    bool is_made;
    struct perfdata_header header; /* of the file that it was made of */

    uint32_t scalar[16]; /* one for each row of the table in jvm.c; 0: there is none */
    uint32_t used[JVM_GENERATIONS][JVM_SPACES], max[JVM_GENERATIONS];
    bool has_more_spaces; /* than are here: their sum is not known */

    struct {
        uint32_t count, time;
        char name[INSTANCE_SIZE];
    } collector[JVM_COLLECTORS];
    char name[INSTANCE_SIZE];

    uint64_t frequency; /* ticks in a second; 0: not known, and no time either */
    bool is_sampled;    /* the JVM looks at what it does not count itself every 50 ms */
};

/* Reads the octets of such a file. 0; the errors of perfdata.h, and then why says in a sentence
 * what the matter is, the profile is not to be used, and the plan is as it was. */
int jvm_read(struct jvm_plan *plan, const uint8_t *octets, size_t size, struct jvm_profile *profile,
             char why[MESSAGE_SIZE]);

#endif
