#include "application/slots.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "application/figures.h"
#include "application/locks.h"
#include "base/log.h"
#include "base/text.h"
#include "metric/field.h"
#include "sample/slot.h"

#define BIT(field) (UINT32_C(1) << (field))
#define ALL_OF_SENSORS (BIT(APPLICATION_FIELDS) - BIT(APPLICATION_COUNT))
#define OF_STEPS (BIT(APPLICATION_RUNTIME) | BIT(APPLICATION_THROUGHPUT) | BIT(APPLICATION_LOAD))
#define OF_EVENTS (BIT(APPLICATION_CV2) | BIT(APPLICATION_DISTANCE) | BIT(APPLICATION_POISSON))
#define OF_SEQUENCES                                                                               \
    (BIT(APPLICATION_SEQUENCES) | BIT(APPLICATION_SEQUENCE_TIME) |                                 \
     BIT(APPLICATION_SEQUENCE_FAILED) | BIT(APPLICATION_SEQUENCE_LOST) |                           \
     BIT(APPLICATION_SEQUENCE_LEFT) | BIT(APPLICATION_SEQUENCE_NEGATIVE))
#define THIS_NODE 0
#define OF_LATENCIES                                                                               \
    (BIT(APPLICATION_LATENCIES) | BIT(APPLICATION_LATENCY) | BIT(APPLICATION_LATENCY_NEGATIVE))
#define OF_LOCKS (BIT(APPLICATION_CONTENTION) | BIT(APPLICATION_CONTENDED) | BIT(APPLICATION_HELD))

/* Which word of a kind each field of a sensor has, which fields have the sensor's own unit, and
 * what is computed from the series. */
static const struct {
    uint32_t fields, united;
    unsigned char word[APPLICATION_FIELDS];
    const struct sample_computed *computed;
    uint32_t of_computed;
} forms[] = {
    [SEGMENT_COUNTER] = {.fields = BIT(APPLICATION_COUNT),
                         .united = BIT(APPLICATION_COUNT),
                         .word = {[APPLICATION_COUNT] = SEGMENT_COUNTER_VALUE}},
    [SEGMENT_GAUGE] = {.fields = BIT(APPLICATION_VALUE), .united = BIT(APPLICATION_VALUE)},
    [SEGMENT_TIMER] = {.fields = BIT(APPLICATION_COUNT) | BIT(APPLICATION_TIME),
                       .word = {[APPLICATION_COUNT] = SEGMENT_TIMER_COUNT,
                                [APPLICATION_TIME] = SEGMENT_TIMER_NANOSECONDS},
                       .computed = &figures_of_fit,
                       .of_computed = OF_EVENTS},
    [SEGMENT_HISTOGRAM] = {.fields = BIT(APPLICATION_COUNT) | BIT(APPLICATION_SUM),
                           .united = BIT(APPLICATION_SUM),
                           .word = {[APPLICATION_COUNT] = SEGMENT_HISTOGRAM_COUNT},
                           .computed = &figures_of_fit,
                           .of_computed = OF_EVENTS},
    [SEGMENT_TOP] = {.fields = BIT(APPLICATION_COUNT),
                     .united = BIT(APPLICATION_COUNT),
                     .word = {[APPLICATION_COUNT] = SEGMENT_TOP_TOTAL}},
    [SEGMENT_STEP] = {.fields = BIT(APPLICATION_COUNT) | BIT(APPLICATION_TIME) |
                                BIT(APPLICATION_BEGUN) | BIT(APPLICATION_FAILED) |
                                BIT(APPLICATION_RECORDS),
                      .word = {[APPLICATION_COUNT] = SEGMENT_STEP_COUNT,
                               [APPLICATION_TIME] = SEGMENT_STEP_NANOSECONDS,
                               [APPLICATION_BEGUN] = SEGMENT_STEP_BEGUN,
                               [APPLICATION_FAILED] = SEGMENT_STEP_FAILED},
                      .computed = &figures_of_step,
                      .of_computed = OF_STEPS},
};

_Static_assert(SAMPLE_UNIT_SIZE > SEGMENT_UNIT, "a unit of a sensor fits into a slot");

void slots_release(struct application_slots *slots)
{
    owners_release(&slots->owners);
    flows_release(&slots->flows);
    relay_release(&slots->relay);
}

/* -- Slots ------------------------------------------------------------------------------------- */

