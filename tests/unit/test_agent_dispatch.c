/* What a master asks and what it is told, packet by packet, on the wire. */
#include <string.h>
#include <unistd.h>

/* The tests have a struct tree, too. */
#define tree snmp_tree
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#undef tree

#include "agent/dispatch.h"
#include "agent/tables.h"

#include "heap.h"
#include "manager.h"
#include "masters.h"
#include "said.h"
#include "scarce.h"

#define SESSION 42
#define PING (1000 * NS_PER_S)
#define INITIAL 10000 /* the interval of the sensor, as the file says */

static const char elements[] =
    "<sensors><sensor name=\"load\" metric=\"load.1\" interval=\"10s\"/></sensors>"
    "<objects><object name=\"up\" oid=\".1.3.6.1.2.1.1.3\" type=\"scalar\"/></objects>";

static struct scene {
    struct node *node;
    struct master master;
    struct agentx_parameters settings;
    struct agentx_events events;
    struct agentx *agentx;
    struct dispatch dispatch;
} scene;

static void on_request(void *context, struct agentx *agentx, netsnmp_pdu *pdu)
{
    (void)context;
    dispatch_request(&scene.dispatch, agentx, pdu);
}

static void on_attached(void *context)
{
    (void)context;
}

static void on_notified(void *context, long error)
{
    (void)context;
    (void)error;
}

static void on_detached(void *context)
{
    (void)context;
    dispatch_reset(&scene.dispatch);
}

static void answer_question(void)
{
    netsnmp_pdu *pdu = master_hear(&scene.master);
    assert_non_null(pdu);
    master_say(&scene.master, master_pdu(AGENTX_RESPONSE, SESSION, 0, pdu->reqid));
    snmp_free_pdu(pdu);
    agentx_read(scene.agentx, NS_PER_S);
}

static int scene_setup(void **state)
{
    (void)state;
    scene = (struct scene){.node = node_new(elements)};
    scene.dispatch.core = scene.node->daemon;
    assert_null(engine_open(&scene.dispatch.engine, dcamp_tables, dcamp_table_count));
    master_begin(&scene.master);
    scene.settings = (struct agentx_parameters){scene.master.address, PING, PING, "d"};
    scene.events = (struct agentx_events){on_request, on_attached, on_notified, on_detached, NULL};
    scene.agentx = agentx_new(&scene.settings, &scene.events);
    node_cycle(scene.node, 0);
    node_wait_saved(scene.node);
    agentx_tick(scene.agentx, NS_PER_S);
    assert_true(master_accept(&scene.master));
    for (int i = 0; i < 3; i++)
        answer_question();
    assert_true(agentx_ready(scene.agentx));
    said_begin();
    return 0;
}

static int scene_teardown(void **state)
{
    (void)state;
    agentx_free(scene.agentx);
    said_end();
    master_end(&scene.master);
    node_free(scene.node);
    return 0;
}

/* -- Packets --------------------------------------------------------------------------------- */

static long packets; /* their IDs */

static netsnmp_pdu *request(enum agentx_type type, long transaction)
{
    return master_pdu(type, SESSION, transaction, ++packets);
}

static void name_of(const struct mib_oid *cell, oid name[OID_MAX])
{
    for (size_t i = 0; i < cell->len; i++)
        name[i] = cell->id[i];
}

/* A variable; of a search range, the value is its end. */
static void add(netsnmp_pdu *pdu, const struct mib_oid *cell, u_char type, const void *value,
                size_t size)
{
    oid name[OID_MAX];
    name_of(cell, name);
    assert_non_null(snmp_pdu_add_variable(pdu, name, cell->len, type, value, size));
}

static void add_name(netsnmp_pdu *pdu, const struct mib_oid *cell)
{
    add(pdu, cell, ASN_NULL, NULL, 0);
}

/* Sends a request, and has it read. */
static void ask(netsnmp_pdu *pdu)
{
    master_say(&scene.master, pdu);
    agentx_read(scene.agentx, NS_PER_S);
}

/* The answer to the latest request, with that error and index. */
static netsnmp_pdu *answer(long error, long index)
{
    netsnmp_pdu *pdu = master_hear(&scene.master);
    assert_non_null(pdu);
    assert_int_equal(pdu->command, AGENTX_RESPONSE);
    assert_int_equal(pdu->sessid, SESSION);
    assert_int_equal(pdu->reqid, packets);
    assert_int_equal(pdu->errstat, error);
    assert_int_equal(pdu->errindex, index);
    if (error)
        assert_null(pdu->variables);
    assert_null(master_hear(&scene.master));
    return pdu;
}

