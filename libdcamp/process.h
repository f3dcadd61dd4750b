/* The segment of this process: its panels, and which of them each thread counts in.
 *
 * There is one segment in a process, and threads find their own data in a thread-local variable.
 * These two are the only global state, because callers that count have nothing to pass. */
#ifndef DCAMP_PROCESS_H
#define DCAMP_PROCESS_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libdcamp/file.h"
#include "libdcamp/segment.h"
#include "libdcamp/sensor.h"

/* The panels of sensors that are not published: nobody reads what is counted there. */
#define PROCESS_SINK SEGMENT_NUMBERS
#define PROCESS_SINKS SEGMENT_TOP_PANELS

/* The panels of one shard, by their numbers. NULL if not made yet. */
struct table {
    _Atomic(struct segment_panel *) panel[SEGMENT_NUMBERS + PROCESS_SINKS];
    _Atomic(uint64_t *) steps; /* number of step records so far; NULL if there is no segment */
    struct segment_panel sink;
};

/* The data of the calling thread. */
struct own {
    struct table *table; /* NULL if it has no shard */
    unsigned shard;      /* 0 if it has none, and counts in that of the process */
    uint32_t thread;     /* as in its shard */
    bool attaching;      /* it is getting its shard; only the handler of a fault can interrupt
                          * that */
    bool leaving;        /* it is ending and has given its shard back */
    bool crowded;        /* it has been counted that there is no shard for it */
    bool reviving;       /* it is making the segment of a child; a handler may interrupt that */
};

/* With initial-exec, one instruction finds it, and it never allocates, as other models may. */
extern _Thread_local struct own dcamp_process_own
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A panel, and whether other threads write to it as well. */
struct place {
    struct segment_panel *panel; /* NULL if there is none */
    bool shared;
};

/* The panel of that number in which the calling thread counts. If necessary, it is made, and so is
 * the shard of the thread. There may be none for buckets, entries and records, and none at all
 * while nothing is open. Safe in signal handlers if pthread_setspecific(3) is; errno is
 * preserved. */
struct place dcamp_process_place(uint32_t number, enum segment_panel_kind kind);

/* The panel of that number in the shard of the calling thread, or in shard 0. NULL if there is
 * none, and it cannot be made. As safe as dcamp_process_place(). */
struct segment_panel *dcamp_process_panel(unsigned shard, uint32_t number,
                                          enum segment_panel_kind kind);

/* The panel of that number of the thread, if it already exists. */
static inline struct segment_panel *dcamp_process_own_panel(uint32_t number)
{
    struct table *table = dcamp_process_own.table;
    return table ? atomic_load_explicit(&table->panel[number], memory_order_relaxed) : NULL;
}

/* Grows whenever all panels are given up, and whenever there is a segment again: what was
 * remembered of panels is then void. If it is read after a panel was found, it is the value for the
 * segment of that panel, or a later one. */
uint32_t dcamp_process_incarnation(void);

/* The table of shard 0, or that of the shard of the calling thread; NULL if there is none yet. */
struct table *dcamp_process_table(unsigned shard);

/* The number of the first panel of step records; there has to be a step. */
uint32_t dcamp_process_ring(void);

/* Makes the segment of a child, if there is none yet. If another thread is doing that, this waits
 * only for a limited time, because a signal handler may have interrupted that thread. */
void dcamp_process_revive(void);

/* Gives the calling thread a shard, if it has none and one is free. Returns whether it has one. */
bool dcamp_process_attach(void);

/* Names the shard of the calling thread, which gets one first if it has none. */
void dcamp_process_name_thread(const char *name);

/* Notes that timers have begun to read another clock. */
void dcamp_process_clock_changed(void);

/* -- What may be called by only one thread at a time ------------------------------------------- */

/* Makes the segment, with the sensors of the list. The path of the directory is shorter than
 * PROCESS_DIRECTORY; if it is empty, no file is tried. name is that of the application. Returns an
 * error number if nobody sees what is counted; *step then says what failed. */
#define PROCESS_DIRECTORY (PATH_MAX - 64)
int dcamp_process_open(const char *directory, const char *name, const struct sensors *sensors,
                       const char **step);

/* Ends the segment that is open. */
void dcamp_process_close(void);

/* The same at the end of the process, or when this library is unloaded: it does not wait for
 * threads that are still counting. Nothing may be opened after that. */
void dcamp_process_end(void);

/* dcamp_process_forked() is called in the child after fork(2): nothing of the parent's is written
 * to any more, and the first update makes a segment for the child. dcamp_process_revive_alone()
 * makes it at once, or waits until an update that has begun to make it is done: the list of sensors
 * may change only after that. */
void dcamp_process_forked(void);
void dcamp_process_revive_alone(void);

/* Publishes a new sensor, which is the last one of the list. Returns ENOSPC, or an error of the
 * file; then the sensor has to be removed from the list. Returns 0 while nothing is open:
 * dcamp_process_open() will publish it. */
int dcamp_process_publish(const struct sensor *sensor);

/* Why nobody sees what is counted, as returned by dcamp_process_open() or found when a child made
 * its segment; 0 if somebody may. */
int dcamp_process_error(void);

/* Counts a sensor that could not be published, in the header of the segment. */
void dcamp_process_refuse(void);

#endif
