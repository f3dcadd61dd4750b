#include "cli/client.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/answer.h"
#include "snmpv3/session.h"

/* Varbinds in a PDU: an index has up to 100 octets, a message 255. */
#define GET_MAX 30
#define BULK_MAX 40

/* snmpd waits up to 5 seconds for dcampd (agentXTimeout of conf/snmpd-dcamp.conf), and then says
 * that it has not answered: asking again earlier would only hide that. Whether anybody is there at
 * all shows much sooner. */
#define PATIENCE (6 * NS_PER_S)
#define DISCOVERY_PATIENCE (NS_PER_S / 2)

enum request_kind { ASK_GET, ASK_NEXT, ASK_BULK, ASK_SET };

struct client {
    struct session session;
    struct credential *own;              /* that it was made with */
    const struct credential *credential; /* as whom it asks: that one, or client_use's */
    netsnmp_large_fd_set readable;
    char address[PEER_ADDRESS_SIZE];
    uint64_t deadline;
    enum client_failure failure;
    enum poll_failure reason; /* of the session; 0: it is not its failure */
    long error_status;        /* of the last answer */
    char error[256];
    unsigned requests, varbinds;
    FILE *trace;       /* or NULL */
    client_heed *heed; /* or NULL: it waits for nothing else but answers */
    void *heeding;
    int heeded; /* the file that heed is called for */
    bool given_up;

    /* the request under way */
    enum request_kind kind;
    struct cell *cells;        /* of ASK_BULK: room for BULK_MAX */
    const struct cell *wanted; /* of ASK_SET; NULL: variables are set */
    const struct client_variable *variables;
    int64_t *number; /* of ASK_GET of a variable: what came */
    size_t n;        /* of ASK_BULK: those that came */
    const struct cell *below;
    long repetitions;
    bool at_end;
    bool too_big;
};

static bool fail_request(struct client *client, enum client_failure failure, const char *what)
{
    client->failure = failure;
    text_format(client->error, sizeof client->error, "%s: %s", client->address, what);
    return false;
}

/* -- Answers --------------------------------------------------------------------------------- */

static void trace_cell(FILE *to, const struct cell *cell)
{
    const struct mib_info *info = &mib_objects[cell->object];
    fprintf(to, "%s", info->name);
    for (size_t i = info->oid_len; i < cell->len; i++)
        fprintf(to, ".%u", cell->oid[i]);
    if (cell->kind == CELL_NUMBER)
        fprintf(to, " = %lld\n", (long long)cell->number);
    else if (cell->kind == CELL_TEXT && !cell->room &&
             text_is_printable(cell->text, cell->text_len))
        fprintf(to, " = \"%s\"\n", cell->text);
    else if (cell->kind == CELL_TEXT)
        fprintf(to, " has %zu octets\n", cell->text_len);
    else
        fputs(" is missing\n", to);
}

static bool read_number(const struct client *client, const netsnmp_pdu *pdu)
{
    const netsnmp_variable_list *var = pdu->variables;
    const struct client_variable *wanted = client->variables;
    if (!var || var->type != ASN_INTEGER || !var->val.integer || var->name_length != wanted->len)
        return false;
    for (size_t i = 0; i < wanted->len; i++)
        if (var->name[i] != wanted->oid[i])
            return false;
    *client->number = *var->val.integer;
    return true;
}

static bool read_answer(struct client *client, const netsnmp_pdu *pdu)
{
    struct answer_rows rows;
    if (client->kind == ASK_GET && client->variables)
        return read_number(client, pdu);
    if (client->kind == ASK_SET)
        return true; /* the answer to a SET repeats it */
    if (client->kind == ASK_GET)
        return answer_get(pdu, client->cells, client->n);
    if (client->kind == ASK_NEXT)
        return answer_next(pdu, client->cells, client->n);
    const struct cell *last = client->n ? &client->cells[client->n - 1] : NULL;
    bool good = answer_bulk(pdu, client->below, last, client->cells, BULK_MAX, &rows);
    client->n = rows.n;
    client->at_end = rows.at_end;
    return good;
}

static void take_client_answer(void *context, const netsnmp_pdu *pdu)
{
    struct client *client = context;
    client->failure = CLIENT_OK;
    client->reason = 0;
    client->error_status = pdu->errstat;
    for (const netsnmp_variable_list *var = pdu->variables; var; var = var->next_variable)
        client->varbinds++;
    if (pdu->errstat == SNMP_ERR_TOOBIG) {
        client->too_big = true;
    } else if (pdu->errstat == SNMP_ERR_GENERR) {
        fail_request(client, CLIENT_SILENT,
                     "snmpd answers, but dcampd does not answer it (genErr)");
    } else if (pdu->errstat != SNMP_ERR_NOERROR) {
        const char *text = pdu->errstat > 0 && pdu->errstat <= MAX_SNMP_ERR
                               ? snmp_errstring((int)pdu->errstat)
                               : "an error status that does not exist";
        fail_request(client, CLIENT_REFUSED, text);
    } else if (!read_answer(client, pdu)) {
        fail_request(client, CLIENT_BROKEN, "an answer to what was not asked");
    }
    const struct cell *cells = client->kind == ASK_SET ? client->wanted : client->cells;
    for (size_t i = 0; client->trace && cells && i < client->n; i++)
        trace_cell(client->trace, &cells[i]);
}

