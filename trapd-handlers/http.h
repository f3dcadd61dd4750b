/* POST of JSON over HTTP, by libcurl. */
#ifndef DCAMP_TRAP_HTTP_H
#define DCAMP_TRAP_HTTP_H

#include "trapd-handlers/target.h"

struct http;

/* Uses the target's options. Returns NULL on failure, and the target's why says what is wrong. */
struct http *http_open(struct target *target);
void http_close(struct http *http);

/* Posts target->text to the path below the URL; the answer is in the buffer, cut off at 64 KiB.
 * Returns the HTTP status, or 0 if there was no answer, and the target's why says the reason. */
long http_post(struct http *http, struct target *target, const char *path, struct buffer *answer);

/* What a status other than success means: whether the fault is in the request or in the server. */
enum delivery http_failure(struct target *target, long status, const char *detail);

#endif
