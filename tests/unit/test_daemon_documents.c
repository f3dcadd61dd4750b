/* A node that is told what it is to do: SETs of dcampDocumentTable, with what else is in their PDU,
 * in each phase; what comes into force, is saved, restored, refused and undone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tables.h"
#include "base/hex.h"
#include "base/packing.h"
#include "daemon/adoption.h"
#include "documents.h"
#include "manager.h"
#include "scarce.h"

#define BASE_SENSOR "<sensors><sensor name=\"base\" metric=\"load.1\"/></sensors>"
#define SHARE_OF(sensor) SHARE("<sensors><sensor name=\"" sensor "\" metric=\"load.5\"/></sensors>")

static int node_setup(void **state)
{
    *state = node_new(BASE_SENSOR);
    node_cycle(*state, 0);
    return 0;
}

/* -- Orders ---------------------------------------------------------------------------------- */

static struct mib_oid cell_in(enum mib_object object, enum document_kind kind)
{
    struct mib_oid oid = cell_of(object, NULL, NULL);
    oid.id[oid.len - 1] = kind;
    return oid;
}

static struct set_varbind *add(struct pdu *pdu, enum mib_object object, enum document_kind kind)
{
    struct set_varbind *varbind = &pdu->varbinds[pdu->n];
    struct mib_oid *oid = &pdu->oids[pdu->n++];
    *oid = cell_in(object, kind);
    *varbind = (struct set_varbind){
        .oid = oid->id, .oid_len = oid->len, .syntax = mib_objects[object].syntax};
    return varbind;
}

static struct parcel *packed(const char *text)
{
    size_t n;
    uint8_t *octets = packing_pack(text, strlen(text), &n);
    struct parcel *parcel = parcel_of(octets, n);
    free(octets);
    assert_non_null(parcel);
    return parcel;
}

/* Of all octets of a text from one on; NULL: of no document. */
static void add_order(struct pdu *pdu, enum document_kind kind, uint32_t term, uint32_t epoch,
                      const char *root, const struct parcel *parcel, uint32_t begin, uint32_t end)
{
    add(pdu, MIB_dcampDocumentTerm, kind)->number = term;
    add(pdu, MIB_dcampDocumentEpoch, kind)->number = epoch;
    struct set_varbind *varbind = add(pdu, MIB_dcampDocumentRoot, kind);
    varbind->octets = (const uint8_t *)root;
    varbind->octets_len = strlen(root);
    varbind = add(pdu, MIB_dcampDocumentDigest, kind);
    if (parcel) {
        varbind->octets = parcel->digest;
        varbind->octets_len = CONFIG_DIGEST;
    }
    add(pdu, MIB_dcampDocumentLength, kind)->number = parcel ? parcel->len : 0;
    if (!parcel)
        return;
    add(pdu, MIB_dcampDocumentOffset, kind)->number = begin;
    varbind = add(pdu, MIB_dcampDocumentPart, kind);
    varbind->octets = parcel->octets + begin;
    varbind->octets_len = end - begin;
}

static enum set_error order(struct node *node, enum document_kind kind, uint32_t term,
                            uint32_t epoch, const char *root, const char *text)
{
    struct pdu pdu = {.n = 0};
    size_t index;
    struct parcel *parcel = text ? packed(text) : NULL;
    add_order(&pdu, kind, term, epoch, root, parcel, 0, parcel ? parcel->len : 0);
    enum set_error error = pdu_set(node, &pdu, &index);
    parcel_drop(parcel);
    return error;
}

/* What must be taken, and is in force in the next cycle. */
static void order_share(struct node *node, uint32_t term, uint32_t epoch, const char *text)
{
    assert_int_equal(order(node, DOCUMENT_SHARE, term, epoch, "r1", text), SET_OK);
    node_cycle(node, 10);
}

static int64_t number_of(struct node *node, enum mib_object object, enum document_kind kind)
{
    struct mib_value value;
    struct mib_oid oid = cell_in(object, kind);
    assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
    return value.syntax == MIB_SYNTAX_INTEGER ? value.integer : (int64_t)value.number;
}

static int64_t state_of(struct node *node, enum document_kind kind)
{
    return number_of(node, MIB_dcampDocumentState, kind);
}

#define assert_document_text(node, object, kind, expected)                                         \
    do {                                                                                           \
        struct mib_value value_;                                                                   \
        struct mib_oid oid_ = cell_in(object, kind);                                               \
        char text_[MESSAGE_SIZE];                                                                  \
        assert_int_equal(node_get(node, &oid_, &value_), ENGINE_OK);                               \
        snprintf(text_, sizeof text_, "%.*s", (int)value_.octets.len,                              \
                 (const char *)value_.octets.at);                                                  \
        assert_string_equal(text_, expected);                                                      \
    } while (0)

static void assert_role(struct node *node, int role, const char *parent, const char *group)
{
    assert_int_equal(number_at(node, MIB_dcampNodeRole, NULL, NULL), role);
    assert_cell_text(node, MIB_dcampNodeParent, NULL, NULL, parent);
    assert_cell_text(node, MIB_dcampNodeGroup, NULL, NULL, group);
}

/* Whether of these sensors there is that one and no other. */
static void assert_sensor(struct node *node, const char *name)
{
    static const char *const names[] = {"base", "one", "two", "three"};
    for (size_t i = 0; i < N_OF(names); i++)
        assert_int_equal(node_has(node, MIB_dcampSensorMetric, names[i], NULL),
                         strcmp(names[i], name) == 0);
}

static void assert_error(struct node *node, const char *reason)
{
    const char *text = node->daemon->self.refusal.text;
    if (!strstr(text, reason))
        fail_msg("\"%s\" is not in \"%s\"", reason, text);
}

/* -- In force -------------------------------------------------------------------------------- */

static void a_share_is_in_force_in_the_next_cycle(void **state)
{
    struct node *node = *state;
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_NONE);
    assert_int_equal(order(node, DOCUMENT_SHARE, 1, 1, "r1", SHARE_OF("one")), SET_OK);
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_WAITING);
    assert_role(node, dcampNodeRole_metric, "", "default");
    assert_sensor(node, "base");
    node_cycle(node, 10);
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_IN_FORCE);
    assert_role(node, dcampNodeRole_metric, "r1", "web");
    assert_int_equal(number_at(node, MIB_dcampNodeLevel, NULL, NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampTreeSerial, NULL, NULL), 7);
    assert_cell_text(node, MIB_dcampTreeReason, NULL, NULL, "as planned");
    assert_sensor(node, "one");
    assert_int_equal(number_of(node, MIB_dcampDocumentOffset, DOCUMENT_SHARE),
                     number_of(node, MIB_dcampDocumentLength, DOCUMENT_SHARE));
    assert_document_text(node, MIB_dcampDocumentPart, DOCUMENT_SHARE, "");
    assert_document_text(node, MIB_dcampDocumentRoot, DOCUMENT_SHARE, "r1");
    struct mib_value value;
    struct mib_oid oid = cell_of(MIB_dcampTreeDigest, NULL, NULL);
    assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, CONFIG_DIGEST);
    assert_memory_equal(value.octets.at, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
    order_share(node, 1, 2, NULL);
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_NONE);
    assert_role(node, dcampNodeRole_metric, "", "default");
    assert_sensor(node, "base");
}

