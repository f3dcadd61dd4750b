/* What a child with as many series as a node has at first takes of the heap. Collectors have a
 * hundred thousand of them: whatever is added to a child, to a series or to a row of the
 * configuration counts as often. DCAMP_CHILDREN: how many, for a look at more. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "polled.h"

#define CHILDREN 500
#define SERIES 20

/* A collector, with its pollers, is to have 1 GB for 100,000 children, of which they may have half:
 * 5,000 octets are the core's. A fifth of that is for what it does with them. */
#define OCTETS_MOST 4000
/* Of these, so that nothing grows into what another part has spared. */
#define ROW_MOST 700
#define CHILD_MOST 1000
#define SERIES_MOST 2500

static size_t held(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* False where something else is in the place of malloc(3), valgrind or a sanitizer. */
static bool is_counted(void)
{
    size_t before = held();
    void *volatile some = malloc(60000); /* not of a cache, and not left out */
    bool counted = held() > before;
    free(some);
    return counted;
}

static void name_of(char name[NAME_SIZE], unsigned i)
{
    snprintf(name, NAME_SIZE, "node%06u", i);
}

static void add_rows(struct polled *polled, unsigned n)
{
    char name[NAME_SIZE], address[PEER_ADDRESS_SIZE];
    for (unsigned i = 0; i < n; i++) {
        name_of(name, i);
        snprintf(address, sizeof address, "udp:10.%u.%u.%u:10161", 100 + i / 65536, i / 256 % 256,
                 i % 256);
        struct row *row = polled_row(polled, name);
        polled_set(row, "address", address);
        polled_set(row, "group", "datacenter");
    }
}

/* As a node reports them, in one block, and then their names. */
static void tell_series(struct polled *polled, struct child *child, const struct report_ring *ring)
{
    char instance[16];
    polled_answer(polled, child, 7, ring, 1);
    for (uint32_t number = 1; number <= SERIES; number++) {
        snprintf(instance, sizeof instance, "i%u", number);
        polled_name(polled, child, number, "load", instance);
    }
    assert_int_equal(child->series.n_named, SERIES);
}

static void tell_all(struct polled *polled, unsigned n)
{
    const struct result result = {.state = RESULT_VALID, .value = 1.5};
    struct report_ring *ring = ring_new(7);
    char name[NAME_SIZE];
    for (uint32_t number = 1; number <= SERIES; number++)
        report_add(ring, number, INT64_C(1700000000123), &result);
    assert_int_equal(report_flush(ring), 0);
    for (unsigned i = 0; i < n; i++) {
        name_of(name, i);
        struct child *child = children_find(&polled->children, name);
        child->contact.known = true; /* the log of alarms is not what is measured */
        tell_series(polled, child, ring);
    }
    ring_free(ring);
}

static void a_child(void **state)
{
    struct polled *polled = *state;
    const char *more = getenv("DCAMP_CHILDREN");
    unsigned n = more ? (unsigned)strtoul(more, NULL, 10) : CHILDREN;
    if (!is_counted())
        skip();
    polled->children.send = NULL; /* the test keeps what is sent */
    size_t before = held();
    add_rows(polled, n);
    size_t with_rows = held();
    polled_sync(polled);
    size_t with_children = held();
    tell_all(polled, n);
    size_t row = (with_rows - before) / n, child = (with_children - with_rows) / n;
    size_t series = (held() - with_children) / n;
    print_message("octets of a child: row %zu, itself %zu, %u series %zu; all %zu\n", row, child,
                  SERIES, series, row + child + series);
    assert_in_range(row, 1, ROW_MOST);
    assert_in_range(child, 1, CHILD_MOST);
    assert_in_range(series, 1, SERIES_MOST);
    assert_in_range(row + child + series, 1, OCTETS_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {polled_test(a_child)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
