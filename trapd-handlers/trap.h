/* One notification of a dCAMP node, as a program behind snmptrapd gets it, and how it is read.
 * Pure. No input is trusted: a trap is accepted as a whole or not at all. */
#ifndef DCAMP_TRAP_TRAP_H
#define DCAMP_TRAP_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

enum trap_event {
    TRAP_RAISED,
    TRAP_CLEARED,
    TRAP_SUPPRESSED,
    TRAP_JOINED,
    TRAP_LOST,
    TRAP_ROLE,
    TRAP_EVENTS
};

/* The objects that are text. */
enum trap_text {
    TRAP_KEY,
    TRAP_NODE,
    TRAP_SENSOR,
    TRAP_VALUE,
    TRAP_LIMIT, /* dcampAlarmThresholdText */
    TRAP_SEVERITY_TEXT,
    TRAP_MESSAGE,
    TRAP_THRESHOLD, /* dcampAlarmThreshold: the name of the rule */
    TRAP_INSTANCE,
    TRAP_TEXTS
};

#define TRAP_TEXT_SIZE MESSAGE_SIZE
#define TRAP_SOURCE_SIZE 128
#define TRAP_ADDRESS_SIZE 46 /* INET6_ADDRSTRLEN */
#define TRAP_ERROR_SIZE 256

/* Texts are valid UTF-8 without NUL, not longer than the MIB allows. They may contain any other
 * character, so whoever writes them has to escape them. Texts that the notification does not have
 * are empty. */
struct trap {
    enum trap_event event;
    int64_t received_ms;             /* wall clock */
    int64_t since_ms;                /* dcampAlarmSince; 0 if not known */
    uint32_t index;                  /* the instance of the objects */
    uint32_t severity;               /* enumeration of the MIB; warning for a summary */
    uint32_t happened;               /* dcampAlarmEvent; suppressed for a summary */
    uint32_t sequence, suppressed;   /* dcampAlarmSequence, dcampAlarmSuppressed */
    char source[TRAP_SOURCE_SIZE];   /* where the packet came from, as snmptrapd prints it */
    char address[TRAP_ADDRESS_SIZE]; /* snmpTrapAddress, otherwise that of the packet, otherwise
                                      * "" */
    char text[TRAP_TEXTS][TRAP_TEXT_SIZE];
};

enum trap_result {
    TRAP_TAKEN,
    TRAP_FOREIGN, /* a notification that is not dCAMP's */
    TRAP_BAD      /* not a complete notification; the error says why */
};

/* Reads what a traphandle gets at its standard input: a line with the host, one with the address,
 * then one varbind per line; strings may extend over several lines. */
enum trap_result trap_parse(struct trap *trap, const char *text, size_t len, int64_t received_ms,
                            char error[TRAP_ERROR_SIZE]);

/* Reads a record of the stream (stream.h): the line that starts it, and its varbinds. Strings must
 * have been printed in hexadecimal, otherwise the error says so: in other forms, a sender could
 * write what looks like a record of another sender. */
enum trap_result trap_parse_record(struct trap *trap, const char *text, size_t len,
                                   char error[TRAP_ERROR_SIZE]);

/* The name of the notification in the MIB. */
const char *trap_name(const struct trap *trap);

/* dcampAlarmThreshold: the threshold, the condition, or what dCAMP itself watches; "notifications"
 * for a summary. */
const char *trap_rule(const struct trap *trap);

/* Whether the trap ends the alarm, or there was no alarm: a node joined, or has another role. */
bool trap_is_clear(const struct trap *trap);

/* The name of the severity in the MIB, such as "critical". */
const char *trap_severity_name(uint32_t severity);
/* The name of what happened, such as "changed". */
const char *trap_happened_name(uint32_t happened);

/* A hash of node, sequence and content, by which traps are told apart. Never 0. */
uint64_t trap_digest(const struct trap *trap);

#endif
