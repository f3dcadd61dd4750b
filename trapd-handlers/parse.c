/* Turns what snmptrapd prints into a struct trap. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "dcamp_mib.h"
#include "trapd-handlers/objects.h"
#include "trapd-handlers/stream.h"
#include "trapd-handlers/trap.h"
#include "trapd-handlers/value.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { SEEN_TRAP_OID = 1u << 30, SEEN_ADDRESS = 1u << 29 };

/* Where the value of each object is stored. Texts come first, in the order of enum trap_text. */
enum place {
    PLACE_SEVERITY = TRAP_TEXTS,
    PLACE_SEQUENCE,
    PLACE_SINCE,
    PLACE_SUPPRESSED,
    PLACE_HAPPENED,
    PLACES
};
static const int objects[PLACES] = {
    [TRAP_KEY] = MIB_dcampAlarmKey,
    [TRAP_NODE] = MIB_dcampAlarmNode,
    [TRAP_SENSOR] = MIB_dcampAlarmSensor,
    [TRAP_VALUE] = MIB_dcampAlarmValueText,
    [TRAP_LIMIT] = MIB_dcampAlarmThresholdText,
    [TRAP_SEVERITY_TEXT] = MIB_dcampAlarmSeverityText,
    [TRAP_MESSAGE] = MIB_dcampAlarmMessage,
    [TRAP_THRESHOLD] = MIB_dcampAlarmThreshold,
    [TRAP_INSTANCE] = MIB_dcampAlarmInstance,
    [PLACE_SEVERITY] = MIB_dcampAlarmSeverity,
    [PLACE_SEQUENCE] = MIB_dcampAlarmSequence,
    [PLACE_SINCE] = MIB_dcampAlarmSince,
    [PLACE_SUPPRESSED] = MIB_dcampAlarmSuppressed,
    [PLACE_HAPPENED] = MIB_dcampAlarmEvent,
};

static const struct {
    enum trap_event event;
    int object;
} notifications[] = {
    {TRAP_RAISED, MIB_dcampAlarmRaised},
    {TRAP_CLEARED, MIB_dcampAlarmCleared},
    {TRAP_SUPPRESSED, MIB_dcampAlarmsSuppressed},
    {TRAP_JOINED, MIB_dcampNodeJoined},
    {TRAP_LOST, MIB_dcampNodeLost},
    {TRAP_ROLE, MIB_dcampRoleChanged},
};

struct parser {
    struct trap *trap;
    char *error;
    unsigned seen; /* a bit for each place, and SEEN_TRAP_OID and SEEN_ADDRESS */
    bool foreign;
    bool strict; /* strings must be in hexadecimal */
    enum trap_result result;
};

__attribute__((format(printf, 2, 3))) static void fail(struct parser *parser, const char *format,
                                                       ...)
{
    if (parser->result == TRAP_BAD)
        return;
    parser->result = TRAP_BAD;
    va_list args;
    va_start(args, format);
    vsnprintf(parser->error, TRAP_ERROR_SIZE, format, args);
    va_end(args);
}

static bool once(struct parser *parser, unsigned bit, const char *name)
{
    if (parser->seen & bit)
        fail(parser, "%s is there twice", name);
    parser->seen |= bit;
    return parser->result != TRAP_BAD;
}

/* Octets that are not UTF-8 become '?', because a sender may have cut a text within a character. */
static void make_utf8(char *text)
{
    while (*text) {
        size_t n = text_utf8_length(text, strlen(text));
        if (n == 0) {
            *text = '?';
            n = 1;
        }
        text += n;
    }
}

static void take_text(struct parser *parser, const struct mib_info *info, int place,
                      struct value_text value)
{
    char *text = parser->trap->text[place];
    bool hex;
    long len = value_octets(value, text, TRAP_TEXT_SIZE - 1, &hex);
    int64_t most = info->n_ranges > 0 ? info->ranges[info->n_ranges - 1].high : TRAP_TEXT_SIZE - 1;
    if (len < 0 || len > most) {
        fail(parser, "%s is longer than %lld octets", info->name, (long long)most);
        return;
    }
    text[len] = '\0';
    if (parser->strict && !hex)
        fail(parser, "%s is not in hexadecimal; see dcamp-trap --print-snmptrapd-conf", info->name);
    if (memchr(text, '\0', (size_t)len))
        fail(parser, "%s contains a NUL", info->name);
    make_utf8(text);
}

static void take_number(struct parser *parser, const struct mib_info *info, int place,
                        struct value_text value)
{
    struct trap *trap = parser->trap;
    int64_t number;
    if (!value_number(value, info, &number) || number < 0 || number > UINT32_MAX) {
        fail(parser, "%s is not a number of its range", info->name);
        return;
    }
    if (place == PLACE_SEVERITY)
        trap->severity = (uint32_t)number;
    else if (place == PLACE_SEQUENCE)
        trap->sequence = (uint32_t)number;
    else if (place == PLACE_HAPPENED)
        trap->happened = (uint32_t)number;
    else
        trap->suppressed = (uint32_t)number;
}

