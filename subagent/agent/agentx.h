/* AgentX (RFC 2741) on Net-SNMP's codec.
 *
 * The agent library's own subagent is not used: each of its administrative calls blocks until the
 * master answers, and each request passes through seven deep copies and an internal pipe. Here
 * everything is asynchronous: open, register, ping and notify are requests whose answers come when
 * they come. */
#ifndef DCAMP_AGENT_AGENTX_H
#define DCAMP_AGENT_AGENTX_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdbool.h>
#include <stdint.h>

/* h.type of RFC 2741, section 6.1. */
enum agentx_type {
    AGENTX_OPEN = 1,
    AGENTX_CLOSE = 2,
    AGENTX_REGISTER = 3,
    AGENTX_GET = 5,
    AGENTX_GETNEXT = 6,
    AGENTX_GETBULK = 7,
    AGENTX_TESTSET = 8,
    AGENTX_COMMITSET = 9,
    AGENTX_UNDOSET = 10,
    AGENTX_CLEANUPSET = 11,
    AGENTX_NOTIFY = 12,
    AGENTX_PING = 13,
    AGENTX_ADD_CAPS = 16,
    AGENTX_RESPONSE = 18
};

/* res.error of RFC 2741, section 6.2.16. */
enum { AGENTX_NOT_OPEN = 257, AGENTX_DUPLICATE_REGISTRATION = 263, AGENTX_PROCESSING_ERROR = 268 };

/* c.reason of RFC 2741, section 6.2.2. */
enum { AGENTX_REASON_OTHER = 1, AGENTX_REASON_SHUTDOWN = 5 };

struct agentx;

struct agentx_parameters {
    const char *socket;      /* address of the master: master_connect() */
    uint64_t ping_ns;        /* how long the master may be silent before it is asked */
    uint64_t timeout_ns;     /* how long it may leave a question open before that is logged */
    const char *description; /* of this subagent, for the master's log and sysORTable */
};

/* What the owner of the session is told. */
struct agentx_events {
    /* A request of the master: answer with agentx_answer, or not at all (CleanupSet). */
    void (*request)(void *context, struct agentx *agentx, netsnmp_pdu *pdu);
    /* The subtree is registered (again). */
    void (*attached)(void *context);
    /* The master has accepted a notification (error 0), or refused it (res.error). */
    void (*notified)(void *context, long error);
    /* The session is gone; a notification in flight is not delivered. */
    void (*detached)(void *context);
    void *context;
};

/* settings and events must outlive it. NULL: no memory. */
struct agentx *agentx_new(const struct agentx_parameters *settings,
                          const struct agentx_events *events);

/* Says good-bye to the master, without waiting for an answer. */
void agentx_free(struct agentx *agentx);

/* The file descriptor to poll for input; -1: none at present. It may be another one after each
 * call. */
int agentx_fd(const struct agentx *agentx);

/* To be called when there is input. */
void agentx_read(struct agentx *agentx, uint64_t now_ns);

/* Does what is due: connects, pings or gives up. Returns when it must be called again. */
uint64_t agentx_tick(struct agentx *agentx, uint64_t now_ns);

/* Whether a notification may be sent now: the session is registered, and the master owes no
 * answer. */
bool agentx_ready(const struct agentx *agentx);

/* Sends a notification; varbinds is consumed. False: it did not go out. */
bool agentx_notify(struct agentx *agentx, netsnmp_variable_list *varbinds, uint64_t now_ns);

/* Answers a request: variables (consumed, may be NULL), error-status and -index. */
void agentx_answer(struct agentx *agentx, const netsnmp_pdu *request,
                   netsnmp_variable_list *variables, long error, long index);

#endif
