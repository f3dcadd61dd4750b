/* Why an operation failed. */
#ifndef DCAMP_LOAD_FAILURE_H
#define DCAMP_LOAD_FAILURE_H

#define FAILURE_TEXT 512 /* the path of a program or an object, and what is said about it */

/* The kinds that are counted; failure_word() has the words for them. */
enum failure_kind {
    FAILURE_TIMEOUT,  /* it was not done in time, whatever had come by then */
    FAILURE_CONNECT,  /* there is no connection, or no such host */
    FAILURE_CLOSED,   /* the other side hung up, or ended, before the answer was complete */
    FAILURE_STATUS,   /* HTTP status 400 or more; an exit status, or a function's result, other than
                       * 0; an error status or an exception of SNMP */
    FAILURE_SIGNAL,   /* the program, or the process of the function, was ended by a signal */
    FAILURE_START,    /* it could not be begun: no program, or no request from the data */
    FAILURE_PROTOCOL, /* the answer is not what it should be */
    FAILURE_MEMORY,   /* this program ran out of memory */
    FAILURE_LOGIN,    /* SNMP: the user or its passphrases are not right */
    FAILURE_KINDS
};

struct failure {
    enum failure_kind kind;
    char text[FAILURE_TEXT]; /* for people; it may contain octets from the other side */
};

static inline const char *failure_word(enum failure_kind kind)
{
    static const char *const words[FAILURE_KINDS] = {
        "timeout", "connect", "closed", "status", "signal", "start", "protocol", "memory", "login"};
    return words[kind];
}

#endif
