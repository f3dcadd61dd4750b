#include "agent.h"

#include <string.h>

#include "child.h"

#define BINDINGS_MAX 2048
#define TIME_WINDOW_S 150 /* RFC 3414, section 2.2.3 */

struct request {
    struct sim *sim;
    struct sim_child *child;
    struct moment now;
    struct codec_message message;
    struct codec_pdu pdu;
    struct codec_out *out;
};

struct cell {
    struct codec_span name; /* of a GET: as it was asked for */
    struct object_instance instance;
};

struct cells {
    struct cell cells[BINDINGS_MAX];
    size_t n;
};

static uint8_t level(const struct request *request)
{
    return request->message.flags & (SNMP_MSG_FLAG_AUTH_BIT | SNMP_MSG_FLAG_PRIV_BIT);
}

static void empty(struct codec_out *out)
{
    out->used = 0;
    out->full = false;
}

/* -- Sending --------------------------------------------------------------------------------- */

static bool encrypt(const struct request *request, const struct codec_message *message)
{
    struct codec_out *out = request->out;
    const struct usm_cipher how = {&request->child->keys, (uint32_t)message->boots,
                                   (uint32_t)message->time, message->salt.at};
    if (out->full || !usm_encrypt(&request->sim->usm, &how, codec_start(out), out->used))
        return false;
    codec_wrap(out, ASN_OCTET_STR, 0);
    return true;
}

/* Around the scoped PDU that is in out. What does not fit leaves it full. */
static void finish(const struct request *request, uint8_t flags)
{
    struct usm *usm = &request->sim->usm;
    struct sim_child *child = request->child;
    struct codec_out *out = request->out;
    uint8_t salt[USM_SALT_LEN];
    struct codec_message message = {
        .id = request->message.id,
        .max_size = MESSAGE_SIZE_MAX,
        .flags = flags,
        .engine = {child->engine_id, child->engine_id_len},
        .user = request->message.user,
        .boots = child->engine_boots,
        .time = child_engine_time(child, request->now),
    };
    garbage_scoped(request->sim, child, out);
    garbage_message(child, &message);
    if (flags & SNMP_MSG_FLAG_PRIV_BIT) {
        usm_next_salt(usm, salt);
        message.salt = (struct codec_span){salt, sizeof salt};
        if (!encrypt(request, &message))
            return;
    }
    if (flags & SNMP_MSG_FLAG_AUTH_BIT)
        message.mac.len = usm->mac_len;
    uint8_t *mac = codec_put_message(out, &message);
    if (mac && message.mac.len && !usm_sign(usm, &child->keys, codec_start(out), out->used, mac))
        out->full = true;
    if (!out->full)
        garbage_datagram(request->sim, child, out);
}

static void put_scoped(const struct request *request, uint8_t type, long status, long index)
{
    struct sim_child *child = request->child;
    struct codec_pdu pdu = {
        .type = type,
        .request = request->pdu.request,
        .a = status,
        .b = index,
        .context_engine = {child->engine_id, child->engine_id_len},
    };
    if (type == SNMP_MSG_RESPONSE)
        garbage_pdu(request->sim, child, &pdu);
    codec_put_scoped(request->out, &pdu, 0);
}

/* usmStats of RFC 3414, section 5: the scalar with this last arc. */
static void report(const struct request *request, enum usm_stat stat, uint8_t flags)
{
    const oid id[] = {1, 3, 6, 1, 6, 3, 15, 1, 1, stat, 0};
    uint32_t count = ++request->child->usm_stats[stat];
    if (!(request->message.flags & SNMP_MSG_FLAG_RPRT_BIT))
        return;
    empty(request->out);
    codec_put_unsigned(request->out, ASN_COUNTER, count);
    codec_put_oid(request->out, id, OID_LENGTH(id));
    codec_wrap(request->out, CODEC_SEQUENCE, 0);
    put_scoped(request, SNMP_MSG_REPORT, 0, 0);
    finish(request, flags);
}

/* -- Receiving: RFC 3414, section 3.2 -------------------------------------------------------- */

static bool span_is(struct codec_span span, const void *bytes, size_t len)
{
    return span.len == len && memcmp(span.at, bytes, len) == 0;
}

static bool in_time_window(const struct request *request)
{
    long time = child_engine_time(request->child, request->now);
    long apart = time - request->message.time;
    return request->message.boots == request->child->engine_boots && apart <= TIME_WINDOW_S &&
           apart >= -TIME_WINDOW_S;
}

