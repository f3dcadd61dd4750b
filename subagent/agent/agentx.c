#include "agent/agentx.h"

#include <net-snmp/library/large_fd_set.h>

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/log.h"
#include "dcamp_mib.h"

/* A connect to a socket that nobody listens on costs some microseconds: it may be tried often. */
#define RETRY_NS (NS_PER_S / 2)

/* A connection that is open and silent is kept: a frozen master goes on where it was, and what was
 * sent to it is not lost. Only after this time is it given up. */
#define GIVE_UP_NS (120 * NS_PER_S)

#define REGISTER_PRIORITY 100 /* better than the default of 127 */

/* Net-SNMP's codec for AgentX. It is exported by libnetsnmpagent since 4.2; its header,
 * agentx/protocol.h, is not installed. */
int agentx_parse(netsnmp_session *session, netsnmp_pdu *pdu, u_char *data, size_t len);
int agentx_realloc_build(netsnmp_session *session, netsnmp_pdu *pdu, u_char **buffer,
                         size_t *buffer_len, size_t *out_len);
int agentx_check_packet(u_char *packet, size_t len);

enum state { AWAY, OPENING, REGISTERING, DESCRIBING, READY };

struct agentx {
    const struct agentx_settings_view *settings;
    const struct agentx_events *events;
    void *session; /* Net-SNMP's single session; NULL while AWAY */
    enum state state;
    bool broken;    /* found in a callback, where the session must not be closed */
    bool said_away; /* the log has it */
    bool said_silent;
    long session_id;
    uint64_t now_ns;   /* of the call that is going on */
    uint64_t retry_ns; /* AWAY: when to try to connect */
    uint64_t heard_ns; /* when the master last sent anything */
    uint64_t asked_ns; /* when the oldest open administrative question was sent; 0: none */
};

struct agentx *agentx_new(const struct agentx_settings_view *settings,
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
    return agentx->session ? snmp_sess_transport(agentx->session)->sock : -1;
}

bool agentx_ready(const struct agentx *agentx)
{
    return agentx->state == READY && agentx->asked_ns == 0 && !agentx->broken;
}

static void close_session(struct agentx *agentx)
{
    if (!agentx->session)
        return;
    void *session = agentx->session;
    agentx->session = NULL;
    agentx->state = AWAY;
    agentx->broken = false;
    agentx->asked_ns = 0;
    agentx->retry_ns = agentx->now_ns; /* a master that restarts may be there already */
    snmp_sess_close(session);
    agentx->events->detached(agentx->events->context);
}

static void lose(struct agentx *agentx, const char *why)
{
    if (!agentx->said_away)
        log_warning("agentx", "%s: %s; trying again until it is back", agentx->settings->socket,
                    why);
    agentx->said_away = true;
    agentx->broken = true;
}

static netsnmp_pdu *new_pdu(const struct agentx *agentx, enum agentx_type type)
{
    netsnmp_pdu *pdu = snmp_pdu_create(type);
    if (pdu) {
        pdu->version = AGENTX_SESSION_VERSION;
        pdu->sessid = agentx->session_id;
    }
    return pdu;
}

static bool send_pdu(struct agentx *agentx, netsnmp_pdu *pdu, netsnmp_callback callback)
{
    if (!pdu)
        return false;
    if (snmp_sess_async_send(agentx->session, pdu, callback, agentx))
        return true;
    snmp_free_pdu(pdu);
    lose(agentx, "the master does not take what is sent");
    return false;
}

/* -- The conversation: open, register, describe, then ping ------------------------------------ */

static int answered(int operation, netsnmp_session *session, int request, netsnmp_pdu *pdu,
                    void *context);

static void ask(struct agentx *agentx, netsnmp_pdu *pdu, enum state state)
{
    agentx->state = state;
    if (send_pdu(agentx, pdu, answered) && agentx->asked_ns == 0)
        agentx->asked_ns = agentx->now_ns;
}

static void root_oid(oid name[MAX_OID_LEN], size_t *len)
{
    const struct mib_info *root = &mib_objects[MIB_dcampMIB];
    for (size_t i = 0; i < root->oid_len; i++)
        name[i] = root->oid[i];
    *len = root->oid_len;
}

