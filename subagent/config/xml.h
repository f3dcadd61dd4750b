/* Inside config/: XML files as trees, made from octets that may be hostile. A tree made by
 * xml_parse has the right root and version, no DTD, no namespaces and no deep nesting, and every
 * element and attribute knows its line. */
#ifndef DCAMP_CONFIG_XML_H
#define DCAMP_CONFIG_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <libxml/tree.h>

struct xml_file {
    const char *name;   /* in messages */
    const char *manual; /* the page about such files; dcamp.xml(5) unless it is set */
    char *error;        /* room for CONFIG_ERROR_SIZE: the first fault that was found */
    int code;           /* 0, or the errno of that; EBADMSG: the text is at fault */
    xmlDocPtr doc;
};

void xml_open(struct xml_file *file, const char *name, char *error);
void xml_close(struct xml_file *file);

/* Notes a fault, if it is the first; line 0: there is no line. Always returns false. */
bool xml_fail(struct xml_file *file, int code, long line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reads the octets of a regular file of that name; they are malloced. NULL on failure, which
 * includes ENOENT. */
char *xml_read(struct xml_file *file, size_t limit, size_t *len);

/* False with EBADMSG: the text is wrong; with ENOTSUP: its root has a version greater than ours,
 * which is 1. */
bool xml_parse(struct xml_file *file, const char *bytes, size_t len, const char *root);

/* The line of an element or attribute. */
long xml_line(const xmlNode *node);
long xml_attribute_line(const xmlAttr *attribute);

/* The value of an attribute, which the caller must free(); NULL: no memory. */
char *xml_value(const xmlAttr *attribute);

/* A text for a message: short, printable, and with quotes around it. */
#define XML_QUOTE_SIZE 80
const char *xml_quote(char quoted[XML_QUOTE_SIZE], const char *text);

/* Names an element: sensor "cpu.busy". */
const char *xml_place(char place[XML_QUOTE_SIZE * 2], const xmlNode *element);

/* Notes a fault with a message of libxml2, without the line end, blanks and full stops at its end.
 */
void xml_fail_message(struct xml_file *file, int code, long line, const char *prefix,
                      const char *message);

#endif
