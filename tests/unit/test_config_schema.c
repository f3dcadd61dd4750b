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
#include "config/tree_fields.h"

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

static xmlXPathContextPtr open_schema(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/conf/%s", source_dir(), name);
    xmlDocPtr doc = xmlReadFile(path, NULL, XML_PARSE_NONET);
    assert_non_null(doc);
    xmlXPathContextPtr context = xmlXPathNewContext(doc);
    xmlXPathRegisterNs(context, (const xmlChar *)"xs",
                       (const xmlChar *)"http://www.w3.org/2001/XMLSchema");
    return context;
}

static void close_schema(xmlXPathContextPtr context)
{
    xmlFreeDoc(context->doc);
    xmlXPathFreeContext(context);
}

/* The schema and the field tables say the same: every field is an attribute of its element, with
 * the same default and the same names of values. */
static void schema_matches_fields(void **state)
{
    (void)state;
    char text[1024];
    xmlXPathContextPtr context = open_schema("dcamp.xsd");
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
    close_schema(context);
}

/* A page of the manual, to be freed. */
static char *read_manual(const char *name)
{
    const size_t room = 1 << 18;
    char path[512], *manual = malloc(room);
    snprintf(path, sizeof path, "%s/doc/man/%s", source_dir(), name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    manual[fread(manual, 1, room - 1, file)] = '\0';
    assert_true(feof(file));
    fclose(file);
    return manual;
}

static void assert_explained(const char *part, const char *attribute, const char *manual)
{
    char text[128];
    snprintf(text, sizeof text, "\n.It Cm %s Ns =", attribute);
    if (!strstr(part, text))
        fail_msg("%s does not explain %s", manual, attribute);
}

/* The part of a manual from this heading to the next one, as a string to be freed. */
static char *manual_part(const char *manual, const char *title)
{
    char heading[1024];
    snprintf(heading, sizeof heading, "\n.Ss %s\n", title);
    const char *begin = strstr(manual, heading);
    if (!begin)
        fail_msg("the manual has no part %s", title);
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
    char *manual = read_manual("dcamp.xml.5"), title[64];
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        const struct row_type *type = row_type((enum row_kind)kind);
        snprintf(title, sizeof title, "<%s>", list_element((enum row_kind)kind));
        char *part = manual_part(manual, title);
        for (size_t i = 0; i < type->n_fields; i++)
            assert_explained(part, type->fields[i].name, "dcamp.xml.5");
        free(part);
    }
    free(manual);
}

/* -- The tree document and shares ------------------------------------------------------------- */

/* Elements that are no rows: where their fields are in the schema and in the manual. */
static const struct element {
    const char *schema, *type,
        *options;                 /* the type, and a group of attributes that it has, or "" */
    const char *manual, *heading; /* or "" */
    const struct fields *fields;
    size_t more; /* attributes of the type that are not among the fields */
} elements[] = {
    {"dcamp-tree.xsd", "rulesType", "", "dcamp-tree.xml.5", "<rules>", &tree_rules_fields, 0},
    {"dcamp-tree.xsd", "accessType", "", "dcamp-tree.xml.5", "<access>", &tree_access_fields, 2},
    {"dcamp-tree.xsd", "coordinationType", "", "dcamp-tree.xml.5", "<coordination>",
     &tree_coordination_fields, 0},
    {"dcamp-tree.xsd", "candidateType", "", "dcamp-tree.xml.5", "<candidates>",
     &tree_candidate_fields, 0},
    {"dcamp-tree.xsd", "treeNodeType", "memberOptions", "dcamp-tree.xml.5", "<nodes>",
     &tree_node_fields, 0},
    {"dcamp-tree.xsd", "rangeType", "memberOptions", "dcamp-tree.xml.5", "<nodes>",
     &tree_range_fields, 0},
    {"dcamp-tree.xsd", "groupType", "", "dcamp-tree.xml.5", "<groups>", &tree_group_fields, 0},
    {"dcamp-tree.xsd", "revokedKeysType", "", "dcamp-tree.xml.5", "<revoked>", &tree_revoked_fields,
     0},
    {"dcamp-tree.xsd", "announcementsType", "memberOptions", "dcamp-tree.xml.5", "<announcements>",
     &tree_announcements_fields, 0},
    {"dcamp.xsd", "assignmentType", "", "", "", &assignment_fields, 0},
};

