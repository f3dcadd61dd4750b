/* A manager for one node: asks, waits and gives back cells. For commands and plugins, which do one
 * thing at a time; pollers, which do not wait, use snmpv3/session.h. SNMPv3 authPriv only.
 *
 * One client in a process at a time: Net-SNMP's state is global. */
#ifndef DCAMP_CLI_CLIENT_H
#define DCAMP_CLI_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/cell.h"
#include "snmpv3/credential.h"

struct client;

enum client_failure {
    CLIENT_OK,
    CLIENT_SILENT,  /* no answer before the deadline */
    CLIENT_REFUSED, /* user, keys or access */
    CLIENT_BROKEN   /* what came makes no sense, or there is no way to ask */
};

/* address: in numbers, as address_resolve gives it. deadline_ns: on the monotonic clock, of all
 * requests together. The secrets are not kept. NULL: no memory. Nothing is sent yet. */
struct client *client_new(const char *address, const struct usm_credential *credential,
                          uint64_t deadline_ns);
void client_free(struct client *client);

/* Asks for cells by GET, many in a PDU, and fills them in. False: none is to be used. */
bool client_get(struct client *client, struct cell *cells, size_t n);

/* Sets all cells, or none, by one SET: at most SET_MAX. Their numbers and texts are what is set;
 * the text of an object identifier has its arcs with dots. A SET is sent only once: if no answer
 * comes, nobody knows whether it was done, and the error says so. */
#define SET_MAX 40
bool client_set(struct client *client, const struct cell *cells, size_t n);

/* A variable of any MIB, to be SET to octets, or to a number if octets is NULL. */
struct client_variable {
    uint32_t oid[OID_MAX];
    size_t len;
    const uint8_t *octets;
    size_t n_octets;
    int32_t number;
};

/* The same for variables of other MIBs: what snmpd itself answers. */
bool client_set_variables(struct client *client, const struct client_variable *variables, size_t n);

/* Asks for the number that such a variable is. */
bool client_get_number(struct client *client, const struct client_variable *variable,
                       int64_t *number);

/* The error status of the last answer (RFC 3416, section 3), 0: none. */
long client_error_status(const struct client *client);

/* Moves each cell to its successor, if that lies in the same column below the same indexes; if not,
 * the cell is missing and keeps its name. */
bool client_get_next(struct client *client, struct cell *cells, size_t n);

/* Walks one column, below the indexes that start has, by GETBULK: in one request if there are no
 * more cells than expected and these fit into it. take gets each cell; false ends the walk, which
 * is no failure. */
typedef bool client_take(void *context, const struct cell *cell);
bool client_walk(struct client *client, const struct cell *start, size_t expected,
                 client_take *take, void *context);

/* Walks from behind a name on, which has the indexes of start and more. A cell of that name need
 * not exist. */
bool client_walk_after(struct client *client, const struct cell *start, const struct cell *after,
                       size_t expected, client_take *take, void *context);

/* Sets another deadline, for all requests that follow. */
void client_extend(struct client *client, uint64_t deadline_ns);

/* Why the last call has failed: one line. */
enum client_failure client_failure(const struct client *client);
const char *client_error(const struct client *client);

/* What the session knows of that failure; 0: it is a failure not of the session but of the
 * answer. */
enum poll_failure client_reason(const struct client *client);

/* Finds out which engine answers, which needs no user. Once the engine is known, it does nothing.
 * False: as with the others. */
struct snmp_engine;
bool client_discover(struct client *client);
const struct snmp_engine *client_engine(const struct client *client);

/* From now on asks another node, of which nothing is known, as the same user. */
void client_turn(struct client *client, const char *address);

/* From now on asks the same node as another user. The credential must be valid, and stays the
 * caller's, who must keep it as long as the client uses it. */
struct credential;
void client_use(struct client *client, const struct credential *credential);

/* Calls heed whenever a file can be read while an answer is waited for. If heed returns false, the
 * wait is given up: what was asked for fails as CLIENT_SILENT, and nothing else is asked until
 * client_listen is called again. heed NULL: nothing is called any more. */
typedef bool client_heed(void *context);
void client_listen(struct client *client, int fd, client_heed *heed, void *context);

/* From now on writes each cell that comes back to a file, a line each. */
void client_trace(struct client *client, FILE *to);

/* Requests sent until now, and varbinds that came back. */
void client_counts(const struct client *client, unsigned *requests, unsigned *varbinds);

#endif
