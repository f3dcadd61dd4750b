#include "trapd-handlers/stream.h"

#include <stdlib.h>
#include <string.h>

#define MARK "DCAMP-TRAP 1 "
#define MARK_LEN (sizeof MARK - 1)

/* [snmp] before a directive makes it one of the file that all programs of Net-SNMP share. */
const char stream_configuration[] =
    "# For a long-running dcamp-trap, from dcamp-trap --print-snmptrapd-conf.\n"
    "# Strings come in hexadecimal, each varbind in one line: what a sender writes into a text\n"
    "# cannot look like another trap.\n"
    "format2 " MARK "%t %b\\n%V\\n%v\\n\\n\n"
    "outputOption nxqt\n"
    "[snmp] noDisplayHint yes\n"
    "[snmp] hexOutputLength 0\n"
    "# A burst waits in the socket while snmptrapd decrypts it; net.core.rmem_max bounds it.\n"
    "[snmp] serverRecvBuf 16777216\n";

void stream_release(struct stream *stream)
{
    free(stream->at);
    *stream = (struct stream){0};
}

char *stream_room(struct stream *stream, size_t n)
{
    if (stream->start > 0) {
        memmove(stream->at, stream->at + stream->start, stream->len - stream->start);
        stream->len -= stream->start;
        stream->searched -= stream->start;
        stream->start = 0;
    }
    if (!stream->at || stream->size - stream->len < n) {
        size_t need = stream->len + n + 1;
        size_t size = need > 2 * stream->size ? need : 2 * stream->size;
        char *at = realloc(stream->at, size);
        if (!at)
            return NULL;
        stream->at = at;
        stream->size = size;
    }
    return stream->at + stream->len;
}

void stream_added(struct stream *stream, size_t n)
{
    stream->len += n;
}

static bool is_mark(const struct stream *stream, size_t at)
{
    return stream->len - at >= MARK_LEN && memcmp(stream->at + at, MARK, MARK_LEN) == 0;
}

/* Everything before at is done with. */
static void drop_to(struct stream *stream, size_t at)
{
    stream->start = stream->searched = at;
}

/* Skips lines outside of records, up to a mark. Returns false if no complete line is left. */
static bool find_start(struct stream *stream, bool end)
{
    while (stream->start < stream->len) {
        const char *line = stream->at + stream->start;
        const char *newline = memchr(line, '\n', stream->len - stream->start);
        if (!newline && !end) {
            /* No program writes lines as long as this here. */
            if (stream->len - stream->start > STREAM_RECORD_MAX)
                drop_to(stream, stream->len);
            return false;
        }
        if (is_mark(stream, stream->start)) {
            stream->inside = true;
            return true;
        }
        stream->strays += newline != line;
        drop_to(stream, newline ? (size_t)(newline - stream->at) + 1 : stream->len);
    }
    return false;
}

/* A record ends before an empty line or before the next mark. */
static bool find_end(struct stream *stream, bool end, size_t *len)
{
    while (stream->searched < stream->len) {
        const char *line = stream->at + stream->searched;
        const char *newline = memchr(line, '\n', stream->len - stream->searched);
        if (!newline)
            break;
        size_t next = (size_t)(newline - stream->at) + 1;
        bool marked = stream->searched > stream->start && is_mark(stream, stream->searched);
        if (newline == line || marked) {
            *len = stream->searched - stream->start;
            stream->searched = marked ? stream->searched : next;
            return true;
        }
        stream->searched = next;
    }
    *len = stream->len - stream->start;
    if (end && stream->start < stream->len)
        stream->searched = stream->len;
    return end && stream->start < stream->len;
}

bool stream_next(struct stream *stream, bool end, const char **record, size_t *len)
{
    for (;;) {
        if (!stream->inside && !find_start(stream, end))
            return false;
        bool whole = find_end(stream, end, len);
        if (!whole && stream->len - stream->start <= STREAM_RECORD_MAX)
            return false;
        *record = stream->at + stream->start;
        stream->inside = false;
        drop_to(stream, stream->searched);
        if (whole && *len <= STREAM_RECORD_MAX)
            return true;
        /* Its remaining lines, which are still to come, count as strays. */
        stream->oversized++;
    }
}

bool stream_open_record(const char *text, size_t len, struct stream_record *record)
{
    const char *newline = memchr(text, '\n', len), *at = text + MARK_LEN;
    const char *end = newline ? newline : text + len;
    int64_t seconds = 0;
    if (len < MARK_LEN || memcmp(text, MARK, MARK_LEN) != 0)
        return false;
    for (; at < end && *at >= '0' && *at <= '9' && seconds < INT64_C(1) << 40; at++)
        seconds = seconds * 10 + (*at - '0');
    if (at == end || *at != ' ' || seconds == 0)
        return false;
    record->received_ms = seconds * 1000;
    record->source = at + 1;
    record->source_len = (size_t)(end - at - 1);
    record->varbinds = newline ? newline + 1 : end;
    record->varbinds_len = len - (size_t)(record->varbinds - text);
    return true;
}