static void assert_answer(long error, long index)
{
    snmp_free_pdu(answer(error, index));
}

static void assert_silence(void)
{
    assert_null(master_hear(&scene.master));
}

static void assert_name(const netsnmp_variable_list *var, const struct mib_oid *cell)
{
    assert_non_null(var);
    assert_int_equal(var->name_length, cell->len);
    for (size_t i = 0; i < cell->len; i++)
        assert_int_equal(var->name[i], cell->id[i]);
}

static struct mib_oid scalar(enum mib_object object)
{
    return cell_of(object, NULL, NULL);
}

static struct mib_oid node_of(enum mib_object object)
{
    struct mib_oid oid = scalar(object);
    oid.len--;
    return oid;
}

/* -- GET ------------------------------------------------------------------------------------- */

static void get_of_each_syntax(void **state)
{
    (void)state;
    const struct mib_oid names[] = {
        scalar(MIB_dcampNodeName),        scalar(MIB_dcampNodeRole),
        scalar(MIB_dcampNodeBoot),        scalar(MIB_dcampNodeUpTime),
        scalar(MIB_dcampSelfRequests),    cell_of(MIB_dcampObjectOid, "up", NULL),
        scalar(MIB_dcampSelfStateErrors),
    };
    static const u_char types[] = {ASN_OCTET_STR, ASN_INTEGER,   ASN_UNSIGNED, ASN_TIMETICKS,
                                   ASN_COUNTER64, ASN_OBJECT_ID, ASN_COUNTER64};
    static const oid up[] = {1, 3, 6, 1, 2, 1, 1, 3};
    struct dcampd *core = scene.node->daemon;
    core->self.requests = UINT64_C(5) << 32 | 0xfffffff0;
    core->boot = 0xfedcba98;
    /* The clock begins with the machine, which may have been started less than 100 s ago. */
    uint64_t now_ns = clock_mono_ns();
    core->started.mono_ns = now_ns > 100 * NS_PER_S ? now_ns - 100 * NS_PER_S : 0;
    netsnmp_pdu *pdu = request(AGENTX_GET, 7);
    for (size_t i = 0; i < N_OF(names); i++)
        add_name(pdu, &names[i]);
    ask(pdu);
    pdu = answer(0, 0);
    assert_int_equal(pdu->transid, 7);
    const netsnmp_variable_list *vars[N_OF(names)], *var = pdu->variables;
    for (size_t i = 0; i < N_OF(names); i++, var = var->next_variable) {
        assert_name(var, &names[i]);
        assert_int_equal(var->type, types[i]);
        vars[i] = var;
    }
    assert_null(var);
    assert_int_equal(vars[0]->val_len, 3);
    assert_memory_equal(vars[0]->val.string, "lap", 3);
    assert_int_equal(*vars[1]->val.integer, dcampNodeRole_metric);
    assert_int_equal((uint32_t)*vars[2]->val.integer, 0xfedcba98);
    assert_in_range(*vars[3]->val.integer, (now_ns - core->started.mono_ns) / (10 * NS_PER_MS),
                    (clock_mono_ns() - core->started.mono_ns) / (10 * NS_PER_MS));
    assert_int_equal(vars[4]->val.counter64->high, 5);
    assert_int_equal((uint32_t)vars[4]->val.counter64->low, 0xfffffff1);
    assert_int_equal(vars[5]->val_len, sizeof up);
    assert_memory_equal(vars[5]->val.objid, up, sizeof up);
    assert_int_equal(vars[6]->val.counter64->low, 0);
    snmp_free_pdu(pdu);
}

