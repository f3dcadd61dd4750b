#include "director/look.h"

#include <string.h>

#include "base/hex.h"
#include "base/text.h"
#include "dcamp_mib.h"
#include "poller/query.h"

/* The kind of each document in the MIB. */
static const uint32_t kinds[TARGET_KINDS] = {
    [TARGET_SHARE] = dcampDocumentKind_share, [TARGET_TREE] = dcampDocumentKind_tree};

/* -- Questions ------------------------------------------------------------------------------- */

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

static bool add(netsnmp_pdu *pdu, enum mib_object object, uint32_t instance, u_char type,
                const void *value, size_t len)
{
    struct object_name name;
    make_name(&name, object, instance);
    return snmp_pdu_add_variable(pdu, name.id, name.len, type, value, len) != NULL;
}

static bool ask(netsnmp_pdu *pdu, enum mib_object object, uint32_t instance)
{
    return add(pdu, object, instance, ASN_NULL, NULL, 0);
}

static bool set_number(netsnmp_pdu *pdu, enum mib_object object, uint32_t instance, uint32_t value)
{
    long number = (long)value; /* the type that the library expects for an ASN_UNSIGNED */
    return add(pdu, object, instance, ASN_UNSIGNED, &number, sizeof number);
}

static bool set_octets(netsnmp_pdu *pdu, enum mib_object object, uint32_t instance,
                       const void *octets, size_t len)
{
    return add(pdu, object, instance, ASN_OCTET_STR, len ? octets : "", len);
}

static netsnmp_pdu *checked(netsnmp_pdu *pdu, bool complete)
{
    if (pdu && !complete) {
        snmp_free_pdu(pdu);
        return NULL;
    }
    return pdu;
}

/* -- What a look asks for -------------------------------------------------------------------- */

typedef bool look_reader(const netsnmp_variable_list *var, void *field, size_t size);

struct look_field {
    enum mib_object object;
    look_reader *read;
    size_t offset, size;
    bool may_lack; /* the object need not exist: then the field is empty */
};

static bool read_number(const netsnmp_variable_list *var, void *field, size_t size)
{
    (void)size;
    if ((var->type != ASN_UNSIGNED && var->type != ASN_INTEGER) || !var->val.integer ||
        *var->val.integer < 0 || *var->val.integer > (long)UINT32_MAX)
        return false;
    *(uint32_t *)field = (uint32_t)*var->val.integer;
    return true;
}

/* The role as in enum share_role. */
static bool read_role(const netsnmp_variable_list *var, void *field, size_t size)
{
    uint32_t *role = field;
    if (!read_number(var, field, size) || *role < dcampNodeRole_base || *role > dcampNodeRole_root)
        return false;
    *role -= dcampNodeRole_base;
    return true;
}

static bool read_octets(const netsnmp_variable_list *var, char *text, size_t size)
{
    if (var->type != ASN_OCTET_STR || var->val_len >= size)
        return false;
    if (var->val_len > 0)
        memcpy(text, var->val.string, var->val_len);
    text[var->val_len] = '\0';
    return true;
}

static bool read_name(const netsnmp_variable_list *var, void *field, size_t size)
{
    return read_octets(var, field, size) && text_is_name(field, var->val_len);
}

static bool read_name_or_none(const netsnmp_variable_list *var, void *field, size_t size)
{
    return read_octets(var, field, size) &&
           (var->val_len == 0 || text_is_name(field, var->val_len));
}

/* Text that is too long is cut off, and unprintable characters are left out, because it is for
 * people. */
static bool read_text(const netsnmp_variable_list *var, void *field, size_t size)
{
    char *text = field;
    if (var->type != ASN_OCTET_STR)
        return false;
    size_t len = var->val_len < size - 1 ? var->val_len : size - 1, n = 0;
    for (size_t i = 0, step; i < len; i += step ? step : 1) {
        step = text_utf8_length((const char *)var->val.string + i, len - i);
        bool good =
            step > 1 || (step == 1 && var->val.string[i] >= ' ' && var->val.string[i] != 0x7f);
        for (size_t j = 0; good && j < step; j++)
            text[n++] = (char)var->val.string[i + j];
    }
    text[n] = '\0';
    return true;
}

