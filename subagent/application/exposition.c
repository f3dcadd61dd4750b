#include "application/exposition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MILLISECONDS 1000.0

/* The limit for the names and values of all labels of an exemplar together, in characters:
 * OpenMetrics, "Exemplars". */
#define EXEMPLAR_CHARACTERS 128

static bool fail(struct scanner *scanner, const char *fault)
{
    scanner->fault = fault;
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Prometheus' format allows any blanks between the parts; OpenMetrics allows exactly one. */
static void skip_blanks(struct scanner *scanner)
{
    if (scanner->format == OPENMETRICS_PROMETHEUS)
        while (is_blank(*scanner->at))
            scanner->at++;
}

/* The gap between a value and what follows it. */
static bool take_gap(struct scanner *scanner)
{
    if (scanner->format == OPENMETRICS_1) {
        if (*scanner->at++ != ' ')
            return fail(scanner, "There is no single blank between two parts.");
        return true;
    }
    skip_blanks(scanner);
    return true;
}

/* The place where a name of this kind ends. */
static char *name_end(char *at, bool has_colons)
{
    if (!is_letter(*at) && !(has_colons && *at == ':'))
        return at;
    while (is_letter(*at) || is_digit(*at) || (has_colons && *at == ':'))
        at++;
    return at;
}

static const char *take_name(struct scanner *scanner, bool has_colons, char *end)
{
    char *name = scanner->at;
    scanner->at = name_end(name, has_colons);
    if (scanner->at == name)
        return NULL;
    if (scanner->at - name > OPENMETRICS_NAME_MAX && !scanner->is_in_exemplar) {
        fail(scanner, "A name is longer than 255 octets.");
        return NULL;
    }
    *end = *scanner->at;
    if (*end)
        *scanner->at++ = '\0';
    return name;
}

const char *scan_metric(struct scanner *scanner, char *end)
{
    const char *name = take_name(scanner, true, end);
    if (!name && !scanner->fault)
        fail(scanner, "It does not begin with the name of a metric.");
    return name;
}

/* -- Texts ----------------------------------------------------------------------------------- */

/* What a backslash followed by this character means; NUL: nothing. */
static char unescaped(char c, bool has_quotes)
{
    if (c == 'n')
        return '\n';
    return c == '\\' || (c == '"' && has_quotes) ? c : '\0';
}

/* Replaces escapes in the text up to the end character; returns where that is, or NULL. A backslash
 * before any other character stands for itself: in OpenMetrics by its grammar. */
static char *unescape(struct scanner *scanner, char end, bool has_quotes)
{
    char *from = scanner->at, *to = from;
    for (; *from != end; from++) {
        if (!*from)
            return NULL;
        char c = *from == '\\' ? unescaped(from[1], has_quotes) : '\0';
        if (*from == '\\' && !from[1]) {
            fail(scanner, "It ends with a backslash.");
            return NULL;
        }
        if (c)
            from++;
        *to++ = c ? c : *from;
    }
    if (to < from)
        *to = '\0';
    return from;
}

bool scan_help(struct scanner *scanner)
{
    return unescape(scanner, '\0', scanner->format == OPENMETRICS_1) != NULL;
}

/* -- Labels ---------------------------------------------------------------------------------- */

/* Takes the name up to the equals sign. */
static const char *take_label_name(struct scanner *scanner)
{
    char end;
    const char *name = take_name(scanner, false, &end);
    if (!name) {
        if (!scanner->fault)
            fail(scanner, "There is no name of a label where one should be.");
        return NULL;
    }
    if (is_blank(end) && scanner->format == OPENMETRICS_PROMETHEUS) {
        skip_blanks(scanner);
        end = *scanner->at;
        scanner->at += end != '\0';
    }
    if (end != '=') {
        fail(scanner, "The name of a label is not followed by an equals sign.");
        return NULL;
    }
    return name;
}

static const char *take_label_value(struct scanner *scanner)
{
    skip_blanks(scanner);
    if (*scanner->at != '"') {
        fail(scanner, "The value of a label does not begin with a quotation mark.");
        return NULL;
    }
    const char *value = ++scanner->at;
    char *end = unescape(scanner, '"', true);
    if (!end) {
        if (!scanner->fault)
            fail(scanner, "The value of a label does not end with a quotation mark.");
        return NULL;
    }
    *end = '\0';
    scanner->at = end + 1;
    return value;
}

static bool take_label(struct scanner *scanner, struct scanned_labels *labels)
{
    bool has_room = labels->n < OPENMETRICS_LABELS_MAX;
    if (!has_room && !scanner->is_in_exemplar)
        return fail(scanner, "It has more than 64 labels.");
    const char *name = take_label_name(scanner);
    const char *value = name ? take_label_value(scanner) : NULL;
    if (!value)
        return false;
    for (size_t i = 0; i < labels->n; i++)
        if (strcmp(labels->label[i].name, name) == 0)
            return fail(scanner, "It has a label twice.");
    if (has_room)
        labels->label[labels->n++] = (struct openmetrics_label){name, value};
    labels->lacks_some = !has_room;
    return true;
}

/* Takes what is between the braces, of which the first one has been taken. Only Prometheus' format
 * allows a comma behind the last label. */
static bool take_labels(struct scanner *scanner, struct scanned_labels *labels)
{
    for (;;) {
        skip_blanks(scanner);
        if (*scanner->at == '}' && (labels->n == 0 || scanner->format == OPENMETRICS_PROMETHEUS))
            break;
        if (!take_label(scanner, labels))
            return false;
        skip_blanks(scanner);
        if (*scanner->at == '}')
            break;
        if (*scanner->at++ != ',')
            return fail(scanner, "Labels are not separated by a comma.");
    }
    scanner->at++;
    return true;
}

/* -- Numbers --------------------------------------------------------------------------------- */

static const char *skip_digits(const char *at)
{
    while (is_digit(*at))
        at++;
    return at;
}

static bool is_word_of_number(const char *at)
{
    return strcasecmp(at, "inf") == 0 || strcasecmp(at, "infinity") == 0;
}

/* Digits with or without a point, with or without an exponent: anything else that strtod(3) accepts
 * is not a number here. */
static bool is_decimal(const char *at)
{
    const char *whole = at;
    at = skip_digits(whole);
    bool has_digits = at > whole;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        has_digits |= at > fraction;
    }
    if (has_digits && (*at == 'e' || *at == 'E')) {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        has_digits = is_digit(*at);
        at = skip_digits(at);
    }
    return has_digits && !*at;
}

