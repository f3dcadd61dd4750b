#include "trapd-handlers/sequence.h"

#include <string.h>

/* A number that is further behind than this is from a daemon that has begun anew. */
#define LATE_MAX 1000

static bool came_before(struct sequence *sequence, uint64_t digest)
{
    for (size_t i = 0; i < SEQUENCE_RECENT; i++)
        if (sequence->recent[i] == digest)
            return true;
    return false;
}

static bool is_at(const struct sequence_sender *sender, const struct trap *trap)
{
    return sender->used > 0 && strcmp(sender->address, trap->address) == 0;
}

static struct sequence_sender *find(struct sequence *sequence, const struct trap *trap)
{
    struct sequence_sender *moved = NULL;
    for (size_t i = 0; i < SEQUENCE_SENDERS; i++) {
        struct sequence_sender *sender = &sequence->senders[i];
        if (!is_at(sender, trap))
            continue;
        if (strcmp(sender->source, trap->source) == 0)
            return sender;
        if (strcmp(sender->node, trap->text[TRAP_NODE]) == 0 &&
            (!moved || moved->used < sender->used))
            moved = sender;
    }
    return moved;
}

/* Takes a free entry, or the one that has been quiet longest. */
static struct sequence_sender *add(struct sequence *sequence, const struct trap *trap)
{
    struct sequence_sender *oldest = &sequence->senders[0];
    for (size_t i = 1; i < SEQUENCE_SENDERS; i++)
        if (sequence->senders[i].used < oldest->used)
            oldest = &sequence->senders[i];
    memset(oldest, 0, sizeof *oldest);
    oldest->last = trap->sequence - 1;
    memcpy(oldest->address, trap->address, sizeof oldest->address);
    return oldest;
}

static enum sequence_verdict judge(struct sequence_sender *sender, const struct trap *trap,
                                   uint32_t *missing)
{
    uint32_t ahead = trap->sequence - sender->last; /* modulo 2^32, like the numbers */
    uint32_t behind = sender->last - trap->sequence;
    if (behind < LATE_MAX)
        return SEQUENCE_LATE;
    sender->last = trap->sequence;
    if (behind < UINT32_MAX / 2 || ahead - 1 <= trap->suppressed)
        return SEQUENCE_NEXT;
    *missing = ahead - 1 - trap->suppressed;
    return SEQUENCE_GAP;
}

enum sequence_verdict sequence_take(struct sequence *sequence, const struct trap *trap,
                                    uint32_t *missing)
{
    uint64_t digest = trap_digest(trap);
    *missing = 0;
    if (came_before(sequence, digest))
        return SEQUENCE_DUPLICATE;
    sequence->recent[sequence->traps++ % SEQUENCE_RECENT] = digest;
    struct sequence_sender *sender = find(sequence, trap);
    if (!sender)
        sender = add(sequence, trap);
    memcpy(sender->source, trap->source, sizeof sender->source);
    size_t len = strnlen(trap->text[TRAP_NODE], sizeof sender->node - 1);
    memcpy(sender->node, trap->text[TRAP_NODE], len);
    sender->node[len] = '\0';
    sender->used = sequence->traps;
    return judge(sender, trap, missing);
}
