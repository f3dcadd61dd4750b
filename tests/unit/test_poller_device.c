/* What a device is asked, and what its answers mean: against an agent that does as it is told. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "devices.h"

static void take_if(struct bench *bench, unsigned index)
{
    char oid[64];
    snprintf(oid, sizeof oid, IF_NAME ".%u", index);
    bench_remove(bench, oid);
    snprintf(oid, sizeof oid, IF_IN ".%u", index);
    bench_remove(bench, oid);
}

/* -- Good devices ---------------------------------------------------------------------------- */

/* A device without objects is asked whether it is there. */
static void nothing(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 3; i++)
        assert_string_equal(bench_poll(bench, 1), "");
    assert_int_equal(bench->gets, 3);
    assert_int_equal(bench->bulks, 0);
}

/* In the first poll everything is found and read; in the next, nothing is looked for. */
static void scalars_and_columns(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, "1.3.6.1.2.1.1.3", NULL, "*");
    bench_object(bench, IF_IN, IF_NAME, "*");
    bench_object(bench, IF_IN, "", "*");
    bench_object(bench, IF_OUT, IF_NAME, "*");
    bench_set(bench);
    bench_put_number(bench, "1.3.6.1.2.1.1.3.0", 77);
    bench_put_if(bench, 1, "lo", 5);
    bench_put_if(bench, 20, "eth0", 6);
    assert_string_equal(bench_poll(bench, 1), "+0:1=total 1=77 "
                                              "+1:2=lo 2=5 +1:3=eth0 3=6 +2:4=1 4=5 +2:5=20 5=6 ");
    assert_int_equal(bench->gets, 2);
    assert_int_equal(bench->bulks, 2); /* one of the labels, for two objects */
    bench_put_if(bench, 1, "lo", 8);
    assert_string_equal(bench_poll(bench, 1), "1=77 2=8 3=6 4=8 5=6 ");
    assert_int_equal(bench->gets, 3);
    assert_int_equal(bench->bulks, 2);
}

/* Rows that come, go and change their names: at the next look, every five minutes. */
static void rows_move(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, IF_IN, IF_NAME, "*");
    bench_set(bench);
    bench_put_if(bench, 1, "lo", 1);
    bench_put_if(bench, 2, "eth0", 2);
    bench_put_if(bench, 4, "eth1", 4);
    assert_string_equal(bench_poll(bench, 1), "+0:1=lo 1=1 +0:2=eth0 2=2 +0:3=eth1 3=4 ");
    bench_put_if(bench, 3, "eth9", 3);
    bench_put_if(bench, 2, "eth1", 2);
    bench_put_if(bench, 4, "eth0", 4);
    assert_string_equal(bench_poll(bench, 298), "1=1 2=2 3=4 ");
    /* What was known is read first; then the names have changed places: both are new. */
    assert_string_equal(bench_poll(bench, 2),
                        "1=1 2=2 3=4 -0:2 -0:3 +0:4=eth1 4=2 +0:5=eth9 5=3 +0:6=eth0 6=4 ");
    assert_string_equal(bench_poll(bench, 1), "1=1 4=2 5=3 6=4 ");
}

/* An instance that is not there any more ends at once, and soon all are looked for. */
static void instances_go(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, IF_IN, IF_NAME, "*");
    bench_object(bench, "1.3.6.1.2.1.1.3", NULL, "*");
    bench_set(bench);
    bench_put_number(bench, "1.3.6.1.2.1.1.3.0", 77);
    bench_put_if(bench, 1, "lo", 1);
    bench_put_if(bench, 2, "eth0", 2);
    assert_string_equal(bench_poll(bench, 1), "+1:1=total 1=77 +0:2=lo 2=1 +0:3=eth0 3=2 ");
    take_if(bench, 1);
    bench_remove(bench, "1.3.6.1.2.1.1.3.0");
    bench_put_if(bench, 3, "eth1", 3);
    assert_string_equal(bench_poll(bench, 1), "-0:2 3=2 -1:1 ");
    assert_string_equal(bench_poll(bench, 9), "3=2 ");
    bench_put_number(bench, "1.3.6.1.2.1.1.3.0", 78);
    assert_string_equal(bench_poll(bench, 1), "3=2 +1:4=total 4=78 +0:5=eth1 5=3 ");
}

