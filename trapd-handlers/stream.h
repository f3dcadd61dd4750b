/* The stream of a long-running snmptrapd, cut into records. Pure.
 *
 * snmptrapd has no interface for traps but its log and a process per trap. So it is told to log
 * traps in a form that cannot be mistaken (stream_configuration()): a line "DCAMP-TRAP 1 SECONDS
 * SOURCE", one line for each varbind with strings in hexadecimal, an empty line. Whatever else it
 * logs stands between records. */
#ifndef DCAMP_TRAP_STREAM_H
#define DCAMP_TRAP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A trap that comes in one UDP packet has at most 64 KiB; in hexadecimal, three times as many. */
#define STREAM_RECORD_MAX (256 << 10)

/* All zero is the start of a stream. */
struct stream {
    char *at;
    size_t start, len, size; /* what is not taken yet: at + start, up to at + len */
    size_t searched;         /* up to there, the record that starts at start does not end */
    bool inside;             /* a record begins at start */
    uint64_t strays;         /* lines outside of records */
    uint64_t oversized;      /* records that were too long */
};

void stream_release(struct stream *stream);

/* Room for at least n octets, to read into; then stream_added() what was read. NULL: no memory. */
char *stream_room(struct stream *stream, size_t n);
void stream_added(struct stream *stream, size_t n);

/* The next whole record; it stays until stream_room(). end: the stream is over, so that what is
 * there is all. False: there is none yet. */
bool stream_next(struct stream *stream, bool end, const char **record, size_t *len);

struct stream_record {
    int64_t received_ms;
    const char *source;
    size_t source_len;
    const char *varbinds;
    size_t varbinds_len;
};

/* False: it does not begin as a record does. */
bool stream_open_record(const char *text, size_t len, struct stream_record *record);

/* The lines for snmptrapd.conf. */
extern const char stream_configuration[];

#endif
