#include "load/engine.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "load/actor.h"
#include "load/due.h"
#include "load/reactor.h"
#include "load/sensors.h"
#include "load/source.h"
#include "load/walk.h"

#define BEGUN_BETWEEN_POLLS 64

struct worker {
    TAILQ_ENTRY(worker) link; /* in the list of running workers, or in that of free ones */
    struct engine *engine;
    unsigned number;
    struct actor **actor; /* one for each name, as in scenario.name; NULL if not needed yet */
    struct walk walk;     /* closed load */
    bool is_pausing;      /* closed load: what is due is the end of a pause, not an operation */
    uint32_t operation;   /* the one that is running or, in a closed load, is due */
    uint64_t intended_ns, begun_ns;
    struct dcamp_execution execution;
};

TAILQ_HEAD(workers, worker);

struct engine {
    const struct engine_load *load;
    const struct engine_observer *observer;
    struct engine_result *result;
    struct reactor reactor;
    struct reactor_watch stop, data;
    struct sensors sensors;
    struct hub **hub; /* one for each name */
    struct worker **worker;
    unsigned n_workers;
    struct workers running, free; /* the first of the running ones is the one that began first */
    uint64_t n_running;
    struct due due; /* closed load: the workers that are not running */
    struct source source;
    bool is_ending;   /* nothing more is begun */
    bool awaits_data; /* nothing is begun until there are more data */
    unsigned n_begun_unpolled;
    double level; /* workers, or arrivals per second */
    uint64_t sequence, n_ended, n_errors;
    uint64_t begin_ns, end_ns, second_ns, stage_begin_ns,
        stage_ns; /* second_ns and stage_ns: when the
                   * next second and stage end */
    struct tally second, stage;
};

static bool is_open_load(const struct engine *engine)
{
    return engine->load->rate > 0;
}

/* -- How an operation ends ------------------------------------------------------------------- */

/* Decides what the worker does next, and from when on. */
static void advance_worker(struct engine *engine, struct worker *worker, uint64_t from_ns)
{
    uint64_t what;
    enum walk_step step = walk_next(&worker->walk, &what);
    if (step == WALK_END)
        return;
    worker->is_pausing = step == WALK_PAUSE;
    if (worker->is_pausing)
        from_ns += what * NS_PER_MS;
    else
        worker->operation = (uint32_t)what;
    due_put(&engine->due, from_ns, worker);
}

static void stop_running(struct engine *engine, struct worker *worker)
{
    TAILQ_REMOVE(&engine->running, worker, link);
    engine->n_running--;
}

static void count(struct engine *engine, const struct worker *worker, uint64_t now_ns,
                  const struct failure *failure)
{
    uint64_t from_ns = is_open_load(engine) ? worker->intended_ns : worker->begun_ns;
    const struct tally_operation operation = {now_ns - from_ns,
                                              worker->begun_ns - worker->intended_ns, failure};
    const struct sensors_ending ending = {.operation = worker->operation,
                                          .execution = worker->execution,
                                          .response_ns = operation.response_ns,
                                          .lateness_ns = operation.lateness_ns,
                                          .failure = failure};
    tally_add(&engine->result->tally[worker->operation], &operation);
    tally_add(&engine->second, &operation);
    if (engine->load->ramp)
        tally_add(&engine->stage, &operation);
    sensors_end(&engine->sensors, &ending);
    engine->n_ended++;
    engine->n_errors += failure != NULL;
    engine->end_ns = now_ns;
}

static void end_operation(struct worker *worker, const struct failure *failure)
{
    struct engine *engine = worker->engine;
    uint64_t now_ns = clock_mono_ns();
    stop_running(engine, worker);
    count(engine, worker, now_ns, failure);
    if (is_open_load(engine))
        TAILQ_INSERT_HEAD(&engine->free, worker, link);
    else
        advance_worker(engine, worker, now_ns);
}

static void worker_ended(void *context, const struct failure *failure)
{
    end_operation(context, failure);
}

