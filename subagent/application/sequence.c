#include "application/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <sys/queue.h>

#define NS_IN_SECOND 1e9

/* -- Figures of a step ------------------------------------------------------------------------- */

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

struct step_figures step_figures_of(const struct step_sums *sums)
{
    double busy = (double)sums->busy_ns / NS_IN_SECOND, ended = (double)sums->ended;
    struct step_figures figures = {
        .runtime = ratio(busy, ended),
        .throughput = sums->ended > 0 ? ratio(ended, busy) : NAN,
        .arrivals = ratio((double)sums->begun, sums->seconds),
        .completions = ratio(ended, sums->seconds),
        .failures = ratio((double)sums->failed, ended),
    };
    figures.offered_load = ratio(figures.arrivals, figures.throughput);
    return figures;
}

/* -- What waits -------------------------------------------------------------------------------- */

struct kept {
    SLIST_ENTRY(kept) link;
    struct sequence_record record;
};
SLIST_HEAD(kept_list, kept);

/* A sequence that is not complete yet. A lost one keeps a record, so that there are never more
 * sequences than records, and is dropped when it would be complete otherwise. */
struct waiting {
    UT_hash_handle hh;
    TAILQ_ENTRY(waiting) link;
    uint64_t sequence;
    uint64_t heard_ns; /* when its last record came */
    bool is_lost;
    unsigned n;
    struct kept_list records;
};

struct sequences {
    struct sequence_bounds bounds;
    struct kept *room; /* holds all records */
    struct kept_list spare;
    size_t records;
    struct waiting *by_sequence;
    TAILQ_HEAD(waiting_list, waiting) oldest; /* ordered by heard_ns */
    struct sequence_step *steps;
    struct sequence_latency *latencies;
    struct sequence_totals totals;
};

static void give_back(struct sequences *sequences, struct waiting *waiting)
{
    struct kept *kept = SLIST_FIRST(&waiting->records);
    SLIST_REMOVE_HEAD(&waiting->records, link);
    SLIST_INSERT_HEAD(&sequences->spare, kept, link);
    waiting->n--;
    sequences->records--;
}

static void end_waiting(struct sequences *sequences, struct waiting *waiting)
{
    while (waiting->n > 0)
        give_back(sequences, waiting);
    TAILQ_REMOVE(&sequences->oldest, waiting, link);
    HASH_DEL(sequences->by_sequence, waiting);
    free(waiting);
}

static void lose(struct sequences *sequences, struct waiting *waiting)
{
    sequences->totals.lost += !waiting->is_lost;
    waiting->is_lost = true;
    while (waiting->n > 1)
        give_back(sequences, waiting);
}

static struct waiting *make_waiting(struct sequences *sequences, uint64_t sequence)
{
    struct waiting *waiting = calloc(1, sizeof *waiting);
    if (!waiting)
        return NULL;
    waiting->sequence = sequence;
    SLIST_INIT(&waiting->records);
    HASH_ADD(hh, sequences->by_sequence, sequence, sizeof waiting->sequence, waiting);
    if (table_has(hh, waiting)) {
        TAILQ_INSERT_TAIL(&sequences->oldest, waiting, link);
        return waiting;
    }
    free(waiting);
    return NULL;
}

/* Ensures that there is room for one more record: if there is none, the oldest sequence is dropped.
 * The oldest one is never this one, because there is room for more records than one sequence can
 * have. */
static struct waiting *find_or_make(struct sequences *sequences, uint64_t sequence)
{
    struct waiting *waiting;
    HASH_FIND(hh, sequences->by_sequence, &sequence, sizeof sequence, waiting);
    if (waiting) {
        TAILQ_REMOVE(&sequences->oldest, waiting, link);
        TAILQ_INSERT_TAIL(&sequences->oldest, waiting, link);
    } else {
        waiting = make_waiting(sequences, sequence);
    }
    while (waiting && !waiting->is_lost && SLIST_EMPTY(&sequences->spare)) {
        struct waiting *oldest = TAILQ_FIRST(&sequences->oldest);
        lose(sequences, oldest);
        end_waiting(sequences, oldest);
    }
    return waiting;
}

