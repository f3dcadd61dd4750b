#include "publish/poster.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/credentials.h"
#include "base/curl.h"
#include "base/text.h"

#define TIMEOUT_S 10
#define TIMEOUT_MAX_S 60
#define URL_SIZE (OUTLET_TEXT_SIZE + 32)
#define WAIT_MAX_S 3600
#define WAIT_REFUSED_MS INT64_C(60000)

struct poster {
    char url[URL_SIZE], ca[OUTLET_TEXT_SIZE];
    long timeout_s;
    struct curl_library curl;
    bool is_open; /* the library */
    CURL *easy;
    struct curl_slist *headers;
    struct credentials credentials;
    char fault[CURL_ERROR_SIZE];
    struct poster_answer *answer;
    int64_t wait_ms;
};

/* -- Settings -------------------------------------------------------------------------------- */

static int say(char error[SINK_ERROR_SIZE], int why, const char *text)
{
    text_format(error, SINK_ERROR_SIZE, "%s", text);
    return why;
}

static bool take_timeout(struct poster *poster, const char *text)
{
    char *end;
    poster->timeout_s = strtol(text, &end, 10);
    return end != text && !*end && poster->timeout_s >= 1 && poster->timeout_s <= TIMEOUT_MAX_S;
}

/* Such as "logs=0". */
static bool take_choice(const struct poster_setup *setup, const char *word)
{
    size_t len = setup->choice ? strlen(setup->choice) : 0;
    if (len == 0 || strncmp(word, setup->choice, len) != 0 || word[len] != '=' ||
        (word[len + 1] != '0' && word[len + 1] != '1') || word[len + 2])
        return false;
    *setup->chosen = word[len + 1] == '1';
    return true;
}

/* Takes the options, whose text is cut into pieces. */
static bool take_options(struct poster *poster, const struct poster_setup *setup, char *options)
{
    char *rest = options, *word;
    while ((word = strsep(&rest, "&")) != NULL) {
        if (strncmp(word, "ca=", 3) == 0 && word[3])
            text_format(poster->ca, sizeof poster->ca, "%s", word + 3);
        else if (!take_choice(setup, word) &&
                 (strncmp(word, "timeout=", 8) != 0 || !take_timeout(poster, word + 8)))
            return false;
    }
    return true;
}

static int add_path(struct poster *poster, const char *path, char error[SINK_ERROR_SIZE])
{
    size_t len = strlen(poster->url);
    if (strchr(poster->url, '?'))
        return say(error, EINVAL, "location: expected a URL without '?'");
    while (len > 0 && poster->url[len - 1] == '/')
        len--;
    text_format(poster->url + len, sizeof poster->url - len, "%s", path);
    return 0;
}

/* A location with a user is not shown: it may have a password. */
static int take_location(struct poster *poster, const struct poster_setup *setup,
                         char error[SINK_ERROR_SIZE])
{
    const char *location = setup->settings->location, *authority = strstr(location, "://");
    bool is_http = strncmp(location, "http://", 7) == 0 || strncmp(location, "https://", 8) == 0;
    text_format(poster->url, sizeof poster->url, "%s", location);
    char *options = strchr(poster->url, '#');
    if (!is_http || strcspn(authority + 3, "/?#") == 0)
        return say(error, EINVAL, "location: expected http://HOST:PORT/PATH or https://");
    if (memchr(authority + 3, '@', strcspn(authority + 3, "/?#")))
        return say(error, EINVAL,
                   "location: a user and a password belong into the file of credentials");
    for (const char *at = location; *at; at++)
        if (*at <= ' ' || *at > '~')
            return say(error, EINVAL, "location: a URL has printable ASCII without blanks");
    if (options)
        *options++ = '\0';
    if (options && !take_options(poster, setup, options)) {
        text_format(error, SINK_ERROR_SIZE,
                    "location: expected #timeout=1..60%s%s%s or #ca=FILE, & in between",
                    setup->choice ? ", #" : "", setup->choice ? setup->choice : "",
                    setup->choice ? "=0 or 1" : "");
        return EINVAL;
    }
    return setup->path ? add_path(poster, setup->path, error) : 0;
}

/* -- Its life -------------------------------------------------------------------------------- */

/* Keeps the beginning of an answer; the rest is only read. */
static size_t take(char *data, size_t one, size_t n, void *context)
{
    struct poster *poster = context;
    struct poster_answer *answer = poster->answer;
    size_t room = sizeof answer->body - 1 - answer->len, more = n < room ? n : room;
    (void)one;
    memcpy(answer->body + answer->len, data, more);
    answer->len += more;
    answer->is_complete = answer->is_complete && more == n;
    return n;
}

static bool add_header(struct poster *poster, const char *text)
{
    struct curl_slist *more = poster->curl.append(poster->headers, text);
    if (more)
        poster->headers = more;
    return more != NULL;
}

static bool add_headers(struct poster *poster, const struct poster_setup *setup)
{
    char text[CREDENTIAL_SIZE + 64];
    text_format(text, sizeof text, "Content-Type: %s", setup->type);
    bool ok = add_header(poster, text) && add_header(poster, "Expect:");
    if (ok && poster->credentials.token[0]) {
        text_format(text, sizeof text, "Authorization: %s %s", setup->scheme,
                    poster->credentials.token);
        ok = add_header(poster, text);
        explicit_bzero(text, sizeof text);
    }
    return ok;
}

