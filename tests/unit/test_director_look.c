/* What a director asks, and what nodes that are not to be trusted answer. */

#include <string.h>

#include "dcamp_mib.h"
#include "director/look.h"

#include "unit.h"

#define FIELDS 10 /* of the node itself */
#define ROW 9     /* of each of its two documents, behind them */
#define UNREACHED (FIELDS + 2 * ROW)
#define ALL (UNREACHED + 1)

/* The question itself becomes the answer: the same names, with values. */
static netsnmp_variable_list *place(netsnmp_pdu *pdu, int i)
{
    netsnmp_variable_list *var = pdu->variables;
    while (i-- && var)
        var = var->next_variable;
    assert_non_null(var);
    return var;
}

static void set(netsnmp_pdu *pdu, int i, u_char type, const void *value, size_t len)
{
    assert_int_equal(snmp_set_var_typed_value(place(pdu, i), type, value, len), 0);
}

static void set_number(netsnmp_pdu *pdu, int i, u_char type, long value)
{
    set(pdu, i, type, &value, sizeof value);
}

static void set_text(netsnmp_pdu *pdu, int i, const char *text)
{
    set(pdu, i, ASN_OCTET_STR, text, strlen(text));
}

static const uint8_t digest[CONFIG_DIGEST] = {0xab, [31] = 0xcd};

static void set_row(netsnmp_pdu *pdu, int first, long seed)
{
    set_number(pdu, first, ASN_UNSIGNED, seed);
    set_number(pdu, first + 1, ASN_UNSIGNED, seed + 1);
    set_text(pdu, first + 2, "r1");
    set(pdu, first + 3, ASN_OCTET_STR, digest, sizeof digest);
    set_number(pdu, first + 4, ASN_UNSIGNED, seed + 2);
    set_number(pdu, first + 5, ASN_UNSIGNED, seed + 3);
    set_number(pdu, first + 6, ASN_INTEGER, TARGET_IN_FORCE);
    set_text(pdu, first + 7, "line 3: no");
    set(pdu, first + 8, ASN_OCTET_STR, digest, sizeof digest);
}

static netsnmp_pdu *new_answer(void)
{
    netsnmp_pdu *pdu = look_pdu();
    assert_non_null(pdu);
    pdu->errstat = SNMP_ERR_NOERROR;
    set_text(pdu, 0, "web1");
    set_text(pdu, 1, "1.0");
    set_number(pdu, 2, ASN_INTEGER, 3);
    set_number(pdu, 3, ASN_UNSIGNED, 1);
    set_text(pdu, 4, "r1");
    set_text(pdu, 5, "web");
    set_number(pdu, 6, ASN_UNSIGNED, 77);
    set_number(pdu, 7, ASN_UNSIGNED, 5);
    set(pdu, 8, ASN_OCTET_STR, digest, sizeof digest);
    set_number(pdu, 9, ASN_GAUGE, 2);
    set_row(pdu, FIELDS, 10);
    set_row(pdu, FIELDS + ROW, 20);
    set_text(pdu, UNREACHED, "web2 web3");
    return pdu;
}

static char unreached[MESSAGE_SIZE]; /* of the latest answer */

static enum poll_failure read_and_free(netsnmp_pdu *pdu, struct target_look *look)
{
    struct look_error error = look_read(pdu, look, unreached);
    assert_int_equal(error.failure != 0, error.text != NULL);
    snmp_free_pdu(pdu);
    return error.failure;
}

static void a_good_answer(void **state)
{
    (void)state;
    struct target_look look;
    assert_int_equal(read_and_free(new_answer(), &look), 0);
    assert_string_equal(look.name, "web1");
    assert_string_equal(look.version, "1.0");
    assert_string_equal(look.parent, "r1");
    assert_string_equal(look.group, "web");
    assert_int_equal(look.role, 2); /* SHARE_COLLECTOR */
    assert_int_equal(look.level, 1);
    assert_int_equal(look.boot, 77);
    assert_int_equal(look.serial, 5);
    assert_int_equal(look.deviations, 2);
    assert_memory_equal(look.digest, "ab00", 4);
    assert_string_equal(unreached, "web2 web3");
    for (int kind = 0; kind < TARGET_KINDS; kind++) {
        const struct target_document *document = &look.documents[kind];
        uint32_t seed = kind == TARGET_TREE ? 10 : 20;
        assert_int_equal(document->term, seed);
        assert_int_equal(document->epoch, seed + 1);
        assert_int_equal(document->length, seed + 2);
        assert_int_equal(document->offset, seed + 3);
        assert_int_equal(document->state, TARGET_IN_FORCE);
        assert_string_equal(document->root, "r1");
        assert_string_equal(document->error, "line 3: no");
        assert_true(document->has_digest && document->works);
        assert_memory_equal(document->digest, digest, sizeof digest);
        assert_memory_equal(document->in_force, digest, sizeof digest);
    }
}

