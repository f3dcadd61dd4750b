/* Information levels: how much of a series a node reports to its parent, before the filter has its
 * say. Pure: state + breach -> what is reported. */
#ifndef DCAMP_FILTER_LEVEL_H
#define DCAMP_FILTER_LEVEL_H

#include <stdbool.h>

/* The numbers are those of DcampInformationLevel in the MIB. */
enum information_level {
    LEVEL_THRESHOLD = 1, /* only what breaches, and the first value after it */
    LEVEL_BASIC = 2,     /* values, and windows without their histograms */
    LEVEL_PERCENTILE = 3 /* values, and whole windows */
};

/* What LEVEL_THRESHOLD remembers of a series. All zero octets: nothing was reported yet. */
struct level_state {
    bool breaches; /* the latest value does */
    bool told;     /* the value that was reported last did, so that its end is not reported yet */
    bool window;   /* a value of the window that is open did */
};

/* At LEVEL_THRESHOLD, for each value in this order: whether it is to be reported; that it was; that
 * it is counted in the window that is open. What is to be reported, but is held back by a filter,
 * is not told: then the next value is to be reported, too, as long as the end is not told. */
bool level_step(struct level_state *state, bool breaches);
void level_told(struct level_state *state);
void level_count(struct level_state *state);

enum level_report { LEVEL_NOTHING, LEVEL_MOMENTS, LEVEL_WHOLE };

/* What is reported of the window that has ended; the next one begins. breaches: the window itself
 * does, whatever its values do. */
enum level_report level_end_window(enum information_level level, struct level_state *state,
                                   bool breaches);

#endif
