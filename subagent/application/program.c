#include "application/program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define JUMP (UINT64_C(1) << 32)

/* If a bucket counts so many values between two readings, it has actually fallen. */
#define BUCKET_JUMP (UINT32_C(1) << 31)

/* A sensor of the process, as of the last reading. */
struct program_sensor {
    struct segment_descriptor is;
    struct application_series *series; /* NULL: none */
    struct application_part part;
    bool skips;    /* what it has counted before its next reading is ignored */
    bool was_read; /* word, real and bucket are those of an earlier reading */
    uint64_t word[SEGMENT_STEP_WORDS], fresh[SEGMENT_STEP_WORDS];
    double real;
    uint64_t late;     /* bit n: panel n existed before there was room for it */
    uint32_t **bucket; /* the counts of each panel; NULL: all were 0 */
};

/* Which words of a kind are integers that only grow, and which of these count events: the others
 * are nanoseconds, which grow by 2^32 in some seconds. */
static const struct {
    unsigned grow, count;
} words_of[] = {
    [SEGMENT_COUNTER] = {1u << SEGMENT_COUNTER_VALUE, 1u << SEGMENT_COUNTER_VALUE},
    [SEGMENT_GAUGE] = {0, 0},
    [SEGMENT_TIMER] = {1u << SEGMENT_TIMER_COUNT | 1u << SEGMENT_TIMER_NANOSECONDS,
                       1u << SEGMENT_TIMER_COUNT},
    [SEGMENT_HISTOGRAM] = {1u << SEGMENT_HISTOGRAM_COUNT | 1u << SEGMENT_HISTOGRAM_ZERO,
                           1u << SEGMENT_HISTOGRAM_COUNT | 1u << SEGMENT_HISTOGRAM_ZERO},
    [SEGMENT_TOP] = {1u << SEGMENT_TOP_TOTAL | 1u << SEGMENT_TOP_MISSED,
                     1u << SEGMENT_TOP_TOTAL | 1u << SEGMENT_TOP_MISSED},
    [SEGMENT_STEP] = {1u << SEGMENT_STEP_BEGUN | 1u << SEGMENT_STEP_COUNT |
                          1u << SEGMENT_STEP_NANOSECONDS | 1u << SEGMENT_STEP_FAILED,
                      1u << SEGMENT_STEP_BEGUN | 1u << SEGMENT_STEP_COUNT |
                          1u << SEGMENT_STEP_FAILED},
};

/* -- Sensors ----------------------------------------------------------------------------------- */

#define PANEL_OCTETS (SEGMENT_BUCKETS_IN_PANEL * sizeof(uint32_t))

static size_t octets_of(const struct segment_descriptor *is)
{
    return sizeof(struct program_sensor) + is->panels * sizeof(uint32_t *);
}

static void free_sensor(const struct program *program, struct applications *applications,
                        struct program_sensor *sensor, bool is_over)
{
    if (!sensor)
        return;
    size_t octets = octets_of(&sensor->is);
    if (sensor->series)
        application_leave(applications, sensor->series, &sensor->part, is_over);
    for (uint32_t i = 0; sensor->bucket && i < sensor->is.panels; i++) {
        octets += sensor->bucket[i] ? PANEL_OCTETS : 0;
        free(sensor->bucket[i]);
    }
    application_discharge(applications, program->application->owner, octets);
    free(sensor->bucket);
    free(sensor);
}

static struct program_sensor *make_sensor(const struct segment_descriptor *is, bool skips)
{
    struct program_sensor *sensor = calloc(1, sizeof *sensor);
    if (!sensor)
        return NULL;
    sensor->is = *is;
    sensor->skips = skips;
    if (is->panels == 0)
        return sensor;
    sensor->bucket = calloc(is->panels, sizeof *sensor->bucket);
    if (sensor->bucket)
        return sensor;
    free(sensor);
    return NULL;
}

