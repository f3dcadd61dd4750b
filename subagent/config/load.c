#include "config/load.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "config/attributes.h"
#include "config/fault.h"
#include "config/settings.h"
#include "config/xml_schema.h"

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

/* The file must be complete in itself. Over SNMP, rows come in any order. */
static bool check_row(struct xml_file *file, const struct config *config, const xmlNode *element,
                      enum row_kind kind)
{
    char place[XML_QUOTE_SIZE * 2], text[FAULT_SIZE];
    xmlAttrPtr attribute = xmlHasProp(element, (const xmlChar *)"name");
    char *name = attribute ? xml_value(attribute) : NULL;
    const struct row *row = name ? config_find(config, kind, name) : NULL;
    free(name);
    const struct field *field = row ? fault_of_references(config, row, "file", text) : NULL;
    attribute = field ? xmlHasProp(element, (const xmlChar *)field->name) : NULL;
    return !attribute || xml_fail(file, EBADMSG, xml_attribute_line(attribute), "%s: %s",
                                  xml_place(place, element), text);
}

static bool check_references(struct xml_file *file, struct config *config)
{
    const xmlNode *root = xmlDocGetRootElement(file->doc);
    for (const xmlNode *list = element_first(root); list; list = element_next(list)) {
        enum row_kind kind = list_kind(list);
        const xmlNode *element = kind == ROW_KINDS ? NULL : element_first(list);
        for (; element; element = element_next(element))
            if (!check_row(file, config, element, kind))
                return false;
    }
    return true;
}

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
