/* What the sequence numbers of notifications show: which came twice, and which did not come. Pure.
 * It is plain memory without pointers, because it is kept in a mapped file. */
#ifndef DCAMP_TRAP_SEQUENCE_H
#define DCAMP_TRAP_SEQUENCE_H

#include "trapd-handlers/trap.h"

#define SEQUENCE_RECENT 4096
#define SEQUENCE_SENDERS 512

/* The numbers are those of the daemon that sends. A notification does not name it, because
 * dcampAlarmNode may be one of its children. snmpd sends from one port while it runs. When the port
 * changes, the sender is recognized by the node of its last notification. */
struct sequence_sender {
    char address[TRAP_ADDRESS_SIZE]; /* snmpTrapAddress */
    char source[TRAP_SOURCE_SIZE];
    char node[NAME_SIZE];
    uint32_t last; /* the highest number so far */
    uint64_t used; /* when it was last used, as a number of traps; 0: free */
};

struct sequence {
    uint64_t recent[SEQUENCE_RECENT]; /* digests of the latest traps */
    uint64_t traps;
    struct sequence_sender senders[SEQUENCE_SENDERS];
};

enum sequence_verdict {
    SEQUENCE_NEXT,
    SEQUENCE_DUPLICATE, /* the same trap has already come */
    SEQUENCE_GAP,       /* numbers before it are missing, more than were held back */
    SEQUENCE_LATE       /* it is below the highest number, and so has been counted as missing */
};

/* missing: how many are missing, after SEQUENCE_GAP. */
enum sequence_verdict sequence_take(struct sequence *sequence, const struct trap *trap,
                                    uint32_t *missing);

#endif
