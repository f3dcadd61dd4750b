/* The kinds of rows of the configuration: their structs, their fields, and which combinations of
 * values go together.
 *
 * A row is a struct row, followed by its fields, which a table of struct field describes, so that a
 * new column is one row there, one attribute in the schema and one object in the MIB. */
#ifndef DCAMP_CONFIG_ROW_TYPE_H
#define DCAMP_CONFIG_ROW_TYPE_H

#include "aggregate/aggregate.h"
#include "alarm/alarm.h"
#include "base/index.h"
#include "base/oid.h"
#include "calculate/calculate.h"
#include "calculate/expression.h"
#include "config/field.h"
#include "filter/filter.h"
#include "filter/level.h"
#include "threshold/damper.h"
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
    ROW_RELAY,
    ROW_ENDPOINT,   /* in no table, like the next one: only the node's files say whom it asks */
    ROW_SINK,       /* dcampSinkTable only shows it: no SET can make a process write files */
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

#define CONFIG_DIGEST 32 /* octets of a SHA-256 */

/* TruthValue of RFC 2579. */
enum truth_value { TRUTH_TRUE = 1, TRUTH_FALSE = 2 };

/* The place of a row among those that a SET has made or changed. */
struct deviation {
    struct index_node node; /* key: the number of its kind in the MIB, followed by the name */
    struct index_tail name;
    bool listed; /* used by the configuration only */
};

struct row {
    struct index_node node; /* key: the name, length-prefixed; it is stored behind the struct */
    uint8_t digest[CONFIG_DIGEST]; /* of the row's canonical text; used by config_digest only, like
                                      the next */
    bool digested;                 /* the digest has been computed */
    char *saved;      /* its element of the state file, malloced; NULL: not made yet; used by
                         state_format only */
    uint64_t version; /* from the configuration: while it is the same, the row is unchanged */
    struct deviation deviation;
    enum row_kind kind;
    char name[NAME_SIZE];
    enum row_status status;
    enum row_storage storage;
    uint32_t given;  /* bit i: field i was given; the others have their defaults */
    uint32_t origin; /* CRC-32 of the file's element for this row; 0: not in the file */
    bool changed;    /* a SET has made it differ from the file: it must be in the state file */
    enum truth_value local; /* TRUTH_TRUE: if a SET has made or changed it, it stays when another
                               share or file comes */
};

/* How values that pass the filter get to the parent: the parent fetches them, or the block that
 * they are in is sent to it at once. */
enum report_mode { REPORT_PULL = 1, REPORT_PUSH = 2 };

/* A sensor either measures (metric), or is computed from what others measure (expression). */
struct sensor_row {
    struct row row;
    char metric[NAME_SIZE];
    char expression[EXPRESSION_TEXT_MAX + 1];
    char instances[PATTERN_SIZE];
    enum calculation calculation;
    uint32_t interval_ms;   /* 0: on demand */
    char filter[NAME_SIZE]; /* "": every value is reported */
    uint32_t window_ms;     /* of the statistics; 0: none */
    enum report_mode report;
    enum information_level level;
};

struct filter_row {
    struct row row;
    uint32_t throttle_ms;
    uint32_t heartbeat_ms;
    struct decimal deadband;
    struct decimal deadband_percent;
    enum compare_operator gate; /* COMPARE_NONE or 0: there is no gate */
    struct decimal gate_limit;
};

