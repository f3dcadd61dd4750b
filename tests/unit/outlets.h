/* For tests: plays dcampd to a process of dcamp-publish, with real messages over a real socket. */
#ifndef DCAMP_TESTS_OUTLETS_H
#define DCAMP_TESTS_OUTLETS_H

#include "outlet/message.h"
#include "report/report.h"

#define PLAYED_STREAMS 8
#define PLAYED_CURSORS 32

struct played_stream {
    uint32_t id, boot;
    const char *path;
    struct report_ring *ring;
    uint32_t sent; /* the last block that was sent in this connection */
    uint32_t done; /* what the other side has said of it */
    int64_t done_ms;
    bool is_told; /* in this connection */
};

struct played {
    int fd; /* -1: there is no connection */
    struct outlet_sink sink;
    struct played_stream stream[PLAYED_STREAMS];
    size_t n;
    /* What the other side has said in this connection. */
    struct outlet_cursor cursor[PLAYED_CURSORS];
    size_t n_cursors;
    bool has_begun;
    struct outlet_state state;
    /* How it is answered: series from not_yet on are not known yet, those from nameless on never.
     */
    uint32_t not_yet, nameless;
    bool is_silent; /* nothing is answered */
    bool forgets;   /* cursors are ignored: all is sent from the oldest on */
    size_t n_asked; /* numbers that were looked up, since it was set to 0 */
    /* The packet that is to be sent next. While the socket does not take it, nothing is heard. */
    size_t out_used;
    _Alignas(8) uint8_t out[MESSAGE_PACKET_MAX];
};

void played_open(struct played *played, const char *kind, enum outlet_mode mode);

/* A node that sends its blocks from its ring, which belongs to the caller. */
struct played_stream *played_stream(struct played *played, const char *path, uint32_t boot,
                                    struct report_ring *ring);

/* A new connection: the descriptor of the other side. */
int played_connect(struct played *played);

/* The same with one that somebody has made. */
void played_accept(struct played *played, int fd);
void played_disconnect(struct played *played);

/* Takes what has come, and sends what there is to be sent, as far as the socket takes it. False:
 * the other side is gone. */
bool played_serve(struct played *played);

/* At once, in a packet of its own. */
void played_send(const struct played *played, const struct message *message);

#endif
