/* A history in a directory of its own, and a node that tells it blocks: for tests of the chronicle.
 */
#ifndef DCAMP_TESTS_CHRONICLE_WORLD_H
#define DCAMP_TESTS_CHRONICLE_WORLD_H

#include "publish/chronicle.h"
#include "publish/database.h"
#include "publish/history.h"
#include "report/report.h"

#define START_MS INT64_C(1795730400000) /* 2026-11-26 22:00:00 UTC */
#define SECOND_MS INT64_C(1000)
#define BOOT 7
#define KEEP 100000 /* blocks */

struct world {
    char directory[64];
    struct chronicle_settings settings;
    struct chronicle *chronicle;
    struct report_ring ring;
    uint32_t told; /* the last block that was given to the chronicle */
    struct sink_stream stream;
    const char *sensors[64]; /* by their numbers; NULL: nobody knows */
    const char *below; /* the node whose series they are, which the node relays; NULL: its own */
};

/* What was read. */
struct found {
    struct point points[20000];
    size_t n;
    struct {
        int64_t start_ms;
        uint64_t count;
        double min, max, mean, m2, median;
        uint64_t in_histogram;
    } cells[2000];
    size_t n_cells;
};

/* How far the stream was read, and of how many streams there is a cursor. */
struct cursor {
    uint32_t boot, next;
    unsigned n;
};

/* A fixture: *state is a world whose history is empty, and open. */
int world_setup(void **state);
int world_teardown(void **state);
void world_open(struct world *world, int64_t now_ms);
void world_reopen(struct world *world, int64_t now_ms);

/* From now on the number of a series means this sensor. */
void world_name(struct world *world, uint32_t number, const char *sensor);

/* A value of the node, which is in a block once that is told. */
void world_add(struct world *world, uint32_t number, int64_t wall_ms, double value);

/* Gives the chronicle what it was not given yet: 0 or an errno; or commits that, too, which works.
 */
int world_tell(struct world *world, int64_t now_ms);
void world_tell_all(struct world *world, int64_t now_ms);

/* Gives it a block, whatever is in it. 0 or an errno. */
int world_tell_block(struct world *world, uint32_t number, const uint8_t *octets, size_t len,
                     int64_t now_ms);

/* All that waits in the inbox becomes rows. */
void world_digest_all(struct world *world, int64_t now_ms);

/* What the history says of a sensor: its values, or the cells of a tier. Valid up to the next
 * question. */
struct found *world_ask(const struct world *world, const char *sensor, int64_t from_ms,
                        int64_t to_ms, const struct tier *tier);
struct found *world_points(const struct world *world, const char *sensor);
void world_has_points(const struct world *world, const char *sensor, size_t n);

/* A history_point_fn of a struct found. */
void world_take_point(void *context, const struct point *point);

/* The value of the second i since START_MS, in tests that have one in each; what was found are the
 * first n of them; and the cells of the sensor "a" are those of these. */
double world_value(int i);
void world_are_values(const struct found *found, int n);
void world_cells_are(const struct world *world, const struct tier *tier, int n);

struct cursor world_cursor(const struct world *world);

/* Whether the directory has a file. */
bool world_has_file(const struct world *world, const char *which);

#endif
