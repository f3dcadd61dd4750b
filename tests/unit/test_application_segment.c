/* Segments read without trust: forged ones in which each field lies, and those of libdcamp. */
#include "application/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdcamp/dcamp.h"
#include "tests/unit/forged.h"
#include "tests/unit/segments.h"
#include "tests/unit/unit.h"

static struct segment *segment;
static char why[SEGMENT_WHY_SIZE];

static int make_segment(void **state)
{
    (void)state;
    segment = segment_new();
    return !segment;
}

static int free_segment(void **state)
{
    (void)state;
    segment_free(segment);
    return 0;
}

/* -- Sound ones -------------------------------------------------------------------------------- */

static const char *const kind_name[] = {"",          "counter", "gauge", "timer",
                                        "histogram", "top",     "step"};

/* One sensor of each kind, by its kind less 1. */
static struct forged *forge_all(struct segment_descriptor *is[SEGMENT_STEP])
{
    struct forged *forged = forged_new("shop");
    for (unsigned kind = SEGMENT_COUNTER; kind <= SEGMENT_STEP; kind++)
        is[kind - 1] = forged_sensor(forged, kind, kind_name[kind], "here", "x");
    return forged;
}

static void assert_sound(const struct forged *forged)
{
    enum segment_verdict verdict = forged_open(forged, segment, why);
    if (verdict != SEGMENT_SOUND)
        fail_msg("verdict %d: %s", verdict, why);
    assert_string_equal(why, "");
}

static void assert_refused(const struct forged *forged, enum segment_verdict verdict,
                           const char *text)
{
    enum segment_verdict is = forged_open(forged, segment, why);
    if (is != verdict || strcmp(why, text) != 0)
        fail_msg("verdict %d instead of %d: \"%s\" instead of \"%s\"", is, verdict, why, text);
}

static void a_sound_one_is_read(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP];
    struct forged *forged = forge_all(is);
    assert_sound(forged);
    assert_int_equal(segment_sensors(segment), SEGMENT_STEP);
    assert_true(segment_text_is(segment_header(segment)->name, SEGMENT_NAME, "shop"));
    assert_false(segment_text_is(segment_header(segment)->name, SEGMENT_NAME, "shopping"));
    for (uint32_t i = 0; i < SEGMENT_STEP; i++)
        assert_ptr_equal(segment_sensor(segment, i), is[i]);
    assert_null(segment_sensor(segment, SEGMENT_STEP));
    forged_free(forged);
    forged = forged_new("a");
    assert_sound(forged);
    assert_int_equal(segment_sensors(segment), 0);
    forged_free(forged);
}

static void words_are_summed_up(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP];
    struct forged *forged = forge_all(is);
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        for (uint32_t i = 0; i < SEGMENT_STEP; i++)
            for (unsigned word = 0; word < is[i]->words; word++)
                *forged_word(forged, is[i], shard, word) = 1000 * i + 100 * word + shard;
    forged_real(forged, is[SEGMENT_GAUGE - 1], 0, 0, -2.5);
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        forged_real(forged, is[SEGMENT_HISTOGRAM - 1], shard, SEGMENT_HISTOGRAM_SUM,
                    shard == 2 ? 0.25 : 0);
    *forged_word(forged, is[SEGMENT_COUNTER - 1], 1, 0) = UINT64_MAX;
    assert_sound(forged);
    assert_int_equal(segment_word(segment, 0, 0), 64 * 65 / 2 - 1 - 1);
    for (uint32_t i = 1; i < SEGMENT_STEP; i++)
        for (unsigned word = 0; word < is[i]->words; word++)
            if (i != SEGMENT_GAUGE - 1 && !(i == SEGMENT_HISTOGRAM - 1 && word == 1))
                assert_int_equal(segment_word(segment, i, word),
                                 65 * (1000 * i + 100 * word) + 64 * 65 / 2);
    assert_true(segment_real(segment, SEGMENT_GAUGE - 1, 0) == -2.5);
    assert_true(segment_real(segment, SEGMENT_HISTOGRAM - 1, SEGMENT_HISTOGRAM_SUM) == 0.25);
    forged_real(forged, is[SEGMENT_GAUGE - 1], 0, 0, NAN);
    assert_sound(forged);
    assert_true(isnan(segment_real(segment, SEGMENT_GAUGE - 1, 0)));
    forged_free(forged);
}

