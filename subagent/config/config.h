/* The configuration: what the file says and what was SET over SNMP, in one struct.
 *
 * Sensors, filters and thresholds are rows of one kind of thing: a struct row, followed by its
 * fields, described by a table of struct field. The XML reader, the state file and the columns
 * of the MIB all go through that table, so that a new column is one row there, one attribute in
 * the schema and one object in the MIB.
 *
 * No libxml2 type leaves this folder. */
#ifndef DCAMP_CONFIG_CONFIG_H
#define DCAMP_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aggregate/aggregate.h"
#include "alarm/alarm.h"
#include "alarm/maintenance.h"
#include "base/index.h"
#include "base/limits.h"
#include "base/oid.h"
#include "calculate/calculate.h"
#include "calculate/expression.h"
#include "filter/filter.h"
#include "threshold/damper.h"
#include "threshold/levels.h"
#include "threshold/source.h"

enum row_kind {
    ROW_SENSOR,
    ROW_FILTER,
    ROW_THRESHOLD,
    ROW_CHILD,
    ROW_AGGREGATE,
    ROW_OBJECT,
    ROW_CONDITION,
    ROW_MAINTENANCE,
    ROW_CREDENTIAL, /* in no table: what leads to secrets is not shown */
    ROW_KINDS
};

/* RowStatus of RFC 2579: the three states that a row can be in. */
enum row_status { ROW_ACTIVE = 1, ROW_NOT_IN_SERVICE = 2, ROW_NOT_READY = 3 };

/* StorageType of RFC 2579. Rows of the file are permanent: a SET may change and pause them, and
 * the change is kept, but only the file can remove them. */
enum row_storage {
    STORAGE_OTHER = 1,
    STORAGE_VOLATILE = 2,
    STORAGE_NONVOLATILE = 3,
    STORAGE_PERMANENT = 4,
    STORAGE_READONLY = 5
};

/* A decimal as it was written, so that it is published as it was written. */
struct decimal {
    char text[DECIMAL_SIZE]; /* "" : not given */
    double value;
};

#define CONFIG_DIGEST 32 /* octets of a SHA-256 */

struct row {
    struct index_node node; /* key: the name, length-prefixed */
    uint32_t key[NAME_SIZE];
    uint8_t digest[CONFIG_DIGEST]; /* of the row's canonical text; config_digest's own, like */
    bool digested;                 /* whether it is there */
    char *
        saved; /* its element of the state file, malloced; NULL: not made yet. state_format's own */
    enum row_kind kind;
    char name[NAME_SIZE];
    enum row_status status;
    enum row_storage storage;
    uint32_t given;  /* bit i: field i was given; the others have their defaults */
    uint32_t origin; /* CRC-32 of the file's element for this row, 0: not in the file */
    bool changed;    /* differs from the file by a SET: belongs into the state file */
};

/* How values that pass the filter get to the parent: it fetches them, or the block that they are
 * in is sent to it at once. */
enum report_mode { REPORT_PULL = 1, REPORT_PUSH = 2 };

/* What is measured (metric), or computed of what others measure (expression): one of the two. */
struct sensor_row {
    struct row row;
    char metric[NAME_SIZE];
    char expression[EXPRESSION_TEXT_MAX + 1];
    char instances[PATTERN_SIZE];
    enum calculation calculation;
    uint32_t interval_ms;   /* 0: on demand */
    char filter[NAME_SIZE]; /* "" : every value is reported */
    uint32_t window_ms;     /* of the statistics; 0: none */
    enum report_mode report;
};

struct filter_row {
    struct row row;
    uint32_t throttle_ms;
    uint32_t heartbeat_ms;
    struct decimal deadband;
    struct decimal deadband_percent;
    enum compare_operator gate; /* COMPARE_NONE or 0: no gate */
    struct decimal gate_limit;
};

