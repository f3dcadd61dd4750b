/* What changed at a moment: how far the values of a series after it are from those before. Pure. */
#ifndef DCAMP_WEB_CHANGES_H
#define DCAMP_WEB_CHANGES_H

#include <stddef.h>

#include "calculate/statistics.h"

/* The difference of the means in standard deviations of the values around their own means (Cohen's
 * d: J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988), with the sign of the
 * difference. A deviation below a hundredth of the larger of the two means counts as that, so that
 * what was constant does not outrank everything. 0: nothing has changed, or there are no values of
 * either. */
double changes_score(const struct statistics_window *before, const struct statistics_window *after);

struct change {
    size_t series;
    double before, after, score;
};

/* The changes that are largest, in descending order of their size. */
struct changes {
    struct change *list;
    size_t n, room;
};

/* Takes a change if it is among the `room` largest; one whose score is 0 is left out. */
void changes_take(struct changes *changes, const struct change *change);

#endif
