#include "config/state_format.h"
#include "config/state_read.h"
#include "daemon/dcampd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/log.h"
#include "base/text.h"
#include "children/behind.h"
#include "daemon/adoption.h"
#include "daemon/exposing.h"
#include "daemon/file.h"
#include "daemon/lock.h"
#include "daemon/loop.h"
#include "daemon/publishing.h"
#include "series/tell_keys.h"

/* When to go on if there are more alarms for the parent than it is told of at a time. */
#define FEED_PACE_NS NS_PER_S
/* Some 35 files are open with the shipped configuration; what else is sampled stays below half of
 * the allowed number. */
#define FILES_MIN 64
/* How many numbers may be given to events before the next save: enough for two changes of every
 * watch. */
#define AHEAD_LEAST 100
#define AHEAD_PER_WATCH 2
/* By then children have told what they have, or are down. */
#define CHILDREN_KNOWN_NS (120 * NS_PER_S)

void dcampd_lock(struct dcampd *daemon)
{
    lock_take(&daemon->lock);
}

void dcampd_unlock(struct dcampd *daemon)
{
    lock_release(&daemon->lock);
}

/* -- The cycle ------------------------------------------------------------------------------ */

/* Returns how many sources could not be read. */
static unsigned read_sources(struct dcampd *daemon, unsigned sources, struct moment now)
{
    unsigned errors = 0;
    for (int source = 0; source < SOURCE_COUNT; source++)
        if (sources & 1u << source && sampler_read(daemon->sampler, source, now.mono_ns) != 0)
            errors++;
    return errors;
}

/* NULL: the sensor is derived. */
static const struct sample_set *set_of(const struct dcampd *daemon, const struct sensor *sensor)
{
    return sensor->metric ? sampler_set(daemon->sampler, sensor->metric->source) : NULL;
}

/* Samples all series of one sensor that is due. Returns how many of its passes were late or
 * missed. */
static uint64_t sample_sensor(struct dcampd *daemon, struct sensor *sensor, struct moment now)
{
    sensor_pass(&daemon->measure, sensor, set_of(daemon, sensor), now);
    uint64_t late = sensor_schedule(sensor, now.mono_ns);
    sensor_ask_inputs(&daemon->measure, sensor, sensor->due_ns);
    return late;
}

/* The lock is released after so many series, so that the agent never waits for more than these and
 * one sensor. Sensors share a pass: it was as late as the latest of them. */
#define LOCKED_SERIES 32
static uint64_t sample_due(struct dcampd *daemon, unsigned sources, struct moment now)
{
    uint64_t late = 0;
    uint32_t room = 0; /* 0: the lock is not held */
    /* This is safe without the lock, because only this thread changes the list of the sensors. */
    for (struct sensor *sensor = daemon->measure.all; sensor; sensor = measure_next(sensor)) {
        bool is_due = sensor->due_ns <= now.mono_ns;
        if (!is_due && !sensor_listens(sensor, sources))
            continue;
        if (room == 0) {
            dcampd_lock(daemon);
            room = LOCKED_SERIES;
        }
        uint64_t n = is_due ? sample_sensor(daemon, sensor, now) : 0;
        if (!is_due)
            sensor_listen(&daemon->measure, sensor, set_of(daemon, sensor), now);
        late = n > late ? n : late;
        room -= sensor->n_series < room ? sensor->n_series : room;
        if (room == 0)
            dcampd_unlock(daemon);
    }
    if (room > 0)
        dcampd_unlock(daemon);
    return late;
}

/* Those that have series that rules may be on. */
#define PRODUCERS 3
static void list_producers(const struct dcampd *daemon, struct series_producer list[PRODUCERS])
{
    list[0] = measure_producer(&daemon->measure);
    list[1] = aggregates_producer(&daemon->aggregates);
    list[2] = children_producer(&daemon->children);
}

/* False: there was no memory for all of it. */
static bool apply_rows(struct dcampd *daemon, struct moment now)
{
    struct series_producer producers[PRODUCERS];
    bool whole = measure_sync(&daemon->measure, daemon->config, now);
    list_producers(daemon, producers);
    watches_sync(&daemon->watches, producers, PRODUCERS, daemon->config, now);
    whole &= children_sync(&daemon->children, daemon->config, now);
    whole &= relays_sync(&daemon->relays, daemon->config, now);
    whole &= aggregates_sync(&daemon->aggregates, daemon->config, now);
    whole &= exposing_sync(daemon->endpoints, daemon->config, &daemon->measure);
    whole &= publishing_sync(&daemon->outlet, daemon->config);
    if (measure_select(&daemon->measure, daemon->sampler) == 0)
        return whole;
    log_error("core", "no memory to tell the samplers what to read");
    return false;
}

