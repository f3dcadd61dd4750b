/* Sensors: what is known of each, and where it is in a segment. All of them are in one list, from
 * which a segment can be made anew: after fork(2), or when the application is opened again. */
#ifndef DCAMP_SENSOR_H
#define DCAMP_SENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "libdcamp/segment.h"

/* What an update reads of its sensor. Programs hold pointers to it, or to a struct that begins with
 * it. It is kept apart from the rest, so that several handles share a cache line. */
struct handle {
    uint32_t word_panel; /* the number of the panel that has the words of the sensor */
    uint32_t word;       /* the index of the first of them in that panel */
    uint32_t panel;      /* the number of the first of its other panels */
    uint32_t index;      /* of its descriptor */
};

struct sensor {
    struct handle *handle;
    struct sensor *next;
    struct segment_descriptor descriptor;
};

/* Sensors in the order in which they were made. Numbers of panels are given out in ascending order;
 * several sensors may share one panel for words. */
struct sensors {
    struct sensor *first, **end;
    uint32_t count;
    uint32_t next_number; /* the first free number */
    uint32_t word_panel;  /* the number of the panel for the next words */
    uint32_t words; /* how many words of it are taken; SEGMENT_WORDS_IN_PANEL at the beginning */
    uint32_t ring;  /* as in the header of a segment */
};

void dcamp_sensors_init(struct sensors *sensors);

/* What is wrong with the texts, for people; NULL if nothing is. NULL counts as an empty text. */
const char *dcamp_sensor_fault(enum segment_kind kind, const char *name, const char *instance,
                               const char *unit, const char *purpose);
const char *dcamp_sensor_name_fault(const char *name);

/* The sensor of that name and instance; NULL if there is none. *other: a sensor of the same name
 * that has another kind or unit; NULL if there is none. */
struct sensor *dcamp_sensors_find(const struct sensors *sensors, enum segment_kind kind,
                                  const char *name, const char *instance, const char *unit,
                                  struct sensor **other);

/* Fills descriptor and handle with the texts, which must have no fault, and with the numbers that
 * the sensor gets, and appends it to the list. Returns 0, or ENOSPC if there are too many. */
int dcamp_sensors_add(struct sensors *sensors, struct sensor *sensor, enum segment_kind kind,
                      const char *name, const char *instance, const char *unit,
                      const char *purpose);

/* Removes the last sensor, in which nobody has counted, from the list. The next one gets its
 * numbers, except that a panel for words stays one. */
void dcamp_sensors_drop_last(struct sensors *sensors);

#endif
