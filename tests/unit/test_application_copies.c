/* Copies of files, and what of a segment is not read again. */
#include "application/copies.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/forged.h"
#include "tests/unit/unit.h"

static struct copies copies;
static struct segment *segment;
static struct gaps gaps;
static char why[SEGMENT_WHY_SIZE];
static int fd;

static int open_scene(void **state)
{
    char path[] = "/tmp/dcamp-copies.XXXXXX";
    (void)state;
    fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    segment = segment_new();
    return !segment;
}

static int close_scene(void **state)
{
    (void)state;
    close(fd);
    copies_release(&copies);
    gaps_release(&gaps);
    segment_free(segment);
    return 0;
}

static void write_file(const struct forged *forged, size_t size)
{
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, forged->octets, size, 0), size);
}

/* Reads it, but for the gaps, and learns of it. How many octets were read. */
static uint64_t read_file(struct segment_copy copy[SEGMENT_COPIES], bool learns)
{
    uint64_t octets = 0;
    assert_int_equal(copies_read(&copies, fd, false, &gaps, copy, &octets), 0);
    assert_int_equal((uintptr_t)copy[SEGMENT_READ].octets % 4096, 0);
    if (learns) {
        assert_int_equal(segment_open(segment, copy, why), SEGMENT_SOUND);
        assert_int_equal(gaps_learn(&gaps, segment), 0);
    }
    return octets;
}

/* -- Which panels there are -------------------------------------------------------------------- */

/* 'w' words, 'b' buckets, 'e' entries, 'r' records, 'd' descriptors, '.' not in use. */
static struct forged *forge(const char *panels)
{
    struct forged *forged = forged_new("shop");
    for (uint32_t i = 0; panels[i]; i++) {
        static const char kinds[] = ".dwber";
        unsigned kind = (unsigned)(strchr(kinds, panels[i]) - kinds);
        size_t at = SEGMENT_HEADER_SIZE + (size_t)i * SEGMENT_PANEL_SIZE;
        struct segment_panel *panel = (struct segment_panel *)(void *)(forged->octets + at);
        forged->size = at + SEGMENT_PANEL_SIZE;
        memset(panel->word, 'x', sizeof panel->word);
        if (kind > 0)
            panel->place =
                SEGMENT_PLACE(kind, kind == SEGMENT_DESCRIPTORS ? SEGMENT_NO_SHARD : 1, i);
    }
    return forged;
}

/* "FIRST+PANELS" of each. */
static void assert_gaps(const char *expected)
{
    char text[256] = "";
    for (size_t i = 0; i < gaps.n; i++)
        if (gaps.gap[i].panels >= GAPS_LEAST)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u+%u", *text ? " " : "",
                     gaps.gap[i].first, gaps.gap[i].panels);
    assert_string_equal(text, expected);
}

static void gaps_are_long_enough(void **state)
{
    static const struct {
        const char *panels, *gaps;
        uint32_t known;
    } rows[] = {
        {"", "", 0},
        {"....", "", 0},
        {"wbwb", "", 4},
        {"weeeeeeew", "", 9},
        {"weeeeeeeew", "1+8", 10},
        {"eeeerrrr....", "0+8", 8},
        {"eerrreeeeeew.rrrrrrrr", "0+11 13+8", 21},
        {"eeee.eeee", "", 9},
        {"eeewrrrrrrrrbeewrrrrrrrrr", "4+8 16+9", 25},
        {"eeeeeeeeeebbeeebeeebeeebeeeeeeee", "0+10 24+8", 32},
    };
    (void)state;
    for (size_t row = 0; row < N_OF(rows); row++) {
        struct segment_copy copy[SEGMENT_COPIES];
        struct forged *forged = forge(rows[row].panels);
        write_file(forged, forged->size);
        read_file(copy, true);
        assert_gaps(rows[row].gaps);
        assert_int_equal(gaps.panels, rows[row].known);
        gaps_release(&gaps);
        forged_free(forged);
    }
}

/* However many come between two readings, what is left out is the same. */
static void panels_that_come_later(void **state)
{
    static const char panels[] = "wbeerrreeeeewdrrrrrrrrrrrrbbeeeeeeeeeeeeeeeeeeeewb";
    (void)state;
    struct forged *forged = forge(panels);
    for (size_t each = 1; each < sizeof panels; each++) {
        for (size_t n = each;; n += each) {
            struct segment_copy copy[SEGMENT_COPIES];
            size_t now = n < sizeof panels - 1 ? n : sizeof panels - 1;
            write_file(forged, SEGMENT_HEADER_SIZE + now * SEGMENT_PANEL_SIZE);
            read_file(copy, true);
            assert_int_equal(gaps.panels, now);
            if (now == sizeof panels - 1)
                break;
        }
        assert_gaps("2+10 14+12 28+20");
        gaps_release(&gaps);
    }
    forged_free(forged);
}

/* -- What is copied ---------------------------------------------------------------------------- */

static const struct segment_panel *panel_of(const struct segment_copy *copy, uint32_t index)
{
    const char *octets = copy->octets;
    size_t at = SEGMENT_HEADER_SIZE + (size_t)index * SEGMENT_PANEL_SIZE;
    return (const struct segment_panel *)(const void *)(octets + at);
}

