/* The scalars and the tables of dcampApplications: what programs publish. */
#include <math.h>
#include <stdlib.h>

#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "children/children.h"
#include "daemon/listed.h"
#include "daemon/self.h"

/* The core makes the rows only while somebody reads them. */
static void ask(const struct view *view, enum listing_kind kind)
{
    if (listed_ask(view->listed, kind))
        view_wake(view);
}

/* -- Scalars ---------------------------------------------------------------------------------- */

static bool top_size(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->listed->top_size);
}

/* The age of the rows of a table, in milliseconds. */
static bool age_of(const struct view *view, enum listing_kind kind, struct mib_value *value)
{
    uint64_t made_ns = view->listed->made_ns[kind];
    uint64_t age_ms = view->now.mono_ns > made_ns ? (view->now.mono_ns - made_ns) / NS_PER_MS : 0;
    return made_ns > 0 && give_number(value, age_ms < UINT32_MAX ? age_ms : UINT32_MAX);
}

static bool age(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return age_of(view, LISTING_APPLICATIONS, value);
}

static bool sensor_age(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return age_of(view, LISTING_SENSORS, value);
}

static bool top_age(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return age_of(view, LISTING_TOPS, value);
}

static bool thread_age(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return age_of(view, LISTING_THREADS, value);
}

static bool complaints(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_text(value, view->listed->complaints);
}

static bool left_out(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    size_t rows = 0;
    for (int kind = 0; kind < LISTINGS; kind++)
        rows += view->listed->listing[kind].left_out;
    return give_number(value, rows);
}

static bool records_lost(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->children->records_lost);
}

static bool records_before(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->children->records_before);
}

static bool records_left_out(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->self->records_left_out);
}

static bool records_unreported(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->self->records_unreported);
}

/* A SET of dcampTopSize. */
struct step {
    struct listed *listed;
    unsigned size, before;
};

static void *begin(const struct view *view, const void *row)
{
    (void)row;
    struct step *step = calloc(1, sizeof *step);
    if (step)
        *step = (struct step){.listed = view->listed};
    return step;
}

static enum set_error take(void *context, enum mib_object object, const struct set_varbind *varbind,
                           char text[FAULT_SIZE])
{
    (void)object;
    (void)text;
    ((struct step *)context)->size = (unsigned)varbind->number;
    return SET_OK;
}

static enum set_error test(void *context, char text[FAULT_SIZE])
{
    (void)context;
    (void)text;
    return SET_OK;
}

static bool commit(void *context)
{
    struct step *step = context;
    step->before = atomic_exchange(&step->listed->top_size, step->size);
    return true;
}

static void undo(void *context)
{
    struct step *step = context;
    atomic_store(&step->listed->top_size, step->before);
}

static bool is_saved(const void *context)
{
    (void)context;
    return true;
}

static const struct table_steps steps = {begin, take, test, commit, undo, is_saved, free};

static const struct column scalars[] = {
    {MIB_dcampTopSize, top_size, NULL},
    {MIB_dcampApplicationAge, age, NULL},
    {MIB_dcampApplicationSensorAge, sensor_age, NULL},
    {MIB_dcampTopAge, top_age, NULL},
    {MIB_dcampApplicationsError, complaints, NULL},
    {MIB_dcampApplicationsLeftOut, left_out, NULL},
    {MIB_dcampApplicationThreadAge, thread_age, NULL},
    {MIB_dcampStepRecordsLost, records_lost, NULL},
    {MIB_dcampStepRecordsBefore, records_before, NULL},
    {MIB_dcampStepRecordsLeftOut, records_left_out, NULL},
    {MIB_dcampStepRecordsUnreported, records_unreported, NULL},
};

const struct table table_application_head = {
    .object = MIB_dcampApplications,
    .columns = scalars,
    .n_columns = sizeof scalars / sizeof *scalars,
    .steps = &steps,
};

/* -- Applications ----------------------------------------------------------------------------- */

static bool processes(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_application *)row)->processes);
}

static bool ended(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_application *)row)->ended);
}

static bool sensors(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_application *)row)->sensors);
}

static bool lost(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_application *)row)->lost);
}

static bool unreported(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_application *)row)->unreported);
}

static bool unread(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_application *)row)->unread);
}

static bool refused(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_application *)row)->refused);
}

static bool crowded(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_application *)row)->crowded);
}

static bool full(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_application *)row)->full);
}

static bool error(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct listed_application *)row)->error);
}

static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    return give_stamp(view, value, ((const struct listed_application *)row)->since_ns);
}

static void applications_read(const struct view *view)
{
    ask(view, LISTING_APPLICATIONS);
}

static const struct index *applications(const struct view *view)
{
    return &view->listed->listing[LISTING_APPLICATIONS].index;
}

static const struct column application_columns[] = {
    {MIB_dcampApplicationProcesses, processes, NULL},
    {MIB_dcampApplicationEnded, ended, NULL},
    {MIB_dcampApplicationSensors, sensors, NULL},
    {MIB_dcampApplicationLost, lost, NULL},
    {MIB_dcampApplicationRefused, refused, NULL},
    {MIB_dcampApplicationCrowded, crowded, NULL},
    {MIB_dcampApplicationFull, full, NULL},
    {MIB_dcampApplicationError, error, NULL},
    {MIB_dcampApplicationSince, since, NULL},
    {MIB_dcampApplicationUnreported, unreported, NULL},
    {MIB_dcampApplicationUnread, unread, NULL},
};

const struct table table_application = {
    .object = MIB_dcampApplicationTable,
    .rows = applications,
    .touched = applications_read,
    .columns = application_columns,
    .n_columns = sizeof application_columns / sizeof *application_columns,
};