/* More than the engine finds at once, each with its own answer. */
static void get_of_many(void **state)
{
    (void)state;
    const struct mib_oid names[] = {scalar(MIB_dcampNodeName),
                                    node_of(MIB_dcampNodeName),
                                    cell_of(MIB_dcampSensorMetric, "nobody", NULL),
                                    {{1, 3, 6, 1, 4, 1, 9}, 7}};
    static const u_char types[] = {ASN_OCTET_STR, SNMP_NOSUCHINSTANCE, SNMP_NOSUCHINSTANCE,
                                   SNMP_NOSUCHOBJECT};
    for (size_t n = 0; n <= 2 * ENGINE_CELLS + 1; n++) {
        netsnmp_pdu *pdu = request(AGENTX_GET, 7);
        for (size_t i = 0; i < n; i++)
            add_name(pdu, &names[i % N_OF(names)]);
        ask(pdu);
        pdu = answer(0, 0);
        const netsnmp_variable_list *var = pdu->variables;
        for (size_t i = 0; i < n; i++, var = var->next_variable) {
            assert_name(var, &names[i % N_OF(names)]);
            assert_int_equal(var->type, types[i % N_OF(names)]);
        }
        assert_null(var);
        snmp_free_pdu(pdu);
    }
    assert_int_equal(scene.node->daemon->self.requests, 2 * ENGINE_CELLS + 2);
}

/* The longest name there is; none has it. */
static void get_of_a_long_name(void **state)
{
    (void)state;
    struct mib_oid name = cell_of(MIB_dcampSensorMetric, "load", NULL);
    while (name.len < OID_MAX)
        name.id[name.len++] = 7;
    netsnmp_pdu *pdu = request(AGENTX_GET, 7);
    add_name(pdu, &name);
    ask(pdu);
    pdu = answer(0, 0);
    assert_name(pdu->variables, &name);
    assert_int_equal(pdu->variables->type, SNMP_NOSUCHINSTANCE);
    snmp_free_pdu(pdu);
}

/* -- GETNEXT --------------------------------------------------------------------------------- */

static void get_next(void **state)
{
    (void)state;
    const struct mib_oid none = {.len = 0}, name = scalar(MIB_dcampNodeName),
                         version = scalar(MIB_dcampNodeVersion),
                         before = node_of(MIB_dcampNodeName),
                         between = node_of(MIB_dcampNodeVersion),
                         outside = {{1, 3, 6, 1, 4, 1, 9}, 7}, last = {{2, 5}, 2},
                         end_2 = {{1, 3}, 2}, end_0 = {{0, 1}, 2}, end_1 = {{1, 0}, 2},
                         null = {{0, 0}, 2}, end_3 = {{0, 0, 1}, 3};
    const struct {
        const struct mib_oid *from;
        bool inclusive;
        const struct mib_oid *end, *found; /* found NULL: the end of the view */
    } cases[] = {
        {&before, false, &none, &name},  {&before, true, &none, &name},
        {&name, false, &none, &version}, {&name, true, &none, &name},
        {&name, false, &version, NULL},  {&name, true, &version, &name},
        {&name, true, &name, NULL},      {&before, false, &between, &name},
        {&name, false, &between, NULL},  {&name, false, &outside, NULL},
        {&before, false, &end_2, NULL},  {&before, false, &end_0, NULL},
        {&before, false, &end_1, NULL},  {&before, false, &null, &name},
        {&before, false, &end_3, NULL},  {&last, false, &none, NULL},
        {&name, false, &last, &version},
    };
    netsnmp_pdu *pdu = request(AGENTX_GETNEXT, 7);
    for (size_t i = 0; i < N_OF(cases); i++) {
        oid end[OID_MAX];
        name_of(cases[i].end, end);
        add(pdu, cases[i].from, cases[i].inclusive ? ASN_PRIV_INCL_RANGE : ASN_PRIV_EXCL_RANGE, end,
            cases[i].end->len * sizeof *end);
    }
    ask(pdu);
    pdu = answer(0, 0);
    const netsnmp_variable_list *var = pdu->variables;
    for (size_t i = 0; i < N_OF(cases); i++, var = var->next_variable) {
        if ((var->type == SNMP_ENDOFMIBVIEW) != !cases[i].found)
            fail_msg("case %zu: %d", i, var->type);
        assert_name(var, cases[i].found ? cases[i].found : cases[i].from);
        if (!cases[i].found)
            continue;
        assert_int_equal(var->type, ASN_OCTET_STR);
        if (cases[i].found == &name)
            assert_memory_equal(var->val.string, "lap", 3);
        else
            assert_int_equal(var->val_len, strlen(PACKAGE_VERSION));
    }
    assert_null(var);
    snmp_free_pdu(pdu);
}

