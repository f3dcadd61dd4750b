/* What the library may call back, in whatever order its versions do: each outcome is settled once.
 * Real exchanges are test_snmpv3_session's. */
#include <stdlib.h>
#include <string.h>

#include "snmpv3/session.c"

#include "scarce.h"
#include "unit.h"

#define NOW (1000 * NS_PER_S)

static size_t answers;

static void take(void *context, const netsnmp_pdu *pdu)
{
    assert_ptr_equal(context, &answers);
    assert_non_null(pdu);
    answers++;
}

/* A session whose request is under way, to an engine that is known or not. */
static struct session session_of(struct link *link, bool known)
{
    struct session session;
    answers = 0;
    *link = (struct link){.request = 5, .engine_boots = 9, .waited = 3};
    session_init(&session, take, &answers);
    session.link = link;
    session.now = NOW + 10;
    session.sent = NOW;
    session.timeout = NS_PER_S;
    session.outcome = SESSION_WAITING;
    if (known)
        note_engine(&session.engine, (const u_char *)"engine", 6);
    return session;
}

static netsnmp_pdu pdu_of(int command, int level)
{
    return (netsnmp_pdu){.command = command,
                         .msgid = 77,
                         .securityLevel = level,
                         .securityEngineID = (u_char *)(uintptr_t) "engine",
                         .securityEngineIDLen = 6};
}

static const struct {
    int operation, command, level;
    bool known;
    enum session_outcome outcome;
    enum poll_failure failure;
    const char *text;
} cases[] = {
    {NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE, SNMP_MSG_RESPONSE, SNMP_SEC_LEVEL_AUTHPRIV, true,
     SESSION_ANSWERED, 0, NULL},
    {NETSNMP_CALLBACK_OP_SEC_ERROR, SNMP_MSG_RESPONSE, SNMP_SEC_LEVEL_AUTHPRIV, true,
     SESSION_ANSWERED, 0, NULL},
    {NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE, SNMP_MSG_RESPONSE, SNMP_SEC_LEVEL_AUTHNOPRIV, true,
     SESSION_FAILED, POLL_GARBAGE, "an answer to what was not asked"},
    {NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE, SNMP_MSG_RESPONSE, SNMP_SEC_LEVEL_NOAUTH, true,
     SESSION_FAILED, POLL_GARBAGE, "an answer to what was not asked"},
    {NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE, SNMP_MSG_RESPONSE, SNMP_SEC_LEVEL_AUTHPRIV, false,
     SESSION_FAILED, POLL_GARBAGE, "an answer to what was not asked"},
    {NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE, SNMP_MSG_REPORT, SNMP_SEC_LEVEL_NOAUTH, false,
     SESSION_DISCOVERED, 0, NULL},
    {NETSNMP_CALLBACK_OP_SEC_ERROR, SNMP_MSG_REPORT, SNMP_SEC_LEVEL_NOAUTH, false,
     SESSION_DISCOVERED, 0, NULL},
    {NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE, SNMP_MSG_GET, SNMP_SEC_LEVEL_AUTHPRIV, true,
     SESSION_FAILED, POLL_GARBAGE, "neither an answer nor a REPORT"},
    {NETSNMP_CALLBACK_OP_TIMED_OUT, 0, 0, true, SESSION_FAILED, POLL_TIMEOUT, "no answer"},
    {NETSNMP_CALLBACK_OP_SEND_FAILED, 0, 0, true, SESSION_FAILED, POLL_REFUSED,
     "the request cannot be sent"},
    {NETSNMP_CALLBACK_OP_DISCONNECT, 0, 0, true, SESSION_FAILED, POLL_REFUSED,
     "the request cannot be sent"},
};

