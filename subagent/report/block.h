/* The CBOR form of a block's parts. Shared only by the files of this folder. */
#ifndef DCAMP_REPORT_BLOCK_H
#define DCAMP_REPORT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

#define BLOCK_VERSION 2
#define BLOCK_VERSION_OLDEST 1 /* that can be read */

/* What the entries before have said; an entry contains only the difference from it. It is all zero
 * octets at the beginning of a block. A function that writes or reads an entry updates it. */
struct block_before {
    uint32_t series;
    uint32_t window_ms; /* 0: there was no window yet */
};

/* Array of 5, version, boot, sequence, time, array of entries: 1 + 1 + 5 + 5 + 9 + 5. */
#define BLOCK_HEAD_MAX 26
/* Array of 3, series, dt. */
#define BLOCK_START_MAX (1 + 5 + 5)
/* The same and a value. */
#define BLOCK_ENTRY_MAX (BLOCK_START_MAX + 9)

/* Each writes to an array of that size and returns the length. */
size_t block_put_head(uint8_t at[BLOCK_HEAD_MAX], const struct report_header *header,
                      uint32_t entries);
size_t block_put_entry(uint8_t at[BLOCK_ENTRY_MAX], struct block_before *before, uint32_t series,
                       int32_t dt, const struct result *result);

/* Writes the beginning of an entry of a series, up to the third element; before is not changed. */
size_t block_put_start(uint8_t at[BLOCK_START_MAX], const struct block_before *before,
                       uint32_t series, int32_t dt);

/* Why a window is not possible, or NULL. */
const char *block_window_fault(const struct report_window *window);

/* How a window is written: with its moments; as equal values; or with its mean and buckets only, if
 * its least and largest value and its m2 are those of the values that the buckets stand for. */
enum block_form { BLOCK_MOMENTS, BLOCK_EQUAL, BLOCK_BUCKETS };

/* A window on its way into blocks, or one of the parts in which it was received, of which only the
 * first has moments. Its places are the count of zeros and all positive and negative buckets from
 * the first to the last that is not empty, in this order; one place if there is no histogram. */
struct block_window {
    uint32_t series;
    const struct report_window *window; /* the whole window */
    enum block_form form;               /* of the whole; parts are written as BLOCK_MOMENTS */
    int next, end;                      /* the places that are not written yet */
};

struct block_window block_window_of(uint32_t series, const struct report_window *window);

/* Writes an entry with all places that are left, and moves next behind them. If they do not fit
 * into room, it writes nothing, or, with cut, as many as fit. Returns the length, or 0 if nothing
 * was written; with cut and the room of an empty block, it always writes something. */
size_t block_put_window(uint8_t *at, size_t room, struct block_before *before,
                        struct block_window *left, int32_t dt, bool cut);

/* Array of 6, five numbers of 64 bits, the result, array of 3, the node with its head. */
#define BLOCK_RECORD_MAX (BLOCK_START_MAX + 1 + 5 * 9 + 5 + 1 + 2 + ALARM_PATH_SIZE)

/* Writes the entry of a record and returns the length. at has the size given here, less the
 * difference between ALARM_PATH_SIZE and the length of the record's node. */
size_t block_put_record(uint8_t at[BLOCK_RECORD_MAX], struct block_before *before, uint32_t series,
                        int32_t dt, const struct report_record *record);

/* Array of 2, dt. */
#define BLOCK_ALARM_HEAD_MAX 6
/* Array of 16, three numbers, three times, texts with their heads. */
#define BLOCK_ALARM_MAX                                                                            \
    (1 + 3 * 5 + 3 * 9 + REPORT_ALARM_TEXTS * 3 + ALARM_PATH_SIZE + ALARM_KEY_SIZE +               \
     3 * NAME_SIZE + INSTANCE_SIZE + 2 * DECIMAL_SIZE + 4 + MESSAGE_SIZE + ALARM_COMMENT_SIZE)
/* Array of 6, six numbers. */
#define BLOCK_ALARMS_MAX (1 + 6 * 5)

/* Each writes the second item of an entry about alarms to an array of that size and returns the
 * length. A text that is longer than an alarm may have is cut at its end. */
size_t block_put_alarm(uint8_t at[BLOCK_ALARM_MAX], const struct report_alarm *alarm);
size_t block_put_alarm_cleared(uint8_t at[BLOCK_ALARMS_MAX], uint32_t id);
size_t block_put_alarms(uint8_t at[BLOCK_ALARMS_MAX], const struct report_alarms *alarms);
size_t block_put_alarm_head(uint8_t at[BLOCK_ALARM_HEAD_MAX], int32_t dt);

/* FNV-1a of the octets. */
uint32_t block_hash(const uint8_t *octets, size_t len);

/* Keys on their way into blocks. */
struct block_keys {
    uint32_t series;
    const struct top_keys *keys; /* all keys */
    int next;                    /* the first key that is not written yet */
    bool is_written;             /* nothing is left to be written */
};

/* Writes an entry with as many of the remaining keys as fit into room. Returns the length, or 0 if
 * nothing was written; with the room of an empty block, it always writes something. */
size_t block_put_keys(uint8_t *at, size_t room, struct block_before *before,
                      struct block_keys *left, int32_t dt);

struct item_reader;

/* How many elements the array of an entry with keys has. */
#define BLOCK_KEYS_ITEMS 3

/* Takes the elements of such an array. Returns NULL, or what is wrong with them. */
const char *block_take_keys(struct item_reader *items, struct report_keys *keys);

/* How many elements the array of a record has: all, or all but the one about what the step has
 * used. */
#define BLOCK_RECORD_ITEMS 5
#define BLOCK_RECORD_ITEMS_SHORT 4

/* Takes the elements of such an array. Returns NULL, or what is wrong with them. */
const char *block_take_record(struct item_reader *items, uint64_t length,
                              struct report_record *record);

/* Takes the second item of an entry about alarms: sets kind, alarm and alarms of the entry. Returns
 * NULL, or what is wrong with the item. */
const char *block_take_alarm(struct item_reader *items, struct report_entry *entry);

#endif
