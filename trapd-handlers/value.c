#include "trapd-handlers/value.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/hex.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool skip_word(struct value_text *text, const char *word)
{
    size_t len = strlen(word);
    if (text->len < len || memcmp(text->at, word, len) != 0)
        return false;
    text->at += len;
    text->len -= len;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct value_text trim(struct value_text text)
{
    while (text.len > 0 && is_blank(text.at[0]))
        text.at++, text.len--;
    while (text.len > 0 && is_blank(text.at[text.len - 1]))
        text.len--;
    return text;
}

/* Removes the type that sprint_realloc_by_type() of Net-SNMP puts in front. */
static bool skip_type(struct value_text *text, bool *hex)
{
    static const char *const types[] = {
        "STRING: ", "INTEGER: ",   "Gauge32: ",   "Unsigned32: ",     "Counter32: ",
        "OID: ",    "IpAddress: ", "Timeticks: ", "Network Address: "};
    static const char wrong[] = "Wrong Type (should be ";
    if (skip_word(text, wrong)) {
        const char *end = memchr(text->at, ')', text->len);
        if (end && end + 2 < text->at + text->len) {
            text->len -= (size_t)(end + 3 - text->at);
            text->at = end + 3;
        }
    }
    *hex = skip_word(text, "Hex-STRING: ");
    for (size_t i = 0; !*hex && i < COUNT(types); i++)
        if (skip_word(text, types[i]))
            return true;
    return *hex;
}

struct value_text value_plain(struct value_text text)
{
    bool hex;
    skip_type(&text, &hex);
    return trim(text);
}

/* The index of the end of the quote that begins at the text; len if it does not end. */
static size_t quote_end(struct value_text text)
{
    for (size_t i = 1; i < text.len; i++) {
        if (text.at[i] == '"')
            return i;
        if (text.at[i] == '\\')
            i++;
    }
    return text.len;
}

size_t value_quoted(struct value_text text)
{
    bool hex;
    const char *newline = memchr(text.at, '\n', text.len), *end = text.at + text.len;
    struct value_text line = {text.at, newline ? (size_t)(newline - text.at) : text.len};
    skip_type(&line, &hex);
    if (line.len == 0 || line.at[0] != '"')
        return 0;
    struct value_text quoted = {line.at, (size_t)(end - line.at)};
    size_t last = quote_end(quoted);
    return last < quoted.len ? (size_t)(line.at - text.at) + last + 1 : 0;
}

static size_t skip_blanks(struct value_text text, size_t at)
{
    while (at < text.len && is_blank(text.at[at]))
        at++;
    return at;
}

/* With -OT, the octets of a line are followed by the same octets as text in brackets, one character
 * for each. Returns the index after that text; at if there is none. */
static size_t skip_annotation(struct value_text text, size_t at, size_t octets)
{
    if (at + octets + 1 >= text.len || text.at[at] != '[' || text.at[at + octets + 1] != ']')
        return at;
    return skip_blanks(text, at + octets + 2);
}

/* Pairs of digits, each followed by a blank, as Net-SNMP prints them, in lines of 16. Returns the
 * number of octets; -1 if there are more than room; -2 if the text is something else. */
static long hex_octets(struct value_text text, char *octets, size_t room)
{
    size_t n = 0, line = 0, at = 0;
    while (at + 1 < text.len) {
        int high = hex_digit(text.at[at]), low = hex_digit(text.at[at + 1]);
        if (high < 0 || low < 0)
            return -2;
        if (n == room)
            return -1;
        octets[n++] = (char)(high << 4 | low);
        at += 2;
        if (at == text.len)
            return (long)n;
        if (!is_blank(text.at[at]))
            return -2;
        at = skip_blanks(text, at);
        size_t next = skip_annotation(text, at, n - line);
        if (next > at)
            line = n;
        at = next;
    }
    return at == text.len ? (long)n : -2;
}

static long quoted_octets(struct value_text text, char *octets, size_t room)
{
    size_t n = 0;
    for (size_t i = 1; i + 1 < text.len; i++) {
        if (text.at[i] == '\\' && i + 2 < text.len)
            i++;
        if (n == room)
            return -1;
        octets[n++] = text.at[i];
    }
    return (long)n;
}

static bool looks_hex(struct value_text inner)
{
    return inner.len >= 3 && hex_digit(inner.at[0]) >= 0 && hex_digit(inner.at[1]) >= 0 &&
           is_blank(inner.at[2]) &&
           (is_blank(inner.at[inner.len - 1]) || inner.at[inner.len - 1] == ']');
}

long value_octets(struct value_text text, char *octets, size_t room, bool *hex)
{
    skip_type(&text, hex);
    if (*hex) {
        long n = hex_octets(trim(text), octets, room);
        return n == -2 ? 0 : n;
    }
    if (text.len >= 2 && text.at[0] == '"' && text.at[text.len - 1] == '"') {
        struct value_text inner = {text.at + 1, text.len - 2};
        long n = looks_hex(inner) ? hex_octets(inner, octets, room) : -2;
        *hex = inner.len == 0 || n != -2;
        if (n != -2)
            return n;
        if (quote_end(text) == text.len - 1)
            return quoted_octets(text, octets, room);
    }
    if (text.len > room)
        return -1;
    memcpy(octets, text.at, text.len);
    return (long)text.len;
}

static bool whole_number(struct value_text text, int64_t *number)
{
    bool negative = text.len > 1 && text.at[0] == '-';
    int64_t sum = 0;
    if (text.len - negative < 1 || text.len - negative > 11)
        return false;
    for (size_t i = negative; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
        sum = sum * 10 + (text.at[i] - '0');
    }
    *number = negative ? -sum : sum;
    return true;
}

bool value_number(struct value_text text, const struct mib_info *info, int64_t *number)
{
    text = value_plain(text);
    /* Without -OU, units of the MIB follow after a blank. */
    const char *blank = memchr(text.at, ' ', text.len);
    if (blank)
        text.len = (size_t)(blank - text.at);
    if (whole_number(text, number))
        return true;
    const char *open = memchr(text.at, '(', text.len);
    if (open && text.at[text.len - 1] == ')') {
        struct value_text inner = {open + 1, (size_t)(text.at + text.len - open) - 2};
        return whole_number(inner, number);
    }
    for (size_t i = 0; i < info->n_labels; i++)
        if (strlen(info->labels[i].name) == text.len &&
            memcmp(info->labels[i].name, text.at, text.len) == 0) {
            *number = info->labels[i].value;
            return true;
        }
    return false;
}

/* The display hint 2d-1d-1d,1d:1d:1d.1d,1a1d:1d. */
static bool date_of_text(const char *text, struct date *date)
{
    int used = 0, hours = 0, minutes = 0;
    char sign = '+';
    *date = (struct date){.has_offset = true};
    if (sscanf(text, "%4d-%2d-%2d,%2d:%2d:%2d.%1d%n", &date->year, &date->month, &date->day,
               &date->hour, &date->minute, &date->second, &date->deci, &used) != 7)
        return false;
    text += used;
    if (*text == '\0')
        return true;
    used = 0;
    if (sscanf(text, ",%c%2d:%2d%n", &sign, &hours, &minutes, &used) != 3 || text[used] != '\0' ||
        (sign != '+' && sign != '-') || hours < 0 || hours > 14 || minutes < 0 || minutes > 59)
        return false;
    date->offset = (hours * 60 + minutes) * (sign == '-' ? -1 : 1);
    return true;
}

bool value_date(struct value_text text, int64_t *millis)
{
    char octets[40];
    bool hex;
    struct date date;
    long len = value_octets(trim(text), octets, sizeof octets - 1, &hex);
    if (len < 0)
        return false;
    octets[len] = '\0';
    bool read = hex ? date_from_octets((const uint8_t *)octets, (size_t)len, &date)
                    : date_of_text(octets, &date);
    return read && date.year >= 1970 && date_to_millis(&date, millis);
}

bool value_address(struct value_text text, char address[16])
{
    struct in_addr parsed;
    text = value_plain(text);
    if (text.len > 15)
        return false;
    memcpy(address, text.at, text.len);
    address[text.len] = '\0';
    return inet_pton(AF_INET, address, &parsed) == 1;
}
