#include "publish/mqtt/client.h"

#include <errno.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/credentials.h"
#include "base/text.h"

#define KEEPALIVE_S 60
#define CERTIFICATES "/etc/ssl/certs"
#define UNDERWAY_MAX 2000 /* messages */

struct client {
    struct client_settings settings;
    struct mosquitto *mosquitto;
    bool is_connected; /* the broker has accepted */
    size_t underway;   /* messages that it has not confirmed */
    int refused;       /* the reason why it refused the connection, or a message; 0: it did not */
    bool is_refused;
};

static int say(const struct client *client, int status, char error[SINK_ERROR_SIZE],
               const char *why)
{
    text_format(error, SINK_ERROR_SIZE, "mqtt %s:%d: %s", client->settings.host,
                client->settings.port, why);
    text_clean(error, SINK_ERROR_SIZE, '?');
    return status;
}

/* Makes an error of a return value of the library; after MOSQ_ERR_ERRNO, errno has the reason. */
static int fail(const struct client *client, int rc, char error[SINK_ERROR_SIZE])
{
    if (rc == MOSQ_ERR_NOMEM)
        return say(client, ENOMEM, error, "out of memory");
    return say(client, EIO, error,
               rc == MOSQ_ERR_ERRNO && errno ? strerror(errno) : mosquitto_strerror(rc));
}

/* -- What the library tells ------------------------------------------------------------------ */

static void on_connect(struct mosquitto *mosquitto, void *context, int reason, int flags,
                       const mosquitto_property *properties)
{
    struct client *client = context;
    (void)mosquitto;
    (void)flags;
    (void)properties;
    client->is_connected = reason == 0;
    client->is_refused = reason != 0;
    client->refused = reason;
}

static void on_publish(struct mosquitto *mosquitto, void *context, int id, int reason,
                       const mosquitto_property *properties)
{
    struct client *client = context;
    (void)mosquitto;
    (void)id;
    (void)properties;
    client->underway -= client->underway > 0;
    if (reason >= MQTT_RC_UNSPECIFIED) {
        client->is_refused = true;
        client->refused = reason;
    }
}

static int check_refusal(const struct client *client, char error[SINK_ERROR_SIZE])
{
    char why[SINK_ERROR_SIZE];
    if (!client->is_refused)
        return 0;
    text_format(why, sizeof why, "the broker refuses %s: %s",
                client->is_connected ? "a message" : "the connection",
                client->refused < MQTT_RC_UNSPECIFIED ? mosquitto_connack_string(client->refused)
                                                      : mosquitto_reason_string(client->refused));
    return say(client, EACCES, error, why);
}

/* -- Waiting --------------------------------------------------------------------------------- */

/* Handles one event; EAGAIN: nothing has happened within that time. */
static int turn(struct client *client, int timeout_ms, char error[SINK_ERROR_SIZE])
{
    struct pollfd ready = {.fd = mosquitto_socket(client->mosquitto), .events = POLLIN};
    if (mosquitto_want_write(client->mosquitto))
        ready.events |= POLLOUT;
    int n = poll(&ready, 1, timeout_ms);
    if (n < 0 && errno != EINTR)
        return fail(client, MOSQ_ERR_ERRNO, error);
    int rc = MOSQ_ERR_SUCCESS;
    if (n > 0 && (ready.revents & POLLOUT))
        rc = mosquitto_loop_write(client->mosquitto, 1);
    if (rc == MOSQ_ERR_SUCCESS && n > 0 && (ready.revents & ~POLLOUT))
        rc = mosquitto_loop_read(client->mosquitto, 1);
    if (rc == MOSQ_ERR_SUCCESS)
        rc = mosquitto_loop_misc(client->mosquitto);
    int status = check_refusal(client, error);
    if (status)
        return status;
    if (rc != MOSQ_ERR_SUCCESS)
        return fail(client, rc, error);
    return n == 0 ? EAGAIN : 0;
}

static int wait_until(struct client *client, bool want_connection, size_t underway,
                      char error[SINK_ERROR_SIZE])
{
    char why[80];
    while ((want_connection && !client->is_connected) || client->underway > underway) {
        int status = turn(client, 1000 * client->settings.patience_s, error);
        text_format(why, sizeof why, "nothing was heard of the broker for %d seconds",
                    client->settings.patience_s);
        if (status)
            return status == EAGAIN ? say(client, EIO, error, why) : status;
    }
    return 0;
}

/* -- Connecting ------------------------------------------------------------------------------ */

/* Tries whether the host answers, since the library would wait for it as long as the system does,
 * which is minutes. */
static int try_host(const struct client *client, char error[SINK_ERROR_SIZE])
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
    struct timeval patience = {.tv_sec = client->settings.patience_s};
    char port[16];
    text_format(port, sizeof port, "%d", client->settings.port);
    int rc = getaddrinfo(client->settings.host, port, &hints, &found);
    if (rc)
        return say(client, EIO, error, gai_strerror(rc));
    int why = 0;
    for (const struct addrinfo *one = found; one; one = one->ai_next) {
        int fd = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
        why = fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) ||
                      connect(fd, one->ai_addr, one->ai_addrlen)
                  ? errno
                  : 0;
        if (fd >= 0)
            close(fd);
        if (!why)
            break;
    }
    freeaddrinfo(found);
    return why ? say(client, EIO, error, why == EINPROGRESS ? "it does not answer" : strerror(why))
               : 0;
}

