/* What fork(2) does to tops. */
#ifndef DCAMP_TOP_H
#define DCAMP_TOP_H

#include "libdcamp/sensor.h"

/* Called in the child of fork(2): makes it possible to add to all tops of the list, whatever other
 * threads of the parent were doing with them. */
void dcamp_tops_forked(const struct sensors *sensors);

#endif
