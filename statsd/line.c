#include "statsd/line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NUMBER_SIZE 48

/* Each tag has at least one character and, except the last one, a comma. */
#define TAGS_MAX (SEGMENT_INSTANCE / 2 + 1)

#define WHOLE_MAX 9007199254740992.0 /* 2^53 */

const char *statsd_verdict_name(enum statsd_verdict verdict)
{
    static const char *const name[STATSD_VERDICTS] = {
        "counted", "malformed", "unsupported", "negative", "long", "conflict", "crowded",
    };
    return name[verdict];
}

/* A part of the text. */
struct piece {
    const char *at;
    size_t length;
};

/* Removes what comes before the next separator from rest, with the separator, and returns it. */
static struct piece cut(struct piece *rest, char separator)
{
    const char *end = memchr(rest->at, separator, rest->length);
    struct piece piece = {rest->at, end ? (size_t)(end - rest->at) : rest->length};
    size_t taken = piece.length + (end ? 1 : 0);
    *rest = (struct piece){rest->at + taken, rest->length - taken};
    return piece;
}

static bool is(struct piece piece, const char *text)
{
    return piece.length == strlen(text) && memcmp(piece.at, text, piece.length) == 0;
}

static bool begins(struct piece piece, const char *text)
{
    return piece.length >= strlen(text) && memcmp(piece.at, text, strlen(text)) == 0;
}

/* -- Numbers ----------------------------------------------------------------------------------- */

/* Accepts only decimals, not what else strtod(3) accepts (hexadecimals, infinities, blanks). */
static bool to_number(struct piece piece, double *number)
{
    char text[NUMBER_SIZE], *end;
    if (piece.length == 0 || piece.length >= sizeof text)
        return false;
    memcpy(text, piece.at, piece.length);
    text[piece.length] = '\0';
    if (strspn(text, "0123456789+-.eE") != piece.length)
        return false;
    *number = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*number);
}

static bool to_value(struct piece piece, struct statsd_value *value)
{
    value->is_change = piece.length > 0 && (*piece.at == '+' || *piece.at == '-');
    return to_number(piece, &value->number);
}

bool statsd_line_value(struct statsd_line *line, struct statsd_value *value)
{
    struct piece rest = {line->values, (size_t)(line->values_end - line->values)};
    if (rest.length == 0)
        return false;
    bool is_sound = to_value(cut(&rest, ':'), value);
    line->values = rest.at;
    return is_sound;
}

static enum statsd_verdict check_values(struct statsd_line line)
{
    struct statsd_value value;
    bool is_positive = line.kind == STATSD_COUNTER || line.kind == STATSD_TIMER;
    if (line.values == line.values_end || line.values_end[-1] == ':')
        return STATSD_MALFORMED;
    enum statsd_verdict verdict = STATSD_COUNTED;
    while (line.values < line.values_end) {
        if (!statsd_line_value(&line, &value))
            return STATSD_MALFORMED;
        if (is_positive && value.number < 0)
            verdict = STATSD_NEGATIVE;
    }
    return verdict;
}

unsigned long long statsd_whole(double *carry, double number)
{
    double all = *carry + number, whole = floor(all);
    if (whole >= WHOLE_MAX) {
        *carry = 0;
        return (unsigned long long)WHOLE_MAX;
    }
    *carry = all - whole;
    return (unsigned long long)whole;
}

/* -- Names ------------------------------------------------------------------------------------- */

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

static bool has_control(struct piece piece)
{
    for (size_t i = 0; i < piece.length; i++)
        if (is_control(piece.at[i]))
            return true;
    return false;
}

/* Where the last parts of the name begin that fit into a sensor's name; the length if none fits. */
static size_t tail_of(struct piece name)
{
    size_t start = name.length > SEGMENT_NAME ? name.length - SEGMENT_NAME : 0;
    while (start > 0 && start < name.length && name.at[start - 1] != '.')
        start++;
    return start;
}

static void put_name(char *into, struct piece name)
{
    for (size_t i = 0; i < name.length; i++)
        into[i] = text_is_name(&name.at[i], 1) ? name.at[i] : '_';
}

static enum statsd_verdict take_name(struct statsd_line *line, struct piece name)
{
    if (name.length == 0 || has_control(name))
        return STATSD_MALFORMED;
    size_t start = tail_of(name);
    if (start == name.length || start > SEGMENT_INSTANCE + 1)
        return STATSD_LONG;
    put_name(line->name, (struct piece){name.at + start, name.length - start});
    if (start > 1)
        put_name(line->instance, (struct piece){name.at, start - 1});
    return STATSD_COUNTED;
}