static void buckets_are_summed_up_and_wrap(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP];
    struct forged *forged = forge_all(is);
    const struct segment_descriptor *histogram = is[SEGMENT_HISTOGRAM - 1];
    uint32_t sum[SEGMENT_BUCKETS_IN_PANEL];
    *forged_bucket(forged, histogram, 3, false, SEGMENT_BUCKET_FIRST) = UINT32_MAX;
    *forged_bucket(forged, histogram, 4, false, SEGMENT_BUCKET_FIRST) = 3;
    *forged_bucket(forged, histogram, 0, true, SEGMENT_BUCKET_LAST) = 9;
    assert_sound(forged);
    assert_true(segment_buckets(segment, SEGMENT_HISTOGRAM - 1, 0, sum));
    assert_int_equal(sum[0], 2);
    assert_int_equal(sum[1], 0);
    assert_false(segment_buckets(segment, SEGMENT_HISTOGRAM - 1, 1, sum));
    assert_false(segment_buckets(segment, SEGMENT_TIMER - 1, 0, sum));
    assert_true(segment_buckets(segment, SEGMENT_HISTOGRAM - 1, 49, sum));
    assert_int_equal(sum[(SEGMENT_BUCKETS_OF_SIGN - 1) % SEGMENT_BUCKETS_IN_PANEL], 9);
    forged_free(forged);
}

/* -- Lies -------------------------------------------------------------------------------------- */

static void it_is_no_segment(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    forged->header->magic = 0;
    assert_refused(forged, SEGMENT_UNFINISHED, "");
    for (forged->size = 0; forged->size < 8; forged->size++)
        assert_refused(forged, SEGMENT_UNFINISHED, "");
    forged->header->magic = SEGMENT_MAGIC + 1;
    assert_refused(forged, SEGMENT_FOREIGN,
                   "it does not begin with \"dCAMPseg\": it is no segment");
    assert_int_equal(segment_open(segment, (struct segment_copy[SEGMENT_COPIES]){{0}}, why),
                     SEGMENT_UNFINISHED);
    forged_free(forged);
}

static void it_ends_too_early(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP];
    char text[128];
    struct forged *forged = forge_all(is);
    for (forged->size = 8; forged->size < SEGMENT_HEADER_SIZE; forged->size++) {
        snprintf(text, sizeof text, "it ends at octet %zu, within the header of 4672 octets",
                 forged->size);
        assert_refused(forged, SEGMENT_DAMAGED, text);
    }
    for (; forged->size < SEGMENT_HEADER_SIZE + SEGMENT_PANEL_SIZE; forged->size++)
        assert_refused(forged, SEGMENT_DAMAGED, "descriptor 0 is in none of the panels");
    /* The words of the first three come before the panel of the others. */
    for (; forged->size < SEGMENT_HEADER_SIZE + 3 * SEGMENT_PANEL_SIZE; forged->size++)
        assert_refused(forged, SEGMENT_DAMAGED, "descriptor 3 is in none of the panels");
    assert_sound(forged);
    forged_free(forged);
}

/* What is wrong with one number of the header. */
static void fields_of_the_header_lie(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    struct segment_header *header = forged->header, sound = *header;
#define LIE(member, value, verdict, text)                                                          \
    header->member = (value);                                                                      \
    assert_refused(forged, verdict, text);                                                         \
    *header = sound
    LIE(major, 0, SEGMENT_NEWER, "it is of version 0.0, and this dcampd knows version 1 only");
    LIE(major, 2, SEGMENT_NEWER, "it is of version 2.0, and this dcampd knows version 1 only");
    LIE(header_size, 0, SEGMENT_DAMAGED, "header_size, at octet 12, is 0 instead of 4672");
    LIE(panel_size, UINT32_MAX, SEGMENT_DAMAGED,
        "panel_size, at octet 16, is 4294967295 instead of 576");
    LIE(shards, 66, SEGMENT_DAMAGED, "shards, at octet 20, is 66 instead of 65");
    LIE(descriptors, 1025, SEGMENT_DAMAGED,
        "descriptors, at octet 64, is 1025, which is more than 1024");
    LIE(descriptors, UINT32_MAX, SEGMENT_DAMAGED,
        "descriptors, at octet 64, is 4294967295, which is more than 1024");
    LIE(descriptors, 1, SEGMENT_DAMAGED, "descriptor 0 is in none of the panels");
    LIE(ring, 16321, SEGMENT_DAMAGED, "ring, at octet 76, is 16321, which is more than 16320");
    LIE(state, 2, SEGMENT_DAMAGED, "state, at octet 72, is 2, which is not known");
    LIE(name[0], 0, SEGMENT_DAMAGED,
        "the name of the application, at octet 96, has octets behind its end");
    LIE(name[31], 'x', SEGMENT_DAMAGED,
        "the name of the application, at octet 96, has octets behind its end");
    LIE(name[0], '/', SEGMENT_DAMAGED,
        "the name of the application, at octet 96, has other characters than A-Z a-z 0-9 . _ -");
    LIE(name[1], '\n', SEGMENT_DAMAGED,
        "the name of the application, at octet 96, has control characters");
    LIE(name[2], (char)0xff, SEGMENT_DAMAGED,
        "the name of the application, at octet 96, has octets that are not UTF-8");
#undef LIE
    memset(header->name, 0, sizeof header->name);
    assert_refused(forged, SEGMENT_DAMAGED,
                   "the name of the application, at octet 96, has no characters");
    memset(header->name, 'n', sizeof header->name);
    assert_sound(forged);
    /* Labels that nobody relies on. */
    *header = sound;
    header->pid = header->panels = header->refused = UINT32_MAX;
    header->clock = 77;
    memset(header->writer, 0xff, sizeof header->writer);
    memset(header->shard, 0xff, sizeof header->shard);
    assert_sound(forged);
    forged_free(forged);
}

