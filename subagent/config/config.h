/* The configuration: what the file says and what was SET over SNMP, in one struct.
 *
 * No libxml2 type leaves this folder. */
#ifndef DCAMP_CONFIG_CONFIG_H
#define DCAMP_CONFIG_CONFIG_H

#include "config/row.h"
#include "config/rule.h"

/* The settings are also described by tables of struct field, with offsets into struct config. */
struct node_settings {
    char name[NAME_SIZE];            /* default: the host name up to its first dot */
    char group[NAME_SIZE];           /* default: "default" */
    char address[DECIMAL_SIZE + 16]; /* IPv4, for snmpTrapAddress; "": it is found at the start */
    char parent[NAME_SIZE];          /* who polls this node; "": not known */
    uint32_t level;                  /* steps from the root, 0 to 255, or COUNT_NOT_GIVEN */
};

struct report_settings {
    uint32_t keep;        /* blocks, 16 to 65536, default 600 */
    uint32_t block_bytes; /* REPORT_BLOCK_MIN..MAX, default 1200 */
    uint32_t push;        /* blocks per second, 0 to 1000, default 0 */
};

struct collect_settings {
    char listen[PEER_ADDRESS_SIZE]; /* where it receives blocks that children push; default "":
                                       nowhere */
    uint32_t child_kb;              /* what one child may cost; 256 to 4194304, 16384 */
};

struct announce_settings {
    uint32_t port; /* at which snmpd answers the root, 1 to 65535; COUNT_NOT_GIVEN: the node does
                      not announce itself */
    uint32_t after_ms; /* how long no root must have looked at it; 5s to 1h, default 1m */
};

struct agentx_settings {
    char socket[108]; /* default: "unix:/run/agentx/master" as Net-SNMP writes addresses */
    uint32_t ping_ms; /* 100ms to 1h, default 15s */
    uint32_t
        timeout_ms; /* of an administrative exchange with the master; 100ms to 1m, default 5s */
};

struct config {
    /* The settings are all members before rows. */
    struct node_settings node;
    struct announce_settings announce;
    struct agentx_settings agentx;
    struct report_settings report;
    struct collect_settings collect;
    struct alarm_limits alarm; /* log 10 to 10000, 1000; rate 1 to 1000, 10; per 1s to 1h, 10s;
                                * queue 1 to 1000, 500 */
    char alarm_file[256];      /* to which every transition is written; "": none */
    uint32_t alarm_file_kb;    /* at which it is kept as .1 and begun anew; 64 to 4194304, 10240 */
    char state_dir[256];       /* default: /var/lib/dcamp */
    char apps_dir[256];        /* where programs publish; default: /run/dcamp/apps */
    uint32_t settle_ms;        /* when a sequence is taken for complete; 1s to 1h, 30s */
    char schema_dir[256];      /* that of the file that was read; "": built in */
    struct index rows[ROW_KINDS];
    uint32_t serial;               /* of the configuration: grows with every change of rows */
    uint64_t versions;             /* the latest version that a row was given */
    uint8_t digest[CONFIG_DIGEST]; /* read it by config_digest */
    bool digest_is_old;
    struct index deviations; /* rows that a SET has made or changed: row_of_deviation */
    size_t locals;           /* how many of them are local */
};

#define CONFIG_ERROR_SIZE 1024

/* More rows than anybody sets by hand: a SET makes none beyond this number. If all tables are that
 * full, the process is still below the MemoryMax= of conf/dcampd.service, which tests/bench/rows
 * measures. The file may have more rows. */
size_t config_rows_max(enum row_kind kind);

/* More rows than anybody marks local by hand: a SET marks none beyond this number. Without a limit
 * each share could leave its rows behind. */
#define CONFIG_LOCALS_MAX 1000

/* Makes a configuration with the built-in defaults and no rows, for tests. NULL: no memory. */
struct config *config_new(void);
void config_free(struct config *config);

/* The kind of rows that has this number in DcampRowKind of the MIB. False: there is none. */
bool config_kind(uint32_t number, enum row_kind *kind);

struct row *config_find(const struct config *config, enum row_kind kind, const char *name);

/* The rule of the filter that a row names. If the name is "", or there is no active filter of that
 * name, the rule lets all values pass. */
struct filter_rule config_filter(const struct config *config, const char *name);

/* Add a row, and take one out without freeing it. Adding fails (false) if the name is taken; once a
 * row is added, the configuration owns it. A row must not change while it is in a configuration: it
 * is taken out, changed and added again. */
bool config_add(struct config *config, struct row *row);
void config_remove(struct config *config, struct row *row);

/* Gives the configuration a new serial and digest; call it after a change of rows. */
void config_touch(struct config *config);

/* SHA-256 over the SHA-256 of each row's canonical text, in the order of the tables and of their
 * rows. It covers names, fields and status of the rows, so that two nodes that work alike have the
 * same digest. It is computed when it is asked for, and only rows that have changed since are
 * hashed anew, so that a SET takes no longer if there are more rows. */
void config_digest(const struct config *config, uint8_t digest[CONFIG_DIGEST]);

/* Brings what was SET in a configuration into another one that was just loaded. Rows that are not
 * in the file move over. A changed row of the file replaces the file's as long as the file still
 * says what it said when the change was made (origin), or if the row is local; else the file wins,
 * and dropped (which may be NULL) is called. Rows move or are freed: from keeps none of them. The
 * serial continues that of from, and grows if the digest is not that of from.
 *
 * A local row becomes a change of the row of that name in the other file or, if that has none, a
 * row that was made. Only a local child never replaces one of the file, because who is polled,
 * where and by which keys, is not up to this node alone. */
void config_carry_over(struct config *from, struct config *to,
                       void (*dropped)(const struct row *row));

/* Lets another configuration, which was just loaded, replace one: local rows move over as above,
 * and everything else that was SET is dropped, for which dropped (which may be NULL) is called. The
 * serial continues as above. from keeps its other rows. It takes no memory. */
void config_succeed(struct config *from, struct config *to, void (*dropped)(const struct row *row));

/* Exchanges rows and serial of both configurations; each keeps its settings. */
void config_take_rows(struct config *to, struct config *from);
void config_take_settings(struct config *to, const struct config *from);

#endif
