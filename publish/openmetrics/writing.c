#include "publish/openmetrics/writing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* -- What is asked for ----------------------------------------------------------------------- */

const char *writing_content_type(enum writing_format format)
{
    return format == WRITING_OPENMETRICS
               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; version=0.0.4; charset=utf-8";
}

static bool is_word(const char *text, size_t len, const char *word)
{
    return len == strlen(word) && strncasecmp(text, word, len) == 0;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* One element of the header: a type, with parameters behind ';'. */
struct accepted {
    bool is_openmetrics, is_text;
    bool is_known; /* its version is, or it has none */
    double weight;
};

/* Reads NAME=VALUE behind a ';'. Returns what follows. */
static const char *read_parameter(const char *at, struct accepted *accepted)
{
    at = skip_blanks(at + 1);
    size_t name_len = strcspn(at, "=;, \t");
    const char *value = at + name_len;
    bool has_value = *value == '=';
    value += has_value;
    bool is_quoted = *value == '"';
    value += is_quoted;
    size_t len = strcspn(value, is_quoted ? "\"" : ";, \t");
    if (has_value && is_word(at, name_len, "q"))
        accepted->weight = strtod(value, NULL);
    else if (has_value && is_word(at, name_len, "version") && accepted->is_openmetrics)
        accepted->is_known = is_word(value, len, "1.0.0") || is_word(value, len, "0.0.1");
    value += len;
    return skip_blanks(value + (is_quoted && *value == '"'));
}

static const char *read_element(const char *at, struct accepted *accepted)
{
    at = skip_blanks(at);
    size_t len = strcspn(at, ";, \t");
    *accepted =
        (struct accepted){.is_openmetrics = is_word(at, len, "application/openmetrics-text"),
                          .is_text = is_word(at, len, "text/plain"),
                          .is_known = true,
                          .weight = 1};
    at = skip_blanks(at + len);
    while (*at == ';')
        at = read_parameter(at, accepted);
    at += strcspn(at, ",");
    return *at ? at + 1 : at;
}

enum writing_format writing_accepted(const char *accept)
{
    double openmetrics = 0, text = 0;
    struct accepted accepted;
    while (accept && *accept) {
        accept = read_element(accept, &accepted);
        if (accepted.is_openmetrics && accepted.is_known && accepted.weight > openmetrics)
            openmetrics = accepted.weight;
        else if (accepted.is_text && accepted.weight > text)
            text = accepted.weight;
    }
    return openmetrics > 0 && openmetrics >= text ? WRITING_OPENMETRICS : WRITING_PROMETHEUS;
}

/* -- What is written ------------------------------------------------------------------------- */

static void add_escaped(struct octets *octets, const char *text, const char *escaped)
{
    while (*text) {
        size_t len = strcspn(text, escaped);
        octets_add(octets, text, len);
        text += len;
        if (!*text)
            return;
        octets_add(octets, *text == '\n' ? "\\n" : *text == '"' ? "\\\"" : "\\\\", 2);
        text++;
    }
}

static void add_words(struct octets *octets, const char *keyword, const char *name,
                      const char *suffix)
{
    octets_add_text(octets, "# ");
    octets_add_text(octets, keyword);
    octets_add(octets, " ", 1);
    octets_add_text(octets, name);
    octets_add_text(octets, suffix);
    octets_add(octets, " ", 1);
}

static const char *type_word(enum writing_type type, enum writing_format format)
{
    switch (type) {
    case WRITING_GAUGE:
        return "gauge";
    case WRITING_COUNTER:
        return "counter";
    case WRITING_SUMMARY:
        return "summary";
    default:
        return format == WRITING_OPENMETRICS ? "unknown" : "untyped";
    }
}

void writing_add_family(struct octets *octets, enum writing_format format,
                        const struct writing_family *family)
{
    bool is_open = format == WRITING_OPENMETRICS;
    const char *suffix = !is_open && family->type == WRITING_COUNTER ? "_total" : "";
    add_words(octets, "TYPE", family->name, suffix);
    octets_add_text(octets, type_word(family->type, format));
    octets_add(octets, "\n", 1);
    if (is_open && family->unit[0]) {
        add_words(octets, "UNIT", family->name, suffix);
        octets_add_text(octets, family->unit);
        octets_add(octets, "\n", 1);
    }
    add_words(octets, "HELP", family->name, suffix);
    add_escaped(octets, family->help, is_open ? "\\\n\"" : "\\\n");
    octets_add(octets, "\n", 1);
}

void writing_add_label(struct octets *octets, size_t start, const char *name, const char *value)
{
    struct octets clean = {0};
    octets_add_clean(&clean, value, strlen(value), false);
    octets_add(&clean, "", 1);
    if (octets->len > start)
        octets_add(octets, ",", 1);
    octets_add_text(octets, name);
    octets_add(octets, "=\"", 2);
    if (clean.failed)
        octets->failed = true;
    else
        add_escaped(octets, clean.at, "\\\n\"");
    octets_add(octets, "\"", 1);
    octets_release(&clean);
}

size_t writing_from_double(char text[DOUBLE_SIZE], double value)
{
    if (isfinite(value))
        return octets_from_double(text, value);
    strcpy(text, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
    return strlen(text);
}

void writing_add_sample(struct octets *octets, const char *name, const char *suffix,
                        const char *labels, size_t labels_len, double value)
{
    char text[DOUBLE_SIZE + 1];
    size_t len = writing_from_double(text, value);
    text[len++] = '\n';
    octets_add_text(octets, name);
    octets_add_text(octets, suffix);
    if (labels_len > 0) {
        octets_add(octets, "{", 1);
        octets_add(octets, labels, labels_len);
        octets_add(octets, "}", 1);
    }
    octets_add(octets, " ", 1);
    octets_add(octets, text, len);
}

void writing_add_end(struct octets *octets, enum writing_format format)
{
    if (format == WRITING_OPENMETRICS)
        octets_add_text(octets, "# EOF\n");
}
