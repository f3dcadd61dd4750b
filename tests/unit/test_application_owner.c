/* Owners: what is said of their problems, once. */
#include "application/owner.h"

#include "tests/unit/heap.h"
#include "tests/unit/unit.h"

#define S NS_PER_S

static void owners_are_by_uid(void **state)
{
    (void)state;
    struct owner *owners = NULL, *one = owner_get(&owners, 0), *other = owner_get(&owners, 1000);
    assert_non_null(one);
    assert_ptr_not_equal(one, other);
    assert_int_equal(other->uid, 1000);
    assert_ptr_equal(owner_get(&owners, 0), one);
    owner_free(&owners, one);
    assert_int_equal(HASH_COUNT(owners), 1);
    owner_free(&owners, other);
    assert_null(owners);
}

static void each_problem_is_told_once(void **state)
{
    (void)state;
    struct owner *owners = NULL, *owner = owner_get(&owners, 1000);
    const struct {
        uint64_t now_ns;
        unsigned count;
        enum owner_news news;
    } passes[] = {
        {1 * S, 0, OWNER_NOTHING},   {2 * S, 3, OWNER_BEGINS},    {3 * S, 1, OWNER_NOTHING},
        {4 * S, 0, OWNER_NOTHING},   {62 * S, 0, OWNER_NOTHING},  {63 * S, 0, OWNER_IS_OVER},
        {64 * S, 0, OWNER_NOTHING},  {65 * S, 1, OWNER_BEGINS},   {100 * S, 0, OWNER_NOTHING},
        {120 * S, 2, OWNER_NOTHING}, {179 * S, 0, OWNER_NOTHING}, {180 * S, 0, OWNER_IS_OVER},
    };
    for (size_t i = 0; i < N_OF(passes); i++) {
        owner_begin(owner);
        for (unsigned n = 0; n < passes[i].count; n++)
            owner_count(owner, OWNER_DAMAGED, n == 0 ? "first" : "next");
        if (passes[i].news == OWNER_BEGINS)
            assert_string_equal(owner->problem[OWNER_DAMAGED].why, "first");
        if (owner_news(owner, OWNER_DAMAGED, passes[i].now_ns) != passes[i].news)
            fail_msg("pass %zu", i);
        assert_int_equal(owner_news(owner, OWNER_CLASH, passes[i].now_ns), OWNER_NOTHING);
    }
    owner_free(&owners, owner);
}

static void one_with_something_is_not_idle(void **state)
{
    (void)state;
    struct owner *owners = NULL, *owner = owner_get(&owners, 1000);
    assert_true(owner_is_idle(owner));
    owner->entries = 1;
    assert_false(owner_is_idle(owner));
    owner->entries = 0;
    owner->series = 1;
    assert_false(owner_is_idle(owner));
    owner->series = 0;
    owner_count(owner, OWNER_MUCH_WORK, NULL);
    assert_int_equal(owner_news(owner, OWNER_MUCH_WORK, S), OWNER_BEGINS);
    assert_false(owner_is_idle(owner));
    owner_begin(owner);
    assert_int_equal(owner_news(owner, OWNER_MUCH_WORK, 61 * S), OWNER_IS_OVER);
    assert_true(owner_is_idle(owner));
    owner_free(&owners, owner);
}

static void play(void)
{
    struct owner *owners = NULL, *owner = owner_get(&owners, 7);
    owner_count(owner, OWNER_NEWER, "why");
    owner_begin(owner);
    owner_count(owner, OWNER_NEWER, "why");
    owner_count(owner, OWNER_NEWER, "another");
    owner_free(&owners, owner);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_are_by_uid),
        cmocka_unit_test(each_problem_is_told_once),
        cmocka_unit_test(one_with_something_is_not_idle),
        cmocka_unit_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