struct threshold_row {
    struct row row;
    char sensor[NAME_SIZE];
    char children[PATTERN_SIZE]; /* with one of these two it is on series of children, where */
    char groups[PATTERN_SIZE];   /* an empty one is any; else on what this node has itself */
    char instances[PATTERN_SIZE];
    enum compare_operator op;
    struct decimal limit;
    struct decimal clear; /* not given: the limit */
    uint32_t match;
    uint32_t window;
    uint32_t duration_ms;
    enum severity severity;
    char description[MESSAGE_SIZE / 2]; /* of the alarm, for people; may be empty */
    /* Limits of higher severities, and their clear limits; not given: there are none. */
    struct decimal warning_limit, warning_clear, critical_limit, critical_clear;
    enum threshold_source source;
    uint32_t span_ms;          /* of the trend: rate, forecast */
    uint32_t horizon_ms;       /* how far ahead: forecast */
    struct decimal confidence; /* R squared that a forecast must have */
    uint32_t absence_ms;       /* without a value for so long it raises; 0: never */
    int notify;                /* TruthValue */
    uint32_t repeat_ms;        /* 0: told once */
    uint32_t hold_off_ms;      /* not before so long after the start, or a clear */
    enum dampening dampening;
    uint32_t dampening_count, dampening_ms, flap_count, flap_ms;
    char disabled_by[NAME_SIZE]; /* another threshold, while that is raised; "": none */
};

/* The numbers are those of dcampConditionRequire and dcampConditionBy in the MIB. */
enum condition_require { REQUIRE_ANY = 1, REQUIRE_ALL = 2 };
enum condition_by { BY_INSTANCE = 1, BY_NODE = 2, BY_ALL = 3 };

/* An alarm of the alarms of several thresholds. */
struct condition_row {
    struct row row;
    char thresholds[PATTERN_SIZE];
    enum condition_require require;
    enum condition_by by; /* on one instance of a node, on one node, or anywhere */
    enum severity severity;
    uint32_t repeat_ms;
    char description[MESSAGE_SIZE / 2];
};

/* When alarms are not told. */
struct maintenance_row {
    struct row row;
    char nodes[PATTERN_SIZE];
    char thresholds[PATTERN_SIZE];
    int64_t begin_ms, end_ms; /* wall clock; 0: not given */
    uint32_t duration_ms;
    uint32_t days; /* a set of bits, 0 is Sunday; none: it is not weekly */
    char time[6];
};

/* What a child is. The numbers are those of dcampChildKind in the MIB. */
enum child_kind {
    CHILD_OF_DCAMP = 1, /* a node: its reports are fetched */
    CHILD_OF_SNMP = 2   /* any other agent: its managed objects are polled */
};

/* Another node, or any other SNMP agent. */
struct child_row {
    struct row row;
    char address[PEER_ADDRESS_SIZE];
    char credential[NAME_SIZE];
    char group[NAME_SIZE];
    uint32_t period_ms;
    enum child_kind kind;
    char behind[NAME_SIZE]; /* another child that it is reached through, or "" */
};

/* The numbers are those of dcampObjectType in the MIB. */
enum object_type { OBJECT_SCALAR = 1, OBJECT_COLUMN = 2 };

#define OBJECT_UNIT_SIZE (NAME_SIZE - 2) /* calc_unit adds "/s" to it */

/* A managed object that children of kind snmp are polled for. It is a sensor of theirs. */
struct object_row {
    struct row row;
    char oid[OID_TEXT_SIZE]; /* of a scalar: without its instance 0 */
    enum object_type type;
    enum metric_kind kind;
    char unit[OBJECT_UNIT_SIZE];
    struct decimal scale; /* unit per count */
    enum calculation calculation;
    char children[PATTERN_SIZE]; /* which of them have it: by name ... */
    char groups[PATTERN_SIZE];   /* ... and by group */
    char instances[PATTERN_SIZE];
    uint32_t window_ms;        /* of the statistics; 0: none */
    char filter[NAME_SIZE];    /* "" : every value is taken */
    char label[OID_TEXT_SIZE]; /* a column whose values name the instances; "" : their indexes do */
};

/* A value computed of the series of many children. */
struct aggregate_row {
    struct row row;
    char sensor[NAME_SIZE]; /* of the children */
    enum aggregate_function function;
    enum aggregate_by by;
    struct decimal parameter;
    char children[PATTERN_SIZE];
    char groups[PATTERN_SIZE];
    char instances[PATTERN_SIZE];
    uint32_t interval_ms;
    char filter[NAME_SIZE];
    enum report_mode report;
};

/* RFC 7860 and RFC 3826; AES-256 as Net-SNMP has it. The numbers are those of collect/message.h. */
struct credential_row {
    struct row row;
    char user[NAME_SIZE];
    int auth;
    int priv;
    char secrets[256]; /* a file of two lines, "auth PASSPHRASE" and "priv PASSPHRASE" */
};

