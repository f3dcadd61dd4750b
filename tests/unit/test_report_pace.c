/* How many records may be reported: on the average, at once, and of each user. */
#include "report/pace.h"

#include "base/clock.h"

#include "tests/unit/unit.h"

#define S NS_PER_S

/* How many of so many a user gets. */
static uint32_t admitted(struct pace *pace, uint32_t wanted)
{
    struct pace_user user = {.admitted = 0};
    for (uint32_t i = 0; i < wanted; i++)
        pace_admit(pace, &user, 1);
    return user.admitted;
}

static void as_many_at_once_as_there_is_room_for(void **state)
{
    (void)state;
    struct pace pace = {.per_second = 10, .most = 100};
    pace_begin(&pace, 5 * S);
    assert_int_equal(admitted(&pace, 99), 99);
    assert_int_equal(admitted(&pace, 10), 1);
    pace_begin(&pace, 5 * S);
    assert_int_equal(admitted(&pace, 10), 0);
}

static void so_many_a_second_after_that(void **state)
{
    (void)state;
    struct pace pace = {.per_second = 10, .most = 100};
    uint32_t sum = 0;
    pace_begin(&pace, S);
    assert_int_equal(admitted(&pace, 1000), 100);
    for (unsigned i = 1; i <= 40; i++) {
        pace_begin(&pace, S + i * S / 4);
        sum += admitted(&pace, 1000);
    }
    assert_int_equal(sum, 100);
    pace_begin(&pace, 1000 * S);
    assert_int_equal(admitted(&pace, 1000), 100);
}

/* Who floods it does not take what others need. */
static void each_user_has_its_part(void **state)
{
    (void)state;
    struct pace pace = {.per_second = 100, .most = 100};
    struct pace_user of_flood, of_quiet;
    for (unsigned pass = 1; pass <= 5; pass++) {
        of_flood = of_quiet = (struct pace_user){.admitted = 0};
        pace_begin(&pace, pass * S);
        for (unsigned i = 0; i < 10000; i++)
            pace_admit(&pace, &of_flood, 1);
        for (unsigned i = 0; i < 30; i++)
            pace_admit(&pace, &of_quiet, 1);
        if (pass == 1)
            assert_int_equal(of_quiet.admitted, 0); /* nobody knew of it */
    }
    assert_int_equal(of_flood.admitted, 50);
    assert_int_equal(of_quiet.admitted, 30);
    pace_begin(&pace, 6 * S);
    assert_int_equal(admitted(&pace, 1000), 50); /* the other might have come again */
    pace_begin(&pace, 7 * S);
    assert_int_equal(admitted(&pace, 1000), 100);
}

static void nothing_fits_where_there_is_no_room(void **state)
{
    (void)state;
    struct pace pace = {.per_second = 0, .most = 0};
    pace_begin(&pace, S);
    assert_int_equal(admitted(&pace, 10), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_at_once_as_there_is_room_for),
        cmocka_unit_test(so_many_a_second_after_that),
        cmocka_unit_test(each_user_has_its_part),
        cmocka_unit_test(nothing_fits_where_there_is_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
