#include "poller/query.h"

#include <string.h>

#include "base/text.h"
#include "dcamp_mib.h"
#include "report/report.h"

struct object_name {
    oid id[MAX_OID_LEN];
    size_t len;
};

/* Makes the name of an object of the MIB with its instance: 0 for a scalar, or else its only
 * index. */
static void make_name(struct object_name *name, enum mib_object object, uint32_t instance)
{
    const struct mib_info *info = &mib_objects[object];
    name->len = 0;
    while (name->len < info->oid_len && name->len < MAX_OID_LEN - 1) {
        name->id[name->len] = info->oid[name->len];
        name->len++;
    }
    name->id[name->len++] = instance;
}

static bool add_varbind(netsnmp_pdu *pdu, enum mib_object object, uint32_t instance)
{
    struct object_name name;
    make_name(&name, object, instance);
    return snmp_add_null_var(pdu, name.id, name.len) != NULL;
}

static const enum mib_object scalars[] = {MIB_dcampReportBoot, MIB_dcampReportFirst,
                                          MIB_dcampReportLast};
/* The path comes first. If a series ends during the look-up, so that its path is missing,
 * everything else is missing as well, and it is not taken for a series without a path. */
static const enum mib_object columns[] = {MIB_dcampSeriesPath, MIB_dcampSeriesSensor,
                                          MIB_dcampSeriesInstance, MIB_dcampSeriesMetric,
                                          MIB_dcampSeriesUnit};
#define N_SCALARS (sizeof scalars / sizeof *scalars)
#define N_TRAP_OID (sizeof oid_snmpTrapOID / sizeof *oid_snmpTrapOID)
#define N_COLUMNS (sizeof columns / sizeof *columns)

static netsnmp_pdu *checked(netsnmp_pdu *pdu, bool complete)
{
    if (pdu && !complete) {
        snmp_free_pdu(pdu);
        return NULL;
    }
    return pdu;
}

netsnmp_pdu *query_poll(uint32_t first, uint32_t n_blocks)
{
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET);
    bool complete = pdu != NULL;
    for (size_t i = 0; complete && i < N_SCALARS; i++)
        complete = add_varbind(pdu, scalars[i], 0);
    for (uint32_t i = 0; complete && i < n_blocks; i++)
        complete = add_varbind(pdu, MIB_dcampReportBlock, first + i);
    return checked(pdu, complete);
}

netsnmp_pdu *query_series(const uint32_t *series, uint32_t n)
{
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET);
    bool complete = pdu && add_varbind(pdu, MIB_dcampReportBoot, 0);
    for (uint32_t i = 0; complete && i < n; i++)
        for (size_t column = 0; complete && column < N_COLUMNS; column++)
            complete = add_varbind(pdu, columns[column], series[i]);
    return checked(pdu, complete);
}

/* -- Answers --------------------------------------------------------------------------------- */

#define GARBAGE(why) ((struct query_error){POLL_GARBAGE, why})

static struct query_error error_status(const netsnmp_pdu *pdu)
{
    if (pdu->errstat < 0 || pdu->errstat > MAX_SNMP_ERR)
        return GARBAGE("an error status that does not exist");
    if (pdu->errstat != SNMP_ERR_NOERROR)
        return (struct query_error){POLL_REFUSED, snmp_errstring((int)pdu->errstat)};
    return (struct query_error){0};
}

static bool is_named(const netsnmp_variable_list *var, enum mib_object object, uint32_t instance)
{
    struct object_name name;
    make_name(&name, object, instance);
    return snmp_oid_compare(var->name, var->name_length, name.id, name.len) == 0;
}

static bool is_missing(const netsnmp_variable_list *var)
{
    return var->type == SNMP_NOSUCHOBJECT || var->type == SNMP_NOSUCHINSTANCE ||
           var->type == SNMP_ENDOFMIBVIEW;
}

/* Used if the agent there answers, and knows the user. */
static const char no_reports[] =
    "its agent shows no dCAMP reports: does dcampd run there, and may this user read DCAMP-MIB?";

