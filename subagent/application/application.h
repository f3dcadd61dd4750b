/* What programs have counted, put together: the processes that publish under one name and belong to
 * one user are one application, and what they count under the same name and instance is one series.
 * Pure.
 *
 * The same name under two users is two applications, so that nobody can add to what others count.
 *
 * Totals never fall: what a process has counted is kept when it ends. A series that no process has
 * is forgotten after APPLICATION_EMPTY_NS, and so is an application without series. */
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

/* How many shares of threads are kept for all users together, and how many of these for each
 * user. */
#define APPLICATION_THREADS_MAX 10000
#define APPLICATION_USER_THREADS_MAX 2000

struct application;

/* What one shard of a process has counted for a series, by the thread that has the shard now and by
 * those that had it before. */
struct application_thread {
    uint32_t shard;                    /* 0: the shard of the process, which no thread has for
                                        * itself */
    uint32_t id;                       /* the thread's number in the kernel, as the process sees it;
                                        * 0: it has ended */
    uint32_t threads;                  /* how many have had the shard */
    bool is_known;                     /* id, threads and name are known, because nobody was writing
                                        * them */
    uint64_t word[SEGMENT_STEP_WORDS]; /* in the form of the kind: integers and doubles */
    char name[sizeof((struct segment_shard *)0)->name]; /* padded with zeros; any octets */
};

/* What one process contributes to a series, as of the last reading. */
struct application_part {
    LIST_ENTRY(application_part) link;
    double gauge;         /* NAN: not known */
    struct top_keys keys; /* of a top */
    uint32_t pid;         /* as the process sees it */
    /* The shards that have counted anything; kept while somebody wants to know. */
    struct application_thread *thread;
    unsigned threads, threads_left_out; /* how many there are; how many were too many */
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
    uint64_t born, since_ns; /* the pass in which it was made, and the monotonic time of that
                              * pass */
    uint64_t empty_ns;       /* monotonic: since when it has had no parts; 0: it has some */
    LIST_HEAD(application_parts, application_part) parts;
    /* Integers modulo 2^64, as are the words of the kind in libdcamp/segment.h: everything that was
     * counted, including by processes that have ended. */
    uint64_t total[SEGMENT_STEP_WORDS];
    double sum;             /* of a histogram: the sum of all values, which may be any double */
    struct histogram grown; /* of a timer, histogram or step: what came in this pass; in seconds,
                             * except for histograms */
    double grown_mean;      /* the mean of all values in grown; NAN: nothing came */
    /* According to the words, which a reading may see before or after the bucket is updated: the
     * events, and their sum, that are not included in any grown_mean yet. */
    double pending, pending_sum;
    /* Of a step: how many records were read that somebody wants, and those of them that came in
     * this pass and have to be reported. */
    uint64_t records_read;
    struct report_record *record;
    size_t records_room;
    struct sample_records records;
    struct top_keys departed; /* of a top: the keys of processes that have ended */
    bool departed_in_part;    /* there was not enough memory for all of them */
    bool departed_is_cut;     /* the keys, or some of them, were given up to make room */
    /* The neighbours in the lists of series with departed keys, of the same owner and of all: the
     * series whose last process ended the longest ago is the first. earlier is NULL if the series
     * is in no list. */
    struct application_series *earlier, *later, *earlier_of_all, *later_of_all;
    size_t grown_octets; /* octets of grown that are counted in the memory of the owner */
};

struct application_key {
    uint32_t owner; /* uid_t */
    char name[SEGMENT_NAME];
};

struct application {
    UT_hash_handle hh;
    struct application_key key;
    struct owner *owner;
    uint64_t born, since_ns;           /* the pass in which it was made, and the monotonic time of
                                        * that pass */
    unsigned processes;                /* how many there are now */
    uint64_t ended;                    /* how many more there were */
    uint64_t refused, lost;            /* how many sensors and records: libdcamp/segment.h,
                                        * program.h */
    uint64_t unreported;               /* records that were read but could not be reported */
    uint64_t unread;                   /* records from before reading of records began: program.h */
    uint64_t crowded, full;            /* likewise, of threads and panels */
    unsigned over_quota, clashing;     /* in this pass: sensors that have no series, as in
                                        * program.h */
    unsigned no_room;                  /* in this pass: sensors that are not read completely */
    struct application_series *series; /* table by key, in the order in which they were made */
};