static void texts_of_descriptors_lie(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP], sound;
    struct forged *forged = forge_all(is);
    struct segment_descriptor *lies = is[1];
    sound = *lies;
    const struct {
        size_t at;
        const char *octets, *text;
    } lie[] = {
        {0, "", "its name has octets behind its end"},
        {1, "/", "its name has other characters than A-Z a-z 0-9 . _ -"},
        {0, "\t", "its name has control characters"},
        {33, "\x1b[", "its instance has control characters"},
        {33, "\x7f", "its instance has control characters"},
        {33, "\xc2\x85", "its instance has control characters"},
        {33, "\xc0\xaf", "its instance has octets that are not UTF-8"},
        {33, "\xed\xa0\x80", "its instance has octets that are not UTF-8"},
        {95, "\xc3", "its instance has octets behind its end"},
        {96, "\xe4", "its unit has octets that are not UTF-8"},
        {96, "\n", "its unit has control characters"},
        {111, "x", "its unit has octets behind its end"},
        {112, "\r", "its purpose has control characters"},
        {143, "x", "its purpose has octets behind its end"},
    };
    for (size_t i = 0; i < N_OF(lie); i++) {
        char text[128];
        size_t length = *lie[i].octets ? strlen(lie[i].octets) : 1;
        memcpy((char *)lies + lie[i].at, lie[i].octets, length);
        snprintf(text, sizeof text, "descriptor 1, at octet %zu: %s",
                 (size_t)((char *)lies - forged->octets), lie[i].text);
        assert_refused(forged, SEGMENT_DAMAGED, text);
        *lies = sound;
    }
    memset(lies->name, 0, sizeof lies->name);
    forged_open(forged, segment, why);
    assert_non_null(strstr(why, ": its name has no characters"));
    *lies = sound;
    memset(lies->instance, 'i', sizeof lies->instance);
    memset(lies->unit, 'u', sizeof lies->unit);
    memset(lies->name, 'n', sizeof lies->name);
    assert_sound(forged);
    memcpy(lies->instance, "a;b|\xc3\xa4\xe2\x82\xac", 9);
    assert_sound(forged);
    forged_free(forged);
}

static void numbers_of_descriptors_lie(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP], sound;
    struct forged *forged = forge_all(is);
    struct segment_descriptor *lies = is[SEGMENT_TIMER - 1];
    sound = *lies;
    const uint32_t ring = forged->header->ring;
    const struct {
        uint32_t kind, generation, first_word, words, first_panel, panels;
        const char *text;
    } lie[] = {
        {0, 1, 2, 2, 1, 25, "its kind is not known"},
        {7, 1, 2, 2, 1, 25, "its kind is not known"},
        {UINT32_MAX, 1, 2, 2, 1, 25, "its kind is not known"},
        {3, 0, 2, 2, 1, 25, "its generation is 0"},
        {3, 1, 2, 3, 1, 25, "it has not the size of its kind"},
        {3, 1, 2, UINT32_MAX, 1, 25, "it has not the size of its kind"},
        {3, 1, 2, 2, 1, 24, "it has not the size of its kind"},
        {3, 1, 2, 2, 1, UINT32_MAX, "it has not the size of its kind"},
        {4, 1, 2, 2, 1, 25, "it has not the size of its kind"},
        {3, 1, 63, 2, 1, 25, "its words are not within a panel"},
        {3, 1, UINT32_MAX, 2, 1, 25, "its words are not within a panel"},
        {3, 1, 64 * SEGMENT_NUMBERS, 2, 1, 25, "its words are not within a panel"},
        {3, 1, 1, 2, 1, 25, "its words belong to another one as well"},
        {3, 1, 64, 2, 1, 25, "its panels belong to another one as well"},
        {3, 1, 2, 2, 0, 25, "its panels belong to another one as well"},
        {3, 1, 2, 2, SEGMENT_NUMBERS - 24, 25, "its panels have numbers that there are not"},
        {3, 1, 2, 2, UINT32_MAX, 25, "its panels have numbers that there are not"},
        {1, 1, 2, 1, 1, 0, "it has no panels, but a first one"},
    };
    for (size_t i = 0; i < N_OF(lie); i++) {
        char text[128];
        *lies = sound;
        lies->kind = lie[i].kind;
        lies->generation = lie[i].generation;
        lies->first_word = lie[i].first_word;
        lies->words = lie[i].words;
        lies->first_panel = lie[i].first_panel;
        lies->panels = lie[i].panels;
        snprintf(text, sizeof text, "descriptor 2, at octet %zu: %s",
                 (size_t)((char *)lies - forged->octets), lie[i].text);
        assert_refused(forged, SEGMENT_DAMAGED, text);
    }
    *lies = sound;
    lies->first_panel = ring;
    forged_open(forged, segment, why);
    assert_non_null(strstr(why, "belongs to the ring and to a sensor as well"));
    lies->first_panel = SEGMENT_NUMBERS - 25;
    lies->first_word = SEGMENT_NUMBERS * 64 - 26 * 64 - 2;
    assert_sound(forged);
    forged_free(forged);
}

