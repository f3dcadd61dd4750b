/* Lines of statsd: what each says, or why it says nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statsd/line.h"
#include "unit.h"

/* The line in memory of its own, so that a sanitizer sees any octet too far. */
static enum statsd_verdict parse_size(const char *text, size_t size, char **copy,
                                      struct statsd_line *line)
{
    *copy = malloc(size ? size : 1);
    memcpy(*copy, text, size);
    return statsd_line_parse(*copy, size, line);
}

static enum statsd_verdict verdict_of(const char *text)
{
    struct statsd_line line;
    char *copy;
    enum statsd_verdict verdict = parse_size(text, strlen(text), &copy, &line);
    free(copy);
    return verdict;
}

/* "KIND NAME INSTANCE RATE VALUE...", or the verdict. */
static const char *shown(const char *text)
{
    static const char *const kinds[] = {"counter", "gauge", "timer", "histogram"};
    static char said[512];
    struct statsd_line line;
    struct statsd_value value;
    char *copy;
    enum statsd_verdict verdict = parse_size(text, strlen(text), &copy, &line);
    if (verdict != STATSD_COUNTED) {
        free(copy);
        return statsd_verdict_name(verdict);
    }
    int n = snprintf(said, sizeof said, "%s %s '%s' %g", kinds[line.kind], line.name, line.instance,
                     line.rate);
    while (statsd_line_value(&line, &value))
        n += snprintf(said + n, sizeof said - (size_t)n, " %s%g", value.is_change ? "by " : "",
                      value.number);
    free(copy);
    return said;
}

