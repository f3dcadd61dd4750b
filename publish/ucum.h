/* Units of series in the Unified Code for Units of Measure, as OpenTelemetry wants them.
 * Pure.
 *
 * https://ucum.org/ucum */
#ifndef DCAMP_PUBLISH_UCUM_H
#define DCAMP_PUBLISH_UCUM_H

#define UCUM_SIZE 128

/* "B/s" becomes "By/s"; a word that is no unit there becomes an annotation: "tasks" is "{tasks}".
 * "" stays "". What does not fit is cut. */
void ucum_from_unit(char text[UCUM_SIZE], const char *unit);

#endif
