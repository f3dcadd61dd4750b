/* Inside config/: what the tables of fields are written with. */
#ifndef DCAMP_CONFIG_ROW_FIELDS_H
#define DCAMP_CONFIG_ROW_FIELDS_H

#include "config/config.h"

#define N(array) (sizeof(array) / sizeof(array)[0])
#define LABELS(array) .labels = (array), .n_labels = N(array)

#define SECONDS(n) (INT64_C(1000) * (n))
#define DAYS(n) (SECONDS(86400) * (n))

/* What text_from_decimal can print. */
#define DECIMAL_MAX INT64_C(1000000000000000000)

#define A_NAME "a name of 1 to 32 of A-Z a-z 0-9 . _ -"
#define A_PATTERN "a list of patterns, up to 128 characters; write for example \"*\" or \"!lo *\""
#define A_DECIMAL "a decimal number; write for example \"90\" or \"-0.5\""
#define A_POSITIVE "a decimal number from 0 on; write for example \"1\" or \"0.5\""
#define AN_OID                                                                                     \
    "an object identifier in numbers, with 2 to 128 arcs and up to 255 characters; write it as "   \
    "snmptranslate -On prints it"
#define A_DURATION(from, to)                                                                       \
    "a duration from " from " to " to "; write for example \"500ms\", \"10s\" or \"5m\""

#define TYPE(name, columns, check)                                                                 \
    {                                                                                              \
        .element = #name, .size = sizeof(struct name##_row), .fields = (columns),                  \
        .n_fields = N(columns), .fault = (check)                                                   \
    }

extern const struct row_type row_type_object;
/* The row types of everything about alarms; NULL: it is none of these. */
const struct row_type *row_type_of_alarms(enum row_kind kind);

#endif
