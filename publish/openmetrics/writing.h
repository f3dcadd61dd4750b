/* The text that Prometheus and others scrape, piece by piece: OpenMetrics 1.0
 * (github.com/OpenObservability/OpenMetrics, specification/OpenMetrics.md), and the format 0.0.4
 * that was before it (prometheus.io/docs/instrumenting/exposition_formats). Pure but for memory.
 *
 * Lines of samples are the same in both; what is said of a family, and the end, are not. */
#ifndef DCAMP_PUBLISH_OPENMETRICS_WRITING_H
#define DCAMP_PUBLISH_OPENMETRICS_WRITING_H

#include "publish/octets.h"

enum writing_format { WRITING_PROMETHEUS, WRITING_OPENMETRICS, WRITING_FORMATS };

enum writing_type { WRITING_GAUGE, WRITING_COUNTER, WRITING_SUMMARY, WRITING_UNKNOWN };

/* The type of the content, for HTTP. */
const char *writing_content_type(enum writing_format format);

/* The format that the client takes, by its header Accept (RFC 9110, section 12.5.1), which may be
 * NULL: OpenMetrics only if the header names it, with a known version, and does not prefer plain
 * text. */
enum writing_format writing_accepted(const char *accept);

struct writing_family {
    const char *name; /* of a counter: without "_total" */
    enum writing_type type;
    const char *unit; /* with which the name must end; "": none */
    const char *help;
};

/* Adds the lines TYPE, UNIT and HELP. */
void writing_add_family(struct octets *octets, enum writing_format format,
                        const struct writing_family *family);

/* Adds NAME="VALUE", with a comma in front if the octets from start on have a label already. The
 * value is text of somebody else: octets_add_clean() cleans it; what would end it is escaped. */
void writing_add_label(struct octets *octets, size_t start, const char *name, const char *value);

/* A number that is not finite is "NaN", "+Inf" or "-Inf". Returns the length. */
size_t writing_from_double(char text[DOUBLE_SIZE], double value);

/* Adds a sample; labels as writing_add_label() makes them, or none. suffix of the name: "",
 * "_total". */
void writing_add_sample(struct octets *octets, const char *name, const char *suffix,
                        const char *labels, size_t labels_len, double value);

/* Adds what stands behind the last line. */
void writing_add_end(struct octets *octets, enum writing_format format);

#endif