static void not_served(void **state)
{
    (void)state;
    static const enum agentx_type types[] = {AGENTX_GETBULK, AGENTX_PING, AGENTX_NOTIFY};
    struct mib_oid name = node_of(MIB_dcampNodeName);
    for (size_t i = 0; i < N_OF(types); i++) {
        netsnmp_pdu *pdu = request(types[i], 7);
        if (types[i] == AGENTX_GETBULK)
            add(pdu, &name, ASN_PRIV_EXCL_RANGE, NULL, 0);
        ask(pdu);
        assert_answer(SET_GEN_ERR, 0);
        assert_int_equal(scene.node->daemon->self.requests, i + 1);
    }
    assert_true(agentx_ready(scene.agentx));
}

/* -- SET ------------------------------------------------------------------------------------- */

static int64_t interval(void)
{
    return number_at(scene.node, MIB_dcampSensorInterval, "load", NULL);
}

static bool has_row(const char *name)
{
    return config_find(scene.node->daemon->config, ROW_SENSOR, name) != NULL;
}

/* How often the core was woken since the last time. */
static uint64_t wakes(void)
{
    uint64_t count = 0;
    return read(scene.node->daemon->wake_fd, &count, sizeof count) > 0 ? count : 0;
}

static void add_number(netsnmp_pdu *pdu, enum mib_object object, const char *row, u_char type,
                       long number)
{
    struct mib_oid cell = cell_of(object, row, NULL);
    add(pdu, &cell, type, &number, sizeof number);
}

static void add_text(netsnmp_pdu *pdu, enum mib_object object, const char *row, const char *text)
{
    struct mib_oid cell = cell_of(object, row, NULL);
    add(pdu, &cell, ASN_OCTET_STR, text, strlen(text));
}

/* A new row, which does not outlive the daemon. */
static netsnmp_pdu *test_of_row(long transaction, const char *name)
{
    netsnmp_pdu *pdu = request(AGENTX_TESTSET, transaction);
    add_number(pdu, MIB_dcampSensorRowStatus, name, ASN_INTEGER, dcampSensorRowStatus_createAndGo);
    add_number(pdu, MIB_dcampSensorStorageType, name, ASN_INTEGER, dcampSensorStorageType_volatile);
    add_text(pdu, MIB_dcampSensorMetric, name, "load.5");
    return pdu;
}

/* Another interval of the sensor of the file, which is saved. */
static netsnmp_pdu *test_of_interval(long transaction, long millis)
{
    netsnmp_pdu *pdu = request(AGENTX_TESTSET, transaction);
    add_number(pdu, MIB_dcampSensorInterval, "load", ASN_UNSIGNED, millis);
    return pdu;
}

static void phase(enum agentx_type type, long transaction, long error)
{
    ask(request(type, transaction));
    assert_answer(error, error ? 1 : 0);
}

static void clean_up(long transaction)
{
    ask(request(AGENTX_CLEANUPSET, transaction));
    assert_silence();
}

static void a_set_in_its_phases(void **state)
{
    (void)state;
    wakes();
    ask(test_of_row(10, "new"));
    assert_answer(0, 0);
    assert_false(has_row("new"));
    assert_int_equal(wakes(), 0);
    phase(AGENTX_COMMITSET, 10, 0);
    assert_true(has_row("new"));
    assert_int_equal(wakes(), 1);
    assert_int_equal(dispatch_tick(&scene.dispatch, scene.agentx), UINT64_MAX);
    assert_silence();
    assert_int_equal(scene.node->daemon->self.sets, 0);
    clean_up(10);
    assert_int_equal(wakes(), 1);
    assert_true(has_row("new"));
    assert_int_equal(scene.node->daemon->self.sets, 1);
    assert_int_equal(scene.node->daemon->self.requests, 3);
    /* It is over. */
    phase(AGENTX_UNDOSET, 10, AGENTX_PROCESSING_ERROR);
    assert_int_equal(wakes(), 1);
    assert_true(has_row("new"));
    phase(AGENTX_COMMITSET, 10, AGENTX_PROCESSING_ERROR);
}

static void a_set_that_is_undone(void **state)
{
    (void)state;
    ask(test_of_row(10, "new"));
    assert_answer(0, 0);
    phase(AGENTX_COMMITSET, 10, 0);
    phase(AGENTX_UNDOSET, 10, 0);
    assert_false(has_row("new"));
    phase(AGENTX_UNDOSET, 10, 0);
    phase(AGENTX_COMMITSET, 10, SET_COMMIT_FAILED);
    clean_up(10);
    assert_false(has_row("new"));
    assert_int_equal(scene.node->daemon->self.sets, 0);
}