/* -- Requests -------------------------------------------------------------------------------- */

/* Returns how much time is left until a moment, in milliseconds, rounded up. */
static int millis_until(uint64_t moment, uint64_t now)
{
    uint64_t left = moment > now ? (moment - now + NS_PER_MS - 1) / NS_PER_MS : 0;
    return left < 60000 ? (int)left : 60000;
}

/* An agent drops without a word what is encrypted with a wrong key. */
static const char *why_silent(const struct client *client)
{
    const struct session *session = &client->session;
    if (client->kind == ASK_SET && session->engine.len > 0)
        return "no answer: whether it was set is not known";
    return session->alive && !session->proven
               ? "no answer, but snmpd is there: dcampd hangs, or the privacy passphrase is wrong"
               : "no answer";
}

/* The session is closed, so that a late answer is not taken for the one to a later question. */
static bool out_of_time(struct client *client)
{
    fail_request(client, CLIENT_SILENT, why_silent(client));
    client->reason =
        client->session.alive && !client->session.proven ? POLL_WRONG_KEY : POLL_TIMEOUT;
    session_close(&client->session);
    return false;
}

static bool give_up(struct client *client)
{
    client->given_up = true;
    session_close(&client->session);
    return fail_request(client, CLIENT_SILENT, "given up");
}

/* Waits until the session has an outcome. */
static bool wait_for_outcome(struct client *client)
{
    struct session *session = &client->session;
    while (session->outcome == SESSION_WAITING) {
        uint64_t now = clock_mono_ns();
        uint64_t until =
            session->deadline < client->deadline ? session->deadline : client->deadline;
        if (now >= client->deadline)
            return out_of_time(client);
        struct pollfd files[] = {{.fd = session_fd(session), .events = POLLIN},
                                 {.fd = client->heed ? client->heeded : -1, .events = POLLIN}};
        int ready = poll(files, 2, millis_until(until, now));
        if (ready > 0 && files[1].revents && !client->heed(client->heeding))
            return give_up(client);
        if (ready > 0 && files[0].revents)
            session_read(session, &client->readable, clock_mono_ns());
        else if (clock_mono_ns() >= session->deadline)
            session_expire(session, clock_mono_ns());
    }
    return true;
}

static bool session_failed(struct client *client)
{
    enum poll_failure failure = client->session.failure;
    client->reason = failure;
    bool refused =
        failure == POLL_WRONG_KEY || failure == POLL_UNKNOWN_USER || failure == POLL_NO_CREDENTIAL;
    bool silent = failure == POLL_TIMEOUT || failure == POLL_UNREACHABLE;
    session_close(&client->session);
    return fail_request(client,
                        refused  ? CLIENT_REFUSED
                        : silent ? CLIENT_SILENT
                                 : CLIENT_BROKEN,
                        client->session.text);
}

static bool open_session(struct client *client)
{
    if (client->credential->invalid)
        return fail_request(client, CLIENT_REFUSED, client->credential->invalid);
    return session_open(&client->session, client->address, client->credential) ||
           session_failed(client);
}

/* Finds out the engine ID, which costs a packet each way; asks as often as the time allows. */
bool client_discover(struct client *client)
{
    struct session *session = &client->session;
    while (session->engine.len == 0) {
        uint64_t now = clock_mono_ns();
        if (now >= client->deadline)
            return out_of_time(client);
        if (!open_session(client))
            return false;
        client->requests++;
        session_discover(session, now, DISCOVERY_PATIENCE);
        if (!wait_for_outcome(client))
            return false;
        if (session->outcome == SESSION_FAILED && !session_failed(client) &&
            session->failure != POLL_TIMEOUT)
            return false;
    }
    return true;
}

static size_t name_of(const struct cell *cell, oid name[OID_MAX])
{
    for (size_t i = 0; i < cell->len; i++)
        name[i] = cell->oid[i];
    return cell->len;
}

