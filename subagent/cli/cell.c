#include "cli/cell.h"

#include <string.h>

#include "base/date.h"

void cell_start(struct cell *cell, enum mib_object object)
{
    const struct mib_info *info = &mib_objects[object];
    memset(cell, 0, sizeof *cell);
    cell->object = object;
    for (; cell->len < info->oid_len && cell->len < OID_MAX; cell->len++)
        cell->oid[cell->len] = info->oid[cell->len];
}

void cell_add_number(struct cell *cell, uint32_t index)
{
    if (cell->len < OID_MAX)
        cell->oid[cell->len++] = index;
}

/* RFC 2578, section 7.7: the length comes first, because it is variable. */
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

/* A date without an offset is in local time of the node, which nobody else can know: it is
 * refused. */
bool cell_date(const struct cell *cell, int64_t *wall_ms)
{
    struct date date;
    return cell->kind == CELL_TEXT &&
           date_from_octets((const uint8_t *)cell->text, cell->text_len, &date) &&
           date.has_offset && date_to_millis(&date, wall_ms);
}

bool cell_is_true(const struct cell *cell)
{
    return cell->kind == CELL_NUMBER && cell->number == 1;
}

const char *cell_label(const struct cell *cell)
{
    const struct mib_info *info = &mib_objects[cell->object];
    for (size_t i = 0; cell->kind == CELL_NUMBER && i < info->n_labels; i++)
        if (info->labels[i].value == cell->number)
            return info->labels[i].name;
    return "?";
}