static void each_event(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct link link;
        struct session session = session_of(&link, cases[i].known);
        netsnmp_pdu pdu = pdu_of(cases[i].command, cases[i].level);
        assert_int_equal(on_event(cases[i].operation, NULL, 0, &pdu, &session), 1);
        assert_int_equal(session.outcome, cases[i].outcome);
        assert_int_equal(answers, cases[i].outcome == SESSION_ANSWERED);
        assert_int_equal(session.proven, cases[i].outcome == SESSION_ANSWERED);
        assert_int_equal(session.engine.boots, cases[i].outcome == SESSION_ANSWERED ? 9 : 0);
        assert_int_equal(session.round_trip, cases[i].outcome == SESSION_ANSWERED ? 7 : 0);
        if (cases[i].outcome != SESSION_FAILED)
            continue;
        assert_int_equal(session.failure, cases[i].failure);
        assert_string_equal(session.text, cases[i].text);
    }
}

/* Whatever comes behind the first that settled it, it stays settled as it was. */
static void each_event_too_late(void **state)
{
    (void)state;
    static const enum session_outcome settled[] = {SESSION_IDLE, SESSION_ANSWERED,
                                                   SESSION_DISCOVERED, SESSION_FAILED};
    for (size_t i = 0; i < N_OF(cases); i++)
        for (size_t s = 0; s < N_OF(settled); s++) {
            struct link link;
            struct session session = session_of(&link, cases[i].known);
            netsnmp_pdu pdu = pdu_of(cases[i].command, cases[i].level);
            session.outcome = settled[s];
            session.failure = POLL_NO_CREDENTIAL;
            on_event(cases[i].operation, NULL, 0, &pdu, &session);
            assert_int_equal(session.outcome, settled[s]);
            assert_int_equal(session.failure, POLL_NO_CREDENTIAL);
            assert_int_equal(answers, 0);
            assert_false(session.proven);
        }
}

/* An error of security without a message: there is nothing to be told of it. */
static void no_message(void **state)
{
    (void)state;
    static const int operations[] = {NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE,
                                     NETSNMP_CALLBACK_OP_SEC_ERROR};
    for (size_t i = 0; i < N_OF(operations); i++) {
        struct link link;
        struct session session = session_of(&link, true);
        on_event(operations[i], NULL, 0, NULL, &session);
        assert_int_equal(session.outcome, SESSION_FAILED);
        assert_int_equal(session.failure, POLL_GARBAGE);
        assert_string_equal(session.text, "neither an answer nor a REPORT");
    }
}

/* Sent again after a REPORT had settled it: it is under way again. */
static void resent(void **state)
{
    (void)state;
    static const enum session_outcome before[] = {SESSION_WAITING, SESSION_FAILED};
    for (size_t i = 0; i < N_OF(before); i++) {
        struct link link;
        struct session session = session_of(&link, true);
        netsnmp_pdu pdu = pdu_of(SNMP_MSG_GET, SNMP_SEC_LEVEL_AUTHPRIV);
        session.outcome = before[i];
        on_event(NETSNMP_CALLBACK_OP_RESEND, NULL, 0, &pdu, &session);
        assert_int_equal(session.outcome, SESSION_WAITING);
        assert_int_equal(link.request, 77);
        assert_int_equal(session.sent, NOW + 10);
        assert_int_equal(session.deadline, NOW + 10 + NS_PER_S + NS_PER_MS);
    }
}

static void why_it_timed_out(void **state)
{
    (void)state;
    static const struct {
        int parse_error;
        bool alive, proven;
        enum poll_failure failure;
    } reasons[] = {
        {0, false, false, POLL_TIMEOUT},
        {0, false, true, POLL_TIMEOUT},
        {0, true, true, POLL_TIMEOUT},
        {0, true, false, POLL_WRONG_KEY},
        {SNMPERR_ASN_PARSE_ERR, true, false, POLL_GARBAGE},
        {SNMPERR_ASN_PARSE_ERR, false, true, POLL_GARBAGE},
    };
    for (size_t i = 0; i < N_OF(reasons); i++) {
        struct link link;
        struct session session = session_of(&link, true);
        session.parse_error = reasons[i].parse_error;
        session.alive = reasons[i].alive;
        session.proven = reasons[i].proven;
        on_event(NETSNMP_CALLBACK_OP_TIMED_OUT, NULL, 0, NULL, &session);
        assert_int_equal(session.failure, reasons[i].failure);
    }
}

