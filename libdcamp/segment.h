/* A segment: the file in which one process publishes its own sensors, octet by octet.
 *
 * This header is for writers of a segment (libdcamp, and libraries in other languages) and for
 * readers of one (dcampd). It needs nothing but <stdint.h>. All numbers are little-endian; u16,
 * u32, u64 are unsigned, i32 is two's complement, f64 is binary64 of IEEE 754. Each number is at a
 * multiple of its own size in the file. A text is padded with zero octets to its full length; if it
 * fills that length, no zero octet ends it. "Reserved" octets are written as 0 and ignored when
 * they are read.
 *
 * The file
 * --------
 *
 * It is in the directory that the environment variable DCAMP_APPS names, by default
 * /run/dcamp/apps. Its name is PID.STARTTIME in decimal: the process ID as the process itself sees
 * it, and field 22 of its /proc/self/stat. A process that calls execve(2) keeps both. If there
 * already is a file of that name whose lock nobody holds, the new image renames it to
 * PID.STARTTIME.N, with the lowest free N from 1 to 9, and makes its own. A forked child makes its
 * own as well.
 *
 * The writer creates it by O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, gives it mode 0640 whatever its
 * umask is, takes a write lock on the whole file (F_OFD_SETLK, or a POSIX lock if a language has no
 * other) and holds the lock as long as it publishes there: if F_OFD_GETLK finds no lock, nothing
 * more will come. A lock of F_OFD_SETLK lasts until somebody releases it, or until the last
 * descriptor and the last mapping of the file are gone, including those of forked children. So a
 * forked child gives up both at once.
 *
 * The writer never removes the file. The reader removes it when there is no lock and it has read
 * the file once more. A file without the magic number belongs to a writer that is still creating
 * it, or that died meanwhile. Between creating and locking it there are a few system calls, so only
 * an old file (ten seconds, say) may be removed. The owner of the sensors is the owner of the file;
 * the PID in the header is only a label.
 *
 * The file consists of a header of SEGMENT_HEADER_SIZE octets, followed by panels of
 * SEGMENT_PANEL_SIZE octets. It grows by whole extents of SEGMENT_EXTENT octets, which are
 * allocated on the disk before anything uses them, so that a full file system cannot kill the
 * writer (SIGBUS). Two threads may allocate the same extent. So the allocation must not write
 * there, as posix_fallocate(3) does if a file system has no fallocate(2), unless a lock keeps
 * others from using the extent meanwhile. The file never shrinks, and is never larger than
 * SEGMENT_SIZE_MAX.
 *
 *     header | shards | panel 0 | panel 1 | ... | panels not in use yet: all octets are 0
 *
 * Why panels
 * ----------
 *
 * Each thread counts in words of its own, which are called its shard, so that no update waits for
 * another one. A histogram has 3,110 buckets for each sign, of which a thread uses a few dozen
 * neighbouring ones; room for all of them in every thread would be 12 KB for each timer, or 5 MB
 * for a program with 50 timers in 8 threads. So the words of a shard have logical places, which are
 * the same in every shard, and are divided into panels of 512 octets; a panel gets its place in the
 * file when the thread first uses one of its words. Then 50 sensors in 8 threads take some 300 KB.
 * The head of a panel says which part of which shard it is: the reader goes once through the file
 * and trusts no offset and no size that the writer gives.
 *
 * Shard 0 is that of the process. Gauges are only there. Threads beyond SEGMENT_OWN_SHARDS, threads
 * that could get no panel, and signal handlers that interrupt the making of a panel count there as
 * well, by atomic additions. Every sensor has its words in shard 0 from the beginning. A word of a
 * counter, timer, histogram, top or step is the sum of that word over all shards, modulo 2^64 for
 * integers. When a thread has ended, its shard goes to another thread with all its values, so that
 * the sums only grow; what one thread has done is the difference since its epoch began.
 *
 * How to read
 * -----------
 *
 * 1. Check that it is a regular file with one link whose size is at most SEGMENT_SIZE_MAX.
 * 2. pread(2) the header alone, and check magic, major version and the sizes in it. An unknown
 *    minor version is allowed: it adds other kinds of panels and of sensors, and meanings of
 *    reserved octets, all of which may be skipped.
 * 3. Only then pread(2) the rest into memory of your own. It contains what the header has
 *    announced. Never map the file: the writer may truncate it at any time.
 * 4. For each panel, from the first to the last complete one: skip it if its place is 0 or its kind
 *    is not known. Its shard must be below SEGMENT_SHARDS (or SEGMENT_NO_SHARD for descriptors),
 *    its number below SEGMENT_NUMBERS, and no other panel may have the same shard and number;
 *    otherwise the file is damaged.
 * 5. For each descriptor below header.descriptors: check its kind, that its words are within one
 *    panel and its panels below SEGMENT_NUMBERS, and that it has as many of both as its kind
 *    requires.
 *
 * A panel that a descriptor needs and a shard does not have counts as zeros. All numbers are read
 * while they are being written: each is consistent in itself, but a count and the sum beside it may
 * be an update apart. If a counter has fallen, or has jumped by 2^32 or more, it should be read
 * again.
 *
 * How to write
 * ------------
 *
 * Write in this order, where each "then" is a store with release order (on x86, any store). The
 * file: room on the disk; the header except magic, and the words of shard 0; then magic. A
 * panel: the head except place; then place. A descriptor: its words in shard 0, and all of its
 * octets; then header.descriptors. The process may end at any point of this, and the file can
 * still be read. */
