/* Messages of Protocol Buffers, written field by field, by nanopb. Pure but for memory: as of
 * octets, one look at octets->failed at the end is enough.
 *
 * https://protobuf.dev/programming-guides/encoding/ */
#ifndef DCAMP_PUBLISH_PROTOBUF_H
#define DCAMP_PUBLISH_PROTOBUF_H

#include "publish/octets.h"

/* int32, int64, uint32, uint64, bool, enum */
void protobuf_add_integer(struct octets *octets, unsigned field, uint64_t value);

/* fixed64, sfixed64 */
void protobuf_add_fixed(struct octets *octets, unsigned field, uint64_t value);

void protobuf_add_double(struct octets *octets, unsigned field, double value);

/* bytes, or a message that was written before */
void protobuf_add_bytes(struct octets *octets, unsigned field, const char *at, size_t len);

/* string, which has to be UTF-8: texts of somebody else are cleaned by octets_add_clean(). */
void protobuf_add_text(struct octets *octets, unsigned field, const char *text, size_t len);

/* Begins a message within: what is written until protobuf_end() belongs to it. Returns what that
 * needs. */
size_t protobuf_begin(struct octets *octets, unsigned field);
void protobuf_end(struct octets *octets, size_t begun);

#endif