static void roles_are_those_of_the_share(void **state)
{
    struct node *node = *state;
    static const struct {
        const char *word, *parent, *level;
        int role;
    } roles[] = {{"metric", "c1", "2", dcampNodeRole_metric},
                 {"collector", "r1", "1", dcampNodeRole_collector},
                 {"root", "", "0", dcampNodeRole_root}};
    for (uint32_t i = 0; i < N_OF(roles); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<dcamp version=\"1\"><assignment role=\"%s\" parent=\"%s\" level=\"%s\" "
                 "group=\"g%u\" root=\"r1\" serial=\"1\" tree=\"" TREE_DIGEST
                 "\" reason=\"why\"/></dcamp>",
                 roles[i].word, roles[i].parent, roles[i].level, i);
        char group[8];
        snprintf(group, sizeof group, "g%u", i);
        order_share(node, 1, i + 1, text);
        assert_role(node, roles[i].role, roles[i].parent, group);
    }
}

static void what_is_refused_leaves_what_is_in_force(void **state)
{
    struct node *node = *state;
    order_share(node, 1, 1, SHARE_OF("one"));
    order_share(node, 1, 2, SHARE("<sensors><sensor name=\"x\" metric=\"no.such\"/></sensors>"));
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_REFUSED);
    assert_document_text(node, MIB_dcampDocumentError, DOCUMENT_SHARE,
                         "share:1: sensor \"x\": metric=\"no.such\" is not a metric; write for "
                         "example \"cpu.busy\"");
    assert_sensor(node, "one");
    assert_role(node, dcampNodeRole_metric, "r1", "web");
    order_share(node, 1, 3, SHARE_OF("two"));
    assert_document_text(node, MIB_dcampDocumentError, DOCUMENT_SHARE, "");
    assert_sensor(node, "two");
    /* Without a file that can be read there is nothing to revert to. */
    tree_write(&node->tree, "/dcamp.xml", "<dcamp");
    order_share(node, 1, 4, NULL);
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_REFUSED);
    assert_sensor(node, "two");
    node_configure(node, "lap", BASE_SENSOR);
    order_share(node, 1, 5, NULL);
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_NONE);
    assert_sensor(node, "base");
}

static void deviations_last_until_another_share(void **state)
{
    struct node *node = *state;
    static const struct bind made[] = {
        {MIB_dcampSensorMetric, "two", 0, "load.15"},
        {MIB_dcampSensorRowStatus, "two", SET_CREATE_AND_GO, NULL},
    };
    assert_int_equal(node_set(node, made, N_OF(made)), SET_OK);
    assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 0);
    order_share(node, 1, 1, SHARE_OF("one"));
    assert_sensor(node, "one"); /* what was SET before there was a share is gone, too */
    assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 0);
    assert_int_equal(node_set(node, made, N_OF(made)), SET_OK);
    assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 1);
    node_set_one(node, MIB_dcampSensorInterval, "one", 5000, NULL);
    assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 2);
    node_set_one(node, MIB_dcampSensorRowStatus, "two", SET_DESTROY, NULL);
    assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 1);
    order_share(node, 2, 1, SHARE_OF("one")); /* the same one, ordered by another root */
    assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampSensorInterval, "one", NULL), 5000);
    order_share(node, 2, 2, SHARE("<sensors><sensor name=\"one\" metric=\"load.15\"/></sensors>"));
    assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 0);
    assert_int_not_equal(number_at(node, MIB_dcampSensorInterval, "one", NULL), 5000);
}

/* -- Local rows ------------------------------------------------------------------------------ */

#define HOT(sensor, limit)                                                                         \
    "<thresholds><threshold name=\"hot\" sensor=\"" sensor "\" operator=\"gt\" limit=\"" limit     \
    "\"/></thresholds>"
#define SHARE_WITH(sensor, rest)                                                                   \
    SHARE("<sensors><sensor name=\"" sensor "\" metric=\"load.5\"/></sensors>" rest)

static void mark(struct node *node, const char *row, enum truth_value local)
{
    node_set_one(node, MIB_dcampDeviationLocal, row, local, NULL);
}

static enum set_error try_mark(struct node *node, const char *row, int64_t local)
{
    const struct bind bind = {MIB_dcampDeviationLocal, row, local, NULL};
    return node_set(node, &bind, 1);
}

static void make_threshold(struct node *node, const char *name)
{
    const struct bind made[] = {
        {MIB_dcampThresholdSensor, name, 0, "one"},
        {MIB_dcampThresholdOperator, name, COMPARE_GT, NULL},
        {MIB_dcampThresholdLimit, name, 0, "3"},
        {MIB_dcampThresholdRowStatus, name, SET_CREATE_AND_GO, NULL},
    };
    assert_int_equal(node_set(node, made, N_OF(made)), SET_OK);
}

static void assert_deviation(struct node *node, const char *row, int what, enum truth_value local)
{
    assert_int_equal(number_at(node, MIB_dcampDeviationWhat, row, NULL), what);
    assert_int_equal(number_at(node, MIB_dcampDeviationLocal, row, NULL), local);
}

/* Of one share "hot" and two thresholds that were made, of which one is local; "hot" is, too. */
static void deviate(struct node *node)
{
    order_share(node, 1, 1, SHARE_WITH("one", HOT("one", "5")));
    assert_int_equal(node_count(node, &table_deviation), 0);
    node_set_one(node, MIB_dcampThresholdLimit, "hot", 0, "9");
    make_threshold(node, "mine");
    make_threshold(node, "other");
    assert_deviation(node, "threshold.hot", dcampDeviationWhat_changed, TRUTH_FALSE);
    assert_deviation(node, "threshold.mine", dcampDeviationWhat_added, TRUTH_FALSE);
    uint8_t before[CONFIG_DIGEST], after[CONFIG_DIGEST];
    config_digest(node->daemon->config, before);
    mark(node, "threshold.hot", TRUTH_TRUE);
    mark(node, "threshold.mine", TRUTH_TRUE);
    config_digest(node->daemon->config, after);
    assert_memory_equal(before, after, sizeof before); /* the node works as before */
    assert_deviation(node, "threshold.hot", dcampDeviationWhat_changed, TRUTH_TRUE);
    assert_deviation(node, "threshold.other", dcampDeviationWhat_added, TRUTH_FALSE);
    assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 3);
}

static void restart_saved(struct node *node)
{
    node_wait_saved(node);
    node_start_again(node);
    node_cycle(node, 10);
}

