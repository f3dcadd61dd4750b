/* A segment, octet by octet, as libdcamp/segment.h has it and libraries in other languages write
 * it. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdcamp/segment.h"
#include "tests/unit/published.h"
#include "tests/unit/unit.h"

static int open_app(void **state)
{
    (void)state;
    return published_open("layout");
}

/* The numbers that the comments of segment.h have. */
static void each_member_is_where_it_should_be(void **state)
{
    (void)state;
    const struct {
        const char *what;
        size_t is, should;
    } places[] = {
#define AT(type, member, place) {#type "." #member, offsetof(struct type, member), place}
        AT(segment_shard, thread, 0),
        AT(segment_shard, epoch, 4),
        AT(segment_shard, sequence, 8),
        AT(segment_shard, panels, 12),
        AT(segment_shard, since, 16),
        AT(segment_shard, steps, 24),
        AT(segment_shard, name, 32),
        AT(segment_header, magic, 0),
        AT(segment_header, major, 8),
        AT(segment_header, minor, 10),
        AT(segment_header, header_size, 12),
        AT(segment_header, panel_size, 16),
        AT(segment_header, shards, 20),
        AT(segment_header, pid, 24),
        AT(segment_header, clock, 28),
        AT(segment_header, clock_hz, 32),
        AT(segment_header, start_time, 40),
        AT(segment_header, opened, 48),
        AT(segment_header, monotonic, 56),
        AT(segment_header, descriptors, 64),
        AT(segment_header, panels, 68),
        AT(segment_header, state, 72),
        AT(segment_header, ring, 76),
        AT(segment_header, refused, 80),
        AT(segment_header, crowded, 84),
        AT(segment_header, full, 88),
        AT(segment_header, name, 96),
        AT(segment_header, writer, 128),
        AT(segment_header, shard, 512),
        AT(segment_descriptor, name, 0),
        AT(segment_descriptor, instance, 32),
        AT(segment_descriptor, unit, 96),
        AT(segment_descriptor, purpose, 112),
        AT(segment_descriptor, kind, 144),
        AT(segment_descriptor, generation, 148),
        AT(segment_descriptor, first_word, 152),
        AT(segment_descriptor, words, 156),
        AT(segment_descriptor, first_panel, 160),
        AT(segment_descriptor, panels, 164),
        AT(segment_entry, count, 0),
        AT(segment_entry, error, 8),
        AT(segment_entry, key, 16),
        AT(segment_record, number, 0),
        AT(segment_record, descriptor, 8),
        AT(segment_record, result, 12),
        AT(segment_record, sequence, 16),
        AT(segment_record, start, 24),
        AT(segment_record, duration, 32),
        AT(segment_record, thread, 40),
        AT(segment_record, flags, 44),
        AT(segment_record, cpu, 48),
        AT(segment_record, allocated, 56),
        AT(segment_panel, place, 0),
        AT(segment_panel, sequence, 8),
        AT(segment_panel, word, SEGMENT_PANEL_HEAD),
        {"header", sizeof(struct segment_header), 4672},
        {"panel", sizeof(struct segment_panel), 576},
        {"data", sizeof(struct segment_panel) - SEGMENT_PANEL_HEAD, SEGMENT_PANEL_DATA},
        {"descriptor", sizeof(struct segment_descriptor), 168},
    };
    for (size_t i = 0; i < N_OF(places); i++)
        if (places[i].is != places[i].should)
            fail_msg("%s is at %zu, not %zu", places[i].what, places[i].is, places[i].should);
    assert_memory_equal(&(uint64_t){SEGMENT_MAGIC}, "dCAMPseg", 8);
    uint64_t place = SEGMENT_PLACE(3, 64, 16383);
    assert_memory_equal(&place, "\x03\x00\x40\x00\xff\x3f\x00\x00", 8);
    assert_int_equal(SEGMENT_PLACE_KIND(place), 3);
    assert_int_equal(SEGMENT_PLACE_SHARD(place), 64);
    assert_int_equal(SEGMENT_PLACE_NUMBER(place), 16383);
}

static void the_header_says_what_it_is(void **state)
{
    (void)state;
    char path[512], text[64], magic[8];
    struct stat status;
    assert_int_equal(dcamp_error(), 0);
    assert_string_equal(dcamp_reason(), "");
    struct copy *copy = published_copy();
    const struct segment_header *header = copy->header;
    memcpy(magic, copy->octets, sizeof magic);
    assert_memory_equal(magic, "dCAMPseg", 8);
    assert_int_equal(header->minor, SEGMENT_MINOR);
    assert_int_equal(header->pid, getpid());
    segment_path(published.directory, getpid(), path, sizeof path);
    snprintf(text, sizeof text, "%d.%llu", getpid(), (unsigned long long)header->start_time);
    assert_string_equal(strrchr(path, '/') + 1, text);
    assert_string_equal(header->name, "layout");
    assert_int_equal(memcmp(header->writer, "libdcamp ", 9), 0);
    assert_int_equal(header->state, SEGMENT_OPEN);
    assert_true(header->clock == SEGMENT_CLOCK_GETTIME || header->clock == SEGMENT_CLOCK_TSC);
    assert_int_equal(header->clock == SEGMENT_CLOCK_TSC, header->clock_hz != 0);
    assert_int_equal(stat(path, &status), 0);
    assert_true(header->opened / 1000000000 >= (uint64_t)status.st_mtime - 60);
    assert_true(header->monotonic > 0);
    assert_int_equal(header->descriptors, 0);
    assert_int_equal(header->refused + header->crowded + header->full, 0);
    copy_free(copy);
}

