#include "poller/device_pdu.h"

#include <string.h>

#include "base/text.h"
#include "dcamp_mib.h"

/* -- Questions ------------------------------------------------------------------------------ */

_Static_assert(sizeof(oid) == sizeof(unsigned long), "arcs are as device.h has them");

static bool add_varbind(netsnmp_pdu *pdu, const uint32_t *arcs, size_t n)
{
    oid name[MAX_OID_LEN];
    for (size_t i = 0; i < n; i++)
        name[i] = arcs[i];
    return snmp_add_null_var(pdu, name, n) != NULL;
}

/* Each GET also asks for sysUpTime, which tells whether the agent has restarted between two
 * GETs. */
static bool add_up_time(netsnmp_pdu *pdu)
{
    enum { ARCS = sizeof oid_sysUpTime / sizeof *oid_sysUpTime };
    uint32_t name[ARCS + 1] = {0};
    memcpy(name, oid_sysUpTime, sizeof oid_sysUpTime);
    return add_varbind(pdu, name, ARCS + 1);
}

netsnmp_pdu *device_pdu(const struct device *device)
{
    struct device_name name;
    bool bulk = device->ask == DEVICE_BULK;
    netsnmp_pdu *pdu = snmp_pdu_create(bulk ? SNMP_MSG_GETBULK : SNMP_MSG_GET);
    if (!pdu)
        return NULL;
    bool complete = bulk || add_up_time(pdu);
    size_t n = bulk ? 1 : device->n_asked;
    for (size_t i = 0; i < n && complete; i++) {
        device_name(device, i, &name);
        complete = add_varbind(pdu, name.arcs, name.n);
    }
    if (bulk) {
        pdu->non_repeaters = 0;
        pdu->max_repetitions = (long)device->repetitions;
    }
    if (complete)
        return pdu;
    snmp_free_pdu(pdu);
    return NULL;
}

/* -- What the core is told ------------------------------------------------------------------ */

struct device_news {
    const struct device *device;
    const struct device_report *report;
    bool failed; /* no memory */
    union {
        struct message_samples message;
        uint8_t room[sizeof(struct message_samples) + POLL_SAMPLES_MAX * sizeof(struct sample)];
    } samples;
};

static void tell_core(struct device_news *telling, const struct message *message)
{
    if (!outbox_put(telling->report->outbox, message, telling->report->now))
        telling->failed = true;
}

/* The core believes for ever what it was last told of a series, so that no such message may be
 * lost. */
static void tell_instance(struct device_news *telling, const struct message_instance *message)
{
    if (!outbox_put_once(telling->report->outbox, &message->head, telling->report->now))
        telling->failed = true;
}

static struct message_instance instance_of(const struct device_news *telling, size_t object,
                                           uint32_t series)
{
    return (struct message_instance){
        .head = {.kind = MESSAGE_INSTANCE, .length = sizeof(struct message_instance)},
        .id = telling->report->id,
        .generation = telling->device->generation,
        .series = series,
        .object = (uint32_t)object,
    };
}

static void tell_begun(void *context, size_t object, uint32_t series, const char *instance)
{
    struct message_instance message = instance_of(context, object, series);
    message.exists = true;
    text_format(message.instance, sizeof message.instance, "%s", instance);
    tell_instance(context, &message);
}

static void tell_ended(void *context, size_t object, uint32_t series)
{
    const struct message_instance message = instance_of(context, object, series);
    tell_instance(context, &message);
}

static void tell_fault(void *context, size_t object, const char *text)
{
    const struct device_news *telling = context;
    struct message_fault message = {
        .head = {.kind = MESSAGE_FAULT, .length = sizeof message},
        .id = telling->report->id,
        .generation = telling->device->generation,
        .object = (uint32_t)object,
        .cycle = telling->device->cycle,
    };
    text_format(message.text, sizeof message.text, "%s", text);
    tell_core(context, &message.head);
}

/* Samples are told together, once the whole answer has been read. */
static void keep_sample(void *context, const struct sample *sample)
{
    struct message_samples *message = &((struct device_news *)context)->samples.message;
    message->samples[message->n++] = *sample;
}

static struct device_events events_of(struct device_news *telling)
{
    return (struct device_events){.context = telling,
                                  .begun = tell_begun,
                                  .ended = tell_ended,
                                  .sampled = keep_sample,
                                  .faulted = tell_fault};
}

static void begin_samples(struct device_news *telling)
{
    const struct device_report *report = telling->report;
    telling->samples.message = (struct message_samples){
        .id = report->id,
        .generation = telling->device->generation,
        .round_trip_us = report->round_trip_us,
        .engine_id_len = report->engine->len,
        .engine_boots = report->engine->boots,
        .arrived_ns = report->now,
    };
    memcpy(telling->samples.message.engine_id, report->engine->id, report->engine->len);
}

static void tell_samples(struct device_news *telling)
{
    struct message_samples *message = &telling->samples.message;
    message->is_last = telling->device->ask == DEVICE_NOTHING;
    message->is_all = message->is_last && !telling->device->is_looking;
    message->cycle = telling->device->cycle;
    message->head = (struct message){
        .kind = MESSAGE_SAMPLES,
        .length = (uint32_t)(sizeof *message + message->n * sizeof *message->samples)};
    if (message->n > 0 || message->is_last)
        tell_core(telling, &message->head);
}

bool device_tell_renewal(struct device *device, const struct device_report *report)
{
    struct device_news telling = {.device = device, .report = report};
    struct device_events events = events_of(&telling);
    device_renew(device, &events);
    return !telling.failed;
}

/* -- Answers -------------------------------------------------------------------------------- */

