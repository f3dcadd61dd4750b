/* The session with the master: what is said when, to the nanosecond, and what becomes of each
 * answer. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/agentx.h"
#include "base/clock.h"
#include "dcamp_mib.h"

#include "heap.h"
#include "masters.h"
#include "said.h"
#include "scarce.h"
#include "unit.h"

#define BEGIN (1000 * NS_PER_S)
#define PING (10 * NS_PER_S)
#define TIMEOUT (3 * NS_PER_S)
#define RETRY (NS_PER_S / 2)
#define GIVE_UP (120 * NS_PER_S)
#define SESSION 42

/* A session of both sides, and what the owner of the subagent's side was told. */
struct scene {
    struct master master;
    struct agentx_parameters settings;
    struct agentx_events events;
    struct agentx *agentx;
    size_t requests, attached, notified, detached;
    long request, error; /* the last packet ID and the last error */
};

static void on_request(void *context, struct agentx *agentx, netsnmp_pdu *pdu)
{
    struct scene *scene = context;
    assert_ptr_equal(agentx, scene->agentx);
    scene->requests++;
    scene->request = pdu->reqid;
}

static void on_attached(void *context)
{
    ((struct scene *)context)->attached++;
}

static void on_notified(void *context, long error)
{
    struct scene *scene = context;
    scene->notified++;
    scene->error = error;
}

static void on_detached(void *context)
{
    ((struct scene *)context)->detached++;
}

static struct scene scene;

static int scene_setup(void **state)
{
    (void)state;
    scene = (struct scene){.requests = 0};
    master_begin(&scene.master);
    scene.settings =
        (struct agentx_parameters){scene.master.address, PING, TIMEOUT, "a subagent that is tried"};
    scene.events =
        (struct agentx_events){on_request, on_attached, on_notified, on_detached, &scene};
    scene.agentx = agentx_new(&scene.settings, &scene.events);
    said_begin();
    return scene.agentx ? 0 : -1;
}

static int scene_teardown(void **state)
{
    (void)state;
    agentx_free(scene.agentx);
    said_end();
    master_end(&scene.master);
    return 0;
}

/* What was logged since the last time, of the socket's address "@". */
static void assert_said(const char *expected)
{
    char text[1024];
    const char *said = said_now(), *at = strstr(said, scene.master.address);
    size_t n = 0;
    for (; at; at = strstr(said, scene.master.address)) {
        memcpy(text + n, said, (size_t)(at - said));
        n += (size_t)(at - said);
        text[n++] = '@';
        said = at + strlen(scene.master.address);
    }
    memcpy(text + n, said, strlen(said) + 1);
    assert_string_equal(text, expected);
}

/* -- Steps of the conversation --------------------------------------------------------------- */

static netsnmp_pdu *hear(enum agentx_type type)
{
    netsnmp_pdu *pdu = master_hear(&scene.master);
    assert_non_null(pdu);
    assert_int_equal(pdu->command, type);
    return pdu;
}

/* Returns the packet ID. */
static long heard(enum agentx_type type)
{
    netsnmp_pdu *pdu = hear(type);
    long id = pdu->reqid;
    snmp_free_pdu(pdu);
    return id;
}

static void assert_silence(void)
{
    assert_null(master_hear(&scene.master));
}

static void answer_only(long id, long error)
{
    netsnmp_pdu *pdu = master_pdu(AGENTX_RESPONSE, SESSION, 0, id);
    pdu->errstat = error;
    master_say(&scene.master, pdu);
}

static void answer(long id, long error, uint64_t now_ns)
{
    answer_only(id, error);
    agentx_read(scene.agentx, now_ns);
}

/* The connection, and the Open in it, which is not answered yet. */
static long opened(uint64_t now_ns)
{
    assert_int_equal(agentx_tick(scene.agentx, now_ns), now_ns + PING);
    assert_true(agentx_fd(scene.agentx) >= 0);
    assert_true(master_accept(&scene.master));
    return heard(AGENTX_OPEN);
}

/* A session that is ready, all of it at one moment. */
static void registered(uint64_t now_ns)
{
    answer(opened(now_ns), 0, now_ns);
    answer(heard(AGENTX_REGISTER), 0, now_ns);
    answer(heard(AGENTX_ADD_CAPS), 0, now_ns);
    assert_true(agentx_ready(scene.agentx));
    said_now();
}

