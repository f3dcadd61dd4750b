#include "config/attributes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "config/fault.h"
#include "config/field.h"

xmlNodePtr element_next(const xmlNode *element)
{
    xmlNodePtr node = element->next;
    while (node && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

xmlNodePtr element_first(const xmlNode *parent)
{
    xmlNodePtr node = parent->children;
    return !node || node->type == XML_ELEMENT_NODE ? node : element_next(node);
}

bool element_is(const xmlNode *element, const char *name)
{
    return strcmp((const char *)element->name, name) == 0;
}

static const char *const lists[ROW_KINDS] = {
    [ROW_SENSOR] = "sensors",       [ROW_FILTER] = "filters",
    [ROW_THRESHOLD] = "thresholds", [ROW_CHILD] = "children",
    [ROW_AGGREGATE] = "aggregates", [ROW_OBJECT] = "objects",
    [ROW_CONDITION] = "conditions", [ROW_MAINTENANCE] = "maintenances",
    [ROW_RELAY] = "relays",         [ROW_ENDPOINT] = "endpoints",
    [ROW_SINK] = "sinks",           [ROW_CREDENTIAL] = "credentials"};

const char *list_element(enum row_kind kind)
{
    return lists[kind];
}

enum row_kind list_kind(const xmlNode *element)
{
    int kind = 0;
    while (kind < ROW_KINDS && !element_is(element, lists[kind]))
        kind++;
    return (enum row_kind)kind;
}

static bool unknown_attribute(struct xml_file *file, const xmlAttr *attribute,
                              const struct target *targets, size_t n_targets)
{
    char place[XML_QUOTE_SIZE * 2], known[400] = "";
    struct nearest nearest = {.text = (const char *)attribute->name};
    size_t n = 0;
    for (size_t t = 0; t < n_targets; t++)
        for (size_t i = 0; i < targets[t].n_fields; i++) {
            const char *name = targets[t].fields[i].name;
            nearest_offer(&nearest, name);
            if (n < sizeof known)
                n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", name);
        }
    xml_place(place, attribute->parent);
    if (nearest.best)
        return xml_fail(file, EBADMSG, xml_attribute_line(attribute),
                        "%s: there is no attribute %.64s; did you mean %s?", place,
                        (const char *)attribute->name, nearest.best);
    return xml_fail(file, EBADMSG, xml_attribute_line(attribute),
                    "%s: there is no attribute %.64s; there are %s", place,
                    (const char *)attribute->name, n ? known : "none");
}

static bool wrong_value(struct xml_file *file, const xmlAttr *attribute, const struct field *field,
                        const char *value)
{
    char place[XML_QUOTE_SIZE * 2], text[FAULT_SIZE];
    fault_of_value(field, value, text);
    return xml_fail(file, EBADMSG, xml_attribute_line(attribute), "%s: %s",
                    xml_place(place, attribute->parent), text);
}

static bool read_one(struct xml_file *file, const xmlAttr *attribute, struct target *targets,
                     size_t n_targets)
{
    const struct field *field = NULL;
    size_t t = 0;
    for (; t < n_targets; t++) {
        field = fields_find(targets[t].fields, targets[t].n_fields, (const char *)attribute->name);
        if (field)
            break;
    }
    if (!field)
        return unknown_attribute(file, attribute, targets, n_targets);
    char *value = xml_value(attribute);
    if (!value)
        return xml_fail(file, ENOMEM, 0, "out of memory");
    enum field_status status = field_put(targets[t].base, field, value, strlen(value));
    if (status == FIELD_OK)
        targets[t].given |= UINT32_C(1) << (field - targets[t].fields);
    else if (status == FIELD_NO_MEMORY)
        xml_fail(file, ENOMEM, 0, "out of memory");
    else
        wrong_value(file, attribute, field, value);
    free(value);
    return status == FIELD_OK;
}

static bool check_missing(struct xml_file *file, const xmlNode *element,
                          const struct target *target)
{
    for (size_t i = 0; i < target->n_fields && !target->may_lack; i++) {
        const struct field *field = &target->fields[i];
        char place[XML_QUOTE_SIZE * 2];
        if (!field->initial && !(target->given & UINT32_C(1) << i))
            return xml_fail(file, EBADMSG, xml_line(element), "%s: %s is missing; it must be %s",
                            xml_place(place, element), field->name, field->expect);
    }
    return true;
}

bool attributes_read(struct xml_file *file, const xmlNode *element, struct target *targets,
                     size_t n_targets)
{
    for (const xmlAttr *attribute = element->properties; attribute; attribute = attribute->next)
        if (!read_one(file, attribute, targets, n_targets))
            return false;
    for (size_t t = 0; t < n_targets; t++)
        if (!check_missing(file, element, &targets[t]))
            return false;
    return true;
}

static const struct field name_field = {
    .name = "name",
    .type = FIELD_NAME,
    .expect = "a name of 1 to 32 of A-Z a-z 0-9 . _ -",
};

/* A row must have a name, so it is read before the other attributes. */
static bool read_name(struct xml_file *file, const xmlNode *element, char name[NAME_SIZE])
{
    xmlAttrPtr attribute = xmlHasProp(element, (const xmlChar *)"name");
    struct target target = {.base = name, .fields = &name_field, .n_fields = 1};
    return attribute ? read_one(file, attribute, &target, 1)
                     : check_missing(file, element, &target);
}

struct row *attributes_row(struct xml_file *file, const xmlNode *element, enum row_kind kind,
                           const struct field *extra, size_t n_extra, bool may_lack)
{
    char name[NAME_SIZE];
    if (!read_name(file, element, name))
        return NULL;
    struct row *row = row_new(kind, name);
    if (!row) {
        xml_fail(file, ENOMEM, 0, "out of memory");
        return NULL;
    }
    const struct row_type *type = row_type(kind);
    struct target targets[] = {
        {.base = row, .fields = type->fields, .n_fields = type->n_fields, .may_lack = may_lack},
        {.base = name, .fields = &name_field, .n_fields = 1},
        {.base = row, .fields = extra, .n_fields = n_extra},
    };
    if (!attributes_read(file, element, targets, sizeof targets / sizeof targets[0])) {
        row_free(row);
        return NULL;
    }
    row->given = targets[0].given;
    return row;
}

static long line_of_name(const xmlNode *element, const char *name)
{
    for (const xmlNode *other = element_first(element->parent); other;
         other = element_next(other)) {
        xmlAttrPtr attribute = xmlHasProp(other, (const xmlChar *)"name");
        char *value = attribute ? xml_value(attribute) : NULL;
        bool same = value && strcmp(value, name) == 0;
        free(value);
        if (same)
            return xml_line(other);
    }
    return 0;
}

bool attributes_add_row(struct xml_file *file, const xmlNode *element, struct config *config,
                        struct row *row)
{
    if (config_add(config, row))
        return true;
    char place[XML_QUOTE_SIZE * 2];
    xml_fail(file, EBADMSG, xml_line(element),
             "%s is there already, in line %ld; give every %s a name of its own",
             xml_place(place, element), line_of_name(element, row->name),
             row_type(row->kind)->element);
    row_free(row);
    return false;
}