bool scan_number(const char *text, double *number)
{
    bool is_signed = *text == '+' || *text == '-';
    if (!is_signed && strcasecmp(text, "nan") == 0) {
        *number = NAN;
        return true;
    }
    if (is_word_of_number(text + is_signed)) {
        *number = *text == '-' ? -INFINITY : INFINITY;
        return true;
    }
    if (!is_decimal(text + is_signed))
        return false;
    *number = strtod(text, NULL);
    return isfinite(*number);
}

/* Takes the word up to the next blank or the end, and ends it with a NUL; scanning goes on at the
 * blank. */
static bool take_number(struct scanner *scanner, double *number, bool *has_more, const char *fault)
{
    char *word = scanner->at;
    while (*scanner->at && !is_blank(*scanner->at))
        scanner->at++;
    char end = *scanner->at;
    *scanner->at = '\0';
    if (!scan_number(word, number))
        return fail(scanner, fault);
    *scanner->at = end;
    char *after = scanner->at;
    skip_blanks(scanner);
    *has_more = *scanner->at != '\0';
    scanner->at = after;
    return true;
}

/* In Prometheus' format the time is in whole milliseconds, in OpenMetrics in seconds. */
static bool take_time(struct scanner *scanner, double *time_s, bool *has_more)
{
    const char *begin = scanner->at;
    if (!take_number(scanner, time_s, has_more, "The time is no number."))
        return false;
    if (!isfinite(*time_s))
        return fail(scanner, "The time is no finite number.");
    if (scanner->format == OPENMETRICS_1)
        return true;
    if (strspn(begin, "+-0123456789") != (size_t)(scanner->at - begin))
        return fail(scanner, "The time is no whole number of milliseconds.");
    *time_s /= MILLISECONDS;
    return true;
}

