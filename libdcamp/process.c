#include "libdcamp/process.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "libdcamp/clock.h"
#include "libdcamp/words.h"

enum state {
    CLOSED, /* there is no segment, and what is counted is lost */
    OPEN,
    FORKED, /* the first update makes a segment */
    MAKING, /* one thread is making a segment */
};

static struct {
    _Atomic enum state state;
    _Atomic int error;       /* why the segment has no file; 0 if it has one */
    _Atomic uint32_t makers; /* threads that may be using the file and making panels; whoever ends
                              * the segment waits for them */
    _Atomic uint32_t incarnation;
    _Atomic uint32_t used;  /* number of panels that were taken */
    _Atomic uint64_t size;  /* of the file */
    _Atomic bool exhausted; /* it could not grow: only making a sensor tries again */
    _Atomic uint64_t free;  /* shards without a thread; bit 0 is shard 1 */
    _Atomic(struct table *) table[SEGMENT_SHARDS]; /* a table stays once it exists */
    struct segment_shard label[SEGMENT_SHARDS];    /* labels of the threads, for the next file */
    struct file file;
    uint64_t start_time;
    struct segment_panel *descriptors; /* the last panel of descriptors */
    uint32_t descriptor_panels;        /* number of panels of descriptors */
    const struct sensors *sensors;
    pthread_key_t key; /* calls thread_ends() when a thread ends */
    bool has_key;
    char directory[PROCESS_DIRECTORY];
    char name[SEGMENT_NAME + 1];
} process = {.free = UINT64_MAX, .file = {.fd = -1}};

_Thread_local struct own dcamp_process_own;

/* -- Panels ------------------------------------------------------------------------------------ */

/* Between enter() and leave(), the segment does not end. */
static bool enter(void)
{
    atomic_fetch_add(&process.makers, 1);
    if (atomic_load(&process.state) == OPEN)
        return true;
    atomic_fetch_sub(&process.makers, 1);
    return false;
}

static void leave(void)
{
    atomic_fetch_sub(&process.makers, 1);
}

static struct segment_header *header(void)
{
    return (struct segment_header *)(void *)process.file.base;
}

static struct segment_panel *panel_at(uint32_t index)
{
    size_t at = SEGMENT_HEADER_SIZE + (size_t)index * SEGMENT_PANEL_SIZE;
    return (struct segment_panel *)(void *)(process.file.base + at);
}

/* Several threads may do this at the same time: then the same part of the disk is allocated twice,
 * which has no further effect. */
static int grow(void)
{
    uint64_t size = atomic_load(&process.size);
    if (atomic_load(&process.exhausted) || process.file.fd < 0)
        return ENOSPC;
    int error = dcamp_file_allocate(&process.file, size, SEGMENT_EXTENT);
    if (!error)
        atomic_compare_exchange_strong(&process.size, &size, size + SEGMENT_EXTENT);
    else if (error != EINTR)
        atomic_store(&process.exhausted, true);
    return error;
}

static uint32_t room(void)
{
    return (uint32_t)((atomic_load(&process.size) - SEGMENT_HEADER_SIZE) / SEGMENT_PANEL_SIZE);
}

/* Takes a panel that is not in use. */
static int take_panel(struct segment_panel **panel)
{
    uint32_t index = atomic_load(&process.used);
    do {
        int error = index < room() ? 0 : grow();
        if (error) {
            __atomic_fetch_add(&header()->full, 1, __ATOMIC_RELAXED);
            return error;
        }
    } while (!atomic_compare_exchange_weak(&process.used, &index, index + 1));
    __atomic_fetch_add(&header()->panels, 1, __ATOMIC_RELAXED);
    *panel = panel_at(index);
    return 0;
}

/* Another thread, or a handler that has interrupted this one, may have been faster: then the panel
 * that was taken here is never used. */
