/* Sensors and series: what there is of them, and how one begins and ends.
 *
 * A sensor is an active row of the configuration at run time; a series is one sensor on one
 * instance. Both are read by the agent under the lock. */
#ifndef DCAMP_SERIES_SERIES_H
#define DCAMP_SERIES_SERIES_H

#include <stdatomic.h>

#include "base/index.h"
#include "base/pool.h"
#include "calculate/statistics.h"
#include "config/config.h"
#include "sample/sample.h"
#include "series/interval.h"
#include "series/publish.h"

/* Why a series is unavailable. */
enum series_lack {
    LACK_VALUE,   /* the kernel does not give it */
    LACK_BASE,    /* a part of 0: of swap space where there is none */
    LACK_PROCESS, /* of a program that has not run */
    LACK_RIGHT    /* the kernel does not show it to this user */
};

/* One series. After a second of idling nothing of it is in the caches: what every pass needs stands
 * together, from entry.number to the values that wait for the statistics, in five cache lines, of
 * which a pass needs four. */
struct series {
    struct index_node node; /* key: sensor name, instance */
    struct index_tail tail; /* of the key: the instance */
    struct dictionary_entry entry;
    struct series *next; /* of the sensor */
    struct sensor *sensor;
    uint32_t slot; /* in the sample set */
    uint32_t incarnation;
    struct result result;
    uint64_t raw;
    struct moment taken;
    uint64_t samples, gaps;
    struct calc_state calc;
    struct filter_state filter;
    struct statistics statistics;
    uint64_t since_ns;        /* monotonic: it began, or its counter was smaller than before */
    struct series **inputs;   /* derived: of the names of the expression, in their order */
    enum series_lack lack;    /* while it is unavailable */
    struct level_state told;  /* at LEVEL_THRESHOLD */
    uint64_t window_ns;       /* of events: when the last window ended that was told of */
    struct interval interval; /* of what is computed */
    uint64_t keys_round;      /* of a top: that in which its keys were told last */
    char instance[INSTANCE_SIZE];
    char unit[UNIT_SIZE]; /* where it is not the sensor's */
    uint32_t instance_key[INSTANCE_SIZE];
};

/* What every pass needs stands together, as in a series, from next to filter. */
struct sensor {
    struct index_node node;        /* key: name */
    struct sensor *next;           /* of all, those that are derived behind what they derive from */
    atomic_uint_fast64_t due_ns;   /* UINT64_MAX: when somebody asks; the core looks at it without
                                      the lock */
    const struct metric *metric;   /* NULL: derived */
    struct expression *expression; /* derived */
    struct series *series;
    uint64_t interval_ns; /* 0: on demand */
    uint64_t window_ns;   /* 0: no statistics */
    uint64_t membership;  /* of what the series were last matched with */
    enum calculation calculation;
    int error;    /* of its source, at the last pass; derived: what keeps it from being computed */
    bool sampled; /* at least once */
    bool pushes;  /* what passes the filter is not to wait for the parent */
    enum information_level level : 8;
    uint32_t n_series;
    uint64_t passed, held;
    struct filter_rule filter;
    uint64_t since_ns;   /* monotonic: it began */
    uint64_t keys_round; /* of tops: see tell_keys.h; 0: none yet */
    bool keys_wait;      /* there are keys that were not told in this round */
    unsigned rank;       /* 0: measured; else above that of all that it derives from */
    uint32_t key[NAME_SIZE];
    char unit[UNIT_SIZE];
    struct sensor_row row; /* a copy */
};

struct measure {
    struct pool sensor_pool, series_pool;
    struct index sensors;
    struct sensor *all; /* the same, to go through them at every pass */
    struct index series;
    struct publisher *publisher;
    uint64_t membership; /* grows whenever a series begins or ends */
    uint64_t starved;    /* grows whenever there is no memory for one */
    uint64_t samples;
    bool keys_wait; /* of some sensor */
    bool on_demand; /* there are sensors that are sampled on demand */
    /* Of the first sensor of each source, and of the first derived one: when it is due. So that a
     * pass need not go through all sensors before it reads. */
    uint64_t due_ns[SOURCE_COUNT + 1];
};

/* NULL when there is none. */
struct sensor *measure_find(const struct measure *measure, const char *name);
struct series *measure_series(const struct measure *measure, const char *sensor,
                              const char *instance);

/* A series of a sensor that has none for this instance yet, which was there from since_ns on; NULL
 * without memory. unit: of what is measured on that instance; NULL: as the sensor has it. The end
 * of one that was taken out of the list of its sensor; of all of a sensor. What becomes the latest
 * value. */
struct series *series_begin(struct measure *measure, struct sensor *sensor, const char *instance,
                            const char *unit, uint64_t since_ns, struct moment now);
void series_end(struct measure *measure, struct series *series, const char *why, struct moment now);
void sensor_end_series(struct measure *measure, struct sensor *sensor, const char *why,
                       struct moment now);
void series_take(struct series *series, struct result result, struct moment now);

#endif
