/* Inside sample/: lines, words and numbers of the text of a file. */
#ifndef DCAMP_SAMPLE_SCAN_H
#define DCAMP_SAMPLE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/procfile.h"

/* A line of the text, without its newline; *end is that newline, so that scanning stops there at
 * the latest. A last line without a newline may have been cut off within a number, and is not taken
 * for a line. */
struct line {
    const char *begin;
    const char *end;
};

bool line_first(const struct procfile *file, struct line *line);
bool line_next(const struct procfile *file, struct line *line);

/* Words are separated by blanks. */
const char *scan_blanks(const char *p);
const char *scan_word(const char *p); /* the end of the word */

/* Scans a number such as "12.34" as hundredths; the word must have exactly two decimals, and end
 * there. */
bool scan_hundredths(const char *p, uint64_t *hundredths);

/* Scans decimal digits at *p, and moves *p behind them. False: there are none, or too many. */
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

/* The key that equals the word; NULL: none does. */
const struct scan_key *scan_key_find(const struct scan_key *keys, size_t n, const char *word,
                                     size_t len);

/* The fields of the keys, as bits 1 << field. */
uint32_t scan_keys_fields(const struct scan_key *keys, size_t n);

/* Sets the field of a line whose key is one of the keys and has not come in an earlier line; what
 * follows the number is ignored. Returns valid with the bit of that field. */
uint32_t scan_keyed(const struct line *line, const struct scan_key *keys, size_t n, uint32_t valid,
                    uint64_t *field);
uint32_t scan_keyed_file(const struct procfile *file, const struct scan_key *keys, size_t n,
                         uint64_t *field);

#define COLUMNS_MAX 12

/* Columns of numbers. A word that is not a number counts as a column, but is not valid. */
struct columns {
    unsigned count;
    uint32_t valid; /* bit 1 << column */
    uint64_t number[COLUMNS_MAX];
};

/* Reads at most max columns from p to the end of the line; further ones are ignored. */
void scan_columns(const char *p, unsigned max, struct columns *columns);

/* Sets field[i] from column map[i], for i < n; returns the valid bits of the fields. */
uint32_t columns_pick(const struct columns *columns, const uint8_t *map, unsigned n,
                      uint64_t *field);

#endif
