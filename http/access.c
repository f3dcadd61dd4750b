#include "http/access.h"

#include <openssl/crypto.h>
#include <string.h>
#include <strings.h>

#include "base/hostport.h"

static bool is_known_host(const struct access *access, const char *text, size_t len)
{
    for (size_t i = 0; i < access->n_hosts; i++)
        if (strlen(access->hosts[i]) == len && strncasecmp(access->hosts[i], text, len) == 0)
            return true;
    return false;
}

static bool is_our_host(const struct access *access, const char *host)
{
    struct hostport parts;
    if (access->any_host)
        return true;
    return host && hostport_split(host, &parts) &&
           is_known_host(access, parts.host, parts.host_len);
}

/* An origin is like "http://localhost:8261"; "null" is that of a file, or of a frame without
 * rights. */
static bool is_our_origin(const struct access *access, const char *origin)
{
    const char *host = strstr(origin, "://");
    return host && is_our_host(access, host + 3);
}

/* A browser says from where the page is that asks, or that its user has typed the address. */
static bool is_other_site(const char *site)
{
    return site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
}

/* The time that this takes tells nothing about the token but its length. */
static bool has_token(const struct access *access, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    size_t len = strlen(access->token);
    if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return false;
    const char *token = authorization + sizeof scheme - 1;
    return strlen(token) == len && CRYPTO_memcmp(token, access->token, len) == 0;
}

enum access_verdict access_judge(const struct access *access, const struct access_request *request)
{
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
        return ACCESS_METHOD;
    if (!is_our_host(access, request->host))
        return ACCESS_HOST;
    if (!request->is_data)
        return ACCESS_OK;
    if (is_other_site(request->site) ||
        (request->origin && !is_our_origin(access, request->origin)))
        return ACCESS_ORIGIN;
    if (access->token && !has_token(access, request->authorization))
        return ACCESS_LOGIN;
    if (access->user_header && (!request->user || !request->user[0]))
        return ACCESS_LOGIN;
    return ACCESS_OK;
}
