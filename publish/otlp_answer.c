#include "publish/otlp_answer.h"

#include <pb_decode.h>
#include <string.h>

enum { RESPONSE_PARTIAL = 1 };
enum { PARTIAL_REJECTED = 1, PARTIAL_TEXT };
enum { STATUS_TEXT = 2 };

/* A text that does not fit is cut. */
static bool read_text(pb_istream_t *stream, char text[OTLP_TEXT_SIZE])
{
    pb_istream_t within;
    if (!pb_make_string_substream(stream, &within))
        return false;
    size_t len = within.bytes_left < OTLP_TEXT_SIZE - 1 ? within.bytes_left : OTLP_TEXT_SIZE - 1;
    bool ok = pb_read(&within, (pb_byte_t *)text, len);
    text[ok ? len : 0] = '\0';
    return pb_close_string_substream(stream, &within) && ok;
}

/* False at the end, and if it is no message; then *ok is false. */
static bool next_field(pb_istream_t *stream, uint32_t *field, pb_wire_type_t *type, bool *ok)
{
    bool is_end = false;
    bool has = pb_decode_tag(stream, type, field, &is_end);
    *ok = has || is_end;
    return has;
}

static bool read_partial(pb_istream_t *stream, uint64_t *rejected, char text[OTLP_TEXT_SIZE])
{
    uint32_t field;
    pb_wire_type_t type;
    bool ok = true;
    while (ok && next_field(stream, &field, &type, &ok)) {
        if (field == PARTIAL_REJECTED && type == PB_WT_VARINT)
            ok = pb_decode_varint(stream, rejected);
        else if (field == PARTIAL_TEXT && type == PB_WT_STRING)
            ok = read_text(stream, text);
        else
            ok = pb_skip_field(stream, type);
    }
    return ok;
}

bool otlp_answer_partly(const char *body, size_t len, uint64_t *rejected, char text[OTLP_TEXT_SIZE])
{
    pb_istream_t stream = pb_istream_from_buffer((const pb_byte_t *)body, len), within;
    uint32_t field;
    pb_wire_type_t type;
    bool ok = true;
    *rejected = 0;
    text[0] = '\0';
    while (ok && next_field(&stream, &field, &type, &ok)) {
        if (field == RESPONSE_PARTIAL && type == PB_WT_STRING)
            ok = pb_make_string_substream(&stream, &within) &&
                 read_partial(&within, rejected, text) &&
                 pb_close_string_substream(&stream, &within);
        else
            ok = pb_skip_field(&stream, type);
    }
    if (*rejected > INT64_MAX) /* it is negative, which makes no sense */
        *rejected = 0;
    return ok;
}

bool otlp_answer_status(const char *body, size_t len, char text[OTLP_TEXT_SIZE])
{
    pb_istream_t stream = pb_istream_from_buffer((const pb_byte_t *)body, len);
    uint32_t field;
    pb_wire_type_t type;
    bool ok = true;
    text[0] = '\0';
    while (ok && next_field(&stream, &field, &type, &ok))
        ok = field == STATUS_TEXT && type == PB_WT_STRING ? read_text(&stream, text)
                                                          : pb_skip_field(&stream, type);
    return ok && text[0];
}
