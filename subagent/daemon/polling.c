#include "daemon/polling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "collect/pollers.h"
#include "daemon/lock.h"

/* How many packets are heard in one step, so that sensors do not wait for children. */
#define PACKETS_MAX 64

#define AGAIN_NS NS_PER_S

static bool send_message(void *context, uint32_t id, const struct message *message)
{
    return pollers_send(context, id, message);
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

void polling_reload(struct polling *polling, const struct config *config)
{
    if (!polling->pollers)
        return;
    lock_take(polling->lock);
    const struct index *rows = &config->rows[ROW_CREDENTIAL];
    struct credential_source *sources = calloc(rows->count + 1, sizeof *sources);
    char listen[PEER_ADDRESS_SIZE];
    size_t n = 0;
    memcpy(listen, config->collect.listen, sizeof listen);
    for (struct index_node *node = index_first(rows); node && sources; node = index_next(node))
        sources[n++] = source_of((const struct credential_row *)node);
    lock_release(polling->lock);
    bool listens = pollers_listen(polling->pollers, listen) == 0;
    bool set = sources && pollers_set_credentials(polling->pollers, sources, n) == 0;
    if (!listens)
        log_error("collect", "no memory to receive pushed blocks");
    if (!set)
        log_error("collect", "no memory for the credentials");
    polling->reloads = !listens || !set;
    free(sources);
}

/* -- Beginning and end ---------------------------------------------------------------------- */

int polling_begin(struct polling *polling, struct children *children, pthread_mutex_t *lock,
                  const struct config *config, const char *const *options)
{
    polling->children = children;
    polling->lock = lock;
    errno = 0;
    polling->pollers = pollers_new(options);
    polling->packet = malloc(MESSAGE_PACKET_MAX);
    if (!polling->pollers || !polling->packet)
        return errno ? errno : ENOMEM;
    lock_take(polling->lock);
    children->send = send_message;
    children->context = polling->pollers;
    lock_release(polling->lock);
    polling_reload(polling, config);
    return 0;
}

void polling_end(struct polling *polling)
{
    if (!polling->lock)
        return;
    lock_take(polling->lock);
    polling->children->send = NULL;
    lock_release(polling->lock);
    pollers_free(polling->pollers);
    polling->pollers = NULL;
    free(polling->packet);
    polling->packet = NULL;
}

int polling_fd(const struct polling *polling)
{
    return polling->pollers ? pollers_fd(polling->pollers) : -1;
}

/* -- One step ------------------------------------------------------------------------------- */

static void hear_packet(struct polling *polling, size_t used, struct moment now)
{
    const struct message *message;
    size_t at = 0;
    lock_take(polling->lock);
    while ((message = message_next(polling->packet, used, &at)))
        if (message->kind != MESSAGE_ALIVE) /* it has no content beyond the fact that it came */
            children_message(polling->children, message, now);
    if (at != used)
        pollers_blame(polling->pollers);
    lock_release(polling->lock);
}

/* False: there may be more. */
static bool hear_pollers(struct polling *polling, struct moment now)
{
    size_t used;
    for (int i = 0; i < PACKETS_MAX; i++) {
        if (!pollers_receive(polling->pollers, polling->packet, &used, now.mono_ns))
            return true;
        hear_packet(polling, used, now);
    }
    return false;
}

/* Tells new pollers of their children. True: some pollers have begun. */
static bool tell_begun(struct polling *polling, struct moment now)
{
    struct poller_process *poller;
    bool any = false;
    for (; (poller = pollers_begun(polling->pollers)); any = true) {
        if (poller_receives(poller))
            children_tell_receiver(polling->children);
        else
            children_resend(polling->children, poller_has, poller, now);
    }
    return any;
}

/* Tells those that have room what waits for them. True: there was something. */
static bool tell_ready(struct polling *polling, struct moment now)
{
    struct poller_process *poller;
    uint32_t from;
    bool any = false;
    for (; (poller = pollers_ready(polling->pollers, &from)); any = true) {
        if (poller_receives(poller))
            children_tell_receiver_on(polling->children, from);
        else
            children_tell_on(polling->children, poller_has, poller, from, now);
    }
    return any;
}

/* Tells children that their pollers have ended, and pollers of their children: each as much as its
 * queue has room for, so that neither sensors nor those that want the lock wait for long. True:
 * something was told, and there may be more. */
static bool hand_over_children(struct polling *polling, struct moment now)
{
    struct poller_process *poller;
    lock_take(polling->lock);
    while ((poller = pollers_ended(polling->pollers)))
        children_unpolled(polling->children, poller_has, poller, "its poller has ended");
    bool begun = tell_begun(polling, now), ready = tell_ready(polling, now);
    lock_release(polling->lock);
    return begun || ready;
}

/* Returns when to try again what there was no memory for. */
static uint64_t try_again(struct polling *polling, const struct config *config, struct moment now)
{
    polling->lacks |= pollers_left_out(polling->pollers);
    if (!polling->reloads && !polling->lacks)
        return UINT64_MAX;
    if (now.mono_ns < polling->again_ns)
        return polling->again_ns;
    polling->again_ns = now.mono_ns + AGAIN_NS;
    if (polling->reloads)
        polling_reload(polling, config);
    if (!polling->lacks)
        return polling->again_ns;
    polling->lacks = false;
    lock_take(polling->lock);
    children_resend(polling->children, pollers_lack, polling->pollers, now);
    lock_release(polling->lock);
    return polling->again_ns;
}

/* The lock is not taken if nothing is due, which is safe because only this thread changes
 * watch_ns. */
static uint64_t watch_children(struct polling *polling, struct moment now)
{
    uint64_t due = polling->children->watch_ns;
    if (now.mono_ns < due)
        return due;
    lock_take(polling->lock);
    due = children_watch(polling->children, now);
    lock_release(polling->lock);
    return due;
}

uint64_t polling_step(struct polling *polling, const struct config *config, struct moment now)
{
    if (!polling->pollers)
        return UINT64_MAX;
    bool heard_all = hear_pollers(polling, now);
    uint64_t due = pollers_step(polling->pollers, now.mono_ns);
    bool told = hand_over_children(polling, now);
    if (told)
        due = pollers_step(polling->pollers, now.mono_ns);
    if (!heard_all || told)
        return now.mono_ns;
    uint64_t watch_due = watch_children(polling, now), again_due = try_again(polling, config, now);
    due = watch_due < due ? watch_due : due;
    return again_due < due ? again_due : due;
}