static void wait_for_next(struct sequences *sequences, const struct sequence_record *record,
                          uint64_t now_ns)
{
    struct waiting *waiting = find_or_make(sequences, record->sequence);
    if (!waiting) {
        sequences->totals.lost++;
        return;
    }
    waiting->heard_ns = now_ns;
    if (waiting->n == SEQUENCE_RECORDS_MAX)
        lose(sequences, waiting);
    if (waiting->is_lost)
        return;
    struct kept *kept = SLIST_FIRST(&sequences->spare);
    SLIST_REMOVE_HEAD(&sequences->spare, link);
    kept->record = *record;
    SLIST_INSERT_HEAD(&waiting->records, kept, link);
    waiting->n++;
    sequences->records++;
}

/* -- Figures ----------------------------------------------------------------------------------- */

static struct sequence_step *find_or_make_step(struct sequences *sequences, uint32_t number)
{
    struct sequence_step *step;
    HASH_FIND(hh, sequences->steps, &number, sizeof number, step);
    if (step || HASH_COUNT(sequences->steps) >= SEQUENCE_STEPS_MAX)
        return step;
    step = calloc(1, sizeof *step);
    if (!step)
        return NULL;
    step->step = number;
    HASH_ADD(hh, sequences->steps, step, sizeof step->step, step);
    if (table_has(hh, step))
        return step;
    free(step);
    return NULL;
}

static void count_execution(struct sequences *sequences, const struct sequence_record *record)
{
    struct sequence_step *step = find_or_make_step(sequences, record->step);
    double runtime = (double)record->duration_ns / NS_IN_SECOND;
    if (!step || statistics_window_add(&step->runtime, runtime) != 0)
        sequences->totals.left_out++;
    else
        step->failed += record->result != 0;
}

static struct sequence_latency *find_latency(const struct sequences *sequences, uint32_t from,
                                             uint32_t to)
{
    const struct sequence_latency_key key = {from, to};
    struct sequence_latency *latency;
    HASH_FIND(hh, sequences->latencies, &key, sizeof key, latency);
    return latency;
}

static struct sequence_latency *find_or_make_latency(struct sequences *sequences, uint32_t from,
                                                     uint32_t to)
{
    struct sequence_latency *latency = find_latency(sequences, from, to);
    if (latency || HASH_COUNT(sequences->latencies) >= SEQUENCE_LATENCIES_MAX)
        return latency;
    latency = calloc(1, sizeof *latency);
    if (!latency)
        return NULL;
    latency->key = (struct sequence_latency_key){from, to};
    HASH_ADD(hh, sequences->latencies, key, sizeof latency->key, latency);
    if (table_has(hh, latency))
        return latency;
    free(latency);
    return NULL;
}

/* A program may state anything, so the sum may overflow. */
static uint64_t end_of(const struct sequence_record *record)
{
    uint64_t end;
    return __builtin_add_overflow(record->start_ns, record->duration_ns, &end) ? UINT64_MAX : end;
}

static double seconds_between(uint64_t from_ns, uint64_t to_ns)
{
    return (from_ns <= to_ns ? (double)(to_ns - from_ns) : -(double)(from_ns - to_ns)) /
           NS_IN_SECOND;
}

static void count_latency(struct sequences *sequences, const struct sequence_record *before,
                          const struct sequence_record *after)
{
    struct sequence_latency *latency = find_or_make_latency(sequences, before->step, after->step);
    double seconds = seconds_between(end_of(before), after->start_ns);
    bool is_across = before->node != after->node;
    if (!latency || statistics_window_add(&latency->latency, seconds) != 0) {
        sequences->totals.left_out++;
        return;
    }
    latency->across += is_across;
    latency->negative += seconds < 0;
    latency->negative_across += seconds < 0 && is_across;
}

static void count_whole(struct sequences *sequences, uint64_t begin_ns, uint64_t end_ns)
{
    double seconds = seconds_between(begin_ns, end_ns);
    if (statistics_window_add(&sequences->totals.whole, seconds) != 0)
        sequences->totals.left_out++;
    else
        sequences->totals.negative += seconds < 0;
}

/* By place, then by the beginning, then by the end; the rest only ensures that the order is always
 * the same. */
