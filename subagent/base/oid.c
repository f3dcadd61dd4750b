#include "base/oid.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

/* The first two arcs are encoded as one number: 40 times the first plus the second. */
#define SECOND_MAX (UINT32_MAX - 80)

static bool take_arc(const char *text, size_t len, size_t *at, uint64_t *arc)
{
    size_t begin = *at;
    *arc = 0;
    while (*at < len && text[*at] >= '0' && text[*at] <= '9' && *arc <= UINT32_MAX)
        *arc = *arc * 10 + (uint64_t)(text[(*at)++] - '0');
    bool zeros = *at - begin > 1 && text[begin] == '0';
    return *at > begin && *arc <= UINT32_MAX && !zeros;
}

static bool can_follow(uint32_t first, size_t n, uint64_t arc)
{
    if (n == 0)
        return arc <= 2;
    return n > 1 || arc <= (first < 2 ? 39 : SECOND_MAX);
}

size_t oid_from_text(const char *text, size_t len, uint32_t *arcs)
{
    size_t n = 0, at = len > 0 && text[0] == '.';
    uint32_t first = 0;
    uint64_t arc;
    for (;; at++) {
        if (n == OID_MAX || !take_arc(text, len, &at, &arc) || !can_follow(first, n, arc))
            return 0;
        if (n == 0)
            first = (uint32_t)arc;
        if (arcs)
            arcs[n] = (uint32_t)arc;
        n++;
        if (at == len)
            return n >= 2 ? n : 0;
        if (text[at] != '.')
            return 0;
    }
}

size_t oid_to_text(const uint32_t *arcs, size_t n, char text[OID_TEXT_SIZE])
{
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        len +=
            (size_t)snprintf(text + len, OID_TEXT_SIZE - len, "%s%" PRIu32, i ? "." : "", arcs[i]);
        if (len >= OID_TEXT_SIZE)
            return 0;
    }
    return len;
}

int oid_compare(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len)
{
    size_t n = a_len < b_len ? a_len : b_len;
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return (a_len > b_len) - (a_len < b_len);
}