/* The connection is closed, and that was told. */
static void assert_lost(size_t times)
{
    char octet;
    assert_int_equal(agentx_fd(scene.agentx), -1);
    assert_false(agentx_ready(scene.agentx));
    assert_int_equal(scene.detached, times);
    assert_int_equal(recv(scene.master.fd, &octet, 1, MSG_DONTWAIT), 0);
    master_hang_up(&scene.master);
}

static void assert_root(const netsnmp_variable_list *var)
{
    const struct mib_info *root = &mib_objects[MIB_dcampMIB];
    assert_non_null(var);
    assert_null(var->next_variable);
    assert_int_equal(var->name_length, root->oid_len);
    for (size_t i = 0; i < root->oid_len; i++)
        assert_int_equal(var->name[i], root->oid[i]);
}

static void assert_describes(const netsnmp_pdu *pdu)
{
    const char *text = scene.settings.description;
    assert_root(pdu->variables);
    assert_int_equal(pdu->variables->val_len, strlen(text));
    assert_memory_equal(pdu->variables->val.string, text, strlen(text));
}

/* -- Beginning ------------------------------------------------------------------------------- */

static void it_begins_with_nothing(void **state)
{
    (void)state;
    assert_int_equal(agentx_fd(scene.agentx), -1);
    assert_false(agentx_ready(scene.agentx));
    agentx_read(scene.agentx, BEGIN);
    agentx_free(NULL);
    assert_int_equal(scene.detached, 0);
}

static void open_register_describe(void **state)
{
    (void)state;
    assert_int_equal(agentx_tick(scene.agentx, BEGIN), BEGIN + PING);
    assert_true(master_accept(&scene.master));
    netsnmp_pdu *pdu = hear(AGENTX_OPEN);
    assert_int_equal(pdu->sessid, 0);
    assert_int_equal(pdu->reqid, 1);
    assert_describes(pdu);
    snmp_free_pdu(pdu);
    assert_silence();
    assert_false(agentx_ready(scene.agentx));

    answer(1, 0, BEGIN + 1);
    pdu = hear(AGENTX_REGISTER);
    assert_int_equal(pdu->sessid, SESSION);
    assert_int_equal(pdu->reqid, 2);
    assert_int_equal(pdu->priority, 100);
    assert_root(pdu->variables);
    snmp_free_pdu(pdu);
    assert_silence();
    assert_false(agentx_ready(scene.agentx));

    answer(2, 0, BEGIN + 2);
    pdu = hear(AGENTX_ADD_CAPS);
    assert_int_equal(pdu->sessid, SESSION);
    assert_int_equal(pdu->reqid, 3);
    assert_describes(pdu);
    snmp_free_pdu(pdu);
    assert_silence();
    assert_false(agentx_ready(scene.agentx));
    assert_int_equal(scene.attached, 0);
    assert_said("");

    answer(3, 0, BEGIN + 3);
    assert_silence();
    assert_true(agentx_ready(scene.agentx));
    assert_int_equal(scene.attached, 1);
    assert_int_equal(scene.detached, 0);
    assert_said("info agentx: registered with the master at @\n");
}

/* Answers that nobody waits for change nothing, in any state. */
static void answers_to_nothing(void **state)
{
    (void)state;
    long open = opened(BEGIN);
    answer(0, 0, BEGIN);
    answer(open + 1, 0, BEGIN);
    assert_silence();
    answer(open, 0, BEGIN);
    long reg = heard(AGENTX_REGISTER);
    answer(open, 263, BEGIN);
    answer(0, 263, BEGIN);
    assert_silence();
    answer(reg, 0, BEGIN);
    long caps = heard(AGENTX_ADD_CAPS);
    answer(reg, 263, BEGIN);
    assert_false(agentx_ready(scene.agentx));
    answer(caps, 0, BEGIN);
    assert_true(agentx_ready(scene.agentx));
    answer(caps, 257, BEGIN);
    answer(0, 257, BEGIN);
    assert_true(agentx_ready(scene.agentx));
    assert_silence();
    assert_int_equal(scene.attached, 1);
    assert_int_equal(scene.notified, 0);
}

