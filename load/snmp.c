#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/oid.h"
#include "base/text.h"
#include "cli/address.h"
#include "load/actor.h"
#include "snmpv3/session.h"

/* A request by SNMPv3, and its response. Each actor has a session of its own, with its own socket;
 * its first operation also discovers the engine (RFC 3414, section 4). Nothing is ever sent again:
 * if a request or response is lost, the operation ends by the timeout of all operations. */
#define FOREVER (3600 * NS_PER_S) /* timeout of the session: the engine of the test has its own */

struct snmp_hub {
    struct hub hub;
    char address[PEER_ADDRESS_SIZE]; /* numeric */
    struct credential *credential;
    netsnmp_large_fd_set readable;
    size_t n_oids;
    bool is_proven; /* a response was authentic, so that the keys are right */
};

struct snmp_oid {
    oid arc[OID_MAX];
    size_t len;
};

struct snmp_actor {
    struct actor actor;
    struct session session;
    struct reactor_watch watch; /* fd is -1 if the session is not open */
    struct snmp_oid *oid;       /* those of the operation: as many as hub->n_oids */
    bool is_busy;
    struct failure failure; /* set if has_failed: what was wrong with the answer */
    bool has_failed;
};

static struct snmp_hub *hub_of(const struct snmp_actor *own)
{
    return (struct snmp_hub *)own->actor.hub;
}

/* -- What is asked for ------------------------------------------------------------------------- */

/* Returns false if the text is not an object identifier. */
static bool read_oid(const char *text, struct snmp_oid *to)
{
    uint32_t arcs[OID_MAX];
    to->len = oid_from_text(text, strlen(text), arcs);
    for (size_t i = 0; i < to->len; i++)
        to->arc[i] = arcs[i];
    return to->len > 0;
}

/* Object identifiers without placeholders are checked once, before the test. */
static bool check_oids(const struct action *action, size_t *n, char why[FAILURE_TEXT])
{
    struct snmp_oid oid;
    for (*n = 0; action->words[*n + 1]; ++*n) {
        const char *text = action->words[*n + 1];
        if (action_varies(text) || read_oid(text, &oid))
            continue;
        text_format(why, FAILURE_TEXT, "%s: expected an object identifier in numbers", text);
        return false;
    }
    if (*n > 0)
        return true;
    text_format(why, FAILURE_TEXT, "expected an address and object identifiers behind it");
    return false;
}

static bool find_agent(struct snmp_hub *hub, const struct action *action, char why[FAILURE_TEXT])
{
    struct address parts;
    if (!address_split(action->words[0], action->port, &parts)) {
        text_format(why, FAILURE_TEXT, "%s: expected HOST or HOST:PORT", action->words[0]);
        return false;
    }
    const char *fault = address_resolve(&parts, hub->address);
    if (fault)
        text_format(why, FAILURE_TEXT, "%s: %s", action->words[0], fault);
    return !fault;
}

static bool make_credential(struct snmp_hub *hub, const struct action *action,
                            char why[FAILURE_TEXT])
{
    struct credential *made = keys_set(&hub->credential, action->credential);
    if (!made || made->invalid)
        text_format(why, FAILURE_TEXT, "%s", made ? made->invalid : "out of memory");
    return made && !made->invalid;
}

static void finish_snmp(struct hub *general)
{
    struct snmp_hub *hub = (struct snmp_hub *)general;
    keys_free(&hub->credential);
    netsnmp_large_fd_set_cleanup(&hub->readable);
    free(hub);
}

static struct hub *prepare_snmp(const struct action *action, struct reactor *reactor,
                                char why[FAILURE_TEXT])
{
    struct snmp_hub *hub = calloc(1, sizeof *hub);
    if (!hub) {
        text_format(why, FAILURE_TEXT, "out of memory");
        return NULL;
    }
    hub->hub = (struct hub){&snmp_type, action, reactor};
    netsnmp_large_fd_set_init(&hub->readable, FD_SETSIZE);
    if (check_oids(action, &hub->n_oids, why) && find_agent(hub, action, why) &&
        make_credential(hub, action, why))
        return &hub->hub;
    finish_snmp(&hub->hub);
    return NULL;
}

/* -- How an operation ends --------------------------------------------------------------------- */

static void hang_up(struct snmp_actor *own)
{
    if (own->watch.fd >= 0)
        reactor_remove(own->actor.hub->reactor, &own->watch);
    own->watch.fd = -1;
    session_close(&own->session);
    own->is_busy = false;
}

static void fail(struct snmp_actor *own, enum failure_kind kind, const char *why)
{
    hang_up(own);
    actor_fail(&own->actor, kind, "%s: %s", own->actor.hub->action->words[0], why);
}

