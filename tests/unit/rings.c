#include "rings.h"

#include <stdlib.h>

#include "unit.h"

struct report_ring *ring_new(uint32_t boot)
{
    struct report_ring *ring = calloc(1, sizeof *ring);
    assert_int_equal(report_open(ring, boot, 1000, REPORT_BLOCK_MIN), 0);
    return ring;
}

void ring_free(struct report_ring *ring)
{
    report_close(ring);
    free(ring);
}

void ring_value(struct report_ring *ring, uint32_t series, double value)
{
    const struct result result = {.state = RESULT_VALID, .value = value};
    assert_int_equal(report_add(ring, series, INT64_C(1700000000123), &result), 0);
    assert_int_equal(report_flush(ring), 0);
}

void ring_window(struct report_ring *ring, uint32_t series, double value)
{
    struct statistics_window window = {0};
    statistics_window_add(&window, value);
    assert_int_equal(report_add_window(ring, series, INT64_C(1700000000123), 1000, &window), 0);
    assert_int_equal(report_flush(ring), 0);
    statistics_window_release(&window);
}
