#include "trapd-handlers/record.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const text_names[TRAP_TEXTS] = {
    [TRAP_KEY] = "key",           [TRAP_NODE] = "node",
    [TRAP_SENSOR] = "sensor",     [TRAP_VALUE] = "value",
    [TRAP_LIMIT] = "limit",       [TRAP_SEVERITY_TEXT] = "severityText",
    [TRAP_MESSAGE] = "message",   [TRAP_THRESHOLD] = "threshold",
    [TRAP_INSTANCE] = "instance",
};

void record_write(struct buffer *buffer, const struct trap *trap)
{
    json_t *json = json_pack(
        "{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:s}", "event", (int)trap->event, "received",
        (json_int_t)trap->received_ms, "since", (json_int_t)trap->since_ms, "index",
        (json_int_t)trap->index, "severity", (json_int_t)trap->severity, "happened",
        (json_int_t)trap->happened, "sequence", (json_int_t)trap->sequence, "suppressed",
        (json_int_t)trap->suppressed, "source", trap->source, "address", trap->address);
    bool good = json != NULL;
    for (int i = 0; good && i < TRAP_TEXTS; i++)
        good = json_object_set_new(json, text_names[i], json_string(trap->text[i])) == 0;
    char *line = good ? json_dumps(json, JSON_COMPACT) : NULL;
    if (line) {
        buffer_text(buffer, line);
        buffer_put(buffer, "\n", 1);
    } else {
        buffer->failed = true;
    }
    free(line);
    json_decref(json);
}

static bool read_text(const json_t *json, const char *name, char *text, size_t size)
{
    const json_t *value = json_object_get(json, name);
    if (!json_is_string(value) || json_string_length(value) >= size)
        return false;
    memcpy(text, json_string_value(value), json_string_length(value) + 1);
    return true;
}

static bool read_number(const json_t *json, const char *name, int64_t high, int64_t *number)
{
    const json_t *value = json_object_get(json, name);
    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= 0 && *number <= high;
}

static bool read_word(const json_t *json, const char *name, uint32_t *word)
{
    int64_t number;
    bool good = read_number(json, name, UINT32_MAX, &number);
    *word = (uint32_t)number;
    return good;
}

static bool read_trap(const json_t *json, struct trap *trap)
{
    int64_t event;
    bool good = read_number(json, "event", TRAP_EVENTS - 1, &event) &&
                read_number(json, "received", INT64_MAX, &trap->received_ms) &&
                read_number(json, "since", INT64_MAX, &trap->since_ms) &&
                read_word(json, "index", &trap->index) &&
                read_word(json, "severity", &trap->severity) &&
                read_word(json, "happened", &trap->happened) &&
                read_word(json, "sequence", &trap->sequence) &&
                read_word(json, "suppressed", &trap->suppressed) &&
                read_text(json, "source", trap->source, sizeof trap->source) &&
                read_text(json, "address", trap->address, sizeof trap->address);
    for (int i = 0; good && i < TRAP_TEXTS; i++)
        good = read_text(json, text_names[i], trap->text[i], TRAP_TEXT_SIZE);
    trap->event = (enum trap_event)event;
    return good;
}

bool record_read(const char *line, size_t len, struct trap *trap)
{
    json_error_t error;
    *trap = (struct trap){0};
    json_t *json = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
    bool good = json_is_object(json) && read_trap(json, trap);
    json_decref(json);
    return good;
}
