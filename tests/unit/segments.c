#include "tests/unit/segments.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

/* -- Reading ----------------------------------------------------------------------------------- */

static void complain(struct copy *copy, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void complain(struct copy *copy, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!*copy->fault)
        vsnprintf(copy->fault, sizeof copy->fault, format, arguments);
    va_end(arguments);
}

static bool has_form(const struct segment_header *header)
{
    return header->magic == SEGMENT_MAGIC && header->major == SEGMENT_MAJOR &&
           header->header_size == SEGMENT_HEADER_SIZE && header->panel_size == SEGMENT_PANEL_SIZE &&
           header->shards == SEGMENT_SHARDS;
}

/* The header is read first, the rest of the file after it. */
static bool read_all(struct copy *copy, int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size > SEGMENT_SIZE_MAX)
        return false;
    copy->octets = calloc(1, SEGMENT_SIZE_MAX);
    copy->header = (const struct segment_header *)(void *)copy->octets;
    if (pread(fd, copy->octets, SEGMENT_HEADER_SIZE, 0) != SEGMENT_HEADER_SIZE ||
        !has_form(copy->header))
        return false;
    ssize_t n = pread(fd, copy->octets + SEGMENT_HEADER_SIZE,
                      SEGMENT_SIZE_MAX - SEGMENT_HEADER_SIZE, SEGMENT_HEADER_SIZE);
    copy->size = SEGMENT_HEADER_SIZE + (size_t)(n < 0 ? 0 : n);
    return true;
}

static void take_descriptors(struct copy *copy, const struct segment_panel *panel, uint32_t number)
{
    for (uint32_t i = 0; i < SEGMENT_DESCRIPTORS_IN_PANEL; i++) {
        uint32_t index = number * SEGMENT_DESCRIPTORS_IN_PANEL + i;
        if (index >= copy->descriptors)
            break;
        if (copy->descriptor[index])
            complain(copy, "descriptor %u is there twice", index);
        else
            copy->descriptor[index] = &panel->descriptor[i];
    }
}

static void take_panel(struct copy *copy, const struct segment_panel *panel)
{
    unsigned shard = SEGMENT_PLACE_SHARD(panel->place);
    uint32_t number = SEGMENT_PLACE_NUMBER(panel->place);
    if (panel->place == 0)
        return;
    if (SEGMENT_PLACE_KIND(panel->place) == SEGMENT_DESCRIPTORS) {
        if (shard != SEGMENT_NO_SHARD)
            complain(copy, "descriptors in shard %u", shard);
        take_descriptors(copy, panel, number);
        return;
    }
    if (SEGMENT_PLACE_KIND(panel->place) > SEGMENT_RECORDS || shard >= SEGMENT_SHARDS ||
        number >= SEGMENT_NUMBERS) {
        complain(copy, "a panel of place %llx", (unsigned long long)panel->place);
        return;
    }
    const struct segment_panel **place = &copy->panel[shard * SEGMENT_NUMBERS + number];
    if (*place)
        complain(copy, "panel %u of shard %u is there twice", number, shard);
    *place = panel;
}

static void check_panels(struct copy *copy, uint32_t first, uint32_t panels,
                         enum segment_panel_kind kind)
{
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        for (uint32_t i = first; i < first + panels; i++) {
            const struct segment_panel *panel = copy->panel[shard * SEGMENT_NUMBERS + i];
            if (panel && SEGMENT_PLACE_KIND(panel->place) != kind)
                complain(copy, "panel %u of shard %u is of kind %u", i, shard,
                         SEGMENT_PLACE_KIND(panel->place));
        }
}

