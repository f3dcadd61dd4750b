/* A curve in one line of text. */
#include <math.h>
#include <string.h>

#include "cli/spark.h"
#include "unit.h"

static void bars(void **state)
{
    (void)state;
    static const double values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, NAN, 0};
    char text[N_OF(values) * SPARK_OCTETS + 1];
    spark_format(values, N_OF(values), true, text);
    assert_string_equal(text, "▁▂▃▄▅▆▇██ ▁");
    spark_format(values, N_OF(values), false, text);
    assert_string_equal(text, "_.:-=+*## _");
    spark_format(values, 0, true, text);
    assert_string_equal(text, "");
}

static void extremes(void **state)
{
    (void)state;
    static const double equal[] = {5, 5}, none[] = {NAN, NAN}, far[] = {-1.7e308, 1.7e308, 0};
    char text[16];
    spark_format(equal, 2, false, text);
    assert_string_equal(text, "__");
    spark_format(none, 2, false, text);
    assert_string_equal(text, "  ");
    spark_format(far, 3, false, text);
    assert_string_equal(text, "_#=");
}

static void locales(void **state)
{
    (void)state;
    assert_true(spark_is_utf8("de_DE.UTF-8", "C", "C"));
    assert_true(spark_is_utf8("", "C.utf8", "C"));
    assert_true(spark_is_utf8(NULL, NULL, "en_US.UTF-8"));
    assert_false(spark_is_utf8("C", "en_US.UTF-8", "en_US.UTF-8"));
    assert_false(spark_is_utf8(NULL, NULL, NULL));
    assert_false(spark_is_utf8(NULL, NULL, "de_DE.ISO-8859-1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars),
        cmocka_unit_test(extremes),
        cmocka_unit_test(locales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
