/* AgentX packets as a master writes and reads them (RFC 2741, sections 5 and 6), octet by octet, so
 * that wrong ones can be made, too. What is written is in network byte order. */
#ifndef DCAMP_TESTS_MASTER_PACKET_H
#define DCAMP_TESTS_MASTER_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mib/mib.h"

#define PACKET_MAX 65536
#define PACKET_HEADER 20
#define NAME_MAX_IDS 128

enum packet_type {
    PACKET_OPEN = 1,
    PACKET_CLOSE = 2,
    PACKET_GET = 5,
    PACKET_GETNEXT = 6,
    PACKET_GETBULK = 7,
    PACKET_TEST = 8,
    PACKET_COMMIT = 9,
    PACKET_UNDO = 10,
    PACKET_CLEANUP = 11,
    PACKET_RESPONSE = 18
};

struct packet {
    size_t len;
    uint8_t bytes[PACKET_MAX];
};

struct name {
    size_t len;
    uint32_t ids[NAME_MAX_IDS];
};

/* What is read of a packet; of the variables, the first. The octets point into the packet. */
struct seen {
    int type;
    uint32_t session, transaction, id;
    int error, index; /* of a Response */
    struct name name;
    int syntax; /* 0: there is no variable, or nothing is at its name */
    int64_t number;
    const uint8_t *octets;
    size_t octets_len;
};

/* An object's name with instance 0, or of the row with that name or number. */
struct name name_of_scalar(const struct mib_info *info);
struct name name_of_row(const struct mib_info *info, const char *row);
struct name name_of_number(const struct mib_info *info, uint32_t row);

void packet_begin(struct packet *packet, int type, uint32_t session, uint32_t transaction,
                  uint32_t id);
void packet_put(struct packet *packet, const void *bytes, size_t len);
void packet_put_number(struct packet *packet, uint32_t number);
void packet_put_name(struct packet *packet, const struct name *name);
/* From the name on, without an end. */
void packet_put_range(struct packet *packet, const struct name *name);
void packet_put_integer(struct packet *packet, const struct name *name, enum mib_syntax syntax,
                        uint32_t number);
void packet_put_octets(struct packet *packet, const struct name *name, const void *octets,
                       size_t len);
/* A value in numbers, as "1.3.6.1". */
void packet_put_oid(struct packet *packet, const struct name *name, const char *numbers);
/* Writes the length of what was put since the beginning. */
void packet_end(struct packet *packet);

/* The length that the header says, header included; 0: the header is not there yet. */
size_t packet_length(const uint8_t *bytes, size_t len);

/* False: it is not what dcampd may send. */
bool packet_read(const uint8_t *bytes, size_t len, struct seen *seen);

#endif
