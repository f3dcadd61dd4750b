#include "application/openmetrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "application/exposition.h"
#include "application/families.h"
#include "base/table.h"
#include "base/text.h"

/* A series that has had a sample: two series with the same hash are taken for one. With 10,000
 * series, the probability that any two have the same 64 bits is 3 in 10^12. */
struct seen {
    uint64_t hash;
    bool has_time;
    double time_s;
    UT_hash_handle hh;
};

struct openmetrics {
    struct openmetrics_limits limits;
    struct openmetrics_listener listener;
    uint64_t seed;
    struct families families;
    struct family *current; /* the family whose lines are being read */
    struct seen *seen;
    bool is_over; /* the end mark has come */
    struct openmetrics_summary summary;
    struct scanned_sample scanned;
    size_t used; /* octets of the line that have come so far */
    bool is_too_long;
    char line[]; /* limits.line + 1 octets */
};

/* -- Format ---------------------------------------------------------------------------------- */

/* The value of a parameter of a Content-Type, and its length; NULL: there is no such parameter. */
static const char *parameter(const char *content_type, const char *name, size_t *len)
{
    const char *at = content_type;
    while ((at = strchr(at, ';'))) {
        at += 1 + strspn(at + 1, " \t");
        size_t n = strlen(name);
        if (strncasecmp(at, name, n) == 0 && at[n] == '=') {
            at += n + 1;
            at += *at == '"';
            *len = strcspn(at, "\"; \t");
            return at;
        }
    }
    return NULL;
}

static bool is_media_type(const char *content_type, const char *type)
{
    content_type += strspn(content_type, " \t");
    size_t len = strcspn(content_type, "; \t");
    return strlen(type) == len && strncasecmp(content_type, type, len) == 0;
}

bool openmetrics_format(const char *content_type, enum openmetrics_format *format)
{
    static const struct {
        const char *type, *version;
        enum openmetrics_format format;
    } formats[] = {
        {"text/plain", "0.0.4", OPENMETRICS_PROMETHEUS},
        {"application/openmetrics-text", "1.0.0", OPENMETRICS_1},
        {"application/openmetrics-text", "0.0.1", OPENMETRICS_1}, /* the draft, which has the same
                                                                   * format */
    };
    size_t len = 0;
    const char *version = parameter(content_type, "version", &len);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (is_media_type(content_type, formats[i].type) &&
            (!version || (strlen(formats[i].version) == len &&
                          strncmp(version, formats[i].version, len) == 0))) {
            *format = formats[i].format;
            return true;
        }
    return false;
}

/* -- Begin and end --------------------------------------------------------------------------- */

struct openmetrics *openmetrics_new(enum openmetrics_format format,
                                    const struct openmetrics_limits *limits, uint64_t seed,
                                    const struct openmetrics_listener *listener)
{
    struct openmetrics *reader = calloc(1, sizeof *reader + limits->line + 1);
    if (!reader)
        return NULL;
    reader->limits = *limits;
    reader->listener = *listener;
    reader->seed = seed;
    reader->families.format = format;
    return reader;
}

void openmetrics_free(struct openmetrics *reader)
{
    struct seen *seen, *next;
    if (!reader)
        return;
    HASH_ITER(hh, reader->seen, seen, next)
    {
        HASH_DEL(reader->seen, seen);
        free(seen);
    }
    families_free(&reader->families);
    free(reader);
}

/* Returns 0, for callers that have nothing else to return. */
static int fault(struct openmetrics *reader, const char *why)
{
    reader->summary.faults++;
    if (reader->listener.fault)
        reader->listener.fault(reader->listener.context, reader->summary.lines, why);
    return 0;
}

/* -- Families -------------------------------------------------------------------------------- */

/* In OpenMetrics, all lines of a family must stand together. */
static bool may_go_on(const struct openmetrics *reader, const struct family *family)
{
    return reader->families.format == OPENMETRICS_PROMETHEUS || !family || !family->is_over;
}

static void go_on(struct openmetrics *reader, struct family *family)
{
    if (reader->current && reader->current != family)
        reader->current->is_over = true;
    reader->current = family;
}

#define END_MARK "# EOF"
#define NO_WORD "It is neither HELP, TYPE, UNIT nor EOF."
#define INTERLEAVED "The lines of its family ended before those of another one."

/* Adds a family; *family NULL and 0: there is no room. */
static int add_family(struct openmetrics *reader, const char *name, struct family **family)
{
    *family = NULL;
    if (HASH_COUNT(reader->families.by_name) >= reader->limits.families)
        return 0;
    *family = families_add(&reader->families, name);
    return *family ? 0 : ENOMEM;
}

enum word { WORD_HELP, WORD_TYPE, WORD_UNIT, WORDS };

