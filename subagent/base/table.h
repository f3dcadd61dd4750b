/* Hash tables: uthash, and what it does without memory.
 *
 * A table that has no memory to grow leaves out the element that was to be added, and stays as it
 * was. Who adds one asks table_has() for it, gives the element back if it is not there, and tells
 * its caller. Where an element must not be left out, there is base/index.h: index_add needs no
 * memory.
 *
 * No other file includes <uthash.h>: by its own default, it ends the process without a word. */
#ifndef DCAMP_BASE_TABLE_H
#define DCAMP_BASE_TABLE_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Whether the element was added by the HASH_ADD, HASH_ADD_STR, HASH_ADD_KEYPTR or HASH_REPLACE that
 * came just before; handle is the name of its UT_hash_handle. */
#define table_has(handle, element) ((element)->handle.tbl != NULL)

#endif
