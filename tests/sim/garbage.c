#include "garbage.h"

#include <string.h>

#include "codec.h"
#include "hostile.h"
#include "objects.h"
#include "sim.h"

static const struct kind {
    const char *name, *meaning;
} kinds[GARBAGE_KINDS] = {
    [GARBAGE_NONE] = {"none", "sound again"},
    [GARBAGE_RANDOM] = {"random", "datagrams of random octets"},
    [GARBAGE_BER] = {"ber", "an octet of the message's head is wrong"},
    [GARBAGE_PDU] = {"pdu", "authentic, but an octet of the PDU is wrong"},
    [GARBAGE_MESSAGE_ID] = {"msgid", "authentic, but the message ID is wrong"},
    [GARBAGE_REQUEST_ID] = {"reqid", "authentic, but the request ID is wrong"},
    [GARBAGE_ERROR] = {"error", "genErr for every request"},
    [GARBAGE_FEWER] = {"fewer", "the first varbind only"},
    [GARBAGE_TYPES] = {"types", "text for numbers, numbers for text and blocks"},
    [GARBAGE_HEAD] = {"head", "dcampReportFirst is above dcampReportLast"},
    [GARBAGE_BACK] = {"back", "dcampReportLast is half of what it was"},
    [GARBAGE_EMPTY] = {"empty", "text and blocks are empty"},
    [GARBAGE_BLOCK] = {"block", "blocks of random octets"},
    [GARBAGE_TRUNCATED] = {"truncated", "blocks without their last octets"},
    [GARBAGE_SEQUENCE] = {"sequence", "blocks with another sequence number"},
    [GARBAGE_BOOT] = {"boot", "blocks of another boot"},
    [GARBAGE_SERIES] = {"series", "blocks with series that the dictionary does not have"},
    [GARBAGE_WIDE] = {"wide", "blocks of windows whose histograms span all buckets"},
    [GARBAGE_WELL_FORMED] = {"well-formed", "random blocks that are as they should be"},
    [GARBAGE_RESTART] = {"restart", "another boot in each answer"},
    [GARBAGE_DICTIONARY] = {"dictionary", "text of 5,000 octets"},
    [GARBAGE_CONTROL] = {"control", "text of control characters and no UTF-8"},
};

const char *garbage_name(enum garbage kind)
{
    return kinds[kind].name;
}

const char *garbage_meaning(enum garbage kind)
{
    return kinds[kind].meaning;
}

enum garbage garbage_find(const char *name)
{
    enum garbage kind = GARBAGE_NONE;
    while (kind < GARBAGE_KINDS && strcmp(kinds[kind].name, name) != 0)
        kind++;
    return kind;
}

static void random_octets(struct sim *sim, uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(sim_random(sim) >> 32);
}

static void give(struct object_value *value, const uint8_t *bytes, size_t len)
{
    value->type = ASN_OCTET_STR;
    value->octets = bytes;
    value->len = len;
}

/* A sound block with one entry, but with this boot, sequence number and series. */
static size_t forge(uint32_t boot, uint32_t sequence, uint32_t series, uint8_t room[GARBAGE_ROOM])
{
    struct report_ring ring;
    const struct result result = {RESULT_VALID, 1};
    size_t len = 0;
    if (report_open(&ring, boot, 1, REPORT_BLOCK_MIN) != 0)
        return 0;
    for (uint32_t i = 0; i < sequence; i++)
        if (report_add(&ring, series, 1, &result) != 0 || report_flush(&ring) != 0)
            break;
    const struct report_block *block = (const struct report_block *)index_first(&ring.index);
    if (block) {
        len = block->len;
        memcpy(room, block->bytes, len);
    }
    report_close(&ring);
    return len;
}

/* All octets that a block may have. */
static size_t hostile(struct sim *sim, const struct sim_child *child, uint32_t row,
                      uint8_t room[GARBAGE_ROOM])
{
    struct hostile hostile = {
        .random = 1 + (sim_random(sim) >> 1),
        .series_max = sim->options.series,
        .wall_ms = clock_now().wall_ms,
        .wide = child->garbage == GARBAGE_WIDE,
        .next = (uint32_t)(sim_random(sim) >> 32),
    };
    return hostile_block(&hostile, child->boot, row, room, REPORT_BLOCK_MAX);
}