/* Reads a scalar and moves on to the next varbind. */
static struct query_error read_scalar(const netsnmp_variable_list **var, enum mib_object object,
                                      uint32_t *value)
{
    const netsnmp_variable_list *at = *var;
    if (!at || !is_named(at, object, 0))
        return GARBAGE("not what was asked for");
    if (is_missing(at))
        return (struct query_error){POLL_NO_SUCH_OBJECT, no_reports};
    if (at->type != ASN_UNSIGNED || !at->val.integer || *at->val.integer < 0 ||
        *at->val.integer > (long)UINT32_MAX)
        return GARBAGE("not a number");
    *value = (uint32_t)*at->val.integer;
    *var = at->next_variable;
    return (struct query_error){0};
}

static struct query_error read_block(const netsnmp_variable_list *var, uint32_t sequence,
                                     struct query_blocks *blocks, uint32_t i)
{
    if (!var || !is_named(var, MIB_dcampReportBlock, sequence))
        return GARBAGE("not what was asked for");
    if (is_missing(var))
        return (struct query_error){0};
    if (var->type != ASN_OCTET_STR || var->val_len == 0 || var->val_len > REPORT_BLOCK_MAX)
        return GARBAGE("not a block");
    blocks->present |= UINT32_C(1) << i;
    blocks->at[i].octets = var->val.string;
    blocks->at[i].len = var->val_len;
    return (struct query_error){0};
}

struct query_error query_read_poll(const netsnmp_pdu *pdu, uint32_t first, uint32_t n_blocks,
                                   struct query_blocks *blocks)
{
    const netsnmp_variable_list *var = pdu->variables;
    uint32_t *values[N_SCALARS] = {&blocks->head.boot, &blocks->head.first, &blocks->head.last};
    struct query_error error = error_status(pdu);
    *blocks = (struct query_blocks){0};
    for (size_t i = 0; !error.failure && i < N_SCALARS; i++)
        error = read_scalar(&var, scalars[i], values[i]);
    for (uint32_t i = 0; !error.failure && i < n_blocks && i < CURSOR_BLOCKS_MAX; i++) {
        error = read_block(var, first + i, blocks, i);
        var = var ? var->next_variable : NULL;
    }
    if (!error.failure && var)
        return GARBAGE("more than was asked for");
    return error;
}

static bool is_trap_oid(const netsnmp_variable_list *var, enum mib_object notification)
{
    const struct mib_info *info = &mib_objects[notification];
    if (!var || var->type != ASN_OBJECT_ID || var->val_len != info->oid_len * sizeof(oid) ||
        var->name_length != N_TRAP_OID + 1 || var->name[N_TRAP_OID] != 0)
        return false;
    for (size_t i = 0; i < N_TRAP_OID; i++)
        if (var->name[i] != oid_snmpTrapOID[i])
            return false;
    for (size_t i = 0; i < info->oid_len; i++)
        if (var->val.objid[i] != info->oid[i])
            return false;
    return true;
}

/* The first varbind of a notification is sysUpTime. */
bool query_is_notification(const netsnmp_pdu *pdu, enum mib_object notification,
                           const netsnmp_variable_list **objects)
{
    const netsnmp_variable_list *var = pdu->variables ? pdu->variables->next_variable : NULL;
    bool is_one = pdu->command == SNMP_MSG_TRAP2 && is_trap_oid(var, notification);
    *objects = is_one ? var->next_variable : NULL;
    return is_one;
}

/* The instance of the block may be any number but 0. */
static struct query_error read_pushed_block(const netsnmp_variable_list *var,
                                            struct query_push *push)
{
    struct query_blocks blocks = {0};
    oid sequence = var && var->name_length > 0 ? var->name[var->name_length - 1] : 0;
    if (sequence == 0 || sequence > UINT32_MAX)
        return GARBAGE("not a block");
    struct query_error error = read_block(var, (uint32_t)sequence, &blocks, 0);
    if (!error.failure && !blocks.present)
        return GARBAGE("not a block");
    push->sequence = (uint32_t)sequence;
    push->block = blocks.at[0].octets;
    push->len = blocks.at[0].len;
    return error;
}