#ifndef DCAMP_SEGMENT_H
#define DCAMP_SEGMENT_H

#include <stdint.h>

/* "dCAMPseg" as the first eight octets of the file. It is stored last. */
#define SEGMENT_MAGIC UINT64_C(0x676573504d414364)
#define SEGMENT_MAJOR 1
#define SEGMENT_MINOR 0

#define SEGMENT_DIRECTORY "/run/dcamp/apps"
#define SEGMENT_DIRECTORY_VARIABLE "DCAMP_APPS"
#define SEGMENT_MODE 0640

#define SEGMENT_SIZE_MAX (16u << 20)
#define SEGMENT_EXTENT (64u << 10)
#define SEGMENT_OWN_SHARDS 64
#define SEGMENT_SHARDS (1 + SEGMENT_OWN_SHARDS)
#define SEGMENT_DESCRIPTORS_MAX 1024
#define SEGMENT_NUMBERS 16384 /* logical panels of a shard */

#define SEGMENT_NAME 32     /* of [A-Za-z0-9._-], at least one */
#define SEGMENT_INSTANCE 64 /* printable UTF-8 without control characters; may be empty */
#define SEGMENT_UNIT 16     /* the same */
#define SEGMENT_PURPOSE 32  /* the same */
#define SEGMENT_KEY 64      /* any octets except 0, not checked by anybody; a longer key is cut */

/* -- Shards: at octet 512 of the header, SEGMENT_SHARDS times 64 octets ------------------------ */

struct segment_shard {
    /*  0 */ uint32_t thread;   /* the kernel's thread ID as the process sees it; 0: none */
    /*  4 */ uint32_t epoch;    /* how many threads have had this shard, including this one */
    /*  8 */ uint32_t sequence; /* odd while thread, epoch, since and name are being written: they
                                 * are consistent if the same even number is read before and
                                 * after */
    /* 12 */ uint32_t panels;   /* number of its panels, which only grows */
    /* 16 */ uint64_t since;    /* when the thread got it: nanoseconds since 1970 */
    /* 24 */ uint64_t steps;    /* number of step records that it has begun to write */
    /* 32 */ char name[32];     /* of the thread: any octets except 0, not checked by anybody */
};

/* -- Header ------------------------------------------------------------------------------------ */

/* The clock that timers read. In either case, values are nanoseconds of CLOCK_MONOTONIC. */
enum segment_clock {
    SEGMENT_CLOCK_GETTIME = 1, /* clock_gettime(CLOCK_MONOTONIC) */
    SEGMENT_CLOCK_TSC = 2,     /* the time stamp counter, at clock_hz. A segment begins with
                                * SEGMENT_CLOCK_GETTIME and changes once, when calibrated. */
};

enum segment_state {
    SEGMENT_OPEN = 0,
    SEGMENT_CLOSED = 1, /* dcamp_app_close() was called: the process may live on, but it publishes
                         * nothing more in this file */
};

