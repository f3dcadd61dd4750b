#include "config/document.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/attributes.h"
#include "config/fault.h"

bool document_fits(struct xml_file *file, size_t len, uint32_t most)
{
    return len <= most ||
           xml_fail(file, EBADMSG, 0, "is too large; the most that is read is %u MiB", most >> 20);
}

void document_loaded(struct config *config)
{
    uint8_t digest[CONFIG_DIGEST];
    config->serial = 0;
    config_touch(config);
    config_digest(config, digest); /* computed now for all rows, while nobody waits for it */
}

bool document_unknown(struct xml_file *file, const xmlNode *element, const char *meant)
{
    return xml_fail(file, EBADMSG, xml_line(element), "%s: there is no element %.64s; %s%s%s",
                    (const char *)element->parent->name, (const char *)element->name,
                    meant ? "did you mean " : "see ", meant ? meant : file->manual,
                    meant ? "?" : "");
}

bool document_is_single(struct xml_file *file, const xmlNode *element)
{
    const xmlNode *other = element_first(element->parent);
    while (!element_is(other, (const char *)element->name))
        other = element_next(other);
    return other == element || xml_fail(file, EBADMSG, xml_line(element),
                                        "%s is there already, in line %ld; make one of the two",
                                        (const char *)element->name, xml_line(other));
}

bool document_has_version(struct xml_file *file)
{
    static const struct field version = {
        .name = "version", .type = FIELD_COUNT, .min = 1, .max = 1, .expect = "1"};
    uint32_t ignored;
    struct target target = {.base = &ignored, .fields = &version, .n_fields = 1};
    return attributes_read(file, xmlDocGetRootElement(file->doc), &target, 1);
}

/* -- Rows ------------------------------------------------------------------------------------ */

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

bool document_rows(struct xml_file *file, const xmlNode *list, struct config *config,
                   enum row_kind kind)
{
    const char *name = row_type(kind)->element;
    if (!attributes_read(file, list, NULL, 0))
        return false;
    for (const xmlNode *element = element_first(list); element; element = element_next(element)) {
        if (!element_is(element, name))
            return document_unknown(file, element, name);
        if (!load_row(file, element, config, kind))
            return false;
    }
    return true;
}

static bool check_row(struct xml_file *file, const xmlNode *element, const struct config *config,
                      enum row_kind kind, const char *where)
{
    char place[XML_QUOTE_SIZE * 2], text[FAULT_SIZE];
    xmlAttrPtr attribute = xmlHasProp(element, (const xmlChar *)"name");
    char *name = attribute ? xml_value(attribute) : NULL;
    if (!name)
        return xml_fail(file, ENOMEM, 0, "out of memory");
    const struct row *row = config_find(config, kind, name);
    free(name);
    const struct field *field = row ? fault_of_references(config, row, "file", text) : NULL;
    if (!field)
        return true;
    attribute = xmlHasProp(element, (const xmlChar *)field->name);
    return xml_fail(file, EBADMSG, attribute ? xml_attribute_line(attribute) : xml_line(element),
                    "%s%s: %s", where, xml_place(place, element), text);
}

bool document_check_rows(struct xml_file *file, const xmlNode *parent, const struct config *config,
                         const char *where)
{
    for (const xmlNode *list = element_first(parent); list; list = element_next(list)) {
        enum row_kind kind = list_kind(list);
        const xmlNode *element = kind == ROW_KINDS ? NULL : element_first(list);
        if (kind == ROW_SINK && config->rows[kind].count > SINKS_MAX)
            return xml_fail(file, EBADMSG, xml_line(list), "%ssinks: there are %zu; the most is %d",
                            where, config->rows[kind].count, SINKS_MAX);
        for (; element; element = element_next(element))
            if (!check_row(file, element, config, kind, where))
                return false;
    }
    return true;
}

/* -- Files ----------------------------------------------------------------------------------- */

void document_directory(const char *name, char *directory, size_t size)
{
    char copy[PATH_MAX];
    directory[0] = '\0';
    if (snprintf(copy, sizeof copy, "%s", name) >= (int)sizeof copy)
        return;
    const char *dir = dirname(copy);
    if (strlen(dir) < size)
        memcpy(directory, dir, strlen(dir) + 1);
}
