/* A manager that waits, and an agent on loopback: what is asked in how many requests, what comes of
 * it, and what is said where nothing good comes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/client.h"
#include "snmpv3/keys.h"

#include "agents.h"
#include "unit.h"

#define LONG (100 * NS_PER_S)
#define SHORT (NS_PER_S / 10)

static struct scene {
    struct agent_peer agent;
    struct client *client;
    struct cell cells[100];
    uint32_t rows[200]; /* that a walk has taken */
    size_t n, wanted;
} scene;

static struct client *client_of(const char *auth, uint64_t time_ns)
{
    struct usm_credential told = {
        .name = "site", .user = ENGINE_USER, .auth = AUTH_SHA256, .priv = PRIV_AES128};
    strcpy(told.auth_secret, auth);
    strcpy(told.priv_secret, ENGINE_PRIV);
    struct client *client =
        client_new(scene.agent.engine.address, &told, clock_mono_ns() + time_ns);
    assert_non_null(client);
    return client;
}

static int scene_setup(void **state)
{
    (void)state;
    scene.n = 0;
    scene.wanted = N_OF(scene.rows);
    agent_begin(&scene.agent);
    scene.client = client_of(ENGINE_AUTH, LONG);
    return 0;
}

static int scene_teardown(void **state)
{
    (void)state;
    client_free(scene.client);
    agent_end(&scene.agent);
    return 0;
}

/* -- Steps ----------------------------------------------------------------------------------- */

static struct cell cell_of(enum mib_object object, uint32_t index)
{
    struct cell cell;
    cell_start(&cell, object);
    cell_add_number(&cell, index);
    return cell;
}

/* The severity of alarms with these numbers, which is 1000 more. */
static void add_rows(uint32_t first, uint32_t n)
{
    for (uint32_t i = first; i < first + n; i++) {
        struct cell cell = cell_of(MIB_dcampAlarmSeverity, i);
        agent_number(&scene.agent, &cell, 1000 + i);
    }
}

static void add_others(void)
{
    struct cell before = cell_of(MIB_dcampAlarmKey, 5), after = cell_of(MIB_dcampAlarmSequence, 5);
    agent_text(&scene.agent, &before, "a key");
    agent_number(&scene.agent, &after, 17);
}

static struct cell *ask_for(uint32_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        scene.cells[i] = cell_of(MIB_dcampAlarmSeverity, first + (uint32_t)i);
    return scene.cells;
}

static bool take(void *context, const struct cell *cell)
{
    struct scene *to = context;
    size_t at = 0;
    assert_int_equal(cell->object, MIB_dcampAlarmSeverity);
    assert_int_equal(cell->kind, CELL_NUMBER);
    assert_true(cell_index_number(cell, &at, &to->rows[to->n]));
    assert_int_equal(cell->number, 1000 + to->rows[to->n]);
    return ++to->n < to->wanted;
}

static bool walk(size_t expected)
{
    struct cell column;
    cell_start(&column, MIB_dcampAlarmSeverity);
    scene.n = scene.agent.asked = 0;
    return client_walk(scene.client, &column, expected, take, &scene);
}

static void assert_walked(uint32_t first, size_t n, size_t requests)
{
    assert_int_equal(scene.n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(scene.rows[i], first + i);
    assert_int_equal(scene.agent.asked, requests);
}

static void assert_fails(enum client_failure failure, const char *what)
{
    char expected[256];
    snprintf(expected, sizeof expected, "%s: %s", scene.agent.engine.address, what);
    assert_int_equal(client_failure(scene.client), failure);
    assert_string_equal(client_error(scene.client), expected);
}

static void assert_gets(uint32_t first, size_t n)
{
    assert_true(client_get(scene.client, ask_for(first, n), n));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(scene.cells[i].kind, CELL_NUMBER);
        assert_int_equal(scene.cells[i].number, 1000 + first + i);
    }
}

/* -- GET and GETNEXT ------------------------------------------------------------------------- */

