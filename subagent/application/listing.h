/* What programs publish, as rows of the tables of the branch dcampApplications. They are copies,
 * because the agent reads them while the next pass over the directory changes what they were made
 * from. Pure but for the names of users.
 *
 * The number of rows of each table is limited, and so is that of each user; further rows are left
 * out, and counted. So are rows whose keys would be the same because what they are made from is too
 * long. */
#ifndef DCAMP_APPLICATION_LISTING_H
#define DCAMP_APPLICATION_LISTING_H

#include "application/application.h"
#include "base/index.h"
#include "sample/process/names.h"

#define LISTING_ROWS_MAX APPLICATION_THREADS_MAX
#define LISTING_USER_ROWS_MAX APPLICATION_USER_THREADS_MAX

/* The keys are user, application, sensor, instance and rank, as far as the table has them; for
 * threads, process and shard instead of the rank. With these bounds the OID stays below 128
 * sub-identifiers: of a longer text the end is kept, behind a '~'. */
#define LISTING_USER_MAX 20
#define LISTING_INSTANCE_MAX 26
#define LISTING_THREAD_INSTANCE_MAX 25
#define LISTING_KEY_MAX                                                                            \
    (1 + LISTING_USER_MAX + 2 * (1 + SEGMENT_NAME) + 1 + LISTING_INSTANCE_MAX + 1)

/* How many keys of a top are listed, those with the largest counts: dcampTopSize. */
#define LISTING_TOP_SIZE_MIN 1
#define LISTING_TOP_SIZE_MAX 100
#define LISTING_TOP_SIZE_INITIAL 10

enum listing_kind {
    LISTING_APPLICATIONS,
    LISTING_SENSORS,
    LISTING_TOPS,
    LISTING_THREADS,
    LISTINGS
};

struct listed_application {
    struct index_node node; /* key: user, application */
    unsigned processes, sensors;
    uint64_t ended, lost, unreported, unread, refused, crowded, full;
    uint64_t since_ns;        /* monotonic */
    char error[MESSAGE_SIZE]; /* why something of it is not read; "": everything is */
};

struct listed_sensor {
    struct index_node node; /* key: user, application, sensor, instance */
    uint32_t kind;          /* enum segment_kind */
    uint64_t count;         /* not for a gauge */
    uint64_t since_ns;      /* monotonic */
    char unit[SEGMENT_UNIT + 1], purpose[SEGMENT_PURPOSE + 1];
    char path[APPLICATION_PATH_SIZE];
};

struct listed_top {
    struct index_node node; /* key: that of the sensor, rank from 1 on */
    uint64_t count, error;
    bool is_guaranteed; /* no key that is not listed can have a larger count */
    size_t len;
    char octets[SEGMENT_KEY];
};

struct listed_thread {
    struct index_node node; /* key: that of the sensor, process, shard */
    uint32_t kind;          /* enum segment_kind */
    bool is_known;          /* id, threads and name are known */
    uint32_t id, threads;   /* as in struct application_thread */
    uint64_t count;         /* not for a gauge */
    uint64_t nanoseconds;   /* for timers and steps */
    double real;            /* the value of a gauge, the sum of a histogram; any double */
    char name[sizeof((struct application_thread *)0)->name + 1]; /* printable */
};

struct listing {
    struct index index; /* rows of this kind */
    size_t left_out;    /* how many rows */
};

/* Makes the rows of one table. 0 or ENOMEM; then there are none. top_size: how many keys of each
 * top are listed, LISTING_TOP_SIZE_MIN to _MAX. */
int listing_make(struct listing *listing, enum listing_kind kind,
                 const struct applications *applications, struct owners *names, uint32_t top_size);
void listing_release(struct listing *listing);

/* What is not read, of all users, for people; "": nothing. */
void listing_complaints(char text[MESSAGE_SIZE], const struct owner *owners, struct owners *names);

#endif