static void local_rows_stay(void **state)
{
    struct node *node = *state;
    deviate(node);
    order_share(node, 1, 2, SHARE_WITH("two", HOT("two", "7")));
    for (int i = 0; i < 2; i++) { /* before a restart and after it */
        assert_sensor(node, "two");
        assert_false(node_has(node, MIB_dcampThresholdLimit, "other", NULL));
        assert_cell_text(node, MIB_dcampThresholdLimit, "hot", NULL, "9");
        assert_deviation(node, "threshold.hot", dcampDeviationWhat_changed, TRUTH_TRUE);
        assert_deviation(node, "threshold.mine", dcampDeviationWhat_added, TRUTH_TRUE);
        assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 2);
        assert_int_equal(number_at(node, MIB_dcampThresholdStorageType, "hot", NULL),
                         STORAGE_PERMANENT);
        /* They are of a sensor that is gone. */
        assert_cell_text(node, MIB_dcampDeviationError, "threshold.hot", NULL,
                         "sensor=\"one\" is not a sensor of this node; add it or name another");
        assert_cell_text(node, MIB_dcampThresholdError, "mine", NULL,
                         "sensor=\"one\" is not a sensor of this node; add it or name another");
        restart_saved(node);
    }
    order_share(node, 1, 3, SHARE_WITH("one", ""));
    for (int i = 0; i < 2; i++) {
        node_cycle(node, 1000); /* the sensor is read */
        node_cycle(node, 1000);
        assert_cell_text(node, MIB_dcampThresholdLimit, "hot", NULL, "9");
        assert_cell_text(node, MIB_dcampDeviationError, "threshold.hot", NULL, "");
        assert_deviation(node, "threshold.hot", dcampDeviationWhat_added, TRUTH_TRUE);
        restart_saved(node);
    }
    /* It is no row of the share any more: it can be destroyed. */
    node_set_one(node, MIB_dcampThresholdRowStatus, "hot", SET_DESTROY, NULL);
    mark(node, "threshold.mine", TRUTH_FALSE);
    restart_saved(node);
    assert_deviation(node, "threshold.mine", dcampDeviationWhat_added, TRUTH_FALSE);
    order_share(node, 1, 4, SHARE_WITH("one", HOT("one", "5")));
    assert_cell_text(node, MIB_dcampThresholdLimit, "hot", NULL, "5");
    assert_int_equal(node_count(node, &table_deviation), 0);
    assert_int_equal(node->daemon->config->locals, 0);
}

/* Without a share as well: with the file, and with another file. */
static void local_rows_outlive_the_tree(void **state)
{
    struct node *node = *state;
    char error[1024];
    deviate(node);
    order_share(node, 1, 2, NULL);
    assert_sensor(node, "base");
    assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 0);
    assert_int_equal(node_count(node, &table_deviation), 2);
    assert_deviation(node, "threshold.hot", dcampDeviationWhat_added, TRUTH_TRUE);
    node_configure(node, "lap", BASE_SENSOR HOT("base", "1"));
    assert_true(dcampd_reload(node->daemon, error));
    node_cycle(node, 10);
    assert_cell_text(node, MIB_dcampThresholdLimit, "hot", NULL, "9");
    assert_deviation(node, "threshold.hot", dcampDeviationWhat_changed, TRUTH_TRUE);
    /* And they are there before there is a tree. */
    order_share(node, 1, 3, SHARE_OF("two"));
    restart_saved(node);
    assert_deviation(node, "threshold.hot", dcampDeviationWhat_added, TRUTH_TRUE);
    assert_deviation(node, "threshold.mine", dcampDeviationWhat_added, TRUTH_TRUE);
}

static void what_cannot_be_local(void **state)
{
    struct node *node = *state;
    struct pdu pdu = {.n = 0};
    size_t index;
    deviate(node);
    assert_int_equal(try_mark(node, "sensor.one", TRUTH_TRUE), SET_INCONSISTENT_NAME);
    assert_error(node,
                 "dcampDeviationLocal.sensor.\"one\": inconsistentName: only a row that a SET "
                 "has made or changed can be local; this one is as the share or the file says");
    assert_int_equal(try_mark(node, "sensor.one", TRUTH_FALSE), SET_INCONSISTENT_NAME);
    assert_int_equal(try_mark(node, "sensor.nobody", TRUTH_TRUE), SET_INCONSISTENT_NAME);
    assert_error(node, "there is no such row");
    assert_int_equal(try_mark(node, "sensor.a b", TRUTH_TRUE), SET_NO_CREATION);
    assert_int_equal(try_mark(node, "credential.x", TRUTH_TRUE), SET_NO_CREATION);
    assert_int_equal(try_mark(node, "threshold.other", 3), SET_WRONG_VALUE);
    /* Destroyed by the same PDU. */
    pdu_add(&pdu, &(struct bind){MIB_dcampThresholdRowStatus, "other", SET_DESTROY, NULL});
    pdu_add(&pdu, &(struct bind){MIB_dcampDeviationLocal, "threshold.other", TRUTH_TRUE, NULL});
    assert_int_equal(pdu_set(node, &pdu, &index), SET_INCONSISTENT_NAME);
    assert_int_equal(index, 2);
    /* One that is made by it can be. */
    pdu.n = 0;
    pdu_add(&pdu, &(struct bind){MIB_dcampDeviationLocal, "filter.new", TRUTH_TRUE, NULL});
    pdu_add(&pdu, &(struct bind){MIB_dcampFilterRowStatus, "new", SET_CREATE_AND_GO, NULL});
    assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
    assert_deviation(node, "filter.new", dcampDeviationWhat_added, TRUTH_TRUE);
    assert_int_equal(node->daemon->config->locals, 3);
    /* As many as there may be. */
    node->daemon->config->locals += CONFIG_LOCALS_MAX - 4;
    mark(node, "threshold.other", TRUTH_TRUE);
    make_threshold(node, "more");
    assert_int_equal(try_mark(node, "threshold.more", TRUTH_TRUE), SET_RESOURCE_UNAVAILABLE);
    assert_error(node, "a SET makes no row local beyond 1000 of them");
    mark(node, "threshold.other", TRUTH_TRUE); /* which it is already */
    mark(node, "threshold.other", TRUTH_FALSE);
    mark(node, "threshold.more", TRUTH_TRUE);
    node->daemon->config->locals -= CONFIG_LOCALS_MAX - 4;
}

/* Who is polled is planned: only a child that nobody has planned can be local. */
static void children_are_planned(void **state)
{
    struct node *node = *state;
    static const char with_child[] =
        SHARE("<credentials><credential name=\"tree\" user=\"dcampPoll\" secrets=\"/nowhere\"/>"
              "</credentials><children><child name=\"web\" address=\"udp:192.0.2.1:161\" "
              "credential=\"tree\"/></children>");
    static const struct bind made[] = {
        {MIB_dcampChildAddress, "web", 0, "udp:192.0.2.9:161"},
        {MIB_dcampChildCredential, "web", 0, "tree"},
        {MIB_dcampChildRowStatus, "web", SET_CREATE_AND_GO, NULL},
        {MIB_dcampDeviationLocal, "child.web", TRUTH_TRUE, NULL},
    };
    assert_int_equal(node_set(node, made, N_OF(made)), SET_OK);
    order_share(node, 1, 1, SHARE_OF("one"));
    assert_deviation(node, "child.web", dcampDeviationWhat_added, TRUTH_TRUE);
    assert_cell_text(node, MIB_dcampDeviationError, "child.web", NULL,
                     "credential=\"tree\" is not a credential of this node; add it or name "
                     "another");
    order_share(node, 1, 2, with_child);
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_IN_FORCE);
    assert_cell_text(node, MIB_dcampChildAddress, "web", NULL, "udp:192.0.2.1:161");
    assert_int_equal(node_count(node, &table_deviation), 0);
    node_set_one(node, MIB_dcampChildPeriod, "web", 5000, NULL);
    assert_int_equal(try_mark(node, "child.web", TRUTH_TRUE), SET_INCONSISTENT_VALUE);
    assert_error(node, "a child of the share or the file cannot be local");
    mark(node, "child.web", TRUTH_FALSE);
}