static void refused(enum agentx_type at, long error, const char *said)
{
    uint64_t now_ns = BEGIN + 7;
    long id = opened(BEGIN);
    if (at != AGENTX_OPEN) {
        answer(id, 0, BEGIN);
        id = heard(AGENTX_REGISTER);
    }
    if (at == AGENTX_ADD_CAPS) {
        answer(id, 0, BEGIN);
        id = heard(AGENTX_ADD_CAPS);
    }
    answer(id, error, now_ns);
    assert_int_equal(scene.detached, 0); /* the connection is in use until the tick */
    assert_int_equal(agentx_tick(scene.agentx, now_ns), now_ns + PING);
    assert_said(said);
    assert_lost(1);
    assert_int_equal(scene.attached, 0);
    /* Not before the time of a ping. */
    assert_int_equal(agentx_tick(scene.agentx, now_ns + PING - 1), now_ns + PING);
    assert_int_equal(agentx_fd(scene.agentx), -1);
    assert_int_equal(opened(now_ns + PING), id + 1);
    assert_said("");
}

static void open_refused(void **state)
{
    (void)state;
    refused(AGENTX_OPEN, 256,
            "warning agentx: @: the master refused to register the DCAMP-MIB; trying again until "
            "it is back\n");
}

static void register_refused(void **state)
{
    (void)state;
    refused(AGENTX_REGISTER, 263,
            "warning agentx: @: another subagent has registered the DCAMP-MIB there; trying again "
            "until it is back\n");
}

static void capabilities_refused(void **state)
{
    (void)state;
    refused(AGENTX_ADD_CAPS, 257,
            "warning agentx: @: the master has forgotten the session; trying again until it is "
            "back\n");
}

/* Each of three without memory for a packet, and for what is in it. */
static void no_memory_to_ask(void **state)
{
    (void)state;
    long (*const steps[])(enum agentx_type) = {heard, heard, heard};
    static const enum agentx_type types[] = {AGENTX_OPEN, AGENTX_REGISTER, AGENTX_ADD_CAPS};
    uint64_t now_ns = BEGIN;
    for (size_t step = 0; step < N_OF(types); step++)
        for (size_t nth = 1; nth <= 2; nth++, now_ns += NS_PER_S) {
            if (step == 0) {
                scarce_fail(nth + 4); /* behind what the connection takes */
            } else {
                agentx_tick(scene.agentx, now_ns);
                assert_true(master_accept(&scene.master));
                for (size_t i = 0; i < step; i++) {
                    answer_only(steps[i](types[i]), 0);
                    if (i + 1 == step)
                        scarce_fail(nth);
                    agentx_read(scene.agentx, now_ns);
                }
            }
            uint64_t due_ns = agentx_tick(scene.agentx, now_ns);
            assert_true(scarce_stop());
            if (step == 0)
                assert_true(master_accept(&scene.master));
            assert_int_equal(due_ns, now_ns + RETRY); /* a connection each half a second */
            assert_lost(2 * step + nth);
            if (step == 0 && nth == 1)
                assert_said("warning agentx: @: there is no memory for what the master is asked; "
                            "trying again until it is back\n");
            else
                assert_said("");
        }
    registered(now_ns);
}

static void no_memory_to_begin(void **state)
{
    (void)state;
    scarce_fail(1);
    struct agentx *agentx = agentx_new(&scene.settings, &scene.events);
    assert_true(scarce_stop());
    assert_null(agentx);
    scarce_fail(1);
    assert_int_equal(agentx_tick(scene.agentx, BEGIN), BEGIN + RETRY);
    assert_true(scarce_stop());
    assert_int_equal(agentx_fd(scene.agentx), -1);
    registered(BEGIN + RETRY);
}

/* -- Ping and silence ------------------------------------------------------------------------ */

