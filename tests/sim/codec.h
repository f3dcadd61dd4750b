/* SNMPv3 messages (RFC 3412, section 6) with USM parameters (RFC 3414, section 2.4), by the ASN.1
 * functions of Net-SNMP. What is parsed points into the octets it was parsed from. */
#ifndef DCAMP_SIM_CODEC_H
#define DCAMP_SIM_CODEC_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Net-SNMP may look at a tag and a length before it compares with what is left: octets that are
 * parsed are followed by that many that may be read. */
#define CODEC_SLACK 16

#define CODEC_SALT_LEN 8
#define CODEC_SEQUENCE (ASN_SEQUENCE | ASN_CONSTRUCTOR)

struct codec_span {
    uint8_t *at;
    size_t len;
};

struct codec_message {
    long id, max_size;
    uint8_t flags; /* SNMP_MSG_FLAG_*_BIT */
    struct codec_span engine, user, mac, salt;
    long boots, time;
    struct codec_span data; /* scoped PDU, or the octet string with the encrypted one */
};

struct codec_pdu {
    uint8_t type;
    long request;
    long a, b; /* error status and index, or non-repeaters and max-repetitions */
    struct codec_span context_engine, context_name;
    struct codec_span bindings;
};

struct codec_binding {
    struct codec_span name; /* with tag and length */
    oid id[MAX_OID_LEN];
    size_t id_len;
    uint8_t type;
    struct codec_span value; /* without tag and length */
};

/* Takes the next element, which must have this type, and returns what is in it. */
bool codec_take(struct codec_span *from, uint8_t type, struct codec_span *content);

bool codec_parse(struct codec_span packet, struct codec_message *message);
bool codec_parse_scoped(struct codec_span scoped, struct codec_pdu *pdu);

/* False at the end, and with bad for what is no binding. */
bool codec_next_binding(struct codec_span *from, struct codec_binding *binding, bool *bad);

/* Messages are written from their last octet to the first one. What does not fit sets full, and
 * nothing more is written. */
struct codec_out {
    uint8_t *bytes;
    size_t size;
    size_t used; /* the last ones of size */
    bool full;
};

uint8_t *codec_start(const struct codec_out *out);
void codec_put_raw(struct codec_out *out, const uint8_t *bytes, size_t len);
void codec_put_int(struct codec_out *out, long value);
void codec_put_unsigned(struct codec_out *out, uint8_t type, uint64_t value);
void codec_put_counter64(struct codec_out *out, uint64_t value);
void codec_put_octets(struct codec_out *out, const uint8_t *bytes, size_t len);
void codec_put_oid(struct codec_out *out, const oid *id, size_t len);
void codec_put_null(struct codec_out *out, uint8_t type);

/* Makes an element of this type of what was put since used was from. */
void codec_wrap(struct codec_out *out, uint8_t type, size_t from);

/* The bindings are what was put since used was from. */
void codec_put_scoped(struct codec_out *out, const struct codec_pdu *pdu, size_t from);

/* Around what was put since used was 0: the scoped PDU, or the octet string with it. Returns the
 * place of the authentication parameters, mac.len zeros; NULL if it is full. */
uint8_t *codec_put_message(struct codec_out *out, const struct codec_message *message);

#endif