static void take_object(struct parser *parser, const struct object_name *name, int place,
                        struct value_text value)
{
    const struct mib_info *info = &mib_objects[objects[place]];
    if (!once(parser, 1u << place, info->name))
        return;
    parser->trap->index = name->oid[name->len - 1];
    if (place < TRAP_TEXTS)
        take_text(parser, info, place, value);
    else if (place != PLACE_SINCE)
        take_number(parser, info, place, value);
    else if (!value_date(value, &parser->trap->since_ms))
        parser->trap->since_ms = 0; /* with -Oa it is lost; the time of reception has to do */
}

static void take_notification(struct parser *parser, struct value_text value)
{
    struct object_name name;
    size_t instance_len = 0;
    if (!once(parser, SEEN_TRAP_OID, "snmpTrapOID"))
        return;
    value = value_plain(value);
    parser->foreign = true;
    if (!object_parse(value.at, value.len, &name))
        return;
    int object = object_find(&name, &instance_len);
    for (size_t i = 0; i < COUNT(notifications); i++)
        if (notifications[i].object == object && instance_len == 0) {
            parser->trap->event = notifications[i].event;
            parser->foreign = false;
        }
}

static void take_varbind(struct parser *parser, struct value_text name_text,
                         struct value_text value)
{
    struct object_name name;
    size_t instance_len;
    if (!object_parse(name_text.at, name_text.len, &name) || !name.known)
        return;
    if (object_is_scalar(&name, oid_snmpTrapOID, COUNT(oid_snmpTrapOID))) {
        take_notification(parser, value);
        return;
    }
    if (object_is_scalar(&name, oid_snmpTrapAddress, COUNT(oid_snmpTrapAddress))) {
        char address[16];
        if (once(parser, SEEN_ADDRESS, "snmpTrapAddress") && value_address(value, address))
            memcpy(parser->trap->address, address, sizeof address);
        return;
    }
    int object = object_find(&name, &instance_len);
    for (int place = 0; place < PLACES && instance_len == 1; place++)
        if (objects[place] == object)
            take_object(parser, &name, place, value);
}

/* -- Lines ---------------------------------------------------------------------------------- */

static struct value_text first_line(struct value_text rest)
{
    const char *end = memchr(rest.at, '\n', rest.len);
    return (struct value_text){rest.at, end ? (size_t)(end - rest.at) : rest.len};
}

static void skip(struct value_text *rest, size_t n)
{
    if (n > rest->len)
        n = rest->len;
    rest->at += n;
    rest->len -= n;
}

static size_t name_length(struct value_text line)
{
    size_t n = 0;
    while (n < line.len && line.at[n] != ' ' && line.at[n] != '\t')
        n++;
    return n;
}

static bool starts_varbind(struct value_text line)
{
    struct object_name name;
    size_t n = name_length(line);
    /* A word without an instance is no varbind: all objects of notifications have an instance. */
    return n < line.len && (memchr(line.at, '.', n) || memchr(line.at, '[', n)) &&
           object_parse(line.at, n, &name);
}

/* The first line of rest, and the following ones up to the end of a quoted value. They are found in
 * one pass, because the value of an unknown sender may have as many lines as octets. */
static struct value_text quoted_lines(struct value_text rest, size_t value_at)
{
    struct value_text all = first_line(rest), behind = rest;
    skip(&behind, value_at);
    size_t quoted = value_quoted(behind);
    if (value_at + quoted > all.len) {
        skip(&behind, quoted);
        all.len = value_at + quoted + first_line(behind).len;
    }
    return all;
}

/* The lines of the varbind at the start of rest: more than one if its quote goes on, or as long as
 * the next line cannot be a varbind. */
static struct value_text varbind_lines(struct value_text rest, size_t value_at)
{
    struct value_text all = quoted_lines(rest, value_at);
    for (;;) {
        struct value_text following = rest, line;
        skip(&following, all.len + 1);
        if (following.len == 0)
            return all;
        line = first_line(following);
        if (line.len == 0 || starts_varbind(line))
            return all;
        all.len = (size_t)(line.at + line.len - all.at);
    }
}

/* Between name and value is " = " with -OQ and without -Oq, otherwise a blank. The first varbind,
 * which is sysUpTime, shows which, because a value may begin with "= " itself. */
static size_t separator(struct value_text line, size_t name_len, int *equals)
{
    size_t rest = line.len - name_len;
    bool here = (rest >= 2 && memcmp(line.at + name_len, " =", 2) == 0) &&
                (rest == 2 || line.at[name_len + 2] == ' ');
    if (*equals < 0)
        *equals = here;
    if (*equals && here)
        return rest >= 3 ? 3 : 2;
    return rest > 0 ? 1 : 0;
}