static void cancel(struct worker *worker)
{
    worker->actor[worker->operation]->hub->type->cancel(worker->actor[worker->operation]);
}

/* Returns NULL if nothing is known. */
static const char *why_late(const struct worker *worker)
{
    const struct actor *actor = worker->actor[worker->operation];
    return actor->hub->type->why_late ? actor->hub->type->why_late(actor) : NULL;
}

/* Ends the test because of an error here. */
static void break_off(struct engine *engine, const char *why)
{
    text_format(engine->result->why, sizeof engine->result->why, "%s", why);
    engine->is_ending = true;
}

static uint64_t timeout_at(const struct engine *engine)
{
    const struct worker *first = TAILQ_FIRST(&engine->running);
    return first ? first->begun_ns + engine->load->timeout_ns : UINT64_MAX;
}

/* An operation is not late if it has ended and only nobody has looked: something else may have
 * taken long, or this program may have stood still. The reactor reports events in batches; at most
 * as many batches are read as are needed for all running operations. */
static void look_once(struct engine *engine)
{
    uint64_t parts = engine->n_running / REACTOR_BATCH + 1;
    while (parts-- > 0 && reactor_poll(&engine->reactor))
        ;
}

static void end_late(struct engine *engine, uint64_t now_ns)
{
    struct failure failure = {.kind = FAILURE_TIMEOUT};
    if (timeout_at(engine) <= now_ns)
        look_once(engine);
    while (timeout_at(engine) <= now_ns) {
        struct worker *worker = TAILQ_FIRST(&engine->running);
        const char *why = why_late(worker);
        text_format(failure.text, sizeof failure.text, "not done within %.3f s%s%s",
                    (double)engine->load->timeout_ns / (double)NS_PER_S, why ? ": " : "",
                    why ? why : "");
        cancel(worker);
        end_operation(worker, &failure);
    }
}

/* Ends the test at that moment. Arrivals that were due before it, but found all workers busy, are
 * counted, because they are missing in the percentiles. */
static void begin_no_more(struct engine *engine, uint64_t end_ns)
{
    if (is_open_load(engine) && !engine->is_ending) {
        engine->result->overdue = source_skip(&engine->source, end_ns);
        engine->result->is_overdue_least = engine->source.at_ns < end_ns;
    }
    engine->is_ending = true;
}

/* Operations that are under way have no result. */
static void give_up(struct engine *engine)
{
    begin_no_more(engine, engine->end_ns);
    for (struct worker *worker; (worker = TAILQ_FIRST(&engine->running));) {
        cancel(worker);
        stop_running(engine, worker);
        sensors_give_up(&engine->sensors);
        engine->result->unfinished++;
    }
}

/* A signal has arrived. */
static void stop_ready(void *context, uint32_t events)
{
    struct engine *engine = context;
    struct signalfd_siginfo signal;
    (void)events;
    if (read(engine->stop.fd, &signal, sizeof signal) != sizeof signal)
        return;
    engine->result->signal = (int)signal.ssi_signo;
    engine->end_ns = clock_mono_ns();
    give_up(engine);
}

/* -- How an operation begins ----------------------------------------------------------------- */

/* Returns NULL if memory runs out. */
static struct actor *actor_of(struct engine *engine, struct worker *worker, uint32_t operation)
{
    struct actor *actor = worker->actor[operation];
    if (actor)
        return actor;
    actor = engine->hub[operation]->type->open(engine->hub[operation]);
    if (!actor)
        return NULL;
    actor->ended = worker_ended;
    actor->context = worker;
    worker->actor[operation] = actor;
    return actor;
}

/* There are more data, or their end. */
static void data_ready(void *context, uint32_t events)
{
    struct engine *engine = context;
    (void)events;
    reactor_remove(&engine->reactor, &engine->data);
    engine->awaits_data = false;
}

/* Whether there are data to begin an operation; if not, this is checked again when there are more.
 * The reactor waits for them together with everything else, so that the ends of operations are
 * noticed meanwhile. */
