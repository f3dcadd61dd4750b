/* How fast the simulator answers: load [OPTION...], see usage below.
 *
 * It asks every child for its engine ID, makes one authPriv GET for each, and then sends these
 * again and again, so many being on the way at any time. The first answer of every child is checked
 * throughout, the others by their number. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "codec.h"
#include "dcamp_mib.h"
#include "usm.h"

#define REQUEST_MAX 512
#define ANSWER_MAX 65536
#define BATCH 64
#define USER "dcamp"

struct target {
    struct sockaddr_in address;
    struct usm_keys keys;
    uint8_t request[REQUEST_MAX];
    size_t start, len;
};

struct load {
    int fd;
    struct usm usm;
    struct usm_keys master;
    struct target *targets;
    uint32_t n;
    bool blocks;
    uint64_t sent, answered, octets;
    uint8_t answer[BATCH][ANSWER_MAX + CODEC_SLACK];
};

static void fail(const char *what) __attribute__((noreturn));

static void fail(const char *what)
{
    fprintf(stderr, "load: %s\n", what);
    exit(1);
}

static void put_null_at(struct codec_out *out, enum mib_object object, oid row)
{
    const struct mib_info *info = &mib_objects[object];
    oid id[MAX_OID_LEN];
    size_t from = out->used;
    for (size_t i = 0; i < info->oid_len; i++)
        id[i] = info->oid[i];
    id[info->oid_len] = row;
    codec_put_null(out, ASN_NULL);
    codec_put_oid(out, id, info->oid_len + 1);
    codec_wrap(out, CODEC_SEQUENCE, from);
}

/* What a parent asks for: the head of the reports, and with it perhaps a block. */
static void put_get(struct codec_out *out, struct codec_span engine, bool blocks)
{
    const struct codec_pdu pdu = {.type = SNMP_MSG_GET, .request = 1, .context_engine = engine};
    if (blocks)
        put_null_at(out, MIB_dcampReportBlock, 1);
    put_null_at(out, MIB_dcampReportLast, 0);
    put_null_at(out, MIB_dcampReportFirst, 0);
    put_null_at(out, MIB_dcampReportBoot, 0);
    codec_put_scoped(out, &pdu, 0);
}

static size_t ask(struct load *load, const struct target *target, const uint8_t *bytes, size_t len)
{
    for (int attempt = 0; attempt < 5; attempt++) {
        if (sendto(load->fd, bytes, len, 0, (const struct sockaddr *)&target->address,
                   sizeof target->address) < 0)
            fail(strerror(errno));
        ssize_t n = recv(load->fd, load->answer[0], ANSWER_MAX, 0);
        if (n > 0)
            return (size_t)n;
    }
    fail("a child does not answer");
}

static void discover(struct load *load, const struct target *target, struct codec_message *answer)
{
    uint8_t bytes[REQUEST_MAX];
    struct codec_out out = {bytes, sizeof bytes, 0, false};
    const struct codec_message message = {
        .id = 1, .max_size = ANSWER_MAX - 1, .flags = SNMP_MSG_FLAG_RPRT_BIT};
    put_get(&out, (struct codec_span){0}, false);
    codec_put_message(&out, &message);
    size_t len = ask(load, target, codec_start(&out), out.used);
    if (!codec_parse((struct codec_span){load->answer[0], len}, answer) || answer->engine.len == 0)
        fail("a child does not tell its engine ID");
}

static void prepare(struct load *load, struct target *target)
{
    struct codec_message answer;
    struct codec_out out = {target->request, REQUEST_MAX, 0, false};
    uint8_t salt[USM_SALT_LEN];
    discover(load, target, &answer);
    usm_next_salt(&load->usm, salt);
    struct codec_message message = {
        .id = 1,
        .max_size = ANSWER_MAX - 1,
        .flags = SNMP_MSG_FLAG_RPRT_BIT | SNMP_MSG_FLAG_AUTH_BIT | SNMP_MSG_FLAG_PRIV_BIT,
        .engine = answer.engine,
        .boots = answer.boots,
        .time = answer.time,
        .user = {(uint8_t *)(uintptr_t)USER, strlen(USER)},
        .salt = {salt, sizeof salt},
    };
    message.mac.len = load->usm.mac_len;
    const struct usm_cipher how = {&target->keys, (uint32_t)answer.boots, (uint32_t)answer.time,
                                   salt};
    if (!usm_localize(&load->usm, &load->master, answer.engine.at, answer.engine.len,
                      &target->keys))
        fail("keys");
    put_get(&out, answer.engine, load->blocks);
    if (!usm_encrypt(&load->usm, &how, codec_start(&out), out.used))
        fail("encryption");
    codec_wrap(&out, ASN_OCTET_STR, 0);
    uint8_t *mac = codec_put_message(&out, &message);
    if (!mac || !usm_sign(&load->usm, &target->keys, codec_start(&out), out.used, mac))
        fail("the request is too long");
    target->start = out.size - out.used;
    target->len = out.used;
}

