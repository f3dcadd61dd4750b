/* The values of varbinds as snmptrapd prints them. Pure.
 * Which form a value has depends on -O options, on the MIB files that are loaded and on the octets
 * themselves: text plain or in quotes, octets in hexadecimal, with or without the type in front. */
#ifndef DCAMP_TRAP_VALUE_H
#define DCAMP_TRAP_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mib/mib.h"

struct value_text {
    const char *at;
    size_t len;
};

/* How much of the text is its type and a quoted string, which may go on over further lines. 0: no
 * quote begins in its first line, or it does not end. */
size_t value_quoted(struct value_text text);

/* The octets of a string. Returns their number, or -1 if more than room. hex tells whether it was
 * printed in hexadecimal, in which nothing that a sender wrote can be anything but data. */
long value_octets(struct value_text text, char *octets, size_t room, bool *hex);

/* Integers and enumerations: "4", "critical", "critical(4)". */
bool value_number(struct value_text text, const struct mib_info *info, int64_t *number);

/* DateAndTime (RFC 2579) as text of its display hint or as 8 or 11 octets in hexadecimal, in
 * milliseconds since 1970 UTC. Without an offset it is taken as UTC. */
bool value_date(struct value_text text, int64_t *millis);

/* An IPv4 address in dotted decimal. */
bool value_address(struct value_text text, char address[16]);

/* The text without its type: that of an OID, say. */
struct value_text value_plain(struct value_text text);

#endif
