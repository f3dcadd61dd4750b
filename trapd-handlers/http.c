#include "trapd-handlers/http.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/credentials.h"

#define ANSWER_MAX (64 << 10)
#define URL_MAX 900

struct http {
    CURL *curl;
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];
    char url[URL_MAX + 100];
};

static size_t take(char *octets, size_t size, size_t n, void *context)
{
    struct buffer *answer = context;
    size_t len = size * n;
    size_t room = answer->len < ANSWER_MAX ? ANSWER_MAX - answer->len : 0;
    buffer_put(answer, octets, len < room ? len : room);
    return len;
}

static bool set_credentials(struct http *http, struct target *target)
{
    struct credentials credentials;
    if (!target->options->credentials)
        return true;
    if (!credentials_read(target->options->credentials, &credentials, target->why))
        return false;
    if (credentials.token[0]) {
        curl_easy_setopt(http->curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        curl_easy_setopt(http->curl, CURLOPT_XOAUTH2_BEARER, credentials.token);
    } else {
        curl_easy_setopt(http->curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        curl_easy_setopt(http->curl, CURLOPT_USERNAME, credentials.user);
        curl_easy_setopt(http->curl, CURLOPT_PASSWORD, credentials.password);
    }
    explicit_bzero(&credentials, sizeof credentials);
    return true;
}

static bool set_up(struct http *http, struct target *target)
{
    const struct options *options = target->options;
    http->headers = curl_slist_append(NULL, "Content-Type: application/json");
    http->headers = curl_slist_append(http->headers, "Accept: application/json");
    http->headers = curl_slist_append(http->headers, "Expect:");
    curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(http->curl, CURLOPT_ERRORBUFFER, http->error);
    curl_easy_setopt(http->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(http->curl, CURLOPT_USERAGENT, "dcamp-trap/" PACKAGE_VERSION);
    curl_easy_setopt(http->curl, CURLOPT_TIMEOUT_MS, (long)options->timeout_ms);
    curl_easy_setopt(http->curl, CURLOPT_WRITEFUNCTION, take);
    if (curl_easy_setopt(http->curl, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK)
        return false;
    if (options->authority) { /* only these: by default, the library also uses a directory of
                               * them */
        curl_easy_setopt(http->curl, CURLOPT_CAINFO, options->authority);
        curl_easy_setopt(http->curl, CURLOPT_CAPATH, NULL);
    }
    return set_credentials(http, target);
}

struct http *http_open(struct target *target)
{
    if (strlen(target->options->url) > URL_MAX) {
        target_fail(target, DELIVERY_LATER, "--url is longer than %d octets", URL_MAX);
        return NULL;
    }
    struct http *http = calloc(1, sizeof *http);
    if (!http || !(http->curl = curl_easy_init())) {
        free(http);
        target_fail(target, DELIVERY_LATER, "no memory");
        return NULL;
    }
    if (set_up(http, target))
        return http;
    http_close(http);
    return NULL;
}

void http_close(struct http *http)
{
    if (!http)
        return;
    curl_easy_cleanup(http->curl);
    curl_slist_free_all(http->headers);
    free(http);
}

long http_post(struct http *http, struct target *target, const char *path, struct buffer *answer)
{
    const char *base = target->options->url;
    int len = (int)strlen(base);
    long status = 0;
    buffer_clear(answer);
    if (target->text.failed) {
        target_fail(target, DELIVERY_LATER, "no memory");
        return 0;
    }
    while (len > 0 && base[len - 1] == '/')
        len--;
    snprintf(http->url, sizeof http->url, "%.*s%s", len, base, path);
    curl_easy_setopt(http->curl, CURLOPT_URL, http->url);
    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, target->text.at);
    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE, (long)target->text.len);
    curl_easy_setopt(http->curl, CURLOPT_WRITEDATA, answer);
    http->error[0] = '\0';
    CURLcode code = curl_easy_perform(http->curl);
    if (code != CURLE_OK) {
        target_fail(target, DELIVERY_LATER, "%s: %s", base,
                    http->error[0] ? http->error : curl_easy_strerror(code));
        return 0;
    }
    curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

enum delivery http_failure(struct target *target, long status, const char *detail)
{
    /* A request that is not permitted, or not now, may be permitted later. */
    bool later = status < 400 || status >= 500 || status == 401 || status == 403 || status == 408 ||
                 status == 429;
    return target_fail(target, later ? DELIVERY_LATER : DELIVERY_REFUSED,
                       "%s: HTTP status %ld%s%.200s", target->options->url, status,
                       *detail ? ": " : "", detail);
}
