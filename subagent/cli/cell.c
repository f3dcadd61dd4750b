#include "cli/cell.h"

#include <string.h>
#include <time.h>

void cell_start(struct cell *cell, enum mib_object object)
{
    const struct mib_info *info = &mib_objects[object];
    memset(cell, 0, sizeof *cell);
    cell->object = object;
    for (; cell->len < info->oid_len && cell->len < CELL_OID_MAX; cell->len++)
        cell->oid[cell->len] = info->oid[cell->len];
}

void cell_add_number(struct cell *cell, uint32_t index)
{
    if (cell->len < CELL_OID_MAX)
        cell->oid[cell->len++] = index;
}

/* RFC 2578, section 7.7: of variable length, so that its length comes first. */
void cell_add_text(struct cell *cell, const char *index)
{
    cell_add_number(cell, (uint32_t)strlen(index));
    for (; *index; index++)
        cell_add_number(cell, (unsigned char)*index);
}

void cell_scalar(struct cell *cell, enum mib_object object)
{
    cell_start(cell, object);
    cell_add_number(cell, 0);
}

bool cell_index_number(const struct cell *cell, size_t *at, uint32_t *number)
{
    size_t where = mib_objects[cell->object].oid_len + *at;
    if (where >= cell->len)
        return false;
    *number = cell->oid[where];
    (*at)++;
    return true;
}

bool cell_index_text(const struct cell *cell, size_t *at, char *text, size_t size)
{
    size_t from = *at;
    uint32_t len, octet;
    if (!cell_index_number(cell, &from, &len) || len >= size)
        return false;
    for (uint32_t i = 0; i < len; i++) {
        if (!cell_index_number(cell, &from, &octet) || octet == 0 || octet > 255)
            return false;
        text[i] = (char)octet;
    }
    text[len] = '\0';
    *at = from;
    return true;
}

/* Two octets of the year, then month, day, hour, minute, second, tenths, and, not always, the
 * direction, hours and minutes from UTC. Without those it is the node's local time, which nobody
 * else can know. */
bool cell_date(const struct cell *cell, int64_t *wall_ms)
{
    const unsigned char *at = (const unsigned char *)cell->text;
    if (cell->kind != CELL_TEXT || cell->text_len != 11 || (at[8] != '+' && at[8] != '-') ||
        at[2] < 1 || at[2] > 12 || at[3] < 1 || at[3] > 31 || at[4] > 23 || at[5] > 59 ||
        at[6] > 60 || at[7] > 9 || at[9] > 14 || at[10] > 59)
        return false;
    struct tm tm = {.tm_year = at[0] * 256 + at[1] - 1900,
                    .tm_mon = at[2] - 1,
                    .tm_mday = at[3],
                    .tm_hour = at[4],
                    .tm_min = at[5],
                    .tm_sec = at[6]};
    int offset = (at[9] * 60 + at[10]) * 60;
    int64_t seconds = timegm(&tm);
    if (tm.tm_mday != at[3] && at[6] < 60) /* the 31st of a month of 30 days became another day */
        return false;
    *wall_ms = (seconds - (at[8] == '+' ? offset : -offset)) * 1000 + at[7] * 100;
    return true;
}

const char *cell_label(const struct cell *cell)
{
    const struct mib_info *info = &mib_objects[cell->object];
    for (size_t i = 0; cell->kind == CELL_NUMBER && i < info->n_labels; i++)
        if (info->labels[i].value == cell->number)
            return info->labels[i].name;
    return "?";
}
