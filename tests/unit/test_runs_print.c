/* A comparison on a terminal and on a page: what others have named acts as neither. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "runs/page.h"
#include "tests/unit/made_run.h"
#include "unit.h"

/* As each name of a file that somebody has mailed. */
#define EVIL                                                                                       \
    "\033[31m</td><script>alert(\"1\")</script>&amp;'\r\n\xff\xc2\x9b"                             \
    "2J"

struct world {
    struct run a, b;
    struct comparison comparison;
    struct compare_settings settings;
    struct print_subject subject;
};

static void add_tag(struct run *run)
{
    run->tags[run->n_tags++] = (struct run_tag){strdup("x" EVIL), strdup(EVIL)};
}

static void add_series(struct run *run, const char *metric, const char *unit, double mean,
                       uint64_t seed)
{
    struct run_series *series = made_series(run, EVIL, EVIL, EVIL, metric, unit);
    for (int i = 0; i < 100; i++) {
        made_point(series, i * 1000, mean * (1 + 0.01 * made_normal(&seed)));
        made_record(series, i, mean * (1 + 0.01 * made_normal(&seed)), 0);
    }
}

static int setup(void **state)
{
    static struct world world;
    char error[COMPARE_ERROR_SIZE];
    world = (struct world){.settings = {.level = 0.95, .limit = 2, .statistics = ~0u, .seed = 1}};
    made_run(&world.a, "a", 100);
    made_run(&world.b, "b", 100);
    add_tag(&world.a);
    add_series(&world.a, "app.time", "s" EVIL, 1, 1);
    add_series(&world.b, "app.time", "s" EVIL, 2, 2);
    assert_true(compare_runs(&world.a, &world.b, &world.settings, &world.comparison, error));
    world.subject = (struct print_subject){&world.a, &world.b, &world.comparison, &world.settings};
    *state = &world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;
    compare_release(&world->comparison);
    run_release(&world->a);
    run_release(&world->b);
    return 0;
}

/* Printable UTF-8 in lines: no escape, and nothing of C1 either. */
static void is_harmless(const char *text)
{
    for (size_t i = 0, n; text[i]; i += n) {
        n = text_utf8_length(text + i, strlen(text + i));
        assert_true(n > 0);
        assert_true((unsigned char)text[i] >= ' ' || text[i] == '\n');
        assert_false(text[i] == '\x7f' || (text[i] == '\xc2' && (unsigned char)text[i + 1] < 0xa0));
    }
}

static void on_a_terminal(void **state)
{
    struct world *world = *state;
    char *text;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    assert_true(print_text(&world->subject, true, to));
    fclose(to);
    assert_non_null(strstr(text, "script"));
    is_harmless(text);
    free(text);
}

static void in_json(void **state)
{
    struct world *world = *state;
    char *text;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    assert_true(print_json(&world->subject, to));
    fclose(to);
    assert_non_null(strstr(text, "script"));
    is_harmless(text);
    free(text);
}

static void on_a_page(void **state)
{
    struct world *world = *state;
    char path[] = "/tmp/dcamp-page.XXXXXX", error[PAGE_ERROR_SIZE];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(page_write(&world->subject, path, error));
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_in_range(fread(text, 1, (1 << 20) - 1, file), 1000, (1 << 20) - 2);
    fclose(file);
    unlink(path);
    is_harmless(text);
    assert_null(strstr(text, "<script"));
    assert_non_null(
        strstr(text, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;&#39;"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(on_a_terminal, setup, teardown),
        cmocka_unit_test_setup_teardown(in_json, setup, teardown),
        cmocka_unit_test_setup_teardown(on_a_page, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
