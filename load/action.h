/* What one operation does, as the command line says it.
 *
 * In the words of programs, in URLs, bodies, lines and object identifiers, {sequence} stands for
 * the number of the operation, from 1 on, {worker} for the number of its worker, from 0 on, and
 * {data} for its line of the test data. In a URL, all inserted characters except unreserved ones
 * are percent-encoded (RFC 3986, sections 2.1 and 2.3), so that they cannot become part of the
 * structure of the URL. */
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

/* The texts are those of the command line, except the words. */
struct action {
    enum action_kind kind;
    const char *name;                        /* the name of its operations in the scenario */
    const char *target;                      /* a command; a URL; HOST:PORT or unix:PATH;
 FILE[:SYMBOL] */
    char **words;                            /* of the command, ended by NULL; its own. SNMP: the
                                              * address of the agent, and object identifiers */
    const char *method;                      /* HTTP; NULL: GET, or POST if there is a body */
    const char *body;                        /* HTTP, or NULL */
    const char *headers[ACTION_HEADERS_MAX]; /* HTTP */
    size_t n_headers;
    const char *line;                        /* what is sent; a newline is appended to it */
    bool is_unanswered;                      /* the operation is done as soon as the line is sent */
    enum action_request request;             /* SNMP */
    long repetitions;                        /* of GETBULK */
    const char *port;                        /* SNMP: the port if the address has none */
    const struct usm_credential *credential; /* SNMP */
};

/* What is different from one operation to the next. */
struct call {
    uint64_t sequence;
    unsigned worker;
    const char *data; /* "" if there is none */
};

/* Returns the text with placeholders replaced, to be freed; NULL if memory runs out. */
char *action_fill(const char *text, const struct call *call, bool is_url);

/* Whether the text contains any placeholder. */
bool action_varies(const char *text);

/* Whether {data} occurs in any text of the action in which placeholders are replaced. */
bool action_takes_data(const struct action *action);

/* Returns how many octets of FILE[:SYMBOL] are the file. The symbol is what follows the last colon,
 * if that could be the name of a C function; otherwise *symbol is NULL. */
size_t action_split_object(const char *target, const char **symbol);

/* Splits a command into words as a shell does, but does nothing else that a shell would: blanks
 * separate the words; '...', "..." and \ keep blanks within them. Returns NULL with EINVAL if a
 * quote is not closed or there is no word, or with ENOMEM. The words have to be released with
 * action_free_words(). */
char **action_split(const char *command, int *error);
void action_free_words(char **words);

#endif
