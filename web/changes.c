#include "web/changes.h"

#include <math.h>
#include <string.h>

#define LEAST_PART 0.01 /* of the larger mean */

double changes_score(const struct statistics_window *before, const struct statistics_window *after)
{
    if (before->count == 0 || after->count == 0)
        return 0;
    double difference = after->mean - before->mean;
    double n = (double)before->count + (double)after->count;
    double deviation = sqrt((before->m2 + after->m2) / n);
    double least = LEAST_PART * fmax(fabs(before->mean), fabs(after->mean));
    if (deviation < least)
        deviation = least;
    return deviation > 0 ? difference / deviation : 0;
}

void changes_take(struct changes *changes, const struct change *change)
{
    double size = fabs(change->score);
    size_t place = changes->n;
    while (place > 0 && fabs(changes->list[place - 1].score) < size)
        place--;
    if (!(size > 0) || place == changes->room)
        return;
    size_t n = changes->n < changes->room ? changes->n : changes->room - 1;
    memmove(changes->list + place + 1, changes->list + place, (n - place) * sizeof *change);
    changes->list[place] = *change;
    changes->n = n + 1;
}
