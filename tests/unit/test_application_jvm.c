#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "application/jvm.h"

#include "performance.h"
#include "unit.h"

#define ALL ((1u << JVM_VALUES) - 1)
#define MIB (UINT64_C(1) << 20)

static void read_good(struct jvm_plan *plan, const struct performance *made,
                      struct jvm_profile *profile)
{
    char why[MESSAGE_SIZE] = "";
    memset(profile, 0xa5, sizeof *profile);
    int error = jvm_read(plan, made->octets, made->size, profile, why);
    if (error)
        fail_msg("%s", why);
    assert_string_equal(why, "");
}

static void read_first(const struct performance *made, struct jvm_profile *profile)
{
    struct jvm_plan plan = {.is_made = false};
    read_good(&plan, made, profile);
}

/* -- Captured files ---------------------------------------------------------------------------- */

/* What jstat of JDK 17 says of the same files, the largest heap apart: that is their -Xmx. */
static const struct captured {
    const char *name;
    bool is_of_last_collection;
    uint64_t value[JVM_VALUES];
    unsigned n_collectors;
    struct jvm_collector collector[3];
} captured[] = {
    {"jdk17-epsilon",
     false,
     {81296920, 268435456, 218896, 458752, 8, 6, 9, 9, 524, 97416547, 112271, 2},
     0,
     {}},
    {"jdk17-g1",
     false,
     {5351856, 67108864, 137024, 327680, 8, 6, 9, 9, 510, 52734191, 110227174, 4},
     3,
     {{"G1 young collection pauses", true, true, 3, 71584503},
      {"G1 full collection pauses", true, true, 1, 33142831},
      {"G1 concurrent cycle pauses", true, true, 0, 0}}},
    {"jdk17-parallel",
     false,
     {5238096, 67108864, 183608, 393216, 8, 6, 9, 9, 524, 169012639, 161213776, 6},
     2,
     {{"Parallel young collection pauses", true, true, 5, 94347512},
      {"Parallel full collection pauses", true, true, 1, 66298396}}},
    {"jdk17-serial",
     false,
     {5270688, 67108864, 184360, 393216, 8, 6, 9, 9, 524, 138067292, 69353869, 6},
     2,
     {{"Serial young collection pauses", true, true, 4, 30294098},
      {"Serial full collection pauses", true, true, 1, 38508746}}},
    {"jdk17-shenandoah",
     false,
     {6586240, 67108864, 255152, 458752, 8, 6, 9, 9, 524, 200802025, 24992503, 19},
     2,
     {{"Shenandoah partial", true, true, 0, 0}, {"Shenandoah full", true, true, 60, 241637205}}},
    {"jdk17-z",
     true,
     {6291456, 67108864, 260176, 458752, 8, 6, 9, 9, 524, 72638693, 1694727, 21},
     1,
     {{"Z concurrent cycle pauses", true, true, 21, 273573}}},
    {"jdk21-g1",
     false,
     {5522904, 67108864, 139264, 327680, 8, 6, 9, 9, 562, 25978443, 99642945, 5},
     3,
     {{"G1 young collection pauses", true, true, 3, 67340873},
      {"G1 full collection pauses", true, true, 1, 32005699},
      {"G1 concurrent cycle pauses", true, true, 0, 0}}},
    {"jdk21-parallel",
     false,
     {5746720, 67108864, 139264, 327680, 8, 6, 9, 9, 562, 27746668, 114192569, 6},
     2,
     {{"Parallel young collection pauses", true, true, 5, 90306943},
      {"Parallel full collection pauses", true, true, 1, 23336726}}},
    {"jdk21-serial",
     false,
     {5776576, 67108864, 137920, 327680, 8, 6, 9, 9, 562, 8650969, 38099179, 6},
     2,
     {{"Serial young collection pauses", true, true, 4, 8960971},
      {"Serial full collection pauses", true, true, 1, 28576836}}},
    {"jdk21-z",
     true,
     {8388608, 67108864, 197168, 393216, 8, 6, 9, 9, 597, 90943983, 1289436, 26},
     2,
     {{"ZGC minor collection pauses", true, true, 7, 165669},
      {"ZGC major collection pauses", true, true, 17, 354868}}},
    {"jdk25-g1",
     false,
     {5590432, 67108864, 191728, 393216, 8, 6, 9, 9, 647, 10724904, 80030436, 4},
     3,
     {{"G1 young collection pauses", true, true, 3, 57350761},
      {"G1 full collection pauses", true, true, 1, 22472816},
      {"G1 concurrent cycle pauses", true, true, 0, 0}}},
    {"jdk25-parallel",
     true,
     {5534952, 67108864, 190944, 393216, 8, 6, 9, 9, 647, 36136170, 115375598, 5},
     2,
     {{"Parallel young collection pauses", true, true, 4, 83578200},
      {"Parallel full collection pauses", true, true, 1, 31358364}}},
    {"jdk25-serial",
     true,
     {5544744, 67108864, 190944, 393216, 8, 6, 9, 9, 647, 4859479, 102321521, 5},
     2,
     {{"Serial young collection pauses", true, true, 4, 20775312},
      {"Serial full collection pauses", true, true, 1, 65755589}}},
    {"jdk25-z",
     true,
     {10485760, 67108864, 240736, 458752, 8, 6, 9, 9, 660, 116237248, 791465, 27},
     2,
     {{"ZGC minor collection pauses", true, true, 3, 42751},
      {"ZGC major collection pauses", true, true, 23, 379820}}},
};

