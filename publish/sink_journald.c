#include "publish/sink_journald.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#define SD_JOURNAL_SUPPRESS_LOCATION /* leaves out where in this program it was sent */
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "base/text.h"
#include "publish/told.h"
#include "publish/wording.h"

/* The path that libsystemd uses. Without a journal, libsystemd drops entries and reports nothing.
 */
#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define FIELDS_MAX (WORDING_FIELDS_MAX + 5)

struct sink {
    char sensors[PATTERN_SIZE];
    struct told *told;
    struct octets fields; /* of one entry, one after the other */
    size_t end[FIELDS_MAX];
    size_t n;
};

static int look_for_journal(char error[SINK_ERROR_SIZE])
{
    if (access(JOURNAL_SOCKET, W_OK) == 0)
        return 0;
    int why = errno;
    text_format(error, SINK_ERROR_SIZE, "%s: %s", JOURNAL_SOCKET, strerror(why));
    return why;
}

static void close_journald(struct sink *sink)
{
    if (!sink)
        return;
    told_free(sink->told);
    octets_release(&sink->fields);
    free(sink);
}

static int open_journald(const struct outlet_sink *settings, int64_t now_ms, struct sink **opened,
                         char error[SINK_ERROR_SIZE])
{
    (void)now_ms;
    if (settings->location[0]) {
        text_format(error, SINK_ERROR_SIZE, "location: the journal of this machine has none");
        return EINVAL;
    }
    struct sink *sink = calloc(1, sizeof *sink);
    if (sink)
        sink->told = told_new();
    if (!sink || !sink->told) {
        free(sink);
        text_format(error, SINK_ERROR_SIZE, "%s", strerror(ENOMEM));
        return ENOMEM;
    }
    text_format(sink->sensors, sizeof sink->sensors, "%s", settings->sensors);
    int failed = look_for_journal(error);
    if (failed)
        close_journald(sink);
    else
        *opened = sink;
    return failed;
}

static void begin_field(struct sink *sink, const char *name)
{
    octets_add_text(&sink->fields, name);
    octets_add(&sink->fields, "=", 1);
}

static void end_field(struct sink *sink)
{
    sink->end[sink->n++] = sink->fields.len;
}

static void add_field(struct sink *sink, const char *name, const char *text, size_t len)
{
    begin_field(sink, name);
    octets_add(&sink->fields, text, len);
    end_field(sink);
}

static void add_own_field(struct sink *sink, const struct wording_field *field)
{
    char name[32] = "DCAMP_";
    size_t n = strlen(name);
    for (const char *at = field->name; *at && n < sizeof name - 1; at++)
        name[n++] = (char)toupper((unsigned char)*at);
    add_field(sink, name, field->text, field->len);
}

static void compose(struct sink *sink, const struct line *line, const struct wording *wording)
{
    const char *kind = line_kind_word(line->kind);
    octets_cut(&sink->fields, 0);
    sink->n = 0;
    begin_field(sink, "MESSAGE");
    wording_add(&sink->fields, line, wording);
    end_field(sink);
    begin_field(sink, "PRIORITY");
    octets_add_unsigned(&sink->fields, (unsigned)wording_severity(line));
    end_field(sink);
    add_field(sink, "SYSLOG_IDENTIFIER", "dcamp", strlen("dcamp"));
    add_field(sink, "DCAMP_KIND", kind, strlen(kind));
    begin_field(sink, "DCAMP_TIME");
    octets_add_time(&sink->fields, line->wall_ms);
    end_field(sink);
    for (size_t i = 0; i < wording->n; i++)
        add_own_field(sink, &wording->field[i]);
}

static int send_entry(const struct sink *sink)
{
    struct iovec field[FIELDS_MAX];
    if (sink->fields.failed)
        return ENOMEM;
    for (size_t i = 0, from = 0; i < sink->n; from = sink->end[i++])
        field[i] = (struct iovec){sink->fields.at + from, sink->end[i] - from};
    return -sd_journal_sendv(field, (int)sink->n);
}

/* A line_fn. */
static int send_line(void *context, const struct line *line)
{
    struct sink *sink = context;
    struct line own = *line;
    struct told_words words;
    struct wording wording;
    if (!told_is_news(sink->told, &own, &words))
        return 0;
    wording_of(&wording, &own);
    compose(sink, &own, &wording);
    return send_entry(sink);
}

static int give_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                      char error[SINK_ERROR_SIZE])
{
    uint64_t nameless = 0;
    (void)now_ms;
    int failed = look_for_journal(error);
    if (!failed) {
        failed = lines_each(block, LINES_OF_LOGS, sink->sensors, send_line, sink, &nameless);
        if (failed)
            text_format(error, SINK_ERROR_SIZE, "%s: %s", JOURNAL_SOCKET, strerror(failed));
    }
    return failed;
}

/* If the journal was gone in between, what was given is lost. */
static int commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    (void)sink;
    (void)now_ms;
    return look_for_journal(error);
}

const struct sink_type sink_journald = {.abi = SINK_ABI,
                                        .kind = "journald",
                                        .open = open_journald,
                                        .close = close_journald,
                                        .block = give_block,
                                        .commit = commit};