static void check_descriptor(struct copy *copy, uint32_t index)
{
    static const struct {
        uint32_t words, panels;
        enum segment_panel_kind kind;
    } form[] = {
        [SEGMENT_COUNTER] = {1, 0, SEGMENT_UNUSED}, [SEGMENT_GAUGE] = {1, 0, SEGMENT_UNUSED},
        [SEGMENT_TIMER] = {2, 25, SEGMENT_BUCKETS}, [SEGMENT_HISTOGRAM] = {3, 50, SEGMENT_BUCKETS},
        [SEGMENT_TOP] = {2, 167, SEGMENT_ENTRIES},  [SEGMENT_STEP] = {4, 25, SEGMENT_BUCKETS},
    };
    const struct segment_descriptor *is = copy->descriptor[index];
    if (!is || is->kind == 0 || is->kind >= N_OF(form) || is->words != form[is->kind].words ||
        is->panels != form[is->kind].panels || is->generation != 1) {
        complain(copy, "descriptor %u", index);
        return;
    }
    uint32_t panel = is->first_word / SEGMENT_WORDS_IN_PANEL;
    if (panel != (is->first_word + is->words - 1) / SEGMENT_WORDS_IN_PANEL ||
        panel >= SEGMENT_NUMBERS || !copy->panel[panel] ||
        is->first_panel > SEGMENT_NUMBERS - is->panels)
        complain(copy, "the places of descriptor %u", index);
    else {
        check_panels(copy, panel, 1, SEGMENT_WORDS);
        check_panels(copy, is->first_panel, is->panels, form[is->kind].kind);
    }
}

static void check(struct copy *copy)
{
    copy->descriptors = copy->header->descriptors;
    if (copy->descriptors > SEGMENT_DESCRIPTORS_MAX) {
        complain(copy, "%u descriptors", copy->descriptors);
        return;
    }
    for (size_t at = SEGMENT_HEADER_SIZE; at + SEGMENT_PANEL_SIZE <= copy->size;
         at += SEGMENT_PANEL_SIZE)
        take_panel(copy, (const struct segment_panel *)(void *)(copy->octets + at));
    for (uint32_t i = 0; i < copy->descriptors; i++)
        check_descriptor(copy, i);
    if (copy->header->ring)
        check_panels(copy, copy->header->ring, SEGMENT_RING_PANELS, SEGMENT_RECORDS);
}

struct copy *copy_of(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct copy *copy = calloc(1, sizeof *copy);
    copy->panel = calloc((size_t)SEGMENT_SHARDS * SEGMENT_NUMBERS, sizeof *copy->panel);
    bool there = read_all(copy, fd);
    close(fd);
    if (there) {
        check(copy);
        return copy;
    }
    copy_free(copy);
    return NULL;
}

void copy_free(struct copy *copy)
{
    if (!copy)
        return;
    free(copy->octets);
    free(copy->panel);
    free(copy);
}

/* -- Files ------------------------------------------------------------------------------------- */

void segments_use(char *directory, size_t size)
{
    snprintf(directory, size, "/tmp/dcamp-unit-apps.XXXXXX");
    assert_non_null(mkdtemp(directory));
    assert_int_equal(setenv(SEGMENT_DIRECTORY_VARIABLE, directory, 1), 0);
}

/* Calls the function with the path of each file. */
static unsigned for_each(const char *directory, int (*function)(const char *))
{
    unsigned n = 0;
    DIR *dir = opendir(directory);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%.200s", directory, entry->d_name);
        if (*entry->d_name == '.')
            continue;
        n++;
        if (function)
            function(path);
    }
    if (dir)
        closedir(dir);
    return n;
}

void segments_remove(const char *directory)
{
    for_each(directory, unlink);
    rmdir(directory);
}

unsigned segments_count(const char *directory)
{
    return for_each(directory, NULL);
}

const char *segment_path(const char *directory, int pid, char *path, size_t size)
{
    char text[1024] = "", name[64];
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
        return NULL;
    close(fd);
    char *word = strtok(strrchr(text, ')') + 1, " ");
    for (int field = 3; field < 22; field++)
        word = strtok(NULL, " ");
    snprintf(path, size, "%s/%d.%s", directory, pid, word);
    return path;
}

struct copy *own_copy(const char *directory)
{
    char path[512];
    assert_non_null(segment_path(directory, getpid(), path, sizeof path));
    struct copy *copy = copy_of(path);
    assert_non_null(copy);
    assert_string_equal(copy->fault, "");
    return copy;
}

/* -- Values ------------------------------------------------------------------------------------ */

