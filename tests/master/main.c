/* Plays a master of AgentX against a dcampd:
 *
 *   master sequences SOCKET PID LENGTH           every sequence of up to LENGTH phases of a SET
 *   master hostile SOCKET PID SECONDS [SEED]     random and wrong packets
 *   master rows SOCKET PID COUNT TABLE...        what a SET costs with many rows of a table
 *   master full SOCKET PID COUNT TABLE...        and when all of these are full
 *
 * SOCKET is where it listens; PID that of the dcampd, which tries to connect to it. The status is 0
 * if all was as it must be; else a line says what was not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "master.h"

static int usage(void)
{
    fprintf(stderr, "usage: master sequences SOCKET PID LENGTH\n"
                    "       master hostile SOCKET PID SECONDS [SEED]\n"
                    "       master rows|full SOCKET PID COUNT TABLE...\n");
    return 2;
}

static bool run_sequences(struct master *master, const char *length)
{
    long n = sequences_run(master, atoi(length));
    if (n >= 0)
        printf("%ld sequences\n", n);
    return n >= 0;
}

static bool run_rows(struct master *master, const char *count, char **tables)
{
    bool ok = true;
    for (; ok && *tables; tables++)
        ok = rows_run(master, *tables, (unsigned)atol(count));
    return ok;
}

int main(int argc, char **argv)
{
    static struct master master;
    if (argc < 5)
        return usage();
    master_listen(&master, argv[2], (pid_t)atol(argv[3]));
    if (!master_attach(&master)) {
        printf("dcampd does not come\n");
        return 1;
    }
    if (strcmp(argv[1], "sequences") == 0)
        return run_sequences(&master, argv[4]) ? 0 : 1;
    if (strcmp(argv[1], "rows") == 0)
        return run_rows(&master, argv[4], argv + 5) ? 0 : 1;
    if (strcmp(argv[1], "full") == 0)
        return rows_full(&master, argv + 5, (unsigned)atol(argv[4])) ? 0 : 1;
    if (strcmp(argv[1], "hostile") != 0)
        return usage();
    uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : (uint64_t)time(NULL);
    return hostile_run(&master, atof(argv[4]), seed) ? 0 : 1;
}
