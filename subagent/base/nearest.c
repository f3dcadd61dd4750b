#include "base/nearest.h"

#include <string.h>

#include "base/limits.h"

#define LONGEST NAME_SIZE

static size_t least(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Levenshtein's edit distance, one row of the matrix at a time. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t row[LONGEST];
    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, changed);
        }
    }
    return row[b_len];
}

void nearest_offer(struct nearest *nearest, const char *name)
{
    size_t text_len = strlen(nearest->text), name_len = strlen(name);
    if (text_len >= LONGEST || name_len >= LONGEST)
        return;
    size_t d = distance(nearest->text, text_len, name, name_len);
    size_t longer = text_len > name_len ? text_len : name_len;
    /* If more than half of it is different, a guess would only confuse. */
    if (d * 2 > longer || (nearest->best && d >= nearest->distance))
        return;
    nearest->best = name;
    nearest->distance = d;
}