struct applications {
    struct application *by_key;          /* table, in the order in which they were made */
    unsigned threads;                    /* shares that are kept */
    size_t memory;                       /* octets that are kept for all owners: owner.h */
    struct application_series *departed; /* series with keys of processes that have ended */
    uint64_t pass;                       /* how many passes there were, including this one */
    uint64_t now_ns;                     /* of this pass, monotonic */
};

/* "USER/PROGRAM:SENSOR" or "USER/PROGRAM:SENSOR:INSTANCE": the name of a series for people, and for
 * sensors of dcampd if it fits into an instance; and likewise for something that has a name and an
 * instance but is no series, such as a lock. */
#define APPLICATION_PATH_SIZE (NAME_SIZE + SEGMENT_NAME + SEGMENT_NAME + SEGMENT_INSTANCE + 4)
void application_series_path(char path[APPLICATION_PATH_SIZE], const char *user,
                             const struct application_series *series);
void application_path(char path[APPLICATION_PATH_SIZE], const char *user,
                      const struct application *application,
                      const struct application_series_key *key);

/* Whether there is room for so many more octets of what belongs to the owner; keys of the departed
 * are given up for that. The caller charges the octets when it allocates them, and discharges them
 * in the end. */
bool application_has_room(struct applications *applications, struct owner *owner, size_t octets);
void application_charge(struct applications *applications, struct owner *owner, size_t octets);
void application_discharge(struct applications *applications, struct owner *owner, size_t octets);

/* An all-zero struct is empty. */
void applications_release(struct applications *applications);

/* Begins a pass: nothing has grown yet, and what has been empty for too long is forgotten. */
void applications_begin(struct applications *applications, uint64_t now_ns);

/* Ends a pass: what has grown gets its mean. Over all passes, the means times the counts add up to
 * the sum of what was counted: if a reading has seen only one half of an update, the other half is
 * included the next time that something has grown. */
void applications_end(struct applications *applications);

/* The application with that name and owner, which is made if necessary. NULL: no memory. */
struct application *application_get(struct applications *applications, struct owner *owner,
                                    const char name[SEGMENT_NAME]);

/* The series of a descriptor, which is made if necessary. NULL and error: EEXIST: another process
 * has it with another kind or unit; EDQUOT: the owner has too many; ENOSPC: there is no room for
 * it; ENOMEM. */
struct application_series *application_series_get(struct applications *applications,
                                                  struct application *application,
                                                  const struct segment_descriptor *is, int *error);

/* A process has the series from now on, or does not have it any more. is_over: it has ended, so
 * that the keys of the part are kept among those of the departed; otherwise it brings them again
 * when it comes back. */
void application_join(struct application_series *series, struct application_part *part);
void application_leave(struct applications *applications, struct application_series *series,
                       struct application_part *part, bool is_over);

/* Adds n values to one bucket of what has grown: 0; EDQUOT: there is no room for it; ENOMEM. A
 * bucket that is full stays full. */
int application_grow(struct applications *applications, struct application_series *series,
                     bool is_negative, int index, uint32_t n);

/* Sets the keys of a process, which are taken over and left empty, as many as there is room for.
 * False: not all of them were taken; what the kept ones say is still true. */
bool application_take_keys(struct applications *applications, struct application_series *series,
                           struct application_part *part, struct top_keys *keys);

/* Sets the shares of the threads of a process in one of its series, or the first of them; 0: none
 * are kept any more. ENOMEM: none are kept. */
int application_share(struct applications *applications, struct application_series *series,
                      struct application_part *part, const struct application_thread *thread,
                      unsigned threads);

/* Keeps one more record of a step for the reports of this pass. False: no memory. */
bool application_keep_record(struct application_series *series, const struct report_record *record);

/* The sum of its values in all processes. A process that has it and has not set it yet, as one that
 * was forked, counts as having set it to 0: its word is 0 then, and the segment does not tell these
 * cases apart. NAN: no process has it, or none has set it to a finite number. */
double application_gauge(const struct application_series *series);

/* Merges the keys of all processes, including those that have ended, into keys, which must be
 * empty. ENOMEM: then it still is. */
int application_keys(const struct application_series *series, struct top_keys *keys);

#endif
