#include "application/slots.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "metric/field.h"
#include "sample/slot.h"

#define BIT(field) (UINT32_C(1) << (field))
#define ALL_OF_SENSORS (BIT(APPLICATION_FIELDS) - BIT(APPLICATION_COUNT))

/* Which field of a sensor has which word of a kind, and which fields have the sensor's own unit. */
static const struct {
    uint32_t fields, united;
    unsigned char word[APPLICATION_FIELDS];
} forms[] = {
    [SEGMENT_COUNTER] = {.fields = BIT(APPLICATION_COUNT),
                         .united = BIT(APPLICATION_COUNT),
                         .word = {[APPLICATION_COUNT] = SEGMENT_COUNTER_VALUE}},
    [SEGMENT_GAUGE] = {.fields = BIT(APPLICATION_VALUE), .united = BIT(APPLICATION_VALUE)},
    [SEGMENT_TIMER] = {.fields = BIT(APPLICATION_COUNT) | BIT(APPLICATION_TIME),
                       .word = {[APPLICATION_COUNT] = SEGMENT_TIMER_COUNT,
                                [APPLICATION_TIME] = SEGMENT_TIMER_NANOSECONDS}},
    [SEGMENT_HISTOGRAM] = {.fields = BIT(APPLICATION_COUNT) | BIT(APPLICATION_SUM),
                           .united = BIT(APPLICATION_SUM),
                           .word = {[APPLICATION_COUNT] = SEGMENT_HISTOGRAM_COUNT}},
    [SEGMENT_TOP] = {.fields = BIT(APPLICATION_COUNT),
                     .united = BIT(APPLICATION_COUNT),
                     .word = {[APPLICATION_COUNT] = SEGMENT_TOP_TOTAL}},
    [SEGMENT_STEP] = {.fields = BIT(APPLICATION_COUNT) | BIT(APPLICATION_TIME) |
                                BIT(APPLICATION_BEGUN) | BIT(APPLICATION_FAILED),
                      .word = {[APPLICATION_COUNT] = SEGMENT_STEP_COUNT,
                               [APPLICATION_TIME] = SEGMENT_STEP_NANOSECONDS,
                               [APPLICATION_BEGUN] = SEGMENT_STEP_BEGUN,
                               [APPLICATION_FAILED] = SEGMENT_STEP_FAILED}},
};

_Static_assert(SAMPLE_UNIT_SIZE > SEGMENT_UNIT, "a unit of a sensor fits into a slot");

void slots_release(struct application_slots *slots)
{
    owners_release(&slots->owners);
}

/* -- Slots ------------------------------------------------------------------------------------- */

static void fill_sensor(struct sample_slot *slot, const struct application_series *series,
                        uint32_t wanted)
{
    uint32_t fields = forms[series->kind].fields, reals = 0;
    for (unsigned field = APPLICATION_COUNT; field < APPLICATION_FIELDS; field++)
        slot->field[field] =
            fields >> field & 1 ? series->total[forms[series->kind].word[field]] : 0;
    if (series->kind == SEGMENT_GAUGE)
        reals = slot_set_real(slot, APPLICATION_VALUE, application_gauge(series));
    if (series->kind == SEGMENT_HISTOGRAM)
        reals = slot_set_real(slot, APPLICATION_SUM, series->sum);
    slot->valid = ((fields & ~(BIT(APPLICATION_VALUE) | BIT(APPLICATION_SUM))) | reals) & wanted;
    slot->lacks = ALL_OF_SENSORS & ~fields;
    slot->united = forms[series->kind].united;
    memcpy(slot->unit, series->unit, sizeof series->unit);
    text_clean(slot->unit, sizeof slot->unit, '?');
    slot->events = series->grown.count > 0 ? &series->grown : NULL;
    slot->events_mean = series->grown_mean;
}

static void fill_application(struct sample_slot *slot, const struct application *application,
                             uint32_t wanted)
{
    slot->field[APPLICATION_PROCESSES] = application->processes;
    slot->field[APPLICATION_STARTED] = application->processes + application->ended;
    slot->field[APPLICATION_REFUSED] = application->refused;
    slot->field[APPLICATION_LOST] = application->lost;
    slot->valid = (BIT(APPLICATION_COUNT) - 1) & wanted;
    slot->lacks = ALL_OF_SENSORS;
}

/* -- Names ------------------------------------------------------------------------------------- */

static void show_series(struct application_slots *slots, struct source *source, const char *user,
                        const struct application_series *series)
{
    char name[APPLICATION_PATH_SIZE];
    application_series_path(name, user, series);
    struct sample_slot *slot =
        source_slot_of(source, name, RESOURCE_APPLICATION_SENSOR, series->born, &slots->hidden);
    if (slot)
        fill_sensor(slot, series, source->fields);
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
    if (slot)
        fill_application(slot, application, source->fields);
    for (const struct application_series *series = application->series; series;
         series = series->hh.next)
        show_series(slots, source, user, series);
}

/* Once when it begins; it is over when it has been gone for a while, or anybody could fill the log.
 */
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
    tell(slots, applications->now_ns);
}

/* -- A pass ------------------------------------------------------------------------------------ */

/* Records of steps are read only for who wants to know how many are lost: that takes three copies
 * of each file. What there was no memory for comes in the next pass. */
int slots_read(void *context, struct source *source, uint64_t now_ns)
{
    struct application_slots *slots = context;
    bool wants_steps = source->n_patterns > 0 && source->fields & BIT(APPLICATION_LOST);
    int error = directory_pass(slots->directory, now_ns,
                               slots->wanted | (wants_steps ? PROGRAM_STEPS : 0), NULL);
    if (error && error != ENOMEM)
        return error;
    slots_fill(slots, directory_applications(slots->directory), source);
    return 0;
}
