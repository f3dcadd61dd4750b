/* Who may ask a server of ours, and from where. Pure.
 *
 * The server may be on a machine that a browser can reach while it shows pages of others. So a
 * request must name this server as its host, which a foreign page whose own name was made to lead
 * here does not do (DNS rebinding). It must not come from a page of another origin (RFC 6454). With
 * a token or a proxy, it must also say who asks. */
#ifndef DCAMP_HTTP_ACCESS_H
#define DCAMP_HTTP_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#define ACCESS_HOSTS_MAX 16

struct access {
    const char *token;       /* NULL: none is asked for */
    const char *user_header; /* the header by which a proxy says who asks; NULL: there is none */
    const char *hosts[ACCESS_HOSTS_MAX]; /* the names under which it may be asked, without a port */
    size_t n_hosts;
    bool any_host; /* any name is accepted: what is asked for is no secret, or a token guards it */
    const char
        *host_help; /* where people read how to give another name: "--host in dcamp-web(8)" */
};

/* Headers of a request; NULL: the request does not have it. */
struct access_request {
    const char *method, *host, *origin, *site /* Sec-Fetch-Site */, *authorization, *user;
    bool is_data; /* it asks for what was measured, not for the page itself */
};

enum access_verdict {
    ACCESS_OK,
    ACCESS_METHOD, /* nothing can be changed here */
    ACCESS_HOST,   /* the request is meant for another server */
    ACCESS_ORIGIN, /* a page of others asks */
    ACCESS_LOGIN   /* the token is missing or wrong, or the proxy names nobody */
};

enum access_verdict access_judge(const struct access *access, const struct access_request *request);

#endif
