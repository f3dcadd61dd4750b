/* The MIB and the tables agree: objects and columns, index columns and keys, texts and their
 * rooms, notifications and their objects. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/columns.h"
#include "agent/engine.h"
#include "agent/row_error.h"
#include "agent/table_alarm.h"
#include "agent/tables.h"
#include "application/listing.h"
#include "base/text.h"
#include "daemon/dcampd.h"

#include "unit.h"

static bool is_leaf(const struct mib_info *info)
{
    return info->role == MIB_SCALAR || info->role == MIB_COLUMN;
}

static bool is_below(const struct mib_info *info, const struct mib_info *above)
{
    return info->oid_len > above->oid_len &&
           memcmp(info->oid, above->oid, above->oid_len * sizeof *info->oid) == 0;
}

/* The object right above one: in OID order it comes before it, and is the last that is above. */
static int parent_of(int object)
{
    for (int i = object - 1; i >= 0; i--)
        if (is_below(&mib_objects[object], &mib_objects[i]))
            return i;
    return -1;
}

static struct engine *engine_new(void)
{
    struct engine *engine = calloc(1, sizeof *engine);
    assert_non_null(engine);
    assert_null(engine_open(engine, dcamp_tables, dcamp_table_count));
    return engine;
}

/* -- The objects ----------------------------------------------------------------------------- */

static void objects_are_in_order(void **state)
{
    (void)state;
    for (int i = 0; i < MIB_OBJECTS; i++) {
        const struct mib_info *info = &mib_objects[i];
        assert_non_null(info->name);
        assert_in_range(info->oid_len, 7, OID_MAX - 1);
        if (i > 0 && oid_compare(info[-1].oid, info[-1].oid_len, info->oid, info->oid_len) >= 0)
            fail_msg("%s is not after %s", info->name, info[-1].name);
        for (int j = 0; j < i; j++)
            if (strcmp(info->name, mib_objects[j].name) == 0)
                fail_msg("%s is there twice", info->name);
        int parent = parent_of(i);
        assert_int_equal(parent < 0, i == 0);
        if (i > 0)
            assert_int_equal(mib_objects[parent].oid_len, info->oid_len - 1);
    }
}

/* What a role needs and what it must not have. */
static void roles_fit_together(void **state)
{
    (void)state;
    static const enum mib_role above[] = {
        [MIB_BRANCH] = MIB_BRANCH, [MIB_SCALAR] = MIB_BRANCH, [MIB_TABLE] = MIB_BRANCH,
        [MIB_ENTRY] = MIB_TABLE,   [MIB_COLUMN] = MIB_ENTRY,  [MIB_NOTIFICATION] = MIB_BRANCH};
    unsigned seen = 0;
    for (int i = 0; i < MIB_OBJECTS; i++) {
        const struct mib_info *info = &mib_objects[i];
        seen |= 1u << info->role;
        if (i > 0 && mib_objects[parent_of(i)].role != above[info->role])
            fail_msg("%s has a strange parent", info->name);
        if (is_leaf(info) != (info->syntax != MIB_SYNTAX_NONE))
            fail_msg("%s has a syntax or has none", info->name);
        if (!is_leaf(info) && info->access != MIB_NOT_ACCESSIBLE)
            fail_msg("%s is no leaf but accessible", info->name);
        if ((info->role == MIB_ENTRY || info->role == MIB_NOTIFICATION) != (info->n_objects > 0))
            fail_msg("%s has objects or has none", info->name);
        if (info->role == MIB_SCALAR)
            assert_true(info->access == MIB_READ_ONLY || info->access == MIB_READ_WRITE);
    }
    assert_int_equal(seen, (1u << MIB_BRANCH) | (1u << MIB_SCALAR) | (1u << MIB_TABLE) |
                               (1u << MIB_ENTRY) | (1u << MIB_COLUMN) | (1u << MIB_NOTIFICATION));
}

