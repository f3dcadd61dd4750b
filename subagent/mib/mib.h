/* What the MIB says, as data: derived from DCAMP-MIB.txt by mibgen at build time, so that no OID,
 * enumeration, range or access is typed in C. */
#ifndef DCAMP_MIB_MIB_H
#define DCAMP_MIB_MIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ASN.1 tags of RFC 2578, section 7, as they stand in SNMP and AgentX messages. */
enum mib_syntax {
    MIB_SYNTAX_NONE = 0,
    MIB_SYNTAX_INTEGER = 0x02,
    MIB_SYNTAX_OCTETS = 0x04, /* and BITS */
    MIB_SYNTAX_OID = 0x06,
    MIB_SYNTAX_IPADDRESS = 0x40,
    MIB_SYNTAX_COUNTER32 = 0x41,
    MIB_SYNTAX_UNSIGNED = 0x42, /* Gauge32 and Unsigned32 */
    MIB_SYNTAX_TIMETICKS = 0x43,
    MIB_SYNTAX_COUNTER64 = 0x46
};

enum mib_access {
    MIB_NOT_ACCESSIBLE,
    MIB_FOR_NOTIFY,
    MIB_READ_ONLY,
    MIB_READ_WRITE,
    MIB_READ_CREATE
};

enum mib_role { MIB_BRANCH, MIB_SCALAR, MIB_TABLE, MIB_ENTRY, MIB_COLUMN, MIB_NOTIFICATION };

/* The textual conventions that the table engine itself acts on, and BITS. */
enum mib_convention { MIB_PLAIN, MIB_ROW_STATUS, MIB_STORAGE_TYPE, MIB_TRUTH, MIB_DATE, MIB_BITS };

struct mib_range {
    int64_t low, high;
};

struct mib_label {
    const char *name;
    int32_t value;
};

struct mib_info {
    const char *name;
    const uint32_t *oid;
    size_t oid_len;
    enum mib_role role;
    enum mib_syntax syntax;
    enum mib_access access;
    enum mib_convention convention;
    const struct mib_range *ranges; /* of the value, or of the length in octets */
    size_t n_ranges;
    const struct mib_label *labels; /* of an enumeration, or of BITS; in ascending order */
    size_t n_labels;
    const int *objects; /* enum mib_object: an entry's index columns, a notification's objects */
    size_t n_objects;
    const char *initial; /* DEFVAL as the MIB writes it, or NULL */
    const char *units;   /* UNITS, or NULL */
};

#endif
