/* A master of AgentX that a test plays against the real dcampd: the session, what a well-behaved
 * master asks, and the two tests. */
#ifndef DCAMP_TESTS_MASTER_H
#define DCAMP_TESTS_MASTER_H

#include <sys/types.h>

#include "dcamp_mib.h"
#include "packet.h"

#define SESSION 1
#define PATIENCE_MS 10000 /* then dcampd hangs */

struct master {
    int listener, fd; /* fd -1: dcampd is not attached */
    pid_t pid;        /* of dcampd */
    uint32_t id;      /* of the last packet, and of the last transaction */
    struct packet out;
    struct packet in; /* what has come of the next packet */
    size_t used;      /* of in: the packet that was seen last */
};

enum heard { HEARD, SILENT, LOST };

/* -- The session: session.c ------------------------------------------------------------------ */

/* Ends the program with a message where it cannot. */
void master_listen(struct master *master, const char *path, pid_t pid);

/* Waits for dcampd, and gives it its session. False: it does not come, or is dead. */
bool master_attach(struct master *master);
void master_hang_up(struct master *master);

bool master_is_alive(const struct master *master);

/* A line of dcampd's /proc/PID/status in kB, as "VmRSS:"; -1: it is not there. */
long master_kb(const struct master *master, const char *field);

/* How many seconds of CPU dcampd has taken; 0: it is not there. */
double master_cpu_s(const struct master *master);

/* Sends what out holds. False: dcampd has hung up. */
bool master_send(struct master *master, const struct packet *packet);

/* The answer to the packet with that ID; what dcampd asks meanwhile is granted. */
enum heard master_hear(struct master *master, uint32_t id, int ms, struct seen *seen);

/* Both: PATIENCE_MS for the answer to out. */
enum heard master_ask(struct master *master, struct seen *seen);

/* -- A well-behaved master: client.c --------------------------------------------------------- */

enum heard client_get(struct master *master, const struct name *name, struct seen *seen);
enum heard client_next(struct master *master, const struct name *name, struct seen *seen);

/* Begins a TestSet in out, to which variables are put, with a new ID. */
void client_begin_set(struct master *master);
/* Sends it, commits and cleans up. The error of the SET, or -1: there was no answer. */
int client_set(struct master *master);

/* -- The tests ------------------------------------------------------------------------------- */

/* Every sequence of so many phases of a SET that begins with its test: to create, modify and
 * destroy a row and to acknowledge an alarm. The number of them, or -1 and a message for each of
 * these that something was not as it must be. */
long sequences_run(struct master *master, int longest);

/* Random and wrong packets for so long, beside a well-behaved master. False, and a message:
 * something was not as it must be. */
bool hostile_run(struct master *master, double seconds, uint64_t seed);

/* Makes so many rows of a table, or as many as it takes, and prints: table, rows; microseconds of a
 * SET of a volatile row with few of them, and with all; of a GET while the core takes the SET over,
 * and of a SET that is saved, likewise; the most kB that dcampd has used. False, and a message:
 * something was not as it must be. */
bool rows_run(struct master *master, const char *table, unsigned count);

/* The same with all of the tables filled; what is timed is a row of the first. Prints: all, rows;
 * SET, GET, saved SET; kB. tables ends in NULL. */
bool rows_full(struct master *master, char *const *tables, unsigned count);

#endif