/* A digest, or nothing; the field contains it as hexadecimal digits. */
static bool read_digest(const netsnmp_variable_list *var, void *field, size_t size)
{
    if (var->type != ASN_OCTET_STR || (var->val_len != 0 && var->val_len != CONFIG_DIGEST) ||
        size <= 2 * CONFIG_DIGEST)
        return false;
    hex_from_octets(field, var->val.string, var->val_len, HEX_LOWER);
    return true;
}

#define FIELD(object, read, type, member, may_lack)                                                \
    {                                                                                              \
        object, read, offsetof(type, member), sizeof(((type *)0)->member), may_lack                \
    }
#define NODE(object, read, member, may_lack)                                                       \
    FIELD(MIB_##object, read, struct target_look, member, may_lack)

static const struct look_field node_fields[] = {
    NODE(dcampNodeName, read_name, name, false),
    NODE(dcampNodeVersion, read_text, version, false),
    NODE(dcampNodeRole, read_role, role, false),
    NODE(dcampNodeLevel, read_number, level, true),
    NODE(dcampNodeParent, read_name_or_none, parent, true),
    NODE(dcampNodeGroup, read_name_or_none, group, true),
    NODE(dcampNodeBoot, read_number, boot, false),
    NODE(dcampTreeSerial, read_number, serial, true),
    NODE(dcampTreeDigest, read_digest, digest, true),
    NODE(dcampTreeDeviations, read_number, deviations, true),
};
#define N_NODE_FIELDS (sizeof node_fields / sizeof *node_fields)

/* A row of dcampDocumentTable in the form in which it is read. */
struct look_row {
    struct target_document document;
    char digest[2 * CONFIG_DIGEST + 1], in_force[2 * CONFIG_DIGEST + 1];
};
#define ROW(object, read, member)                                                                  \
    FIELD(MIB_dcampDocument##object, read, struct look_row, member, false)

static const struct look_field row_fields[] = {
    ROW(Term, read_number, document.term),       ROW(Epoch, read_number, document.epoch),
    ROW(Root, read_name_or_none, document.root), ROW(Digest, read_digest, digest),
    ROW(Length, read_number, document.length),   ROW(Offset, read_number, document.offset),
    ROW(State, read_number, document.state),     ROW(Error, read_text, document.error),
    ROW(InForce, read_digest, in_force),
};
#define N_ROW_FIELDS (sizeof row_fields / sizeof *row_fields)

static const struct look_field unreached_field = {MIB_dcampTreeUnreached, read_text, 0,
                                                  MESSAGE_SIZE, true};

netsnmp_pdu *look_pdu(void)
{
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET);
    bool complete = pdu != NULL;
    for (size_t i = 0; complete && i < N_NODE_FIELDS; i++)
        complete = ask(pdu, node_fields[i].object, 0);
    for (size_t kind = 0; kind < TARGET_KINDS; kind++)
        for (size_t i = 0; complete && i < N_ROW_FIELDS; i++)
            complete = ask(pdu, row_fields[i].object, kinds[kind]);
    complete = complete && ask(pdu, unreached_field.object, 0);
    return checked(pdu, complete);
}

netsnmp_pdu *look_order_pdu(const struct target_order *order, const char *root)
{
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_SET);
    const struct parcel *packed = order->packed;
    uint32_t kind = kinds[order->kind];
    bool complete = pdu && set_number(pdu, MIB_dcampDocumentTerm, kind, order->term) &&
                    set_number(pdu, MIB_dcampDocumentEpoch, kind, order->epoch) &&
                    set_octets(pdu, MIB_dcampDocumentRoot, kind, root, strlen(root)) &&
                    set_octets(pdu, MIB_dcampDocumentDigest, kind, packed ? packed->digest : NULL,
                               packed ? CONFIG_DIGEST : 0) &&
                    set_number(pdu, MIB_dcampDocumentLength, kind, packed ? packed->len : 0);
    if (complete && packed && order->n > 0)
        complete =
            set_number(pdu, MIB_dcampDocumentOffset, kind, order->offset) &&
            set_octets(pdu, MIB_dcampDocumentPart, kind, packed->octets + order->offset, order->n);
    return checked(pdu, complete);
}

netsnmp_pdu *look_explain_pdu(void)
{
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET);
    return checked(pdu, pdu && ask(pdu, MIB_dcampSelfSetError, 0));
}

/* -- Answers --------------------------------------------------------------------------------- */

#define GARBAGE(why) ((struct look_error){POLL_GARBAGE, why})

