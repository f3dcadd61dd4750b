/* What dcamp init puts into dcamp.xml: one element, and nothing else changes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/dcamp_file.h"

#include "documents.h"
#include "unit.h"

#define PUT "\n\n  <!-- Made by \"dcamp init\". -->\n  <announce port=\"1161\"/>"

static void it_is_there(void **state)
{
    (void)state;
    static const char *const with[] = {
        "<dcamp version=\"1\"><announce port=\"161\"/></dcamp>",
        "<dcamp version=\"1\"><node/>\n<announce\n/></dcamp>",
        "<dcamp version=\"1\"><announce></announce></dcamp>",
        "<dcamp version=\"1\"><!-- <announce/> --><announce/></dcamp>",
    };
    static const char *const without[] = {
        "",
        "<",
        "<dcamp version=\"1\"/>",
        "<dcamp version=\"1\"><!-- <announce port=\"161\"/> --></dcamp>",
        "<dcamp version=\"1\"><announcements/></dcamp>",
        "<dcamp version=\"1\"><!-- <announce port=\"161\"/></dcamp>",
        "<?announce ?><dcamp version=\"1\"/>",
        "<dcamp version=\"1\"><?x <announce/> </dcamp>",
    };
    for (size_t i = 0; i < N_OF(with); i++) {
        errno = 0;
        if (dcamp_file_announce(with[i], 161) || errno != EEXIST)
            fail_msg("there is none in %s", with[i]);
    }
    for (size_t i = 0; i < N_OF(without); i++) {
        errno = 0;
        char *text = dcamp_file_announce(without[i], 161);
        if (errno == EEXIST)
            fail_msg("there is one in %s", without[i]);
        free(text);
    }
}

static const struct {
    const char *before, *after;
} put[] = {
    {"<dcamp version=\"1\"></dcamp>", "<dcamp version=\"1\">" PUT "</dcamp>"},
    {"<?xml version=\"1.0\"?>\n<!-- <dcamp> -->\n<dcamp\n version=\"1\"\n>\n  <node/>\n</dcamp>\n",
     "<?xml version=\"1.0\"?>\n<!-- <dcamp> -->\n<dcamp\n version=\"1\"\n>" PUT
     "\n  <node/>\n</dcamp>\n"},
    {"<dcamp version='1' x=\"a>b\"><!-- mine --></dcamp>",
     "<dcamp version='1' x=\"a>b\">" PUT "<!-- mine --></dcamp>"},
};

static void it_is_put(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(put); i++) {
        char *text = dcamp_file_announce(put[i].before, 1161);
        assert_non_null(text);
        assert_string_equal(text, put[i].after);
        assert_null(dcamp_file_announce(text, 1161));
        assert_int_equal(errno, EEXIST);
        free(text);
    }
}

/* What comes out of it is a configuration, with that port and nothing else that is new. */
static void it_is_a_configuration(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE];
    char *text = dcamp_file_announce("<dcamp version=\"1\"><node name=\"web1\"/></dcamp>", 1161);
    struct config *config = load_text(text, error);
    if (!config)
        fail_msg("%s", error);
    assert_int_equal(config->announce.port, 1161);
    assert_int_equal(config->announce.after_ms, 60000);
    assert_string_equal(config->node.name, "web1");
    config_free(config);
    free(text);
}

static void it_cannot_be_put(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "<",
                                      "text",
                                      "<dcamp version=\"1\"/>",
                                      "<dcamp version=\"1\"",
                                      "<dcamp version=\"1></dcamp>",
                                      "<tree version=\"1\"></tree>",
                                      "<dcampd version=\"1\"></dcampd>",
                                      "<!-- <dcamp version=\"1\"> "};
    for (size_t i = 0; i < N_OF(bad); i++) {
        errno = 0;
        assert_null(dcamp_file_announce(bad[i], 161));
        assert_int_equal(errno, EBADMSG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_there),
        cmocka_unit_test(it_is_put),
        cmocka_unit_test(it_is_a_configuration),
        cmocka_unit_test(it_cannot_be_put),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
