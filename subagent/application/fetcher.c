#include "application/fetcher.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "application/endpoint.h"
#include "base/account.h"
#include "base/clock.h"
#include "base/credentials.h"
#include "base/curl.h"
#include "base/local_url.h"
#include "base/log.h"
#include "base/text.h"

/* If something has changed, an endpoint is asked at once, but not more often than this. */
#define SOONEST_NS NS_PER_S
#define LONGEST_WAIT_MS 60000
#define WHY_SIZE 512
#define HTTP_UNAUTHORIZED 401
#define NO_MEMORY "there is no memory to ask it"

struct fetcher {
    struct endpoints *endpoints;
    pthread_t thread;
    int wake_fd; /* eventfd */
    atomic_bool is_stopping;
    struct curl_library curl; /* only the thread uses this and the following */
    bool is_open;
    CURLM *multi;
    struct curl_slist *headers;
    SLIST_HEAD(begun, fetch) begun; /* questions that have to be sent */
    char why[WHY_SIZE];             /* why nobody can be asked; "": that is possible */
};

/* The state of asking one endpoint, again and again, over one connection if the endpoint keeps
 * it. */
struct fetch {
    SLIST_ENTRY(fetch) next; /* in the list of those to be sent */
    struct fetcher *fetcher;
    struct endpoint *endpoint;
    struct endpoint_wishes *wishes; /* NULL: it is not being asked */
    struct endpoint_setup setup;    /* those of the time when the question began */
    CURL *easy;
    struct scrape scrape;
    uint64_t begun_ns; /* monotonic; 0: never */
    int socket_error;  /* why there is no socket; 0: there is one */
    bool is_elsewhere; /* it would not have been on this machine */
    char fault[CURL_ERROR_SIZE];
};

/* -- The library ------------------------------------------------------------------------------- */

static const char *const accepted[] = {
    "Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.9,*/*;q=0.1",
};

static bool open_library(struct fetcher *fetcher)
{
    if (fetcher->is_open)
        return fetcher->multi && fetcher->headers;
    fetcher->is_open = curl_library_open(&fetcher->curl, "asking an endpoint", fetcher->why);
    if (!fetcher->is_open)
        return false;
    fetcher->why[0] = '\0';
    fetcher->multi = fetcher->curl.multi_init();
    fetcher->headers = fetcher->curl.append(NULL, accepted[0]);
    if (!fetcher->multi || !fetcher->headers)
        text_format(fetcher->why, WHY_SIZE, NO_MEMORY);
    return fetcher->multi && fetcher->headers;
}

static void close_library(struct fetcher *fetcher)
{
    if (!fetcher->is_open)
        return;
    if (fetcher->headers)
        fetcher->curl.free_all(fetcher->headers);
    if (fetcher->multi)
        fetcher->curl.multi_cleanup(fetcher->multi);
    curl_library_close(&fetcher->curl);
}

/* -- One question ------------------------------------------------------------------------------ */