static void what_may_lack(void **state)
{
    (void)state;
    struct target_look look;
    static const int may_lack[] = {3, 4, 5, 7, 8, 9, UNREACHED};
    for (int i = 0; i < ALL; i++) {
        netsnmp_pdu *pdu = new_answer();
        bool lacks = false;
        for (size_t j = 0; j < N_OF(may_lack); j++)
            lacks |= may_lack[j] == i;
        set(pdu, i, SNMP_NOSUCHINSTANCE, NULL, 0);
        assert_int_equal(read_and_free(pdu, &look), lacks ? 0 : POLL_NO_SUCH_OBJECT);
        assert_string_equal(unreached, lacks && i != UNREACHED ? "web2 web3" : "");
    }
    netsnmp_pdu *pdu = new_answer();
    set(pdu, FIELDS + 2, ASN_OCTET_STR, "", 0);
    set(pdu, FIELDS + 3, ASN_OCTET_STR, "", 0);
    set(pdu, FIELDS + 8, ASN_OCTET_STR, "", 0);
    set(pdu, 8, ASN_OCTET_STR, "", 0);
    assert_int_equal(read_and_free(pdu, &look), 0);
    assert_false(look.documents[TARGET_TREE].has_digest);
    assert_false(look.documents[TARGET_TREE].works);
    assert_string_equal(look.digest, "");
}

/* Each type in each place: nothing but the right ones is taken. */
static void types(void **state)
{
    (void)state;
    static const u_char all[] = {ASN_INTEGER,   ASN_OCTET_STR, ASN_NULL,     ASN_OBJECT_ID,
                                 ASN_IPADDRESS, ASN_COUNTER,   ASN_UNSIGNED, ASN_TIMETICKS,
                                 ASN_COUNTER64, ASN_OPAQUE,    ASN_BIT_STR};
    static const union {
        long number;
        oid name[8];
        uint8_t octets[sizeof(struct counter64)];
    } value = {.octets = {1}};
    struct target_look look;
    for (int i = 0; i < ALL; i++)
        for (size_t j = 0; j < sizeof all; j++) {
            netsnmp_pdu *pdu = new_answer();
            bool octets = place(pdu, i)->type == ASN_OCTET_STR;
            size_t len = all[j] == ASN_OCTET_STR || all[j] == ASN_OPAQUE || all[j] == ASN_BIT_STR ||
                                 all[j] == ASN_COUNTER64
                             ? sizeof value.octets
                         : all[j] == ASN_OBJECT_ID ? sizeof value.name
                         : all[j] == ASN_IPADDRESS ? 4
                         : all[j] == ASN_NULL      ? 0
                                                   : sizeof value.number;
            set(pdu, i, all[j], &value, len);
            enum poll_failure failure = read_and_free(pdu, &look);
            bool right =
                octets ? all[j] == ASN_OCTET_STR : all[j] == ASN_INTEGER || all[j] == ASN_UNSIGNED;
            if (!right)
                assert_int_equal(failure, POLL_GARBAGE);
        }
}