static void check_captured(const struct captured *wanted, const struct performance *made)
{
    struct jvm_profile profile;
    read_first(made, &profile);
    assert_int_equal(profile.known, ALL);
    for (unsigned i = 0; i < JVM_VALUES; i++)
        if (profile.value[i] != wanted->value[i])
            fail_msg("%s, value %u: %llu instead of %llu", wanted->name, i,
                     (unsigned long long)profile.value[i], (unsigned long long)wanted->value[i]);
    assert_int_equal(profile.heap_is_of_last_collection, wanted->is_of_last_collection);
    assert_string_equal(profile.name, "Orders");
    assert_int_equal(profile.overflow, 0);
    assert_int_equal(profile.n_collectors, wanted->n_collectors);
    for (unsigned i = 0; i < profile.n_collectors; i++) {
        const struct jvm_collector *is = &profile.collector[i], *as = &wanted->collector[i];
        assert_string_equal(is->name, as->name);
        assert_true(is->has_count && is->has_time);
        assert_true(is->count == as->count && is->time_ns == as->time_ns);
    }
}

static void captured_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(captured); i++) {
        struct performance made = performance_captured(captured[i].name);
        struct performance swapped = performance_swapped(&made);
        check_captured(&captured[i], &made);
        check_captured(&captured[i], &swapped);
        performance_free(&made);
        performance_free(&swapped);
    }
}

/* -- One value after the other ----------------------------------------------------------------- */

static void expect_only(const struct performance *made, enum jvm_field value, uint64_t number)
{
    struct jvm_profile profile;
    read_first(made, &profile);
    assert_int_equal(profile.known, 1u << value);
    assert_true(jvm_knows(&profile, value));
    assert_true(profile.value[value] == number);
}

static void expect_nothing(const struct performance *made)
{
    struct jvm_profile profile;
    read_first(made, &profile);
    assert_int_equal(profile.known, 0);
    for (unsigned i = 0; i < JVM_VALUES; i++)
        assert_false(jvm_knows(&profile, i));
}