static void spoil_block(struct sim *sim, const struct sim_child *child, uint32_t row,
                        struct object_value *value, uint8_t room[GARBAGE_ROOM])
{
    size_t len;
    switch (child->garbage) {
    case GARBAGE_BLOCK:
        len = 1 + sim_random(sim) % 1200;
        random_octets(sim, room, len);
        give(value, room, len);
        break;
    case GARBAGE_TRUNCATED:
        value->len -= 1 + sim_random(sim) % (value->len - 1);
        break;
    case GARBAGE_SEQUENCE:
        give(value, room, forge(child->boot, row + 1, 1, room));
        break;
    case GARBAGE_BOOT:
        give(value, room, forge(child->boot + 1, row, 1, room));
        break;
    case GARBAGE_WIDE:
    case GARBAGE_WELL_FORMED:
        give(value, room, hostile(sim, child, row, room));
        break;
    case GARBAGE_SERIES:
        give(value, room, forge(child->boot, row, sim->options.series + 1 + row, room));
        break;
    default:
        break;
    }
}

static void spoil_text(struct sim *sim, const struct sim_child *child, struct object_value *value,
                       uint8_t room[GARBAGE_ROOM])
{
    if (child->garbage == GARBAGE_DICTIONARY) {
        memset(room, 'x', 5000);
        give(value, room, 5000);
    } else if (child->garbage == GARBAGE_CONTROL) {
        for (int i = 0; i < 16; i++)
            room[i] =
                (uint8_t)(sim_random(sim) % 2 ? sim_random(sim) % 32 : 0x80 + sim_random(sim) % 64);
        give(value, room, 16);
    }
}

static void spoil_head(struct sim *sim, const struct sim_child *child, enum object object,
                       struct object_value *value)
{
    if (child->garbage == GARBAGE_RESTART && object == OBJECT_BOOT)
        value->number = 1 + (sim_random(sim) >> 33);
    if (child->garbage == GARBAGE_HEAD && object == OBJECT_FIRST)
        value->number = (uint64_t)child->ring.last + 5;
    if (child->garbage == GARBAGE_BACK && object == OBJECT_LAST)
        value->number /= 2;
}

static void spoil_type(struct object_value *value, uint8_t room[GARBAGE_ROOM])
{
    if (value->type == ASN_OCTET_STR) {
        value->type = ASN_COUNTER64;
        value->number = UINT64_MAX;
    } else {
        memcpy(room, "four", 4);
        give(value, room, 4);
    }
}

void garbage_value(struct sim *sim, const struct sim_child *child, struct object_instance instance,
                   struct object_value *value, uint8_t room[GARBAGE_ROOM])
{
    if (child->garbage == GARBAGE_NONE)
        return;
    bool text = value->type == ASN_OCTET_STR && instance.object != OBJECT_ENGINE_ID;
    if (child->garbage == GARBAGE_TYPES && instance.object != OBJECT_ENGINE_ID)
        spoil_type(value, room);
    else if (child->garbage == GARBAGE_EMPTY && text)
        value->len = 0;
    else if (instance.object == OBJECT_BLOCK && text)
        spoil_block(sim, child, instance.row, value, room);
    else if (text)
        spoil_text(sim, child, value, room);
    else
        spoil_head(sim, child, instance.object, value);
}

void garbage_pdu(struct sim *sim, const struct sim_child *child, struct codec_pdu *pdu)
{
    if (child->garbage == GARBAGE_REQUEST_ID)
        pdu->request = (long)(sim_random(sim) >> 33);
    if (child->garbage == GARBAGE_ERROR) {
        pdu->a = SNMP_ERR_GENERR;
        pdu->b = 1;
    }
}

void garbage_scoped(struct sim *sim, const struct sim_child *child, struct codec_out *out)
{
    if (child->garbage == GARBAGE_PDU && !out->full)
        codec_start(out)[sim_random(sim) % out->used] ^= (uint8_t)(1 + sim_random(sim) % 255);
}

void garbage_message(const struct sim_child *child, struct codec_message *message)
{
    if (child->garbage == GARBAGE_MESSAGE_ID)
        message->id ^= 0x2aaaaaaa;
}

void garbage_datagram(struct sim *sim, const struct sim_child *child, struct codec_out *out)
{
    if (child->garbage == GARBAGE_RANDOM) {
        out->used = 1 + sim_random(sim) % 1200;
        random_octets(sim, codec_start(out), out->used);
    } else if (child->garbage == GARBAGE_BER) {
        size_t head = out->used < 60 ? out->used : 60;
        codec_start(out)[sim_random(sim) % head] ^= (uint8_t)(1 + sim_random(sim) % 255);
    }
}
