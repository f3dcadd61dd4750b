#include "application/segment.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define PANELS_MAX ((SEGMENT_SIZE_MAX - SEGMENT_HEADER_SIZE) / SEGMENT_PANEL_SIZE)
#define DESCRIPTOR_PANELS                                                                          \
    ((SEGMENT_DESCRIPTORS_MAX + SEGMENT_DESCRIPTORS_IN_PANEL - 1) / SEGMENT_DESCRIPTORS_IN_PANEL)

/* What the shards have under one number. */
struct place {
    uint64_t words;     /* bit w: word w belongs to a sensor */
    uint64_t shards[2]; /* bit s: shard s has a panel here */
    uint16_t first;     /* the first of the chain of those panels: its index + 1; 0: none */
    uint16_t kind;      /* enum segment_panel_kind, the one that a sensor needs; 0: no sensor
                         * does */
    bool touched;
};

struct segment {
    struct segment_copy copy[SEGMENT_COPIES];
    const struct segment_header *header;
    uint32_t descriptors, panels;      /* how many are there completely */
    const struct segment_known *known; /* NULL: nothing is known */
    bool has_news;                     /* some descriptor differs from the known one */
    char *why;
    const struct segment_descriptor *descriptor[SEGMENT_DESCRIPTORS_MAX];
    bool has_descriptors[DESCRIPTOR_PANELS];
    uint16_t order[SEGMENT_DESCRIPTORS_MAX];
    uint16_t next[PANELS_MAX]; /* the panel with the same number in another shard: its index + 1 */
    struct place place[SEGMENT_NUMBERS];
    uint16_t touched[SEGMENT_NUMBERS];
    size_t n_touched;
};

struct segment *segment_new(void)
{
    return calloc(1, sizeof(struct segment));
}

void segment_free(struct segment *segment)
{
    free(segment);
}

/* -- Faults ------------------------------------------------------------------------------------ */

