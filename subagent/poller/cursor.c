#include "poller/cursor.h"

#include <stddef.h>

static uint32_t smaller(uint64_t a, uint64_t b)
{
    uint64_t n = a < b ? a : b;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

void cursor_set(struct cursor *cursor, uint32_t boot, uint32_t next)
{
    *cursor = (struct cursor){
        .boot = boot, .next = boot ? next : 0, .want = 1, .limit = CURSOR_BLOCKS_MAX};
}

void cursor_begin(struct cursor *cursor)
{
    cursor->rounds = 0;
    cursor->brought = 0;
}

uint32_t cursor_ask(const struct cursor *cursor, uint32_t *first)
{
    *first = (uint32_t)cursor->next;
    if (cursor->next == 0 || cursor->next > UINT32_MAX)
        return 0;
    return smaller(cursor->want, UINT32_MAX - cursor->next + 1);
}

void cursor_unanswered(struct cursor *cursor)
{
    uint32_t first;
    if (cursor_ask(cursor, &first) <= 1)
        return;
    uint32_t twice = cursor->patience ? 2 * (uint32_t)cursor->patience : CURSOR_ALONE;
    cursor->patience = twice < CURSOR_ALONE_MAX ? (uint16_t)twice : CURSOR_ALONE_MAX;
    cursor->alone = cursor->patience;
    cursor->want = 1;
}

bool cursor_too_big(struct cursor *cursor)
{
    if (cursor->want == 1)
        return false;
    cursor->want = cursor->limit = cursor->want / 2;
    return true;
}

void cursor_pass(struct cursor *cursor, uint32_t boot, uint32_t next)
{
    if (boot != cursor->boot || cursor->next == 0 || next <= cursor->next)
        return;
    cursor->next = next;
    cursor->stuck = false;
    if (cursor->last < next - 1)
        cursor->last = next - 1;
}

void cursor_back(struct cursor *cursor, uint32_t boot, uint32_t block)
{
    if (boot == cursor->boot && block < cursor->next)
        cursor_set(cursor, boot, block);
}

static const char *head_garbage(const struct cursor_head *head)
{
    if (head->boot == 0)
        return "its report boot is 0";
    if (head->first > head->last || (head->first == 0 && head->last != 0))
        return "its first block is after its last";
    return NULL;
}

/* Counts the blocks that were lost, of the old boot and of the new one. A first contact has lost
 * nothing. */
static uint32_t lost_by_boot(const struct cursor *cursor, const struct cursor_head *head)
{
    uint64_t lost = 0;
    if (cursor->boot == 0)
        return 0;
    if (cursor->next && cursor->last >= cursor->next)
        lost += cursor->last - cursor->next + 1;
    if (head->first)
        lost += head->first - 1;
    return smaller(lost, UINT32_MAX);
}

/* Moves the cursor to the oldest block that the child keeps, or to the first that it will have. */
static void go_to_first(struct cursor *cursor, const struct cursor_head *head)
{
    cursor->boot = head->boot;
    cursor->next = head->first ? head->first : 1;
    cursor->stuck = false;
}

static void take_blocks(struct cursor *cursor, const struct cursor_head *head, uint32_t present,
                        struct cursor_step *step)
{
    uint32_t asked = cursor_ask(cursor, &step->first);
    uint64_t left = head->last >= cursor->next ? head->last - cursor->next + 1 : 0;
    uint32_t promised = smaller(asked, left);
    while (step->take < promised && present >> step->take & 1)
        step->take++;
    bool missing = step->take < promised;
    if (present >> promised)
        step->garbage = "it has a block beyond its last";
    else if (missing && step->take == 0 && cursor->stuck)
        step->garbage = "the head of its answer announces a block that is not there";
    if (step->garbage) {
        step->take = 0;
        return;
    }
    cursor->stuck = missing && step->take == 0;
    cursor->next += step->take;
    cursor->brought += step->take;
    if (step->take > 1)
        cursor->patience = 0;
}

/* A child that brought several blocks in a poll tends to do so again, though perhaps not in the
 * next one: it is asked for the largest number that the latest polls brought. To be called at the
 * end of a poll. */
static void learn_blocks(struct cursor *cursor)
{
    bool is_fewer = cursor->brought < cursor->usual;
    if (!is_fewer)
        cursor->usual = (uint8_t)smaller(cursor->brought, CURSOR_BLOCKS_MAX);
    cursor->fewer = is_fewer ? cursor->fewer + 1 : 0;
    if (cursor->fewer < CURSOR_POLLS_FEWER)
        return;
    cursor->usual--;
    cursor->fewer = 0;
}

static void plan_blocks(struct cursor *cursor, const struct cursor_head *head,
                        struct cursor_step *step)
{
    cursor->last = head->last;
    cursor->rounds++;
    uint64_t left = head->last >= cursor->next ? head->last - cursor->next + 1 : 0;
    step->again = left > 0 && cursor->rounds < CURSOR_ROUNDS_MAX;
    if (left == 0)
        learn_blocks(cursor);
    cursor->want = smaller(left ? left : cursor->usual, cursor->limit);
    if (cursor->alone > 0)
        cursor->alone--;
    if (cursor->want == 0 || cursor->alone > 0)
        cursor->want = 1;
}

struct cursor_step cursor_answer(struct cursor *cursor, const struct cursor_head *head,
                                 uint32_t present)
{
    struct cursor_step step = {.garbage = head_garbage(head)};
    if (step.garbage)
        return step;
    if (head->boot != cursor->boot) {
        step.lost = lost_by_boot(cursor, head);
        go_to_first(cursor, head);
    } else if (cursor->next == 0) {
        go_to_first(cursor, head);
    } else if ((uint64_t)head->last + 1 < cursor->next) {
        step.garbage = "its block numbers went back";
        cursor_set(cursor, 0, 0);
        return step;
    } else if (head->first > cursor->next) {
        step.lost = smaller(head->first - cursor->next, UINT32_MAX);
        go_to_first(cursor, head);
    } else {
        take_blocks(cursor, head, present, &step);
        if (step.garbage)
            return step;
    }
    plan_blocks(cursor, head, &step);
    return step;
}
