/* The segment of this process: its panels, and which of them each thread counts in.
 *
 * There is one in a process, and threads find what is theirs in a thread-local variable: these two
 * are the only state that is no parameter, since those who count have nothing to pass. */
#ifndef DCAMP_PROCESS_H
#define DCAMP_PROCESS_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libdcamp/file.h"
#include "libdcamp/segment.h"
#include "libdcamp/sensor.h"

/* Panels that sensors have which are not published: whatever is counted there, nobody reads. */
#define PROCESS_SINK SEGMENT_NUMBERS
#define PROCESS_SINKS SEGMENT_TOP_PANELS

/* Where the panels of one shard are, by their numbers. NULL: not made yet. */
struct table {
    _Atomic(struct segment_panel *) panel[SEGMENT_NUMBERS + PROCESS_SINKS];
    _Atomic(uint64_t *) steps; /* how many step records there were; NULL: no segment */
    struct segment_panel sink;
};

/* What the calling thread has. */
struct own {
    struct table *table; /* NULL: it has no shard */
    unsigned shard;      /* 0: it has none, and counts in that of the process */
    uint32_t thread;     /* as in its shard */
    bool attaching;      /* a handler of a fault may have interrupted that; others wait */
    bool leaving;        /* it has given its shard back for good */
    bool crowded;        /* it was told once that there is no shard for it */
    bool reviving; /* it makes the segment of a child, and a handler may have interrupted that */
};

/* initial-exec: one instruction finds it, and never asks for memory, as the other models may. */
extern _Thread_local struct own dcamp_process_own
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A panel, and whether other threads write there as well. */
struct place {
    struct segment_panel *panel; /* NULL: there is none */
    bool shared;
};

/* The panel of that number in which the calling thread counts. It is made, if need be; so is the
 * shard of the thread. It may be none for buckets, entries and records, and for all while nothing
 * is open. Safe in handlers of signals, where pthread_setspecific(3) is; errno stays. */
struct place dcamp_process_place(uint32_t number, enum segment_panel_kind kind);

/* The panel of that number of the shard that the calling thread has, or of shard 0. NULL: there is
 * none, and it cannot be made. The same holds. */
struct segment_panel *dcamp_process_panel(unsigned shard, uint32_t number,
                                          enum segment_panel_kind kind);

/* That of the thread, if it was there before. */
static inline struct segment_panel *dcamp_process_own_panel(uint32_t number)
{
    struct table *table = dcamp_process_own.table;
    return table ? atomic_load_explicit(&table->panel[number], memory_order_relaxed) : NULL;
}

/* Grows whenever all panels are given up, and whenever there is a segment again: then what was
 * remembered of panels is void. Who has found a panel and asks then gets that of
 * its segment, or a later one. */
uint32_t dcamp_process_incarnation(void);

/* The table of shard 0, or of that of the calling thread; NULL while there is none. */
struct table *dcamp_process_table(unsigned shard);

/* The number of the first panel of step records; there has been a step. */
uint32_t dcamp_process_ring(void);

/* Makes the segment of a child, if there is none yet. Where another thread does, this waits for it
 * for a while only: a handler of a signal may have interrupted that. */
void dcamp_process_revive(void);

/* Gives the calling thread its shard, if it has none and there is one for it. */
bool dcamp_process_attach(void);

/* Names the shard of the calling thread, which it gets first, if it has none. */
void dcamp_process_name_thread(const char *name);

/* Timers have begun to read another clock. */
void dcamp_process_clock_changed(void);

/* -- What only one thread at a time may call, and never two of them side by side --------------- */

/* Makes the segment, with the sensors of the list. The path of the directory is shorter than
 * PROCESS_DIRECTORY; where it is empty, no file is tried. name is that of the application. An error
 * number if nobody sees what is counted; *step says then what could not be done there. */
#define PROCESS_DIRECTORY (PATH_MAX - 64)
int dcamp_process_open(const char *directory, const char *name, const struct sensors *sensors,
                       const char **step);

/* Ends the segment that is open. */
void dcamp_process_close(void);

/* The same for the end of the process, or of this library in it: what still counts is not waited
 * for. Nothing may be opened after that. */
void dcamp_process_end(void);

/* In the child after fork(2): nothing of the parent's is written to any more, and the first update
 * makes a segment of the child's own. dcamp_process_revive_alone() does it at once, or waits until
 * the update that has begun with it is done: the list of sensors may change only after that. */
void dcamp_process_forked(void);
void dcamp_process_revive_alone(void);

/* Publishes a sensor that is new, which the list has as its last one. ENOSPC, and whatever the file
 * says; then it must go from the list. 0 while nothing is open: dcamp_process_open() will publish
 * it. */
int dcamp_process_publish(const struct sensor *sensor);

/* Why nobody sees what is counted, as dcamp_process_open() said it, or the last revival; 0:
 * somebody may. */
int dcamp_process_error(void);

/* Counts a sensor that could not be published. */
void dcamp_process_refuse(void);

#endif
