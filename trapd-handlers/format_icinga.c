/* The action process-check-result of Icinga 2's API. The filter is an expression of its language:
 * names go in as variables, never into its text. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "trapd-handlers/format.h"

static json_t *clean_text(const char *text, const char *set)
{
    struct buffer buffer = {0};
    buffer_clean(&buffer, text, set, ' ');
    json_t *json = buffer.failed ? NULL : json_string(buffer.at ? buffer.at : "");
    buffer_release(&buffer);
    return json;
}

/* The same data as check_dcamp alarms has, which Icinga runs where nothing comes. */
static json_t *performance(const struct service_result *result)
{
    return json_pack("[o, o, o, o]", json_sprintf("alarms=%zu;;;0", result->alarms),
                     json_sprintf("critical=%zu;;;0", result->critical),
                     json_sprintf("warning=%zu;;;0", result->warning),
                     json_sprintf("info=%zu;;;0", result->info));
}

static void put_json(struct buffer *buffer, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    if (text)
        buffer_text(buffer, text);
    else
        buffer->failed = true;
    free(text);
    json_decref(json);
}

static json_t *output(const struct service_result *result)
{
    struct buffer buffer = {0};
    buffer_format(&buffer, "%s - %s", format_state_name(result->state), result->message);
    if (result->also)
        buffer_format(&buffer, " (%s)", result->also);
    json_t *json = buffer.failed ? NULL : clean_text(buffer.at, "|");
    buffer_release(&buffer);
    return json;
}

void format_icinga(struct buffer *buffer, const struct trap *trap,
                   const struct service_result *result)
{
    put_json(buffer,
             json_pack("{s:s, s:s, s:{s:s, s:s}, s:i, s:o, s:o, s:o}", "type", "Service", "filter",
                       "host.name == h && service.name == s", "filter_vars", "h", result->host, "s",
                       result->service, "exit_status", (int)result->state, "plugin_output",
                       output(result), "performance_data", performance(result), "check_source",
                       clean_text(trap->text[TRAP_NODE], "")));
}

void format_icinga_host(struct buffer *buffer, const struct trap *trap, const char *host)
{
    put_json(buffer, json_pack("{s:s, s:s, s:{s:s}, s:i, s:o, s:o}", "type", "Host", "filter",
                               "host.name == h", "filter_vars", "h", host, "exit_status",
                               trap->event == TRAP_LOST ? 1 : 0, "plugin_output",
                               clean_text(trap->text[TRAP_MESSAGE], "|"), "check_source",
                               clean_text(trap->text[TRAP_NODE], "")));
}

enum answer format_icinga_answer(const char *body, size_t len)
{
    json_error_t error;
    enum answer answer = ANSWER_NONSENSE;
    json_t *json = json_loadb(body, len, 0, &error);
    const json_t *results = json_object_get(json, "results"), *result;
    size_t i;
    if (json_is_array(results))
        answer = json_array_size(results) > 0 ? ANSWER_TAKEN : ANSWER_REFUSED;
    json_array_foreach(results, i, result)
    {
        double code = json_number_value(json_object_get(result, "code"));
        if (code < 200 || code >= 500)
            answer = ANSWER_NONSENSE;
        else if (code >= 300 && answer == ANSWER_TAKEN)
            answer = ANSWER_REFUSED;
    }
    json_decref(json);
    return answer;
}
