/* Reads dcamp.xml into a struct config. */
#ifndef DCAMP_CONFIG_LOAD_H
#define DCAMP_CONFIG_LOAD_H

#include "config/config.h"

/* Reads a file and validates it against dcamp.xsd, which is looked for in $DCAMP_SCHEMA_DIR, else
 * beside the file, else where it was installed. NULL on failure; then error is one line:
 * "FILE:LINE: what is wrong; what would be right" (without LINE if the file cannot be read). */
struct config *config_load(const char *path, char error[CONFIG_ERROR_SIZE]);

/* The same from memory; name stands for the file in messages and in the search for the schema. */
struct config *config_load_memory(const char *name, const char *bytes, size_t len,
                                  char error[CONFIG_ERROR_SIZE]);

#endif
