/* What one operation does, as the command line says it.
 *
 * In the words of programs, in URLs, bodies, lines and object identifiers, {sequence} stands for
 * the number of the operation, from 1 on, {worker} for that of its worker, from 0 on, and {data}
 * for its line of the test data. In a URL, what is put in is percent-encoded but for unreserved
 * characters (RFC 3986, sections 2.1 and 2.3): it cannot become part of the structure of the URL.
 */
#ifndef DCAMP_LOAD_ACTION_H
#define DCAMP_LOAD_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snmpv3/credential.h"

#define ACTION_HEADERS_MAX 32

enum action_kind {
    ACTION_NOTHING,
    ACTION_PROGRAM,
    ACTION_URL,
    ACTION_LINE,
    ACTION_SNMP,
    ACTION_OBJECT
};

enum action_request { ACTION_GET, ACTION_GET_NEXT, ACTION_GET_BULK };

/* The texts are those of the command line, but for the words. */
struct action {
    enum action_kind kind;
    const char *name;                        /* that of the operations of the scenario that do it */
    const char *target;                      /* a command; a URL; HOST:PORT or unix:PATH;
 FILE[:SYMBOL] */
    char **words;                            /* of the command, ended by NULL; its own. SNMP: the
                                                address of the agent, and object identifiers */
    const char *method;                      /* HTTP; NULL: GET, or POST where there is a body */
    const char *body;                        /* HTTP, or NULL */
    const char *headers[ACTION_HEADERS_MAX]; /* HTTP */
    size_t n_headers;
    const char *line;                        /* what is sent; a newline is put behind it */
    bool is_unanswered;                      /* done once the line is sent */
    enum action_request request;             /* SNMP */
    long repetitions;                        /* of GETBULK */
    const char *port;                        /* SNMP: of an address that has none */
    const struct usm_credential *credential; /* SNMP */
};

/* What is different from one operation to the next. */
struct call {
    uint64_t sequence;
    unsigned worker;
    const char *data; /* "": there is none */
};

/* The text with what stands for the words in braces; NULL: no memory. To be freed. */
char *action_fill(const char *text, const struct call *call, bool is_url);

/* Whether any of them stands in it. */
bool action_varies(const char *text);

/* Whether {data} stands in anything of the action that is filled in. */
bool action_takes_data(const struct action *action);

/* How much of FILE[:SYMBOL] is the file. The symbol is what stands behind the last colon, if that
 * could be the name of a function of C; else *symbol is NULL. */
size_t action_split_object(const char *target, const char **symbol);

/* The words of a command as a shell has them, without all else that a shell does: blanks separate
 * them; '...', "..." and \ keep blanks in them. NULL, and EINVAL where a quote is not closed or
 * there is no word, or ENOMEM. To be released with action_free_words(). */
char **action_split(const char *command, int *error);
void action_free_words(char **words);

#endif
