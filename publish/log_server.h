/* Where messages of syslog go: the daemon of this machine by its socket, or another one by UDP (RFC
 * 5426) or TCP (RFC 6587, with octet counting). */
#ifndef DCAMP_PUBLISH_LOG_SERVER_H
#define DCAMP_PUBLISH_LOG_SERVER_H

#include <stdbool.h>

#include "publish/octets.h"

#define LOG_SERVER_TIMEOUT_MS 10000 /* how long a server may take nothing */
#define LOG_SERVER_PLACE_SIZE 256

/* If all octets are zero, and fd is -1, it is not open. */
struct log_server {
    char place[LOG_SERVER_PLACE_SIZE]; /* "/dev/log", "udp:HOST:PORT", "tcp:HOST:PORT"; a host as of
                                          base/hostport.h; no port: 514 */
    int fd;
    bool is_stream, is_local;
    struct octets waiting; /* for a stream */
};

/* 0, EINVAL: the place is none of these; or another errno. */
int log_server_open(struct log_server *server);
void log_server_close(struct log_server *server);

/* Sends a message; to a stream, it is sent by log_server_flush(). A local server that was restarted
 * is connected to again. 0 or an errno. */
int log_server_send(struct log_server *server, const char *message, size_t len);

/* Sends what waits; by TCP, also waits until the machine of the server has acknowledged it. No
 * protocol of syslog tells whether the server has read it. 0 or an errno: then the connection is to
 * be closed. */
int log_server_flush(struct log_server *server);

#endif