static void read_number(const netsnmp_variable_list *var, struct device_varbind *varbind)
{
    varbind->type = var->type == ASN_COUNTER   ? DEVICE_COUNTER32
                    : var->type == ASN_INTEGER ? DEVICE_SIGNED
                                               : DEVICE_UNSIGNED;
    if (var->type == ASN_INTEGER)
        varbind->integer = *var->val.integer;
    else
        varbind->number = (uint32_t)*var->val.integer;
}

static void read_64(const netsnmp_variable_list *var, struct device_varbind *varbind)
{
    const struct counter64 *value = var->val.counter64;
    varbind->type = DEVICE_COUNTER64;
    varbind->number = (uint64_t)(value->high & UINT32_MAX) << 32 | (value->low & UINT32_MAX);
}

/* Types that Net-SNMP's own agents put into an Opaque, and that its library unpacks. */
static void read_opaque(const netsnmp_variable_list *var, struct device_varbind *varbind)
{
    varbind->type = DEVICE_OTHER;
#ifdef NETSNMP_WITH_OPAQUE_SPECIAL_TYPES
    switch (var->type) {
    case ASN_OPAQUE_FLOAT:
        varbind->type = DEVICE_REAL;
        varbind->real = (double)*var->val.floatVal;
        return;
    case ASN_OPAQUE_DOUBLE:
        varbind->type = DEVICE_REAL;
        varbind->real = *var->val.doubleVal;
        return;
    case ASN_OPAQUE_I64:
        read_64(var, varbind);
        varbind->type = DEVICE_SIGNED;
        return;
    case ASN_OPAQUE_U64:
        read_64(var, varbind);
        varbind->type = DEVICE_UNSIGNED;
        return;
    case ASN_OPAQUE_COUNTER64:
        read_64(var, varbind);
        return;
    default:
        return;
    }
#endif
}

static void read_value(const netsnmp_variable_list *var, struct device_varbind *varbind)
{
    switch (var->type) {
    case SNMP_NOSUCHOBJECT:
    case SNMP_NOSUCHINSTANCE:
    case SNMP_ENDOFMIBVIEW:
        varbind->type = DEVICE_MISSING;
        return;
    case ASN_OCTET_STR:
        varbind->type = DEVICE_OCTETS;
        varbind->octets.at = var->val.string;
        varbind->octets.len = var->val.string ? var->val_len : 0;
        return;
    default:
        break;
    }
    varbind->type = DEVICE_OTHER;
    if (!var->val.integer)
        return;
    if (var->type == ASN_INTEGER || var->type == ASN_COUNTER || var->type == ASN_GAUGE ||
        var->type == ASN_TIMETICKS)
        read_number(var, varbind);
    else if (var->type == ASN_COUNTER64)
        read_64(var, varbind);
    else
        read_opaque(var, varbind);
}

/* False: it is not what was asked for. */
static bool read_up_time(const netsnmp_variable_list *var, struct message_samples *samples)
{
    const size_t n = sizeof oid_sysUpTime / sizeof *oid_sysUpTime;
    if (!var || var->name_length != n + 1 || var->name[n] != 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (var->name[i] != oid_sysUpTime[i])
            return false;
    samples->has_up_time = var->type == ASN_TIMETICKS && var->val.integer;
    if (samples->has_up_time)
        samples->up_time = (uint32_t)*var->val.integer;
    return true;
}

static struct query_error error_of(const netsnmp_pdu *pdu, bool bulk, struct device_answer *answer)
{
    if (pdu->errstat < 0 || pdu->errstat > MAX_SNMP_ERR)
        return (struct query_error){POLL_GARBAGE, "an error status that does not exist"};
    if (pdu->errstat == SNMP_ERR_NOERROR)
        return (struct query_error){0};
    answer->error = snmp_errstring((int)pdu->errstat);
    answer->is_too_big = pdu->errstat == SNMP_ERR_TOOBIG;
    answer->error_index = bulk ? pdu->errindex : pdu->errindex - 1;
    return (struct query_error){0};
}

/* Reading one more than can be asked for is enough to see that there are too many. */
static size_t read_varbinds(const netsnmp_variable_list *var, struct device_varbind *varbinds)
{
    size_t n = 0;
    for (; var && n <= DEVICE_VARBINDS_MAX; var = var->next_variable, n++) {
        varbinds[n].name = var->name;
        varbinds[n].n = var->name_length;
        read_value(var, &varbinds[n]);
    }
    return n;
}

struct query_error device_take_pdu(struct device *device, const netsnmp_pdu *pdu,
                                   const struct device_report *report)
{
    struct device_news telling = {.device = device, .report = report};
    struct device_events events = events_of(&telling);
    struct device_varbind varbinds[DEVICE_VARBINDS_MAX + 1];
    struct device_answer answer = {.varbinds = varbinds};
    const netsnmp_variable_list *var = pdu->variables;
    bool bulk = device->ask == DEVICE_BULK;
    if (device->ask == DEVICE_NOTHING)
        return (struct query_error){0}; /* the device was begun anew meanwhile */
    struct query_error error = error_of(pdu, bulk, &answer);
    if (error.failure)
        return error;
    begin_samples(&telling);
    if (!answer.error && !bulk) {
        if (!read_up_time(var, &telling.samples.message))
            return (struct query_error){POLL_GARBAGE, "not what was asked for"};
        var = var->next_variable;
    }
    answer.n = answer.error ? 0 : read_varbinds(var, varbinds);
    const char *garbage = device_answer(device, &answer, &events, report->now);
    if (garbage)
        return (struct query_error){answer.error ? POLL_REFUSED : POLL_GARBAGE, garbage};
    tell_samples(&telling);
    if (telling.failed)
        return (struct query_error){POLL_REFUSED, "no memory for the answer"};
    return (struct query_error){0};
}
