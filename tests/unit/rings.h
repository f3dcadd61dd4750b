/* For tests: reports of children. */
#ifndef DCAMP_TESTS_RINGS_H
#define DCAMP_TESTS_RINGS_H

#include "report/report.h"

struct report_ring *ring_new(uint32_t boot);
void ring_free(struct report_ring *ring);

/* One block with one value. */
void ring_value(struct report_ring *ring, uint32_t series, double value);

/* One block with a window of one value. */
void ring_window(struct report_ring *ring, uint32_t series, double value);

#endif
