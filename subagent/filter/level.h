/* Information levels: how much of a series a node reports to its parent, before the filter is
 * applied. Pure: state + breach -> what is reported. */
#ifndef DCAMP_FILTER_LEVEL_H
#define DCAMP_FILTER_LEVEL_H

#include <stdbool.h>

/* The numbers are those of DcampInformationLevel in the MIB. */
enum information_level {
    LEVEL_THRESHOLD = 1, /* only values that breach, and the first value after them */
    LEVEL_BASIC = 2,     /* values, and windows without their histograms */
    LEVEL_PERCENTILE = 3 /* values, and whole windows */
};

/* What LEVEL_THRESHOLD remembers of a series. All zero octets: nothing was reported yet. */
struct level_state {
    bool breaches; /* the latest value breaches */
    bool told; /* the value that was reported last breached, so that the end of the breach is still
                  to be reported */
    bool window; /* a value of the window that is open breached */
};

/* At LEVEL_THRESHOLD, call these for each value, in this order. level_step: whether the value is to
 * be reported; level_told: it was reported; level_count: it is counted in the window that is open.
 * A value that a filter holds back is not told: then the next value is to be reported as well,
 * until the end of the breach has been told. */
bool level_step(struct level_state *state, bool breaches);
void level_told(struct level_state *state);
void level_count(struct level_state *state);

enum level_report { LEVEL_NOTHING, LEVEL_MOMENTS, LEVEL_WHOLE };

/* What is reported of the window that has ended; the next one begins. breaches: the window itself
 * breaches, whatever its values do. */
enum level_report level_end_window(enum information_level level, struct level_state *state,
                                   bool breaches);

#endif