/* Why the description in the line cannot be given to the family, which may be NULL if it is new. */
static const char *refusal_of(const struct openmetrics *reader, enum word word, const char *name,
                              const struct family *family, const char *text)
{
    enum openmetrics_type type;
    size_t len = strlen(name), unit = strlen(text);
    if (!may_go_on(reader, family))
        return INTERLEAVED;
    if (word == WORD_TYPE && !family_type(reader->families.format, text, &type))
        return "There is no such type.";
    if (word == WORD_UNIT && unit > 0 &&
        (len < unit + 2 || name[len - unit - 1] != '_' || strcmp(name + len - unit, text) != 0))
        return "The name of the family does not end with its unit.";
    if (!family)
        return NULL;
    const bool has[WORDS] = {family->has_help, family->has_type, family->has_unit};
    if (has[word])
        return "The family has it already.";
    if (word != WORD_HELP && family->has_samples)
        return "It comes after the first sample of its family.";
    return NULL;
}

/* False: no memory. */
static bool describe(const struct openmetrics *reader, enum word word, struct family *family,
                     const char *text)
{
    switch (word) {
    case WORD_HELP:
        return family_set_help(family, text);
    case WORD_TYPE:
        family->has_type = true;
        return family_type(reader->families.format, text, &family->shown.type);
    default:
        return family_set_unit(family, text);
    }
}

/* Reads "NAME text" after one of the words. */
static int read_description(struct openmetrics *reader, enum word word, char *at)
{
    struct scanner scanner = {.at = at, .format = reader->families.format};
    char end = '\0';
    const char *name = scan_metric(&scanner, &end);
    bool is_strict = scanner.format == OPENMETRICS_1;
    if (!name)
        return fault(reader, scanner.fault);
    if (end != ' ' && (is_strict || (end != '\t' && end != '\0')))
        return fault(reader, "The name is not followed by a blank.");
    if (!is_strict)
        scanner.at += strspn(scanner.at, " \t");
    char *text = scanner.at;
    if (word == WORD_HELP && !scan_help(&scanner))
        return fault(reader, scanner.fault);
    if (word == WORD_TYPE && !is_strict)
        text[strcspn(text, " \t")] = '\0';
    struct family *family = families_find(&reader->families, name);
    const char *refusal = refusal_of(reader, word, name, family, text);
    if (refusal)
        return fault(reader, refusal);
    int error = family ? 0 : add_family(reader, name, &family);
    if (error || !family)
        return error;
    go_on(reader, family);
    return describe(reader, word, family, text) ? 0 : ENOMEM;
}

/* Returns what follows the word, if the text begins with it and a blank follows; else NULL.
 * OpenMetrics allows one blank only. */
static char *behind_word(char *at, const char *word, bool is_strict)
{
    size_t len = strlen(word);
    if (strncmp(at, word, len) != 0)
        return NULL;
    size_t blanks = strspn(at + len, is_strict ? " " : " \t");
    return blanks > 0 ? at + len + (is_strict ? 1 : blanks) : NULL;
}

/* A line that begins with '#'. Only Prometheus' format has comments. */
static int read_hash(struct openmetrics *reader)
{
    static const char *const words[WORDS] = {"HELP", "TYPE", "UNIT"};
    bool is_strict = reader->families.format == OPENMETRICS_1;
    char *at = reader->line + 1;
    if (is_strict && strcmp(reader->line, END_MARK) == 0) {
        reader->is_over = true;
        return 0;
    }
    if (is_strict && *at != ' ')
        return fault(reader, NO_WORD);
    at += is_strict ? 1 : strspn(at, " \t");
    for (unsigned i = 0; i < (is_strict ? WORDS : WORD_UNIT); i++) {
        char *behind = behind_word(at, words[i], is_strict);
        if (behind)
            return read_description(reader, i, behind);
    }
    return is_strict ? fault(reader, NO_WORD) : 0;
}

/* -- Series ---------------------------------------------------------------------------------- */

/* FNV-1a (Fowler, Noll, Vo), with the final NUL hashed as another octet. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    while (*text++);
    return hash;
}

/* Makes sums of hashes as good as the hashes themselves: the end of MurmurHash3 (A. Appleby). */
static uint64_t scatter(uint64_t hash)
{
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ hash >> 33;
}

/* The order of the labels does not matter. */
static uint64_t hash_series(const struct openmetrics *reader)
{
    const struct scanned_sample *scanned = &reader->scanned;
    uint64_t seed = scatter(reader->seed + UINT64_C(0xcbf29ce484222325));
    uint64_t hash = hash_text(seed, scanned->name);
    for (size_t i = 0; i < scanned->labels.n; i++) {
        const struct openmetrics_label *label = &scanned->labels.label[i];
        hash += scatter(hash_text(hash_text(~seed, label->name), label->value));
    }
    return scatter(hash);
}

