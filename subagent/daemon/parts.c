#include "daemon/parts.h"

#include <stdlib.h>

void parts_open(struct parts *parts)
{
    *parts = (struct parts){.rows = NULL};
    index_init(&parts->index);
}

void parts_close(struct parts *parts)
{
    index_release(&parts->index);
    free(parts->rows);
    for (size_t i = 0; i < PARTS_KEPT; i++)
        parcel_drop(parts->kept[i].parcel);
    parts_open(parts);
}

static uint32_t count_parts(const struct parcel *parcel)
{
    return parcel ? (parcel->len + PART_SIZE - 1) / PART_SIZE : 0;
}

static void fill_row(struct part_row *row, uint32_t document, uint32_t number,
                     const struct kept_document *kept)
{
    uint32_t offset = (number - 1) * PART_SIZE, rest = kept->parcel->len - offset;
    *row = (struct part_row){.key = {document, number},
                             .of = kept,
                             .octets = kept->parcel->octets + offset,
                             .len = rest < PART_SIZE ? rest : PART_SIZE};
    row->node.key = row->key;
    row->node.key_len = 2;
}

/* False: no memory. */
static bool make_rows(struct parts *parts)
{
    size_t n = 0, all = count_parts(parts->kept[0].parcel) + count_parts(parts->kept[1].parcel);
    if (all == 0)
        return true;
    parts->rows = calloc(all, sizeof *parts->rows);
    if (!parts->rows)
        return false;
    for (uint32_t i = 0; i < PARTS_KEPT; i++)
        for (uint32_t k = 1; k <= count_parts(parts->kept[i].parcel); k++) {
            struct part_row *row = &parts->rows[n++];
            fill_row(row, i + 1, k, &parts->kept[i]);
            index_add(&parts->index, &row->node); /* cannot fail: no other row has its key */
        }
    return true;
}

static bool are_those(const struct parts *parts, const struct kept_document kept[PARTS_KEPT])
{
    for (size_t i = 0; i < PARTS_KEPT; i++)
        if (parts->kept[i].parcel != kept[i].parcel)
            return false;
    return true;
}

const struct index *parts_of(struct parts *parts, const struct kept_document kept[PARTS_KEPT])
{
    bool good = are_those(parts, kept);
    if (!good) {
        parts_close(parts);
        for (size_t i = 0; i < PARTS_KEPT; i++)
            parts->kept[i].parcel = parcel_use(kept[i].parcel);
        good = make_rows(parts);
    }
    for (size_t i = 0; i < PARTS_KEPT; i++)
        parts->kept[i].serial = kept[i].serial;
    if (!good)
        parts_close(parts);
    return &parts->index;
}
