#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procfile.h"
#include "sample/hardware.h"
#include "sample/sources.h"

#include "sampling.h"

#define T MASK(HARDWARE_TEMPERATURE)

/* A pass waits for 40 ms at the most, which a busy machine may need before the thread of the worker
 * gets a CPU. Here it waits for its answers, except where a chip is to hang. */
static bool patient = true;

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct timespec *deadline)
{
    if (patient)
        return pthread_cond_wait(cond, mutex);
    return pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, deadline);
}

static const struct sample_set *pass(struct sampler *sampler)
{
    static uint64_t now;
    assert_int_equal(sampler_read(sampler, SOURCE_HARDWARE, ++now), 0);
    return sampler_set(sampler, SOURCE_HARDWARE);
}

static const struct expected laptop[] = {
    {"coretemp/Package id 0", RESOURCE_HARDWARE, T, {47000}},
    {"coretemp/Core 0", RESOURCE_HARDWARE, T, {45000}},
    {"coretemp/Core 1", RESOURCE_HARDWARE, T, {(uint64_t)-1500}},
    {"nvme/Composite", RESOURCE_HARDWARE, T, {38850}},
    /* The label of a temperature and of a fan: one instance. */
    {"thinkpad/CPU", RESOURCE_HARDWARE, T | MASK(HARDWARE_FAN), {47000, 2710}},
    {"thinkpad/fan2", RESOURCE_HARDWARE, MASK(HARDWARE_FAN), {0, 65535}},
    {"thinkpad/Battery", RESOURCE_HARDWARE, MASK(HARDWARE_VOLTAGE), {0, 0, 12103}},
    {"thinkpad/curr1",
     RESOURCE_HARDWARE,
     MASK(HARDWARE_CURRENT),
     {[HARDWARE_CURRENT] = (uint64_t)-812}},
    {"thinkpad/power1", RESOURCE_HARDWARE, MASK(HARDWARE_POWER), {[HARDWARE_POWER] = 9770000}},
    {"thinkpad/power2", RESOURCE_HARDWARE, MASK(HARDWARE_POWER), {[HARDWARE_POWER] = 11500000}},
};

static void fixtures(void **state)
{
    /* Three chips of one name, with a device or without; no name; what is no number; two labels
     * that are the same, and one that is blank; a chip without channels. */
    static const struct expected odd[] = {
        {"nvme/temp1", RESOURCE_HARDWARE, T, {30000}},
        {"nvme-nvme1/temp1", RESOURCE_HARDWARE, T, {31000}},
        {"nvme-hwmon2/temp1", RESOURCE_HARDWARE, T, {32000}},
        {"hwmon7/Same", RESOURCE_HARDWARE, 0, {0}},
        {"hwmon7/temp2", RESOURCE_HARDWARE, T, {5}},
        {"hwmon7/temp3", RESOURCE_HARDWARE, 0, {0}},
        {"hwmon7/fan1", RESOURCE_HARDWARE, 0, {0}},
    };
    (void)state;
    check_fixture("laptop", SOURCE_HARDWARE, laptop, N_OF(laptop));
    check_fixture("odd-kernel", SOURCE_HARDWARE, odd, N_OF(odd));
}

/* A machine without sensors has none; that is no error. */
static void none(void **state)
{
    (void)state;
    check_fixture("old-kernel", SOURCE_HARDWARE, NULL, 0);
}

/* An instance lacks for good what its channels do not measure; a failed reading is not that. */
static void lacking(void **state)
{
    (void)state;
    struct sampler *sampler = fixture_sampler("laptop");
    const struct sample_set *set = pass(sampler);
    assert_int_equal(slot_named(set, "thinkpad/CPU")->lacks, ~(T | MASK(HARDWARE_FAN)));
    assert_int_equal(slot_named(set, "thinkpad/fan2")->lacks, ~MASK(HARDWARE_FAN));
    sampler_free(sampler);
    sampler = fixture_sampler("odd-kernel");
    assert_int_equal(slot_named(pass(sampler), "hwmon7/Same")->lacks, ~T);
    sampler_free(sampler);
}

static void values(void **state)
{
    const struct tree *tree = *state;
    static const struct {
        const char *text;
        bool valid;
        int64_t value;
    } rows[] = {
        {"0\n", true, 0},
        {"-1\n", true, -1},
        {"12", true, 12},
        {"9223372036854775807\n", true, INT64_MAX},
        {"-9223372036854775807\n", true, -INT64_MAX},
        {"9223372036854775808\n", false, 0},
        {"", false, 0},
        {"\n", false, 0},
        {"-\n", false, 0},
        {"--1\n", false, 0},
        {"+1\n", false, 0},
        {" 1\n", false, 0},
        {"1 \n", false, 0},
        {"1.5\n", false, 0},
        {"N/A\n", false, 0},
        {"00000000000000000000000000000000000000001\n", false, 0},
    };
    tree_write(tree, "/sys/class/hwmon/hwmon0/name", "x\n");
    tree_write(tree, "/sys/class/hwmon/hwmon0/temp1_input", "1\n");
    struct sampler *sampler = sampler_new(tree->root);
    for (size_t i = 0; i < N_OF(rows); i++) {
        tree_write(tree, "/sys/class/hwmon/hwmon0/temp1_input", rows[i].text);
        struct expected expected = {
            "x/temp1", RESOURCE_HARDWARE, rows[i].valid ? T : 0, {(uint64_t)rows[i].value}};
        assert_slots(pass(sampler), &expected, 1);
    }
    /* A channel that goes with its file stays until its chip goes. */
    tree_remove(tree, "/sys/class/hwmon/hwmon0/temp1_input");
    assert_int_equal(slot_named(pass(sampler), "x/temp1")->valid, 0);
    sampler_free(sampler);
}

