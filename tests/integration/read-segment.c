/* Prints what dCAMP reads in segments, for tests of those who write them: read-segment FILE... Each
 * line has words with blanks between; texts are in hexadecimal, "-" is the empty one.
 *
 *   segment NAME STATE DESCRIPTORS REFUSED CROWDED FULL PID CLOCK WRITER
 *   sensor NAME INSTANCE UNIT PURPOSE KIND WORD...     the sums; the second one of a histogram, and
 *                                                      that of a gauge, are floats
 *   bucket INDEX COUNT                                 of the sensor before; below 0: "-INDEX"
 *   key KEY COUNT ERROR
 *   absent COUNT
 *   shard NUMBER THREAD EPOCH PANELS STEPS NAME        those that a thread has had, and 0
 *   record SHARD NUMBER DESCRIPTOR RESULT SEQUENCE START DURATION THREAD
 *
 * A file that is not sound is "unsound FILE: WHY", and the exit status is 1 then.
 *
 * read-segment --buckets reads floats as C prints them by %a, and prints for each the number of its
 * bucket; read-segment --borders prints the upper borders of all buckets by %a. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "application/segment.h"
#include "calculate/histogram.h"

static void print_text(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    putchar(' ');
    if (length == 0)
        putchar('-');
    for (size_t i = 0; i < length; i++)
        printf("%02x", (unsigned char)text[i]);
}

/* -- Sensors ----------------------------------------------------------------------------------- */

static void print_words(const struct segment *segment, uint32_t index)
{
    const struct segment_descriptor *is = segment_sensor(segment, index);
    for (unsigned w = 0; w < is->words; w++) {
        if (is->kind == SEGMENT_GAUGE ||
            (is->kind == SEGMENT_HISTOGRAM && w == SEGMENT_HISTOGRAM_SUM))
            printf(" %.17g", segment_real(segment, index, w));
        else
            printf(" %llu", (unsigned long long)segment_word(segment, index, w));
    }
    putchar('\n');
}

static void print_buckets(const struct segment *segment, uint32_t index)
{
    uint32_t sum[SEGMENT_BUCKETS_IN_PANEL];
    for (uint32_t panel = 0; panel < segment_sensor(segment, index)->panels; panel++) {
        if (!segment_buckets(segment, index, panel, sum))
            continue;
        for (uint32_t i = 0; i < SEGMENT_BUCKETS_IN_PANEL; i++)
            if (sum[i])
                printf("bucket %s%d %u\n", panel < SEGMENT_PANELS_OF_SIGN ? "" : "-",
                       (int)(panel % SEGMENT_PANELS_OF_SIGN * SEGMENT_BUCKETS_IN_PANEL + i) +
                           SEGMENT_BUCKET_FIRST,
                       sum[i]);
    }
}

static void print_keys(const struct segment *segment, uint32_t index)
{
    struct keys keys = {0};
    if (segment_keys(segment, index, &keys))
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < keys.size; i++) {
        printf("key");
        print_text(keys.key[i].octets, SEGMENT_KEY);
        printf(" %llu %llu\n", (unsigned long long)keys.key[i].count,
               (unsigned long long)keys.key[i].error);
    }
    printf("absent %llu\n", (unsigned long long)keys.absent);
    keys_release(&keys);
}

static void print_sensor(const struct segment *segment, uint32_t index)
{
    const struct segment_descriptor *is = segment_sensor(segment, index);
    printf("sensor");
    print_text(is->name, SEGMENT_NAME);
    print_text(is->instance, SEGMENT_INSTANCE);
    print_text(is->unit, SEGMENT_UNIT);
    print_text(is->purpose, SEGMENT_PURPOSE);
    printf(" %u", is->kind);
    print_words(segment, index);
    if (segment_form(is->kind).kind == SEGMENT_BUCKETS)
        print_buckets(segment, index);
    if (is->kind == SEGMENT_TOP)
        print_keys(segment, index);
}

/* -- Shards ------------------------------------------------------------------------------------ */

static void print_record(const struct segment *segment, unsigned shard, uint64_t number)
{
    const struct segment_record *is = segment_record(segment, shard, number);
    if (is)
        printf("record %u %llu %u %d %llu %llu %llu %u\n", shard, (unsigned long long)is->number,
               is->descriptor, is->result, (unsigned long long)is->sequence,
               (unsigned long long)is->start, (unsigned long long)is->duration, is->thread);
}

static void print_shard(const struct segment *segment, unsigned shard)
{
    const struct segment_shard *is = &segment_header(segment)->shard[shard];
    if (is->epoch == 0 && shard > 0)
        return;
    printf("shard %u %u %u %u %llu", shard, is->thread, is->epoch, is->panels,
           (unsigned long long)is->steps);
    print_text(is->name, sizeof is->name);
    putchar('\n');
    uint64_t first = is->steps > SEGMENT_RING ? is->steps - SEGMENT_RING : 0;
    for (uint64_t n = first + 1; n <= is->steps; n++)
        print_record(segment, shard, n);
}

/* -- Files ------------------------------------------------------------------------------------- */

static void print_segment(const struct segment *segment)
{
    const struct segment_header *is = segment_header(segment);
    printf("segment");
    print_text(is->name, SEGMENT_NAME);
    printf(" %u %u %u %u %u %u %u", is->state, is->descriptors, is->refused, is->crowded, is->full,
           is->pid, is->clock);
    print_text(is->writer, sizeof is->writer);
    putchar('\n');
    for (uint32_t i = 0; i < segment_sensors(segment); i++)
        print_sensor(segment, i);
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        print_shard(segment, shard);
}

/* Copies as the daemon makes them: the header first, and then the rest. */
static struct segment_copy copy_of(const char *path)
{
    char *octets = calloc(1, SEGMENT_SIZE_MAX);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t head = 0, rest = 0;
    if (!octets || fd < 0 || (head = pread(fd, octets, SEGMENT_HEADER_SIZE, 0)) < 0 ||
        (rest = pread(fd, octets + head, SEGMENT_SIZE_MAX - (size_t)head, head)) < 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    close(fd);
    return (struct segment_copy){octets, (size_t)(head + rest)};
}

static int read_file(struct segment *segment, const char *path)
{
    static const char *const verdicts[] = {"sound", "unfinished", "foreign", "newer", "damaged"};
    struct segment_copy copy[SEGMENT_COPIES];
    char why[SEGMENT_WHY_SIZE];
    for (unsigned i = 0; i < SEGMENT_COPIES; i++)
        copy[i] = copy_of(path);
    enum segment_verdict verdict = segment_open(segment, copy, why);
    if (verdict == SEGMENT_SOUND)
        print_segment(segment);
    else
        printf("unsound %s: %s: %s\n", path, verdicts[verdict], why);
    for (unsigned i = 0; i < SEGMENT_COPIES; i++)
        free((void *)(uintptr_t)copy[i].octets);
    return verdict == SEGMENT_SOUND ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int read_files(char **path)
{
    struct segment *segment = segment_new();
    int status = segment ? EXIT_SUCCESS : EXIT_FAILURE;
    for (; segment && *path; path++)
        if (read_file(segment, *path))
            status = EXIT_FAILURE;
    segment_free(segment);
    return status;
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
    if (argc == 2 && strcmp(argv[1], "--buckets") == 0)
        return print_indexes();
    if (argc == 2 && strcmp(argv[1], "--borders") == 0)
        return print_borders();
    return read_files(argv + 1);
}
