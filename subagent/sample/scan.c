#include <string.h>

#include "sample/source.h"

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

bool scan_digits(const char **p, uint64_t *number)
{
    const char *begin = *p;
    uint64_t value = 0;
    bool overflow = false;
    const char *q = begin;
    for (unsigned digit; (digit = (unsigned)(unsigned char)*q - '0') <= 9; q++) {
        overflow |= __builtin_mul_overflow(value, UINT64_C(10), &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    *p = q;
    *number = value;
    return q != begin && !overflow;
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