/* Applies what a SET or a reload has changed to what is measured and watched. */
static void apply_config(struct dcampd *daemon, struct moment now)
{
    bool is_new = daemon->serial != daemon->config->serial;
    if (!is_new && now.mono_ns < daemon->again_ns)
        return;
    if (is_new) {
        daemon->serial = daemon->config->serial;
        daemon->applied_ns = now.mono_ns;
        alarms_rejudge(&daemon->alarms);
    }
    bool whole = apply_rows(daemon, now);
    handout_sync(&daemon->handout);
    outlet_regroup(&daemon->outlet, daemon->config->node.group);
    if (!whole && is_new)
        log_error("core", "no memory for all that is configured, what is missing is tried again");
    daemon->again_ns = whole ? UINT64_MAX : now.mono_ns + NS_PER_S;
}

/* A series may begin at any time, and there may be no memory for the watches on it. */
static void watch_again(struct dcampd *daemon, struct moment now)
{
    if (daemon->watches.starved && daemon->again_ns == UINT64_MAX)
        daemon->again_ns = now.mono_ns + NS_PER_S;
}

static bool all_sampled(const struct measure *measure)
{
    const struct sensor *sensor = measure->all;
    while (sensor && sensor->sampled)
        sensor = sensor->next;
    return !sensor;
}

static bool all_readable(const struct measure *measure)
{
    const struct sensor *sensor = measure->all;
    while (sensor && !(sensor->metric && sensor->error))
        sensor = sensor->next;
    return !sensor;
}

static bool children_known(const struct dcampd *daemon, struct moment now)
{
    return daemon->config->rows[ROW_AGGREGATE].count == 0 ||
           now.mono_ns - daemon->began_ns >= CHILDREN_KNOWN_NS;
}

/* What is kept for a source that cannot be read, or for a child that has not answered yet, is
 * looked at again until it can be read, or has answered: later only once a second, because a child
 * may stay away for long. */
static void settle(struct dcampd *daemon, struct moment now)
{
    if (daemon->began_ns == 0)
        daemon->began_ns = now.mono_ns;
    if (daemon->settled || now.mono_ns < daemon->settle_ns || !all_sampled(&daemon->measure))
        return;
    struct series_producer producers[PRODUCERS];
    daemon->aggregates.children_known = children_known(daemon, now);
    bool read = all_readable(&daemon->measure) && daemon->aggregates.children_known;
    list_producers(daemon, producers);
    bool waits = watches_end_orphans(&daemon->watches, producers, PRODUCERS, now);
    daemon->settled = read && !waits;
    daemon->settle_ns = read ? now.mono_ns + NS_PER_S : 0;
}

/* -- What goes to disk ---------------------------------------------------------------------- */

/* What was ordered is saved once it is in force, or refused. */
static struct saving_needs saving_needs(const struct dcampd *daemon)
{
    const struct alarms *alarms = &daemon->alarms;
    return (struct saving_needs){.serial = daemon->config->serial,
                                 .changes = daemon->watches.changes + alarms->changes +
                                            daemon->children.changes + daemon->documents.ended,
                                 .mark = {.alarms = alarms->changes,
                                          .commits = documents_wait(&daemon->documents)
                                                         ? daemon->saving.begun.mark.commits
                                                         : daemon->commits},
                                 .wanted = alarms->wanted,
                                 .given = alarms->sequence};
}

bool dcampd_dirty(const struct dcampd *daemon)
{
    struct saver_status status = saver_status(daemon->saver);
    struct saving_needs needs = saving_needs(daemon);
    return documents_wait(&daemon->documents) || saving_is_dirty(&daemon->saving, &status, &needs);
}

/* Saves what is due, and releases what has been saved. Returns when to look again. */
static uint64_t save_when_due(struct dcampd *daemon, uint64_t now_ns)
{
    struct saver_status status = saver_status(daemon->saver);
    struct saving_needs needs = saving_needs(daemon);
    uint64_t give_up_ns;
    bool open = saving_gives_up(&daemon->saving, &status, &needs, now_ns, &give_up_ns);
    alarms_gate(&daemon->alarms, status.saved.alarms, open);
    audit_flush(&daemon->audit, daemon->saver, daemon->config);
    uint64_t due_ns = saving_due(&daemon->saving, &status, &needs, now_ns);
    if (due_ns <= now_ns) {
        dcampd_save(daemon, now_ns);
        due_ns = UINT64_MAX;
    }
    return due_ns < give_up_ns ? due_ns : give_up_ns;
}