/* What the row means to its stage. */
void config_filter_rule(const struct filter_row *row, struct filter_rule *rule);
void config_threshold_levels(const struct threshold_row *row, struct threshold_levels *levels);
void config_maintenance(const struct maintenance_row *row, struct maintenance *maintenance);
void config_damper_rule(const struct threshold_row *row, struct damper_rule *rule);
/* A plain threshold has one limit, which it compares the values themselves with, and nothing that
 * has to be remembered of a series besides whether it is raised. */
bool config_threshold_is_plain(const struct threshold_row *row);

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
    /* Rows have none of the following: they are for settings and for the state file. */
    FIELD_PATH,    /* char[size], an absolute path */
    FIELD_ADDRESS, /* char[size], an IPv4 address or nothing */
    FIELD_OCTETS,  /* char[size], any octets but NUL; XML: with %XX as in RFC 3986 */
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
    size_t size;      /* of the text array, where the type leaves it open */
    int64_t min, max; /* of MILLIS, COUNT, INTEGER, and of the decimal's whole range */
    const char *zero; /* of MILLIS: the word that 0 is written as, whatever min says; or NULL */
    const char *const *labels;
    size_t n_labels;
    const char *initial; /* default, as XML text; NULL: must be given; "": optional */
    const char *expect;  /* what would be right: "a duration from 100ms to 1d" */
};

struct row_type {
    const char *element; /* XML element: "sensor" */
    size_t size;         /* of the whole row struct */
    const struct field *fields;
    size_t n_fields;
    /* What is wrong with the fields as a whole, or NULL: hysteresis on the wrong side, a
     * calculation that the metric does not allow. */
    const char *(*fault)(const struct row *row);
    /* Whether what runs on the row begins anew because of fields that say CHANGE_DEPENDS. NULL: it
     * has no such fields. */
    bool (*restarts)(const struct row *was, const struct row *is);
    /* Fills in what follows from the time at which the row becomes active. NULL: nothing does. */
    void (*activate)(struct row *row, int64_t wall_ms);
};

const struct row_type *row_type(enum row_kind kind);

/* More rows than anybody sets by hand: a SET makes none beyond. All tables that are as full as that
 * together are below the MemoryMax= of conf/dcampd.service, which tests/bench/rows measures. The
 * file may have more. */
size_t config_rows_max(enum row_kind kind);

/* NULL when the row type has no field of that name. */
const struct field *row_field(enum row_kind kind, const char *name);

enum field_status { FIELD_OK, FIELD_WRONG_LENGTH, FIELD_WRONG_VALUE };

/* Sets a field from text as XML has it (not terminated). The row is unchanged unless FIELD_OK. */
enum field_status field_set_text(struct row *row, const struct field *field, const char *text,
                                 size_t len);
/* Sets MILLIS, COUNT, ENUM, DATE and BITS from the number that SNMP has, bit 0 being 1. */
enum field_status field_set_number(struct row *row, const struct field *field, int64_t number);

/* Reads them: text into a buffer of at least MESSAGE_SIZE (its length is returned), numbers as SNMP
 * has them. field_text gives what field_set_text takes. */
size_t field_text(const struct row *row, const struct field *field, char *text);
int64_t field_number(const struct row *row, const struct field *field);

/* Rows. A new one has its defaults, is ROW_NOT_READY and STORAGE_NONVOLATILE. NULL: no memory, or
 * not a name. */
struct row *row_new(enum row_kind kind, const char *name);
struct row *row_clone(const struct row *row);
void row_free(struct row *row);

/* The name of the first field that must be given and is not, or NULL. */
const char *row_missing(const struct row *row);
/* The row is to become active: fills in what it has of the time. */
void row_activate(struct row *row, int64_t wall_ms);
/* Whether what runs on a row has to begin anew when the fields of the row become those of another
 * one of the same kind; else it goes on, and takes over what it needs of the new fields. The names
 * and the states of the rows are not compared. */
bool row_restarts(const struct row *was, const struct row *is);
/* What keeps the row from being active (row_missing, or the type's fault), or NULL. */
const char *row_fault(const struct row *row);

