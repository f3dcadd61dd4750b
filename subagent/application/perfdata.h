/* The performance data that a HotSpot JVM keeps in a file for others to read: a prologue and a
 * table of named entries (hotspot/share/runtime/perfMemory.hpp and perfData.hpp of OpenJDK; the
 * same from JDK 5 to 25). The octets are those of a copy of the file, and are read without trust.
 * Pure.
 *
 * While the copy was made, the JVM went on: the number of an entry is of one moment, but numbers of
 * several entries need not be of the same one. Entries only come, at the end; none moves or goes.
 */
#ifndef DCAMP_APPLICATION_PERFDATA_H
#define DCAMP_APPLICATION_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* The one version of the layout that is known. Another minor version only adds. */
#define PERFDATA_MAJOR 2

/* What is read of a file at the most: JVMs make files of 32 KiB unless -XX:PerfDataMemorySize says
 * otherwise. */
#define PERFDATA_SIZE_MAX (1u << 20)

struct perfdata_header {
    bool is_little; /* the order of the octets in all numbers but the magic */
    uint8_t major, minor;
    uint32_t used;     /* octets, the prologue among them; not beyond the end of the copy */
    uint32_t overflow; /* octets of entries that found no room, and are missing */
    uint64_t modified; /* when the last entry came, in ticks of the JVM */
    uint32_t first;    /* where the first entry begins */
    uint32_t count;    /* of entries */
};

/* The octets in data_units and data_type of an entry. */
enum perfdata_unit {
    PERFDATA_NONE = 1,
    PERFDATA_BYTES = 2,
    PERFDATA_TICKS = 3,
    PERFDATA_EVENTS = 4,
    PERFDATA_STRING = 5,
    PERFDATA_HERTZ = 6
};

#define PERFDATA_LONG 'J'
#define PERFDATA_OCTETS 'B'

struct perfdata_entry {
    const char *name; /* in the copy, with a NUL behind it */
    char type;        /* PERFDATA_LONG, PERFDATA_OCTETS, or one that no JVM has used so far */
    uint8_t unit;     /* enum perfdata_unit, or one that no JVM has used so far */
    uint32_t vector;  /* number of elements; 0: it is a scalar */
    uint32_t data; /* where its value begins in the copy. Of those two types, all of it is there */
};

/* Where the next entry is. */
struct perfdata_cursor {
    uint32_t at, number;
};

/* What is returned: 0; EBADMSG: it is not such a file, or is broken; EPROTONOSUPPORT: it is of
 * another major version; EAGAIN: the JVM is just making what is to be read, and it can be read a
 * moment later. But for 0, why says so in a sentence that names the place. */
int perfdata_header_read(const uint8_t *octets, size_t size, struct perfdata_header *header,
                         char why[MESSAGE_SIZE]);

struct perfdata_cursor perfdata_begin(const struct perfdata_header *header);
bool perfdata_has_next(const struct perfdata_header *header, const struct perfdata_cursor *cursor);

/* Takes the next entry and moves on; only where there is one. */
int perfdata_next(const uint8_t *octets, const struct perfdata_header *header,
                  struct perfdata_cursor *cursor, struct perfdata_entry *entry,
                  char why[MESSAGE_SIZE]);

/* The number of 64 bits at this place of the copy, which has it. */
int64_t perfdata_long(const uint8_t *octets, const struct perfdata_header *header, uint32_t at);

#endif
