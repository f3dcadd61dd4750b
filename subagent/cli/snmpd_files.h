/* The text of the files of snmpd: what is in there, and what becomes of it. Pure but for memory.
 *
 * snmpd.conf(5): directives in any case, blanks between words, '#' begins a comment. */
#ifndef DCAMP_CLI_SNMPD_FILES_H
#define DCAMP_CLI_SNMPD_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snmpv3/credential.h"

#define SNMPD_WORDS 12 /* of a line that count; a usmUser has as many */

struct snmpd_word {
    const char *at; /* in the text, without its quotes */
    size_t len;
};

struct snmpd_line {
    unsigned number; /* from 1; before the first one: 0 */
    const char *at;
    size_t len; /* with its end */
    struct snmpd_word words[SNMPD_WORDS];
    size_t n; /* of words; 0: it is empty, or a comment */
};

/* The next line of what *text has left, which moves on. False: there is none. */
bool snmpd_next_line(const char **text, struct snmpd_line *line);

/* Whether it is this directive, with at least one word behind it. */
bool snmpd_is(const struct snmpd_line *line, const char *directive);

struct snmpd_engine {
    uint8_t id[ENGINE_ID_MAX];
    size_t len; /* 0: there is none */
};

/* "0x" and 5 to 32 octets in hexadecimal digits, or the digits alone. False: it is no engine ID. */
bool snmpd_read_engine(const char *text, size_t len, struct snmpd_engine *engine);

/* The engine ID of the last line with this directive that has one: exactEngineID, oldEngineID.
 * Returns its line; 0: there is none. */
unsigned snmpd_find_engine(const char *text, const char *directive, struct snmpd_engine *engine);

/* The line of the file that has this address among those that snmpd listens to; 0: none has. */
unsigned snmpd_find_address(const char *text, const char *address);

/* The first word of the first line with this directive, of at most size - 1 octets; "": none. */
void snmpd_first(const char *text, const char *directive, char *word, size_t size);

/* Whether a line includes that directory. */
bool snmpd_includes(const char *text, const char *dir);

/* "udp:192.0.2.7:161" and the like: whether snmpd could take it, and nothing but it, from a line.
 */
bool snmpd_is_address(const char *address);

#define SNMPD_ANNOUNCE_MAX 512 /* with the NUL */

/* Whether snmpd could send announcements to each of them: "udp:192.0.2.1:1621", with commas
 * between, each with its port. */
bool snmpd_are_addresses(const char *addresses);

/* To whom the lines of the text send announcements, with commas between; "": to nobody. What is too
 * long is left out. */
void snmpd_announced_to(const char *text, char addresses[SNMPD_ANNOUNCE_MAX]);

/* Lines that send notifications of this OID, which has a '.' before each number, to each of them
 * and nothing else; malloced. NULL: no memory. */
char *snmpd_announce_lines(const char *addresses, const char *oid);

/* A user as snmpd itself keeps it: localized keys, no passphrase. */
struct snmpd_user {
    const char *name;
    char line[1024]; /* "usmUser ..." without an end: names, identifiers and keys of any length */
};

/* Whether the text of the persistent file has these users, and nothing else by their names for the
 * same engine, nor a createUser of theirs, which would have passphrases. */
bool snmpd_has_users(const char *text, const struct snmpd_user *users, size_t n);

/* The text with these users, and without anything else by their names; malloced. NULL: no memory.
 */
char *snmpd_put_users(const char *text, const struct snmpd_user *users, size_t n);

/* The line of a createUser of one of them, in which there is a passphrase; 0: there is none. */
unsigned snmpd_find_passphrase(const char *text, const struct snmpd_user *users, size_t n);

#endif
