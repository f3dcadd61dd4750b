/* Rows of what programs publish: what they say, what is left out of them, and without memory. */
#include "application/listing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/unit/scarce.h"
#include "tests/unit/unit.h"

#define NOBODY ((uid_t)4000000001) /* who has no name */
#define NOBODY_NAME "4000000001"

static struct applications applications;
static struct owner *users;
static struct owners names;
static struct listing listing;

static int setup(void **state)
{
    (void)state;
    applications = (struct applications){0};
    users = NULL;
    names = (struct owners){0};
    applications_begin(&applications, NS_PER_S);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    applications_release(&applications);
    for (struct owner *owner = users, *next; owner; owner = next) {
        next = owner->hh.next;
        owner_free(&users, owner);
    }
    owners_release(&names);
    return 0;
}

/* -- What is published ------------------------------------------------------------------------- */

static struct application *application(uid_t uid, const char *name)
{
    char padded[SEGMENT_NAME] = "";
    memcpy(padded, name, strlen(name));
    struct owner *owner = owner_get(&users, uid);
    assert_non_null(owner);
    struct application *made = application_get(&applications, owner, padded);
    assert_non_null(made);
    return made;
}

/* A text fills its field, or is padded with zeros. */
static void put(char *field, size_t size, const char *text)
{
    size_t len = strlen(text);
    assert_true(len <= size);
    memcpy(field, text, len);
}

static struct application_series *series(struct application *of, enum segment_kind kind,
                                         const char *name, const char *instance, const char *unit,
                                         const char *purpose)
{
    struct segment_descriptor is = {.kind = kind};
    int error;
    put(is.name, sizeof is.name, name);
    put(is.instance, sizeof is.instance, instance);
    put(is.unit, sizeof is.unit, unit);
    put(is.purpose, sizeof is.purpose, purpose);
    struct application_series *made = application_series_get(&applications, of, &is, &error);
    assert_non_null(made);
    return made;
}

static void add_key(struct application_series *top, const char *octets, uint64_t count,
                    uint64_t error, uint64_t absent)
{
    struct top_key key = {.count = count, .error = error};
    put(key.octets, sizeof key.octets, octets);
    assert_int_equal(keys_merge(&top->departed, &key, 1, absent), 0);
}

/* -- Rows -------------------------------------------------------------------------------------- */

static void make(enum listing_kind kind, uint32_t top_size)
{
    assert_int_equal(listing_make(&listing, kind, &applications, &names, top_size), 0);
}

/* The row of these index components, of which the last is not looked for if it is NULL; rank 0:
 * there is none. */
static void *row_of(const char *user, const char *name, const char *sensor, const char *instance,
                    uint32_t rank)
{
    uint32_t key[LISTING_KEY_MAX + 100], n = index_key_text(key, user);
    n += index_key_text(key + n, name);
    if (sensor)
        n += index_key_text(key + n, sensor);
    if (instance)
        n += index_key_text(key + n, instance);
    if (rank > 0)
        key[n++] = rank;
    return index_find(&listing.index, key, n);
}

