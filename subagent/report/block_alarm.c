/* Alarms in report blocks. */
#include <cbor.h>
#include <string.h>

#include "base/item.h"
#include "base/text.h"
#include "report/block.h"

#define NUMBERS 6
#define ALARM_ITEMS (NUMBERS + REPORT_ALARM_TEXTS)
#define ALARMS_ITEMS (3 + REPORT_SEVERITIES)

/* How long each text may be, in octets. */
static const size_t longest[REPORT_ALARM_TEXTS] = {
    [REPORT_ALARM_PATH] = ALARM_PATH_SIZE - 1, [REPORT_ALARM_KEY] = ALARM_KEY_SIZE - 1,
    [REPORT_ALARM_NODE] = NAME_SIZE - 1,       [REPORT_ALARM_THRESHOLD] = NAME_SIZE - 1,
    [REPORT_ALARM_SENSOR] = NAME_SIZE - 1,     [REPORT_ALARM_INSTANCE] = INSTANCE_SIZE - 1,
    [REPORT_ALARM_VALUE] = DECIMAL_SIZE - 1,   [REPORT_ALARM_LIMIT] = DECIMAL_SIZE + 4 - 1,
    [REPORT_ALARM_MESSAGE] = MESSAGE_SIZE - 1, [REPORT_ALARM_ACKNOWLEDGED] = ALARM_COMMENT_SIZE - 1,
};

/* FNV-1a with 32 bits (draft-eastlake-fnv). */
uint32_t block_hash(const uint8_t *octets, size_t len)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ octets[i]) * UINT32_C(16777619);
    return hash;
}

/* -- Writing --------------------------------------------------------------------------------- */

static size_t put_text(uint8_t *at, size_t room, const char *text, size_t len)
{
    size_t n = cbor_encode_string_start(len, at, room);
    if (len > 0)
        memcpy(at + n, text, len);
    return n + len;
}

size_t block_put_alarm_head(uint8_t at[BLOCK_ALARM_HEAD_MAX], int32_t dt)
{
    size_t n = cbor_encode_array_start(2, at, BLOCK_ALARM_HEAD_MAX);
    return n + item_put_int(at + n, BLOCK_ALARM_HEAD_MAX - n, dt);
}

size_t block_put_alarm(uint8_t at[BLOCK_ALARM_MAX], const struct report_alarm *alarm)
{
    const int64_t numbers[NUMBERS] = {
        alarm->id,       alarm->index,          alarm->severity,
        alarm->since_ms, alarm->unconfirmed_ms, alarm->acknowledged_ms};
    size_t n = cbor_encode_array_start(ALARM_ITEMS, at, BLOCK_ALARM_MAX);
    for (size_t i = 0; i < NUMBERS; i++)
        n += item_put_int(at + n, BLOCK_ALARM_MAX - n, numbers[i]);
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++) {
        size_t len = alarm->text[i].len <= longest[i] ? alarm->text[i].len : longest[i];
        n += put_text(at + n, BLOCK_ALARM_MAX - n, alarm->text[i].at, len);
    }
    return n;
}

size_t block_put_alarm_cleared(uint8_t at[BLOCK_ALARMS_MAX], uint32_t id)
{
    size_t n = cbor_encode_array_start(1, at, BLOCK_ALARMS_MAX);
    return n + cbor_encode_uint(id, at + n, BLOCK_ALARMS_MAX - n);
}

size_t block_put_alarms(uint8_t at[BLOCK_ALARMS_MAX], const struct report_alarms *alarms)
{
    const uint32_t numbers[] = {alarms->complete, alarms->digest, alarms->told};
    size_t n = cbor_encode_array_start(ALARMS_ITEMS, at, BLOCK_ALARMS_MAX);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        n += cbor_encode_uint(numbers[i], at + n, BLOCK_ALARMS_MAX - n);
    for (size_t i = 0; i < REPORT_SEVERITIES; i++)
        n += cbor_encode_uint(alarms->left[i], at + n, BLOCK_ALARMS_MAX - n);
    return n;
}

