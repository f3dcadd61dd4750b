/* The values of varbinds as snmptrapd prints them. Pure. The form of a value depends on -O options,
 * on the MIB files that are loaded and on the octets themselves: text plain or in quotes, octets in
 * hexadecimal, with or without the type in front. */
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

/* The length of the type and quoted string that begin the text; the string may extend over several
 * lines. Returns 0 if no quote begins in the first line, or if it does not end. */
size_t value_quoted(struct value_text text);

/* The octets of a string. Returns their number, or -1 if there are more than room. *hex is whether
 * it was printed in hexadecimal; in that form, nothing that a sender wrote can be mistaken for
 * something other than data. */
long value_octets(struct value_text text, char *octets, size_t room, bool *hex);

/* Integers and enumerations: "4", "critical", "critical(4)". */
bool value_number(struct value_text text, const struct mib_info *info, int64_t *number);

/* DateAndTime (RFC 2579), as text of its display hint or as 8 or 11 octets in hexadecimal, in
 * milliseconds since 1970 UTC. Without an offset, it is taken as UTC. */
bool value_date(struct value_text text, int64_t *millis);

/* An IPv4 address in dotted decimal. */
bool value_address(struct value_text text, char address[16]);

/* The text without its type, such as that of an OID. */
struct value_text value_plain(struct value_text text);

#endif
