/* What JVMs and their collectors are called. */
#include "application/jvm_names.h"

#include <string.h>

#include "base/text.h"
#include "tests/unit/unit.h"

static void words(void **state)
{
    static const char *const rows[][2] = {
        {"G1 young collection pauses", "G1 young"},
        {"G1 full collection pauses", "G1 full"},
        {"G1 concurrent cycle pauses", "G1 concurrent cycle"},
        {"Serial young collection pauses", "Serial young"},
        {"Z concurrent cycle pauses", "Z concurrent cycle"},
        {"Shenandoah partial", "Shenandoah partial"},
        {"Copy", "Copy"},
        {" pauses", "pauses"},
        {" collection pauses", "collection"},
    };
    (void)state;
    char word[INSTANCE_SIZE];
    for (size_t i = 0; i < N_OF(rows); i++) {
        jvm_collector_word(word, rows[i][0]);
        assert_string_equal(word, rows[i][1]);
    }
}

static struct jvm_named named(const char *user, const char *name, pid_t pid, uint64_t started)
{
    struct jvm_named is = {.jvm = {.pid = pid, .started = started}};
    strcpy(is.jvm.profile.name, name);
    is.jvm.profile.n_collectors = 2;
    strcpy(is.jvm.profile.collector[0].name, "G1 young collection pauses");
    strcpy(is.jvm.profile.collector[1].name, "G1 concurrent cycle pauses");
    jvm_name(&is, user);
    return is;
}

static void assert_name(const char *user, const char *name, const char *expected)
{
    struct jvm_named is = named(user, name, 1, 1);
    if (strcmp(is.name, expected) != 0)
        fail_msg("%s of %s is %s, not %s", name, user, is.name, expected);
}

/* There is room for the longest of its collectors, ":G1 concurrent cycle". */
static void names(void **state)
{
    (void)state;
    assert_name("bob", "Orders", "bob/Orders");
    assert_name("tomcat", "org.apache.catalina.startup.Bootstrap",
                "tomcat/org.apache.catalina.startup.Bootstrap");
    assert_name("tomcat9", "org.apache.catalina.startup.Bootstrap",
                "tomcat9/apache.catalina.startup.Bootstrap");
    assert_name("u", "some.package.that.is.long.enough.to.be.left.out.Main",
                "u/that.is.long.enough.to.be.left.out.Main");
    assert_name("u", "WithoutAnyPackageButVeryVeryLongNeverthelessAsNamesMayBe",
                "u/~geButVeryVeryLongNeverthelessAsNamesMayBe");
    assert_name("u", "orders-service-of-the-shop-in-the-north-1.2.3.jar",
                "u/~ervice-of-the-shop-in-the-north-1.2.3.jar");
    assert_name("u", "a.b.cccccccccccccccccccccccccccccccccccccccccccccc.",
                "u/~cccccccccccccccccccccccccccccccccccccccc.");
}

/* No character is cut in two, whatever room the user and the collectors leave. */
static void names_are_cut_at_characters(void **state)
{
    (void)state;
    char user[INSTANCE_SIZE] = "", name[INSTANCE_SIZE] = "";
    while (strlen(name) + 2 < INSTANCE_SIZE)
        strcat(name, "\xc3\xa4");
    for (size_t n = 1; n <= 32; n++) {
        user[n - 1] = 'u';
        struct jvm_named is = named(user, name, 1, 1);
        for (size_t i = 0, octets; i < strlen(is.name); i += octets) {
            octets = text_utf8_length(is.name + i, strlen(is.name + i));
            if (octets == 0)
                fail_msg("%s of a user of %zu letters", is.name, n);
        }
    }
}

static void collectors_fit(void **state)
{
    (void)state;
    char name[INSTANCE_SIZE], user[INSTANCE_SIZE] = "";
    for (size_t n = 1; n <= 32; n++) {
        user[n - 1] = 'u';
        struct jvm_named both[2] = {
            named(user, "org.apache.catalina.startup.Bootstrap", 4194304, 2),
            named(user, "org.apache.catalina.startup.Bootstrap", 1, 1)};
        jvm_names_resolve(both, 2);
        for (unsigned i = 0; i < 2; i++) {
            jvm_collector_name(name, &both[i], &both[i].jvm.profile.collector[1]);
            assert_memory_equal(name, user, n);
            assert_string_equal(name + strlen(name) - 20, ":G1 concurrent cycle");
        }
    }
}

static void several(void **state)
{
    (void)state;
    struct jvm_named all[] = {
        named("bob", "Orders", 30, 300), named("ann", "Orders", 20, 200),
        named("bob", "Orders", 40, 100), named("bob", "Bills", 50, 100),
        named("bob", "Orders", 10, 300), named("bob", "Orders", 9, 300),
    };
    static const char *const expected[] = {
        "ann/Orders", "bob/Bills", "bob/Orders", "bob/Orders/9", "bob/Orders/10", "bob/Orders/30",
    };
    jvm_names_resolve(all, N_OF(all));
    for (size_t i = 0; i < N_OF(all); i++)
        assert_string_equal(all[i].name, expected[i]);
    assert_int_equal(all[2].jvm.pid, 40); /* the oldest */
    char name[INSTANCE_SIZE];
    jvm_collector_name(name, &all[3], &all[3].jvm.profile.collector[0]);
    assert_string_equal(name, "bob/Orders/9:G1 young");
    jvm_names_resolve(all, 0);
    jvm_names_resolve(NULL, 0);
}

/* What differs only in what was left out has one name, too. */
static void several_that_were_cut(void **state)
{
    (void)state;
    struct jvm_named all[] = {
        named("u", "one.package.that.is.long.enough.to.be.left.out.Main", 2, 2),
        named("u", "two.package.that.is.long.enough.to.be.left.out.Main", 1, 1),
    };
    jvm_names_resolve(all, 2);
    assert_string_equal(all[0].name, "u/that.is.long.enough.to.be.left.out.Main");
    assert_int_equal(all[0].jvm.pid, 1);
    assert_string_equal(all[1].name, "u/that.is.long.enough.to.be.left.out.Main/2");
}

/* Collectors whose names somebody has made up take no more than their share. */
static void strange_collectors(void **state)
{
    (void)state;
    struct jvm_named is = {.jvm.profile.n_collectors = 1};
    memset(is.jvm.profile.collector[0].name, 'c', INSTANCE_SIZE - 1);
    strcpy(is.jvm.profile.name, "Orders");
    jvm_name(&is, "bob");
    assert_string_equal(is.name, "bob/Orders");
    char name[INSTANCE_SIZE];
    jvm_collector_name(name, &is, &is.jvm.profile.collector[0]);
    assert_int_equal(strlen(name), INSTANCE_SIZE - 1);
    assert_int_equal(name[0], '~');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(names),
        cmocka_unit_test(names_are_cut_at_characters),
        cmocka_unit_test(collectors_fit),
        cmocka_unit_test(several),
        cmocka_unit_test(several_that_were_cut),
        cmocka_unit_test(strange_collectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