static void a_mark_can_be_undone(void **state)
{
    struct node *node = *state;
    struct pdu pdu = {.n = 0};
    struct set_transaction *transaction = NULL;
    size_t index;
    deviate(node);
    pdu_add(&pdu, &(struct bind){MIB_dcampDeviationLocal, "threshold.other", TRUTH_TRUE, NULL});
    pdu_add(&pdu, &(struct bind){MIB_dcampDeviationLocal, "threshold.hot", TRUTH_FALSE, NULL});
    assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index), SET_OK);
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    assert_int_not_equal(set_commit_number(transaction), 0); /* it waits for the disk */
    assert_deviation(node, "threshold.other", dcampDeviationWhat_added, TRUTH_TRUE);
    assert_deviation(node, "threshold.hot", dcampDeviationWhat_changed, TRUTH_FALSE);
    assert_int_equal(set_undo(transaction, node->now), SET_OK);
    set_cleanup(transaction);
    assert_deviation(node, "threshold.other", dcampDeviationWhat_added, TRUTH_FALSE);
    assert_deviation(node, "threshold.hot", dcampDeviationWhat_changed, TRUTH_TRUE);
    assert_int_equal(node->daemon->config->locals, 2);
}

/* The serial of the configuration grows with each change, and only with one. */
static void serials_go_on(void **state)
{
    struct node *node = *state;
    uint32_t serial = node->daemon->config->serial;
    order_share(node, 1, 1, SHARE_OF("one"));
    assert_int_equal(node->daemon->config->serial, serial + 1);
    order_share(node, 1, 2, SHARE_OF("one") " ");
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_IN_FORCE);
    assert_int_equal(node->daemon->config->serial, serial + 1);
    order_share(node, 1, 3, NULL);
    assert_int_equal(node->daemon->config->serial, serial + 2);
}

static void settings_are_those_of_the_file(void **state)
{
    struct node *node = *state;
    char error[1024];
    order_share(node, 1, 1, SHARE_OF("one"));
    node_set_one(node, MIB_dcampSensorInterval, "one", 5000, NULL);
    node_configure(node, "lap", "<collect child-kb=\"777\"/>" BASE_SENSOR);
    assert_true(dcampd_reload(node->daemon, error));
    node_cycle(node, 10);
    assert_int_equal(node->daemon->config->collect.child_kb, 777);
    assert_sensor(node, "one");
    assert_int_equal(number_at(node, MIB_dcampSensorInterval, "one", NULL), 5000);
    order_share(node, 1, 2, SHARE_OF("two"));
    assert_int_equal(node->daemon->config->collect.child_kb, 777);
    assert_string_equal(node->daemon->config->state_dir, node->state_dir);
    order_share(node, 1, 3, NULL);
    assert_int_equal(node->daemon->config->collect.child_kb, 777);
    assert_sensor(node, "base");
    assert_true(dcampd_reload(node->daemon, error));
    assert_sensor(node, "base");
}

/* -- SET ------------------------------------------------------------------------------------- */

/* Each varbind of an order, spoiled in one way. */
static void varbinds_are_looked_at(void **state)
{
    struct node *node = *state;
    static const uint8_t octets[16385];
    const struct {
        enum mib_object object;
        int64_t number;
        size_t len;
        const char *text;
        enum set_error error;
    } bad[] = {
        {MIB_dcampDocumentTerm, -1, 0, NULL, SET_WRONG_VALUE},
        {MIB_dcampDocumentTerm, INT64_C(1) << 32, 0, NULL, SET_WRONG_VALUE},
        {MIB_dcampDocumentTerm, 0, 0, NULL, SET_INCONSISTENT_VALUE},
        {MIB_dcampDocumentRoot, 0, 0, "", SET_WRONG_VALUE},
        {MIB_dcampDocumentRoot, 0, 0, "r 1", SET_WRONG_VALUE},
        {MIB_dcampDocumentRoot, 0, 0, "r\x81", SET_WRONG_VALUE},
        {MIB_dcampDocumentRoot, 0, 33, NULL, SET_WRONG_LENGTH},
        {MIB_dcampDocumentDigest, 0, 31, NULL, SET_WRONG_LENGTH},
        {MIB_dcampDocumentDigest, 0, 33, NULL, SET_WRONG_LENGTH},
        {MIB_dcampDocumentDigest, 0, 0, "", SET_INCONSISTENT_VALUE},
        {MIB_dcampDocumentLength, 1048577, 0, NULL, SET_WRONG_VALUE},
        {MIB_dcampDocumentLength, 1, 0, NULL, SET_INCONSISTENT_VALUE},
        {MIB_dcampDocumentOffset, 1048577, 0, NULL, SET_WRONG_VALUE},
        {MIB_dcampDocumentOffset, 1, 0, NULL, SET_INCONSISTENT_VALUE},
        {MIB_dcampDocumentPart, 0, 16385, NULL, SET_WRONG_LENGTH},
        {MIB_dcampDocumentPart, 0, 16384, NULL, SET_INCONSISTENT_VALUE},
    };
    struct parcel *parcel = packed(SHARE_OF("one"));
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct pdu pdu = {.n = 0};
        size_t index, at = bad[i].object - MIB_dcampDocumentTerm;
        add_order(&pdu, DOCUMENT_SHARE, 1, 1, "r1", parcel, 0, parcel->len);
        pdu.varbinds[at].number = bad[i].number;
        pdu.varbinds[at].octets = bad[i].text ? (const uint8_t *)bad[i].text : octets;
        pdu.varbinds[at].octets_len = bad[i].text ? strlen(bad[i].text) : bad[i].len;
        enum set_error error = pdu_set(node, &pdu, &index);
        if (error != bad[i].error)
            fail_msg("%zu: %d, not %d", i, error, bad[i].error);
        assert_int_equal(index, error == SET_INCONSISTENT_VALUE ? pdu.n : at + 1);
        assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_NONE);
        assert_int_equal(number_of(node, MIB_dcampDocumentTerm, DOCUMENT_SHARE), 0);
    }
    parcel_drop(parcel);
    assert_error(node, "ends behind the");
}

static void other_cells_cannot_be_set(void **state)
{
    struct node *node = *state;
    static const enum mib_object objects[] = {MIB_dcampDocumentKind,  MIB_dcampDocumentState,
                                              MIB_dcampDocumentError, MIB_dcampDocumentInForce,
                                              MIB_dcampTreeSerial,    MIB_dcampTreeReason};
    size_t index;
    for (size_t i = 0; i < N_OF(objects); i++) {
        struct pdu pdu = {.n = 0};
        add(&pdu, objects[i], DOCUMENT_SHARE)->number = 1;
        assert_int_equal(pdu_set(node, &pdu, &index), SET_NOT_WRITABLE);
    }
    struct pdu none = {.n = 0};
    add(&none, MIB_dcampDocumentTerm, 3)->number = 1;
    assert_int_equal(pdu_set(node, &none, &index), SET_NO_CREATION);
    assert_error(node, "there is no such row");
    struct pdu type = {.n = 0};
    add(&type, MIB_dcampDocumentTerm, DOCUMENT_SHARE)->syntax = MIB_SYNTAX_INTEGER;
    assert_int_equal(pdu_set(node, &type, &index), SET_WRONG_TYPE);
}

