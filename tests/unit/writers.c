#include "writers.h"

#include <ctype.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "trapd-handlers/active.h"
#include "trapd-handlers/format.h"
#include "trapd-handlers/service.h"
#include "trapd-handlers/zabbix_sender.h"

size_t writers_count(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

bool writers_controls(const char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\n') || *text == 0x7f)
            return true;
    return false;
}

static bool writers_take_service(struct service *service, const struct trap *trap,
                                 const char *template)
{
    const struct options options = {.host = "%n", .service = template, .catch_all = ""};
    struct active *active = active_new();
    struct trap other = *trap; /* as nasty */
    other.text[TRAP_KEY][0] = other.text[TRAP_KEY][0] == 'x' ? 'y' : 'x';
    bool good = active && service_choose(service, &options, active, &other, 0) &&
                service_take(service, active, &other) &&
                service_choose(service, &options, active, trap, 0) &&
                service_take(service, active, trap);
    service->result.message = trap->text[TRAP_MESSAGE];
    active_free(active);
    return good;
}

/* Of the result, and of its performance data; of those before it, and of the host's. */
static size_t writers_nagios_fields(const struct service *service, bool host)
{
    return 4 + 12 + (service->result.telling >= TELL_AGAIN ? 3 : 0) +
           (service->result.telling == TELL_NEWS ? 2 : 0) + (host ? 3 : 0);
}

static const char *writers_nagios(const struct trap *trap)
{
    struct buffer text = {0};
    struct service service = {0};
    const char *wrong = NULL;
    bool host = trap->event == TRAP_LOST || trap->event == TRAP_JOINED;
    if (!writers_take_service(&service, trap, "%r %i %s %k %a"))
        return "no service";
    format_nagios(&text, trap, &service.result);
    if (host)
        format_nagios_host(&text, trap, service.result.host);
    if (text.failed)
        wrong = "failed";
    else if (writers_count(text.at, "\n") != 1u + host + service.result.telling ||
             text.at[text.len - 1] != '\n')
        wrong = "lines";
    else if (writers_count(text.at, ";") != writers_nagios_fields(&service, host))
        wrong = "fields";
    else if (writers_count(text.at, "|") > 1 || strchr(text.at, '\\'))
        wrong = "output";
    else if (writers_controls(text.at))
        wrong = "control characters";
    else if (text.len > PIPE_BUF)
        wrong = "longer than PIPE_BUF";
    service_release(&service);
    buffer_release(&text);
    return wrong;
}

const char *writers_zabbix_lines(const char *text)
{
    const char *line = strchr(text, '\n') + 1;
    size_t lines = 0;
    for (const char *end; *line; line = end + 1, lines++) {
        end = strchr(line, '\n');
        bool head = strncmp(line, "PDU INFO:\n", 10) == 0 || strncmp(line, "VARBINDS:\n", 10) == 0;
        if (!end || (!head && strncmp(line, "  ", 2) != 0))
            return "a line of its own";
    }
    return lines <= 23 ? NULL : "lines";
}

static const char *writers_zabbix(const struct trap *trap)
{
    struct buffer text = {0};
    const char *wrong = NULL;
    format_zabbix(&text, trap, "192.0.2.7", "%H:%M:%S");
    if (text.failed)
        wrong = "failed";
    else if (writers_count(text.at, "ZBXTRAP") != 1 || strncmp(text.at + 8, " ZBXTRAP ", 9) != 0)
        wrong = "the mark";
    else if (writers_controls(text.at))
        wrong = "control characters";
    else
        wrong = writers_zabbix_lines(text.at);
    buffer_release(&text);
    return wrong;
}

static const char *writers_sender(const struct trap *trap)
{
    struct buffer text = {0};
    json_error_t error;
    zabbix_request(&text, trap, 1, "%n", "dcamp.trap");
    json_t *json = text.failed ? NULL : json_loads(text.at, JSON_REJECT_DUPLICATES, &error);
    const json_t *data = json_object_get(json, "data");
    bool good = json_array_size(data) == 1 && json_object_size(json_array_get(data, 0)) == 5;
    json_decref(json);
    buffer_release(&text);
    return good ? NULL : "the request";
}

static const char *writers_environment(const struct trap *trap)
{
    struct buffer text = {0};
    const char *wrong = NULL;
    size_t n = 0;
    format_environment(&text, trap);
    if (text.failed)
        return "failed";
    for (const char *at = text.at; !wrong && at < text.at + text.len; at += strlen(at) + 1, n++)
        if (strncmp(at, "DCAMP_", 6) != 0 || writers_controls(at) || strchr(at, '\n'))
            wrong = "a variable";
    if (!wrong && n != 18)
        wrong = "the number of variables";
    buffer_release(&text);
    return wrong;
}

static const char *writers_icinga(const struct trap *trap)
{
    struct buffer text = {0};
    struct service service = {0};
    json_error_t error;
    if (!writers_take_service(&service, trap, "%r"))
        return "no service";
    format_icinga(&text, trap, &service.result);
    json_t *json = text.failed ? NULL : json_loads(text.at, JSON_REJECT_DUPLICATES, &error);
    const char *filter = json_string_value(json_object_get(json, "filter"));
    const char *output = json_string_value(json_object_get(json, "plugin_output"));
    bool good = json_object_size(json) == 8 && output && !strpbrk(output, "\n|") && filter &&
                strcmp(filter, "host.name == h && service.name == s") == 0;
    json_decref(json);
    buffer_release(&text);
    service_release(&service);
    return good ? NULL : "the request";
}

static const char *writers_alertmanager(const struct trap *trap)
{
    const struct alert_options options = {.hold_ms = 60000};
    struct buffer text = {0};
    json_error_t error;
    struct alerts *alerts = format_alerts_new();
    if (!alerts)
        return NULL;
    format_alert_firing(alerts, trap, trap->received_ms, &options);
    format_alert_over(alerts, trap, 4, &options);
    format_alerts(&text, alerts);
    json_t *json = text.failed ? NULL : json_loads(text.at, JSON_REJECT_DUPLICATES, &error), *alert;
    bool good = json_array_size(json) == 2;
    size_t i;
    json_array_foreach(json, i, alert) good &=
        json_object_size(alert) == 4 && json_object_size(json_object_get(alert, "labels")) <= 7;
    json_decref(json);
    buffer_release(&text);
    format_alerts_free(alerts);
    return good ? NULL : "the alerts";
}

const char *writers_mail_lines(char *text)
{
    static const char *const headers[] = {
        "From: ",           "To: ",           "Subject: ",      "Date: ",
        "Auto-Submitted: ", "MIME-Version: ", "Content-Type: ", "Content-Transfer-Encoding: "};
    size_t header = 0;
    char *line = text, *end;
    for (; *line != '\n'; line = end + 1) {
        end = strchr(line, '\n');
        if (!end || end - line > 998)
            return "a line";
        if (*line == ' ' && header > 0)
            continue;
        if (header == 8 || strncmp(line, headers[header], strlen(headers[header])) != 0)
            return "headers";
        header++;
    }
    for (line++; header == 8 && *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end || end - line > 998 || !islower((unsigned char)*line) ||
            (line[8] != ' ' && line[9] != ' '))
            return "the body";
    }
    return header == 8 ? NULL : "the number of headers";
}

static const char *writers_mail(const struct trap *trap)
{
    char *const to[] = {"a@example.org"};
    const struct mail_options options = {
        .from = "b@example.org", .subject = "", .to = to, .n_to = 1};
    struct buffer text = {0};
    format_mail(&text, trap, 1, &options, trap->received_ms);
    const char *wrong = text.failed                 ? "failed"
                        : writers_controls(text.at) ? "control characters"
                                                    : NULL;
    if (!wrong)
        wrong = writers_mail_lines(text.at);
    buffer_release(&text);
    return wrong;
}

const struct writer writers[WRITERS] = {
    {"nagios", writers_nagios}, {"zabbix", writers_zabbix},
    {"sender", writers_sender}, {"environment", writers_environment},
    {"icinga", writers_icinga}, {"alertmanager", writers_alertmanager},
    {"mail", writers_mail},
};
