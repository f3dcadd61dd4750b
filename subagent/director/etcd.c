#include "director/etcd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/curl.h"
#include "base/text.h"
#include "snmpv3/secrets.h"

#define EVENTS_AT_ONCE 16
#define URL_SIZE 640

struct etcd {
    struct curl_library curl;
    struct tree_coordination setup;
    char self[NAME_SIZE];
    int epoll, outer; /* its own epoll set, and the set that contains it */
    CURLM *multi;
    CURL *easy;
    bool is_open;   /* the library is open */
    bool is_asking; /* the server of this index is being asked */
    bool is_over;   /* everything that was under way has ended, ... */
    CURLcode code;  /* ... with this result */
    size_t server, n_servers;
    uint64_t timer_ns; /* when the library wants to continue; UINT64_MAX: not by itself */
    uint64_t boot_ns;
    struct claim_question question;
    struct etcd_errand *errand; /* the errand asked instead of the question; NULL: none is */
    uint64_t errand_ns;         /* when the next errand may be asked */
    char *fetched;              /* room for a long answer; NULL: text is large enough */
    struct curl_slist *headers;
    char *body;
    char token[512];
    char fault[CURL_ERROR_SIZE];
    size_t used;
    char text[ETCD_ANSWER_MAX];
};

/* -- What the library tells ------------------------------------------------------------------ */

static int watch(CURL *easy, curl_socket_t fd, int what, void *context, void *known)
{
    struct etcd *etcd = context;
    struct epoll_event event = {.data.fd = fd};
    (void)easy;
    (void)known;
    if (what == CURL_POLL_REMOVE)
        return epoll_ctl(etcd->epoll, EPOLL_CTL_DEL, fd, NULL), 0;
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
    if (epoll_ctl(etcd->epoll, EPOLL_CTL_MOD, fd, &event) != 0)
        epoll_ctl(etcd->epoll, EPOLL_CTL_ADD, fd, &event);
    return 0;
}

static int set_timer(CURLM *multi, long ms, void *context)
{
    struct etcd *etcd = context;
    (void)multi;
    etcd->timer_ns = ms < 0 ? UINT64_MAX : etcd->boot_ns + (uint64_t)ms * NS_PER_MS;
    return 0;
}

/* An answer that is too long is broken off. */
static size_t take(char *data, size_t one, size_t n, void *context)
{
    struct etcd *etcd = context;
    char *to = etcd->fetched ? etcd->fetched : etcd->text;
    (void)one;
    if (n > (etcd->fetched ? ETCD_FETCHED_MAX : sizeof etcd->text) - etcd->used)
        return 0;
    memcpy(to + etcd->used, data, n);
    etcd->used += n;
    return n;
}

/* -- Its life -------------------------------------------------------------------------------- */