static void cells_of_all_kinds(void **state)
{
    (void)state;
    unsigned requests, varbinds;
    add_rows(1, 1);
    add_others();
    struct cell cells[] = {cell_of(MIB_dcampAlarmKey, 5), cell_of(MIB_dcampAlarmSeverity, 1),
                           cell_of(MIB_dcampAlarmSeverity, 2)};
    assert_true(client_get(scene.client, cells, N_OF(cells)));
    assert_int_equal(client_failure(scene.client), CLIENT_OK);
    assert_int_equal(cells[0].kind, CELL_TEXT);
    assert_string_equal(cells[0].text, "a key");
    assert_int_equal(cells[1].kind, CELL_NUMBER);
    assert_int_equal(cells[1].number, 1001);
    assert_int_equal(cells[2].kind, CELL_MISSING);
    client_counts(scene.client, &requests, &varbinds);
    assert_int_equal(requests, 2); /* the first to find out who it is */
    assert_int_equal(varbinds, 3);
    assert_gets(1, 1);
    client_counts(scene.client, &requests, &varbinds);
    assert_int_equal(requests, 3);
    assert_int_equal(varbinds, 4);
}

/* Whatever the MIB has numbers in, up to their limits. */
static void numbers_of_all_kinds(void **state)
{
    (void)state;
    static const struct {
        enum mib_object object;
        uint8_t type;
        int64_t number;
    } cases[] = {
        {MIB_dcampSelfCycles, ASN_COUNTER64, 0},
        {MIB_dcampSelfCycles, ASN_COUNTER64, 5},
        {MIB_dcampSelfCycles, ASN_COUNTER64, INT64_C(5) << 32 | 7},
        {MIB_dcampSelfCycles, ASN_COUNTER64, UINT32_MAX},
        {MIB_dcampSelfCycles, ASN_COUNTER64, INT64_MAX},
        {MIB_dcampNodeUpTime, ASN_TIMETICKS, UINT32_MAX},
        {MIB_dcampNodeBoot, ASN_UNSIGNED, UINT32_MAX},
        {MIB_dcampNodeRole, ASN_INTEGER, 3},
        {MIB_dcampNodeRole, ASN_INTEGER, -3},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct cell cell, asked;
        cell_scalar(&cell, cases[i].object);
        asked = cell;
        assert_int_equal((uint8_t)mib_objects[cases[i].object].syntax, cases[i].type);
        agent_number(&scene.agent, &cell, cases[i].number);
        assert_true(client_get(scene.client, &asked, 1));
        assert_int_equal(asked.kind, CELL_NUMBER);
        assert_int_equal(asked.number, cases[i].number);
        agent_typed(&scene.agent, &cell, ASN_COUNTER, 1); /* not what the MIB says */
        assert_true(client_get(scene.client, &asked, 1));
        assert_int_equal(asked.kind, CELL_MISSING);
    }
}

static void thirty_at_a_time(void **state)
{
    (void)state;
    static const struct {
        size_t n, requests;
    } cases[] = {{0, 0}, {1, 1}, {30, 1}, {31, 2}, {60, 2}, {100, 4}};
    add_rows(1, 100);
    for (size_t i = 0; i < N_OF(cases); i++) {
        scene.agent.asked = 0;
        assert_gets(1, cases[i].n);
        assert_int_equal(scene.agent.asked, cases[i].requests);
    }
}

static void less_where_it_is_too_big(void **state)
{
    (void)state;
    add_rows(1, 100);
    scene.agent.most = 7;
    assert_gets(1, 20); /* 20, 10 and then 5 at a time */
    assert_int_equal(scene.agent.asked, 6);
    scene.agent.most = 1;
    scene.agent.asked = 0;
    assert_gets(1, 3); /* 3, and then 1 at a time */
    assert_int_equal(scene.agent.asked, 4);
    scene.agent.status = SNMP_ERR_TOOBIG;
    assert_false(client_get(scene.client, ask_for(1, 2), 2));
    assert_fails(CLIENT_BROKEN, "even one value is too big for an answer");
}

