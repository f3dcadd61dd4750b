/* Inside config/: writing XML files. */
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

/* Writes the fields as attributes, without those that have their defaults. */
void put_fields(struct output *out, const void *base, const struct fields *fields);

/* Writes the fields of a row whose bits are set in given; bit i is field i. */
void put_given(struct output *out, const struct row *row, uint32_t given);

/* Writes the declaration at the start; the elements that follow are indented. */
void put_declaration(struct output *out);

/* The text that a function writes, malloced; NULL: no memory. */
char *written(void (*write)(struct output *out, const void *what), const void *what, size_t *len);

#endif