static void files_that_are_none(void **state)
{
    const struct tree *tree = *state;
    static const char *const others[] = {
        "temp_input",
        "temp1",
        "temp1_inputs",
        "temp1_input2",
        "temp-1_input",
        "tempx_input",
        "temp1_average",
        "fan1_average",
        "in1_average",
        "intrusion0_input",
        "humidity1_input",
        "energy1_input",
        "temp99999_input",
        "pwm1",
        "power1_inputs",
        "Temp1_input",
        "1_input",
        "_input",
        "power1_average_interval",
    };
    static const char *const names[] = {"c/temp0", "c/temp10", "c/in0", "c/curr7", "c/power1"};
    static const char *const files[] = {"temp0_input", "temp10_input", "in0_input", "curr7_input",
                                        "power1_average"};
    char path[128];
    for (size_t i = 0; i < N_OF(others); i++) {
        snprintf(path, sizeof path, "/sys/class/hwmon/hwmon3/%s", others[i]);
        tree_write(tree, path, "1\n");
    }
    for (size_t i = 0; i < N_OF(files); i++) {
        snprintf(path, sizeof path, "/sys/class/hwmon/hwmon3/%s", files[i]);
        tree_write(tree, path, "1\n");
    }
    tree_write(tree, "/sys/class/hwmon/hwmon3/name", "c\n");
    tree_write(tree, "/sys/class/hwmon/hwmonx/temp1_input", "1\n");
    tree_write(tree, "/sys/class/hwmon/other/temp1_input", "1\n");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = pass(sampler);
    for (size_t i = 0; i < N_OF(names); i++)
        if (strcmp(names[i], "c/curr7") != 0)
            assert_non_null(slot_named(set, names[i]));
    assert_int_equal(present_count(set), N_OF(files));
    sampler_free(sampler);
}

static void hot_plug(void **state)
{
    const struct tree *tree = *state;
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = pass(sampler);
    assert_int_equal(set->membership, 0);
    tree_write(tree, "/sys/class/hwmon/hwmon10/name", "b\n");
    tree_write(tree, "/sys/class/hwmon/hwmon10/temp1_input", "10\n");
    tree_write(tree, "/sys/class/hwmon/hwmon9/name", "a\n");
    tree_write(tree, "/sys/class/hwmon/hwmon9/temp1_input", "20\n");
    tree_write(tree, "/sys/class/hwmon/hwmon9/fan1_input", "30\n");
    pass(sampler);
    assert_int_equal(set->membership, 3);
    assert_string_equal(set->slots[0].name, "a/temp1"); /* 9 is before 10 */
    assert_string_equal(set->slots[2].name, "b/temp1");

    /* One goes, and another one comes under its number. */
    char old[PATH_MAX];
    tree_path(tree, "/sys/class/hwmon/hwmon9", old);
    char aside[PATH_MAX];
    tree_path(tree, "/aside", aside);
    assert_int_equal(rename(old, aside), 0);
    tree_write(tree, "/sys/class/hwmon/hwmon9/name", "b\n");
    tree_write(tree, "/sys/class/hwmon/hwmon9/temp1_input", "40\n");
    pass(sampler);
    assert_int_equal(present_count(set), 2);
    assert_int_equal(set->membership, 6);
    assert_int_equal(slot_named(set, "b/temp1")->field[0], 10); /* keeps its name */
    assert_int_equal(slot_named(set, "b-hwmon9/temp1")->field[0], 40);

    tree_remove(tree, "/sys/class/hwmon");
    pass(sampler);
    assert_int_equal(present_count(set), 0);
    assert_int_equal(set->membership, 8);
    sampler_free(sampler);
}

static void each_field(void **state)
{
    (void)state;
    check_each_field("laptop", SOURCE_HARDWARE, "*", laptop, N_OF(laptop), HARDWARE_FIELDS);
}