/* An order, a row and an order of the other document: all or nothing, wherever the fault is. */
static void a_pdu_is_done_whole_or_not_at_all(void **state)
{
    struct node *node = *state;
    struct parcel *share = packed(SHARE_OF("one")), *tree = packed(TREE(""));
    for (int fault = 0; fault <= 3; fault++) {
        struct pdu pdu = {.n = 0};
        size_t index;
        const struct bind row[] = {{MIB_dcampFilterThrottle, "new", 1000, NULL},
                                   {MIB_dcampFilterRowStatus, "new",
                                    fault == 2 ? SET_DESTROY + 1 : SET_CREATE_AND_GO, NULL}};
        add_order(&pdu, DOCUMENT_SHARE, fault == 1 ? 0 : 1, 1, "r1", share, 0, 10);
        pdu_add(&pdu, &row[0]);
        pdu_add(&pdu, &row[1]);
        add_order(&pdu, DOCUMENT_TREE, 1, 1, "r1", tree, fault == 3 ? 1 : 0, tree->len);
        enum set_error error = pdu_set(node, &pdu, &index);
        assert_int_equal(error == SET_OK, fault == 0);
        assert_int_equal(node_has(node, MIB_dcampFilterThrottle, "new", NULL), fault == 0);
        assert_int_equal(number_of(node, MIB_dcampDocumentTerm, DOCUMENT_SHARE), fault == 0);
        assert_int_equal(number_of(node, MIB_dcampDocumentTerm, DOCUMENT_TREE), fault == 0);
        node_cycle(node, 10);
        if (fault == 0) { /* back to where it was */
            assert_int_equal(state_of(node, DOCUMENT_TREE), DOCUMENT_IN_FORCE);
            node_free(node);
            node = *state = node_new(BASE_SENSOR);
        }
    }
    parcel_drop(share);
    parcel_drop(tree);
}

static struct set_transaction *tested(struct node *node, uint32_t epoch, const char *text)
{
    struct pdu pdu = {.n = 0};
    struct set_transaction *transaction = NULL;
    size_t index;
    struct parcel *parcel = packed(text);
    add_order(&pdu, DOCUMENT_SHARE, 1, epoch, "r1", parcel, 0, parcel->len);
    assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index), SET_OK);
    parcel_drop(parcel);
    return transaction;
}

static void phases_may_come_again(void **state)
{
    struct node *node = *state;
    order_share(node, 1, 1, SHARE_OF("one"));
    struct set_transaction *transaction = tested(node, 2, SHARE_OF("two"));
    assert_sensor(node, "one");
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    node_cycle(node, 10);
    assert_sensor(node, "two");
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    assert_int_equal(set_undo(transaction, node->now), SET_OK);
    assert_int_equal(set_undo(transaction, node->now), SET_OK);
    assert_int_equal(set_commit(transaction, node->now), SET_COMMIT_FAILED);
    assert_int_equal(number_of(node, MIB_dcampDocumentEpoch, DOCUMENT_SHARE), 1);
    node_cycle(node, 10);
    set_cleanup(transaction);
    assert_sensor(node, "one");
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_IN_FORCE);
    node_wait_saved(node);
    node_start_again(node);
    assert_sensor(node, "one");
    assert_int_equal(number_of(node, MIB_dcampDocumentEpoch, DOCUMENT_SHARE), 1);
}

/* Before the core has looked at it, and of the first share of all. */
static void an_undo_leaves_the_node_as_it_was(void **state)
{
    struct node *node = *state;
    for (int looked = 0; looked < 2; looked++) {
        struct set_transaction *transaction = tested(node, 1, SHARE_OF("two"));
        assert_int_equal(set_commit(transaction, node->now), SET_OK);
        if (looked)
            node_cycle(node, 10);
        assert_sensor(node, looked ? "two" : "base");
        assert_int_equal(set_undo(transaction, node->now), SET_OK);
        set_cleanup(transaction);
        node_cycle(node, 10);
        assert_sensor(node, "base");
        assert_role(node, dcampNodeRole_metric, "", "default");
        assert_int_equal(number_of(node, MIB_dcampDocumentTerm, DOCUMENT_SHARE), 0);
    }
}

/* A reload between the phases is nothing to a document, and all to rows. */
static void a_reload_meanwhile(void **state)
{
    struct node *node = *state;
    char error[1024];
    struct set_transaction *transaction = tested(node, 1, SHARE_OF("one"));
    assert_true(dcampd_reload(node->daemon, error));
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    node_cycle(node, 10);
    set_cleanup(transaction);
    assert_sensor(node, "one");
}

/* The document is another one since the test: not what was tested. */
static void a_change_meanwhile(void **state)
{
    struct node *node = *state;
    assert_int_equal(order(node, DOCUMENT_SHARE, 1, 1, "r1", SHARE_OF("one")), SET_OK);
    struct set_transaction *transaction = tested(node, 2, SHARE_OF("two"));
    node_cycle(node, 10);
    assert_int_equal(set_commit(transaction, node->now), SET_COMMIT_FAILED);
    assert_error(node, "the document has changed meanwhile");
    set_cleanup(transaction);
    node_cycle(node, 10);
    assert_sensor(node, "one");
}

/* -- The disk -------------------------------------------------------------------------------- */

/* What is answered is in force and on disk: the save before the node works by it does not count. */
static void orders_are_saved_when_they_are_in_force(void **state)
{
    struct node *node = *state;
    node_wait_saved(node);
    struct set_transaction *transaction = tested(node, 1, SHARE_OF("one"));
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    uint64_t commit = set_commit_number(transaction);
    assert_int_not_equal(commit, 0);
    assert_true(dcampd_dirty(node->daemon));
    dcampd_lock(node->daemon);
    dcampd_save(node->daemon, node->now.mono_ns);
    dcampd_unlock(node->daemon);
    node_wait(node);
    assert_true(saver_status(node->daemon->saver).saved.commits < commit);
    node_wait_saved(node);
    assert_true(saver_status(node->daemon->saver).saved.commits >= commit);
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_IN_FORCE);
    set_cleanup(transaction);
}

static void parts_need_no_disk(void **state)
{
    struct node *node = *state;
    struct parcel *parcel = packed(SHARE_OF("one"));
    struct pdu pdu = {.n = 0};
    struct set_transaction *transaction = NULL;
    size_t index;
    node_wait_saved(node);
    add_order(&pdu, DOCUMENT_SHARE, 1, 1, "r1", parcel, 0, 20);
    assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index), SET_OK);
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    assert_int_equal(set_commit_number(transaction), 0);
    assert_false(dcampd_dirty(node->daemon));
    set_cleanup(transaction);
    assert_int_equal(number_of(node, MIB_dcampDocumentOffset, DOCUMENT_SHARE), 20);
    /* If it is saved all the same, the order is known, and its octets come anew. */
    node_start_again(node);
    node_cycle(node, 10);
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_PARTIAL);
    assert_int_equal(number_of(node, MIB_dcampDocumentOffset, DOCUMENT_SHARE), 0);
    assert_int_equal(number_of(node, MIB_dcampDocumentTerm, DOCUMENT_SHARE), 1);
    order_share(node, 1, 1, SHARE_OF("one"));
    assert_sensor(node, "one");
    parcel_drop(parcel);
}