static void applications_and_what_is_wrong(void **state)
{
    (void)state;
    struct application *shop = application(NOBODY, "shop"), *bar = application(NOBODY, "bar");
    series(shop, SEGMENT_COUNTER, "a", "", "", "");
    struct application_series *top = series(shop, SEGMENT_TOP, "b", "", "", "");
    top->departed_in_part = top->departed_is_cut = true;
    shop->processes = 3;
    shop->ended = UINT64_MAX;
    shop->lost = 5;
    shop->refused = 6;
    shop->crowded = 7;
    shop->full = 8;
    shop->over_quota = 9;
    shop->clashing = 10;
    shop->no_room = 11;
    make(LISTING_APPLICATIONS, 1);
    assert_int_equal(listing.index.count, 2);
    assert_int_equal(listing.left_out, 0);
    const struct listed_application *row = row_of(NOBODY_NAME, "shop", NULL, NULL, 0);
    assert_true(row->processes == 3 && row->ended == UINT64_MAX && row->sensors == 2);
    assert_int_equal(row->since_ns, NS_PER_S);
    assert_true(row->lost == 5 && row->refused == 6 && row->crowded == 7 && row->full == 8);
    assert_string_equal(row->error,
                        "9 sensors beyond the series of its user; 11 sensors without room for all "
                        "of them; 10 sensors that differ in kind or unit from those of other "
                        "processes; 1 tops without what a process had that has ended; 1 tops with "
                        "keys given up for room");
    row = row_of(NOBODY_NAME, "bar", NULL, NULL, 0);
    assert_string_equal(row->error, "");
    listing_release(&listing);
    owner_count(bar->owner, OWNER_DAMAGED, NULL);
    owner_count(bar->owner, OWNER_DAMAGED, NULL);
    owner_count(bar->owner, OWNER_MANY_SERIES, NULL); /* each application has its own of these */
    make(LISTING_APPLICATIONS, 1);
    row = row_of(NOBODY_NAME, "bar", NULL, NULL, 0);
    assert_string_equal(row->error, "its user has 2 damaged segments");
    listing_release(&listing);
    char text[MESSAGE_SIZE];
    listing_complaints(text, users, &names);
    assert_string_equal(text, NOBODY_NAME " has 2 damaged segments; " NOBODY_NAME
                                          " has 1 more series than are read");
}

/* A text for people has an end, whatever there is to say. */
static void very_much_is_wrong(void **state)
{
    (void)state;
    char text[MESSAGE_SIZE];
    listing_complaints(text, users, &names);
    assert_string_equal(text, "");
    for (uid_t uid = 0; uid < 20; uid++)
        for (int problem = 0; problem < OWNER_PROBLEMS; problem++)
            owner_count(application(NOBODY + uid, "a")->owner, (enum owner_problem)problem, NULL);
    listing_complaints(text, users, &names);
    assert_int_equal(strlen(text), MESSAGE_SIZE - 1);
    make(LISTING_APPLICATIONS, 1);
    const struct listed_application *row = row_of(NOBODY_NAME, "a", NULL, NULL, 0);
    assert_in_range(strlen(row->error), 100, MESSAGE_SIZE - 1);
    listing_release(&listing);
}

/* The same name under two users is two applications. */
static void users_and_their_names(void **state)
{
    (void)state;
    char own[NAME_SIZE];
    text_format(own, sizeof own, "%s", owners_name(&names, getuid()));
    application(getuid(), "same")->processes = 1;
    application(NOBODY, "same")->processes = 2;
    make(LISTING_APPLICATIONS, 1);
    assert_int_equal(listing.index.count, 2);
    const struct listed_application *mine = row_of(own, "same", NULL, NULL, 0);
    const struct listed_application *other = row_of(NOBODY_NAME, "same", NULL, NULL, 0);
    assert_true(mine->processes == 1 && other->processes == 2);
    listing_release(&listing);
}

#define TEXT_16 "sixteen octets.."
#define TEXT_32 TEXT_16 TEXT_16
#define TEXT_64 TEXT_32 TEXT_32