static void lines_say(void **state)
{
    static const struct {
        const char *line, *says;
    } lines[] = {
        {"orders:1|c", "counter orders '' 1 1"},
        {"orders:2.5|c|@0.1", "counter orders '' 0.1 2.5"},
        {"orders:1e3|c", "counter orders '' 1 1000"},
        {"orders:+3|c", "counter orders '' 1 by 3"},
        {"orders:-0|c", "counter orders '' 1 by -0"},
        {"queue:7|g", "gauge queue '' 1 7"},
        {"queue:-7|g", "gauge queue '' 1 by -7"},
        {"queue:+.5|g", "gauge queue '' 1 by 0.5"},
        {"payment:320|ms", "timer payment '' 1 320"},
        {"payment:0.30000000000000004|ms", "timer payment '' 1 0.3"},
        {"size:-1:2:3.|h", "histogram size '' 1 by -1 2 3"},
        {"size:4|d", "histogram size '' 1 4"},
        {"a:1|c|#b", "counter a 'b' 1 1"},
        {"a:1|c|#z:1,b:2,a", "counter a 'a,b:2,z:1' 1 1"},
        {"a:1|c|#b,,b,ab,a,b", "counter a 'a,ab,b' 1 1"},
        {"a:1|c|#", "counter a '' 1 1"},
        {"a:1|c|", "counter a '' 1 1"},
        {"a:1|c|@1|#x:y|c:83c0a99c|T1656581400|e:it-false|card:low", "counter a 'x:y' 1 1"},
        {"a:1|c|#x|@0.5", "counter a 'x' 0.5 1"},
        {"a b/c\xc3\xa4:1|c", "counter a_b_c__ '' 1 1"},
        {"a:1|c|#gr\xc3\xb6\xc3\x9f"
         "e",
         "counter a 'gr\xc3\xb6\xc3\x9f"
         "e' 1 1"},
        {"12345678901234567890123456789012:1|c", "counter 12345678901234567890123456789012 '' 1 1"},
        {"a.2345678901234567890123456789012:1|c",
         "counter 2345678901234567890123456789012 'a' 1 1"},
        {"api.v1.customers.orders.latency_of_requests:5|ms|#host:b",
         "timer orders.latency_of_requests 'api.v1.customers,host:b' 1 5"},
        {".1234567890123456789012345678901.:1|c",
         "counter 1234567890123456789012345678901. '' 1 1"},
        {"123456789012345678901234567890123.:1|c", "long"},
        {".12345678901234567890123456789012:1|c",
         "counter 12345678901234567890123456789012 '' 1 1"},
        {"123456789012345678901234567890123:1|c", "long"},
        {"a:1|s", "unsupported"},
        {"a:1|m", "unsupported"},
        {"_e{5,4}:title|text", "unsupported"},
        {"_sc|name|0", "unsupported"},
        {"a:-1|c", "negative"},
        {"a:1:-1|ms", "negative"},
        {"a:-1e-9|c", "negative"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(lines); i++)
        assert_string_equal(shown(lines[i].line), lines[i].says);
}

static void what_is_no_line_is_malformed(void **state)
{
    static const char *const lines[] = {
        "",
        "a",
        "a:",
        "a:1",
        "a|c",
        ":1|c",
        "a:|c",
        "a:1:|c",
        "a::1|c",
        "a:1|",
        "a:1|x",
        "a:1|C",
        "a:1|cc",
        "a:x|c",
        "a:1x|c",
        "a: 1|c",
        "a:1 |c",
        "a:0x10|c",
        "a:inf|g",
        "a:nan|g",
        "a:-inf|g",
        "a:1e999|g",
        "a:e|g",
        "a:+|g",
        "a:--1|g",
        "a:1|c||#a",
        "a:1|c|@",
        "a:1|c|@0",
        "a:1|c|@1.1",
        "a:1|c|@-1",
        "a:1|c|@0.0009",
        "a:1|c|@x",
        "a:1|c|x",
        "a:1|c|#a;b",
        "a:1|c|#a\tb",
        "a:1|c|#\xff",
        "a\t:1|c",
        "a\x7f:1|c",
        "a:1,2|c",
        "a:-1:x|c",
        "a:1234567890123456789012345678901234567890123456789|g",
    };
    (void)state;
    for (size_t i = 0; i < N_OF(lines); i++)
        if (verdict_of(lines[i]) != STATSD_MALFORMED)
            fail_msg("%s: %s", lines[i], shown(lines[i]));
}

static void octets_may_be_zero(void **state)
{
    struct statsd_line line;
    char *copy;
    (void)state;
    assert_int_equal(parse_size("a\0b:1|c", 7, &copy, &line), STATSD_MALFORMED);
    free(copy);
    assert_int_equal(parse_size("a:1\0|c", 6, &copy, &line), STATSD_MALFORMED);
    free(copy);
    assert_int_equal(parse_size("a:1|c|#x\0y", 10, &copy, &line), STATSD_MALFORMED);
    free(copy);
}

/* An instance of 64 octets is one, and one of 65 is too long, wherever they come from. */
static void instances_have_an_end(void **state)
{
    char text[256], tags[80];
    (void)state;
    for (int length = 62; length <= 68; length++) {
        memset(tags, 'x', sizeof tags);
        tags[length] = '\0';
        snprintf(text, sizeof text, "a:1|c|#%s", tags);
        assert_int_equal(verdict_of(text), length <= 64 ? STATSD_COUNTED : STATSD_LONG);
        tags[length - 2] = ',';
        snprintf(text, sizeof text, "a:1|c|#%s", tags);
        assert_int_equal(verdict_of(text), length <= 64 ? STATSD_COUNTED : STATSD_LONG);
        tags[length - 2] = '.';
        tags[length - 1] = '\0';
        snprintf(text, sizeof text, "%s12345678901234567890123456789012:1|c", tags);
        assert_int_equal(verdict_of(text), length - 2 <= 64 ? STATSD_COUNTED : STATSD_LONG);
    }
    strcpy(text, "a:1|c|#");
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%c,", 'A' + i);
    assert_int_equal(verdict_of(text), STATSD_LONG);
}

/* Both are padded with zeros: they are compared as wholes. */
static void names_are_padded(void **state)
{
    struct statsd_line line;
    (void)state;
    memset(&line, 0xff, sizeof line);
    assert_int_equal(statsd_line_parse("ab:1|c|#cd", 10, &line), STATSD_COUNTED);
    for (size_t i = 2; i < sizeof line.name; i++)
        assert_int_equal(line.name[i], 0);
    for (size_t i = 2; i < sizeof line.instance; i++)
        assert_int_equal(line.instance[i], 0);
}

static void parts_of_one_are_kept(void **state)
{
    double carry = 0;
    unsigned long long sum = 0;
    (void)state;
    for (int i = 0; i < 3000; i++)
        sum += statsd_whole(&carry, 1 / 0.3);
    assert_true(sum == 9999 || sum == 10000);
    carry = 0;
    assert_int_equal(statsd_whole(&carry, 0.5), 0);
    assert_int_equal(statsd_whole(&carry, 0.5), 1);
    assert_int_equal(statsd_whole(&carry, 3.25), 3);
    assert_true(carry == 0.25);
    assert_int_equal(statsd_whole(&carry, 1e300), 1ULL << 53);
    assert_true(carry == 0);
    assert_int_equal(statsd_whole(&carry, -0.0), 0);
}

static void applications_are_the_first_part(void **state)
{
    static const struct {
        const char *line;
        size_t length;
    } lines[] = {
        {"shop.orders:1|c", 4},
        {"a.b", 1},
        {"shop.a.b:1|c", 4},
        {"orders:1.5|c", 0},
        {"a b.c:1|c", 0},
        {".a:1|c", 0},
        {"shop.", 0},
        {"", 0},
        {"shop", 0},
        {"a:1|c|#b.c", 0},
        {"12345678901234567890123456789012.x", 32},
        {"123456789012345678901234567890123.x", 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(lines); i++)
        assert_int_equal(statsd_line_prefix(lines[i].line, strlen(lines[i].line)), lines[i].length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_say),
        cmocka_unit_test(what_is_no_line_is_malformed),
        cmocka_unit_test(octets_may_be_zero),
        cmocka_unit_test(instances_have_an_end),
        cmocka_unit_test(names_are_padded),
        cmocka_unit_test(parts_of_one_are_kept),
        cmocka_unit_test(applications_are_the_first_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
