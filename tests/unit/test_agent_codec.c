/* BITS and OBJECT IDENTIFIER, from the wire to the row and back: what SMIv2 has for sets of labels
 * and for what is named by numbers. */
#include "manager.h"
#include "node.h"

static const char elements[] =
    "<objects><object name=\"up\" oid=\".1.3.6.1.2.1.1.3\" type=\"scalar\"/>"
    "<object name=\"in\" oid=\"1.3.6.1.2.1.2.2.1.10\" label=\"1.3.6.1.2.1.2.2.1.2\"/></objects>"
    "<maintenances><maintenance name=\"weekend\" days=\"sat sun\" duration=\"1h\"/>"
    "<maintenance name=\"once\" begin=\"2026-11-23T00:00:00Z\" duration=\"1h\"/></maintenances>";

static int node_setup(void **state)
{
    *state = node_new(elements);
    return 0;
}

static void bits(void **state)
{
    (void)state;
    static const struct {
        uint8_t octets[5];
        size_t len, n_labels;
        int64_t set; /* -1: refused */
    } cases[] = {
        {{0x80}, 1, 7, 1},
        {{0x02}, 1, 7, 64},
        {{0x82}, 1, 7, 65},
        {{0xfe}, 1, 7, 127},
        {{0x01}, 1, 7, -1},
        {{0x01}, 1, 8, 128},
        {{0}, 0, 7, 0},
        {{0}, 1, 7, 0},
        {{0x80, 0, 0, 0, 0}, 5, 7, 1},
        {{0x80, 0, 0, 0, 1}, 5, 7, -1},
        {{0, 0x80}, 2, 9, 256},
        {{0, 0x40}, 2, 9, -1},
        {{0, 0, 0, 1}, 4, 32, INT64_C(1) << 31},
        {{0, 0, 0, 0, 0x80}, 5, 32, -1},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint32_t set = 0;
        size_t n = cases[i].n_labels, len = (n + 7) / 8;
        struct mib_value value;
        assert_int_equal(take_bits(cases[i].octets, cases[i].len, n, &set), cases[i].set >= 0);
        if (cases[i].set < 0)
            continue;
        assert_int_equal(set, cases[i].set);
        /* Given back with as many octets as there are labels for. */
        assert_true(give_bits(&value, set, n));
        assert_int_equal(value.octets.len, len);
        assert_memory_equal(value.octets.at, cases[i].octets, len);
    }
}

static void days_of_the_file(void **state)
{
    assert_cell_text(*state, MIB_dcampMaintenanceDays, "weekend", NULL, "\x82");
    assert_cell_text(*state, MIB_dcampMaintenanceDays, "once", NULL, "");
}

static void days_by_set(void **state)
{
    struct node *node = *state;
    node_set_one(node, MIB_dcampMaintenanceDays, "weekend", 0, "\x7c");
    const struct row *row = config_find(node->daemon->config, ROW_MAINTENANCE, "weekend");
    char text[MESSAGE_SIZE];
    field_text(row, row_field(ROW_MAINTENANCE, "days"), text);
    assert_string_equal(text, "mon tue wed thu fri");
    assert_cell_text(node, MIB_dcampMaintenanceDays, "weekend", NULL, "\x7c");
    static const char *const no_days[] = {"\x01", "\x80\x80", "sat sun"};
    for (size_t i = 0; i < N_OF(no_days); i++) {
        struct bind bind = {MIB_dcampMaintenanceDays, "weekend", 0, no_days[i]};
        assert_int_equal(node_set(node, &bind, 1), SET_WRONG_VALUE);
    }
    assert_cell_text(node, MIB_dcampMaintenanceDays, "weekend", NULL, "\x7c");
    node_set_one(node, MIB_dcampMaintenanceDays, "once", 0, "");
    assert_cell_text(node, MIB_dcampMaintenanceDays, "once", NULL, "");
}

static void identifiers_of_the_file(void **state)
{
    assert_cell_text(*state, MIB_dcampObjectOid, "up", NULL, "1.3.6.1.2.1.1.3");
    assert_cell_text(*state, MIB_dcampObjectLabel, "up", NULL, "0.0");
    assert_cell_text(*state, MIB_dcampObjectLabel, "in", NULL, "1.3.6.1.2.1.2.2.1.2");
}

static void identifiers_by_set(void **state)
{
    struct node *node = *state;
    char text[MESSAGE_SIZE];
    node_set_one(node, MIB_dcampObjectOid, "in", 0, "2.4294967215.4294967295");
    node_set_one(node, MIB_dcampObjectLabel, "in", 0, "0.0");
    const struct row *row = config_find(node->daemon->config, ROW_OBJECT, "in");
    assert_string_equal(((const struct object_row *)row)->oid, "2.4294967215.4294967295");
    assert_string_equal(((const struct object_row *)row)->label, "");
    assert_string_equal(text_at(node, MIB_dcampObjectOid, "in", NULL, text),
                        "2.4294967215.4294967295");
    assert_cell_text(node, MIB_dcampObjectLabel, "in", NULL, "0.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits),        node_test(days_of_the_file),
        node_test(days_by_set),        node_test(identifiers_of_the_file),
        node_test(identifiers_by_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
