/* For tests of the sink kafka: librdkafka's mock cluster as a process of its own, which is told by
 * standard input what is to go wrong, and which may be killed.
 *
 *   kafka-cluster [PORT[:SAID]...]    a broker for each port; by default, one of any port
 *
 * SAID is the port at which it says that it is, where something stands before it.
 *
 * Standard output: "ready HOST:PORT,...", and "ok" for each line of standard input that was done:
 *
 *   topic NAME PARTITIONS      makes a topic
 *   error API CODE COUNT       the next COUNT requests of that kind fail (API and CODE: numbers of
 *                              the protocol, https://kafka.apache.org/protocol)
 *   refuse TOPIC CODE          a topic has this error in the cluster's metadata; 0: none any more
 *   down BROKER, up BROKER     it is gone, or back, at its port
 *   delay BROKER MS            how long its answers take
 *   speak API VERSION          requests of that kind have no later form
 *
 * It ends with standard input.
 *
 * A cluster that was killed is to come back at its ports, which the library does not offer: its
 * bind() and its getsockname(), by which it learns its ports, are those of this program. */
#include <arpa/inet.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BROKERS_MAX 8

/* Of what binds before main() has its cluster: one after the other. */
static struct {
    int n, next;
    uint16_t port[BROKERS_MAX], said[BROKERS_MAX];
} asked;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "kafka-cluster: %s: %s\n", what, why);
    exit(2);
}

/* A broker that was down comes back at the port of which it knows. */
static uint16_t port_to_bind(uint16_t wanted)
{
    if (wanted == 0 && asked.next < asked.n)
        return asked.port[asked.next++];
    for (int i = 0; i < asked.n; i++)
        if (asked.said[i] == wanted)
            return asked.port[i];
    return wanted;
}

/* In place of those of the C library, also for librdkafka. */
int bind(int fd, const struct sockaddr *address, socklen_t len)
{
    struct sockaddr_in wanted;
    if (len != sizeof wanted || address->sa_family != AF_INET)
        return (int)syscall(SYS_bind, fd, address, len);
    memcpy(&wanted, address, sizeof wanted);
    wanted.sin_port = htons(port_to_bind(ntohs(wanted.sin_port)));
    /* Connections inherit it; without it, an answer behind another waits until that was
     * acknowledged, which takes the client 40 ms. Brokers have it. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return (int)syscall(SYS_bind, fd, &wanted, sizeof wanted);
}

int getsockname(int fd, struct sockaddr *address, socklen_t *len)
{
    int status = (int)syscall(SYS_getsockname, fd, address, len);
    struct sockaddr_in has;
    if (status || *len != sizeof has || address->sa_family != AF_INET)
        return status;
    memcpy(&has, address, sizeof has);
    for (int i = 0; i < asked.n; i++)
        if (asked.port[i] == ntohs(has.sin_port))
            has.sin_port = htons(asked.said[i]);
    memcpy(address, &has, sizeof has);
    return 0;
}

static void ask_for(const char *word)
{
    char *end;
    if (asked.n == BROKERS_MAX)
        die(word, "too many brokers");
    asked.port[asked.n] = asked.said[asked.n] = (uint16_t)strtoul(word, &end, 10);
    if (*end == ':')
        asked.said[asked.n] = (uint16_t)strtoul(end + 1, &end, 10);
    if (*end)
        die(word, "expected PORT or PORT:SAID");
    asked.n++;
}

static void push_errors(rd_kafka_mock_cluster_t *cluster, int api, int code, int count)
{
    rd_kafka_resp_err_t errors[64];
    int n = count < 64 ? count : 64;
    for (int i = 0; i < n; i++)
        errors[i] = (rd_kafka_resp_err_t)code;
    rd_kafka_mock_push_request_errors_array(cluster, (int16_t)api, (size_t)n, errors);
}

/* False: it is no command, or was not done. */
static bool obey(rd_kafka_mock_cluster_t *cluster, const char *line)
{
    char name[256];
    int a, b, c;
    if (sscanf(line, "topic %255s %d", name, &a) == 2)
        return rd_kafka_mock_topic_create(cluster, name, a, 1) == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (sscanf(line, "error %d %d %d", &a, &b, &c) == 3)
        return push_errors(cluster, a, b, c), true;
    if (sscanf(line, "refuse %255s %d", name, &a) == 2)
        return rd_kafka_mock_topic_set_error(cluster, name, (rd_kafka_resp_err_t)a), true;
    if (sscanf(line, "down %d", &a) == 1)
        return rd_kafka_mock_broker_set_down(cluster, a) == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (sscanf(line, "up %d", &a) == 1)
        return rd_kafka_mock_broker_set_up(cluster, a) == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (sscanf(line, "delay %d %d", &a, &b) == 2)
        return rd_kafka_mock_broker_set_rtt(cluster, a, b) == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (sscanf(line, "speak %d %d", &a, &b) == 2)
        return rd_kafka_mock_set_apiversion(cluster, (int16_t)a, 0, (int16_t)b) ==
               RD_KAFKA_RESP_ERR_NO_ERROR;
    return false;
}

int main(int argc, char **argv)
{
    char why[512], line[512];
    for (int i = 1; i < argc; i++)
        ask_for(argv[i]);
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), why, sizeof why);
    if (!rk)
        die("librdkafka", why);
    rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(rk, argc > 1 ? asked.n : 1);
    if (!cluster)
        die("librdkafka", "no mock cluster");
    printf("ready %s\n", rd_kafka_mock_cluster_bootstraps(cluster));
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (!obey(cluster, line))
            die(line, "it is no command, or was not done");
        puts("ok");
        fflush(stdout);
    }
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(rk);
    return 0;
}
