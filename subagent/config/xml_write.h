/* Inside config/: XML files as they are written. */
#ifndef DCAMP_CONFIG_XML_WRITE_H
#define DCAMP_CONFIG_XML_WRITE_H

#include <libxml/xmlwriter.h>

#include "config/row.h"

struct output {
    xmlTextWriterPtr writer;
    bool failed; /* no memory */
};

void open_element(struct output *out, const char *name);
void close_element(struct output *out);
void put_attribute(struct output *out, const char *name, const char *value);

/* The fields as attributes. What has its default is left out. */
void put_fields(struct output *out, const void *base, const struct fields *fields);

/* Fields of a row; bit i of given: field i. */
void put_given(struct output *out, const struct row *row, uint32_t given);

/* The declaration at the start; the elements that follow are indented. */
void put_declaration(struct output *out);

/* The text that a function writes, malloced; NULL: no memory. */
char *written(void (*write)(struct output *out, const void *what), const void *what, size_t *len);

#endif
