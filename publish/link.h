/* The socket to dcampd. */
#ifndef DCAMP_PUBLISH_LINK_H
#define DCAMP_PUBLISH_LINK_H

#include "outlet/message.h"

/* So long it is waited before a connection begins until dcampd takes what is sent. */
#define LINK_SEND_MS 5000

/* One at a time; packets as they lie in memory. */
struct link {
    int fd; /* -1: there is none */
    size_t n_in, n_out;
    _Alignas(8) uint8_t in[MESSAGE_PACKET_MAX];
    _Alignas(8) uint8_t out[MESSAGE_PACKET_MAX];
};

/* NULL: no memory. */
struct link *link_new(void);
void link_free(struct link *link);

/* 0 or an errno. */
int link_connect(struct link *link, const char *path);
void link_close(struct link *link);

/* Adds a message to those that go with link_flush(), or earlier. Neither waits: dcampd hears
 * nothing while what it has sent is not taken here. 0; EAGAIN: there is no room now, and nothing
 * was added; or another errno: the other side is gone. */
int link_put(struct link *link, const struct message *message);
int link_flush(struct link *link);

/* The same, while dcampd sends nothing: it is waited for room. ETIMEDOUT: for too long. */
int link_put_waiting(struct link *link, const struct message *message);

/* The next packet, in link->in. 0; EAGAIN: none has come; or another errno: the other side is gone,
 * EPIPE: it has closed, EMSGSIZE: it says what is no packet. */
int link_receive(struct link *link);

#endif