static void ranges_and_labels_ascend(void **state)
{
    (void)state;
    for (int i = 0; i < MIB_OBJECTS; i++) {
        const struct mib_info *info = &mib_objects[i];
        for (size_t r = 0; r < info->n_ranges; r++) {
            assert_true(info->ranges[r].low <= info->ranges[r].high);
            assert_true(r == 0 || info->ranges[r - 1].high < info->ranges[r].low);
            assert_true(info->syntax != MIB_SYNTAX_OCTETS || info->ranges[r].low >= 0);
            assert_true(info->syntax != MIB_SYNTAX_UNSIGNED || info->ranges[r].low >= 0);
        }
        for (size_t l = 1; l < info->n_labels; l++)
            assert_true(info->labels[l - 1].value < info->labels[l].value);
        bool is_bits = info->convention == MIB_BITS;
        assert_true(info->n_labels == 0 ||
                    info->syntax == (is_bits ? MIB_SYNTAX_OCTETS : MIB_SYNTAX_INTEGER));
        /* RFC 2578, section 7.1.1: it is recommended that enumerations begin with 1; and section
         * 7.1.4: bits begin with 0, without holes. */
        assert_true(info->n_labels == 0 || info->labels[0].value == (is_bits ? 0 : 1));
        assert_true(!is_bits || info->labels[info->n_labels - 1].value == (int)info->n_labels - 1);
    }
}

/* Every object is found by its OID and by those below it; what is beside the module is not. */
static void objects_are_found(void **state)
{
    (void)state;
    for (int i = 0; i < MIB_OBJECTS; i++) {
        const struct mib_info *info = &mib_objects[i];
        uint32_t oid[OID_MAX];
        size_t rest = 99;
        memcpy(oid, info->oid, info->oid_len * sizeof *oid);
        assert_int_equal(engine_object(oid, info->oid_len, &rest), i);
        assert_int_equal(rest, 0);
        static const uint32_t below[] = {0, 1, UINT32_MAX};
        for (size_t b = 0; b < N_OF(below) && is_leaf(info); b++) {
            oid[info->oid_len] = below[b];
            oid[info->oid_len + 1] = 7;
            assert_int_equal(engine_object(oid, info->oid_len + 2, &rest), i);
            assert_int_equal(rest, 2);
        }
    }
    static const uint32_t beside[][8] = {
        {0}, {1, 3, 6, 1, 2, 1, 1, 5}, {1, 3, 6, 1, 4, 1, 1, 1}, {2}, {UINT32_MAX}};
    size_t rest;
    for (size_t i = 0; i < N_OF(beside); i++)
        for (size_t len = 0; len <= 8; len++)
            assert_int_equal(engine_object(beside[i], len, &rest), -1);
}

/* -- Bindings -------------------------------------------------------------------------------- */

static void accessible_objects_have_one_binding(void **state)
{
    (void)state;
    struct engine *engine = engine_new(); /* fails for an object that is bound twice */
    size_t bound = 0, columns = 0;
    for (int i = 0; i < MIB_OBJECTS; i++) {
        const struct mib_info *info = &mib_objects[i];
        bool accessible = is_leaf(info) && info->access >= MIB_READ_ONLY;
        if (accessible != (engine->bound[i].table != NULL))
            fail_msg("%s: %s", info->name, accessible ? "has no binding" : "cannot be read");
        bound += accessible;
    }
    for (size_t t = 0; t < dcamp_table_count; t++)
        columns += dcamp_tables[t]->n_columns;
    assert_int_equal(bound, columns);
    free(engine);
}

static void columns_lie_in_their_table(void **state)
{
    (void)state;
    for (size_t t = 0; t < dcamp_table_count; t++) {
        const struct table *table = dcamp_tables[t];
        const struct mib_info *info = &mib_objects[table->object];
        assert_int_equal(info->role, table_has_rows(table) ? MIB_TABLE : MIB_BRANCH);
        for (size_t c = 0; c < table->n_columns; c++) {
            int object = (int)table->columns[c].object;
            int above = parent_of(object);
            if (table_has_rows(table))
                above = parent_of(above);
            if (above != (int)table->object)
                fail_msg("%s is not in %s", mib_objects[object].name, info->name);
            assert_int_equal(mib_objects[object].role,
                             table_has_rows(table) ? MIB_COLUMN : MIB_SCALAR);
        }
    }
}