static bool fault(const struct segment *segment, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fault(const struct segment *segment, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(segment->why, SEGMENT_WHY_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

static size_t octet_of(const struct segment *segment, const void *at)
{
    return (size_t)((const char *)at - (const char *)segment->copy[SEGMENT_READ].octets);
}

static bool descriptor_fault(const struct segment *segment, uint32_t index, const char *what)
{
    return fault(segment, "descriptor %u, at octet %zu: %s", index,
                 octet_of(segment, segment->descriptor[index]), what);
}

/* -- Texts ------------------------------------------------------------------------------------- */

/* C0, DEL, and C1, which is two octets in UTF-8. */
static bool is_control(const unsigned char *at)
{
    return *at < 0x20 || *at == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

static const char *text_fault(const char *text, size_t size)
{
    size_t length = strnlen(text, size), octets;
    for (size_t i = length; i < size; i++)
        if (text[i])
            return "octets behind its end";
    for (size_t i = 0; i < length; i += octets) {
        octets = text_utf8_length(text + i, length - i);
        if (octets == 0)
            return "octets that are not UTF-8";
        if (is_control((const unsigned char *)text + i))
            return "control characters";
    }
    return NULL;
}

static const char *name_fault(const char *name)
{
    const char *what = text_fault(name, SEGMENT_NAME);
    size_t length = strnlen(name, SEGMENT_NAME);
    if (what)
        return what;
    if (length == 0)
        return "no characters";
    return text_is_name(name, length) ? NULL : "other characters than A-Z a-z 0-9 . _ -";
}

bool segment_text_is(const char *field, size_t size, const char *text)
{
    return strncmp(field, text, size) == 0 && strnlen(text, size + 1) <= size;
}

/* -- The header -------------------------------------------------------------------------------- */

static bool check_sizes(const struct segment *segment)
{
    const struct segment_header *is = segment->header;
    const struct {
        const char *what;
        size_t at;
        uint32_t is, should;
    } sizes[] = {
        {"header_size", offsetof(struct segment_header, header_size), is->header_size,
         SEGMENT_HEADER_SIZE},
        {"panel_size", offsetof(struct segment_header, panel_size), is->panel_size,
         SEGMENT_PANEL_SIZE},
        {"shards", offsetof(struct segment_header, shards), is->shards, SEGMENT_SHARDS},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].is != sizes[i].should)
            return fault(segment, "%s, at octet %zu, is %u instead of %u", sizes[i].what,
                         sizes[i].at, sizes[i].is, sizes[i].should);
    return true;
}

static bool is_known_minor(const struct segment *segment)
{
    return segment->header->minor <= SEGMENT_MINOR;
}

static bool check_header(const struct segment *segment)
{
    const struct segment_header *is = segment->header;
    const char *what = name_fault(is->name);
    if (!check_sizes(segment))
        return false;
    if (what)
        return fault(segment, "the name of the application, at octet %zu, has %s",
                     offsetof(struct segment_header, name), what);
    if (is->descriptors > SEGMENT_DESCRIPTORS_MAX)
        return fault(segment, "descriptors, at octet %zu, is %u, which is more than %u",
                     offsetof(struct segment_header, descriptors), is->descriptors,
                     SEGMENT_DESCRIPTORS_MAX);
    if (is->ring > SEGMENT_NUMBERS - SEGMENT_RING_PANELS)
        return fault(segment, "ring, at octet %zu, is %u, which is more than %u",
                     offsetof(struct segment_header, ring), is->ring,
                     SEGMENT_NUMBERS - SEGMENT_RING_PANELS);
    if (is->state > SEGMENT_CLOSED && is_known_minor(segment))
        return fault(segment, "state, at octet %zu, is %u, which is not known",
                     offsetof(struct segment_header, state), is->state);
    return true;
}

static enum segment_verdict check_version(struct segment *segment)
{
    const struct segment_copy *copy = &segment->copy[SEGMENT_READ];
    const struct segment_header *header = copy->octets;
    if (copy->size < sizeof header->magic || header->magic == 0)
        return SEGMENT_UNFINISHED;
    if (header->magic != SEGMENT_MAGIC) {
        fault(segment, "it does not begin with \"dCAMPseg\": it is no segment");
        return SEGMENT_FOREIGN;
    }
    if (copy->size >= offsetof(struct segment_header, header_size) &&
        header->major != SEGMENT_MAJOR) {
        fault(segment, "it is of version %u.%u, and this dcampd knows version %u only",
              header->major, header->minor, SEGMENT_MAJOR);
        return SEGMENT_NEWER;
    }
    if (copy->size < SEGMENT_HEADER_SIZE) {
        fault(segment, "it ends at octet %zu, within the header of %u octets", copy->size,
              SEGMENT_HEADER_SIZE);
        return SEGMENT_DAMAGED;
    }
    segment->header = header;
    return SEGMENT_SOUND;
}

/* -- Panels ------------------------------------------------------------------------------------ */

static const struct segment_panel *panel_at(const struct segment *segment, uint32_t index)
{
    const char *octets = segment->copy[SEGMENT_READ].octets;
    return (const void *)(octets + SEGMENT_HEADER_SIZE + (size_t)index * SEGMENT_PANEL_SIZE);
}

static struct place *touch(struct segment *segment, uint32_t number)
{
    struct place *place = &segment->place[number];
    if (!place->touched)
        segment->touched[segment->n_touched++] = (uint16_t)number;
    place->touched = true;
    return place;
}

static bool panel_fault(const struct segment *segment, uint32_t index, const char *what,
                        uint32_t value)
{
    return fault(segment, "panel %u, at octet %zu: %s %u", index,
                 octet_of(segment, panel_at(segment, index)), what, value);
}

static bool take_descriptors(struct segment *segment, uint32_t index)
{
    const struct segment_panel *panel = panel_at(segment, index);
    uint32_t number = SEGMENT_PLACE_NUMBER(panel->place);
    if (SEGMENT_PLACE_SHARD(panel->place) != SEGMENT_NO_SHARD)
        return panel_fault(segment, index, "there are descriptors in shard",
                           SEGMENT_PLACE_SHARD(panel->place));
    if (number >= DESCRIPTOR_PANELS)
        return panel_fault(segment, index, "there is no place for descriptors under number",
                           number);
    if (segment->has_descriptors[number])
        return panel_fault(segment, index, "another panel has descriptors under number", number);
    segment->has_descriptors[number] = true;
    for (uint32_t i = 0; i < SEGMENT_DESCRIPTORS_IN_PANEL; i++) {
        uint32_t descriptor = number * SEGMENT_DESCRIPTORS_IN_PANEL + i;
        if (descriptor < segment->descriptors)
            segment->descriptor[descriptor] = &panel->descriptor[i];
    }
    return true;
}

static bool take_panel(struct segment *segment, uint32_t index)
{
    uint64_t at = panel_at(segment, index)->place;
    unsigned kind = SEGMENT_PLACE_KIND(at), shard = SEGMENT_PLACE_SHARD(at);
    uint32_t number = SEGMENT_PLACE_NUMBER(at);
    if (kind == SEGMENT_UNUSED && at != 0)
        return panel_fault(segment, index, "it is of no kind, and has number", number);
    if (kind == SEGMENT_UNUSED || kind > SEGMENT_RECORDS)
        return true;
    if (kind == SEGMENT_DESCRIPTORS)
        return take_descriptors(segment, index);
    if (shard >= SEGMENT_SHARDS)
        return panel_fault(segment, index, "there is no shard", shard);
    if (number >= SEGMENT_NUMBERS)
        return panel_fault(segment, index, "there is no number", number);
    struct place *place = touch(segment, number);
    uint64_t bit = UINT64_C(1) << shard % 64;
    if (place->shards[shard / 64] & bit)
        return panel_fault(segment, index, "another panel of that shard has number", number);
    place->shards[shard / 64] |= bit;
    segment->next[index] = place->first;
    place->first = (uint16_t)(index + 1);
    return true;
}

static bool take_panels(struct segment *segment)
{
    for (uint32_t i = 0; i < segment->panels; i++)
        if (!take_panel(segment, i))
            return false;
    return true;
}

/* Goes through the panels with one number. */
static const struct segment_panel *chain_first(const struct segment *segment, uint32_t number,
                                               uint32_t *link)
{
    *link = segment->place[number].first;
    return *link ? panel_at(segment, *link - 1) : NULL;
}

static const struct segment_panel *chain_next(const struct segment *segment, uint32_t *link)
{
    *link = segment->next[*link - 1];
    return *link ? panel_at(segment, *link - 1) : NULL;
}

static const struct segment_panel *panel_of(const struct segment *segment, unsigned shard,
                                            uint32_t number)
{
    uint32_t link;
    const struct segment_panel *panel = chain_first(segment, number, &link);
    while (panel && SEGMENT_PLACE_SHARD(panel->place) != shard)
        panel = chain_next(segment, &link);
    return panel;
}

/* -- Descriptors ------------------------------------------------------------------------------- */

struct segment_form segment_form(uint32_t kind)
{
    static const struct segment_form form[] = {
        [SEGMENT_COUNTER] = {SEGMENT_COUNTER_WORDS, 0, SEGMENT_UNUSED},
        [SEGMENT_GAUGE] = {SEGMENT_GAUGE_WORDS, 0, SEGMENT_UNUSED},
        [SEGMENT_TIMER] = {SEGMENT_TIMER_WORDS, SEGMENT_PANELS_OF_SIGN, SEGMENT_BUCKETS},
        [SEGMENT_HISTOGRAM] = {SEGMENT_HISTOGRAM_WORDS, 2 * SEGMENT_PANELS_OF_SIGN,
                               SEGMENT_BUCKETS},
        [SEGMENT_TOP] = {SEGMENT_TOP_WORDS, SEGMENT_TOP_PANELS, SEGMENT_ENTRIES},
        [SEGMENT_STEP] = {SEGMENT_STEP_WORDS, SEGMENT_PANELS_OF_SIGN, SEGMENT_BUCKETS},
    };
    return kind < sizeof form / sizeof *form ? form[kind] : (struct segment_form){0};
}

static bool check_texts(const struct segment *segment, uint32_t index)
{
    const struct segment_descriptor *is = segment->descriptor[index];
    const struct {
        const char *what, *fault;
    } texts[] = {
        {"name", name_fault(is->name)},
        {"instance", text_fault(is->instance, sizeof is->instance)},
        {"unit", text_fault(is->unit, sizeof is->unit)},
        {"purpose", text_fault(is->purpose, sizeof is->purpose)},
    };
    char what[64];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].fault) {
            text_format(what, sizeof what, "its %s has %s", texts[i].what, texts[i].fault);
            return descriptor_fault(segment, index, what);
        }
    return true;
}

/* The words of a sensor must be within one panel, and belong to no other sensor. */
static bool take_words(struct segment *segment, uint32_t index)
{
    const struct segment_descriptor *is = segment->descriptor[index];
    uint32_t number = is->first_word / SEGMENT_WORDS_IN_PANEL;
    uint32_t word = is->first_word % SEGMENT_WORDS_IN_PANEL;
    if (number >= SEGMENT_NUMBERS || word + is->words > SEGMENT_WORDS_IN_PANEL)
        return descriptor_fault(segment, index, "its words are not within a panel");
    struct place *place = touch(segment, number);
    uint64_t words = ((UINT64_C(1) << is->words) - 1) << word;
    if ((place->kind && place->kind != SEGMENT_WORDS) || place->words & words)
        return descriptor_fault(segment, index, "its words belong to another one as well");
    place->kind = SEGMENT_WORDS;
    place->words |= words;
    return true;
}

/* Takes numbers that no other sensor has; the panels there, in any shard, must be of the right
 * kind. */
static bool take_numbers(struct segment *segment, uint32_t first, uint32_t n, unsigned kind,
                         uint32_t *bad)
{
    for (*bad = first; *bad < first + n; ++*bad) {
        struct place *place = touch(segment, *bad);
        if (place->kind)
            return false;
        place->kind = (uint16_t)kind;
    }
    return true;
}

static bool check_places(struct segment *segment, uint32_t index)
{
    const struct segment_descriptor *is = segment->descriptor[index];
    struct segment_form form = segment_form(is->kind);
    uint32_t bad;
    if (is->words != form.words || is->panels != form.panels)
        return descriptor_fault(segment, index, "it has not the size of its kind");
    if (is->generation == 0)
        return descriptor_fault(segment, index, "its generation is 0");
    if (!take_words(segment, index))
        return false;
    if (is->panels == 0 && is->first_panel != 0)
        return descriptor_fault(segment, index, "it has no panels, but a first one");
    if (is->first_panel > SEGMENT_NUMBERS - is->panels)
        return descriptor_fault(segment, index, "its panels have numbers that there are not");
    if (!take_numbers(segment, is->first_panel, is->panels, form.kind, &bad))
        return descriptor_fault(segment, index, "its panels belong to another one as well");
    return true;
}

/* Whether the descriptor is the same as when it was found sound. */
static bool is_as_known(const struct segment *segment, uint32_t index)
{
    const struct segment_known *known = segment->known;
    const struct segment_descriptor *was = known ? known->descriptor(known->context, index) : NULL;
    return was && memcmp(was, segment->descriptor[index], sizeof *was) == 0;
}

/* A kind that was added by a later minor version is left out. */
static bool check_descriptor(struct segment *segment, uint32_t index)
{
    const struct segment_descriptor *is = segment->descriptor[index];
    if (!is)
        return fault(segment, "descriptor %u is in none of the panels", index);
    bool is_known = segment_form(is->kind).words > 0;
    if (!is_known && is_known_minor(segment))
        return descriptor_fault(segment, index, "its kind is not known");
    if (!is_known) {
        segment->descriptor[index] = NULL;
        return true;
    }
    bool is_new = !is_as_known(segment, index);
    segment->has_news |= is_new;
    if ((is_new && !check_texts(segment, index)) || !check_places(segment, index))
        return false;
    if (is->kind == SEGMENT_STEP && segment->header->ring == 0)
        return descriptor_fault(segment, index, "it is a step, and there is no ring of records");
    return true;
}

static bool check_descriptors(struct segment *segment)
{
    uint32_t bad;
    for (uint32_t i = 0; i < segment->descriptors; i++)
        if (!check_descriptor(segment, i))
            return false;
    if (segment->header->ring &&
        !take_numbers(segment, segment->header->ring, SEGMENT_RING_PANELS, SEGMENT_RECORDS, &bad))
        return fault(segment, "panel number %u belongs to the ring and to a sensor as well", bad);
    return true;
}

/* Panels that no sensor needs belong to one that came after the header was read. */
static bool check_kinds(const struct segment *segment)
{
    uint32_t link;
    for (size_t i = 0; i < segment->n_touched; i++) {
        const struct place *place = &segment->place[segment->touched[i]];
        const struct segment_panel *panel = chain_first(segment, segment->touched[i], &link);
        for (; panel && place->kind; panel = chain_next(segment, &link))
            if (SEGMENT_PLACE_KIND(panel->place) != place->kind)
                return panel_fault(segment, link - 1, "its sensor wants another kind than",
                                   SEGMENT_PLACE_KIND(panel->place));
    }
    return true;
}

/* -- Names ------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b, void *context)
{
    const struct segment *segment = context;
    const struct segment_descriptor *one = segment->descriptor[*(const uint16_t *)a];
    const struct segment_descriptor *other = segment->descriptor[*(const uint16_t *)b];
    int order = memcmp(one->name, other->name, sizeof one->name);
    return order ? order : memcmp(one->instance, other->instance, sizeof one->instance);
}

static bool check_pair(const struct segment *segment, uint32_t index, uint32_t other)
{
    const struct segment_descriptor *a = segment->descriptor[index];
    const struct segment_descriptor *b = segment->descriptor[other];
    if (memcmp(a->name, b->name, sizeof a->name) != 0)
        return true;
    if (memcmp(a->instance, b->instance, sizeof a->instance) == 0)
        return descriptor_fault(segment, index, "another one has its name and instance");
    if (a->kind != b->kind || memcmp(a->unit, b->unit, sizeof a->unit) != 0)
        return descriptor_fault(segment, index, "one of its name has another kind or unit");
    return true;
}

/* No two sensors may have the same name and instance, and all sensors with the same name must have
 * the same kind and unit. */
static bool check_names(struct segment *segment)
{
    uint16_t *order = segment->order;
    size_t n = 0;
    if (!segment->has_news)
        return true;
    for (uint32_t i = 0; i < segment->descriptors; i++)
        if (segment->descriptor[i])
            order[n++] = (uint16_t)i;
    qsort_r(order, n, sizeof *order, compare, segment);
    for (size_t i = 1; i < n; i++)
        if (!check_pair(segment, order[i], order[i - 1]))
            return false;
    return true;
}

/* -- Opening ----------------------------------------------------------------------------------- */

static void forget(struct segment *segment)
{
    for (size_t i = 0; i < segment->n_touched; i++)
        segment->place[segment->touched[i]] = (struct place){0};
    segment->n_touched = 0;
    memset(segment->descriptor, 0, sizeof segment->descriptor);
    memset(segment->has_descriptors, 0, sizeof segment->has_descriptors);
    segment->descriptors = segment->panels = 0;
    segment->header = NULL;
}

static void measure(struct segment *segment)
{
    size_t panels = (segment->copy[SEGMENT_READ].size - SEGMENT_HEADER_SIZE) / SEGMENT_PANEL_SIZE;
    segment->panels = panels < PANELS_MAX ? (uint32_t)panels : PANELS_MAX;
    segment->descriptors = segment->header->descriptors;
}

enum segment_verdict segment_open(struct segment *segment,
                                  const struct segment_copy copy[SEGMENT_COPIES],
                                  char why[SEGMENT_WHY_SIZE])
{
    return segment_open_again(segment, copy, NULL, why);
}

enum segment_verdict segment_open_again(struct segment *segment,
                                        const struct segment_copy copy[SEGMENT_COPIES],
                                        const struct segment_known *known,
                                        char why[SEGMENT_WHY_SIZE])
{
    forget(segment);
    *why = '\0';
    segment->why = why;
    segment->known = known;
    segment->has_news = false;
    memcpy(segment->copy, copy, sizeof segment->copy);
    enum segment_verdict verdict = check_version(segment);
    if (verdict != SEGMENT_SOUND)
        return verdict;
    if (!check_header(segment))
        return SEGMENT_DAMAGED;
    measure(segment);
    bool is_sound = take_panels(segment) && check_descriptors(segment) && check_kinds(segment) &&
                    check_names(segment);
    return is_sound ? SEGMENT_SOUND : SEGMENT_DAMAGED;
}

/* -- Reading ----------------------------------------------------------------------------------- */

const struct segment_header *segment_header(const struct segment *segment)
{
    return segment->header;
}

uint32_t segment_panels(const struct segment *segment)
{
    return segment->panels;
}

unsigned segment_panel_kind(const struct segment *segment, uint32_t index)
{
    return SEGMENT_PLACE_KIND(panel_at(segment, index)->place);
}

uint32_t segment_sensors(const struct segment *segment)
{
    return segment->descriptors;
}

const struct segment_descriptor *segment_sensor(const struct segment *segment, uint32_t index)
{
    return index < segment->descriptors ? segment->descriptor[index] : NULL;
}

uint64_t segment_word(const struct segment *segment, uint32_t index, unsigned word)
{
    uint32_t at = segment->descriptor[index]->first_word + word, link;
    uint64_t sum = 0;
    const struct segment_panel *panel = chain_first(segment, at / SEGMENT_WORDS_IN_PANEL, &link);
    for (; panel; panel = chain_next(segment, &link))
        sum += panel->word[at % SEGMENT_WORDS_IN_PANEL];
    return sum;
}

static double to_double(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

double segment_real(const struct segment *segment, uint32_t index, unsigned word)
{
    const struct segment_descriptor *is = segment->descriptor[index];
    uint32_t at = is->first_word + word, link;
    double sum = 0;
    const struct segment_panel *panel = chain_first(segment, at / SEGMENT_WORDS_IN_PANEL, &link);
    for (; panel; panel = chain_next(segment, &link))
        if (is->kind != SEGMENT_GAUGE || SEGMENT_PLACE_SHARD(panel->place) == 0)
            sum += to_double(panel->word[at % SEGMENT_WORDS_IN_PANEL]);
    return sum;
}

/* Nothing else is in this function, so that the compiler adds several at a time. */
static void add_buckets(uint32_t *restrict sum, const uint32_t *restrict bucket)
{
    for (size_t i = 0; i < SEGMENT_BUCKETS_IN_PANEL; i++)
        sum[i] += bucket[i];
}

bool segment_buckets(const struct segment *segment, uint32_t index, uint32_t panel,
                     uint32_t sum[SEGMENT_BUCKETS_IN_PANEL])
{
    uint32_t link;
    const struct segment_panel *part =
        chain_first(segment, segment->descriptor[index]->first_panel + panel, &link);
    if (!part)
        return false;
    memcpy(sum, part->bucket, sizeof part->bucket);
    while ((part = chain_next(segment, &link)))
        add_buckets(sum, part->bucket);
    return true;
}

static int compare_shards(const void *a, const void *b)
{
    const struct segment_part *one = a, *other = b;
    return (one->shard > other->shard) - (one->shard < other->shard);
}

size_t segment_parts(const struct segment *segment, uint32_t index,
                     struct segment_part part[SEGMENT_SHARDS])
{
    uint32_t at = segment->descriptor[index]->first_word, link;
    size_t n = 0;
    const struct segment_panel *panel = chain_first(segment, at / SEGMENT_WORDS_IN_PANEL, &link);
    for (; panel; panel = chain_next(segment, &link))
        part[n++] = (struct segment_part){.shard = SEGMENT_PLACE_SHARD(panel->place),
                                          .word = &panel->word[at % SEGMENT_WORDS_IN_PANEL]};
    qsort(part, n, sizeof *part, compare_shards);
    return n;
}

/* -- What is whole only if nobody was writing it ----------------------------------------------- */

/* The same place in the copy before or after; NULL: that copy does not reach so far. */
static const void *same_place(const struct segment *segment, const void *at, size_t size,
                              unsigned copy)
{
    size_t octet = octet_of(segment, at);
    const struct segment_copy *other = &segment->copy[copy];
    if (other->size < size || octet > other->size - size)
        return NULL;
    return (const char *)other->octets + octet;
}

static uint32_t sequence_in(const struct segment *segment, const uint32_t *sequence, unsigned copy)
{
    const uint32_t *other = same_place(segment, sequence, sizeof *sequence, copy);
    return other ? *other : 0;
}

static bool is_whole(const struct segment *segment, const uint32_t *sequence)
{
    uint32_t before = sequence_in(segment, sequence, SEGMENT_BEFORE);
    return before != 0 && before % 2 == 0 &&
           before == sequence_in(segment, sequence, SEGMENT_AFTER);
}

/* A shard that has never had a thread has never been written. */
const struct segment_shard *segment_shard(const struct segment *segment, unsigned shard)
{
    const struct segment_shard *is = &segment->header->shard[shard];
    const uint32_t *after = same_place(segment, &is->sequence, sizeof *after, SEGMENT_AFTER);
    bool is_new = after && *after == 0;
    return is_new || is_whole(segment, &is->sequence) ? is : NULL;
}

/* The entries of one shard of a top. */
struct shard_keys {
    struct top_key key[SEGMENT_TOP_ENTRIES];
    size_t size, used; /* that are whole; that have, or are being given, a key */
    uint64_t least;    /* the smallest count of the whole entries */
    uint64_t torn;     /* the largest count of the others */
};

/* A key ends at its first zero octet, whatever a malicious program has put behind that. */
static void take_entry(const struct segment *segment, struct shard_keys *keys,
                       const struct segment_panel *panel, unsigned e)
{
    const struct segment_entry *entry = &panel->entry[e];
    keys->used += panel->sequence[e] != 0;
    if (!is_whole(segment, &panel->sequence[e])) {
        if (panel->sequence[e] && entry->count > keys->torn)
            keys->torn = entry->count;
        return;
    }
    struct top_key *key = &keys->key[keys->size++];
    *key = (struct top_key){.count = entry->count};
    key->error = entry->error < entry->count ? entry->error : entry->count;
    memcpy(key->octets, entry->key, strnlen(entry->key, sizeof key->octets));
    if (entry->count < keys->least)
        keys->least = entry->count;
}

static void take_shard(const struct segment *segment, uint32_t first, unsigned shard,
                       struct shard_keys *keys)
{
    keys->size = keys->used = 0;
    keys->torn = 0;
    keys->least = UINT64_MAX;
    for (uint32_t i = 0; i < SEGMENT_TOP_ENTRIES; i++) {
        const struct segment_panel *panel =
            panel_of(segment, shard, first + i / SEGMENT_ENTRIES_IN_PANEL);
        if (panel)
            take_entry(segment, keys, panel, i % SEGMENT_ENTRIES_IN_PANEL);
    }
}

/* The largest count that a key may have had in the shard without being among those that were read:
 * if all entries are in use, or the file had no room for more, it is the smallest of them; and it
 * is at least that of an entry whose key was being replaced. */
static uint64_t absent_of(const struct segment *segment, const struct shard_keys *keys)
{
    bool is_full = keys->used == SEGMENT_TOP_ENTRIES || segment->header->full > 0;
    uint64_t least = is_full && keys->size > 0 ? keys->least : 0;
    return least > keys->torn ? least : keys->torn;
}

static bool shard_has(const struct segment *segment, uint32_t first, unsigned shard)
{
    for (uint32_t i = first; i < first + SEGMENT_TOP_PANELS; i++)
        if (segment->place[i].shards[shard / 64] >> shard % 64 & 1)
            return true;
    return false;
}

/* What no entry has may belong to any key, whether the key has an entry or not. */
static int take_missed(const struct segment *segment, uint32_t index, struct top_keys *keys)
{
    return keys_merge(keys, NULL, 0, segment_word(segment, index, SEGMENT_TOP_MISSED));
}

int segment_keys(const struct segment *segment, uint32_t index, struct top_keys *keys)
{
    uint32_t first = segment->descriptor[index]->first_panel;
    struct shard_keys *of_shard = malloc(sizeof *of_shard);
    int error = of_shard ? 0 : ENOMEM;
    for (unsigned shard = 0; shard < SEGMENT_SHARDS && !error; shard++) {
        if (!shard_has(segment, first, shard))
            continue;
        take_shard(segment, first, shard, of_shard);
        size_t n = keys_sort(of_shard->key, of_shard->size);
        error = keys_merge(keys, of_shard->key, n, absent_of(segment, of_shard));
    }
    free(of_shard);
    if (!error)
        error = take_missed(segment, index, keys);
    if (error)
        keys_release(keys);
    return error;
}

static bool has_number(const struct segment *segment, const struct segment_record *record,
                       uint64_t number)
{
    const uint64_t *before = same_place(segment, &record->number, sizeof number, SEGMENT_BEFORE);
    const uint64_t *after = same_place(segment, &record->number, sizeof number, SEGMENT_AFTER);
    return before && after && *before == number && *after == number;
}

const struct segment_record *segment_record(const struct segment *segment, unsigned shard,
                                            uint64_t number)
{
    uint64_t i = number - 1;
    if (segment->header->ring == 0 || number == 0)
        return NULL;
    const struct segment_panel *panel = panel_of(
        segment, shard,
        segment->header->ring + (uint32_t)(i / SEGMENT_RECORDS_IN_PANEL % SEGMENT_RING_PANELS));
    if (!panel)
        return NULL;
    const struct segment_record *record = &panel->record[i % SEGMENT_RECORDS_IN_PANEL];
    const struct segment_descriptor *is = segment_sensor(segment, record->descriptor);
    bool is_step = is && is->kind == SEGMENT_STEP;
    return is_step && has_number(segment, record, number) ? record : NULL;
}