static void of_single_entries(void **state)
{
    static const struct {
        const char *name;
        uint8_t unit;
        enum jvm_field value;
    } entries[] = {
        {"sun.gc.metaspace.used", PERFDATA_BYTES, JVM_METASPACE_USED},
        {"sun.gc.metaspace.capacity", PERFDATA_BYTES, JVM_METASPACE_CAPACITY},
        {"java.threads.live", PERFDATA_NONE, JVM_THREADS},
        {"java.threads.daemon", PERFDATA_NONE, JVM_THREADS_DAEMON},
        {"java.threads.livePeak", PERFDATA_NONE, JVM_THREADS_PEAK},
        {"java.threads.started", PERFDATA_EVENTS, JVM_THREADS_STARTED},
        {"sun.rt.safepoints", PERFDATA_EVENTS, JVM_SAFEPOINTS},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(entries); i++)
        for (int64_t number = -1; number <= 1; number++) {
            struct performance made = performance_new();
            performance_add_number(&made, entries[i].name, entries[i].unit, number);
            if (number < 0)
                expect_nothing(&made);
            else
                expect_only(&made, entries[i].value, (uint64_t)number);
            /* What is no plain number has another meaning that is not known. */
            performance_put(&made, performance_find(&made, entries[i].name) + 14, 1,
                            PERFDATA_TICKS);
            expect_nothing(&made);
            performance_free(&made);
        }
}

static void of_other_shapes(void **state)
{
    (void)state;
    struct performance made = performance_new();
    performance_add_octets(&made, "java.threads.live", "12345678", 8);
    performance_add_octets(&made, "sun.gc.generation.0.space.0.used", "12345678", 8);
    performance_add_octets(&made, "sun.gc.generation.1.maxCapacity", "12345678", 8);
    performance_add_octets(&made, "sun.os.hrt.frequency", "12345678", 8);
    performance_add_number(&made, "java.ci.totalTime", PERFDATA_TICKS, 5);
    performance_add_number(&made, "java.threads.liv", PERFDATA_NONE, 5);
    performance_add_number(&made, "java.threads.lives", PERFDATA_NONE, 5);
    performance_add_number(&made, "sun.gc.generation.0.space.1.used.", PERFDATA_BYTES, 5);
    performance_add_number(&made, "sun.gc.generation.0.space.1.user", PERFDATA_BYTES, 5);
    performance_add_number(&made, "sun.gc.generation..space.1.used", PERFDATA_BYTES, 5);
    performance_add_number(&made, "sun.gc.generation.1.maxCapacity.x", PERFDATA_BYTES, 5);
    performance_add_number(&made, "sun.rt.safepoints", PERFDATA_EVENTS, 5);
    performance_put(&made, performance_find(&made, "sun.rt.safepoints") + 8, 4, 1);
    expect_nothing(&made);
    performance_free(&made);
}

static void times(void **state)
{
    static const struct {
        int64_t frequency, ticks;
        bool is_known;
        uint64_t time_ns;
    } cases[] = {
        {1000000000, 123, true, 123},
        {1000000000, INT64_MAX, true, INT64_MAX},
        {1000000, 123, true, 123000},
        {3, 1, true, 333333333},
        {INT64_MAX, INT64_MAX, true, 1000000000},
        {1, 18446744073, true, UINT64_C(18446744073000000000)},
        {1, 18446744074, false, 0},
        {0, 1, false, 0},
        {-1, 1, false, 0},
        {1000000000, -1, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct performance made = performance_new();
        performance_add_number(&made, "java.ci.totalTime", PERFDATA_TICKS, cases[i].ticks);
        expect_nothing(&made);
        performance_add_number(&made, "sun.os.hrt.frequency", PERFDATA_HERTZ, cases[i].frequency);
        if (cases[i].is_known && cases[i].time_ns <= INT64_MAX)
            expect_only(&made, JVM_JIT_TIME, cases[i].time_ns);
        else
            expect_nothing(&made);
        performance_free(&made);
    }
}

static void safepoint_time(void **state)
{
    (void)state;
    struct performance made = performance_new();
    performance_add_number(&made, "sun.os.hrt.frequency", PERFDATA_HERTZ, 1000000000);
    performance_add_number(&made, "sun.rt.safepointTime", PERFDATA_TICKS, 77);
    expect_only(&made, JVM_SAFEPOINT_TIME, 77);
    performance_put(&made, performance_find(&made, "sun.rt.safepointTime") + 14, 1,
                    PERFDATA_EVENTS);
    expect_nothing(&made);
    performance_free(&made);
}

static const char *const class_entries[] = {
    "java.cls.loadedClasses", "java.cls.sharedLoadedClasses", "java.cls.unloadedClasses",
    "java.cls.sharedUnloadedClasses"};

/* All four are needed, and of what is left none may be owed. */
static void classes(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 16; bits++) {
        struct performance made = performance_new();
        for (unsigned i = 0; i < 4; i++)
            if (bits >> i & 1)
                performance_add_number(&made, class_entries[i], PERFDATA_EVENTS,
                                       i < 2 ? 1000 << i : 7 << i);
        if (bits == 15)
            expect_only(&made, JVM_CLASSES, 1000 + 2000 - 28 - 56);
        else
            expect_nothing(&made);
        performance_free(&made);
    }
    struct performance made = performance_new();
    for (unsigned i = 0; i < 4; i++)
        performance_add_number(&made, class_entries[i], PERFDATA_EVENTS, i == 2);
    expect_nothing(&made);
    performance_free(&made);
}