static void a_step_needs_a_ring(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP];
    struct forged *forged = forge_all(is);
    forged->header->ring = 0;
    forged_open(forged, segment, why);
    assert_non_null(strstr(why, ": it is a step, and there is no ring of records"));
    forged_free(forged);
}

static void names_stand_once(void **state)
{
    (void)state;
    const struct {
        enum segment_kind kind;
        const char *name, *instance, *unit, *text;
    } rows[] = {
        {SEGMENT_COUNTER, "n", "a", "x", ""},
        {SEGMENT_COUNTER, "n", "b", "x", ""},
        {SEGMENT_COUNTER, "na", "", "y", ""},
        {SEGMENT_GAUGE, "m", "", "x", ""},
        {SEGMENT_COUNTER, "n", "a", "x", "another one has its name and instance"},
        {SEGMENT_GAUGE, "n", "c", "x", "one of its name has another kind or unit"},
        {SEGMENT_COUNTER, "n", "c", "y", "one of its name has another kind or unit"},
    };
    for (size_t row = 4; row < N_OF(rows); row++) {
        struct forged *forged = forged_new("shop");
        for (size_t i = 0; i < 4; i++)
            forged_sensor(forged, rows[i].kind, rows[i].name, rows[i].instance, rows[i].unit);
        assert_sound(forged);
        forged_sensor(forged, rows[row].kind, rows[row].name, rows[row].instance, rows[row].unit);
        assert_int_equal(forged_open(forged, segment, why), SEGMENT_DAMAGED);
        assert_non_null(strstr(why, rows[row].text));
        forged_free(forged);
    }
}

static void places_of_panels_lie(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP];
    struct forged *forged = forge_all(is);
    *forged_bucket(forged, is[SEGMENT_TIMER - 1], 1, false, 0) = 1;
    struct segment_panel *panel =
        (struct segment_panel *)(void *)(forged->octets + forged->size - SEGMENT_PANEL_SIZE);
    uint32_t number = SEGMENT_PLACE_NUMBER(panel->place);
    const struct {
        uint64_t place;
        const char *text;
    } lie[] = {
        {SEGMENT_PLACE(0, 1, 5), "it is of no kind, and has number 5"},
        {SEGMENT_PLACE(SEGMENT_BUCKETS, 65, number), "there is no shard 65"},
        {SEGMENT_PLACE(SEGMENT_BUCKETS, SEGMENT_NO_SHARD, number), "there is no shard 65535"},
        {SEGMENT_PLACE(SEGMENT_BUCKETS, 1, SEGMENT_NUMBERS), "there is no number 16384"},
        {SEGMENT_PLACE(SEGMENT_BUCKETS, 1, UINT32_MAX), "there is no number 4294967295"},
        {SEGMENT_PLACE(SEGMENT_WORDS, 0, 0), "another panel of that shard has number 0"},
        {SEGMENT_PLACE(SEGMENT_WORDS, 1, number), "its sensor wants another kind than 2"},
        {SEGMENT_PLACE(SEGMENT_BUCKETS, 1, 0), "its sensor wants another kind than 3"},
        {SEGMENT_PLACE(SEGMENT_DESCRIPTORS, 0, 9), "there are descriptors in shard 0"},
        {SEGMENT_PLACE(SEGMENT_DESCRIPTORS, SEGMENT_NO_SHARD, 342),
         "there is no place for descriptors under number 342"},
        {SEGMENT_PLACE(SEGMENT_DESCRIPTORS, SEGMENT_NO_SHARD, 1),
         "another panel has descriptors under number 1"},
    };
    for (size_t i = 0; i < N_OF(lie); i++) {
        panel->place = lie[i].place;
        assert_int_equal(forged_open(forged, segment, why), SEGMENT_DAMAGED);
        if (!strstr(why, lie[i].text) || strncmp(why, "panel ", 6) != 0)
            fail_msg("%zu: %s", i, why);
    }
    forged_free(forged);
}

/* What nobody knows and nobody needs is skipped. */
static void other_panels_are_skipped(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP];
    struct forged *forged = forge_all(is);
    forged_panel(forged, 6, 3, 9);
    forged_panel(forged, 0xffff, 0xffff, UINT32_MAX);
    forged_panel(forged, SEGMENT_BUCKETS, 3, SEGMENT_NUMBERS - 1); /* of one not announced yet */
    forged_panel(forged, SEGMENT_DESCRIPTORS, SEGMENT_NO_SHARD, 2);
    memset(forged_panel(forged, SEGMENT_DESCRIPTORS, SEGMENT_NO_SHARD, 3)->descriptor, 0xff, 168);
    forged->size += 3 * SEGMENT_PANEL_SIZE + 100;
    assert_sound(forged);
    forged_free(forged);
}

