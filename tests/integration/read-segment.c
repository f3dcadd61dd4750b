/* Prints what dCAMP reads in the segment of a program: read-segment FILE. The first line says
 * "alive", "closed" or "dead", the application, and how many sensors were refused, threads were
 * crowded and panels could not be had. Then there is a line for each sensor, bucket, key and record
 * that is there, and for each thread:
 *
 *   sensor NAME INSTANCE KIND WORD...
 *   bucket NAME INSTANCE +|- INDEX COUNT
 *   key NAME INSTANCE COUNT ERROR KEY
 *   record NAME INSTANCE PURPOSE SEQUENCE RESULT START DURATION THREAD FLAGS CPU ALLOCATED
 *   thread SHARD ID EPOCH NAME
 *   shard SHARD PANELS STEPS                    of which a thread has had the shard, and of shard 0
 *   file SENSORS PID WRITER
 *   unit NAME INSTANCE UNIT
 *
 * Words that are doubles are printed so that they are exact; an empty text is "-". Status 2: the
 * segment is not sound, and standard error says why.
 *
 * read-segment buckets NAME: prints the lines of the buckets that the values of standard input
 * belong into, of a sensor of that name, by the daemon's own scheme. read-segment indexes: the
 * bucket of each. read-segment borders: those of all buckets, as printf(3) writes them by %a. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "application/copies.h"
#include "calculate/keys.h"
#include "application/segment.h"
#include "calculate/histogram.h"

static const char *const kinds[] = {"none",      "counter", "gauge", "timer",
                                    "histogram", "top",     "step"};

/* -- Texts ------------------------------------------------------------------------------------- */

static void print_text(const char *before, const char *text, size_t size)
{
    printf("%s%.*s", before, (int)size, *text ? text : "-");
}

static void print_names(const char *what, const struct segment_descriptor *is)
{
    print_text(what, is->name, SEGMENT_NAME);
    print_text(" ", is->instance, SEGMENT_INSTANCE);
}

/* -- Sensors ----------------------------------------------------------------------------------- */

static bool is_real(uint32_t kind, unsigned word)
{
    return kind == SEGMENT_GAUGE || (kind == SEGMENT_HISTOGRAM && word == SEGMENT_HISTOGRAM_SUM);
}

static void print_words(const struct segment *segment, uint32_t index)
{
    const struct segment_descriptor *is = segment_sensor(segment, index);
    print_names("sensor ", is);
    printf(" %s", kinds[is->kind]);
    for (unsigned word = 0; word < is->words; word++)
        if (is_real(is->kind, word))
            printf(" %.17g", segment_real(segment, index, word));
        else
            printf(" %llu", (unsigned long long)segment_word(segment, index, word));
    printf("\n");
}

static void print_buckets(const struct segment *segment, uint32_t index)
{
    const struct segment_descriptor *is = segment_sensor(segment, index);
    uint32_t sum[SEGMENT_BUCKETS_IN_PANEL];
    for (uint32_t panel = 0; panel < is->panels; panel++) {
        if (!segment_buckets(segment, index, panel, sum))
            continue;
        int first =
            SEGMENT_BUCKET_FIRST + (int)(panel % SEGMENT_PANELS_OF_SIGN * SEGMENT_BUCKETS_IN_PANEL);
        for (int i = 0; i < SEGMENT_BUCKETS_IN_PANEL; i++)
            if (sum[i] > 0) {
                print_names("bucket ", is);
                printf(" %c %d %u\n", panel < SEGMENT_PANELS_OF_SIGN ? '+' : '-', first + i,
                       sum[i]);
            }
    }
}

static int print_keys(const struct segment *segment, uint32_t index)
{
    struct top_keys keys = {0};
    int error = segment_keys(segment, index, &keys);
    for (size_t i = 0; i < keys.size && !error; i++) {
        print_names("key ", segment_sensor(segment, index));
        printf(" %llu %llu", (unsigned long long)keys.key[i].count,
               (unsigned long long)keys.key[i].error);
        print_text(" ", keys.key[i].octets, SEGMENT_KEY);
        printf("\n");
    }
    keys_release(&keys);
    return error;
}

static int print_sensor(const struct segment *segment, uint32_t index)
{
    const struct segment_descriptor *is = segment_sensor(segment, index);
    if (!is)
        return 0;
    print_words(segment, index);
    print_names("unit ", is);
    print_text(" ", is->unit, SEGMENT_UNIT);
    printf("\n");
    if (is->kind == SEGMENT_TOP)
        return print_keys(segment, index);
    print_buckets(segment, index);
    return 0;
}

/* -- Threads ----------------------------------------------------------------------------------- */

