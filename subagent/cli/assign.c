#include "cli/assign.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/date.h"
#include "base/nearest.h"
#include "base/text.h"

#define PREFIX "dcamp"
#define SUFFIX "Entry"
#define WORD_SIZE 128

__attribute__((format(printf, 2, 3))) static bool refuse(char error[512], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, 512, format, arguments);
    va_end(arguments);
    return false;
}

/* -- What the MIB has ------------------------------------------------------------------------ */

static bool can_be_set(const struct mib_info *info)
{
    return info->access == MIB_READ_WRITE || info->access == MIB_READ_CREATE;
}

static bool is_column_of(const struct mib_info *column, const struct mib_info *entry)
{
    return column->role == MIB_COLUMN && column->oid_len == entry->oid_len + 1 &&
           memcmp(column->oid, entry->oid, entry->oid_len * sizeof *entry->oid) == 0;
}

static const struct mib_info *entry_of(enum mib_object column)
{
    for (int i = 0; i < MIB_OBJECTS; i++)
        if (mib_objects[i].role == MIB_ENTRY && is_column_of(&mib_objects[column], &mib_objects[i]))
            return &mib_objects[i];
    return NULL;
}

/* "threshold" of dcampThresholdEntry, if it has a column that can be set. */
static bool kind_of(const struct mib_info *entry, char kind[WORD_SIZE])
{
    size_t len = strlen(entry->name), around = strlen(PREFIX) + strlen(SUFFIX);
    bool any = false;
    if (entry->role != MIB_ENTRY || len <= around)
        return false;
    for (int i = 0; i < MIB_OBJECTS; i++)
        any = any || (is_column_of(&mib_objects[i], entry) && can_be_set(&mib_objects[i]));
    text_format(kind, WORD_SIZE, "%.*s", (int)(len - around), entry->name + strlen(PREFIX));
    kind[0] = (char)(kind[0] | 0x20);
    return any;
}

/* "warningLimit" of dcampThresholdWarningLimit. */
static void field_of(const struct mib_info *column, const struct mib_info *entry,
                     char field[WORD_SIZE])
{
    text_format(field, WORD_SIZE, "%s", column->name + strlen(entry->name) - strlen(SUFFIX));
    field[0] = (char)(field[0] | 0x20);
}

static bool is_same_word(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "-_");
        b += strspn(b, "-_");
        if ((*a | 0x20) != (*b | 0x20))
            return false;
        if (!*a || !*b)
            return *a == *b;
    }
}

/* Remembers the nearest of names; the names need not last. */
struct suggestion {
    struct nearest nearest;
    char best[WORD_SIZE];
};

static void suggest(struct suggestion *suggestion, const char *name)
{
    nearest_offer(&suggestion->nearest, name);
    if (suggestion->nearest.best == name) {
        text_format(suggestion->best, WORD_SIZE, "%s", name);
        suggestion->nearest.best = suggestion->best;
    }
}

static bool refuse_name(char error[512], const char *what, const char *name,
                        const struct suggestion *suggestion)
{
    bool some = suggestion->nearest.best != NULL;
    return refuse(error, "%s: no %s%s%s%s", name, what, some ? "; did you mean \"" : "",
                  some ? suggestion->best : "", some ? "\"?" : "");
}

static const struct mib_info *find_kind(const char *word, char error[512])
{
    struct suggestion suggestion = {.nearest = {.text = word}};
    char kind[WORD_SIZE];
    for (int i = 0; i < MIB_OBJECTS; i++) {
        if (!kind_of(&mib_objects[i], kind))
            continue;
        if (is_same_word(kind, word))
            return &mib_objects[i];
        suggest(&suggestion, kind);
    }
    refuse_name(error, "kind of rows that can be set", word, &suggestion);
    return NULL;
}

static enum mib_object find_field(const struct mib_info *entry, const char *word, char error[512])
{
    struct suggestion suggestion = {.nearest = {.text = word}};
    char field[WORD_SIZE];
    for (int i = 0; i < MIB_OBJECTS; i++) {
        if (!is_column_of(&mib_objects[i], entry) || !can_be_set(&mib_objects[i]))
            continue;
        field_of(&mib_objects[i], entry, field);
        if (is_same_word(field, word))
            return (enum mib_object)i;
        suggest(&suggestion, field);
    }
    refuse_name(error, "field that can be set", word, &suggestion);
    return MIB_OBJECTS;
}

static enum mib_object row_status_of(const struct mib_info *entry)
{
    for (int i = 0; i < MIB_OBJECTS; i++)
        if (is_column_of(&mib_objects[i], entry) && mib_objects[i].convention == MIB_ROW_STATUS)
            return (enum mib_object)i;
    return MIB_OBJECTS;
}

