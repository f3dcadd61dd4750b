/* The children that may push: by number, and by the engine ID that their packets name.
 *
 * The only keys that are kept here are those that came localized. Localizing a key costs less than
 * a hundredth of what is done for the packet itself, so it is done anew for each packet, and ten
 * thousand children take no more memory than their names. */
#ifndef DCAMP_POLLER_SENDERS_H
#define DCAMP_POLLER_SENDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "snmpv3/engine_time.h"
#include "collect/message.h"

struct sender {
    UT_hash_handle by_id, by_engine;
    struct sender *twin; /* the next one with this engine ID; only the first is in by_engine */
    uint32_t id;
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len; /* 0: not known yet, then it is not in by_engine */
    char credential[NAME_SIZE];
    struct localized_keys *keys;      /* NULL: keys are made of the credential's passphrases */
    struct localized_keys *next_keys; /* while keys are changed, the sender has one of the two; or
                                       * NULL */
    struct engine_time time;
    uint64_t second_ns; /* monotonic: when the present second of its packets began */
    uint32_t packets;   /* how many in that second */
};

/* At most so many packets of one sender are opened in a second, twice as many as a node pushes.
 * Anybody can name an engine ID, but blocks that are dropped are still fetched. */
#define SENDER_PACKETS_MAX 2000

struct senders {
    struct sender *ids, *engines;
};

/* Takes a sender that is new or has changed. False: no memory. */
bool senders_set(struct senders *senders, const struct message_sender *message);
void senders_forget(struct senders *senders, uint32_t id);
void senders_free(struct senders *senders);

/* The only child with this engine ID; NULL: there is none, or there are several, and nobody can
 * tell which one a packet is from. */
struct sender *senders_find(const struct senders *senders, const uint8_t *engine_id, size_t len);

/* Counts a packet. False: it exceeds the limit. */
bool sender_may(struct sender *sender, uint64_t now);

#endif