/* A later minor version: panels, kinds and states of its own. */
static void a_later_minor_version_is_read(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP];
    struct forged *forged = forge_all(is);
    is[2]->kind = 9;
    is[2]->panels = 4000000;
    memset(is[2]->name, 0xff, sizeof is[2]->name);
    forged->header->state = 5;
    forged_panel(forged, 9, 1, 1);
    assert_int_equal(forged_open(forged, segment, why), SEGMENT_DAMAGED);
    forged->header->minor = SEGMENT_MINOR + 1;
    assert_sound(forged);
    assert_null(segment_sensor(segment, 2));
    assert_non_null(segment_sensor(segment, 3));
    assert_int_equal(segment_sensors(segment), SEGMENT_STEP);
    forged->header->minor = 0xffff;
    assert_sound(forged);
    forged_free(forged);
}

/* Every octet of a segment set to some value: it is sound or is refused, and what is sound can be
 * read. */
static void read_all(void)
{
    uint32_t sum[SEGMENT_BUCKETS_IN_PANEL];
    struct top_keys keys = {0};
    for (uint32_t i = 0; i < segment_sensors(segment); i++) {
        const struct segment_descriptor *is = segment_sensor(segment, i);
        for (unsigned word = 0; is && word < is->words; word++) {
            segment_word(segment, i, word);
            segment_real(segment, i, word);
        }
        for (uint32_t panel = 0; is && panel < is->panels && is->kind != SEGMENT_TOP; panel++)
            segment_buckets(segment, i, panel, sum);
        if (is && is->kind == SEGMENT_TOP) {
            assert_int_equal(segment_keys(segment, i, &keys), 0);
            keys_release(&keys);
        }
    }
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        segment_record(segment, shard, segment_header(segment)->shard[shard].steps);
}

static void any_octet_lies(void **state)
{
    (void)state;
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    struct segment_descriptor *is[SEGMENT_STEP];
    struct forged *forged = forge_all(is);
    unsigned verdicts[SEGMENT_DAMAGED + 1] = {0};
    *forged_bucket(forged, is[SEGMENT_TIMER - 1], 1, false, 0) = 1;
    forged_entry(forged, is[SEGMENT_TOP - 1], 2, 0, "key", 5);
    forged_record(forged, 2, 1, SEGMENT_STEP - 1);
    for (size_t at = 0; at < forged->size; at++) {
        if (at >= 160 && at < SEGMENT_HEADER_SIZE && at % 64 > 32)
            continue;
        unsigned char before = (unsigned char)forged->octets[at];
        for (size_t i = 0; i < sizeof values; i++) {
            forged->octets[at] = (char)values[i];
            enum segment_verdict verdict = forged_open(forged, segment, why);
            verdicts[verdict]++;
            assert_int_equal(verdict == SEGMENT_SOUND || verdict == SEGMENT_UNFINISHED, !*why);
            if (verdict == SEGMENT_SOUND)
                read_all();
        }
        forged->octets[at] = (char)before;
    }
    for (size_t i = 0; i < N_OF(verdicts); i++)
        if (i != SEGMENT_UNFINISHED)
            assert_true(verdicts[i] > 0);
    assert_sound(forged);
    forged_free(forged);
}

/* -- Tops -------------------------------------------------------------------------------------- */

static void assert_keys(uint32_t index, const char *expected)
{
    struct top_keys keys = {0};
    char text[512] = "";
    assert_int_equal(segment_keys(segment, index, &keys), 0);
    for (size_t i = 0; i < keys.size; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.64s %llu-%llu, ",
                 keys.key[i].octets, (unsigned long long)keys.key[i].count,
                 (unsigned long long)keys.key[i].error);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%llu",
             (unsigned long long)keys.absent);
    assert_string_equal(text, expected);
    keys_release(&keys);
}

static void entries_of_shards_are_merged(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *top = forged_sensor(forged, SEGMENT_TOP, "top", "", "x");
    assert_sound(forged);
    assert_keys(0, "0");
    forged_entry(forged, top, 1, 0, "a", 10);
    forged_entry(forged, top, 1, 1, "b", 3)->error = 2;
    forged_entry(forged, top, 64, 0, "b", 4)->error = 400;
    forged_entry(forged, top, 64, 7, "c", 9);
    assert_sound(forged);
    assert_keys(0, "a 10-0, b 7-6, c 9-0, 0");
    forged->header->full = 1; /* then the shards may be full with what they have */
    assert_sound(forged);
    assert_keys(0, "a 14-4, b 7-6, c 12-3, 7");
    forged_free(forged);
}

