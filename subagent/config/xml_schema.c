#include "config/xml_schema.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlschemas.h>

/* The folder in which the schemas are installed; configure sets it. */
#ifndef DCAMP_SCHEMA_DIR
#define DCAMP_SCHEMA_DIR "/usr/share/dcamp"
#endif

static bool find_schema(struct xml_file *file, const char *schema, const char *beside,
                        char path[PATH_MAX])
{
    const char *given = getenv("DCAMP_SCHEMA_DIR");
    const char *dirs[] = {given ? given : "", beside, DCAMP_SCHEMA_DIR};
    for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
        int n = snprintf(path, PATH_MAX, "%s/%s", dirs[i], schema);
        if (dirs[i][0] && n < PATH_MAX && access(path, R_OK) == 0)
            return true;
    }
    return xml_fail(file, ENOPKG, 0,
                    "cannot be checked: %s is neither beside it nor in %s; install it there",
                    schema, DCAMP_SCHEMA_DIR);
}

static void on_schema_error(void *context, xmlErrorPtr error)
{
    if (error->level < XML_ERR_ERROR)
        return;
    if (error->code == XML_ERR_NO_MEMORY) {
        xml_fail(context, ENOMEM, 0, "out of memory");
        return;
    }
    char prefix[PATH_MAX + 64];
    snprintf(prefix, sizeof prefix,
             "cannot be checked: %.300s:%d: ", error->file ? error->file : "the schema",
             error->line);
    xml_fail_message(context, ENOPKG, 0, prefix, error->message);
}

static xmlSchemaPtr read_schema(struct xml_file *file, const char *path)
{
    xmlSchemaParserCtxtPtr parser = xmlSchemaNewParserCtxt(path);
    if (!parser) {
        xml_fail(file, ENOMEM, 0, "out of memory");
        return NULL;
    }
    /* Errors in the schema go to the context, and errors in its XML to the thread. */
    xmlSchemaSetParserStructuredErrors(parser, on_schema_error, file);
    xmlSetStructuredErrorFunc(file, on_schema_error);
    xmlSchemaPtr schema = xmlSchemaParse(parser);
    xmlSetStructuredErrorFunc(NULL, NULL);
    xmlSchemaFreeParserCtxt(parser);
    if (!schema)
        xml_fail(file, ENOPKG, 0, "cannot be checked: %s is not a schema; install it again", path);
    return schema;
}

static void on_invalid(void *context, xmlErrorPtr error)
{
    if (error->level < XML_ERR_ERROR)
        return;
    long line = error->node ? xml_line(error->node) : error->line;
    if (error->code == XML_ERR_NO_MEMORY)
        xml_fail(context, ENOMEM, 0, "out of memory");
    else
        xml_fail_message(context, EBADMSG, line, "", error->message);
}

static bool validate(struct xml_file *file, xmlSchemaPtr schema)
{
    xmlSchemaValidCtxtPtr valid = xmlSchemaNewValidCtxt(schema);
    if (!valid)
        return xml_fail(file, ENOMEM, 0, "out of memory");
    xmlSchemaSetValidStructuredErrors(valid, on_invalid, file);
    if (xmlSchemaValidateDoc(valid, file->doc) != 0)
        xml_fail(file, EBADMSG, 1, "does not match its schema");
    xmlSchemaFreeValidCtxt(valid);
    return !file->code;
}

bool xml_validate(struct xml_file *file, const char *schema_name, const char *beside)
{
    char path[PATH_MAX];
    if (!find_schema(file, schema_name, beside, path))
        return false;
    xmlSchemaPtr schema = read_schema(file, path);
    bool valid = schema && validate(file, schema);
    xmlSchemaFree(schema);
    return valid;
}