/* NULL: there is no room for the sensor, or no memory. */
static struct program_sensor *admit_sensor(struct program *program,
                                           struct applications *applications,
                                           const struct segment_descriptor *is, bool comes_late)
{
    struct owner *owner = program->application->owner;
    if (!application_has_room(applications, owner, octets_of(is))) {
        program->no_room++;
        program->lacks_sensors = true;
        return NULL;
    }
    struct program_sensor *sensor = make_sensor(is, comes_late);
    program->no_memory |= !sensor;
    if (sensor)
        application_charge(applications, owner, octets_of(is));
    return sensor;
}

/* A sensor that gets its series later than it could have counts as one that comes late. */
static void find_series(struct program *program, struct applications *applications,
                        struct program_sensor *sensor)
{
    int error;
    if (sensor->series)
        return;
    sensor->series =
        application_series_get(applications, program->application, &sensor->is, &error);
    if (sensor->series) {
        sensor->part.pid = program->identity.pid;
        application_join(sensor->series, &sensor->part);
        return;
    }
    program->over_quota += error == EDQUOT;
    program->no_room += error == ENOSPC;
    program->clashing += error == EEXIST;
    program->no_memory |= error == ENOMEM;
    sensor->skips |= error != ENOMEM;
}

static bool make_room(struct program *program, uint32_t sensors)
{
    if (sensors <= program->sensors)
        return true;
    struct program_sensor **more =
        realloc(program->sensor, sensors * sizeof(struct program_sensor *));
    if (!more)
        return false;
    memset(more + program->sensors, 0,
           (sensors - program->sensors) * sizeof(struct program_sensor *));
    program->sensor = more;
    program->sensors = sensors;
    return true;
}

/* Another sensor has the same number: what was known of the first one is forgotten. */
static void follow_descriptor(struct program *program, struct applications *applications,
                              const struct segment *segment, uint32_t index, bool comes_late)
{
    const struct segment_descriptor *is = segment_sensor(segment, index);
    struct program_sensor **sensor = &program->sensor[index];
    if (*sensor && (!is || memcmp(is, &(*sensor)->is, sizeof *is) != 0)) {
        free_sensor(program, applications, *sensor, true);
        *sensor = NULL;
    }
    if (is && !*sensor)
        *sensor = admit_sensor(program, applications, is, comes_late);
    if (*sensor)
        find_series(program, applications, *sensor);
}

const struct segment_descriptor *program_descriptor(const void *context, uint32_t index)
{
    const struct program *program = context;
    const struct program_sensor *sensor = index < program->sensors ? program->sensor[index] : NULL;
    return sensor ? &sensor->is : NULL;
}

static void follow_descriptors(struct program *program, struct applications *applications,
                               const struct segment *segment)
{
    uint32_t sensors = segment_sensors(segment);
    /* The sensors for which there was no room have counted before, and it is not known which ones
     * they are. */
    bool comes_late = program->late || program->lacks_sensors;
    program->over_quota = program->clashing = program->no_room = 0;
    program->lacks_sensors = false;
    program->no_memory = !make_room(program, sensors);
    for (uint32_t i = 0; i < program->sensors; i++)
        follow_descriptor(program, applications, segment, i, comes_late);
}

/* -- Words ------------------------------------------------------------------------------------- */

static bool is_doubtful(const struct program_sensor *sensor, unsigned word)
{
    uint64_t grown = sensor->fresh[word] - sensor->word[word];
    if (!sensor->was_read || !(words_of[sensor->is.kind].grow >> word & 1))
        return false;
    if (sensor->fresh[word] < sensor->word[word])
        return true;
    return words_of[sensor->is.kind].count >> word & 1 && grown >= JUMP;
}

/* Whether all words are plausible. */
static bool look(const struct program *program, const struct segment *segment)
{
    bool is_sound = true;
    for (uint32_t i = 0; i < program->sensors; i++) {
        struct program_sensor *sensor = program->sensor[i];
        for (unsigned word = 0; sensor && word < sensor->is.words; word++) {
            sensor->fresh[word] = segment_word(segment, i, word);
            is_sound &= !is_doubtful(sensor, word);
        }
    }
    return is_sound;
}

