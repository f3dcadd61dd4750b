#include "outlet/message.h"

#include "report/report.h"

#define IS_TEXT(field) message_is_text(field, sizeof(field))

static bool hello_is_valid(const void *message)
{
    return IS_TEXT(((const struct outlet_hello *)message)->sink);
}

static bool cursor_is_valid(const void *message)
{
    const struct outlet_cursor *cursor = message;
    return IS_TEXT(cursor->path) && cursor->engine_id_len <= ENGINE_ID_MAX;
}

static bool look_up_is_valid(const void *message)
{
    return ((const struct outlet_look_up *)message)->n <= OUTLET_LOOK_UP_MAX;
}

static bool state_is_valid(const void *message)
{
    const struct outlet_state *state = message;
    return IS_TEXT(state->error) && state->state >= OUTLET_SINK_UP &&
           state->state <= OUTLET_SINK_FAILING;
}

static bool sink_is_valid(const void *message)
{
    const struct outlet_sink *sink = message;
    return IS_TEXT(sink->name) && sink->name[0] && IS_TEXT(sink->kind) && IS_TEXT(sink->location) &&
           IS_TEXT(sink->credentials) && IS_TEXT(sink->sensors) && sink->mode >= OUTLET_SYNC &&
           sink->mode <= OUTLET_ASYNC;
}

static bool stream_is_valid(const void *message)
{
    const struct outlet_stream *stream = message;
    return IS_TEXT(stream->path) && IS_TEXT(stream->name) && IS_TEXT(stream->group) &&
           stream->engine_id_len <= ENGINE_ID_MAX;
}

static bool name_is_valid(const void *message)
{
    const struct outlet_name *name = message;
    return IS_TEXT(name->sensor) && IS_TEXT(name->instance) && IS_TEXT(name->metric) &&
           IS_TEXT(name->unit) && IS_TEXT(name->path) && name->answer >= OUTLET_NAMED &&
           name->answer <= OUTLET_ELSEWHERE;
}

static bool block_is_valid(const void *message)
{
    const struct outlet_block *block = message;
    return block->head.length - sizeof *block <= REPORT_BLOCK_MAX;
}

static bool lost_is_valid(const void *message)
{
    const struct outlet_lost *lost = message;
    return lost->first <= lost->last;
}

const struct message *outlet_next_from_publisher(const void *packet, size_t used, size_t *at)
{
#define KIND(kind) [(kind)-OUTLET_HELLO]
    static const struct message_type types[] = {
        KIND(OUTLET_HELLO) = {sizeof(struct outlet_hello), .valid = hello_is_valid},
        KIND(OUTLET_CURSOR) = {sizeof(struct outlet_cursor), .valid = cursor_is_valid},
        KIND(OUTLET_BEGIN) = {sizeof(struct message)},
        KIND(OUTLET_LOOK_UP) = {sizeof(struct outlet_look_up), .valid = look_up_is_valid},
        KIND(OUTLET_DONE) = {sizeof(struct outlet_done)},
        KIND(OUTLET_STATE) = {sizeof(struct outlet_state), .valid = state_is_valid},
    };
#undef KIND
    static const struct message_types known = {OUTLET_HELLO, sizeof types / sizeof *types, types};
    return message_next_of(&known, packet, used, at);
}

const struct message *outlet_next_from_daemon(const void *packet, size_t used, size_t *at)
{
#define KIND(kind) [(kind)-OUTLET_SINK]
    static const struct message_type types[] = {
        KIND(OUTLET_SINK) = {sizeof(struct outlet_sink), .valid = sink_is_valid},
        KIND(OUTLET_SINKS_END) = {sizeof(struct message)},
        KIND(OUTLET_STREAM) = {sizeof(struct outlet_stream), .valid = stream_is_valid},
        KIND(OUTLET_NAME) = {sizeof(struct outlet_name), .valid = name_is_valid},
        KIND(OUTLET_BLOCK) = {sizeof(struct outlet_block), .valid = block_is_valid,
                              .goes_on = true},
        KIND(OUTLET_LOST) = {sizeof(struct outlet_lost), .valid = lost_is_valid},
    };
#undef KIND
    static const struct message_types known = {OUTLET_SINK, sizeof types / sizeof *types, types};
    return message_next_of(&known, packet, used, at);
}
