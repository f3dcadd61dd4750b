#include "publish/kafka/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hostport.h"
#include "base/text.h"
#include "publish/location.h"

#define PATIENCE_S 10
#define PATIENCE_MIN_S 2
#define PATIENCE_MAX_S 50
#define CURSORS_SUFFIX "-positions"

static int refuse(char error[SINK_ERROR_SIZE], const char *why, const char *what)
{
    text_format(error, SINK_ERROR_SIZE, "location: %s%s", why, what);
    text_clean(error, SINK_ERROR_SIZE, '?');
    return EINVAL;
}

bool target_is_topic(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "._-";
    size_t len = strlen(name);
    return len > 0 && len < TOPIC_SIZE && strspn(name, allowed) == len && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

/* librdkafka would take other characters for a protocol or a path. */
static bool is_host(const char *host, size_t len)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "._-:";
    size_t n = 0;
    while (n < len && strchr(allowed, host[n]))
        n++;
    return len > 0 && n == len;
}

static bool add_server(struct target *target, const char *server)
{
    struct hostport parts;
    if (!hostport_split(server, &parts) || !is_host(parts.host, parts.host_len) ||
        (parts.port && !hostport_is_port(parts.port)))
        return false;
    bool is_address = memchr(parts.host, ':', parts.host_len) != NULL;
    size_t len = strlen(target->servers);
    text_format(target->servers + len, sizeof target->servers - len, "%s%s%.*s%s:%s",
                len > 0 ? "," : "", is_address ? "[" : "", (int)parts.host_len, parts.host,
                is_address ? "]" : "",
                parts.port        ? parts.port
                : target->has_tls ? "9093"
                                  : "9092");
    return true;
}

static int read_servers(struct target *target, const struct location *location,
                        char error[SINK_ERROR_SIZE])
{
    char room[OUTLET_TEXT_SIZE];
    target->has_tls = strcmp(location->scheme, "kafkas") == 0;
    if (!target->has_tls && strcmp(location->scheme, "kafka") != 0)
        return refuse(error, "expected kafka://HOST... or kafkas://HOST...", "");
    text_format(room, sizeof room, "%s", location->authority);
    for (char *server = room, *next; server; server = next) {
        next = strchr(server, ',');
        if (next)
            *next++ = '\0';
        if (!add_server(target, server))
            return refuse(error, "expected HOST or HOST:PORT, with commas in between: ", server);
    }
    return 0;
}

static int read_topics(struct target *target, const struct location *location,
                       char error[SINK_ERROR_SIZE])
{
    static const char expected[] = "a topic is letters, digits and . _ -, at most 249 of them: ";
    const char *topic = *location->path ? location->path : "dcamp";
    const char *cursors = location_option(location, "positions");
    char room[2 * OUTLET_TEXT_SIZE];
    text_format(room, sizeof room, "%s" CURSORS_SUFFIX, topic);
    if (!cursors)
        cursors = room;
    if (!target_is_topic(topic) || !target_is_topic(cursors))
        return refuse(error, expected, target_is_topic(topic) ? cursors : topic);
    if (strcmp(topic, cursors) == 0)
        return refuse(error, "positions: not the topic of the values: ", topic);
    text_format(target->topic, sizeof target->topic, "%s", topic);
    text_format(target->cursors, sizeof target->cursors, "%s", cursors);
    return 0;
}

/* Reads the value of an option that is one of the words, which end with NULL; else the default. */
static int read_word(char *word, size_t size, const struct location *location, const char *name,
                     const char *const *words, const char *otherwise, char error[SINK_ERROR_SIZE])
{
    const char *value = location_option(location, name);
    const char *const *one = words;
    char why[SINK_ERROR_SIZE];
    text_format(word, size, "%s", value ? value : otherwise);
    if (!value)
        return 0;
    while (*one && strcmp(*one, value) != 0)
        one++;
    text_format(why, sizeof why, "%s: not ", name);
    return *one ? 0 : refuse(error, why, value);
}

/* Without TLS, a password is sent in the clear only if somebody has asked for that. */
static int read_security(struct target *target, const struct location *location,
                         char error[SINK_ERROR_SIZE])
{
    static const char *const mechanisms[] = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", NULL};
    const char *authority = location_option(location, "ca");
    if (authority && !target->has_tls)
        return refuse(error, "ca: only with kafkas://", "");
    if (location_option(location, "sasl") && !*target->credentials)
        return refuse(error, "sasl: only with a file of credentials", "");
    text_format(target->authority, sizeof target->authority, "%s", authority ? authority : "");
    return read_word(target->mechanism, sizeof target->mechanism, location, "sasl", mechanisms,
                     target->has_tls ? "PLAIN" : "SCRAM-SHA-512", error);
}

int target_read(struct target *target, const struct outlet_sink *settings,
                char error[SINK_ERROR_SIZE])
{
    static const char *const names[] = {"timeout", "positions", "client", "compression",
                                        "ca",      "sasl",      NULL};
    static const char *const compressions[] = {"none", "gzip", "snappy", "lz4", "zstd", NULL};
    struct location location;
    long patience = PATIENCE_S;
    *target = (struct target){.servers = ""};
    text_format(target->credentials, sizeof target->credentials, "%s", settings->credentials);
    if (!location_parse(&location, settings->location, error) ||
        !location_has_only(&location, names, error) ||
        !location_number(&location, "timeout", PATIENCE_MIN_S, PATIENCE_MAX_S, &patience, error))
        return EINVAL;
    target->patience_s = (int)patience;
    identity_text(target->identity, location_option(&location, "client"), settings);
    int status = read_servers(target, &location, error);
    if (!status)
        status = read_topics(target, &location, error);
    if (!status)
        status = read_security(target, &location, error);
    if (!status)
        status = read_word(target->compression, sizeof target->compression, &location,
                           "compression", compressions, "lz4", error);
    return status;
}