/* A word that has fallen is taken to have begun anew: it is not known what it has counted since. */
static void take_words(struct program *program, struct program_sensor *sensor, bool adds)
{
    for (unsigned word = 0; word < sensor->is.words; word++) {
        if (!(words_of[sensor->is.kind].grow >> word & 1))
            continue;
        bool has_fallen = sensor->fresh[word] < sensor->word[word];
        if (has_fallen)
            program->fallen++;
        else if (adds)
            sensor->series->total[word] += sensor->fresh[word] - sensor->word[word];
    }
}

/* For kinds with buckets: which word counts the events, and which is their sum in nanoseconds; -1:
 * the sum is a double. */
static const struct {
    unsigned count;
    int nanoseconds;
} events_of[] = {
    [SEGMENT_TIMER] = {SEGMENT_TIMER_COUNT, SEGMENT_TIMER_NANOSECONDS},
    [SEGMENT_HISTOGRAM] = {SEGMENT_HISTOGRAM_COUNT, -1},
    [SEGMENT_STEP] = {SEGMENT_STEP_COUNT, SEGMENT_STEP_NANOSECONDS},
};

static double grown_word(const struct program_sensor *sensor, unsigned word)
{
    uint64_t now = sensor->fresh[word], before = sensor->word[word];
    return now > before ? (double)(now - before) : 0;
}

/* Takes what has grown according to the words that count. */
static void take_events(struct program_sensor *sensor)
{
    uint32_t kind = sensor->is.kind;
    if (segment_form(kind).kind != SEGMENT_BUCKETS)
        return;
    int nanoseconds = events_of[kind].nanoseconds;
    sensor->series->pending += grown_word(sensor, events_of[kind].count);
    if (nanoseconds >= 0)
        sensor->series->pending_sum += grown_word(sensor, (unsigned)nanoseconds) / (double)NS_PER_S;
}

/* Sums can be compared only if they are numbers. */
static void take_reals(const struct segment *segment, struct program_sensor *sensor, uint32_t index,
                       bool adds, bool tells)
{
    if (sensor->is.kind == SEGMENT_GAUGE)
        sensor->part.gauge = segment_real(segment, index, SEGMENT_GAUGE_VALUE);
    if (sensor->is.kind != SEGMENT_HISTOGRAM)
        return;
    double sum = segment_real(segment, index, SEGMENT_HISTOGRAM_SUM);
    double before = sensor->was_read ? sensor->real : 0;
    bool are_numbers = isfinite(sum) && isfinite(before);
    if (adds && are_numbers)
        sensor->series->sum += sum - before;
    if (tells && are_numbers)
        sensor->series->pending_sum += sum - before;
    sensor->real = sum;
}

/* -- Buckets ----------------------------------------------------------------------------------- */

/* Adds the values that came to a bucket to what has grown. 0, EDQUOT or ENOMEM. */
static int add_to_bucket(struct applications *applications, struct application_series *series,
                         uint32_t panel, unsigned i, uint32_t n)
{
    bool is_negative = panel >= SEGMENT_PANELS_OF_SIGN;
    uint32_t place = panel % SEGMENT_PANELS_OF_SIGN * SEGMENT_BUCKETS_IN_PANEL + i;
    if (place >= SEGMENT_BUCKETS_OF_SIGN)
        return 0;
    return application_grow(applications, series, is_negative, (int)place + SEGMENT_BUCKET_FIRST,
                            n);
}

static int take_bucket(struct applications *applications, struct program_sensor *sensor,
                       uint32_t panel, unsigned i, uint32_t fresh, bool tells)
{
    uint32_t *before = &sensor->bucket[panel][i], n = fresh - *before;
    if (n == 0)
        return 0;
    int error =
        tells && n < BUCKET_JUMP ? add_to_bucket(applications, sensor->series, panel, i, n) : 0;
    if (!error)
        *before = fresh;
    return error;
}