/* Where the scoped PDU is in the clear; span.at is NULL if it is not to be had. */
static struct codec_span decrypt(const struct request *request)
{
    const struct codec_message *message = &request->message;
    const struct usm_cipher how = {&request->child->keys, (uint32_t)message->boots,
                                   (uint32_t)message->time, message->salt.at};
    struct codec_span data = message->data, span;
    if (!(message->flags & SNMP_MSG_FLAG_PRIV_BIT))
        return data;
    if (message->salt.len != USM_SALT_LEN || !codec_take(&data, ASN_OCTET_STR, &span) ||
        span.len == 0 || !usm_decrypt(&request->sim->usm, &how, span.at, span.len) ||
        *span.at != CODEC_SEQUENCE)
        return (struct codec_span){0};
    return span;
}

/* False: a report was sent, if one is. */
static bool check(struct request *request, struct codec_span packet)
{
    const struct codec_message *message = &request->message;
    const struct sim_child *child = request->child;
    const char *user = request->sim->options.user;
    struct usm *usm = &request->sim->usm;
    if (!(level(request) & SNMP_MSG_FLAG_PRIV_BIT))
        codec_parse_scoped(message->data, &request->pdu); /* for the request ID of a report */
    if (!span_is(message->engine, child->engine_id, child->engine_id_len)) {
        report(request, USM_UNKNOWN_ENGINES, 0);
        return false;
    }
    if (!span_is(message->user, user, strlen(user))) {
        report(request, USM_UNKNOWN_USERS, 0);
        return false;
    }
    if (!(level(request) & SNMP_MSG_FLAG_AUTH_BIT))
        return true;
    if (!usm_verify(usm, &child->keys, packet.at, packet.len, message->mac.at, message->mac.len)) {
        report(request, USM_WRONG_DIGESTS, 0);
        return false;
    }
    if (!in_time_window(request)) {
        report(request, USM_NOT_IN_WINDOWS, SNMP_MSG_FLAG_AUTH_BIT);
        return false;
    }
    return true;
}

/* -- Answering: RFC 3416 --------------------------------------------------------------------- */

static void put_name(const struct request *request, const struct cell *cell)
{
    oid id[MAX_OID_LEN];
    const struct object_name *name;
    if (cell->name.at) {
        codec_put_raw(request->out, cell->name.at, cell->name.len);
        return;
    }
    name = &request->sim->objects.names[cell->instance.object];
    memcpy(id, name->id, name->len * sizeof *id);
    id[name->len] = cell->instance.row;
    codec_put_oid(request->out, id, name->len + 1);
}

static void put_value(const struct request *request, const struct object_value *value)
{
    switch (value->type) {
    case ASN_OCTET_STR:
        codec_put_octets(request->out, value->octets, value->len);
        break;
    case ASN_INTEGER:
        codec_put_int(request->out, (long)value->number);
        break;
    case ASN_GAUGE:
    case ASN_TIMETICKS:
        codec_put_unsigned(request->out, value->type, value->number);
        break;
    case ASN_COUNTER64:
        codec_put_counter64(request->out, value->number);
        break;
    default:
        codec_put_null(request->out, value->type);
    }
}

static void put_cell(const struct request *request, const struct cell *cell)
{
    uint8_t room[GARBAGE_ROOM];
    size_t from = request->out->used;
    struct object_value value;
    value.type = cell->instance.exception;
    if (!value.type) {
        objects_value(request->sim, request->child, cell->instance, request->now, &value);
        garbage_value(request->sim, request->child, cell->instance, &value, room);
    }
    put_value(request, &value);
    put_name(request, cell);
    codec_wrap(request->out, CODEC_SEQUENCE, from);
}

/* False, and nothing sent, if it is too big. */
static bool respond(const struct request *request, const struct cells *cells, size_t n)
{
    struct codec_out *out = request->out;
    if (request->child->garbage == GARBAGE_FEWER && n > 1)
        n = 1;
    empty(out);
    for (size_t i = n; i-- > 0 && !out->full;)
        put_cell(request, &cells->cells[i]);
    put_scoped(request, SNMP_MSG_RESPONSE, 0, 0);
    finish(request, level(request));
    return !out->full;
}

static void refuse(const struct request *request, long status, long index)
{
    empty(request->out);
    if (status != SNMP_ERR_TOOBIG)
        codec_put_raw(request->out, request->pdu.bindings.at, request->pdu.bindings.len);
    put_scoped(request, SNMP_MSG_RESPONSE, status, index);
    finish(request, level(request));
}

