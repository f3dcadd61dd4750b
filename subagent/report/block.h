/* The CBOR form of a block's parts. Shared by the files of this folder only. */
#ifndef DCAMP_REPORT_BLOCK_H
#define DCAMP_REPORT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

#define BLOCK_VERSION 1

/* Array of 5, version, boot, sequence, time, array of entries: 1 + 1 + 5 + 5 + 9 + 5. */
#define BLOCK_HEAD_MAX 26
/* Array of 3, series, dt, value: 1 + 5 + 5 + 9. */
#define BLOCK_ENTRY_MAX 20

/* Each writes to room that is as large as these and returns the length. */
size_t block_put_head(uint8_t at[BLOCK_HEAD_MAX], const struct report_header *header,
                      uint32_t entries);
size_t block_put_entry(uint8_t at[BLOCK_ENTRY_MAX], uint32_t series, int32_t dt,
                       const struct result *result);

/* Writes at most room octets, at most ITEM_HEAD_MAX, and returns the length, or 0 without enough
 * room. The number is finite. */
size_t block_put_number(uint8_t *at, size_t room, double value);

/* Why a window is none that can be, or NULL. */
const char *block_window_fault(const struct report_window *window);

/* A window on its way into blocks. Its places are, in this order, the count of zeros, the positive
 * and the negative buckets, with those that are empty between them. */
struct block_window {
    uint32_t series;
    const struct report_window *window; /* the whole */
    int next, end;                      /* the places that are not written yet */
};

struct block_window block_window_of(uint32_t series, const struct report_window *window);

/* Writes an entry with all places that are left, and moves next behind them. If they do not fit
 * into room, it writes nothing, or with cut as many as do fit. Returns the length, or 0 if nothing
 * was written; with cut and the room of an empty block, there is always something. */
size_t block_put_window(uint8_t *at, size_t room, struct block_window *left, int32_t dt, bool cut);

#endif