static struct look_error error_status(const netsnmp_pdu *pdu)
{
    if (pdu->errstat < 0 || pdu->errstat > MAX_SNMP_ERR)
        return GARBAGE("an error status that does not exist");
    if (pdu->errstat != SNMP_ERR_NOERROR)
        return (struct look_error){POLL_REFUSED, snmp_errstring((int)pdu->errstat)};
    return (struct look_error){0};
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
static struct look_error missing(enum mib_object object)
{
    if (mib_objects[object].role == MIB_COLUMN)
        return (struct look_error){POLL_NO_SUCH_OBJECT,
                                   "its dcampd knows nothing of trees: is it an older version?"};
    return (struct look_error){POLL_NO_SUCH_OBJECT,
                               "its agent shows no dCAMP node: does dcampd run there, and may this "
                               "user read and write DCAMP-MIB?"};
}

/* Reads fields into a struct, and moves on to the varbind after them. */
static struct look_error read_fields(const netsnmp_variable_list **var,
                                     const struct look_field *fields, size_t n, uint32_t instance,
                                     void *into)
{
    for (size_t i = 0; i < n; i++) {
        const netsnmp_variable_list *at = *var;
        if (!at || !is_named(at, fields[i].object, instance))
            return GARBAGE("not what was asked for");
        if (is_missing(at) && !fields[i].may_lack)
            return missing(fields[i].object);
        if (!is_missing(at) && !fields[i].read(at, (char *)into + fields[i].offset, fields[i].size))
            return GARBAGE("not a value that a node has");
        *var = at->next_variable;
    }
    return (struct look_error){0};
}

static struct look_error read_row(const netsnmp_variable_list **var, size_t kind,
                                  struct target_document *document)
{
    struct look_row row = {0};
    struct look_error error = read_fields(var, row_fields, N_ROW_FIELDS, kinds[kind], &row);
    *document = row.document;
    document->has_digest = hex_to_octets(row.digest, document->digest, CONFIG_DIGEST) > 0;
    document->works = hex_to_octets(row.in_force, document->in_force, CONFIG_DIGEST) > 0;
    return error;
}

struct look_error look_read(const netsnmp_pdu *pdu, struct target_look *look,
                            char unreached[MESSAGE_SIZE])
{
    const netsnmp_variable_list *var = pdu->variables;
    struct look_error error = error_status(pdu);
    *look = (struct target_look){0};
    if (!error.failure)
        error = read_fields(&var, node_fields, N_NODE_FIELDS, 0, look);
    for (size_t kind = 0; !error.failure && kind < TARGET_KINDS; kind++)
        error = read_row(&var, kind, &look->documents[kind]);
    unreached[0] = '\0';
    if (!error.failure)
        error = read_fields(&var, &unreached_field, 1, 0, unreached);
    if (!error.failure && var)
        return GARBAGE("more than was asked for");
    return error;
}

struct look_error look_read_order(const netsnmp_pdu *pdu)
{
    return error_status(pdu);
}

void look_read_explanation(const netsnmp_pdu *pdu, char text[MESSAGE_SIZE])
{
    const netsnmp_variable_list *var = pdu->variables;
    text[0] = '\0';
    if (!error_status(pdu).failure && var && is_named(var, MIB_dcampSelfSetError, 0) &&
        !is_missing(var))
        read_text(var, text, MESSAGE_SIZE);
}

static const struct look_field announcement_fields[] = {
    FIELD(MIB_dcampNodeName, read_name, struct look_announcement, name, false),
    FIELD(MIB_dcampNodeGroup, read_name_or_none, struct look_announcement, group, false),
    FIELD(MIB_dcampNodeAnnouncePort, read_number, struct look_announcement, port, false),
};
#define N_ANNOUNCEMENT_FIELDS (sizeof announcement_fields / sizeof *announcement_fields)

/* There may be further varbinds behind the objects. */
struct look_error look_read_announcement(const netsnmp_pdu *pdu,
                                         struct look_announcement *announcement)
{
    const netsnmp_variable_list *var;
    *announcement = (struct look_announcement){.port = 0};
    if (!query_is_notification(pdu, MIB_dcampNodeAnnounced, &var))
        return GARBAGE("not an announcement");
    struct look_error error =
        read_fields(&var, announcement_fields, N_ANNOUNCEMENT_FIELDS, 0, announcement);
    if (!error.failure && (announcement->port == 0 || announcement->port > UINT16_MAX))
        return GARBAGE("not the number of a port");
    return error;
}