static bool set_account(struct poster *poster)
{
    const struct curl_library *curl = &poster->curl;
    if (!poster->credentials.user[0])
        return true;
    curl->set(poster->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
    return curl->set(poster->easy, CURLOPT_USERNAME, poster->credentials.user) == CURLE_OK &&
           curl->set(poster->easy, CURLOPT_PASSWORD, poster->credentials.password) == CURLE_OK;
}

static bool set_up(struct poster *poster, const struct poster_setup *setup)
{
    const struct curl_library *curl = &poster->curl;
    poster->easy = curl->easy_init();
    if (!poster->easy || !add_headers(poster, setup) || !set_account(poster))
        return false;
    curl->set(poster->easy, CURLOPT_HTTPHEADER, poster->headers);
    curl->set(poster->easy, CURLOPT_WRITEFUNCTION, take);
    curl->set(poster->easy, CURLOPT_WRITEDATA, poster);
    curl->set(poster->easy, CURLOPT_ERRORBUFFER, poster->fault);
    curl->set(poster->easy, CURLOPT_NOSIGNAL, 1L);
    curl->set(poster->easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl->set(poster->easy, CURLOPT_TIMEOUT, poster->timeout_s);
    curl->set(poster->easy, CURLOPT_USERAGENT, "dcamp/" PACKAGE_VERSION);
    return curl_library_trust(curl, poster->easy, poster->ca) &&
           curl->set(poster->easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl->set(poster->easy, CURLOPT_URL, poster->url) == CURLE_OK;
}

static int open_library(struct poster *poster, const struct poster_setup *setup,
                        char error[SINK_ERROR_SIZE])
{
    char why[512];
    poster->is_open = curl_library_open(&poster->curl, setup->what, why);
    if (!poster->is_open)
        return say(error, ENOENT, why);
    return set_up(poster, setup) ? 0 : say(error, ENOMEM, strerror(ENOMEM));
}

int poster_open(const struct poster_setup *setup, struct poster **opened,
                char error[SINK_ERROR_SIZE])
{
    struct poster *poster = calloc(1, sizeof *poster);
    char why[512];
    if (!poster)
        return say(error, ENOMEM, strerror(ENOMEM));
    poster->timeout_s = TIMEOUT_S;
    int failed = take_location(poster, setup, error);
    if (!failed && setup->settings->credentials[0] &&
        !credentials_read(setup->settings->credentials, &poster->credentials, why))
        failed = say(error, EINVAL, why);
    if (!failed)
        failed = open_library(poster, setup, error);
    if (failed)
        poster_close(poster);
    else
        *opened = poster;
    return failed;
}

void poster_close(struct poster *poster)
{
    if (!poster)
        return;
    if (poster->headers)
        poster->curl.free_all(poster->headers);
    if (poster->easy)
        poster->curl.easy_cleanup(poster->easy);
    if (poster->is_open)
        curl_library_close(&poster->curl);
    explicit_bzero(poster, sizeof *poster);
    free(poster);
}

/* -- Posting --------------------------------------------------------------------------------- */

static void keep_first_line(struct poster_answer *answer)
{
    size_t from = strspn(answer->body, " \t\r\n");
    text_format(answer->text, sizeof answer->text, "%.*s",
                (int)strcspn(answer->body + from, "\r\n"), answer->body + from);
    text_clean(answer->text, sizeof answer->text, '?');
}

/* Whether the status is about the request, not about the state of the server. */
static bool is_refused_as_such(long status)
{
    return status >= 400 && status < 500 && status != 408 && status != 425 && status != 429;
}

static void read_answer(struct poster *poster, struct poster_answer *answer)
{
    const struct curl_library *curl = &poster->curl;
    const char *type = NULL;
    curl_off_t after_s = 0;
    curl->get(poster->easy, CURLINFO_RESPONSE_CODE, &answer->status);
    curl->get(poster->easy, CURLINFO_CONTENT_TYPE, &type);
    curl->get(poster->easy, CURLINFO_RETRY_AFTER, &after_s);
    text_format(answer->type, sizeof answer->type, "%s", type ? type : "");
    keep_first_line(answer);
    if (after_s > WAIT_MAX_S)
        after_s = WAIT_MAX_S;
    poster->wait_ms = after_s > 0                          ? (int64_t)after_s * 1000
                      : is_refused_as_such(answer->status) ? WAIT_REFUSED_MS
                                                           : 0;
}

int poster_post(struct poster *poster, const char *body, size_t len, struct poster_answer *answer,
                char error[SINK_ERROR_SIZE])
{
    const struct curl_library *curl = &poster->curl;
    *answer = (struct poster_answer){.is_complete = true};
    poster->answer = answer;
    poster->wait_ms = 0;
    poster->fault[0] = '\0';
    curl->set(poster->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
    curl->set(poster->easy, CURLOPT_POSTFIELDS, body);
    CURLcode code = curl->perform(poster->easy);
    curl->set(poster->easy, CURLOPT_POSTFIELDS, NULL);
    if (code != CURLE_OK) {
        text_format(error, SINK_ERROR_SIZE, "%s: %s", poster->url,
                    poster->fault[0] ? poster->fault : curl->error(code));
        return EIO;
    }
    read_answer(poster, answer);
    if (answer->status < 300 || answer->status >= 400)
        return 0;
    text_format(error, SINK_ERROR_SIZE,
                "%s: it answers with HTTP status %ld, to another place, which is not followed",
                poster->url, answer->status);
    return EPROTO;
}

int64_t poster_wait_ms(const struct poster *poster)
{
    return poster->wait_ms;
}

int poster_refusal(const struct poster *poster, const struct poster_answer *answer,
                   char error[SINK_ERROR_SIZE])
{
    text_format(error, SINK_ERROR_SIZE, "%s: HTTP status %ld%s%s", poster->url, answer->status,
                answer->text[0] ? ": " : "", answer->text);
    return answer->status == 401 || answer->status == 403 ? EACCES : EIO;
}
