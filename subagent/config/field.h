/* Inside config/: fields of any struct, not only of rows. */
#ifndef DCAMP_CONFIG_FIELD_H
#define DCAMP_CONFIG_FIELD_H

#include "config/config.h"

/* As field_set_text and field_text, with the offsets counted from base. */
enum field_status field_put(void *base, const struct field *field, const char *text, size_t len);
size_t field_get(const void *base, const struct field *field, char text[MESSAGE_SIZE]);

/* Whether the field has the same value in both structs, in the same spelling where it is text. */
bool field_same(const void *a, const void *b, const struct field *field);

/* Gives every field that has one its default. */
void fields_reset(void *base, const struct field *fields, size_t n);

const struct field *fields_find(const struct field *fields, size_t n, const char *name);

#endif
