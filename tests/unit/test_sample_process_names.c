/* Names for the dead: programs by their file, owners by their number. */
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/table.h"
#include "sample/process/names.h"
#include "sample/process/read.h"

#include "heap.h"
#include "processes.h"

static struct executable_id id_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    /* include/linux/kdev_t.h: 8 bits of the minor number, 12 of the major one, 12 of the minor. */
    return (struct executable_id){(uint64_t)major(status.st_dev) << 8 |
                                      (minor(status.st_dev) & 0xff) |
                                      (uint64_t)(minor(status.st_dev) & ~0xffu) << 12,
                                  status.st_ino};
}

static int open_proc(const struct tree *tree)
{
    char path[PATH_MAX];
    tree_path(tree, "/proc", path);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(folder >= 0);
    return folder;
}

static void programs_that_were_seen(void **state)
{
    const struct tree *tree = *state;
    char one[PATH_MAX], two[PATH_MAX];
    struct executables executables = {{NULL, NULL}};
    tree_write(tree, "/bin/one", "1");
    tree_write(tree, "/bin/two", "2");
    tree_path(tree, "/bin/one", one);
    tree_path(tree, "/bin/two", two);
    fake_put(tree, &(struct fake){.pid = 7, .comm = "a", .exe = one});
    fake_put(tree, &(struct fake){.pid = 8, .comm = "b", .exe = two});
    fake_put(tree, &(struct fake){.pid = 9, .comm = "c"});
    int folder = open_proc(tree);
    assert_null(executables_find(&executables, id_of(one), "one"));
    executables_learn(&executables, folder, 7, "first");
    executables_learn(&executables, folder, 8, "second");
    executables_learn(&executables, folder, 9, "third");   /* has no file */
    executables_learn(&executables, folder, 10, "fourth"); /* is gone */
    assert_string_equal(executables_find(&executables, id_of(one), ""), "first");
    assert_string_equal(executables_find(&executables, id_of(two), ""), "second");
    executables_learn(&executables, folder, 7, "again");
    assert_string_equal(executables_find(&executables, id_of(one), "x"), "again");
    struct executable_id other = id_of(one);
    other.device++;
    assert_null(executables_find(&executables, other, ""));
    executables_release(&executables);
    assert_null(executables_find(&executables, id_of(one), ""));
    close(folder);
}

/* A command that was never seen to live is looked for where commands are: "sh" is another name. */
static void programs_that_are_looked_for(void **state)
{
    (void)state;
    struct executables executables = {{NULL, NULL}};
    char target[PATH_MAX];
    char name[NAME_SIZE];
    assert_non_null(realpath("/bin/sh", target));
    assert_true(process_path_name(name, target));
    struct executable_id shell = id_of("/bin/sh"), other = shell;
    assert_null(executables_find(&executables, shell, ""));
    assert_null(executables_find(&executables, shell, "no-such-command"));
    assert_null(executables_find(&executables, shell, "../bin/sh"));
    assert_null(executables_find(&executables, (struct executable_id){shell.device, 0}, "sh"));
    other.inode++;
    assert_null(executables_find(&executables, other, "sh"));
    other = shell;
    other.device++;
    assert_null(executables_find(&executables, other, "sh"));
    assert_string_equal(executables_find(&executables, shell, "sh"), name);
    assert_string_equal(executables_find(&executables, shell, ""), name); /* is known now */
    executables_release(&executables);
}

static void names_of_owners(void **state)
{
    (void)state;
    struct owners owners = {{NULL, NULL}};
    const struct passwd *root = getpwuid(0);
    assert_non_null(root);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(owners_name(&owners, 0), root->pw_name);
        assert_string_equal(owners_name(&owners, 3999999999u), "3999999999");
        assert_string_equal(owners_name(&owners, 3999999998u), "3999999998");
    }
    owners_release(&owners);
    assert_null(owners.by_number.recent);
}

static void many_owners(void)
{
    struct owners owners = {{NULL, NULL}};
    for (uid_t owner = 4000000000u; owner < 4000000000u + 20; owner++) {
        char text[16];
        snprintf(text, sizeof text, "%u", (unsigned)owner);
        assert_string_equal(owners_name(&owners, owner), text);
    }
    owners_release(&owners);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(many_owners);
}

/* How many are known; a name begins with its handle in the table. */
static unsigned count(const struct learned_name *names)
{
    return names ? ((const UT_hash_handle *)(const void *)names)->tbl->num_items : 0;
}

static unsigned known(const struct names *names)
{
    return count(names->recent) + count(names->older);
}

/* Whoever builds programs executes thousands of files once: names are kept of what is used. */
static void keeps_what_is_used(void **state)
{
    const struct tree *tree = *state;
    struct executables executables = {{NULL, NULL}};
    char path[PATH_MAX], file[40], used[PATH_MAX], once[PATH_MAX];
    for (int pid = 1; pid <= 4 * EXECUTABLES_RECENT; pid++) {
        snprintf(file, sizeof file, "/bin/program%d", pid);
        tree_write(tree, file, "");
        tree_path(tree, file, path);
        fake_put(tree, &(struct fake){.pid = pid, .comm = "p", .exe = path});
    }
    tree_path(tree, "/bin/program1", used);
    tree_path(tree, "/bin/program2", once);
    int folder = open_proc(tree);
    for (int pid = 1; pid <= 4 * EXECUTABLES_RECENT; pid++) {
        executables_learn(&executables, folder, pid, pid == 1 ? "used" : "once");
        assert_string_equal(executables_find(&executables, id_of(used), ""), "used");
        assert_true(known(&executables.by_id) <= 2 * EXECUTABLES_RECENT);
        assert_true(pid > EXECUTABLES_RECENT || known(&executables.by_id) == (unsigned)pid);
    }
    assert_null(executables_find(&executables, id_of(once), ""));
    assert_string_equal(executables_find(&executables, id_of(path), ""), "once");
    executables_release(&executables);
    assert_int_equal(known(&executables.by_id), 0);
    close(folder);
}

static void forgets_the_older_half(void **state)
{
    (void)state;
    struct owners owners = {{NULL, NULL}};
    for (uid_t owner = 1; owner <= 2 * OWNERS_RECENT; owner++) {
        owners_name(&owners, 4000000000u + owner);
        assert_int_equal(known(&owners.by_number), owner);
    }
    owners_name(&owners, 4000000000u + OWNERS_RECENT + 1);
    assert_int_equal(known(&owners.by_number), 2 * OWNERS_RECENT);
    assert_string_equal(owners_name(&owners, 4000009999u), "4000009999");
    assert_int_equal(known(&owners.by_number), OWNERS_RECENT + 1);
    owners_release(&owners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(programs_that_were_seen),       cmocka_unit_test(programs_that_are_looked_for),
        cmocka_unit_test(names_of_owners),        cmocka_unit_test(all_is_given_back),
        cmocka_unit_test(forgets_the_older_half), tree_test(keeps_what_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
