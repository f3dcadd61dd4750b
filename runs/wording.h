/* A comparison in words, for the text and for the page. Pure. Names come from outside: the caller
 * has to make them harmless. */
#ifndef DCAMP_RUNS_WORDING_H
#define DCAMP_RUNS_WORDING_H

#include "runs/compare.h"

#define WORDING_SIZE 64
#define WORDING_NAME_SIZE 512

/* A value for people: "10.12 ms", "1.21 MB", "97.3 %", "311 requests/s"; and that of a row. */
void wording_amount(double value, const char *unit, char text[WORDING_SIZE]);
void wording_value(double value, const struct compare_row *row, char text[WORDING_SIZE]);

/* The unit of the values, for programs; the unit of a rate ends with "/s". */
void wording_unit(const struct compare_row *row, char text[WORDING_SIZE]);

/* "+5.0 %"; if there are no percentages, in the unit. */
void wording_difference(const struct compare_row *row, char text[WORDING_SIZE]);
/* "4.8 to 5.3 %"; "" if it is not known. */
void wording_interval(const struct compare_row *row, char text[2 * WORDING_SIZE]);

/* "slower", "faster", "more", "less", "alike", or why nothing is said. */
const char *wording_verdict(const struct compare_row *row);

/* "NODE SENSOR INSTANCE", as in the first run. */
void wording_name(const struct run *a, const struct compare_row *row, char name[WORDING_NAME_SIZE]);

/* What kind of thing a row is about, to name what was slowed: "step", "response time",
 * "throughput", "series". */
const char *wording_kind(const struct compare_row *row);

/* One line: what was slowed and by how much, or that the runs are alike, or that it is not known;
 * and what fails more often. */
void wording_conclusion(const struct run *a, const struct run *b,
                        const struct comparison *comparison,
                        const struct compare_settings *settings, char text[2 * WORDING_NAME_SIZE]);

/* Why a run is less than it should be; "" if it is complete. */
void wording_doubt(const struct run *run, char text[WORDING_NAME_SIZE]);

#endif
