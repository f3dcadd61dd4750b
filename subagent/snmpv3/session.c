#include "snmpv3/session.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

#define ENGINE_ID_MIN 5 /* RFC 3411, SnmpEngineID */
#define RETRIES 1

/* The library compares with a clock of its own, in microseconds. */
#define EXPIRY_MARGIN NS_PER_MS

/* -- The library ----------------------------------------------------------------------------- */

static int drop_log(int major, int minor, void *message, void *context)
{
    (void)major;
    (void)minor;
    (void)message;
    (void)context;
    return 0;
}

void session_start_library(void)
{
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_ALARM_DONT_USE_SIG, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_NO_DISCOVERY, 1);
    setenv("MIBS", "", 1); /* only numbers are used here */
    snmp_disable_log();
    init_snmp("dcampd");
    snmp_disable_log();
    netsnmp_register_loghandler(NETSNMP_LOGHANDLER_CALLBACK, LOG_DEBUG);
    snmp_register_callback(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_LOGGING, drop_log, NULL);
}

void session_stop_library(void)
{
    snmp_shutdown("dcampd");
}

/* While the library works for a session, it is given the session's user and the time of its
 * engine. */
static void lend(struct session *session, struct usmUser *user, uint64_t now)
{
    const struct engine_time *known = &session->known;
    session->now = now;
    if (session->engine.len && (known->boots || known->heard_ns))
        set_enginetime(session->engine.id, session->engine.len, known->boots,
                       engine_time_estimate(known, now), !session->guessed);
    if (!session->keys.credential)
        return;
    *user = keys_user(&session->keys, session->engine.id, session->engine.len);
    usm_add_user(user);
}

/* The session also has what the library has learned of the time meanwhile: see note_time. */
static void take_back(const struct session *session, struct usmUser *user)
{
    if (session->keys.credential)
        usm_remove_user(user);
    free_etimelist();
}

void session_forget_time(struct session *session)
{
    session->known = (struct engine_time){0};
}

/* The boots that are known from an earlier process protect against recorded messages that are
 * older. */
static void seed_time(struct session *session)
{
    if (session->guessed || session->known.boots < session->engine.boots)
        session->known = (struct engine_time){.boots = session->engine.boots};
    session->guessed = false;
}

/* Takes the time of an authentic message, which the library has found to be recent. */
static void note_time(struct session *session)
{
    if (session->guessed)
        session_forget_time(session);
    session->guessed = false;
    engine_time_advance(&session->known, session->link->engine_boots, session->link->engine_time,
                        session->now);
}

/* The time that an engine states when it is discovered is better than nothing, until an authentic
 * message comes. */
static void guess_time(struct session *session)
{
    const struct link *link = session->link;
    session_forget_time(session);
    session->guessed = true;
    if (engine_time_is_recent(&session->known, link->engine_boots, link->engine_time, session->now))
        engine_time_advance(&session->known, link->engine_boots, link->engine_time, session->now);
}

/* -- Outcomes -------------------------------------------------------------------------------- */

static void fail_request(struct session *session, enum poll_failure failure, const char *text)
{
    session->outcome = SESSION_FAILED;
    session->failure = failure;
    session->text = text;
}

static bool is_engine(const struct snmp_engine *engine, const u_char *id, size_t len)
{
    return engine->len == len && memcmp(engine->id, id, len) == 0;
}

static bool note_engine(struct snmp_engine *engine, const u_char *id, size_t len)
{
    if (!id || len < ENGINE_ID_MIN || len > ENGINE_ID_MAX)
        return false;
    *engine = (struct snmp_engine){.len = (uint32_t)len};
    memcpy(engine->id, id, len);
    return true;
}

static void fail_by_engine(struct session *session, const netsnmp_pdu *pdu)
{
    if (note_engine(&session->found, pdu->securityEngineID, pdu->securityEngineIDLen))
        fail_request(session, POLL_NEW_ENGINE, "another engine ID answers at this address");
    else
        fail_request(session, POLL_GARBAGE, "its engine ID is not 5 to 32 octets long");
}

/* Whether the session may talk to this engine: localized keys are for one engine only. */
static bool may_meet(const struct session *session, const struct snmp_engine *engine)
{
    return !session->localized ||
           is_engine(engine, session->localized->engine_id, session->localized->engine_id_len);
}