static void successors(void **state)
{
    (void)state;
    add_rows(7, 2);
    add_others();
    struct cell column;
    cell_start(&column, MIB_dcampAlarmSeverity);
    struct cell cells[] = {column, column, column};
    cell_add_number(&cells[1], 7);
    cells[2] = cell_of(MIB_dcampAlarmSequence, 5); /* the last of all */
    assert_true(client_get_next(scene.client, cells, N_OF(cells)));
    assert_int_equal(cells[0].number, 1007);
    assert_int_equal(cells[0].len, column.len + 1);
    assert_int_equal(cells[1].kind, CELL_MISSING); /* not below itself */
    assert_int_equal(cells[1].oid[cells[1].len - 1], 7);
    assert_int_equal(cells[2].kind, CELL_MISSING);
    cell_start(&cells[0], MIB_dcampAlarmInstance); /* there is none below it */
    assert_true(client_get_next(scene.client, cells, 1));
    assert_int_equal(cells[0].kind, CELL_MISSING);
    scene.agent.one_too_few = true;
    assert_false(client_get_next(scene.client, cells, 1));
    assert_fails(CLIENT_BROKEN, "an answer to what was not asked");
}

/* -- Walks ----------------------------------------------------------------------------------- */

static void walks(void **state)
{
    (void)state;
    static const struct {
        uint32_t n;
        size_t expected, requests;
    } cases[] = {
        {0, 4, 1},   {4, 4, 1},   {5, 4, 2},   {44, 4, 2},  {45, 4, 3},
        {39, 39, 1}, {40, 39, 2}, {40, 40, 2}, {100, 4, 4}, {100, 1000, 3},
    };
    add_others();
    for (size_t i = 0; i < N_OF(cases); i++) {
        add_rows(1, cases[i].n);
        assert_true(walk(cases[i].expected));
        assert_walked(1, cases[i].n, cases[i].requests);
        agent_drop_all(&scene.agent);
        add_others();
    }
}

/* The last row is the last of all: the end of the view is the end of the walk. */
static void to_the_end_of_all(void **state)
{
    (void)state;
    add_rows(1, 3);
    assert_true(walk(4));
    assert_walked(1, 3, 1);
    agent_drop_all(&scene.agent);
    assert_true(walk(4));
    assert_walked(1, 0, 1);
}

static void answers_that_are_cut(void **state)
{
    (void)state;
    add_rows(1, 10);
    add_others();
    scene.agent.most = 3;
    assert_true(walk(20));
    assert_walked(1, 10, 4);
}

static void a_walk_that_has_enough(void **state)
{
    (void)state;
    add_rows(1, 100);
    scene.wanted = 7;
    assert_true(walk(4));
    assert_walked(1, 7, 2);
}

static void a_walk_from_behind(void **state)
{
    (void)state;
    static const struct {
        uint32_t after;
        size_t n;
    } cases[] = {{0, 50}, {10, 50}, {11, 49}, {59, 1}, {60, 0}, {1000, 0}};
    struct cell column;
    cell_start(&column, MIB_dcampAlarmSeverity);
    add_rows(11, 50);
    add_others();
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint32_t after = cases[i].after;
        struct cell from = cell_of(MIB_dcampAlarmSeverity, after);
        scene.n = 0;
        assert_true(client_walk_after(scene.client, &column, &from, 4, take, &scene));
        assert_int_equal(scene.n, cases[i].n);
        for (size_t row = 0; row < scene.n; row++)
            assert_int_equal(scene.rows[row], (after < 10 ? 10 : after) + 1 + row);
    }
}

static void walks_that_do_not_end(void **state)
{
    (void)state;
    struct cell column, after = cell_of(MIB_dcampAlarmSeverity, 1);
    add_rows(1, 5);
    scene.agent.always_first = true;
    assert_false(walk(4));
    assert_fails(CLIENT_BROKEN, "an answer to what was not asked");
    assert_int_equal(scene.n, 0);
    cell_start(&column, MIB_dcampAlarmSeverity);
    assert_false(client_walk_after(scene.client, &column, &after, 0, take, &scene));
    assert_fails(CLIENT_BROKEN, "an answer to what was not asked");
    scene.agent.always_first = false;
    scene.agent.status = SNMP_ERR_TOOBIG;
    assert_false(walk(4));
    assert_fails(CLIENT_BROKEN, "even one value is too big for an answer");
    scene.agent.status = 0;
    assert_true(walk(4));
    assert_walked(1, 5, 2);
}

/* -- What is no answer ----------------------------------------------------------------------- */

