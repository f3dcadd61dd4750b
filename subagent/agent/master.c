#include "agent/master.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/account.h"
#include "base/hostport.h"
#include "base/text.h"

#define HOST_SIZE 256
#define TCP_WAIT_MS 1000
#define TCP_PORT "705" /* RFC 2741, section 8.1.1 */

/* -- Connecting ----------------------------------------------------------------------------- */

static int await_connection(int fd)
{
    struct pollfd writable = {.fd = fd, .events = POLLOUT};
    int error = ETIMEDOUT;
    socklen_t size = sizeof error;
    if (poll(&writable, 1, TCP_WAIT_MS) > 0 &&
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        error = errno;
    return error;
}

/* If the queue of a UNIX socket is full, the error is EAGAIN; a blocking connect(2) would wait for
 * ever. */
static int connect_stream(const struct sockaddr *to, socklen_t size, int *error)
{
    int fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    *error = fd < 0 ? errno : 0;
    if (!*error && connect(fd, to, size) < 0)
        *error = errno == EINPROGRESS ? await_connection(fd) : errno;
    if (!*error && fcntl(fd, F_SETFL, 0) < 0)
        *error = errno;
    if (*error && fd >= 0)
        close(fd);
    return *error ? -1 : fd;
}

static int connect_unix(const char *path, int *error)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = strlen(path);
    *error = len == 0 ? EINVAL : ENAMETOOLONG;
    if (len == 0 || len >= sizeof to.sun_path)
        return -1;
    memcpy(to.sun_path, path, len + 1);
    return connect_stream((const struct sockaddr *)&to, sizeof to, error);
}

/* "host:port", "[host]:port", "host" and "port"; of an IPv6 address without brackets, the last part
 * is the port. False: it is none of these. */
static bool split_address(const char *where, char host[HOST_SIZE], const char **port)
{
    struct hostport parts;
    bool only_port = where[strspn(where, "0123456789")] == '\0';
    *port = where;
    text_format(host, HOST_SIZE, "localhost");
    if (only_port)
        return *where != '\0';
    if (!hostport_split(where, &parts))
        return false;
    const char *last = strrchr(parts.host, ':');
    if (!parts.port && last && *where != '[') {
        parts.host_len = (size_t)(last - parts.host);
        parts.port = last + 1;
    }
    if (parts.host_len >= HOST_SIZE)
        return false;
    text_format(host, HOST_SIZE, "%.*s", (int)parts.host_len, parts.host);
    *port = parts.port ? parts.port : TCP_PORT;
    return true;
}

static int connect_tcp(const char *where, int *error)
{
    char host[HOST_SIZE];
    const char *port;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    *error = EINVAL;
    if (!split_address(where, host, &port) || getaddrinfo(host, port, &hints, &found) != 0)
        return -1;
    int fd = -1;
    for (const struct addrinfo *to = found; to && fd < 0; to = to->ai_next)
        fd = connect_stream(to->ai_addr, to->ai_addrlen, error);
    freeaddrinfo(found);
    return fd;
}

int master_connect(const char *address, int *error)
{
    const char *colon = strchr(address, ':');
    size_t len = colon ? (size_t)(colon - address) : 0;
    if (address[0] == '/')
        return connect_unix(address, error);
    if (len == 4 && memcmp(address, "unix", len) == 0)
        return connect_unix(colon + 1, error);
    if (len >= 3 && memcmp(address, "tcp", 3) == 0) /* tcp6 and tcpipv6, too */
        return connect_tcp(colon + 1, error);
    *error = EINVAL;
    return -1;
}

/* -- Explaining ----------------------------------------------------------------------------- */

static const struct {
    int error;
    const char *cause;
} causes[] = {
    {ENOENT, "snmpd does not run, has no line \"master agentx\", or another agentXSocket"},
    {ECONNREFUSED, "nobody listens there; does snmpd run?"},
    {EAGAIN, "the master does not accept connections; snmpd hangs or is stopped"},
    {ETIMEDOUT, "the master does not accept connections"},
    {EAFNOSUPPORT, "the unit may forbid it by RestrictAddressFamilies="},
    {EMFILE, "raise ulimit -n, or LimitNOFILE= of the unit"},
    {EINVAL, "this is no address of a master that is known; write for example "
             "\"unix:/run/agentx/master\" or "
             "\"tcp:localhost:705\""},
    {ENAMETOOLONG, "the path of a socket has at most 107 octets"},
};

void master_explain(char fault[MASTER_FAULT_SIZE], int error)
{
    char account[ACCOUNT_SIZE];
    if (error == EACCES || error == EPERM) {
        text_format(fault, MASTER_FAULT_SIZE,
                    "%s; dcampd runs as %s: agentXPerms of snmpd.conf must let it in, as "
                    "\"agentXPerms 0660 0750 Debian-snmp dcamp\" does the group dcamp",
                    strerror(error), account_text(account));
        return;
    }
    text_format(fault, MASTER_FAULT_SIZE, "%s", strerror(error));
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].error == error)
            text_format(fault, MASTER_FAULT_SIZE, "%s; %s", strerror(error), causes[i].cause);
}
