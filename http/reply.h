/* What every server of ours does with a request, by libmicrohttpd: the request is judged, and what
 * is wrong is told in the form of RFC 9457. */
#ifndef DCAMP_HTTP_REPLY_H
#define DCAMP_HTTP_REPLY_H

#include <microhttpd.h>
#include <stdbool.h>

#include "http/access.h"

/* A header of the request; NULL: the request does not have it. */
const char *reply_header(struct MHD_Connection *connection, const char *name);

/* The type of what is sent, how long it may be kept, and what browsers are not to do with it. */
void reply_add_headers(struct MHD_Response *response, const char *type, const char *cache);

/* Sends the response and releases it. If it is NULL, for want of memory, the connection is closed.
 */
enum MHD_Result reply_send(struct MHD_Connection *connection, unsigned status,
                           struct MHD_Response *response);

/* Sends a JSON object that says what is wrong; with wants_token, also that a token would help. */
enum MHD_Result reply_problem(struct MHD_Connection *connection, unsigned status,
                              const char *detail, bool wants_token);

enum access_verdict reply_judge(const struct access *access, struct MHD_Connection *connection,
                                const char *method, bool is_data);

/* Sends the reason for a verdict other than ACCESS_OK. */
enum MHD_Result reply_refusal(struct MHD_Connection *connection, enum access_verdict verdict,
                              const struct access *access);

#endif