static netsnmp_pdu *text_pdu(const struct agentx *agentx, enum agentx_type type)
{
    netsnmp_pdu *pdu = new_pdu(agentx, type);
    oid name[MAX_OID_LEN];
    size_t len;
    root_oid(name, &len);
    const char *text = agentx->settings->description;
    if (pdu)
        snmp_pdu_add_variable(pdu, name, len, ASN_OCTET_STR, text, strlen(text));
    return pdu;
}

static netsnmp_pdu *register_pdu(const struct agentx *agentx)
{
    netsnmp_pdu *pdu = new_pdu(agentx, AGENTX_REGISTER);
    oid name[MAX_OID_LEN];
    size_t len;
    root_oid(name, &len);
    if (pdu) {
        pdu->priority = REGISTER_PRIORITY;
        snmp_add_null_var(pdu, name, len);
    }
    return pdu;
}

static void ready(struct agentx *agentx)
{
    agentx->state = READY;
    agentx->said_away = false;
    log_info("agentx", "registered with the master at %s", agentx->settings->socket);
    agentx->events->attached(agentx->events->context);
}

static void refused(struct agentx *agentx, const netsnmp_pdu *pdu)
{
    if (pdu->errstat == AGENTX_DUPLICATE_REGISTRATION)
        lose(agentx, "another subagent has registered the DCAMP-MIB there");
    else if (pdu->errstat == AGENTX_NOT_OPEN)
        lose(agentx, "the master has forgotten the session");
    else
        lose(agentx, "the master refused to register the DCAMP-MIB");
    agentx->retry_ns = agentx->now_ns + agentx->settings->ping_ns;
}

static void went_on(struct agentx *agentx, const netsnmp_pdu *pdu)
{
    agentx->asked_ns = 0;
    if (pdu->errstat != 0) {
        refused(agentx, pdu);
        return;
    }
    switch (agentx->state) {
    case OPENING:
        agentx->session_id = pdu->sessid;
        ask(agentx, register_pdu(agentx), REGISTERING);
        break;
    case REGISTERING:
        ask(agentx, text_pdu(agentx, AGENTX_ADD_CAPS), DESCRIBING);
        break;
    case DESCRIBING:
        ready(agentx);
        break;
    case AWAY:
    case READY:
        break;
    }
}

static int answered(int operation, netsnmp_session *session, int request, netsnmp_pdu *pdu,
                    void *context)
{
    (void)session;
    (void)request;
    /* Closing a session calls back for all that is open: that is no answer. */
    if (operation == NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE)
        went_on(context, pdu);
    return 1;
}

static int notified(int operation, netsnmp_session *session, int request, netsnmp_pdu *pdu,
                    void *context)
{
    (void)session;
    (void)request;
    struct agentx *agentx = context;
    if (operation == NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE)
        agentx->events->notified(agentx->events->context, pdu->errstat);
    return 1;
}

/* What the master sends by itself. */
static int incoming(int operation, netsnmp_session *session, int request, netsnmp_pdu *pdu,
                    void *context)
{
    (void)session;
    (void)request;
    struct agentx *agentx = context;
    if (operation == NETSNMP_CALLBACK_OP_DISCONNECT)
        lose(agentx, "the master closed the connection");
    else if (operation != NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE)
        return 1;
    else if (pdu->command == AGENTX_CLOSE)
        lose(agentx, "the master closed the session");
    else if (pdu->command != AGENTX_RESPONSE)
        agentx->events->request(agentx->events->context, agentx, pdu);
    return 1;
}

