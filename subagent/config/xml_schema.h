/* Inside config/: whether an XML file matches its schema. */
#ifndef DCAMP_CONFIG_XML_SCHEMA_H
#define DCAMP_CONFIG_XML_SCHEMA_H

#include "config/xml.h"

/* Validates the file against the schema of that name, which is looked for in $DCAMP_SCHEMA_DIR,
 * else in beside (unless it is ""), else where it was installed. */
bool xml_validate(struct xml_file *file, const char *schema, const char *beside);

#endif