/* Rows that have a name, but not the column: nothing is said of them, and nothing hurries. */
static void sparse_columns(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, IF_IN, IF_NAME, "*");
    bench_object(bench, "1.3.6.1.2.1.1.99", NULL, "*");
    bench_set(bench);
    bench_put_text(bench, IF_NAME ".1", "lo");
    bench_put_if(bench, 2, "eth0", 2);
    assert_string_equal(bench_poll(bench, 1), "+0:1=eth0 1=2 ");
    for (int i = 0; i < 29; i++)
        assert_string_equal(bench_poll(bench, 10), "1=2 ");
    assert_int_equal(bench->bulks, 1);
    assert_string_equal(bench_poll(bench, 10), "1=2 ");
    assert_int_equal(bench->bulks, 2);
}

static void patterns_choose(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, IF_IN, IF_NAME, "!eth1 eth*");
    bench_object(bench, IF_IN, "", "3");
    bench_set(bench);
    bench_put_if(bench, 1, "lo", 1);
    bench_put_if(bench, 2, "eth0", 2);
    bench_put_if(bench, 3, "eth1", 3);
    assert_string_equal(bench_poll(bench, 1), "+0:1=eth0 1=2 +1:2=3 2=3 ");
}

/* -- Names ----------------------------------------------------------------------------------- */

static void names(void **state)
{
    struct bench *bench = *state;
    char expected[400];
    bench_object(bench, IF_IN, IF_NAME, "*");
    bench_set(bench);
    bench_put_if(bench, 1, "same", 1);
    bench_put_if(bench, 2, "same", 2); /* not its own: the index */
    bench_put_if(bench, 3, "", 3);
    bench_put_if(bench, 4, "a\nb", 4);
    bench_put_if(bench, 5, "Gr\303\274n", 5);
    bench_put_if(bench, 6,
                 "0123456789012345678901234567890123456789"
                 "END567890123456789",
                 6);
    snprintf(expected, sizeof expected,
             "+0:1=same 1=1 +0:2=2 2=2 +0:3=3 3=3 +0:4=4 4=4 +0:5=Gr\303\274n 5=5 "
             "+0:6=~%s 6=6 ",
             "12345678901234567890123456789END567890123456789" + 0);
    assert_string_equal(bench_poll(bench, 1), expected);
    assert_int_equal(bench->faulted, 0);
}

/* A label that is the index of another row, which has no name of its own: one of the two is left
 * out, and that is said. */
static void names_that_meet(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, IF_IN, IF_NAME, "*");
    bench_set(bench);
    bench_put_if(bench, 1, "2", 1);
    bench_put_if(bench, 2, "", 2);
    assert_string_equal(bench_poll(bench, 1),
                        "!0:rows of its table have the same name, they are left out +0:1=2 1=1 ");
}

static void long_indexes(void **state)
{
    (void)state;
    struct device_rows rows = {0};
    unsigned long index[100];
    char name[ROW_NAME_MAX + 1], whole[2000];
    for (size_t n = 1; n <= 100; n++) {
        size_t len = 0;
        for (size_t i = 0; i < n; i++) {
            index[i] = i % 7 == 3 ? 4294967295 : 7 * i;
            len +=
                (size_t)snprintf(whole + len, sizeof whole - len, "%s%lu", i ? "." : "", index[i]);
        }
        assert_true(rows_add(&rows, index, n, NULL, 0));
        row_name(rows.at[n - 1], name);
        if (len <= ROW_NAME_MAX) {
            assert_string_equal(name, whole);
        } else {
            assert_int_equal(name[0], '~');
            assert_int_equal(strlen(name), ROW_NAME_MAX);
            assert_string_equal(name + 1, whole + len - (ROW_NAME_MAX - 1));
        }
        assert_true(n == 1 || row_compare(rows.at[n - 2], rows.at[n - 1]) < 0);
    }
    rows_free(&rows);
}

/* What just fits is whole; else the end follows a tilde, even if all but the first number would
 * fit. */
static void names_that_just_fit(void **state)
{
    static const struct {
        size_t n;
        unsigned long index[6];
        const char *name;
    } rows[] = {
        {5,
         {1234, 4294967295, 4294967295, 4294967295, 4294967295},
         "1234.4294967295.4294967295.4294967295.4294967295"},
        {5,
         {12345, 4294967295, 4294967295, 4294967295, 4294967295},
         "~345.4294967295.4294967295.4294967295.4294967295"},
        {6,
         {7, 123, 4294967295, 4294967295, 4294967295, 4294967295},
         "~123.4294967295.4294967295.4294967295.4294967295"},
        {6,
         {7, 12, 4294967295, 4294967295, 4294967295, 429496729},
         "7.12.4294967295.4294967295.4294967295.429496729"},
    };
    struct device_rows list = {0};
    char name[ROW_NAME_MAX + 1];
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        assert_true(rows_add(&list, rows[i].index, rows[i].n, NULL, 0));
        row_name(list.at[i], name);
        assert_string_equal(name, rows[i].name);
    }
    rows_free(&list);
}