static void check(struct load *load, const struct target *target)
{
    struct codec_message message;
    struct codec_pdu pdu;
    size_t len = ask(load, target, target->request + target->start, target->len);
    struct codec_span packet = {load->answer[0], len}, scoped;
    if (!codec_parse(packet, &message) || message.salt.len != USM_SALT_LEN ||
        !usm_verify(&load->usm, &target->keys, packet.at, packet.len, message.mac.at,
                    message.mac.len))
        fail("an answer is not authentic");
    const struct usm_cipher how = {&target->keys, (uint32_t)message.boots, (uint32_t)message.time,
                                   message.salt.at};
    if (!codec_take(&message.data, ASN_OCTET_STR, &scoped) ||
        !usm_decrypt(&load->usm, &how, scoped.at, scoped.len) ||
        !codec_parse_scoped(scoped, &pdu) || pdu.type != SNMP_MSG_RESPONSE || pdu.a != 0)
        fail("an answer is not a response");
}

static unsigned send_some(struct load *load, unsigned n)
{
    struct mmsghdr headers[BATCH];
    struct iovec pieces[BATCH];
    for (unsigned i = 0; i < n; i++) {
        struct target *target = &load->targets[(load->sent + i) % load->n];
        pieces[i] = (struct iovec){target->request + target->start, target->len};
        headers[i].msg_hdr = (struct msghdr){
            .msg_name = &target->address,
            .msg_namelen = sizeof target->address,
            .msg_iov = &pieces[i],
            .msg_iovlen = 1,
        };
    }
    int sent = sendmmsg(load->fd, headers, n, 0);
    load->sent += sent > 0 ? (unsigned)sent : 0;
    return sent > 0 ? (unsigned)sent : 0;
}

/* 0 after a time without answers. */
static unsigned receive_some(struct load *load)
{
    struct mmsghdr headers[BATCH];
    struct iovec pieces[BATCH];
    for (unsigned i = 0; i < BATCH; i++) {
        pieces[i] = (struct iovec){load->answer[i], ANSWER_MAX};
        headers[i].msg_hdr = (struct msghdr){.msg_iov = &pieces[i], .msg_iovlen = 1};
    }
    int n = recvmmsg(load->fd, headers, BATCH, MSG_WAITFORONE, NULL);
    for (int i = 0; i < n; i++)
        load->octets += headers[i].msg_len;
    load->answered += n > 0 ? (unsigned)n : 0;
    return n > 0 ? (unsigned)n : 0;
}

/* Returns how many were still under way at the end. */
static unsigned run(struct load *load, uint64_t until_ns, unsigned window)
{
    unsigned under_way = 0;
    while (clock_mono_ns() < until_ns) {
        unsigned room = window - under_way;
        if (room)
            under_way += send_some(load, room < BATCH ? room : BATCH);
        unsigned n = receive_some(load);
        under_way = n && n <= under_way ? under_way - n : 0;
    }
    return under_way;
}

static uint64_t cpu_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (pid == 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void open_load(struct load *load, const char *address, uint16_t port)
{
    const struct timeval patience = {.tv_usec = 200000};
    const int size = 16 << 20;
    struct in_addr first;
    load->fd = socket(AF_INET, SOCK_DGRAM, 0);
    load->targets = calloc(load->n, sizeof *load->targets);
    if (load->fd < 0 || !load->targets || inet_pton(AF_INET, address, &first) != 1)
        fail("no socket, no memory or no such address");
    setsockopt(load->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (setsockopt(load->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        setsockopt(load->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (!usm_open(&load->usm, false, false) ||
        !usm_master(&load->usm, "auth-secret-sim", "priv-secret-sim", &load->master))
        fail("keys");
    for (uint32_t i = 0; i < load->n; i++) {
        load->targets[i].address = (struct sockaddr_in){
            .sin_family = AF_INET,
            .sin_port = htons(port),
            .sin_addr.s_addr = htonl(ntohl(first.s_addr) + i),
        };
        prepare(load, &load->targets[i]);
        check(load, &load->targets[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc != 8) {
        fputs("usage: load ADDRESS PORT CHILDREN SECONDS WINDOW PID head|blocks\n"
              "WINDOW requests are under way at a time; PID is the simulator's, or 0.\n",
              stderr);
        return 2;
    }
    struct load *load = calloc(1, sizeof *load);
    if (!load)
        fail("no memory");
    load->n = (uint32_t)strtoul(argv[3], NULL, 10);
    load->blocks = strcmp(argv[7], "blocks") == 0;
    unsigned window = (unsigned)strtoul(argv[5], NULL, 10);
    pid_t pid = (pid_t)strtol(argv[6], NULL, 10);
    if (load->n == 0 || window == 0)
        fail("a number is 0");
    open_load(load, argv[1], (uint16_t)strtoul(argv[2], NULL, 10));
    uint64_t begin = clock_mono_ns(), cpu = cpu_ns(pid), own = cpu_ns(getpid());
    unsigned under_way = run(load, begin + strtoul(argv[4], NULL, 10) * NS_PER_S, window);
    double answered = load->answered ? (double)load->answered : 1;
    printf("answers %llu per-second %.0f lost %llu octets-each %.0f simulator-us-each %.2f "
           "load-us-each %.2f\n",
           (unsigned long long)load->answered, answered * 1e9 / (double)(clock_mono_ns() - begin),
           (unsigned long long)(load->sent - load->answered - under_way),
           (double)load->octets / answered, (double)(cpu_ns(pid) - cpu) / 1e3 / answered,
           (double)(cpu_ns(getpid()) - own) / 1e3 / answered);
    usm_close(&load->usm);
    close(load->fd);
    free(load->targets);
    free(load);
    return 0;
}
