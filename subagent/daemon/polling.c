#include "daemon/polling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "collect/pollers.h"
#include "daemon/dcampd.h"

/* Packets in one step: the sensors are not to wait for the children. */
#define PACKETS_MAX 64

static void send_message(void *context, uint32_t id, const struct message *message)
{
    pollers_send(context, id, message);
}

/* -- Credentials ---------------------------------------------------------------------------- */

static struct credential_source source_of(const struct credential_row *row)
{
    struct credential_source source = {.auth = (enum auth_protocol)row->auth,
                                       .priv = (enum priv_protocol)row->priv};
    memcpy(source.name, row->row.name, sizeof source.name);
    memcpy(source.user, row->user, sizeof source.user);
    memcpy(source.secrets, row->secrets, sizeof source.secrets);
    return source;
}

_Static_assert(sizeof((struct credential_source *)0)->secrets ==
                   sizeof((struct credential_row *)0)->secrets,
               "a path is copied whole");

void polling_reload(struct dcampd *daemon)
{
    if (!daemon->pollers)
        return;
    dcampd_lock(daemon);
    const struct index *rows = &daemon->config->rows[ROW_CREDENTIAL];
    struct credential_source *sources = calloc(rows->count + 1, sizeof *sources);
    char listen[PEER_ADDRESS_SIZE];
    size_t n = 0;
    memcpy(listen, daemon->config->collect.listen, sizeof listen);
    for (struct index_node *node = index_first(rows); node && sources; node = index_next(node))
        sources[n++] = source_of((const struct credential_row *)node);
    dcampd_unlock(daemon);
    if (pollers_listen(daemon->pollers, listen) != 0)
        log_error("collect", "no memory to receive pushed blocks");
    if (!sources || pollers_set_credentials(daemon->pollers, sources, n) != 0)
        log_error("collect", "no memory for the credentials");
    free(sources);
}

/* -- Beginning and end ---------------------------------------------------------------------- */

int polling_begin(struct dcampd *daemon, const char *const *options)
{
    errno = 0;
    daemon->pollers = pollers_new(options);
    daemon->packet = malloc(MESSAGE_PACKET_MAX);
    if (!daemon->pollers || !daemon->packet)
        return errno ? errno : ENOMEM;
    dcampd_lock(daemon);
    daemon->children.send = send_message;
    daemon->children.context = daemon->pollers;
    dcampd_unlock(daemon);
    polling_reload(daemon);
    return 0;
}

void polling_end(struct dcampd *daemon)
{
    dcampd_lock(daemon);
    daemon->children.send = NULL;
    dcampd_unlock(daemon);
    pollers_free(daemon->pollers);
    daemon->pollers = NULL;
    free(daemon->packet);
    daemon->packet = NULL;
}

int polling_fd(const struct dcampd *daemon)
{
    return daemon->pollers ? pollers_fd(daemon->pollers) : -1;
}

/* -- One step ------------------------------------------------------------------------------- */

static void hear_packet(struct dcampd *daemon, size_t used, struct moment now)
{
    const struct message *message;
    size_t at = 0;
    dcampd_lock(daemon);
    while ((message = message_next(daemon->packet, used, &at)))
        if (message->kind != MESSAGE_ALIVE) /* that it came is all that there is to it */
            children_message(&daemon->children, message, now);
    if (at != used)
        pollers_blame(daemon->pollers);
    dcampd_unlock(daemon);
}

/* False: there may be more. */
static bool hear(struct dcampd *daemon, struct moment now)
{
    size_t used;
    for (int i = 0; i < PACKETS_MAX; i++) {
        if (!pollers_receive(daemon->pollers, daemon->packet, &used, now.mono_ns))
            return true;
        hear_packet(daemon, used, now);
    }
    return false;
}

/* Children of pollers that have ended or begun. */
static bool hand_over(struct dcampd *daemon, struct moment now)
{
    struct poller *poller;
    bool any = false;
    dcampd_lock(daemon);
    while ((poller = pollers_ended(daemon->pollers)))
        children_unpolled(&daemon->children, poller_has, poller, "its poller has ended");
    for (; (poller = pollers_begun(daemon->pollers)); any = true) {
        if (poller_receives(poller))
            children_tell_receiver(&daemon->children);
        else
            children_resend(&daemon->children, poller_has, poller, now);
    }
    dcampd_unlock(daemon);
    return any;
}

/* The lock is not taken where nothing is due: only this thread moves the time. */
static uint64_t watch_children(struct dcampd *daemon, struct moment now)
{
    uint64_t due = daemon->children.watch_ns;
    if (now.mono_ns < due)
        return due;
    dcampd_lock(daemon);
    due = children_watch(&daemon->children, now);
    dcampd_unlock(daemon);
    return due;
}

uint64_t polling_step(struct dcampd *daemon, struct moment now)
{
    if (!daemon->pollers)
        return UINT64_MAX;
    bool heard_all = hear(daemon, now);
    uint64_t due = pollers_step(daemon->pollers, now.mono_ns);
    if (hand_over(daemon, now))
        due = pollers_step(daemon->pollers, now.mono_ns);
    if (!heard_all)
        return now.mono_ns;
    uint64_t watch_due = watch_children(daemon, now);
    return watch_due < due ? watch_due : due;
}
