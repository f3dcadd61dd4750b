/* A master that sends what no master should, beside what a well-behaved one asks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "master.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))
#define LATENCIES 4096 /* the latest ones are kept */
#define FEW 8          /* names and transactions: they must meet again */

struct hostile {
    struct master *master;
    uint64_t random;
    struct packet packet;
    unsigned long sent, answers, lost, sets;
    uint32_t latencies[LATENCIES]; /* microseconds */
    unsigned long n_latencies;
};

/* splitmix64 (G. L. Steele, D. Lea, C. H. Flood, 2014). */
static uint64_t draw(struct hostile *h)
{
    uint64_t z = h->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint32_t below(struct hostile *h, uint32_t n)
{
    return (uint32_t)(draw(h) >> 16) % n;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* -- Well-formed packets without sense ------------------------------------------------------- */

/* Of any object, mostly with an instance that there may be. */
static struct name random_name(struct hostile *h)
{
    static const char *const rows[] = {"load", "high", "modified", "x", "y.z", "", "no name"};
    const struct mib_info *info = &mib_objects[below(h, MIB_OBJECTS)];
    struct name name = below(h, 3) ? name_of_row(info, rows[below(h, N_OF(rows))])
                                   : name_of_number(info, below(h, FEW));
    if (!below(h, 10))
        name.ids[below(h, (uint32_t)name.len)] = (uint32_t)draw(h);
    if (!below(h, 10))
        name.len = below(h, NAME_MAX_IDS);
    return name;
}

static void put_random_variable(struct hostile *h)
{
    static const char *const texts[] = {"load",
                                        "load.1",
                                        "",
                                        "1",
                                        "-1e999",
                                        "%s%n",
                                        "modified",
                                        "100% * load / load",
                                        "((((((((",
                                        "*",
                                        "udp:127.0.0.1:9"};
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 100, 1000, INT32_MAX, UINT32_MAX};
    const struct name name = random_name(h);
    const char *text = texts[below(h, N_OF(texts))];
    if (below(h, 2))
        packet_put_octets(&h->packet, &name, text, strlen(text));
    else
        packet_put_integer(&h->packet, &name,
                           below(h, 2) ? MIB_SYNTAX_INTEGER : MIB_SYNTAX_UNSIGNED,
                           numbers[below(h, N_OF(numbers))]);
}

static void begin(struct hostile *h, int type)
{
    packet_begin(&h->packet, type, below(h, 20) ? SESSION : below(h, FEW), below(h, FEW),
                 below(h, FEW));
}

/* A phase, mostly of a transaction that there is not, or in the wrong order. */
static void make_phase(struct hostile *h)
{
    begin(h, PACKET_TEST + (int)below(h, 4));
    if (h->packet.bytes[1] == PACKET_TEST)
        for (uint32_t n = below(h, 6); n > 0; n--)
            put_random_variable(h);
}

static void make_read(struct hostile *h)
{
    begin(h, below(h, 2) ? PACKET_GET : PACKET_GETNEXT);
    for (uint32_t n = below(h, 40); n > 0; n--) {
        const struct name name = random_name(h);
        packet_put_range(&h->packet, &name);
    }
}

/* As large as a packet can be, with as many variables. */
static void make_huge(struct hostile *h)
{
    begin(h, PACKET_TEST);
    while (h->packet.len < PACKET_MAX - 1024)
        put_random_variable(h);
}

/* An answer to what was not asked. */
static void make_answer(struct hostile *h)
{
    begin(h, PACKET_RESPONSE);
    packet_put_number(&h->packet, (uint32_t)draw(h));
    packet_put_number(&h->packet, below(h, 300) << 16 | below(h, 3));
    if (below(h, 2))
        put_random_variable(h);
}

typedef void maker(struct hostile *h);
static maker *const makers[] = {make_phase, make_phase, make_phase, make_read, make_answer};

static void make_well_formed(struct hostile *h)
{
    if (below(h, 500) == 0)
        make_huge(h);
    else
        makers[below(h, N_OF(makers))](h);
    packet_end(&h->packet);
}

/* -- Packets that are wrong ------------------------------------------------------------------ */

static void make_noise(struct hostile *h)
{
    h->packet.len = 1 + below(h, 400);
    for (size_t i = 0; i < h->packet.len; i++)
        h->packet.bytes[i] = (uint8_t)draw(h);
}

static void make_mutant(struct hostile *h)
{
    make_well_formed(h);
    for (uint32_t n = 1 + below(h, 8); n > 0; n--)
        h->packet.bytes[below(h, (uint32_t)h->packet.len)] ^= (uint8_t)(1u << below(h, 8));
}

static void make_stump(struct hostile *h)
{
    make_well_formed(h);
    h->packet.len = 1 + below(h, (uint32_t)h->packet.len);
}

/* A length that is not the packet's. */
static void make_liar(struct hostile *h)
{
    static const uint32_t lengths[] = {0, 1, 3, 19, 65516, 65536, INT32_MAX, UINT32_MAX};
    make_well_formed(h);
    h->packet.len = 16;
    packet_put_number(&h->packet, lengths[below(h, N_OF(lengths))]);
    h->packet.len += below(h, 200);
}

/* A type that dcampd does not serve, or that there is not. */
static void make_strange(struct hostile *h)
{
    static const int types[] = {0, 1, 3, 4, 7, 12, 13, 14, 15, 16, 17, 19, 255};
    begin(h, types[below(h, N_OF(types))]);
    if (below(h, 2))
        put_random_variable(h);
    packet_end(&h->packet);
}

static void make_wrong(struct hostile *h)
{
    static maker *const wrong[] = {make_noise, make_mutant, make_stump, make_liar, make_strange};
    wrong[below(h, N_OF(wrong))](h);
}

/* -- Beside it: a well-behaved master -------------------------------------------------------- */

static bool come_back(struct hostile *h)
{
    h->lost++;
    if (master_attach(h->master))
        return true;
    printf("dcampd %s\n", master_is_alive(h->master) ? "does not come back" : "is dead");
    return false;
}

static bool client_asks(struct hostile *h)
{
    const struct name name = name_of_scalar(&mib_objects[MIB_dcampNodeName]);
    struct seen seen;
    double began = now_s();
    enum heard heard = client_get(h->master, &name, &seen);
    if (heard == SILENT) {
        printf("dcampd does not answer\n");
        return false;
    }
    if (heard == LOST)
        return come_back(h);
    h->latencies[h->n_latencies++ % LATENCIES] = (uint32_t)((now_s() - began) * 1e6);
    return true;
}

/* Of a row that is in no packet of the other one. */
static bool client_sets(struct hostile *h)
{
    const struct name cell = name_of_row(&mib_objects[MIB_dcampFilterThrottle], "client");
    const uint32_t wanted = below(h, 600000000);
    struct seen seen;
    client_begin_set(h->master);
    packet_put_integer(&h->master->out, &cell, MIB_SYNTAX_UNSIGNED, wanted);
    int error = client_set(h->master);
    if (error == 0 && client_get(h->master, &cell, &seen) == HEARD && seen.number == wanted) {
        h->sets++;
        return true;
    }
    printf("a SET of the well-behaved master was not done: error %d\n", error);
    return false;
}

/* -- The test -------------------------------------------------------------------------------- */

/* Random packets that keep the session; their answers are left unread by half. */
static bool molest(struct hostile *h)
{
    for (uint32_t n = below(h, 60); n > 0; n--) {
        make_well_formed(h);
        h->sent++;
        if (!master_send(h->master, &h->packet))
            return come_back(h);
    }
    return true;
}

/* What follows a wrong packet is read as a part of it: it is the last one of its session. */
static bool break_off(struct hostile *h)
{
    make_wrong(h);
    h->sent++;
    if (master_send(h->master, &h->packet) && below(h, 2))
        shutdown(h->master->fd, SHUT_WR);
    return come_back(h);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

struct latency {
    uint32_t median, worst;
};

/* Of the latest ones, which are then forgotten. */
static struct latency take_latencies(struct hostile *h)
{
    size_t n = h->n_latencies < LATENCIES ? h->n_latencies : LATENCIES;
    if (n == 0)
        return (struct latency){0, 0};
    qsort(h->latencies, n, sizeof *h->latencies, by_number);
    h->n_latencies = 0;
    return (struct latency){h->latencies[n / 2], h->latencies[n - 1]};
}

/* What an answer costs dcampd in microseconds of CPU, when only the well-behaved master asks. */
static bool be_quiet(struct hostile *h, double *cost)
{
    enum { GETS = 1000 };
    double began = master_cpu_s(h->master);
    for (int i = 0; i < GETS; i++)
        if (!client_asks(h))
            return false;
    *cost = (master_cpu_s(h->master) - began) * 1e6 / GETS;
    return true;
}

static bool turn(struct hostile *h, unsigned long number, bool wrong)
{
    if (wrong && !break_off(h))
        return false;
    if (!molest(h) || !client_asks(h))
        return false;
    return number % 50 || client_sets(h);
}

bool hostile_run(struct master *master, double seconds, uint64_t seed)
{
    struct hostile *h = calloc(1, sizeof *h);
    if (!h)
        return false;
    h->master = master;
    h->random = seed;
    double cost = 0;
    bool ok = be_quiet(h, &cost);
    struct latency quiet = take_latencies(h);
    double begin = now_s(), wrong_at = begin, settled_at = begin + seconds / 5;
    double cpu = master_cpu_s(master);
    long settled_kb = 0;
    for (unsigned long i = 0; ok && now_s() < begin + seconds; i++) {
        bool wrong = now_s() >= wrong_at;
        ok = turn(h, i, wrong);
        if (wrong) /* after which dcampd waits half a second before it connects */
            wrong_at = now_s() + 0.5;
        if (!settled_kb && now_s() >= settled_at)
            settled_kb = master_kb(master, "VmRSS:");
    }
    struct latency molested = take_latencies(h);
    printf("seed %llu: %lu hostile packets, %lu sessions lost, %lu SETs of the client done\n",
           (unsigned long long)seed, h->sent, h->lost, h->sets);
    printf("GET of the client, microseconds: quiet median %u worst %u, molested median %u worst "
           "%u\n",
           quiet.median, quiet.worst, molested.median, molested.worst);
    printf("CPU of dcampd, microseconds: a GET of the client %.1f, a hostile packet %.1f\n", cost,
           h->sent ? (master_cpu_s(master) - cpu) * 1e6 / (double)h->sent : 0);
    printf("memory of dcampd, kB: after a fifth of the time %ld, at the end %ld, at most %ld\n",
           settled_kb, master_kb(master, "VmRSS:"), master_kb(master, "VmHWM:"));
    free(h);
    return ok;
}
