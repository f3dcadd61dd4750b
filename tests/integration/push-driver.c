/* For push.sh: measures how long a value takes to the collector's table, and stands between nodes
 * and a collector's port.
 *
 * latency FILE COUNT SNMP-OPTION... ADDRESS OID...: changes the load in FILE so many times, shortly
 * before the sensors look at it, and prints after how many microseconds the instances show it:
 * "median 95th-percentile worst", counted from when the sensors were due to look.
 *
 * relay FROM TO: passes packets on between two UDP ports of 127.0.0.1, and does what it is told on
 * standard input, one line each, answered by one line: pass; drop; replay, sends what it has passed
 * or dropped again; alter, the same with one octet changed in each; garbage N; flood SECONDS, all
 * of that as fast as can be. The answer is the number of packets sent. */
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_US 100000 /* of the sensors, whose passes are at whole multiples of it */
#define GIVE_UP_US 5000000
#define TARGETS_MAX 8
#define RECORDS 256
#define PACKET 8192

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void sleep_until(int64_t us)
{
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void die(const char *what)
{
    fprintf(stderr, "push-driver: %s\n", what);
    exit(2);
}

/* -- Latency --------------------------------------------------------------------------------- */

struct target {
    oid name[MAX_OID_LEN];
    size_t len;
    bool shown;
};

struct watch {
    netsnmp_session *session;
    struct target targets[TARGETS_MAX];
    size_t n, n_shown;
    int64_t *latencies;
    size_t n_latencies;
};

static void note(struct watch *watch, const netsnmp_pdu *answer, int value, int64_t since)
{
    const netsnmp_variable_list *var = answer->variables;
    for (size_t i = 0; i < watch->n && var; i++, var = var->next_variable) {
        char text[32];
        if (watch->targets[i].shown || var->type != ASN_OCTET_STR || var->val_len >= sizeof text)
            continue;
        memcpy(text, var->val.string, var->val_len);
        text[var->val_len] = '\0';
        if (atoi(text) != value)
            continue;
        watch->targets[i].shown = true;
        watch->n_shown++;
        watch->latencies[watch->n_latencies++] = now_us() - since;
    }
}

static void ask(struct watch *watch, int value, int64_t since)
{
    netsnmp_pdu *answer = NULL, *pdu = snmp_pdu_create(SNMP_MSG_GET);
    for (size_t i = 0; i < watch->n; i++)
        snmp_add_null_var(pdu, watch->targets[i].name, watch->targets[i].len);
    if (snmp_synch_response(watch->session, pdu, &answer) == STAT_SUCCESS && answer)
        note(watch, answer, value, since);
    if (answer)
        snmp_free_pdu(answer);
}

static void measure(struct watch *watch, const char *path, int value)
{
    int64_t due = (now_us() / INTERVAL_US + 2) * INTERVAL_US;
    sleep_until(due - INTERVAL_US / 2);
    FILE *file = fopen(path, "r+");
    if (!file || fprintf(file, "%02d", value) != 2 || fclose(file) != 0)
        die("the load cannot be written");
    watch->n_shown = 0;
    for (size_t i = 0; i < watch->n; i++)
        watch->targets[i].shown = false;
    for (sleep_until(due); watch->n_shown < watch->n; usleep(1000)) {
        ask(watch, value, due);
        if (now_us() - due > GIVE_UP_US)
            die("a value does not arrive");
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int latency(int argc, char **argv)
{
    struct watch watch = {0};
    netsnmp_session options;
    const char *path = argv[0];
    int count = argc > 1 ? atoi(argv[1]) : 0;
    setenv("MIBS", "", 1);
    int next = argc > 2 ? snmp_parse_args(argc - 1, argv + 1, &options, "", NULL) : -1;
    if (count <= 0 || next <= 0)
        die("latency FILE COUNT SNMP-OPTION... ADDRESS OID...");
    for (int i = next + 1; i < argc && watch.n < TARGETS_MAX; i++) {
        struct target *target = &watch.targets[watch.n++];
        target->len = MAX_OID_LEN;
        if (!snmp_parse_oid(argv[i], target->name, &target->len))
            die("not an OID");
    }
    watch.session = snmp_open(&options);
    watch.latencies = calloc((size_t)count * TARGETS_MAX, sizeof *watch.latencies);
    if (!watch.session || !watch.latencies || watch.n == 0)
        die("no session");
    for (int i = 0; i < count; i++)
        measure(&watch, path, 10 + (i + 1) % 80);
    size_t n = watch.n_latencies;
    qsort(watch.latencies, n, sizeof *watch.latencies, compare);
    printf("%ld %ld %ld\n", (long)watch.latencies[n / 2], (long)watch.latencies[n * 95 / 100],
           (long)watch.latencies[n - 1]);
    free(watch.latencies);
    snmp_close(watch.session);
    return 0;
}

/* -- Relay ----------------------------------------------------------------------------------- */

struct relay {
    int from, to;
    bool drops;
    struct {
        size_t len;
        uint8_t octets[PACKET];
    } records[RECORDS];
    size_t n; /* recorded; the last RECORDS of them are there */
};

static struct sockaddr_in loopback(const char *port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(port)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void pass_on(struct relay *relay)
{
    size_t slot = relay->n % RECORDS;
    ssize_t len = recv(relay->from, relay->records[slot].octets, PACKET, MSG_DONTWAIT);
    if (len <= 0)
        return;
    relay->records[slot].len = (size_t)len;
    relay->n++;
    if (!relay->drops)
        send(relay->to, relay->records[slot].octets, (size_t)len, 0);
}

static size_t recorded(const struct relay *relay)
{
    return relay->n < RECORDS ? relay->n : RECORDS;
}

static void send_again(const struct relay *relay, size_t i, bool altered)
{
    uint8_t packet[PACKET];
    size_t len = relay->records[i].len;
    memcpy(packet, relay->records[i].octets, len);
    if (altered)
        packet[(size_t)random() % len] ^= (uint8_t)(1 + random() % 255);
    send(relay->to, packet, len, 0);
}

static void send_garbage(const struct relay *relay)
{
    uint8_t packet[1500];
    size_t len = (size_t)random() % sizeof packet;
    for (size_t i = 0; i < len; i++)
        packet[i] = (uint8_t)random();
    send(relay->to, packet, len, 0);
}

/* Slowly: all of it is to arrive. */
static long send_all(const struct relay *relay, bool altered)
{
    size_t n = recorded(relay);
    for (size_t i = 0; i < n; i++, usleep(1000))
        send_again(relay, i, altered);
    return (long)n;
}

static long flood(const struct relay *relay, int64_t until)
{
    size_t n = recorded(relay);
    long sent = 0;
    for (; now_us() < until; sent++) {
        if (n == 0 || sent % 3 == 0)
            send_garbage(relay);
        else
            send_again(relay, (size_t)random() % n, sent % 3 == 1);
    }
    return sent;
}

static long obey(struct relay *relay, const char *order)
{
    long sent = 0;
    if (strcmp(order, "pass\n") == 0)
        relay->drops = false;
    else if (strcmp(order, "drop\n") == 0)
        relay->drops = true;
    else if (strcmp(order, "replay\n") == 0)
        sent = send_all(relay, false);
    else if (strcmp(order, "alter\n") == 0)
        sent = send_all(relay, true);
    else if (strncmp(order, "garbage ", 8) == 0)
        for (long n = atol(order + 8); sent < n; sent++, usleep(1000))
            send_garbage(relay);
    else if (strncmp(order, "flood ", 6) == 0)
        sent = flood(relay, now_us() + 1000000 * atol(order + 6));
    else
        die("no such order");
    return sent;
}

static int run_relay(const char *from, const char *to)
{
    static struct relay relay;
    struct sockaddr_in here = loopback(from), there = loopback(to);
    relay.from = socket(AF_INET, SOCK_DGRAM, 0);
    relay.to = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(relay.from, (struct sockaddr *)&here, sizeof here) != 0 ||
        connect(relay.to, (struct sockaddr *)&there, sizeof there) != 0)
        die("a port cannot be had");
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (;;) {
        struct pollfd fds[] = {{.fd = relay.from, .events = POLLIN},
                               {.fd = STDIN_FILENO, .events = POLLIN}};
        char order[64];
        poll(fds, 2, -1);
        if (fds[0].revents)
            pass_on(&relay);
        if (!fds[1].revents)
            continue;
        ssize_t n = read(STDIN_FILENO, order, sizeof order - 1);
        if (n <= 0)
            return 0;
        order[n] = '\0';
        printf("%ld\n", obey(&relay, order));
    }
}

int main(int argc, char **argv)
{
    if (argc > 4 && strcmp(argv[1], "latency") == 0)
        return latency(argc - 2, argv + 2);
    if (argc == 4 && strcmp(argv[1], "relay") == 0)
        return run_relay(argv[2], argv[3]);
    die("latency or relay, and what they need");
}
