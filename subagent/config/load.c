/* dcamp.xml into a struct config. */
#include "config/config.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "config/attributes.h"
#include "config/derived.h"
#include "config/row.h"
#include "config/settings.h"
#include "config/xml.h"

#define FILE_SIZE_MAX (8u << 20)

static bool unknown_element(struct xml_file *file, const xmlNode *element, const char *meant)
{
    return xml_fail(file, EBADMSG, xml_line(element), "%s: there is no element %.64s; %s%s%s",
                    (const char *)element->parent->name, (const char *)element->name,
                    meant ? "did you mean " : "see dcamp.xml(5)", meant ? meant : "",
                    meant ? "?" : "");
}

static bool unknown_in_root(struct xml_file *file, const xmlNode *element)
{
    struct nearest nearest = {.text = (const char *)element->name};
    const struct settings *settings;
    for (size_t i = 0; (settings = settings_get(i)); i++)
        nearest_offer(&nearest, settings->element);
    for (int kind = 0; kind < ROW_KINDS; kind++)
        nearest_offer(&nearest, list_element((enum row_kind)kind));
    return unknown_element(file, element, nearest.best);
}

static bool check_single(struct xml_file *file, const xmlNode *element)
{
    const xmlNode *other = element_first(element->parent);
    while (!element_is(other, (const char *)element->name))
        other = element_next(other);
    return other == element || xml_fail(file, EBADMSG, xml_line(element),
                                        "%s is there already, in line %ld; make one of the two",
                                        (const char *)element->name, xml_line(other));
}

static bool load_row(struct xml_file *file, const xmlNode *element, struct config *config,
                     enum row_kind kind)
{
    struct row *row = attributes_row(file, element, kind, NULL, 0, false);
    if (!row)
        return false;
    const char *fault = row_fault(row);
    if (fault) {
        char place[XML_QUOTE_SIZE * 2];
        row_free(row);
        return xml_fail(file, EBADMSG, xml_line(element), "%s: %s; see dcamp.xml(5)",
                        xml_place(place, element), fault);
    }
    row->status = ROW_ACTIVE;
    row->storage = STORAGE_PERMANENT;
    row->origin = row_checksum(row);
    return attributes_add_row(file, element, config, row);
}

static bool load_rows(struct xml_file *file, const xmlNode *list, struct config *config,
                      enum row_kind kind)
{
    const char *name = row_type(kind)->element;
    if (!attributes_read(file, list, NULL, 0))
        return false;
    for (const xmlNode *element = element_first(list); element; element = element_next(element)) {
        if (!element_is(element, name))
            return unknown_element(file, element, name);
        if (!load_row(file, element, config, kind))
            return false;
    }
    return true;
}

static bool load_settings(struct xml_file *file, const xmlNode *element, struct config *config,
                          const struct settings *settings)
{
    struct target target = {
        .base = config, .fields = settings->fields, .n_fields = settings->n_fields};
    if (!attributes_read(file, element, &target, 1))
        return false;
    if (!config->node.name[0])
        settings_host_name(config->node.name);
    char place[XML_QUOTE_SIZE * 2];
    const char *fault = settings_fault(config);
    return !fault ||
           xml_fail(file, EBADMSG, xml_line(element), "%s: %s", xml_place(place, element), fault);
}

static bool load_element(struct xml_file *file, const xmlNode *element, struct config *config)
{
    const struct settings *settings = settings_find((const char *)element->name);
    enum row_kind kind = list_kind(element);
    if (!settings && kind == ROW_KINDS)
        return unknown_in_root(file, element);
    if (!check_single(file, element))
        return false;
    return settings ? load_settings(file, element, config, settings)
                    : load_rows(file, element, config, kind);
}

static bool load_elements(struct xml_file *file, struct config *config)
{
    /* The version was looked at already. */
    static const struct field version = {
        .name = "version", .type = FIELD_COUNT, .min = 1, .max = 1, .expect = "1"};
    const xmlNode *root = xmlDocGetRootElement(file->doc);
    uint32_t ignored;
    struct target target = {.base = &ignored, .fields = &version, .n_fields = 1};
    if (!attributes_read(file, root, &target, 1))
        return false;
    for (const xmlNode *element = element_first(root); element; element = element_next(element))
        if (!load_element(file, element, config))
            return false;
    return true;
}

static bool unknown_name(struct xml_file *file, const struct config *config,
                         const xmlAttr *attribute, enum row_kind kind, const char *name)
{
    char place[XML_QUOTE_SIZE * 2], hint[NAME_SIZE + 32];
    const char *what = row_type(kind)->element;
    struct nearest nearest = {.text = name};
    for (struct index_node *node = index_first(&config->rows[kind]); node; node = index_next(node))
        nearest_offer(&nearest, ((struct row *)node)->name);
    if (nearest.best)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", nearest.best);
    else
        snprintf(hint, sizeof hint, "add it or name another");
    return xml_fail(
        file, EBADMSG, xml_attribute_line(attribute), "%s: %s=\"%s\" is not a %s of this file; %s",
        xml_place(place, attribute->parent), (const char *)attribute->name, name, what, hint);
}

