/* The CBOR form of a block's parts. Shared by the files of this folder only. */
#ifndef DCAMP_REPORT_BLOCK_H
#define DCAMP_REPORT_BLOCK_H

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

#endif
