/* Models of seasons as octets, for the next life of the daemon. Pure but for the memory. */
#ifndef DCAMP_THRESHOLD_SEASON_PACK_H
#define DCAMP_THRESHOLD_SEASON_PACK_H

#include "base/item.h"
#include "threshold/season.h"

/* No model is longer. */
#define SEASON_PACKED_MAX 4096

/* All that the model is, as one item of CBOR: what is made of it goes on as if there had been no
 * restart. The length; 0: less room than SEASON_PACKED_MAX, or the model has had no value yet. */
size_t season_pack(const struct season *season, uint8_t *at, size_t room);

/* Takes such an item, and moves on. NULL: no memory, errno is ENOMEM; or, with EBADMSG, it is no
 * model. */
struct season *season_unpack(struct item_reader *reader);

#endif
