/* A user whose programs publish sensors: how much of them is read, and what is wrong with the rest.
 * A user that publishes too much, or what is no segment, gets no more of the daemon than this;
 * other users do not notice. Pure: it is decided here what has to be logged, and when; directory.c
 * logs it. */
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

/* How many octets of the files of one user are read in one pass, counting every copy; the rest
 * waits for the next pass. */
#define OWNER_OCTETS_MAX (64u << 20)

/* How many octets are kept of what the programs of one user publish, and of all users together:
 * their sensors and series, the counts of their buckets, histograms, keys and shares of threads,
 * without the overhead of malloc(3). A user with 64 processes of 50 timers each needs some 15 MiB.
 * Everything together, including the copies of a segment that exist during a pass (three of 16 MiB)
 * and what dcampd needs for itself, stays below the MemoryMax= of its unit, 256 MiB. So one user
 * alone, or two, cannot take what is there for all.
 *
 * When the limit would be exceeded, the keys of tops of processes that have ended are given up
 * first, beginning with those that have been kept the longest; after that, new data is left out,
 * and existing data stays. */
#define OWNER_MEMORY_MAX (32u << 20)
#define OWNERS_MEMORY_MAX (96u << 20)

/* Why a file, or some of it, is not read. */
enum owner_problem {
    OWNER_UNSUITABLE, /* not a regular file, several links, too large, another name */
    OWNER_UNREADABLE, /* an error of the system */
    OWNER_NEWER,      /* an unknown major version */
    OWNER_DAMAGED,
    OWNER_CLASH, /* a sensor has another kind or unit than in another process of the application */
    OWNER_MANY_FILES,
    OWNER_MANY_SERIES,
    OWNER_MUCH_WORK,
    OWNER_MUCH_MEMORY,
    OWNER_PROBLEMS
};

/* How long a problem must not occur before it counts as over, so that nobody can fill the log with
 * a problem that comes and goes. */
#define OWNER_QUIET_NS (60 * NS_PER_S)

#define OWNER_WHY_SIZE 320

struct application_series;

struct owner {
    UT_hash_handle hh;
    uid_t uid;
    unsigned entries;                    /* files that are known, whether read or not */
    unsigned files;                      /* files that are read */
    unsigned series;                     /* of all applications */
    unsigned threads;                    /* whose shares of sensors are kept: application.h */
    size_t memory;                       /* octets that are kept */
    struct application_series *departed; /* series with keys of processes that have ended:
                                          * application.h */
    size_t rows;                         /* in the listing that is being made: listing.h */
    uint64_t octets;                     /* how many were read in this pass */
    struct pace_user records;            /* of steps, in this pass */
    struct {
        unsigned count;   /* of files or series in this pass */
        bool told;        /* it was logged that there are any */
        uint64_t last_ns; /* monotonic: when there last were any */
        char *why;        /* for people: the first of those that were not logged yet; may be NULL */
    } problem[OWNER_PROBLEMS];
};

/* The problem in words for people, as something that can be counted: "damaged segments". */
const char *owner_problem_text(enum owner_problem problem);

/* What has to be said about one problem after a pass. */
enum owner_news { OWNER_NOTHING, OWNER_BEGINS, OWNER_IS_OVER };

/* The table of all owners, by uid, belongs to the caller. NULL: this owner is not in it, and there
 * is no memory for one. */
struct owner *owner_get(struct owner **owners, uid_t uid);

/* Nothing may refer to the owner any more. */
void owner_free(struct owner **owners, struct owner *owner);

/* To be called before each pass. */
void owner_begin(struct owner *owner);

/* To be called during the pass, once for each file or series that has the problem; why is copied if
 * it is the first, and may be NULL. */
void owner_count(struct owner *owner, enum owner_problem problem, const char *why);

/* To be called after the pass: each beginning and each end is returned once. */
enum owner_news owner_news(struct owner *owner, enum owner_problem problem, uint64_t now_ns);

/* Whether nothing is known of the owner that somebody may still need. */
bool owner_is_idle(const struct owner *owner);

#endif
