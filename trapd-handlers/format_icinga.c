/* Actions of Icinga 2's API: process-check-result, remove-acknowledgement and delay-notification.
 * The filter is an expression of Icinga's language: names are passed as variables, and never become
 * part of its text.
 *
 * If a service was already as bad before, Icinga notifies only when the interval of its
 * notification is over. delay-notification sets when that is: if the time is in the past, Icinga
 * notifies at its next check of notifications, within five seconds, subject to all its other rules
 * (downtimes, periods, users). It is sent after the result that it is to notify of, and has no
 * effect if this result has changed the state, because Icinga has notified of that already. An
 * acknowledgement did not refer to this alarm. It is removed before the result is sent, because a
 * sticky one outlasts a change of state. */
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

/* The same data as from check_dcamp alarms, which Icinga runs if no results come. */
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

#define IS_SERVICE "host.name == h && service.name == s"
#define IS_ACKNOWLEDGED "service.acknowledgement != 0"
#define IS_UNCHANGED "service.last_hard_state_change < service.last_check_result.execution_start"

/* The members that all actions have in common, and those of this action in more. The action applies
 * to the service if the filter holds. verbose: an answer that forbids it says so. */
static void put_action(struct buffer *buffer, const struct service_result *result,
                       const char *filter, json_t *more)
{
    json_t *json =
        json_pack("{s:s, s:b, s:s, s:{s:s, s:s}}", "type", "Service", "verbose", 1, "filter",
                  filter, "filter_vars", "h", result->host, "s", result->service);
    if (!more || json_object_update(json, more) != 0) {
        json_decref(json);
        json = NULL;
    }
    json_decref(more);
    put_json(buffer, json);
}

void format_icinga(struct buffer *buffer, const struct trap *trap,
                   const struct service_result *result)
{
    put_action(buffer, result, IS_SERVICE,
               json_pack("{s:i, s:o, s:o, s:o}", "exit_status", (int)result->state, "plugin_output",
                         output(result), "performance_data", performance(result), "check_source",
                         clean_text(trap->text[TRAP_NODE], "")));
}

void format_icinga_unacknowledge(struct buffer *buffer, const struct service_result *result)
{
    put_action(buffer, result, IS_SERVICE " && " IS_ACKNOWLEDGED, json_object());
}

void format_icinga_tell(struct buffer *buffer, const struct service_result *result)
{
    put_action(buffer, result, IS_SERVICE " && " IS_UNCHANGED, json_pack("{s:i}", "timestamp", 1));
}

void format_icinga_host(struct buffer *buffer, const struct trap *trap, const char *host)
{
    put_json(buffer, json_pack("{s:s, s:s, s:{s:s}, s:i, s:o, s:o}", "type", "Host", "filter",
                               "host.name == h", "filter_vars", "h", host, "exit_status",
                               trap->event == TRAP_LOST ? 1 : 0, "plugin_output",
                               clean_text(trap->text[TRAP_MESSAGE], "|"), "check_source",
                               clean_text(trap->text[TRAP_NODE], "")));
}

static enum answer judge_results(const json_t *results)
{
    enum answer answer = json_array_size(results) > 0 ? ANSWER_TAKEN : ANSWER_NOTHING;
    const json_t *result;
    size_t i;
    json_array_foreach(results, i, result)
    {
        double code = json_number_value(json_object_get(result, "code"));
        if (code < 200 || code >= 500)
            answer = ANSWER_NONSENSE;
        else if (code >= 300 && answer == ANSWER_TAKEN)
            answer = ANSWER_REFUSED;
    }
    return answer;
}

static bool says(const json_t *json, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(json, key));
    return value && strstr(value, text);
}

static enum answer judge_error(const json_t *json)
{
    static const char forbidden[] = "Missing permission";
    if (says(json, "status", forbidden) || says(json, "diagnostic_information", forbidden))
        return ANSWER_FORBIDDEN;
    return says(json, "status", "No objects found") ? ANSWER_NOTHING : ANSWER_NONSENSE;
}

enum answer format_icinga_answer(const char *body, size_t len)
{
    json_error_t error;
    json_t *json = json_loadb(body, len, 0, &error);
    const json_t *results = json_object_get(json, "results");
    enum answer answer = json_is_array(results) ? judge_results(results) : judge_error(json);
    json_decref(json);
    return answer;
}
