#include "base/local_url.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#define HOST_SIZE INET6_ADDRSTRLEN
#define PORT_DIGITS 5

static bool is_loopback_4(const struct in_addr *address)
{
    return ntohl(address->s_addr) >> 24 == IN_LOOPBACKNET;
}

bool local_address(const struct sockaddr *address)
{
    switch (address->sa_family) {
    case AF_UNIX:
        return true;
    case AF_INET:
        return is_loopback_4(&((const struct sockaddr_in *)address)->sin_addr);
    case AF_INET6:
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
    default:
        return false;
    }
}

static bool is_local_host(const char *host, size_t len, bool has_brackets)
{
    char text[HOST_SIZE];
    struct in6_addr six;
    struct in_addr four;
    if (len >= sizeof text)
        return false;
    memcpy(text, host, len);
    text[len] = '\0';
    if (has_brackets)
        return inet_pton(AF_INET6, text, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
    if (strcasecmp(text, "localhost") == 0)
        return true;
    return inet_pton(AF_INET, text, &four) == 1 && is_loopback_4(&four);
}

/* Whether all octets are among those that RFC 3986 allows in a path and a query: no blanks, no
 * user, no fragment. */
static bool is_rest(const char *rest)
{
    static const char others[] = "-._~!$&'()*+,=:/?%";
    for (; *rest; rest++) {
        char c = *rest;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_plain && !strchr(others, c))
            return false;
    }
    return true;
}

/* text begins behind the colon; *end is set to what follows the port. */
static bool is_port(const char *text, const char **end)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long port = digits >= 1 && digits <= PORT_DIGITS ? strtoul(text, NULL, 10) : 0;
    *end = text + digits;
    return port >= 1 && port <= UINT16_MAX;
}

const char *local_url_fault(const char *url)
{
    size_t scheme = strncmp(url, "http://", 7) == 0 ? 7 : strncmp(url, "https://", 8) == 0 ? 8 : 0;
    if (scheme == 0)
        return "url begins with neither http:// nor https://";
    const char *host = url + scheme;
    bool has_brackets = *host == '[';
    host += has_brackets;
    size_t len = strcspn(host, has_brackets ? "]" : ":/?");
    const char *rest = host + len;
    if (has_brackets && *rest++ != ']')
        return "url has a bracket that is not closed";
    if (!is_local_host(host, len, has_brackets))
        return "url does not name this machine: the host must be localhost, 127.0.0.0/8 or [::1]";
    if (*rest == ':' && !is_port(rest + 1, &rest))
        return "url has a port that is no number from 1 to 65535";
    if (*rest != '\0' && *rest != '/' && *rest != '?')
        return "url has a character behind its host that cannot be there";
    return is_rest(rest) ? NULL : "url has a character in its path that must be written as %XX";
}
