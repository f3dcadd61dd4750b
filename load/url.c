#include <stdlib.h>
#include <string.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/clock.h"
#include "base/text.h"
#include "load/actor.h"

#define CONNECTIONS_MAX 1000000L /* that are kept: at least as many as there are workers */

/* HTTP by libcurl. The actors share its multi handle, which keeps connections from request to
 * request as long as the server does. Each actor has requests of its own, so that n workers are n
 * clients. */
struct url_hub {
    struct hub hub;
    CURLM *multi;
    struct curl_slist *headers;
    struct reactor_timer timer; /* when libcurl wants to be called */
};

struct url_actor {
    struct actor actor;
    CURL *easy;
    char *body; /* of the request; NULL if there is none */
    bool is_busy, is_sent;
};

/* A socket that libcurl waits for. */
struct url_socket {
    struct reactor_watch watch;
    struct url_hub *hub;
};

/* -- How a request ends ---------------------------------------------------------------------- */

static enum failure_kind kind_of(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
        return FAILURE_CONNECT;
    case CURLE_OPERATION_TIMEDOUT:
        return FAILURE_TIMEOUT;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_ABORTED_BY_CALLBACK: /* from allow_once() */
        return FAILURE_CLOSED;
    case CURLE_OUT_OF_MEMORY:
        return FAILURE_MEMORY;
    default:
        return FAILURE_PROTOCOL;
    }
}

static void drop_request(struct url_actor *own)
{
    if (own->is_busy)
        curl_multi_remove_handle(((struct url_hub *)own->actor.hub)->multi, own->easy);
    own->is_busy = false;
    free(own->body);
    own->body = NULL;
}

/* If there is no connection, the error of the kernel tells a server that refuses connections from a
 * shortage of ports or descriptors on this machine. */
static void fail(struct url_actor *own, CURLcode code)
{
    enum failure_kind kind = kind_of(code);
    long error = 0;
    curl_easy_getinfo(own->easy, CURLINFO_OS_ERRNO, &error);
    bool is_known = kind == FAILURE_CONNECT && error != 0;
    const char *what = code == CURLE_ABORTED_BY_CALLBACK
                           ? "the connection was closed before an answer"
                           : curl_easy_strerror(code);
    actor_fail(&own->actor, kind, "%s: %s%s%s", own->actor.hub->action->target, what,
               is_known ? ": " : "", is_known ? strerror((int)error) : "");
}

static void end_request(struct url_actor *own, CURLcode code)
{
    const char *target = own->actor.hub->action->target;
    long status = 0;
    curl_easy_getinfo(own->easy, CURLINFO_RESPONSE_CODE, &status);
    drop_request(own);
    if (code != CURLE_OK)
        fail(own, code);
    else if (status >= 400)
        actor_fail(&own->actor, FAILURE_STATUS, "%s: HTTP status %ld", target, status);
    else
        actor_succeed(&own->actor);
}

/* Takes the requests that libcurl has completed. */
static void collect(struct url_hub *hub)
{
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(hub->multi, &left));) {
        CURLcode code = message->data.result;
        char *own = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &own);
        end_request((struct url_actor *)(void *)own, code);
    }
}

/* -- libcurl's sockets and its timer --------------------------------------------------------- */

