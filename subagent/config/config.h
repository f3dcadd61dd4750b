/* The configuration: what the file says and what was SET over SNMP, in one struct.
 *
 * No libxml2 type leaves this folder. */
#ifndef DCAMP_CONFIG_CONFIG_H
#define DCAMP_CONFIG_CONFIG_H

#include "config/row.h"
#include "config/rule.h"

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

struct announce_settings {
    uint32_t port; /* at which snmpd answers the root, 1 to 65535; COUNT_NOT_GIVEN: the node does
                      not announce itself */
    uint32_t after_ms; /* that no root has looked at it; 5s to 1h, default 1m */
};

struct agentx_settings {
    char socket[108]; /* default: "unix:/run/agentx/master" as Net-SNMP writes addresses */
    uint32_t ping_ms; /* 100ms to 1h, default 15s */
    uint32_t
        timeout_ms; /* of an administrative exchange with the master; 100ms to 1m, default 5s */
};

struct config {
    /* Settings: all that is before rows. */
    struct node_settings node;
    struct announce_settings announce;
    struct agentx_settings agentx;
    struct report_settings report;
    struct collect_settings collect;
    struct alarm_limits alarm; /* log 10 to 10000, 1000; rate 1 to 1000, 10; per 1s to 1h, 10s;
                                * queue 1 to 1000, 500 */
    char alarm_file[256];      /* where every transition is written; "" : nowhere */
    uint32_t alarm_file_kb;    /* then it is kept as .1 and begun anew; 64 to 4194304, 10240 */
    char state_dir[256];       /* default: /var/lib/dcamp */
    char apps_dir[256];        /* in which programs publish; default: /run/dcamp/apps */
    uint32_t settle_ms;        /* a sequence is complete then; 1s to 1h, 30s */
    char schema_dir[256];      /* of the file this came from; "" : built in */
    struct index rows[ROW_KINDS];
    uint32_t serial;               /* of the configuration: grows with every change of a row */
    uint64_t versions;             /* that rows were given */
    uint8_t digest[CONFIG_DIGEST]; /* to be had by config_digest */
    bool digest_is_old;
    struct index deviations; /* rows that a SET has made or changed: row_of_deviation */
    size_t locals;           /* how many of them are local */
};

#define CONFIG_ERROR_SIZE 1024

/* More rows than anybody sets by hand: a SET makes none beyond. All tables that are as full as that
 * together are below the MemoryMax= of conf/dcampd.service, which tests/bench/rows measures. The
 * file may have more. */
size_t config_rows_max(enum row_kind kind);

/* More rows than anybody marks local by hand: a SET marks none beyond. Without a limit each share
 * could leave its rows behind. */
#define CONFIG_LOCALS_MAX 1000

/* The built-in defaults with no rows at all, for tests. NULL: no memory. */
struct config *config_new(void);
void config_free(struct config *config);

/* The kind of rows that DcampRowKind of the MIB numbers so. False: none. */
bool config_kind(uint32_t number, enum row_kind *kind);

struct row *config_find(const struct config *config, enum row_kind kind, const char *name);

/* The rule of the filter that a row names; one that lets all values pass, if the name is "" or
 * there is no active filter of that name. */
struct filter_rule config_filter(const struct config *config, const char *name);

/* Adds; takes out, without freeing. Adding fails (false) if the name is taken; the row is the
 * configuration's once it is added. What a row says may not change while it is in a configuration:
 * it is taken out, changed and added again. */
bool config_add(struct config *config, struct row *row);
void config_remove(struct config *config, struct row *row);

/* Gives the configuration a new serial and digest, after a change of rows. */
void config_touch(struct config *config);

/* SHA-256 over the SHA-256 of each row's canonical text, in the order of the tables and of their
 * rows. It covers names, fields and status of the rows, so that two nodes that work alike have the
 * same. It is made when it is asked for, of the rows that changed since, so that a SET does not
 * take the longer the more rows there are. */
void config_digest(const struct config *config, uint8_t digest[CONFIG_DIGEST]);

/* Brings what was SET over a configuration into another that was just loaded: rows that are not
 * in the file move over whole; a changed row of the file replaces the file's as long as the file
 * still says what it said when the change was made (origin), or if the row is local, else the file
 * wins and the function's dropped callback (which may be NULL) is told. Rows move or are freed:
 * from keeps none of them. The serial goes on from that of from, and grows if the digest is not
 * that of from.
 *
 * A local row that the other file has is a change of that one's from then on, and one that it does
 * not have is a row that was made. Only a child never takes the place of one of the file: who is
 * polled, where and by which keys is no matter of this node alone. */
void config_carry_over(struct config *from, struct config *to,
                       void (*dropped)(const struct row *row));

/* Brings another configuration, that was just loaded, into the place of one: local rows move over
 * as above, and what was SET besides is dropped, of which the callback (which may be NULL) is told.
 * The serial goes on as above. from keeps the other rows. It takes no memory. */
void config_succeed(struct config *from, struct config *to, void (*dropped)(const struct row *row));

/* Rows and serial of from take the place of those of to, and the reverse; settings stay. */
void config_take_rows(struct config *to, struct config *from);
void config_take_settings(struct config *to, const struct config *from);

#endif
