/* Inside config/: attributes of an element are read into fields of structs, and elements into rows.
 * Shared by dcamp.xml and the state file. */
#ifndef DCAMP_CONFIG_ATTRIBUTES_H
#define DCAMP_CONFIG_ATTRIBUTES_H

#include "config/config.h"
#include "config/xml.h"

/* Fields, and the struct that has them. */
struct target {
    void *base;
    const struct field *fields;
    size_t n_fields;
    uint32_t given; /* bit i: field i was given */
    bool may_lack;  /* fields without a default may be missing */
};

/* Every attribute must be a field of one of the targets and have a valid value, and every field
 * without a default must be given. */
bool attributes_read(struct xml_file *file, const xmlNode *element, struct target *targets,
                     size_t n_targets);

/* Makes a row of an element that has a name, the fields of its type, and those of extra, whose
 * offsets are into struct row. NULL on failure. */
struct row *attributes_row(struct xml_file *file, const xmlNode *element, enum row_kind kind,
                           const struct field *extra, size_t n_extra, bool may_lack);

/* Adds the row. False if its name is taken; then the row is freed. */
bool attributes_add_row(struct xml_file *file, const xmlNode *element, struct config *config,
                        struct row *row);

/* The first child element, and the next sibling element. */
xmlNodePtr element_first(const xmlNode *parent);
xmlNodePtr element_next(const xmlNode *element);
bool element_is(const xmlNode *element, const char *name);

/* The name of the element that is the list of the rows of a kind, as in <sensors>. */
const char *list_element(enum row_kind kind);

/* The kind of rows that an element is the list of; ROW_KINDS: it is not a list. */
enum row_kind list_kind(const xmlNode *element);

#endif
