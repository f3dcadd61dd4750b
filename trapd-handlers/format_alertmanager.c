/* Alerts of Alertmanager's API v2. An alert is identified by its labels, and the severity is one of
 * them, so an alarm that changes its severity ends one alert and begins another. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "dcamp_mib.h"
#include "trapd-handlers/format.h"

/* A summary has no end, so it is shown for this long. */
#define SUMMARY_MS (10 * 60 * 1000)

struct alerts {
    json_t *list;
    bool failed;
};

struct alerts *format_alerts_new(void)
{
    struct alerts *alerts = calloc(1, sizeof *alerts);
    if (alerts && !(alerts->list = json_array())) {
        free(alerts);
        alerts = NULL;
    }
    return alerts;
}

void format_alerts_free(struct alerts *alerts)
{
    if (alerts)
        json_decref(alerts->list);
    free(alerts);
}

static bool put_text(json_t *object, const char *name, const char *text)
{
    struct buffer clean = {0};
    buffer_clean(&clean, text, "", ' ');
    /* Alertmanager treats an empty label as a missing one. */
    bool good = !clean.failed &&
                (clean.len == 0 || json_object_set_new(object, name, json_string(clean.at)) == 0);
    buffer_release(&clean);
    return good;
}

static bool put_time(json_t *object, const char *name, int64_t millis)
{
    struct buffer text = {0};
    format_time(&text, millis);
    bool good = !text.failed && json_object_set_new(object, name, json_string(text.at)) == 0;
    buffer_release(&text);
    return good;
}

static bool put_further(json_t *labels, const char *const *further, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t len = strcspn(further[i], "=");
        char *name = strndup(further[i], len);
        bool good = name && put_text(labels, name, further[i] + len + 1);
        free(name);
        if (!good)
            return false;
    }
    return true;
}

static json_t *labels_of(const struct trap *trap, uint32_t severity,
                         const struct alert_options *options)
{
    json_t *labels = json_object();
    bool good = labels && put_text(labels, "alertname", trap_rule(trap)) &&
                put_text(labels, "job", "dcamp") &&
                put_text(labels, "node", trap->text[TRAP_NODE]) &&
                put_text(labels, "sensor", trap->text[TRAP_SENSOR]) &&
                put_text(labels, "resource", trap->text[TRAP_INSTANCE]) &&
                put_text(labels, "key", trap->text[TRAP_KEY]) &&
                put_text(labels, "severity", trap_severity_name(severity)) &&
                put_further(labels, options->labels, options->n_labels);
    if (good)
        return labels;
    json_decref(labels);
    return NULL;
}

static json_t *annotations_of(const struct trap *trap)
{
    json_t *annotations = json_object();
    bool good =
        annotations && put_text(annotations, "summary", trap->text[TRAP_MESSAGE]) &&
        put_text(annotations, "value", trap->text[TRAP_VALUE]) &&
        put_text(annotations, "limit", trap->text[TRAP_LIMIT]) &&
        put_text(annotations, "event", trap_happened_name(trap->happened)) &&
        json_object_set_new(annotations, "sequence", json_sprintf("%u", trap->sequence)) == 0;
    if (good)
        return annotations;
    json_decref(annotations);
    return NULL;
}

static void add(struct alerts *alerts, const struct trap *trap, uint32_t severity, int64_t end_ms,
                const struct alert_options *options)
{
    /* If the clock of the node is ahead, the alert must not end before it began. */
    int64_t start_ms = trap->since_ms > 0 && trap->since_ms < trap->received_ms
                           ? trap->since_ms
                           : trap->received_ms - 1;
    json_t *alert = json_object();
    bool good = alert &&
                json_object_set_new(alert, "labels", labels_of(trap, severity, options)) == 0 &&
                json_object_set_new(alert, "annotations", annotations_of(trap)) == 0 &&
                put_time(alert, "startsAt", start_ms) && put_time(alert, "endsAt", end_ms);
    if (!good || json_array_append(alerts->list, alert) != 0)
        alerts->failed = true;
    json_decref(alert);
}

void format_alert_firing(struct alerts *alerts, const struct trap *trap, int64_t now_ms,
                         const struct alert_options *options)
{
    int64_t end_ms = now_ms + (int64_t)options->hold_ms;
    if (trap->event == TRAP_SUPPRESSED)
        end_ms = trap->received_ms + SUMMARY_MS;
    add(alerts, trap, trap->severity, end_ms, options);
}

void format_alert_over(struct alerts *alerts, const struct trap *trap, uint32_t was,
                       const struct alert_options *options)
{
    const struct mib_info *info = &mib_objects[MIB_dcampAlarmSeverity];
    for (size_t i = 0; i < info->n_labels; i++) {
        uint32_t severity = (uint32_t)info->labels[i].value;
        if (severity != dcampAlarmSeverity_clear &&
            (was == severity || was == dcampAlarmSeverity_clear))
            add(alerts, trap, severity, trap->received_ms, options);
    }
}

void format_alerts(struct buffer *buffer, const struct alerts *alerts)
{
    char *text = alerts->failed ? NULL : json_dumps(alerts->list, JSON_COMPACT);
    if (text)
        buffer_text(buffer, text);
    else
        buffer->failed = true;
    free(text);
}

size_t format_alerts_count(const struct alerts *alerts)
{
    return json_array_size(alerts->list);
}
