/* Inside application/: the families of a text of metrics, and what samples are to them. Pure. */
#ifndef DCAMP_APPLICATION_FAMILIES_H
#define DCAMP_APPLICATION_FAMILIES_H

#include "application/openmetrics.h"
#include "base/table.h"

struct family {
    struct openmetrics_family shown;
    bool has_type, has_unit, has_help, has_samples;
    bool is_over; /* another one came after it */
    UT_hash_handle hh;
};

struct families {
    struct family *by_name;
    enum openmetrics_format format;
};

struct family *families_find(const struct families *families, const char *name);

/* NULL: no memory. */
struct family *families_add(struct families *families, const char *name);
void families_free(struct families *families);

/* What a sample of this name is. *family NULL: of none that is there, and then of one that has its
 * name and no type. Returns NULL, or a sentence that says why it cannot be. */
const char *families_resolve(const struct families *families, const char *name,
                             struct family **family, enum openmetrics_part *part);

/* The type with this name. False: the format has none. */
bool family_type(enum openmetrics_format format, const char *name, enum openmetrics_type *type);

/* These make false of no memory. */
bool family_set_unit(struct family *family, const char *unit);
bool family_set_help(struct family *family, const char *help);

#endif