static int compare(const void *a, const void *b)
{
    const struct sequence_record *x = *(const struct sequence_record *const *)a;
    const struct sequence_record *y = *(const struct sequence_record *const *)b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (end_of(x) != end_of(y))
        return end_of(x) < end_of(y) ? -1 : 1;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void count_sequence(struct sequences *sequences, const struct waiting *waiting)
{
    const struct sequence_record *record[SEQUENCE_RECORDS_MAX];
    const struct kept *kept;
    unsigned n = 0;
    uint64_t last_ns = 0;
    bool has_failed = false;
    SLIST_FOREACH(kept, &waiting->records, link)
    record[n++] = &kept->record;
    qsort(record, n, sizeof *record, compare);
    for (unsigned i = 0; i < n; i++) {
        uint64_t end_ns = end_of(record[i]);
        has_failed |= record[i]->result != 0;
        if (record[i]->place == record[n - 1]->place && end_ns > last_ns)
            last_ns = end_ns;
        if (i > 0)
            count_latency(sequences, record[i - 1], record[i]);
    }
    count_whole(sequences, record[0]->start_ns, last_ns);
    sequences->totals.complete++;
    sequences->totals.failed += has_failed;
}

/* -- From outside ------------------------------------------------------------------------------ */

struct sequences *sequences_new(const struct sequence_bounds *bounds)
{
    struct sequences *sequences = calloc(1, sizeof *sequences);
    struct kept *room = NULL;
    if (sequences && bounds->records > SEQUENCE_RECORDS_MAX)
        room = calloc(bounds->records, sizeof *room);
    if (!room) {
        free(sequences);
        return NULL;
    }
    sequences->bounds = *bounds;
    sequences->room = room;
    SLIST_INIT(&sequences->spare);
    for (size_t i = bounds->records; i-- > 0;)
        SLIST_INSERT_HEAD(&sequences->spare, &room[i], link);
    TAILQ_INIT(&sequences->oldest);
    return sequences;
}

void sequences_free(struct sequences *sequences)
{
    if (!sequences)
        return;
    while (!TAILQ_EMPTY(&sequences->oldest))
        end_waiting(sequences, TAILQ_FIRST(&sequences->oldest));
    sequences_begin(sequences);
    free(sequences->room);
    free(sequences);
}

void sequences_begin(struct sequences *sequences)
{
    struct sequence_step *step, *next_step;
    struct sequence_latency *latency, *next_latency;
    HASH_ITER(hh, sequences->steps, step, next_step)
    {
        HASH_DEL(sequences->steps, step);
        statistics_window_release(&step->runtime);
        free(step);
    }
    HASH_ITER(hh, sequences->latencies, latency, next_latency)
    {
        HASH_DEL(sequences->latencies, latency);
        statistics_window_release(&latency->latency);
        free(latency);
    }
    statistics_window_release(&sequences->totals.whole);
    sequences->totals = (struct sequence_totals){.complete = 0};
}

void sequences_add(struct sequences *sequences, const struct sequence_record *record,
                   uint64_t now_ns)
{
    count_execution(sequences, record);
    if (record->sequence != 0)
        wait_for_next(sequences, record, now_ns);
}

void sequences_settle(struct sequences *sequences, uint64_t now_ns)
{
    struct waiting *oldest;
    while ((oldest = TAILQ_FIRST(&sequences->oldest)) &&
           now_ns - oldest->heard_ns >= sequences->bounds.settle_ns) {
        if (!oldest->is_lost)
            count_sequence(sequences, oldest);
        end_waiting(sequences, oldest);
    }
}

void sequences_settle_after(struct sequences *sequences, uint64_t settle_ns)
{
    sequences->bounds.settle_ns = settle_ns;
}

const struct sequence_totals *sequences_totals(const struct sequences *sequences)
{
    return &sequences->totals;
}

const struct sequence_step *sequences_steps(const struct sequences *sequences)
{
    return sequences->steps;
}

const struct sequence_latency *sequences_latencies(const struct sequences *sequences)
{
    return sequences->latencies;
}

const struct sequence_latency *sequences_latency(const struct sequences *sequences, uint32_t from,
                                                 uint32_t to)
{
    return find_latency(sequences, from, to);
}

size_t sequences_waiting(const struct sequences *sequences, size_t *records)
{
    *records = sequences->records;
    return HASH_COUNT(sequences->by_sequence);
}
