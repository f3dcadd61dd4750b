#include "agent/agentx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/master.h"
#include "agent/wire.h"
#include "base/clock.h"
#include "base/log.h"
#include "dcamp_mib.h"

/* A connect to a socket that nobody listens on costs some microseconds: it may be tried often. */
#define RETRY_NS (NS_PER_S / 2)

/* A connection that is open and silent is kept: a master that was frozen goes on where it was, and
 * what was sent to it is not lost. The connection is given up only after this time. */
#define GIVE_UP_NS (120 * NS_PER_S)

#define REGISTER_PRIORITY 100 /* better than the default of 127 */

enum state { AWAY, OPENING, REGISTERING, DESCRIBING, READY };

struct agentx {
    const struct agentx_parameters *settings;
    const struct agentx_events *events;
    struct wire *wire; /* NULL while AWAY */
    enum state state;
    bool broken;    /* found while the connection was in use, so that it could not be closed */
    bool said_away; /* the log says already that it is away */
    int said_error; /* the latest errno of connecting that was logged */
    bool said_silent;
    long session_id;
    long packet_id;              /* of the last question or notification */
    long question, notification; /* packet IDs of those that wait for an answer; 0: none */
    uint64_t now_ns;             /* time of the current call */
    uint64_t retry_ns;           /* AWAY: when to try to connect */
    uint64_t heard_ns;           /* when the master last sent anything */
    uint64_t asked_ns; /* when the oldest open administrative question was sent; 0: none */
};

struct agentx *agentx_new(const struct agentx_parameters *settings,
                          const struct agentx_events *events)
{
    struct agentx *agentx = calloc(1, sizeof *agentx);
    if (!agentx)
        return NULL;
    agentx->settings = settings;
    agentx->events = events;
    return agentx;
}

int agentx_fd(const struct agentx *agentx)
{
    return agentx->wire ? wire_fd(agentx->wire) : -1;
}

bool agentx_ready(const struct agentx *agentx)
{
    return agentx->state == READY && agentx->asked_ns == 0 && !agentx->broken;
}

static void close_session(struct agentx *agentx)
{
    if (!agentx->wire)
        return;
    wire_close(agentx->wire);
    agentx->wire = NULL;
    agentx->state = AWAY;
    agentx->broken = false;
    agentx->asked_ns = 0;
    agentx->question = agentx->notification = 0;
    agentx->retry_ns = agentx->now_ns; /* a master that restarts may be there already */
    agentx->events->detached(agentx->events->context);
}

static void lose_session(struct agentx *agentx, const char *why)
{
    if (!agentx->said_away)
        log_warning("agentx", "%s: %s; trying again until it is back", agentx->settings->socket,
                    why);
    agentx->said_away = true;
    agentx->broken = true;
}

/* The codec reads a packet ID as an int. */
static long next_packet_id(struct agentx *agentx)
{
    agentx->packet_id = agentx->packet_id % INT32_MAX + 1;
    return agentx->packet_id;
}

static netsnmp_pdu *new_pdu(struct agentx *agentx, enum agentx_type type)
{
    netsnmp_pdu *pdu = snmp_pdu_create(type);
    if (pdu) {
        pdu->version = AGENTX_SESSION_VERSION;
        pdu->sessid = agentx->session_id;
        pdu->reqid = next_packet_id(agentx);
    }
    return pdu;
}

static bool send_pdu(struct agentx *agentx, netsnmp_pdu *pdu)
{
    if (!pdu)
        return false;
    if (wire_send(agentx->wire, pdu))
        return true;
    lose_session(agentx, "the master does not take what is sent");
    return false;
}

/* -- The conversation: open, register, describe, then ping ------------------------------------ */

/* If there is no memory for the question, the session is opened anew, because no answer would
 * come. */
static void ask_master(struct agentx *agentx, netsnmp_pdu *pdu, enum state state)
{
    agentx->state = state;
    agentx->question = pdu ? pdu->reqid : 0;
    if (!pdu)
        lose_session(agentx, "there is no memory for what the master is asked");
    if (send_pdu(agentx, pdu) && agentx->asked_ns == 0)
        agentx->asked_ns = agentx->now_ns;
}

static void root_oid(oid name[MAX_OID_LEN], size_t *len)
{
    const struct mib_info *root = &mib_objects[MIB_dcampMIB];
    for (size_t i = 0; i < root->oid_len; i++)
        name[i] = root->oid[i];
    *len = root->oid_len;
}

