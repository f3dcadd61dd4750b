/* Cuts the stream of a long-running snmptrapd into records. Pure.
 *
 * snmptrapd passes traps on only in its log, or to one process per trap. So it is configured to log
 * traps in an unambiguous form (stream_configuration): a line "DCAMP-TRAP 1 SECONDS SOURCE", one
 * line for each varbind with strings in hexadecimal, and an empty line. Everything else that it
 * logs is between records. */
#ifndef DCAMP_TRAP_STREAM_H
#define DCAMP_TRAP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A trap in one UDP packet has at most 64 KiB; in hexadecimal it is three times as long. */
#define STREAM_RECORD_MAX (256 << 10)

/* All zero: the start of a stream. */
struct stream {
    char *at;
    size_t start, len, size; /* what has not been taken yet is from at + start to at + len */
    size_t searched;         /* the record at start does not end before this */
    bool inside;             /* a record begins at start */
    uint64_t strays;         /* lines outside of records */
    uint64_t oversized;      /* records that were too long */
};

void stream_release(struct stream *stream);

/* Returns room for at least n octets, to read into; stream_added() then has to say how many were
 * read. Returns NULL if memory runs out. */
char *stream_room(struct stream *stream, size_t n);
void stream_added(struct stream *stream, size_t n);

/* Returns the next complete record, which stays valid until stream_room() is called. end: the
 * stream is over, so that nothing more follows. Returns false if there is none yet. */
bool stream_next(struct stream *stream, bool end, const char **record, size_t *len);

struct stream_record {
    int64_t received_ms;
    const char *source;
    size_t source_len;
    const char *varbinds;
    size_t varbinds_len;
};

/* Returns false if the text does not begin like a record. */
bool stream_open_record(const char *text, size_t len, struct stream_record *record);

/* The lines for snmptrapd.conf. */
extern const char stream_configuration[];

#endif