static void fail_by_keys(struct session *session, const struct snmp_engine *engine)
{
    session->found = *engine;
    fail_request(session, POLL_NEW_ENGINE, "its keys are for another engine ID");
}

static void discovered(struct session *session, const netsnmp_pdu *pdu)
{
    struct snmp_engine engine;
    if (!note_engine(&engine, pdu->securityEngineID, pdu->securityEngineIDLen)) {
        fail_request(session, POLL_GARBAGE, "its engine ID is not 5 to 32 octets long");
    } else if (!may_meet(session, &engine)) {
        fail_by_keys(session, &engine);
    } else {
        session->engine = engine;
        guess_time(session);
        session->outcome = SESSION_DISCOVERED;
    }
}

static void reported(struct session *session, netsnmp_pdu *pdu)
{
    session->alive = true;
    if (session->engine.len == 0) {
        discovered(session, pdu);
        return;
    }
    if (pdu->securityLevel != SNMP_SEC_LEVEL_NOAUTH)
        note_time(session);
    switch (snmpv3_get_report_type(pdu)) {
    case SNMPERR_NOT_IN_TIME_WINDOW: /* the library sends the request again, unless it did so
                                      * before */
        fail_request(session, POLL_NOT_IN_WINDOW, "its time does not match what it says");
        break;
    case SNMPERR_UNKNOWN_ENG_ID:
        fail_by_engine(session, pdu);
        break;
    case SNMPERR_AUTHENTICATION_FAILURE:
        fail_request(session, POLL_WRONG_KEY,
                     "wrongDigests: the authentication passphrase is not its own");
        break;
    case SNMPERR_DECRYPTION_ERR:
        fail_request(session, POLL_WRONG_KEY,
                     "decryptionErrors: the privacy passphrase is not its own");
        break;
    case SNMPERR_UNKNOWN_USER_NAME:
        fail_request(session, POLL_UNKNOWN_USER, "unknownUserNames");
        break;
    case SNMPERR_UNSUPPORTED_SEC_LEVEL:
        fail_request(session, POLL_UNKNOWN_USER,
                     "unsupportedSecLevels: its user has other protocols");
        break;
    default:
        fail_request(session, POLL_REFUSED, "refused by a REPORT");
    }
}

static uint64_t measure_round_trip(const struct session *session)
{
    uint64_t time = session->now - session->sent, waited = session->link->waited;
    return waited < time ? time - waited : 0;
}

static void take_response(struct session *session, const netsnmp_pdu *pdu)
{
    if (session->engine.len == 0 || pdu->securityLevel != SNMP_SEC_LEVEL_AUTHPRIV) {
        fail_request(session, POLL_GARBAGE, "an answer to what was not asked");
        return;
    }
    session->outcome = SESSION_ANSWERED;
    session->proven = true;
    note_time(session);
    session->engine.boots = (uint32_t)session->link->engine_boots;
    session->round_trip = measure_round_trip(session);
    session->answer(session->context, pdu);
}

/* A request that is encrypted with a wrong key has a right digest, so that no REPORT comes: the
 * agent drops what it cannot decode. */
static void timed_out(struct session *session)
{
    if (session->parse_error)
        fail_request(session, POLL_GARBAGE, "what came could not be read, or was not authentic");
    else if (session->alive && !session->proven)
        fail_request(session, POLL_WRONG_KEY,
                     "silent, but there: is the privacy passphrase its own?");
    else
        fail_request(session, POLL_TIMEOUT, "no answer");
}

/* Net-SNMP's callback. It may come more than once for a request: for a REPORT, once as a message
 * and once as SEC_ERROR, in an order that differs between versions, or as a message and then
 * RESEND. It comes once more when a session is closed with its request under way. */
