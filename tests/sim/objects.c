#include "objects.h"

#include <string.h>

#include "base/text.h"
#include "child.h"
#include "dcamp_mib.h"

/* Those that are not of DCAMP-MIB: sysUpTime (RFC 3418), snmpEngineID, snmpEngineBoots,
 * snmpEngineTime and snmpEngineMaxMessageSize (RFC 3411). */
static const oid up_time[] = {1, 3, 6, 1, 2, 1, 1, 3};
static const oid engine[] = {1, 3, 6, 1, 6, 3, 10, 2, 1};

static const enum mib_object of_mib[OBJECTS] = {
    [OBJECT_NODE_NAME] = MIB_dcampNodeName,      [OBJECT_BOOT] = MIB_dcampReportBoot,
    [OBJECT_FIRST] = MIB_dcampReportFirst,       [OBJECT_LAST] = MIB_dcampReportLast,
    [OBJECT_BLOCK] = MIB_dcampReportBlock,       [OBJECT_SENSOR] = MIB_dcampSeriesSensor,
    [OBJECT_INSTANCE] = MIB_dcampSeriesInstance, [OBJECT_METRIC] = MIB_dcampSeriesMetric,
    [OBJECT_UNIT] = MIB_dcampSeriesUnit,
};

static bool is_column(enum object object)
{
    return object >= OBJECT_BLOCK && object <= OBJECT_UNIT;
}

void objects_init(struct object_set *set)
{
    for (enum object object = 0; object < OBJECTS; object++) {
        struct object_name *name = &set->names[object];
        if (object == OBJECT_UP_TIME) {
            memcpy(name->id, up_time, sizeof up_time);
            name->len = OID_LENGTH(up_time);
        } else if (object >= OBJECT_ENGINE_ID) {
            memcpy(name->id, engine, sizeof engine);
            name->len = OID_LENGTH(engine);
            name->id[name->len++] = object - OBJECT_ENGINE_ID + 1;
        } else {
            const struct mib_info *info = &mib_objects[of_mib[object]];
            for (name->len = 0; name->len < info->oid_len; name->len++)
                name->id[name->len] = info->oid[name->len];
        }
    }
}

/* The rows of a column, if first is not 0; a scalar has the row 0. */
static void rows(const struct sim *sim, const struct sim_child *child, enum object object,
                 uint32_t *first, uint32_t *last)
{
    *first = object == OBJECT_BLOCK ? child->ring.first : is_column(object);
    *last = object == OBJECT_BLOCK ? child->ring.last : is_column(object) * sim->options.series;
}

struct object_instance objects_find(const struct sim *sim, const struct sim_child *child,
                                    const oid *id, size_t len)
{
    for (enum object object = 0; object < OBJECTS; object++) {
        const struct object_name *name = &sim->objects.names[object];
        uint32_t first, last;
        if (len < name->len || memcmp(id, name->id, name->len * sizeof *id) != 0)
            continue;
        rows(sim, child, object, &first, &last);
        if (len != name->len + 1 || id[name->len] < first || id[name->len] > last)
            return (struct object_instance){.exception = SNMP_NOSUCHINSTANCE};
        return (struct object_instance){.object = object, .row = (uint32_t)id[name->len]};
    }
    return (struct object_instance){.exception = SNMP_NOSUCHOBJECT};
}

/* The first instance of an object, or of those after it. */
static struct object_instance first_of(const struct sim *sim, const struct sim_child *child,
                                       enum object object)
{
    for (; object < OBJECTS; object++) {
        uint32_t first, last;
        rows(sim, child, object, &first, &last);
        if (!is_column(object) || first)
            return (struct object_instance){.object = object, .row = first};
    }
    return (struct object_instance){.exception = SNMP_ENDOFMIBVIEW};
}

struct object_instance objects_next(const struct sim *sim, const struct sim_child *child,
                                    const oid *id, size_t len)
{
    for (enum object object = 0; object < OBJECTS; object++) {
        const struct object_name *name = &sim->objects.names[object];
        uint32_t first, last;
        if (snmp_oid_compare(id, len, name->id, name->len) <= 0)
            return first_of(sim, child, object);
        if (len <= name->len || memcmp(id, name->id, name->len * sizeof *id) != 0)
            continue;
        rows(sim, child, object, &first, &last);
        if (is_column(object) && first && id[name->len] < first)
            return first_of(sim, child, object);
        if (is_column(object) && id[name->len] < last)
            return (struct object_instance){.object = object, .row = (uint32_t)id[name->len] + 1};
        return first_of(sim, child, object + 1);
    }
    return (struct object_instance){.exception = SNMP_ENDOFMIBVIEW};
}

struct object_instance objects_after(const struct sim *sim, const struct sim_child *child,
                                     struct object_instance instance)
{
    uint32_t first, last;
    if (instance.exception)
        return instance;
    rows(sim, child, instance.object, &first, &last);
    if (is_column(instance.object) && instance.row < last) {
        instance.row++;
        return instance;
    }
    return first_of(sim, child, instance.object + 1);
}

static void number(struct object_value *value, uint8_t type, uint64_t n)
{
    value->type = type;
    value->number = n;
}

static void octets(struct object_value *value, const void *bytes, size_t len)
{
    value->type = ASN_OCTET_STR;
    value->octets = bytes;
    value->len = len;
}

static void block(const struct sim_child *child, uint32_t row, struct object_value *value)
{
    const struct report_block *found =
        (const struct report_block *)index_find(&child->ring.index, &row, 1);
    if (found)
        octets(value, found->bytes, found->len);
    else
        value->type = SNMP_NOSUCHINSTANCE;
}

static void dictionary(const struct sim *sim, const struct sim_child *child,
                       struct object_instance instance, struct object_value *value)
{
    struct sim_series *series = &value->series;
    sim_series(sim_series_place(instance.row, child->boot, sim->options.series), series);
    const char *text = instance.object == OBJECT_SENSOR     ? series->sensor
                       : instance.object == OBJECT_INSTANCE ? series->instance
                       : instance.object == OBJECT_METRIC   ? series->metric
                                                            : series->unit;
    octets(value, text, strlen(text));
}

void objects_value(const struct sim *sim, const struct sim_child *child,
                   struct object_instance instance, struct moment now, struct object_value *value)
{
    uint64_t up_ns = now.mono_ns - child->engine_start_ns;
    switch (instance.object) {
    case OBJECT_UP_TIME:
        number(value, ASN_TIMETICKS, up_ns / (10 * NS_PER_MS));
        break;
    case OBJECT_NODE_NAME:
        text_format(value->text, sizeof value->text, "sim%u", child->number);
        octets(value, value->text, strlen(value->text));
        break;
    case OBJECT_BOOT:
        number(value, ASN_GAUGE, child->boot);
        break;
    case OBJECT_FIRST:
        number(value, ASN_GAUGE, child->ring.first);
        break;
    case OBJECT_LAST:
        number(value, ASN_GAUGE, child->ring.last);
        break;
    case OBJECT_BLOCK:
        block(child, instance.row, value);
        break;
    case OBJECT_ENGINE_ID:
        octets(value, child->engine_id, child->engine_id_len);
        break;
    case OBJECT_ENGINE_BOOTS:
        number(value, ASN_INTEGER, child->engine_boots);
        break;
    case OBJECT_ENGINE_TIME:
        number(value, ASN_INTEGER, up_ns / NS_PER_S);
        break;
    case OBJECT_ENGINE_MAX_SIZE:
        number(value, ASN_INTEGER, MESSAGE_SIZE_MAX);
        break;
    default:
        dictionary(sim, child, instance, value);
    }
}
