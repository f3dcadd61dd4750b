/* The socket to dcampd. */
#ifndef DCAMP_PUBLISH_LINK_H
#define DCAMP_PUBLISH_LINK_H

#include "outlet/message.h"

/* How long to wait, before a connection begins, until dcampd takes what is sent. */
#define LINK_SEND_MS 5000

/* One packet at a time in each direction; packets are as they lie in memory. */
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

/* Adds a message to those that link_flush() sends; if there is no room, sends these first. Neither
 * waits: dcampd does not listen while what it has sent is not taken here. 0; EAGAIN: there is no
 * room now, and nothing was added; or another errno: the other side is gone. */
int link_put(struct link *link, const struct message *message);
int link_flush(struct link *link);

/* The same, but waits for room; for when dcampd sends nothing. ETIMEDOUT: it has waited too long.
 */
int link_put_waiting(struct link *link, const struct message *message);

/* The next packet, in link->in. 0; EAGAIN: none has come; or another errno: the other side is gone;
 * EPIPE: it has closed; EMSGSIZE: what it has sent is too long for a packet. */
int link_receive(struct link *link);

#endif