/* There may be further varbinds behind the objects. */
struct query_error query_read_push(const netsnmp_pdu *pdu, struct query_push *push)
{
    const netsnmp_variable_list *var;
    uint32_t *values[N_SCALARS] = {&push->head.boot, &push->head.first, &push->head.last};
    struct query_error error = {0};
    *push = (struct query_push){0};
    if (!query_is_notification(pdu, MIB_dcampReportPushed, &var))
        return GARBAGE("not a pushed block");
    for (size_t i = 0; !error.failure && i < N_SCALARS; i++)
        error = read_scalar(&var, scalars[i], values[i]);
    return error.failure ? error : read_pushed_block(var, push);
}

/* Returns whether the text is valid; an instance is cleaned. */
typedef bool take_text(char *text, size_t len);

static bool take_name(char *text, size_t len)
{
    return text_is_name(text, len);
}

static bool take_name_or_nothing(char *text, size_t len)
{
    return len == 0 || text_is_name(text, len);
}

/* Instances have the names that kernels, programs and devices there give them. */
static bool take_instance(char *text, size_t len)
{
    text_clean_instance(text, text, len);
    return true;
}

static bool take_printable(char *text, size_t len)
{
    return text_is_printable(text, len);
}

/* A path: names of nodes with '/' in between. */
static bool take_path(char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t name = 0;
        while (at + name < len && text[at + name] != '/')
            name++;
        if (!text_is_name(text + at, name) || at + name + 1 == len)
            return false;
        at += name + 1;
    }
    return true;
}

static bool read_text(const netsnmp_variable_list *var, take_text *take, char *text, size_t size)
{
    if (var->type != ASN_OCTET_STR || var->val_len >= size)
        return false;
    memcpy(text, var->val.string, var->val_len);
    text[var->val_len] = '\0';
    return take(text, var->val_len);
}

/* An entry that makes no sense is given no name, so that the core refuses this series and no other.
 * A half entry is one of a series that has ended meanwhile; but nodes of before 2026-11-27 have no
 * paths. */
static struct query_error read_entry(const netsnmp_variable_list **var, uint32_t series,
                                     struct message_series *entry)
{
    const struct {
        take_text *take;
        char *text;
        size_t size;
    } fields[N_COLUMNS] = {{take_path, entry->path, sizeof entry->path},
                           {take_name, entry->sensor, sizeof entry->sensor},
                           {take_instance, entry->instance, sizeof entry->instance},
                           {take_name_or_nothing, entry->metric, sizeof entry->metric},
                           {take_printable, entry->unit, sizeof entry->unit}};
    bool makes_sense = true;
    entry->exists = true;
    for (size_t i = 0; i < N_COLUMNS; i++, *var = (*var)->next_variable) {
        if (!*var || !is_named(*var, columns[i], series))
            return GARBAGE("not what was asked for");
        if (is_missing(*var))
            entry->exists &= columns[i] == MIB_dcampSeriesPath;
        else
            makes_sense &= read_text(*var, fields[i].take, fields[i].text, fields[i].size);
    }
    if (!makes_sense)
        entry->sensor[0] = '\0';
    return (struct query_error){0};
}

struct query_error query_read_series(const netsnmp_pdu *pdu, const uint32_t *series, uint32_t n,
                                     struct message_series *entries)
{
    const netsnmp_variable_list *var = pdu->variables;
    uint32_t boot = 0;
    struct query_error error = error_status(pdu);
    if (!error.failure)
        error = read_scalar(&var, MIB_dcampReportBoot, &boot);
    for (uint32_t i = 0; !error.failure && i < n; i++) {
        entries[i] = (struct message_series){.report_boot = boot, .series = series[i]};
        error = read_entry(&var, series[i], &entries[i]);
    }
    if (!error.failure && var)
        return GARBAGE("more than was asked for");
    return error;
}
