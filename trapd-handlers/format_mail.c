/* A message for sendmail(8): RFC 5322, and RFC 2047 for subjects that are not ASCII. */
#include <openssl/evp.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "dcamp_mib.h"
#include "trapd-handlers/format.h"

/* RFC 2047, section 2: a line with an encoded word has at most 76 characters; 12 of them enclose
 * the text, and the first line also has the name of the header. */
#define WORD_OCTETS 39

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text > '~')
            return false;
    return true;
}

/* The length of the text that fits into an encoded word without ending within a character. */
static size_t word_length(const char *text)
{
    size_t n = 0, left = strlen(text);
    while (n < left) {
        size_t next = text_utf8_length(text + n, left - n);
        next = next > 0 ? next : 1;
        if (n + next > WORD_OCTETS)
            break;
        n += next;
    }
    return n;
}

/* text has no control characters, so it cannot end a header. */
static void put_header_text(struct buffer *buffer, const char *text)
{
    if (is_ascii(text) && !strstr(text, "=?")) {
        buffer_text(buffer, text);
        return;
    }
    for (size_t n; *text; text += n) {
        unsigned char word[WORD_OCTETS / 3 * 4 + 1];
        n = word_length(text);
        int len = EVP_EncodeBlock(word, (const unsigned char *)text, (int)n);
        buffer_text(buffer, "=?UTF-8?B?");
        buffer_put(buffer, (const char *)word, (size_t)len);
        buffer_text(buffer, text[n] ? "?=\n " : "?=");
    }
}

static const char *word_of(const struct trap *trap)
{
    return trap_is_clear(trap) ? "clear" : trap_severity_name(trap->severity);
}

static void put_subject(struct buffer *buffer, const struct trap *traps, size_t n,
                        const char *prefix)
{
    struct buffer subject = {0};
    size_t critical = 0;
    for (size_t i = 0; i < n; i++)
        critical += !trap_is_clear(&traps[i]) && traps[i].severity == dcampAlarmSeverity_critical;
    buffer_clean(&subject, prefix, "", ' ');
    if (n == 1) {
        buffer_format(&subject, "%s: ", word_of(traps));
        buffer_clean(&subject, traps->text[TRAP_MESSAGE], "", ' ');
    } else {
        buffer_format(&subject, "%zu notifications, %zu of them critical", n, critical);
    }
    buffer_text(buffer, "Subject: ");
    if (subject.failed)
        buffer->failed = true;
    else
        put_header_text(buffer, subject.at ? subject.at : "");
    buffer_text(buffer, "\n");
    buffer_release(&subject);
}

static void put_line(struct buffer *buffer, const char *name, const char *text)
{
    if (!*text)
        return;
    buffer_format(buffer, "%-12s", name);
    buffer_clean(buffer, text, "", ' ');
    buffer_text(buffer, "\n");
}

static void put_times(struct buffer *buffer, const struct trap *trap)
{
    if (trap->since_ms > 0) {
        buffer_format(buffer, "%-12s", "since");
        format_time(buffer, trap->since_ms);
        buffer_text(buffer, "\n");
    }
    buffer_format(buffer, "%-12s", "received");
    format_time(buffer, trap->received_ms);
    buffer_format(buffer, "\n%-12s%u\n", "sequence", trap->sequence);
    if (trap->suppressed > 0)
        buffer_format(buffer, "%-12s%u notifications\n", "held back", trap->suppressed);
}

/* Every line begins with a word of this program: none can be a lone dot or begin with "From ". */
static void put_trap(struct buffer *buffer, const struct trap *trap)
{
    put_line(buffer, "message", trap->text[TRAP_MESSAGE]);
    put_line(buffer, "state", word_of(trap));
    put_line(buffer, "event", trap_happened_name(trap->happened));
    put_line(buffer, "node", trap->text[TRAP_NODE]);
    put_line(buffer, "alarm", trap->text[TRAP_KEY]);
    put_line(buffer, "rule", trap_rule(trap));
    put_line(buffer, "instance", trap->text[TRAP_INSTANCE]);
    put_line(buffer, "sensor", trap->text[TRAP_SENSOR]);
    put_line(buffer, "value", trap->text[TRAP_VALUE]);
    put_line(buffer, "limit", trap->text[TRAP_LIMIT]);
    put_line(buffer, "address", trap->address);
    put_times(buffer, trap);
}

static void put_date(struct buffer *buffer, int64_t now_ms)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t seconds = (time_t)(now_ms / 1000);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm)) {
        buffer->failed = true;
        return;
    }
    buffer_format(buffer, "Date: %s, %d %s %d %02d:%02d:%02d +0000\n", days[tm.tm_wday], tm.tm_mday,
                  months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

void format_mail(struct buffer *buffer, const struct trap *traps, size_t n,
                 const struct mail_options *options, int64_t now_ms)
{
    if (options->from) {
        buffer_text(buffer, "From: ");
        buffer_clean(buffer, options->from, "", ' ');
        buffer_text(buffer, "\n");
    }
    buffer_text(buffer, "To: ");
    for (size_t i = 0; i < options->n_to; i++) {
        buffer_text(buffer, i > 0 ? ",\n " : "");
        buffer_clean(buffer, options->to[i], "", ' ');
    }
    buffer_text(buffer, "\n");
    put_subject(buffer, traps, n, options->subject);
    put_date(buffer, now_ms);
    buffer_text(buffer, "Auto-Submitted: auto-generated\n"
                        "MIME-Version: 1.0\n"
                        "Content-Type: text/plain; charset=UTF-8\n"
                        "Content-Transfer-Encoding: 8bit\n");
    for (size_t i = 0; i < n; i++) {
        buffer_text(buffer, "\n");
        put_trap(buffer, &traps[i]);
    }
}
