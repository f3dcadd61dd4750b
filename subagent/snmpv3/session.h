/* One SNMPv3 session with a child: one request at a time, and what became of it.
 *
 * Built on Net-SNMP's single-session calls, so that nothing here ever looks at another child's
 * session. The library keeps all users of a process in one linear list and searches it several
 * times for each packet. Here a user is in that list only while its own session is at work, so that
 * the list has one entry, and a packet with another child's engine ID and name finds no key. The
 * same is done with the times of engines, which the library would keep for ever in 23 lists: with
 * thousands of engines, finding one took a quarter of the time of a poll. */
#ifndef DCAMP_SNMPV3_SESSION_H
#define DCAMP_SNMPV3_SESSION_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/library/large_fd_set.h>

#include <stdbool.h>
#include <stdint.h>

#include "snmpv3/engine_time.h"
#include "snmpv3/keys.h"
#include "snmpv3/link.h"
#include "snmpv3/credential.h"

struct snmp_engine {
    uint8_t id[ENGINE_ID_MAX];
    uint32_t len;   /* 0: not known */
    uint32_t boots; /* 0: not known */
};

enum session_outcome {
    SESSION_IDLE,
    SESSION_WAITING,    /* for the answer to a request */
    SESSION_ANSWERED,   /* the answer function was called */
    SESSION_DISCOVERED, /* the engine ID is known now */
    SESSION_FAILED      /* with failure and text; the session has to be closed */
};

/* Takes the answer, which belongs to the library and is freed afterwards. It must not use the
 * session. */
typedef void session_answer(void *context, const netsnmp_pdu *pdu);

struct session {
    session_answer *answer;
    void *context;
    struct snmp_engine engine;
    struct snmp_engine found; /* the engine that answers instead, with POLL_NEW_ENGINE */
    const struct localized_keys *localized; /* NULL: keys are made of the passphrases */
    struct link_ports *ports; /* of all sessions of the process, or NULL: see link_open */
    enum session_outcome outcome;
    enum poll_failure failure;
    const char *text;        /* valid until another session is used */
    uint64_t sent, deadline; /* of the request under way */
    uint64_t round_trip;     /* of the last answer, until it arrived, not until it was read */

    /* the session's own */
    void *handle; /* NULL: not open */
    struct link *link;
    int resting_fd; /* its socket while it is not open, -1: there is none */
    struct keys keys;
    uint64_t now, timeout;
    struct engine_time known; /* of its engine */
    bool guessed;    /* known is not authentic: the engine stated it when it was discovered */
    int parse_error; /* SNMPERR_... of a packet that the library threw away */
    bool alive;      /* a REPORT came since the session was opened */
    bool proven;     /* an authentic answer came since the keys were made */
};

/* The text of POLL_NOT_IN_WINDOW where the cause is known. */
#define SESSION_WENT_BACK "its boot count went back: restored or cloned"

/* To be called once per process, before and after all sessions. */
void session_start_library(void);
void session_stop_library(void);

void session_init(struct session *session, session_answer *answer, void *context);

/* False: failure and text say why. */
bool session_open(struct session *session, const char *address,
                  const struct credential *credential);
void session_close(struct session *session);
int session_fd(const struct session *session); /* -1: there is none */

/* Closes everything but the socket until the session is opened again: what the library keeps for a
 * session is far more than everything else that is kept for a child. No request may be under
 * way. */
void session_rest(struct session *session);

/* Overwrites the keys of the session, which are of no use any longer. */
void session_forget_keys(struct session *session);

/* Asks for the engine ID. */
void session_discover(struct session *session, uint64_t now, uint64_t timeout);

/* Sends a request and takes ownership of it; pdu may be NULL if memory ran out. */
void session_ask(struct session *session, netsnmp_pdu *pdu, uint64_t now, uint64_t timeout);

/* Reads one packet, which is dropped if the session rests. readable: an empty set, which is empty
 * again afterwards. */
void session_read(struct session *session, netsnmp_large_fd_set *readable, uint64_t now);

/* The deadline has passed: the request is sent once more, or has failed. */
void session_expire(struct session *session, uint64_t now);

/* Forgets its engine's time, so that any authentic time is accepted again. */
void session_forget_time(struct session *session);

#endif