static int on_event(int operation, netsnmp_session *unused, int reqid, netsnmp_pdu *pdu,
                    void *magic)
{
    (void)unused;
    (void)reqid;
    struct session *session = magic;
    switch (operation) {
    case NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE:
    case NETSNMP_CALLBACK_OP_SEC_ERROR:
        if (session->outcome == SESSION_WAITING && pdu && pdu->command == SNMP_MSG_REPORT)
            reported(session, pdu);
        else if (session->outcome == SESSION_WAITING && pdu && pdu->command == SNMP_MSG_RESPONSE)
            take_response(session, pdu);
        else if (session->outcome == SESSION_WAITING)
            fail_request(session, POLL_GARBAGE, "neither an answer nor a REPORT");
        break;
    case NETSNMP_CALLBACK_OP_RESEND:
        session->outcome = SESSION_WAITING;
        session->link->request = pdu->msgid;
        session->sent = session->now;
        session->deadline = session->now + session->timeout + EXPIRY_MARGIN;
        break;
    case NETSNMP_CALLBACK_OP_TIMED_OUT:
        if (session->outcome == SESSION_WAITING)
            timed_out(session);
        break;
    default:
        if (session->outcome == SESSION_WAITING)
            fail_request(session, POLL_REFUSED, "the request cannot be sent");
    }
    return 1;
}

/* Takes what the library made of a packet that the link let through: its msgID is that of the
 * request under way. */
static int after_parse(netsnmp_session *library, netsnmp_pdu *pdu, int error)
{
    struct session *session = library->myvoid;
    if (error == SNMPERR_SUCCESS || session->outcome != SESSION_WAITING)
        return 1;
    session->parse_error = error;
    bool other = pdu->securityEngineID && session->engine.len != 0 &&
                 !is_engine(&session->engine, pdu->securityEngineID, pdu->securityEngineIDLen);
    if (error == SNMPERR_USM_NOTINTIMEWINDOW)
        fail_request(session, POLL_NOT_IN_WINDOW, SESSION_WENT_BACK);
    else if (error == SNMPERR_USM_UNKNOWNSECURITYNAME && other)
        fail_by_engine(session, pdu);
    return 1;
}

/* -- Requests -------------------------------------------------------------------------------- */

void session_init(struct session *session, session_answer *answer, void *context)
{
    *session = (struct session){.answer = answer, .context = context, .resting_fd = -1};
}

static void *add_session(struct session *session, const struct credential *credential)
{
    netsnmp_session options;
    snmp_sess_init(&options);
    options.version = SNMP_VERSION_3;
    options.retries = RETRIES;
    options.securityModel = SNMP_SEC_MODEL_USM;
    options.securityLevel = SNMP_SEC_LEVEL_AUTHPRIV;
    options.securityName = (char *)credential->user;
    options.securityNameLen = strlen(credential->user);
    options.securityEngineID = session->engine.id;
    options.securityEngineIDLen = session->engine.len;
    /* The users are made here, and no request may wait for an engine ID. */
    options.flags |= SNMP_FLAGS_USER_CREATED | SNMP_FLAGS_DONT_PROBE;
    options.myvoid = session;
    void *handle = snmp_sess_add(&options, &session->link->transport, NULL, after_parse);
    if (handle)
        snmp_sess_session(handle)->flags |= SNMP_FLAGS_DONT_PROBE; /* opening the session has
                                                                    * cleared this flag */
    return handle;
}

static bool make_keys(struct session *session, const struct credential *credential)
{
    if (!session->localized)
        return keys_localize(credential, session->engine.id, session->engine.len, &session->keys);
    return keys_take(credential, session->localized, &session->keys);
}

static bool make_user(struct session *session, const struct credential *credential)
{
    if (session->keys.credential || session->engine.len == 0)
        return true;
    if (!may_meet(session, &session->engine)) {
        fail_by_keys(session, &session->engine);
        return false;
    }
    bool made = make_keys(session, credential);
    if (!made && session->localized)
        fail_request(session, POLL_NO_CREDENTIAL,
                     "its keys are not as long as its protocols need them");
    else if (!made)
        fail_request(session, POLL_NO_CREDENTIAL, "no key can be made for its engine ID");
    else if (session->engine.boots)
        seed_time(session);
    return made;
}