/* Every table of the MIB is served: none without accessible columns, none forgotten. */
static void tables_are_all_there(void **state)
{
    (void)state;
    size_t tables = 0, served = 0;
    for (int i = 0; i < MIB_OBJECTS; i++)
        tables += mib_objects[i].role == MIB_TABLE;
    for (size_t t = 0; t < dcamp_table_count; t++) {
        served += table_has_rows(dcamp_tables[t]);
        for (size_t other = 0; other < t; other++)
            assert_ptr_not_equal(dcamp_tables[t], dcamp_tables[other]);
    }
    assert_int_equal(served, tables);
}

static void writable_columns_are_configuration(void **state)
{
    (void)state;
    struct engine *engine = engine_new();
    for (int i = 0; i < MIB_OBJECTS; i++) {
        const struct mib_info *info = &mib_objects[i];
        const struct binding *bound = &engine->bound[i];
        if (!bound->table)
            continue;
        bool writable = info->access >= MIB_READ_WRITE;
        bool status = bound->column->get == give_status,
             storage = bound->column->get == give_storage;
        bool steps = bound->table->steps && writable, mark = bound->table->marks && writable;
        bool action = steps || mark || (bound->table->act && (int)bound->table->acts == i);
        assert_int_equal(info->access == MIB_READ_WRITE,
                         action); /* SMIv2: not beside read-create */
        if (writable != (bound->field || status || storage || action))
            fail_msg("%s: its access is not that of its column", info->name);
        assert_true(!writable || bound->table->is_config != action);
        assert_int_equal(status, info->convention == MIB_ROW_STATUS);
        assert_int_equal(storage, info->convention == MIB_STORAGE_TYPE);
        assert_true((bound->field != NULL) == (bound->column->get == NULL));
    }
    free(engine);
}

/* -- Keys and rooms -------------------------------------------------------------------------- */

/* Sub-identifiers of an index column, RFC 2578, section 7.7: a text has its length before it. */
static size_t index_room(const struct mib_info *info)
{
    if (info->syntax != MIB_SYNTAX_OCTETS)
        return 1;
    assert_int_equal(info->n_ranges, 1);
    return 1 + (size_t)info->ranges[0].high;
}

