/* dcamp promote, config push, config rollback and stop, asked of an agent on loopback that takes
 * orders as a node does: what is sent, and what is said of what comes of it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "cli/packed.h"
#include "cli/promote.h"

#include "tree_cells.h"
#include "unit.h"

#define TEXT_MAX 20000

static const char digest[33] = "the digest of some other document";

static struct scene {
    struct asking asking;
    char path[40];        /* of the tree document */
    struct packed packed; /* what it is */
    /* what was ordered */
    size_t sets, parts, held;
    uint8_t octets[PACKED_MAX];
    int64_t term, epoch, length;
    char root[NAME_SIZE];
    size_t digest_len;
    /* what the node does then */
    long refusal; /* of a SET: its error status */
    int64_t state;
    const char *error;
    size_t deaf_sets;   /* so many SETs are not answered */
    int64_t other_term; /* another order was first; 0: none */
    int64_t one_state;  /* of the node below; 0: there is no tree */
    bool stays_root;
} scene;

/* -- The node -------------------------------------------------------------------------------- */

static bool is_object(const struct codec_binding *binding, enum mib_object object)
{
    const struct mib_info *info = &mib_objects[object];
    for (size_t i = 0; i < info->oid_len; i++)
        if (binding->id[i] != info->oid[i])
            return false;
    return binding->id_len == info->oid_len + 1 &&
           binding->id[info->oid_len] == dcampDocumentKind_tree;
}

static int64_t number_of(const struct codec_binding *binding)
{
    int64_t number = 0;
    for (const uint8_t *at = binding->value.at; at < binding->value.at + binding->value.len; at++)
        number = number << 8 | *at;
    return number;
}

static void take_binding(const struct codec_binding *binding, size_t *offset)
{
    const struct codec_span *value = &binding->value;
    if (is_object(binding, MIB_dcampDocumentTerm)) {
        scene.term = number_of(binding);
    } else if (is_object(binding, MIB_dcampDocumentEpoch)) {
        scene.epoch = number_of(binding);
    } else if (is_object(binding, MIB_dcampDocumentRoot)) {
        memcpy(scene.root, value->at, value->len);
        scene.root[value->len] = '\0';
    } else if (is_object(binding, MIB_dcampDocumentDigest)) {
        scene.digest_len = value->len;
    } else if (is_object(binding, MIB_dcampDocumentLength)) {
        scene.length = number_of(binding);
    } else if (is_object(binding, MIB_dcampDocumentOffset)) {
        *offset = (size_t)number_of(binding);
    } else if (is_object(binding, MIB_dcampDocumentPart)) {
        memcpy(scene.octets + *offset, value->at, value->len);
        scene.held = *offset + value->len;
        scene.parts++;
    }
}

/* The root has two nodes, of which one may be anything. */
static void grow_tree(void)
{
    struct asking *asking = &scene.asking;
    tree_member(asking, "lap", "", dcampTreeRole_root, dcampTreeState_up, scene.packed.digest);
    tree_member(asking, "one", "lap", dcampTreeRole_metric, scene.one_state,
                scene.one_state == dcampTreeState_up ? scene.packed.digest : NULL);
    asking_text(asking, MIB_dcampTreeError, "one", NULL,
                scene.one_state == dcampTreeState_up ? "" : "it has no \x1b[2J sensor");
}

static void obey(void)
{
    struct asking *asking = &scene.asking;
    struct cell cell;
    tree_document(asking, dcampDocumentKind_tree, scene.other_term ? scene.other_term : scene.term,
                  scene.epoch, scene.root, scene.digest_len ? scene.packed.digest : NULL);
    cell_start(&cell, MIB_dcampDocumentState);
    cell_add_number(&cell, dcampDocumentKind_tree);
    if (scene.state)
        agent_number(&asking->agent, &cell, scene.state);
    cell_start(&cell, MIB_dcampDocumentError);
    cell_add_number(&cell, dcampDocumentKind_tree);
    agent_text(&asking->agent, &cell, scene.error ? scene.error : "");
    if (scene.one_state && scene.digest_len)
        grow_tree();
    asking_scalar(asking, MIB_dcampTreeIsRoot,
                  scene.digest_len || scene.stays_root ? dcampTreeIsRoot_true
                                                       : dcampTreeIsRoot_false);
}

