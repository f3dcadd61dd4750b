#include "flood.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "wire.h"

#define AT_ONCE 64
#define RANDOM_MAX 1200

struct flood {
    struct event event;
    struct sockaddr_in to;
    uint64_t left, n;
};

static void random_octets(struct sim *sim, uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(sim_random(sim) >> 32);
}

/* usmStatsUnknownEngineIDs, as the answer to a discovery has it. */
static void put_report(struct sim *sim, struct codec_out *out, struct codec_message *message)
{
    const oid id[] = {1, 3, 6, 1, 6, 3, 15, 1, 1, USM_UNKNOWN_ENGINES, 0};
    struct codec_pdu pdu = {.type = SNMP_MSG_REPORT, .context_engine = message->engine};
    pdu.request = (long)(sim_random(sim) >> 33);
    codec_put_unsigned(out, ASN_COUNTER, 1);
    codec_put_oid(out, id, OID_LENGTH(id));
    codec_wrap(out, CODEC_SEQUENCE, 0);
    codec_put_scoped(out, &pdu, 0);
}

static void put_packet(struct sim *sim, const struct sim_child *child, struct codec_out *out)
{
    uint8_t engine[ENGINE_ID_SIZE];
    uint64_t kind = sim_random(sim) % 3;
    struct codec_message message = {
        .id = (long)(sim_random(sim) >> 33),
        .max_size = MESSAGE_SIZE_MAX,
        .boots = (long)(sim_random(sim) >> 33),
        .time = (long)(sim_random(sim) >> 33),
        .user = {(uint8_t *)(uintptr_t)sim->options.user, strlen(sim->options.user)},
    };
    memcpy(engine, child->engine_id, child->engine_id_len);
    message.engine = (struct codec_span){engine, child->engine_id_len};
    if (kind == 0) {
        out->used = 1 + sim_random(sim) % RANDOM_MAX;
        random_octets(sim, codec_start(out), out->used);
        return;
    }
    if (kind == 1) {
        random_octets(sim, engine + 5, child->engine_id_len - 5);
    } else {
        message.flags = SNMP_MSG_FLAG_AUTH_BIT;
        message.mac.len = sim->usm.mac_len;
    }
    put_report(sim, out, &message);
    codec_put_message(out, &message);
}

static void fire(struct sim *sim, struct event *event, struct moment now)
{
    struct flood *flood = (struct flood *)event; /* its first member */
    for (int i = 0; i < AT_ONCE && flood->left; i++, flood->left--) {
        uint8_t bytes[RANDOM_MAX];
        struct codec_out out = {bytes, sizeof bytes, 0, false};
        const struct sim_child *child = &sim->children[flood->left % sim->options.children];
        put_packet(sim, child, &out);
        wire_send(sim, child, &flood->to, codec_start(&out), out.used);
    }
    if (flood->left) {
        event_plan(sim, &flood->event, now.mono_ns + 1);
        return;
    }
    printf("done: flood of %llu packets\n", (unsigned long long)flood->n);
    fflush(stdout);
    free(flood);
}

int flood_start(struct sim *sim, const struct sockaddr_in *to, uint64_t n, struct moment now)
{
    struct flood *flood = calloc(1, sizeof *flood);
    if (!flood)
        return ENOMEM;
    *flood =
        (struct flood){.event = {.fire = fire, .allocated = true}, .to = *to, .left = n, .n = n};
    event_plan(sim, &flood->event, now.mono_ns);
    return 0;
}
