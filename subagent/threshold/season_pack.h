/* Models of seasons as octets, which are kept for the next run of the daemon. Pure but for the
 * memory. */
#ifndef DCAMP_THRESHOLD_SEASON_PACK_H
#define DCAMP_THRESHOLD_SEASON_PACK_H

#include "base/item.h"
#include "threshold/season.h"

/* The longest that a model can be, in octets. */
#define SEASON_PACKED_MAX 4096

/* Writes the whole model as one item of CBOR: a model that is unpacked from it goes on as if there
 * had been no restart. Returns the length; 0: room is less than SEASON_PACKED_MAX, or the model has
 * had no value yet. */
size_t season_pack(const struct season *season, uint8_t *at, size_t room);

/* Takes such an item and moves on. NULL: there is no memory, and errno is ENOMEM; or the item is
 * not a model, and errno is EBADMSG. */
struct season *season_unpack(struct item_reader *reader);

#endif