static void ping_when_due(void **state)
{
    (void)state;
    uint64_t heard_ns = BEGIN + 5;
    registered(BEGIN);
    answer(0, 0, heard_ns); /* whatever it says */
    assert_int_equal(agentx_tick(scene.agentx, heard_ns + PING - 1), heard_ns + PING);
    assert_silence();
    assert_true(agentx_ready(scene.agentx));
    uint64_t asked_ns = heard_ns + PING;
    assert_int_equal(agentx_tick(scene.agentx, asked_ns), asked_ns + PING);
    netsnmp_pdu *ping = hear(AGENTX_PING);
    assert_int_equal(ping->sessid, SESSION);
    assert_int_equal(ping->reqid, 4);
    assert_null(ping->variables);
    snmp_free_pdu(ping);
    assert_false(agentx_ready(scene.agentx)); /* until it answers */
    assert_int_equal(agentx_tick(scene.agentx, asked_ns + 1), asked_ns + 1 + PING);
    assert_silence();
    answer(4, 0, asked_ns + 2);
    assert_true(agentx_ready(scene.agentx));
    assert_int_equal(agentx_tick(scene.agentx, asked_ns + 2), asked_ns + 2 + PING);
    assert_silence();
    assert_int_equal(scene.attached, 1);
    assert_said("");
}

static void no_memory_for_a_ping(void **state)
{
    (void)state;
    registered(BEGIN);
    scarce_fail(1);
    assert_int_equal(agentx_tick(scene.agentx, BEGIN + PING), BEGIN + PING);
    assert_true(scarce_stop());
    assert_silence();
    assert_true(agentx_ready(scene.agentx));
    agentx_tick(scene.agentx, BEGIN + PING);
    answer(heard(AGENTX_PING), 0, BEGIN + PING);
    assert_true(agentx_ready(scene.agentx));
}

/* A ping that is refused: the master has restarted behind the same connection. */
static void ping_refused(void **state)
{
    (void)state;
    registered(BEGIN);
    agentx_tick(scene.agentx, BEGIN + PING);
    answer(heard(AGENTX_PING), AGENTX_NOT_OPEN, BEGIN + PING);
    assert_false(agentx_ready(scene.agentx));
    assert_int_equal(agentx_tick(scene.agentx, BEGIN + PING), BEGIN + 2 * PING);
    assert_said("warning agentx: @: the master has forgotten the session; trying again until it is "
                "back\n");
    assert_lost(1);
}

static void silence(void **state)
{
    (void)state;
    uint64_t asked_ns = BEGIN + PING;
    registered(BEGIN);
    agentx_tick(scene.agentx, asked_ns);
    long ping = heard(AGENTX_PING);
    agentx_tick(scene.agentx, asked_ns + TIMEOUT);
    assert_said("");
    agentx_tick(scene.agentx, asked_ns + TIMEOUT + 1);
    assert_said("warning agentx: @: the master does not answer; waiting for it\n");
    agentx_tick(scene.agentx, asked_ns + TIMEOUT + 2);
    agentx_tick(scene.agentx, asked_ns + GIVE_UP);
    assert_said("");
    assert_silence();
    /* What it says meanwhile is no answer. */
    master_say(&scene.master, master_pdu(AGENTX_GET, SESSION, 1, 9));
    agentx_read(scene.agentx, asked_ns + GIVE_UP);
    assert_int_equal(scene.requests, 1);
    assert_said("");
    answer(ping, 0, asked_ns + GIVE_UP);
    assert_said("info agentx: @: the master answers again\n");
    assert_true(agentx_ready(scene.agentx));
    answer(0, 0, asked_ns + GIVE_UP);
    assert_said("");
    assert_int_equal(scene.detached, 0);
    /* The next silence is told again. */
    asked_ns += GIVE_UP + PING;
    agentx_tick(scene.agentx, asked_ns);
    heard(AGENTX_PING);
    agentx_tick(scene.agentx, asked_ns + TIMEOUT + 1);
    assert_said("warning agentx: @: the master does not answer; waiting for it\n");
}

