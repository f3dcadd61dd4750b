#include "collect/pollers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "base/table.h"

struct route {
    UT_hash_handle hh;
    uint32_t id;
    uint32_t polls_per_hour;
    struct poller_process *poller;
};

struct pollers {
    struct poller_setup setup;
    struct poller_process **all;
    size_t n;
    size_t turn;                    /* which process is listened to next */
    struct poller_process *speaker; /* who sent the last packet */
    struct route *routes;
    struct poller_process *receiver; /* one for all pollers; NULL: there was nothing to receive
                                      * yet */
    bool credentials_due;
    bool left_out;        /* some child has no route, because memory ran out or because it lost its
                           * route */
    uint64_t descriptors; /* how many a poller may have */
};

static uint64_t most_descriptors(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : UINT64_MAX;
}

struct pollers *pollers_new(const char *const *options)
{
    struct pollers *pollers = calloc(1, sizeof *pollers);
    if (!pollers)
        return NULL;
    pollers->setup.options = options;
    pollers->descriptors = most_descriptors();
    pollers->setup.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (pollers->setup.epoll < 0) {
        free(pollers);
        return NULL;
    }
    return pollers;
}

int pollers_fd(const struct pollers *pollers)
{
    return pollers->setup.epoll;
}

int pollers_set_credentials(struct pollers *pollers, const struct credential_source *credentials,
                            size_t n)
{
    struct credential_source *copy = calloc(n + 1, sizeof *copy);
    if (!copy)
        return ENOMEM;
    if (n > 0)
        memcpy(copy, credentials, n * sizeof *copy);
    free(pollers->setup.credentials);
    pollers->setup.credentials = copy;
    pollers->setup.n_credentials = n;
    pollers->credentials_due = true;
    return 0;
}

uint64_t pollers_step(struct pollers *pollers, uint64_t now_ns)
{
    uint64_t due = UINT64_MAX;
    bool told = false;
    for (size_t i = 0; i < pollers->n; i++) {
        struct poller_process *poller = pollers->all[i];
        if (pollers->credentials_due && poller->state == POLLER_RUNNING) {
            poller_tell_credentials(poller, !told);
            told = true;
        }
        uint64_t next = poller_step(poller, now_ns);
        due = next < due ? next : due;
    }
    pollers->credentials_due = false;
    return due;
}

/* -- Who is told what ----------------------------------------------------------------------- */

static struct poller_process *poller_new(struct pollers *pollers, enum process_kind kind)
{
    struct poller_process **more =
        reallocarray(pollers->all, pollers->n + 1, sizeof(struct poller_process *));
    if (more)
        pollers->all = more;
    struct poller_process *poller = more ? calloc(1, sizeof *poller) : NULL;
    if (!poller)
        return NULL;
    poller_init(poller, &pollers->setup, kind, (unsigned)pollers->n + 1);
    poller->pollers = pollers;
    pollers->all[pollers->n++] = poller;
    return poller;
}

/* The first that has few children, else the one with the fewest among those that can take it, else
 * a new one. */
static struct poller_process *poller_with_room(struct pollers *pollers, uint32_t polls_per_hour)
{
    struct poller_process *best = NULL;
    size_t n = pollers->n - (pollers->receiver != NULL);
    for (size_t i = 0; i < pollers->n; i++) {
        struct poller_process *poller = pollers->all[i];
        if (poller_receives(poller) ||
            !load_takes(&poller->load, polls_per_hour, n, pollers->descriptors))
            continue;
        if (poller->load.children < LOAD_CHILDREN)
            return poller;
        if (!best || poller->load.children < best->load.children)
            best = poller;
    }
    return best ? best : poller_new(pollers, PROCESS_POLLER);
}

static struct route *route_find(const struct pollers *pollers, uint32_t id)
{
    struct route *route;
    HASH_FIND(hh, pollers->routes, &id, (unsigned)sizeof id, route);
    return route;
}

static struct route *route_new(struct pollers *pollers, uint32_t id, uint32_t polls_per_hour)
{
    struct poller_process *poller = poller_with_room(pollers, polls_per_hour);
    struct route *route = poller ? calloc(1, sizeof *route) : NULL;
    if (route) {
        route->id = id;
        route->polls_per_hour = polls_per_hour;
        route->poller = poller;
        HASH_ADD(hh, pollers->routes, id, (unsigned)sizeof route->id, route);
    }
    if (!route || !table_has(hh, route)) {
        free(route);
        log_error("collect", "no memory for another child");
        pollers->left_out = true;
        return NULL;
    }
    load_add(&poller->load, polls_per_hour);
    return route;
}

static void route_drop(struct pollers *pollers, struct route *route)
{
    load_drop(&route->poller->load, route->polls_per_hour);
    HASH_DELETE(hh, pollers->routes, route);
    free(route);
}

/* The child is to be polled so often from now on. NULL: its poller cannot do that, and forgets
 * it. */
static struct route *route_repace(struct pollers *pollers, struct route *route,
                                  uint32_t polls_per_hour)
{
    const struct message_forget forget = {.head = {.kind = MESSAGE_FORGET, .length = sizeof forget},
                                          .id = route->id};
    struct poller_process *poller = route->poller;
    load_drop(&poller->load, route->polls_per_hour);
    load_add(&poller->load, polls_per_hour);
    route->polls_per_hour = polls_per_hour;
    if (!load_is_too_much(&poller->load))
        return route;
    if (poller->state == POLLER_RUNNING)
        poller_queue(poller, &forget.head);
    route_drop(pollers, route);
    pollers->left_out = true;
    return NULL;
}