/* -- The heap ---------------------------------------------------------------------------------- */

static void add_space(struct performance *made, unsigned generation, unsigned space, int64_t used)
{
    char name[64];
    snprintf(name, sizeof name, "sun.gc.generation.%u.space.%u.used", generation, space);
    performance_add_number(made, name, PERFDATA_BYTES, used);
}

static void add_max(struct performance *made, unsigned generation, int64_t max)
{
    char name[64];
    snprintf(name, sizeof name, "sun.gc.generation.%u.maxCapacity", generation);
    performance_add_number(made, name, PERFDATA_BYTES, max);
}

static void add_collector(struct performance *made, unsigned number, const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "sun.gc.collector.%u.name", number);
    performance_add_octets(made, name, text, (uint32_t)strlen(text) + 1);
}

static void heap_used(void **state)
{
    (void)state;
    struct performance made = performance_new();
    add_space(&made, 0, 0, 1);
    expect_only(&made, JVM_HEAP_USED, 1);
    add_space(&made, 0, 3, 20);
    add_space(&made, 1, 0, 300);
    add_space(&made, 1, 3, 4000);
    expect_only(&made, JVM_HEAP_USED, 4321);
    add_space(&made, 2, 0, 50000); /* the permanent generation of JDK 7 */
    add_space(&made, 999, 0, 50000);
    expect_only(&made, JVM_HEAP_USED, 4321);
    add_space(&made, 0, 4, 0); /* more spaces than any JVM has */
    expect_nothing(&made);
    performance_free(&made);
}

static void heap_used_that_cannot_be(void **state)
{
    (void)state;
    struct performance made = performance_new();
    add_space(&made, 0, 0, INT64_MAX);
    add_space(&made, 0, 1, 0);
    expect_only(&made, JVM_HEAP_USED, INT64_MAX);
    add_space(&made, 0, 2, 1);
    expect_nothing(&made);
    add_space(&made, 0, 3, INT64_MAX);
    add_space(&made, 1, 0, 2);
    expect_nothing(&made);
    performance_free(&made);
    made = performance_new();
    add_space(&made, 0, 0, 5);
    add_space(&made, 1, 0, -5);
    expect_nothing(&made);
    performance_free(&made);
}

/* The names of the collectors of JDK 8 to 25. */
static const struct {
    const char *name;
    bool is_known, is_of_regions;
    bool moves, moves_without_sampler;
} kinds[] = {
    {"Serial young collection pauses", true, false, true, false},
    {"Copy", true, false, true, false},
    {"MSC", true, false, true, false},
    {"Parallel full collection pauses", true, false, true, false},
    {"PSScavenge", true, false, true, false},
    {"PSMarkSweep", true, false, true, false},
    {"PSParallelCompact", true, false, true, false},
    {"PCopy", true, false, true, false},
    {"CMS", true, false, true, false},
    {"G1 young collection pauses", true, true, true, true},
    {"G1 incremental collections", true, true, true, true},
    {"Z concurrent cycle pauses", true, true, false, false},
    {"ZGC minor collection pauses", true, true, false, false},
    {"Shenandoah partial", true, true, true, true},
    {"Another collector", false, false, false, false},
};

