/* Who is due next: in the order of moments, and of one moment in the order in which they were put.
 */
#include <stdlib.h>

#include "load/due.h"
#include "scarce.h"
#include "unit.h"

static void the_soonest_is_next(void **state)
{
    enum { N = 1000 };
    struct due due = {0};
    int who[N];
    uint64_t at_ns[N], before_ns = 0;
    const int *before = NULL;
    (void)state;
    srand(3);
    assert_true(due_at(&due) == UINT64_MAX);
    assert_true(due_reserve(&due, N));
    for (int i = 0; i < N; i++) {
        at_ns[i] = (uint64_t)rand() % 100;
        due_put(&due, at_ns[i], &who[i]);
    }
    for (int i = 0; i < N; i++) {
        uint64_t next_ns = due_at(&due);
        const int *first = due_first(&due), *next = due_take(&due);
        assert_ptr_equal(first, next);
        assert_int_equal(at_ns[next - who], next_ns);
        assert_true(next_ns > before_ns || (next_ns == before_ns && (!before || next > before)));
        before_ns = next_ns;
        before = next;
    }
    assert_true(due_at(&due) == UINT64_MAX);
    due_release(&due);
}

static void memory_may_fail(void **state)
{
    struct due due = {0};
    int who;
    (void)state;
    assert_true(due_reserve(&due, 1));
    due_put(&due, 7, &who);
    scarce_fail(1);
    assert_false(due_reserve(&due, 2));
    assert_true(scarce_stop());
    assert_int_equal(due_at(&due), 7);
    assert_ptr_equal(due_take(&due), &who);
    due_release(&due);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_soonest_is_next),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
