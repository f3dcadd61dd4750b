/* What every server of ours does with a request, by libmicrohttpd: it is judged, and what is wrong
 * is said as RFC 9457 has it. */
#ifndef DCAMP_HTTP_REPLY_H
#define DCAMP_HTTP_REPLY_H

#include <microhttpd.h>
#include <stdbool.h>

#include "http/access.h"

/* A header of the request; NULL: it has not that one. */
const char *reply_header(struct MHD_Connection *connection, const char *name);

/* The type of what is sent, how long it may be kept, and what browsers are not to do with it. */
void reply_add_headers(struct MHD_Response *response, const char *type, const char *cache);

/* Gives the response away. One that is NULL, for want of memory, closes the connection. */
enum MHD_Result reply_send(struct MHD_Connection *connection, unsigned status,
                           struct MHD_Response *response);

/* An object of JSON that says what is wrong; wants_token: and that a token would help. */
enum MHD_Result reply_problem(struct MHD_Connection *connection, unsigned status,
                              const char *detail, bool wants_token);

enum access_verdict reply_judge(const struct access *access, struct MHD_Connection *connection,
                                const char *method, bool is_data);

/* Says why, of a verdict that is not ACCESS_OK. */
enum MHD_Result reply_refusal(struct MHD_Connection *connection, enum access_verdict verdict,
                              const struct access *access);

#endif
