/* Which processes are looked at, and when, by dcamp-jvm. */
#include "jvm/candidates.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/scarce.h"
#include "tests/unit/unit.h"

#define S NS_PER_S

static struct candidates candidates;
static unsigned closed;

static void count(struct jvm_file *file)
{
    assert_non_null(file);
    closed++;
}

static int open_scene(void **state)
{
    (void)state;
    candidates = (struct candidates){.close = count};
    closed = 0;
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    candidates_release(&candidates);
    return candidates.by_pid != NULL;
}

static struct process process(pid_t pid, uid_t owner)
{
    return (struct process){.pid = pid, .owner = owner, .started = (uint64_t)pid * 10};
}

static void come(pid_t pid, uid_t owner, uint64_t now_ns)
{
    struct process is = process(pid, owner);
    candidates.now_ns = now_ns;
    candidates_follow(&candidates, NULL, &is);
}

static struct candidate *find(pid_t pid)
{
    struct candidate *candidate;
    HASH_FIND(hh, candidates.by_pid, &pid, sizeof pid, candidate);
    return candidate;
}

static void at_once(void **state)
{
    (void)state;
    come(7, 1000, 50 * S);
    const struct candidate *is = find(7);
    assert_non_null(is);
    assert_int_equal(is->owner, 1000);
    assert_int_equal(is->started, 70);
    assert_int_equal(is->due_ns, 50 * S);
    assert_null(is->file);
    assert_null(is->trouble);
}

/* After 5, 10, 20 ... seconds, and every ten minutes then. */
static void at_double_ages(void **state)
{
    static const unsigned after[] = {0, 5, 10, 20, 40, 80, 160, 320, 640, 1240, 1840, 2440};
    (void)state;
    come(7, 1000, 50 * S);
    struct candidate *is = find(7);
    for (size_t i = 0; i < N_OF(after); i++) {
        assert_int_equal(is->due_ns, (50 + after[i]) * S);
        candidate_postpone(is, is->due_ns);
    }
}

/* One that becomes another program, or of another user, is new; its file is another one's. */
static void changes(void **state)
{
    (void)state;
    struct process before = process(7, 1000), after = process(7, 1001);
    come(7, 1000, 0);
    find(7)->file = (struct jvm_file *)&closed;
    candidate_blame(&candidates, find(7), OWNER_DAMAGED, "broken");
    candidate_postpone(find(7), 100 * S);
    candidates.now_ns = 200 * S;
    candidates_follow(&candidates, &before, &after);
    assert_int_equal(closed, 1);
    assert_null(find(7)->file);
    assert_null(find(7)->trouble);
    assert_int_equal(find(7)->owner, 1001);
    assert_int_equal(find(7)->seen_ns, 200 * S);
    assert_int_equal(find(7)->due_ns, 200 * S);
}

static void goes(void **state)
{
    (void)state;
    struct process is = process(7, 1000), ended = is;
    come(7, 1000, 0);
    come(8, 1000, 0);
    find(8)->file = (struct jvm_file *)&closed;
    candidates_follow(&candidates, &is, NULL);
    assert_null(find(7));
    assert_int_equal(closed, 0);
    candidates_follow(&candidates, &is, NULL); /* it is not known any more */
    is = ended = process(8, 1000);
    ended.ended = true; /* a zombie has no files */
    candidates_follow(&candidates, &is, &ended);
    assert_null(find(8));
    assert_int_equal(closed, 1);
}

static void troubles(void **state)
{
    (void)state;
    char why[2 * MESSAGE_SIZE];
    come(7, 1000, 0);
    struct candidate *is = find(7);
    candidate_blame(&candidates, is, OWNER_NEWER, "of version 3");
    assert_int_equal(is->trouble->owner, 1000);
    assert_int_equal(is->trouble->problem, OWNER_NEWER);
    assert_string_equal(is->trouble->why, "process 7: of version 3");
    memset(why, 'w', sizeof why - 1);
    why[sizeof why - 1] = '\0';
    candidate_blame(&candidates, is, OWNER_DAMAGED, why);
    assert_int_equal(is->trouble->problem, OWNER_DAMAGED);
    assert_int_equal(strlen(is->trouble->why), MESSAGE_SIZE - 1);
    candidate_forgive(is);
    assert_null(is->trouble);
    candidate_forgive(is);
}