/* The settings are described by tables of struct field, too, with offsets into struct config. */
struct node_settings {
    char name[NAME_SIZE];            /* default: the host name up to its first dot */
    char group[NAME_SIZE];           /* default: "default" */
    char address[DECIMAL_SIZE + 16]; /* IPv4, for snmpTrapAddress; "" : found at start */
    char parent[NAME_SIZE];          /* who polls this node; "": it is not said */
    uint32_t level;                  /* steps from the root, 0 to 255, or COUNT_NOT_GIVEN */
};

struct report_settings {
    uint32_t keep;        /* blocks, 16 to 65536, default 600 */
    uint32_t block_bytes; /* REPORT_BLOCK_MIN..MAX, default 1200 */
    uint32_t push;        /* blocks a second, 0 to 1000, default 0 */
};

struct collect_settings {
    char listen[PEER_ADDRESS_SIZE]; /* for blocks that children push; default "": nowhere */
    uint32_t child_kb;              /* what one child may cost; 256 to 4194304, 16384 */
};

struct agentx_settings {
    char socket[108]; /* default: "unix:/run/agentx/master" as Net-SNMP writes addresses */
    uint32_t ping_ms; /* 100ms to 1h, default 15s */
    uint32_t
        timeout_ms; /* of an administrative exchange with the master; 100ms to 1m, default 5s */
};

struct config {
    struct node_settings node;
    struct agentx_settings agentx;
    struct report_settings report;
    struct collect_settings collect;
    struct alarm_limits alarm; /* log 10 to 10000, 1000; rate 1 to 1000, 10; per 1s to 1h, 10s;
                                * queue 1 to 1000, 500 */
    char alarm_file[256];      /* where every transition is written; "" : nowhere */
    uint32_t alarm_file_kb;    /* then it is kept as .1 and begun anew; 64 to 4194304, 10240 */
    char state_dir[256];       /* default: /var/lib/dcamp */
    char schema_dir[256];      /* of the file this came from; "" : built in */
    struct index rows[ROW_KINDS];
    uint32_t serial;               /* of the configuration: grows with every change of a row */
    uint8_t digest[CONFIG_DIGEST]; /* to be had by config_digest */
    bool digest_is_old;
};

#define CONFIG_ERROR_SIZE 1024

/* Reads and validates a file against dcamp.xsd, which is found in $DCAMP_SCHEMA_DIR, else beside
 * the file, else where it was installed. NULL on failure; then error holds one line:
 * "FILE:LINE: what is wrong; what would be right" (without LINE where the file cannot be read). */
struct config *config_load(const char *path, char error[CONFIG_ERROR_SIZE]);

/* The same from memory; name stands for the file in messages and in the search for the schema. */
struct config *config_load_memory(const char *name, const char *bytes, size_t len,
                                  char error[CONFIG_ERROR_SIZE]);

/* The built-in defaults with no rows at all, for tests. NULL: no memory. */
struct config *config_new(void);
void config_free(struct config *config);

struct row *config_find(const struct config *config, enum row_kind kind, const char *name);

/* The rule of the filter that a row names; one that lets all values pass, if the name is "" or
 * there is no active filter of that name. */
struct filter_rule config_filter(const struct config *config, const char *name);

/* Adds; takes out, without freeing. Adding fails (false) if the name is taken; the row is the
 * configuration's once it is added. What a row says may not change while it is in a configuration:
 * it is taken out, changed and added again. */
bool config_add(struct config *config, struct row *row);
void config_remove(struct config *config, struct row *row);

/* After a change of rows: a new serial and digest. */
void config_touch(struct config *config);

/* SHA-256 over the SHA-256 of each row's canonical text, in the order of the tables and of their
 * rows. It covers names, fields and status of the rows, so that two nodes that work alike have the
 * same. It is made when it is asked for, of the rows that changed since, so that a SET does not
 * take the longer the more rows there are. */
void config_digest(const struct config *config, uint8_t digest[CONFIG_DIGEST]);

/* Brings what was SET over a configuration into another that was just loaded: rows that are not
 * in the file move over whole; a changed row of the file replaces the file's as long as the file
 * still says what it said when the change was made (origin), else the file wins and the
 * function's dropped callback (which may be NULL) is told. Rows move or are freed: from keeps none
 * of them. The serial goes on from that of from, and grows if the digest is not that of from. */
void config_carry_over(struct config *from, struct config *to,
                       void (*dropped)(const struct row *row));

#endif