static void fill_sensor(struct sample_slot *slot, struct application_series *series,
                        uint32_t wanted)
{
    uint32_t fields = forms[series->kind].fields, reals = 0;
    for (unsigned field = APPLICATION_COUNT; field < APPLICATION_FIELDS; field++)
        slot->field[field] =
            fields >> field & 1 ? series->total[forms[series->kind].word[field]] : 0;
    if (series->kind == SEGMENT_GAUGE)
        reals = slot_set_real(slot, APPLICATION_VALUE, application_gauge(series));
    if (series->kind == SEGMENT_STEP)
        slot->field[APPLICATION_RECORDS] = series->records_read;
    if (series->kind == SEGMENT_HISTOGRAM)
        reals = slot_set_real(slot, APPLICATION_SUM, series->sum);
    slot->valid = ((fields & ~(BIT(APPLICATION_VALUE) | BIT(APPLICATION_SUM))) | reals) & wanted;
    slot->lacks = ALL_OF_SENSORS & ~(fields | forms[series->kind].of_computed);
    slot->computed = forms[series->kind].computed;
    slot->united = forms[series->kind].united;
    memcpy(slot->unit, series->unit, sizeof series->unit);
    text_clean(slot->unit, sizeof slot->unit, '?');
    slot->events = series->grown.count > 0 ? &series->grown : NULL;
    slot->events_mean = series->grown_mean;
    slot->records = series->records.n > 0 ? &series->records : NULL;
}

static int keys_of(const void *series, struct top_keys *keys)
{
    return application_keys(series, keys);
}

static void fill_top(struct sample_slot *slot, const struct application_series *series,
                     unsigned wanted)
{
    slot->is_top = series->kind == SEGMENT_TOP;
    slot->keys = slot->is_top && wanted & PROGRAM_TOPS ? keys_of : NULL;
    slot->keys_of = series;
}

static void fill_application(struct sample_slot *slot, const struct application *application,
                             uint32_t wanted)
{
    slot->field[APPLICATION_PROCESSES] = application->processes;
    slot->field[APPLICATION_STARTED] = application->processes + application->ended;
    slot->field[APPLICATION_REFUSED] = application->refused;
    slot->field[APPLICATION_LOST] = application->lost;
    slot->field[APPLICATION_UNREPORTED] = application->unreported;
    slot->valid = (BIT(APPLICATION_COUNT) - 1) & ~OF_SEQUENCES & wanted;
    slot->lacks = ALL_OF_SENSORS;
}

static void set_events(struct sample_slot *slot, const struct statistics_window *grown)
{
    slot->events = grown ? &grown->histogram : NULL;
    slot->events_mean = grown ? grown->mean : NAN;
}

/* What passes through the application, in addition to its own figures. Until a flow is known,
 * everything is zero. */
static void fill_flow(struct sample_slot *slot, const struct flow *flow, uint32_t wanted)
{
    static const struct flow none = {.complete = 0};
    const struct flow *is = flow ? flow : &none;
    slot->field[APPLICATION_SEQUENCES] = is->complete;
    slot->field[APPLICATION_SEQUENCE_FAILED] = is->failed;
    slot->field[APPLICATION_SEQUENCE_LOST] = is->lost;
    slot->field[APPLICATION_SEQUENCE_LEFT] = is->left_out;
    slot->field[APPLICATION_SEQUENCE_NEGATIVE] = is->negative;
    slot_set_real(slot, APPLICATION_SEQUENCE_TIME, is->sum);
    slot->valid |= OF_SEQUENCES & wanted;
    set_events(slot, is->grown);
}

static void fill_latency(struct sample_slot *slot, const struct flow_latency *latency,
                         uint32_t wanted)
{
    slot->field[APPLICATION_LATENCIES] = latency->count;
    slot->field[APPLICATION_LATENCY_NEGATIVE] = latency->negative;
    slot_set_real(slot, APPLICATION_LATENCY, latency->sum);
    slot->valid = OF_LATENCIES & wanted;
    slot->lacks = ALL_OF_SENSORS & ~OF_LATENCIES;
    set_events(slot, latency->grown);
}

/* -- Names ------------------------------------------------------------------------------------- */

/* Adds what nodes below have executed of a step that is executed here, too. */
static void join_relayed(struct application_slots *slots, struct application_series *series,
                         const char *path)
{
    struct relay_step *step = relay_find(&slots->relay, path);
    if (!step || series->kind != SEGMENT_STEP)
        return;
    step->shown = slots->relay.pass;
    step->records.is_taken = true;
    series->records_read += step->grown;
    for (size_t i = 0; i < step->records.n; i++)
        if (!application_keep_record(series, &step->records.record[i]))
            slots->relay.unreported++;
}

static void show_series(struct application_slots *slots, struct source *source, const char *user,
                        struct application_series *series)
{
    char name[APPLICATION_PATH_SIZE];
    application_series_path(name, user, series);
    struct sample_slot *slot =
        source_slot_of(source, name, RESOURCE_APPLICATION_SENSOR, series->born, &slots->hidden);
    if (!slot)
        return;
    join_relayed(slots, series, name);
    fill_sensor(slot, series, source->fields);
    fill_top(slot, series, slots->wanted);
}

