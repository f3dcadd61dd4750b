#include "snmpv3/link.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hostport.h"
#include "snmpv3/envelope.h"

#define ADDRESS_SIZE 64
#define DATAGRAM_MAX 65507
#define DROPS_AT_ONCE 64 /* then the other children have their turn */

static bool is_answer(struct link *link, u_char *packet, size_t len)
{
    struct envelope envelope;
    if (link->request == LINK_NO_REQUEST || !envelope_read(packet, len, &envelope) ||
        envelope.id != link->request)
        return false;
    link->engine_boots = envelope.engine_boots;
    link->engine_time = envelope.engine_time;
    return true;
}

/* -- The transport --------------------------------------------------------------------------- */

/* Says that nothing of use came, as Net-SNMP's transports do. */
static int receive_nothing(netsnmp_transport *transport)
{
    transport->flags |= NETSNMP_TRANSPORT_FLAG_EMPTY_PKT;
    return 0;
}

/* The kernel stamps packets with the wall clock, which may have been set since. */
static uint64_t time_since(const struct timespec *stamp)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t ns =
        (int64_t)(now.tv_sec - stamp->tv_sec) * (int64_t)NS_PER_S + now.tv_nsec - stamp->tv_nsec;
    return ns > 0 ? (uint64_t)ns : 0;
}

