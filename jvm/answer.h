/* The answer to a question: one pass over the processes of the machine. */
#ifndef DCAMP_JVM_ANSWER_H
#define DCAMP_JVM_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "jvm/candidates.h"
#include "jvm/file.h"
#include "sample/process/process.h"

/* How often it is looked which processes there are; octets of maps that are read in a pass: what is
 * beyond that is looked at in the next one. */
#define ANSWER_SCAN_NS (5 * NS_PER_S)
#define ANSWER_MAPS_MAX (2u << 20)

struct looker {
    int fd; /* the socket */
    bool is_privileged;
    struct process_table *table;
    struct candidates candidates;
    struct jvm_reader reader;
    uint64_t scan_ns; /* when the next scan is due */
    uint32_t pass;
    unsigned troubles; /* told in this pass */
};

/* 0 or an errno. */
int looker_open(struct looker *looker, int fd, bool is_privileged);
void looker_close(struct looker *looker);

/* Waits for a question and answers it. 0; EPIPE: nobody asks any more; or another errno, after
 * which it cannot go on. */
int looker_serve(struct looker *looker);

#endif