static void given_up(void **state)
{
    (void)state;
    uint64_t asked_ns = BEGIN + PING, end_ns = asked_ns + GIVE_UP + 1;
    registered(BEGIN);
    agentx_tick(scene.agentx, asked_ns);
    heard(AGENTX_PING);
    assert_int_equal(agentx_tick(scene.agentx, end_ns - 1), end_ns - 1 + PING);
    assert_int_equal(scene.detached, 0);
    said_now();
    assert_int_equal(agentx_tick(scene.agentx, end_ns), end_ns); /* at once */
    assert_said("warning agentx: @: the master has not answered for two minutes; trying again "
                "until it is back\n");
    assert_lost(1);
    answer(opened(end_ns), 0, end_ns);
    answer(heard(AGENTX_REGISTER), 0, end_ns);
    answer(heard(AGENTX_ADD_CAPS), 0, end_ns);
    assert_said("info agentx: registered with the master at @\n");
    assert_int_equal(scene.attached, 2);
    /* The silence of before is forgotten. */
    agentx_tick(scene.agentx, end_ns + PING);
    heard(AGENTX_PING);
    agentx_tick(scene.agentx, end_ns + PING + TIMEOUT + 1);
    assert_said("warning agentx: @: the master does not answer; waiting for it\n");
}

/* The Open is a question as well; that of the Register begins anew. */
static void silence_at_the_beginning(void **state)
{
    (void)state;
    long open = opened(BEGIN);
    agentx_tick(scene.agentx, BEGIN + TIMEOUT);
    assert_said("");
    answer(open, 0, BEGIN + TIMEOUT);
    heard(AGENTX_REGISTER);
    agentx_tick(scene.agentx, BEGIN + 2 * TIMEOUT);
    assert_said("");
    agentx_tick(scene.agentx, BEGIN + 2 * TIMEOUT + 1);
    assert_said("warning agentx: @: the master does not answer; waiting for it\n");
    /* No ping besides. */
    assert_int_equal(agentx_tick(scene.agentx, BEGIN + TIMEOUT + PING), BEGIN + TIMEOUT + 2 * PING);
    assert_silence();
    agentx_tick(scene.agentx, BEGIN + TIMEOUT + GIVE_UP);
    assert_int_equal(scene.detached, 0);
    agentx_tick(scene.agentx, BEGIN + TIMEOUT + GIVE_UP + 1);
    assert_said("warning agentx: @: the master has not answered for two minutes; trying again "
                "until it is back\n");
    assert_lost(1);
}

/* -- Lost sessions --------------------------------------------------------------------------- */

static void nobody_listens(void **state)
{
    (void)state;
    master_close_door(&scene.master);
    assert_int_equal(agentx_tick(scene.agentx, BEGIN), BEGIN + RETRY);
    assert_int_equal(agentx_fd(scene.agentx), -1);
    assert_said("warning agentx: @: No such file or directory; snmpd does not run, has no line "
                "\"master agentx\", or another agentXSocket; trying again until it is back\n");
    master_open_door(&scene.master);
    assert_int_equal(agentx_tick(scene.agentx, BEGIN + RETRY - 1), BEGIN + RETRY);
    assert_int_equal(agentx_fd(scene.agentx), -1);
    registered(BEGIN + RETRY);
    assert_int_equal(scene.detached, 0);
}

/* A master that is away is told once, whatever is left of its socket; what else is wrong, once
 * each. */
static void each_reason_once(void **state)
{
    (void)state;
    uint64_t now_ns = BEGIN;
    static const char *const names[] = {"gone", "none", "none", "gone", "long", "gone", "none"};
    static const bool told[] = {true, true, false, false, true, false, true};
    char too_long[160] = "unix:/";
    memset(too_long + 6, 'x', sizeof too_long - 7);
    master_close_door(&scene.master);
    for (size_t i = 0; i < N_OF(names); i++, now_ns += RETRY) {
        scene.settings.socket = *names[i] == 'g'   ? scene.master.address
                                : *names[i] == 'n' ? "nothing"
                                                   : too_long;
        assert_int_equal(agentx_tick(scene.agentx, now_ns), now_ns + RETRY);
        if ((*said_now() != '\0') != told[i])
            fail_msg("%zu: %s", i, names[i]);
    }
    scene.settings.socket = scene.master.address;
    master_open_door(&scene.master);
    registered(now_ns);
    /* After a session all is news again. */
    master_close_door(&scene.master);
    master_hang_up(&scene.master);
    agentx_read(scene.agentx, now_ns);
    assert_said("warning agentx: @: the master closed the connection; trying again until it is "
                "back\n");
    now_ns += RETRY;
    assert_int_equal(agentx_tick(scene.agentx, now_ns), now_ns);
    assert_int_equal(agentx_tick(scene.agentx, now_ns), now_ns + RETRY);
    assert_said("");
    scene.settings.socket = "nothing";
    agentx_tick(scene.agentx, now_ns + RETRY);
    assert_true(*said_now() != '\0');
    agentx_tick(scene.agentx, now_ns + 2 * RETRY);
    assert_said("");
}

