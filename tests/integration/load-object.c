/* Functions for dcamp load --object, which do what the test data say. */
#include <dcamp-load.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

dcamp_load_function endless, slow;

static int n_calls; /* each worker has its own */

/* "write PATH": appends its number, its worker, how many it was of this process, and its process,
 * as one write(2). */
static int write_down(const struct dcamp_load_call *call, const char *path)
{
    FILE *to = fopen(path, "a");
    if (!to)
        return 1;
    fprintf(to, "%llu %u %d %d\n", (unsigned long long)call->sequence, (unsigned)call->worker,
            n_calls, (int)getpid());
    return fclose(to);
}

int dcamp_load_operation(const struct dcamp_load_call *call, char why[DCAMP_LOAD_WHY])
{
    n_calls++;
    if (strncmp(call->data, "write ", 6) == 0)
        return write_down(call, call->data + 6);
    if (strcmp(call->data, "fail") == 0) {
        snprintf(why, DCAMP_LOAD_WHY, "as it was told");
        return -7;
    }
    if (strcmp(call->data, "crash") == 0)
        abort();
    if (strcmp(call->data, "exit") == 0)
        exit(3);
    while (strcmp(call->data, "block") == 0)
        pause();
    return 0;
}

/* Fails by a text that has no end, and prints what nobody is to see. */
int endless(const struct dcamp_load_call *call, char why[DCAMP_LOAD_WHY])
{
    puts("not to be seen");
    fflush(stdout);
    memset(why, 'x', DCAMP_LOAD_WHY);
    return (int)call->sequence;
}

/* Waits 20 ms, and holds nobody up. */
int slow(const struct dcamp_load_call *call, char why[DCAMP_LOAD_WHY])
{
    (void)call;
    (void)why;
    return usleep(20000);
}

/* An object may be one that cannot be loaded. */
__attribute__((constructor)) static void begin(void)
{
    if (getenv("LOAD_OBJECT_CRASHES"))
        abort();
}
