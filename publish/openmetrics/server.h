/* Answers those who scrape, by libmicrohttpd, in a thread of its own. */
#ifndef DCAMP_PUBLISH_OPENMETRICS_SERVER_H
#define DCAMP_PUBLISH_OPENMETRICS_SERVER_H

#include <pthread.h>

#include "http/access.h"
#include "publish/openmetrics/present.h"

/* What both threads use, while they hold the lock. */
struct board {
    pthread_mutex_t lock;
    struct present *present;
};

struct server_settings {
    int fd; /* on which it listens; the server closes it, perhaps even if it does not start */
    const char *path; /* where the metrics are: "/metrics" */
    struct access access;
};

struct server;

/* What the settings and the board refer to must stay. NULL: errno says why. */
struct server *server_start(const struct server_settings *settings, struct board *board);

/* Ends all connections. server_stop(NULL) is legal. */
void server_stop(struct server *server);

#endif
