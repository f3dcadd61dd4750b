/* POST over HTTP to one URL, again and again, by libcurl; waits for the answer, but not for ever.
 */
#ifndef DCAMP_PUBLISH_POSTER_H
#define DCAMP_PUBLISH_POSTER_H

#include <stddef.h>

#include "publish/sink.h"

struct poster;

/* The location of the settings is the URL, http or https. Behind a "#", which no server gets to
 * see, ca=FILE and timeout=SECONDS may follow, with "&" between: within 1 to 60 seconds, by default
 * 10, an answer must have come. The file of credentials has user and password, or a token, which is
 * sent with that scheme ("Token", "Bearer"). type: the Content-Type. what: who needs libcurl, for
 * the error.
 *
 * path: is put behind the URL, which must not have a "?" then; NULL: nothing. choice: the name of
 * one more option, whose value, 0 or 1, is put into *chosen if it is there; NULL: there is none.
 *
 * 0; EINVAL: the location or the credentials are wrong; ENOENT: there is no libcurl; ENOMEM. error:
 * one line, without a secret. */
struct poster_setup {
    const struct outlet_sink *settings;
    const char *scheme, *type, *what, *path, *choice;
    bool *chosen;
};
int poster_open(const struct poster_setup *setup, struct poster **poster,
                char error[SINK_ERROR_SIZE]);
void poster_close(struct poster *poster);

/* What the server answered; text is its first line, cleaned. */
struct poster_answer {
    long status;
    char text[256];   /* "": nothing */
    char type[64];    /* Content-Type; "": none */
    char body[4096];  /* the beginning of it, and a 0 */
    size_t len;       /* of that beginning, without the 0 */
    bool is_complete; /* the body has all of it */
};

/* 0: there is an answer, of any status except a redirection, which is not followed. EPROTO: it was
 * a redirection; EIO: there was no answer; error says why. */
int poster_post(struct poster *poster, const char *body, size_t len, struct poster_answer *answer,
                char error[SINK_ERROR_SIZE]);

/* How long nobody should try again, by the last answer. A server that is overloaded or away says so
 * in Retry-After, of which at most an hour counts. One that refuses a request as such, by a status
 * 4xx that is not about overload, will not change its mind soon: a minute. 0: it has said nothing.
 */
int64_t poster_wait_ms(const struct poster *poster);

/* The server's answer as an error of the sink: EACCES for 401 and 403, else EIO. */
int poster_refusal(const struct poster *poster, const struct poster_answer *answer,
                   char error[SINK_ERROR_SIZE]);

#endif
