/* What pushed blocks mean to the polls of a child. */
#include "poller/peer.h"

uint64_t peer_next_poll(const struct peer *peer)
{
    uint64_t due = pace_due(&peer->pace, pace_step(peer->peers->polls_per_hour));
    uint64_t hurry = peer->pushed.hurry;
    return hurry != 0 && hurry < due ? hurry : due;
}

/* A poll that is under way may bring what the push was ahead of; then this one brings nothing. */
void peer_move(struct peers *peers, const struct message_move *message, uint64_t now)
{
    struct peer *peer;
    HASH_FIND(hh, peers->all, &message->id, sizeof message->id, peer);
    if (!peer)
        return;
    peer->pushed.boot = message->report_boot;
    peer->pushed.next = message->next_block;
    peer->pushed.again |= message->again;
    if (message->soon && peer->pushed.hurry == 0)
        peer->pushed.hurry = pace_hurry(&peer->pace, now);
    if (message->soon && peer->work == PEER_RESTS && !peer->again)
        timer_set(&peers->timers, &peer->timer, peer_next_poll(peer));
}
