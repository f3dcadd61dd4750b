/* The answer to a question: one pass over the processes of the machine. JVMs that are known are
 * read and reported first; then, while nobody waits, processes that may be JVMs are looked at. */
#ifndef DCAMP_JVM_ANSWER_H
#define DCAMP_JVM_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "application/jvm_message.h"
#include "jvm/candidates.h"
#include "jvm/file.h"
#include "sample/process/process.h"

/* How often the processes of the machine are listed. */
#define ANSWER_SCAN_NS (5 * NS_PER_S)

struct looker {
    int fd; /* the socket */
    bool is_privileged;
    struct process_table *table;
    struct candidates candidates;
    struct jvm_reader reader;
    uint64_t scan_ns; /* when the next scan is due */
    uint32_t pass;
    struct jvm_ask ask; /* of this pass */
    bool has_looked;    /* for JVMs, in an earlier pass */
    unsigned troubles;  /* reported in this pass */
};

/* Returns 0 or an errno. */
int looker_open(struct looker *looker, int fd, bool is_privileged);
void looker_close(struct looker *looker);

/* Waits for a question and answers it. Returns 0; EPIPE if nobody asks any more; or another errno,
 * after which it cannot go on. */
int looker_serve(struct looker *looker);

#endif
