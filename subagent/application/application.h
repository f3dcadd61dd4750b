/* What programs have counted, put together: the processes that publish under one name and belong to
 * one user are one application, and what they count under the same name and instance is one series.
 * Pure.
 *
 * The same name under two users is two applications, so that nobody can add to what others count.
 *
 * Totals never fall: what a process has counted stays when it ends. A series that no process has is
 * forgotten after APPLICATION_EMPTY_NS, and so is an application without any. */
#ifndef DCAMP_APPLICATION_APPLICATION_H
#define DCAMP_APPLICATION_APPLICATION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "calculate/keys.h"
#include "application/owner.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/table.h"
#include "calculate/histogram.h"
#include "libdcamp/segment.h"
#include "report/report.h"
#include "sample/sample.h"

#define APPLICATION_EMPTY_NS (600 * NS_PER_S)

/* So many shares of threads are kept of all users together, and of those so many of each user. */
#define APPLICATION_THREADS_MAX 10000
#define APPLICATION_USER_THREADS_MAX 2000

struct application;

/* What one shard of a process has counted of a series: the thread that has it now, and those that
 * had it before. */
struct application_thread {
    uint32_t shard;                    /* 0: that of the process, which no thread has for itself */
    uint32_t id;                       /* the kernel's, as the process sees it; 0: it has ended */
    uint32_t threads;                  /* that have had the shard */
    bool is_known;                     /* id, threads and name are: nobody was writing them */
    uint64_t word[SEGMENT_STEP_WORDS]; /* as the kind has them: integers and doubles */
    char name[sizeof((struct segment_shard *)0)->name]; /* padded with zeros; any octets */
};

/* What one process contributes to a series, as it was when it was read last. */
struct application_part {
    LIST_ENTRY(application_part) link;
    double gauge;         /* NAN: not known */
    struct top_keys keys; /* of a top */
    uint32_t pid;         /* as the process sees it */
    /* The shards that have counted anything, while somebody wants to know. */
    struct application_thread *thread;
    unsigned threads, threads_left_out; /* how many are there; that are too many */
};

struct application_series_key {
    char name[SEGMENT_NAME], instance[SEGMENT_INSTANCE]; /* padded with zeros */
};

struct application_series {
    UT_hash_handle hh;
    struct application *application;
    struct application_series_key key;
    char unit[SEGMENT_UNIT], purpose[SEGMENT_PURPOSE]; /* padded with zeros */
    uint32_t kind;                                     /* enum segment_kind */
    uint64_t born, since_ns; /* the pass in which it was made, and its time, monotonic */
    uint64_t empty_ns;       /* since when it has no parts, monotonic; 0: it has some */
    LIST_HEAD(application_parts, application_part) parts;
    /* Integers modulo 2^64, as the words of the kind in libdcamp/segment.h have them: all that was
     * counted, by processes that have ended as well. */
    uint64_t total[SEGMENT_STEP_WORDS];
    double sum;             /* of a histogram: of all values; it may be any double */
    struct histogram grown; /* of a timer, histogram or step: what came in this pass; in seconds,
                               but for histograms */
    double grown_mean;      /* of all that in grown; NAN: nothing came */
    /* By words, which a reading may see an update before or after the bucket: events, and their
     * sum, that no grown_mean has in it yet. */
    double pending, pending_sum;
    /* Of a step: how many records were read that somebody wants, and those of them that came in
     * this pass and are to be reported. */
    uint64_t records_read;
    struct report_record *record;
    size_t records_room;
    struct sample_records records;
    struct top_keys departed; /* of a top: what processes had that have ended */
    bool departed_in_part;    /* there was no memory for all of that */
    bool departed_is_cut;     /* their keys were given up, or some of them: for room */
    /* Others with keys of the departed, of the same owner and of all: the one whose last process
     * has ended the longest ago is the first. earlier is NULL: it has none. */
    struct application_series *earlier, *later, *earlier_of_all, *later_of_all;
    size_t grown_octets; /* of grown, that are counted in the memory of the owner */
};

struct application_key {
    uint32_t owner; /* uid_t */
    char name[SEGMENT_NAME];
};