const struct segment_descriptor *copy_descriptor(const struct copy *copy, const char *name,
                                                 const char *instance)
{
    for (uint32_t i = 0; i < copy->descriptors; i++)
        if (strncmp(copy->descriptor[i]->name, name, SEGMENT_NAME) == 0 &&
            strncmp(copy->descriptor[i]->instance, instance, SEGMENT_INSTANCE) == 0)
            return copy->descriptor[i];
    fail_msg("there is no sensor %s %s", name, instance);
    return NULL;
}

uint64_t copy_word_of(const struct copy *copy, unsigned shard, const struct segment_descriptor *is,
                      unsigned word)
{
    uint32_t at = is->first_word + word;
    const struct segment_panel *panel =
        copy->panel[shard * SEGMENT_NUMBERS + at / SEGMENT_WORDS_IN_PANEL];
    return panel ? panel->word[at % SEGMENT_WORDS_IN_PANEL] : 0;
}

uint64_t copy_word(const struct copy *copy, const struct segment_descriptor *is, unsigned word)
{
    uint64_t sum = 0;
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        sum += copy_word_of(copy, shard, is, word);
    return sum;
}

double copy_double(const struct copy *copy, const struct segment_descriptor *is, unsigned word)
{
    double sum = 0;
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++) {
        uint64_t octets = copy_word_of(copy, shard, is, word);
        double value;
        memcpy(&value, &octets, sizeof value);
        sum += value;
    }
    return sum;
}

static uint32_t bucket_of_shard(const struct copy *copy, unsigned shard, uint32_t first,
                                unsigned bucket)
{
    const struct segment_panel *panel =
        copy->panel[shard * SEGMENT_NUMBERS + first + bucket / SEGMENT_BUCKETS_IN_PANEL];
    return panel ? panel->bucket[bucket % SEGMENT_BUCKETS_IN_PANEL] : 0;
}

uint32_t copy_bucket(const struct copy *copy, const struct segment_descriptor *is, bool negative,
                     int index)
{
    uint32_t sum = 0, first = is->first_panel + (negative ? SEGMENT_PANELS_OF_SIGN : 0);
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        sum += bucket_of_shard(copy, shard, first, (unsigned)(index - SEGMENT_BUCKET_FIRST));
    return sum;
}

uint64_t copy_buckets(const struct copy *copy, const struct segment_descriptor *is, bool negative)
{
    uint64_t sum = 0;
    for (int i = SEGMENT_BUCKET_FIRST; i <= SEGMENT_BUCKET_LAST; i++)
        sum += copy_bucket(copy, is, negative, i);
    return sum;
}

static size_t merge(struct merged *merged, size_t n, size_t size, const struct segment_entry *entry)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(merged[i].key, entry->key, SEGMENT_KEY) == 0) {
            merged[i].count += entry->count;
            merged[i].error += entry->error;
            return n;
        }
    assert_true(n < size);
    merged[n] = (struct merged){.count = entry->count, .error = entry->error};
    memcpy(merged[n].key, entry->key, SEGMENT_KEY);
    return n + 1;
}

size_t copy_top(const struct copy *copy, const struct segment_descriptor *is, struct merged *merged,
                size_t size)
{
    size_t n = 0;
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        for (uint32_t e = 0; e < SEGMENT_TOP_ENTRIES; e++) {
            const struct segment_panel *panel =
                copy->panel[shard * SEGMENT_NUMBERS + is->first_panel +
                            e / SEGMENT_ENTRIES_IN_PANEL];
            uint32_t sequence = panel ? panel->sequence[e % SEGMENT_ENTRIES_IN_PANEL] : 0;
            if (sequence != 0 && sequence % 2 == 0)
                n = merge(merged, n, size, &panel->entry[e % SEGMENT_ENTRIES_IN_PANEL]);
        }
    return n;
}

const struct segment_record *copy_record(const struct copy *copy, unsigned shard, uint64_t number)
{
    uint64_t i = number - 1;
    const struct segment_panel *panel =
        copy->panel[shard * SEGMENT_NUMBERS + copy->header->ring +
                    (i / SEGMENT_RECORDS_IN_PANEL) % SEGMENT_RING_PANELS];
    const struct segment_record *record =
        panel ? &panel->record[i % SEGMENT_RECORDS_IN_PANEL] : NULL;
    return record && record->number == number ? record : NULL;
}
