/* What rows cost: the time of a SET with few rows in a table and with many, and the memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "master.h"

#define ROWS_IN_A_SET 40
#define VOLATILE_ROWS 20 /* the first ones: a SET of them does not wait for the disk */
#define TIMED 100        /* SETs, of one row each */

enum { ACTIVE = 1, CREATE_AND_GO = 4, VOLATILE = 2, NO_RESOURCES = 13 };

/* A table, and what its rows must have. */
struct kit {
    const char *name;
    enum mib_object status, storage;
    struct {
        enum mib_object object;
        uint32_t number;
        const char *text; /* NULL: the number counts */
    } columns[3];
};

static const struct kit kits[] = {
    {"sensor",
     MIB_dcampSensorRowStatus,
     MIB_dcampSensorStorageType,
     {{MIB_dcampSensorMetric, 0, "mem.free"}}},
    {"filter",
     MIB_dcampFilterRowStatus,
     MIB_dcampFilterStorageType,
     {{MIB_dcampFilterThrottle, 1000, NULL}}},
    {"threshold",
     MIB_dcampThresholdRowStatus,
     MIB_dcampThresholdStorageType,
     {{MIB_dcampThresholdSensor, 0, "load"},
      {MIB_dcampThresholdOperator, 1, NULL},
      {MIB_dcampThresholdLimit, 0, "1000000"}}},
    {"aggregate",
     MIB_dcampAggregateRowStatus,
     MIB_dcampAggregateStorageType,
     {{MIB_dcampAggregateSensor, 0, "load"}, {MIB_dcampAggregateFunction, 1, NULL}}},
    {"child",
     MIB_dcampChildRowStatus,
     MIB_dcampChildStorageType,
     {{MIB_dcampChildAddress, 0, "udp:127.0.0.1:9"}, {MIB_dcampChildCredential, 0, "none"}}},
    {"object",
     MIB_dcampObjectRowStatus,
     MIB_dcampObjectStorageType,
     {{MIB_dcampObjectOid, 0, "1.3.6.1.2.1.2.2.1.10"}}},
    {"condition",
     MIB_dcampConditionRowStatus,
     MIB_dcampConditionStorageType,
     {{MIB_dcampConditionThresholds, 0, "high"}, {MIB_dcampConditionRequire, 1, NULL}}},
    {"maintenance",
     MIB_dcampMaintenanceRowStatus,
     MIB_dcampMaintenanceStorageType,
     {{MIB_dcampMaintenanceThresholds, 0, "none"}, {MIB_dcampMaintenanceDuration, 8000, NULL}}},
    {"relay",
     MIB_dcampRelayRowStatus,
     MIB_dcampRelayStorageType,
     {{MIB_dcampRelaySensors, 0, "none"}}},
};

