/* The REST interface: what the history says, as JSON or, for spreadsheets, as CSV (RFC 4180).
 * web/page/openapi.json describes it. */
#ifndef DCAMP_WEB_API_H
#define DCAMP_WEB_API_H

#include <jansson.h>

#include "publish/follow.h"
#include "web/request.h"

struct api;

/* NULL: no memory. The history is opened when it is asked for; directory must stay. */
struct api *api_open(const char *directory);
void api_close(struct api *api);

/* Whether there is something at a path. */
bool api_has(const char *path);

/* The answer, ended by NUL, which the caller owns. NULL: *status is that of HTTP, and
 * request->error says why. */
char *api_answer(struct api *api, struct request *request, unsigned *status, const char **type);

/* Sets who is told of each new point, whichever request has caused it to be read; NULL: nobody. */
void api_listen(struct api *api, follow_point_fn *each, void *context);

/* Reads what has come. False: the history cannot be read. api_follow() has what is known in either
 * case. */
bool api_step(struct api *api, int64_t now_ms);
const struct follow *api_follow(const struct api *api);

/* The path of the node that somebody means by its path or its name. The text itself if no such node
 * is known: it may still come. */
const char *api_path(const struct api *api, const char *text);

#endif
