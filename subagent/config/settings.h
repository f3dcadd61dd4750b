/* Inside config/: the elements of dcamp.xml that hold settings, and their fields. */
#ifndef DCAMP_CONFIG_SETTINGS_H
#define DCAMP_CONFIG_SETTINGS_H

#include "config/config.h"

struct settings {
    const char *element;
    const struct field *fields; /* offsets into struct config */
    size_t n_fields;
};

/* All settings, from 0 on; NULL after the last. */
const struct settings *settings_get(size_t i);

/* Returns NULL if no settings have that element. */
const struct settings *settings_find(const char *element);

/* Sets all settings to their defaults, and the node's name to the host name. */
void settings_reset(struct config *config);

/* What is wrong with the settings as a whole, or NULL. */
const char *settings_fault(const struct config *config);

/* The host name up to its first dot, as far as that is valid as a name. */
void settings_host_name(char name[NAME_SIZE]);

#endif
