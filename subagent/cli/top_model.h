/* The rows of one screen of dcamp top: which there are, which of them the filter takes, in which
 * order, which one is selected, and from where on they are shown. Pure but for memory: it knows
 * neither a node nor a terminal. */
#ifndef DCAMP_CLI_TOP_MODEL_H
#define DCAMP_CLI_TOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "base/limits.h"

#define TOP_FIELDS_MAX 20
#define TOP_TEXT_SIZE (MESSAGE_SIZE + 1)
#define TOP_FILTER_SIZE 64

enum top_kind {
    TOP_TEXT,
    TOP_LABEL,   /* a number of the MIB that has a name; in the order of the numbers */
    TOP_DECIMAL, /* a number as decimal text */
    TOP_NUMBER,
    TOP_MILLI,  /* thousandths, shown as a percentage */
    TOP_KB,     /* kilobytes */
    TOP_MICROS, /* a span in microseconds, */
    TOP_SPAN,   /* and in milliseconds */
    TOP_TIME    /* milliseconds since 1970 UTC */
};

struct top_field {
    const char *name;    /* for programs */
    const char *heading; /* at most 12 characters of ASCII */
    enum top_kind kind;
    bool falling; /* if it is sorted by this one, the greatest comes first */
};

struct top_value {
    bool given;
    int64_t number;
    char *text; /* of TOP_TEXT, TOP_LABEL and TOP_DECIMAL: clean, as sheet_clean makes it */
};

struct top_row {
    UT_hash_handle hh;
    struct top_model *model;
    void *key;
    size_t key_len;
    unsigned round;  /* that saw it last */
    uint32_t loaded; /* bit 1 << field: it was read at least once */
    struct top_value values[TOP_FIELDS_MAX];
};

struct top_model {
    const struct top_field *fields;
    size_t n_fields;
    struct top_row *rows; /* by key */
    unsigned round;
    struct top_row **shown; /* that the filter takes, in their order */
    size_t n_shown, room;
    size_t sort; /* the field */
    bool reverse;
    char filter[TOP_FILTER_SIZE]; /* "": all; else what a row has somewhere, in any case */
    struct top_row *selected;     /* NULL: there is no row */
    size_t at;                    /* its place in shown */
    size_t first;                 /* the row at the top of the screen */
    size_t lines;                 /* how many there are for rows */
};

/* Fields stay the caller's; at most TOP_FIELDS_MAX. */
void top_model_init(struct top_model *model, const struct top_field *fields, size_t n, size_t sort);
void top_model_release(struct top_model *model);

/* Begins a round: rows that it does not see are removed at its end. */
void top_model_begin(struct top_model *model);

/* The row with this key, made if there is none, and seen in this round. NULL: no memory. */
struct top_row *top_model_row(struct top_model *model, const void *key, size_t key_len);

/* Removes the rows that this round has not seen. top_model_arrange() must follow. */
void top_model_end(struct top_model *model);

/* Sets a value. Text is copied and cleaned; NULL: there is none. False: no memory, and the value
 * counts as not given. */
bool top_row_set(struct top_row *row, size_t field, bool given, int64_t number, const char *text,
                 size_t len);

/* Filters and sorts anew. Values that are not given come last, equals by their keys. What was
 * selected stays selected; if it is gone, the one that has come into its place is. False: no
 * memory, and all is as it was but for the rows that are gone. */
bool top_model_arrange(struct top_model *model);

/* After each of these, top_model_arrange() must be called. */
void top_model_sort(struct top_model *model, size_t field); /* by the same field again: reversed */
void top_model_sort_next(struct top_model *model, int by); /* by the field so many places further */
void top_model_filter(struct top_model *model, const char *filter);

/* Moves the selection by so many rows, as far as there are any. */
void top_model_move(struct top_model *model, long by);

/* Says how many lines there are for rows; the selected row is then among those that are shown. */
void top_model_fit(struct top_model *model, size_t lines);

/* How many rows there are, whatever the filter says, */
size_t top_model_count(const struct top_model *model);
/* and whether the one at a place in shown is on the screen. */
bool top_model_is_visible(const struct top_model *model, size_t place);

/* A value as people read it; "" if it is not given. */
void top_value_format(const struct top_field *field, const struct top_value *value,
                      char text[TOP_TEXT_SIZE]);

/* Whether it stands at the right of its column. */
bool top_kind_is_right(enum top_kind kind);

#endif
