/* The text of a tree document that revokes the keys of one more engine. */
#include <stdlib.h>
#include <string.h>

#include "cli/revoke.h"

#include "unit.h"

static void one_more(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
    } cases[] = {
        {"<tree version=\"1\">\n</tree>\n",
         "<tree version=\"1\">\n  <revoked>\n    <keys engine=\"80001f8804\" node=\"web2\"/>\n"
         "  </revoked>\n</tree>\n"},
        {"<tree>\n  <revoked>\n    <keys engine=\"80001f8805\"/>\n  </revoked>\n</tree>",
         "<tree>\n  <revoked>\n    <keys engine=\"80001f8805\"/>\n    <keys engine=\"80001f8804\" "
         "node=\"web2\"/>\n  </revoked>\n</tree>"},
        {"<tree><!-- </tree> --></tree>",
         "<tree><!-- </tree> -->  <revoked>\n    <keys engine=\"80001f8804\" node=\"web2\"/>\n"
         "  </revoked>\n</tree>"},
        /* What comments and the like hold is no part of the document. */
        {"<tree></tree><!-- </tree> -->",
         "<tree>  <revoked>\n    <keys engine=\"80001f8804\" node=\"web2\"/>\n  </revoked>\n"
         "</tree><!-- </tree> -->"},
        {"<tree><!-- <revoked><keys engine=\"80001f8804\"/></revoked> --></tree><? </tree> ?>",
         "<tree><!-- <revoked><keys engine=\"80001f8804\"/></revoked> -->  <revoked>\n    <keys "
         "engine=\"80001f8804\" node=\"web2\"/>\n  </revoked>\n</tree><? </tree> ?>"},
        {"<tree><revoked></revoked></tree><!-- </revoked>",
         "<tree><revoked>  <keys engine=\"80001f8804\" node=\"web2\"/>\n  </revoked></tree>"
         "<!-- </revoked>"},
        /* Another engine, whose identifier begins or ends like this one. */
        {"<tree><revoked><keys engine=\"80001f880431\"/><keys engine='0080001f8804'/></revoked>"
         "</tree>",
         "<tree><revoked><keys engine=\"80001f880431\"/><keys engine='0080001f8804'/>  <keys "
         "engine=\"80001f8804\" node=\"web2\"/>\n  </revoked></tree>"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        const char *why = "";
        char *text = revoke_in_text(cases[i].before, "80001f8804", "web2", &why);
        assert_null(why);
        assert_string_equal(text, cases[i].after);
        free(text);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    const char *why = NULL;
    assert_null(revoke_in_text("<dcamp/>", "80001f8804", "web2", &why));
    assert_string_equal(why, "it has no </tree>");
    assert_null(revoke_in_text("<tree><revoked><keys engine=\"80001F8804\" back=\"yes\"/></revoked>"
                               "</tree>",
                               "80001f8804", "web2", &why));
    assert_non_null(strstr(why, "it has that engine already"));
    assert_null(revoke_in_text("<!-- <tree></tree> -->", "80001f8804", "web2", &why));
    assert_string_equal(why, "it has no </tree>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_more),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
