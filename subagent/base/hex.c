#include "base/hex.h"

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void hex_from_octets(char *text, const uint8_t *octets, size_t n, const char *digits)
{
    for (size_t i = 0; i < n; i++) {
        *text++ = digits[octets[i] >> 4];
        *text++ = digits[octets[i] & 15];
    }
    *text = '\0';
}

size_t hex_to_octets(const char *text, uint8_t *octets, size_t room)
{
    size_t n = 0;
    for (; n < room; n++) {
        int high = hex_digit(text[2 * n]), low = high < 0 ? -1 : hex_digit(text[2 * n + 1]);
        if (low < 0)
            break;
        octets[n] = (uint8_t)(high << 4 | low);
    }
    return n;
}
