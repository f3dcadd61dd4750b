/* Hash tables: uthash, and what happens when memory runs out.
 *
 * A table that has no memory to grow leaves out the element that was to be added, and stays as it
 * was. Whoever adds an element asks table_has() for it, frees the element if it is not there, and
 * tells the caller. If an element must not be left out, use base/index.h: index_add needs no
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
