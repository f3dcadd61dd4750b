#include "poller/peer_engine.h"

#include <string.h>

#include "base/hex.h"
#include "base/text.h"

bool engine_is_same(const struct snmp_engine *a, const struct snmp_engine *b)
{
    return a->len == b->len && memcmp(a->id, b->id, a->len) == 0;
}

/* A peer that answers with this engine ID at another address, as far as this process knows; or
 * NULL. */
static const struct peer *find_twin(const struct peer *peer)
{
    for (const struct peer *other = peer->peers->all; other; other = other->hh.next)
        if (strcmp(other->address, peer->address) != 0 &&
            engine_is_same(&other->session.engine, &peer->session.engine))
            return other;
    return NULL;
}

static struct peer *find_ahead(const struct peer *peer)
{
    struct peer *ahead;
    HASH_FIND(by_engine, peer->peers->ahead, peer->before.id, peer->before.len, ahead);
    return ahead;
}

void peer_fall_back(struct peer *peer)
{
    if (peer->is_ahead)
        HASH_DELETE(by_engine, peer->peers->ahead, peer);
    peer->is_ahead = false;
}

/* If two say the same, either of them will do. */
bool peer_is_behind(struct peer *peer)
{
    const struct engine_time *own = &peer->session.known;
    struct peer *ahead = peer->is_ahead ? peer : find_ahead(peer);
    if (ahead && !engine_time_is_recent(&ahead->session.known, own->boots, own->time, peer->now))
        return true;
    if (ahead && ahead->session.known.boots >= own->boots)
        return false;
    if (ahead)
        peer_fall_back(ahead);
    HASH_ADD_KEYPTR(by_engine, peer->peers->ahead, peer->before.id, peer->before.len, peer);
    peer->is_ahead = table_has(by_engine, peer);
    return false;
}

/* The boots that an engine had before are forgotten once, for the reason that is told, because
 * otherwise no message of it would ever be accepted again. A recorded message cannot make use of
 * that: it does not have the msgID of the request. */
void peer_heal_time(struct peer *peer, char *text, size_t size)
{
    const struct peer *twin = find_twin(peer);
    if (twin)
        text_format(text, size, "its engine ID is also that of %s: cloned", twin->address);
    struct peer *ahead = find_ahead(peer);
    if (ahead)
        peer_fall_back(ahead);
    session_forget_time(&peer->session);
    peer->session.engine.boots = 0;
}

void peer_forget_engine(struct peer *peer)
{
    session_forget_keys(&peer->session);
    peer->session.engine = (struct snmp_engine){0};
}

void peer_leave_engine(struct peer *peer, char *text, size_t size)
{
    char id[2 * ENGINE_ID_MAX + 1];
    hex_from_octets(id, peer->session.found.id, peer->session.found.len, HEX_LOWER);
    if (peer->keys)
        text_format(text, size, "its keys are for another engine ID, not for %s", id);
    else
        text_format(text, size, "another engine ID answers at this address: %s", id);
    peer_forget_engine(peer);
}