struct segment_header {
    /*   0 */ uint64_t magic;
    /*   8 */ uint16_t major, minor;
    /*  12 */ uint32_t header_size; /* SEGMENT_HEADER_SIZE */
    /*  16 */ uint32_t panel_size;  /* SEGMENT_PANEL_SIZE */
    /*  20 */ uint32_t shards;      /* SEGMENT_SHARDS */
    /*  24 */ uint32_t pid;         /* as the process sees it */
    /*  28 */ uint32_t clock;       /* enum segment_clock */
    /*  32 */ uint64_t clock_hz;    /* of SEGMENT_CLOCK_TSC, otherwise 0 */
    /*  40 */ uint64_t start_time;  /* field 22 of /proc/self/stat: clock ticks since the boot */
    /*  48 */ uint64_t opened;      /* when the segment was made: nanoseconds since 1970 */
    /*  56 */ uint64_t monotonic;   /* the same moment by CLOCK_MONOTONIC, in nanoseconds */
    /*  64 */ uint32_t descriptors; /* number of them, only grows; stored with release order */
    /*  68 */ uint32_t panels;      /* how many have been taken */
    /*  72 */ uint32_t state;       /* enum segment_state */
    /*  76 */ uint32_t ring;        /* the number of the first panel of step records; 0: no steps */
    /*  80 */ uint32_t refused;     /* sensors that could not be published */
    /*  84 */ uint32_t crowded;     /* how often a thread got no shard of its own */
    /*  88 */ uint32_t full;        /* how often a panel was needed and none was available */
    /*  92 */ uint32_t reserved_92;
    /*  96 */ char name[SEGMENT_NAME]; /* of the application */
    /* 128 */ char writer[32];         /* "libdcamp 0.1.0", only for people */
    /* 160 */ unsigned char reserved_160[352];
    /* 512 */ struct segment_shard shard[SEGMENT_SHARDS];
};

/* -- Panels: from octet SEGMENT_HEADER_SIZE on ------------------------------------------------- */

enum segment_panel_kind {
    SEGMENT_UNUSED = 0,
    SEGMENT_DESCRIPTORS = 1, /* 3 descriptors; shard SEGMENT_NO_SHARD, with separate numbers: number
                              * n has the descriptors from 3n on */
    SEGMENT_WORDS = 2,       /* 64 words of 8 octets: number n has the words from 64n on */
    SEGMENT_BUCKETS = 3,     /* 128 counts of a histogram, u32 */
    SEGMENT_ENTRIES = 4,     /* 6 entries of a top */
    SEGMENT_RECORDS = 5,     /* 8 records of steps */
};

#define SEGMENT_NO_SHARD 0xffff

#define SEGMENT_PANEL_HEAD 64
#define SEGMENT_PANEL_DATA 512
#define SEGMENT_DESCRIPTORS_IN_PANEL 3
#define SEGMENT_WORDS_IN_PANEL 64
#define SEGMENT_BUCKETS_IN_PANEL 128
#define SEGMENT_ENTRIES_IN_PANEL 6
#define SEGMENT_RECORDS_IN_PANEL 8

/* Kind, shard and number are one u64, so that they become visible together; 0: not in use. */
#define SEGMENT_PLACE(kind, shard, number)                                                         \
    ((uint64_t)(kind) | (uint64_t)(shard) << 16 | (uint64_t)(number) << 32)
#define SEGMENT_PLACE_KIND(place) ((unsigned)((place)&0xffff))
#define SEGMENT_PLACE_SHARD(place) ((unsigned)((place) >> 16 & 0xffff))
#define SEGMENT_PLACE_NUMBER(place) ((uint32_t)((place) >> 32))

/* -- Sensors ----------------------------------------------------------------------------------- */

enum segment_kind {
    SEGMENT_COUNTER = 1,   /* 1 word */
    SEGMENT_GAUGE = 2,     /* 1 word, in shard 0 only */
    SEGMENT_TIMER = 3,     /* 2 words, 25 panels */
    SEGMENT_HISTOGRAM = 4, /* 3 words, 50 panels */
    SEGMENT_TOP = 5,       /* 2 words, 167 panels */
    SEGMENT_STEP = 6,      /* 4 words, 25 panels */
};