/* ENOMEM takes precedence over any other error, because the next reading has to make up for it. */
static int worse(int one, int other)
{
    return one == ENOMEM || other == 0 ? one : other;
}

_Static_assert(2 * SEGMENT_PANELS_OF_SIGN <= 64, "there is a bit for each panel");

/* 0, EDQUOT or ENOMEM. If there is no room now, what the panel has counted so far is told later
 * only if this reading would have told it. */
static int begin_panel(struct applications *applications, struct program_sensor *sensor,
                       uint32_t panel, bool tells)
{
    struct owner *owner = sensor->series->application->owner;
    int error = application_has_room(applications, owner, PANEL_OCTETS) ? 0 : EDQUOT;
    if (!error)
        sensor->bucket[panel] = calloc(1, PANEL_OCTETS);
    if (!error && !sensor->bucket[panel])
        error = ENOMEM;
    if (!error)
        application_charge(applications, owner, PANEL_OCTETS);
    if (error && !tells)
        sensor->late |= UINT64_C(1) << panel;
    return error;
}

/* Most buckets do not change, so many of them are compared at once. */
#define AT_ONCE 16

/* What there is no memory or no room for still counts as having grown at the next reading. */
static int take_panel(struct applications *applications, const struct segment *segment,
                      struct program_sensor *sensor, uint32_t index, uint32_t panel, bool tells)
{
    uint32_t fresh[SEGMENT_BUCKETS_IN_PANEL];
    if (!segment_buckets(segment, index, panel, fresh))
        return 0;
    int error = sensor->bucket[panel] ? 0 : begin_panel(applications, sensor, panel, tells);
    if (error)
        return error;
    const uint32_t *before = sensor->bucket[panel];
    tells &= !(sensor->late >> panel & 1);
    sensor->late &= ~(UINT64_C(1) << panel);
    for (unsigned i = 0; i < SEGMENT_BUCKETS_IN_PANEL; i += AT_ONCE) {
        if (memcmp(&fresh[i], &before[i], AT_ONCE * sizeof *fresh) == 0)
            continue;
        for (unsigned j = i; j < i + AT_ONCE; j++)
            error = worse(take_bucket(applications, sensor, panel, j, fresh[j], tells), error);
    }
    return error;
}

static void add_zeros(struct histogram *grown, uint64_t n)
{
    uint32_t room = UINT32_MAX - grown->zero, added = n < room ? (uint32_t)n : room;
    grown->zero += added;
    grown->count += added;
}

/* Returns whether there was room for all. */
static bool take_buckets(struct program *program, struct applications *applications,
                         const struct segment *segment, struct program_sensor *sensor,
                         uint32_t index, bool tells)
{
    bool had_room = true;
    if (segment_form(sensor->is.kind).kind != SEGMENT_BUCKETS)
        return true;
    for (uint32_t panel = 0; panel < sensor->is.panels; panel++) {
        int error = take_panel(applications, segment, sensor, index, panel, tells);
        program->no_memory |= error == ENOMEM;
        had_room &= error != EDQUOT;
    }
    uint64_t zeros = sensor->fresh[SEGMENT_HISTOGRAM_ZERO],
             before = sensor->word[SEGMENT_HISTOGRAM_ZERO];
    if (sensor->is.kind == SEGMENT_HISTOGRAM && tells && zeros > before)
        add_zeros(&sensor->series->grown, zeros - before);
    return had_room;
}

/* -- Tops and steps ---------------------------------------------------------------------------- */

/* Returns whether there was room for all. */
static bool take_keys(struct program *program, struct applications *applications,
                      const struct segment *segment, struct program_sensor *sensor, uint32_t index)
{
    struct top_keys keys = {0};
    if (!segment_keys(segment, index, &keys))
        return application_take_keys(applications, sensor->series, &sensor->part, &keys);
    program->no_memory = true;
    return true;
}

