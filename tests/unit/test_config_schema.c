#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "config/load.h"
#include "config/attributes.h"

#include "unit.h"

static const char *source_dir(void)
{
    const char *dir = getenv("srcdir");
    return dir ? dir : ".";
}

static int set_schema_dir(void **state)
{
    (void)state;
    char dir[512];
    snprintf(dir, sizeof dir, "%s/conf", source_dir());
    return setenv("DCAMP_SCHEMA_DIR", dir, 1);
}

static struct config *load(const char *text, char error[CONFIG_ERROR_SIZE])
{
    return config_load_memory("f.xml", text, strlen(text), error);
}

static void missing_schema(void **state)
{
    char error[CONFIG_ERROR_SIZE], dir[] = "/tmp/test_config_load.XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/dcamp.xsd", dir);
    FILE *file = fopen(path, "w");
    fputs("<xs:schema>", file);
    fclose(file);
    assert_int_equal(setenv("DCAMP_SCHEMA_DIR", dir, 1), 0);
    assert_null(load("<dcamp version=\"1\"/>", error));
    assert_memory_equal(error, "f.xml: cannot be checked: ", 26);
    assert_non_null(strstr(error, path));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
    set_schema_dir(state);
}

/* A schema that is XML and no schema: its own line is told. */
static void wrong_schema(void **state)
{
    char error[CONFIG_ERROR_SIZE], dir[] = "/tmp/test_config_load.XXXXXX", path[64], place[128];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/dcamp.xsd", dir);
    FILE *file = fopen(path, "w");
    fputs("<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n"
          "<xs:element name=\"dcamp\" type=\"nothing\"/>\n</xs:schema>\n",
          file);
    fclose(file);
    assert_int_equal(setenv("DCAMP_SCHEMA_DIR", dir, 1), 0);
    assert_null(load("<dcamp version=\"1\"/>", error));
    snprintf(place, sizeof place, "f.xml: cannot be checked: %s:2: ", path);
    assert_memory_equal(error, place, strlen(place));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
    set_schema_dir(state);
}

/* What does not fit is not kept. */
static void long_directory(void **state)
{
    (void)state;
    const size_t room = sizeof((struct config *)NULL)->schema_dir;
    for (size_t len = room - 1; len <= room; len++) {
        char name[512], error[CONFIG_ERROR_SIZE];
        static const char text[] = "<dcamp version=\"1\"/>";
        memset(name, 'd', len);
        strcpy(name + len, "/f.xml");
        struct config *config = config_load_memory(name, text, strlen(text), error);
        assert_non_null(config);
        assert_int_equal(strlen(config->schema_dir), len < room ? len : 0);
        config_free(config);
    }
}

/* The file as shipped; and it says what the registry can do. */
static void shipped(void **state)
{
    (void)state;
    char path[512], error[CONFIG_ERROR_SIZE];
    snprintf(path, sizeof path, "%s/conf/dcamp.xml", source_dir());
    unsetenv("DCAMP_SCHEMA_DIR"); /* the schema beside it is found */
    struct config *config = config_load(path, error);
    set_schema_dir(NULL);
    assert_string_equal(error, "");
    assert_non_null(config);
    assert_int_equal(config->rows[ROW_SENSOR].count, 50);
    assert_int_equal(config->rows[ROW_FILTER].count, 1);
    assert_int_equal(config->rows[ROW_THRESHOLD].count, 6);
    config_free(config);
}

static void assert_xpath(xmlXPathContextPtr context, const char *expression)
{
    xmlXPathObjectPtr found = xmlXPathEvalExpression((const xmlChar *)expression, context);
    assert_non_null(found);
    bool is_true = xmlXPathCastToBoolean(found);
    xmlXPathFreeObject(found);
    if (!is_true)
        fail_msg("the schema lacks %s", expression);
}

/* The schema and the field tables say the same: every field is an attribute of its element, with
 * the same default and the same names of values. */
static void schema_matches_fields(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "%s/conf/dcamp.xsd", source_dir());
    xmlDocPtr doc = xmlReadFile(text, NULL, XML_PARSE_NONET);
    assert_non_null(doc);
    xmlXPathContextPtr context = xmlXPathNewContext(doc);
    xmlXPathRegisterNs(context, (const xmlChar *)"xs",
                       (const xmlChar *)"http://www.w3.org/2001/XMLSchema");
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        const struct row_type *type = row_type((enum row_kind)kind);
        size_t options = 0;
        for (size_t i = 0; i < type->n_fields; i++) {
            const struct field *field = &type->fields[i];
            char place[256];
            if (field->initial)
                snprintf(place, sizeof place,
                         "//xs:attributeGroup[@name='%sOptions']/xs:attribute[@name='%s' and "
                         "@default='%s']",
                         type->element, field->name, field->initial);
            else
                snprintf(place, sizeof place,
                         "//xs:complexType[@name='%sType']/xs:attribute[@name='%s' and "
                         "@use='required']",
                         type->element, field->name);
            assert_xpath(context, place);
            options += field->initial != NULL;
            for (size_t l = 0; l < field->n_labels; l++) {
                snprintf(text, sizeof text,
                         "(%s | //xs:simpleType[@name=%s/@type or @name='operatorType'])"
                         "//xs:enumeration[@value='%s']",
                         place, place, field->labels[l] ? field->labels[l] : "");
                if (field->labels[l])
                    assert_xpath(context, text);
            }
        }
        snprintf(text, sizeof text,
                 "count(//xs:attributeGroup[@name='%sOptions']/xs:attribute) = %zu and "
                 "count(//xs:complexType[@name='%sType']/xs:attribute) = %zu",
                 type->element, options, type->element, type->n_fields - options + 1);
        assert_xpath(context, text);
    }
    xmlXPathFreeContext(context);
    xmlFreeDoc(doc);
}

/* The part of dcamp.xml(5) from this heading to the next one, as a string to be freed. */
static char *manual_part(const char *manual, const char *list)
{
    char heading[1024];
    snprintf(heading, sizeof heading, "\n.Ss <%s>\n", list);
    const char *begin = strstr(manual, heading);
    if (!begin)
        fail_msg("dcamp.xml(5) has no part <%s>", list);
    begin += strlen(heading);
    const char *end = strstr(begin, "\n.Ss "), *section = strstr(begin, "\n.Sh ");
    if (section && (!end || section < end))
        end = section;
    return strndup(begin, end ? (size_t)(end - begin) : strlen(begin));
}

/* The manual has each attribute among those of its element. */
static void manual_has_fields(void **state)
{
    (void)state;
    static char manual[1 << 18];
    char text[512];
    snprintf(text, sizeof text, "%s/doc/man/dcamp.xml.5", source_dir());
    FILE *file = fopen(text, "r");
    assert_non_null(file);
    manual[fread(manual, 1, sizeof manual - 1, file)] = '\0';
    assert_true(feof(file));
    fclose(file);
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        const struct row_type *type = row_type((enum row_kind)kind);
        char *part = manual_part(manual, list_element((enum row_kind)kind));
        for (size_t i = 0; i < type->n_fields; i++) {
            snprintf(text, sizeof text, "\n.It Cm %s Ns =", type->fields[i].name);
            if (!strstr(part, text))
                fail_msg("dcamp.xml(5) does not explain %s of <%s>", type->fields[i].name,
                         type->element);
        }
        free(part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_schema),        cmocka_unit_test(wrong_schema),
        cmocka_unit_test(long_directory),        cmocka_unit_test(shipped),
        cmocka_unit_test(schema_matches_fields), cmocka_unit_test(manual_has_fields),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