struct application {
    UT_hash_handle hh;
    struct application_key key;
    struct owner *owner;
    uint64_t born, since_ns;           /* the pass in which it was made, and its time, monotonic */
    unsigned processes;                /* that there are */
    uint64_t ended;                    /* how many there were besides */
    uint64_t refused, lost;            /* sensors and records: libdcamp/segment.h, program.h */
    uint64_t unreported;               /* records that were read and could not be reported */
    uint64_t unread;                   /* records from before they were read: program.h */
    uint64_t crowded, full;            /* likewise: threads and panels */
    unsigned over_quota, clashing;     /* in this pass: sensors without a series, as in program.h */
    unsigned no_room;                  /* in this pass: sensors that are not read in full */
    struct application_series *series; /* table by key, in the order in which they were made */
};

struct applications {
    struct application *by_key;          /* table, in the order in which they were made */
    unsigned threads;                    /* shares that are kept */
    size_t memory;                       /* octets that are kept for all owners: owner.h */
    struct application_series *departed; /* with keys of processes that have ended */
    uint64_t pass;                       /* how many there were, this one included */
    uint64_t now_ns;                     /* of this pass, monotonic */
};

/* "USER/PROGRAM:SENSOR" or "USER/PROGRAM:SENSOR:INSTANCE": a series as people name it, and as
 * sensors of dcampd do where that fits into an instance; and the same of what has a name and an
 * instance and is no series, as a lock. */
#define APPLICATION_PATH_SIZE (NAME_SIZE + SEGMENT_NAME + SEGMENT_NAME + SEGMENT_INSTANCE + 4)
void application_series_path(char path[APPLICATION_PATH_SIZE], const char *user,
                             const struct application_series *series);
void application_path(char path[APPLICATION_PATH_SIZE], const char *user,
                      const struct application *application,
                      const struct application_series_key *key);

/* Whether there is room for so many octets more of what belongs to the owner, for which keys of the
 * departed are given up. Whoever then has them charges them, and discharges them at last. */
bool application_has_room(struct applications *applications, struct owner *owner, size_t octets);
void application_charge(struct applications *applications, struct owner *owner, size_t octets);
void application_discharge(struct applications *applications, struct owner *owner, size_t octets);

/* All zero octets are none. */
void applications_release(struct applications *applications);

/* Begins a pass: nothing has grown yet, and what has been empty for too long is forgotten. */
void applications_begin(struct applications *applications, uint64_t now_ns);

/* Ends a pass: what has grown gets its mean. Over all passes, means times counts add up to the sum
 * of what was counted: what a reading has seen only one half of is in the next one that has grown.
 */
void applications_end(struct applications *applications);

/* The application of that name and owner, which is made if need be. NULL: no memory. */
struct application *application_get(struct applications *applications, struct owner *owner,
                                    const char name[SEGMENT_NAME]);

/* The series of a descriptor, which is made if need be. NULL and error: EEXIST: it is there with
 * another kind or unit, by another process; EDQUOT: the owner has too many; ENOSPC: there is
 * no room for it; ENOMEM. */
struct application_series *application_series_get(struct applications *applications,
                                                  struct application *application,
                                                  const struct segment_descriptor *is, int *error);

/* A process has the series from now on, or no longer. is_over: for good, so that what the part has
 * in its keys stays in those of the departed; else it brings them again when it comes back. */
void application_join(struct application_series *series, struct application_part *part);
void application_leave(struct applications *applications, struct application_series *series,
                       struct application_part *part, bool is_over);

/* Values have come to one bucket of what has grown: 0; EDQUOT: there is no room for it; ENOMEM. A
 * bucket that is full stays so. */
int application_grow(struct applications *applications, struct application_series *series,
                     bool is_negative, int index, uint32_t n);

/* The keys of a process, which are taken over and left empty, are these from now on, or as many as
 * there is room for. False: not all of them; what they say stays true. */
bool application_take_keys(struct applications *applications, struct application_series *series,
                           struct application_part *part, struct top_keys *keys);

/* The shares of the threads of a process in one of its series are these from now on, or the first
 * of them; 0: none are kept any more. ENOMEM: none are. */
int application_share(struct applications *applications, struct application_series *series,
                      struct application_part *part, const struct application_thread *thread,
                      unsigned threads);

/* One more record of a step for the reports of this pass. False: there is no memory. */
bool application_keep_record(struct application_series *series, const struct report_record *record);

/* The sum of what it is in all processes. A process that has it and has not set it yet, as one that
 * was forked, has set it to 0: its word is 0 then as well, and the segment does not tell these
 * apart. NAN: no process has it, or none has set it to a finite number. */
double application_gauge(const struct application_series *series);

/* The keys of all processes together, those that have ended included, into keys that are empty.
 * ENOMEM; then they still are. */
int application_keys(const struct application_series *series, struct top_keys *keys);

#endif