size_t statsd_line_prefix(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && n <= SEGMENT_NAME && text_is_name(text + n, 1) && text[n] != '.')
        n++;
    bool is_prefix = n > 0 && n <= SEGMENT_NAME && n + 1 < length && text[n] == '.';
    return is_prefix ? n : 0;
}

/* -- Tags -------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct piece *one = a, *other = b;
    size_t shorter = one->length < other->length ? one->length : other->length;
    int order = memcmp(one->at, other->at, shorter);
    return order ? order : (one->length > other->length) - (one->length < other->length);
}

static enum statsd_verdict append_tag(struct statsd_line *line, struct piece tag)
{
    size_t length = strlen(line->instance), comma = length > 0 ? 1 : 0;
    if (length + comma + tag.length > SEGMENT_INSTANCE)
        return STATSD_LONG;
    if (comma)
        line->instance[length] = ',';
    memcpy(line->instance + length + comma, tag.at, tag.length);
    return STATSD_COUNTED;
}

static enum statsd_verdict take_tags(struct statsd_line *line, struct piece tags)
{
    struct piece tag[TAGS_MAX];
    size_t n = 0;
    if (!text_is_printable(tags.at, tags.length))
        return STATSD_MALFORMED;
    while (tags.length > 0) {
        struct piece next = cut(&tags, ',');
        if (next.length > 0 && n == TAGS_MAX)
            return STATSD_LONG;
        if (next.length > 0)
            tag[n++] = next;
    }
    qsort(tag, n, sizeof *tag, compare);
    enum statsd_verdict verdict = STATSD_COUNTED;
    for (size_t i = 0; i < n && verdict == STATSD_COUNTED; i++)
        if (i == 0 || compare(&tag[i - 1], &tag[i]) != 0)
            verdict = append_tag(line, tag[i]);
    return verdict;
}

/* -- Lines ------------------------------------------------------------------------------------- */

static enum statsd_verdict take_type(struct statsd_line *line, struct piece type)
{
    static const struct {
        const char *text;
        enum statsd_kind kind;
    } kinds[] = {
        {"c", STATSD_COUNTER},   {"g", STATSD_GAUGE},     {"ms", STATSD_TIMER},
        {"h", STATSD_HISTOGRAM}, {"d", STATSD_HISTOGRAM},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is(type, kinds[i].text)) {
            line->kind = kinds[i].kind;
            return STATSD_COUNTED;
        }
    return is(type, "s") || is(type, "m") ? STATSD_UNSUPPORTED : STATSD_MALFORMED;
}

/* What DogStatsD adds about containers, times and cardinality is accepted and ignored, because it
 * says nothing about the value. */
static enum statsd_verdict take_section(struct statsd_line *line, struct piece section)
{
    struct piece rest = {section.at + 1, section.length - 1};
    if (begins(section, "#"))
        return take_tags(line, rest);
    if (begins(section, "@")) {
        bool is_rate = to_number(rest, &line->rate) && line->rate >= STATSD_RATE_MIN;
        return is_rate && line->rate <= 1 ? STATSD_COUNTED : STATSD_MALFORMED;
    }
    if (begins(section, "c:") || begins(section, "T") || begins(section, "e:") ||
        begins(section, "card:"))
        return STATSD_COUNTED;
    return STATSD_MALFORMED;
}

enum statsd_verdict statsd_line_parse(const char *text, size_t length, struct statsd_line *line)
{
    struct piece rest = {text, length};
    memset(line, 0, sizeof *line);
    line->rate = 1;
    if (begins(rest, "_e{") || begins(rest, "_sc|"))
        return STATSD_UNSUPPORTED;
    struct piece head = cut(&rest, '|'), name = cut(&head, ':');
    enum statsd_verdict verdict = take_type(line, cut(&rest, '|'));
    if (verdict == STATSD_COUNTED)
        verdict = take_name(line, name);
    while (verdict == STATSD_COUNTED && rest.length > 0)
        verdict = take_section(line, cut(&rest, '|'));
    line->values = head.at;
    line->values_end = head.at + head.length;
    return verdict == STATSD_COUNTED ? check_values(*line) : verdict;
}
