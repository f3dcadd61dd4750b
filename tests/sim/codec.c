#include "codec.h"

#include <string.h>

#define MAC_LEN_MAX 64

bool codec_take(struct codec_span *from, uint8_t type, struct codec_span *content)
{
    size_t len = from->len;
    uint8_t found;
    if (len < 2)
        return false;
    uint8_t *at = asn_parse_header(from->at, &len, &found);
    if (!at || found != type)
        return false;
    size_t head = (size_t)(at - from->at);
    if (head > from->len || len > from->len - head)
        return false;
    *content = (struct codec_span){at, len};
    *from = (struct codec_span){at + len, from->len - head - len};
    return true;
}

static bool take_int(struct codec_span *from, long *value)
{
    uint8_t type;
    if (from->len < 3)
        return false;
    uint8_t *after = asn_parse_int(from->at, &from->len, &type, value, sizeof *value);
    from->at = after;
    return after && type == ASN_INTEGER;
}

static bool take_range(struct codec_span *from, long low, long *value)
{
    return take_int(from, value) && *value >= low && *value <= INT32_MAX;
}

static bool parse_global(struct codec_span head, struct codec_message *message)
{
    struct codec_span flags;
    long model;
    if (!take_range(&head, 0, &message->id) ||
        !take_range(&head, SNMP_MIN_MAX_LEN, &message->max_size) ||
        !codec_take(&head, ASN_OCTET_STR, &flags) || flags.len != 1 || !take_int(&head, &model))
        return false;
    message->flags = *flags.at;
    return model == SNMP_SEC_MODEL_USM;
}

static bool parse_security(struct codec_span octets, struct codec_message *message)
{
    struct codec_span in;
    return codec_take(&octets, CODEC_SEQUENCE, &in) &&
           codec_take(&in, ASN_OCTET_STR, &message->engine) &&
           take_range(&in, 0, &message->boots) && take_range(&in, 0, &message->time) &&
           codec_take(&in, ASN_OCTET_STR, &message->user) &&
           codec_take(&in, ASN_OCTET_STR, &message->mac) &&
           codec_take(&in, ASN_OCTET_STR, &message->salt);
}

bool codec_parse(struct codec_span packet, struct codec_message *message)
{
    struct codec_span in, head, security;
    long version;
    if (!codec_take(&packet, CODEC_SEQUENCE, &in) || !take_int(&in, &version) ||
        version != SNMP_VERSION_3 || !codec_take(&in, CODEC_SEQUENCE, &head) ||
        !parse_global(head, message) || !codec_take(&in, ASN_OCTET_STR, &security) ||
        !parse_security(security, message))
        return false;
    message->data = in;
    return true;
}

bool codec_parse_scoped(struct codec_span scoped, struct codec_pdu *pdu)
{
    struct codec_span in, content;
    if (!codec_take(&scoped, CODEC_SEQUENCE, &in) ||
        !codec_take(&in, ASN_OCTET_STR, &pdu->context_engine) ||
        !codec_take(&in, ASN_OCTET_STR, &pdu->context_name) || in.len == 0)
        return false;
    pdu->type = *in.at;
    return codec_take(&in, pdu->type, &content) && take_int(&content, &pdu->request) &&
           take_int(&content, &pdu->a) && take_int(&content, &pdu->b) &&
           codec_take(&content, CODEC_SEQUENCE, &pdu->bindings);
}

bool codec_next_binding(struct codec_span *from, struct codec_binding *binding, bool *bad)
{
    struct codec_span in;
    if (*bad || from->len == 0)
        return false;
    *bad = true;
    if (!codec_take(from, CODEC_SEQUENCE, &in) || in.len < 2)
        return false;
    size_t left = in.len;
    uint8_t type;
    binding->id_len = MAX_OID_LEN;
    uint8_t *after = asn_parse_objid(in.at, &left, &type, binding->id, &binding->id_len);
    if (!after || type != ASN_OBJECT_ID || after > in.at + in.len)
        return false;
    binding->name = (struct codec_span){in.at, (size_t)(after - in.at)};
    in = (struct codec_span){after, in.len - binding->name.len};
    if (in.len < 2)
        return false;
    binding->type = *in.at;
    if (!codec_take(&in, binding->type, &binding->value))
        return false;
    *bad = false;
    return true;
}