/* -- Values ---------------------------------------------------------------------------------- */

static bool take_octets(struct cell *cell, const void *octets, size_t len)
{
    memcpy(cell->text, octets, len);
    cell->text[len] = '\0';
    cell->text_len = len;
    cell->kind = CELL_TEXT;
    return true;
}

static bool take_number(struct cell *cell, int64_t number)
{
    cell->number = number;
    cell->kind = CELL_NUMBER;
    return true;
}

/* The label that is meant by what people write. */
static const char *label_for(const char *text, enum mib_convention convention)
{
    static const char *const operators[][2] = {{">", "gt"}, {">=", "ge"}, {"<", "lt"}, {"<=", "le"},
                                               {"=", "eq"}, {"==", "eq"}, {"!=", "ne"}};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(text, operators[i][0]) == 0)
            return operators[i][1];
    if (convention == MIB_TRUTH && (strcasecmp(text, "yes") == 0 || strcasecmp(text, "no") == 0))
        return strcasecmp(text, "yes") == 0 ? "true" : "false";
    return text;
}

static const struct mib_label *find_label(const struct mib_info *info, const char *text)
{
    char number[16];
    const char *name = label_for(text, info->convention);
    for (size_t i = 0; i < info->n_labels; i++) {
        text_format(number, sizeof number, "%d", (int)info->labels[i].value);
        if (strcasecmp(info->labels[i].name, name) == 0 || strcmp(number, name) == 0)
            return &info->labels[i];
    }
    return NULL;
}

static bool refuse_label(const struct mib_info *info, const char *text, char error[512])
{
    size_t at = (size_t)snprintf(error, 512, "%s %.100s: expected ", info->name, text);
    for (size_t i = 0; i < info->n_labels && at < 512; i++)
        at += (size_t)snprintf(error + at, 512 - at, "%s%s", i ? ", " : "", info->labels[i].name);
    return false;
}

/* BITS (RFC 2578, section 7.1.4): the first is the most significant bit of the first octet. */
static bool take_bits(struct cell *cell, const char *text, char error[512])
{
    const struct mib_info *info = &mib_objects[cell->object];
    uint8_t bits[4] = {0};
    char copy[WORD_SIZE], *rest = copy;
    text_format(copy, sizeof copy, "%s", text);
    for (char *word; (word = strsep(&rest, ", "));) {
        const struct mib_label *label = *word ? find_label(info, word) : NULL;
        if (*word && (!label || label->value / 8 >= (int)sizeof bits))
            return refuse_label(info, word, error);
        if (label)
            bits[label->value / 8] |= (uint8_t)(0x80 >> label->value % 8);
    }
    return take_octets(cell, bits, (size_t)info->labels[info->n_labels - 1].value / 8 + 1);
}

/* DateAndTime in UTC; eight zeros mean no date. */
static bool take_date(struct cell *cell, const char *text, char error[512])
{
    uint8_t octets[11] = {0};
    int64_t wall_ms;
    struct tm tm;
    if (strcasecmp(text, "none") == 0)
        return take_octets(cell, octets, 8);
    if (!date_from_text(text, strlen(text), &wall_ms))
        return refuse(error, "%s %.100s: expected a time such as 2026-11-21T22:00:00Z, or none",
                      mib_objects[cell->object].name, text);
    time_t seconds = (time_t)(wall_ms / 1000);
    gmtime_r(&seconds, &tm);
    octets[0] = (uint8_t)((tm.tm_year + 1900) >> 8);
    octets[1] = (uint8_t)(tm.tm_year + 1900);
    octets[2] = (uint8_t)(tm.tm_mon + 1);
    octets[3] = (uint8_t)tm.tm_mday;
    octets[4] = (uint8_t)tm.tm_hour;
    octets[5] = (uint8_t)tm.tm_min;
    octets[6] = (uint8_t)tm.tm_sec;
    octets[8] = '+';
    return take_octets(cell, octets, sizeof octets);
}

static bool in_ranges(const struct mib_info *info, int64_t number)
{
    bool in = info->n_ranges == 0;
    for (size_t i = 0; i < info->n_ranges; i++)
        in = in || (number >= info->ranges[i].low && number <= info->ranges[i].high);
    return in;
}

/* The message gives ranges in the units of the MIB, which the number has, too. */
static bool refuse_number(const struct mib_info *info, const char *text, bool time, char error[512])
{
    size_t at = (size_t)snprintf(error, 512, "%s %.100s: expected ", info->name, text);
    for (size_t i = 0; i < info->n_ranges && at < 512; i++) {
        const struct mib_range *range = &info->ranges[i];
        at += (size_t)snprintf(error + at, 512 - at,
                               range->low == range->high ? "%s%lld" : "%s%lld to %lld",
                               i ? " or " : "", (long long)range->low, (long long)range->high);
    }
    if (at < 512)
        snprintf(error + at, 512 - at, "%s%s%s%s", info->n_ranges ? "" : "a number",
                 info->units ? " " : "", info->units ? info->units : "",
                 time ? ", or a time such as 10s" : "");
    return false;
}