static void heap_max(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(kinds); i++)
        for (unsigned number = 0; number < JVM_COLLECTORS; number++) {
            struct performance made = performance_new();
            add_collector(&made, number, kinds[i].name);
            add_max(&made, 0, (int64_t)(10 * MIB + 24));
            expect_nothing(&made);
            add_max(&made, 1, (int64_t)(11 * MIB + 8));
            if (!kinds[i].is_known)
                expect_nothing(&made);
            else
                expect_only(&made, JVM_HEAP_MAX, kinds[i].is_of_regions ? 11 * MIB : 21 * MIB + 32);
            performance_free(&made);
        }
}

static void heap_max_that_cannot_be(void **state)
{
    (void)state;
    for (int64_t more = 0; more < 2; more++) {
        struct performance made = performance_new();
        add_collector(&made, 0, "MSC");
        add_max(&made, 0, more);
        add_max(&made, 1, INT64_MAX);
        if (more)
            expect_nothing(&made);
        else
            expect_only(&made, JVM_HEAP_MAX, INT64_MAX);
        performance_free(&made);
    }
}

static void heap_max_of_one_generation(void **state)
{
    (void)state;
    struct performance made = performance_new();
    add_max(&made, 1, 12345);
    expect_only(&made, JVM_HEAP_MAX, 12345);
    add_max(&made, 2, 99999);
    expect_only(&made, JVM_HEAP_MAX, 12345);
    add_collector(&made, 0, "MSC");
    add_max(&made, 0, -1);
    expect_nothing(&made);
    performance_free(&made);
}

static void of_last_collection(void **state)
{
    struct jvm_profile profile;
    (void)state;
    for (size_t i = 0; i < N_OF(kinds); i++) {
        struct performance made = performance_new();
        add_collector(&made, 0, kinds[i].name);
        read_first(&made, &profile);
        assert_int_equal(profile.heap_is_of_last_collection, !kinds[i].moves_without_sampler);
        performance_add_number(&made, "sun.os.hrt.ticks", PERFDATA_TICKS, 1);
        read_first(&made, &profile);
        assert_int_equal(profile.heap_is_of_last_collection, !kinds[i].moves);
        performance_free(&made);
    }
    struct performance none = performance_new();
    read_first(&none, &profile);
    assert_false(profile.heap_is_of_last_collection);
    performance_free(&none);
}

/* -- Collectors and name ----------------------------------------------------------------------- */

static void collectors(void **state)
{
    (void)state;
    struct performance made = performance_new();
    struct jvm_profile profile;
    performance_add_number(&made, "sun.os.hrt.frequency", PERFDATA_HERTZ, 1000000);
    add_collector(&made, 7, "last");
    performance_add_number(&made, "sun.gc.collector.7.invocations", PERFDATA_EVENTS, 3);
    add_collector(&made, 2, "with\x1b time");
    performance_add_number(&made, "sun.gc.collector.2.time", PERFDATA_TICKS, 4);
    performance_add_number(&made, "sun.gc.collector.2.invocations", PERFDATA_TICKS, 4);
    add_collector(&made, 8, "too many");
    add_collector(&made, 999, "far too many");
    performance_add_number(&made, "sun.gc.collector.4.time", PERFDATA_TICKS, 4);
    performance_add_number(&made, "sun.gc.collector.5.name", PERFDATA_STRING, 4);
    read_first(&made, &profile);
    assert_int_equal(profile.n_collectors, 2);
    assert_string_equal(profile.collector[0].name, "with? time");
    assert_false(profile.collector[0].has_count);
    assert_true(profile.collector[0].has_time && profile.collector[0].time_ns == 4000);
    assert_string_equal(profile.collector[1].name, "last");
    assert_true(profile.collector[1].has_count && profile.collector[1].count == 3);
    assert_false(profile.collector[1].has_time);
    assert_int_equal(profile.known, 0);
    performance_free(&made);
}