static bool has_data(struct engine *engine)
{
    struct data *data = engine->load->data;
    if (!data || data_is_ready(data))
        return true;
    engine->data = (struct reactor_watch){data_ready, engine, data_fd(data)};
    int error = reactor_add(&engine->reactor, &engine->data, EPOLLIN);
    engine->awaits_data = error == 0;
    if (error)
        break_off(engine, strerror(error));
    return false;
}

/* On false, there is no line, and the test ends. */
static bool take_data(struct engine *engine, const char **line)
{
    char why[FAILURE_TEXT] = "";
    *line = "";
    if (!engine->load->data)
        return true;
    switch (data_next(engine->load->data, line, why)) {
    case DATA_LINE:
        return true;
    case DATA_END:
        engine->result->is_data_ended = true;
        break;
    case DATA_BAD:
        text_format(engine->result->why, sizeof engine->result->why, "test data: %s", why);
        break;
    }
    engine->is_ending = true;
    return false;
}

/* The operation of the worker has been set. */
static void begin_operation(struct engine *engine, struct worker *worker, uint64_t intended_ns)
{
    static const struct failure no_memory = {FAILURE_MEMORY, "out of memory"};
    struct call call = {.worker = worker->number};
    if (!take_data(engine, &call.data))
        return;
    call.sequence = ++engine->sequence;
    struct actor *actor = actor_of(engine, worker, worker->operation);
    worker->intended_ns = intended_ns;
    worker->begun_ns = clock_mono_ns();
    worker->execution = sensors_begin(&engine->sensors, worker->operation, call.sequence);
    TAILQ_INSERT_TAIL(&engine->running, worker, link);
    engine->n_running++;
    if (actor)
        actor->hub->type->begin(actor, &call);
    else
        end_operation(worker, &no_memory);
}

static void begin_worker(struct engine *engine)
{
    uint64_t at_ns = due_at(&engine->due);
    struct worker *worker = due_take(&engine->due);
    if (worker->is_pausing)
        advance_worker(engine, worker, at_ns);
    else
        begin_operation(engine, worker, at_ns);
}

/* -- Arrivals -------------------------------------------------------------------------------- */

static struct worker *add_worker(struct engine *engine);

/* Returns NULL if all are busy. */
static struct worker *free_worker(struct engine *engine)
{
    struct worker *worker = TAILQ_FIRST(&engine->free);
    if (worker)
        TAILQ_REMOVE(&engine->free, worker, link);
    else if (engine->n_workers < engine->load->workers)
        worker = add_worker(engine);
    return worker;
}

static void begin_arrival(struct engine *engine)
{
    struct source *source = &engine->source;
    uint64_t at_ns = source->at_ns;
    if (source->is_pausing) {
        source_advance(source);
        return;
    }
    struct worker *worker = free_worker(engine);
    if (!worker) {
        break_off(engine, "out of memory for workers");
        return;
    }
    worker->operation = source->operation;
    begin_operation(engine, worker, at_ns);
    source_advance(source);
}

/* When something has to be begun; UINT64_MAX if there is nothing to begin, or no free worker. */
static uint64_t begin_at(const struct engine *engine)
{
    if (engine->is_ending || engine->awaits_data)
        return UINT64_MAX;
    if (!is_open_load(engine))
        return due_at(&engine->due);
    bool can_begin = engine->source.is_pausing || !TAILQ_EMPTY(&engine->free) ||
                     engine->n_workers < engine->load->workers;
    return can_begin ? engine->source.at_ns : UINT64_MAX;
}

/* -- Workers --------------------------------------------------------------------------------- */

static void free_worker_memory(struct engine *engine, struct worker *worker)
{
    for (uint32_t i = 0; worker->actor && i < engine->load->scenario->n_names; i++)
        if (worker->actor[i])
            worker->actor[i]->hub->type->close(worker->actor[i]);
    walk_close(&worker->walk);
    free(worker->actor);
    free(worker);
}

