/* Fields: how a member of a struct is written as text and as a number, and which values it takes.
 *
 * Tables of fields describe the rows of the configuration, the settings and the state file; the XML
 * reader, the state file and the columns of the MIB all use those tables. */
#ifndef DCAMP_CONFIG_FIELD_H
#define DCAMP_CONFIG_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* A decimal together with its text, so that it is published as it was written. */
struct decimal {
    char text[DECIMAL_SIZE]; /* "": not given */
    double value;
};

enum field_type {
    FIELD_NAME,       /* char[NAME_SIZE], text_is_name; optional ones may be empty */
    FIELD_METRIC,     /* char[NAME_SIZE], a name in the registry */
    FIELD_PATTERN,    /* char[PATTERN_SIZE], printable */
    FIELD_TEXT,       /* char[size], printable (text_is_printable) */
    FIELD_EXPRESSION, /* char[size], empty or an expression that can be parsed */
    FIELD_PEER,       /* char[PEER_ADDRESS_SIZE], a numeric address: base/limits.h */
    FIELD_OID, /* char[OID_TEXT_SIZE], an object identifier in numbers: base/oid.h; optional ones
                  may be empty, for which 0.0 may be written, too */
    FIELD_DECIMAL, /* struct decimal; optional ones may be empty */
    FIELD_MILLIS,  /* uint32_t; XML: a duration with unit; SNMP: milliseconds */
    FIELD_COUNT,   /* uint32_t; optional ones may be empty: COUNT_NOT_GIVEN */
    FIELD_DATE,    /* int64_t, milliseconds since 1970 UTC, 0: not given; XML: as in RFC 3339 */
    FIELD_ENUM,    /* int-sized enum; labels[value] are its names, NULL for unused values */
    FIELD_BITS,    /* uint32_t, a set; labels[bit] are its names; XML: names with blanks between */
    /* The fields of these types are not in any table of the MIB. */
    FIELD_PATH,    /* char[size], an absolute path */
    FIELD_ADDRESS, /* char[size], an IPv4 address or nothing */
    FIELD_OCTETS,  /* char[size], any octets but NUL; XML: with %XX as in RFC 3986 */
    FIELD_HEX, /* uint8_t[size]: the number of octets, then the octets; XML: hexadecimal digits */
    FIELD_KEY, /* uint8_t *: the same, malloced, as only few rows have one; NULL: none. No message
                  shows the value. Whoever copies the struct must call fields_copy_keys, whoever
                  frees it fields_free_keys */
    FIELD_SECONDS, /* uint32_t; XML: a duration with unit, in whole seconds */
    FIELD_SIZE,    /* uint64_t, octets; XML: a number, with k, M or G behind it */
    FIELD_INTEGER, /* int64_t */
    FIELD_MASK     /* uint64_t; XML: hexadecimal */
};

#define COUNT_NOT_GIVEN UINT32_MAX

/* What a change of a field means for what runs on the row: a sensor, an aggregate ... */
enum field_change {
    CHANGE_NOT_SAID,  /* the field is not one of a row */
    CHANGE_RESTARTS,  /* what runs on the row ends, and begins anew with the new values */
    CHANGE_CONTINUES, /* what runs on the row continues, and uses the new value from now on */
    CHANGE_DEPENDS    /* it depends on the other fields, too: see restarts of the row type */
};

struct field {
    const char *name; /* XML attribute */
    enum field_type type;
    size_t offset; /* in the row */
    enum field_change change;
    size_t size; /* of the text array, if the type does not imply it */
    int64_t min,
        max; /* of MILLIS, COUNT, SECONDS, SIZE and INTEGER; of a decimal, in whole numbers */
    const char *zero; /* of MILLIS, SECONDS, SIZE: the word that is written for 0, which is allowed
                         whatever min is; or NULL */
    const char *const *labels;
    size_t n_labels;
    const char *initial; /* default, as XML text; NULL: must be given; "": optional */
    const char *expect;  /* what would be valid: "a duration from 100ms to 1d" */
};

/* All fields of a struct. */
struct fields {
    const struct field *fields;
    size_t n;
};

/* FIELD_NO_MEMORY: memory is needed to parse an expression, and to keep a key. */
enum field_status { FIELD_OK, FIELD_WRONG_LENGTH, FIELD_WRONG_VALUE, FIELD_NO_MEMORY };

/* Sets a field of the struct at base from its text in XML, of len octets (not terminated). The
 * struct is unchanged unless the result is FIELD_OK. */
enum field_status field_put(void *base, const struct field *field, const char *text, size_t len);
/* Writes the text that field_put takes, and returns its length. */
size_t field_get(const void *base, const struct field *field, char text[MESSAGE_SIZE]);

/* Set and get MILLIS, COUNT, ENUM, DATE and BITS as numbers of SNMP; bit 0 is 1. */
enum field_status field_put_number(void *base, const struct field *field, int64_t number);
int64_t field_get_number(const void *base, const struct field *field);

/* Whether the field has the same value in both structs; texts must have the same spelling. */
bool field_same(const void *a, const void *b, const struct field *field);

/* Sets every field that has a default to it. */
void fields_reset(void *base, const struct field *fields, size_t n);

/* For a struct whose octets were copied: gives it keys of its own. False: there is no memory, and
 * it has no keys. */
bool fields_copy_keys(void *base, const struct field *fields, size_t n);
/* Overwrites and frees the keys; the struct has none afterwards. */
void fields_free_keys(void *base, const struct field *fields, size_t n);

/* The number of octets of a key. */
static inline uint8_t key_length(const uint8_t *key)
{
    return key ? key[0] : 0;
}

const struct field *fields_find(const struct field *fields, size_t n, const char *name);

#endif
