/* The performance data that a HotSpot JVM keeps in a file for others to read: a prologue and a
 * table of named entries (hotspot/share/runtime/perfMemory.hpp and perfData.hpp of OpenJDK; the
 * same from JDK 5 to 25). The octets are those of a copy of the file, and are read without trust.
 * Pure.
 *
 * While the copy was made, the JVM kept running: the number in one entry is from one moment, but
 * numbers in several entries need not be from the same one. Entries are only added, at the end;
 * none is moved or removed. */
#ifndef DCAMP_APPLICATION_PERFDATA_H
#define DCAMP_APPLICATION_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* The only version of the layout that is known. Another minor version only adds to it. */
#define PERFDATA_MAJOR 2

/* The most that is read of a file: JVMs make files of 32 KiB unless -XX:PerfDataMemorySize says
 * otherwise. */
#define PERFDATA_SIZE_MAX (1u << 20)

struct perfdata_header {
    bool is_little; /* the byte order of all numbers except for the magic */
    uint8_t major, minor;
    uint32_t used;     /* octets, including the prologue; not beyond the end of the copy */
    uint32_t overflow; /* octets of entries for which there was no room, and which are missing */
    uint64_t modified; /* when the last entry was added, in ticks of the JVM */
    uint32_t first;    /* where the first entry begins */
    uint32_t count;    /* how many entries there are */
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
    const char *name; /* in the copy, ends with a NUL */
    char type;        /* PERFDATA_LONG, PERFDATA_OCTETS, or one that no JVM has used so far */
    uint8_t unit;     /* enum perfdata_unit, or one that no JVM has used so far */
    uint32_t vector;  /* number of elements; 0: it is a scalar */
    uint32_t data; /* where its value begins in the copy, which contains all of a value of those two
                    * types */
};

/* Where the next entry is. */
struct perfdata_cursor {
    uint32_t at, number;
};

/* Both return 0; EBADMSG: it is not such a file, or is broken; EPROTONOSUPPORT: it is of another
 * major version; EAGAIN: the JVM is just making what has to be read, which can be read a moment
 * later. Unless 0 is returned, why says so in a sentence that names the place. */
int perfdata_header_read(const uint8_t *octets, size_t size, struct perfdata_header *header,
                         char why[MESSAGE_SIZE]);

struct perfdata_cursor perfdata_begin(const struct perfdata_header *header);
bool perfdata_has_next(const struct perfdata_header *header, const struct perfdata_cursor *cursor);

/* Takes the next entry, which must exist, and moves on. */
int perfdata_next(const uint8_t *octets, const struct perfdata_header *header,
                  struct perfdata_cursor *cursor, struct perfdata_entry *entry,
                  char why[MESSAGE_SIZE]);

/* The 64-bit number at this place of the copy, which must contain it. */
int64_t perfdata_long(const uint8_t *octets, const struct perfdata_header *header, uint32_t at);

#endif
