/* Who may ask a server of ours, and from where. Pure.
 *
 * The server may be on a machine that a browser can reach while it shows pages of others. So a
 * request must name this server as its host, which a page of others that has its own name lead here
 * does not (DNS rebinding), and must not come from a page of another origin (RFC 6454); with a
 * token or a proxy, it must say who asks, too. */
#ifndef DCAMP_HTTP_ACCESS_H
#define DCAMP_HTTP_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#define ACCESS_HOSTS_MAX 16

struct access {
    const char *token;                   /* NULL: none is asked for */
    const char *user_header;             /* by which a proxy says who asks; NULL: there is none */
    const char *hosts[ACCESS_HOSTS_MAX]; /* under which it may be asked, without a port */
    size_t n_hosts;
    bool any_host; /* whatever it names: what is asked for is no secret, or a token guards it */
    const char
        *host_help; /* where people read how another name is given: "--host in dcamp-web(8)" */
};

/* Headers of a request; NULL: it has not that one. */
struct access_request {
    const char *method, *host, *origin, *site /* Sec-Fetch-Site */, *authorization, *user;
    bool is_data; /* it asks for what was measured, not for the page itself */
};

enum access_verdict {
    ACCESS_OK,
    ACCESS_METHOD, /* nothing can be changed here */
    ACCESS_HOST,   /* it is meant for somebody else */
    ACCESS_ORIGIN, /* a page of others asks */
    ACCESS_LOGIN   /* the token is missing or wrong, or the proxy names nobody */
};

enum access_verdict access_judge(const struct access *access, const struct access_request *request);

#endif