static bool add_set_var(netsnmp_pdu *pdu, const struct cell *cell)
{
    oid name[OID_MAX], arcs[OID_MAX];
    uint32_t numbers[OID_MAX];
    size_t len = name_of(cell, name);
    enum mib_syntax syntax = mib_objects[cell->object].syntax;
    long number = (long)cell->number;
    if (syntax == MIB_SYNTAX_OCTETS)
        return snmp_pdu_add_variable(pdu, name, len, (u_char)syntax,
                                     cell->octets ? cell->octets : cell->text,
                                     cell->octets ? cell->n_octets : cell->text_len);
    if (syntax != MIB_SYNTAX_OID)
        return snmp_pdu_add_variable(pdu, name, len, (u_char)syntax, &number, sizeof number);
    size_t n = oid_from_text(cell->text, cell->text_len, numbers);
    for (size_t i = 0; i < n; i++)
        arcs[i] = numbers[i];
    return snmp_pdu_add_variable(pdu, name, len, ASN_OBJECT_ID, arcs, n * sizeof *arcs);
}

static bool add_variable(netsnmp_pdu *pdu, const struct client_variable *variable)
{
    oid name[OID_MAX];
    long number = variable->number;
    for (size_t i = 0; i < variable->len; i++)
        name[i] = variable->oid[i];
    if (pdu->command == SNMP_MSG_GET)
        return snmp_add_null_var(pdu, name, variable->len);
    if (variable->octets)
        return snmp_pdu_add_variable(pdu, name, variable->len, ASN_OCTET_STR, variable->octets,
                                     variable->n_octets);
    return snmp_pdu_add_variable(pdu, name, variable->len, ASN_INTEGER, &number, sizeof number);
}

static bool add_null_vars(const struct client *client, netsnmp_pdu *pdu)
{
    bool bulk = client->kind == ASK_BULK, complete = true;
    const struct cell *cells = bulk && client->n == 0 ? client->below : client->cells;
    size_t first = bulk && client->n > 0 ? client->n - 1 : 0, n = bulk ? 1 : client->n;
    for (size_t i = first; complete && i < first + n; i++) {
        oid name[OID_MAX];
        size_t len = name_of(&cells[i], name);
        complete = snmp_add_null_var(pdu, name, len) != NULL;
    }
    return complete;
}

static netsnmp_pdu *make_request(const struct client *client)
{
    static const int commands[] = {[ASK_GET] = SNMP_MSG_GET,
                                   [ASK_NEXT] = SNMP_MSG_GETNEXT,
                                   [ASK_BULK] = SNMP_MSG_GETBULK,
                                   [ASK_SET] = SNMP_MSG_SET};
    netsnmp_pdu *pdu = snmp_pdu_create(commands[client->kind]);
    bool complete = pdu != NULL;
    if (client->kind == ASK_SET || client->variables)
        for (size_t i = 0; complete && i < client->n; i++)
            complete = client->variables ? add_variable(pdu, &client->variables[i])
                                         : add_set_var(pdu, &client->wanted[i]);
    else
        complete = complete && add_null_vars(client, pdu);
    if (pdu && client->kind == ASK_BULK) {
        pdu->non_repeaters = 0;
        pdu->max_repetitions = client->repetitions;
    }
    if (!pdu || complete)
        return pdu;
    snmp_free_pdu(pdu);
    return NULL;
}

/* How long to wait for an answer before the request is sent once more, if there is time left for
 * that. A SET is not sent again: the second might fail because of what the first has done. */
static uint64_t patience(const struct client *client, uint64_t left)
{
    uint64_t share = left * 6 / 10;
    if (client->kind == ASK_SET)
        return left + NS_PER_S;
    return share < PATIENCE ? share : PATIENCE;
}

/* Makes one request and waits for its answer. */
static bool exchange_request(struct client *client)
{
    client->too_big = false;
    if (client->given_up)
        return fail_request(client, CLIENT_SILENT, "given up");
    if (!client_discover(client) || !open_session(client))
        return false;
    uint64_t now = clock_mono_ns();
    if (now >= client->deadline)
        return out_of_time(client);
    client->requests++;
    session_ask(&client->session, make_request(client), now,
                patience(client, client->deadline - now));
    if (!wait_for_outcome(client))
        return false;
    return client->session.outcome == SESSION_ANSWERED ? client->failure == CLIENT_OK
                                                       : session_failed(client);
}

static bool fail_too_big(struct client *client)
{
    return fail_request(client, CLIENT_BROKEN, "even one value is too big for an answer");
}

static bool ask_known(struct client *client, enum request_kind kind, struct cell *cells, size_t n)
{
    size_t most = GET_MAX;
    client->kind = kind;
    for (size_t done = 0; done < n;) {
        client->cells = cells + done;
        client->n = n - done < most ? n - done : most;
        if (!exchange_request(client))
            return false;
        if (!client->too_big)
            done += client->n;
        else if (client->n == 1)
            return fail_too_big(client);
        else
            most = client->n / 2;
    }
    return true;
}

bool client_get(struct client *client, struct cell *cells, size_t n)
{
    return ask_known(client, ASK_GET, cells, n);
}

