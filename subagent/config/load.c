#include "config/load.h"

#include <errno.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "config/attributes.h"
#include "config/document.h"
#include "config/settings.h"
#include "config/tree_fields.h"
#include "config/xml_schema.h"

static bool unknown_in_root(struct xml_file *file, const xmlNode *element)
{
    struct nearest nearest = {.text = (const char *)element->name};
    const struct settings *settings;
    for (size_t i = 0; (settings = settings_get(i)); i++)
        nearest_offer(&nearest, settings->element);
    for (int kind = 0; kind < ROW_KINDS; kind++)
        nearest_offer(&nearest, list_element((enum row_kind)kind));
    return document_unknown(file, element, nearest.best);
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

/* An assignment is part of a share, which tells a node its place; in dcamp.xml it would be told to
 * a node that is in no tree. */
static bool load_element(struct xml_file *file, const xmlNode *element, struct config *config)
{
    const struct settings *settings = settings_find((const char *)element->name);
    enum row_kind kind = list_kind(element);
    if (element_is(element, ASSIGNMENT_ELEMENT))
        return xml_fail(file, EBADMSG, xml_line(element),
                        "dcamp: only the share that the root of a tree makes for a node has an "
                        "assignment; remove it");
    if (!settings && kind == ROW_KINDS)
        return unknown_in_root(file, element);
    if (!document_is_single(file, element))
        return false;
    return settings ? load_settings(file, element, config, settings)
                    : document_rows(file, element, config, kind);
}

static bool load_elements(struct xml_file *file, struct config *config)
{
    const xmlNode *root = xmlDocGetRootElement(file->doc);
    if (!document_has_version(file))
        return false;
    for (const xmlNode *element = element_first(root); element; element = element_next(element))
        if (!load_element(file, element, config))
            return false;
    /* The file must be complete in itself. Only over SNMP may rows come in any order. */
    return document_check_rows(file, root, config, "");
}

static struct config *load(struct xml_file *file, const char *bytes, size_t len)
{
    struct config *config = config_new();
    if (!config) {
        xml_fail(file, ENOMEM, 0, "out of memory");
        return NULL;
    }
    document_directory(file->name, config->schema_dir, sizeof config->schema_dir);
    if (xml_parse(file, bytes, len, "dcamp") && load_elements(file, config) &&
        xml_validate(file, "dcamp.xsd", config->schema_dir)) {
        document_loaded(config);
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
    struct config *config =
        document_fits(&file, len, CONFIG_FILE_SIZE_MAX) ? load(&file, bytes, len) : NULL;
    xml_close(&file);
    return config;
}

struct config *config_load(const char *path, char error[CONFIG_ERROR_SIZE])
{
    struct xml_file file;
    size_t len;
    xml_open(&file, path, error);
    char *bytes = xml_read(&file, CONFIG_FILE_SIZE_MAX, &len);
    if (!bytes)
        return NULL;
    struct config *config = config_load_memory(path, bytes, len, error);
    free(bytes);
    return config;
}
