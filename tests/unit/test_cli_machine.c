/* Files below a root, read and replaced as a whole, and services that say yes or no. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/machine.h"

#include "unit.h"

static char root[] = "/tmp/test_cli_machine.XXXXXX";
static struct machine machine = {.root = root};

static int make_root(void **state)
{
    (void)state;
    char path[PATH_MAX];
    assert_non_null(mkdtemp(root));
    machine_path(&machine, "/etc", path);
    return mkdir(path, 0700);
}

static int remove_root(void **state)
{
    (void)state;
    static const char *const all[] = {"/etc/file", "/etc/service", "/etc/said", "/etc", ""};
    char path[PATH_MAX];
    for (size_t i = 0; i < N_OF(all); i++) {
        machine_path(&machine, all[i], path);
        remove(path);
    }
    return access(root, F_OK) == 0;
}

static char *read_whole(const char *name)
{
    char path[PATH_MAX];
    machine_path(&machine, name, path);
    return machine_read(path);
}

static void put_octets(const char *octets, size_t len)
{
    char path[PATH_MAX];
    machine_path(&machine, "/etc/file", path);
    FILE *file = fopen(path, "w");
    assert_int_equal(fwrite(octets, 1, len, file), len);
    fclose(file);
}

static void assert_text(const char *name, const char *expected)
{
    char *text = read_whole(name);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_unreadable(const char *name, int code)
{
    errno = 0;
    assert_null(read_whole(name));
    assert_int_equal(errno, code);
}

static void files(void **state)
{
    (void)state;
    struct stat file;
    char path[PATH_MAX];
    static char large[(1 << 20) + 1];
    memset(large, 'x', sizeof large);
    assert_text("/etc/file", ""); /* it is not there */
    assert_text("/nowhere/file", "");
    assert_int_equal(machine_write(&machine, "/etc", "file", "a\nb", 0644), 0);
    assert_text("/etc/file", "a\nb");
    machine_path(&machine, "/etc/file", path);
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(file.st_mode & 0777, 0644);
    assert_int_equal(machine_write(&machine, "/etc", "file", "", 0600), 0);
    assert_text("/etc/file", "");
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(file.st_mode & 0777, 0600);
    assert_int_equal(machine_write(&machine, "/nowhere", "file", "", 0600), ENOENT);
    put_octets("a\0b", 3);
    assert_unreadable("/etc/file", EINVAL);
    put_octets(large, sizeof large - 1);
    char *text = read_whole("/etc/file");
    assert_int_equal(strlen(text), sizeof large - 1);
    free(text);
    put_octets(large, sizeof large);
    assert_unreadable("/etc/file", EFBIG);
    assert_unreadable("/etc", EIO);
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = '\0';
    struct machine far = {.root = path};
    assert_int_not_equal(machine_write(&far, "/etc", "file", "", 0600), 0);
}

static void services(void **state)
{
    (void)state;
    char path[PATH_MAX], script[PATH_MAX + 64];
    machine_path(&machine, "/etc/service", path);
    machine.service = path;
    assert_false(machine_serve(&machine, "snmpd", "start")); /* it is not there */
    snprintf(script, sizeof script,
             "#!/bin/sh\necho \"$1 $2\" >>%s/etc/said\necho loud\n[ \"$2\" = start ]\n", root);
    assert_int_equal(machine_write(&machine, "/etc", "service", script, 0700), 0);
    assert_true(machine_serve(&machine, "snmpd", "start"));
    assert_false(machine_serve(&machine, "dcampd", "status"));
    assert_false(machine_reload_units(&machine));
    assert_text("/etc/said", "snmpd start\ndcampd status\nsystemd daemon-reload\n");
    assert_int_equal(machine_write(&machine, "/etc", "service", "#!/bin/sh\nkill -9 $$\n", 0700),
                     0);
    assert_false(machine_serve(&machine, "snmpd", "start"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(services)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