/* A lock is an instance of its own, beside those of its sensors. */
static void show_lock(struct application_slots *slots, struct source *source, const char *user,
                      const struct application_series *series)
{
    char name[APPLICATION_PATH_SIZE];
    struct lock_series lock;
    if (!(source->fields & OF_LOCKS) || !lock_of(series, &lock))
        return;
    application_path(name, user, series->application, &lock.key);
    struct sample_slot *slot =
        source_slot_of(source, name, RESOURCE_APPLICATION_SENSOR, series->born, &slots->hidden);
    if (!slot)
        return;
    slot->field[APPLICATION_LOCK_ARRIVALS] = lock.arrivals->total[SEGMENT_COUNTER_VALUE];
    slot->field[APPLICATION_LOCK_WAITS] = lock.waits->total[SEGMENT_COUNTER_VALUE];
    slot->field[APPLICATION_LOCK_FAILURES] = lock.failures->total[SEGMENT_COUNTER_VALUE];
    slot->field[APPLICATION_LOCK_HOLDS] = lock.hold->total[SEGMENT_TIMER_COUNT];
    slot->field[APPLICATION_LOCK_HELD] = lock.hold->total[SEGMENT_TIMER_NANOSECONDS];
    slot->lacks = ALL_OF_SENSORS & ~OF_LOCKS;
    slot->computed = &figures_of_lock;
}

static void show(struct application_slots *slots, struct source *source,
                 const struct application *application)
{
    char name[APPLICATION_PATH_SIZE];
    const char *user = owners_name(&slots->owners, application->key.owner);
    if (!user) {
        source->failure = ENOMEM;
        return;
    }
    text_format(name, sizeof name, "%s/%.*s", user, SEGMENT_NAME, application->key.name);
    struct sample_slot *slot =
        source_slot_of(source, name, RESOURCE_APPLICATION, application->born, &slots->hidden);
    struct flow *flow = flows_find(&slots->flows, name);
    if (flow)
        flow->shown = slots->flows.pass;
    if (slot)
        fill_application(slot, application, source->fields);
    if (slot)
        fill_flow(slot, flow, source->fields);
    for (struct application_series *series = application->series; series;
         series = series->hh.next) {
        show_series(slots, source, user, series);
        show_lock(slots, source, user, series);
    }
}

/* An application that is only on nodes below has nothing but what passes through it. */
static void show_flow(struct application_slots *slots, struct source *source, struct flow *flow)
{
    struct sample_slot *slot = flow->shown == slots->flows.pass
                                   ? NULL
                                   : source_slot_of(source, flow->application, RESOURCE_APPLICATION,
                                                    flow->born, &slots->hidden);
    flow->shown = slots->flows.pass;
    if (slot) {
        slot->valid = 0;
        slot->lacks = (BIT(APPLICATION_FIELDS) - 1) & ~OF_SEQUENCES;
        fill_flow(slot, flow, source->fields);
    }
    for (const struct flow_latency *latency = flow->latencies; latency;
         latency = latency->hh.next) {
        slot = source_slot_of(source, latency->name, RESOURCE_APPLICATION_SENSOR, latency->born,
                              &slots->hidden);
        if (slot)
            fill_latency(slot, latency, source->fields);
    }
}

/* A step that is executed only on nodes below. */
static void show_relayed(struct application_slots *slots, struct source *source,
                         struct relay_step *step)
{
    struct sample_slot *slot = step->shown == slots->relay.pass
                                   ? NULL
                                   : source_slot_of(source, step->path, RESOURCE_APPLICATION_SENSOR,
                                                    step->born, &slots->hidden);
    if (!slot)
        return;
    slot->field[APPLICATION_RECORDS] = step->taken;
    slot->valid = BIT(APPLICATION_RECORDS) & source->fields;
    slot->lacks = ALL_OF_SENSORS & ~BIT(APPLICATION_RECORDS);
    slot->computed = NULL;
    slot->united = 0;
    slot->records = step->records.n > 0 ? &step->records : NULL;
}

/* Logged once when it begins; it is over only when there were none for a while, because otherwise
 * anybody could fill the log. */
static void tell(struct application_slots *slots, uint64_t now_ns)
{
    if (slots->hidden > 0 && !slots->told)
        log_warning("application",
                    "%zu applications and sensors of applications are not shown: their names, with "
                    "those of their users, have more than %d octets, or are those of others",
                    slots->hidden, INSTANCE_SIZE - 1);
    if (slots->hidden > 0)
        slots->hidden_ns = now_ns;
    slots->told = slots->hidden > 0 || (slots->told && now_ns - slots->hidden_ns < OWNER_QUIET_NS);
}