static enum failure_kind kind_of(enum poll_failure failure)
{
    switch (failure) {
    case POLL_TIMEOUT:
        return FAILURE_TIMEOUT;
    case POLL_UNREACHABLE:
        return FAILURE_CONNECT;
    case POLL_WRONG_KEY:
    case POLL_UNKNOWN_USER:
    case POLL_NO_CREDENTIAL:
        return FAILURE_LOGIN;
    default:
        return FAILURE_PROTOCOL;
    }
}

/* If the agent is another engine now, or its time has changed, it is discovered once more. */
static void fail_by_session(struct snmp_actor *own)
{
    struct session *session = &own->session;
    enum poll_failure failure = session->failure;
    char why[FAILURE_TEXT];
    text_format(why, sizeof why, "%s", session->text);
    if (failure == POLL_NEW_ENGINE || failure == POLL_NOT_IN_WINDOW) {
        session_forget_keys(session);
        session_forget_time(session);
        session->engine = (struct snmp_engine){0};
    }
    fail(own, kind_of(failure), why);
}

static void end_answered(struct snmp_actor *own)
{
    const struct failure failure = own->failure;
    own->is_busy = false;
    if (own->has_failed)
        actor_fail(&own->actor, failure.kind, "%s: %s", own->actor.hub->action->words[0],
                   failure.text);
    else
        actor_succeed(&own->actor);
}

/* -- What comes back --------------------------------------------------------------------------- */

static void note_failure(struct snmp_actor *own, enum failure_kind kind, const char *what,
                         const netsnmp_variable_list *of)
{
    uint32_t arcs[OID_MAX];
    char text[OID_TEXT_SIZE] = "";
    size_t n = of && of->name_length <= OID_MAX ? of->name_length : 0;
    for (size_t i = 0; i < n; i++)
        arcs[i] = (uint32_t)of->name[i];
    if (n > 0 && oid_to_text(arcs, n, text) == 0)
        text[0] = '\0';
    own->has_failed = true;
    own->failure.kind = kind;
    text_format(own->failure.text, sizeof own->failure.text, "%s%s%s", what, text[0] ? ": " : "",
                text);
}

/* Returns NULL if it is a value. RFC 3416, section 3. */
static const char *exception_of(const netsnmp_variable_list *variable)
{
    switch (variable->type) {
    case SNMP_NOSUCHOBJECT:
        return "noSuchObject";
    case SNMP_NOSUCHINSTANCE:
        return "noSuchInstance";
    case SNMP_ENDOFMIBVIEW:
        return "endOfMibView";
    default:
        return NULL;
    }
}

static bool is_asked(const struct snmp_oid *asked, const netsnmp_variable_list *variable)
{
    return snmp_oid_compare(asked->arc, asked->len, variable->name, variable->name_length) == 0;
}

/* Expects one variable for each that was asked for; GETBULK may bring more. A value that is missing
 * is an error, because otherwise the test would measure something else. */
static void check_variables(struct snmp_actor *own, const netsnmp_pdu *pdu)
{
    const enum action_request request = own->actor.hub->action->request;
    const netsnmp_variable_list *variable = pdu->variables;
    for (size_t i = 0; i < hub_of(own)->n_oids; i++, variable = variable->next_variable) {
        if (!variable || (request == ACTION_GET && !is_asked(&own->oid[i], variable))) {
            note_failure(own, FAILURE_PROTOCOL, "an answer to what was not asked", NULL);
            return;
        }
        const char *exception = exception_of(variable);
        if (exception) {
            note_failure(own, FAILURE_STATUS, exception, variable);
            return;
        }
    }
    if (request != ACTION_GET_BULK && variable)
        note_failure(own, FAILURE_PROTOCOL, "an answer to what was not asked", NULL);
}

static const netsnmp_variable_list *variable_of(const netsnmp_pdu *pdu, long index)
{
    const netsnmp_variable_list *variable = index > 0 ? pdu->variables : NULL;
    for (; variable && index > 1; index--)
        variable = variable->next_variable;
    return variable;
}

static void take_answer(void *context, const netsnmp_pdu *pdu)
{
    struct snmp_actor *own = context;
    long status = pdu->errstat;
    hub_of(own)->is_proven = true;
    own->has_failed = false;
    if (status == SNMP_ERR_NOERROR)
        check_variables(own, pdu);
    else if (status > 0 && status <= MAX_SNMP_ERR)
        note_failure(own, FAILURE_STATUS, snmp_errstring((int)status),
                     variable_of(pdu, pdu->errindex));
    else
        note_failure(own, FAILURE_PROTOCOL, "an error status that does not exist", NULL);
}

/* -- What is sent ---------------------------------------------------------------------------- */