static void sensors_of_each_kind(void **state)
{
    static const struct {
        enum segment_kind kind;
        unsigned word; /* that counts */
    } kinds[] = {{SEGMENT_COUNTER, SEGMENT_COUNTER_VALUE},
                 {SEGMENT_TIMER, SEGMENT_TIMER_COUNT},
                 {SEGMENT_HISTOGRAM, SEGMENT_HISTOGRAM_COUNT},
                 {SEGMENT_TOP, SEGMENT_TOP_TOTAL},
                 {SEGMENT_STEP, SEGMENT_STEP_COUNT}};
    (void)state;
    struct application *shop = application(NOBODY, "shop");
    for (size_t i = 0; i < N_OF(kinds); i++) {
        char name[8];
        snprintf(name, sizeof name, "s%zu", i);
        struct application_series *one = series(shop, kinds[i].kind, name, "", "", "");
        for (unsigned word = 0; word < SEGMENT_STEP_WORDS; word++)
            one->total[word] = 1000 + word;
    }
    series(shop, SEGMENT_GAUGE, "gauge", "north", TEXT_16, TEXT_32);
    make(LISTING_SENSORS, 1);
    assert_int_equal(listing.index.count, N_OF(kinds) + 1);
    for (size_t i = 0; i < N_OF(kinds); i++) {
        char name[8], path[APPLICATION_PATH_SIZE];
        snprintf(name, sizeof name, "s%zu", i);
        snprintf(path, sizeof path, NOBODY_NAME "/shop:s%zu", i);
        const struct listed_sensor *row = row_of(NOBODY_NAME, "shop", name, "", 0);
        assert_int_equal(row->kind, kinds[i].kind);
        assert_int_equal(row->count, 1000 + kinds[i].word);
        assert_string_equal(row->path, path);
        assert_int_equal(row->since_ns, NS_PER_S);
    }
    const struct listed_sensor *row = row_of(NOBODY_NAME, "shop", "gauge", "north", 0);
    assert_int_equal(row->kind, SEGMENT_GAUGE);
    assert_string_equal(row->unit, TEXT_16);
    assert_string_equal(row->purpose, TEXT_32);
    assert_string_equal(row->path, NOBODY_NAME "/shop:gauge:north");
    listing_release(&listing);
}

/* Of what would make an OID too long there is the end; of two that have the same, there is one. */
static void long_names(void **state)
{
    (void)state;
    struct application *shop = application(NOBODY, TEXT_32);
    series(shop, SEGMENT_COUNTER, TEXT_32, TEXT_64, "", "");
    series(shop, SEGMENT_COUNTER, TEXT_32, "26 octets, and not 1 more!", "", "");
    series(shop, SEGMENT_COUNTER, TEXT_32, "another" TEXT_32 TEXT_16, "", "");
    make(LISTING_SENSORS, 1);
    assert_int_equal(listing.index.count, 2);
    assert_int_equal(listing.left_out, 1);
    char cut[LISTING_INSTANCE_MAX + 1] = "~";
    memcpy(cut + 1, TEXT_64 + 64 - (LISTING_INSTANCE_MAX - 1), LISTING_INSTANCE_MAX - 1);
    const struct listed_sensor *row = row_of(NOBODY_NAME, TEXT_32, TEXT_32, cut, 0);
    assert_non_null(row);
    assert_string_equal(row->path, NOBODY_NAME "/" TEXT_32 ":" TEXT_32 ":" TEXT_64);
    assert_non_null(row_of(NOBODY_NAME, TEXT_32, TEXT_32, "26 octets, and not 1 more!", 0));
    listing_release(&listing);
}

/* -- Tops -------------------------------------------------------------------------------------- */

/* By its ranks: as many as were asked for, with the bounds of each. */
static void keys_that_have_most(void **state)
{
    (void)state;
    struct application_series *top =
        series(application(NOBODY, "shop"), SEGMENT_TOP, "dishes", "", "", "");
    series(application(NOBODY, "shop"), SEGMENT_COUNTER, "no.top", "", "", "");
    struct application_part part = {.gauge = 0};
    application_join(top, &part);
    add_key(top, "soup", 100, 0, 0);
    add_key(top, "tea", 50, 10, 0);
    add_key(top, TEXT_64, 41, 2, 0);
    struct top_key living = {.count = 25};
    put(living.octets, sizeof living.octets, "tea");
    assert_int_equal(keys_merge(&part.keys, &living, 1, 3), 0);
    for (uint32_t k = 1; k <= LISTING_TOP_SIZE_MAX; k += k == 4 ? 96 : 1) {
        make(LISTING_TOPS, k);
        assert_int_equal(listing.index.count, k < 3 ? k : 3);
        assert_int_equal(listing.left_out, 0);
        const struct listed_top *row = row_of(NOBODY_NAME, "shop", "dishes", "", 1);
        assert_true(row->count == 103 && row->error == 3); /* the living may have had 3 of it */
        assert_true(row->len == 4 && memcmp(row->octets, "soup", 4) == 0);
        assert_true(row->is_guaranteed); /* at least 100, and no other has more than 75 */
        row = row_of(NOBODY_NAME, "shop", "dishes", "", 2);
        assert_true(k < 2 || (row->count == 75 && row->error == 10 && row->is_guaranteed));
        row = row_of(NOBODY_NAME, "shop", "dishes", "", 3);
        assert_true(k < 3 || (row->count == 44 && row->error == 5 && row->len == 64));
        assert_true(k < 3 || memcmp(row->octets, TEXT_64, 64) == 0);
        listing_release(&listing);
    }
    application_leave(&applications, top, &part, true);
    keys_release(&part.keys);
}

