#include "daemon/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rotatefile.h"

#define LINE_MAX_OCTETS 2048 /* more than all texts together if every octet is quoted */

void audit_open(struct audit *audit, struct alarms *alarms, const struct config *config)
{
    *audit = (struct audit){.on = config->alarm_file[0] != '\0', .alarms = alarms};
    alarms->audit = audit_entry;
    alarms->audit_context = audit;
}

static const char *const events[] = {"",           "raised",  "cleared",  "acknowledged",
                                     "suppressed", "changed", "repeated", "flapping"};

struct audit_line {
    char text[LINE_MAX_OCTETS];
    size_t len;
};

static void put_char(struct audit_line *line, char c)
{
    if (line->len < sizeof line->text - 2)
        line->text[line->len++] = c;
}

/* Texts are printable already: only '"' and '\' could be misread. */
static void put_text(struct audit_line *line, const char *key, const char *text)
{
    if (!text[0])
        return;
    put_char(line, ' ');
    while (*key)
        put_char(line, *key++);
    put_char(line, '=');
    put_char(line, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            put_char(line, '\\');
        put_char(line, *text);
    }
    put_char(line, '"');
}

static void put_time(struct audit_line *line, int64_t wall_ms)
{
    bool before = wall_ms % 1000 < 0;
    time_t seconds = (time_t)(wall_ms / 1000 - before);
    int ms = (int)(wall_ms % 1000) + (before ? 1000 : 0);
    struct tm tm;
    char text[40] = "";
    if (gmtime_r(&seconds, &tm))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    line->len += (size_t)snprintf(line->text + line->len, 64, "time=%s.%03dZ", text, ms);
}

static bool append_line(struct audit *audit, const char *text, size_t len)
{
    if (audit->len + len > audit->room) {
        size_t room = audit->room ? audit->room * 2 : 4096;
        char *more = room <= AUDIT_WAITING_MAX ? realloc(audit->text, room) : NULL;
        if (!more)
            return false;
        audit->text = more;
        audit->room = room;
    }
    memcpy(audit->text + audit->len, text, len);
    audit->len += len;
    return true;
}

/* Says how many lines were lost, once there is room again. */
static void tell_lost(struct audit *audit)
{
    char text[80];
    int len = snprintf(text, sizeof text, "lost=%" PRIu64 "\n", audit->lost);
    if (audit->lost && append_line(audit, text, (size_t)len))
        audit->lost = 0;
}

void audit_entry(void *context, const struct alarm_entry *entry)
{
    struct audit *audit = context;
    const struct alarm_facts *facts = &entry->facts;
    struct audit_line line = {.len = 0};
    if (!audit->on)
        return;
    put_time(&line, entry->wall_ms);
    line.len +=
        (size_t)snprintf(line.text + line.len, 80, " seq=%" PRIu32 " event=%s severity=%s",
                         entry->sequence, events[facts->event], severity_text(facts->severity));
    put_text(&line, "key", facts->key);
    put_text(&line, "node", facts->node);
    put_text(&line, "threshold", facts->threshold);
    put_text(&line, "sensor", facts->sensor);
    put_text(&line, "instance", facts->instance);
    put_text(&line, "value", facts->value);
    put_text(&line, "limit", facts->limit);
    put_text(&line, "message", facts->message);
    line.text[line.len++] = '\n';
    tell_lost(audit);
    audit->lost += !append_line(audit, line.text, line.len);
}

/* Takes the lines that are due, which are the first ones, out of the buffer, which keeps its size:
 * it grows by doubling only. NULL: no memory for the lines that stay. */
static char *take_due(struct audit *audit)
{
    char *lines = audit->text, *rest = NULL;
    size_t left = audit->len - audit->due;
    if (left > 0 && !(rest = malloc(audit->room)))
        return NULL;
    if (left > 0)
        memcpy(rest, lines + audit->due, left);
    audit->text = rest;
    audit->len = left;
    audit->room = rest ? audit->room : 0;
    return lines;
}

void audit_flush(struct audit *audit, struct saver *saver, const struct config *config)
{
    audit->on = config->alarm_file[0] != '\0';
    if (!audit->on)
        audit_close(audit, config);
    if (audit->due == 0) {
        audit->due = audit->len;
        audit->change = audit->alarms->changes;
    }
    if (!saver_wants_lines(saver) || audit->due == 0 || audit->change > audit->alarms->open)
        return;
    char *lines = take_due(audit);
    if (!lines)
        return;
    saver_append(saver, config->alarm_file, (uint64_t)config->alarm_file_kb << 10, lines,
                 audit->due);
    audit->due = 0;
}

void audit_close(struct audit *audit, const struct config *config)
{
    if (audit->len > 0 && config->alarm_file[0])
        rotatefile_append(config->alarm_file, (uint64_t)config->alarm_file_kb << 10, audit->text,
                          audit->len);
    free(audit->text);
    audit->text = NULL;
    audit->len = audit->room = audit->due = 0;
}
