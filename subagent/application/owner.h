/* A user whose programs publish sensors: how much of it is read, and what is wrong with the rest.
 * Whoever publishes too much, or what is none, has no more of the daemon than this; other users
 * do not notice. Pure: what is to be said, and when, is decided here; directory.c says it. */
#ifndef DCAMP_APPLICATION_OWNER_H
#define DCAMP_APPLICATION_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "report/pace.h"
#include "base/clock.h"
#include "base/table.h"

#define OWNER_FILES_MAX 64
#define OWNER_SERIES_MAX 10000

/* Octets that are read of the files of one user in one pass, every copy counted; what is over waits
 * for the next one.
 */
#define OWNER_OCTETS_MAX (64u << 20)

/* Octets that are kept of what the programs of one user publish, and of all users together: their
 * sensors and series, the counts of their buckets, histograms, keys and shares of threads, without
 * what malloc(3) adds. A user with 64 processes of 50 timers each needs some 15 MiB. All together,
 * with the copies of a segment that are there during a pass (three of 16 MiB) and what dcampd needs
 * for itself, stay below the MemoryMax= of its unit, 256 MiB. So one user alone, or two, cannot
 * take what is there for all.
 *
 * For what would be more, the keys of tops of processes that have ended are given up first, those
 * that have been kept the longest; then what is new is left out, and what is there goes on. */
#define OWNER_MEMORY_MAX (32u << 20)
#define OWNERS_MEMORY_MAX (96u << 20)

/* Why a file, or some of it, is not read. */
enum owner_problem {
    OWNER_UNSUITABLE, /* no regular file, several links, too large, another name */
    OWNER_UNREADABLE, /* an error of the system */
    OWNER_NEWER,      /* a major version that is not known */
    OWNER_DAMAGED,
    OWNER_CLASH, /* a sensor has another kind or unit than in another process of the application */
    OWNER_MANY_FILES,
    OWNER_MANY_SERIES,
    OWNER_MUCH_WORK,
    OWNER_MUCH_MEMORY,
    OWNER_PROBLEMS
};

/* So long a problem has to be gone before it is over: nobody can fill the log with the same one
 * that comes and goes. */
#define OWNER_QUIET_NS (60 * NS_PER_S)

#define OWNER_WHY_SIZE 320

struct application_series;

struct owner {
    UT_hash_handle hh;
    uid_t uid;
    unsigned entries;                    /* files that are known, read or not */
    unsigned files;                      /* that are read */
    unsigned series;                     /* of all applications */
    unsigned threads;                    /* whose shares of sensors are kept: application.h */
    size_t memory;                       /* octets that are kept */
    struct application_series *departed; /* with keys of processes that have ended: application.h */
    size_t rows;                         /* in the listing that is being made: listing.h */
    uint64_t octets;                     /* that were read in this pass */
    struct pace_user records;            /* of steps, in this pass */
    struct {
        unsigned count;   /* of files, or series, in this pass */
        bool told;        /* that there are any */
        uint64_t last_ns; /* when there were any last, monotonic */
        char *why;        /* the first of those that were not told yet, for people; may be NULL */
    } problem[OWNER_PROBLEMS];
};

/* The problem for people, as something that there may be some of: "damaged segments". */
const char *owner_problem_text(enum owner_problem problem);

/* What there is to say of one problem after a pass. */
enum owner_news { OWNER_NOTHING, OWNER_BEGINS, OWNER_IS_OVER };

/* The table of all owners is the caller's, by uid. NULL: there is none, and no memory for one. */
struct owner *owner_get(struct owner **owners, uid_t uid);

/* Nothing may refer to it any more. */
void owner_free(struct owner **owners, struct owner *owner);

/* Before each pass. */
void owner_begin(struct owner *owner);

/* During the pass, once for each file or series that has the problem; why is copied if it is the
 * first, and may be NULL. */
void owner_count(struct owner *owner, enum owner_problem problem, const char *why);

/* After the pass: each beginning and each end is told once. */
enum owner_news owner_news(struct owner *owner, enum owner_problem problem, uint64_t now_ns);

/* Whether nothing is known of the owner that somebody may still want. */
bool owner_is_idle(const struct owner *owner);

#endif
