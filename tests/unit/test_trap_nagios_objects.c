#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trapd-handlers/nagios_objects.h"

#include "unit.h"

/* As Nagios 4.4 writes it. */
static const char text[] = "########################################\n"
                           "#       NAGIOS OBJECT CACHE FILE\n"
                           "########################################\n\n"
                           "define host {\n\thost_name\tweb1\n\talias\tweb1\n\t}\n\n"
                           "define service {\n\thost_name\tweb1\n"
                           "\tservice_description\tdcamp hot\n"
                           "\tcheck_command\tcheck_dcamp_rule\n\t_DCAMP_RULE\thot\n\t}\n\n"
                           "define service {\n\thost_name\tweb2\n"
                           "\tservice_description\tdcamp other\n\t}\n\n"
                           "define servicedependency {\n\thost_name\tweb1\n"
                           "\tservice_description\tdcamp none\n\t}\n";

struct place {
    char path[32];
    struct nagios_objects *objects;
};

static void put(const struct place *place, const char *content)
{
    char new[40];
    snprintf(new, sizeof new, "%s.new", place->path);
    FILE *file = fopen(new, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(new, place->path), 0);
}

static int make_place(void **state)
{
    static struct place place;
    snprintf(place.path, sizeof place.path, "/tmp/dcamp-test.XXXXXX");
    int fd = mkstemp(place.path);
    if (fd < 0)
        return -1;
    close(fd);
    place.objects = nagios_objects_new(place.path);
    *state = &place;
    return place.objects ? 0 : -1;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    nagios_objects_free(place->objects);
    unlink(place->path);
    return 0;
}

static void test_services(void **state)
{
    struct place *place = *state;
    put(place, text);
    assert_false(nagios_objects_have(place->objects, "web1", "dcamp hot"));
    assert_int_equal(nagios_objects_refresh(place->objects), 0);
    assert_true(nagios_objects_have(place->objects, "web1", "dcamp hot"));
    assert_true(nagios_objects_have(place->objects, "web2", "dcamp other"));
    assert_false(nagios_objects_have(place->objects, "web2", "dcamp hot"));
    assert_false(nagios_objects_have(place->objects, "web1", "dcamp none"));
    assert_false(nagios_objects_have(place->objects, "web1", "dcamp ho"));
    assert_false(nagios_objects_have(place->objects, "", ""));
}

static void test_another_file(void **state)
{
    struct place *place = *state;
    put(place, text);
    assert_int_equal(nagios_objects_refresh(place->objects), 0);
    put(place, "define service {\n\thost_name\tweb3\n\tservice_description\tx\n\t}\n");
    assert_int_equal(nagios_objects_refresh(place->objects), 0);
    assert_true(nagios_objects_have(place->objects, "web3", "x"));
    assert_false(nagios_objects_have(place->objects, "web1", "dcamp hot"));
    unlink(place->path);
    assert_int_equal(nagios_objects_refresh(place->objects), ENOENT);
    assert_false(nagios_objects_have(place->objects, "web3", "x"));
}

static void test_what_is_no_such_file(void **state)
{
    struct place *place = *state;
    static const char *const others[] = {
        "",
        "define",
        "define service {",
        "define service {\n\thost_name\n\tservice_description\n\t}\n",
        "define service {\n\thost_name\tweb1\n\t}\n",
        "\thost_name\tweb1\n\tservice_description\tdcamp hot\n\t}\n",
        "define service {\n\thost_name\tweb1\ndefine host {\n\tservice_description\tdcamp "
        "hot\n}\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        put(place, others[i]);
        assert_int_equal(nagios_objects_refresh(place->objects), 0);
        assert_false(nagios_objects_have(place->objects, "web1", "dcamp hot"));
    }
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, make_place, remove_place)
    const struct CMUnitTest tests[] = {
        TEST(test_services),
        TEST(test_another_file),
        TEST(test_what_is_no_such_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
