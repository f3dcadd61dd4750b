/* Sensors: what is known of each, and where in a segment it is. All of them are in one list, from
 * which a segment can be made anew: after fork(2), or when the application is opened again. */
#ifndef DCAMP_SENSOR_H
#define DCAMP_SENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "libdcamp/segment.h"

/* What an update reads of its sensor: what programs hold, or the beginning of it. It lies apart
 * from the rest, so that several handles share a line of the caches. */
struct handle {
    uint32_t word_panel; /* the number of the panel that has the words of the sensor */
    uint32_t word;       /* the place of the first of them there */
    uint32_t panel;      /* the number of the first of its panels */
    uint32_t index;      /* of its descriptor */
};

struct sensor {
    struct handle *handle;
    struct sensor *next;
    struct segment_descriptor descriptor;
};

/* In the order in which they were made. Numbers are given away one after the other; that of a panel
 * with words may be shared by several sensors. */
struct sensors {
    struct sensor *first, **end;
    uint32_t count;
    uint32_t next_number; /* the first that is free */
    uint32_t word_panel;  /* the number of the panel that the next words come into, */
    uint32_t words; /* and how many are taken there; SEGMENT_WORDS_IN_PANEL at the beginning */
    uint32_t ring;  /* as in the header of a segment */
};

void dcamp_sensors_init(struct sensors *sensors);

/* What is wrong with texts, for people; NULL: nothing. A text that is NULL is an empty one. */
const char *dcamp_sensor_fault(enum segment_kind kind, const char *name, const char *instance,
                               const char *unit, const char *purpose);
const char *dcamp_sensor_name_fault(const char *name);

/* The sensor of that name and instance; NULL: there is none. *other: one of the same name that is
 * of another kind or has another unit; NULL: there is none. */
struct sensor *dcamp_sensors_find(const struct sensors *sensors, enum segment_kind kind,
                                  const char *name, const char *instance, const char *unit,
                                  struct sensor **other);

/* Fills descriptor and handle with texts that have no fault and the numbers that the sensor gets;
 * it is the last of the list then. ENOSPC: there are too many. */
int dcamp_sensors_add(struct sensors *sensors, struct sensor *sensor, enum segment_kind kind,
                      const char *name, const char *instance, const char *unit,
                      const char *purpose);

/* Takes the last one from the list again, in which nobody has counted. The next one gets its
 * numbers; but that of a panel with words stays one. */
void dcamp_sensors_drop_last(struct sensors *sensors);

#endif
