#include "config/xml_write.h"

#include <string.h>

void open_element(struct output *out, const char *name)
{
    out->failed |= xmlTextWriterStartElement(out->writer, (const xmlChar *)name) < 0;
}

void close_element(struct output *out)
{
    out->failed |= xmlTextWriterEndElement(out->writer) < 0;
}

void put_attribute(struct output *out, const char *name, const char *value)
{
    out->failed |=
        xmlTextWriterWriteAttribute(out->writer, (const xmlChar *)name, (const xmlChar *)value) < 0;
}

void put_fields(struct output *out, const void *base, const struct fields *fields)
{
    char text[MESSAGE_SIZE];
    for (size_t i = 0; i < fields->n; i++) {
        const struct field *field = &fields->fields[i];
        size_t len = field_get(base, field, text);
        if (field->initial && (len == 0 || strcmp(text, field->initial) == 0))
            continue;
        put_attribute(out, field->name, text);
    }
}

void put_given(struct output *out, const struct row *row, uint32_t given)
{
    const struct row_type *type = row_type(row->kind);
    char text[MESSAGE_SIZE];
    for (size_t i = 0; i < type->n_fields; i++) {
        if (!(given & UINT32_C(1) << i))
            continue;
        field_text(row, &type->fields[i], text);
        put_attribute(out, type->fields[i].name, text);
    }
}

void put_declaration(struct output *out)
{
    out->failed |= xmlTextWriterSetIndent(out->writer, 1) < 0;
    out->failed |= xmlTextWriterStartDocument(out->writer, NULL, "UTF-8", NULL) < 0;
}

char *written(void (*write)(struct output *out, const void *what), const void *what, size_t *len)
{
    xmlBufferPtr buffer = xmlBufferCreate();
    if (!buffer)
        return NULL;
    xmlBufferSetAllocationScheme(buffer, XML_BUFFER_ALLOC_DOUBLEIT);
    char *text = NULL;
    struct output out = {.writer = xmlNewTextWriterMemory(buffer, 0)};
    if (out.writer) {
        write(&out, what);
        out.failed |= xmlTextWriterFlush(out.writer) < 0;
        xmlFreeTextWriter(out.writer);
        *len = (size_t)xmlBufferLength(buffer);
        text = out.failed ? NULL : (char *)xmlBufferDetach(buffer);
    }
    xmlBufferFree(buffer);
    return text;
}
