/* For the tests of the processes: trees with /proc/PID, and the sampler on them. */
#ifndef DCAMP_TESTS_PROCESSES_H
#define DCAMP_TESTS_PROCESSES_H

#include "sampling.h"

/* A process of a tree. comm is what stands in brackets; times in ticks. */
struct fake {
    int pid;
    const char *comm;
    const char *exe; /* NULL: there is none to be read */
    unsigned started;
    unsigned user;
    unsigned system;
    unsigned minor;
    unsigned major;
    char state; /* 0: sleeping */
    unsigned threads;
};

void fake_put(const struct tree *tree, const struct fake *fake);
void fake_unit(const struct tree *tree, int pid, const char *text);
void fake_gone(const struct tree *tree, int pid);
struct sampler *processes_sampler(const char *root, const char *pattern);
void processes_pass(struct sampler *sampler, uint64_t now_ns);
const struct sample_slot *processes_slot(const struct sampler *sampler, const char *name);

/* A field that must be there. */
uint64_t processes_value(const struct sampler *sampler, const char *name, unsigned field);

#endif