static void tell(const struct program *program, const struct program_observer *observer,
                 const struct segment_record *record)
{
    const struct program_sensor *sensor =
        record->descriptor < program->sensors ? program->sensor[record->descriptor] : NULL;
    if (observer && sensor && sensor->series)
        observer->stepped(observer->context, program, sensor->series, record);
}

static void take_ring(struct program *program, const struct segment *segment, unsigned shard,
                      const struct program_observer *observer)
{
    struct steps *steps = program->steps[shard];
    uint64_t lost = steps_advance(steps, segment_header(segment)->shard[shard].steps);
    program->lost += lost;
    program->application->lost += lost;
    /* The head may be the highest possible number. */
    for (uint64_t left = steps->head - steps->base; left > 0; left--) {
        uint64_t number = steps->head - left + 1;
        const struct segment_record *record =
            steps_was_taken(steps, number) ? NULL : segment_record(segment, shard, number);
        if (!record)
            continue;
        steps_take(steps, number);
        tell(program, observer, record);
    }
}

/* Records from before reading of records began are ignored. */
static void begin_ring(struct program *program, unsigned shard, uint64_t head)
{
    struct steps *steps = program->steps[shard] = calloc(1, sizeof *steps);
    bool is_old = program->late || (program->readings > 0 && !program->had_steps);
    if (!steps) {
        program->no_memory = true;
    } else if (is_old) {
        steps_skip(steps, head);
        program->application->unread += head;
    }
}

static void take_steps(struct program *program, const struct segment *segment,
                       const struct program_observer *observer)
{
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++) {
        uint64_t head = segment_header(segment)->shard[shard].steps;
        if (head > 0 && !program->steps[shard])
            begin_ring(program, shard, head);
        if (program->steps[shard])
            take_ring(program, segment, shard, observer);
    }
}

/* -- Threads ----------------------------------------------------------------------------------- */

/* For a gauge, the shard of the process says what it was set to, whatever that is. */
static bool has_counted(const struct program_sensor *sensor, const struct segment_part *part)
{
    if (sensor->is.kind == SEGMENT_GAUGE)
        return part->shard == 0;
    for (uint32_t word = 0; word < sensor->is.words; word++)
        if (part->word[word])
            return true;
    return false;
}

static void describe(struct application_thread *thread, const struct segment *segment,
                     const struct program_sensor *sensor, const struct segment_part *part)
{
    const struct segment_shard *shard = segment_shard(segment, part->shard);
    *thread = (struct application_thread){.shard = part->shard, .is_known = shard};
    memcpy(thread->word, part->word, sensor->is.words * sizeof *thread->word);
    if (!shard)
        return;
    thread->id = shard->thread;
    thread->threads = shard->epoch;
    memcpy(thread->name, shard->name, sizeof thread->name);
}

static void take_shares(struct program *program, struct applications *applications,
                        const struct segment *segment, uint32_t index)
{
    struct program_sensor *sensor = program->sensor[index];
    struct segment_part part[SEGMENT_SHARDS];
    struct application_thread thread[SEGMENT_SHARDS];
    unsigned threads = 0;
    size_t n = segment_parts(segment, index, part);
    for (size_t i = 0; i < n; i++)
        if (has_counted(sensor, &part[i]))
            describe(&thread[threads++], segment, sensor, &part[i]);
    if (application_share(applications, sensor->series, &sensor->part, thread, threads))
        program->no_memory = true;
}

/* Shares that nobody needs any more are dropped. */
static void take_threads(struct program *program, struct applications *applications,
                         const struct segment *segment, bool wants)
{
    for (uint32_t i = 0; i < program->sensors && (wants || program->had_threads); i++) {
        struct program_sensor *sensor = program->sensor[i];
        if (sensor && sensor->series && wants)
            take_shares(program, applications, segment, i);
        else if (sensor && sensor->series)
            application_share(applications, sensor->series, &sensor->part, NULL, 0);
    }
    program->had_threads = wants;
}

/* -- A reading --------------------------------------------------------------------------------- */