static struct seen *add_seen(struct openmetrics *reader, uint64_t hash)
{
    struct seen *seen = calloc(1, sizeof *seen);
    if (!seen)
        return NULL;
    seen->hash = hash;
    HASH_ADD(hh, reader->seen, hash, sizeof seen->hash, seen);
    if (table_has(hh, seen))
        return seen;
    free(seen);
    return NULL;
}

/* In OpenMetrics a series may have samples of several times, if they are in order. */
static bool is_later(const struct openmetrics *reader, const struct seen *seen)
{
    const struct scanned_sample *scanned = &reader->scanned;
    return reader->families.format == OPENMETRICS_1 && seen->has_time && scanned->has_time &&
           scanned->time_s > seen->time_s;
}

/* Sets *is_new: whether the series of this hash may have this sample. Returns 0 or an errno. */
static int see_series(struct openmetrics *reader, uint64_t hash, bool *is_new)
{
    const struct scanned_sample *scanned = &reader->scanned;
    struct seen *seen;
    HASH_FIND(hh, reader->seen, &hash, sizeof hash, seen);
    *is_new = false;
    if (seen && !is_later(reader, seen))
        return fault(reader, "The series has had a sample before.");
    if (!seen && HASH_COUNT(reader->seen) >= reader->limits.series) {
        reader->summary.beyond++;
        return 0;
    }
    if (!seen) {
        seen = add_seen(reader, hash);
        if (!seen)
            return ENOMEM;
    }
    seen->has_time = scanned->has_time;
    seen->time_s = scanned->time_s;
    *is_new = true;
    return 0;
}

/* -- Samples --------------------------------------------------------------------------------- */

/* The label that says which bucket, quantile or state a sample is; NULL: its part has no such
 * label. */
static const char *special_label(const struct openmetrics_sample *sample)
{
    switch (sample->part) {
    case OPENMETRICS_BUCKET:
        return "le";
    case OPENMETRICS_QUANTILE:
        return "quantile";
    case OPENMETRICS_STATE:
        return sample->family->name;
    default:
        return NULL;
    }
}

/* Takes that label out of the labels. Returns what is wrong with it. */
static const char *take_special(struct openmetrics *reader, struct openmetrics_sample *sample)
{
    struct scanned_labels *labels = &reader->scanned.labels;
    const char *name = special_label(sample);
    size_t at = 0;
    if (!name)
        return NULL;
    while (at < labels->n && strcmp(labels->label[at].name, name) != 0)
        at++;
    if (at == labels->n)
        return "It lacks the label that says which bucket, quantile or state it is.";
    const char *value = labels->label[at].value;
    labels->n--;
    memmove(&labels->label[at], &labels->label[at + 1], (labels->n - at) * sizeof labels->label[0]);
    sample->state = value;
    if (sample->part == OPENMETRICS_STATE)
        return NULL;
    if (!scan_number(value, &sample->bound) || isnan(sample->bound))
        return "Its bound is no number.";
    if (sample->part == OPENMETRICS_QUANTILE && !(sample->bound >= 0 && sample->bound <= 1))
        return "Its quantile is not between 0 and 1.";
    return NULL;
}

/* What OpenMetrics requires; exporters of Prometheus' format have never had to obey it. */
static const char *check_value(const struct openmetrics_sample *sample)
{
    double value = sample->value;
    switch (sample->part) {
    case OPENMETRICS_TOTAL:
        return value >= 0 ? NULL : "A counter is negative or not a number.";
    case OPENMETRICS_BUCKET:
    case OPENMETRICS_COUNT:
        return value >= 0 && value == floor(value) ? NULL : "A count is no whole number.";
    case OPENMETRICS_STATE:
        return value == 0 || value == 1 ? NULL : "A state is neither 0 nor 1.";
    case OPENMETRICS_LABELS:
        return value == 1 ? NULL : "The value of an info is not 1.";
    default:
        return NULL;
    }
}

static const char *check_sample(struct openmetrics *reader, const struct family *family,
                                struct openmetrics_sample *sample)
{
    if (!may_go_on(reader, family))
        return INTERLEAVED;
    const char *why = take_special(reader, sample);
    if (why || reader->families.format == OPENMETRICS_PROMETHEUS)
        return why;
    if (reader->scanned.has_exemplar && sample->part != OPENMETRICS_TOTAL &&
        sample->part != OPENMETRICS_BUCKET)
        return "Only counters and buckets have exemplars.";
    return check_value(sample);
}

