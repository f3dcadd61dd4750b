#include "publish/syslog_message.h"

#include <stdio.h>
#include <string.h>
#define SYSLOG_NAMES /* defines the names of facilities, in glibc and others */
#include <syslog.h>
#include <time.h>

/* The number that RFC 5612 reserves for examples; DCAMP-MIB is under it, too. */
#define STRUCTURED_DATA "[dcamp@32473"

int syslog_facility(const char *word)
{
    for (const CODE *code = facilitynames; code->c_name; code++)
        if (strcmp(code->c_name, word) == 0 && code->c_val <= LOG_LOCAL7)
            return code->c_val;
    return -1;
}

static void add_priority(struct octets *text, const struct syslog_source *source,
                         const struct line *line)
{
    octets_add(text, "<", 1);
    octets_add_unsigned(text, (unsigned)(source->facility | wording_severity(line)));
    octets_add(text, ">", 1);
}

void syslog_local(struct octets *text, const struct syslog_source *source, const struct line *line,
                  const struct wording *wording)
{
    char when[64];
    struct tm tm;
    time_t seconds = (time_t)(line->wall_ms / 1000);
    add_priority(text, source, line);
    if (localtime_r(&seconds, &tm) && strftime(when, sizeof when, "%b %e %H:%M:%S ", &tm) > 0)
        octets_add_text(text, when);
    octets_add_text(text, "dcamp[");
    octets_add_text(text, source->pid);
    octets_add_text(text, "]: ");
    wording_add(text, line, wording);
}

/* The value of a parameter: '"', '\' and ']' are escaped. RFC 5424, section 6.3.3. */
static void add_parameter(struct octets *text, const struct wording_field *field)
{
    const char *at = field->text, *end = field->text + field->len;
    octets_add(text, " ", 1);
    octets_add_text(text, field->name);
    octets_add(text, "=\"", 2);
    while (at < end) {
        size_t n = 0;
        while (at + n < end && !strchr("\"\\]", at[n]))
            n++;
        octets_add_clean(text, at, n, false);
        if (at + n < end) {
            octets_add(text, "\\", 1);
            octets_add(text, at + n, 1);
            n++;
        }
        at += n;
    }
    octets_add(text, "\"", 1);
}

void syslog_remote(struct octets *text, const struct syslog_source *source, const struct line *line,
                   const struct wording *wording)
{
    add_priority(text, source, line);
    octets_add_text(text, "1 ");
    octets_add_time(text, line->wall_ms);
    octets_add(text, " ", 1);
    octets_add_text(text, source->host);
    octets_add_text(text, " dcamp ");
    octets_add_text(text, source->pid);
    octets_add(text, " ", 1);
    octets_add_text(text, line_kind_word(line->kind));
    octets_add_text(text, " " STRUCTURED_DATA);
    for (size_t i = 0; i < wording->n; i++)
        add_parameter(text, &wording->field[i]);
    octets_add_text(text, "] ");
    wording_add(text, line, wording);
}
