/* Children that are devices: what differs from dCAMP nodes. */
#include "base/clock.h"
#include "poller/peer.h"

static struct device_report report_of(struct peer *peer)
{
    return (struct device_report){
        .outbox = &peer->peers->outbox,
        .id = peer->id,
        .engine = &peer->session.engine,
        .round_trip_us = (uint32_t)(peer->session.round_trip / NS_PER_US),
        .now = peer->now,
    };
}

struct query_error peer_take_device(struct peer *peer, const netsnmp_pdu *pdu)
{
    const struct device_report report = report_of(peer);
    return device_take_pdu(peer->device, pdu, &report);
}

void peer_renew_device(struct peer *peer)
{
    const struct device_report report = report_of(peer);
    device_tell_renewal(peer->device, &report);
    device_begin(peer->device, peer->now);
}

bool peer_set_objects(struct peers *peers, const struct message_objects *message)
{
    struct peer *peer;
    HASH_FIND(hh, peers->all, &message->id, sizeof message->id, peer);
    return !peer || !peer->device ||
           device_set(peer->device, message->generation, peers->objects, message->objects,
                      message->n);
}