static void error_statuses(void **state)
{
    (void)state;
    static const struct {
        long status;
        enum client_failure failure;
        const char *text;
    } cases[] = {
        {SNMP_ERR_GENERR, CLIENT_SILENT, "snmpd answers, but dcampd does not answer it (genErr)"},
        {SNMP_ERR_NOSUCHNAME, CLIENT_REFUSED,
         "(noSuchName) There is no such variable name in this MIB."},
        {SNMP_ERR_AUTHORIZATIONERROR, CLIENT_REFUSED,
         "authorizationError (access denied to that object)"},
        {MAX_SNMP_ERR, CLIENT_REFUSED,
         "inconsistentName (That object can not currently be created)"},
        {MAX_SNMP_ERR + 1, CLIENT_REFUSED, "an error status that does not exist"},
        {-1, CLIENT_REFUSED, "an error status that does not exist"},
    };
    add_rows(1, 1);
    for (size_t i = 0; i < N_OF(cases); i++) {
        scene.agent.status = cases[i].status;
        assert_false(client_get(scene.client, ask_for(1, 1), 1));
        assert_fails(cases[i].failure, cases[i].text);
        scene.agent.status = 0;
        assert_gets(1, 1);
        assert_int_equal(client_failure(scene.client), CLIENT_OK);
    }
}

static void answers_to_something_else(void **state)
{
    (void)state;
    bool *const faults[] = {&scene.agent.one_too_few, &scene.agent.one_too_many,
                            &scene.agent.always_first};
    add_rows(1, 3);
    for (size_t i = 0; i < N_OF(faults); i++) {
        *faults[i] = true;
        assert_false(client_get(scene.client, ask_for(2, 2), 2));
        assert_fails(CLIENT_BROKEN, "an answer to what was not asked");
        *faults[i] = false;
        assert_gets(2, 2);
    }
}

static void other_keys(void **state)
{
    (void)state;
    scene.agent.wrong_digests = true;
    add_rows(1, 1);
    for (int times = 0; times < 2; times++) {
        assert_false(client_get(scene.client, ask_for(1, 1), 1));
        assert_fails(CLIENT_REFUSED, "wrongDigests: the authentication passphrase is not its own");
    }
    scene.agent.wrong_digests = false;
    assert_gets(1, 1);
}

/* The same node, of which nothing has to be found out again. */
static void another_user(void **state)
{
    (void)state;
    struct usm_credential told = {
        .name = "other", .user = ENGINE_USER, .auth = AUTH_SHA256, .priv = PRIV_AES128};
    struct credential *all = NULL;
    unsigned before, requests, varbinds;
    strcpy(told.auth_secret, ENGINE_AUTH);
    strcpy(told.priv_secret, ENGINE_PRIV);
    const struct credential *other = keys_set(&all, &told);
    add_rows(1, 1);
    assert_gets(1, 1);
    client_counts(scene.client, &before, &varbinds);
    client_use(scene.client, other);
    assert_gets(1, 1);
    client_counts(scene.client, &requests, &varbinds);
    assert_int_equal(requests, before + 1);
    client_free(scene.client);
    keys_free(&all);
    scene.client = client_of(ENGINE_AUTH, LONG);
    assert_gets(1, 1);
}

static void no_keys(void **state)
{
    (void)state;
    unsigned requests, varbinds;
    client_free(scene.client);
    scene.client = client_of("short", LONG);
    assert_false(client_get(scene.client, ask_for(1, 1), 1));
    assert_int_equal(client_failure(scene.client), CLIENT_REFUSED);
    client_counts(scene.client, &requests, &varbinds);
    assert_int_equal(requests, 0);
}

/* -- Silence --------------------------------------------------------------------------------- */

static bool nothing(struct agent_peer *agent)
{
    (void)agent;
    return false;
}

/* It tells who it is, and then nothing: what is asked with wrong keys is dropped. */
static void silent_but_there(void **state)
{
    (void)state;
    add_rows(1, 1);
    scene.agent.before = nothing;
    /* A busy machine may need longer until it has told who it is, and is asked. */
    for (int i = 0; i < 100 && scene.agent.asked == 0; i++) {
        client_extend(scene.client, clock_mono_ns() + SHORT);
        assert_false(client_get(scene.client, ask_for(1, 1), 1));
    }
    assert_fails(CLIENT_SILENT,
                 "no answer, but snmpd is there: dcampd hangs, or the privacy passphrase is wrong");
}

