/* How late a loop is that does nothing but read the clock: the machine delays dcamp load as much,
 * too.
 *
 *     punctual RATE N      prints the 50th, 99th and 99.9th percentile in us */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    size_t n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    double rate = argc == 3 ? strtod(argv[1], NULL) : 0;
    uint64_t *late = n > 0 && rate > 0 ? calloc(n, sizeof *late) : NULL;
    if (!late) {
        fputs("usage: punctual RATE N\n", stderr);
        return 2;
    }
    uint64_t begin = now_ns();
    for (size_t i = 0; i < n; i++) {
        uint64_t due = begin + (uint64_t)((double)i / rate * 1e9), now;
        while ((now = now_ns()) < due)
            ;
        late[i] = now - due;
    }
    qsort(late, n, sizeof *late, compare);
    printf("%.2f %.2f %.2f\n", (double)late[n / 2] / 1e3, (double)late[n * 99 / 100] / 1e3,
           (double)late[n * 999 / 1000] / 1e3);
    free(late);
    return 0;
}
