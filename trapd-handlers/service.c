#include "trapd-handlers/service.h"

#include <string.h>

#include "trapd-handlers/template.h"

/* One service may have several alarms, of several instances: while another goes on, the end of
 * one is not the end of the service's trouble. */
static void judge(struct service *service, const struct active *active, const struct trap *trap)
{
    struct service_result *result = &service->result;
    const struct trap *worst = active_worst(active, service->id.at, &result->active);
    result->worst = NULL;
    result->state = trap_is_clear(trap) ? SERVICE_OK : format_state(trap->severity);
    if (!worst)
        return;
    enum service_state state = format_state(worst->severity);
    if (state < result->state)
        return;
    result->state = state;
    if (strcmp(worst->text[TRAP_KEY], trap->text[TRAP_KEY]) != 0)
        result->worst = worst->text[TRAP_KEY];
}

bool service_of(struct service *service, const struct options *options, struct active *active,
                const struct trap *trap)
{
    buffer_clear(&service->host);
    buffer_clear(&service->name);
    buffer_clear(&service->id);
    template_write(&service->host, options->host, trap, FORMAT_NAGIOS_NAMES);
    template_write(&service->name, options->service, trap, FORMAT_NAGIOS_NAMES);
    buffer_format(&service->id, "%s;%s", service->host.at ? service->host.at : "",
                  service->name.at ? service->name.at : "");
    if (service->host.failed || service->name.failed || service->id.failed ||
        !active_apply(active, trap, service->id.at))
        return false;
    service->result.host = service->host.at ? service->host.at : "";
    service->result.service = service->name.at ? service->name.at : "";
    judge(service, active, trap);
    return true;
}

void service_release(struct service *service)
{
    buffer_release(&service->host);
    buffer_release(&service->name);
    buffer_release(&service->id);
}
