#include "publish/protobuf.h"

#include <pb_encode.h>
#include <string.h>

#define VARINT_SIZE 10

static bool write_octets(pb_ostream_t *stream, const pb_byte_t *at, size_t len)
{
    struct octets *octets = stream->state;
    octets_add(octets, (const char *)at, len);
    return !octets->failed;
}

static pb_ostream_t stream_to(struct octets *octets)
{
    return (pb_ostream_t){.callback = write_octets, .state = octets, .max_size = SIZE_MAX};
}

/* The functions of nanopb fail if octets do, and only then. */
static void add_tag(pb_ostream_t *stream, pb_wire_type_t type, unsigned field)
{
    pb_encode_tag(stream, type, field);
}

void protobuf_add_integer(struct octets *octets, unsigned field, uint64_t value)
{
    pb_ostream_t stream = stream_to(octets);
    add_tag(&stream, PB_WT_VARINT, field);
    pb_encode_varint(&stream, value);
}

void protobuf_add_fixed(struct octets *octets, unsigned field, uint64_t value)
{
    pb_ostream_t stream = stream_to(octets);
    add_tag(&stream, PB_WT_64BIT, field);
    pb_encode_fixed64(&stream, &value);
}

void protobuf_add_double(struct octets *octets, unsigned field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    protobuf_add_fixed(octets, field, bits);
}

void protobuf_add_bytes(struct octets *octets, unsigned field, const char *at, size_t len)
{
    pb_ostream_t stream = stream_to(octets);
    add_tag(&stream, PB_WT_STRING, field);
    pb_encode_string(&stream, (const pb_byte_t *)at, len);
}

void protobuf_add_text(struct octets *octets, unsigned field, const char *text, size_t len)
{
    size_t begun = protobuf_begin(octets, field);
    octets_add_clean(octets, text, len, false);
    protobuf_end(octets, begun);
}

size_t protobuf_begin(struct octets *octets, unsigned field)
{
    pb_ostream_t stream = stream_to(octets);
    add_tag(&stream, PB_WT_STRING, field);
    return octets->len;
}

/* The length of a message is known only at its end, but stands before it. */
void protobuf_end(struct octets *octets, size_t begun)
{
    pb_byte_t length[VARINT_SIZE];
    pb_ostream_t stream = pb_ostream_from_buffer(length, sizeof length);
    size_t len = octets->len - begun;
    pb_encode_varint(&stream, len);
    octets_add(octets, (const char *)length, stream.bytes_written);
    if (octets->failed)
        return;
    memmove(octets->at + begun + stream.bytes_written, octets->at + begun, len);
    memcpy(octets->at + begun, length, stream.bytes_written);
}
