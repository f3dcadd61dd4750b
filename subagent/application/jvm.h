/* What a JVM says of itself in its performance data: the JVM profile. Pure.
 *
 * Its values are the first JVM_VALUES of enum jvm_field (metric/field.h). What a JVM does not have
 * is not known, which is different from 0: other collectors and other releases have other entries.
 * Times are in nanoseconds, sizes in octets. */
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
    char name[INSTANCE_SIZE]; /* in the words of the JVM: "G1 young collection pauses" */
    bool has_count, has_time;
    uint64_t count;   /* counter: of collections, or of pauses if the name says so */
    uint64_t time_ns; /* counter: how long they took */
};

#define JVM_COLLECTORS 8

struct jvm_profile {
    uint32_t known; /* bit 1 << enum jvm_field */
    uint64_t value[JVM_VALUES];
    unsigned n_collectors;
    struct jvm_collector collector[JVM_COLLECTORS]; /* in the order of their numbers */

    /* The used octets change only at collections; otherwise they are some milliseconds old or, with
     * G1, from when the latest region was begun. */
    bool heap_is_of_last_collection;

    /* What the JVM runs: its main class, or the file name of its archive, without arguments, which
     * may contain secrets. "": not known, as for a JVM inside another program. */
    char name[INSTANCE_SIZE];

    uint32_t overflow; /* octets of entries for which the JVM had no room: those are not known */
};

static inline bool jvm_knows(const struct jvm_profile *profile, enum jvm_field value)
{
    return profile->known >> value & 1;
}

/* The generations that are heap: the permanent generation, which was number 2 until JDK 7, is
 * not. */
#define JVM_GENERATIONS 2
#define JVM_SPACES 4

/* Where in the file the values of one JVM are. The plan is made anew when the JVM says that its
 * entries have changed; all zero: it has not been made. For another JVM, begin with zeros again.
 * Private except for its size. */
struct jvm_plan {
    bool is_made;
    struct perfdata_header header; /* of the file from which it was made */

    uint32_t scalar[16]; /* one for each row of the table in jvm.c; 0: there is none */
    uint32_t used[JVM_GENERATIONS][JVM_SPACES], max[JVM_GENERATIONS];
    bool has_more_spaces; /* there are more than fit here: their sum is not known */

    struct {
        uint32_t count, time;
        char name[INSTANCE_SIZE];
    } collector[JVM_COLLECTORS];
    char name[INSTANCE_SIZE];

    uint64_t frequency; /* ticks in a second; 0: not known, and no time either */
    bool is_sampled;    /* the JVM samples every 50 ms what it does not count itself */
};

/* Reads the octets of such a file. 0, or the errors of perfdata.h; then why says in a sentence what
 * is wrong, the profile must not be used, and the plan is as it was. */
int jvm_read(struct jvm_plan *plan, const uint8_t *octets, size_t size, struct jvm_profile *profile,
             char why[MESSAGE_SIZE]);

#endif
