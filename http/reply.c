#include "http/reply.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *reply_header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

enum MHD_Result reply_send(struct MHD_Connection *connection, unsigned status,
                           struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/* Scripts and styles come from here only, nothing is loaded from elsewhere, and no page of others
 * shows this one in a frame. Plots set the style of their own elements by script. */
void reply_add_headers(struct MHD_Response *response, const char *type, const char *cache)
{
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, cache);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Content-Security-Policy",
                            "default-src 'none'; script-src 'self'; style-src 'self'; "
                            "img-src 'self'; connect-src 'self'; base-uri 'none'; "
                            "form-action 'none'; frame-ancestors 'none'");
}

static struct MHD_Response *problem_response(unsigned status, const char *detail)
{
    json_t *problem = json_pack("{s:s, s:i, s:s}", "title", MHD_get_reason_phrase_for(status),
                                "status", (int)status, "detail", detail);
    char *text = json_dumps(problem, JSON_COMPACT);
    json_decref(problem);
    struct MHD_Response *response =
        text ? MHD_create_response_from_buffer_with_free_callback(strlen(text), text, free) : NULL;
    if (!response)
        free(text);
    return response;
}

enum MHD_Result reply_problem(struct MHD_Connection *connection, unsigned status,
                              const char *detail, bool wants_token)
{
    struct MHD_Response *response = problem_response(status, detail);
    if (!response)
        return MHD_NO;
    reply_add_headers(response, "application/problem+json", "no-store");
    if (wants_token)
        MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    return reply_send(connection, status, response);
}

enum access_verdict reply_judge(const struct access *access, struct MHD_Connection *connection,
                                const char *method, bool is_data)
{
    const struct access_request request = {
        .method = method,
        .host = reply_header(connection, MHD_HTTP_HEADER_HOST),
        .origin = reply_header(connection, MHD_HTTP_HEADER_ORIGIN),
        .site = reply_header(connection, "Sec-Fetch-Site"),
        .authorization = reply_header(connection, MHD_HTTP_HEADER_AUTHORIZATION),
        .user = access->user_header ? reply_header(connection, access->user_header) : NULL,
        .is_data = is_data};
    return access_judge(access, &request);
}

enum MHD_Result reply_refusal(struct MHD_Connection *connection, enum access_verdict verdict,
                              const struct access *access)
{
    char text[160];
    switch (verdict) {
    case ACCESS_METHOD:
        return reply_problem(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "nothing can be changed here",
                             false);
    case ACCESS_HOST:
        text_format(text, sizeof text, "this server has another name: see %s", access->host_help);
        return reply_problem(connection, MHD_HTTP_MISDIRECTED_REQUEST, text, false);
    case ACCESS_ORIGIN:
        return reply_problem(connection, MHD_HTTP_FORBIDDEN, "a page of another origin asks",
                             false);
    default:
        return reply_problem(connection, MHD_HTTP_UNAUTHORIZED,
                             access->token ? "the token is missing or wrong"
                                           : "the proxy in front does not say who asks",
                             access->token != NULL);
    }
}
