/* External commands of Nagios: PROCESS_SERVICE_CHECK_RESULT and PROCESS_HOST_CHECK_RESULT. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "trapd-handlers/format.h"

/* In the output, '|' begins performance data, a backslash and "n" a further line; ';' ends a
 * field of the command. */
#define OUTPUT_SET ";|\\"

static void put_output(struct buffer *buffer, const char *text)
{
    buffer_clean(buffer, text, OUTPUT_SET, ' ');
}

/* The value is the sensor's: only what is a number is performance data. */
static void put_performance(struct buffer *buffer, const struct trap *trap)
{
    const char *value = trap->text[TRAP_VALUE];
    double number;
    if (!trap->text[TRAP_SENSOR][0] || !text_to_decimal(value, strlen(value), &number))
        return;
    buffer_text(buffer, "|'");
    buffer_clean(buffer, trap->text[TRAP_SENSOR], OUTPUT_SET "'=", '_');
    buffer_format(buffer, "'=%s", value[0] == '+' ? value + 1 : value);
}

void format_nagios(struct buffer *buffer, const struct trap *trap,
                   const struct service_result *result)
{
    static const char *const words[] = {"OK", "WARNING", "CRITICAL"};
    buffer_format(buffer, "[%" PRId64 "] PROCESS_SERVICE_CHECK_RESULT;", trap->received_ms / 1000);
    buffer_clean(buffer, result->host, FORMAT_NAGIOS_NAMES, '_');
    buffer_text(buffer, ";");
    buffer_clean(buffer, result->service, FORMAT_NAGIOS_NAMES, '_');
    buffer_format(buffer, ";%d;%s - ", (int)result->state, words[result->state]);
    put_output(buffer, trap->text[TRAP_MESSAGE]);
    if (result->worst) {
        buffer_format(buffer, " (%zu active, ", result->active);
        put_output(buffer, result->worst);
        buffer_text(buffer, ")");
    }
    put_performance(buffer, trap);
    buffer_text(buffer, "\n");
}

void format_nagios_host(struct buffer *buffer, const struct trap *trap, const char *host)
{
    buffer_format(buffer, "[%" PRId64 "] PROCESS_HOST_CHECK_RESULT;", trap->received_ms / 1000);
    buffer_clean(buffer, host, FORMAT_NAGIOS_NAMES, '_');
    buffer_format(buffer, ";%d;", trap->event == TRAP_LOST ? 1 : 0);
    put_output(buffer, trap->text[TRAP_MESSAGE]);
    buffer_text(buffer, "\n");
}