/* The struct may be gone when libcurl returns. */
static void socket_ready(void *context, uint32_t events)
{
    struct url_socket *watched = context;
    struct url_hub *hub = watched->hub;
    int what = (events & EPOLLIN ? CURL_CSELECT_IN : 0) |
               (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
               (events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
    int running;
    curl_multi_socket_action(hub->multi, watched->watch.fd, what, &running);
    collect(hub);
}

static void act_on_time(struct url_hub *hub)
{
    int running;
    curl_multi_socket_action(hub->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    collect(hub);
}

static void timer_expired(void *context)
{
    act_on_time(context);
}

/* A curl_multi_timer_callback. */
static int set_timer(CURLM *multi, long timeout_ms, void *context)
{
    struct url_hub *hub = context;
    (void)multi;
    hub->timer.at_ns =
        timeout_ms < 0 ? UINT64_MAX : clock_mono_ns() + (uint64_t)timeout_ms * NS_PER_MS;
    return 0;
}

static int add_socket(struct url_hub *hub, curl_socket_t fd, uint32_t events)
{
    struct url_socket *watched = malloc(sizeof *watched);
    if (!watched)
        return -1;
    *watched = (struct url_socket){{socket_ready, watched, fd}, hub};
    if (reactor_add(hub->hub.reactor, &watched->watch, events) == 0 &&
        curl_multi_assign(hub->multi, fd, watched) == CURLM_OK)
        return 0;
    reactor_remove(hub->hub.reactor, &watched->watch);
    free(watched);
    return -1;
}

/* A curl_socket_callback. */
static int set_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *assigned)
{
    struct url_hub *hub = context;
    struct url_socket *watched = assigned;
    uint32_t events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (watched)
            reactor_remove(hub->hub.reactor, &watched->watch);
        free(watched);
        return 0;
    }
    if (!watched)
        return add_socket(hub, fd, events);
    return reactor_change(hub->hub.reactor, &watched->watch, events) == 0 ? 0 : -1;
}

/* -- Before the first request ---------------------------------------------------------------- */

/* Checks the URL with example values filled in. */
static bool is_good_url(const char *url, char why[FAILURE_TEXT])
{
    static const struct call example = {.sequence = 1, .data = "data"};
    char *filled = action_fill(url, &example, true), *scheme = NULL;
    CURLU *parts = curl_url();
    CURLUcode code = filled && parts
                         ? curl_url_set(parts, CURLUPART_URL, filled, CURLU_DEFAULT_SCHEME)
                         : CURLUE_OUT_OF_MEMORY;
    if (code == CURLUE_OK)
        code = curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0);
    bool is_http = scheme && (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    if (code != CURLUE_OK)
        text_format(why, FAILURE_TEXT, "%s", curl_url_strerror(code));
    else if (!is_http)
        text_format(why, FAILURE_TEXT, "expected http:// or https://");
    curl_free(scheme);
    curl_url_cleanup(parts);
    free(filled);
    return is_http;
}

static bool take_headers(struct url_hub *hub)
{
    for (size_t i = 0; i < hub->hub.action->n_headers; i++) {
        struct curl_slist *longer = curl_slist_append(hub->headers, hub->hub.action->headers[i]);
        if (!longer)
            return false;
        hub->headers = longer;
    }
    return true;
}

static bool set_up(struct url_hub *hub)
{
    CURLM *multi = hub->multi;
    return multi && take_headers(hub) &&
           curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, set_socket) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, hub) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERDATA, hub) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, CONNECTIONS_MAX) == CURLM_OK;
}

static void finish_url(struct hub *general)
{
    struct url_hub *hub = (struct url_hub *)general;
    curl_multi_cleanup(hub->multi);
    reactor_remove_timer(&hub->timer);
    curl_slist_free_all(hub->headers);
    curl_global_cleanup();
    free(hub);
}

static struct hub *prepare_url(const struct action *action, struct reactor *reactor,
                               char why[FAILURE_TEXT])
{
    struct url_hub *hub = calloc(1, sizeof *hub);
    text_format(why, FAILURE_TEXT, "out of memory");
    if (!hub || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        free(hub);
        return NULL;
    }
    hub->hub = (struct hub){&url_type, action, reactor};
    hub->multi = curl_multi_init();
    hub->timer =
        (struct reactor_timer){.expired = timer_expired, .context = hub, .at_ns = UINT64_MAX};
    reactor_add_timer(reactor, &hub->timer);
    if (set_up(hub) && is_good_url(action->target, why))
        return &hub->hub;
    finish_url(&hub->hub);
    return NULL;
}

/* -- Requests ---------------------------------------------------------------------------------- */