static bool take_digits(struct cell *cell, const char *text, char error[512])
{
    const struct mib_info *info = &mib_objects[cell->object];
    bool time = info->units && strcmp(info->units, "milliseconds") == 0;
    uint32_t millis;
    char *end;
    errno = 0;
    int64_t number = strtoll(text, &end, 10);
    bool digits = *text && strspn(text, "-0123456789") == strlen(text) && !*end && errno == 0;
    if (time && text_to_millis(text, strlen(text), &millis)) {
        number = millis;
        digits = true;
    }
    if (!digits || number > UINT32_MAX || number < INT32_MIN || !in_ranges(info, number))
        return refuse_number(info, text, time, error);
    return take_number(cell, number);
}

static bool take_words(struct cell *cell, const char *text, char error[512])
{
    size_t len = strlen(text);
    if (len >= sizeof cell->text)
        return refuse(error, "%s: expected at most %zu octets", mib_objects[cell->object].name,
                      sizeof cell->text - 1);
    return take_octets(cell, text, len);
}

bool assign_value(struct cell *cell, const char *text, char error[512])
{
    const struct mib_info *info = &mib_objects[cell->object];
    if (info->convention == MIB_BITS)
        return take_bits(cell, text, error);
    if (info->convention == MIB_DATE)
        return take_date(cell, text, error);
    if (info->n_labels > 0) {
        const struct mib_label *label = find_label(info, text);
        return label ? take_number(cell, label->value) : refuse_label(info, text, error);
    }
    if (info->syntax == MIB_SYNTAX_OID && !oid_from_text(text, strlen(text), NULL))
        return refuse(error, "%s %.100s: expected an object identifier in numbers", info->name,
                      text);
    if (info->syntax == MIB_SYNTAX_OCTETS || info->syntax == MIB_SYNTAX_OID)
        return take_words(cell, text, error);
    return take_digits(cell, text, error);
}

/* -- Words ----------------------------------------------------------------------------------- */

/* An index of a row: a name, also in quotes, a label or a number. */
static bool add_one_index(struct cell *cell, const struct mib_info *index, const char *text,
                          char error[512])
{
    size_t len = strlen(text);
    char name[NAME_SIZE + 2], *end;
    bool quoted = len >= 2 && text[0] == '"' && text[len - 1] == '"';
    text_format(name, sizeof name, "%.*s", (int)(quoted ? len - 2 : len), text + quoted);
    if (index->n_labels > 0) {
        const struct mib_label *label = find_label(index, name);
        if (!label)
            return refuse_label(index, name, error);
        cell_add_number(cell, (uint32_t)label->value);
        return true;
    }
    if (index->syntax == MIB_SYNTAX_OCTETS) {
        if (!text_is_name(name, strlen(name)))
            return refuse(error, "%.100s: expected a name of 1 to 32 of A-Z a-z 0-9 . _ -", text);
        cell_add_text(cell, name);
        return true;
    }
    errno = 0;
    unsigned long long number = strtoull(name, &end, 10);
    if (!*name || strspn(name, "0123456789") != strlen(name) || errno || number > UINT32_MAX)
        return refuse(error, "%.100s: expected the number of a row", text);
    cell_add_number(cell, (uint32_t)number);
    return true;
}

/* The indexes of a row with dots between, as in "threshold.hot"; there may be dots in the last. */
static bool add_index(struct cell *cell, const struct mib_info *entry, const char *text,
                      char error[512])
{
    for (size_t i = 0; i < entry->n_objects; i++) {
        const struct mib_info *index = &mib_objects[entry->objects[i]];
        size_t len = i + 1 < entry->n_objects ? strcspn(text, ".") : strlen(text);
        char one[WORD_SIZE];
        if (i + 1 < entry->n_objects && !text[len])
            return refuse(error, "%.100s: expected %s and %s with a dot between", text, index->name,
                          mib_objects[entry->objects[i + 1]].name);
        text_format(one, sizeof one, "%.*s", (int)len, text);
        if (!add_one_index(cell, index, one, error))
            return false;
        text += len + 1;
    }
    return true;
}