static void a_restart_goes_on_by_the_share(void **state)
{
    struct node *node = *state;
    order_share(node, 3, 4, SHARE_OF("one"));
    assert_int_equal(order(node, DOCUMENT_TREE, 5, 6, "r1", TREE("")), SET_OK);
    node_cycle(node, 10);
    node_set_one(node, MIB_dcampSensorInterval, "one", 5000, NULL);
    uint32_t serial = node->daemon->config->serial;
    for (int i = 0; i < 3; i++) {
        node_wait_saved(node);
        node_start_again(node);
        assert_sensor(node, "one"); /* before the first cycle */
        assert_role(node, dcampNodeRole_metric, "r1", "web");
        assert_int_equal(number_at(node, MIB_dcampSensorInterval, "one", NULL), 5000);
        assert_int_equal(number_at(node, MIB_dcampTreeDeviations, NULL, NULL), 1);
        assert_int_equal(node->daemon->config->serial, serial);
        node_cycle(node, 10);
        assert_sensor(node, "one");
        assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_IN_FORCE);
        assert_int_equal(number_of(node, MIB_dcampDocumentTerm, DOCUMENT_SHARE), 3);
        assert_int_equal(number_of(node, MIB_dcampDocumentEpoch, DOCUMENT_TREE), 6);
        assert_string_equal(node->daemon->documents.tree.text, TREE(""));
    }
    assert_int_equal(order(node, DOCUMENT_SHARE, 2, 1, "r2", SHARE_OF("two")),
                     SET_INCONSISTENT_VALUE);
}

/* A share that this version cannot read any more: the file counts, and the reason can be read. */
static void a_share_that_became_wrong(void **state)
{
    struct node *node = *state;
    order_share(node, 1, 1, SHARE_OF("one"));
    struct ordered *ordered = documents_of(&node->daemon->documents, DOCUMENT_SHARE);
    parcel_drop(ordered->in_force);
    ordered->in_force = packed(SHARE("<novelties/>"));
    node_start_again(node);
    assert_sensor(node, "base");
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_REFUSED);
    node_cycle(node, 10);
    assert_sensor(node, "base");
    order_share(node, 1, 1, SHARE_OF("one"));
    assert_sensor(node, "one");
}

static void a_tree_document_that_became_wrong(void **state)
{
    struct node *node = *state;
    assert_int_equal(order(node, DOCUMENT_TREE, 1, 1, "r1", TREE("")), SET_OK);
    node_cycle(node, 10);
    struct ordered *ordered = documents_of(&node->daemon->documents, DOCUMENT_TREE);
    parcel_drop(ordered->in_force);
    ordered->in_force = packed("<tree version=\"1\"/>");
    node_start_again(node);
    node_cycle(node, 10);
    assert_int_equal(state_of(node, DOCUMENT_TREE), DOCUMENT_REFUSED);
    assert_null(node->daemon->documents.tree.text);
}

/* One octet of the document is another one: the file is damaged, and the one before it counts. */
static void damage_is_found(void **state)
{
    struct node *node = *state;
    order_share(node, 1, 1, SHARE_OF("one"));
    node_wait_saved(node);
    node_start_again(node);
    node_cycle(node, 10);
    node_wait_saved(node);
    node_stop(node);
    char path[PATH_MAX + 64];
    size_t length;
    snprintf(path, sizeof path, "%s/state.xml", node->state_dir);
    char *text = file_text(path, &length);
    char *at = strstr(text, "<document kind=\"share\"");
    assert_non_null(at);
    at = strchr(at, '>') + 30;
    *at = *at == 'A' ? 'B' : 'A';
    tree_write_bytes(&node->tree, "/state/state.xml", text, length);
    free(text);
    node_start(node);
    assert_sensor(node, "one"); /* of state.xml.1 */
    assert_int_equal(state_of(node, DOCUMENT_SHARE), DOCUMENT_IN_FORCE);
    snprintf(path, sizeof path, "%s/state.xml.bad", node->state_dir);
    free(file_text(path, &length));
}

/* -- The tree document ----------------------------------------------------------------------- */

static void the_tree_document_is_there_for_the_director(void **state)
{
    struct node *node = *state;
    const struct tree_in_force *tree = &node->daemon->documents.tree;
    assert_null(tree->text);
    assert_int_equal(tree->order.term, 0);
    uint64_t changes = tree->changes;
    assert_int_equal(order(node, DOCUMENT_TREE, 1, 1, "r1", TREE("")), SET_OK);
    assert_int_equal(tree->changes, changes);
    node_cycle(node, 10);
    assert_string_equal(tree->text, TREE(""));
    assert_int_equal(tree->len, strlen(TREE("")));
    assert_int_equal(tree->order.term, 1);
    assert_true(tree->changes > changes);
    changes = tree->changes;
    node_cycle(node, 10);
    assert_int_equal(tree->changes, changes);
    /* The same one, of another root: standbys look at its order. */
    assert_int_equal(order(node, DOCUMENT_TREE, 2, 1, "r2", TREE("")), SET_OK);
    node_cycle(node, 10);
    assert_string_equal(tree->order.root, "r2");
    assert_string_equal(tree->text, TREE(""));
    assert_true(tree->changes > changes);
    changes = tree->changes;
    /* A wrong one. */
    assert_int_equal(order(node, DOCUMENT_TREE, 2, 2, "r2", "<tree version=\"1\"/>"), SET_OK);
    node_cycle(node, 10);
    assert_int_equal(state_of(node, DOCUMENT_TREE), DOCUMENT_REFUSED);
    assert_string_equal(tree->text, TREE(""));
    assert_int_equal(tree->changes, changes);
    /* And its end. */
    assert_int_equal(order(node, DOCUMENT_TREE, 2, 3, "r2", NULL), SET_OK);
    node_cycle(node, 10);
    assert_null(tree->text);
    assert_int_equal(tree->order.epoch, 3);
    assert_true(tree->order.is_empty);
    assert_true(tree->changes > changes);
    assert_sensor(node, "base");
}

/* A root keeps the document until its director has made base nodes of all, over any restart. */
static void an_end_outlives_restarts(void **state)
{
    struct node *node = *state;
    const char *self = node->daemon->config->node.name;
    assert_int_equal(order(node, DOCUMENT_TREE, 1, 1, self, TREE("")), SET_OK);
    node_cycle(node, 10);
    assert_int_equal(order(node, DOCUMENT_TREE, 1, 2, self, NULL), SET_OK);
    node_cycle(node, 10);
    for (int i = 0; i < 3; i++) {
        const struct tree_in_force *tree = &node->daemon->documents.tree;
        assert_true(tree->ends);
        assert_string_equal(tree->text, TREE(""));
        assert_string_equal(tree->order.root, node->daemon->config->node.name);
        assert_int_equal(state_of(node, DOCUMENT_TREE), DOCUMENT_NONE);
        assert_false(documents_wait(&node->daemon->documents));
        node_cycle(node, 1000);
        node_wait_saved(node);
        node_start_again(node);
        node_cycle(node, 10);
    }
    adoption_end_tree(node->daemon);
    assert_null(node->daemon->documents.tree.text);
    assert_true(dcampd_dirty(node->daemon));
    for (int i = 0; i < 2; i++) {
        assert_null(documents_of(&node->daemon->documents, DOCUMENT_TREE)->in_force);
        assert_int_equal(number_of(node, MIB_dcampDocumentEpoch, DOCUMENT_TREE), 2);
        assert_int_equal(documents_due(&node->daemon->documents, 0), UINT64_MAX);
        node_cycle(node, 1000);
        node_wait_saved(node);
        node_start_again(node);
        node_cycle(node, 10);
        assert_null(node->daemon->documents.tree.text);
    }
}

