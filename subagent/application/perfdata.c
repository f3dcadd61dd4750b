#include "application/perfdata.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

#define MAGIC 0xcafec0c0u /* big-endian, whatever the byte order of the rest */

/* The offsets of the parts of the prologue; names as in struct PerfDataPrologue. */
enum {
    BYTE_ORDER_AT = 4,
    MAJOR_AT = 5,
    MINOR_AT = 6,
    ACCESSIBLE_AT = 7,
    USED_AT = 8,
    OVERFLOW_AT = 12,
    MOD_TIME_AT = 16,
    ENTRY_OFFSET_AT = 24,
    NUM_ENTRIES_AT = 28,
    PROLOGUE_SIZE = 32
};

/* Likewise for an entry, from its beginning: struct PerfDataEntry. */
enum {
    ENTRY_LENGTH_AT = 0,
    NAME_OFFSET_AT = 4,
    VECTOR_LENGTH_AT = 8,
    DATA_TYPE_AT = 12,
    DATA_UNITS_AT = 14,
    DATA_OFFSET_AT = 16,
    ENTRY_SIZE = 20
};

static uint64_t number_at(const uint8_t *at, unsigned size, bool is_little)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < size; i++)
        number |= (uint64_t)at[i] << 8 * (is_little ? i : size - 1 - i);
    return number;
}

/* In Java these numbers are signed: one that is negative there is too large for any file here. */
static uint32_t size_at(const uint8_t *octets, const struct perfdata_header *header, uint32_t at)
{
    return (uint32_t)number_at(octets + at, 4, header->is_little);
}

int64_t perfdata_long(const uint8_t *octets, const struct perfdata_header *header, uint32_t at)
{
    return (int64_t)number_at(octets + at, 8, header->is_little);
}

/* Reads what all versions of the layout have in common. */
static int version_read(const uint8_t *octets, size_t size, struct perfdata_header *header,
                        char why[MESSAGE_SIZE])
{
    if (size < PROLOGUE_SIZE || number_at(octets, 4, false) != MAGIC) {
        text_format(why, MESSAGE_SIZE,
                    "The file does not begin as performance data of a JVM does.");
        return EBADMSG;
    }
    if (octets[BYTE_ORDER_AT] > 1) {
        text_format(why, MESSAGE_SIZE, "There is no byte order %u.", octets[BYTE_ORDER_AT]);
        return EBADMSG;
    }
    *header = (struct perfdata_header){.is_little = octets[BYTE_ORDER_AT] == 1,
                                       .major = octets[MAJOR_AT],
                                       .minor = octets[MINOR_AT]};
    if (header->major == PERFDATA_MAJOR)
        return 0;
    text_format(why, MESSAGE_SIZE,
                "The layout of the file is of version %u.%u, and only %u is known.", header->major,
                header->minor, PERFDATA_MAJOR);
    return EPROTONOSUPPORT;
}

int perfdata_header_read(const uint8_t *octets, size_t size, struct perfdata_header *header,
                         char why[MESSAGE_SIZE])
{
    int error = version_read(octets, size, header, why);
    if (error)
        return error;
    if (!octets[ACCESSIBLE_AT]) {
        text_format(why, MESSAGE_SIZE, "The JVM has not finished its start.");
        return EAGAIN;
    }
    header->used = size_at(octets, header, USED_AT);
    header->overflow = size_at(octets, header, OVERFLOW_AT);
    header->modified = (uint64_t)perfdata_long(octets, header, MOD_TIME_AT);
    header->first = size_at(octets, header, ENTRY_OFFSET_AT);
    header->count = size_at(octets, header, NUM_ENTRIES_AT);
    if (header->used > size || header->first < PROLOGUE_SIZE || header->first > header->used) {
        text_format(
            why, MESSAGE_SIZE,
            "The prologue says that entries begin at octet %u and end at %u; the file has %zu.",
            header->first, header->used, size);
        return EBADMSG;
    }
    return 0;
}

struct perfdata_cursor perfdata_begin(const struct perfdata_header *header)
{
    return (struct perfdata_cursor){.at = header->first};
}

bool perfdata_has_next(const struct perfdata_header *header, const struct perfdata_cursor *cursor)
{
    return cursor->number < header->count;
}

/* The parts of an entry, as the entry states them. */
struct parts {
    uint32_t length, name, data;
};

static int fail(int error, const struct perfdata_cursor *cursor, const char *what,
                char why[MESSAGE_SIZE])
{
    text_format(why, MESSAGE_SIZE, "Entry %u, at octet %u, %s.", cursor->number + 1, cursor->at,
                what);
    return error;
}

/* A JVM counts an entry before it makes it, and then writes its name, its length and the rest of
 * it, into memory that was all 0: PerfData::create_entry(). */
static bool is_unfinished(const struct parts *parts, char type)
{
    return parts->length == 0 || parts->name == 0 || parts->data == 0 || type == '\0';
}

/* Octets of one element; 0: not known. */
static uint32_t size_of(char type)
{
    switch (type) {
    case PERFDATA_LONG:
        return 8;
    case PERFDATA_OCTETS:
        return 1;
    default:
        return 0;
    }
}

static const char *fault_of(const uint8_t *octets, const struct parts *parts,
                            const struct perfdata_cursor *cursor,
                            const struct perfdata_entry *entry)
{
    if (parts->name < ENTRY_SIZE || parts->name >= parts->length)
        return "has its name elsewhere";
    if (!memchr(octets + cursor->at + parts->name, '\0', parts->length - parts->name))
        return "has a name without an end";
    uint64_t elements = entry->vector ? entry->vector : 1;
    if (parts->data < ENTRY_SIZE || parts->data > parts->length ||
        elements * size_of(entry->type) > parts->length - parts->data)
        return "has its value elsewhere";
    return NULL;
}

int perfdata_next(const uint8_t *octets, const struct perfdata_header *header,
                  struct perfdata_cursor *cursor, struct perfdata_entry *entry,
                  char why[MESSAGE_SIZE])
{
    uint32_t at = cursor->at, left = header->used - at;
    if (left < ENTRY_SIZE)
        return fail(EBADMSG, cursor, "is behind what is used of the file", why);
    struct parts parts = {size_at(octets, header, at + ENTRY_LENGTH_AT),
                          size_at(octets, header, at + NAME_OFFSET_AT),
                          size_at(octets, header, at + DATA_OFFSET_AT)};
    *entry = (struct perfdata_entry){.type = (char)octets[at + DATA_TYPE_AT],
                                     .unit = octets[at + DATA_UNITS_AT],
                                     .vector = size_at(octets, header, at + VECTOR_LENGTH_AT)};
    if (is_unfinished(&parts, entry->type))
        return fail(EAGAIN, cursor, "is not finished", why);
    if (parts.length < ENTRY_SIZE || parts.length > left)
        return fail(EBADMSG, cursor, "has a length that cannot be", why);
    const char *fault = fault_of(octets, &parts, cursor, entry);
    if (fault)
        return fail(EBADMSG, cursor, fault, why);
    entry->name = (const char *)octets + at + parts.name;
    entry->data = at + parts.data;
    cursor->at += parts.length;
    cursor->number++;
    return 0;
}
