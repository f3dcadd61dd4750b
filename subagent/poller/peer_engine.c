#include "poller/peer_engine.h"

#include <string.h>

#include "base/hex.h"
#include "base/memory.h"
#include "base/text.h"

bool engine_is_same(const struct snmp_engine *a, const struct snmp_engine *b)
{
    return a->len == b->len && memcmp(a->id, b->id, a->len) == 0;
}

/* Who answers with this engine ID at another address, as far as this process knows. */
static const struct peer *find_twin(const struct peer *peer)
{
    for (const struct peer *other = peer->peers->all; other; other = other->hh.next)
        if (strcmp(other->address, peer->address) != 0 &&
            engine_is_same(&other->session.engine, &peer->session.engine))
            return other;
    return NULL;
}

/* The boots that an engine had before are forgotten, once and for the reason that is told, since
 * otherwise nothing of it would ever be taken again. An old record cannot make use of it: it has
 * not the msgID of the request. */
void peer_heal_time(struct peer *peer, char *text, size_t size)
{
    const struct peer *twin = find_twin(peer);
    if (twin)
        text_format(text, size, "its engine ID is also that of %s: cloned", twin->address);
    session_forget_time(&peer->session.engine);
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

void peers_tidy(struct peers *peers)
{
    bool met = peers->discoveries > 0;
    peers->discoveries = 0;
    for (struct peer *peer = peers->all; met && peer; peer = peer->hh.next)
        session_keep_time(&peer->session);
    if (met)
        session_forget_times();
    memory_let_go();
    for (struct peer *peer = peers->all; met && peer; peer = peer->hh.next)
        session_put_time_back(&peer->session);
}