/* Returns NULL if memory runs out. */
static netsnmp_pdu *request_of(const struct snmp_actor *own)
{
    static const int commands[] = {[ACTION_GET] = SNMP_MSG_GET,
                                   [ACTION_GET_NEXT] = SNMP_MSG_GETNEXT,
                                   [ACTION_GET_BULK] = SNMP_MSG_GETBULK};
    const struct action *action = own->actor.hub->action;
    netsnmp_pdu *pdu = snmp_pdu_create(commands[action->request]);
    if (pdu && action->request == ACTION_GET_BULK) {
        pdu->non_repeaters = 0;
        pdu->max_repetitions = action->repetitions;
    }
    for (size_t i = 0; pdu && i < hub_of(own)->n_oids; i++)
        if (!snmp_add_null_var(pdu, own->oid[i].arc, own->oid[i].len)) {
            snmp_free_pdu(pdu);
            return NULL;
        }
    return pdu;
}

static void ask(struct snmp_actor *own)
{
    netsnmp_pdu *pdu = request_of(own);
    if (pdu)
        session_ask(&own->session, pdu, clock_mono_ns(), FOREVER);
    else
        fail(own, FAILURE_MEMORY, "out of memory");
}

/* Opens the session if it is not open, and makes the keys once the engine is known. Returns false
 * if the operation has failed. */
static bool open_session(struct snmp_actor *own)
{
    if (!session_open(&own->session, hub_of(own)->address, hub_of(own)->credential)) {
        fail_by_session(own);
        return false;
    }
    if (own->watch.fd >= 0)
        return true;
    own->watch.fd = session_fd(&own->session);
    int error = reactor_add(own->actor.hub->reactor, &own->watch, EPOLLIN);
    if (error == 0)
        return true;
    own->watch.fd = -1;
    fail(own, FAILURE_CONNECT, strerror(error));
    return false;
}

/* Does the next step of the operation, until it waits or has ended. */
static void go_on(struct snmp_actor *own)
{
    const struct session *session = &own->session;
    if (session->outcome == SESSION_DISCOVERED && open_session(own))
        ask(own);
    if (!own->is_busy)
        return;
    if (session->outcome == SESSION_ANSWERED)
        end_answered(own);
    else if (session->outcome == SESSION_FAILED)
        fail_by_session(own);
}

static void session_ready(void *context, uint32_t events)
{
    struct snmp_actor *own = context;
    (void)events;
    session_read(&own->session, &hub_of(own)->readable, clock_mono_ns());
    if (own->is_busy)
        go_on(own);
}

/* -- Beginning ------------------------------------------------------------------------------- */

/* Returns false if the operation has failed. */
static bool fill_oids(struct snmp_actor *own, const struct call *call)
{
    for (size_t i = 0; i < hub_of(own)->n_oids; i++) {
        char *text = action_fill(own->actor.hub->action->words[i + 1], call, false);
        bool is_good = text && read_oid(text, &own->oid[i]);
        if (!text)
            actor_fail(&own->actor, FAILURE_MEMORY, "out of memory");
        else if (!is_good)
            actor_fail(&own->actor, FAILURE_START, "%s: expected an object identifier in numbers",
                       text);
        free(text);
        if (!is_good)
            return false;
    }
    return true;
}

static void begin_snmp(struct actor *actor, const struct call *call)
{
    struct snmp_actor *own = (struct snmp_actor *)actor;
    if (!fill_oids(own, call))
        return;
    own->is_busy = true;
    if (!open_session(own))
        return;
    if (own->session.engine.len == 0)
        session_discover(&own->session, clock_mono_ns(), FOREVER);
    else
        ask(own);
    if (own->is_busy)
        go_on(own);
}

/* The socket is closed, so that a late response is not taken for that of a later request. */
static void cancel_snmp(struct actor *actor)
{
    hang_up((struct snmp_actor *)actor);
}

/* An agent silently drops what is encrypted with a wrong key. */
static const char *why_late(const struct actor *actor)
{
    const struct snmp_actor *own = (const struct snmp_actor *)actor;
    return own->session.alive && !hub_of(own)->is_proven
               ? "silent, but there: is the privacy passphrase its own?"
               : NULL;
}

static void close_snmp(struct actor *actor)
{
    struct snmp_actor *own = (struct snmp_actor *)actor;
    hang_up(own);
    session_forget_keys(&own->session);
    free(own->oid);
    free(own);
}

static struct actor *open_snmp(struct hub *hub)
{
    struct snmp_actor *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->actor.hub = hub;
    own->watch = (struct reactor_watch){session_ready, own, -1};
    session_init(&own->session, take_answer, own);
    own->oid = calloc(((struct snmp_hub *)hub)->n_oids, sizeof *own->oid);
    if (own->oid)
        return &own->actor;
    close_snmp(&own->actor);
    return NULL;
}

const struct actor_type snmp_type = {.start = session_start_library,
                                     .prepare = prepare_snmp,
                                     .finish = finish_snmp,
                                     .open = open_snmp,
                                     .begin = begin_snmp,
                                     .cancel = cancel_snmp,
                                     .close = close_snmp,
                                     .why_late = why_late};
