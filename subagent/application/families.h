/* Inside application/: the families of a text of metrics, and how samples relate to them. Pure. */
#ifndef DCAMP_APPLICATION_FAMILIES_H
#define DCAMP_APPLICATION_FAMILIES_H

#include "application/openmetrics.h"
#include "base/table.h"

struct family {
    struct openmetrics_family shown;
    bool has_type, has_unit, has_help, has_samples;
    bool is_over; /* another family has come after it */
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

/* What a sample with this name is. *family NULL: the sample belongs to no known family, and
 * therefore to one that has its name and no type. Returns NULL, or a sentence that says why there
 * cannot be such a sample. */
const char *families_resolve(const struct families *families, const char *name,
                             struct family **family, enum openmetrics_part *part);

/* The type with this name. False: the format does not have it. */
bool family_type(enum openmetrics_format format, const char *name, enum openmetrics_type *type);

/* These return false if memory runs out. */
bool family_set_unit(struct family *family, const char *unit);
bool family_set_help(struct family *family, const char *help);

#endif
