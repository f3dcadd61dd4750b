/* Inside sample/: lines, words and numbers of the text of a file. */
#ifndef DCAMP_SAMPLE_SCAN_H
#define DCAMP_SAMPLE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/procfile.h"

/* A line of the text, without its newline; *end is that newline, so that scanning stops there
 * at the latest. A last line without newline was cut off, perhaps in a number: not a line. */
struct line {
    const char *begin;
    const char *end;
};

bool line_first(const struct procfile *file, struct line *line);
bool line_next(const struct procfile *file, struct line *line);

/* Words are separated by blanks. */
const char *scan_blanks(const char *p);
const char *scan_word(const char *p); /* to the end of the word */

/* "12.34" as hundredths: with two decimals and no other number of them, up to the end of the word.
 */
bool scan_hundredths(const char *p, uint64_t *hundredths);

/* Decimal digits at *p, which moves behind them. False: there are none, or too many. */
bool scan_digits(const char **p, uint64_t *number);

/* Lines of a key and a number, "pgfault 123". */
struct scan_key {
    const char *text;
    unsigned char len;
    unsigned char field;
};

#define SCAN_KEY(text_, field_)                                                                    \
    {                                                                                              \
        (text_), sizeof(text_) - 1, (field_)                                                       \
    }
#define SCAN_KEYS(keys) (sizeof(keys) / sizeof *(keys))

/* The key that a word is; NULL: none of them. */
const struct scan_key *scan_key_find(const struct scan_key *keys, size_t n, const char *word,
                                     size_t len);

/* The fields of the keys. */
uint32_t scan_keys_fields(const struct scan_key *keys, size_t n);

/* Sets the field of a line whose key is one of them and came in no line before; what follows the
 * number is left. Returns valid with the bit of that field. */
uint32_t scan_keyed(const struct line *line, const struct scan_key *keys, size_t n, uint32_t valid,
                    uint64_t *field);
uint32_t scan_keyed_file(const struct procfile *file, const struct scan_key *keys, size_t n,
                         uint64_t *field);

#define COLUMNS_MAX 12

/* Columns of numbers. A word that is no number takes its place, but is not valid. */
struct columns {
    unsigned count;
    uint32_t valid; /* bit 1 << column */
    uint64_t number[COLUMNS_MAX];
};

/* Reads up to max columns from p to the end of the line; the rest is left. */
void scan_columns(const char *p, unsigned max, struct columns *columns);

/* Sets field[i] from column map[i], for i < n; returns their valid bits. */
uint32_t columns_pick(const struct columns *columns, const uint8_t *map, unsigned n,
                      uint64_t *field);

#endif