void assign_row_text(const struct cell *cell, char *text, size_t size)
{
    const struct mib_info *entry = entry_of(cell->object);
    size_t at = 0, n = 0;
    for (size_t i = 0; entry && i < entry->n_objects && n < size; i++) {
        const struct mib_info *index = &mib_objects[entry->objects[i]];
        char name[NAME_SIZE] = "";
        uint32_t number;
        if (index->syntax == MIB_SYNTAX_OCTETS)
            cell_index_text(cell, &at, name, sizeof name);
        else if (cell_index_number(cell, &at, &number))
            text_format(name, sizeof name, "%u", number);
        const struct mib_label *label = index->n_labels > 0 ? find_label(index, name) : NULL;
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? "." : "", label ? label->name : name);
    }
}

static struct cell *add_cell(struct assignments *to, enum mib_object object, const char *value,
                             char error[512])
{
    if (to->n == SET_MAX) {
        refuse(error, "more than %d values", SET_MAX);
        return NULL;
    }
    cell_start(&to->cells[to->n], object);
    to->values[to->n] = value;
    return &to->cells[to->n++];
}

/* Takes "NAME VALUE" or "NAME=VALUE" from the words. */
static bool next_pair(char *const *words, int n, int *at, char name[WORD_SIZE], const char **value,
                      char error[512])
{
    const char *word = words[(*at)++], *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    if (len >= WORD_SIZE)
        return refuse(error, "%.100s...: no such name", word);
    memcpy(name, word, len);
    name[len] = '\0';
    *value = equals ? equals + 1 : NULL;
    if (!equals && *at < n)
        *value = words[(*at)++];
    return *value || refuse(error, "%s: the value is missing", name);
}

static bool set_status(const struct mib_info *entry, const char *name, const char *request,
                       struct assignments *to, char error[512])
{
    enum mib_object status = row_status_of(entry);
    if (status == MIB_OBJECTS)
        return refuse(error, "rows of this kind are neither made nor deleted by a SET");
    struct cell *cell = add_cell(to, status, request, error);
    return cell && add_index(cell, entry, name, error) && assign_value(cell, request, error);
}

static bool read_fields(char *const *words, int n, enum assign_row row, struct assignments *to,
                        char error[512])
{
    const struct mib_info *entry = find_kind(words[0], error);
    char name[WORD_SIZE];
    const char *value;
    if (!entry)
        return false;
    for (int at = 2; at < n;) {
        if (!next_pair(words, n, &at, name, &value, error))
            return false;
        enum mib_object field = find_field(entry, name, error);
        struct cell *cell = field == MIB_OBJECTS ? NULL : add_cell(to, field, value, error);
        if (!cell || !add_index(cell, entry, words[1], error) || !assign_value(cell, value, error))
            return false;
    }
    if (row == ASSIGN_DELETE && n > 2)
        return refuse(error, "--delete %s: expected KIND NAME and no fields", words[2]);
    if (row != ASSIGN_CHANGE)
        return set_status(entry, words[1], row == ASSIGN_CREATE ? "createAndGo" : "destroy", to,
                          error);
    return to->n > 0 || refuse(error, "%s %s: the field is missing", words[0], words[1]);
}

/* The object of "dcampThresholdLimit.hot"; MIB_OBJECTS: it is none. */
static enum mib_object object_of(const char *word)
{
    size_t len = strcspn(word, ".=");
    for (int i = 0; i < MIB_OBJECTS; i++)
        if (strlen(mib_objects[i].name) == len && memcmp(mib_objects[i].name, word, len) == 0)
            return (enum mib_object)i;
    return MIB_OBJECTS;
}

static bool read_objects(char *const *words, int n, struct assignments *to, char error[512])
{
    char name[WORD_SIZE];
    const char *value;
    for (int at = 0; at < n;) {
        if (!next_pair(words, n, &at, name, &value, error))
            return false;
        enum mib_object object = object_of(name);
        const struct mib_info *entry = object == MIB_OBJECTS ? NULL : entry_of(object);
        const char *index = strchr(name, '.');
        if (!entry || !can_be_set(&mib_objects[object]))
            return refuse(error, "%s: no object that can be set", name);
        if (!index)
            return refuse(error, "%s: expected OBJECT.INDEX", name);
        struct cell *cell = add_cell(to, object, value, error);
        if (!cell || !add_index(cell, entry, index + 1, error) || !assign_value(cell, value, error))
            return false;
    }
    return true;
}

bool assign_read(char *const *words, int n, enum assign_row row, struct assignments *to,
                 char error[512])
{
    to->n = 0;
    if (n > 0 && object_of(words[0]) != MIB_OBJECTS)
        return row == ASSIGN_CHANGE ? read_objects(words, n, to, error)
                                    : refuse(error, "--create and --delete go with KIND NAME");
    if (n < 2)
        return refuse(error, "expected KIND NAME FIELD VALUE, or OBJECT.INDEX VALUE");
    return read_fields(words, n, row, to, error);
}
