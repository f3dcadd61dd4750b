#include "cli/address.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#include "base/text.h"

static bool is_port(const char *text, size_t len)
{
    unsigned number = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || len >= PORT_SIZE)
            return false;
        number = 10 * number + (unsigned)(text[i] - '0');
    }
    return number >= 1 && number <= 65535;
}

static const char *without_transport(const char *text)
{
    static const char *const transports[] = {"udp:", "udp6:"};
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++)
        if (strncmp(text, transports[i], strlen(transports[i])) == 0)
            return text + strlen(transports[i]);
    return text;
}

/* Where the port is, or NULL; *host_len is without brackets and colon. */
static const char *find_port(const char **host, size_t *host_len)
{
    const char *text = *host, *first = strchr(text, ':');
    const char *end = *text == '[' ? strchr(text, ']') : NULL;
    if (end) {
        *host = text + 1;
        *host_len = (size_t)(end - text - 1);
        return end[1] == ':' ? end + 2 : end[1] ? "" : NULL;
    }
    if (first && !strchr(first + 1, ':')) {
        *host_len = (size_t)(first - text);
        return first + 1;
    }
    *host_len = strlen(text);
    return NULL;
}

bool address_split(const char *text, const char *port, struct address *address)
{
    const char *host = without_transport(text);
    size_t len;
    const char *own = find_port(&host, &len);
    if (own)
        port = own;
    if (len == 0 || len >= HOST_SIZE || *host == '[' || !is_port(port, strlen(port)))
        return false;
    struct address split = {0};
    memcpy(split.host, host, len);
    memcpy(split.port, port, strlen(port));
    *address = split;
    return true;
}

const char *address_resolve(const struct address *address, char numbers[PEER_ADDRESS_SIZE])
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    char host[PEER_ADDRESS_SIZE - 16];
    int error = getaddrinfo(address->host, address->port, &wanted, &found);
    if (error == 0)
        error = getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, NULL, 0,
                            NI_NUMERICHOST);
    if (error == 0)
        text_format(numbers, PEER_ADDRESS_SIZE,
                    found->ai_family == AF_INET6 ? "udp6:[%s]:%s" : "udp:%s:%s", host,
                    address->port);
    if (found)
        freeaddrinfo(found);
    return error ? gai_strerror(error) : NULL;
}