static int make_panel(unsigned shard, uint32_t number, enum segment_panel_kind kind)
{
    struct table *table = atomic_load(&process.table[shard]);
    struct segment_panel *panel, *none = NULL;
    int error = take_panel(&panel);
    if (error || !atomic_compare_exchange_strong(&table->panel[number], &none, panel))
        return error;
    words_publish(&panel->place, SEGMENT_PLACE(kind, shard, number));
    __atomic_fetch_add(&header()->shard[shard].panels, 1, __ATOMIC_RELAXED);
    return 0;
}

static struct segment_panel *find_panel(unsigned shard, uint32_t number,
                                        enum segment_panel_kind kind)
{
    struct table *table = atomic_load(&process.table[shard]);
    struct segment_panel *panel = table ? atomic_load(&table->panel[number]) : NULL;
    if (panel || !table || number >= SEGMENT_NUMBERS || !enter())
        return panel;
    make_panel(shard, number, kind);
    leave();
    return atomic_load(&table->panel[number]);
}

/* What the caller of an update must not notice: a changed errno, and the cancellation of its
 * thread, which may be cancelled while it waits for the disk (pthreads(7)). Signal handlers are
 * held off, too: a handler may fork, and in the child this function would then go on with what
 * belongs to the parent. Signals that the thread causes itself are let through. */
struct quiet {
    int error, cancel;
    sigset_t signals;
};

static struct quiet begin_quiet(void)
{
    static const int own[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    struct quiet quiet = {.error = errno};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_BLOCK, &others, &quiet.signals);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &quiet.cancel);
    return quiet;
}

static void end_quiet(const struct quiet *quiet)
{
    int cancel;
    pthread_setcancelstate(quiet->cancel, &cancel);
    pthread_sigmask(SIG_SETMASK, &quiet->signals, NULL);
    errno = quiet->error;
}

struct segment_panel *dcamp_process_panel(unsigned shard, uint32_t number,
                                          enum segment_panel_kind kind)
{
    struct table *table = atomic_load_explicit(&process.table[shard], memory_order_relaxed);
    struct segment_panel *panel =
        table ? atomic_load_explicit(&table->panel[number], memory_order_relaxed) : NULL;
    if (panel)
        return panel;
    struct quiet quiet = begin_quiet();
    dcamp_process_revive();
    panel = find_panel(shard, number, kind);
    end_quiet(&quiet);
    return panel;
}

struct place dcamp_process_place(uint32_t number, enum segment_panel_kind kind)
{
    struct quiet quiet = begin_quiet();
    struct place place = {NULL, false};
    dcamp_process_revive();
    if (dcamp_process_attach())
        place.panel = find_panel(dcamp_process_own.shard, number, kind);
    if (!place.panel)
        place = (struct place){find_panel(0, number, kind), true};
    end_quiet(&quiet);
    return place;
}

uint32_t dcamp_process_ring(void)
{
    return process.sensors->ring;
}

/* -- Tables ------------------------------------------------------------------------------------ */

static void set_sinks(struct table *table)
{
    for (uint32_t i = PROCESS_SINK; i < PROCESS_SINK + PROCESS_SINKS; i++)
        atomic_store_explicit(&table->panel[i], &table->sink, memory_order_relaxed);
}

struct table *dcamp_process_table(unsigned shard)
{
    return atomic_load(&process.table[shard]);
}

/* The memory comes from mmap(2), because a signal handler may have interrupted malloc(3). Only the
 * thread that has the shard asks for its table. */
static struct table *table_of(unsigned shard)
{
    struct table *table = atomic_load(&process.table[shard]);
    if (table)
        return table;
    void *memory = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    table = memory;
    set_sinks(table);
    atomic_store(&process.table[shard], table);
    return table;
}

/* madvise(2) fails if the memory is locked. */
static void empty_table(struct table *table)
{
    if (madvise(table, sizeof *table, MADV_DONTNEED) < 0)
        for (uint32_t i = 0; i < SEGMENT_NUMBERS; i++)
            atomic_store(&table->panel[i], NULL);
    atomic_store(&table->steps, NULL);
    set_sinks(table);
}

static void forget_panels(void)
{
    for (unsigned i = 0; i < SEGMENT_SHARDS; i++) {
        struct table *table = atomic_load(&process.table[i]);
        if (table)
            empty_table(table);
    }
    atomic_fetch_add(&process.incarnation, 1);
}

