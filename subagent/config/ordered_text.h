/* What the octets of a document contain. */
#ifndef DCAMP_CONFIG_ORDERED_TEXT_H
#define DCAMP_CONFIG_ORDERED_TEXT_H

#include "config/parcel.h"
#include "config/tree_config.h"

/* Reads a share into a configuration, as share_load does. schema_dir: where the schema may lie,
 * too. NULL on failure; then error is one line, and errno is ENOMEM if there is no memory. */
struct config *ordered_share(const struct parcel *parcel, const char *schema_dir,
                             struct assignment *assignment, char error[CONFIG_ERROR_SIZE]);

/* The text of a tree document, which is valid, malloced; len: without its NUL. NULL on failure, as
 * above. */
char *ordered_tree(const struct parcel *parcel, const char *schema_dir, size_t *len,
                   char error[CONFIG_ERROR_SIZE]);

#endif
