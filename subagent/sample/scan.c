#include "sample/scan.h"

#include <string.h>

static bool line_at(const struct procfile *file, const char *begin, struct line *line)
{
    const char *end = memchr(begin, '\n', (size_t)(file->text + file->length - begin));
    *line = (struct line){begin, end};
    return end != NULL;
}

bool line_first(const struct procfile *file, struct line *line)
{
    return line_at(file, file->text, line);
}

bool line_next(const struct procfile *file, struct line *line)
{
    return line_at(file, line->end + 1, line);
}

const char *scan_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

static bool is_end(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

const char *scan_word(const char *p)
{
    while (!is_end(*p))
        p++;
    return p;
}

/* A number of up to so many digits always fits into 64 bits. */
#define DIGITS_THAT_FIT 19

static bool scan_many(const char *begin, const char *end, uint64_t *number)
{
    uint64_t value = 0;
    bool overflow = false;
    for (const char *p = begin; p < end; p++) {
        overflow |= __builtin_mul_overflow(value, UINT64_C(10), &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value);
    }
    *number = value;
    return !overflow;
}

bool scan_digits(const char **p, uint64_t *number)
{
    const char *begin = *p;
    const char *q = begin;
    uint64_t value = 0;
    for (unsigned digit; (digit = (unsigned)(unsigned char)*q - '0') <= 9; q++)
        value = 10 * value + digit;
    *p = q;
    *number = value;
    return q - begin > DIGITS_THAT_FIT ? scan_many(begin, q, number) : q != begin;
}

bool scan_hundredths(const char *p, uint64_t *hundredths)
{
    uint64_t whole;
    uint64_t fraction;
    if (!scan_digits(&p, &whole) || *p++ != '.')
        return false;
    const char *begin = p;
    if (!scan_digits(&p, &fraction) || p != begin + 2 || whole > UINT32_MAX)
        return false;
    *hundredths = 100 * whole + fraction;
    return p == scan_word(p);
}

const struct scan_key *scan_key_find(const struct scan_key *keys, size_t n, const char *word,
                                     size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (keys[i].len == len && memcmp(keys[i].text, word, len) == 0)
            return &keys[i];
    return NULL;
}

uint32_t scan_keys_fields(const struct scan_key *keys, size_t n)
{
    uint32_t fields = 0;
    for (size_t i = 0; i < n; i++)
        fields |= 1u << keys[i].field;
    return fields;
}

uint32_t scan_keyed(const struct line *line, const struct scan_key *keys, size_t n, uint32_t valid,
                    uint64_t *field)
{
    const char *end = scan_word(line->begin);
    const struct scan_key *key = scan_key_find(keys, n, line->begin, (size_t)(end - line->begin));
    if (!key || valid >> key->field & 1)
        return valid;
    const char *p = scan_blanks(end);
    uint64_t number;
    if (!scan_digits(&p, &number) || !is_end(*p))
        return valid;
    field[key->field] = number;
    return valid | 1u << key->field;
}

uint32_t scan_keyed_file(const struct procfile *file, const struct scan_key *keys, size_t n,
                         uint64_t *field)
{
    struct line line;
    uint32_t valid = 0;
    for (bool more = line_first(file, &line); more; more = line_next(file, &line))
        valid = scan_keyed(&line, keys, n, valid, field);
    return valid;
}

void scan_columns(const char *p, unsigned max, struct columns *columns)
{
    columns->valid = 0;
    unsigned n = 0;
    for (p = scan_blanks(p); n < max && *p != '\n'; p = scan_blanks(p), n++) {
        bool ok = scan_digits(&p, &columns->number[n]);
        if (ok && is_end(*p))
            columns->valid |= 1u << n;
        else
            p = scan_word(p);
    }
    columns->count = n;
}

uint32_t columns_pick(const struct columns *columns, const uint8_t *map, unsigned n,
                      uint64_t *field)
{
    uint32_t valid = 0;
    for (unsigned i = 0; i < n; i++) {
        bool ok = columns->valid >> map[i] & 1;
        field[i] = ok ? columns->number[map[i]] : 0;
        valid |= (uint32_t)ok << i;
    }
    return valid;
}