static void the_master_hangs_up(void **state)
{
    (void)state;
    uint64_t now_ns = BEGIN + RETRY;
    registered(BEGIN);
    master_hang_up(&scene.master);
    assert_true(agentx_ready(scene.agentx));
    agentx_read(scene.agentx, now_ns);
    assert_false(agentx_ready(scene.agentx));
    assert_int_equal(scene.detached, 0);
    assert_int_equal(agentx_tick(scene.agentx, now_ns + 1),
                     now_ns + 1); /* it may be back already */
    assert_int_equal(scene.detached, 1);
    assert_int_equal(agentx_fd(scene.agentx), -1);
    registered(now_ns + 1);
    assert_int_equal(scene.attached, 2);
    agentx_tick(scene.agentx, now_ns + 1 + PING);
    assert_true(heard(AGENTX_PING) > 6); /* packet IDs go on */
}

/* In one go with a request before, and one behind it. */
static void the_master_closes(void **state)
{
    (void)state;
    registered(BEGIN);
    netsnmp_pdu *close_pdu = master_pdu(AGENTX_CLOSE, SESSION, 0, 8);
    close_pdu->errstat = AGENTX_REASON_SHUTDOWN;
    master_say(&scene.master, master_pdu(AGENTX_GET, SESSION, 1, 7));
    master_say(&scene.master, close_pdu);
    master_say(&scene.master, master_pdu(AGENTX_GET, SESSION, 1, 9));
    agentx_read(scene.agentx, BEGIN + 1);
    assert_int_equal(scene.requests, 1);
    assert_int_equal(scene.request, 7);
    assert_said("warning agentx: @: the master closed the session; trying again until it is "
                "back\n");
    assert_int_equal(agentx_tick(scene.agentx, BEGIN + RETRY - 1), BEGIN + RETRY);
    assert_int_equal(scene.detached, 1);
    assert_int_equal(agentx_fd(scene.agentx), -1);
}

static void noise(void **state)
{
    (void)state;
    static const unsigned char octets[20] = {1, 13, 0x10, 0, [16] = 0xff};
    registered(BEGIN);
    master_say_octets(&scene.master, octets, sizeof octets);
    agentx_read(scene.agentx, BEGIN);
    assert_said("warning agentx: @: the master sent what cannot be read; trying again until it is "
                "back\n");
    agentx_tick(scene.agentx, BEGIN);
    assert_lost(1);
}

static void nothing_can_be_sent(void **state)
{
    (void)state;
    registered(BEGIN);
    master_hang_up(&scene.master);
    assert_int_equal(agentx_tick(scene.agentx, BEGIN + PING), BEGIN + PING);
    assert_said("warning agentx: @: the master does not take what is sent; trying again until it "
                "is back\n");
    assert_int_equal(scene.detached, 1);
    assert_int_equal(agentx_fd(scene.agentx), -1);
}

/* -- Notifications --------------------------------------------------------------------------- */

static netsnmp_variable_list *varbinds(void)
{
    static const oid name[] = {1, 3, 6, 1, 2};
    static const long number = 17;
    netsnmp_variable_list *list = NULL;
    assert_non_null(
        snmp_varlist_add_variable(&list, name, N_OF(name), ASN_INTEGER, &number, sizeof number));
    return list;
}