static void take_sensor(struct program *program, struct applications *applications,
                        const struct segment *segment, uint32_t index, unsigned wanted)
{
    struct program_sensor *sensor = program->sensor[index];
    if (!sensor || !sensor->series)
        return;
    bool tells = !sensor->skips;
    bool adds = tells || sensor->series->born == applications->pass;
    bool had_room = take_buckets(program, applications, segment, sensor, index, tells);
    take_words(program, sensor, adds);
    take_reals(segment, sensor, index, adds, tells);
    if (tells)
        take_events(sensor);
    if (sensor->is.kind == SEGMENT_TOP && wanted & PROGRAM_TOPS)
        had_room &= take_keys(program, applications, segment, sensor, index);
    program->no_room += !had_room;
    memcpy(sensor->word, sensor->fresh, sizeof sensor->word);
    sensor->was_read = true;
    sensor->skips = false;
}

/* Adds to the total by how much a count of the segment has grown. */
static void follow(uint32_t *count, uint32_t now, uint64_t *total)
{
    if (now > *count)
        *total += now - *count;
    *count = now;
}

static void take_header(struct program *program, const struct segment_header *header)
{
    memcpy(program->writer, header->writer, sizeof header->writer);
    text_clean(program->writer, sizeof program->writer, '?');
    program->is_closed = header->state == SEGMENT_CLOSED;
    follow(&program->refused, header->refused, &program->application->refused);
    follow(&program->crowded, header->crowded, &program->application->crowded);
    follow(&program->full, header->full, &program->application->full);
}

static bool is_of(const struct program *program, const struct segment_header *header)
{
    const struct program_identity *is = &program->identity;
    return is->pid == header->pid && is->start_time == header->start_time &&
           is->opened == header->opened && memcmp(is->name, header->name, sizeof is->name) == 0;
}

enum program_outcome program_read(struct program *program, struct applications *applications,
                                  const struct segment *segment, unsigned wanted, bool again,
                                  const struct program_observer *observer)
{
    if (!is_of(program, segment_header(segment)))
        return PROGRAM_REPLACED;
    follow_descriptors(program, applications, segment);
    if (!look(program, segment) && !again)
        return PROGRAM_DOUBTFUL;
    take_header(program, segment_header(segment));
    for (uint32_t i = 0; i < program->sensors; i++)
        take_sensor(program, applications, segment, i, wanted);
    take_threads(program, applications, segment, wanted & PROGRAM_THREADS);
    bool wants_steps = wanted & PROGRAM_STEPS, waits = program->no_memory;
    if (wants_steps && !waits) /* otherwise some may have no series yet */
        take_steps(program, segment, observer);
    program->had_steps = wants_steps && !(waits && program->late);
    program->late = false;
    program->readings++;
    return PROGRAM_TAKEN;
}

/* -- Its life ---------------------------------------------------------------------------------- */

struct program *program_new(struct applications *applications, struct owner *owner,
                            const struct segment *segment, bool late)
{
    const struct segment_header *header = segment_header(segment);
    struct application *application = application_get(applications, owner, header->name);
    struct program *program = application ? calloc(1, sizeof *program) : NULL;
    if (!program)
        return NULL;
    program->application = application;
    program->identity.pid = header->pid;
    program->identity.start_time = header->start_time;
    program->identity.opened = header->opened;
    memcpy(program->identity.name, header->name, sizeof program->identity.name);
    program->late = late;
    application->processes++;
    return program;
}

static void leave(struct program *program, struct applications *applications, bool is_over)
{
    if (!program)
        return;
    for (uint32_t i = 0; i < program->sensors; i++)
        free_sensor(program, applications, program->sensor[i], is_over);
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        free(program->steps[shard]);
    program->application->processes--;
    program->application->ended++;
    free(program->sensor);
    free(program);
}

void program_free(struct program *program, struct applications *applications)
{
    leave(program, applications, true);
}

void program_set_aside(struct program *program, struct applications *applications)
{
    leave(program, applications, false);
}

void program_comes_back(struct program *program)
{
    if (program->application->ended > 0)
        program->application->ended--;
}