static void keys_have_room(void **state)
{
    (void)state;
    static const struct {
        enum mib_object entry;
        size_t room;
    } keys[] = {
        {MIB_dcampSamplerEntry, N_OF(((struct cost_row *)0)->key)},
        {MIB_dcampResourceEntry, N_OF(((struct resource_row *)0)->key)},
        {MIB_dcampProcessEntry, N_OF(((struct process_row *)0)->key)},
        {MIB_dcampProcessRankEntry, N_OF(((struct ranked_row *)0)->key)},
        {MIB_dcampSensorEntry, NAME_SIZE},
        {MIB_dcampFilterEntry, NAME_SIZE},
        {MIB_dcampThresholdEntry, NAME_SIZE},
        {MIB_dcampValueEntry, NAME_SIZE + INSTANCE_SIZE},
        {MIB_dcampThresholdStateEntry, 2 * NAME_SIZE + INSTANCE_KEY_MAX + 1},
        {MIB_dcampChildEntry, NAME_SIZE},
        {MIB_dcampChildValueEntry, 2 * NAME_SIZE + INSTANCE_KEY_MAX + 1},
        {MIB_dcampChildAlarmEntry, NAME_SIZE + 1},
        {MIB_dcampAggregateEntry, NAME_SIZE},
        {MIB_dcampAggregateValueEntry, NAME_SIZE + INSTANCE_SIZE},
        {MIB_dcampAggregateTopEntry, NAME_SIZE + INSTANCE_SIZE + 1},
        {MIB_dcampObjectEntry, NAME_SIZE},
        {MIB_dcampReportEntry, 1},
        {MIB_dcampSeriesEntry, 1},
        {MIB_dcampAlarmEntry, 1},
        {MIB_dcampAlarmLogEntry, 1},
        {MIB_dcampConditionEntry, NAME_SIZE},
        {MIB_dcampMaintenanceEntry, NAME_SIZE},
        {MIB_dcampRelayEntry, NAME_SIZE},
        {MIB_dcampDocumentEntry, sizeof((struct document_row *)0)->key / sizeof(uint32_t)},
        {MIB_dcampTreeEntry, NAME_SIZE},
        {MIB_dcampKeptEntry, N_OF(((struct part_row *)0)->key)},
        {MIB_dcampDeviationEntry, 1 + NAME_SIZE},
        {MIB_dcampApplicationEntry, 1 + LISTING_USER_MAX + NAME_SIZE},
        {MIB_dcampApplicationSensorEntry, LISTING_KEY_MAX - 1},
        {MIB_dcampTopEntry, LISTING_KEY_MAX},
        {MIB_dcampApplicationThreadEntry, LISTING_KEY_MAX},
        {MIB_dcampSinkEntry, N_OF(((struct outlet_sink_row *)0)->key)},
    };
    for (int i = 0; i < MIB_OBJECTS; i++) {
        size_t lines = 0;
        for (size_t k = 0; k < N_OF(keys); k++)
            lines += (int)keys[k].entry == i;
        if (lines != (mib_objects[i].role == MIB_ENTRY))
            fail_msg("%s: %zu lines above say how long its key may be", mib_objects[i].name, lines);
    }
    for (size_t i = 0; i < N_OF(keys); i++) {
        const struct mib_info *entry = &mib_objects[keys[i].entry];
        size_t room = 0;
        for (size_t x = 0; x < entry->n_objects; x++)
            room += index_room(&mib_objects[entry->objects[x]]);
        if (room != keys[i].room)
            fail_msg("%s: %zu sub-identifiers, not %zu", entry->name, room, keys[i].room);
        if (entry->oid_len + 1 + room > OID_MAX)
            fail_msg("%s: OIDs of %zu sub-identifiers", entry->name, entry->oid_len + 1 + room);
    }
}

/* Each index column cannot be read (RFC 2578, section 7.7), and no other column is so. */
static void index_columns_are_not_accessible(void **state)
{
    (void)state;
    for (int object = 0; object < MIB_OBJECTS; object++) {
        const struct mib_info *info = &mib_objects[object];
        bool in_index = false, own = false;
        for (int i = 0; i < MIB_OBJECTS; i++)
            for (size_t x = 0; x < mib_objects[i].n_objects && mib_objects[i].role == MIB_ENTRY;
                 x++)
                if (mib_objects[i].objects[x] == object) {
                    in_index = true;
                    own |= is_below(info, &mib_objects[i]);
                }
        if (is_leaf(info) && in_index != (info->access == MIB_NOT_ACCESSIBLE))
            fail_msg("%s: access and index do not go together", info->name);
        assert_int_equal(in_index, own);
    }
}