static void notifications(void **state)
{
    (void)state;
    registered(BEGIN);
    assert_true(agentx_notify(scene.agentx, varbinds(), BEGIN + 1));
    netsnmp_pdu *pdu = hear(AGENTX_NOTIFY);
    assert_int_equal(pdu->sessid, SESSION);
    assert_int_equal(pdu->reqid, 4);
    assert_non_null(pdu->variables);
    assert_null(pdu->variables->next_variable);
    assert_int_equal(*pdu->variables->val.integer, 17);
    snmp_free_pdu(pdu);
    assert_true(agentx_ready(scene.agentx)); /* one in flight is its owner's affair */
    assert_int_equal(scene.notified, 0);
    answer(5, 9, BEGIN + 2);
    assert_int_equal(scene.notified, 0);
    answer(4, 0, BEGIN + 2);
    assert_int_equal(scene.notified, 1);
    assert_int_equal(scene.error, 0);
    answer(4, 0, BEGIN + 2); /* once more */
    assert_int_equal(scene.notified, 1);
    assert_true(agentx_notify(scene.agentx, varbinds(), BEGIN + 3));
    answer(heard(AGENTX_NOTIFY), 268, BEGIN + 3);
    assert_int_equal(scene.notified, 2);
    assert_int_equal(scene.error, 268);
    assert_true(agentx_ready(scene.agentx));
}

/* Both questions are open at once, and answered in the other order. */
static void a_notification_beside_a_ping(void **state)
{
    (void)state;
    registered(BEGIN);
    assert_true(agentx_notify(scene.agentx, varbinds(), BEGIN + 1));
    long notification = heard(AGENTX_NOTIFY);
    agentx_tick(scene.agentx, BEGIN + PING);
    long ping = heard(AGENTX_PING);
    answer(ping, 0, BEGIN + PING);
    assert_int_equal(scene.notified, 0);
    assert_true(agentx_ready(scene.agentx));
    answer(notification, 0, BEGIN + PING);
    assert_int_equal(scene.notified, 1);
}

static void a_notification_of_a_session_before(void **state)
{
    (void)state;
    registered(BEGIN);
    assert_true(agentx_notify(scene.agentx, varbinds(), BEGIN + 1));
    long notification = heard(AGENTX_NOTIFY);
    master_hang_up(&scene.master);
    agentx_read(scene.agentx, BEGIN + RETRY);
    agentx_tick(scene.agentx, BEGIN + RETRY);
    registered(BEGIN + RETRY);
    answer(notification, 0, BEGIN + RETRY);
    assert_int_equal(scene.notified, 0);
}

static void a_notification_that_does_not_go_out(void **state)
{
    (void)state;
    registered(BEGIN);
    scarce_fail(2); /* the first is the test's own */
    netsnmp_variable_list *list = varbinds();
    assert_false(agentx_notify(scene.agentx, list, BEGIN + 1));
    assert_true(scarce_stop());
    assert_silence();
    assert_true(agentx_ready(scene.agentx));
    master_hang_up(&scene.master);
    assert_false(agentx_notify(scene.agentx, varbinds(), BEGIN + 1));
    assert_false(agentx_ready(scene.agentx));
}

/* -- Requests -------------------------------------------------------------------------------- */

static void answers_to_requests(void **state)
{
    (void)state;
    registered(BEGIN);
    netsnmp_pdu *request = master_pdu(AGENTX_GET, 42, 43, 44);
    agentx_answer(scene.agentx, request, varbinds(), 5, 6);
    netsnmp_pdu *pdu = hear(AGENTX_RESPONSE);
    assert_int_equal(pdu->sessid, 42);
    assert_int_equal(pdu->transid, 43);
    assert_int_equal(pdu->reqid, 44);
    assert_int_equal(pdu->errstat, 5);
    assert_int_equal(pdu->errindex, 6);
    assert_non_null(pdu->variables);
    assert_int_equal(*pdu->variables->val.integer, 17);
    snmp_free_pdu(pdu);
    agentx_answer(scene.agentx, request, NULL, 0, 0);
    pdu = hear(AGENTX_RESPONSE);
    assert_int_equal(pdu->errstat, 0);
    assert_int_equal(pdu->errindex, 0);
    assert_null(pdu->variables);
    snmp_free_pdu(pdu);
    netsnmp_variable_list *list = varbinds();
    scarce_fail(1);
    agentx_answer(scene.agentx, request, list, 0, 0);
    assert_true(scarce_stop());
    assert_silence();
    assert_true(agentx_ready(scene.agentx));
    master_hang_up(&scene.master);
    agentx_answer(scene.agentx, request, NULL, 0, 0);
    assert_said("warning agentx: @: the master does not take what is sent; trying again until it "
                "is back\n");
    assert_false(agentx_ready(scene.agentx));
    snmp_free_pdu(request);
}