/* -- Their sensors ---------------------------------------------------------------------------- */

static bool kind(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ((const struct listed_sensor *)row)->kind);
}

static bool unit(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct listed_sensor *)row)->unit);
}

static bool purpose(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct listed_sensor *)row)->purpose);
}

static bool count(const struct view *view, const void *row, struct mib_value *value)
{
    const struct listed_sensor *sensor = row;
    (void)view;
    return sensor->kind != SEGMENT_GAUGE && give_number(value, sensor->count);
}

static bool path(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct listed_sensor *)row)->path);
}

static bool sensor_since(const struct view *view, const void *row, struct mib_value *value)
{
    return give_stamp(view, value, ((const struct listed_sensor *)row)->since_ns);
}

static void sensors_read(const struct view *view)
{
    ask(view, LISTING_SENSORS);
}

static const struct index *application_sensors(const struct view *view)
{
    return &view->listed->listing[LISTING_SENSORS].index;
}

static const struct column sensor_columns[] = {
    {MIB_dcampApplicationSensorKind, kind, NULL},
    {MIB_dcampApplicationSensorUnit, unit, NULL},
    {MIB_dcampApplicationSensorPurpose, purpose, NULL},
    {MIB_dcampApplicationSensorCount, count, NULL},
    {MIB_dcampApplicationSensorPath, path, NULL},
    {MIB_dcampApplicationSensorSince, sensor_since, NULL},
};

const struct table table_application_sensor = {
    .object = MIB_dcampApplicationSensorTable,
    .rows = application_sensors,
    .touched = sensors_read,
    .columns = sensor_columns,
    .n_columns = sizeof sensor_columns / sizeof *sensor_columns,
};

/* -- The keys that have most ------------------------------------------------------------------- */

static bool key(const struct view *view, const void *row, struct mib_value *value)
{
    const struct listed_top *top = row;
    (void)view;
    return give_octets(value, top->octets, top->len);
}

static bool key_count(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_top *)row)->count);
}

static bool key_error(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct listed_top *)row)->error);
}

static bool guaranteed(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_truth(value, ((const struct listed_top *)row)->is_guaranteed);
}

static void tops_read(const struct view *view)
{
    ask(view, LISTING_TOPS);
}

static const struct index *tops(const struct view *view)
{
    return &view->listed->listing[LISTING_TOPS].index;
}

static const struct column top_columns[] = {
    {MIB_dcampTopKey, key, NULL},
    {MIB_dcampTopCount, key_count, NULL},
    {MIB_dcampTopError, key_error, NULL},
    {MIB_dcampTopGuaranteed, guaranteed, NULL},
};

const struct table table_top = {
    .object = MIB_dcampTopTable,
    .rows = tops,
    .touched = tops_read,
    .columns = top_columns,
    .n_columns = sizeof top_columns / sizeof *top_columns,
};

/* -- What each thread has counted -------------------------------------------------------------- */

static bool thread_id(const struct view *view, const void *row, struct mib_value *value)
{
    const struct listed_thread *thread = row;
    (void)view;
    return thread->is_known && give_number(value, thread->id);
}

static bool thread_name(const struct view *view, const void *row, struct mib_value *value)
{
    const struct listed_thread *thread = row;
    (void)view;
    return thread->is_known && give_text(value, thread->name);
}

static bool thread_lives(const struct view *view, const void *row, struct mib_value *value)
{
    const struct listed_thread *thread = row;
    (void)view;
    return thread->is_known && give_truth(value, thread->id != 0);
}

static bool threads(const struct view *view, const void *row, struct mib_value *value)
{
    const struct listed_thread *thread = row;
    (void)view;
    return thread->is_known && give_number(value, thread->threads);
}

static bool thread_count(const struct view *view, const void *row, struct mib_value *value)
{
    const struct listed_thread *thread = row;
    (void)view;
    return thread->kind != SEGMENT_GAUGE && give_number(value, thread->count);
}

static bool thread_time(const struct view *view, const void *row, struct mib_value *value)
{
    const struct listed_thread *thread = row;
    bool has_time = thread->kind == SEGMENT_TIMER || thread->kind == SEGMENT_STEP;
    (void)view;
    return has_time && give_number(value, thread->nanoseconds);
}

static bool thread_value(const struct view *view, const void *row, struct mib_value *value)
{
    const struct listed_thread *thread = row;
    bool has_real = thread->kind == SEGMENT_GAUGE || thread->kind == SEGMENT_HISTOGRAM;
    (void)view;
    return has_real && isfinite(thread->real) && give_decimal(value, thread->real);
}

static void threads_read(const struct view *view)
{
    ask(view, LISTING_THREADS);
}

static const struct index *application_threads(const struct view *view)
{
    return &view->listed->listing[LISTING_THREADS].index;
}

static const struct column thread_columns[] = {
    {MIB_dcampApplicationThreadId, thread_id, NULL},
    {MIB_dcampApplicationThreadName, thread_name, NULL},
    {MIB_dcampApplicationThreadLives, thread_lives, NULL},
    {MIB_dcampApplicationThreadThreads, threads, NULL},
    {MIB_dcampApplicationThreadCount, thread_count, NULL},
    {MIB_dcampApplicationThreadTime, thread_time, NULL},
    {MIB_dcampApplicationThreadValue, thread_value, NULL},
};

const struct table table_application_thread = {
    .object = MIB_dcampApplicationThreadTable,
    .rows = application_threads,
    .touched = threads_read,
    .columns = thread_columns,
    .n_columns = sizeof thread_columns / sizeof *thread_columns,
};