/* Whether the agent has something to do: a notification, a block, the answer to a SET. */
static bool agent_is_wanted(struct dcampd *daemon)
{
    uint64_t tried = saver_status(daemon->saver).tried.commits;
    bool answer = tried != daemon->tried;
    daemon->tried = tried;
    return answer || alarms_peek(&daemon->alarms) || push_next(&daemon->push) != 0 ||
           daemon->announcing.is_due;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void look_at_self(struct dcampd *daemon, struct moment now)
{
    unsigned long kb = footprint_look(&daemon->footprint, now.mono_ns);
    if (kb == 0)
        return;
    dcampd_lock(daemon);
    daemon->self.memory_kb = kb;
    dcampd_unlock(daemon);
}

/* The lock is taken once for each aggregate, so that the agent never waits for more than one. */
static void aggregate_due(struct dcampd *daemon, struct moment now)
{
    bool more = true;
    while (more) {
        dcampd_lock(daemon);
        daemon->aggregates.values.top_size = daemon->listed.top_size;
        more = aggregates_step(&daemon->aggregates, &daemon->children, now);
        dcampd_unlock(daemon);
    }
}

static void look_at_role(struct dcampd *daemon, struct moment now)
{
    const struct role_basis basis = {.assignment = &daemon->documents.assignment,
                                     .level = daemon->config->node.level,
                                     .children = daemon->children.index.count,
                                     .sensors = daemon->measure.sensors.count};
    role_step(&daemon->role, &basis, &daemon->alarms, daemon->config->node.name, now);
}

static void announce_self(struct dcampd *daemon, struct moment now)
{
    const struct announce_settings *announce = &daemon->config->announce;
    bool is_on = announce->port != COUNT_NOT_GIVEN;
    announcing_set(&daemon->announcing, is_on ? announce->after_ms * NS_PER_MS : 0, now.mono_ns);
    announcing_step(&daemon->announcing, now.mono_ns);
}

/* Ends the block of this cycle. If something in it is urgent, it is pushed together with all blocks
 * that were made since the last cycle; only this thread makes blocks. */
static void close_block(struct dcampd *daemon, struct moment now)
{
    struct report_ring *report = &daemon->report;
    children_alarms_step(&daemon->children, now);
    report->urgent |= feed_write(&daemon->feed, report, now.wall_ms);
    report_flush(report);
    if (report->urgent)
        push_blocks(&daemon->push, daemon->reported + 1, report->last, now.mono_ns);
    report->urgent = false;
    daemon->reported = report->last;
}

/* What one cycle is going to do, and its results. */
struct cycle {
    bool is_pass;      /* some sensor is due */
    unsigned sources;  /* of the sensors that are due: bit 1 << source */
    unsigned errors;   /* sources that could not be read */
    unsigned listings; /* rows of applications that are to be made: listed_begin() */
    unsigned wanted;   /* what is to be read of the programs, for rows or for the parent:
                        * program.h */
    uint64_t late;     /* passes that were late or missed */
};

static struct cycle plan_cycle(struct dcampd *daemon, struct moment now)
{
    dcampd_lock(daemon);
    apply_config(daemon, now);
    relays_begin(&daemon->relays, now.mono_ns);
    struct cycle cycle = {.is_pass = measure_due(&daemon->measure) <= now.mono_ns,
                          .sources = measure_sources(&daemon->measure, now.mono_ns),
                          .listings = listed_begin(&daemon->listed, now.mono_ns)};
    cycle.wanted = listed_wanted(cycle.listings) |
                   (tell_keys_wants(&daemon->measure, now.mono_ns) ? PROGRAM_TOPS : 0);
    dcampd_unlock(daemon);
    return cycle;
}

static void count_cycle(struct dcampd *daemon, const struct cycle *cycle, struct moment now)
{
    bool looked = daemon->inventory.scanned_ns == now.mono_ns; /* the inventory also reads sources
                                                                * of its own */
    daemon->self.cycles += cycle->is_pass;
    daemon->self.late_cycles += cycle->late;
    daemon->self.sample_errors += cycle->errors;
    daemon->self.records_left_out = daemon->slots.flows.left_out;
    daemon->self.records_unreported = daemon->slots.relay.unreported;
    costs_update(&daemon->costs, daemon->sampler, looked ? ~0u : cycle->sources);
}

/* Rows are made after a pass over what programs publish, whether or not a sensor of that source is
 * due; and programs end, whether or not somebody measures them. */
static void read_without_sensors(struct dcampd *daemon, struct cycle *cycle, struct moment now)
{
    unsigned source = 1u << SOURCE_APPLICATION;
    bool is_read = cycle->sources & source;
    if (!is_read &&
        (cycle->listings || tidying_begin(&daemon->tidying, daemon->applications, now.mono_ns))) {
        sampler_read(daemon->sampler, SOURCE_APPLICATION, now.mono_ns);
        cycle->sources |= source;
        is_read = true;
    }
    if (is_read)
        tidying_end(&daemon->tidying, daemon->applications, now.mono_ns);
}

static void list_applications(struct dcampd *daemon, unsigned listings, struct moment now)
{
    int error = sampler_set(daemon->sampler, SOURCE_APPLICATION)->error;
    listed_update(&daemon->listed, listings, daemon->applications, &daemon->slots.owners, error,
                  &daemon->lock, now);
}

/* When anything that the lock protects is due next. */
static uint64_t next_due(struct dcampd *daemon, struct moment now)
{
    measure_plan(&daemon->measure);
    uint64_t due = earlier(measure_due(&daemon->measure), save_when_due(daemon, now.mono_ns));
    due = earlier(due, earlier(aggregates_due(&daemon->aggregates), daemon->footprint.due_ns));
    due = earlier(due, earlier(watches_due(&daemon->watches), alarms_due(&daemon->alarms)));
    due = earlier(due, earlier(daemon->again_ns, daemon->sinks_due));
    due = earlier(due, documents_due(&daemon->documents, now.mono_ns));
    due = earlier(due, earlier(daemon->announcing.due_ns, daemon->tidying.due_ns));
    return feed_waits(&daemon->feed) ? earlier(due, now.mono_ns + FEED_PACE_NS) : due;
}

/* The place of the functions that a cycle runs; NULL if the linker does not place them:
 * cycle.ld. */
extern const char dcamp_cycle_text[] __attribute__((weak));
extern const char dcamp_cycle_text_end[] __attribute__((weak));

/* A cycle runs about so many octets of the C library from the beginning of each of these functions,
 * which are on pages of their own. */
#define LIBRARY_OCTETS 192
static void prefetch_library(void)
{
    static void (*const functions[])(void) = {
        (void (*)(void))pread,
        (void (*)(void))memchr,
        (void (*)(void))strncmp,
        (void (*)(void))memcpy,
        (void (*)(void))memset,
        (void (*)(void))pthread_mutex_lock,
        (void (*)(void))pthread_mutex_unlock,
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        cache_prefetch((const void *)(uintptr_t)functions[i], LIBRARY_OCTETS);
}

static void prefetch_cycle(const struct dcampd *daemon, unsigned sources)
{
    cache_prefetch(dcamp_cycle_text, (uintptr_t)dcamp_cycle_text_end - (uintptr_t)dcamp_cycle_text);
    prefetch_library();
    sampler_prefetch(daemon->sampler, sources);
    measure_prefetch(&daemon->measure);
}

/* Runs the stages in their order. Those that read the kernel or hear others do so without the
 * lock. */
uint64_t dcampd_cycle(struct dcampd *daemon, struct moment now)
{
    cache_prefetch(daemon, sizeof *daemon);
    adoption_step(daemon, now);
    struct cycle cycle = plan_cycle(daemon, now);
    if (cycle.is_pass)
        prefetch_cycle(daemon, cycle.sources);
    daemon->slots.wanted = cycle.wanted;
    daemon->slots.flows.settle_ns = daemon->config->settle_ms * NS_PER_MS;
    cycle.errors = read_sources(daemon, cycle.sources, now);
    read_without_sensors(daemon, &cycle, now);
    if (!sampler_is_wanted(daemon->sampler, SOURCE_JVM))
        jvm_slots_rest(&daemon->jvms, now.mono_ns);
    cycle.late = sample_due(daemon, cycle.sources, now);
    uint64_t hear_due = earlier(polling_step(&daemon->polling, daemon->config, now),
                                steering_step(&daemon->steering, now));
    if (steering_has_become_root(&daemon->steering))
        steering_know_children(&daemon->steering, daemon->config, now.mono_ns);
    if (steering_has_ended(&daemon->steering))
        adoption_end_tree(daemon);
    aggregate_due(daemon, now);
    inventory_update(&daemon->inventory, daemon->sampler, &daemon->lock, now);
    ranked_update(&daemon->ranked, &daemon->lock, now.mono_ns);
    list_applications(daemon, cycle.listings, now);
    look_at_self(daemon, now);

    dcampd_lock(daemon);
    count_cycle(daemon, &cycle, now);
    settle(daemon, now);
    watches_tick(&daemon->watches, now);
    learning_step(&daemon->learning, &daemon->watches, daemon->saver, now);
    watch_again(daemon, now);
    conditions_step(&daemon->conditions, &daemon->watches, daemon->config, now);
    look_at_role(daemon, now);
    daemon->sinks_due =
        sink_alarms_step(&daemon->sink_alarms, &daemon->outlet, &daemon->alarms, now);
    announce_self(daemon, now);
    close_block(daemon, now);
    alarms_tick(&daemon->alarms, now);
    uint64_t due = next_due(daemon, now);
    bool wanted = agent_is_wanted(daemon);
    dcampd_unlock(daemon);

    if (wanted && daemon->serving)
        daemon->server->wake(daemon->serving);
    due = earlier(due, outlet_step(&daemon->outlet, now.mono_ns));
    due = earlier(earlier(due, listed_due(&daemon->listed)), ranked_due(&daemon->ranked));
    return earlier(earlier(due, hear_due), inventory_due(&daemon->inventory));
}

bool dcampd_save(struct dcampd *daemon, uint64_t now_ns)
{
    struct saving_needs needs = saving_needs(daemon);
    uint32_t ahead = AHEAD_LEAST + AHEAD_PER_WATCH * (uint32_t)daemon->watches.watches.count;
    struct state state = {.boot = daemon->boot, .top_size = daemon->listed.top_size};
    state.reserved = daemon->ended ? 0 : alarms_reserve(&daemon->alarms, ahead);
    uint64_t began_ns = clock_mono_ns();
    size_t len;
    char *text = NULL;
    documents_save(&daemon->documents, &state);
    if (daemon->ended)
        learning_save(&daemon->learning, &daemon->watches, daemon->saver);
    if (watches_save(&daemon->watches, &state, now_ns) == 0 &&
        children_save(&daemon->children, &state) == 0)
        text = state_format(&state, daemon->config, &daemon->alarms, &len);
    if (text)
        saver_submit(daemon->saver, text, len, needs.mark);
    else
        log_error("state", "no memory to save the state; trying again in a second");
    struct saving_needs begun = text ? needs : daemon->saving.begun;
    saving_begins(&daemon->saving, &begun, state.reserved, now_ns, clock_mono_ns() - began_ns);
    state_release(&state);
    return text != NULL;
}

/* -- Beginning and end ---------------------------------------------------------------------- */

static struct config *load(const struct dcampd_options *options, char error[1024])
{
    return file_load(options->config_path, options->agentx_socket, options->state_dir,
                     options->apps_dir, error);
}

/* A damaged state is logged and survived. A state that cannot be read is an error, because it would
 * be overwritten. */
static bool restore(struct dcampd *daemon, char error[1024])
{
    struct state state = {0};
    int code =
        state_read(daemon->config->state_dir, &state, daemon->config, &daemon->alarms, error);
    if (code != 0 && code != ENOENT && code != EBADMSG)
        return false;
    /* A damaged file may have been replaced by its predecessor: then code is 0. */
    if (error[0])
        log_error("state", "%s", error);
    daemon->boot = state.boot + 1;
    uint32_t last = daemon->alarms.sequence, skipped = alarms_skip(&daemon->alarms, state.reserved);
    if (skipped)
        log_warning("alarm",
                    "the last run ended without saving its state: the %" PRIu32
                    " sequence numbers after %" PRIu32 " are void",
                    skipped, last);
    if (state.top_size)
        daemon->listed.top_size = state.top_size;
    adoption_restore(daemon, &state);
    children_restore(&daemon->children, &state);
    watches_restore(&daemon->watches, &state);
    learning_read(&daemon->learning, &daemon->watches, daemon->config->state_dir);
    /* The boot number itself must be saved. */
    daemon->saving.begun.serial = daemon->config->serial - 1;
    return true;
}

static void saver_done(void *context)
{
    dcampd_wake(context);
}

static bool follows_from_child(const void *children, const struct alarm_facts *facts)
{
    return children_hold(children, facts);
}

/* A seed that differs between machines, and between starts. */
static uint32_t seed_of(const struct dcampd *daemon)
{
    uint32_t seed = (uint32_t)daemon->started.mono_ns;
    for (const char *at = daemon->config->node.name; *at; at++)
        seed = (seed ^ (unsigned char)*at) * UINT32_C(16777619); /* FNV-1a */
    return seed;
}

static bool wants_records(const void *daemon, const char *instance)
{
    const struct dcampd *of = daemon;
    return measure_wants_records(&of->measure, SOURCE_APPLICATION, instance);
}

static bool wants_records_below(void *daemon)
{
    struct dcampd *of = daemon;
    return slots_want_records(&of->slots, sampler_fields(of->sampler, SOURCE_APPLICATION));
}

static void take_record_below(void *daemon, uint32_t child, const char *instance,
                              const struct report_record *record, uint64_t now_ns)
{
    slots_take_record(&((struct dcampd *)daemon)->slots, child, instance, record, now_ns);
}

/* Records of steps get half of what the ring of blocks keeps, and the same again in a minute: a
 * parent has so long to fetch everything else that it must be told. */
#define RECORD_OCTETS 40
#define RECORDS_PART 2
#define RECORDS_SECONDS 60
static void open_slots(struct dcampd *daemon)
{
    struct application_slots *slots = &daemon->slots;
    double octets = (double)report_keep(&daemon->report) * (double)report_room(&daemon->report);
    slots->directory = daemon->applications;
    slots->wants_records = wants_records;
    slots->context = daemon;
    slots->flows.settle_ns = daemon->config->settle_ms * NS_PER_MS;
    daemon->records = (struct record_taker){wants_records_below, take_record_below, daemon};
    daemon->children.taker = &daemon->records;
    slots->pace.most = octets / RECORDS_PART / RECORD_OCTETS;
    slots->pace.per_second = slots->pace.most / RECORDS_SECONDS;
}

struct dcampd *dcampd_new(const struct dcampd_options *options, char error[1024])
{
    struct dcampd *daemon = calloc(1, sizeof *daemon);
    if (!daemon) {
        text_format(error, 1024, "no memory");
        return NULL;
    }
    daemon->options = *options;
    daemon->started = clock_now();
    daemon->config = load(options, error);
    if (!daemon->config ||
        state_claim(daemon->config->state_dir, &daemon->state_lock, error) != 0) {
        config_free(daemon->config);
        free(daemon);
        return NULL;
    }
    pthread_mutex_init(&daemon->lock, NULL);
    daemon->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    alarms_open(&daemon->alarms, &daemon->config->alarm, daemon->started.mono_ns);
    feed_open(&daemon->feed);
    daemon->alarms.feed = &daemon->feed;
    watches_open(&daemon->watches, &daemon->alarms);
    daemon->observer = watches_observer(&daemon->watches);
    daemon->publisher =
        (struct publisher){.report = &daemon->report, .observer = &daemon->observer};
    dictionary_open(&daemon->publisher.dictionary);
    measure_open(&daemon->measure, &daemon->publisher);
    children_open(&daemon->children, &daemon->alarms);
    tree_view_open(&daemon->tree);
    daemon->children.feed = &daemon->feed;
    handout_open(&daemon->handout, &daemon->outlet, &daemon->children, &daemon->report,
                 &daemon->publisher.dictionary, &daemon->lock);
    daemon->children.observer = &daemon->observer;
    relays_open(&daemon->relays, &daemon->children, &daemon->publisher);
    aggregates_open(&daemon->aggregates, &daemon->measure, &daemon->publisher);
    push_open(&daemon->push, daemon->config->report.push, daemon->started.mono_ns);
    daemon->inhibition =
        (struct inhibition){.watches = &daemon->watches,
                            .config = (const struct config *const *)&daemon->config,
                            .follows = follows_from_child,
                            .context = &daemon->children};
    daemon->alarms.judge = inhibition_judge;
    daemon->alarms.judge_context = &daemon->inhibition;
    audit_open(&daemon->audit, &daemon->alarms, daemon->config);
    memcpy(daemon->alarms.node, daemon->config->node.name, sizeof daemon->alarms.node);
    announcing_open(&daemon->announcing, seed_of(daemon), daemon->started.mono_ns);
    listed_open(&daemon->listed);
    ranked_open(&daemon->ranked, options->root ? options->root : "/");
    jvm_slots_open(&daemon->jvms, options->jvm_helper);
    bool opened = documents_open(&daemon->documents);
    if (!opened)
        text_format(error, 1024, "no memory");
    if (!opened || !restore(daemon, error)) {
        dcampd_free(daemon);
        return NULL;
    }
    daemon->serial = daemon->config->serial - 1; /* nothing has been applied yet */
    daemon->sampler = sampler_new(options->root ? options->root : "/");
    daemon->applications = directory_new(daemon->config->apps_dir);
    daemon->endpoints = endpoints_new();
    daemon->saver = saver_start(daemon->config->state_dir, saver_done, daemon);
    costs_open(&daemon->costs);
    int failed = inventory_open(&daemon->inventory, options->root ? options->root : "/") ||
                 report_open(&daemon->report, daemon->boot, daemon->config->report.keep,
                             daemon->config->report.block_bytes);
    if (!daemon->sampler || !daemon->applications || !daemon->endpoints || !daemon->saver ||
        failed) {
        text_format(error, 1024, "no memory");
        dcampd_free(daemon);
        return NULL;
    }
    failed = outlet_listen(&daemon->outlet, options->publish_socket, daemon->boot,
                           daemon->config->node.name, daemon->config->node.group,
                           daemon->started.mono_ns);
    if (failed) {
        text_format(error, 1024, "the outlet: %s", strerror(failed));
        dcampd_free(daemon);
        return NULL;
    }
    open_slots(daemon);
    sampler_provide(daemon->sampler, SOURCE_APPLICATION, slots_read, &daemon->slots);
    if (!options->root) /* another machine's files come without processes */
        sampler_provide(daemon->sampler, SOURCE_JVM, jvm_slots_read, &daemon->jvms);
    sampler_provide(daemon->sampler, SOURCE_ENDPOINT, endpoints_read, daemon->endpoints);
    return daemon;
}

void dcampd_free(struct dcampd *daemon)
{
    if (!daemon)
        return;
    saver_stop(daemon->saver);
    audit_close(&daemon->audit, daemon->config);
    watches_close(&daemon->watches);
    polling_end(&daemon->polling);
    steering_end(&daemon->steering);
    tree_view_close(&daemon->tree);
    handout_close(&daemon->handout);
    relays_close(&daemon->relays);
    children_close(&daemon->children);
    daemon->publisher.report = NULL; /* nobody is told of what ends now */
    daemon->publisher.observer = NULL;
    aggregates_close(&daemon->aggregates);
    measure_close(&daemon->measure);
    dictionary_close(&daemon->publisher.dictionary);
    alarms_close(&daemon->alarms);
    feed_close(&daemon->feed);
    report_close(&daemon->report);
    inventory_close(&daemon->inventory);
    costs_close(&daemon->costs);
    listed_close(&daemon->listed);
    ranked_close(&daemon->ranked);
    documents_close(&daemon->documents);
    sampler_free(daemon->sampler);
    slots_release(&daemon->slots);
    jvm_slots_close(&daemon->jvms);
    directory_free(daemon->applications);
    endpoints_free(daemon->endpoints);
    config_free(daemon->config);
    close(daemon->wake_fd);
    close(daemon->state_lock);
    pthread_mutex_destroy(&daemon->lock);
    free(daemon);
}

static void row_dropped(const struct row *row)
{
    log_info("config", "%s \"%s\": the file changed, it replaces what was SET",
             row_type(row->kind)->element, row->name);
}

/* What stays as it was at the start, until a restart: moving a state file under a running daemon
 * would lose it, a new name would orphan the alarms, and a new ring would lose the parent's place
 * in it. */
static void keep_fixed(const struct config *old, struct config *new)
{
    if (strcmp(old->state_dir, new->state_dir) != 0 || strcmp(old->apps_dir, new->apps_dir) != 0 ||
        memcmp(&old->agentx, &new->agentx, sizeof old->agentx) != 0 ||
        memcmp(&old->report, &new->report, sizeof old->report) != 0 ||
        strcmp(old->node.name, new->node.name) != 0)
        log_warning("config",
                    "the node's name, <agentx>, <state>, <applications directory> and <report> "
                    "change only at a restart");
    memcpy(new->state_dir, old->state_dir, sizeof new->state_dir);
    memcpy(new->apps_dir, old->apps_dir, sizeof new->apps_dir);
    memcpy(new->node.name, old->node.name, sizeof new->node.name);
    new->agentx = old->agentx;
    new->report = old->report;
}

bool dcampd_reload(struct dcampd *daemon, char error[1024])
{
    struct config *new = load(&daemon->options, error);
    if (!new)
        return false;
    dcampd_lock(daemon);
    struct config *old = daemon->config;
    if (daemon->documents.assignment.role)
        config_take_rows(new, old);
    else
        config_carry_over(old, new, row_dropped);
    keep_fixed(old, new);
    daemon->config = new;
    daemon->reloads++;
    daemon->again_ns = 0;
    alarms_set_limits(&daemon->alarms, &new->alarm);
    dcampd_unlock(daemon);
    config_free(old);
    polling_reload(&daemon->polling, new);
    return true;
}

void dcampd_wake(struct dcampd *daemon)
{
    uint64_t one = 1;
    /* A full counter wakes the core just as well. */
    ssize_t ignored = write(daemon->wake_fd, &one, sizeof one);
    (void)ignored;
}

bool dcampd_may_run(char error[1024])
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= FILES_MIN)
        return true;
    limit.rlim_cur = FILES_MIN;
    if (limit.rlim_max >= FILES_MIN && setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return true;
    text_format(
        error, 1024,
        "only %ju files may be open at once, dcampd needs %d: raise ulimit -n, or LimitNOFILE= "
        "of the unit",
        (uintmax_t)limit.rlim_max, FILES_MIN);
    return false;
}

static bool save_now(struct dcampd *daemon)
{
    dcampd_lock(daemon);
    if (!daemon->ended)
        learning_save(&daemon->learning, &daemon->watches, daemon->saver);
    bool made = dcampd_save(daemon, clock_mono_ns());
    dcampd_unlock(daemon);
    return made;
}

/* Saves the state before the other threads and processes end, so that one that hangs cannot lose
 * it; and again afterwards, with what they did until then. */
static int end(struct dcampd *daemon)
{
    adoption_step(daemon, clock_now());
    save_now(daemon);
    outlet_finish(&daemon->outlet, clock_mono_ns());
    polling_end(&daemon->polling);
    steering_end(&daemon->steering);
    daemon->server->stop(daemon->serving);
    daemon->serving = NULL;
    daemon->ended = true;
    int made = save_now(daemon) ? 0 : ENOMEM;
    int code = saver_stop(daemon->saver);
    daemon->saver = NULL;
    if (!code)
        code = made;
    if (code)
        log_error("state",
                  "%s: the last state could not be saved: %s; what changed since the one "
                  "before is lost",
                  daemon->config->state_dir, strerror(code));
    return code;
}

static uint64_t cycle(void *context, struct moment now)
{
    return dcampd_cycle(context, now);
}

static void reload(void *context)
{
    struct dcampd *daemon = context;
    char error[1024];
    if (dcampd_reload(daemon, error))
        log_info("config", "%s: reloaded", daemon->options.config_path);
    else
        log_error("config", "%s (the configuration in use is kept)", error);
}

int dcampd_run(struct dcampd *daemon, const struct dcampd_server *server)
{
    char error[1024];
    daemon->server = server;
    daemon->serving = server->start(daemon, error);
    if (!daemon->serving) {
        log_error("agent", "%s", error);
        return ENOMEM;
    }
    int code = polling_begin(&daemon->polling, &daemon->children, &daemon->lock, daemon->config,
                             daemon->options.poller_options);
    if (!code)
        code = steering_begin(&daemon->steering, &daemon->documents.tree, daemon->config->node.name,
                              &daemon->tree, &daemon->role, &daemon->lock,
                              daemon->options.poller_options);
    const struct loop loop = {
        cycle,
        reload,
        daemon,
        daemon->wake_fd,
        {polling_fd(&daemon->polling), steering_fd(&daemon->steering), outlet_fd(&daemon->outlet)},
        {NULL, NULL, &daemon->outlet.is_ready}};
    if (!code)
        code = loop_run(&loop);
    if (code)
        log_error("core", "the main loop cannot begin: %s", strerror(code));
    int failed = end(daemon);
    return code ? code : failed;
}
