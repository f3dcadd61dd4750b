#include <string.h>

#include "dcamp_mib.h"
#include "trapd-handlers/objects.h"

#include "unit.h"

#define PATH ".iso.org.dod.internet.private.enterprises.dcampArc32473.dcampMIB.dcampObjects"
#define KEY_NUMBERS "3.6.1.4.1.32473.1.1.10.1.1.2"

static void test_forms_of_a_name(void **state)
{
    (void)state;
    static const char *const names[] = {
        ".1." KEY_NUMBERS ".5",
        "1." KEY_NUMBERS ".5",
        "iso." KEY_NUMBERS ".5",
        ".iso." KEY_NUMBERS ".5",
        "dcampAlarmKey.5",
        "DCAMP-MIB::dcampAlarmKey.5",
        "DCAMP-MIB::dcampAlarmKey[5]",
        "dcampAlarmKey[5]",
        PATH ".dcampAlarms.dcampAlarmTable.dcampAlarmEntry.dcampAlarmKey.5",
        "enterprises.dcampArc32473.dcampMIB.dcampObjects.dcampAlarms.dcampAlarmTable."
        "dcampAlarmEntry.dcampAlarmKey.5",
        "SNMPv2-SMI::enterprises.32473.1.1.10.1.1.2.5",
        "enterprises.32473.1.1.10.1.1.2.5",
        ".iso.org.dod.internet.private.enterprises.32473.1.1.10.1.1.2.5",
        "DCAMP-MIB::dcampMIB.1.10.1.1.2.5",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct object_name name;
        size_t instance;
        assert_true(object_parse(names[i], strlen(names[i]), &name));
        assert_true(name.known);
        assert_int_equal(object_find(&name, &instance), MIB_dcampAlarmKey);
        assert_int_equal(instance, 1);
        assert_int_equal(name.oid[name.len - 1], 5);
    }
}

static void test_objects_of_other_modules(void **state)
{
    (void)state;
    static const char *const names[] = {
        ".1.3.6.1.6.3.18.1.3.0",
        "iso.3.6.1.6.3.18.1.3.0",
        "snmpTrapAddress.0",
        "SNMP-COMMUNITY-MIB::snmpTrapAddress.0",
        "SNMPv2-SMI::snmpModules.18.1.3.0",
        ".iso.org.dod.internet.snmpV2.snmpModules.snmpCommunityMIB.snmpCommunityMIBObjects."
        "snmpTrapAddress.0",
    };
    struct object_name name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(object_parse(names[i], strlen(names[i]), &name));
        assert_true(object_is_scalar(&name, oid_snmpTrapAddress, 9));
        assert_false(object_is_scalar(&name, oid_snmpTrapOID, 10));
    }
    assert_true(object_parse("snmpTrapAddress.1", 17, &name));
    assert_false(object_is_scalar(&name, oid_snmpTrapAddress, 9));
}

static void test_foreign_names(void **state)
{
    (void)state;
    static const char *const names[] = {"IF-MIB::ifIndex.2", "ifIndex[2]", "sysUpTime.0",
                                        ".1.3.6.1.2.1.1.3.0", "SNMPv2-MIB::sysUpTime.0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct object_name name;
        size_t instance;
        assert_true(object_parse(names[i], strlen(names[i]), &name));
        assert_int_equal(object_find(&name, &instance), -1);
    }
}

static void test_no_names(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",    ".",      "..1",   "1..3",       "1.3.",        "a b", "second",
        "x:y", "1.3.x]", "a[1",   "a[1]]",      "a.\"b\"",     "-1",  "1.-3",
        "::a", "a::",    "a.1\n", "4294967296", "99999999999", "[1]", "a[1][2",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct object_name name;
        bool word = strcmp(texts[i], "second") == 0; /* a label alone is a name */
        assert_int_equal(object_parse(texts[i], strlen(texts[i]), &name), word);
    }
    char long_name[2 * OID_MAX + 3] = "";
    struct object_name name;
    for (int i = 0; i < OID_MAX; i++)
        strcat(long_name, ".1");
    assert_true(object_parse(long_name, strlen(long_name), &name));
    strcat(long_name, ".1");
    assert_false(object_parse(long_name, strlen(long_name), &name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms_of_a_name),
        cmocka_unit_test(test_objects_of_other_modules),
        cmocka_unit_test(test_foreign_names),
        cmocka_unit_test(test_no_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