/* -- Samples --------------------------------------------------------------------------------- */

static size_t characters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

static bool is_short(const struct scanned_labels *labels)
{
    size_t n = 0;
    for (size_t i = 0; i < labels->n; i++)
        n += characters(labels->label[i].name) + characters(labels->label[i].value);
    return n <= EXEMPLAR_CHARACTERS && !labels->lacks_some;
}

/* "# {trace_id="1"} 0.5 1600000000.1" An exemplar that is too long can still be read. */
static bool take_exemplar(struct scanner *scanner, struct scanned_sample *sample)
{
    struct openmetrics_exemplar *exemplar = &sample->exemplar;
    bool has_more;
    if (strncmp(scanner->at, "# {", 3) != 0)
        return fail(scanner, "Something follows the value that is neither a time nor an exemplar.");
    scanner->at += 3;
    sample->has_exemplar = scanner->is_in_exemplar = true;
    if (!take_labels(scanner, &sample->exemplar_labels))
        return false;
    sample->is_exemplar_short = is_short(&sample->exemplar_labels);
    if (!take_gap(scanner) || !take_number(scanner, &exemplar->value, &has_more,
                                           "The value of the exemplar is no number."))
        return false;
    if (!has_more)
        return true;
    exemplar->has_time = true;
    if (!take_gap(scanner) || !take_time(scanner, &exemplar->time_s, &has_more))
        return false;
    return !has_more || fail(scanner, "Something follows the exemplar.");
}

/* Takes what follows the value. */
static bool take_rest(struct scanner *scanner, struct scanned_sample *sample)
{
    bool has_more;
    if (!take_gap(scanner))
        return false;
    if (*scanner->at != '#') {
        sample->has_time = true;
        if (!take_time(scanner, &sample->time_s, &has_more))
            return false;
        if (!has_more)
            return true;
        if (!take_gap(scanner))
            return false;
    }
    if (scanner->format == OPENMETRICS_1)
        return take_exemplar(scanner, sample);
    return fail(scanner, "Something follows the value that is no time.");
}

/* Takes everything up to the value. */
static bool take_series(struct scanner *scanner, struct scanned_sample *sample)
{
    char end;
    sample->name = scan_metric(scanner, &end);
    if (!sample->name)
        return false;
    if (end == ' ' || (end == '\t' && scanner->format == OPENMETRICS_PROMETHEUS)) {
        skip_blanks(scanner);
        if (*scanner->at != '{' || scanner->format == OPENMETRICS_1)
            return true;
        end = *scanner->at++;
    }
    if (end != '{')
        return fail(scanner, end ? "The name is followed by a character that cannot be in it."
                                 : "It has no value.");
    return take_labels(scanner, &sample->labels) && take_gap(scanner);
}

bool scan_sample(struct scanner *scanner, struct scanned_sample *sample)
{
    bool has_more;
    sample->labels.n = sample->exemplar_labels.n = 0;
    sample->labels.lacks_some = sample->exemplar_labels.lacks_some = false;
    sample->has_time = sample->has_exemplar = sample->exemplar.has_time = false;
    if (!take_series(scanner, sample))
        return false;
    if (!*scanner->at)
        return fail(scanner, "It has no value.");
    if (!take_number(scanner, &sample->value, &has_more, "The value is no number."))
        return false;
    return !has_more || take_rest(scanner, sample);
}