/* What is said of another transaction does nothing to the one that is open. */
static void another_transaction(void **state)
{
    (void)state;
    phase(AGENTX_COMMITSET, 0, AGENTX_PROCESSING_ERROR);
    phase(AGENTX_UNDOSET, 0, AGENTX_PROCESSING_ERROR);
    clean_up(0);
    ask(test_of_row(10, "new"));
    assert_answer(0, 0);
    phase(AGENTX_COMMITSET, 11, AGENTX_PROCESSING_ERROR);
    phase(AGENTX_UNDOSET, 11, AGENTX_PROCESSING_ERROR);
    clean_up(11);
    assert_false(has_row("new"));
    phase(AGENTX_COMMITSET, 10, 0);
    phase(AGENTX_UNDOSET, 11, AGENTX_PROCESSING_ERROR);
    clean_up(11);
    assert_true(has_row("new"));
    /* A test ends what was left open: committed as it is. */
    ask(test_of_row(12, "other"));
    assert_answer(0, 0);
    phase(AGENTX_UNDOSET, 10, AGENTX_PROCESSING_ERROR);
    assert_true(has_row("new"));
    assert_false(has_row("other"));
    ask(test_of_row(13, "third"));
    assert_answer(0, 0);
    phase(AGENTX_COMMITSET, 12, AGENTX_PROCESSING_ERROR);
    phase(AGENTX_COMMITSET, 13, 0);
    assert_false(has_row("other"));
    assert_true(has_row("third"));
}

/* The master's patience ended before the answer came, and so it asks again. */
static void a_test_that_comes_again(void **state)
{
    (void)state;
    long id = packets + 1;
    ask(test_of_row(10, "new"));
    assert_answer(0, 0);
    packets = id - 1;
    ask(test_of_row(10, "new"));
    assert_answer(0, 0);
    assert_false(has_row("new"));
    phase(AGENTX_COMMITSET, 10, 0);
    long latest = packets;
    packets = id - 1;
    ask(test_of_row(10, "new")); /* the same packet */
    assert_answer(0, 0);
    phase(AGENTX_UNDOSET, 10, 0); /* and so the transaction is still there */
    assert_false(has_row("new"));
    phase(AGENTX_COMMITSET, 10, SET_COMMIT_FAILED);
    packets = latest;
    ask(test_of_row(20, "new"));
    assert_answer(0, 0);
    phase(AGENTX_COMMITSET, 20, 0);
    ask(test_of_row(20, "new")); /* another packet: another test */
    assert_answer(SET_INCONSISTENT_VALUE, 1);
    assert_true(has_row("new"));
    phase(AGENTX_UNDOSET, 20, AGENTX_PROCESSING_ERROR);
}

/* The index is that of the variable at fault, and nothing is left of the test. */
static void tests_that_fail(void **state)
{
    (void)state;
    struct mib_oid outside = {{1, 3, 6, 1, 4, 1, 9}, 7};
    long number = 1;
    for (size_t before = 0; before < 4; before++) {
        netsnmp_pdu *pdu = request(AGENTX_TESTSET, 10);
        for (size_t i = 0; i < before; i++)
            add_number(pdu, MIB_dcampSensorInterval, "load", ASN_UNSIGNED, 2000 + (long)i);
        add(pdu, &outside, ASN_INTEGER, &number, sizeof number);
        ask(pdu);
        assert_answer(SET_NOT_WRITABLE, (long)before + 1);
    }
    phase(AGENTX_COMMITSET, 10, AGENTX_PROCESSING_ERROR);
    assert_int_equal(interval(), INITIAL);
}

