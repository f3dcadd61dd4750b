/* What the sequence numbers of notifications tell: what came twice, what did not come. Pure.
 * Plain memory without pointers, for it is kept in a file that is mapped. */
#ifndef DCAMP_TRAP_SEQUENCE_H
#define DCAMP_TRAP_SEQUENCE_H

#include "trapd-handlers/trap.h"

#define SEQUENCE_RECENT 4096
#define SEQUENCE_SENDERS 512

/* Numbers are of the daemon that sends, which a notification does not name: dcampAlarmNode may be
 * one of its children. snmpd sends from one port while it runs; where that changes, the node that
 * was told of last says that the sender is the same. */
struct sequence_sender {
    char address[TRAP_ADDRESS_SIZE]; /* snmpTrapAddress */
    char source[TRAP_SOURCE_SIZE];
    char node[NAME_SIZE];
    uint32_t last; /* the highest number so far */
    uint64_t used; /* when, as a count of traps; 0: free */
};

struct sequence {
    uint64_t recent[SEQUENCE_RECENT]; /* digests of the traps that came last */
    uint64_t traps;
    struct sequence_sender senders[SEQUENCE_SENDERS];
};

enum sequence_verdict {
    SEQUENCE_NEXT,
    SEQUENCE_DUPLICATE, /* the same trap was here */
    SEQUENCE_GAP,       /* numbers before it are missing, beyond those that were held back */
    SEQUENCE_LATE       /* a number from before the highest: it has been counted as missing */
};

/* missing: after SEQUENCE_GAP, how many. */
enum sequence_verdict sequence_take(struct sequence *sequence, const struct trap *trap,
                                    uint32_t *missing);

#endif
