/* floor FILE...
 *
 * What a program that looks at the kernel once a second pays at least: it sleeps, reads the files
 * that dcampd reads, in the same way (open all the time, pread(2) from the beginning), and does
 * nothing with them. It goes on until it is ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/procfile.h"

static int read_all(struct procfile *files, int n)
{
    for (int i = 0; i < n; i++) {
        int error = procfile_read(&files[i]);
        if (error || files[i].length == 0) {
            fprintf(stderr, "floor: %s: %s\n", files[i].path, error ? strerror(error) : "empty");
            return 1;
        }
    }
    return 0;
}

/* dcampd wakes at whole seconds of this clock. If two programs read at the same moment, the second
 * one finds the kernel's data in the caches: so this one reads halfway between. */
static void sleep_until_half(void)
{
    uint64_t now_ns = clock_mono_ns() + NS_PER_S / 2;
    struct timespec half = {.tv_sec = (time_t)(now_ns / NS_PER_S), .tv_nsec = NS_PER_S / 2};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &half, NULL);
}

int main(int argc, char **argv)
{
    int n = argc - 1;
    struct procfile *files = calloc((size_t)argc, sizeof *files);
    for (int i = 0; i < n; i++) {
        if (!files || procfile_init(&files[i], "/", argv[i + 1]) != 0) {
            fputs("floor: no memory\n", stderr);
            return 1;
        }
    }
    for (;;) {
        sleep_until_half();
        if (read_all(files, n) != 0)
            return 1;
    }
}