bool session_open(struct session *session, const char *address, const struct credential *credential)
{
    const char *why = "no memory";
    if (!session->localized && !keys_can_localize(credential)) {
        fail_request(session, POLL_NO_CREDENTIAL,
                     "the credential has no passphrases, and the child has no keys");
        return false;
    }
    if (!session->handle) {
        session->link = session->resting_fd >= 0 ? link_resume(session->resting_fd)
                                                 : link_open(address, session->ports, &why);
        if (!session->link) {
            fail_request(session, POLL_UNREACHABLE, why);
            return false;
        }
        session->resting_fd = -1;
        session->handle = add_session(session, credential);
        if (!session->handle) { /* the library has closed the link */
            session->link = NULL;
            fail_request(session, POLL_REFUSED, "no session can be opened");
            return false;
        }
    }
    return make_user(session, credential);
}

void session_close(struct session *session)
{
    session->outcome = SESSION_IDLE;
    session->alive = false;
    if (session->handle)
        snmp_sess_close(session->handle); /* closes the link, too */
    else if (session->resting_fd >= 0)
        close(session->resting_fd);
    session->handle = NULL;
    session->link = NULL;
    session->resting_fd = -1;
}

void session_rest(struct session *session)
{
    if (!session->handle)
        return;
    int fd = link_keep_socket(session->link);
    snmp_sess_close(session->handle);
    session->handle = NULL;
    session->link = NULL;
    session->resting_fd = fd;
    session->outcome = SESSION_IDLE;
}

void session_forget_keys(struct session *session)
{
    keys_forget(&session->keys);
    session->proven = false;
}

int session_fd(const struct session *session)
{
    return session->link ? session->link->transport.sock : session->resting_fd;
}

static void finish_request(struct session *session)
{
    if (session->outcome == SESSION_WAITING && session->link->error)
        fail_request(session, POLL_UNREACHABLE, link_why(session->link->error));
    if (session->outcome != SESSION_WAITING)
        session->link->request = LINK_NO_REQUEST;
}

void session_ask(struct session *session, netsnmp_pdu *pdu, uint64_t now, uint64_t timeout)
{
    struct usmUser user;
    session->timeout = timeout;
    session->sent = now;
    session->deadline = now + timeout + EXPIRY_MARGIN;
    session->parse_error = 0;
    if (!pdu) {
        fail_request(session, POLL_REFUSED, "no memory for the request");
        return;
    }
    session->outcome = SESSION_WAITING;
    session->link->request = pdu->msgid;
    snmp_sess_session(session->handle)->timeout = (long)(timeout / NS_PER_US);
    lend(session, &user, now);
    if (snmp_sess_async_send(session->handle, pdu, on_event, session) == 0) {
        /* The callback has been called, but not for every cause of failure. */
        snmp_free_pdu(pdu);
        if (session->outcome == SESSION_WAITING)
            fail_request(session, POLL_REFUSED, "the request cannot be sent");
    }
    take_back(session, &user);
    finish_request(session);
}

/* A request that finds out the engine ID: RFC 3414, section 4. */
static netsnmp_pdu *discovery(void)
{
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET);
    if (!pdu)
        return NULL;
    pdu->version = SNMP_VERSION_3;
    pdu->securityModel = SNMP_SEC_MODEL_USM;
    pdu->securityLevel = SNMP_SEC_LEVEL_NOAUTH;
    pdu->securityName = strdup("");
    if (pdu->securityName)
        return pdu;
    snmp_free_pdu(pdu);
    return NULL;
}

void session_discover(struct session *session, uint64_t now, uint64_t timeout)
{
    session_ask(session, discovery(), now, timeout);
}

void session_read(struct session *session, netsnmp_large_fd_set *readable, uint64_t now)
{
    int fd = session_fd(session);
    struct usmUser user;
    if (!session->handle && fd >= 0)
        link_drop(fd);
    if (!session->handle)
        return;
    NETSNMP_LARGE_FD_SET(fd, readable);
    lend(session, &user, now);
    snmp_sess_read2(session->handle, readable);
    take_back(session, &user);
    NETSNMP_LARGE_FD_CLR(fd, readable);
    finish_request(session);
}

void session_expire(struct session *session, uint64_t now)
{
    struct usmUser user;
    session->deadline = now + EXPIRY_MARGIN;
    lend(session, &user, now);
    snmp_sess_timeout(session->handle);
    take_back(session, &user);
    finish_request(session);
}
