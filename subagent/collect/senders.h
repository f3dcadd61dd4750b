/* The children that may push: by number, and by the engine ID that their packets name.
 *
 * No keys are kept here. Localizing one costs less than a hundredth of what the packet itself does,
 * so it is done for each packet anew, and ten thousand children cost no more than their names. */
#ifndef DCAMP_COLLECT_SENDERS_H
#define DCAMP_COLLECT_SENDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "collect/engine_time.h"
#include "collect/message.h"

struct sender {
    UT_hash_handle by_id, by_engine;
    struct sender *twin; /* the next one with this engine ID; only the first is in by_engine */
    uint32_t id;
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len; /* 0: not known yet, and in no by_engine */
    char credential[NAME_SIZE];
    struct engine_time time;
};

struct senders {
    struct sender *ids, *engines;
};

/* New, or changed. False: no memory. */
bool senders_set(struct senders *senders, const struct message_sender *message);
void senders_forget(struct senders *senders, uint32_t id);
void senders_free(struct senders *senders);

/* The only child with this engine ID; NULL: there is none, or there are several, of which nobody
 * can tell which one a packet is from. */
struct sender *senders_find(const struct senders *senders, const uint8_t *engine_id, size_t len);

#endif