static void bad_values(void **state)
{
    (void)state;
    struct target_look look;
    static const struct {
        int place;
        const char *text;
    } texts[] = {{0, ""},
                 {0, "a b"},
                 {0, "a;b"},
                 {4, "a b"},
                 {5, "\x01"},
                 {8, "short"},
                 {FIELDS + 2, "a b"},
                 {FIELDS + 3, "short"},
                 {FIELDS + 8, "short"},
                 {0, "123456789012345678901234567890123"}};
    for (size_t i = 0; i < N_OF(texts); i++) {
        netsnmp_pdu *pdu = new_answer();
        set_text(pdu, texts[i].place, texts[i].text);
        assert_int_equal(read_and_free(pdu, &look), POLL_GARBAGE);
    }
    for (long role = -1; role <= 6; role++) {
        netsnmp_pdu *pdu = new_answer();
        set_number(pdu, 2, ASN_INTEGER, role);
        assert_int_equal(read_and_free(pdu, &look), role >= 1 && role <= 4 ? 0 : POLL_GARBAGE);
    }
    netsnmp_pdu *pdu = new_answer();
    set_number(pdu, 3, ASN_INTEGER, -1);
    assert_int_equal(read_and_free(pdu, &look), POLL_GARBAGE);
}

/* Text for people is made fit rather than refused. */
static void long_texts(void **state)
{
    (void)state;
    struct target_look look;
    char text[70000];
    memset(text, 'x', sizeof text);
    text[3] = '\n';
    text[4] = (char)0xff;
    netsnmp_pdu *pdu = new_answer();
    set(pdu, 1, ASN_OCTET_STR, text, sizeof text - 100);
    set(pdu, FIELDS + 7, ASN_OCTET_STR, text, sizeof text - 100);
    assert_int_equal(read_and_free(pdu, &look), 0);
    assert_int_equal(strlen(look.version), sizeof look.version - 3);
    assert_int_equal(strlen(look.documents[TARGET_TREE].error), MESSAGE_SIZE - 3);
    assert_null(strchr(look.version, '\n'));
    memset(text, 0, 10);
    memcpy(text, "\xc3\xa4\xc3", 3); /* cut within a character */
    pdu = new_answer();
    set(pdu, 1, ASN_OCTET_STR, text, 3);
    assert_int_equal(read_and_free(pdu, &look), 0);
    assert_string_equal(look.version, "\xc3\xa4");
}

/* Fewer, more, or others than were asked for. */
static void other_varbinds(void **state)
{
    (void)state;
    struct target_look look;
    for (int i = 0; i < ALL; i++) {
        netsnmp_pdu *pdu = new_answer();
        place(pdu, i)->name[0]++;
        assert_int_equal(read_and_free(pdu, &look), POLL_GARBAGE);
        pdu = new_answer();
        netsnmp_variable_list **end = i ? &place(pdu, i - 1)->next_variable : &pdu->variables;
        snmp_free_varbind(*end);
        *end = NULL;
        assert_int_equal(read_and_free(pdu, &look), POLL_GARBAGE);
    }
    netsnmp_pdu *pdu = new_answer();
    netsnmp_variable_list *last = place(pdu, ALL - 1);
    assert_non_null(snmp_add_null_var(pdu, last->name, last->name_length));
    assert_int_equal(read_and_free(pdu, &look), POLL_GARBAGE);
    for (long status = -1; status < 300; status++) {
        pdu = new_answer();
        pdu->errstat = status;
        enum poll_failure failure = read_and_free(pdu, &look);
        assert_int_equal(failure, status == 0                            ? 0
                                  : status > 0 && status <= MAX_SNMP_ERR ? POLL_REFUSED
                                                                         : POLL_GARBAGE);
    }
}

static bool is_object(const netsnmp_variable_list *var, enum mib_object object, uint32_t instance)
{
    const struct mib_info *info = &mib_objects[object];
    if (var->name_length != info->oid_len + 1 || var->name[info->oid_len] != instance)
        return false;
    for (size_t i = 0; i < info->oid_len; i++)
        if (var->name[i] != info->oid[i])
            return false;
    return true;
}

static size_t count(const netsnmp_pdu *pdu)
{
    size_t n = 0;
    for (const netsnmp_variable_list *var = pdu->variables; var; var = var->next_variable)
        n++;
    return n;
}