/* A name of 128 numbers is the longest: what would have a longer one is not asked for. */
static void values_with_too_long_names(void **state)
{
    struct bench *bench = *state;
    char label[1200] = "1.3.6.1.2", index[1100] = "";
    for (size_t i = 0; i < 120; i++)
        strcat(index, ".1");
    bench_object(bench, "1.3.6.1.4.1.8072.9", "1.3.6.1.2", "*");   /* 8 and 120 numbers */
    bench_object(bench, "1.3.6.1.4.1.8072.9.9", "1.3.6.1.2", "*"); /* one more */
    bench_set(bench);
    strcat(label, index);
    bench_put_text(bench, label, "row");
    char value[1200] = "1.3.6.1.4.1.8072.9";
    strcat(value, index);
    bench_put_number(bench, value, 5);
    assert_string_equal(bench_poll(bench, 1), "+0:1=row 1=5 ");
    assert_string_equal(bench_poll(bench, 1), "1=5 ");
    assert_int_equal(bench->largest, 1);
}

/* -- Values ---------------------------------------------------------------------------------- */

static void values(void **state)
{
    static const struct {
        enum device_type type;
        const char *text;
        double real;
        uint64_t number;
        const char *expected;
    } cases[] = {
        {DEVICE_COUNTER32, "", 0, 4294967295, "1=4294967295 "},
        {DEVICE_COUNTER64, "", 0, UINT64_MAX, "1=18446744073709551615 "},
        {DEVICE_UNSIGNED, "", 0, 7, "1=7 "},
        {DEVICE_SIGNED, "", 0, (uint64_t)-7, "1=-7 "},
        {DEVICE_REAL, "", -0.5, 0, "1=-0.5 "},
        {DEVICE_REAL, "", 2.25, 0, "1=2.25 "},
        {DEVICE_OCTETS, "0.12", 0, 0, "1=0.12 "},
        {DEVICE_OCTETS, " -12.50\t", 0, 0, "1=-12.5 "},
    };
    struct bench *bench = *state;
    bench_object(bench, "1.3.6.1", NULL, "*");
    bench_set(bench);
    bench_put_number(bench, "1.3.6.1.0", 1);
    bench_poll(bench, 1);
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct cell *cell = bench_put(bench, "1.3.6.1.0");
        cell->type = cases[i].type;
        cell->number = cases[i].number;
        cell->real = cases[i].real;
        snprintf(cell->text, sizeof cell->text, "%s", cases[i].text);
        assert_string_equal(bench_poll(bench, 1), cases[i].expected);
    }
    assert_int_equal(bench->faulted, 0);
}

/* What is no number is said once until the next look, and the series goes on. */
static void no_numbers(void **state)
{
    static const struct {
        enum device_type type;
        const char *text;
        double real;
    } cases[] = {
        {DEVICE_OTHER, "", 0},
        {DEVICE_OCTETS, "", 0},
        {DEVICE_OCTETS, "  ", 0},
        {DEVICE_OCTETS, "0.12 s", 0},
        {DEVICE_OCTETS, "1e3", 0},
        {DEVICE_OCTETS, "nan", 0},
        {DEVICE_OCTETS, "1234567890123456789012345678901234567890", 0},
        {DEVICE_REAL, "", (double)INFINITY},
        {DEVICE_REAL, "", (double)NAN},
    };
    struct bench *bench = *state;
    bench_object(bench, "1.3.6.1", NULL, "*");
    bench_object(bench, "1.3.6.2", NULL, "*");
    bench_set(bench);
    bench_put_number(bench, "1.3.6.1.0", 1);
    bench_put_number(bench, "1.3.6.2.0", 5);
    bench_poll(bench, 1);
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct cell *cell = bench_put(bench, "1.3.6.1.0");
        char expected[100];
        cell->type = cases[i].type;
        cell->real = cases[i].real;
        snprintf(cell->text, sizeof cell->text, "%s", cases[i].text);
        snprintf(expected, sizeof expected, "!0:%s 1=? 2=5 ",
                 cases[i].type == DEVICE_OTHER ? "its type is none of a number"
                                               : "its value is not a number");
        assert_string_equal(bench_poll(bench, 300), expected);
        assert_string_equal(bench_poll(bench, 1), "1=? 2=5 ");
    }
    bench_put_number(bench, "1.3.6.1.0", 3);
    assert_string_equal(bench_poll(bench, 1), "1=3 2=5 ");
}

