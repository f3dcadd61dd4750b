#include "report/push.h"

#include "base/clock.h"

void push_open(struct push *push, uint32_t rate, uint64_t now_ns)
{
    *push = (struct push){.rate = rate, .credit_ns = NS_PER_S, .credited_ns = now_ns};
}

static void add_credit(struct push *push, uint64_t now_ns)
{
    uint64_t since = now_ns > push->credited_ns ? now_ns - push->credited_ns : 0;
    push->credited_ns += since;
    push->credit_ns =
        since < NS_PER_S - push->credit_ns ? push->credit_ns + since : (uint64_t)NS_PER_S;
}

static bool take_credit(struct push *push)
{
    uint64_t cost = push->rate ? NS_PER_S / push->rate : UINT64_MAX;
    if (push->credit_ns < cost)
        return false;
    push->credit_ns -= cost;
    return true;
}

/* Once a block is left out, the blocks behind it would only show the parent a gap, so they are left
 * out, too. */
void push_blocks(struct push *push, uint32_t first, uint32_t last, uint64_t now_ns)
{
    uint64_t left = first <= last ? (uint64_t)last - first + 1 : 0;
    add_credit(push, now_ns);
    for (; left > 0 && push->n < PUSH_QUEUE_MAX && take_credit(push); left--, first++)
        push->blocks[(push->first + push->n++) % PUSH_QUEUE_MAX] = first;
    push->held += left;
}

uint32_t push_next(const struct push *push)
{
    return push->n > 0 ? push->blocks[push->first] : 0;
}

void push_done(struct push *push, bool sent)
{
    if (push->n == 0)
        return;
    push->first = (push->first + 1) % PUSH_QUEUE_MAX;
    push->n--;
    push->sent += sent;
    push->held += !sent;
}

void push_clear(struct push *push)
{
    push->held += push->n;
    push->n = push->first = 0;
}