uint32_t dcamp_process_incarnation(void)
{
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&process.incarnation, memory_order_relaxed);
}

/* -- Threads ----------------------------------------------------------------------------------- */

static void write_label(unsigned shard)
{
    const struct segment_shard *label = &process.label[shard];
    struct segment_shard *into = &header()->shard[shard];
    uint32_t sequence = into->sequence;
    words_store(&into->sequence, sequence + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    words_store(&into->thread, label->thread);
    words_store(&into->epoch, label->epoch);
    words_store(&into->since, label->since);
    for (size_t i = 0; i < sizeof label->name; i++)
        words_store(&into->name[i], label->name[i]);
    words_publish(&into->sequence, sequence + 2);
}

static void label_thread(unsigned shard)
{
    struct segment_shard *label = &process.label[shard];
    label->thread = (uint32_t)gettid();
    label->epoch++;
    label->since = dcamp_clock_realtime();
    memset(label->name, 0, sizeof label->name);
    prctl(PR_GET_NAME, label->name);
    write_label(shard);
}

/* Takes the lowest free shard, so that there are never more of them than threads at a time. */
static unsigned take_shard(void)
{
    uint64_t free = atomic_load(&process.free);
    do
        if (free == 0)
            return 0;
    while (!atomic_compare_exchange_weak(&process.free, &free, free & (free - 1)));
    return 1 + (unsigned)__builtin_ctzll(free);
}

static void give_shard_back(unsigned shard)
{
    atomic_fetch_or(&process.free, UINT64_C(1) << (shard - 1));
}

static void say_crowded(struct own *own)
{
    if (!own->crowded)
        __atomic_fetch_add(&header()->crowded, 1, __ATOMIC_RELAXED);
    own->crowded = true;
}

static void get_shard(struct own *own)
{
    unsigned shard = process.has_key ? take_shard() : 0;
    struct table *table = shard ? table_of(shard) : NULL;
    if (table && pthread_setspecific(process.key, table) == 0) {
        atomic_store(&table->steps, &header()->shard[shard].steps);
        label_thread(shard);
        own->shard = shard;
        own->thread = process.label[shard].thread;
        own->table = table;
        return;
    }
    if (shard)
        give_shard_back(shard);
    say_crowded(own);
}

bool dcamp_process_attach(void)
{
    struct own *own = &dcamp_process_own;
    if (own->table)
        return true;
    if (own->attaching || own->leaving || !enter())
        return false;
    own->attaching = true;
    atomic_signal_fence(memory_order_seq_cst);
    get_shard(own);
    atomic_signal_fence(memory_order_seq_cst);
    own->attaching = false;
    leave();
    return own->table != NULL;
}

/* If the thread still counts after this, in other destructors, it counts in shard 0. */
static void thread_ends(void *table)
{
    struct own *own = &dcamp_process_own;
    (void)table;
    unsigned shard = own->shard;
    own->leaving = true;
    own->table = NULL;
    own->shard = own->thread = 0;
    struct quiet quiet = begin_quiet();
    if (enter()) {
        process.label[shard].thread = 0;
        write_label(shard);
        leave();
    }
    give_shard_back(shard);
    end_quiet(&quiet);
}

void dcamp_process_name_thread(const char *name)
{
    struct quiet quiet = begin_quiet();
    dcamp_process_revive();
    if (dcamp_process_attach() && enter()) {
        struct segment_shard *label = &process.label[dcamp_process_own.shard];
        memset(label->name, 0, sizeof label->name);
        memcpy(label->name, name, strnlen(name, sizeof label->name));
        write_label(dcamp_process_own.shard);
        leave();
    }
    end_quiet(&quiet);
}

/* -- The segment ------------------------------------------------------------------------------- */

static void write_header(void)
{
    struct segment_header *into = header();
    into->major = SEGMENT_MAJOR;
    into->minor = SEGMENT_MINOR;
    into->header_size = SEGMENT_HEADER_SIZE;
    into->panel_size = SEGMENT_PANEL_SIZE;
    into->shards = SEGMENT_SHARDS;
    into->pid = (uint32_t)getpid();
    into->clock_hz = dcamp_clock_hz();
    into->clock = into->clock_hz ? SEGMENT_CLOCK_TSC : SEGMENT_CLOCK_GETTIME;
    into->start_time = process.start_time;
    into->opened = dcamp_clock_realtime();
    into->monotonic = dcamp_clock_monotonic();
    memcpy(into->name, process.name, SEGMENT_NAME);
    memcpy(into->writer, "libdcamp " PACKAGE_VERSION, sizeof "libdcamp " PACKAGE_VERSION);
}

/* Makes the panel for a descriptor, unless there is one, made for a sensor that then failed. */
static int provide_descriptor_panel(uint32_t index)
{
    uint32_t number = index / SEGMENT_DESCRIPTORS_IN_PANEL;
    struct segment_panel *panel;
    if (number < process.descriptor_panels)
        return 0;
    int error = take_panel(&panel);
    if (error)
        return error;
    words_publish(&panel->place, SEGMENT_PLACE(SEGMENT_DESCRIPTORS, SEGMENT_NO_SHARD, number));
    process.descriptors = panel;
    process.descriptor_panels = number + 1;
    return 0;
}

static int write_sensor(const struct sensor *sensor)
{
    struct table *shared = atomic_load(&process.table[0]);
    int error = 0;
    if (!atomic_load(&shared->panel[sensor->handle->word_panel]))
        error = make_panel(0, sensor->handle->word_panel, SEGMENT_WORDS);
    if (!error)
        error = provide_descriptor_panel(sensor->handle->index);
    if (error)
        return error;
    process.descriptors->descriptor[sensor->handle->index % SEGMENT_DESCRIPTORS_IN_PANEL] =
        sensor->descriptor;
    words_store(&header()->ring, process.sensors->ring);
    words_publish(&header()->descriptors, sensor->handle->index + 1);
    return 0;
}

/* Threads keep their shards from one segment to the next. */
static void write_shards(void)
{
    uint64_t free = atomic_load(&process.free);
    for (unsigned i = 0; i < SEGMENT_SHARDS; i++) {
        struct table *table = atomic_load(&process.table[i]);
        if (!table)
            continue;
        atomic_store(&table->steps, &header()->shard[i].steps);
        if (i > 0 && free >> (i - 1) & 1)
            process.label[i].thread = 0;
        write_label(i);
    }
}

static int write_segment(void)
{
    atomic_fetch_add(&process.incarnation, 1);
    atomic_store(&process.used, 0);
    atomic_store(&process.size, process.file.fd < 0 ? SEGMENT_SIZE_MAX : SEGMENT_EXTENT);
    atomic_store(&process.exhausted, false);
    process.descriptor_panels = 0;
    write_header();
    for (const struct sensor *sensor = process.sensors->first; sensor; sensor = sensor->next) {
        int error = write_sensor(sensor);
        if (error)
            return error;
    }
    write_shards();
    words_publish(&header()->magic, SEGMENT_MAGIC);
    return 0;
}

static int make_file(const char **step)
{
    int error = WORDS_CAN_PUBLISH ? EINVAL : ENOTSUP;
    *step = "is not for processors that are not little-endian with 64 bits";
    if (WORDS_CAN_PUBLISH && *process.directory)
        error = dcamp_file_create(&process.file, process.directory, &process.start_time, step);
    if (error)
        return error;
    error = write_segment();
    if (!error)
        return 0;
    *step = "cannot be allocated";
    dcamp_file_undo(&process.file, process.directory, process.start_time);
    forget_panels();
    return error;
}

/* Makes the segment with a file, or else in private memory; if even that fails, there is none. */
static int make_segment(const char **step)
{
    *step = "is of no use without memory";
    int error = table_of(0) ? make_file(step) : ENOMEM;
    bool is_there =
        !error || (table_of(0) && dcamp_file_pretend(&process.file) == 0 && write_segment() == 0);
    atomic_store(&process.error, error);
    atomic_store(&process.state, is_there ? OPEN : CLOSED);
    return error;
}

static void make_key(void)
{
    if (!process.has_key)
        process.has_key = pthread_key_create(&process.key, thread_ends) == 0;
}

int dcamp_process_open(const char *directory, const char *name, const struct sensors *sensors,
                       const char **step)
{
    make_key();
    process.sensors = sensors;
    snprintf(process.directory, sizeof process.directory, "%s", directory);
    snprintf(process.name, sizeof process.name, "%s", name);
    return make_segment(step);
}

/* From here on nobody makes panels. Those that exist are forgotten, and what threads still write to
 * them goes to private memory. */
static void give_segment_up(void (*let_go)(struct file *))
{
    while (atomic_load(&process.makers) > 0)
        sched_yield();
    forget_panels();
    let_go(&process.file);
}

void dcamp_process_close(void)
{
    enum state open = OPEN, forked = FORKED;
    if (atomic_compare_exchange_strong(&process.state, &forked, CLOSED))
        return;
    dcamp_process_revive_alone();
    if (!atomic_compare_exchange_strong(&process.state, &open, CLOSED))
        return;
    words_publish(&header()->state, SEGMENT_CLOSED);
    give_segment_up(dcamp_file_release);
}

void dcamp_process_end(void)
{
    enum state open = OPEN;
    if (atomic_compare_exchange_strong(&process.state, &open, CLOSED)) {
        words_publish(&header()->state, SEGMENT_CLOSED);
        dcamp_file_close(&process.file);
    }
    if (process.has_key)
        pthread_key_delete(process.key);
}

/* The child has only this one thread. This applies whether anything was open or not. */
void dcamp_process_forked(void)
{
    atomic_store(&process.makers, 0);
    if (atomic_load(&process.state) != CLOSED) {
        atomic_store(&process.state, FORKED);
        give_segment_up(dcamp_file_leave);
    }
    atomic_store(&process.free, UINT64_MAX);
    memset(process.label, 0, sizeof process.label);
    dcamp_process_own = (struct own){.table = NULL};
    if (process.has_key)
        pthread_setspecific(process.key, NULL);
}

/* Makes the segment of a child, if there is none. Returns whether another thread is doing that. */
static bool is_made_elsewhere(void)
{
    enum state state = atomic_load(&process.state);
    const char *step;
    if (state == OPEN || state == CLOSED || dcamp_process_own.reviving)
        return false;
    if (state == FORKED && atomic_compare_exchange_strong(&process.state, &state, MAKING)) {
        dcamp_process_own.reviving = true;
        make_segment(&step);
        dcamp_process_own.reviving = false;
    }
    return atomic_load(&process.state) == MAKING;
}

/* A second thread waits while the first one makes the segment; but a signal handler that has
 * interrupted the first one cannot wait for it, and finds no place. */
#define PATIENCE 10000

void dcamp_process_revive(void)
{
    if (is_made_elsewhere())
        for (int i = 0; i < PATIENCE && atomic_load(&process.state) == MAKING; i++)
            sched_yield();
}

/* Making the segment goes through the list of sensors without a lock, and waits for nobody. */
void dcamp_process_revive_alone(void)
{
    if (is_made_elsewhere())
        while (atomic_load(&process.state) == MAKING)
            sched_yield();
}

int dcamp_process_publish(const struct sensor *sensor)
{
    if (!enter())
        return 0;
    atomic_store(&process.exhausted, false);
    int error = write_sensor(sensor);
    leave();
    return error;
}

int dcamp_process_error(void)
{
    return atomic_load(&process.error);
}

void dcamp_process_refuse(void)
{
    if (enter()) {
        __atomic_fetch_add(&header()->refused, 1, __ATOMIC_RELAXED);
        leave();
    }
}

void dcamp_process_clock_changed(void)
{
    if (enter()) {
        words_publish(&header()->clock_hz, dcamp_clock_hz());
        words_publish(&header()->clock, (uint32_t)SEGMENT_CLOCK_TSC);
        leave();
    }
}