static void descriptors_say_what_they_are(void **state)
{
    (void)state;
    dcamp_counter_new(published.app, "counter", NULL, "x");
    dcamp_gauge_new(published.app, "gauge", "left", "m");
    dcamp_timer_new(published.app, "timer", "a\xc3\xa4");
    dcamp_histogram_new(published.app, "histogram", "", "B");
    dcamp_top_new(published.app, "top", "", "requests");
    dcamp_step_new(published.app, "step", "", "payment");
    dcamp_counter_new(published.app, "abcdefghijklmnopqrstuvwxyz.ABC_-",
                      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                      "0123456789abcdef");
    struct copy *copy = published_copy();
    assert_int_equal(copy->descriptors, 7);
    const struct {
        const char *name, *instance, *unit, *purpose;
        enum segment_kind kind;
    } wanted[] = {
        {"counter", "", "x", "", SEGMENT_COUNTER},
        {"gauge", "left", "m", "", SEGMENT_GAUGE},
        {"timer", "a\xc3\xa4", "s", "", SEGMENT_TIMER},
        {"histogram", "", "B", "", SEGMENT_HISTOGRAM},
        {"top", "", "requests", "", SEGMENT_TOP},
        {"step", "", "s", "payment", SEGMENT_STEP},
        {"abcdefghijklmnopqrstuvwxyz.ABC_-",
         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "0123456789abcdef", "",
         SEGMENT_COUNTER},
    };
    for (uint32_t i = 0; i < N_OF(wanted); i++) {
        const struct segment_descriptor *is = copy->descriptor[i];
        assert_int_equal(strncmp(is->name, wanted[i].name, SEGMENT_NAME), 0);
        assert_int_equal(strncmp(is->instance, wanted[i].instance, SEGMENT_INSTANCE), 0);
        assert_int_equal(strncmp(is->unit, wanted[i].unit, SEGMENT_UNIT), 0);
        assert_int_equal(strncmp(is->purpose, wanted[i].purpose, SEGMENT_PURPOSE), 0);
        assert_int_equal(is->kind, wanted[i].kind);
    }
    assert_true(copy->header->ring > 0);
    copy_free(copy);
}

/* As many as there may be: the file grows, and every one is found. */
static void there_may_be_a_thousand(void **state)
{
    (void)state;
    char name[16];
    struct copy *copy = published_copy();
    uint32_t before = copy->descriptors;
    copy_free(copy);
    for (uint32_t i = before; i < SEGMENT_DESCRIPTORS_MAX; i++) {
        snprintf(name, sizeof name, "c%u", i);
        struct dcamp_counter *counter = dcamp_counter_new(published.app, name, "", "");
        assert_int_equal(dcamp_error(), 0);
        dcamp_counter_add(counter, i);
    }
    copy = published_copy();
    assert_int_equal(copy->descriptors, SEGMENT_DESCRIPTORS_MAX);
    for (uint32_t i = before; i < SEGMENT_DESCRIPTORS_MAX; i++) {
        snprintf(name, sizeof name, "c%u", i);
        assert_int_equal(copy_word(copy, copy_descriptor(copy, name, ""), 0), i);
    }
    assert_int_equal(copy->header->refused, 0);
    copy_free(copy);
    struct dcamp_counter *counter = dcamp_counter_new(published.app, "c1024", "", "");
    assert_int_equal(dcamp_error(), ENOSPC);
    assert_string_equal(dcamp_reason(), "c1024: the program has too many sensors");
    dcamp_counter_add(counter, 1);
    copy = published_copy();
    assert_int_equal(copy->header->refused, 1);
    assert_int_equal(copy->descriptors, SEGMENT_DESCRIPTORS_MAX);
    copy_free(copy);
}

/* What is closed says so, and still can be read; what is opened again has the same sensors, from 0
 * on.
 */
static void it_can_be_closed_and_opened_again(void **state)
{
    (void)state;
    char path[512], aside[520];
    struct dcamp_counter *counter = dcamp_counter_new(published.app, "c900", "", "");
    assert_int_equal(dcamp_error(), 0);
    dcamp_counter_add(counter, 5);
    dcamp_app_close(published.app);
    segment_path(published.directory, getpid(), path, sizeof path);
    struct copy *copy = copy_of(path);
    assert_int_equal(copy->header->state, SEGMENT_CLOSED);
    copy_free(copy);
    dcamp_counter_add(counter, 1000000);
    assert_ptr_equal(dcamp_counter_new(published.app, "c900", "", ""), counter);
    assert_int_equal(dcamp_error(), ENOTCONN);
    published.app = dcamp_app_open("layout");
    assert_int_equal(dcamp_error(), 0);
    dcamp_counter_add(counter, 7);
    copy = published_copy();
    assert_int_equal(copy->header->state, SEGMENT_OPEN);
    assert_int_equal(copy->descriptors, SEGMENT_DESCRIPTORS_MAX);
    assert_int_equal(copy_word(copy, copy_descriptor(copy, "c900", ""), 0), 7);
    copy_free(copy);
    snprintf(aside, sizeof aside, "%s.1", path);
    copy = copy_of(aside);
    assert_string_equal(copy->fault, "");
    assert_int_equal(copy->header->state, SEGMENT_CLOSED);
    copy_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_member_is_where_it_should_be),
        cmocka_unit_test(the_header_says_what_it_is),
        cmocka_unit_test(descriptors_say_what_they_are),
        cmocka_unit_test(there_may_be_a_thousand),
        cmocka_unit_test(it_can_be_closed_and_opened_again),
    };
    return cmocka_run_group_tests(tests, open_app, published_close);
}
