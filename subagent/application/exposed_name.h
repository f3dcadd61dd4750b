/* What series of an endpoint are called, as instances of sensors, and what their units are. Pure.
 */
#ifndef DCAMP_APPLICATION_EXPOSED_NAME_H
#define DCAMP_APPLICATION_EXPOSED_NAME_H

#include "application/openmetrics.h"
#include "sample/sample.h"

/* "ENDPOINT:NAME", or "ENDPOINT:NAME:LABEL=VALUE,LABEL=VALUE" with the labels in the order of their
 * names, whatever that of the text is, and extra, which may be NULL, behind them. Labels without a
 * value are not there: OpenMetrics takes them for none.
 *
 * Control characters become '?'. What is longer than an instance can be is cut off, and has '~' and
 * eight digits instead that are made of all of it: the same for the same series, always. Two that
 * differ have the same ones once in 4 * 10^9. */
void exposed_name(char name[INSTANCE_SIZE], const char *endpoint, const char *series,
                  const struct openmetrics_label *label, size_t n_labels,
                  const struct openmetrics_label *extra);

/* The unit that a family says, or else that its name ends with, "_total" left aside: "s" for
 * seconds, "B" for bytes and so on, or the word itself where it was said. "": it has none. */
void exposed_unit(char unit[SAMPLE_UNIT_SIZE], const struct openmetrics_family *family);

#endif