static void print_record(const struct segment *segment, const struct segment_record *record)
{
    const struct segment_descriptor *is = segment_sensor(segment, record->descriptor);
    print_names("record ", is);
    print_text(" ", is->purpose, SEGMENT_PURPOSE);
    printf(" %llu %d %llu %llu %u %u %llu %llu\n", (unsigned long long)record->sequence,
           record->result, (unsigned long long)record->start, (unsigned long long)record->duration,
           record->thread, record->flags, (unsigned long long)record->cpu,
           (unsigned long long)record->allocated);
}

static void print_shard(const struct segment *segment, unsigned shard)
{
    const struct segment_shard *is = &segment_header(segment)->shard[shard];
    if (is->epoch > 0) {
        printf("thread %u %u %u", shard, is->thread, is->epoch);
        print_text(" ", is->name, sizeof is->name);
        printf("\n");
    }
    if (is->epoch > 0 || shard == 0)
        printf("shard %u %u %llu\n", shard, is->panels, (unsigned long long)is->steps);
    uint64_t first = is->steps > SEGMENT_RING ? is->steps - SEGMENT_RING + 1 : 1;
    for (uint64_t n = first; n <= is->steps; n++) {
        const struct segment_record *record = segment_record(segment, shard, n);
        if (record)
            print_record(segment, record);
    }
}

/* -- A segment --------------------------------------------------------------------------------- */

static int print_segment(const struct segment *segment, bool is_alive)
{
    const struct segment_header *header = segment_header(segment);
    const char *state = header->state == SEGMENT_CLOSED ? "closed" : is_alive ? "alive" : "dead";
    print_text("", state, strlen(state));
    print_text(" ", header->name, SEGMENT_NAME);
    printf(" refused %u crowded %u full %u\n", header->refused, header->crowded, header->full);
    printf("file %u %u", header->descriptors, header->pid);
    print_text(" ", header->writer, sizeof header->writer);
    printf("\n");
    int error = 0;
    for (uint32_t i = 0; i < segment_sensors(segment) && !error; i++)
        error = print_sensor(segment, i);
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        print_shard(segment, shard);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int read_segment(const char *path)
{
    static struct copies copies;
    struct segment_copy copy[SEGMENT_COPIES];
    char why[SEGMENT_WHY_SIZE];
    uint64_t octets = 0;
    struct segment *segment = segment_new();
    int fd = open(path, O_RDONLY | O_CLOEXEC), status = 2;
    int error = !segment ? ENOMEM
                : fd < 0 ? errno
                         : copies_read(&copies, fd, true, NULL, copy, &octets);
    if (error)
        fprintf(stderr, "read-segment: %s: %s\n", path, strerror(error));
    else if (segment_open(segment, copy, why) == SEGMENT_SOUND)
        status = print_segment(segment, copies_writer_lives(fd));
    else
        fprintf(stderr, "read-segment: %s: not sound: %s\n", path, why);
    copies_release(&copies);
    segment_free(segment);
    if (fd >= 0)
        close(fd);
    return status;
}

/* -- Buckets ----------------------------------------------------------------------------------- */

static void print_side(const char *name, char sign, const uint32_t *counts)
{
    for (int i = 0; i < SEGMENT_BUCKETS_OF_SIGN; i++)
        if (counts[i] > 0)
            printf("bucket %s - %c %d %u\n", name, sign, SEGMENT_BUCKET_FIRST + i, counts[i]);
}

static int print_expected(const char *name)
{
    static uint32_t counts[2][SEGMENT_BUCKETS_OF_SIGN];
    char line[128];
    while (fgets(line, sizeof line, stdin)) {
        double value = strtod(line, NULL);
        if (fabs(value) >= HISTOGRAM_MIN)
            counts[value < 0][histogram_index(fabs(value)) - HISTOGRAM_FIRST]++;
    }
    print_side(name, '+', counts[0]);
    print_side(name, '-', counts[1]);
    return EXIT_SUCCESS;
}

static int print_indexes(void)
{
    char line[128];
    while (fgets(line, sizeof line, stdin))
        printf("%d\n", histogram_index(strtod(line, NULL)));
    return EXIT_SUCCESS;
}

static int print_borders(void)
{
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++)
        printf("%a\n", histogram_border(i));
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "indexes") == 0)
        return print_indexes();
    if (argc == 2 && strcmp(argv[1], "borders") == 0)
        return print_borders();
    if (argc == 3 && strcmp(argv[1], "buckets") == 0)
        return print_expected(argv[2]);
    if (argc == 2)
        return read_segment(argv[1]);
    fprintf(stderr, "usage: read-segment FILE | indexes | borders | buckets NAME\n");
    return EXIT_FAILURE;
}