/* A curl_write_callback. */
static size_t swallow(char *octets, size_t size, size_t n, void *context)
{
    (void)octets;
    (void)context;
    return size * n;
}

/* A curl_prereq_callback: there is a connection, and the request is sent next. If a connection that
 * was kept is closed without an answer, libcurl would send the request again over another one,
 * whatever the method: the server might then get it twice, and it would be counted once. If a
 * connection was closed before the request, libcurl notices this before it calls this function. */
static int allow_once(void *context, char *here, char *there, int port_here, int port_there)
{
    struct url_actor *own = context;
    bool is_again = own->is_sent;
    (void)here, (void)there, (void)port_here, (void)port_there;
    own->is_sent = true;
    return is_again ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* A redirection is an answer like any other; to test its target, that URL has to be given. The
 * environment is ignored, so that the server of the URL is measured, and no proxy. Data such as
 * ".." are not removed from the path. */
static bool set_request(struct url_actor *own)
{
    const struct url_hub *hub = (const struct url_hub *)own->actor.hub;
    const struct action *action = hub->hub.action;
    CURL *easy = own->easy;
    return curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PRIVATE, own) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, swallow) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, allow_once) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PREREQDATA, own) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_USERAGENT, "dcamp-load/" PACKAGE_VERSION) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_URL, action->target) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTPHEADER, hub->headers) == CURLE_OK &&
           (!action->body || curl_easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK) &&
           (!action->method ||
            (strcmp(action->method, "HEAD") == 0
                 ? curl_easy_setopt(easy, CURLOPT_NOBODY, 1L)
                 : curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, action->method)) == CURLE_OK);
}

static bool fill_url(struct url_actor *own, const struct call *call)
{
    const char *target = own->actor.hub->action->target;
    if (!action_varies(target))
        return true;
    char *url = action_fill(target, call, true);
    bool is_good = url && curl_easy_setopt(own->easy, CURLOPT_URL, url) == CURLE_OK;
    free(url);
    return is_good;
}

/* libcurl does not copy the body, so it is kept in own->body. */
static bool fill_body(struct url_actor *own, const struct call *call)
{
    const char *body = own->actor.hub->action->body;
    if (!body)
        return true;
    own->body = action_fill(body, call, false);
    return own->body &&
           curl_easy_setopt(own->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                            (curl_off_t)strlen(own->body)) == CURLE_OK &&
           curl_easy_setopt(own->easy, CURLOPT_POSTFIELDS, own->body) == CURLE_OK;
}

/* A request begins when libcurl is called, not when it is added; its timer would expire later. */
static void begin_url(struct actor *actor, const struct call *call)
{
    struct url_actor *own = (struct url_actor *)actor;
    struct url_hub *hub = (struct url_hub *)actor->hub;
    own->is_sent = false;
    if (!fill_url(own, call) || !fill_body(own, call)) {
        drop_request(own);
        actor_fail(actor, FAILURE_MEMORY, "out of memory");
        return;
    }
    own->is_busy = curl_multi_add_handle(hub->multi, own->easy) == CURLM_OK;
    if (own->is_busy) {
        act_on_time(hub);
        return;
    }
    drop_request(own);
    actor_fail(actor, FAILURE_MEMORY, "out of memory");
}

static void cancel_url(struct actor *actor)
{
    drop_request((struct url_actor *)actor);
}

static void close_url(struct actor *actor)
{
    struct url_actor *own = (struct url_actor *)actor;
    drop_request(own);
    curl_easy_cleanup(own->easy);
    free(own);
}

static struct actor *open_url(struct hub *hub)
{
    struct url_actor *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->actor.hub = hub;
    own->easy = curl_easy_init();
    if (own->easy && set_request(own))
        return &own->actor;
    close_url(&own->actor);
    return NULL;
}

const struct actor_type url_type = {.prepare = prepare_url,
                                    .finish = finish_url,
                                    .open = open_url,
                                    .begin = begin_url,
                                    .cancel = cancel_url,
                                    .close = close_url};
