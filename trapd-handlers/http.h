/* POST of JSON over HTTP, by libcurl. */
#ifndef DCAMP_TRAP_HTTP_H
#define DCAMP_TRAP_HTTP_H

#include "trapd-handlers/target.h"

struct http;

/* Of the target's options. NULL: the target's why says what is wrong. */
struct http *http_open(struct target *target);
void http_close(struct http *http);

/* Posts target->text to the path below the URL; the answer is in the buffer, cut off at 64 KiB.
 * The HTTP status, or 0 with why: there was no answer. */
long http_post(struct http *http, struct target *target, const char *path, struct buffer *answer);

/* What a status other than success means: whether the request is at fault, or the server. */
enum delivery http_failure(struct target *target, long status, const char *detail);

#endif
