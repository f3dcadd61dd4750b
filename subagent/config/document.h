/* Inside config/: what is common to the documents that a configuration is read from, which are
 * dcamp.xml, shares and the tree document: elements that occur once, and lists of rows. */
#ifndef DCAMP_CONFIG_DOCUMENT_H
#define DCAMP_CONFIG_DOCUMENT_H

#include "config/config.h"
#include "config/xml.h"

/* Largest sizes in octets: of what is sent to the nodes of a tree; and of a file, in which 100,000
 * children take 9 MiB. */
#define DOCUMENT_SIZE_MAX (8u << 20)
#define CONFIG_FILE_SIZE_MAX (32u << 20)

/* Whether the text is not longer than most, which is one of these sizes. */
bool document_fits(struct xml_file *file, size_t len, uint32_t most);

/* Tells that the configuration is as its document says: it gets its first serial and its digest. */
void document_loaded(struct config *config);

/* Refuses an element that may not stand there. meant: the nearest of those that may, or NULL.
 * Always returns false. */
bool document_unknown(struct xml_file *file, const xmlNode *element, const char *meant);

/* Whether the element is the first of its name in its parent; otherwise it is refused. */
bool document_is_single(struct xml_file *file, const xmlNode *element);

/* Whether the root element has no attribute but its version, which was checked before. */
bool document_has_version(struct xml_file *file);

/* Adds the rows of a list such as <sensors>. They become active and permanent, and must not have a
 * fault in themselves. */
bool document_rows(struct xml_file *file, const xmlNode *list, struct config *config,
                   enum row_kind kind);

/* Checks that all rows in the lists of parent have no fault in relation to the rows of config,
 * which has rows of those names. where: what the rows are in, for the start of the message: "", "in
 * group \"web\", ". */
bool document_check_rows(struct xml_file *file, const xmlNode *parent, const struct config *config,
                         const char *where);

/* The directory of a file; "" if the name is too long. */
void document_directory(const char *name, char *directory, size_t size);

#endif
