/* Inside config/: XML files as trees, from hostile octets. A tree that xml_parse gives has the
 * right root and version, no DTD, no namespaces, no deep nesting, and every element and attribute
 * knows its line. */
#ifndef DCAMP_CONFIG_XML_H
#define DCAMP_CONFIG_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <libxml/tree.h>

struct xml_file {
    const char *name;   /* in messages */
    const char *manual; /* the page about such files; dcamp.xml(5) unless it is set */
    char *error;        /* of CONFIG_ERROR_SIZE: the first thing that was wrong */
    int code;           /* 0, or its errno; EBADMSG: the text is to blame */
    xmlDocPtr doc;
};

void xml_open(struct xml_file *file, const char *name, char *error);
void xml_close(struct xml_file *file);

/* Notes the first thing that is wrong; line 0: none. Always false. */
bool xml_fail(struct xml_file *file, int code, long line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The octets of a regular file of that name, malloced. NULL on failure; ENOENT is one. */
char *xml_read(struct xml_file *file, size_t limit, size_t *len);

/* EBADMSG: it is wrong; ENOTSUP: its root has a version of a number greater than 1, ours. */
bool xml_parse(struct xml_file *file, const char *bytes, size_t len, const char *root);

/* The line of an element or attribute. */
long xml_line(const xmlNode *node);
long xml_attribute_line(const xmlAttr *attribute);

/* Attribute values. The copy is free()d by the caller; NULL: no memory. */
char *xml_value(const xmlAttr *attribute);

/* Text for a message: short, printable, with quotes around it. */
#define XML_QUOTE_SIZE 80
const char *xml_quote(char quoted[XML_QUOTE_SIZE], const char *text);

/* Which element: sensor "cpu.busy". */
const char *xml_place(char place[XML_QUOTE_SIZE * 2], const xmlNode *element);

/* What comes after text in messages of libxml2 is stripped. */
void xml_fail_message(struct xml_file *file, int code, long line, const char *prefix,
                      const char *message);

#endif