/* NULL: no memory; the packet is freed then. */
static netsnmp_pdu *if_added(netsnmp_pdu *pdu, const netsnmp_variable_list *variable)
{
    if (variable)
        return pdu;
    snmp_free_pdu(pdu);
    return NULL;
}

static netsnmp_pdu *text_pdu(struct agentx *agentx, enum agentx_type type)
{
    netsnmp_pdu *pdu = new_pdu(agentx, type);
    oid name[MAX_OID_LEN];
    size_t len;
    root_oid(name, &len);
    const char *text = agentx->settings->description;
    if (!pdu)
        return NULL;
    return if_added(pdu, snmp_pdu_add_variable(pdu, name, len, ASN_OCTET_STR, text, strlen(text)));
}

static netsnmp_pdu *register_pdu(struct agentx *agentx)
{
    netsnmp_pdu *pdu = new_pdu(agentx, AGENTX_REGISTER);
    oid name[MAX_OID_LEN];
    size_t len;
    root_oid(name, &len);
    if (!pdu)
        return NULL;
    pdu->priority = REGISTER_PRIORITY;
    return if_added(pdu, snmp_add_null_var(pdu, name, len));
}

static void session_ready(struct agentx *agentx)
{
    agentx->state = READY;
    agentx->said_away = false;
    agentx->said_error = 0;
    log_info("agentx", "registered with the master at %s", agentx->settings->socket);
    agentx->events->attached(agentx->events->context);
}

static void request_refused(struct agentx *agentx, const netsnmp_pdu *pdu)
{
    if (pdu->errstat == AGENTX_DUPLICATE_REGISTRATION)
        lose_session(agentx, "another subagent has registered the DCAMP-MIB there");
    else if (pdu->errstat == AGENTX_NOT_OPEN)
        lose_session(agentx, "the master has forgotten the session");
    else
        lose_session(agentx, "the master refused to register the DCAMP-MIB");
    agentx->retry_ns = agentx->now_ns + agentx->settings->ping_ns;
}

static void went_on(struct agentx *agentx, const netsnmp_pdu *pdu)
{
    agentx->asked_ns = 0;
    if (pdu->errstat != 0) {
        request_refused(agentx, pdu);
        return;
    }
    switch (agentx->state) {
    case OPENING:
        agentx->session_id = pdu->sessid;
        ask_master(agentx, register_pdu(agentx), REGISTERING);
        break;
    case REGISTERING:
        ask_master(agentx, text_pdu(agentx, AGENTX_ADD_CAPS), DESCRIBING);
        break;
    case DESCRIBING:
        session_ready(agentx);
        break;
    case AWAY:
    case READY:
        break;
    }
}

/* An answer to a question that was given up, or was never asked, is ignored. */
static void take_response(struct agentx *agentx, const netsnmp_pdu *pdu)
{
    if (pdu->reqid == 0)
        return; /* no packet of ours has that ID */
    if (pdu->reqid == agentx->question) {
        agentx->question = 0;
        went_on(agentx, pdu);
    } else if (pdu->reqid == agentx->notification) {
        agentx->notification = 0;
        agentx->events->notified(agentx->events->context, pdu->errstat);
    }
}

static bool incoming(void *context, netsnmp_pdu *pdu)
{
    struct agentx *agentx = context;
    if (pdu->command == AGENTX_RESPONSE)
        take_response(agentx, pdu);
    else if (pdu->command == AGENTX_CLOSE)
        lose_session(agentx, "the master closed the session");
    else
        agentx->events->request(agentx->events->context, agentx, pdu);
    return !agentx->broken;
}

/* A master that has gone leaves no socket or a dead one, which is not logged again once the log
 * says that it is away. Any other error is logged when it is a new one. */
static void cannot_connect(struct agentx *agentx, int error)
{
    char fault[MASTER_FAULT_SIZE];
    bool gone = error == ENOENT || error == ECONNREFUSED;
    if (agentx->said_away && (gone || error == agentx->said_error))
        return;
    master_explain(fault, error);
    agentx->said_away = false;
    agentx->said_error = error;
    lose_session(agentx, fault);
    agentx->broken = false;
}