/* -- A chip that hangs ----------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int gate[2];
static bool hangs;
static unsigned calling;

static int hanging_read(int folder, const char *file, char *text, size_t size)
{
    char octet;
    bool hang = false;
    pthread_mutex_lock(&lock);
    calling++;
    if (strcmp(file, "fan1_input") == 0)
        hang = hangs;
    pthread_mutex_unlock(&lock);
    if (hang && read(gate[0], &octet, 1) != 1)
        abort();
    int error = procfile_read_once(folder, file, text, size);
    pthread_mutex_lock(&lock);
    calling--;
    pthread_mutex_unlock(&lock);
    return error;
}

static void chip_hangs(void **state)
{
    const struct tree *tree = *state;
    tree_copy(tree, "laptop");
    assert_int_equal(pipe(gate), 0);
    struct sampler *sampler = sampler_new(tree->root);
    ((struct monitors *)sampler->sources[SOURCE_HARDWARE].own)->read = hanging_read;
    hangs = true;
    patient = false;
    const struct sample_set *set = sampler_set(sampler, SOURCE_HARDWARE);
    for (unsigned i = 0, good = 0; good < 10; i++) { /* a busy machine may not be done in time */
        assert_in_range(i, 0, 2000);
        uint64_t begin = clock_mono_ns();
        pass(sampler);
        assert_true(clock_mono_ns() - begin < 10 * NS_PER_S);
        assert_int_equal(slot_named(set, "thinkpad/CPU")->valid, 0);
        assert_int_equal(slot_named(set, "thinkpad/power1")->valid, 0);
        good += slot_named(set, "coretemp/Core 0")->valid == T &&
                slot_named(set, "nvme/Composite")->valid == T;
    }
    pthread_mutex_lock(&lock);
    hangs = false;
    pthread_mutex_unlock(&lock);
    patient = true;
    assert_int_equal(write(gate[1], "x", 1), 1);
    for (unsigned i = 0; i < 2000 && !slot_named(set, "thinkpad/CPU")->valid; i++) {
        usleep(1000);
        pass(sampler);
    }
    assert_int_equal(slot_named(set, "thinkpad/CPU")->field[HARDWARE_FAN], 2710);
    assert_int_equal(set->membership, 10);
    sampler_free(sampler);
    for (unsigned busy = 1; busy; usleep(1000)) { /* a slow call may have begun once more */
        pthread_mutex_lock(&lock);
        busy = calling;
        pthread_mutex_unlock(&lock);
    }
    close(gate[0]);
    close(gate[1]);
}

static unsigned fans_read;

static int counting_read(int folder, const char *file, char *text, size_t size)
{
    pthread_mutex_lock(&lock);
    fans_read += strncmp(file, "fan", 3) == 0;
    pthread_mutex_unlock(&lock);
    return procfile_read_once(folder, file, text, size);
}

/* A fan that nobody wants is not read; the chip is there with all it has. */
static void unwanted_channels(void **state)
{
    (void)state;
    struct sampler *sampler = fixture_sampler("laptop");
    ((struct monitors *)sampler->sources[SOURCE_HARDWARE].own)->read = counting_read;
    select_fields(sampler, SOURCE_HARDWARE, "*", T);
    for (unsigned i = 0; i < 3; i++)
        assert_wanted(pass(sampler), laptop, N_OF(laptop), T);
    const struct sample_set *set = sampler_set(sampler, SOURCE_HARDWARE);
    assert_int_equal(slot_named(set, "thinkpad/CPU")->lacks, ~(T | MASK(HARDWARE_FAN)));
    assert_int_equal(fans_read, 0);
    select_fields(sampler, SOURCE_HARDWARE, "*", SAMPLE_ALL_FIELDS);
    assert_slots(pass(sampler), laptop, N_OF(laptop));
    assert_int_equal(fans_read, 2);
    sampler_free(sampler);
}

static void any_bytes(void **state)
{
    check_any_bytes(*state, SOURCE_HARDWARE,
                    "/sys/devices/platform/thinkpad_hwmon/hwmon/hwmon4/temp1_input");
}

/* Names and labels of any bytes, each read by a new sampler, give printable instances. */
static void any_names(void **state)
{
    const struct tree *tree = *state;
    unsigned seed = 7;
    tree_write(tree, "/sys/class/hwmon/hwmon0/temp1_input", "1\n");
    for (unsigned i = 0; i < 100; i++) {
        char bytes[2][100];
        size_t n[2];
        for (unsigned j = 0; j < 2; j++) {
            n[j] = (size_t)rand_r(&seed) % sizeof bytes[j];
            for (size_t k = 0; k < n[j]; k++)
                bytes[j][k] = (char)(rand_r(&seed) % (i % 2 ? 256 : 40));
        }
        tree_write_bytes(tree, "/sys/class/hwmon/hwmon0/name", bytes[0], n[0]);
        tree_write_bytes(tree, "/sys/class/hwmon/hwmon0/temp1_label", bytes[1], n[1]);
        struct sampler *sampler = sampler_new(tree->root);
        const struct sample_set *set = pass(sampler);
        assert_int_equal(set->count, 1);
        assert_in_range(strlen(set->slots[0].name), 1, INSTANCE_SIZE - 1);
        for (const char *p = set->slots[0].name; *p; p++)
            assert_true((unsigned char)*p >= ' ' && *p != 0x7f);
        sampler_free(sampler);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures),     cmocka_unit_test(none),
        cmocka_unit_test(lacking),      tree_test(values),
        tree_test(files_that_are_none), tree_test(hot_plug),
        cmocka_unit_test(each_field),   cmocka_unit_test(unwanted_channels),
        tree_test(chip_hangs),          tree_test(any_bytes),
        tree_test(any_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