/* -- Ending ---------------------------------------------------------------------------------- */

static void renew(void)
{
    scene.detached = 0;
    scene.agentx = agentx_new(&scene.settings, &scene.events);
}

static void good_bye(void **state)
{
    (void)state;
    registered(BEGIN);
    agentx_free(scene.agentx);
    netsnmp_pdu *pdu = hear(AGENTX_CLOSE);
    assert_int_equal(pdu->sessid, SESSION);
    assert_int_equal(pdu->errstat, AGENTX_REASON_SHUTDOWN);
    snmp_free_pdu(pdu);
    assert_int_equal(scene.detached, 1);
    char octet;
    assert_int_equal(recv(scene.master.fd, &octet, 1, MSG_DONTWAIT), 0);
    master_hang_up(&scene.master);
    renew();
}

/* A master that owes an answer is not told: it might not read. */
static void end_in_silence(void **state)
{
    (void)state;
    answer(opened(BEGIN), 0, BEGIN);
    heard(AGENTX_REGISTER);
    agentx_free(scene.agentx);
    assert_silence();
    assert_int_equal(scene.detached, 1);
    master_hang_up(&scene.master);
    renew();
    registered(BEGIN);
    agentx_tick(scene.agentx, BEGIN + PING);
    heard(AGENTX_PING);
    agentx_free(scene.agentx);
    assert_silence();
    master_hang_up(&scene.master);
    renew();
    opened(BEGIN);
    agentx_free(scene.agentx);
    assert_silence();
    master_hang_up(&scene.master);
    renew();
    registered(BEGIN);
    scarce_fail(1);
    agentx_free(scene.agentx);
    assert_true(scarce_stop());
    assert_silence();
    assert_int_equal(scene.detached, 1);
    master_hang_up(&scene.master);
    renew();
    agentx_free(scene.agentx);
    assert_int_equal(scene.detached, 0); /* there was no session */
    renew();
}

/* A life with all there is in it. */
static void live(void)
{
    renew();
    registered(BEGIN);
    agentx_notify(scene.agentx, varbinds(), BEGIN + 1);
    answer(heard(AGENTX_NOTIFY), 0, BEGIN + 1);
    netsnmp_pdu *request = master_pdu(AGENTX_GET, 42, 43, 44);
    agentx_answer(scene.agentx, request, varbinds(), 0, 0);
    netsnmp_variable_list *list = varbinds(), *other = varbinds();
    scarce_fail(1);
    agentx_answer(scene.agentx, request, list, 0, 0);
    scarce_stop();
    scarce_fail(1);
    agentx_notify(scene.agentx, other, BEGIN + 1);
    scarce_stop();
    snmp_free_pdu(request);
    heard(AGENTX_RESPONSE);
    agentx_free(scene.agentx);
    master_hang_up(&scene.master);
    renew();
    scarce_fail(6);
    agentx_tick(scene.agentx, BEGIN);
    scarce_stop();
    assert_true(master_accept(&scene.master));
    agentx_free(scene.agentx);
    master_hang_up(&scene.master);
    said_now();
}

static void nothing_is_kept(void **state)
{
    (void)state;
    agentx_free(scene.agentx);
    assert_keeps_nothing(live);
    renew();
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(it_begins_with_nothing),
        scene_test(open_register_describe),
        scene_test(answers_to_nothing),
        scene_test(open_refused),
        scene_test(register_refused),
        scene_test(capabilities_refused),
        scene_test(no_memory_to_ask),
        scene_test(no_memory_to_begin),
        scene_test(ping_when_due),
        scene_test(no_memory_for_a_ping),
        scene_test(ping_refused),
        scene_test(silence),
        scene_test(given_up),
        scene_test(silence_at_the_beginning),
        scene_test(nobody_listens),
        scene_test(each_reason_once),
        scene_test(the_master_hangs_up),
        scene_test(the_master_closes),
        scene_test(noise),
        scene_test(nothing_can_be_sent),
        scene_test(notifications),
        scene_test(a_notification_beside_a_ping),
        scene_test(a_notification_of_a_session_before),
        scene_test(a_notification_that_does_not_go_out),
        scene_test(answers_to_requests),
        scene_test(good_bye),
        scene_test(end_in_silence),
        scene_test(nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