/* A master that does not read must not hold this thread for ever. */
static void limit_sends(int fd)
{
    struct timeval limit = {.tv_sec = 2};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

static void connect_master(struct agentx *agentx)
{
    netsnmp_session session;
    snmp_sess_init(&session);
    session.version = AGENTX_SESSION_VERSION;
    session.flags |= SNMP_FLAGS_STREAM_SOCKET;
    session.retries = 0;
    session.callback = incoming;
    session.callback_magic = agentx;
    agentx->retry_ns = agentx->now_ns + RETRY_NS;
    netsnmp_transport *transport =
        netsnmp_transport_open_client("agentx", agentx->settings->socket);
    if (!transport) {
        lose(agentx, "no master answers there");
        agentx->broken = false;
        return;
    }
    limit_sends(transport->sock);
    agentx->session = snmp_sess_add_ex(&session, transport, NULL, agentx_parse, NULL, NULL,
                                       agentx_realloc_build, agentx_check_packet, NULL);
    if (!agentx->session)
        return;
    agentx->heard_ns = agentx->now_ns;
    agentx->said_silent = false;
    agentx->session_id = 0;
    ask(agentx, text_pdu(agentx, AGENTX_OPEN), OPENING);
}

/* -- Time and input ------------------------------------------------------------------------- */

static void check_silence(struct agentx *agentx)
{
    uint64_t open_ns = agentx->asked_ns ? agentx->now_ns - agentx->asked_ns : 0;
    if (open_ns > GIVE_UP_NS) {
        lose(agentx, "the master has not answered for two minutes");
    } else if (open_ns > agentx->settings->timeout_ns && !agentx->said_silent) {
        agentx->said_silent = true;
        log_warning("agentx", "%s: the master does not answer; waiting for it",
                    agentx->settings->socket);
    }
}

static void ping_when_due(struct agentx *agentx)
{
    if (agentx->state == READY && agentx->asked_ns == 0 &&
        agentx->now_ns - agentx->heard_ns >= agentx->settings->ping_ns)
        ask(agentx, new_pdu(agentx, AGENTX_PING), READY);
}

uint64_t agentx_tick(struct agentx *agentx, uint64_t now_ns)
{
    agentx->now_ns = now_ns;
    if (!agentx->session && now_ns >= agentx->retry_ns)
        connect_master(agentx);
    if (agentx->session) {
        check_silence(agentx);
        ping_when_due(agentx);
    }
    if (agentx->broken) {
        uint64_t retry_ns = agentx->retry_ns;
        close_session(agentx);
        agentx->retry_ns = retry_ns > now_ns ? retry_ns : now_ns;
    }
    if (!agentx->session)
        return agentx->retry_ns;
    return agentx->asked_ns ? now_ns + agentx->settings->ping_ns
                            : agentx->heard_ns + agentx->settings->ping_ns;
}

void agentx_read(struct agentx *agentx, uint64_t now_ns)
{
    netsnmp_large_fd_set set;
    int fd = agentx_fd(agentx);
    if (fd < 0)
        return;
    agentx->now_ns = agentx->heard_ns = now_ns;
    netsnmp_large_fd_set_init(&set, fd + 1);
    NETSNMP_LARGE_FD_ZERO(&set);
    NETSNMP_LARGE_FD_SET(fd, &set);
    int result = snmp_sess_read2(agentx->session, &set);
    netsnmp_large_fd_set_cleanup(&set);
    if (result != 0 && !agentx->broken)
        lose(agentx, "the connection to the master broke");
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
    return send_pdu(agentx, pdu, notified);
}

void agentx_answer(struct agentx *agentx, const netsnmp_pdu *request,
                   netsnmp_variable_list *variables, long error, long index)
{
    netsnmp_pdu *pdu = snmp_pdu_create(AGENTX_RESPONSE);
    if (!pdu) {
        snmp_free_varbind(variables);
        return; /* the master's time-out will tell */
    }
    pdu->version = AGENTX_SESSION_VERSION;
    pdu->sessid = request->sessid;
    pdu->transid = request->transid;
    pdu->reqid = request->reqid;
    pdu->errstat = error;
    pdu->errindex = index;
    pdu->variables = variables;
    if (!snmp_sess_send(agentx->session, pdu)) {
        snmp_free_pdu(pdu);
        lose(agentx, "the master does not take what is sent");
    }
}

void agentx_free(struct agentx *agentx)
{
    if (!agentx)
        return;
    if (agentx->session && agentx->state >= REGISTERING && agentx->asked_ns == 0) {
        netsnmp_pdu *pdu = new_pdu(agentx, AGENTX_CLOSE);
        if (pdu) {
            pdu->errstat = AGENTX_REASON_SHUTDOWN;
            send_pdu(agentx, pdu, answered);
        }
    }
    close_session(agentx);
    free(agentx);
}
