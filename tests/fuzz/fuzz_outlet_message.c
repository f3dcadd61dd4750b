/* Fuzz target: any octets as a packet at the socket of the outlet. The first octet says at which
 * end: that of dcampd, which a publisher writes to, or that of dcamp-publish. What passes the check
 * of a message must be such that its reader may use it without looking again. */
#include "outlet/message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "main.h"
#include "report/report.h"

#define EXPECT_TEXT(field) expect(strnlen(field, sizeof(field)) < sizeof(field))

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void read_from_publisher(const struct message *message)
{
    const struct outlet_cursor *cursor = (const void *)message;
    const struct outlet_state *state = (const void *)message;
    switch (message->kind) {
    case OUTLET_HELLO:
        EXPECT_TEXT(((const struct outlet_hello *)message)->sink);
        break;
    case OUTLET_CURSOR:
        EXPECT_TEXT(cursor->path);
        expect(cursor->engine_id_len <= sizeof cursor->engine_id);
        break;
    case OUTLET_LOOK_UP:
        expect(((const struct outlet_look_up *)message)->n <= OUTLET_LOOK_UP_MAX);
        break;
    case OUTLET_STATE:
        EXPECT_TEXT(state->error);
        expect(state->state == OUTLET_SINK_UP || state->state == OUTLET_SINK_FAILING);
        break;
    default:
        expect(message->kind == OUTLET_BEGIN || message->kind == OUTLET_DONE);
    }
}

static void read_sink(const struct outlet_sink *sink)
{
    EXPECT_TEXT(sink->name);
    EXPECT_TEXT(sink->kind);
    EXPECT_TEXT(sink->location);
    EXPECT_TEXT(sink->credentials);
    EXPECT_TEXT(sink->sensors);
    expect(sink->name[0] && (sink->mode == OUTLET_SYNC || sink->mode == OUTLET_ASYNC));
}

static void read_stream(const struct outlet_stream *stream)
{
    EXPECT_TEXT(stream->path);
    EXPECT_TEXT(stream->name);
    EXPECT_TEXT(stream->group);
    expect(stream->engine_id_len <= sizeof stream->engine_id);
}

static void read_name(const struct outlet_name *name)
{
    EXPECT_TEXT(name->sensor);
    EXPECT_TEXT(name->instance);
    EXPECT_TEXT(name->metric);
    EXPECT_TEXT(name->unit);
    EXPECT_TEXT(name->path);
    expect(name->answer >= OUTLET_NAMED && name->answer <= OUTLET_ELSEWHERE);
}

static void read_from_daemon(const struct message *message)
{
    const struct outlet_lost *lost = (const void *)message;
    switch (message->kind) {
    case OUTLET_SINK:
        read_sink((const void *)message);
        break;
    case OUTLET_STREAM:
        read_stream((const void *)message);
        break;
    case OUTLET_NAME:
        read_name((const void *)message);
        break;
    case OUTLET_BLOCK:
        expect(message->length >= sizeof(struct outlet_block) &&
               message->length - sizeof(struct outlet_block) <= REPORT_BLOCK_MAX);
        break;
    case OUTLET_LOST:
        expect(lost->first <= lost->last);
        break;
    default:
        expect(message->kind == OUTLET_SINKS_END);
    }
}

/* The packet has its own allocation, so that the sanitizer sees who reads beyond its end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct message *message;
    size_t at = 0, before = 0;
    if (size == 0)
        return 0;
    bool to_daemon = data[0] % 2;
    uint8_t *packet = malloc(size);
    expect(packet != NULL);
    size--;
    memcpy(packet, data + 1, size);
    while ((message = to_daemon ? outlet_next_from_publisher(packet, size, &at)
                                : outlet_next_from_daemon(packet, size, &at)) != NULL) {
        expect((const uint8_t *)message == packet + before && at > before && at <= size &&
               message->length <= at - before);
        before = at;
        if (to_daemon)
            read_from_publisher(message);
        else
            read_from_daemon(message);
    }
    free(packet);
    return 0;
}