/* Another tree that is ordered while the one before ends is not taken apart. */
static void a_tree_may_begin_while_one_ends(void **state)
{
    struct node *node = *state;
    const char *self = node->daemon->config->node.name;
    const struct tree_in_force *tree = &node->daemon->documents.tree;
    for (uint32_t epoch = 1; epoch <= 3; epoch += 2) {
        const char *text = epoch == 1 ? TREE("") : TREE("<groups/>");
        assert_int_equal(order(node, DOCUMENT_TREE, 1, 1, self, TREE("")),
                         epoch == 1 ? SET_OK : SET_INCONSISTENT_VALUE);
        node_cycle(node, 10);
        assert_int_equal(order(node, DOCUMENT_TREE, 1, epoch + 1, self, NULL), SET_OK);
        node_cycle(node, 10);
        assert_true(tree->ends);
        assert_int_equal(order(node, DOCUMENT_TREE, 1, epoch + 2, self, text), SET_OK);
        node_cycle(node, 10);
        assert_false(tree->ends);
        assert_string_equal(tree->text, text);
        adoption_end_tree(node->daemon); /* which was on its way */
        assert_string_equal(tree->text, text);
        assert_int_equal(state_of(node, DOCUMENT_TREE), DOCUMENT_IN_FORCE);
    }
}

/* -- The documents that are kept ------------------------------------------------------------- */

static struct mib_oid kept_cell(enum mib_object object, enum parts_document which, uint32_t part)
{
    struct mib_oid oid = {.len = mib_objects[object].oid_len};
    memcpy(oid.id, mib_objects[object].oid, oid.len * sizeof *oid.id);
    oid.id[oid.len++] = which;
    oid.id[oid.len++] = part;
    return oid;
}

/* What all parts of a document are together, unpacked, as a manager reads them; NULL: there is
 * none. */
static char *kept_text(struct node *node, enum parts_document which, int64_t *serial)
{
    struct mib_value value;
    uint8_t octets[16384];
    size_t n = 0, len, n_parts = 0;
    char error[FAULT_SIZE];
    struct mib_oid oid = kept_cell(MIB_dcampKeptSerial, which, 1);
    if (node_get(node, &oid, &value) != ENGINE_OK)
        return NULL;
    *serial = (int64_t)value.number;
    for (oid = kept_cell(MIB_dcampKeptOctets, which, 1); node_get(node, &oid, &value) == ENGINE_OK;
         oid.id[oid.len - 1]++) {
        assert_in_range(n + value.octets.len, 1, sizeof octets);
        memcpy(octets + n, value.octets.at, value.octets.len);
        n += value.octets.len;
        n_parts++;
    }
    assert_int_equal(n_parts, (n + 1023) / 1024);
    oid = kept_cell(MIB_dcampKeptLength, which, 1);
    assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
    assert_int_equal(value.number, n);
    struct parcel *parcel = parcel_of(octets, n);
    oid = kept_cell(MIB_dcampKeptDigest, which, (uint32_t)n_parts);
    assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, CONFIG_DIGEST);
    assert_memory_equal(value.octets.at, parcel->digest, CONFIG_DIGEST);
    parcel_drop(parcel);
    return parcel_unpack(octets, n, &len, error);
}

static void assert_kept(struct node *node, enum parts_document which, const char *text,
                        int64_t serial)
{
    int64_t its = -1;
    char *kept = kept_text(node, which, &its);
    assert_int_equal(kept != NULL, text != NULL);
    if (text) {
        assert_string_equal(kept, text);
        assert_int_equal(its, serial);
    }
    free(kept);
}

/* The share that a root makes of a tree document. */
static void order_share_of(struct node *node, uint32_t epoch, const char *tree, unsigned serial)
{
    char digest[2 * CONFIG_DIGEST + 1], text[1024];
    struct parcel *parcel = packed(tree);
    hex_from_octets(digest, parcel->digest, CONFIG_DIGEST, HEX_LOWER);
    parcel_drop(parcel);
    snprintf(text, sizeof text,
             "<dcamp version=\"1\"><assignment role=\"root\" level=\"0\" "
             "group=\"web\" root=\"r1\" serial=\"%u\" tree=\"%s\" reason=\"as planned\"/></dcamp>",
             serial, digest);
    order_share(node, 1, epoch, text);
}

static void order_tree(struct node *node, uint32_t epoch, const char *text)
{
    assert_int_equal(order(node, DOCUMENT_TREE, 1, epoch, "r1", text), SET_OK);
    node_cycle(node, 10);
}

static void assert_both(struct node *node, const char *in_force, int64_t serial,
                        const char *previous, int64_t previous_serial)
{
    for (int i = 0; i < 2; i++) {
        assert_kept(node, PARTS_IN_FORCE, in_force, serial);
        assert_kept(node, PARTS_PREVIOUS, previous, previous_serial);
        if (i > 0)
            break;
        node_wait_saved(node);
        node_start_again(node);
        node_cycle(node, 10);
    }
}

/* Before and after a restart each. */
static void tree_documents_are_given_back(void **state)
{
    struct node *node = *state;
    const char *one = TREE(""), *two = TREE("<groups/>"), *three = TREE("<sensors/>");
    assert_both(node, NULL, 0, NULL, 0);
    order_share_of(node, 1, one, 4); /* of a leaf */
    assert_both(node, NULL, 0, NULL, 0);
    order_tree(node, 1, one);
    assert_both(node, one, 4, NULL, 0);
    order_tree(node, 2, two);
    assert_both(node, two, 0, one, 4); /* no share says yet which one it is */
    order_share_of(node, 2, two, 5);
    assert_both(node, two, 5, one, 4);
    order_tree(node, 3, three);
    order_tree(node, 4, two);
    assert_both(node, two, 5, three, 0);
    order_share_of(node, 3, two, 7);
    assert_both(node, two, 7, three, 0);
    order_tree(node, 5, "<tree version=\"1\"/>"); /* which is refused */
    assert_both(node, two, 7, three, 0);
    order_tree(node, 6, NULL);
    assert_both(node, NULL, 0, NULL, 0);
}