/* Connections are made only to this machine, whatever address "localhost" is given. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct fetch *fetch = context;
    (void)purpose;
    if (!local_address(&address->addr)) {
        fetch->is_elsewhere = true;
        return CURL_SOCKET_BAD;
    }
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    fetch->socket_error = fd < 0 ? errno : 0;
    return fd < 0 ? CURL_SOCKET_BAD : fd;
}

static size_t take(char *data, size_t one, size_t n, void *context)
{
    struct fetch *fetch = context;
    const struct curl_library *curl = &fetch->fetcher->curl;
    long status = 0;
    char *content_type = NULL;
    (void)one;
    curl->get(fetch->easy, CURLINFO_RESPONSE_CODE, &status);
    curl->get(fetch->easy, CURLINFO_CONTENT_TYPE, &content_type);
    return scrape_feed(&fetch->scrape, status, content_type, data, n) ? n : 0;
}

static bool set_up(struct fetch *fetch)
{
    const struct curl_library *curl = &fetch->fetcher->curl;
    CURL *easy = fetch->easy;
    curl->set(easy, CURLOPT_PRIVATE, fetch);
    curl->set(easy, CURLOPT_WRITEFUNCTION, take);
    curl->set(easy, CURLOPT_WRITEDATA, fetch);
    curl->set(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl->set(easy, CURLOPT_OPENSOCKETDATA, fetch);
    curl->set(easy, CURLOPT_ERRORBUFFER, fetch->fault);
    curl->set(easy, CURLOPT_NOSIGNAL, 1L);
    curl->set(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl->set(easy, CURLOPT_PROXY, "");
    curl->set(easy, CURLOPT_USERAGENT, "dcampd/" PACKAGE_VERSION);
    curl->set(easy, CURLOPT_HTTPHEADER, fetch->fetcher->headers);
    curl->set(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl->set(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)SCRAPE_OCTETS_MAX);
    return curl->set(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
}

static struct fetch *fetch_new(struct fetcher *fetcher, struct endpoint *endpoint)
{
    struct fetch *fetch = calloc(1, sizeof *fetch);
    if (!fetch)
        return NULL;
    fetch->fetcher = fetcher;
    fetch->endpoint = endpoint;
    fetch->easy = fetcher->curl.easy_init();
    if (fetch->easy && set_up(fetch))
        return fetch;
    if (fetch->easy)
        fetcher->curl.easy_cleanup(fetch->easy);
    free(fetch);
    return NULL;
}

/* The caller gives up its use of the wishes under the lock, after this. */
static void end_question(struct fetch *fetch)
{
    if (!fetch->wishes)
        return;
    fetch->fetcher->curl.take_out(fetch->fetcher->multi, fetch->easy);
    scrape_release(&fetch->scrape);
}

static void leave_wishes(struct fetch *fetch)
{
    endpoint_wishes_leave(fetch->wishes);
    fetch->wishes = NULL;
}

/* Under the lock. */
static void fetch_free(struct fetch *fetch)
{
    if (!fetch)
        return;
    end_question(fetch);
    leave_wishes(fetch);
    fetch->fetcher->curl.easy_cleanup(fetch->easy);
    free(fetch);
}

static uint64_t make_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = clock_mono_ns();
    return seed;
}

static bool set_destination(const struct fetch *fetch)
{
    const struct curl_library *curl = &fetch->fetcher->curl;
    const struct endpoint_setup *setup = &fetch->setup;
    const char *socket = setup->socket[0] ? setup->socket : NULL;
    curl->set(fetch->easy, CURLOPT_TIMEOUT_MS, (long)(setup->timeout_ns / NS_PER_MS));
    return curl->set(fetch->easy, CURLOPT_URL, setup->url) == CURLE_OK &&
           curl->set(fetch->easy, CURLOPT_UNIX_SOCKET_PATH, socket) == CURLE_OK &&
           curl_library_trust(curl, fetch->easy, setup->ca);
}

/* Uses the two schemes that send credentials with the first question: no answer can make the
 * library send them again, or elsewhere. */
static bool set_credentials(const struct fetch *fetch, const struct credentials *credentials)
{
    const struct curl_library *curl = &fetch->fetcher->curl;
    const char *token = credentials->token[0] ? credentials->token : NULL;
    const char *user = credentials->user[0] ? credentials->user : NULL;
    const char *password = user ? credentials->password : NULL;
    unsigned long scheme = token ? CURLAUTH_BEARER : CURLAUTH_BASIC;
    return curl->set(fetch->easy, CURLOPT_HTTPAUTH, (long)scheme) == CURLE_OK &&
           curl->set(fetch->easy, CURLOPT_XOAUTH2_BEARER, token) == CURLE_OK &&
           curl->set(fetch->easy, CURLOPT_USERNAME, user) == CURLE_OK &&
           curl->set(fetch->easy, CURLOPT_PASSWORD, password) == CURLE_OK;
}

/* The file is read for each question, so that its present contents count. False: why says why
 * not. */
