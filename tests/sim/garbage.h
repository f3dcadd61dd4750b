/* What a broken or hostile child answers. */
#ifndef DCAMP_SIM_GARBAGE_H
#define DCAMP_SIM_GARBAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;
struct sim_child;
struct codec_out;
struct object_instance;
struct object_value;
struct codec_pdu;
struct codec_message;

enum garbage {
    GARBAGE_NONE,
    GARBAGE_RANDOM,
    GARBAGE_BER,
    GARBAGE_PDU,
    GARBAGE_MESSAGE_ID,
    GARBAGE_REQUEST_ID,
    GARBAGE_ERROR,
    GARBAGE_FEWER,
    GARBAGE_TYPES,
    GARBAGE_HEAD,
    GARBAGE_BACK,
    GARBAGE_EMPTY,
    GARBAGE_BLOCK,
    GARBAGE_TRUNCATED,
    GARBAGE_SEQUENCE,
    GARBAGE_BOOT,
    GARBAGE_SERIES,
    GARBAGE_WIDE,
    GARBAGE_WELL_FORMED,
    GARBAGE_RESTART,
    GARBAGE_DICTIONARY,
    GARBAGE_CONTROL,
    GARBAGE_KINDS
};

const char *garbage_name(enum garbage kind);
const char *garbage_meaning(enum garbage kind);

/* GARBAGE_KINDS for no such name. */
enum garbage garbage_find(const char *name);

/* Room for the octets of a value that is not the child's. */
#define GARBAGE_ROOM 8192

/* Each spoils what it is given, if the kind is one that spoils it. */
void garbage_value(struct sim *sim, const struct sim_child *child, struct object_instance instance,
                   struct object_value *value, uint8_t room[GARBAGE_ROOM]);
void garbage_pdu(struct sim *sim, const struct sim_child *child, struct codec_pdu *pdu);
void garbage_scoped(struct sim *sim, const struct sim_child *child, struct codec_out *out);
void garbage_message(const struct sim_child *child, struct codec_message *message);
void garbage_datagram(struct sim *sim, const struct sim_child *child, struct codec_out *out);

#endif
