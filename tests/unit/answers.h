/* For tests: answers of children, as a poller hands them to the core. */
#ifndef DCAMP_TESTS_ANSWERS_H
#define DCAMP_TESTS_ANSWERS_H

#include <stddef.h>

#include "collect/message.h"

#define ANSWER_MAX 65536

struct answer {
    union {
        struct message_answer head;
        uint64_t room[ANSWER_MAX / 8];
    };
};

struct answer *answer_new(uint32_t id, uint32_t boot);
void answer_add(struct answer *answer, uint32_t sequence, const void *bytes, size_t len);

#endif