/* All of one name have the same kind and unit; no two have the same name and instance. */
struct segment_descriptor {
    /*   0 */ char name[SEGMENT_NAME];
    /*  32 */ char instance[SEGMENT_INSTANCE];
    /*  96 */ char unit[SEGMENT_UNIT];       /* of the words; "s" for timers and steps */
    /* 112 */ char purpose[SEGMENT_PURPOSE]; /* of a step: what several steps have in common */
    /* 144 */ uint32_t kind;                 /* enum segment_kind */
    /* 148 */ uint32_t generation;  /* 1. If its place is ever given to another sensor, it is
                                     * incremented: then forget what was known of it. */
    /* 152 */ uint32_t first_word;  /* its words are adjacent, within one panel */
    /* 156 */ uint32_t words;       /* number of words, according to the kind */
    /* 160 */ uint32_t first_panel; /* the number of its first panel; they are consecutive */
    /* 164 */ uint32_t panels;      /* number of panels, by the kind; if 0, so is first_panel */
};

/* The words of each kind, counted from first_word; u64 unless stated otherwise. */
#define SEGMENT_COUNTER_VALUE 0
#define SEGMENT_COUNTER_WORDS 1

#define SEGMENT_GAUGE_VALUE 0 /* f64 */
#define SEGMENT_GAUGE_WORDS 1

#define SEGMENT_TIMER_COUNT 0
#define SEGMENT_TIMER_NANOSECONDS 1
#define SEGMENT_TIMER_WORDS 2

#define SEGMENT_HISTOGRAM_COUNT 0 /* of all values */
#define SEGMENT_HISTOGRAM_SUM 1   /* f64 */
#define SEGMENT_HISTOGRAM_ZERO 2  /* of the values closer to 0 than SEGMENT_LEAST */
#define SEGMENT_HISTOGRAM_WORDS 3

#define SEGMENT_TOP_TOTAL 0  /* of all that was added */
#define SEGMENT_TOP_MISSED 1 /* the part of it that no entry contains */
#define SEGMENT_TOP_WORDS 2

#define SEGMENT_STEP_BEGUN 0       /* executions that have begun */
#define SEGMENT_STEP_COUNT 1       /* that have ended */
#define SEGMENT_STEP_NANOSECONDS 2 /* the total time of those that have ended */
#define SEGMENT_STEP_FAILED 3      /* those that have ended with a result other than 0 */
#define SEGMENT_STEP_WORDS 4

/* -- Histograms -------------------------------------------------------------------------------- *
 *
 * The buckets are those of dCAMP (subagent/calculate/histogram.h, HISTOGRAM_VERSION 1): with gamma
 * = 101/99, bucket i counts the values in (gamma^(i-1), gamma^i], and i runs from -1036 (1e-9) to
 * 2073 (1e18 and all that is larger). Bucket i of positive values is count i + 1036 of the panels,
 * in order: count c is u32 number c % 128 of panel first_panel + c / 128. The buckets of negative
 * values, which only SEGMENT_HISTOGRAM has, follow in the same way from panel first_panel + 25 on,
 * by magnitude. Timers and steps count seconds: 1 nanosecond is in bucket -1036, and so is 0.
 *
 * Counts are u32 that wrap: the reader takes differences, and has to read before 2^32 more
 * values have come. A value that got no bucket (header.full) is in the count and in the sum
 * nevertheless. */
#define SEGMENT_LEAST 1e-9
#define SEGMENT_BUCKET_FIRST (-1036)
#define SEGMENT_BUCKET_LAST 2073
#define SEGMENT_BUCKETS_OF_SIGN (SEGMENT_BUCKET_LAST - SEGMENT_BUCKET_FIRST + 1)
#define SEGMENT_PANELS_OF_SIGN 25