/* The route of a child that is new or changed. NULL: it has none. */
static struct route *route_child(struct pollers *pollers, struct route *route,
                                 const struct message_child *child)
{
    uint32_t polls_per_hour = load_polls_per_hour(child->period_ms);
    if (!route)
        return route_new(pollers, child->id, polls_per_hour);
    if (route->polls_per_hour == polls_per_hour)
        return route;
    return route_repace(pollers, route, polls_per_hour);
}

bool pollers_left_out(struct pollers *pollers)
{
    bool left_out = pollers->left_out;
    pollers->left_out = false;
    return left_out;
}

bool pollers_lack(void *pollers, uint32_t id)
{
    return !route_find(pollers, id);
}

int pollers_listen(struct pollers *pollers, const char *address)
{
    struct poller_process *receiver = pollers->receiver;
    if (strcmp(pollers->setup.listen, address) == 0)
        return 0;
    if (!receiver)
        receiver = pollers->receiver = poller_new(pollers, PROCESS_RECEIVER);
    if (!receiver)
        return ENOMEM;
    receiver->outdated = receiver->state == POLLER_RUNNING;
    text_format(pollers->setup.listen, sizeof pollers->setup.listen, "%s", address);
    return 0;
}

/* Whether the message says how a child is: it can be told later, with what is true then. */
static bool can_wait(const struct message *message)
{
    return message->kind == MESSAGE_CHILD || message->kind == MESSAGE_OBJECTS ||
           message->kind == MESSAGE_SENDER;
}

/* False: it is to be told later. If poller is NULL or does not run, it is told when it begins. */
static bool tell_process(struct poller_process *poller, uint32_t id, const struct message *message)
{
    if (!poller || poller->state != POLLER_RUNNING)
        return true;
    if (can_wait(message))
        return poller_offer(poller, id, message);
    poller_queue(poller, message);
    return true;
}

static void tell_all(const struct pollers *pollers, const struct message *message)
{
    for (size_t i = 0; i < pollers->n; i++)
        if (!poller_receives(pollers->all[i]))
            tell_process(pollers->all[i], 0, message);
}

bool pollers_send(struct pollers *pollers, uint32_t id, const struct message *message)
{
    if (message->kind == MESSAGE_SENDER)
        return tell_process(pollers->receiver, id, message);
    if (message->kind == MESSAGE_FORGET)
        tell_process(pollers->receiver, id, message);
    if (id == 0)
        tell_all(pollers, message);
    struct route *route = route_find(pollers, id);
    if (message->kind == MESSAGE_CHILD)
        route = route_child(pollers, route, (const struct message_child *)(const void *)message);
    bool told = !route || tell_process(route->poller, id, message);
    if (route && message->kind == MESSAGE_FORGET)
        route_drop(pollers, route);
    return told;
}

struct poller_process *pollers_ready(struct pollers *pollers, uint32_t *from)
{
    for (size_t i = 0; i < pollers->n; i++)
        if (pollers->all[i]->state == POLLER_RUNNING && (*from = poller_waiting(pollers->all[i])))
            return pollers->all[i];
    return NULL;
}

bool pollers_receive(struct pollers *pollers, void *packet, size_t *used, uint64_t now_ns)
{
    for (size_t i = 0; i < pollers->n; i++) {
        struct poller_process *poller = pollers->all[pollers->turn++ % pollers->n];
        if (poller_receive(poller, packet, used, now_ns)) {
            pollers->speaker = poller;
            return true;
        }
    }
    return false;
}

void pollers_blame(struct pollers *pollers)
{
    if (pollers->speaker)
        pollers->speaker->fault = "said what is no message";
}

struct poller_process *pollers_begun(struct pollers *pollers)
{
    for (size_t i = 0; i < pollers->n; i++)
        if (pollers->all[i]->begun) {
            pollers->all[i]->begun = false;
            return pollers->all[i];
        }
    return NULL;
}

struct poller_process *pollers_ended(struct pollers *pollers)
{
    for (size_t i = 0; i < pollers->n; i++)
        if (pollers->all[i]->ended) {
            pollers->all[i]->ended = false;
            return pollers->all[i];
        }
    return NULL;
}

bool poller_receives(const struct poller_process *poller)
{
    return poller->kind == PROCESS_RECEIVER;
}

bool poller_has(void *poller, uint32_t id)
{
    const struct route *route = route_find(((struct poller_process *)poller)->pollers, id);
    return route && route->poller == poller;
}

/* -- The end -------------------------------------------------------------------------------- */

void pollers_free(struct pollers *pollers)
{
    struct route *route, *next;
    if (!pollers)
        return;
    poller_end_all(pollers->all, pollers->n);
    HASH_ITER(hh, pollers->routes, route, next)
    {
        HASH_DELETE(hh, pollers->routes, route);
        free(route);
    }
    for (size_t i = 0; i < pollers->n; i++)
        free(pollers->all[i]);
    free((void *)pollers->all);
    free(pollers->setup.credentials);
    close(pollers->setup.epoll);
    free(pollers);
}