/* What the library made of a packet that it throws away. */
static void after_the_parser(void **state)
{
    (void)state;
    static const struct {
        int error;
        const char *engine;
        size_t len;
        bool known;
        enum session_outcome before, after;
        enum poll_failure failure;
        int kept;
    } parsed[] = {
        {SNMPERR_SUCCESS, "other!", 6, true, SESSION_WAITING, SESSION_WAITING, 0, 0},
        {SNMPERR_USM_NOTINTIMEWINDOW, "engine", 6, true, SESSION_WAITING, SESSION_FAILED,
         POLL_NOT_IN_WINDOW, SNMPERR_USM_NOTINTIMEWINDOW},
        {SNMPERR_USM_NOTINTIMEWINDOW, "engine", 6, true, SESSION_ANSWERED, SESSION_ANSWERED, 0, 0},
        {SNMPERR_USM_UNKNOWNSECURITYNAME, "other!", 6, true, SESSION_WAITING, SESSION_FAILED,
         POLL_NEW_ENGINE, SNMPERR_USM_UNKNOWNSECURITYNAME},
        {SNMPERR_USM_UNKNOWNSECURITYNAME, "othe", 4, true, SESSION_WAITING, SESSION_FAILED,
         POLL_GARBAGE, SNMPERR_USM_UNKNOWNSECURITYNAME},
        {SNMPERR_USM_UNKNOWNSECURITYNAME, "engine", 6, true, SESSION_WAITING, SESSION_WAITING, 0,
         SNMPERR_USM_UNKNOWNSECURITYNAME},
        {SNMPERR_USM_UNKNOWNSECURITYNAME, "other!", 6, false, SESSION_WAITING, SESSION_WAITING, 0,
         SNMPERR_USM_UNKNOWNSECURITYNAME},
        {SNMPERR_USM_UNKNOWNSECURITYNAME, NULL, 0, true, SESSION_WAITING, SESSION_WAITING, 0,
         SNMPERR_USM_UNKNOWNSECURITYNAME},
        {SNMPERR_ASN_PARSE_ERR, "other!", 6, true, SESSION_WAITING, SESSION_WAITING, 0,
         SNMPERR_ASN_PARSE_ERR},
    };
    for (size_t i = 0; i < N_OF(parsed); i++) {
        struct link link;
        struct session session = session_of(&link, parsed[i].known);
        netsnmp_session library = {.myvoid = &session};
        netsnmp_pdu pdu = {.securityEngineID = (u_char *)(uintptr_t)parsed[i].engine,
                           .securityEngineIDLen = parsed[i].len};
        session.outcome = parsed[i].before;
        assert_int_equal(after_parse(&library, &pdu, parsed[i].error), 1);
        assert_int_equal(session.outcome, parsed[i].after);
        assert_int_equal(session.failure, parsed[i].failure);
        assert_int_equal(session.parse_error, parsed[i].kept);
    }
}

static void a_discovery_without_memory(void **state)
{
    (void)state;
    scarce_fail(1);
    netsnmp_pdu *pdu = discovery();
    assert_true(scarce_stop());
    assert_null(pdu);
    pdu = discovery();
    assert_non_null(pdu);
    assert_string_equal(pdu->securityName, "");
    assert_int_equal(pdu->securityLevel, SNMP_SEC_LEVEL_NOAUTH);
    snmp_free_pdu(pdu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event),
        cmocka_unit_test(each_event_too_late),
        cmocka_unit_test(no_message),
        cmocka_unit_test(resent),
        cmocka_unit_test(why_it_timed_out),
        cmocka_unit_test(after_the_parser),
        cmocka_unit_test(a_discovery_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