static void take_varbinds(struct parser *parser, struct value_text rest)
{
    int equals = -1;
    while (rest.len > 0 && parser->result != TRAP_BAD) {
        struct value_text line = first_line(rest);
        if (!starts_varbind(line)) {
            skip(&rest, line.len + 1);
            continue;
        }
        size_t name_len = name_length(line);
        size_t value_at = name_len + separator(line, name_len, &equals);
        struct value_text all = varbind_lines(rest, value_at);
        take_varbind(parser, (struct value_text){line.at, name_len},
                     (struct value_text){all.at + value_at, all.len - value_at});
        skip(&rest, all.len + 1);
    }
}

/* -- The whole ------------------------------------------------------------------------------ */

/* The address is in the first brackets, as in "UDP: [192.0.2.7]:40000->[192.0.2.1]:162". */
static void address_of_source(const char *source, char address[TRAP_ADDRESS_SIZE])
{
    const char *open = strchr(source, '['), *end = open ? strchr(open, ']') : NULL;
    address[0] = '\0';
    if (end && end - open - 1 < TRAP_ADDRESS_SIZE) {
        memcpy(address, open + 1, (size_t)(end - open - 1));
        address[end - open - 1] = '\0';
    }
}

static void take_source(struct trap *trap, struct value_text line)
{
    size_t len = line.len < TRAP_SOURCE_SIZE ? line.len : TRAP_SOURCE_SIZE - 1;
    memcpy(trap->source, line.at, len);
    trap->source[len] = '\0';
    for (char *c = trap->source; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    address_of_source(trap->source, trap->address);
}

static bool is_required(enum trap_event event, int object)
{
    for (size_t n = 0; n < COUNT(notifications); n++) {
        const struct mib_info *info = &mib_objects[notifications[n].object];
        for (size_t i = 0; notifications[n].event == event && i < info->n_objects; i++)
            if (info->objects[i] == object)
                return true;
    }
    return false;
}

static void check_whole(struct parser *parser)
{
    if (!(parser->seen & SEEN_TRAP_OID)) {
        fail(parser, "there is no snmpTrapOID");
        return;
    }
    if (parser->foreign)
        return;
    for (int place = 0; place < PLACES; place++)
        if (!(parser->seen & 1u << place) && is_required(parser->trap->event, objects[place]))
            fail(parser, "%s has no %s", trap_name(parser->trap), mib_objects[objects[place]].name);
    if (!(parser->seen & 1u << PLACE_SEVERITY))
        parser->trap->severity = dcampAlarmSeverity_warning;
    if (!(parser->seen & 1u << PLACE_HAPPENED))
        parser->trap->happened = dcampAlarmEvent_suppressed;
    if (strcmp(trap_severity_name(parser->trap->severity), "unknown") == 0)
        fail(parser, "dcampAlarmSeverity is %u", parser->trap->severity);
    if (strcmp(trap_happened_name(parser->trap->happened), "unknown") == 0)
        fail(parser, "dcampAlarmEvent is %u", parser->trap->happened);
    if (is_required(parser->trap->event, MIB_dcampAlarmKey) && !parser->trap->text[TRAP_KEY][0])
        fail(parser, "dcampAlarmKey is empty");
    if (!parser->trap->text[TRAP_NODE][0])
        fail(parser, "dcampAlarmNode is empty");
}

static enum trap_result finish(struct parser *parser)
{
    if (parser->result != TRAP_BAD)
        check_whole(parser);
    if (parser->result == TRAP_TAKEN && parser->foreign)
        parser->result = TRAP_FOREIGN;
    /* The varbinds of a foreign trap may look like anything: whether it is foreign is decided
     * first. */
    if (parser->foreign && parser->seen & SEEN_TRAP_OID)
        parser->result = TRAP_FOREIGN;
    return parser->result;
}

enum trap_result trap_parse(struct trap *trap, const char *text, size_t len, int64_t received_ms,
                            char error[TRAP_ERROR_SIZE])
{
    struct value_text rest = {text, len};
    struct parser parser = {.trap = trap, .error = error, .result = TRAP_TAKEN};
    *trap = (struct trap){.received_ms = received_ms};
    error[0] = '\0';
    skip(&rest, first_line(rest).len + 1);
    struct value_text source = first_line(rest);
    take_source(trap, source);
    skip(&rest, source.len + 1);
    take_varbinds(&parser, rest);
    return finish(&parser);
}

enum trap_result trap_parse_record(struct trap *trap, const char *text, size_t len,
                                   char error[TRAP_ERROR_SIZE])
{
    struct stream_record record;
    struct parser parser = {.trap = trap, .error = error, .strict = true, .result = TRAP_TAKEN};
    *trap = (struct trap){0};
    error[0] = '\0';
    if (!stream_open_record(text, len, &record)) {
        fail(&parser, "a record without its first line");
        return parser.result;
    }
    trap->received_ms = record.received_ms;
    take_source(trap, (struct value_text){record.source, record.source_len});
    take_varbinds(&parser, (struct value_text){record.varbinds, record.varbinds_len});
    return finish(&parser);
}
