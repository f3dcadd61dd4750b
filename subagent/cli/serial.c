#include "cli/serial.h"

bool serial_is_after(uint32_t number, uint32_t other)
{
    uint32_t ahead = number - other;
    return ahead != 0 && ahead < UINT32_C(1) << 31;
}

static void reverse(uint32_t *numbers, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t number = numbers[i];
        numbers[i] = numbers[n - 1 - i];
        numbers[n - 1 - i] = number;
    }
}

/* The numbers are rotated by three reversals. */
void serial_order(uint32_t *numbers, size_t n)
{
    size_t old = 0;
    while (old < n && numbers[old] - numbers[0] < UINT32_C(1) << 31)
        old++;
    if (old == n)
        return;
    reverse(numbers, old);
    reverse(numbers + old, n - old);
    reverse(numbers, n);
}

/* 0 is not a sequence number, and does not count as missing. */
uint32_t serial_gap(uint32_t number, uint32_t later)
{
    uint32_t ahead = later - number;
    return ahead - 1 - (later < number);
}