/* What is not guaranteed is not said to be: the next one may have had more. */
static void close_to_each_other(void **state)
{
    (void)state;
    struct application_series *top =
        series(application(NOBODY, "shop"), SEGMENT_TOP, "dishes", "", "", "");
    add_key(top, "a", 100, 21, 0);
    add_key(top, "b", 80, 0, 0);
    make(LISTING_TOPS, 1);
    const struct listed_top *row = row_of(NOBODY_NAME, "shop", "dishes", "", 1);
    assert_true(row->count == 100 && !row->is_guaranteed);
    listing_release(&listing);
    make(LISTING_TOPS, 2);
    row = row_of(NOBODY_NAME, "shop", "dishes", "", 1);
    assert_true(row->is_guaranteed); /* the other one is here */
    listing_release(&listing);
}

/* -- Threads ----------------------------------------------------------------------------------- */

static void join(struct application_series *series, struct application_part *part, uint32_t pid,
                 const struct application_thread *thread, unsigned threads)
{
    *part = (struct application_part){.pid = pid};
    application_join(series, part);
    assert_int_equal(application_share(&applications, series, part, thread, threads), 0);
}

static const struct listed_thread *thread_of(const char *sensor, const char *instance, uint32_t pid,
                                             uint32_t shard)
{
    uint32_t key[LISTING_KEY_MAX + 100], n = index_key_text(key, NOBODY_NAME);
    n += index_key_text(key + n, "shop");
    n += index_key_text(key + n, sensor);
    n += index_key_text(key + n, instance);
    key[n++] = pid;
    key[n++] = shard;
    return (const struct listed_thread *)index_find(&listing.index, key, n);
}

static void threads_of_processes(void **state)
{
    (void)state;
    struct application *shop = application(NOBODY, "shop");
    struct application_series *counter = series(shop, SEGMENT_COUNTER, "n", TEXT_64, "", "");
    struct application_series *step = series(shop, SEGMENT_STEP, "s", "", "", "");
    struct application_series *histogram = series(shop, SEGMENT_HISTOGRAM, "h", "", "", "");
    struct application_part part[4];
    struct application_thread thread[3] = {
        {.shard = 0, .is_known = true, .word = {1, 2, 3, 4}},
        {.shard = 5, .is_known = true, .id = 77, .threads = 9, .word = {5, 6, 7, 8}},
        {.shard = 64, .word = {9, 10, 11, 12}}};
    double sum = -0.25;
    memcpy(thread[1].name, "bad\1name", 8);
    join(counter, &part[0], 100, thread, 3);
    join(counter, &part[1], UINT32_MAX, thread, 1);
    part[1].threads_left_out = 7;
    join(step, &part[2], 100, thread, 3);
    memcpy(&thread[1].word[SEGMENT_HISTOGRAM_SUM], &sum, sizeof sum);
    join(histogram, &part[3], 100, thread + 1, 1);
    make(LISTING_THREADS, 1);
    assert_int_equal(listing.index.count, 3 + 1 + 3 + 1);
    assert_int_equal(listing.left_out, 7);
    char cut[LISTING_THREAD_INSTANCE_MAX + 1] = "~";
    memcpy(cut + 1, TEXT_64 + 64 - (LISTING_THREAD_INSTANCE_MAX - 1),
           LISTING_THREAD_INSTANCE_MAX - 1);
    const struct listed_thread *row = thread_of("n", cut, 100, 5);
    assert_true(row->kind == SEGMENT_COUNTER && row->count == 5);
    assert_true(row->is_known && row->id == 77 && row->threads == 9);
    assert_string_equal(row->name, "bad?name");
    assert_int_equal(thread_of("n", cut, UINT32_MAX, 0)->count, 1);
    row = thread_of("s", "", 100, 64);
    assert_true(row->count == 10 && row->nanoseconds == 11 && !row->is_known);
    row = thread_of("h", "", 100, 5);
    assert_true(row->count == 5 && row->real == -0.25);
    listing_release(&listing);
    application_leave(&applications, counter, &part[0], true);
    application_leave(&applications, counter, &part[1], true);
    application_leave(&applications, step, &part[2], true);
    make(LISTING_THREADS, 1);
    assert_int_equal(listing.index.count, 1);
    listing_release(&listing);
    application_leave(&applications, histogram, &part[3], true);
}