/* Any key, or none that is there, may have all that no entry has, in whatever shard that was. */
static void what_no_entry_has_may_be_of_any_key(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *top = forged_sensor(forged, SEGMENT_TOP, "top", "", "x");
    *forged_word(forged, top, 0, SEGMENT_TOP_MISSED) = 5;
    assert_sound(forged);
    assert_keys(0, "5");
    forged_entry(forged, top, 0, 0, "a", 10);
    forged_entry(forged, top, 3, 0, "b", 4)->error = 1;
    *forged_word(forged, top, 3, SEGMENT_TOP_MISSED) = 2;
    assert_sound(forged);
    assert_keys(0, "a 17-7, b 11-8, 7");
    *forged_word(forged, top, 3, SEGMENT_TOP_MISSED) = UINT64_MAX - 5;
    assert_sound(forged);
    assert_keys(0, "a 18446744073709551615-18446744073709551615, "
                   "b 18446744073709551615-18446744073709551615, 18446744073709551615");
    forged_free(forged);
}

/* No library writes such keys; whoever forges them gets one key, whatever is behind its end. */
static void a_key_ends_at_its_first_zero(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *top = forged_sensor(forged, SEGMENT_TOP, "top", "", "x");
    forged_entry(forged, top, 1, 0, "a", 10)->key[2] = 'b';
    forged_entry(forged, top, 1, 1, "a", 5)->key[2] = 'c';
    forged_entry(forged, top, 2, 0, "a", 3)->key[63] = 'd';
    forged_entry(forged, top, 2, 1, "ab", 1);
    assert_sound(forged);
    assert_keys(0, "a 13-0, ab 1-0, 0");
    forged_free(forged);
}

static void a_full_shard_bounds_the_others(void **state)
{
    (void)state;
    char key[16];
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *top = forged_sensor(forged, SEGMENT_TOP, "top", "", "x");
    for (unsigned i = 0; i < SEGMENT_TOP_ENTRIES; i++) {
        snprintf(key, sizeof key, "k%u", i);
        forged_entry(forged, top, 1, i, key, 100 + i);
    }
    forged_entry(forged, top, 2, 0, "other", 1000000);
    assert_sound(forged);
    struct top_keys keys = {0};
    assert_int_equal(segment_keys(segment, 0, &keys), 0);
    assert_int_equal(keys.size, KEYS_MAX);
    assert_string_equal(keys.key[KEYS_MAX - 1].octets, "other");
    assert_int_equal(keys.key[KEYS_MAX - 1].count, 1000100);
    assert_int_equal(keys.key[KEYS_MAX - 1].error, 100);
    assert_int_equal(keys.absent, 100);
    keys_release(&keys);
    forged_free(forged);
}

/* Entries that were being written, in any of the copies. */
static void entries_that_change_are_left_out(void **state)
{
    (void)state;
    const struct {
        uint32_t sequence[SEGMENT_COPIES];
        const char *expected;
    } rows[] = {
        {{4, 4, 4}, "a 10-0, b 20-0, 0"}, {{4, 6, 4}, "a 10-0, b 20-0, 0"},
        {{3, 3, 3}, "b 20-0, 10"},        {{2, 2, 4}, "b 20-0, 10"},
        {{2, 4, 4}, "b 20-0, 10"},        {{0, 2, 2}, "b 20-0, 10"},
        {{0, 1, 2}, "b 20-0, 10"},        {{0, 0, 0}, "b 20-0, 0"},
        {{0, 0, 2}, "b 20-0, 0"},
    };
    struct forged *forged[SEGMENT_COPIES];
    struct segment_copy copy[SEGMENT_COPIES];
    for (size_t row = 0; row < N_OF(rows); row++) {
        for (unsigned i = 0; i < SEGMENT_COPIES; i++) {
            forged[i] = forged_new("shop");
            const struct segment_descriptor *top =
                forged_sensor(forged[i], SEGMENT_TOP, "top", "", "x");
            forged_entry(forged[i], top, 1, 0, "a", 10);
            forged_entry(forged[i], top, 1, 1, "b", 20);
            forged_panel(forged[i], SEGMENT_ENTRIES, 1, top->first_panel)->sequence[0] =
                rows[row].sequence[i];
            copy[i] = (struct segment_copy){forged[i]->octets, forged[i]->size};
        }
        assert_int_equal(segment_open(segment, copy, why), SEGMENT_SOUND);
        assert_keys(0, rows[row].expected);
        /* A copy that does not reach so far, or that there is none of. */
        copy[SEGMENT_AFTER].size = forged[0]->size - SEGMENT_PANEL_SIZE;
        assert_int_equal(segment_open(segment, copy, why), SEGMENT_SOUND);
        assert_keys(0, "20");
        copy[SEGMENT_AFTER] = copy[SEGMENT_BEFORE] = (struct segment_copy){NULL, 0};
        assert_int_equal(segment_open(segment, copy, why), SEGMENT_SOUND);
        assert_keys(0, "20");
        for (unsigned i = 0; i < SEGMENT_COPIES; i++)
            forged_free(forged[i]);
    }
}