static uint64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void put_row(struct master *master, const struct kit *kit, unsigned number, uint32_t request)
{
    char row[16];
    struct name name;
    snprintf(row, sizeof row, "row%u", number);
    name = name_of_row(&mib_objects[kit->status], row);
    packet_put_integer(&master->out, &name, MIB_SYNTAX_INTEGER, request);
    name = name_of_row(&mib_objects[kit->storage], row);
    if (number < VOLATILE_ROWS)
        packet_put_integer(&master->out, &name, MIB_SYNTAX_INTEGER, VOLATILE);
    for (size_t i = 0; i < 3 && kit->columns[i].object; i++) {
        const struct mib_info *info = &mib_objects[kit->columns[i].object];
        const char *text = kit->columns[i].text;
        name = name_of_row(info, row);
        if (text && info->syntax == MIB_SYNTAX_OID)
            packet_put_oid(&master->out, &name, text);
        else if (text)
            packet_put_octets(&master->out, &name, text, strlen(text));
        else
            packet_put_integer(&master->out, &name, info->syntax, kit->columns[i].number);
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct cost {
    uint64_t set;   /* microseconds, of the tenth that waits least for the core */
    uint64_t get;   /* the median: it waits for the core */
    uint64_t saved; /* the median of SETs that are answered when they are on disk */
};

static bool set_row(struct master *master, const struct kit *kit, unsigned number,
                    uint64_t *took_us)
{
    uint64_t began = now_us();
    client_begin_set(master);
    put_row(master, kit, number, ACTIVE);
    int error = client_set(master);
    *took_us = now_us() - began;
    return error == 0;
}

static bool get_name(struct master *master, uint64_t *took_us)
{
    const struct name name = name_of_scalar(&mib_objects[MIB_dcampNodeName]);
    struct seen seen;
    uint64_t began = now_us();
    bool heard = client_get(master, &name, &seen) == HEARD;
    *took_us = now_us() - began;
    return heard;
}

/* Changes rows one after the other; each time the core has to take the configuration over, and an
 * answer waits for it. */
static bool measure(struct master *master, const struct kit *kit, struct cost *cost)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    uint64_t sets[TIMED], gets[TIMED], saved[TIMED];
    for (unsigned i = 0; i < TIMED; i++) {
        if (!set_row(master, kit, i % VOLATILE_ROWS, &sets[i]))
            return false;
        nanosleep(&pause, NULL); /* it begins by then */
        if (!get_name(master, &gets[i]) ||
            !set_row(master, kit, VOLATILE_ROWS + i % VOLATILE_ROWS, &saved[i]))
            return false;
    }
    qsort(sets, TIMED, sizeof *sets, by_number);
    qsort(gets, TIMED, sizeof *gets, by_number);
    qsort(saved, TIMED, sizeof *saved, by_number);
    *cost = (struct cost){sets[TIMED / 10], gets[TIMED / 2], saved[TIMED / 2]};
    return true;
}

/* Makes rows from..to; false if that fails, and *made is how many there are. */
static bool fill(struct master *master, const struct kit *kit, unsigned to, unsigned *made)
{
    while (*made < to) {
        unsigned n = to - *made < ROWS_IN_A_SET ? to - *made : ROWS_IN_A_SET;
        client_begin_set(master);
        for (unsigned i = 0; i < n; i++)
            put_row(master, kit, *made + i, CREATE_AND_GO);
        int error = client_set(master);
        if (error) {
            if (error != NO_RESOURCES)
                printf("%s: error %d after %u rows\n", kit->name, error, *made);
            return error == NO_RESOURCES;
        }
        *made += n;
    }
    return true;
}

static const struct kit *find_kit(const char *table)
{
    for (size_t k = 0; k < sizeof kits / sizeof *kits; k++)
        if (strcmp(kits[k].name, table) == 0)
            return &kits[k];
    return NULL;
}

bool rows_run(struct master *master, const char *table, unsigned count)
{
    const struct kit *kit = find_kit(table);
    struct cost few, many;
    unsigned made = 0;
    if (!kit || !fill(master, kit, ROWS_IN_A_SET, &made) || !measure(master, kit, &few) ||
        !fill(master, kit, count, &made) || !measure(master, kit, &many))
        return false;
    printf("%s %u %llu %llu %llu %llu %llu %llu %ld\n", table, made, (unsigned long long)few.set,
           (unsigned long long)many.set, (unsigned long long)few.get, (unsigned long long)many.get,
           (unsigned long long)few.saved, (unsigned long long)many.saved,
           master_kb(master, "VmHWM:"));
    return true;
}

bool rows_full(struct master *master, char *const *tables, unsigned count)
{
    struct cost cost;
    unsigned all = 0, made = 0;
    if (!tables[0])
        return false;
    for (char *const *table = tables; *table; table++, all += made) {
        const struct kit *kit = find_kit(*table);
        made = 0;
        if (!kit || !fill(master, kit, count, &made))
            return false;
    }
    if (!measure(master, find_kit(tables[0]), &cost))
        return false;
    printf("all %u %llu %llu %llu %ld\n", all, (unsigned long long)cost.set,
           (unsigned long long)cost.get, (unsigned long long)cost.saved,
           master_kb(master, "VmHWM:"));
    return true;
}
