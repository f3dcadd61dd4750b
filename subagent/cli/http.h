/* POST of JSON over HTTP, by libcurl; waits for the answer. */
#ifndef DCAMP_CLI_HTTP_H
#define DCAMP_CLI_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_ANSWER_MAX ((size_t)256 << 20)

struct http;

struct http_setup {
    const char *url;
    const char *type; /* Content-Type */
    const char *ca;   /* a file of certificates; NULL: those of the system */
    unsigned timeout_s;
    const char *what; /* who needs libcurl, for the error */
};

/* NULL: error says why. The texts of the setup must stay. */
struct http *http_open(const struct http_setup *setup, char error[512]);
void http_close(struct http *http);

/* The answer is in text until the next call. False: there was none, or one with another status than
 * 200; error says so, but never contains what was sent. */
bool http_post(struct http *http, const char *body, const char **text, size_t *len,
               char error[512]);

#endif
