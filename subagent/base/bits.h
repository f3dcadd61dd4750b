/* Octets as a string of bits, the first of which is the highest of the first octet. */
#ifndef DCAMP_BASE_BITS_H
#define DCAMP_BASE_BITS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bit_writer {
    uint8_t *at;
    size_t room, length; /* octets; length counts on beyond room, but nothing is written there;
                            octets between length and room may be overwritten */
    uint64_t held;       /* bits that do not fill an octet yet, in the lowest places */
    unsigned n_held;     /* at most 7 between two calls */
};

struct bit_reader {
    const uint8_t *at;
    size_t length; /* octets */
    size_t place;  /* of the next bit */
    bool is_short; /* more bits were asked for than there were; all that was read since is 0 */
};

/* Writes n bits, at most 56; the bits of number above them are 0. */
static inline void bits_put_few(struct bit_writer *writer, uint64_t number, unsigned n)
{
    writer->held = writer->held << n | number;
    writer->n_held += n;
    if (writer->n_held >= 8 && writer->length + sizeof(uint64_t) <= writer->room) {
        uint64_t word = htobe64(writer->held << (64 - writer->n_held));
        memcpy(writer->at + writer->length, &word, sizeof word);
        writer->length += writer->n_held / 8;
        writer->n_held %= 8;
    }
    for (; writer->n_held >= 8; writer->n_held -= 8) {
        if (writer->length < writer->room)
            writer->at[writer->length] = (uint8_t)(writer->held >> (writer->n_held - 8));
        writer->length++;
    }
}

/* The same for at most 64 bits. */
static inline void bits_put(struct bit_writer *writer, uint64_t number, unsigned n)
{
    if (n > 32) {
        bits_put_few(writer, number >> 32, n - 32);
        number &= UINT32_MAX;
        n = 32;
    }
    bits_put_few(writer, number, n);
}

/* Fills the last octet with zeros. Returns the total length. */
static inline size_t bits_end(struct bit_writer *writer)
{
    if (writer->n_held > 0)
        bits_put_few(writer, 0, 8 - writer->n_held);
    return writer->length;
}

static inline size_t bits_left(const struct bit_reader *reader)
{
    return 8 * reader->length - reader->place;
}

/* The 64 bits that begin with the octet of the next bit, with zeros behind the last octet. */
static inline uint64_t bits_word(const struct bit_reader *reader)
{
    size_t first = reader->place / 8, n = reader->length - first;
    uint64_t word = 0;
    if (n >= sizeof word) /* then the compiler knows the length */
        memcpy(&word, reader->at + first, sizeof word);
    else
        memcpy(&word, reader->at + first, n);
    return be64toh(word);
}

/* The next bits, at most 56, without taking them: as the highest bits of a word, with zeros behind
 * the end. */
static inline uint64_t bits_peek(const struct bit_reader *reader)
{
    return reader->place / 8 < reader->length ? bits_word(reader) << reader->place % 8 : 0;
}

/* Takes at least one bit and at most 56. */
static inline uint64_t bits_take_few(struct bit_reader *reader, unsigned n)
{
    if (bits_left(reader) < n) {
        reader->is_short = true;
        reader->place = 8 * reader->length;
        return 0;
    }
    uint64_t number = bits_peek(reader) >> (64 - n);
    reader->place += n;
    return number;
}

/* Takes at most 64 bits. */
static inline uint64_t bits_take(struct bit_reader *reader, unsigned n)
{
    uint64_t high = 0;
    if (n == 0)
        return 0;
    if (n > 32) {
        high = bits_take_few(reader, n - 32);
        n = 32;
    }
    return high << 32 | bits_take_few(reader, n);
}

#endif