static bool set_login(const struct fetch *fetch, char why[WHY_SIZE])
{
    struct credentials credentials = {.user = ""};
    const char *path = fetch->setup.secrets;
    if (path[0] && !credentials_read(path, &credentials, why))
        return false;
    bool good = set_credentials(fetch, &credentials);
    explicit_bzero(&credentials, sizeof credentials);
    if (!good)
        text_format(why, WHY_SIZE, NO_MEMORY);
    return good;
}

/* Under the lock. What reads files is done without it, by send_all(). False: no memory. */
static bool ask(struct fetcher *fetcher, struct endpoint *endpoint, uint64_t now_ns)
{
    struct fetch *fetch = endpoint->fetch ? endpoint->fetch : fetch_new(fetcher, endpoint);
    if (!fetch)
        return false;
    endpoint->fetch = fetch;
    fetch->setup = endpoint->setup;
    fetch->begun_ns = now_ns;
    fetch->socket_error = 0;
    fetch->is_elsewhere = false;
    fetch->fault[0] = '\0';
    fetch->wishes = endpoint_wishes_use(fetcher->endpoints->wishes);
    const struct scrape_setup setup = {.endpoint = fetch->setup.name,
                                       .series = fetch->setup.series,
                                       .seed = make_seed(),
                                       .wants = endpoint_wishes_have,
                                       .context = fetch->wishes};
    scrape_begin(&fetch->scrape, &setup);
    SLIST_INSERT_HEAD(&fetcher->begun, fetch, next);
    return true;
}

/* -- What is said ------------------------------------------------------------------------------ */

static void say_failure(struct endpoint *endpoint, const char *why, uint64_t now_ns)
{
    struct trouble *trouble = &endpoint->trouble[ENDPOINT_FAILS];
    const struct endpoint_setup *setup = &endpoint->setup;
    switch (trouble_step(trouble, why != NULL, now_ns)) {
    case TROUBLE_BEGINS:
        log_warning("endpoint", "%s: %s: %s; its sensors have no values until it answers",
                    setup->name, setup->url, why);
        break;
    case TROUBLE_IS_OVER:
        log_info("endpoint", "%s: %s: it answers again, after %" PRIu64 " s", setup->name,
                 setup->url, (now_ns - trouble->since_ns) / NS_PER_S);
        break;
    default:
        break;
    }
}

static void say_faults(struct endpoint *endpoint, const struct scrape *scrape, uint64_t now_ns)
{
    uint64_t faults = scrape->summary.faults;
    switch (trouble_step(&endpoint->trouble[ENDPOINT_ERRS], faults > 0, now_ns)) {
    case TROUBLE_BEGINS:
        log_warning("endpoint", "%s: %s; of its answer, %" PRIu64 " lines are left out",
                    endpoint->setup.name, scrape->first_fault, faults);
        break;
    case TROUBLE_IS_OVER:
        log_info("endpoint", "%s: no line of its answer is wrong any more", endpoint->setup.name);
        break;
    default:
        break;
    }
}

static void say_fullness(struct endpoint *endpoint, uint64_t left_out, uint64_t now_ns)
{
    const struct endpoint_setup *setup = &endpoint->setup;
    switch (trouble_step(&endpoint->trouble[ENDPOINT_IS_FULL], left_out > 0, now_ns)) {
    case TROUBLE_BEGINS:
        log_warning("endpoint",
                    "%s: %" PRIu64
                    " samples are left out: sensors select more than series=\"%zu\", "
                    "or two have the same name, or there is no memory",
                    setup->name, left_out, setup->series);
        break;
    case TROUBLE_IS_OVER:
        log_info("endpoint", "%s: no sample is left out any more", setup->name);
        break;
    default:
        break;
    }
}

