#include "cli/address.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#include "base/hostport.h"
#include "base/text.h"

static const char *without_transport(const char *text)
{
    static const char *const transports[] = {"udp:", "udp6:"};
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++)
        if (strncmp(text, transports[i], strlen(transports[i])) == 0)
            return text + strlen(transports[i]);
    return text;
}

bool address_split(const char *text, const char *port, struct address *address)
{
    struct hostport parts;
    if (!hostport_split(without_transport(text), &parts))
        return false;
    if (parts.port)
        port = parts.port;
    if (parts.host_len == 0 || parts.host_len >= HOST_SIZE || !hostport_is_port(port))
        return false;
    struct address split = {0};
    memcpy(split.host, parts.host, parts.host_len);
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