static void names(void **state)
{
    static const struct {
        const char *command;
        uint32_t size;
        const char *name;
    } cases[] = {
        {"com.example.Main", 17, "com.example.Main"},
        {"com.example.Main --password secret", 35, "com.example.Main"},
        {"com.example.Main /etc/x", 24, "com.example.Main"},
        {"/opt/shop/server.jar --port 80", 31, "server.jar"},
        {"module/com.example.Main a/b", 28, "com.example.Main"},
        {"no end of it", 5, "no"},
        {"cut", 2, "cu"},
        {"", 1, ""},
        {" secret", 8, ""},
        {"/opt/ secret", 13, ""},
        {"with\nline", 10, "with?line"},
        {"a.very.long.name.of.a.package.in.which.each.word.is.a.word.of.its.own.Main", 75,
         "~.name.of.a.package.in.which.each.word.is.a.word.of.its.own.Main"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct performance made = performance_new();
        struct jvm_profile profile;
        performance_add_octets(&made, "sun.rt.javaCommand", cases[i].command, cases[i].size);
        read_first(&made, &profile);
        assert_string_equal(profile.name, cases[i].name);
        performance_free(&made);
    }
    struct performance made = performance_new();
    performance_add_number(&made, "sun.rt.javaCommand", PERFDATA_STRING, 0x4141414141414141);
    struct jvm_profile profile;
    read_first(&made, &profile);
    assert_string_equal(profile.name, "");
    performance_free(&made);
}

static void overflow(void **state)
{
    (void)state;
    struct performance made = performance_new();
    struct jvm_profile profile;
    performance_put(&made, 12, 4, 4711);
    read_first(&made, &profile);
    assert_int_equal(profile.overflow, 4711);
    performance_free(&made);
}

/* -- The plan ---------------------------------------------------------------------------------- */

/* Entries are looked at again only where the JVM says that they are others: a name that changes
 * meanwhile is not seen, but each number is. */
static void plan_is_kept(void **state)
{
    (void)state;
    struct jvm_plan plan = {.is_made = false};
    struct jvm_profile profile;
    struct performance made = performance_new();
    performance_add_number(&made, "java.threads.live", PERFDATA_NONE, 5);
    performance_add_number(&made, "sun.rt.safepoints", PERFDATA_EVENTS, 6);
    size_t threads = performance_find(&made, "java.threads.live");
    read_good(&plan, &made, &profile);
    assert_true(profile.value[JVM_THREADS] == 5 && profile.value[JVM_SAFEPOINTS] == 6);
    made.octets[threads + 20] = 'x';
    performance_put(&made, threads + 40, 8, 55);
    read_good(&plan, &made, &profile);
    assert_true(jvm_knows(&profile, JVM_THREADS) && profile.value[JVM_THREADS] == 55);

    performance_put(&made, 16, 8, 99); /* mod_time */
    read_good(&plan, &made, &profile);
    assert_int_equal(profile.known, 1u << JVM_SAFEPOINTS);
    made.octets[threads + 20] = 'j';
    read_good(&plan, &made, &profile);
    assert_int_equal(profile.known, 1u << JVM_SAFEPOINTS);

    performance_add_number(&made, "java.threads.daemon", PERFDATA_NONE, 4);
    performance_put(&made, 16, 8, 99); /* only num_entries tells */
    read_good(&plan, &made, &profile);
    assert_int_equal(profile.known,
                     1u << JVM_SAFEPOINTS | 1u << JVM_THREADS | 1u << JVM_THREADS_DAEMON);
    performance_free(&made);
}

/* A file that another one replaces, with the same times and numbers of entries. */
static void plan_of_another_file(void **state)
{
    (void)state;
    struct jvm_plan plan = {.is_made = false};
    struct jvm_profile profile;
    struct performance large = performance_new(), small = performance_new();
    static const char text[2000] = "text";
    performance_add_octets(&large, "some.text", text, sizeof text);
    performance_add_number(&large, "java.threads.live", PERFDATA_NONE, 5);
    performance_add_number(&small, "x", PERFDATA_NONE, 5);
    performance_add_number(&small, "java.threads.live", PERFDATA_NONE, 7);
    read_good(&plan, &large, &profile);
    assert_true(profile.value[JVM_THREADS] == 5);
    read_good(&plan, &small, &profile);
    assert_true(profile.value[JVM_THREADS] == 7);
    struct performance swapped = performance_swapped(&small);
    read_good(&plan, &swapped, &profile);
    assert_true(profile.value[JVM_THREADS] == 7);
    performance_free(&large);
    performance_free(&small);
    performance_free(&swapped);
}

/* What cannot be read leaves the plan as it was. */
static void errors(void **state)
{
    (void)state;
    struct jvm_plan plan = {.is_made = false}, before;
    struct jvm_profile profile;
    char why[MESSAGE_SIZE] = "";
    struct performance made = performance_new();
    performance_add_number(&made, "java.threads.live", PERFDATA_NONE, 5);
    read_good(&plan, &made, &profile);
    before = plan;

    made.octets[5] = 3;
    assert_int_equal(jvm_read(&plan, made.octets, made.size, &profile, why), EPROTONOSUPPORT);
    assert_non_null(strstr(why, "version 3.0"));
    made.octets[5] = 2;
    made.octets[7] = 0;
    assert_int_equal(jvm_read(&plan, made.octets, made.size, &profile, why), EAGAIN);
    made.octets[7] = 1;
    assert_int_equal(jvm_read(&plan, made.octets, made.size - 1, &profile, why), EBADMSG);
    assert_int_equal(jvm_read(&plan, made.octets, 0, &profile, why), EBADMSG);
    performance_add_number(&made, "java.threads.daemon", PERFDATA_NONE, 5);
    performance_put(&made, performance_find(&made, "java.threads.daemon"), 4, 0);
    assert_int_equal(jvm_read(&plan, made.octets, made.size, &profile, why), EAGAIN);
    assert_non_null(strstr(why, "Entry 2"));
    assert_memory_equal(&plan, &before, sizeof plan);
    performance_free(&made);
}

/* Whatever is in the file, what is known is in range. */
static void any_octets(void **state)
{
    (void)state;
    struct performance made = performance_captured("jdk17-g1");
    struct jvm_plan kept = {.is_made = false};
    char why[MESSAGE_SIZE];
    for (size_t i = 0; i < made.size; i++) {
        uint8_t before = made.octets[i];
        for (unsigned octet = 0; octet <= 255; octet += 51) {
            struct jvm_plan plan = {.is_made = false};
            struct jvm_profile profile;
            made.octets[i] = (uint8_t)(before ^ octet);
            if (jvm_read(&plan, made.octets, made.size, &profile, why) == 0) {
                assert_in_range(profile.n_collectors, 0, JVM_COLLECTORS);
                assert_int_equal(profile.known & ~ALL, 0);
            }
            jvm_read(&kept, made.octets, made.size, &profile, why);
        }
        made.octets[i] = before;
    }
    performance_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_files),
        cmocka_unit_test(of_single_entries),
        cmocka_unit_test(of_other_shapes),
        cmocka_unit_test(times),
        cmocka_unit_test(safepoint_time),
        cmocka_unit_test(classes),
        cmocka_unit_test(heap_used),
        cmocka_unit_test(heap_used_that_cannot_be),
        cmocka_unit_test(heap_max),
        cmocka_unit_test(heap_max_that_cannot_be),
        cmocka_unit_test(heap_max_of_one_generation),
        cmocka_unit_test(of_last_collection),
        cmocka_unit_test(collectors),
        cmocka_unit_test(names),
        cmocka_unit_test(overflow),
        cmocka_unit_test(plan_is_kept),
        cmocka_unit_test(plan_of_another_file),
        cmocka_unit_test(errors),
        cmocka_unit_test(any_octets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
