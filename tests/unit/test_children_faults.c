/* What goes wrong with a child is said as long as it is so, and what ends is not counted on. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "polled.h"

/* -- Look-ups -------------------------------------------------------------------------------- */

static void look_up_fails(struct polled *polled, const struct child *child,
                          enum poll_failure failure, const char *text)
{
    struct message_silent silent = {.head = {.kind = MESSAGE_SILENT, .length = sizeof silent},
                                    .id = child->id,
                                    .failure = failure,
                                    .look_up = true};
    snprintf(silent.text, sizeof silent.text, "%s", text);
    children_message(&polled->children, &silent.head, polled->now);
}

static void a_refused_look_up_stays_said(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    ring_value(ring, 2, 2);
    polled_answer(polled, child, 7, ring, child->cursor.next_block);
    look_up_fails(polled, child, POLL_REFUSED, "(genErr) A general failure occured");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(child->contact.state, CHILD_REFUSED);
        assert_string_equal(child_error(child), "(genErr) A general failure occured");
        polled_wait(polled, 1000);
        polled_answer(polled, child, 7, NULL, 0);
    }
    polled_name(polled, child, 2, "load", "other");
    polled_answer(polled, child, 7, NULL, 0);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_string_equal(child_error(child), "");
    ring_free(ring);
}

/* A look-up that is only lost is as a poll that is; what a child counts anew has no old faults. */
static void look_ups_that_are_not_refused(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    look_up_fails(polled, child, POLL_TIMEOUT, "no answer");
    assert_int_equal(child->contact.state, CHILD_LATE);
    polled_answer(polled, child, 7, NULL, 0);
    assert_int_equal(child->contact.state, CHILD_UP);
    look_up_fails(polled, child, POLL_GARBAGE, "not an entry of a dictionary");
    assert_int_equal(child->contact.state, CHILD_REFUSED);
    polled_answer(polled, child, 8, NULL, 0);
    assert_int_equal(child->contact.state, CHILD_UP);
    /* Nothing is left to be asked: nothing is wrong any more. */
    look_up_fails(polled, child, POLL_GARBAGE, "not an entry of a dictionary");
    polled_wait(polled, 11000);
    polled_answer(polled, child, 8, NULL, 0);
    polled_answer(polled, child, 8, NULL, 0);
    assert_int_equal(child->contact.state, CHILD_UP);
    ring_free(ring);
}

/* -- The log --------------------------------------------------------------------------------- */

/* What is written to stderr goes to a file from here on. */
static FILE *divert(int *kept)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    *kept = dup(STDERR_FILENO);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    return file;
}

static size_t lines_with(FILE *file, int kept, const char *text)
{
    char line[512];
    size_t n = 0;
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    while (fgets(line, sizeof line, file))
        n += strstr(line, text) != NULL;
    fclose(file);
    return n;
}

static void complaints_by_kind(void **state)
{
    struct polled *polled = *state;
    static const char *const texts[] = {"not a number", "not a block"};
    struct child *child = polled_child(polled, "leaf");
    for (int minute = 0; minute < 2; minute++) {
        for (size_t i = 0; i < N_OF(texts); i++) {
            int kept;
            FILE *file = divert(&kept);
            for (int times = 0; times < 20; times++) {
                polled_wait(polled, 1000);
                polled_silent(polled, child, POLL_GARBAGE, texts[i]);
            }
            char line[64];
            snprintf(line, sizeof line, "child leaf: %s", texts[i]);
            assert_int_equal(lines_with(file, kept, line), 1);
        }
        polled_wait(polled, 60000);
    }
}

/* Each bad block has another number, and is the same complaint; no child fills the log. */
static void complaints_are_few(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    int kept;
    FILE *file = divert(&kept);
    for (uint32_t i = 1; i <= 50; i++) {
        struct answer *answer = answer_new(child->id, 7);
        answer_add(answer, i, "?", 1);
        answer_give(polled, answer);
    }
    assert_int_equal(lines_with(file, kept, "report block"), 1);
    file = divert(&kept);
    for (int i = 0; i < 50; i++) {
        char text[64];
        snprintf(text, sizeof text, "fault %d", i);
        polled_silent(polled, child, POLL_GARBAGE, text);
    }
    assert_int_equal(lines_with(file, kept, "child leaf: "), 7);
}

/* -- Series that end ------------------------------------------------------------------------- */

static void give(struct polled *polled, struct child *child, struct report_ring *ring,
                 uint32_t series, enum result_state state)
{
    const struct result result = {.state = state};
    assert_int_equal(report_add(ring, series, INT64_C(1700000000123), &result), 0);
    assert_int_equal(report_flush(ring), 0);
    polled_answer(polled, child, 7, ring, child->cursor.next_block);
}

static void ends_are_asked_about_at_once(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    ring_value(ring, 2, 2);
    polled_answer(polled, child, 7, ring, child->cursor.next_block);
    polled_name(polled, child, 2, "load", "other");
    polled_forget_sent(polled);
    polled_wait(polled, 1000);
    give(polled, child, ring, 1, RESULT_UNAVAILABLE);
    assert_false(child_series_live(series_at(polled, "leaf", "load", "total")));
    size_t n;
    const struct message_look_up *ask = polled_sent(polled, MESSAGE_LOOK_UP, &n);
    assert_int_equal(n, 1);
    assert_int_equal(ask->n, 1);
    assert_int_equal(ask->series[0], 1);
    polled_name(polled, child, 1, NULL, NULL);
    assert_null(series_at(polled, "leaf", "load", "total"));
    assert_non_null(series_at(polled, "leaf", "load", "other"));
    /* One that is only not readable stays, and is asked about once. */
    give(polled, child, ring, 2, RESULT_UNAVAILABLE);
    polled_name(polled, child, 2, "load", "other");
    polled_answer(polled, child, 7, NULL, 0);
    polled_sent(polled, MESSAGE_LOOK_UP, &n);
    assert_int_equal(n, 2);
    ring_value(ring, 2, 3);
    polled_answer(polled, child, 7, ring, child->cursor.next_block);
    assert_true(child_series_live(series_at(polled, "leaf", "load", "other")));
    ring_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        polled_test(a_refused_look_up_stays_said), polled_test(look_ups_that_are_not_refused),
        polled_test(complaints_by_kind),           polled_test(complaints_are_few),
        polled_test(ends_are_asked_about_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