static void say_size(struct endpoint *endpoint, uint64_t beyond, uint64_t now_ns)
{
    switch (trouble_step(&endpoint->trouble[ENDPOINT_IS_HUGE], beyond > 0, now_ns)) {
    case TROUBLE_BEGINS:
        log_warning("endpoint",
                    "%s: %" PRIu64
                    " samples are not read: its answer has more than %d series or %d families",
                    endpoint->setup.name, beyond, OPENMETRICS_SERIES_MAX, OPENMETRICS_FAMILIES_MAX);
        break;
    case TROUBLE_IS_OVER:
        log_info("endpoint", "%s: all of its answer is read again", endpoint->setup.name);
        break;
    default:
        break;
    }
}

static void say_fit(struct endpoint *endpoint, uint64_t now_ns)
{
    const struct endpoint_setup *setup = &endpoint->setup;
    size_t unfit = endpoint->exposed.unfit;
    if (trouble_step(&endpoint->trouble[ENDPOINT_IS_COARSE], unfit > 0, now_ns) == TROUBLE_BEGINS)
        log_warning("endpoint",
                    "%s: %s are less exact than tolerance=\"%u\" asks for; %zu histograms have no "
                    "statistics of their values until none has come for %u minutes",
                    setup->name, endpoint->exposed.unfit_why, setup->tolerance, unfit,
                    (unsigned)(EXPOSED_UNFIT_NS / NS_PER_S / 60));
}

/* -- Answers ----------------------------------------------------------------------------------- */

/* What the library does not say about the file of certificates: who cannot read it, and why. */
static const char *certificates_fault(const char *path, char why[WHY_SIZE])
{
    char name[ACCOUNT_NAME_SIZE];
    if (!*path)
        return "the certificates of the system cannot be read: install the package "
               "ca-certificates, "
               "or name a file by ca=";
    if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0)
        text_format(why, WHY_SIZE, "%s: user \"%s\" cannot read it: %s", path, account_user(name),
                    strerror(errno));
    else
        text_format(why, WHY_SIZE, "%s: there are no certificates in it", path);
    return why;
}

static const char *refusal(const struct endpoint_setup *setup, char why[WHY_SIZE])
{
    static const char status[] = "it answers with the status 401";
    if (setup->secrets[0])
        text_format(why, WHY_SIZE, "%s: it does not take what is in %s", status, setup->secrets);
    else
        text_format(why, WHY_SIZE,
                    "%s: it wants a user and a password, or a token; secrets= names their file",
                    status);
    return why;
}

/* Why there is no answer, in words; NULL: there is one. */
static const char *failure_of(struct fetch *fetch, CURLcode code, long status, char why[WHY_SIZE])
{
    const struct curl_library *curl = &fetch->fetcher->curl;
    bool is_stopped = code == CURLE_WRITE_ERROR && fetch->scrape.why[0];
    if (fetch->is_elsewhere)
        return "its address is not one of this machine";
    if (fetch->socket_error == EAFNOSUPPORT)
        return "the unit allows no network (Address family not supported): add "
               "dcampd.service.d/endpoints.conf";
    if (fetch->socket_error)
        return strerror(fetch->socket_error);
    if (code == CURLE_FILESIZE_EXCEEDED)
        return "its answer is longer than 16 MiB";
    if (code == CURLE_SSL_CACERT_BADFILE)
        return certificates_fault(fetch->setup.ca, why);
    if (status == HTTP_UNAUTHORIZED)
        return refusal(&fetch->setup, why);
    if (code != CURLE_OK && !is_stopped) {
        long os_error = 0;
        if (code == CURLE_COULDNT_CONNECT)
            curl->get(fetch->easy, CURLINFO_OS_ERRNO, &os_error);
        text_format(why, WHY_SIZE, "%s%s%s", fetch->fault[0] ? fetch->fault : curl->error(code),
                    os_error ? ": " : "", os_error ? strerror((int)os_error) : "");
        text_clean(why, WHY_SIZE, '?');
        return why;
    }
    return !is_stopped && scrape_end(&fetch->scrape, status) ? NULL : fetch->scrape.why;
}

