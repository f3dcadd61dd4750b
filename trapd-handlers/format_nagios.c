/* External commands of Nagios: PROCESS_SERVICE_CHECK_RESULT and PROCESS_HOST_CHECK_RESULT.
 *
 * If a service was already as bad before, Nagios notifies only when its notification_interval is
 * over. DELAY_SVC_NOTIFICATION sets when that is: if the time is in the past, the next result
 * notifies, subject to all other rules (downtimes, periods, contacts). An acknowledgement is
 * removed, because it did not refer to this alarm. */
#include <inttypes.h>

#include "trapd-handlers/format.h"

/* In the output, '|' begins performance data, and a backslash with "n" a further line; ';' ends a
 * field of the command. */
#define OUTPUT_SET ";|\\"

static void put_output(struct buffer *buffer, const char *text)
{
    buffer_clean(buffer, text, OUTPUT_SET, ' ');
}

static void put_command(struct buffer *buffer, const struct trap *trap, const char *command,
                        const struct service_result *result)
{
    buffer_format(buffer, "[%" PRId64 "] %s;", trap->received_ms / 1000, command);
    buffer_clean(buffer, result->host, FORMAT_NAGIOS_NAMES, '_');
    buffer_text(buffer, ";");
    buffer_clean(buffer, result->service, FORMAT_NAGIOS_NAMES, '_');
}

/* The same data as from check_dcamp alarms, which Nagios runs when results are not fresh. */
static void put_performance(struct buffer *buffer, const struct service_result *result)
{
    buffer_format(buffer, "|alarms=%zu;;;0 critical=%zu;;;0 warning=%zu;;;0 info=%zu;;;0",
                  result->alarms, result->critical, result->warning, result->info);
}

static void put_result(struct buffer *buffer, const struct trap *trap,
                       const struct service_result *result)
{
    put_command(buffer, trap, "PROCESS_SERVICE_CHECK_RESULT", result);
    buffer_format(buffer, ";%d;%s - ", (int)result->state, format_state_name(result->state));
    put_output(buffer, result->message);
    if (result->also) {
        buffer_text(buffer, " (");
        put_output(buffer, result->also);
        buffer_text(buffer, ")");
    }
    put_performance(buffer, result);
    buffer_text(buffer, "\n");
}

void format_nagios(struct buffer *buffer, const struct trap *trap,
                   const struct service_result *result)
{
    if (result->telling == TELL_NEWS) {
        put_command(buffer, trap, "REMOVE_SVC_ACKNOWLEDGEMENT", result);
        buffer_text(buffer, "\n");
    }
    if (result->telling != TELL_STATE) {
        put_command(buffer, trap, "DELAY_SVC_NOTIFICATION", result);
        buffer_format(buffer, ";%" PRId64 "\n", trap->received_ms / 1000);
    }
    put_result(buffer, trap, result);
}

void format_nagios_host(struct buffer *buffer, const struct trap *trap, const char *host)
{
    buffer_format(buffer, "[%" PRId64 "] PROCESS_HOST_CHECK_RESULT;", trap->received_ms / 1000);
    buffer_clean(buffer, host, FORMAT_NAGIOS_NAMES, '_');
    buffer_format(buffer, ";%d;", trap->event == TRAP_LOST ? 1 : 0);
    put_output(buffer, trap->text[TRAP_MESSAGE]);
    buffer_text(buffer, "\n");
}