/* Values of every type arrive as what they are: the reason of a refusal tells. */
static void values(void **state)
{
    (void)state;
    const char *text = scene.node->daemon->self.refusal.text;
    static const struct {
        enum mib_object object;
        u_char type;
        long number;
        const char *in; /* the reason */
        long error;
    } cases[] = {
        {MIB_dcampSensorInterval, ASN_UNSIGNED, 4294967295, "4294967295", SET_WRONG_VALUE},
        {MIB_dcampSensorInterval, ASN_INTEGER, 2000, "another type", SET_WRONG_TYPE},
        {MIB_dcampSensorInterval, ASN_TIMETICKS, 2000, "another type", SET_WRONG_TYPE},
        {MIB_dcampSensorInterval, ASN_COUNTER, 2000, "another type", SET_WRONG_TYPE},
        {MIB_dcampSensorCalculation, ASN_INTEGER, -5, "-5", SET_WRONG_VALUE},
        {MIB_dcampSensorCalculation, ASN_INTEGER, INT32_MIN, "-2147483648", SET_WRONG_VALUE},
        {MIB_dcampSensorCalculation, ASN_UNSIGNED, 1, "another type", SET_WRONG_TYPE},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        netsnmp_pdu *pdu = request(AGENTX_TESTSET, 10);
        add_number(pdu, cases[i].object, "load", cases[i].type, cases[i].number);
        ask(pdu);
        assert_answer(cases[i].error, 1);
        if (!strstr(text, cases[i].in))
            fail_msg("case %zu: %s", i, text);
    }
    static const oid down[] = {2, 4294967215, 4294967295};
    struct mib_oid cell = cell_of(MIB_dcampObjectOid, "up", NULL);
    netsnmp_pdu *pdu = request(AGENTX_TESTSET, 10);
    add(pdu, &cell, ASN_OBJECT_ID, down, sizeof down);
    add_text(pdu, MIB_dcampSensorInstances, "load", "one two");
    add_number(pdu, MIB_dcampSensorInterval, "load", ASN_UNSIGNED, 86400000);
    ask(pdu);
    assert_answer(0, 0);
    ask(request(AGENTX_COMMITSET, 10));
    assert_cell_text(scene.node, MIB_dcampObjectOid, "up", NULL, "2.4294967215.4294967295");
    assert_cell_text(scene.node, MIB_dcampSensorInstances, "load", NULL, "one two");
    assert_int_equal(interval(), 86400000);
}

/* -- Answers that wait for the disk ---------------------------------------------------------- */

static void commit_is_answered_when_it_is_saved(void **state)
{
    (void)state;
    struct dispatch *dispatch = &scene.dispatch;
    ask(test_of_interval(10, 2000));
    assert_answer(0, 0);
    wakes();
    uint64_t before_ns = clock_mono_ns();
    ask(request(AGENTX_COMMITSET, 10));
    uint64_t after_ns = clock_mono_ns();
    assert_silence();
    assert_int_equal(wakes(), 1);
    assert_int_equal(interval(), 2000);
    assert_in_range(dispatch->commit_ns, before_ns, after_ns);
    assert_int_equal(dispatch_tick(dispatch, scene.agentx), dispatch->commit_ns + SAVING_COMMIT_NS);
    assert_silence();
    /* It is sent again meanwhile: one answer, to the later one, and not later. */
    uint64_t commit_ns = dispatch->commit_ns;
    ask(request(AGENTX_COMMITSET, 10));
    assert_silence();
    assert_int_equal(dispatch->commit_ns, commit_ns);
    node_cycle(scene.node, 10);
    node_wait_saved(scene.node);
    wakes();
    assert_int_equal(dispatch_tick(dispatch, scene.agentx), UINT64_MAX);
    assert_answer(0, 0);
    assert_int_equal(wakes(), 0);
    assert_int_equal(dispatch_tick(dispatch, scene.agentx), UINT64_MAX);
    assert_silence();
    clean_up(10);
    assert_int_equal(interval(), 2000);
}

static void commit_that_cannot_be_saved(void **state)
{
    (void)state;
    struct dispatch *dispatch = &scene.dispatch;
    ask(test_of_interval(10, 2000));
    assert_answer(0, 0);
    ask(request(AGENTX_COMMITSET, 10));
    dispatch->commit_ns -= SAVING_COMMIT_NS;
    wakes();
    assert_int_equal(dispatch_tick(dispatch, scene.agentx), UINT64_MAX);
    assert_answer(SET_COMMIT_FAILED, 1);
    assert_int_equal(wakes(), 1);
    assert_int_equal(interval(), INITIAL);
    assert_string_equal(scene.node->daemon->self.refusal.text,
                        "commitFailed: it cannot be saved; dcampSelfStateErrors counts that");
    assert_non_null(strstr(said_now(), "error set: a SET cannot be saved\n"));
    assert_int_equal(dispatch_tick(dispatch, scene.agentx), UINT64_MAX);
    assert_silence();
}