uint8_t *codec_start(const struct codec_out *out)
{
    return out->bytes + out->size - out->used;
}

void codec_put_raw(struct codec_out *out, const uint8_t *bytes, size_t len)
{
    out->full = out->full || len > out->size - out->used;
    if (out->full || len == 0)
        return;
    out->used += len;
    memcpy(codec_start(out), bytes, len);
}

void codec_put_int(struct codec_out *out, long value)
{
    out->full = out->full || !asn_realloc_rbuild_int(&out->bytes, &out->size, &out->used, 0,
                                                     ASN_INTEGER, &value, sizeof value);
}

void codec_put_unsigned(struct codec_out *out, uint8_t type, uint64_t value)
{
    u_long number = value;
    out->full = out->full || !asn_realloc_rbuild_unsigned_int(&out->bytes, &out->size, &out->used,
                                                              0, type, &number, sizeof number);
}

void codec_put_counter64(struct codec_out *out, uint64_t value)
{
    const struct counter64 number = {.high = value >> 32, .low = value & UINT32_MAX};
    out->full =
        out->full || !asn_realloc_rbuild_unsigned_int64(&out->bytes, &out->size, &out->used, 0,
                                                        ASN_COUNTER64, &number, sizeof number);
}

void codec_put_octets(struct codec_out *out, const uint8_t *bytes, size_t len)
{
    size_t from = out->used;
    codec_put_raw(out, bytes, len);
    codec_wrap(out, ASN_OCTET_STR, from);
}

void codec_put_oid(struct codec_out *out, const oid *id, size_t len)
{
    out->full = out->full || !asn_realloc_rbuild_objid(&out->bytes, &out->size, &out->used, 0,
                                                       ASN_OBJECT_ID, id, len);
}

void codec_put_null(struct codec_out *out, uint8_t type)
{
    codec_wrap(out, type, out->used);
}

void codec_wrap(struct codec_out *out, uint8_t type, size_t from)
{
    out->full = out->full || !asn_realloc_rbuild_header(&out->bytes, &out->size, &out->used, 0,
                                                        type, out->used - from);
}

void codec_put_scoped(struct codec_out *out, const struct codec_pdu *pdu, size_t from)
{
    codec_wrap(out, CODEC_SEQUENCE, from);
    codec_put_int(out, pdu->b);
    codec_put_int(out, pdu->a);
    codec_put_int(out, pdu->request);
    codec_wrap(out, pdu->type, from);
    codec_put_octets(out, pdu->context_name.at, pdu->context_name.len);
    codec_put_octets(out, pdu->context_engine.at, pdu->context_engine.len);
    codec_wrap(out, CODEC_SEQUENCE, from);
}

static size_t put_security(struct codec_out *out, const struct codec_message *message)
{
    static const uint8_t zeros[MAC_LEN_MAX];
    size_t from = out->used;
    codec_put_octets(out, message->salt.at, message->salt.len);
    size_t mac = out->used + message->mac.len;
    codec_put_octets(out, zeros, message->mac.len);
    codec_put_octets(out, message->user.at, message->user.len);
    codec_put_int(out, message->time);
    codec_put_int(out, message->boots);
    codec_put_octets(out, message->engine.at, message->engine.len);
    codec_wrap(out, CODEC_SEQUENCE, from);
    codec_wrap(out, ASN_OCTET_STR, from);
    return mac;
}

uint8_t *codec_put_message(struct codec_out *out, const struct codec_message *message)
{
    size_t mac = put_security(out, message);
    size_t from = out->used;
    codec_put_int(out, SNMP_SEC_MODEL_USM);
    codec_put_octets(out, &message->flags, 1);
    codec_put_int(out, message->max_size);
    codec_put_int(out, message->id);
    codec_wrap(out, CODEC_SEQUENCE, from);
    codec_put_int(out, SNMP_VERSION_3);
    codec_wrap(out, CODEC_SEQUENCE, 0);
    return out->full ? NULL : out->bytes + out->size - mac;
}