/* The file must be complete in itself. Over SNMP, rows come in any order. */
static bool check_reference(struct xml_file *file, const struct config *config,
                            const xmlNode *element, const char *attribute_name, enum row_kind kind)
{
    xmlAttrPtr attribute = xmlHasProp(element, (const xmlChar *)attribute_name);
    if (!attribute)
        return true;
    char *name = xml_value(attribute);
    if (!name)
        return xml_fail(file, ENOMEM, 0, "out of memory");
    bool known = !name[0] || config_find(config, kind, name) ||
                 unknown_name(file, config, attribute, kind, name);
    free(name);
    return known;
}

static const struct sensor_row *sensor_row_of(void *context, const char *name)
{
    return (const struct sensor_row *)config_find(context, ROW_SENSOR, name);
}

static bool check_expression(struct xml_file *file, struct config *config, const xmlNode *element)
{
    xmlAttrPtr attribute = xmlHasProp(element, (const xmlChar *)"expression");
    xmlAttrPtr name_attribute = xmlHasProp(element, (const xmlChar *)"name");
    char *name = attribute && name_attribute ? xml_value(name_attribute) : NULL;
    const struct sensor_row *row = name ? sensor_row_of(config, name) : NULL;
    free(name);
    struct derived_fault fault;
    if (!row || !row->expression[0] || derived_check(row, sensor_row_of, config, true, &fault))
        return true;
    char place[XML_QUOTE_SIZE * 2], hint[NAME_SIZE + 32] = "";
    struct nearest nearest = {.text = fault.unknown};
    for (struct index_node *node = index_first(&config->rows[ROW_SENSOR]); node && fault.unknown[0];
         node = index_next(node))
        nearest_offer(&nearest, ((struct row *)node)->name);
    if (nearest.best)
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest.best);
    return xml_fail(file, EBADMSG, xml_attribute_line(attribute),
                    "%s: expression, column %zu: %s%s", xml_place(place, element),
                    fault.error.column, fault.error.text, hint);
}

/* What is watched may be an aggregate, or of children, which know it and not this file. */
static bool is_watched_elsewhere(const struct config *config, const xmlNode *element)
{
    xmlAttrPtr attribute = xmlHasProp(element, (const xmlChar *)"name");
    char *name = attribute ? xml_value(attribute) : NULL;
    const struct threshold_row *row =
        name ? (const struct threshold_row *)config_find(config, ROW_THRESHOLD, name) : NULL;
    free(name);
    return row &&
           (row->children[0] || row->groups[0] || config_find(config, ROW_AGGREGATE, row->sensor));
}

static bool check_references(struct xml_file *file, struct config *config)
{
    const xmlNode *root = xmlDocGetRootElement(file->doc);
    for (const xmlNode *list = element_first(root); list; list = element_next(list))
        for (const xmlNode *row = element_first(list); row; row = element_next(row)) {
            if (element_is(row, "sensor") &&
                !check_reference(file, config, row, "filter", ROW_FILTER))
                return false;
            if (element_is(row, "child") &&
                !check_reference(file, config, row, "credential", ROW_CREDENTIAL))
                return false;
            if ((element_is(row, "aggregate") || element_is(row, "object")) &&
                !check_reference(file, config, row, "filter", ROW_FILTER))
                return false;
            if (element_is(row, "threshold") && !is_watched_elsewhere(config, row) &&
                !check_reference(file, config, row, "sensor", ROW_SENSOR))
                return false;
            if (element_is(row, "threshold") &&
                !check_reference(file, config, row, "disabled-by", ROW_THRESHOLD))
                return false;
            if (element_is(row, "child") &&
                !check_reference(file, config, row, "behind", ROW_CHILD))
                return false;
            if (element_is(row, "sensor") && !check_expression(file, config, row))
                return false;
        }
    return true;
}

/* A path that is too long for dirname's copy is too long for the schema beside it, too. */
static void note_directory(struct config *config, const char *name)
{
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s", name) >= (int)sizeof copy)
        return;
    const char *dir = dirname(copy);
    if (strlen(dir) < sizeof config->schema_dir)
        memcpy(config->schema_dir, dir, strlen(dir) + 1);
}

static struct config *load(struct xml_file *file, const char *bytes, size_t len)
{
    struct config *config = config_new();
    if (!config) {
        xml_fail(file, ENOMEM, 0, "out of memory");
        return NULL;
    }
    note_directory(config, file->name);
    if (xml_parse(file, bytes, len, "dcamp") && load_elements(file, config) &&
        check_references(file, config) && xml_validate(file, "dcamp.xsd", config->schema_dir)) {
        uint8_t digest[CONFIG_DIGEST];
        config->serial = 0;
        config_touch(config);
        config_digest(config, digest); /* of all rows, while nobody waits for it */
        return config;
    }
    config_free(config);
    return NULL;
}

struct config *config_load_memory(const char *name, const char *bytes, size_t len,
                                  char error[CONFIG_ERROR_SIZE])
{
    struct xml_file file;
    xml_open(&file, name, error);
    if (len > FILE_SIZE_MAX)
        xml_fail(&file, EBADMSG, 0, "is too large; the most that is read is %u MiB",
                 FILE_SIZE_MAX >> 20);
    struct config *config = file.code ? NULL : load(&file, bytes, len);
    xml_close(&file);
    return config;
}

struct config *config_load(const char *path, char error[CONFIG_ERROR_SIZE])
{
    struct xml_file file;
    size_t len;
    xml_open(&file, path, error);
    char *bytes = xml_read(&file, FILE_SIZE_MAX, &len);
    if (!bytes)
        return NULL;
    struct config *config = config_load_memory(path, bytes, len, error);
    free(bytes);
    return config;
}
