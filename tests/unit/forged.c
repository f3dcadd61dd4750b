#include "tests/unit/forged.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static void put(char *field, size_t size, const char *text)
{
    memset(field, 0, size);
    memcpy(field, text, strnlen(text, size));
}

struct forged *forged_new(const char *name)
{
    struct forged *forged = calloc(1, sizeof *forged);
    assert_non_null(forged);
    forged->octets = calloc(1, SEGMENT_SIZE_MAX);
    assert_non_null(forged->octets);
    forged->size = SEGMENT_HEADER_SIZE;
    forged->words = SEGMENT_WORDS_IN_PANEL;
    forged->header = (struct segment_header *)(void *)forged->octets;
    *forged->header = (struct segment_header){
        .magic = SEGMENT_MAGIC,
        .major = SEGMENT_MAJOR,
        .minor = SEGMENT_MINOR,
        .header_size = SEGMENT_HEADER_SIZE,
        .panel_size = SEGMENT_PANEL_SIZE,
        .shards = SEGMENT_SHARDS,
        .pid = 4711,
        .clock = SEGMENT_CLOCK_GETTIME,
        .start_time = 100,
        .opened = 1000000,
    };
    put(forged->header->name, SEGMENT_NAME, name);
    put(forged->header->writer, sizeof forged->header->writer, "forged 1.0");
    return forged;
}

void forged_free(struct forged *forged)
{
    free(forged->octets);
    free(forged);
}

struct segment_panel *forged_panel(struct forged *forged, unsigned kind, unsigned shard,
                                   uint32_t number)
{
    uint64_t place = SEGMENT_PLACE(kind, shard, number);
    size_t at = SEGMENT_HEADER_SIZE;
    for (; at < forged->size; at += SEGMENT_PANEL_SIZE) {
        struct segment_panel *panel = (struct segment_panel *)(void *)(forged->octets + at);
        if (panel->place == place)
            return panel;
    }
    assert_true(at + SEGMENT_PANEL_SIZE <= SEGMENT_SIZE_MAX);
    struct segment_panel *panel = (struct segment_panel *)(void *)(forged->octets + at);
    panel->place = place;
    forged->size = at + SEGMENT_PANEL_SIZE;
    forged->header->panels++;
    return panel;
}

static void give_numbers(struct forged *forged, struct segment_descriptor *is)
{
    struct segment_form form = segment_form(is->kind);
    if (forged->words + form.words > SEGMENT_WORDS_IN_PANEL) {
        forged->word_panel = forged->numbers++;
        forged->words = 0;
    }
    is->words = form.words;
    is->first_word = forged->word_panel * SEGMENT_WORDS_IN_PANEL + forged->words;
    forged->words += form.words;
    is->panels = form.panels;
    is->first_panel = form.panels ? forged->numbers : 0;
    forged->numbers += form.panels;
    if (is->kind == SEGMENT_STEP && forged->header->ring == 0) {
        forged->header->ring = forged->numbers;
        forged->numbers += SEGMENT_RING_PANELS;
    }
}

struct segment_descriptor *forged_sensor(struct forged *forged, enum segment_kind kind,
                                         const char *name, const char *instance, const char *unit)
{
    uint32_t index = forged->header->descriptors++;
    struct segment_panel *panel = forged_panel(forged, SEGMENT_DESCRIPTORS, SEGMENT_NO_SHARD,
                                               index / SEGMENT_DESCRIPTORS_IN_PANEL);
    struct segment_descriptor *is = &panel->descriptor[index % SEGMENT_DESCRIPTORS_IN_PANEL];
    put(is->name, sizeof is->name, name);
    put(is->instance, sizeof is->instance, instance);
    put(is->unit, sizeof is->unit, unit);
    is->kind = kind;
    is->generation = 1;
    give_numbers(forged, is);
    forged_word(forged, is, 0, 0);
    return is;
}

uint64_t *forged_word(struct forged *forged, const struct segment_descriptor *is, unsigned shard,
                      unsigned word)
{
    uint32_t at = is->first_word + word;
    return &forged_panel(forged, SEGMENT_WORDS, shard, at / SEGMENT_WORDS_IN_PANEL)
                ->word[at % SEGMENT_WORDS_IN_PANEL];
}

void forged_real(struct forged *forged, const struct segment_descriptor *is, unsigned shard,
                 unsigned word, double value)
{
    memcpy(forged_word(forged, is, shard, word), &value, sizeof value);
}

uint32_t *forged_bucket(struct forged *forged, const struct segment_descriptor *is, unsigned shard,
                        bool negative, int index)
{
    uint32_t at = (uint32_t)(index - SEGMENT_BUCKET_FIRST);
    uint32_t number =
        is->first_panel + at / SEGMENT_BUCKETS_IN_PANEL + (negative ? SEGMENT_PANELS_OF_SIGN : 0);
    return &forged_panel(forged, SEGMENT_BUCKETS, shard, number)
                ->bucket[at % SEGMENT_BUCKETS_IN_PANEL];
}

struct segment_entry *forged_entry(struct forged *forged, const struct segment_descriptor *is,
                                   unsigned shard, unsigned entry, const char *key, uint64_t count)
{
    struct segment_panel *panel = forged_panel(forged, SEGMENT_ENTRIES, shard,
                                               is->first_panel + entry / SEGMENT_ENTRIES_IN_PANEL);
    struct segment_entry *into = &panel->entry[entry % SEGMENT_ENTRIES_IN_PANEL];
    panel->sequence[entry % SEGMENT_ENTRIES_IN_PANEL] = 2;
    put(into->key, sizeof into->key, key);
    into->count = count;
    return into;
}

struct segment_record *forged_record(struct forged *forged, unsigned shard, uint64_t number,
                                     uint32_t descriptor)
{
    uint64_t i = (number - 1) % SEGMENT_RING;
    struct segment_panel *panel =
        forged_panel(forged, SEGMENT_RECORDS, shard,
                     forged->header->ring + (uint32_t)(i / SEGMENT_RECORDS_IN_PANEL));
    struct segment_record *record = &panel->record[i % SEGMENT_RECORDS_IN_PANEL];
    if (number > forged->header->shard[shard].steps)
        forged->header->shard[shard].steps = number;
    *record = (struct segment_record){.number = number, .descriptor = descriptor};
    return record;
}

int forged_publish(const struct forged *forged, const char *file, bool lives)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, forged->octets, forged->size, 0), forged->size);
    if (lives)
        assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
    else
        close(fd);
    return lives ? fd : -1;
}

enum segment_verdict forged_open(const struct forged *forged, struct segment *segment,
                                 char why[SEGMENT_WHY_SIZE])
{
    const struct segment_copy one = {forged->octets, forged->size};
    const struct segment_copy copy[SEGMENT_COPIES] = {one, one, one};
    return segment_open(segment, copy, why);
}