static bool set_all(struct client *client, const struct cell *cells,
                    const struct client_variable *variables, size_t n)
{
    client->kind = ASK_SET;
    client->wanted = cells;
    client->variables = variables;
    client->n = n < SET_MAX ? n : SET_MAX;
    bool good = n <= SET_MAX && exchange_request(client);
    client->wanted = NULL;
    client->variables = NULL;
    if (n > SET_MAX || client->too_big)
        return fail_request(client, CLIENT_BROKEN, "too much for one SET");
    return good;
}

bool client_set(struct client *client, const struct cell *cells, size_t n)
{
    return set_all(client, cells, NULL, n);
}

bool client_set_variables(struct client *client, const struct client_variable *variables, size_t n)
{
    return set_all(client, NULL, variables, n);
}

bool client_get_number(struct client *client, const struct client_variable *variable,
                       int64_t *number)
{
    client->kind = ASK_GET;
    client->cells = NULL;
    client->variables = variable;
    client->number = number;
    client->n = 1;
    bool good = exchange_request(client) && (!client->too_big || fail_too_big(client));
    client->variables = NULL;
    client->number = NULL;
    return good;
}

long client_error_status(const struct client *client)
{
    return client->error_status;
}

bool client_get_next(struct client *client, struct cell *cells, size_t n)
{
    return ask_known(client, ASK_NEXT, cells, n);
}

/* The master asks dcampd for each repetition separately, so that those behind the end cost as much
 * as the others: the first request has only one more than is expected, to see the end. */
bool client_walk_after(struct client *client, const struct cell *start, const struct cell *after,
                       size_t expected, client_take *take, void *context)
{
    struct cell *rows = calloc(BULK_MAX, sizeof *rows);
    bool more = rows != NULL, good = more || fail_request(client, CLIENT_BROKEN, "no memory");
    client->kind = ASK_BULK;
    client->below = start;
    client->cells = rows;
    client->n = 0;
    if (rows && after)
        rows[client->n++] = *after; /* as if it were the last that came */
    client->repetitions = expected < BULK_MAX ? (long)expected + 1 : BULK_MAX;
    while (good && more) {
        good = exchange_request(client) && (!client->too_big || fail_too_big(client));
        more = good && client->n > 0;
        for (size_t i = 0; more && i < client->n; i++)
            more = take(context, &rows[i]);
        more = more && !client->at_end;
        client->repetitions = BULK_MAX;
    }
    client->cells = NULL;
    free(rows);
    return good;
}

bool client_walk(struct client *client, const struct cell *start, size_t expected,
                 client_take *take, void *context)
{
    return client_walk_after(client, start, NULL, expected, take, context);
}

void client_listen(struct client *client, int fd, client_heed *heed, void *context)
{
    client->heeded = fd;
    client->heed = heed;
    client->heeding = context;
    client->given_up = false;
}

void client_extend(struct client *client, uint64_t deadline_ns)
{
    client->deadline = deadline_ns;
}

/* -- The client ------------------------------------------------------------------------------ */

struct client *client_new(const char *address, const struct usm_credential *credential,
                          uint64_t deadline_ns)
{
    struct client *client = calloc(1, sizeof *client);
    if (!client)
        return NULL;
    session_start_library();
    client->credential = keys_set(&client->own, credential);
    if (!client->credential) {
        session_stop_library();
        free(client);
        return NULL;
    }
    netsnmp_large_fd_set_init(&client->readable, FD_SETSIZE);
    session_init(&client->session, take_client_answer, client);
    text_format(client->address, sizeof client->address, "%s", address);
    client->deadline = deadline_ns;
    return client;
}

void client_turn(struct client *client, const char *address)
{
    session_close(&client->session);
    session_forget_keys(&client->session);
    session_init(&client->session, take_client_answer, client);
    text_format(client->address, sizeof client->address, "%s", address);
}

void client_use(struct client *client, const struct credential *credential)
{
    session_close(&client->session);
    session_forget_keys(&client->session);
    client->credential = credential;
}

void client_free(struct client *client)
{
    if (!client)
        return;
    session_close(&client->session);
    session_forget_keys(&client->session);
    keys_free(&client->own);
    netsnmp_large_fd_set_cleanup(&client->readable);
    session_stop_library();
    free(client);
}

enum client_failure client_failure(const struct client *client)
{
    return client->failure;
}

enum poll_failure client_reason(const struct client *client)
{
    return client->reason;
}

const struct snmp_engine *client_engine(const struct client *client)
{
    return &client->session.engine;
}

const char *client_error(const struct client *client)
{
    return client->error;
}

void client_trace(struct client *client, FILE *to)
{
    client->trace = to;
}

void client_counts(const struct client *client, unsigned *requests, unsigned *varbinds)
{
    *requests = client->requests;
    *varbinds = client->varbinds;
}