/* -- Sizes ----------------------------------------------------------------------------------- */

/* Many varbinds to a PDU, and none of them larger than a packet. */
static void many_to_a_packet(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, "1.3.6.1.4.1.9", "", "*");
    bench_set(bench);
    bench_fill(bench, 1000);
    bench_poll(bench, 1);
    assert_int_equal(bench->begun, 1000);
    assert_int_equal(bench->sampled, 1000);
    bench->gets = bench->bulks = 0;
    bench_poll(bench, 1);
    assert_int_equal(bench->sampled, 2000);
    assert_true(bench->largest >= 35 && bench->largest <= 60);
    assert_true(bench->gets <= 1000 / 35 + 1);
    assert_int_equal(bench->bulks, 0);
}

/* Where so many are too big, half as many are asked for, and that is kept. */
static void too_big(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, "1.3.6.1.4.1.9", "", "*");
    bench_set(bench);
    bench_fill(bench, 200);
    for (bench->most = 40; bench->most >= 1; bench->most /= 2) {
        size_t before = bench->sampled;
        bench_poll(bench, 1);
        assert_int_equal(bench->sampled, before + 200);
        bench->gets = bench->largest = 0;
        bench_poll(bench, 1);
        assert_int_equal(bench->sampled, before + 400);
        assert_true(bench->largest <= bench->most);
    }
    assert_int_equal(bench->faulted, 0);
    assert_int_equal(bench->begun, 200);
}

/* When single ones are too big, they are named and left out. */
static void single_too_big(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, "1.3.6.1", NULL, "*");
    bench_set(bench);
    device_begin(bench->device, bench->now);
    struct reply *reply = bench_reply(bench);
    reply->answer = (struct device_answer){.error = "tooBig", .is_too_big = true};
    assert_null(bench_take(bench, reply));
    assert_string_equal(bench->log, "!0:the agent refuses it: tooBig ");
    assert_int_equal(bench->device->ask, DEVICE_NOTHING);
}

/* A long table takes several polls; what is known is read in each of them. */
static void long_tables(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, "1.3.6.1", NULL, "*");
    bench_object(bench, "1.3.6.1.4.1.9", "", "*");
    bench_set(bench);
    bench_put_number(bench, "1.3.6.1.0", 1);
    bench_fill(bench, 6000);
    size_t polls = 0;
    while (bench->sampled < 6000 && polls < 10) {
        size_t before = bench->bulks;
        bench_poll(bench, 1);
        polls++;
        assert_true(bench->bulks - before <= DEVICE_ROUNDS_MAX);
        assert_true(bench->sampled >= polls);
    }
    assert_int_equal(polls, 6000 / (DEVICE_ROUNDS_MAX * DEVICE_REPETITIONS) + 1);
    assert_int_equal(bench->begun, 6001);
}

/* A table without an end, and more tables than there may be series. */
static void endless_tables(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, "1.3.6.1.4.1.9", "", "*");
    bench_object(bench, "1.3.6.1.4.1.10", "", "*");
    bench_set(bench);
    bench_fill(bench, 25000);
    bench_put_number(bench, "1.3.6.1.4.1.10.1", 1);
    for (int i = 0; i < 20; i++)
        bench_poll(bench, 1);
    assert_int_equal(bench->begun, DEVICE_SERIES_MAX);
    assert_int_equal(bench->device->n_series, DEVICE_SERIES_MAX);
    assert_int_equal(bench->faulted, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(nothing),
        bench_test(scalars_and_columns),
        bench_test(rows_move),
        bench_test(instances_go),
        bench_test(sparse_columns),
        bench_test(patterns_choose),
        bench_test(names),
        bench_test(names_that_meet),
        bench_test(long_indexes),
        cmocka_unit_test(names_that_just_fit),
        bench_test(values_with_too_long_names),
        bench_test(values),
        bench_test(no_numbers),
        bench_test(many_to_a_packet),
        bench_test(too_big),
        bench_test(single_too_big),
        bench_test(long_tables),
        bench_test(endless_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
