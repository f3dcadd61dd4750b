/* Polling, when some allocation fails: it begins or says why not, and whoever could not be told to
 * a poller is told later. The program starts itself as its own poller, as the daemon does. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "daemon/polling.h"

#include "polled.h"
#include "pollers.h"
#include "scarce.h"

static void assert_up(const struct polled *polled, const char *name, size_t nth)
{
    const struct child_series *series = series_at(polled, name, "load", "total");
    if (children_find(&polled->children, name)->contact.state != CHILD_UP)
        fail_msg("allocation %zu: %s is not polled", nth, name);
    if (!series || series->value != 42)
        fail_msg("allocation %zu: there is no value of %s", nth, name);
}

static bool is_up(const struct polled *polled, const char *name)
{
    const struct child_series *series = series_at(polled, name, "load", "total");
    return children_find(&polled->children, name)->contact.state == CHILD_UP && series &&
           series->state == RESULT_VALID;
}

static void add_rows(struct polled *polled)
{
    static const char *const names[] = {"a", "b"};
    struct row *row = row_new(ROW_CREDENTIAL, "blocks");
    polled_set(row, "user", "u");
    polled_set(row, "secrets", "/nowhere");
    row->status = ROW_ACTIVE;
    assert_true(config_add(polled->config, row));
    for (size_t i = 0; i < N_OF(names); i++)
        polled_set(polled_row(polled, names[i]), "credential", "blocks");
    snprintf(polled->config->collect.listen, sizeof polled->config->collect.listen,
             "udp:127.0.0.1:0");
}

/* The time passes faster here than for the pollers: a fifth of a second each time that nothing
 * comes in so many milliseconds. */
static void step(struct polling *polling, struct polled *polled, int wait_ms)
{
    struct pollfd fd = {.fd = polling_fd(polling), .events = POLLIN};
    scarce_go_on();
    polling_step(polling, polled->config, polled->now);
    scarce_stop();
    polled_wait(polled, 200);
    poll(&fd, 1, wait_ms);
}

static bool polls_with(size_t nth)
{
    struct polled *polled = polled_new();
    struct polling polling = {0};
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    add_rows(polled);
    scarce_fail(nth);
    int code = polling_begin(&polling, &polled->children, &lock, polled->config, NULL);
    bool failed = scarce_stop();
    assert_true(!code || failed);
    if (code) {
        polling_end(&polling);
        assert_int_equal(polling_begin(&polling, &polled->children, &lock, polled->config, NULL),
                         0);
    }
    scarce_go_on();
    polled_sync(polled);
    scarce_stop();
    polled_sync(polled); /* as the next SET or reload does */
    /* One that is silent for ten seconds of this time is killed: it has more than one to begin. */
    for (int i = 0; i < 200 && !(is_up(polled, "a") && is_up(polled, "b")); i++)
        step(&polling, polled, 15);
    assert_up(polled, "a", nth);
    assert_up(polled, "b", nth);
    for (int i = 0; i < 8; i++)
        step(&polling, polled, 5);
    failed = scarce_stop();
    uint32_t id = children_find(&polled->children, "a")->id;
    pollers_send_child(polling.pollers, id, "credentials");
    const char *told = pollers_hear_text(polling.pollers, polled->now.mono_ns);
    if (!strstr(told, "blocks=u/"))
        fail_msg("allocation %zu: its poller has no credential, but \"%s\"", nth, told);
    polling_end(&polling);
    polled_free(polled);
    return failed;
}

static void all_are_polled(void **state)
{
    (void)state;
    size_t nth = 1;
    while (polls_with(nth))
        nth++;
    assert_true(nth > 10);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "--", 2) == 0)
        return fake_poller();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_polled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