/* Where the attributes of an element stand. */
#define ATTRIBUTES                                                                                 \
    "(//xs:complexType[@name='%s']/xs:attribute | //xs:attributeGroup[@name='%s']/xs:attribute)"

static void assert_attribute(xmlXPathContextPtr context, const struct element *element,
                             const struct field *field)
{
    char place[512], text[2048], quality[128];
    snprintf(quality, sizeof quality, field->initial ? "@default='%s'" : "@use='required'%s",
             field->initial ? field->initial : "");
    snprintf(place, sizeof place, ATTRIBUTES "[@name='%s' and %s]", element->type, element->options,
             field->name, quality);
    assert_xpath(context, place);
    for (size_t l = 0; l < field->n_labels; l++) {
        snprintf(text, sizeof text, "%s//xs:enumeration[@value='%s']", place,
                 field->labels[l] ? field->labels[l] : "");
        if (field->labels[l])
            assert_xpath(context, text);
    }
    snprintf(text, sizeof text,
             "%s//xs:minInclusive[@value='%lld'] and %s//xs:maxInclusive[@value='%lld']", place,
             (long long)field->min, place, (long long)field->max);
    if (field->type == FIELD_COUNT && field->min > 0)
        assert_xpath(context, text);
}

static void schema_matches_elements(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(elements); i++) {
        const struct element *element = &elements[i];
        xmlXPathContextPtr context = open_schema(element->schema);
        char text[1024];
        for (size_t k = 0; k < element->fields->n; k++)
            assert_attribute(context, element, &element->fields->fields[k]);
        snprintf(text, sizeof text, "count(" ATTRIBUTES ") = %zu", element->type, element->options,
                 element->fields->n + element->more);
        assert_xpath(context, text);
        close_schema(context);
    }
}

/* The protocols of the users are those of a credential, in schema and manual. */
static void protocols_are_those_of_credentials(void **state)
{
    (void)state;
    static const char *const names[] = {"auth", "priv"};
    const struct element *access = &elements[1];
    xmlXPathContextPtr context = open_schema(access->schema);
    char *manual = read_manual(access->manual), *part = manual_part(manual, access->heading);
    for (size_t i = 0; i < N_OF(names); i++) {
        const struct field *field = row_field(ROW_CREDENTIAL, names[i]);
        assert_attribute(context, access, field);
        assert_explained(part, field->name, access->manual);
    }
    free(part);
    free(manual);
    close_schema(context);
}

static void manual_has_elements(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(elements); i++) {
        const struct element *element = &elements[i];
        if (!element->manual[0])
            continue;
        char *manual = read_manual(element->manual), *part = manual_part(manual, element->heading);
        for (size_t k = 0; k < element->fields->n; k++)
            assert_explained(part, element->fields->fields[k].name, element->manual);
        free(part);
        free(manual);
    }
}

/* Its lists of rows are those that a tree document may have: all but two. */
static void manual_has_lists(void **state)
{
    (void)state;
    char *manual = read_manual("dcamp-tree.xml.5"), text[64];
    char *part = manual_part(manual, "Rows of all nodes");
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        snprintf(text, sizeof text, "<%s>", list_element((enum row_kind)kind));
        assert_non_null(strstr(part, text));
    }
    free(part);
    free(manual);
}

/* The example of the manual is right. */
static void manual_has_an_example(void **state)
{
    (void)state;
    char *manual = read_manual("dcamp-tree.xml.5"), error[CONFIG_ERROR_SIZE];
    char *example = strstr(manual, "\n.Sh EXAMPLES\n"), *begin, *end;
    assert_non_null(example);
    assert_non_null(begin = strstr(example, "<?xml"));
    assert_non_null(end = strstr(begin, ".Ed"));
    struct tree_config *tree = tree_config_load("f.xml", begin, (size_t)(end - begin), error);
    assert_string_equal(error, "");
    assert_non_null(tree);
    assert_int_equal(tree->n_nodes, 4);
    tree_config_free(tree);
    free(manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_schema),
        cmocka_unit_test(wrong_schema),
        cmocka_unit_test(long_directory),
        cmocka_unit_test(shipped),
        cmocka_unit_test(schema_matches_fields),
        cmocka_unit_test(manual_has_fields),
        cmocka_unit_test(schema_matches_elements),
        cmocka_unit_test(protocols_are_those_of_credentials),
        cmocka_unit_test(manual_has_elements),
        cmocka_unit_test(manual_has_lists),
        cmocka_unit_test(manual_has_an_example),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
