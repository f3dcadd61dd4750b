/* dcampKeptTable: the tree documents that the node keeps, in parts. */
#include "agent/tables.h"
#include "agent/view.h"
#include "daemon/documents.h"

static bool serial(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct part_row *)row)->of->serial);
}

static bool digest(const struct view *view, const void *row, struct mib_value *value)
{
    const struct parcel *parcel = ((const struct part_row *)row)->of->parcel;
    (void)view;
    return give_octets(value, parcel->digest, sizeof parcel->digest);
}

static bool length(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct part_row *)row)->of->parcel->len);
}

static bool octets(const struct view *view, const void *row, struct mib_value *value)
{
    const struct part_row *part = row;
    (void)view;
    return give_octets(value, part->octets, part->len);
}

static const struct index *rows(const struct view *view)
{
    return documents_parts(view->documents);
}

static const struct column columns[] = {
    {MIB_dcampKeptSerial, serial, NULL},
    {MIB_dcampKeptDigest, digest, NULL},
    {MIB_dcampKeptLength, length, NULL},
    {MIB_dcampKeptOctets, octets, NULL},
};

const struct table table_kept = {
    .object = MIB_dcampKeptTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
};