static int set_credentials(struct client *client, char error[SINK_ERROR_SIZE])
{
    struct credentials credentials = {.user = ""};
    char why[512] = "";
    int rc = MOSQ_ERR_SUCCESS;
    if (!*client->settings.credentials)
        return 0;
    if (!credentials_read(client->settings.credentials, &credentials, why)) {
        text_format(error, SINK_ERROR_SIZE, "%s", why);
        return EINVAL;
    }
    if (*credentials.token) {
        text_format(error, SINK_ERROR_SIZE, "%s: mqtt has a user and a password, not a token",
                    client->settings.credentials);
        rc = MOSQ_ERR_INVAL;
    } else if (mosquitto_username_pw_set(client->mosquitto, credentials.user,
                                         *credentials.password ? credentials.password : NULL)) {
        rc = MOSQ_ERR_NOMEM;
        say(client, ENOMEM, error, "out of memory");
    }
    explicit_bzero(&credentials, sizeof credentials);
    return rc == MOSQ_ERR_SUCCESS ? 0 : EINVAL;
}

static int set_tls(struct client *client, char error[SINK_ERROR_SIZE])
{
    const char *file = *client->settings.authority ? client->settings.authority : NULL;
    if (!client->settings.has_tls)
        return 0;
    int rc =
        mosquitto_tls_set(client->mosquitto, file, file ? NULL : CERTIFICATES, NULL, NULL, NULL);
    if (rc != MOSQ_ERR_SUCCESS && file)
        return say(client, EINVAL, error, "the file of option ca is no file of certificates");
    return rc == MOSQ_ERR_SUCCESS ? 0 : fail(client, rc, error);
}

static int connect_to(struct client *client, char error[SINK_ERROR_SIZE])
{
    struct mosquitto *mosquitto = client->mosquitto;
    int version = client->settings.is_old ? MQTT_PROTOCOL_V311 : MQTT_PROTOCOL_V5;
    mosquitto_connect_v5_callback_set(mosquitto, on_connect);
    mosquitto_publish_v5_callback_set(mosquitto, on_publish);
    int rc = mosquitto_int_option(mosquitto, MOSQ_OPT_PROTOCOL_VERSION, version);
    if (rc == MOSQ_ERR_SUCCESS)
        rc = mosquitto_int_option(mosquitto, MOSQ_OPT_TCP_NODELAY, 1);
    if (rc == MOSQ_ERR_SUCCESS)
        rc = mosquitto_max_inflight_messages_set(mosquitto, 1000);
    if (rc != MOSQ_ERR_SUCCESS)
        return fail(client, rc, error);
    int status = set_credentials(client, error);
    if (!status)
        status = set_tls(client, error);
    if (!status)
        status = try_host(client, error);
    if (status)
        return status;
    errno = 0;
    rc = mosquitto_connect(mosquitto, client->settings.host, client->settings.port, KEEPALIVE_S);
    return rc == MOSQ_ERR_SUCCESS ? wait_until(client, true, 0, error) : fail(client, rc, error);
}

/* The session is a clean one. A new process knows nothing of messages that were on their way; a
 * broker that still knew them would take new ones of QoS 2, which get the same numbers, for those.
 */
int client_open(const struct client_settings *settings, struct client **client,
                char error[SINK_ERROR_SIZE])
{
    struct client *opened = *client = calloc(1, sizeof *opened);
    if (opened) {
        opened->settings = *settings;
        mosquitto_lib_init();
        opened->mosquitto = mosquitto_new(settings->id, true, opened);
    }
    int status = ENOMEM;
    text_format(error, SINK_ERROR_SIZE, "out of memory");
    if (opened && opened->mosquitto)
        status = connect_to(opened, error);
    if (!status)
        return 0;
    client_close(opened);
    *client = NULL;
    return status;
}

void client_close(struct client *client)
{
    if (!client)
        return;
    if (client->mosquitto) {
        if (client->is_connected)
            mosquitto_disconnect(client->mosquitto);
        mosquitto_destroy(client->mosquitto);
    }
    mosquitto_lib_cleanup();
    free(client);
}

/* -- Messages -------------------------------------------------------------------------------- */

int client_step(struct client *client, char error[SINK_ERROR_SIZE])
{
    int status;
    do
        status = turn(client, 0, error);
    while (status == 0);
    return status == EAGAIN ? 0 : status;
}

int client_publish(struct client *client, const char *topic, const char *payload, size_t len,
                   char error[SINK_ERROR_SIZE])
{
    int status = wait_until(client, false, UNDERWAY_MAX, error);
    /* Takes what the broker has said meanwhile: one that refuses may hang up soon. */
    if (!status)
        status = client_step(client, error);
    if (status)
        return status;
    client->underway++;
    int rc = mosquitto_publish_v5(client->mosquitto, NULL, topic, (int)len, payload,
                                  client->settings.qos, client->settings.retain, NULL);
    return rc == MOSQ_ERR_SUCCESS ? 0 : fail(client, rc, error);
}

int client_confirm(struct client *client, char error[SINK_ERROR_SIZE])
{
    return wait_until(client, false, 0, error);
}