static void orders(void **state)
{
    (void)state;
    char text[4000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * i >> 4);
    struct parcel *packed = parcel_make(text, sizeof text);
    assert_non_null(packed);
    assert_true(packed->len > 200);
    struct target_order order = {.kind = TARGET_SHARE,
                                 .term = UINT32_MAX,
                                 .epoch = 7,
                                 .packed = packed,
                                 .offset = 100,
                                 .n = 50};
    netsnmp_pdu *pdu = look_order_pdu(&order, "r1");
    assert_int_equal(pdu->command, SNMP_MSG_SET);
    assert_int_equal(count(pdu), 7);
    static const enum mib_object objects[] = {MIB_dcampDocumentTerm,   MIB_dcampDocumentEpoch,
                                              MIB_dcampDocumentRoot,   MIB_dcampDocumentDigest,
                                              MIB_dcampDocumentLength, MIB_dcampDocumentOffset,
                                              MIB_dcampDocumentPart};
    for (int i = 0; i < 7; i++)
        assert_true(is_object(place(pdu, i), objects[i], dcampDocumentKind_share));
    assert_true(*place(pdu, 0)->val.integer == (long)UINT32_MAX);
    assert_memory_equal(place(pdu, 3)->val.string, packed->digest, CONFIG_DIGEST);
    assert_true(*place(pdu, 4)->val.integer == (long)packed->len);
    assert_int_equal(place(pdu, 6)->val_len, 50);
    assert_memory_equal(place(pdu, 6)->val.string, packed->octets + 100, 50);
    snmp_free_pdu(pdu);

    order.n = 0;
    order.kind = TARGET_TREE;
    pdu = look_order_pdu(&order, "r1");
    assert_int_equal(count(pdu), 5);
    assert_true(is_object(place(pdu, 0), MIB_dcampDocumentTerm, dcampDocumentKind_tree));
    snmp_free_pdu(pdu);

    order.packed = NULL;
    pdu = look_order_pdu(&order, "r1");
    assert_int_equal(count(pdu), 5);
    assert_int_equal(place(pdu, 3)->type, ASN_OCTET_STR);
    assert_int_equal(place(pdu, 3)->val_len, 0);
    assert_int_equal(*place(pdu, 4)->val.integer, 0);
    pdu->errstat = SNMP_ERR_INCONSISTENTVALUE;
    assert_int_equal(look_read_order(pdu).failure, POLL_REFUSED);
    pdu->errstat = 0;
    assert_int_equal(look_read_order(pdu).failure, 0);
    snmp_free_pdu(pdu);
    parcel_drop(packed);
}

static void explanations(void **state)
{
    (void)state;
    char text[MESSAGE_SIZE];
    netsnmp_pdu *pdu = look_explain_pdu();
    assert_int_equal(count(pdu), 1);
    pdu->errstat = 0;
    set_text(pdu, 0, "it has no room");
    look_read_explanation(pdu, text);
    assert_string_equal(text, "it has no room");
    set(pdu, 0, SNMP_NOSUCHINSTANCE, NULL, 0);
    look_read_explanation(pdu, text);
    assert_string_equal(text, "");
    set_number(pdu, 0, ASN_INTEGER, 5);
    look_read_explanation(pdu, text);
    assert_string_equal(text, "");
    set_text(pdu, 0, "it has no room");
    pdu->errstat = SNMP_ERR_GENERR;
    look_read_explanation(pdu, text);
    assert_string_equal(text, "");
    pdu->errstat = 0;
    place(pdu, 0)->name[3]++;
    look_read_explanation(pdu, text);
    assert_string_equal(text, "");
    snmp_free_pdu(pdu);
    pdu = look_pdu();
    pdu->errstat = 0;
    snmp_free_varbind(pdu->variables);
    pdu->variables = NULL;
    look_read_explanation(pdu, text);
    assert_string_equal(text, "");
    snmp_free_pdu(pdu);
}

