/* What a fork(2) does to tops. */
#ifndef DCAMP_TOP_H
#define DCAMP_TOP_H

#include "libdcamp/sensor.h"

/* In the child of fork(2): whatever other threads of the parent were about to do with the tops of
 * the list, each of them can be added to. */
void dcamp_tops_forked(const struct sensors *sensors);

#endif
