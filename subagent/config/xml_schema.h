/* Inside config/: whether an XML file is as its schema says. */
#ifndef DCAMP_CONFIG_XML_SCHEMA_H
#define DCAMP_CONFIG_XML_SCHEMA_H

#include "config/xml.h"

/* Against the schema of that name, which is found in $DCAMP_SCHEMA_DIR, else in beside (unless it
 * is ""), else where it was installed. */
bool xml_validate(struct xml_file *file, const char *schema, const char *beside);

#endif