/* As recv(2); it also says how long the packet has waited in the socket. */
static ssize_t receive_late(int socket, void *buffer, size_t size, uint64_t *waited)
{
    union {
        struct cmsghdr head;
        uint8_t room[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec part = {.iov_base = buffer, .iov_len = size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n = recvmsg(socket, &message, MSG_DONTWAIT);
    const struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    struct timespec stamp;
    *waited = 0;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_TIMESTAMPNS) {
        memcpy(&stamp, CMSG_DATA(head), sizeof stamp);
        *waited = time_since(&stamp);
    }
    return n;
}

static int receive_answer(netsnmp_transport *transport, void *buffer, int size, void **opaque,
                          int *opaque_len)
{
    struct link *link = (struct link *)transport;
    *opaque = NULL;
    *opaque_len = 0;
    for (int i = 0; i < DROPS_AT_ONCE; i++) {
        ssize_t n = receive_late(transport->sock, buffer, (size_t)size, &link->waited);
        if (n > 0 && is_answer(link, buffer, (size_t)n))
            return (int)n;
        if (n < 0 && errno != EINTR) {
            if (errno != EAGAIN)
                link->error = errno;
            break;
        }
    }
    return receive_nothing(transport);
}

/* Always succeeds. A packet that the system does not take counts as lost, because the library leaks
 * memory when sending again fails. The owner looks at error. The first try may only report what
 * became of an earlier packet. */
static int send_packet(netsnmp_transport *transport, const void *packet, int length, void **opaque,
                       int *opaque_len)
{
    (void)opaque;
    (void)opaque_len;
    struct link *link = (struct link *)transport;
    if (send(transport->sock, packet, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
        send(transport->sock, packet, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
        errno != EAGAIN && errno != ENOBUFS)
        link->error = errno;
    return length;
}

static int close_socket(netsnmp_transport *transport)
{
    int status = transport->sock >= 0 ? close(transport->sock) : 0;
    transport->sock = -1;
    return status;
}

/* -- Addresses ------------------------------------------------------------------------------- */

static bool starts_with(const char **text, const char *word)
{
    size_t len = strlen(word);
    if (strncmp(*text, word, len) != 0)
        return false;
    *text += len;
    return true;
}

/* NULL, or what is wrong. */
static const char *split_address(const char *address, char host[ADDRESS_SIZE], const char **port)
{
    struct hostport parts;
    if (!hostport_split(address, &parts))
        return "not an address: ']' is missing";
    if (parts.host_len >= ADDRESS_SIZE)
        return "not an address: too long";
    memcpy(host, parts.host, parts.host_len);
    host[parts.host_len] = '\0';
    *port = parts.port ? parts.port : "161";
    /* getaddrinfo(3) of glibc does not look at the range. */
    return hostport_is_port(*port) ? NULL : "not a port: 1 to 65535";
}

const char *link_why(int code)
{
    /* systemd sets this variable. Where a restriction does not come from the unit, only the words
     * of the system are known. */
    bool in_unit = getenv("INVOCATION_ID") != NULL;
    if (code == EAFNOSUPPORT && in_unit)
        return "the unit allows no network (Address family not supported): add "
               "dcampd.service.d/collector.conf";
    if ((code == EPERM || code == EACCES) && in_unit)
        return "Operation not permitted: by a packet filter, or the unit: see "
               "dcampd.service.d/collector.conf";
    return strerror(code);
}

static int bind_to(const struct addrinfo *to, struct link_ports *ports, const char **why)
{
    (void)ports;
    int yes = 1, fd = socket(to->ai_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && to->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    if (fd >= 0 && bind(fd, to->ai_addr, to->ai_addrlen) == 0)
        return fd;
    *why = link_why(errno);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Whether other sockets of this user may use its port as well, as long as they are connected to
 * other addresses. */
static void allow_sharing(int fd, bool allowed)
{
    int value = allowed;
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &value, sizeof value);
}

/* The port of a socket of IPv4 or IPv6: both have it at the same place. */
static in_port_t port_of(int fd)
{
    struct sockaddr_in6 name = {0};
    socklen_t len = sizeof name;
    return getsockname(fd, (struct sockaddr *)&name, &len) == 0 ? name.sin6_port : 0;
}

/* Connects from a port that the kernel chooses among the free ones, and keeps that port in *place.
 * False with EAGAIN: no port is free. */
static bool take_port(int fd, const struct addrinfo *to, in_port_t *place)
{
    if (connect(fd, to->ai_addr, to->ai_addrlen) != 0)
        return false;
    allow_sharing(fd, true);
    *place = port_of(fd);
    return true;
}

/* If the sockets that had the port have been closed, somebody else may have it by now. */
static bool share_port(int fd, const struct addrinfo *to, in_port_t *place)
{
    struct sockaddr_in6 name = {.sin6_family = (sa_family_t)to->ai_family, .sin6_port = *place};
    allow_sharing(fd, true);
    if (bind(fd, (struct sockaddr *)&name, to->ai_addrlen) == 0)
        return connect(fd, to->ai_addr, to->ai_addrlen) == 0;
    if (errno != EADDRINUSE)
        return false;
    allow_sharing(fd, false);
    return take_port(fd, to, place);
}

/* Finding out that no port is free takes the kernel some milliseconds each time. */
static bool choose_port(int fd, const struct addrinfo *to, struct link_ports *ports)
{
    if (!ports->full && take_port(fd, to, &ports->at[ports->n])) {
        ports->full = ++ports->n == LINK_PORTS;
        return true;
    }
    if (ports->n == 0 || (!ports->full && errno != EAGAIN))
        return false;
    ports->full = true;
    return share_port(fd, to, &ports->at[ports->next++ % ports->n]);
}

static int connect_datagram(const struct addrinfo *to, struct link_ports *ports, const char **why)
{
    struct link_ports none = {.n = 0};
    int yes = 1, fd = socket(to->ai_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        *why = link_why(errno);
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
    if (!choose_port(fd, to, ports ? ports : &none)) {
        *why = link_why(errno);
        close(fd);
        return -1;
    }
    return fd;
}

typedef int attach_fn(const struct addrinfo *to, struct link_ports *ports, const char **why);

static int open_socket(const char *address, attach_fn *attach, struct link_ports *ports,
                       const char **why)
{
    char host[ADDRESS_SIZE];
    const char *port;
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    if (!starts_with(&address, "udp6:") && !starts_with(&address, "udp:"))
        hints.ai_family = AF_UNSPEC;
    *why = split_address(address, host, &port);
    if (*why)
        return -1;
    if (getaddrinfo(host, port, &hints, &found) != 0) {
        *why = "not a numeric address";
        return -1;
    }
    int fd = attach(found, ports, why);
    freeaddrinfo(found);
    return fd;
}

int link_listen(const char *address, const char **why)
{
    return open_socket(address, bind_to, NULL, why);
}

struct link *link_resume(int socket)
{
    struct link *link = calloc(1, sizeof *link);
    if (!link)
        return NULL;
    link->request = LINK_NO_REQUEST;
    link->transport.sock = socket;
    link->transport.domain = netsnmpUDPDomain;
    link->transport.domain_length = (int)netsnmpUDPDomain_len;
    link->transport.flags = NETSNMP_TRANSPORT_FLAG_OPENED;
    link->transport.msgMaxSize = DATAGRAM_MAX;
    link->transport.f_recv = receive_answer;
    link->transport.f_send = send_packet;
    link->transport.f_close = close_socket;
    return link;
}

struct link *link_open(const char *address, struct link_ports *ports, const char **why)
{
    int fd = open_socket(address, connect_datagram, ports, why);
    struct link *link = fd >= 0 ? link_resume(fd) : NULL;
    if (fd >= 0 && !link) {
        *why = "no memory";
        close(fd);
    }
    return link;
}

int link_keep_socket(struct link *link)
{
    int fd = link->transport.sock;
    link->transport.sock = -1;
    return fd;
}

void link_drop(int socket)
{
    char octet;
    for (int i = 0; i < DROPS_AT_ONCE; i++)
        if (recv(socket, &octet, sizeof octet, MSG_DONTWAIT) < 0 && errno == EAGAIN)
            break;
}

void link_close(struct link *link)
{
    close_socket(&link->transport);
    free(link);
}
