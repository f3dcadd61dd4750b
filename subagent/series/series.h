/* Sensors and series: which there are, and how they begin and end.
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
    LACK_BASE,    /* it would be a part of 0, of swap space for example where there is none */
    LACK_PROCESS, /* it belongs to a program that has not run */
    LACK_RIGHT    /* the kernel does not show it to this user */
};

/* One series. After a second of idling nothing of it is in the caches, so everything that every
 * pass needs stands together, from entry.number to the values that wait for the statistics, in five
 * cache lines, of which a pass needs four. */
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
    uint64_t since_ns;        /* monotonic: when it began, or when its counter was last smaller than
                               * before */
    struct series **inputs;   /* derived: the series of the names in the expression, in their
                               * order */
    enum series_lack lack;    /* while it is unavailable */
    struct level_state told;  /* at LEVEL_THRESHOLD */
    uint64_t window_ns;       /* of events: when the last window that was told ended */
    struct interval interval; /* if values are computed from all that came */
    uint64_t keys_round;      /* of a top: the round in which its keys were last told */
    char instance[INSTANCE_SIZE];
    char unit[UNIT_SIZE]; /* if it is not the sensor's */
    uint32_t instance_key[INSTANCE_SIZE];
};

/* What every pass needs stands together, as in struct series: from next to filter. */
struct sensor {
    struct index_node node;        /* key: name */
    struct sensor *next;           /* in the list of all, where derived sensors come after their
                                    * inputs */
    atomic_uint_fast64_t due_ns;   /* UINT64_MAX: due when somebody asks; the core reads it without
                                    * the lock */
    const struct metric *metric;   /* NULL: derived */
    struct expression *expression; /* NULL: not derived */
    struct series *series;
    uint64_t interval_ns; /* 0: on demand */
    uint64_t window_ns;   /* 0: no statistics */
    uint64_t membership;  /* the state of the set that the series were last matched with */
    enum calculation calculation;
    int error;    /* of its source at the last pass; derived: what prevents it from being
                   * computed */
    bool sampled; /* at least once */
    bool pushes;  /* values that pass the filter are sent to the parent without waiting */
    enum information_level level : 8;
    uint32_t n_series;
    uint64_t passed, held;
    struct filter_rule filter;
    uint64_t since_ns;   /* monotonic: it began */
    uint64_t keys_round; /* of tops, see tell_keys.h; 0: no round yet */
    bool keys_wait;      /* some keys have not been told in this round yet */
    unsigned rank;       /* 0: measured; else higher than the ranks of all its inputs */
    uint32_t key[NAME_SIZE];
    char unit[UNIT_SIZE];
    struct sensor_row row; /* a copy */
};

struct measure {
    struct pool sensor_pool, series_pool;
    struct index sensors;
    struct sensor *all; /* the same sensors as a list, to go through them at every pass */
    struct index series;
    struct publisher *publisher;
    uint64_t membership; /* grows whenever a series begins or ends */
    uint64_t starved;    /* grows whenever memory is lacking for one */
    uint64_t samples;
    bool keys_wait; /* some sensor has keys that wait */
    bool on_demand; /* there are sensors that are sampled on demand */
    /* When the first sensor of each source, and the first derived one, is due, so that a pass need
     * not go through all sensors before it reads. */
    uint64_t due_ns[SOURCE_COUNT + 1];
};

/* NULL when there is none. */
struct sensor *measure_find(const struct measure *measure, const char *name);
struct series *measure_series(const struct measure *measure, const char *sensor,
                              const char *instance);

/* series_begin: a series of a sensor that has none for this instance yet, which exists since
 * since_ns; NULL: no memory. unit: of what is measured on that instance; NULL: as the sensor has
 * it. series_end: the end of a series that was taken out of the list of its sensor;
 * sensor_end_series: of all series of a sensor. series_take: result becomes the latest value. */
struct series *series_begin(struct measure *measure, struct sensor *sensor, const char *instance,
                            const char *unit, uint64_t since_ns, struct moment now);
void series_end(struct measure *measure, struct series *series, const char *why, struct moment now);
void sensor_end_series(struct measure *measure, struct sensor *sensor, const char *why,
                       struct moment now);
void series_take(struct series *series, struct result result, struct moment now);

#endif