/* Texts of the code fit into those of the MIB; where the MIB fixes the size, exactly. */
static void texts_fit(void **state)
{
    (void)state;
    static const struct {
        enum mib_object object;
        size_t most;
    } texts[] = {
        {MIB_dcampNodeName, NAME_SIZE - 1},
        {MIB_dcampNodeGroup, NAME_SIZE - 1},
        {MIB_dcampNodeVersion, sizeof PACKAGE_VERSION - 1},
        {MIB_dcampNodeConfigDigest, CONFIG_DIGEST},
        {MIB_dcampResourceParent, INSTANCE_SIZE - 1},
        {MIB_dcampProcessIdentifier, PROCESS_IDENTIFIER_SIZE - 1},
        {MIB_dcampSensorUnit, DECIMAL_SIZE - 1},
        {MIB_dcampValueText, DECIMAL_SIZE - 1},
        {MIB_dcampValueUnit, DECIMAL_SIZE - 1},
        {MIB_dcampReportBlock, REPORT_BLOCK_MAX},
        {MIB_dcampSeriesSensor, NAME_SIZE - 1},
        {MIB_dcampSeriesInstance, INSTANCE_SIZE - 1},
        {MIB_dcampSeriesMetric, NAME_SIZE - 1},
        {MIB_dcampSeriesUnit, DECIMAL_SIZE - 1},
        {MIB_dcampAlarmKey, ALARM_KEY_SIZE - 1},
        {MIB_dcampAlarmNode, NAME_SIZE - 1},
        {MIB_dcampAlarmSensor, NAME_SIZE - 1},
        {MIB_dcampAlarmThreshold, NAME_SIZE - 1},
        {MIB_dcampAlarmInstance, INSTANCE_SIZE - 1},
        {MIB_dcampAlarmValueText, DECIMAL_SIZE - 1},
        {MIB_dcampAlarmThresholdText, sizeof((struct alarm_facts *)0)->limit - 1},
        {MIB_dcampAlarmSeverityText, sizeof "critical" - 1},
        {MIB_dcampAlarmMessage, MESSAGE_SIZE - 1},
        {MIB_dcampAlarmAcknowledge, ALARM_COMMENT_SIZE - 1},
        {MIB_dcampAlarmLogKey, ALARM_KEY_SIZE - 1},
        {MIB_dcampAlarmLogNode, NAME_SIZE - 1},
        {MIB_dcampAlarmLogSensor, NAME_SIZE - 1},
        {MIB_dcampAlarmLogThreshold, NAME_SIZE - 1},
        {MIB_dcampAlarmLogInstance, INSTANCE_SIZE - 1},
        {MIB_dcampAlarmLogValueText, DECIMAL_SIZE - 1},
        {MIB_dcampAlarmLogThresholdText, sizeof((struct alarm_facts *)0)->limit - 1},
        {MIB_dcampAlarmLogMessage, MESSAGE_SIZE - 1},
        {MIB_dcampTreeAddress, PEER_ADDRESS_SIZE - 1},
        {MIB_dcampTreeParent, NAME_SIZE - 1},
        {MIB_dcampTreeGroup, NAME_SIZE - 1},
        {MIB_dcampTreeVersion, sizeof((struct tree_row *)0)->version - 1},
        {MIB_dcampTreeError, MESSAGE_SIZE - 1},
        {MIB_dcampTreeRootName, NAME_SIZE - 1},
        {MIB_dcampDocumentRoot, NAME_SIZE - 1},
        {MIB_dcampDocumentPart, ORDER_PART_MAX},
        {MIB_dcampDocumentError, sizeof((struct ordered *)0)->error - 1},
        {MIB_dcampTreeReason, sizeof((struct assignment *)0)->reason - 1},
        {MIB_dcampTreeUnreached, MESSAGE_SIZE - 1},
    };
    assert_int_equal(mib_objects[MIB_dcampDocumentLength].ranges[0].high, PARCEL_MAX);
    assert_int_equal(mib_objects[MIB_dcampDocumentOffset].ranges[0].high, PARCEL_MAX);
    for (size_t i = 0; i < N_OF(texts); i++) {
        const struct mib_info *info = &mib_objects[texts[i].object];
        assert_int_equal(info->syntax, MIB_SYNTAX_OCTETS);
        assert_int_equal(info->n_ranges, 1);
        if ((int64_t)texts[i].most > info->ranges[0].high)
            fail_msg("%s: %zu octets do not fit", info->name, texts[i].most);
        if (info->ranges[0].low == info->ranges[0].high)
            assert_int_equal(texts[i].most, info->ranges[0].high);
    }
    for (size_t i = 0; i < metric_count; i++)
        assert_true(text_is_name(metric_registry[i].name, strlen(metric_registry[i].name)));
}

/* -- Notifications --------------------------------------------------------------------------- */

/* Their objects are columns that can be had of an alarm, be it in the table or not; and the role
 * that a node has from then on. Of those that are for nodes, they are those of a report block, and
 * what a node says of itself. */