/* Returns NULL if memory runs out. */
static struct worker *new_worker(struct engine *engine)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->engine = engine;
    worker->number = engine->n_workers;
    worker->actor = calloc(engine->load->scenario->n_names, sizeof *worker->actor);
    if (worker->actor && (is_open_load(engine) || walk_open(&worker->walk, engine->load->scenario,
                                                            engine->load->seed + worker->number)))
        return worker;
    free_worker_memory(engine, worker);
    return NULL;
}

/* Adds a worker that is neither running nor free nor due. */
static struct worker *add_worker(struct engine *engine)
{
    size_t n = engine->n_workers + 1;
    struct worker **grown = reallocarray(engine->worker, n, sizeof *grown);
    if (!grown)
        return NULL;
    engine->worker = grown;
    struct worker *worker = due_reserve(&engine->due, n) ? new_worker(engine) : NULL;
    if (worker)
        engine->worker[engine->n_workers++] = worker;
    return worker;
}

/* Closed load: adds workers up to n, which begin now. Returns false if memory runs out. */
static bool add_workers(struct engine *engine, unsigned n, uint64_t now_ns)
{
    while (engine->n_workers < n) {
        struct worker *worker = add_worker(engine);
        if (!worker)
            return false;
        advance_worker(engine, worker, now_ns);
    }
    return true;
}

static bool set_level(struct engine *engine, double level, uint64_t now_ns)
{
    engine->level = level;
    if (!is_open_load(engine))
        return add_workers(engine, (unsigned)level, now_ns);
    source_set_rate(&engine->source, level, now_ns);
    return true;
}

/* -- Seconds and stages ---------------------------------------------------------------------- */

static double seconds_since(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (double)(to_ns - from_ns) / (double)NS_PER_S : 0;
}

static void end_second(struct engine *engine, uint64_t now_ns)
{
    const struct engine_second second = {.seconds = seconds_since(engine->begin_ns, now_ns),
                                         .tally = &engine->second,
                                         .operations = engine->n_ended,
                                         .errors = engine->n_errors,
                                         .running = engine->n_running,
                                         .level = engine->level};
    char why[FAILURE_TEXT];
    if (!engine->observer->second(engine->observer->context, &second, why))
        break_off(engine, why);
    tally_reset(&engine->second);
    while (engine->second_ns <= now_ns)
        engine->second_ns += NS_PER_S;
}

/* Ends the present stage and records what it measured. Returns the level of the next one. */
static double measure_stage(struct engine *engine, uint64_t now_ns, bool is_cut)
{
    struct ramp *ramp = engine->load->ramp;
    double seconds = seconds_since(engine->stage_begin_ns, now_ns);
    uint64_t good = engine->stage.operations - engine->stage.errors;
    const struct ramp_stage stage = {.level = engine->level,
                                     .throughput = seconds > 0 ? (double)good / seconds : 0,
                                     .percentile =
                                         tally_quantile(&engine->stage.response, ramp->quantile),
                                     .operations = engine->stage.operations,
                                     .errors = engine->stage.errors,
                                     .is_cut = is_cut};
    tally_reset(&engine->stage);
    return ramp_next(ramp, &stage);
}

static void end_stage(struct engine *engine, uint64_t now_ns)
{
    struct ramp *ramp = engine->load->ramp;
    double level = measure_stage(engine, now_ns, false);
    engine->stage_begin_ns = now_ns;
    engine->stage_ns = now_ns + ramp->stage_ns;
    if (ramp->end != RAMP_GOES_ON) {
        begin_no_more(engine, now_ns);
        engine->stage_ns = UINT64_MAX;
    } else if (!set_level(engine, level, now_ns)) {
        break_off(engine, "out of memory for workers");
    }
}

