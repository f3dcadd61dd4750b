#include "engines.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

void engine_begin(struct engine_peer *engine)
{
    static const uint8_t id[] = {0x80, 0, 0x1f, 0x88, 4, 'o', 'n', 'e'};
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof self;
    *engine = (struct engine_peer){
        .fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), .boots = 7, .time = 1000};
    assert_int_equal(bind(engine->fd, (struct sockaddr *)&self, len), 0);
    assert_int_equal(getsockname(engine->fd, (struct sockaddr *)&self, &len), 0);
    snprintf(engine->address, sizeof engine->address, "udp:127.0.0.1:%d", ntohs(self.sin_port));
    assert_true(usm_open(&engine->usm, false, false));
    engine_name(engine, id, sizeof id);
}

void engine_end(struct engine_peer *engine)
{
    usm_close(&engine->usm);
    if (engine->fd >= 0)
        close(engine->fd);
}

void engine_name(struct engine_peer *engine, const void *id, size_t len)
{
    struct usm_keys master;
    memcpy(engine->id, id, len);
    engine->id_len = len;
    assert_true(usm_master(&engine->usm, ENGINE_AUTH, ENGINE_PRIV, &master));
    assert_true(usm_localize(&engine->usm, &master, engine->id, len, &engine->keys));
}

static struct codec_span scoped_of(struct engine_peer *engine)
{
    struct codec_message *message = &engine->message;
    const struct usm_cipher how = {&engine->keys, (uint32_t)message->boots, (uint32_t)message->time,
                                   message->salt.at};
    struct codec_span span = message->data;
    if (!(message->flags & SNMP_MSG_FLAG_PRIV_BIT))
        return span;
    assert_true(codec_take(&message->data, ASN_OCTET_STR, &span));
    assert_true(usm_decrypt(&engine->usm, &how, span.at, span.len));
    return span;
}

bool engine_hears(struct engine_peer *engine)
{
    socklen_t len = sizeof engine->from;
    ssize_t n = recvfrom(engine->fd, engine->octets, 65536, MSG_DONTWAIT,
                         (struct sockaddr *)&engine->from, &len);
    struct codec_message *message = &engine->message;
    if (n <= 0)
        return false;
    assert_true(codec_parse((struct codec_span){engine->octets, (size_t)n}, message));
    if (message->flags & SNMP_MSG_FLAG_AUTH_BIT)
        assert_true(usm_verify(&engine->usm, &engine->keys, engine->octets, (size_t)n,
                               message->mac.at, message->mac.len));
    assert_true(codec_parse_scoped(scoped_of(engine), &engine->pdu));
    return true;
}

/* Around the bindings that are in out. */
static void say(struct engine_peer *engine, struct codec_out *out, uint8_t type, uint8_t level,
                long status)
{
    uint8_t salt[USM_SALT_LEN];
    const struct codec_pdu pdu = {.type = type,
                                  .request = engine->pdu.request,
                                  .a = status,
                                  .context_engine = {engine->id, engine->id_len}};
    struct codec_message message = {.id = engine->message.id,
                                    .max_size = 65507,
                                    .flags = level,
                                    .engine = {engine->id, engine->id_len},
                                    .user = engine->message.user,
                                    .boots = engine->boots,
                                    .time = engine->time};
    if (engine->user)
        message.user =
            (struct codec_span){(uint8_t *)(uintptr_t)engine->user, strlen(engine->user)};
    codec_put_scoped(out, &pdu, 0);
    if (level & SNMP_MSG_FLAG_PRIV_BIT) {
        const struct usm_cipher how = {&engine->keys, (uint32_t)engine->boots,
                                       (uint32_t)engine->time, salt};
        usm_next_salt(&engine->usm, salt);
        message.salt = (struct codec_span){salt, sizeof salt};
        assert_true(usm_encrypt(&engine->usm, &how, codec_start(out), out->used));
        codec_wrap(out, ASN_OCTET_STR, 0);
    }
    if (level & SNMP_MSG_FLAG_AUTH_BIT)
        message.mac.len = engine->usm.mac_len;
    uint8_t *mac = codec_put_message(out, &message);
    assert_non_null(mac);
    if (message.mac.len)
        assert_true(usm_sign(&engine->usm, &engine->keys, codec_start(out), out->used, mac));
    assert_int_equal(sendto(engine->fd, codec_start(out), out->used, 0,
                            (struct sockaddr *)&engine->from, sizeof engine->from),
                     out->used);
}

static void put_number(struct codec_out *out, const oid *name, size_t len)
{
    codec_put_unsigned(out, ASN_COUNTER, 17);
    codec_put_oid(out, name, len);
    codec_wrap(out, CODEC_SEQUENCE, 0);
}

void engine_says(struct engine_peer *engine, uint8_t type, uint8_t level)
{
    static const oid name[] = {1, 3, 6, 1, 2, 1, 11, 1, 0};
    uint8_t octets[2048];
    struct codec_out out = {.bytes = octets, .size = sizeof octets};
    put_number(&out, name, OID_LENGTH(name));
    say(engine, &out, type, level, 0);
}

void engine_answers(struct engine_peer *engine, struct codec_out *out, long status)
{
    say(engine, out, SNMP_MSG_RESPONSE, LEVEL_PRIV, status);
}

void engine_notifies(struct engine_peer *engine, struct codec_out *out, uint8_t level)
{
    say(engine, out, SNMP_MSG_TRAP2, level, 0);
}

void engine_reports(struct engine_peer *engine, enum engine_report report, uint8_t level)
{
    const oid name[] = {1, 3, 6, 1, 6, 3, 15, 1, 1, (oid)report, 0};
    uint8_t octets[2048];
    struct codec_out out = {.bytes = octets, .size = sizeof octets};
    put_number(&out, name, OID_LENGTH(name));
    say(engine, &out, SNMP_MSG_REPORT, level, 0);
}