/* -- Steps ------------------------------------------------------------------------------------- */

static void records_are_whole_or_not_there(void **state)
{
    (void)state;
    struct forged *forged[SEGMENT_COPIES];
    struct segment_copy copy[SEGMENT_COPIES];
    for (unsigned i = 0; i < SEGMENT_COPIES; i++) {
        forged[i] = forged_new("shop");
        forged_sensor(forged[i], SEGMENT_COUNTER, "counter", "", "x");
        forged_sensor(forged[i], SEGMENT_STEP, "step", "", "s");
        for (uint64_t n = 1; n <= SEGMENT_RING + 5; n++)
            forged_record(forged[i], 3, n, 1)->sequence = n * 7;
        copy[i] = (struct segment_copy){forged[i]->octets, forged[i]->size};
    }
    struct segment_record *record = forged_record(forged[SEGMENT_READ], 3, 20, 0);
    record->sequence = 1;                          /* of the counter */
    forged_record(forged[SEGMENT_READ], 3, 21, 2); /* of one that is not there */
    forged_record(forged[SEGMENT_BEFORE], 3, 22, 1)->number = 0;
    forged_record(forged[SEGMENT_AFTER], 3, 23, 1)->number = 23 + SEGMENT_RING;
    assert_int_equal(segment_open(segment, copy, why), SEGMENT_SOUND);
    for (uint64_t n = 0; n <= SEGMENT_RING + 6; n++) {
        const struct segment_record *is = segment_record(segment, 3, n);
        bool should = n > 5 && n <= SEGMENT_RING + 5 && (n < 20 || n > 23);
        if ((is != NULL) != should || (is && is->sequence != n * 7))
            fail_msg("record %llu", (unsigned long long)n);
        assert_null(segment_record(segment, 2, n));
    }
    assert_null(segment_record(segment, 3, UINT64_MAX));
    for (unsigned i = 0; i < SEGMENT_COPIES; i++)
        forged_free(forged[i]);
    struct forged *none = forged_new("shop");
    assert_sound(none);
    assert_null(segment_record(segment, 0, 1));
    forged_free(none);
}

/* -- Those of libdcamp ------------------------------------------------------------------------- */

#define THREADS 5
#define UPDATES 3000

static struct dcamp_app *app;
static struct dcamp_counter *counter;
static struct dcamp_timer *timer;
static struct dcamp_histogram *histogram;
static struct dcamp_top *top;
static struct dcamp_step *step;

static void *count(void *argument)
{
    char key[16];
    for (int i = 0; i < UPDATES; i++) {
        snprintf(key, sizeof key, "k%d", i % 1500);
        dcamp_counter_add(counter, 2);
        dcamp_timer_stop(timer, dcamp_timer_start(timer));
        dcamp_histogram_record(histogram, i % 3 - 1.0);
        dcamp_top_add(top, i % 2 ? "most" : key, 1);
        dcamp_step_end(step, dcamp_step_begin(step, (uint64_t)i), i % 10 == 0);
    }
    return argument;
}

static void assert_counted(const struct copy *copy)
{
    uint32_t sum[SEGMENT_BUCKETS_IN_PANEL];
    for (uint32_t i = 0; i < segment_sensors(segment); i++) {
        const struct segment_descriptor *is = segment_sensor(segment, i);
        for (unsigned word = 0; word < is->words; word++)
            assert_int_equal(segment_word(segment, i, word), copy_word(copy, is, word));
        uint64_t values = 0;
        for (uint32_t panel = 0; panel < is->panels && is->kind != SEGMENT_TOP; panel++)
            for (size_t b = 0;
                 segment_buckets(segment, i, panel, sum) && b < SEGMENT_BUCKETS_IN_PANEL; b++)
                values += sum[b];
        if (is->kind == SEGMENT_HISTOGRAM)
            assert_int_equal(values, THREADS * UPDATES * 2 / 3);
        else if (is->kind == SEGMENT_TIMER || is->kind == SEGMENT_STEP)
            assert_int_equal(values, THREADS * UPDATES);
    }
}

