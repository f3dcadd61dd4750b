#include "calculate/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Finds the place of a name among the names, and enters it if it is new; false if there is no room.
 */
static bool place_of(struct unit_names *names, const char *name, size_t len, size_t *place)
{
    if (len >= UNIT_SIZE)
        return false;
    for (*place = 0; *place < names->count; (*place)++)
        if (strlen(names->name[*place]) == len && memcmp(names->name[*place], name, len) == 0)
            return true;
    if (names->count == UNIT_NAMES_MAX)
        return false;
    memcpy(names->name[*place], name, len);
    names->name[*place][len] = '\0';
    names->count++;
    return true;
}

static bool raise_by(struct unit *unit, size_t place, int power)
{
    int exponent = unit->exponent[place] + power;
    if (exponent < -UNIT_EXPONENT_MAX || exponent > UNIT_EXPONENT_MAX)
        return false;
    unit->exponent[place] = (int8_t)exponent;
    return true;
}

/* Reads "^2", "^-1" or nothing. */
static bool take_exponent(const char **at, int *exponent)
{
    *exponent = 1;
    if (**at != '^')
        return true;
    (*at)++;
    int sign = **at == '-' ? -1 : 1;
    *at += **at == '-';
    if (!is_digit(**at) || **at == '0')
        return false;
    *exponent = sign * (*(*at)++ - '0');
    return true;
}

static bool take_factor(struct unit_names *names, const char **at, int sign, struct unit *unit)
{
    size_t len = strcspn(*at, " *\t/^()"), place;
    if (len == 1 && **at == '1') {
        (*at)++;
        return true;
    }
    const char *name = *at;
    int exponent;
    *at += len;
    return len > 0 && !is_digit(*name) && text_is_printable(name, len) &&
           take_exponent(at, &exponent) && place_of(names, name, len, &place) &&
           raise_by(unit, place, sign * exponent);
}

bool unit_parse(struct unit_names *names, const char *text, struct unit *unit)
{
    struct unit parsed = {{0}};
    const char *at = text;
    int sign = 1;
    for (bool more = *at != '\0'; more; at += more) {
        if (!take_factor(names, &at, sign, &parsed))
            return false;
        sign = *at == '/' ? -1 : 1;
        more = *at == '*' || *at == '/';
    }
    if (*at != '\0')
        return false;
    *unit = parsed;
    return true;
}

bool unit_multiply(const struct unit *a, const struct unit *b, int sign, struct unit *product)
{
    struct unit result = *a;
    for (size_t i = 0; i < UNIT_NAMES_MAX; i++)
        if (!raise_by(&result, i, sign * b->exponent[i]))
            return false;
    *product = result;
    return true;
}

bool unit_equal(const struct unit *a, const struct unit *b)
{
    return memcmp(a->exponent, b->exponent, sizeof a->exponent) == 0;
}

/* The next name after the given one (NULL: the first) with an exponent of that sign. */
static size_t next_name(const struct unit_names *names, const struct unit *unit, int sign,
                        const char *after)
{
    size_t best = names->count;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->name[i];
        if (unit->exponent[i] * sign > 0 && (!after || strcmp(name, after) > 0) &&
            (best == names->count || strcmp(name, names->name[best]) < 0))
            best = i;
    }
    return best;
}

/* A name of 32 octets, with a sign before it and an exponent behind it, fits into one piece. */
static bool append(char text[UNIT_SIZE], const char *before, const char *name, int power)
{
    char piece[UNIT_SIZE + 8];
    int len = power == 1 ? snprintf(piece, sizeof piece, "%s%s", before, name)
                         : snprintf(piece, sizeof piece, "%s%s^%d", before, name, power);
    size_t used = strlen(text);
    if (len < 0 || (size_t)len >= UNIT_SIZE - used)
        return false;
    memcpy(text + used, piece, (size_t)len + 1);
    return true;
}

static bool append_all(const struct unit_names *names, const struct unit *unit, int sign,
                       char text[UNIT_SIZE])
{
    const char *name = NULL;
    for (size_t i; (i = next_name(names, unit, sign, name)) < names->count;) {
        name = names->name[i];
        const char *before = sign < 0 ? "/" : text[0] == '\0' ? "" : "*";
        if (sign < 0 && text[0] == '\0')
            before = "1/";
        if (!append(text, before, name, sign * unit->exponent[i]))
            return false;
    }
    return true;
}

bool unit_print(const struct unit_names *names, const struct unit *unit, char text[UNIT_SIZE])
{
    text[0] = '\0';
    if (append_all(names, unit, 1, text) && append_all(names, unit, -1, text))
        return true;
    text[0] = '\0';
    return false;
}