/* All but the gaps is as it is in the file; they are of no kind. */
static void assert_copied(const struct forged *forged, const struct segment_copy *copy)
{
    assert_memory_equal(copy->octets, forged->octets, SEGMENT_HEADER_SIZE);
    size_t gap = 0;
    for (uint32_t i = 0; SEGMENT_HEADER_SIZE + (i + 1) * SEGMENT_PANEL_SIZE <= copy->size; i++) {
        while (gap < gaps.n && i >= gaps.gap[gap].first + gaps.gap[gap].panels)
            gap++;
        bool is_left_out =
            gap < gaps.n && i >= gaps.gap[gap].first && gaps.gap[gap].panels >= GAPS_LEAST;
        if (is_left_out)
            assert_int_equal(panel_of(copy, i)->place, 0);
        else
            assert_memory_equal(panel_of(copy, i),
                                forged->octets + SEGMENT_HEADER_SIZE +
                                    (size_t)i * SEGMENT_PANEL_SIZE,
                                SEGMENT_PANEL_SIZE);
    }
}

static void gaps_are_not_read(void **state)
{
    (void)state;
    struct segment_copy copy[SEGMENT_COPIES];
    struct forged *forged = forge("wbrrrrrrrrrrrrrrrrrrrrwbeeeeeeeeeeeebw");
    size_t size = forged->size;
    write_file(forged, size);
    assert_int_equal(read_file(copy, true), size);
    assert_gaps("2+20 24+12");
    for (int i = 0; i < 3; i++) {
        memset((char *)copies.copy[SEGMENT_READ].octets, 'z', size);
        assert_int_equal(read_file(copy, true), size - 32 * SEGMENT_PANEL_SIZE);
        assert_int_equal(copy[SEGMENT_READ].size, size);
        assert_copied(forged, &copy[SEGMENT_READ]);
    }
    forged_free(forged);
}

/* Behind what is in use, only so much is read as shows that it is not. */
static void the_end_is_not_read(void **state)
{
    (void)state;
    struct segment_copy copy[SEGMENT_COPIES];
    struct forged *forged = forge("wb");
    size_t whole = 2 * SEGMENT_EXTENT, used = forged->size;
    write_file(forged, whole);
    assert_int_equal(read_file(copy, true), whole);
    assert_int_equal(gaps.panels, 2);
    for (uint32_t later = 0; later <= GAPS_MARGIN + 1; later++) {
        struct segment_panel *panel =
            (struct segment_panel *)(void *)(forged->octets + used + later * SEGMENT_PANEL_SIZE);
        panel->place = SEGMENT_PLACE(SEGMENT_WORDS, 1, 99);
        write_file(forged, whole);
        uint64_t octets = read_file(copy, false);
        assert_int_equal(copy[SEGMENT_READ].size, octets);
        assert_int_equal(octets,
                         later < GAPS_MARGIN ? whole : used + GAPS_MARGIN * SEGMENT_PANEL_SIZE);
        assert_memory_equal(copy[SEGMENT_READ].octets, forged->octets, octets);
        panel->place = 0;
    }
    forged_free(forged);
}

/* A file that is cut, anywhere, is read up to there. */
static void files_that_are_cut(void **state)
{
    (void)state;
    struct segment_copy copy[SEGMENT_COPIES];
    struct forged *forged = forge("wbrrrrrrrrrrwbeeeeeeeebw");
    size_t size = forged->size;
    write_file(forged, size);
    read_file(copy, true);
    assert_gaps("2+10 14+8");
    for (size_t cut = 0; cut <= size; cut += 32) {
        write_file(forged, cut);
        read_file(copy, false);
        assert_int_equal(copy[SEGMENT_READ].size, cut);
        if (cut >= SEGMENT_HEADER_SIZE) {
            size_t gap = 0;
            while (gap < gaps.n &&
                   SEGMENT_HEADER_SIZE +
                           (gaps.gap[gap].first + gaps.gap[gap].panels) * SEGMENT_PANEL_SIZE <=
                       cut)
                gap++;
            struct gaps all = gaps;
            gaps.n = gap; /* those that the file has */
            assert_copied(forged, &copy[SEGMENT_READ]);
            gaps = all;
        }
    }
    forged_free(forged);
}

/* Whoever knows nothing, or wants all, reads all. */
static void all_is_read_thrice(void **state)
{
    (void)state;
    struct segment_copy copy[SEGMENT_COPIES];
    struct forged *forged = forge("wbrrrrrrrrrrwb");
    uint64_t octets = 0;
    write_file(forged, forged->size);
    read_file(copy, true);
    assert_int_equal(copies_read(&copies, fd, true, NULL, copy, &octets), 0);
    assert_int_equal(octets, SEGMENT_COPIES * forged->size);
    for (unsigned i = 0; i < SEGMENT_COPIES; i++) {
        assert_int_equal(copy[i].size, forged->size);
        assert_memory_equal(copy[i].octets, forged->octets, forged->size);
    }
    assert_int_equal(ftruncate(fd, SEGMENT_SIZE_MAX + 1), 0);
    assert_int_equal(copies_read(&copies, fd, false, &gaps, copy, &octets), EFBIG);
    forged_free(forged);
}

#define scene_test(f) cmocka_unit_test_setup_teardown(f, open_scene, close_scene)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(gaps_are_long_enough), scene_test(panels_that_come_later),
        scene_test(gaps_are_not_read),    scene_test(the_end_is_not_read),
        scene_test(files_that_are_cut),   scene_test(all_is_read_thrice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