/* The keys were right a moment ago. */
static void silent_suddenly(void **state)
{
    (void)state;
    add_rows(1, 1);
    assert_gets(1, 1);
    scene.agent.before = nothing;
    client_extend(scene.client, clock_mono_ns() + SHORT);
    assert_false(client_get(scene.client, ask_for(1, 1), 1));
    assert_fails(CLIENT_SILENT, "no answer");
    /* All the time was over; another deadline, and it goes on. */
    assert_false(client_get(scene.client, ask_for(1, 1), 1));
    assert_fails(CLIENT_SILENT, "no answer");
    scene.agent.before = NULL;
    client_extend(scene.client, clock_mono_ns() + LONG);
    assert_gets(1, 1);
}

static void no_time_at_all(void **state)
{
    (void)state;
    unsigned requests, varbinds;
    client_extend(scene.client, clock_mono_ns());
    assert_false(client_get(scene.client, ask_for(1, 1), 1));
    assert_fails(CLIENT_SILENT, "no answer");
    client_counts(scene.client, &requests, &varbinds);
    assert_int_equal(requests, 0);
}

static void nobody_listens(void **state)
{
    (void)state;
    close(scene.agent.engine.fd);
    scene.agent.engine.fd = -1;
    assert_false(client_get(scene.client, ask_for(1, 1), 1));
    assert_fails(CLIENT_SILENT, "Connection refused");
}

/* Packets get lost: it is asked who it is as often as the time allows. */
static void it_hears_late(void **state)
{
    (void)state;
    unsigned requests, varbinds;
    add_rows(1, 1);
    scene.agent.deaf = 2; /* to the first question and its repetition */
    assert_gets(1, 1);
    client_counts(scene.client, &requests, &varbinds);
    assert_true(requests >= 3);
}

/* -- What is said of each cell --------------------------------------------------------------- */

static void each_cell_is_told(void **state)
{
    (void)state;
    static const uint8_t octets[] = {0xff, 0, 7};
    struct cell cells[] = {cell_of(MIB_dcampAlarmKey, 5), cell_of(MIB_dcampAlarmKey, 6),
                           cell_of(MIB_dcampAlarmSeverity, 1), cell_of(MIB_dcampAlarmSeverity, 2)};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    add_rows(1, 1);
    add_others();
    agent_octets(&scene.agent, &cells[1], octets, sizeof octets);
    client_trace(scene.client, to);
    assert_true(client_get(scene.client, cells, N_OF(cells)));
    cell_start(&cells[0], MIB_dcampAlarmSeverity);
    assert_true(client_walk(scene.client, &cells[0], 4, take, &scene));
    fclose(to);
    assert_string_equal(text, "dcampAlarmKey.5 = \"a key\"\n"
                              "dcampAlarmKey.6 has 3 octets\n"
                              "dcampAlarmSeverity.1 = 1001\n"
                              "dcampAlarmSeverity.2 is missing\n"
                              "dcampAlarmSeverity.1 = 1001\n");
    free(text);
}

static void none(void **state)
{
    (void)state;
    client_free(NULL);
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(cells_of_all_kinds),
        scene_test(numbers_of_all_kinds),
        scene_test(thirty_at_a_time),
        scene_test(less_where_it_is_too_big),
        scene_test(successors),
        scene_test(walks),
        scene_test(to_the_end_of_all),
        scene_test(answers_that_are_cut),
        scene_test(a_walk_that_has_enough),
        scene_test(a_walk_from_behind),
        scene_test(walks_that_do_not_end),
        scene_test(error_statuses),
        scene_test(answers_to_something_else),
        scene_test(other_keys),
        scene_test(another_user),
        scene_test(no_keys),
        scene_test(silent_but_there),
        scene_test(silent_suddenly),
        scene_test(no_time_at_all),
        scene_test(nobody_listens),
        scene_test(it_hears_late),
        scene_test(each_cell_is_told),
        cmocka_unit_test(none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
