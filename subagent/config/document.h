/* Inside config/: what the documents have in common that a configuration is read from, dcamp.xml,
 * shares and the tree document: elements that stand once, and lists of rows. */
#ifndef DCAMP_CONFIG_DOCUMENT_H
#define DCAMP_CONFIG_DOCUMENT_H

#include "config/config.h"
#include "config/xml.h"

/* Octets: of what a tree is told, which is sent; and of a file, where 100,000 children take 9 MiB.
 */
#define DOCUMENT_SIZE_MAX (8u << 20)
#define CONFIG_FILE_SIZE_MAX (32u << 20)

/* Whether the text is not longer than most, one of these. */
bool document_fits(struct xml_file *file, size_t len, uint32_t most);

/* The configuration is as its document has it: its first serial, its digest. */
void document_loaded(struct config *config);

/* Refuses an element: it is none of those that may stand there. meant: the nearest of them, or
 * NULL. Always false. */
bool document_unknown(struct xml_file *file, const xmlNode *element, const char *meant);

/* Whether the element is the first of its name in its parent. */
bool document_is_single(struct xml_file *file, const xmlNode *element);

/* Whether the root element has no attributes but its version, which was looked at already. */
bool document_has_version(struct xml_file *file);

/* Adds the rows of a list, <sensors>. They are active, permanent and without a fault in
 * themselves. */
bool document_rows(struct xml_file *file, const xmlNode *list, struct config *config,
                   enum row_kind kind);

/* Whether all rows in the lists of parent are without a fault among the rows of config, which has
 * rows of those names. where: what the rows are in, at the start of the message: "", "in group
 * \"web\", ". */
bool document_check_rows(struct xml_file *file, const xmlNode *parent, const struct config *config,
                         const char *where);

/* The directory of a file; "" if it is too long. */
void document_directory(const char *name, char *directory, size_t size);

#endif