struct threshold_row {
    struct row row;
    char sensor[NAME_SIZE];
    char children[PATTERN_SIZE]; /* if one of these two is given, the threshold is on series of
                                    children, */
    char groups[PATTERN_SIZE]; /* and an empty one selects any; else it is on what this node itself
                                  has */
    char instances[PATTERN_SIZE];
    enum compare_operator op;
    struct decimal limit;
    struct decimal clear; /* not given: equal to the limit */
    uint32_t match;
    uint32_t window;
    uint32_t duration_ms;
    enum severity severity;
    char description[MESSAGE_SIZE / 2]; /* of the alarm, for people; may be empty */
    /* Limits of higher severities, and their clear limits; if not given, there are none. */
    struct decimal warning_limit, warning_clear, critical_limit, critical_clear;
    enum threshold_source source;
    uint32_t span_ms;          /* of the trend, for rate and forecast */
    uint32_t horizon_ms;       /* for forecast: how far ahead */
    struct decimal confidence; /* R squared that a forecast must have */
    uint32_t absence_ms;       /* it raises after so long without a value; 0: never */
    enum truth_value notify;
    uint32_t repeat_ms;   /* how often it is told again; 0: it is told once */
    uint32_t hold_off_ms; /* it does not raise before so long after the start, or after a clear */
    enum dampening dampening;
    uint32_t dampening_count, dampening_ms, flap_count, flap_ms;
    char disabled_by[NAME_SIZE]; /* disabled while this threshold is raised; "": none */
};

/* The numbers are those of dcampConditionRequire and dcampConditionBy in the MIB. */
enum condition_require { REQUIRE_ANY = 1, REQUIRE_ALL = 2 };
enum condition_by { BY_INSTANCE = 1, BY_NODE = 2, BY_ALL = 3 };

/* A condition: an alarm about the alarms of several thresholds. */
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
    uint32_t days; /* a set of bits, 0 is Sunday; none: the maintenance is not weekly */
    char time[6];
};

/* What a child is. The numbers are those of dcampChildKind in the MIB. */
enum child_kind {
    CHILD_OF_DCAMP = 1, /* a node, whose reports are fetched */
    CHILD_OF_SNMP = 2   /* any other agent, whose managed objects are polled */
};

/* The sizes of a FIELD_HEX and a FIELD_KEY: the length, and then the octets. RFC 3411,
 * SnmpEngineID; RFC 7860. */
#define CHILD_ENGINE_SIZE (1 + 32)
#define CHILD_KEY_SIZE (1 + 64)

/* A child: another node, or any other SNMP agent. */
struct child_row {
    struct row row;
    char address[PEER_ADDRESS_SIZE];
    char credential[NAME_SIZE];
    char group[NAME_SIZE];
    uint32_t period_ms;
    enum child_kind kind;
    char behind[NAME_SIZE]; /* another child through which it is reached, or "" */
    /* The keys of the credential's user, localized to the engine of the child (RFC 3414,
     * section 2.6), so that no passphrase is needed. They are secrets, and are in no table. */
    uint8_t engine[CHILD_ENGINE_SIZE];
    uint8_t *auth_key, *priv_key;
    /* While keys are being changed, the child has either the keys above or these. */
    uint8_t *next_auth_key, *next_priv_key;
};

/* The numbers are those of dcampObjectType in the MIB. */
enum object_type { OBJECT_SCALAR = 1, OBJECT_COLUMN = 2 };

#define OBJECT_UNIT_SIZE (NAME_SIZE - 2) /* calc_unit adds "/s" to it */

/* A managed object that children of the kind snmp are polled for. It is a sensor of these children.
 */
struct object_row {
    struct row row;
    char oid[OID_TEXT_SIZE]; /* of a scalar, without its instance 0 */
    enum object_type type;
    enum metric_kind kind;
    char unit[OBJECT_UNIT_SIZE];
    struct decimal scale; /* unit per count */
    enum calculation calculation;
    char children[PATTERN_SIZE]; /* which children have it: by name ... */
    char groups[PATTERN_SIZE];   /* ... and by group */
    char instances[PATTERN_SIZE];
    uint32_t window_ms;        /* of the statistics; 0: none */
    char filter[NAME_SIZE];    /* "": every value is taken */
    char label[OID_TEXT_SIZE]; /* a column whose values name the instances; "": they are named by
                                  their indexes */
};

/* A value computed of the series of many children. */
struct aggregate_row {
    struct row row;
    char sensor[NAME_SIZE]; /* a sensor of the children */
    enum aggregate_function function;
    enum aggregate_by by;
    enum aggregate_source source;
    struct decimal parameter;
    char children[PATTERN_SIZE];
    char groups[PATTERN_SIZE];
    char instances[PATTERN_SIZE];
    uint32_t interval_ms;
    char filter[NAME_SIZE];
    enum report_mode report;
};