static void say_all(struct endpoint *endpoint, const struct scrape *scrape, const char *why,
                    uint64_t now_ns)
{
    say_failure(endpoint, why, now_ns);
    if (why)
        return;
    say_faults(endpoint, scrape, now_ns);
    say_fullness(endpoint, endpoint->status.left_out, now_ns);
    say_size(endpoint, endpoint->status.beyond, now_ns);
    say_fit(endpoint, now_ns);
}

/* Takes an answer or, if why is not NULL, the lack of one. Messages are logged when the lock is
 * free again. */
static void conclude(struct fetch *fetch, const char *why)
{
    struct endpoint *endpoint = fetch->endpoint;
    pthread_mutex_t *lock = &fetch->fetcher->endpoints->lock;
    struct moment now = clock_now();
    pthread_mutex_lock(lock);
    log_hold();
    if (why)
        endpoint_fails(endpoint);
    else
        endpoint_answers(endpoint, &fetch->scrape, now.mono_ns - fetch->begun_ns, now);
    say_all(endpoint, &fetch->scrape, why, now.mono_ns);
    pthread_mutex_unlock(lock);
    log_release();
    end_question(fetch);
    pthread_mutex_lock(lock);
    leave_wishes(fetch);
    pthread_mutex_unlock(lock);
}

static void finish(struct fetch *fetch, CURLcode code)
{
    char why[WHY_SIZE];
    long status = 0;
    fetch->fetcher->curl.get(fetch->easy, CURLINFO_RESPONSE_CODE, &status);
    conclude(fetch, failure_of(fetch, code, status, why));
}

static void read_answers(struct fetcher *fetcher)
{
    int left;
    for (const CURLMsg *message; (message = fetcher->curl.read(fetcher->multi, &left));) {
        struct fetch *fetch = NULL;
        CURLcode code = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        fetcher->curl.get(message->easy_handle, CURLINFO_PRIVATE, (char **)&fetch);
        finish(fetch, code);
    }
}

/* Sends questions that have begun, without the lock, because a file may be slow to read. */
static void send_all(struct fetcher *fetcher)
{
    struct fetch *fetch;
    while ((fetch = SLIST_FIRST(&fetcher->begun))) {
        char why[WHY_SIZE] = NO_MEMORY;
        SLIST_REMOVE_HEAD(&fetcher->begun, next);
        if (!set_login(fetch, why) || !set_destination(fetch) ||
            fetcher->curl.add(fetcher->multi, fetch->easy) != CURLM_OK)
            conclude(fetch, why);
    }
}

/* -- When -------------------------------------------------------------------------------------- */

/* Under the lock. When the endpoint is due; UINT64_MAX: not as long as nothing changes. */
static uint64_t due_of(const struct fetcher *fetcher, const struct endpoint *endpoint)
{
    bool is_asked = endpoint->fetch && endpoint->fetch->wishes;
    if (!fetcher->endpoints->wishes || is_asked)
        return UINT64_MAX;
    uint64_t begun_ns = endpoint->fetch ? endpoint->fetch->begun_ns : 0;
    uint64_t soonest_ns = begun_ns ? begun_ns + SOONEST_NS : 0;
    return endpoint->due_ns > soonest_ns ? endpoint->due_ns : soonest_ns;
}

/* Under the lock. */
static void step(struct fetcher *fetcher, struct endpoint *endpoint, uint64_t now_ns)
{
    if (due_of(fetcher, endpoint) > now_ns)
        return;
    bool is_open = open_library(fetcher);
    endpoint->due_ns = endpoint_next(endpoint->setup.interval_ns, now_ns);
    if (is_open && ask(fetcher, endpoint, now_ns))
        return;
    endpoint_fails(endpoint);
    say_failure(endpoint, is_open ? NO_MEMORY : fetcher->why, now_ns);
}