static bool add(struct cells *cells, struct codec_span name, struct object_instance instance)
{
    if (cells->n == BINDINGS_MAX)
        return false;
    cells->cells[cells->n].instance = instance;
    cells->cells[cells->n++].name = name;
    return true;
}

static struct codec_span name_of(const struct codec_binding *binding,
                                 struct object_instance instance, bool get)
{
    return get || instance.exception ? binding->name : (struct codec_span){0};
}

/* The first pass of any request: one cell for each binding, up to limit. */
static bool look_up(const struct request *request, size_t limit, struct cells *cells)
{
    struct codec_span bindings = request->pdu.bindings;
    struct codec_binding binding;
    bool bad = false, get = request->pdu.type == SNMP_MSG_GET;
    while (cells->n < limit && codec_next_binding(&bindings, &binding, &bad)) {
        struct object_instance instance =
            get ? objects_find(request->sim, request->child, binding.id, binding.id_len)
                : objects_next(request->sim, request->child, binding.id, binding.id_len);
        if (!add(cells, name_of(&binding, instance, get), instance))
            return false;
    }
    return !bad;
}

/* The name of the end of the view is that of the instance before it. */
static void repeat(const struct request *request, struct cells *cells, size_t first, size_t n)
{
    for (long repetition = 1; repetition < request->pdu.b; repetition++)
        for (size_t i = first; i < n; i++) {
            struct cell before = cells->cells[cells->n - (n - first)];
            struct object_instance instance =
                objects_after(request->sim, request->child, before.instance);
            if (instance.exception)
                instance = (struct object_instance){before.instance.object, before.instance.row,
                                                    instance.exception};
            if (!add(cells, before.name, instance))
                return;
        }
}

static void answer_bulk(const struct request *request, struct cells *cells)
{
    size_t first = request->pdu.a > 0 ? (size_t)request->pdu.a : 0;
    if (!look_up(request, request->pdu.b > 0 ? BINDINGS_MAX : first, cells))
        return;
    if (first < cells->n)
        repeat(request, cells, first, cells->n);
    while (!respond(request, cells, cells->n) && cells->n)
        cells->n /= 2;
}

static void answer(const struct request *request)
{
    struct cells cells;
    cells.n = 0;
    switch (request->pdu.type) {
    case SNMP_MSG_GET:
    case SNMP_MSG_GETNEXT:
        if (!look_up(request, BINDINGS_MAX, &cells))
            return;
        if (!respond(request, &cells, cells.n))
            refuse(request, SNMP_ERR_TOOBIG, 0);
        break;
    case SNMP_MSG_GETBULK:
        answer_bulk(request, &cells);
        break;
    case SNMP_MSG_SET:
        refuse(request, SNMP_ERR_NOTWRITABLE, 1);
        break;
    default:
        break;
    }
}

static void process(struct request *request, struct codec_span packet)
{
    const uint8_t secure = SNMP_MSG_FLAG_AUTH_BIT | SNMP_MSG_FLAG_PRIV_BIT;
    if (level(request) == SNMP_MSG_FLAG_PRIV_BIT) {
        request->sim->malformed++;
        return;
    }
    if (!check(request, packet))
        return;
    struct codec_span scoped = decrypt(request);
    if (!scoped.at)
        report(request, USM_DECRYPTION_ERRORS, SNMP_MSG_FLAG_AUTH_BIT);
    else if (!codec_parse_scoped(scoped, &request->pdu))
        request->sim->malformed++;
    else if (level(request) != secure)
        refuse(request, SNMP_ERR_AUTHORIZATIONERROR, 0);
    else
        answer(request);
}

void agent_answer(struct sim *sim, struct sim_child *child, struct codec_span packet,
                  struct moment now, struct codec_out *out)
{
    struct request request = {.sim = sim, .child = child, .now = now, .out = out};
    child->requests++;
    sim->requests++;
    if (!codec_parse(packet, &request.message)) {
        sim->malformed++;
        return;
    }
    struct codec_out room = *out;
    size_t limit = (size_t)request.message.max_size;
    if (child->largest > 0 && child->largest < limit)
        limit = child->largest;
    if (limit < room.size) {
        room.bytes += room.size - limit;
        room.size = limit;
    }
    request.out = &room;
    process(&request, packet);
    if (room.full || room.used == 0)
        return;
    out->used = room.used;
    sim->answers++;
}