/* A notification as snmpd makes it: sysUpTime, snmpTrapOID, and the objects. */
static netsnmp_pdu *new_announcement(void)
{
    static const oid up_time[] = {1, 3, 6, 1, 2, 1, 1, 3, 0},
                     trap_oid[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};
    static const enum mib_object objects[] = {MIB_dcampNodeName, MIB_dcampNodeGroup,
                                              MIB_dcampNodeAnnouncePort};
    const struct mib_info *info = &mib_objects[MIB_dcampNodeAnnounced];
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_TRAP2);
    u_long ticks = 5;
    oid name[MAX_OID_LEN];
    assert_non_null(pdu);
    for (size_t i = 0; i < info->oid_len; i++)
        name[i] = info->oid[i];
    snmp_pdu_add_variable(pdu, up_time, N_OF(up_time), ASN_TIMETICKS, &ticks, sizeof ticks);
    snmp_pdu_add_variable(pdu, trap_oid, N_OF(trap_oid), ASN_OBJECT_ID, name,
                          info->oid_len * sizeof *name);
    for (size_t i = 0; i < N_OF(objects); i++) {
        info = &mib_objects[objects[i]];
        for (size_t k = 0; k < info->oid_len; k++)
            name[k] = info->oid[k];
        name[info->oid_len] = 0;
        snmp_pdu_add_variable(pdu, name, info->oid_len + 1, ASN_NULL, NULL, 0);
    }
    set_text(pdu, 2, "web1");
    set_text(pdu, 3, "web");
    set_number(pdu, 4, ASN_UNSIGNED, 161);
    return pdu;
}

static void assert_no_announcement(netsnmp_pdu *pdu, const char *why)
{
    struct look_announcement announcement;
    struct look_error error = look_read_announcement(pdu, &announcement);
    assert_int_not_equal(error.failure, 0);
    assert_string_equal(error.text, why);
    snmp_free_pdu(pdu);
}

static void announcements(void **state)
{
    (void)state;
    struct look_announcement announcement;
    netsnmp_pdu *pdu = new_announcement();
    assert_int_equal(look_read_announcement(pdu, &announcement).failure, 0);
    assert_string_equal(announcement.name, "web1");
    assert_string_equal(announcement.group, "web");
    assert_int_equal(announcement.port, 161);
    set_text(pdu, 3, "");
    set_number(pdu, 4, ASN_UNSIGNED, 65535);
    snmp_pdu_add_variable(pdu, pdu->variables->name, 3, ASN_NULL, NULL, 0); /* and one more */
    assert_int_equal(look_read_announcement(pdu, &announcement).failure, 0);
    assert_string_equal(announcement.group, "");
    assert_int_equal(announcement.port, 65535);
    snmp_free_pdu(pdu);
}

static void other_announcements(void **state)
{
    (void)state;
    static const long ports[] = {0, 65536, 0xffffffff};
    netsnmp_pdu *pdu = new_announcement();
    pdu->command = SNMP_MSG_INFORM;
    assert_no_announcement(pdu, "not an announcement");
    pdu = new_announcement();
    place(pdu, 1)->val.objid[place(pdu, 1)->val_len / sizeof(oid) - 1]--;
    assert_no_announcement(pdu, "not an announcement");
    pdu = new_announcement();
    set_text(pdu, 1, "1.3.6");
    assert_no_announcement(pdu, "not an announcement");
    pdu = new_announcement();
    place(pdu, 2)->name[4]++;
    assert_no_announcement(pdu, "not what was asked for");
    pdu = new_announcement();
    set_text(pdu, 2, "two words");
    assert_no_announcement(pdu, "not a value that a node has");
    pdu = new_announcement();
    set_text(pdu, 3, "a-name-of-more-than-thirty-two-octets");
    assert_no_announcement(pdu, "not a value that a node has");
    pdu = new_announcement();
    set_text(pdu, 4, "161");
    assert_no_announcement(pdu, "not a value that a node has");
    for (size_t i = 0; i < N_OF(ports); i++) {
        pdu = new_announcement();
        set_number(pdu, 4, ASN_UNSIGNED, ports[i]);
        assert_no_announcement(pdu, "not the number of a port");
    }
    for (int i = 0; i < 5; i++) { /* less and less of it */
        pdu = new_announcement();
        netsnmp_variable_list *last = i > 0 ? place(pdu, i - 1) : NULL;
        snmp_free_varbind(last ? last->next_variable : pdu->variables);
        if (last)
            last->next_variable = NULL;
        else
            pdu->variables = NULL;
        assert_no_announcement(pdu, i < 2 ? "not an announcement" : "not what was asked for");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_answer), cmocka_unit_test(what_may_lack),
        cmocka_unit_test(types),         cmocka_unit_test(bad_values),
        cmocka_unit_test(long_texts),    cmocka_unit_test(other_varbinds),
        cmocka_unit_test(orders),        cmocka_unit_test(explanations),
        cmocka_unit_test(announcements), cmocka_unit_test(other_announcements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