/* -- Bounds ------------------------------------------------------------------------------------ */

static void add_sensors(struct application *of, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char instance[16];
        snprintf(instance, sizeof instance, "%u", i);
        series(of, SEGMENT_COUNTER, "s", instance, "", "");
    }
}

/* Who has very much leaves room for others. */
static void so_many_of_each_user(void **state)
{
    (void)state;
    add_sensors(application(NOBODY, "greedy"), LISTING_USER_ROWS_MAX - 1);
    add_sensors(application(NOBODY, "more"), 10);
    add_sensors(application(NOBODY + 1, "small"), 10);
    make(LISTING_SENSORS, 1);
    assert_int_equal(listing.index.count, LISTING_USER_ROWS_MAX + 10);
    assert_int_equal(listing.left_out, 9);
    assert_non_null(row_of("4000000002", "small", "s", "9", 0));
    listing_release(&listing);
    for (uid_t uid = 2; uid < 8; uid++)
        add_sensors(application(NOBODY + uid, "all"), LISTING_USER_ROWS_MAX);
    make(LISTING_SENSORS, 1);
    assert_int_equal(listing.index.count, LISTING_ROWS_MAX);
    assert_int_equal(listing.left_out, 9 + 10 + 2 * LISTING_USER_ROWS_MAX);
    listing_release(&listing);
}

/* Whichever allocation fails: there are all rows, or none. */
static void without_memory(void **state)
{
    (void)state;
    struct application *shop = application(NOBODY, "shop");
    add_key(series(shop, SEGMENT_TOP, "dishes", "", "", ""), "soup", 100, 0, 0);
    add_sensors(shop, 20);
    struct application_part part;
    join(series(shop, SEGMENT_COUNTER, "s", "0", "", ""), &part, 1,
         &(struct application_thread){.shard = 1}, 1);
    for (int kind = 0; kind < LISTINGS; kind++) {
        bool failed = true;
        for (size_t nth = 1; failed; nth++) {
            scarce_fail(nth);
            int error = listing_make(&listing, (enum listing_kind)kind, &applications, &names, 10);
            failed = scarce_stop();
            /* An index without memory for its buckets still finds its rows. */
            assert_true(error == 0 || (failed && error == ENOMEM && listing.index.count == 0));
            assert_true(error != 0 || listing.index.count == (kind == LISTING_SENSORS ? 21 : 1));
            listing_release(&listing);
        }
    }
    application_leave(&applications, series(shop, SEGMENT_COUNTER, "s", "0", "", ""), &part, true);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(applications_and_what_is_wrong),
        TEST(very_much_is_wrong),
        TEST(users_and_their_names),
        TEST(sensors_of_each_kind),
        TEST(long_names),
        TEST(keys_that_have_most),
        TEST(close_to_each_other),
        TEST(threads_of_processes),
        TEST(so_many_of_each_user),
        TEST(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
