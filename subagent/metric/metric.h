/* The registry of metrics: what can be measured, as rows of data.
 * A sensor names a metric; everything else (unit, kind, source, where in the sample the raw
 * value stands) comes from here. */
#ifndef DCAMP_METRIC_METRIC_H
#define DCAMP_METRIC_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cache.h"

/* A counter only grows, except when it wraps or is reset; a gauge is a level. */
enum metric_kind { METRIC_COUNTER = 1, METRIC_GAUGE = 2 };

/* There is one source for each sampler; it is read in one pass. */
enum metric_source {
    SOURCE_CPU,         /* /proc/stat, proc(5) */
    SOURCE_LOAD,        /* /proc/loadavg */
    SOURCE_MEMORY,      /* /proc/meminfo */
    SOURCE_NETWORK,     /* /proc/net/dev */
    SOURCE_DISK,        /* /proc/diskstats, Documentation/admin-guide/iostats.rst */
    SOURCE_KERNEL,      /* /proc/uptime, /proc/vmstat */
    SOURCE_FILESYSTEM,  /* statvfs(3) of what /proc/self/mountinfo lists */
    SOURCE_PRESSURE,    /* /proc/pressure, Documentation/accounting/psi.rst */
    SOURCE_PROTOCOL,    /* /proc/net/snmp, /proc/net/netstat, /proc/net/sockstat */
    SOURCE_HARDWARE,    /* /sys/class/hwmon, Documentation/hwmon/sysfs-interface.rst */
    SOURCE_CGROUP,      /* cgroup v2, Documentation/admin-guide/cgroup-v2.rst */
    SOURCE_PROCESS,     /* /proc/PID, netlink process events, taskstats */
    SOURCE_APPLICATION, /* what programs publish, libdcamp/segment.h; the owner of the sampler
                           provides the reader */
    SOURCE_JVM,         /* what JVMs say of themselves, application/jvm.h; likewise */
    SOURCE_ENDPOINT,    /* what programs say over HTTP, application/endpoints.h; likewise */
    SOURCE_COUNT
};

/* The name of the only instance of load and memory, and of the sum of all CPUs. */
#define METRIC_NODE_INSTANCE "total"

/* What an instance is. The numbers are those of dcampResourceClass in the MIB. */
enum resource_class {
    RESOURCE_NODE = 1, /* the machine as a whole; its instance is METRIC_NODE_INSTANCE */
    RESOURCE_CPU = 2,
    RESOURCE_DISK = 3,
    RESOURCE_PARTITION = 4,
    RESOURCE_INTERFACE = 5,
    RESOURCE_FILESYSTEM = 6,
    RESOURCE_HARDWARE = 7,     /* a channel of a hwmon chip */
    RESOURCE_CGROUP = 8,       /* a service or container */
    RESOURCE_PROCESS = 9,      /* one process */
    RESOURCE_PROGRAM = 10,     /* the sum of the processes of a program, an owner or a cgroup */
    RESOURCE_APPLICATION = 11, /* what the processes of a user publish under one name */
    RESOURCE_APPLICATION_SENSOR = 12, /* one sensor of an application */
    RESOURCE_JVM = 13,
    RESOURCE_JVM_COLLECTOR = 14,  /* one of the collectors of a JVM */
    RESOURCE_ENDPOINT = 15,       /* a program that is asked over HTTP */
    RESOURCE_ENDPOINT_SERIES = 16 /* one series that it says */
};

/* Where the base value of the calculations average and percent comes from. */
enum metric_base {
    BASE_NONE,  /* the metric has none: average and percent are refused */
    BASE_FIELD, /* another field of the same instance: base_field */
    BASE_TIME   /* the time of the sample, in milliseconds */
};

/* What every calculation needs stands in one cache line, and the texts stand behind it: a pass goes
 * through the rows of all its sensors, and so it needs only one line of each. */
struct metric {
    _Alignas(CACHE_LINE) enum metric_kind kind;
    enum metric_source source;
    unsigned classes; /* bit 1 << class for each resource class that has the metric */
    unsigned field;   /* index into sample_slot.field: metric/field.h */
    unsigned width;   /* bits after which the kernel's counter wraps: 32 or 64; 0 for a gauge */
    enum metric_base base;
    unsigned base_field;
    double scale; /* unit per raw count: 0.01 for USER_HZ ticks in seconds */
    /* Unit per raw count of the base, in the unit that the quotient needs: average = (V * scale) /
     * (B * base_scale), percent = 100 times that, where V and B are differences for a counter and
     * levels for a gauge. Ticks by ticks, both 0.01, is a share; milliseconds (scale 1) by
     * operations (base_scale 1) is milliseconds for each operation; with BASE_TIME, B is in
     * milliseconds. */
    double base_scale;
    bool is_real; /* raw values are the bits of a double; a counter is then a sum, which may fall
                     without having been reset */
    /* The value of each event is known, not only the number of events and their sum: statistics of
     * the calculation average are those of all events, and not of the averages. */
    bool has_events;
    /* A value is computed of all that came since the previous value, in however many passes
     * (sample_slot.computed). The metric is a gauge, and real. */
    bool is_computed;
    bool has_records; /* a sensor puts records into the report blocks: sample_slot.records */
    const char *name; /* "cpu.busy" */
    const char *unit; /* of the scaled raw value: "s", "B", "packets"; some instances have a unit of
                         their own (sample_slot.unit) */
    const char *origin;  /* kernel file and field */
    const char *meaning; /* one line, for people */
};

extern const struct metric metric_registry[];
extern const size_t metric_count;

/* Prefetches what the calculations need of it. NULL is allowed. */
static inline void metric_prefetch(const struct metric *metric)
{
    if (metric)
        __builtin_prefetch(&metric->kind);
}

/* Returns NULL if there is no metric of that name. */
const struct metric *metric_find(const char *name);

#endif