static void notifications_have_their_objects(void **state)
{
    (void)state;
    const struct alarm alarm = {.facts = {.key = "a:b:c", .severity = SEVERITY_INFO}};
    for (int i = 0; i < MIB_OBJECTS; i++) {
        const struct mib_info *info = &mib_objects[i];
        bool of_alarm = info->role == MIB_NOTIFICATION && i != MIB_dcampReportPushed &&
                        i != MIB_dcampNodeAnnounced;
        for (size_t x = 0; x < info->n_objects && of_alarm; x++) {
            struct mib_value value = {.syntax = MIB_SYNTAX_NONE};
            if (i == MIB_dcampRoleChanged && info->objects[x] == MIB_dcampNodeRole)
                continue;
            assert_true(
                is_below(&mib_objects[info->objects[x]], &mib_objects[MIB_dcampAlarmEntry]));
            assert_true(mib_objects[info->objects[x]].access >= MIB_READ_ONLY);
            assert_true(alarm_column(info->objects[x], &alarm, &value));
        }
    }
    const int pushed[] = {MIB_dcampReportBoot, MIB_dcampReportFirst, MIB_dcampReportLast,
                          MIB_dcampReportBlock};
    assert_int_equal(mib_objects[MIB_dcampReportPushed].n_objects, N_OF(pushed));
    assert_memory_equal(mib_objects[MIB_dcampReportPushed].objects, pushed, sizeof pushed);
    const int announced[] = {MIB_dcampNodeName, MIB_dcampNodeGroup, MIB_dcampNodeAnnouncePort};
    assert_int_equal(mib_objects[MIB_dcampNodeAnnounced].n_objects, N_OF(announced));
    assert_memory_equal(mib_objects[MIB_dcampNodeAnnounced].objects, announced, sizeof announced);
    struct mib_value value;
    assert_false(alarm_column(MIB_dcampAlarmIndex, &alarm, &value));
    assert_false(alarm_column(MIB_dcampAlarmLogKey, &alarm, &value));
    /* Raise and clear carry the same, so that a receiver reads both alike. */
    const struct mib_info *raised = &mib_objects[MIB_dcampAlarmRaised];
    const struct mib_info *cleared = &mib_objects[MIB_dcampAlarmCleared];
    assert_int_equal(raised->n_objects, cleared->n_objects);
    assert_memory_equal(raised->objects, cleared->objects,
                        raised->n_objects * sizeof *raised->objects);
    /* RFC 2578, section 8.5: the last but one sub-identifier of a notification is 0. */
    for (int i = 0; i < MIB_OBJECTS; i++)
        if (mib_objects[i].role == MIB_NOTIFICATION)
            assert_int_equal(mib_objects[i].oid[mib_objects[i].oid_len - 2], 0);
}

/* The kinds of rows have the names of their elements, and each row with a kind that is none of
 * them is in no table. */
static void kinds_of_rows_are_those_of_the_mib(void **state)
{
    (void)state;
    const struct mib_info *info = &mib_objects[MIB_dcampDeviationKind];
    enum row_kind kind;
    for (size_t i = 0; i < info->n_labels; i++) {
        assert_true(config_kind((uint32_t)info->labels[i].value, &kind));
        assert_string_equal(info->labels[i].name, row_type(kind)->element);
    }
    assert_int_equal(info->n_labels, ROW_ENDPOINT);
    assert_false(config_kind(0, &kind));
    assert_false(config_kind((uint32_t)info->n_labels + 1, &kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_in_order),
        cmocka_unit_test(roles_fit_together),
        cmocka_unit_test(ranges_and_labels_ascend),
        cmocka_unit_test(objects_are_found),
        cmocka_unit_test(accessible_objects_have_one_binding),
        cmocka_unit_test(columns_lie_in_their_table),
        cmocka_unit_test(tables_are_all_there),
        cmocka_unit_test(writable_columns_are_configuration),
        cmocka_unit_test(keys_have_room),
        cmocka_unit_test(kinds_of_rows_are_those_of_the_mib),
        cmocka_unit_test(index_columns_are_not_accessible),
        cmocka_unit_test(texts_fit),
        cmocka_unit_test(notifications_have_their_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
