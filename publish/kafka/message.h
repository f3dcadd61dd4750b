/* What a message of Kafka has beside the line itself, and how a cursor becomes a message. Pure. */
#ifndef DCAMP_PUBLISH_KAFKA_MESSAGE_H
#define DCAMP_PUBLISH_KAFKA_MESSAGE_H

#include "publish/lines.h"
#include "publish/octets.h"

/* The key of a line: NODE/SENSOR/INSTANCE, or NODE/$alarm/ID, each part as octets_add_percent()
 * writes it. So everything of a series, or of an alarm, is in one partition, in order. */
void message_add_key(struct octets *key, const struct line *line);

/* The time of a message, in ms since 1970: that of its line; but the present if the line is more
 * than this ahead, or before 1970, since a cluster might not take it: one node with a wrong clock
 * would hold up all. The line itself has its own time in any case. */
#define MESSAGE_AHEAD_MS INT64_C(1800000)
int64_t message_time(int64_t wall_ms, int64_t now_ms);

/* A cursor: the key is "IDENTITY PATH ENGINE BOOT", the first two as octets_add_percent() writes
 * them, the engine in hexadecimal, the boot in decimal; the value is the next number in decimal. A
 * message without a value means that there is no such cursor any more. */
void message_add_cursor_key(struct octets *key, const char *identity,
                            const struct sink_stream *stream);

struct message_cursor {
    struct sink_stream stream; /* points into the rest; without a name and a group */
    char path[ALARM_PATH_SIZE];
    uint8_t engine_id[ENGINE_ID_MAX];
};

/* False: it is no cursor, or one of another identity. The octets are not trusted. */
bool message_read_cursor_key(struct message_cursor *cursor, const char *identity, const char *key,
                             size_t len);
bool message_read_next(uint32_t *next, const char *value, size_t len);

#endif
