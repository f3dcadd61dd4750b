#include "answers.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

struct answer *answer_new(uint32_t id, uint32_t boot)
{
    struct answer *answer = calloc(1, sizeof *answer);
    answer->head = (struct message_answer){
        .head = {.kind = MESSAGE_ANSWER, .length = (sizeof answer->head + 7) & ~7u},
        .id = id,
        .round_trip_us = 321,
        .engine_id = {0x80, 0, 0x7e, 0xd9, 1},
        .engine_id_len = 5,
        .engine_boots = 3,
        .report_boot = boot};
    return answer;
}

void answer_add(struct answer *answer, uint32_t sequence, const void *bytes, size_t len)
{
    size_t size = (sizeof(struct message_block) + len + 7) & ~(size_t)7;
    assert_true(answer->head.head.length + size <= ANSWER_MAX);
    struct message_block *block =
        (struct message_block *)((char *)answer + answer->head.head.length);
    block->sequence = sequence;
    block->length = (uint32_t)len;
    if (len)
        memcpy(block->bytes, bytes, len);
    answer->head.head.length += (uint32_t)size;
    answer->head.n_blocks++;
    answer->head.last = sequence;
}
