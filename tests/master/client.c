#include "master.h"

static enum heard ask_for(struct master *master, int type, const struct name *name,
                          struct seen *seen)
{
    ++master->id;
    packet_begin(&master->out, type, SESSION, master->id, master->id);
    packet_put_range(&master->out, name);
    packet_end(&master->out);
    return master_ask(master, seen);
}

enum heard client_get(struct master *master, const struct name *name, struct seen *seen)
{
    return ask_for(master, PACKET_GET, name, seen);
}

enum heard client_next(struct master *master, const struct name *name, struct seen *seen)
{
    return ask_for(master, PACKET_GETNEXT, name, seen);
}

void client_begin_set(struct master *master)
{
    ++master->id;
    packet_begin(&master->out, PACKET_TEST, SESSION, master->id, master->id);
}

int client_set(struct master *master)
{
    const uint32_t transaction = master->id;
    struct seen seen;
    packet_end(&master->out);
    if (master_ask(master, &seen) != HEARD)
        return -1;
    int error = seen.error;
    if (!error) {
        packet_begin(&master->out, PACKET_COMMIT, SESSION, transaction, ++master->id);
        if (master_ask(master, &seen) != HEARD)
            return -1;
        error = seen.error;
    }
    packet_begin(&master->out, PACKET_CLEANUP, SESSION, transaction, ++master->id);
    return master_send(master, &master->out) ? error : -1;
}