static uint64_t duration_end(const struct engine *engine)
{
    return engine->load->duration_ns ? engine->begin_ns + engine->load->duration_ns : UINT64_MAX;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* When something other than beginning an operation has to be done. */
static uint64_t other_at(const struct engine *engine)
{
    uint64_t at_ns = least_of(engine->second_ns, timeout_at(engine));
    return least_of(at_ns, engine->is_ending ? UINT64_MAX
                                             : least_of(engine->stage_ns, duration_end(engine)));
}

static void do_other(struct engine *engine, uint64_t now_ns)
{
    end_late(engine, now_ns);
    if (now_ns >= duration_end(engine))
        begin_no_more(engine, duration_end(engine));
    if (now_ns >= engine->second_ns)
        end_second(engine, now_ns);
    if (now_ns >= engine->stage_ns && !engine->is_ending)
        end_stage(engine, now_ns);
}

/* -- The test -------------------------------------------------------------------------------- */

/* Whether what is due is the end of a pause, which needs no data. */
static bool is_pause_due(const struct engine *engine)
{
    if (is_open_load(engine))
        return engine->source.is_pausing;
    return ((const struct worker *)due_first(&engine->due))->is_pausing;
}

/* Operations that are due are begun before the ends of others are looked at, so that as many are
 * under way as there should be. But after BEGUN_BETWEEN_POLLS of them, the ends are looked at, so
 * that these do not wait long. */
static void begin_due(struct engine *engine)
{
    if (!is_pause_due(engine) && !has_data(engine))
        return;
    if (is_open_load(engine))
        begin_arrival(engine);
    else
        begin_worker(engine);
    if (++engine->n_begun_unpolled < BEGUN_BETWEEN_POLLS)
        return;
    engine->n_begun_unpolled = 0;
    reactor_poll(&engine->reactor);
}

/* Nothing is running, and nothing more will begin. */
static bool is_over(const struct engine *engine)
{
    if (engine->n_running > 0)
        return false;
    return engine->is_ending ||
           (is_open_load(engine) ? engine->source.at_ns == UINT64_MAX : engine->due.n == 0);
}

static void go(struct engine *engine)
{
    while (!is_over(engine)) {
        uint64_t now_ns = clock_mono_ns();
        if (now_ns >= other_at(engine))
            do_other(engine, now_ns);
        else if (now_ns >= begin_at(engine))
            begin_due(engine);
        else
            reactor_wait(&engine->reactor, begin_at(engine), other_at(engine));
    }
}

/* If a ramp has not ended by itself, it nevertheless gets a last stage, however short. */
static void finish_ramp(struct engine *engine)
{
    struct ramp *ramp = engine->load->ramp;
    if (!ramp || ramp->end != RAMP_GOES_ON)
        return;
    measure_stage(engine, engine->end_ns, true);
    ramp->end = engine->result->signal || engine->result->why[0] ? RAMP_GOES_ON : RAMP_SCENARIO;
}

static bool begin_load(struct engine *engine)
{
    const struct engine_load *load = engine->load;
    uint64_t now_ns = clock_mono_ns();
    engine->begin_ns = engine->end_ns = engine->stage_begin_ns = now_ns;
    engine->second_ns = now_ns + NS_PER_S;
    engine->stage_ns = load->ramp ? now_ns + load->ramp->stage_ns : UINT64_MAX;
    if (!is_open_load(engine))
        return set_level(engine, load->workers, now_ns);
    const struct source_options options = {load->rate, load->is_poisson, load->seed};
    engine->level = load->rate;
    return source_open(&engine->source, load->scenario, &options, now_ns);
}

static int fail(struct engine *engine, int error, const char *text)
{
    text_format(engine->result->why, sizeof engine->result->why, "%s", text);
    return error;
}

static bool is_first_of_its_kind(const struct engine_load *load, uint32_t i)
{
    for (uint32_t before = 0; before < i; before++)
        if (load->action[before]->kind == load->action[i]->kind)
            return false;
    return true;
}

static const struct actor_type *const types[] = {
    [ACTION_NOTHING] = &nothing_type, [ACTION_PROGRAM] = &program_type,
    [ACTION_URL] = &url_type,         [ACTION_LINE] = &line_type,
    [ACTION_SNMP] = &snmp_type,       [ACTION_OBJECT] = &object_type,
};

static struct hub *prepare_action(struct engine *engine, uint32_t i, char why[FAILURE_TEXT])
{
    const struct action *action = engine->load->action[i];
    const struct actor_type *type = types[action->kind];
    if (type->start && is_first_of_its_kind(engine->load, i))
        type->start();
    return type->prepare(action, &engine->reactor, why);
}

/* Prepares what the actions need. Returns EINVAL if one of them cannot be done. */
static int prepare(struct engine *engine)
{
    const struct engine_load *load = engine->load;
    char why[FAILURE_TEXT] = "";
    engine->hub = calloc(load->scenario->n_names, sizeof(struct hub *));
    if (!engine->hub)
        return fail(engine, ENOMEM, "out of memory");
    for (uint32_t i = 0; i < load->scenario->n_names; i++) {
        engine->hub[i] = prepare_action(engine, i, why);
        if (!engine->hub[i]) {
            text_format(engine->result->why, sizeof engine->result->why, "operation %s: %s",
                        load->action[i]->name, why);
            return EINVAL;
        }
    }
    return 0;
}

static int open_engine(struct engine *engine)
{
    const struct engine_load *load = engine->load;
    TAILQ_INIT(&engine->running);
    TAILQ_INIT(&engine->free);
    engine->result->tally = calloc(load->scenario->n_names, sizeof *engine->result->tally);
    if (!engine->result->tally)
        return fail(engine, ENOMEM, "out of memory");
    int error = reactor_open(&engine->reactor);
    if (error)
        return fail(engine, error, strerror(error));
    engine->stop = (struct reactor_watch){stop_ready, engine, load->stop_fd};
    error = reactor_add(&engine->reactor, &engine->stop, EPOLLIN);
    if (error)
        return fail(engine, error, strerror(error));
    error = prepare(engine);
    if (error)
        return error;
    return sensors_open(&engine->sensors, load->application, load->scenario)
               ? 0
               : fail(engine, ENOMEM, "out of memory");
}

static void close_engine(struct engine *engine)
{
    for (unsigned i = 0; i < engine->n_workers; i++)
        free_worker_memory(engine, engine->worker[i]);
    for (uint32_t i = 0; engine->hub && i < engine->load->scenario->n_names; i++)
        if (engine->hub[i])
            engine->hub[i]->type->finish(engine->hub[i]);
    free(engine->hub);
    free(engine->worker);
    due_release(&engine->due);
    source_close(&engine->source);
    tally_release(&engine->second);
    tally_release(&engine->stage);
    sensors_close(&engine->sensors);
    reactor_close(&engine->reactor);
}

/* Returns 0, or ECANCELED if the observer does not want the test to begin; why says the reason. */
static int tell_begin(struct engine *engine)
{
    const struct engine_observer *observer = engine->observer;
    if (!observer->begin || observer->begin(observer->context, engine->result->why))
        return 0;
    return ECANCELED;
}

int engine_run(const struct engine_load *load, const struct engine_observer *observer,
               struct engine_result *result)
{
    struct engine engine = {.load = load,
                            .observer = observer,
                            .result = result,
                            .reactor = {.fd = -1},
                            .source = {.at_ns = UINT64_MAX}}; /* nothing is due yet */
    *result = (struct engine_result){0};
    int error = open_engine(&engine);
    if (!error)
        error = tell_begin(&engine);
    if (!error && !begin_load(&engine))
        error = fail(&engine, ENOMEM, "out of memory");
    if (!error) {
        go(&engine);
        finish_ramp(&engine);
        result->seconds = seconds_since(engine.begin_ns, engine.end_ns);
    }
    close_engine(&engine);
    if (error)
        engine_result_release(result, load->scenario);
    return error;
}

void engine_result_release(struct engine_result *result, const struct scenario *scenario)
{
    for (uint32_t i = 0; result->tally && i < scenario->n_names; i++)
        tally_release(&result->tally[i]);
    free(result->tally);
    result->tally = NULL;
}