/* The file was read anew: what was set stays, and that is said. */
static void commit_that_cannot_be_undone(void **state)
{
    (void)state;
    char error[1024];
    ask(test_of_interval(10, 2000));
    assert_answer(0, 0);
    ask(request(AGENTX_COMMITSET, 10));
    assert_true(dcampd_reload(scene.node->daemon, error));
    scene.dispatch.commit_ns -= SAVING_COMMIT_NS;
    dispatch_tick(&scene.dispatch, scene.agentx);
    assert_answer(SET_UNDO_FAILED, 1);
    assert_int_equal(interval(), 2000);
    assert_string_equal(
        scene.node->daemon->self.refusal.text,
        "undoFailed: the configuration was read anew meanwhile; what was set stays, "
        "unless the file says otherwise");
}

/* The master does not wait for the disk. */
static void undo_before_it_is_saved(void **state)
{
    (void)state;
    ask(test_of_interval(10, 2000));
    assert_answer(0, 0);
    ask(request(AGENTX_COMMITSET, 10));
    assert_silence();
    phase(AGENTX_UNDOSET, 10, 0);
    assert_int_equal(interval(), INITIAL);
    assert_int_equal(dispatch_tick(&scene.dispatch, scene.agentx), UINT64_MAX);
    assert_silence();
}

static void cleanup_before_it_is_saved(void **state)
{
    (void)state;
    ask(test_of_interval(10, 2000));
    assert_answer(0, 0);
    ask(request(AGENTX_COMMITSET, 10));
    clean_up(10);
    assert_int_equal(interval(), 2000);
    assert_int_equal(dispatch_tick(&scene.dispatch, scene.agentx), UINT64_MAX);
    assert_silence();
}

static void the_session_ends_meanwhile(void **state)
{
    (void)state;
    ask(test_of_interval(10, 2000));
    assert_answer(0, 0);
    ask(request(AGENTX_COMMITSET, 10));
    assert_int_equal(scene.node->daemon->self.sets, 0);
    dispatch_reset(&scene.dispatch);
    assert_int_equal(scene.node->daemon->self.sets, 1);
    assert_int_equal(dispatch_tick(&scene.dispatch, scene.agentx), UINT64_MAX);
    assert_silence();
    phase(AGENTX_COMMITSET, 10, AGENTX_PROCESSING_ERROR);
    dispatch_reset(&scene.dispatch);
    assert_int_equal(scene.node->daemon->self.sets, 1);
}

/* -- Memory ---------------------------------------------------------------------------------- */

/* Reads with the nth allocation of the agent failing: whole, or genErr, or no answer at all. */
static size_t read_scarcely(enum agentx_type type)
{
    const struct mib_oid names[] = {scalar(MIB_dcampNodeName),
                                    scalar(MIB_dcampNodeRole),
                                    cell_of(MIB_dcampObjectOid, "up", NULL),
                                    scalar(MIB_dcampSelfRequests),
                                    node_of(MIB_dcampNodeName),
                                    {{2, 5}, 2}};
    size_t refused = 0;
    for (size_t nth = 1, failed = 1; failed; nth++) {
        netsnmp_pdu *pdu = request(type, 7);
        for (size_t i = 0; i < N_OF(names); i++)
            add(pdu, &names[i], type == AGENTX_GET ? ASN_NULL : ASN_PRIV_INCL_RANGE, NULL, 0);
        master_say(&scene.master, pdu);
        scarce_fail(nth + 1); /* the first is the packet's own */
        agentx_read(scene.agentx, NS_PER_S);
        failed = scarce_stop();
        pdu = master_hear(&scene.master);
        if (!pdu)
            continue;
        assert_int_equal(pdu->reqid, packets);
        size_t n = 0;
        for (const netsnmp_variable_list *var = pdu->variables; var; var = var->next_variable)
            n++;
        assert_int_equal(n, pdu->errstat ? 0 : N_OF(names));
        assert_int_equal(pdu->errstat, failed ? SET_GEN_ERR : 0);
        assert_int_equal(pdu->errindex, failed ? 1 : 0);
        refused += pdu->errstat != 0;
        snmp_free_pdu(pdu);
    }
    return refused;
}

static void answers_are_whole(void **state)
{
    (void)state;
    assert_int_equal(read_scarcely(AGENTX_GET), 6);
    assert_int_equal(read_scarcely(AGENTX_GETNEXT), 11); /* the names, too, of what is found */
}

