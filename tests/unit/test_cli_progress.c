/* What is said while something lasts: on a terminal only, and not before a second. */
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/progress.h"

#include "unit.h"

/* What is written to a terminal may come in pieces: until all is there, and a little longer. */
static void hear(int master, char *heard, size_t size, size_t expected)
{
    struct pollfd readable = {.fd = master, .events = POLLIN};
    size_t len = 0;
    while (len < size - 1 && poll(&readable, 1, len < expected ? 5000 : 200) > 0) {
        ssize_t n = read(master, heard + len, size - 1 - len);
        assert_true(n > 0);
        len += (size_t)n;
    }
    heard[len] = '\0';
}

static void on_a_terminal(void **state)
{
    (void)state;
    int master, slave;
    char heard[200];
    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    FILE *terminal = fdopen(slave, "w");
    struct progress progress = progress_begin(terminal, NS_PER_S);
    progress_end(&progress);
    progress_show(&progress, 2 * NS_PER_S - 1, "early");
    progress_show(&progress, 2 * NS_PER_S, "%d of %d", 1, 9);
    progress_show(&progress, 2 * NS_PER_S + NS_PER_S / 10 - 1, "at once");
    progress_show(&progress, 2 * NS_PER_S + NS_PER_S / 10, "2 of 9");
    progress_end(&progress);
    progress_end(&progress);
    static const char expected[] = "\r\x1b[K1 of 9\r\x1b[K2 of 9\r\x1b[K";
    hear(master, heard, sizeof heard, strlen(expected));
    assert_string_equal(heard, expected);
    fclose(terminal);
    close(master);
}

static void on_nothing_else(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *memory = open_memstream(&text, &size), *file = tmpfile();
    struct progress progress = progress_begin(memory, 0);
    progress_show(&progress, 9 * NS_PER_S, "nobody sees it");
    progress_end(&progress);
    fclose(memory);
    assert_string_equal(text, "");
    free(text);
    progress = progress_begin(file, 0);
    progress_show(&progress, 9 * NS_PER_S, "nobody wants it");
    progress_end(&progress);
    assert_int_equal(ftell(file), 0);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_a_terminal),
                                       cmocka_unit_test(on_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