static void bounds(void **state)
{
    (void)state;
    for (pid_t pid = 1; pid <= JVM_USER_MAX; pid++) {
        assert_true(candidates_have_room(&candidates, 1000));
        come(pid, 1000, 0);
        find(pid)->file = (struct jvm_file *)&closed;
    }
    assert_false(candidates_have_room(&candidates, 1000));
    for (pid_t pid = JVM_USER_MAX + 1; pid <= JVM_MAX; pid++) {
        assert_true(candidates_have_room(&candidates, 5000 + (uid_t)pid));
        come(pid, 5000 + (uid_t)pid, 0);
        find(pid)->file = (struct jvm_file *)&closed;
    }
    assert_false(candidates_have_room(&candidates, 2000));
    struct process gone = process(1, 1000);
    candidates_follow(&candidates, &gone, NULL);
    assert_true(candidates_have_room(&candidates, 1000));
}

/* What there was no memory for is said, and harms nothing. */
static void without_memory(void **state)
{
    (void)state;
    scarce_fail(1);
    come(7, 1000, 0);
    assert_true(scarce_stop());
    assert_null(find(7));
    assert_true(candidates.no_memory);
    candidates.no_memory = false;
    come(7, 1000, 0);
    assert_false(candidates.no_memory);
    scarce_fail(1);
    candidate_blame(&candidates, find(7), OWNER_NEWER, "of version 3");
    assert_true(scarce_stop());
    assert_null(find(7)->trouble);
    assert_true(candidates.no_memory);
}

/* -- Turns ------------------------------------------------------------------------------------- */

#define KIB 1024u

/* Who is looked at in a pass, each for that many octets, as "7 8 9". */
static void assert_looked(uint64_t now_ns, uint64_t octets_of_big, const char *expected)
{
    char looked[256] = "";
    struct candidate *is;
    candidates_begin(&candidates);
    while ((is = candidates_next(&candidates, now_ns))) {
        size_t len = strlen(looked);
        snprintf(looked + len, sizeof looked - len, "%s%d", len ? " " : "", (int)is->pid);
        candidate_postpone(is, now_ns);
        candidates_charge(&candidates, is, is->owner == 666 ? octets_of_big : 4 * KIB);
    }
    assert_string_equal(looked, expected);
}

static void due_ones_are_looked_at(void **state)
{
    (void)state;
    for (pid_t pid = 1; pid <= 5; pid++)
        come(pid, 1000, 0);
    find(2)->file = (struct jvm_file *)&closed;
    find(3)->is_shunned = true;
    find(4)->due_ns = 1;
    assert_looked(0, 0, "1 5");
    assert_looked(1, 0, "4");
    assert_looked(CANDIDATE_MIN_NS - 1, 0, "");
    find(3)->is_shunned = false;
    assert_looked(CANDIDATE_MIN_NS, 0, "5 1 3");
}

/* All of a pass may be for one user, and of 2 MiB, there is one look too many at most. */
static void nobody_else_wants_it(void **state)
{
    (void)state;
    for (pid_t pid = 1; pid <= 6; pid++)
        come(pid, 666, 0);
    assert_looked(0, 512 * KIB, "1 2 3 4");
    assert_looked(0, 512 * KIB, "5 6");
}

/* Whoever comes behind one with processes that are large, or many, has his turn in the same pass.
 */
static void each_user_has_a_share(void **state)
{
    (void)state;
    for (pid_t pid = 1; pid <= 30; pid++)
        come(pid, 666, 0);
    come(31, 1000, 0);
    come(32, 1001, 0);
    assert_looked(0, 128 * KIB, "1 2 31 32 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
}

/* What is more than a pass has to be made up for, while others are looked at. */
static void debts_are_paid(void **state)
{
    (void)state;
    for (pid_t pid = 1; pid <= 3; pid++)
        come(pid, 666, 0);
    come(4, 1000, 0);
    come(5, 1000, 0);
    assert_looked(0, 7 * CANDIDATES_OCTETS / 2, "1 4 5");
    assert_looked(0, 0, "");
    assert_looked(0, 0, "");
    assert_looked(0, 7 * CANDIDATES_OCTETS / 2, "2");
    come(6, 1001, 0);
    assert_looked(0, 0, "6");
}

/* The next turn may begin with one that ends. */
static void the_next_one_ends(void **state)
{
    (void)state;
    struct process second = process(2, 666);
    for (pid_t pid = 1; pid <= 3; pid++)
        come(pid, 666, 0);
    assert_looked(0, CANDIDATES_OCTETS, "1");
    candidates_follow(&candidates, &second, NULL);
    assert_looked(0, CANDIDATES_OCTETS, "3");
    come(2, 666, 0);
    assert_looked(0, CANDIDATES_OCTETS, "2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(at_once, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(at_double_ages, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(changes, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(goes, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(troubles, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(bounds, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(due_ones_are_looked_at, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(nobody_else_wants_it, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(each_user_has_a_share, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(debts_are_paid, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(the_next_one_ends, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(without_memory, open_scene, close_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