static bool hear(struct agent_peer *agent)
{
    struct codec_span bindings = agent->engine.pdu.bindings;
    struct codec_binding binding;
    size_t offset = 0;
    bool bad = false, set = agent->engine.pdu.type == SNMP_MSG_SET;
    agent->status = set ? scene.refusal : 0;
    if (!set)
        return true;
    scene.sets++;
    while (codec_next_binding(&bindings, &binding, &bad))
        take_binding(&binding, &offset);
    obey();
    return scene.sets > scene.deaf_sets;
}

/* -- The scene ------------------------------------------------------------------------------- */

/* A document that does not become small: its parts are several. */
static void write_document(size_t len)
{
    static char text[TEXT_MAX];
    char error[512];
    FILE *file = fopen(scene.path, "w");
    uint32_t random = 1;
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('!' + ((random = random * 1664525 + 1013904223) >> 24) % 90);
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    fclose(file);
    packed_free(&scene.packed);
    assert_true(packed_text(&scene.packed, text, len, error));
}

static int begin(void **state)
{
    (void)state;
    memset(&scene, 0, sizeof scene);
    strcpy(scene.path, "/tmp/dcamp-promote.XXXXXX");
    close(mkstemp(scene.path));
    write_document(100);
    asking_begin(&scene.asking);
    scene.asking.agent.before = hear;
    scene.asking.command.config = scene.path;
    tree_document(&scene.asking, dcampDocumentKind_share, 0, 0, "", NULL);
    tree_document(&scene.asking, dcampDocumentKind_tree, 0, 0, "", NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    asking_end(&scene.asking);
    packed_free(&scene.packed);
    unlink(scene.path);
    return 0;
}

static void assert_run(subcommand_run *run, unsigned given, enum exit_status status,
                       const char *out, const char *said)
{
    scene.asking.command.given = given;
    scene.sets = scene.parts = scene.held = 0;
    assert_int_equal(asking_run(&scene.asking, run, SHEET_TABLE), status);
    assert_string_equal(scene.asking.out, out);
    assert_string_equal(scene.asking.said, said);
}

static void assert_order(int64_t term, int64_t epoch)
{
    assert_int_equal(scene.term, term);
    assert_int_equal(scene.epoch, epoch);
    assert_string_equal(scene.root, "lap");
}

/* -- promote --------------------------------------------------------------------------------- */

static void a_base_node(void **state)
{
    (void)state;
    write_document(TEXT_MAX);
    assert_run(promote_run, 0, EXIT_GOOD, "lap is root in term 1\n", "");
    assert_order(1, 1);
    assert_int_equal(scene.length, scene.packed.len);
    assert_int_equal(scene.held, scene.packed.len);
    assert_int_equal(scene.parts, (scene.packed.len + 1023) / 1024);
    assert_in_range(scene.parts, 10, 40);
    assert_memory_equal(scene.octets, scene.packed.octets, scene.packed.len);
}

static void until_all_are_up(void **state)
{
    (void)state;
    scene.asking.command.wait_s = 1;
    scene.one_state = dcampTreeState_up;
    assert_run(promote_run, 0, EXIT_GOOD,
               "lap is root in term 1; 2 of 2 nodes work by the document\n", "");
    scene.one_state = dcampTreeState_refused;
    assert_run(promote_run, 0, EXIT_CUT,
               "lap is root in term 2; 1 of 2 nodes work by the document\n"
               "NAME  ROLE    STATE    GROUP  SERIAL  ADDRESS  AGE  REASON\n"
               "one   metric  refused  -           0  -          -  it has no ?[2J sensor\n",
               "");
    uint64_t before = clock_mono_ns();
    scene.one_state = dcampTreeState_joining;
    scene.asking.command.config = scene.path;
    assert_run(promote_run, 0, EXIT_CUT,
               "lap is root in term 3; 1 of 2 nodes work by the document\n"
               "NAME  ROLE    STATE    GROUP  SERIAL  ADDRESS  AGE  REASON\n"
               "one   metric  joining  -           0  -          -  it has no ?[2J sensor\n",
               "");
    assert_true(clock_mono_ns() - before >= NS_PER_S);
}

/* Who does not answer is waited for a little, and taken in later. */
static void one_that_is_away(void **state)
{
    (void)state;
    uint64_t before = clock_mono_ns();
    scene.asking.command.wait_s = 100;
    scene.one_state = dcampTreeState_unreachable;
    assert_run(promote_run, 0, EXIT_GOOD,
               "lap is root in term 1; 1 of 2 nodes work by the document\n"
               "NAME  ROLE    STATE        GROUP  SERIAL  ADDRESS  AGE  REASON\n"
               "one   metric  unreachable  -           0  -          -  it has no ?[2J sensor\n",
               "");
    assert_in_range(clock_mono_ns() - before, 5 * NS_PER_S, 50 * NS_PER_S);
}

static void a_tree_that_does_not_grow(void **state)
{
    (void)state;
    scene.asking.command.wait_s = 1;
    assert_run(promote_run, 0, EXIT_CUT,
               "lap is root in term 1; 0 of 0 nodes work by the document\n", "");
}

static void for_programs(void **state)
{
    (void)state;
    scene.asking.command.wait_s = 1;
    scene.one_state = dcampTreeState_refused;
    assert_int_equal(asking_run(&scene.asking, promote_run, SHEET_JSON), EXIT_CUT);
    assert_non_null(strstr(scene.asking.out,
                           "{\"root\":\"lap\",\"term\":1,\"epoch\":1,\"serial\":null,\"digest\":"));
    assert_non_null(strstr(scene.asking.out, ",\"nodes\":2,\"current\":1}\n"));
    assert_non_null(strstr(scene.asking.out, "\n{\"name\":\"one\",\"role\":\"metric\","));
    assert_null(strstr(scene.asking.out, "\"name\":\"lap\""));
}

static void one_of_another_tree(void **state)
{
    (void)state;
    struct asking *asking = &scene.asking;
    tree_document(asking, dcampDocumentKind_share, 7, 3, "r2", digest);
    tree_document(asking, dcampDocumentKind_tree, 6, 3, "lap", digest);
    assert_run(promote_run, 0, EXIT_REFUSED, "",
               "dcamp: lap is in the tree of r2, in term 7; --force takes it out of there\n");
    assert_int_equal(scene.sets, 0);
    tree_document(asking, dcampDocumentKind_tree, 9, 3, "r3", digest);
    assert_run(promote_run, 0, EXIT_REFUSED, "",
               "dcamp: lap is in the tree of r3, in term 9; --force takes it out of there\n");
    assert_run(promote_run, 1u << COMMAND_FORCE, EXIT_GOOD, "lap is root in term 10\n", "");
    tree_document(asking, dcampDocumentKind_share, 12, 3, "r2", NULL);
    assert_run(promote_run, 0, EXIT_GOOD, "lap is root in term 13\n", "");
    tree_document(asking, dcampDocumentKind_share, UINT32_MAX, 3, "r2", NULL);
    assert_run(promote_run, 0, EXIT_REFUSED, "", "dcamp: lap knows the last term that there is\n");
}

/* What the node has already is not sent again. */
static void the_same_document(void **state)
{
    (void)state;
    tree_document(&scene.asking, dcampDocumentKind_tree, 4, 1, "lap", scene.packed.digest);
    assert_run(promote_run, 0, EXIT_GOOD, "lap is root in term 5\n", "");
    assert_int_equal(scene.sets, 1);
    assert_int_equal(scene.parts, 0);
    assert_int_equal(scene.digest_len, PACKED_DIGEST);
    assert_int_equal(scene.length, scene.packed.len);
}

static void what_is_refused(void **state)
{
    (void)state;
    scene.state = dcampDocumentState_refused;
    scene.error = "tree.xml:3: \x1b[2J no such sensor";
    assert_run(promote_run, 0, EXIT_REFUSED, "",
               "dcamp: the node refuses the document: tree.xml:3: ?[2J no such sensor\n");
    scene.error = "";
    assert_run(promote_run, 0, EXIT_REFUSED, "",
               "dcamp: the node refuses the document: it does not say why\n");
    scene.state = 0;
    scene.other_term = 99;
    assert_run(promote_run, 0, EXIT_REFUSED, "",
               "dcamp: somebody else has ordered another document meanwhile, in term 99\n");
    scene.refusal = SNMP_ERR_INCONSISTENTVALUE;
    asking_scalar_text(&scene.asking, MIB_dcampSelfSetError,
                       "dcampDocumentTerm.2: inconsistentValue: r2 is root in term 200");
    assert_run(promote_run, 0, EXIT_REFUSED, "",
               "dcamp: dcampDocumentTerm.2: inconsistentValue: r2 is root in term 200\n");
    assert_int_equal(scene.sets, 1);
    scene.refusal = SNMP_ERR_NOACCESS;
    assert_run(promote_run, 0, EXIT_REFUSED, "", "dcamp: snmpd does not let this user set it\n");
}

static void one_that_waits_for_ever(void **state)
{
    (void)state;
    scene.asking.command.timeout_s = 1;
    scene.state = dcampDocumentState_waiting;
    assert_run(promote_run, 0, EXIT_SILENT, "",
               "dcamp: the node has the document, and does not begin to work by it\n");
}

/* A step may be sent again. */
static void steps_that_are_lost(void **state)
{
    (void)state;
    scene.asking.command.timeout_s = 1;
    scene.deaf_sets = 2;
    assert_run(promote_run, 0, EXIT_GOOD, "lap is root in term 1\n", "");
    assert_int_equal(scene.sets, 3);
    scene.deaf_sets = 3;
    assert_int_equal((scene.sets = 0, asking_run(&scene.asking, promote_run, SHEET_TABLE)),
                     EXIT_SILENT);
    assert_non_null(strstr(scene.asking.said, "no answer: whether it was set is not known"));
}

static void files_that_are_none(void **state)
{
    (void)state;
    scene.asking.command.config = "/nowhere/tree.xml";
    assert_run(promote_run, 0, EXIT_USAGE, "",
               "dcamp: /nowhere/tree.xml: No such file or directory\n");
    assert_run(config_push_run, 0, EXIT_USAGE, "",
               "dcamp: /nowhere/tree.xml: No such file or directory\n");
    assert_int_equal(scene.asking.agent.asked, 0);
}

/* -- config push ----------------------------------------------------------------------------- */

static void another_configuration(void **state)
{
    (void)state;
    tree_document(&scene.asking, dcampDocumentKind_tree, 4, 8, "lap", digest);
    scene.asking.command.wait_s = 1;
    scene.one_state = dcampTreeState_up;
    asking_number(&scene.asking, MIB_dcampTreeNodeSerial, "one", NULL, 3);
    assert_run(config_push_run, 0, EXIT_GOOD,
               "lap is root in term 4; 2 of 2 nodes work by the document, serial 3\n"
               "NAME  ROLE    STATE  GROUP  SERIAL  ADDRESS  AGE  REASON\n"
               "lap   root    up     -           0  -          -  -\n"
               "one   metric  up     -           3  -          -  -\n",
               "");
    assert_order(4, 9);
}

/* -- config rollback ------------------------------------------------------------------------- */

/* The root works by some document, and keeps that of the scene as the previous one. */
static void keep_previous(int64_t serial)
{
    tree_document(&scene.asking, dcampDocumentKind_tree, 4, 8, "lap", digest);
    tree_kept(&scene.asking, dcampKeptWhich_inForce, 3, "?", 1, digest);
    tree_kept(&scene.asking, dcampKeptWhich_previous, serial, scene.packed.octets, scene.packed.len,
              scene.packed.digest);
}

static void the_previous_one(void **state)
{
    (void)state;
    write_document(TEXT_MAX);
    keep_previous(2);
    scene.asking.command.wait_s = 1;
    scene.one_state = dcampTreeState_up;
    asking_number(&scene.asking, MIB_dcampTreeNodeSerial, "one", NULL, 4);
    assert_run(config_rollback_run, 0, EXIT_GOOD,
               "the previous document, once serial 2, is ordered again\n"
               "lap is root in term 4; 2 of 2 nodes work by the document, serial 4\n"
               "NAME  ROLE    STATE  GROUP  SERIAL  ADDRESS  AGE  REASON\n"
               "lap   root    up     -           0  -          -  -\n"
               "one   metric  up     -           4  -          -  -\n",
               "");
    assert_order(4, 9);
    assert_int_equal(scene.held, scene.packed.len);
    assert_memory_equal(scene.octets, scene.packed.octets, scene.packed.len);
    keep_previous(0);
    scene.asking.command.wait_s = 0;
    assert_run(config_rollback_run, 0, EXIT_GOOD,
               "the previous document is ordered again\nlap is root in term 4\n", "");
    keep_previous(2);
    assert_int_equal(asking_run(&scene.asking, config_rollback_run, SHEET_JSON), EXIT_GOOD);
    assert_int_equal(strncmp(scene.asking.out, "{\"root\":\"lap\",\"term\":4,", 23), 0);
}

static void no_previous_one(void **state)
{
    (void)state;
    tree_document(&scene.asking, dcampDocumentKind_tree, 4, 8, "lap", digest);
    assert_run(
        config_rollback_run, 0, EXIT_SILENT, "",
        "dcamp: lap does not give documents: its dcampd is older than that, or the user must "
        "not see them\n");
    tree_kept(&scene.asking, dcampKeptWhich_inForce, 3, "?", 1, digest);
    assert_run(config_rollback_run, 0, EXIT_USAGE, "",
               "dcamp: lap has no previous document: it knows of none but the one in force\n");
    assert_int_equal(scene.sets, 0);
}

/* Neither what is damaged nor what the node refuses is taken for a rollback. */
static void a_rollback_that_fails(void **state)
{
    (void)state;
    keep_previous(2);
    struct cell cell = tree_kept_cell(MIB_dcampKeptOctets, dcampKeptWhich_previous, 1);
    agent_octets(&scene.asking.agent, &cell, "?", 1);
    assert_run(config_rollback_run, 0, EXIT_BROKEN, "",
               "dcamp: lap does not give the document as it is: its parts do not fit together\n");
    assert_int_equal(scene.sets, 0);
    keep_previous(2);
    scene.state = dcampDocumentState_refused;
    scene.error = "the keys of engine 80 are revoked";
    assert_run(config_rollback_run, 0, EXIT_REFUSED, "",
               "dcamp: the node refuses the document: the keys of engine 80 are revoked\n");
}

/* -- stop ------------------------------------------------------------------------------------ */

static void the_end(void **state)
{
    (void)state;
    tree_document(&scene.asking, dcampDocumentKind_tree, 4, 8, "lap", digest);
    assert_run(stop_run, 0, EXIT_GOOD, "lap: it makes base nodes of all nodes now\n", "");
    assert_order(4, 9);
    assert_int_equal(scene.digest_len + (size_t)scene.length + scene.parts, 0);
    tree_document(&scene.asking, dcampDocumentKind_tree, 4, 8, "lap", digest);
    scene.asking.command.wait_s = 1;
    assert_run(stop_run, 0, EXIT_GOOD, "lap: its tree has ended: all nodes that answer are base\n",
               "");
    tree_document(&scene.asking, dcampDocumentKind_tree, 4, 8, "lap", digest);
    assert_int_equal(asking_run(&scene.asking, stop_run, SHEET_JSON), EXIT_GOOD);
    assert_string_equal(scene.asking.out, "{\"root\":\"lap\",\"term\":4,\"ended\":true}\n");
    tree_document(&scene.asking, dcampDocumentKind_tree, 4, 8, "lap", digest);
    scene.stays_root = true;
    scene.one_state = dcampTreeState_stopping;
    grow_tree();
    assert_run(stop_run, 0, EXIT_CUT, "", "dcamp: lap still has 2 nodes to make base nodes of\n");
}

static void who_is_not_root(void **state)
{
    (void)state;
    static subcommand_run *const runs[] = {config_push_run, config_rollback_run, stop_run};
    for (size_t i = 0; i < N_OF(runs); i++) {
        struct asking *asking = &scene.asking;
        tree_document(asking, dcampDocumentKind_share, 0, 0, "", NULL);
        tree_document(asking, dcampDocumentKind_tree, 9, 9, "lap", NULL);
        assert_run(runs[i], 0, EXIT_USAGE, "", "dcamp: lap is in no tree\n");
        tree_document(asking, dcampDocumentKind_tree, 9, 9, "r2", digest);
        assert_run(runs[i], 0, EXIT_USAGE, "",
                   "dcamp: lap is not the root of the tree: r2 is, in term 9\n");
        tree_document(asking, dcampDocumentKind_tree, 9, UINT32_MAX, "lap", digest);
        assert_run(runs[i], 0, EXIT_REFUSED, "",
                   "dcamp: term 9 has no further orders: it needs another promote\n");
        assert_int_equal(scene.sets, 0);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(a_base_node),
                                       TEST(until_all_are_up),
                                       TEST(one_that_is_away),
                                       TEST(a_tree_that_does_not_grow),
                                       TEST(for_programs),
                                       TEST(one_of_another_tree),
                                       TEST(the_same_document),
                                       TEST(what_is_refused),
                                       TEST(one_that_waits_for_ever),
                                       TEST(steps_that_are_lost),
                                       TEST(files_that_are_none),
                                       TEST(another_configuration),
                                       TEST(the_previous_one),
                                       TEST(no_previous_one),
                                       TEST(a_rollback_that_fails),
                                       TEST(the_end),
                                       TEST(who_is_not_root)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
