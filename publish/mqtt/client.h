/* A connection to a broker of MQTT, by libmosquitto. A broker from which nothing is heard for as
 * long as the patience of the client is given up. */
#ifndef DCAMP_PUBLISH_MQTT_CLIENT_H
#define DCAMP_PUBLISH_MQTT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "publish/identity.h"
#include "publish/sink.h"

struct client_settings {
    char host[OUTLET_TEXT_SIZE];
    int port;
    bool has_tls;
    char authority[OUTLET_TEXT_SIZE]; /* a file of certificates; "": those of the system */
    bool is_old;                      /* MQTT 3.1.1, else 5 */
    int qos;                          /* 1 or 2 */
    bool retain;
    int patience_s;
    char id[IDENTITY_SIZE]; /* another client of the same id loses its connection */
    char credentials[OUTLET_TEXT_SIZE];
};

struct client;

/* Connects, and waits until the broker has accepted the connection. 0; ENOMEM, EIO, EINVAL. */
int client_open(const struct client_settings *settings, struct client **client,
                char error[SINK_ERROR_SIZE]);
/* client_close(NULL) is legal. */
void client_close(struct client *client);

/* Sends a message; waits while too many are on their way. 0 or an errno; then the owner has to
 * close the client: what was on its way may have come. */
int client_publish(struct client *client, const char *topic, const char *payload, size_t len,
                   char error[SINK_ERROR_SIZE]);

/* Waits until the broker has confirmed every message. EACCES: it has refused one. */
int client_confirm(struct client *client, char error[SINK_ERROR_SIZE]);

/* Keeps the connection alive; does not wait. */
int client_step(struct client *client, char error[SINK_ERROR_SIZE]);

#endif