void slots_fill(struct application_slots *slots, const struct applications *applications,
                struct source *source)
{
    slots->hidden = 0;
    for (const struct application *application = applications->by_key; application;
         application = application->hh.next)
        show(slots, source, application);
    for (struct flow *flow = slots->flows.by_application; flow; flow = flow->hh.next)
        show_flow(slots, source, flow);
    for (struct relay_step *step = slots->relay.steps; step; step = step->hh.next)
        show_relayed(slots, source, step);
    tell(slots, applications->now_ns);
}

/* -- Records of steps -------------------------------------------------------------------------- */

#define OF_RECORDS (BIT(APPLICATION_LOST) | BIT(APPLICATION_UNREPORTED) | BIT(APPLICATION_RECORDS))
#define OF_FLOWS (OF_SEQUENCES | OF_LATENCIES)

/* A relay_wants_fn. Nobody wants what is no path, or is too long for an instance. */
static bool is_wanted(const void *context, const char *path)
{
    const struct application_slots *slots = context;
    return slots->wants_records && strchr(path, ':') && strlen(path) < INSTANCE_SIZE &&
           slots->wants_records(slots->context, path);
}

static struct report_record record_of(const struct segment_record *record)
{
    return (struct report_record){
        .start_ns = record->start,
        .duration_ns = record->duration,
        .sequence = record->sequence,
        .result = record->result,
        .has_cpu = record->flags & SEGMENT_RECORD_HAS_CPU,
        .has_allocated = record->flags & SEGMENT_RECORD_HAS_ALLOCATED,
        .cpu_ns = record->cpu,
        .allocated = record->allocated,
    };
}

bool slots_want_records(struct application_slots *slots, uint32_t fields)
{
    slots->follows = fields & OF_FLOWS;
    slots->relays = fields & BIT(APPLICATION_RECORDS);
    return slots->follows || slots->relays;
}

/* The number of a node below, made from its path: FNV-1a. */
static uint32_t number_of(const struct report_record *record)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < record->node_len; i++)
        hash = (hash ^ (unsigned char)record->node[i]) * UINT32_C(16777619);
    return hash == THIS_NODE ? 1 : hash;
}

void slots_take_record(struct application_slots *slots, uint32_t child, const char *path,
                       const struct report_record *record, uint64_t now_ns)
{
    if (slots->follows)
        flows_add(&slots->flows, child, number_of(record), path, record, now_ns);
    if (!slots->relays || (!relay_find(&slots->relay, path) && !is_wanted(slots, path)))
        return;
    if (slots->pace.since_ns == 0) /* there has been no pass yet */
        pace_begin(&slots->pace, now_ns);
    relay_take(&slots->relay, &slots->pace, child, path, record, now_ns);
}

/* A program_observer. What does not fit into the reports is counted. */
static void stepped(void *context, const struct program *program, struct application_series *series,
                    const struct segment_record *is)
{
    struct application_slots *slots = context;
    struct application *application = series->application;
    const struct report_record record = record_of(is);
    char path[APPLICATION_PATH_SIZE];
    const char *user = owners_name(&slots->owners, application->key.owner);
    (void)program;
    application->unreported += !user; /* no memory for the user's name */
    if (!user)
        return;
    application_series_path(path, user, series);
    if (slots->follows)
        flows_add(&slots->flows, 0, THIS_NODE, path, &record, slots->now_ns);
    if (!is_wanted(slots, path))
        return;
    series->records_read++;
    if (!pace_admit(&slots->pace, &application->owner->records, 1) ||
        !application_keep_record(series, &record))
        application->unreported++;
}

/* -- A pass ------------------------------------------------------------------------------------ */

/* Records of steps are read only if somebody needs them, because that takes three copies of each
 * file. What there was no memory for comes in the next pass. A node that needs steps of nodes below
 * may have no programs itself: then it is no error that there is no directory. */
int slots_read(void *context, struct source *source, uint64_t now_ns)
{
    struct application_slots *slots = context;
    const struct program_observer observer = {slots, stepped};
    bool wants_steps = source->n_patterns > 0 && source->fields & (OF_RECORDS | OF_FLOWS);
    bool wants_below = slots_want_records(slots, source->n_patterns > 0 ? source->fields : 0);
    slots->now_ns = now_ns;
    pace_begin(&slots->pace, now_ns);
    flows_begin(&slots->flows, now_ns);
    int error = directory_pass(slots->directory, now_ns,
                               slots->wanted | (wants_steps ? PROGRAM_STEPS : 0), &observer);
    flows_end(&slots->flows, now_ns);
    relay_begin(&slots->relay, is_wanted, slots, now_ns);
    if (error && error != ENOMEM && !(error == ENOENT && wants_below))
        return error;
    slots_fill(slots, directory_applications(slots->directory), source);
    return 0;
}