static void a_test_without_memory(void **state)
{
    (void)state;
    size_t refused = 0;
    for (size_t nth = 1, failed = 1; failed; nth++) {
        master_say(&scene.master, test_of_interval(10, 2000));
        scarce_fail(nth + 1);
        agentx_read(scene.agentx, NS_PER_S);
        failed = scarce_stop();
        netsnmp_pdu *pdu = master_hear(&scene.master);
        if (pdu && failed) {
            assert_int_equal(pdu->errstat, SET_RESOURCE_UNAVAILABLE);
            assert_int_equal(pdu->errindex, 1);
            refused++;
        }
        snmp_free_pdu(pdu);
    }
    assert_true(refused >= 3);
    assert_int_equal(interval(), INITIAL);
}

/* Where the commit cannot be kept until it is saved, it is undone, and refused at once. */
static void a_commit_without_memory(void **state)
{
    (void)state;
    ask(test_of_interval(10, 2000));
    assert_answer(0, 0);
    master_say(&scene.master, request(AGENTX_COMMITSET, 10));
    scarce_fail(3); /* the second is for a list of rows, which goes without */
    agentx_read(scene.agentx, NS_PER_S);
    assert_true(scarce_stop());
    assert_answer(SET_COMMIT_FAILED, 1);
    assert_int_equal(interval(), INITIAL);
    assert_string_equal(scene.node->daemon->self.refusal.text, "commitFailed: no memory");
    assert_int_equal(dispatch_tick(&scene.dispatch, scene.agentx), UINT64_MAX);
    clean_up(10);
    /* One that is kept already is answered, though not the one that came again. */
    ask(test_of_interval(11, 3000));
    assert_answer(0, 0);
    ask(request(AGENTX_COMMITSET, 11));
    long first = packets;
    master_say(&scene.master, request(AGENTX_COMMITSET, 11));
    scarce_fail(2);
    agentx_read(scene.agentx, NS_PER_S);
    assert_true(scarce_stop());
    assert_silence();
    node_cycle(scene.node, 10);
    node_wait_saved(scene.node);
    dispatch_tick(&scene.dispatch, scene.agentx);
    packets = first;
    assert_answer(0, 0);
    assert_int_equal(interval(), 3000);
}

static void play(void)
{
    struct mib_oid name = scalar(MIB_dcampNodeName);
    for (int type = AGENTX_GET; type <= AGENTX_GETNEXT; type++) {
        netsnmp_pdu *pdu = request(type, 7);
        add(pdu, &name, type == AGENTX_GET ? ASN_NULL : ASN_PRIV_EXCL_RANGE, NULL, 0);
        ask(pdu);
        assert_answer(0, 0);
    }
    ask(test_of_interval(10, 2000));
    assert_answer(0, 0);
    ask(request(AGENTX_COMMITSET, 10));
    ask(request(AGENTX_COMMITSET, 10));
    phase(AGENTX_UNDOSET, 10, 0);
    ask(test_of_interval(11, 2000));
    assert_answer(0, 0);
    ask(request(AGENTX_COMMITSET, 11));
    scene.dispatch.commit_ns -= SAVING_COMMIT_NS;
    dispatch_tick(&scene.dispatch, scene.agentx);
    assert_answer(SET_COMMIT_FAILED, 1);
    ask(test_of_row(12, "new"));
    assert_answer(0, 0);
    ask(test_of_interval(13, 5));
    assert_answer(SET_WRONG_VALUE, 1);
    said_now();
}

static void nothing_is_kept(void **state)
{
    (void)state;
    assert_keeps_nothing(play);
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(get_of_each_syntax),
        scene_test(get_of_many),
        scene_test(get_of_a_long_name),
        scene_test(get_next),
        scene_test(not_served),
        scene_test(a_set_in_its_phases),
        scene_test(a_set_that_is_undone),
        scene_test(another_transaction),
        scene_test(a_test_that_comes_again),
        scene_test(tests_that_fail),
        scene_test(values),
        scene_test(commit_is_answered_when_it_is_saved),
        scene_test(commit_that_cannot_be_saved),
        scene_test(commit_that_cannot_be_undone),
        scene_test(undo_before_it_is_saved),
        scene_test(cleanup_before_it_is_saved),
        scene_test(the_session_ends_meanwhile),
        scene_test(answers_are_whole),
        scene_test(a_test_without_memory),
        scene_test(a_commit_without_memory),
        scene_test(nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
