/* Values as the MIB has them: from what C knows to what goes on the wire, and back. Pure. */
#ifndef DCAMP_AGENT_MIB_VALUE_H
#define DCAMP_AGENT_MIB_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/oid.h"
#include "mib/mib.h"

struct mib_oid {
    uint32_t id[OID_MAX];
    size_t len;
};

/* A value to be put on the wire. Octets point into the row (valid while the lock is held) or
 * into room; an object identifier points into arcs. The engine sets the syntax from the MIB. */
struct mib_value {
    enum mib_syntax syntax;
    union {
        int64_t integer;
        uint64_t number; /* unsigned types */
        struct {
            const void *at;
            size_t len;
        } octets;
        struct {
            const uint32_t *at;
            size_t len;
        } oid;
    };
    union {
        char room[MESSAGE_SIZE];
        uint32_t arcs[OID_MAX];
    };
};

/* Each of them returns true, as getters do, unless its comment says otherwise. */
bool give_integer(struct mib_value *value, int64_t number);
bool give_number(struct mib_value *value, uint64_t number);
bool give_text(struct mib_value *value, const char *text);
bool give_octets(struct mib_value *value, const void *at, size_t len);
/* A number as decimal text, and in thousandths. give_milli() returns false if an Integer32 cannot
 * hold them, because a wrong number is worse than none. */
bool give_decimal(struct mib_value *value, double number);
bool give_milli(struct mib_value *value, double number);
bool give_truth(struct mib_value *value, bool truth);
/* Decimal numbers between dots; "" becomes 0.0, which means in SMIv2 that there is none. */
bool give_oid(struct mib_value *value, const char *text);
/* BITS of RFC 2578, section 7.1.4: bit 0 of the set is the highest of the first octet. */
bool give_bits(struct mib_value *value, uint32_t set, size_t n_labels);
/* DateAndTime of RFC 2579, in UTC. False beyond its years, 0 to 65535. */
bool give_date(struct mib_value *value, int64_t wall_ms);

/* The reverse of give_bits, for SET. Bits behind the last octet are not set. False: a bit is set
 * that has no label. */
bool take_bits(const uint8_t *octets, size_t len, size_t n_labels, uint32_t *set);
/* DateAndTime; 8 octets are local time, 8 zeros mean no time (0). False: it is not a date, or not
 * in the years 1970 to 9999. */
bool take_date(const uint8_t *octets, size_t len, int64_t *wall_ms);

#endif