/* Which series of the nodes below are passed on to the parent. */
struct relay_row {
    struct row row;
    char sensors[PATTERN_SIZE];
    char nodes[PATTERN_SIZE]; /* patterns of their paths: "node7", "collector1/node7" */
    char instances[PATTERN_SIZE];
    char filter[NAME_SIZE]; /* "": every value is passed on */
};

#define ENDPOINT_URL_SIZE 256
#define ENDPOINT_SERIES_MAX 10000

/* A program on this machine that publishes metrics over HTTP, in the format of OpenMetrics or
 * Prometheus. */
struct endpoint_row {
    struct row row;
    char url[ENDPOINT_URL_SIZE]; /* base/local_url.h */
    uint32_t interval_ms;
    uint32_t timeout_ms; /* for one answer; at most the interval */
    char socket[108];    /* a UNIX socket to connect to, or "" */
    char ca[256];        /* file of certificates for https; "": those of the system */
    char secrets[256];   /* a file of credentials, base/credentials.h; "": it needs none */
    uint32_t series;     /* the most series that are kept */
    uint32_t tolerance;  /* the largest error of a value of a histogram, in percent of the value */
};

/* The numbers are those of dcampSinkMode in the MIB. */
enum sink_mode { SINK_SYNC = 1, SINK_ASYNC = 2 };

#define SINK_TEXT_SIZE 256
#define SINKS_MAX 15 /* for one node: each sink has a process */

/* Where dcamp-publish writes what this node has measured and fetched. Only dcamp-publish knows
 * which kinds there are, and which of the other fields a kind uses. */
struct sink_row {
    struct row row;
    char kind[NAME_SIZE]; /* consists of a-z, 0-9 and - */
    enum sink_mode mode;
    char location[SINK_TEXT_SIZE]; /* a directory, a URL or an address, depending on the kind; "":
                                      its default. It is shown in the MIB, and has no password */
    char credentials[SINK_TEXT_SIZE]; /* a file of credentials, base/credentials.h; "": none */
    char sensors[PATTERN_SIZE];       /* only series of these sensors are written */
    uint64_t queue;                   /* octets that may wait to be written */
    uint64_t limit;                   /* octets that its files may have in total; 0: no limit */
    uint64_t rotate;                  /* size in octets after which a new file is begun; 0: none */
    uint32_t raw_s, minutes_s, hours_s; /* how long each tier is kept, in seconds */
};

/* RFC 7860 and RFC 3826; AES-256 is that of Net-SNMP. The numbers are those of snmpv3/credential.h.
 */
enum credential_auth { CREDENTIAL_SHA256 = 1, CREDENTIAL_SHA512 = 2 };
enum credential_priv { CREDENTIAL_AES128 = 1, CREDENTIAL_AES256 = 2 };

struct credential_row {
    struct row row;
    char user[NAME_SIZE];
    int auth;
    int priv;
    char secrets[256]; /* a file of two lines, "auth PASSPHRASE" and "priv PASSPHRASE"; "": only
                          children that have keys can use the credential */
};

struct row_type {
    const char *element; /* XML element: "sensor" */
    size_t size;         /* of the whole row struct */
    const struct field *fields;
    size_t n_fields;
    /* What is wrong with the fields as a whole, or NULL: for example hysteresis on the wrong side,
     * or a calculation that the metric does not allow. */
    const char *(*fault)(const struct row *row);
    /* Whether what runs on the row begins anew because of fields with CHANGE_DEPENDS. NULL: the
     * type has no such fields. */
    bool (*restarts)(const struct row *was, const struct row *is);
    /* The field that is set to the time at which the row becomes active; NULL: there is none. */
    const char *(*time_field)(const struct row *row);
};

const struct row_type *row_type(enum row_kind kind);

/* Returns NULL if the row type has no field of that name. */
const struct field *row_field(enum row_kind kind, const char *name);

/* The labels of enum row_status. */
#define ROW_STATUSES 4
extern const char *const row_statuses[ROW_STATUSES];

#endif
