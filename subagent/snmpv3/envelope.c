#include "snmpv3/envelope.h"

struct envelope_reader {
    u_char *at;
    size_t left;
};

static bool enter_sequence(struct envelope_reader *reader, u_char expected)
{
    u_char type;
    reader->at = asn_parse_sequence(reader->at, &reader->left, &type, expected, "message");
    return reader->at != NULL;
}

static bool read_number(struct envelope_reader *reader, long *number)
{
    u_char type;
    reader->at = asn_parse_int(reader->at, &reader->left, &type, number, sizeof *number);
    return reader->at != NULL;
}

/* Reads the next element, whatever its type. */
static bool read_element(struct envelope_reader *reader, const u_char **octets, size_t *len,
                         u_char *type)
{
    *len = reader->left;
    u_char *inside = asn_parse_header(reader->at, len, type);
    if (!inside || *len > reader->left - (size_t)(inside - reader->at))
        return false;
    reader->left -= (size_t)(inside - reader->at) + *len;
    reader->at = inside + *len;
    *octets = inside;
    return true;
}

static bool read_octets(struct envelope_reader *reader, const u_char **octets, size_t *len)
{
    u_char type;
    return read_element(reader, octets, len, &type) && type == ASN_OCTET_STR;
}

static bool read_global(struct envelope_reader reader, struct envelope *envelope)
{
    long size;
    const u_char *flags;
    size_t len;
    if (!enter_sequence(&reader, ASN_SEQUENCE | ASN_CONSTRUCTOR) ||
        !read_number(&reader, &envelope->id) || !read_number(&reader, &size) ||
        !read_octets(&reader, &flags, &len) || len != 1 || !read_number(&reader, &envelope->model))
        return false;
    envelope->flags = flags[0];
    return true;
}

bool envelope_read(u_char *packet, size_t len, struct envelope *envelope)
{
    struct envelope_reader reader = {packet, len};
    long version;
    const u_char *global;
    size_t global_len;
    u_char type;
    return enter_sequence(&reader, ASN_SEQUENCE | ASN_CONSTRUCTOR) &&
           read_number(&reader, &version) && version == SNMP_VERSION_3 &&
           read_global(reader, envelope) && envelope->model == SNMP_SEC_MODEL_USM &&
           read_element(&reader, &global, &global_len, &type) &&
           enter_sequence(&reader, ASN_OCTET_STR) &&
           enter_sequence(&reader, ASN_SEQUENCE | ASN_CONSTRUCTOR) &&
           read_octets(&reader, &envelope->engine_id, &envelope->engine_id_len) &&
           read_number(&reader, &envelope->engine_boots) &&
           read_number(&reader, &envelope->engine_time) &&
           read_octets(&reader, &envelope->user, &envelope->user_len);
}