/* Of a shard, what stood there before and after was the same. */
static void shards_are_whole_or_not_there(void **state)
{
    (void)state;
    static const struct {
        uint32_t sequence[SEGMENT_COPIES];
        bool is_there;
    } rows[] = {{{0, 0, 0}, true},  {{2, 2, 2}, true},  {{2, 3, 2}, true}, {{0, 0, 2}, false},
                {{1, 1, 1}, false}, {{2, 2, 3}, false}, {{2, 3, 4}, false}};
    struct segment_copy copy[SEGMENT_COPIES];
    struct forged *forged[SEGMENT_COPIES];
    for (size_t i = 0; i < SEGMENT_COPIES; i++) {
        forged[i] = forged_new("shop");
        copy[i] = (struct segment_copy){forged[i]->octets, forged[i]->size};
    }
    for (size_t row = 0; row < N_OF(rows); row++) {
        for (size_t i = 0; i < SEGMENT_COPIES; i++)
            forged[i]->header->shard[64].sequence = rows[row].sequence[i];
        assert_int_equal(segment_open(segment, copy, why), SEGMENT_SOUND);
        const struct segment_shard *is = segment_shard(segment, 64);
        if ((is != NULL) != rows[row].is_there)
            fail_msg("row %zu", row);
        assert_true(!is || is == &forged[SEGMENT_READ]->header->shard[64]);
    }
    copy[SEGMENT_BEFORE] = copy[SEGMENT_AFTER] = (struct segment_copy){NULL, 0};
    assert_int_equal(segment_open(segment, copy, why), SEGMENT_SOUND);
    assert_null(segment_shard(segment, 64));
    for (size_t i = 0; i < SEGMENT_COPIES; i++)
        forged_free(forged[i]);
}

static void parts_are_those_of_shards(void **state)
{
    (void)state;
    struct segment_descriptor *is[SEGMENT_STEP];
    struct segment_part part[SEGMENT_SHARDS];
    struct forged *forged = forge_all(is);
    const unsigned shards[] = {64, 3, 0, 17};
    for (size_t i = 0; i < N_OF(shards); i++)
        *forged_word(forged, is[SEGMENT_STEP - 1], shards[i], SEGMENT_STEP_FAILED) = shards[i] + 5;
    assert_sound(forged);
    assert_int_equal(segment_parts(segment, SEGMENT_STEP - 1, part), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(part[i].shard, ((unsigned[]){0, 3, 17, 64})[i]);
        assert_int_equal(part[i].word[SEGMENT_STEP_FAILED], part[i].shard + 5);
        assert_int_equal(part[i].word[SEGMENT_STEP_COUNT], 0);
    }
    forged_free(forged);
}

static void real_ones_are_read(void **state)
{
    (void)state;
    char directory[64];
    pthread_t thread[THREADS];
    segments_use(directory, sizeof directory);
    app = dcamp_app_open("real");
    counter = dcamp_counter_new(app, "counter", "", "x");
    dcamp_gauge_set(dcamp_gauge_new(app, "gauge", "", "x"), 12.5);
    timer = dcamp_timer_new(app, "timer", "");
    histogram = dcamp_histogram_new(app, "histogram", "", "x");
    top = dcamp_top_new(app, "top", "", "x");
    step = dcamp_step_new(app, "step", "", "");
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, count, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    struct copy *copy = own_copy(directory);
    const struct segment_copy one = {copy->octets, copy->size};
    assert_int_equal(
        segment_open(segment, (struct segment_copy[SEGMENT_COPIES]){one, one, one}, why),
        SEGMENT_SOUND);
    assert_int_equal(segment_sensors(segment), 6);
    assert_counted(copy);
    assert_true(segment_real(segment, 1, 0) == 12.5);
    struct top_keys keys = {0};
    struct top_key most;
    uint64_t rest;
    assert_int_equal(segment_keys(segment, 4, &keys), 0);
    assert_int_equal(keys_most(&keys, &most, 1, &rest), 1);
    assert_string_equal(most.octets, "most");
    assert_true(most.count - most.error <= THREADS * UPDATES / 2);
    assert_true(most.count >= THREADS * UPDATES / 2 && most.count - most.error > rest);
    keys_release(&keys);
    copy_free(copy);
    dcamp_app_close(app);
    segments_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_one_is_read),
        cmocka_unit_test(words_are_summed_up),
        cmocka_unit_test(buckets_are_summed_up_and_wrap),
        cmocka_unit_test(it_is_no_segment),
        cmocka_unit_test(it_ends_too_early),
        cmocka_unit_test(fields_of_the_header_lie),
        cmocka_unit_test(texts_of_descriptors_lie),
        cmocka_unit_test(numbers_of_descriptors_lie),
        cmocka_unit_test(a_step_needs_a_ring),
        cmocka_unit_test(names_stand_once),
        cmocka_unit_test(places_of_panels_lie),
        cmocka_unit_test(other_panels_are_skipped),
        cmocka_unit_test(a_later_minor_version_is_read),
        cmocka_unit_test(any_octet_lies),
        cmocka_unit_test(entries_of_shards_are_merged),
        cmocka_unit_test(what_no_entry_has_may_be_of_any_key),
        cmocka_unit_test(a_key_ends_at_its_first_zero),
        cmocka_unit_test(a_full_shard_bounds_the_others),
        cmocka_unit_test(entries_that_change_are_left_out),
        cmocka_unit_test(records_are_whole_or_not_there),
        cmocka_unit_test(shards_are_whole_or_not_there),
        cmocka_unit_test(parts_are_those_of_shards),
        cmocka_unit_test(real_ones_are_read),
    };
    return cmocka_run_group_tests(tests, make_segment, free_segment);
}