/* -- Reading --------------------------------------------------------------------------------- */

static bool take_number(struct item_reader *items, int64_t max, int64_t *number)
{
    struct item item;
    return item_take(items, &item) == 0 && item_int(&item, number) && *number <= max;
}

static bool take_uint32(struct item_reader *items, uint32_t *number)
{
    int64_t value;
    if (!take_number(items, UINT32_MAX, &value) || value < 0)
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool is_text(enum report_alarm_text which, const char *text, size_t len)
{
    if (which == REPORT_ALARM_KEY && len == 0)
        return false;
    return len <= longest[which] && text_is_printable(text, len);
}

static const char *take_alarm(struct item_reader *items, struct report_alarm *alarm)
{
    struct item item;
    if (!take_uint32(items, &alarm->id) || alarm->id == 0 || !take_uint32(items, &alarm->index))
        return "an alarm has no number";
    if (!take_uint32(items, &alarm->severity) || alarm->severity < REPORT_SEVERITY_MIN ||
        alarm->severity > REPORT_SEVERITY_MAX)
        return "an alarm has no severity";
    if (!take_number(items, INT64_MAX, &alarm->since_ms) ||
        !take_number(items, INT64_MAX, &alarm->unconfirmed_ms) ||
        !take_number(items, INT64_MAX, &alarm->acknowledged_ms))
        return "a time of an alarm is not an integer";
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++) {
        if (item_take(items, &item) != 0 || item.kind != ITEM_TEXT ||
            !is_text(i, item.text, item.number))
            return "a text of an alarm is none, too long or not printable";
        alarm->text[i].at = item.text;
        alarm->text[i].len = item.number;
    }
    return NULL;
}

static const char *take_cleared(struct item_reader *items, struct report_entry *entry)
{
    bool good = take_uint32(items, &entry->alarm.id) && entry->alarm.id > 0;
    return good ? NULL : "an alarm that was cleared has no number";
}

static const char *take_alarms(struct item_reader *items, struct report_alarms *alarms)
{
    uint32_t complete;
    bool good = take_uint32(items, &complete) && complete <= 1 &&
                take_uint32(items, &alarms->digest) && take_uint32(items, &alarms->told);
    for (size_t i = 0; i < REPORT_SEVERITIES; i++)
        good = good && take_uint32(items, &alarms->left[i]);
    if (!good)
        return "what there is of alarms is not six numbers";
    alarms->complete = complete;
    return NULL;
}

const char *block_take_alarm(struct item_reader *items, struct report_entry *entry)
{
    const uint8_t *start = items->at;
    struct report_alarm alarm;
    struct item item;
    const char *why;
    if (item_take(items, &item) != 0 || item.kind != ITEM_ARRAY)
        return "an entry about alarms has no array";
    switch (item.number) {
    case 1:
        entry->kind = REPORT_ALARM_CLEARED;
        return take_cleared(items, entry);
    case ALARMS_ITEMS:
        entry->kind = REPORT_ALARMS;
        return take_alarms(items, &entry->alarms);
    case ALARM_ITEMS:
        entry->kind = REPORT_ALARM;
        why = take_alarm(items, &alarm);
        if (why)
            return why;
        entry->alarm.id = alarm.id;
        entry->alarm.octets = start;
        entry->alarm.len = (size_t)(items->at - start);
        entry->alarm.hash = block_hash(start, entry->alarm.len);
        return NULL;
    default:
        return "an entry about alarms is not an array of one, six or sixteen";
    }
}

void report_alarm_read(const struct report_entry *entry, struct report_alarm *alarm)
{
    struct item_reader items = {entry->alarm.octets, entry->alarm.len};
    struct item item;
    item_take(&items, &item);
    take_alarm(&items, alarm);
}
