/* What one answer of an endpoint says, read without trust as it comes: those series in it that
 * somebody wants, by their names as instances. Pure. */
#ifndef DCAMP_APPLICATION_SCRAPE_H
#define DCAMP_APPLICATION_SCRAPE_H

#include "application/buckets.h"
#include "application/openmetrics.h"
#include "base/table.h"
#include "sample/sample.h"

#define SCRAPE_OCTETS_MAX ((uint64_t)16 << 20)

enum scraped_kind {
    SCRAPED_COUNTER,   /* has SCRAPED_COUNT */
    SCRAPED_VALUE,     /* of a gauge, a quantile, or an unknown type: has SCRAPED_LEVEL */
    SCRAPED_HISTOGRAM, /* has SCRAPED_COUNT, SCRAPED_SUM, buckets */
    SCRAPED_SUMMARY    /* has SCRAPED_COUNT, SCRAPED_SUM */
};

/* Which of its numbers a series has. */
#define SCRAPED_COUNT 1u
#define SCRAPED_SUM 2u
#define SCRAPED_LEVEL 4u
#define SCRAPED_BEGUN 8u

struct scraped {
    UT_hash_handle hh;
    char name[INSTANCE_SIZE];
    char unit[SAMPLE_UNIT_SIZE]; /* of the count of a counter, of a sum, of a value */
    enum scraped_kind kind;
    unsigned has;
    double count, sum, level;
    double begun_s; /* wall clock: when it began to count */
    struct bucket *bucket;
    size_t n_buckets, room;
};

struct scrape_setup {
    const char *endpoint;
    size_t series; /* how many are kept; each bucket counts as one */
    uint64_t seed; /* in the form of openmetrics_new() */
    /* Whether anybody wants any of these numbers of the instance: SCRAPED_COUNT, _SUM, _LEVEL. */
    bool (*wants)(const void *context, const char *name, unsigned has);
    const void *context;
};

struct scrape {
    struct scrape_setup setup;
    struct openmetrics *reader;
    struct scraped *by_name; /* in the order of the text */
    size_t kept;
    uint64_t octets;
    uint64_t left_out; /* wanted samples of series for which there is no room or no name of their
                        * own */
    char first_fault[MESSAGE_SIZE]; /* "line 17: ..."; "": there was none */
    char why[MESSAGE_SIZE];         /* why the answer is refused, and not read any further; "": it
                                     * is not */
    bool is_out_of_memory;
    struct openmetrics_summary summary; /* after scrape_end() */
};

/* Allocates nothing yet; what setup points at must stay valid. */
void scrape_begin(struct scrape *scrape, const struct scrape_setup *setup);
void scrape_release(struct scrape *scrape);

/* Takes the next octets, and what is known of the answer when the first ones come; content_type
 * NULL: it has none. False: nothing more is wanted; why says the reason. */
bool scrape_feed(struct scrape *scrape, long status, const char *content_type, const char *text,
                 size_t len);

/* The answer is complete as far as HTTP knows. False: it is not valid; why says the reason. */
bool scrape_end(struct scrape *scrape, long status);

#endif
