#include "application/families.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define BOTH (1u << OPENMETRICS_PROMETHEUS | 1u << OPENMETRICS_1)
#define PROMETHEUS (1u << OPENMETRICS_PROMETHEUS)
#define ONE (1u << OPENMETRICS_1)

static const struct type_name {
    const char *name;
    enum openmetrics_type type;
    unsigned formats;
} type_names[] = {
    {"counter", OPENMETRICS_COUNTER, BOTH},
    {"gauge", OPENMETRICS_GAUGE, BOTH},
    {"histogram", OPENMETRICS_HISTOGRAM, BOTH},
    {"summary", OPENMETRICS_SUMMARY, BOTH},
    {"untyped", OPENMETRICS_UNKNOWN, PROMETHEUS},
    {"unknown", OPENMETRICS_UNKNOWN, ONE},
    {"info", OPENMETRICS_INFO, ONE},
    {"stateset", OPENMETRICS_STATE_SET, ONE},
    {"gaugehistogram", OPENMETRICS_GAUGE_HISTOGRAM, ONE},
};

/* The names of samples of a type: the name of its family, followed by this suffix. */
static const struct suffix {
    const char *text;
    enum openmetrics_type type;
    enum openmetrics_part part;
    unsigned formats;
} suffixes[] = {
    {"", OPENMETRICS_UNKNOWN, OPENMETRICS_VALUE, BOTH},
    {"", OPENMETRICS_GAUGE, OPENMETRICS_VALUE, BOTH},
    {"", OPENMETRICS_SUMMARY, OPENMETRICS_QUANTILE, BOTH},
    {"", OPENMETRICS_STATE_SET, OPENMETRICS_STATE, ONE},
    {"", OPENMETRICS_COUNTER, OPENMETRICS_TOTAL, PROMETHEUS},
    {"_total", OPENMETRICS_COUNTER, OPENMETRICS_TOTAL, ONE},
    {"_created", OPENMETRICS_COUNTER, OPENMETRICS_CREATED, ONE},
    {"_created", OPENMETRICS_HISTOGRAM, OPENMETRICS_CREATED, ONE},
    {"_created", OPENMETRICS_SUMMARY, OPENMETRICS_CREATED, ONE},
    {"_bucket", OPENMETRICS_HISTOGRAM, OPENMETRICS_BUCKET, BOTH},
    {"_sum", OPENMETRICS_HISTOGRAM, OPENMETRICS_SUM, BOTH},
    {"_count", OPENMETRICS_HISTOGRAM, OPENMETRICS_COUNT, BOTH},
    {"_sum", OPENMETRICS_SUMMARY, OPENMETRICS_SUM, BOTH},
    {"_count", OPENMETRICS_SUMMARY, OPENMETRICS_COUNT, BOTH},
    {"_bucket", OPENMETRICS_GAUGE_HISTOGRAM, OPENMETRICS_BUCKET, ONE},
    {"_gsum", OPENMETRICS_GAUGE_HISTOGRAM, OPENMETRICS_SUM, ONE},
    {"_gcount", OPENMETRICS_GAUGE_HISTOGRAM, OPENMETRICS_COUNT, ONE},
    {"_info", OPENMETRICS_INFO, OPENMETRICS_LABELS, ONE},
};

#define N_OF(rows) (sizeof(rows) / sizeof *(rows))

bool family_type(enum openmetrics_format format, const char *name, enum openmetrics_type *type)
{
    for (size_t i = 0; i < N_OF(type_names); i++)
        if (type_names[i].formats >> format & 1 && strcmp(type_names[i].name, name) == 0) {
            *type = type_names[i].type;
            return true;
        }
    return false;
}

static struct family *find(const struct families *families, const char *name, size_t len)
{
    struct family *family;
    HASH_FIND(hh, families->by_name, name, len, family);
    return family;
}

struct family *families_find(const struct families *families, const char *name)
{
    return find(families, name, strlen(name));
}

static void family_free(struct family *family)
{
    free(family->shown.name);
    free(family->shown.unit);
    free(family->shown.help);
    free(family);
}

struct family *families_add(struct families *families, const char *name)
{
    struct family *family = calloc(1, sizeof *family);
    if (!family)
        return NULL;
    family->shown = (struct openmetrics_family){
        .name = strdup(name), .unit = calloc(1, 1), .help = calloc(1, 1)};
    if (family->shown.name && family->shown.unit && family->shown.help) {
        HASH_ADD_KEYPTR(hh, families->by_name, family->shown.name, strlen(name), family);
        if (table_has(hh, family))
            return family;
    }
    family_free(family);
    return NULL;
}

void families_free(struct families *families)
{
    struct family *family, *next;
    HASH_ITER(hh, families->by_name, family, next)
    {
        HASH_DEL(families->by_name, family);
        family_free(family);
    }
}

static bool is_of(const struct families *families, const struct suffix *suffix,
                  const struct family *family)
{
    return suffix->formats >> families->format & 1 && suffix->type == family->shown.type;
}

/* The longest family name is tried first: the whole name. */
const char *families_resolve(const struct families *families, const char *name,
                             struct family **family, enum openmetrics_part *part)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < N_OF(suffixes); i++) {
        size_t extra = strlen(suffixes[i].text);
        if (extra >= len || strcmp(name + len - extra, suffixes[i].text) != 0)
            continue;
        *family = find(families, name, len - extra);
        if (*family && is_of(families, &suffixes[i], *family)) {
            *part = suffixes[i].part;
            return NULL;
        }
    }
    *family = NULL;
    *part = OPENMETRICS_VALUE;
    return find(families, name, len) ? "Its name is not that of a sample of the type of its family."
                                     : NULL;
}

static bool set_text(char **text, const char *to)
{
    char *copy = strndup(to, MESSAGE_SIZE - 1);
    if (!copy)
        return false;
    free(*text);
    *text = copy;
    return true;
}

bool family_set_unit(struct family *family, const char *unit)
{
    family->has_unit = true;
    return set_text(&family->shown.unit, unit);
}

/* A text that is too long is cut off between two characters. */
bool family_set_help(struct family *family, const char *help)
{
    size_t len = strlen(help), end = 0;
    while (end < len) {
        size_t character = text_utf8_length(help + end, len - end);
        if (character == 0 || end + character >= MESSAGE_SIZE)
            break;
        end += character;
    }
    char *copy = strndup(help, end);
    family->has_help = true;
    if (!copy)
        return false;
    free(family->shown.help);
    family->shown.help = copy;
    return true;
}
