/* Turns what was read into a result: pure. Each function takes rows as they came and fills in
 * status, summary, lines and perfdata. */
#ifndef DCAMP_PLUGINS_JUDGE_H
#define DCAMP_PLUGINS_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "plugins/range.h"
#include "plugins/result.h"

#define STATE_SIZE 16
#define UNIT_SIZE 33
#define NO_AGE (-1)

/* A number of things, or a percentage of all of them. */
struct share_range {
    struct range range;
    bool percent;
};

/* "10", "10:20%". */
bool share_read(const char *text, struct share_range *share);
bool share_alerts(const struct share_range *share, size_t count, size_t all);

/* -- Values of sensors and aggregates -- */

struct value_row {
    char instance[INSTANCE_SIZE];
    bool exists;
    char state[STATE_SIZE];  /* the label of dcampValueState */
    char text[DECIMAL_SIZE]; /* "" if there is none */
    char unit[UNIT_SIZE];
    int64_t age_ms;             /* or NO_AGE */
    uint32_t expected, missing; /* only of aggregates */
};

struct value_check {
    const char *name;
    const char *statistic; /* NULL for the latest value */
    const char *error;     /* why there is no value, by the node; NULL or "": unknown */
    bool aggregate;
    bool counter; /* the values only grow */
    bool all_lines;
    struct range warning, critical;
    struct share_range missing_warning, missing_critical;
    int64_t max_age_ms; /* or NO_AGE */
};

void judge_values(const struct value_check *check, const struct value_row *rows, size_t n,
                  struct result *result);

/* -- Active alarms -- */

/* As DcampSeverity of the MIB. */
enum severity { SEVERITY_CLEAR = 1, SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_CRITICAL };

struct alarm_row {
    int severity;
    char key[ALARM_KEY_SIZE];
    char node[NAME_SIZE];
    char threshold[NAME_SIZE];
    char sensor[NAME_SIZE];
    char instance[INSTANCE_SIZE];
    char message[MESSAGE_SIZE];
    char since[32];
};

struct alarm_check {
    enum severity least;
    const char *node, *threshold, *sensor, *instance; /* patterns */
    struct range warning, critical; /* of the number of alarms; if not given, by severity */
};

bool alarm_matches(const struct alarm_check *check, const struct alarm_row *row);

/* Judges rows that match, in any order; they are sorted, the worst first. */
void judge_alarms(const struct alarm_check *check, struct alarm_row *rows, size_t n,
                  struct result *result);

/* -- Children -- */

struct child_row {
    char name[NAME_SIZE];
    char state[STATE_SIZE]; /* the label of dcampChildState */
    char error[128];
    char group[NAME_SIZE];
    char last_contact[32];
};

struct tree_check {
    struct share_range warning, critical; /* of the children that are not up; if neither is given,
                                           * the states decide */
    bool all_lines;
};

/* Active alarms of the children and of everything below them; they are reported, but not judged. */
struct alarms_below {
    uint64_t critical, warning, info;
};

void judge_tree(const struct tree_check *check, const struct child_row *rows, size_t n,
                const struct alarms_below *alarms, struct result *result);

/* -- Freshness -- */

struct sensor_row {
    char name[NAME_SIZE];
    char state[STATE_SIZE]; /* the label of dcampSensorState */
    int64_t interval_ms;    /* 0 if it is sampled only on demand */
    int64_t age_ms;         /* of its first value, or NO_AGE */
};

struct freshness_check {
    struct range warning, critical; /* by how many seconds a sample may be overdue */
    const char *node, *version;
    uint64_t up_time_s;
    bool all_lines;
};

void judge_freshness(const struct freshness_check *check, const struct sensor_row *rows, size_t n,
                     struct result *result);

#endif