static void connect_master(struct agentx *agentx)
{
    agentx->retry_ns = agentx->now_ns + RETRY_NS;
    int error;
    agentx->wire = wire_open(agentx->settings->socket, &error);
    if (!agentx->wire) {
        cannot_connect(agentx, error);
        return;
    }
    agentx->heard_ns = agentx->now_ns;
    agentx->said_silent = false;
    agentx->session_id = 0;
    ask_master(agentx, text_pdu(agentx, AGENTX_OPEN), OPENING);
}

/* -- Time and input ------------------------------------------------------------------------- */

static void check_silence(struct agentx *agentx)
{
    uint64_t open_ns = agentx->asked_ns ? agentx->now_ns - agentx->asked_ns : 0;
    if (open_ns > GIVE_UP_NS) {
        lose_session(agentx, "the master has not answered for two minutes");
    } else if (open_ns > agentx->settings->timeout_ns && !agentx->said_silent) {
        agentx->said_silent = true;
        log_warning("agentx", "%s: the master does not answer; waiting for it",
                    agentx->settings->socket);
    }
}

static void ping_when_due(struct agentx *agentx)
{
    if (agentx->state == READY && agentx->asked_ns == 0 &&
        agentx->now_ns - agentx->heard_ns >= agentx->settings->ping_ns) {
        netsnmp_pdu *ping = new_pdu(agentx, AGENTX_PING);
        if (ping) /* else the next tick sends it: nothing is lost without it */
            ask_master(agentx, ping, READY);
    }
}

uint64_t agentx_tick(struct agentx *agentx, uint64_t now_ns)
{
    agentx->now_ns = now_ns;
    if (!agentx->wire && now_ns >= agentx->retry_ns)
        connect_master(agentx);
    if (agentx->wire) {
        check_silence(agentx);
        ping_when_due(agentx);
    }
    if (agentx->broken) {
        uint64_t retry_ns = agentx->retry_ns;
        close_session(agentx);
        agentx->retry_ns = retry_ns > now_ns ? retry_ns : now_ns;
    }
    if (!agentx->wire)
        return agentx->retry_ns;
    return agentx->asked_ns ? now_ns + agentx->settings->ping_ns
                            : agentx->heard_ns + agentx->settings->ping_ns;
}

void agentx_read(struct agentx *agentx, uint64_t now_ns)
{
    if (!agentx->wire)
        return;
    agentx->now_ns = agentx->heard_ns = now_ns;
    const char *fault = wire_read(agentx->wire, incoming, agentx);
    if (fault && !agentx->broken)
        lose_session(agentx, fault);
    if (agentx->said_silent && !agentx->asked_ns && !agentx->broken) {
        agentx->said_silent = false;
        log_info("agentx", "%s: the master answers again", agentx->settings->socket);
    }
}

bool agentx_notify(struct agentx *agentx, netsnmp_variable_list *varbinds, uint64_t now_ns)
{
    agentx->now_ns = now_ns;
    netsnmp_pdu *pdu = new_pdu(agentx, AGENTX_NOTIFY);
    if (!pdu) {
        snmp_free_varbind(varbinds);
        return false;
    }
    pdu->variables = varbinds;
    agentx->notification = pdu->reqid;
    return send_pdu(agentx, pdu);
}

void agentx_answer(struct agentx *agentx, const netsnmp_pdu *request,
                   netsnmp_variable_list *variables, long error, long index)
{
    netsnmp_pdu *pdu = snmp_pdu_create(AGENTX_RESPONSE);
    if (!pdu) {
        snmp_free_varbind(variables);
        return; /* the master notices by its time-out */
    }
    pdu->version = AGENTX_SESSION_VERSION;
    pdu->sessid = request->sessid;
    pdu->transid = request->transid;
    pdu->reqid = request->reqid;
    pdu->errstat = error;
    pdu->errindex = index;
    pdu->variables = variables;
    send_pdu(agentx, pdu);
}

void agentx_free(struct agentx *agentx)
{
    if (!agentx)
        return;
    if (agentx->wire && agentx->state >= REGISTERING && agentx->asked_ns == 0) {
        netsnmp_pdu *pdu = new_pdu(agentx, AGENTX_CLOSE);
        if (pdu) {
            pdu->errstat = AGENTX_REASON_SHUTDOWN;
            send_pdu(agentx, pdu);
        }
    }
    close_session(agentx);
    free(agentx);
}