/* Asks endpoints that are due; frees those that are dropped. */
static void step_all(struct fetcher *fetcher, uint64_t now_ns)
{
    struct endpoints *endpoints = fetcher->endpoints;
    struct endpoint *next;
    pthread_mutex_lock(&endpoints->lock);
    log_hold();
    for (struct endpoint *endpoint = LIST_FIRST(&endpoints->all); endpoint; endpoint = next) {
        next = LIST_NEXT(endpoint, link);
        if (!endpoint->is_dropped) {
            step(fetcher, endpoint, now_ns);
            continue;
        }
        LIST_REMOVE(endpoint, link);
        fetch_free(endpoint->fetch);
        endpoint_free(endpoint);
    }
    pthread_mutex_unlock(&endpoints->lock);
    log_release();
}

/* When there is something to do again. */
static uint64_t next_due(struct fetcher *fetcher)
{
    uint64_t due_ns = UINT64_MAX;
    struct endpoint *endpoint;
    pthread_mutex_lock(&fetcher->endpoints->lock);
    LIST_FOREACH(endpoint, &fetcher->endpoints->all, link)
    {
        uint64_t its_ns = endpoint->is_dropped ? 0 : due_of(fetcher, endpoint);
        due_ns = its_ns < due_ns ? its_ns : due_ns;
    }
    pthread_mutex_unlock(&fetcher->endpoints->lock);
    return due_ns;
}

/* -- The thread -------------------------------------------------------------------------------- */

static int wait_ms(uint64_t due_ns, uint64_t now_ns)
{
    if (due_ns <= now_ns)
        return 0;
    uint64_t ms = (due_ns - now_ns) / NS_PER_MS + 1;
    return ms < LONGEST_WAIT_MS ? (int)ms : LONGEST_WAIT_MS;
}

/* Without the library, only the wake-up is waited for. */
static void wait(struct fetcher *fetcher, uint64_t due_ns)
{
    struct curl_waitfd wake = {.fd = fetcher->wake_fd, .events = CURL_WAIT_POLLIN};
    int ms = wait_ms(due_ns, clock_mono_ns());
    uint64_t count;
    if (fetcher->multi) {
        fetcher->curl.multi_poll(fetcher->multi, &wake, 1, ms, NULL);
    } else {
        struct pollfd fd = {.fd = fetcher->wake_fd, .events = POLLIN};
        poll(&fd, 1, ms);
    }
    ssize_t ignored = read(fetcher->wake_fd, &count, sizeof count);
    (void)ignored;
}

static void *fetcher_main(void *context)
{
    struct fetcher *fetcher = context;
    int running;
    while (!fetcher->is_stopping) {
        if (fetcher->multi) {
            fetcher->curl.multi_perform(fetcher->multi, &running);
            read_answers(fetcher);
        }
        step_all(fetcher, clock_mono_ns());
        send_all(fetcher);
        wait(fetcher, next_due(fetcher));
    }
    return NULL;
}

static bool start_thread(struct fetcher *fetcher)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&fetcher->thread, NULL, fetcher_main, fetcher) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

struct fetcher *fetcher_start(struct endpoints *endpoints)
{
    struct fetcher *fetcher = calloc(1, sizeof *fetcher);
    if (!fetcher)
        return NULL;
    fetcher->endpoints = endpoints;
    fetcher->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (fetcher->wake_fd >= 0 && start_thread(fetcher))
        return fetcher;
    if (fetcher->wake_fd >= 0)
        close(fetcher->wake_fd);
    free(fetcher);
    return NULL;
}

void fetcher_wake(struct fetcher *fetcher)
{
    uint64_t one = 1;
    ssize_t ignored = write(fetcher->wake_fd, &one, sizeof one);
    (void)ignored;
}

void fetcher_stop(struct fetcher *fetcher)
{
    struct endpoint *endpoint;
    if (!fetcher)
        return;
    fetcher->is_stopping = true;
    fetcher_wake(fetcher);
    pthread_join(fetcher->thread, NULL);
    LIST_FOREACH(endpoint, &fetcher->endpoints->all, link)
    {
        fetch_free(endpoint->fetch);
        endpoint->fetch = NULL;
    }
    close_library(fetcher);
    close(fetcher->wake_fd);
    free(fetcher);
}
