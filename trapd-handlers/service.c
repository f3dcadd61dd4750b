#include "trapd-handlers/service.h"

#include <string.h>

#include "dcamp_mib.h"
#include "trapd-handlers/template.h"

/* -- Which service ---------------------------------------------------------------------------- */

static void put_names(struct service *service, const struct options *options,
                      const struct trap *trap, const char *name)
{
    buffer_clear(&service->host);
    buffer_clear(&service->name);
    buffer_clear(&service->id);
    template_write(&service->host, options->host, trap, FORMAT_NAGIOS_NAMES);
    template_write(&service->name, name, trap, FORMAT_NAGIOS_NAMES);
    service->result.host = service->host.at ? service->host.at : "";
    service->result.service = service->name.at ? service->name.at : "";
    buffer_format(&service->id, "%s;%s", service->result.host, service->result.service);
}

bool service_choose(struct service *service, const struct options *options,
                    const struct active *active, const struct trap *trap, int attempt)
{
    bool others = options->catch_all[0] != '\0';
    if (attempt > (others ? 1 : 0))
        return false;
    if (others) {
        put_names(service, options, trap, options->catch_all);
        bool is_there =
            service->id.at && active_is_of(active, trap->text[TRAP_KEY], service->id.at);
        if ((attempt == 0) == is_there)
            return true;
    }
    put_names(service, options, trap, options->service);
    return true;
}

/* -- What is said ----------------------------------------------------------------------------- */

/* Whether people should be notified, even if the service is already as bad. */
static enum service_telling telling(const struct trap *trap, const struct trap *before)
{
    if (trap_is_clear(trap) || trap->event == TRAP_SUPPRESSED ||
        format_state(trap->severity) == SERVICE_OK)
        return TELL_STATE;
    if (trap->happened == dcampAlarmEvent_repeated)
        return TELL_AGAIN;
    /* If a trap is delivered again, before is this trap itself. */
    bool fell = trap->happened == dcampAlarmEvent_changed && before &&
                before->sequence != trap->sequence && before->severity >= trap->severity;
    return fell ? TELL_STATE : TELL_NEWS;
}

/* What an alarm is about, such as "disk-full /"; the node only if it is not that of the trap. */
static void put_alarm(struct buffer *buffer, const struct trap *alarm, const struct trap *trap)
{
    if (strcmp(alarm->text[TRAP_NODE], trap->text[TRAP_NODE]) != 0)
        buffer_format(buffer, "%s: ", alarm->text[TRAP_NODE]);
    buffer_text(buffer, trap_rule(alarm));
    if (alarm->text[TRAP_INSTANCE][0])
        buffer_format(buffer, " %s", alarm->text[TRAP_INSTANCE]);
}

/* "2 active: disk-full /, disk-full /var", "1 active: disk-full /, over: disk-full /var"; nothing
 * if the message is about the only active alarm. */
static void put_others(struct buffer *buffer, const struct active_sum *sum, const struct trap *trap)
{
    bool over = trap_is_clear(trap);
    if (sum->n == 0 || (sum->n == 1 && !over && trap->event != TRAP_SUPPRESSED))
        return;
    buffer_format(buffer, "%zu active", sum->n);
    for (size_t i = 0; i < sum->n_worst; i++) {
        buffer_text(buffer, i == 0 ? ": " : ", ");
        put_alarm(buffer, sum->worst[i], trap);
    }
    if (sum->n > sum->n_worst)
        buffer_format(buffer, " and %zu more", sum->n - sum->n_worst);
    if (over) {
        buffer_text(buffer, ", over: ");
        put_alarm(buffer, trap, trap);
    }
}

/* A service may have several alarms, of several instances: while another one goes on, the end of an
 * alarm does not make the service OK. */
static void judge(struct service_result *result, const struct active_sum *sum,
                  const struct trap *trap)
{
    bool over = trap_is_clear(trap);
    result->state = over ? SERVICE_OK : format_state(trap->severity);
    if (sum->n > 0 && format_state(sum->worst[0]->severity) > result->state)
        result->state = format_state(sum->worst[0]->severity);
    result->message = (over && sum->n > 0 ? sum->worst[0] : trap)->text[TRAP_MESSAGE];
    result->alarms = sum->n;
    result->critical = sum->critical;
    result->warning = sum->warning;
    result->info = sum->info;
}

bool service_take(struct service *service, struct active *active, const struct trap *trap)
{
    struct active_sum sum;
    struct service_result *result = &service->result;
    buffer_clear(&service->also);
    if (service->host.failed || service->name.failed || service->id.failed)
        return false;
    result->telling = telling(trap, active_trap(active, trap->text[TRAP_KEY]));
    if (!active_apply(active, trap, service->id.at))
        return false;
    active_sum(active, service->id.at, &sum);
    judge(result, &sum, trap);
    put_others(&service->also, &sum, trap);
    result->also = service->also.at && service->also.len > 0 ? service->also.at : NULL;
    return !service->also.failed;
}

void service_release(struct service *service)
{
    buffer_release(&service->host);
    buffer_release(&service->name);
    buffer_release(&service->id);
    buffer_release(&service->also);
}