static bool set_up(struct etcd *etcd)
{
    const struct curl_library *curl = &etcd->curl;
    etcd->easy = curl->easy_init();
    etcd->multi = curl->multi_init();
    if (!etcd->easy || !etcd->multi)
        return false;
    curl->multi_set(etcd->multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl->multi_set(etcd->multi, CURLMOPT_SOCKETDATA, etcd);
    curl->multi_set(etcd->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl->multi_set(etcd->multi, CURLMOPT_TIMERDATA, etcd);
    curl->set(etcd->easy, CURLOPT_WRITEFUNCTION, take);
    curl->set(etcd->easy, CURLOPT_WRITEDATA, etcd);
    curl->set(etcd->easy, CURLOPT_ERRORBUFFER, etcd->fault);
    curl->set(etcd->easy, CURLOPT_NOSIGNAL, 1L);
    curl->set(etcd->easy, CURLOPT_PROXY, "");
    curl->set(etcd->easy, CURLOPT_USERAGENT, "dcampd/" PACKAGE_VERSION);
    if (!curl_library_trust(curl, etcd->easy, etcd->setup.ca))
        return false;
    return curl->set(etcd->easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
}

/* The nth URL of the list, from 0; NULL: there are not so many. */
static const char *nth_server(const struct etcd *etcd, size_t nth, size_t *len)
{
    const char *at = etcd->setup.endpoints;
    for (;; at += *len) {
        at += strspn(at, " ");
        *len = strcspn(at, " ");
        if (*len == 0)
            return NULL;
        if (nth-- == 0)
            return at;
    }
}

struct etcd *etcd_new(const struct tree_coordination *setup, const char *self, int epoll,
                      char error[512])
{
    size_t len;
    struct etcd *etcd = calloc(1, sizeof *etcd);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = etcd};
    text_format(error, 512, "coordination by etcd: no memory or no descriptors");
    if (!etcd)
        return NULL;
    etcd->setup = *setup;
    text_format(etcd->self, sizeof etcd->self, "%s", self);
    etcd->outer = epoll;
    etcd->timer_ns = UINT64_MAX;
    etcd->epoll = epoll_create1(EPOLL_CLOEXEC);
    while (nth_server(etcd, etcd->n_servers, &len))
        etcd->n_servers++;
    etcd->is_open =
        etcd->epoll >= 0 && curl_library_open(&etcd->curl, "coordination by etcd", error);
    if (etcd->is_open && set_up(etcd) &&
        epoll_ctl(epoll, EPOLL_CTL_ADD, etcd->epoll, &event) == 0) {
        error[0] = '\0';
        return etcd;
    }
    etcd_free(etcd);
    return NULL;
}

/* Ends the question that is under way. */
static void end_question(struct etcd *etcd)
{
    if (etcd->is_asking)
        etcd->curl.take_out(etcd->multi, etcd->easy);
    if (etcd->headers)
        etcd->curl.free_all(etcd->headers);
    etcd_forget(etcd->body);
    etcd->headers = NULL;
    etcd->body = NULL;
    etcd->is_asking = false;
}

void etcd_free(struct etcd *etcd)
{
    if (!etcd)
        return;
    end_question(etcd);
    free(etcd->fetched);
    if (etcd->easy)
        etcd->curl.easy_cleanup(etcd->easy);
    if (etcd->multi)
        etcd->curl.multi_cleanup(etcd->multi);
    if (etcd->is_open)
        curl_library_close(&etcd->curl);
    if (etcd->epoll >= 0)
        close(etcd->epoll); /* this also removes it from the outer set */
    explicit_bzero(etcd, sizeof *etcd);
    free(etcd);
}

/* -- Questions ------------------------------------------------------------------------------- */

static char *make_body(struct etcd *etcd, char error[512])
{
    char password[PEER_SECRET_SIZE] = "";
    const struct etcd_names names = {.prefix = etcd->setup.prefix,
                                     .self = etcd->self,
                                     .user = etcd->setup.user,
                                     .password = password};
    if (etcd->errand) {
        char *errand = etcd_errand_question(etcd->errand, &names);
        if (!errand)
            text_format(error, 512, "no memory");
        return errand;
    }
    if (etcd->question.ask == CLAIM_LOGIN &&
        !secrets_read_password(etcd->setup.secrets, password, error))
        return NULL;
    char *body = etcd_question(&etcd->question, &names);
    explicit_bzero(password, sizeof password);
    if (!body)
        text_format(error, 512, "no memory");
    return body;
}

static bool add_header(struct etcd *etcd, const char *text)
{
    struct curl_slist *more = etcd->curl.append(etcd->headers, text);
    if (more)
        etcd->headers = more;
    return more != NULL;
}

static bool add_headers(struct etcd *etcd)
{
    char header[sizeof etcd->token + 32];
    bool good = add_header(etcd, "Content-Type: application/json") && add_header(etcd, "Expect:");
    if (etcd->question.ask == CLAIM_LOGIN || !etcd->token[0])
        return good;
    text_format(header, sizeof header, "Authorization: %s", etcd->token);
    good = good && add_header(etcd, header);
    explicit_bzero(header, sizeof header);
    return good;
}

static bool send_question(struct etcd *etcd, uint64_t timeout_ns)
{
    const struct curl_library *curl = &etcd->curl;
    char url[URL_SIZE];
    size_t len;
    const char *server = nth_server(etcd, etcd->server, &len);
    text_format(url, sizeof url, "%.*s%s", server ? (int)len : 0, server ? server : "",
                etcd->errand ? etcd_errand_path(etcd->errand) : etcd_path(etcd->question.ask));
    etcd->used = 0;
    etcd->is_over = false;
    etcd->fault[0] = '\0';
    curl->set(etcd->easy, CURLOPT_TIMEOUT_MS, (long)(timeout_ns / NS_PER_MS));
    curl->set(etcd->easy, CURLOPT_HTTPHEADER, etcd->headers);
    curl->set(etcd->easy, CURLOPT_POSTFIELDS, etcd->body);
    curl->set(etcd->easy, CURLOPT_POSTFIELDSIZE, (long)strlen(etcd->body));
    etcd->is_asking = curl->set(etcd->easy, CURLOPT_URL, url) == CURLE_OK &&
                      curl->add(etcd->multi, etcd->easy) == CURLM_OK;
    return etcd->is_asking;
}

static void end_errand(struct etcd *etcd)
{
    free(etcd->fetched);
    etcd->fetched = NULL;
    etcd->errand = NULL;
}

/* The next question goes to the next server. */
static void fail(struct etcd *etcd, struct claim *claim, const char *why, bool refused, bool login)
{
    char text[MESSAGE_SIZE];
    size_t len;
    const char *server = nth_server(etcd, etcd->server, &len);
    text_format(text, sizeof text, "%.*s: %.170s", server ? (int)(len < 70 ? len : 70) : 0,
                server ? server : "", why);
    if (etcd->errand) {
        memcpy(etcd->errand->error, text, sizeof text);
        etcd->errand_ns = etcd->boot_ns + claim_timeout(claim);
        claim->is_logged_in &= !login;
        end_errand(etcd);
    } else {
        claim_failed(claim, text, refused, login, etcd->boot_ns);
    }
    etcd->server = (etcd->server + 1) % etcd->n_servers;
}

/* The errand of a holder is run when the claim has no question, and waits until the claim is logged
 * in. It may take no longer than a question of the claim, so that a renewal is not late. */
static bool begin_errand(struct etcd *etcd, const struct claim *claim, struct etcd_errand *errand)
{
    if (errand->kind == ETCD_NOTHING || errand->is_over || etcd->boot_ns < etcd->errand_ns ||
        (claim->setup.logs_in && !claim->is_logged_in))
        return false;
    if (errand->kind == ETCD_FETCH && !(etcd->fetched = malloc(ETCD_FETCHED_MAX)))
        return false;
    etcd->errand = errand;
    return true;
}

static uint64_t wait_for(const struct etcd *etcd, const struct etcd_errand *errand)
{
    bool waits = errand->kind != ETCD_NOTHING && !errand->is_over &&
                 etcd->boot_ns < etcd->errand_ns && etcd->errand_ns < etcd->question.until_ns;
    return waits ? etcd->errand_ns : etcd->question.until_ns;
}

/* Returns when there will be something to ask. */
static uint64_t ask_next(struct etcd *etcd, struct claim *claim, struct etcd_errand *errand)
{
    char error[512] = "no memory";
    etcd->question = claim_next(claim, etcd->boot_ns);
    if (etcd->question.ask == CLAIM_WAIT && !begin_errand(etcd, claim, errand))
        return wait_for(etcd, errand);
    etcd->body = make_body(etcd, error);
    if (etcd->body && add_headers(etcd) && send_question(etcd, claim_timeout(claim)))
        return UINT64_MAX;
    end_question(etcd);
    fail(etcd, claim, error, false, false);
    return etcd->boot_ns;
}

/* -- Answers --------------------------------------------------------------------------------- */

static void finish_errand(struct etcd *etcd, struct claim *claim, long status)
{
    struct etcd_errand *errand = etcd->errand;
    struct etcd_result result;
    etcd_errand_answer(errand, status, etcd->fetched ? etcd->fetched : etcd->text, etcd->used,
                       &result);
    if (!result.is_good) {
        fail(etcd, claim, result.error, true, result.wants_login);
        return;
    }
    errand->error[0] = '\0';
    if (!errand->is_done) /* another one has the key, as the claim will soon know */
        etcd->errand_ns = etcd->boot_ns + claim_timeout(claim);
    end_errand(etcd);
}

static void finish(struct etcd *etcd, struct claim *claim)
{
    const struct etcd_names names = {.prefix = etcd->setup.prefix};
    struct etcd_result result;
    long status = 0;
    etcd->curl.get(etcd->easy, CURLINFO_RESPONSE_CODE, &status);
    end_question(etcd);
    if (etcd->code != CURLE_OK) {
        fail(etcd, claim, etcd->fault[0] ? etcd->fault : etcd->curl.error(etcd->code), false,
             false);
        return;
    }
    if (etcd->errand) {
        finish_errand(etcd, claim, status);
        return;
    }
    etcd_answer(&etcd->question, &names, status, etcd->text, etcd->used, &result);
    if (!result.is_good) {
        fail(etcd, claim, result.error, true, result.wants_login);
    } else {
        if (etcd->question.ask == CLAIM_LOGIN)
            memcpy(etcd->token, result.token, sizeof etcd->token);
        claim_answered(claim, &result.answer, etcd->boot_ns);
    }
    explicit_bzero(etcd->text, etcd->used);
    explicit_bzero(&result, sizeof result);
}

static void look_for_end(struct etcd *etcd)
{
    int left;
    for (const CURLMsg *message; (message = etcd->curl.read(etcd->multi, &left));) {
        if (message->msg != CURLMSG_DONE)
            continue;
        etcd->is_over = true;
        etcd->code = message->data.result;
    }
}

static void go_on(struct etcd *etcd)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int n = epoll_wait(etcd->epoll, events, EVENTS_AT_ONCE, 0), running;
    for (int i = 0; i < n; i++) {
        int what = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                   (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                   (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        etcd->curl.act(etcd->multi, events[i].data.fd, what, &running);
    }
    if (etcd->boot_ns >= etcd->timer_ns) {
        etcd->timer_ns = UINT64_MAX;
        etcd->curl.act(etcd->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    look_for_end(etcd);
}

uint64_t etcd_step(struct etcd *etcd, struct claim *claim, struct etcd_errand *errand,
                   uint64_t boot_ns)
{
    uint64_t due_ns = UINT64_MAX;
    etcd->boot_ns = boot_ns;
    go_on(etcd);
    if (etcd->is_asking && etcd->is_over)
        finish(etcd, claim);
    if (!etcd->is_asking)
        due_ns = ask_next(etcd, claim, errand);
    return due_ns < etcd->timer_ns ? due_ns : etcd->timer_ns;
}