/* A document of many parts, in the order of a walk; it takes the place of a short one. */
static void documents_of_many_parts(void **state)
{
    struct node *node = *state;
    char text[9000];
    uint32_t random = 1;
    int n = snprintf(text, sizeof text, "<!-- ");
    for (size_t i = 0; i < 5000; i++)
        text[n++] = (char)('a' + ((random = random * 1664525 + 1013904223) >> 24) % 26);
    snprintf(text + n, sizeof text - (size_t)n, " -->%s", TREE(""));
    order_tree(node, 1, TREE(""));
    assert_kept(node, PARTS_IN_FORCE, TREE(""), 0);
    order_tree(node, 2, text);
    assert_both(node, text, 0, TREE(""), 0);
    assert_in_range(documents_parts(&node->daemon->documents)->count, 4, 8);
    size_t count = 0;
    for (struct index_node *at = index_first(documents_parts(&node->daemon->documents)); at;
         at = index_next(at))
        count++;
    assert_int_equal(count, documents_parts(&node->daemon->documents)->count);
    order_tree(node, 3, TREE(""));
    assert_both(node, TREE(""), 0, text, 0);
}

/* -- Memory ---------------------------------------------------------------------------------- */

/* Wherever it fails, the node works by one share or by the other, whole, and can be told again. */
static void memory_may_fail(void **state)
{
    struct node *node = *state;
    size_t refused = 0;
    uint32_t epoch = 1;
    bool failed = true;
    order_share(node, 1, epoch, SHARE_OF("one"));
    for (size_t nth = 1; failed; nth++) {
        struct pdu pdu = {.n = 0};
        size_t index;
        struct parcel *parcel = packed(SHARE_OF("two"));
        add_order(&pdu, DOCUMENT_SHARE, 1, ++epoch, "r1", parcel, 0, parcel->len);
        scarce_fail(nth);
        enum set_error error = pdu_set(node, &pdu, &index);
        if (!error)
            adoption_step(node->daemon, node->now);
        failed = scarce_stop();
        parcel_drop(parcel);
        assert_true(!error || error == SET_RESOURCE_UNAVAILABLE);
        bool in_force = !error && state_of(node, DOCUMENT_SHARE) == DOCUMENT_IN_FORCE;
        assert_sensor(node, in_force ? "two" : "one");
        assert_true(in_force || failed);
        refused += !in_force;
        order_share(node, 1, ++epoch, SHARE_OF("one"));
        assert_sensor(node, "one");
    }
    assert_in_range(refused, 5, 10000);
}

/* A local row is there with the old share and with the new one, wherever memory fails. */
static void local_rows_need_no_memory(void **state)
{
    struct node *node = *state;
    uint32_t epoch = 1;
    bool failed = true;
    size_t old = 0;
    deviate(node);
    for (size_t nth = 1; failed; nth++) {
        scarce_fail(nth);
        enum set_error error = try_mark(node, "threshold.mine", TRUTH_FALSE);
        scarce_stop();
        assert_true(!error || error == SET_RESOURCE_UNAVAILABLE);
        assert_int_equal(node->daemon->config->locals, error ? 2 : 1);
        mark(node, "threshold.mine", TRUTH_TRUE);
        order_share(node, 1, ++epoch, SHARE_WITH("one", ""));
        assert_int_equal(
            order(node, DOCUMENT_SHARE, 1, ++epoch, "r1", SHARE_WITH("two", HOT("two", "7"))),
            SET_OK);
        scarce_fail(nth);
        adoption_step(node->daemon, node->now);
        failed = scarce_stop();
        old += state_of(node, DOCUMENT_SHARE) != DOCUMENT_IN_FORCE;
        assert_cell_text(node, MIB_dcampThresholdLimit, "hot", NULL, "9");
        assert_int_equal(number_at(node, MIB_dcampDeviationLocal, "threshold.hot", NULL),
                         TRUTH_TRUE);
        assert_int_equal(number_at(node, MIB_dcampDeviationLocal, "threshold.mine", NULL),
                         TRUTH_TRUE);
    }
    assert_in_range(old, 4, 10000); /* the text, the configuration, two rows */
}

/* A start has the share and what was SET, or does not succeed; and loses nothing that way. */
static void a_start_is_whole_or_none(void **state)
{
    struct node *node = *state;
    const struct dcampd_options options = {
        .config_path = node->config_path, .state_dir = node->state_dir, .root = node->tree.root};
    char error[1024];
    order_share(node, 1, 1, SHARE_OF("one"));
    node_set_one(node, MIB_dcampSensorInterval, "one", 5000, NULL);
    node_wait_saved(node);
    node_stop(node);
    bool failed = true;
    size_t refused = 0;
    for (size_t nth = 1; failed; nth++) {
        error[0] = '\0';
        scarce_fail(nth);
        node->daemon = dcampd_new(&options, error);
        failed = scarce_stop();
        refused += !node->daemon;
        assert_true(node->daemon || (failed && error[0]));
        if (!node->daemon)
            continue;
        assert_sensor(node, "one");
        assert_role(node, dcampNodeRole_metric, "r1", "web");
        assert_int_equal(number_at(node, MIB_dcampSensorInterval, "one", NULL), 5000);
        if (failed)
            dcampd_free(node->daemon);
    }
    assert_in_range(refused, 20, 10000);
}

/* What is in force is not lost for want of memory at the start. */
static void a_tree_document_waits_for_memory(void **state)
{
    struct node *node = *state;
    assert_int_equal(order(node, DOCUMENT_TREE, 1, 1, "r1", TREE("")), SET_OK);
    node_cycle(node, 10);
    node_wait_saved(node);
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        node_start_again(node);
        scarce_fail(nth);
        adoption_step(node->daemon, node->now);
        failed = scarce_stop();
        if (!node->daemon->documents.tree.text) {
            assert_int_equal(node->daemon->documents.again_ns, node->now.mono_ns + NS_PER_S);
            assert_in_range(node_cycle(node, 1), 1, NS_PER_S);
            node_cycle(node, 1000);
        }
        assert_string_equal(node->daemon->documents.tree.text, TREE(""));
        assert_int_equal(state_of(node, DOCUMENT_TREE), DOCUMENT_IN_FORCE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(a_share_is_in_force_in_the_next_cycle),
        node_test(roles_are_those_of_the_share),
        node_test(what_is_refused_leaves_what_is_in_force),
        node_test(deviations_last_until_another_share),
        node_test(local_rows_stay),
        node_test(local_rows_outlive_the_tree),
        node_test(what_cannot_be_local),
        node_test(children_are_planned),
        node_test(a_mark_can_be_undone),
        node_test(serials_go_on),
        node_test(settings_are_those_of_the_file),
        node_test(varbinds_are_looked_at),
        node_test(other_cells_cannot_be_set),
        node_test(a_pdu_is_done_whole_or_not_at_all),
        node_test(phases_may_come_again),
        node_test(an_undo_leaves_the_node_as_it_was),
        node_test(a_reload_meanwhile),
        node_test(a_change_meanwhile),
        node_test(orders_are_saved_when_they_are_in_force),
        node_test(parts_need_no_disk),
        node_test(a_restart_goes_on_by_the_share),
        node_test(a_share_that_became_wrong),
        node_test(a_tree_document_that_became_wrong),
        node_test(damage_is_found),
        node_test(the_tree_document_is_there_for_the_director),
        node_test(an_end_outlives_restarts),
        node_test(a_tree_may_begin_while_one_ends),
        node_test(tree_documents_are_given_back),
        node_test(documents_of_many_parts),
        node_test(memory_may_fail),
        node_test(local_rows_need_no_memory),
        node_test(a_start_is_whole_or_none),
        node_test(a_tree_document_waits_for_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
