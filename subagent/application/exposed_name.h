/* The names of series of an endpoint, as instances of sensors, and their units. Pure. */
#ifndef DCAMP_APPLICATION_EXPOSED_NAME_H
#define DCAMP_APPLICATION_EXPOSED_NAME_H

#include "application/openmetrics.h"
#include "sample/sample.h"

/* "ENDPOINT:NAME", or "ENDPOINT:NAME:LABEL=VALUE,LABEL=VALUE" with the labels in the order of their
 * names, whatever their order in the text, followed by extra, which may be NULL. Labels with an
 * empty value are left out: OpenMetrics treats them as absent.
 *
 * Control characters become '?'. A name longer than an instance is cut off and ends with '~' and
 * eight digits that are made of all of it: they are always the same for the same series. Those of
 * two different names are equal once in 4 * 10^9 cases. */
void exposed_name(char name[INSTANCE_SIZE], const char *endpoint, const char *series,
                  const struct openmetrics_label *label, size_t n_labels,
                  const struct openmetrics_label *extra);

/* The unit that a family states, or else the one that its name ends with, ignoring "_total": "s"
 * for seconds, "B" for bytes and so on, or the word itself if the family states it. "": it has
 * none. */
void exposed_unit(char unit[SAMPLE_UNIT_SIZE], const struct openmetrics_family *family);

#endif
