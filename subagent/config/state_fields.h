/* Inside config/: the elements of the state file and their fields, for writing and reading. */
#ifndef DCAMP_CONFIG_STATE_FIELDS_H
#define DCAMP_CONFIG_STATE_FIELDS_H

#include "config/state.h"

#define STATE_FILE "state.xml"
#define STATE_ROOT "dcamp-state"

struct state_head {
    uint32_t version;
    uint32_t boot;
    uint32_t sequence; /* of the alarms */
    uint32_t reserved; /* numbers beyond sequence */
    uint32_t held;     /* of the alarms */
    uint32_t serial;   /* of the configuration */
    uint32_t top_size; /* 0: it was never set */
    char digest[65];   /* of the configuration, hexadecimal */
};

/* What an entry of the log has in addition to its facts. */
struct saved_entry {
    uint32_t number;
    int64_t wall_ms;
    uint32_t notified;
    enum alarm_hold hold;
};

/* What the notice of a clear has in addition to its notification. */
struct saved_clear {
    enum severity told;
};

/* What is saved of a document in addition to its octets. Digests are hexadecimal; "": none. */
struct saved_document {
    enum document_kind kind;
    uint32_t term;
    uint32_t epoch;
    char root[NAME_SIZE];
    char ordered[65]; /* the digest of the document that is ordered */
    uint32_t length;
    char digest[65]; /* of the document in force, whose octets are in the element */
    uint32_t serial; /* of the document in force; 0: not known */
};

/* The document that was in force before; its octets are in the element. */
struct saved_previous {
    char digest[65];
    uint32_t serial;
};

extern const struct fields state_head_fields;
extern const struct fields state_row_fields;          /* of struct row */
extern const struct fields state_series_fields;       /* of struct saved_series */
extern const struct fields state_child_fields;        /* of struct saved_child */
extern const struct fields state_document_fields;     /* of struct saved_document */
extern const struct fields state_previous_fields;     /* of struct saved_previous */
extern const struct fields state_alarm_fields;        /* of struct alarm, without its facts */
extern const struct fields state_entry_fields;        /* of struct saved_entry */
extern const struct fields state_notification_fields; /* of struct notification, likewise */
extern const struct fields state_clear_fields;        /* of struct saved_clear */
extern const struct fields state_facts_fields;        /* of struct alarm_facts */

#endif