/* -- Tops -------------------------------------------------------------------------------------- *
 *
 * Each shard has the counters of Space-Saving (A. Metwally, D. Agrawal, A. El Abbadi: Efficient
 * Computation of Frequent and Top-k Elements in Data Streams. ICDT 2005) for what its threads have
 * added: entry e is number e % 6 of panel first_panel + e / 6. `count` is at least what was added
 * for the key, and exceeds it by at most `error`. With N the word SEGMENT_TOP_TOTAL of the shard,
 * error is at most N / 1000, and every key for which more than N / 1000 was added has an entry. (If
 * the file is full before there are 1,000 entries, there are fewer, and the bound is N divided by
 * their number.) To merge shards, add the counts and errors of equal keys. If a full shard does not
 * have a key, the key may have had as much there as the smallest count of its entries: for an upper
 * bound, add that count to both.
 *
 * SEGMENT_TOP_MISSED is what no entry contains, because a signal handler, or a thread without a
 * shard of its own, found the entries in use and did not wait for them. Any key may have had all of
 * it: for an upper bound, add it to counts, to errors, and to what a key without an entry may have.
 *
 * A program that adds all the time would never leave all entries alone for as long as reading
 * them takes. So each entry has a seqlock of its own: sequence[e % 6] in the head of its panel
 * is odd while its key is being replaced, and 0 while it has none. Read the panels three times:
 * an entry that had the same even sequence in the first and in the third reading is consistent
 * in the second. Even so, a key may occur twice, if it was replaced and came back elsewhere
 * meanwhile: then the larger count is right. */
#define SEGMENT_TOP_ENTRIES 1000
#define SEGMENT_TOP_PANELS 167

struct segment_entry {
    /*  0 */ uint64_t count;
    /*  8 */ uint64_t error;
    /* 16 */ char key[SEGMENT_KEY];
};

/* -- Steps ------------------------------------------------------------------------------------- *
 *
 * Each shard has a ring of SEGMENT_RING records of executions, of all steps, that have ended in
 * its threads. With i = n - 1, the record with number n, from 1 on, is record i % 8 of panel
 * header.ring + i / 8 % 64. `number` is 0 while the record is being written, and is stored last:
 * a record is consistent if it had the same number before and after its other members were read
 * (three readings, as for tops). shard.steps is the highest number so far. A reader that has
 * read up to number n and finds shard.steps at n + SEGMENT_RING + k has lost the k oldest
 * records after n. */
#define SEGMENT_RING 512
#define SEGMENT_RING_PANELS 64

struct segment_record {
    /*  0 */ uint64_t number;
    /*  8 */ uint32_t descriptor; /* the index of the step's descriptor */
    /* 12 */ int32_t result;      /* 0: success */
    /* 16 */ uint64_t sequence;   /* the program's own, of what passes through several steps */
    /* 24 */ uint64_t start;      /* nanoseconds since 1970 */
    /* 32 */ uint64_t duration;   /* nanoseconds */
    /* 40 */ uint32_t thread;     /* as in the shard in which it ended; 0 in shard 0 */
    /* 44 */ uint32_t flags;      /* which of the following are known: 1 for cpu, 2 for allocated */
    /* 48 */ uint64_t cpu;        /* CPU time of the thread meanwhile, in nanoseconds */
    /* 56 */ uint64_t allocated;  /* octets of memory that the thread allocated meanwhile */
};
#define SEGMENT_RECORD_HAS_CPU 1u
#define SEGMENT_RECORD_HAS_ALLOCATED 2u

struct segment_panel {
    /*  0 */ uint64_t place;       /* SEGMENT_PLACE */
    /*  8 */ uint32_t sequence[6]; /* only for SEGMENT_ENTRIES */
    /* 32 */ unsigned char reserved_32[32];
    /* 64 */ union {
        struct segment_descriptor descriptor[SEGMENT_DESCRIPTORS_IN_PANEL];
        uint64_t word[SEGMENT_WORDS_IN_PANEL];
        uint32_t bucket[SEGMENT_BUCKETS_IN_PANEL];
        struct segment_entry entry[SEGMENT_ENTRIES_IN_PANEL];
        struct segment_record record[SEGMENT_RECORDS_IN_PANEL];
    };
};

#define SEGMENT_HEADER_SIZE 4672
#define SEGMENT_PANEL_SIZE 576

#ifndef __cplusplus
_Static_assert(sizeof(struct segment_shard) == 64, "a shard");
_Static_assert(sizeof(struct segment_header) == SEGMENT_HEADER_SIZE, "the header");
_Static_assert(sizeof(struct segment_descriptor) == 168, "a descriptor");
_Static_assert(sizeof(struct segment_entry) == 80, "an entry");
_Static_assert(sizeof(struct segment_record) == 64, "a record");
_Static_assert(sizeof(struct segment_panel) == SEGMENT_PANEL_SIZE, "a panel");
#endif

#endif
