/* Fields: how a member of a struct is written as text and as a number, and which values it takes.
 *
 * Tables of them describe the rows of the configuration, the settings and the state file; the XML
 * reader, the state file and the columns of the MIB all go through those tables. */
#ifndef DCAMP_CONFIG_FIELD_H
#define DCAMP_CONFIG_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* A decimal as it was written, so that it is published as it was written. */
struct decimal {
    char text[DECIMAL_SIZE]; /* "" : not given */
    double value;
};

enum field_type {
    FIELD_NAME,       /* char[NAME_SIZE], text_is_name; optional ones may be empty */
    FIELD_METRIC,     /* char[NAME_SIZE], a name in the registry */
    FIELD_PATTERN,    /* char[PATTERN_SIZE], printable */
    FIELD_TEXT,       /* char[size], printable (text_is_printable) */
    FIELD_EXPRESSION, /* char[size], empty or an expression that can be parsed */
    FIELD_PEER,       /* char[PEER_ADDRESS_SIZE], a numeric address: base/limits.h */
    FIELD_OID,        /* char[OID_TEXT_SIZE], an object identifier in numbers: base/oid.h; optional
                       * ones may be empty, which is 0.0, too */
    FIELD_DECIMAL,    /* struct decimal; optional ones may be empty */
    FIELD_MILLIS,     /* uint32_t; XML: a duration with unit; SNMP: milliseconds */
    FIELD_COUNT,      /* uint32_t; optional ones may be empty: COUNT_NOT_GIVEN */
    FIELD_DATE, /* int64_t, milliseconds since 1970 UTC, 0: not given; XML: as RFC 3339 has it */
    FIELD_ENUM, /* int-sized enum; labels[value] are its names, NULL where there is none */
    FIELD_BITS, /* uint32_t, a set; labels[bit] are its names; XML: those with blanks between */
    /* No table of the MIB has fields of these types. */
    FIELD_PATH,    /* char[size], an absolute path */
    FIELD_ADDRESS, /* char[size], an IPv4 address or nothing */
    FIELD_OCTETS,  /* char[size], any octets but NUL; XML: with %XX as in RFC 3986 */
    FIELD_HEX,     /* uint8_t[size]: how many octets, and then them; XML: hexadecimal digits */
    FIELD_KEY, /* uint8_t *: the same, malloced, as few rows have any; NULL: none. No message shows
                * the value. Who copies the struct calls fields_copy_keys, who frees it
                * fields_free_keys */
    FIELD_SECONDS, /* uint32_t; XML: a duration with unit, in whole seconds */
    FIELD_SIZE,    /* uint64_t, octets; XML: a number, with k, M or G behind it */
    FIELD_INTEGER, /* int64_t */
    FIELD_MASK     /* uint64_t; XML: hexadecimal */
};

#define COUNT_NOT_GIVEN UINT32_MAX

/* What another value of a field means for what runs on the row: a sensor, an aggregate ... */
enum field_change {
    CHANGE_NOT_SAID,  /* it is no field of a row */
    CHANGE_RESTARTS,  /* what runs on the row ends, and begins anew as the row says now */
    CHANGE_CONTINUES, /* what runs on the row goes on, and has the new value from now on */
    CHANGE_DEPENDS    /* on the other fields, too: restarts of the row type says it */
};

struct field {
    const char *name; /* XML attribute */
    enum field_type type;
    size_t offset; /* in the row */
    enum field_change change;
    size_t size; /* of the text array, where the type leaves it open */
    int64_t min,
        max; /* of MILLIS, COUNT, SECONDS, SIZE, INTEGER, and of the decimal's whole range */
    const char *zero; /* of MILLIS, SECONDS, SIZE: the word that 0 is written as, whatever min
                       * says; or NULL */
    const char *const *labels;
    size_t n_labels;
    const char *initial; /* default, as XML text; NULL: must be given; "": optional */
    const char *expect;  /* what would be right: "a duration from 100ms to 1d" */
};

/* All fields of a struct. */
struct fields {
    const struct field *fields;
    size_t n;
};

/* An expression is parsed, and a key kept, which takes memory. */
enum field_status { FIELD_OK, FIELD_WRONG_LENGTH, FIELD_WRONG_VALUE, FIELD_NO_MEMORY };

/* Sets a field of the struct at base from text as XML has it, of len octets (not terminated). The
 * struct is unchanged unless FIELD_OK. */
enum field_status field_put(void *base, const struct field *field, const char *text, size_t len);
/* The text that field_put takes; its length is returned. */
size_t field_get(const void *base, const struct field *field, char text[MESSAGE_SIZE]);

/* Sets and gives MILLIS, COUNT, ENUM, DATE and BITS as the number that SNMP has, bit 0 being 1. */
enum field_status field_put_number(void *base, const struct field *field, int64_t number);
int64_t field_get_number(const void *base, const struct field *field);

/* Whether the field has the same value in both structs, in the same spelling where it is text. */
bool field_same(const void *a, const void *b, const struct field *field);

/* Gives every field that has one its default. */
void fields_reset(void *base, const struct field *fields, size_t n);

/* Of a copy of the octets of a struct: it gets keys of its own. False: no memory, it has none. */
bool fields_copy_keys(void *base, const struct field *fields, size_t n);
/* Overwrites and frees them; the struct has none then. */
void fields_free_keys(void *base, const struct field *fields, size_t n);

/* How many octets a key has. */
static inline uint8_t key_length(const uint8_t *key)
{
    return key ? key[0] : 0;
}

const struct field *fields_find(const struct field *fields, size_t n, const char *name);

#endif
