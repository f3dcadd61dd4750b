#include "packet.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define FLAG_NETWORK 0x10 /* NETWORK_BYTE_ORDER */
#define FLAG_CONTEXT 0x08 /* NON_DEFAULT_CONTEXT */
#define LENGTH_AT 16      /* h.payload_length */

/* -- Writing --------------------------------------------------------------------------------- */

static struct name name_of(const struct mib_info *info)
{
    struct name name = {.len = info->oid_len};
    memcpy(name.ids, info->oid, info->oid_len * sizeof *name.ids);
    return name;
}

struct name name_of_number(const struct mib_info *info, uint32_t row)
{
    struct name name = name_of(info);
    name.ids[name.len++] = row;
    return name;
}

struct name name_of_scalar(const struct mib_info *info)
{
    return name_of_number(info, 0);
}

struct name name_of_row(const struct mib_info *info, const char *row)
{
    struct name name = name_of_number(info, (uint32_t)strlen(row));
    for (; *row; row++)
        name.ids[name.len++] = (unsigned char)*row;
    return name;
}

void packet_put(struct packet *packet, const void *bytes, size_t len)
{
    if (len > PACKET_MAX - packet->len)
        len = PACKET_MAX - packet->len;
    if (len > 0)
        memcpy(packet->bytes + packet->len, bytes, len);
    packet->len += len;
}

void packet_put_number(struct packet *packet, uint32_t number)
{
    uint32_t bytes = htonl(number);
    packet_put(packet, &bytes, sizeof bytes);
}

void packet_begin(struct packet *packet, int type, uint32_t session, uint32_t transaction,
                  uint32_t id)
{
    const uint8_t start[4] = {1, (uint8_t)type, FLAG_NETWORK, 0};
    packet->len = 0;
    packet_put(packet, start, sizeof start);
    packet_put_number(packet, session);
    packet_put_number(packet, transaction);
    packet_put_number(packet, id);
    packet_put_number(packet, 0);
}

void packet_end(struct packet *packet)
{
    uint32_t len = htonl((uint32_t)(packet->len - PACKET_HEADER));
    memcpy(packet->bytes + LENGTH_AT, &len, sizeof len);
}

void packet_put_name(struct packet *packet, const struct name *name)
{
    const uint8_t start[4] = {(uint8_t)name->len};
    packet_put(packet, start, sizeof start);
    for (size_t i = 0; i < name->len; i++)
        packet_put_number(packet, name->ids[i]);
}

void packet_put_range(struct packet *packet, const struct name *name)
{
    static const struct name no_end = {0};
    packet_put_name(packet, name);
    packet_put_name(packet, &no_end);
}

static void put_variable(struct packet *packet, const struct name *name, int syntax)
{
    packet_put_number(packet, (uint32_t)syntax << 16);
    packet_put_name(packet, name);
}

void packet_put_integer(struct packet *packet, const struct name *name, enum mib_syntax syntax,
                        uint32_t number)
{
    put_variable(packet, name, (int)syntax);
    packet_put_number(packet, number);
}

void packet_put_octets(struct packet *packet, const struct name *name, const void *octets,
                       size_t len)
{
    static const uint8_t padding[4] = {0};
    put_variable(packet, name, MIB_SYNTAX_OCTETS);
    packet_put_number(packet, (uint32_t)len);
    packet_put(packet, octets, len);
    packet_put(packet, padding, (4 - len % 4) % 4);
}

void packet_put_oid(struct packet *packet, const struct name *name, const char *numbers)
{
    struct name value = {0};
    char *end;
    for (; *numbers && value.len < NAME_MAX_IDS; numbers = *end ? end + 1 : end)
        value.ids[value.len++] = (uint32_t)strtoul(numbers, &end, 10);
    put_variable(packet, name, MIB_SYNTAX_OID);
    packet_put_name(packet, &value);
}

/* -- Reading --------------------------------------------------------------------------------- */

/* What is left of a packet. After a read beyond its end, left is 0 and short_ is set. */
struct reader {
    const uint8_t *at;
    size_t left;
    bool network, too_short;
};

static const uint8_t *take(struct reader *reader, size_t len)
{
    static const uint8_t nothing[4] = {0};
    if (len > reader->left) {
        reader->too_short = true;
        reader->left = 0;
        return nothing;
    }
    const uint8_t *at = reader->at;
    reader->at += len;
    reader->left -= len;
    return at;
}

static uint32_t take_number(struct reader *reader)
{
    const uint8_t *b = take(reader, 4);
    return reader->network
               ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
               : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static int take_short(struct reader *reader)
{
    const uint8_t *b = take(reader, 2);
    return reader->network ? b[0] << 8 | b[1] : b[1] << 8 | b[0];
}

static void take_name(struct reader *reader, struct name *name)
{
    static const uint32_t internet[] = {1, 3, 6, 1};
    const uint8_t *start = take(reader, 4);
    size_t n = start[0];
    name->len = 0;
    if (start[1]) {
        memcpy(name->ids, internet, sizeof internet);
        name->ids[4] = start[1];
        name->len = 5;
    }
    for (; n > 0 && name->len < NAME_MAX_IDS; n--)
        name->ids[name->len++] = take_number(reader);
    reader->too_short |= n > 0;
}

static void take_variable(struct reader *reader, struct seen *seen)
{
    seen->syntax = take_short(reader);
    take_short(reader);
    take_name(reader, &seen->name);
    switch (seen->syntax) {
    case MIB_SYNTAX_OCTETS:
        seen->octets_len = take_number(reader);
        seen->octets = take(reader, seen->octets_len);
        break;
    case MIB_SYNTAX_INTEGER:
        seen->number = (int32_t)take_number(reader);
        break;
    case MIB_SYNTAX_UNSIGNED:
    case MIB_SYNTAX_COUNTER32:
    case MIB_SYNTAX_TIMETICKS:
        seen->number = take_number(reader);
        break;
    case MIB_SYNTAX_COUNTER64:
        seen->number = (int64_t)take_number(reader);
        seen->number = (int64_t)((uint64_t)seen->number << 32 | take_number(reader));
        break;
    default:
        seen->syntax = 0; /* noSuchObject, noSuchInstance, endOfMibView */
    }
}

size_t packet_length(const uint8_t *bytes, size_t len)
{
    if (len < PACKET_HEADER)
        return 0;
    struct reader reader = {bytes + LENGTH_AT, 4, bytes[2] & FLAG_NETWORK, false};
    return (size_t)take_number(&reader) + PACKET_HEADER;
}

bool packet_read(const uint8_t *bytes, size_t len, struct seen *seen)
{
    if (len < PACKET_HEADER || bytes[0] != 1 || bytes[2] & FLAG_CONTEXT)
        return false;
    struct reader reader = {bytes + 4, len - 4, bytes[2] & FLAG_NETWORK, false};
    *seen = (struct seen){.type = bytes[1]};
    seen->session = take_number(&reader);
    seen->transaction = take_number(&reader);
    seen->id = take_number(&reader);
    take_number(&reader);
    if (seen->type != PACKET_RESPONSE)
        return !reader.too_short;
    take_number(&reader); /* sysUpTime */
    seen->error = take_short(&reader);
    seen->index = take_short(&reader);
    if (reader.left > 0)
        take_variable(&reader, seen);
    return !reader.too_short;
}