static int tell(struct openmetrics *reader, struct family *family,
                struct openmetrics_sample *sample)
{
    struct scanned_sample *scanned = &reader->scanned;
    go_on(reader, family);
    family->has_samples = true;
    sample->family = &family->shown;
    sample->label = scanned->labels.label;
    sample->n_labels = scanned->labels.n;
    scanned->exemplar.label = scanned->exemplar_labels.label;
    scanned->exemplar.n_labels = scanned->exemplar_labels.n;
    bool is_shown = scanned->has_exemplar && scanned->is_exemplar_short;
    sample->exemplar = is_shown ? &scanned->exemplar : NULL;
    reader->summary.samples++;
    return reader->listener.sample(reader->listener.context, sample);
}

/* Takes a valid sample, if there is room for its series. */
static int take_sample(struct openmetrics *reader, uint64_t hash, struct family *family,
                       struct openmetrics_sample *sample)
{
    bool is_new = false;
    int error = family ? 0 : add_family(reader, sample->name, &family);
    if (error)
        return error;
    if (!family) {
        reader->summary.beyond++;
        return 0;
    }
    error = see_series(reader, hash, &is_new);
    return error || !is_new ? error : tell(reader, family, sample);
}

static int read_sample(struct openmetrics *reader)
{
    struct scanned_sample *scanned = &reader->scanned;
    struct scanner scanner = {.at = reader->line, .format = reader->families.format};
    if (!scan_sample(&scanner, scanned))
        return fault(reader, scanner.fault);
    uint64_t hash = hash_series(reader);
    struct openmetrics_sample sample = {.name = scanned->name,
                                        .value = scanned->value,
                                        .has_time = scanned->has_time,
                                        .time_s = scanned->time_s,
                                        .line = reader->summary.lines};
    struct family *family;
    const char *why = families_resolve(&reader->families, scanned->name, &family, &sample.part);
    if (!why) {
        sample.family = family ? &family->shown : NULL;
        why = check_sample(reader, family, &sample);
    }
    return why ? fault(reader, why) : take_sample(reader, hash, family, &sample);
}

/* -- Lines ----------------------------------------------------------------------------------- */

static bool is_utf8(const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t character = (unsigned char)text[i] < 0x80 ? 1 : text_utf8_length(text + i, len - i);
        if (character == 0)
            return false;
        i += character;
    }
    return true;
}

static int say_too_long(struct openmetrics *reader)
{
    char why[MESSAGE_SIZE];
    text_format(why, sizeof why, "It is longer than %zu octets.", reader->limits.line);
    return fault(reader, why);
}

static int read_line(struct openmetrics *reader)
{
    char *line = reader->line;
    line[reader->used] = '\0';
    if (reader->is_over)
        return fault(reader, "It comes after the end of the text.");
    if (reader->is_too_long)
        return say_too_long(reader);
    if (memchr(line, '\0', reader->used))
        return fault(reader, "It has an octet that is 0.");
    if (!is_utf8(line, reader->used))
        return fault(reader, "It is not in UTF-8.");
    if (reader->families.format == OPENMETRICS_PROMETHEUS) {
        size_t blanks = strspn(line, " \t");
        if (!line[blanks])
            return 0;
        memmove(line, line + blanks, reader->used + 1 - blanks);
    }
    return line[0] == '#' ? read_hash(reader) : read_sample(reader);
}

int openmetrics_feed(struct openmetrics *reader, const char *text, size_t len)
{
    while (len > 0) {
        const char *newline = memchr(text, '\n', len);
        size_t n = newline ? (size_t)(newline - text) : len;
        if (n > reader->limits.line - reader->used)
            reader->is_too_long = true;
        else
            memcpy(reader->line + reader->used, text, n);
        reader->used = reader->is_too_long ? reader->limits.line : reader->used + n;
        if (!newline)
            return 0;
        reader->summary.lines++;
        int error = read_line(reader);
        if (error)
            return error;
        reader->used = 0;
        reader->is_too_long = false;
        text += n + 1;
        len -= n + 1;
    }
    return 0;
}

/* OpenMetrics does not require a newline behind its end mark. */
static bool is_end_mark(const struct openmetrics *reader)
{
    return reader->families.format == OPENMETRICS_1 && !reader->is_over && !reader->is_too_long &&
           reader->used == sizeof END_MARK - 1 &&
           memcmp(reader->line, END_MARK, sizeof END_MARK - 1) == 0;
}

void openmetrics_end(struct openmetrics *reader, struct openmetrics_summary *summary)
{
    if (is_end_mark(reader)) {
        reader->summary.lines++;
        reader->used = 0;
        reader->is_over = true;
    }
    bool is_cut = reader->used > 0;
    bool lacks_end = reader->families.format == OPENMETRICS_1 && !reader->is_over;
    if (is_cut) {
        reader->summary.lines++;
        fault(reader, "The text ends within a line.");
    } else if (lacks_end)
        fault(reader, "The text ends without its end mark, " END_MARK ".");
    reader->summary.is_whole = !is_cut && !lacks_end;
    *summary = reader->summary;
}
