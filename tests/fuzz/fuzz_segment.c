/* Fuzz target: any octets as the segments of a program, read up to the series of its application.
 * The first two octets are the size of the first copy, in units of 64 octets; what follows it is
 * what the file became until the next reading. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "application/program.h"
#include "main.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* Aligned as the daemon's copies are, and no octet longer. */
static struct segment_copy copy_of(const uint8_t *data, size_t size)
{
    void *octets = malloc(size ? size : 1);
    expect(octets);
    memcpy(octets, data, size);
    return (struct segment_copy){octets, size};
}

struct world {
    struct segment *segment;
    struct applications applications;
    struct owner *owners;
    struct program *program;
    uint64_t records;
};

static void stepped(void *context, const struct program *program, struct application_series *series,
                    const struct segment_record *record)
{
    struct world *world = context;
    expect(series->kind == SEGMENT_STEP && series->application == program->application);
    expect(record->number > 0);
    world->records++;
}

static void check_series(const struct application_series *series)
{
    struct top_keys keys = {0};
    uint64_t sum = series->grown.zero, rest;
    struct top_key most[3];
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++)
        sum += (uint64_t)histogram_side_count(&series->grown.positive, i) +
               histogram_side_count(&series->grown.negative, i);
    expect(sum == series->grown.count);
    expect(application_keys(series, &keys) == 0);
    expect(series->kind == SEGMENT_TOP || keys.size == 0);
    for (size_t i = 0; i < keys.size; i++)
        expect(keys.key[i].error <= keys.key[i].count);
    expect(keys_most(&keys, most, 3, &rest) == (keys.size < 3 ? keys.size : 3));
    keys_release(&keys);
    application_gauge(series);
    const struct application_part *part;
    LIST_FOREACH(part, &series->parts, link)
    for (unsigned i = 0; i < part->threads; i++)
        expect(part->thread[i].shard < SEGMENT_SHARDS &&
               (i == 0 || part->thread[i].shard > part->thread[i - 1].shard));
}

static void read_program(struct world *world)
{
    const struct program_observer observer = {world, stepped};
    const unsigned wanted = PROGRAM_TOPS | PROGRAM_STEPS | PROGRAM_THREADS;
    if (!world->program)
        world->program =
            program_new(&world->applications, owner_get(&world->owners, 1), world->segment, false);
    enum program_outcome outcome = program_read(world->program, &world->applications,
                                                world->segment, wanted, false, &observer);
    if (outcome == PROGRAM_DOUBTFUL)
        outcome = program_read(world->program, &world->applications, world->segment, wanted, true,
                               &observer);
    expect(outcome == PROGRAM_TAKEN || (outcome == PROGRAM_REPLACED && world->program->readings));
    const struct application *is = world->applications.by_key;
    for (; is; is = is->hh.next)
        for (const struct application_series *series = is->series; series; series = series->hh.next)
            check_series(series);
}

static void read_copies(struct world *world, const struct segment_copy *before,
                        const struct segment_copy *is, const struct segment_copy *after)
{
    char why[SEGMENT_WHY_SIZE];
    const struct segment_copy copy[SEGMENT_COPIES] = {*before, *is, *after};
    enum segment_verdict verdict = segment_open(world->segment, copy, why);
    expect((verdict == SEGMENT_SOUND || verdict == SEGMENT_UNFINISHED) == !*why);
    applications_begin(&world->applications, 1000);
    if (verdict == SEGMENT_SOUND)
        read_program(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world world = {.segment = segment_new()};
    if (size < 2 || !world.segment) {
        segment_free(world.segment);
        return 0;
    }
    size_t cut = 64 * (size_t)(data[0] | data[1] << 8);
    cut = cut < size - 2 ? cut : size - 2;
    struct segment_copy one = copy_of(data + 2, cut),
                        other = copy_of(data + 2 + cut, size - 2 - cut);
    read_copies(&world, &one, &one, &one);
    read_copies(&world, &one, &one, &other);
    read_copies(&world, &other, &other, &other);
    program_free(world.program, &world.applications);
    applications_release(&world.applications);
    while (world.owners)
        owner_free(&world.owners, world.owners);
    free((void *)one.octets);
    free((void *)other.octets);
    segment_free(world.segment);
    return 0;
}
