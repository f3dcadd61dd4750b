#include "cli/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/curl.h"
#include "base/text.h"

struct http {
    struct http_setup setup;
    struct curl_library curl;
    bool is_open; /* the library */
    CURL *easy;
    struct curl_slist *headers;
    char fault[CURL_ERROR_SIZE];
    char *text;
    size_t len, room;
};

/* -- What comes ------------------------------------------------------------------------------ */

static bool make_room(struct http *http, size_t more)
{
    if (more > HTTP_ANSWER_MAX - http->len)
        return false;
    if (http->len + more <= http->room)
        return true;
    size_t room = (http->len + more) * 2;
    char *text = realloc(http->text, room);
    if (!text)
        return false;
    http->text = text;
    http->room = room;
    return true;
}

/* Takes a part of the answer; an answer that is too long is broken off. */
static size_t take(char *data, size_t one, size_t n, void *context)
{
    struct http *http = context;
    (void)one;
    if (!make_room(http, n))
        return 0;
    memcpy(http->text + http->len, data, n);
    http->len += n;
    return n;
}

/* -- Its life -------------------------------------------------------------------------------- */

static bool add_header(struct http *http, const char *text)
{
    struct curl_slist *more = http->curl.append(http->headers, text);
    if (more)
        http->headers = more;
    return more != NULL;
}

static bool set_up(struct http *http)
{
    const struct curl_library *curl = &http->curl;
    const struct http_setup *setup = &http->setup;
    char type[128];
    text_format(type, sizeof type, "Content-Type: %s", setup->type);
    http->easy = curl->easy_init();
    if (!http->easy || !add_header(http, type) || !add_header(http, "Expect:"))
        return false;
    curl->set(http->easy, CURLOPT_HTTPHEADER, http->headers);
    curl->set(http->easy, CURLOPT_WRITEFUNCTION, take);
    curl->set(http->easy, CURLOPT_WRITEDATA, http);
    curl->set(http->easy, CURLOPT_ERRORBUFFER, http->fault);
    curl->set(http->easy, CURLOPT_NOSIGNAL, 1L);
    curl->set(http->easy, CURLOPT_TIMEOUT, (long)setup->timeout_s);
    curl->set(http->easy, CURLOPT_USERAGENT, "dcamp/" PACKAGE_VERSION);
    if (!curl_library_trust(curl, http->easy, setup->ca))
        return false;
    return curl->set(http->easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl->set(http->easy, CURLOPT_URL, setup->url) == CURLE_OK;
}

struct http *http_open(const struct http_setup *setup, char error[512])
{
    struct http *http = calloc(1, sizeof *http);
    text_format(error, 512, "no memory");
    if (!http)
        return NULL;
    http->setup = *setup;
    http->is_open = curl_library_open(&http->curl, setup->what, error);
    if (http->is_open && set_up(http))
        return http;
    http_close(http);
    return NULL;
}

static void forget(struct http *http)
{
    if (http->text)
        explicit_bzero(http->text, http->len);
    http->len = 0;
}

void http_close(struct http *http)
{
    if (!http)
        return;
    forget(http);
    free(http->text);
    if (http->headers)
        http->curl.free_all(http->headers);
    if (http->easy)
        http->curl.easy_cleanup(http->easy);
    if (http->is_open)
        curl_library_close(&http->curl);
    free(http);
}

/* -- Questions ------------------------------------------------------------------------------- */

bool http_post(struct http *http, const char *body, const char **text, size_t *len, char error[512])
{
    const struct curl_library *curl = &http->curl;
    long status = 0;
    forget(http);
    http->fault[0] = '\0';
    curl->set(http->easy, CURLOPT_POSTFIELDS, body);
    curl->set(http->easy, CURLOPT_POSTFIELDSIZE, (long)strlen(body));
    CURLcode code = curl->perform(http->easy);
    curl->set(http->easy, CURLOPT_POSTFIELDS, NULL);
    if (code != CURLE_OK) {
        text_format(error, 512, "%s: %s", http->setup.url,
                    http->fault[0] ? http->fault : curl->error(code));
        return false;
    }
    curl->get(http->easy, CURLINFO_RESPONSE_CODE, &status);
    *text = http->text ? http->text : "";
    *len = http->len;
    if (status != 200)
        text_format(error, 512, "%s: it answers with HTTP status %ld", http->setup.url, status);
    return status == 200;
}
