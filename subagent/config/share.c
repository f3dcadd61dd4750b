#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/nearest.h"
#include "base/text.h"
#include "config/attributes.h"
#include "config/document.h"
#include "config/settings.h"
#include "config/tree_fields.h"
#include "config/xml_schema.h"
#include "config/xml_write.h"

/* The only credential of a share; all children in it use it. */
#define SHARE_CREDENTIAL "tree"

/* -- Making ---------------------------------------------------------------------------------- */

struct share {
    const struct tree_config *tree;
    const struct config
        *group; /* its rows replace common rows of the same name; NULL: there are none */
    const struct assignment *assignment;
    const struct share_child *children;
    size_t n_children;
};

static bool collects(const struct share *share)
{
    return share->assignment->role != SHARE_METRIC;
}

static const struct config *rows_of_group(const struct tree_config *tree, const char *name)
{
    for (size_t i = 0; i < tree->n_groups; i++)
        if (strcmp(tree->groups[i].name, name) == 0)
            return tree->groups[i].rows;
    return NULL;
}

static const struct row *find_row(const struct share *share, enum row_kind kind, const char *name)
{
    const struct row *row = share->group ? config_find(share->group, kind, name) : NULL;
    return row ? row : config_find(share->tree->common, kind, name);
}

/* A node that does not collect has no aggregates, so there a threshold on one has nothing to watch.
 */
static bool is_on_aggregate(const struct share *share, const struct threshold_row *threshold)
{
    return !threshold->children[0] && !threshold->groups[0] &&
           !find_row(share, ROW_SENSOR, threshold->sensor);
}

static bool is_wanted(const struct share *share, const struct row *row)
{
    if (collects(share))
        return true;
    if (row->kind == ROW_THRESHOLD)
        return !is_on_aggregate(share, (const struct threshold_row *)row);
    return row->kind != ROW_AGGREGATE && row->kind != ROW_OBJECT && row->kind != ROW_RELAY;
}

/* A threshold that is left out is never raised, so it disables no other: the field that names it is
 * left out, too. */
static uint32_t given_fields(const struct share *share, const struct row *row)
{
    const struct threshold_row *threshold = (const struct threshold_row *)row;
    if (row->kind != ROW_THRESHOLD || !threshold->disabled_by[0])
        return row->given;
    const struct row *other = find_row(share, ROW_THRESHOLD, threshold->disabled_by);
    if (other && is_wanted(share, other))
        return row->given;
    const struct field *field = row_field(ROW_THRESHOLD, "disabled-by");
    return row->given & ~(UINT32_C(1) << (field - row_type(ROW_THRESHOLD)->fields));
}

/* Writes a row, and opens the list with the first row. */
static void put_row(struct output *out, const struct share *share, const struct row *row,
                    bool *open)
{
    if (!is_wanted(share, row))
        return;
    if (!*open)
        open_element(out, list_element(row->kind));
    *open = true;
    open_element(out, row_type(row->kind)->element);
    put_attribute(out, "name", row->name);
    put_given(out, row, given_fields(share, row));
    close_element(out);
}

/* Writes the common rows, each of them replaced if the group has one of that name, and then those
 * that only the group has. */
static void put_rows(struct output *out, const struct share *share, enum row_kind kind)
{
    const struct config *common = share->tree->common;
    bool open = false;
    for (struct index_node *node = index_first(&common->rows[kind]); node; node = index_next(node))
        put_row(out, share, find_row(share, kind, ((struct row *)node)->name), &open);
    struct index_node *node = share->group ? index_first(&share->group->rows[kind]) : NULL;
    for (; node; node = index_next(node))
        if (!config_find(common, kind, ((struct row *)node)->name))
            put_row(out, share, (struct row *)node, &open);
    if (open)
        close_element(out);
}

/* Writes a field in the form in which rows have it. row was made only for this, and has no other
 * fields set. */
static void put_field(struct output *out, const struct row *row, const char *name)
{
    char text[MESSAGE_SIZE];
    field_text(row, row_field(row->kind, name), text);
    put_attribute(out, name, text);
}

static void put_credential(struct output *out, const struct share *share)
{
    struct credential_row row = {.row.kind = ROW_CREDENTIAL,
                                 .auth = share->tree->access.auth,
                                 .priv = share->tree->access.priv};
    open_element(out, list_element(ROW_CREDENTIAL));
    open_element(out, row_type(ROW_CREDENTIAL)->element);
    put_attribute(out, "name", SHARE_CREDENTIAL);
    put_attribute(out, "user", share->tree->access.poll);
    put_field(out, &row.row, "auth");
    put_field(out, &row.row, "priv");
    close_element(out);
    close_element(out);
}

static void put_child(struct output *out, const struct share *share,
                      const struct share_child *child)
{
    struct child_row row = {.row.kind = ROW_CHILD, .period_ms = share->tree->rules.period_ms};
    open_element(out, row_type(ROW_CHILD)->element);
    put_attribute(out, "name", child->name);
    put_attribute(out, "address", child->address);
    put_attribute(out, "credential", SHARE_CREDENTIAL);
    put_attribute(out, "group", child->group);
    put_field(out, &row.row, "period");
    put_attribute(out, "engine", child->engine);
    put_attribute(out, "auth-key", child->auth_key);
    put_attribute(out, "priv-key", child->priv_key);
    if (child->next_auth_key[0]) {
        put_attribute(out, "next-auth-key", child->next_auth_key);
        put_attribute(out, "next-priv-key", child->next_priv_key);
    }
    close_element(out);
}

static void put_children(struct output *out, const struct share *share)
{
    open_element(out, list_element(ROW_CHILD));
    for (size_t i = 0; i < share->n_children; i++)
        put_child(out, share, &share->children[i]);
    close_element(out);
}

static void put_list(struct output *out, const struct share *share, enum row_kind kind)
{
    bool has_children = collects(share) && share->n_children > 0;
    if (kind != ROW_CHILD && kind != ROW_CREDENTIAL)
        put_rows(out, share, kind);
    else if (has_children)
        (kind == ROW_CHILD ? put_children : put_credential)(out, share);
}

static void write_share(struct output *out, const void *what)
{
    const struct share *share = what;
    struct assignment assignment = *share->assignment;
    text_clean(assignment.reason, sizeof assignment.reason, ' ');
    put_declaration(out);
    open_element(out, "dcamp");
    put_attribute(out, "version", "1");
    open_element(out, ASSIGNMENT_ELEMENT);
    put_fields(out, &assignment, &assignment_fields);
    close_element(out);
    for (int kind = 0; kind < ROW_KINDS; kind++)
        put_list(out, share, (enum row_kind)kind);
    close_element(out);
}

char *share_make(const struct tree_config *tree, const struct assignment *assignment,
                 const struct share_child *children, size_t n_children, size_t *len)
{
    const struct share share = {tree, rows_of_group(tree, assignment->group), assignment, children,
                                n_children};
    return written(write_share, &share, len);
}

/* -- Loading --------------------------------------------------------------------------------- */

static bool is_digest(const char *text)
{
    uint8_t octets[CONFIG_DIGEST];
    return strlen(text) == 2 * sizeof octets &&
           hex_to_octets(text, octets, sizeof octets) == sizeof octets;
}

static const char *assignment_fault(const struct assignment *assignment)
{
    bool is_root = assignment->role == SHARE_ROOT;
    if (!is_digest(assignment->digest))
        return "tree is not a SHA-256: 64 hexadecimal digits";
    if (is_root != (assignment->level == 0))
        return "level 0 is that of the root, and of no other node";
    if (is_root != (assignment->parent[0] == '\0'))
        return "every node but the root has a parent";
    return NULL;
}

static bool load_assignment(struct xml_file *file, const xmlNode *element,
                            struct assignment *assignment)
{
    struct target target = {
        .base = assignment, .fields = assignment_fields.fields, .n_fields = assignment_fields.n};
    if (!document_is_single(file, element) || !attributes_read(file, element, &target, 1))
        return false;
    const char *fault = assignment_fault(assignment);
    return !fault || xml_fail(file, EBADMSG, xml_line(element), ASSIGNMENT_ELEMENT ": %s", fault);
}

static bool load_element(struct xml_file *file, const xmlNode *element, struct config *config,
                         struct assignment *assignment)
{
    enum row_kind kind = list_kind(element);
    if (element_is(element, ASSIGNMENT_ELEMENT))
        return load_assignment(file, element, assignment);
    if (settings_find((const char *)element->name))
        return xml_fail(file, EBADMSG, xml_line(element),
                        "dcamp: a share has no %s: settings are those of the node's own file; "
                        "remove it",
                        (const char *)element->name);
    if (kind == ROW_KINDS) {
        struct nearest nearest = {.text = (const char *)element->name};
        nearest_offer(&nearest, ASSIGNMENT_ELEMENT);
        for (int i = 0; i < ROW_KINDS; i++)
            nearest_offer(&nearest, list_element((enum row_kind)i));
        return document_unknown(file, element, nearest.best);
    }
    return document_is_single(file, element) && document_rows(file, element, config, kind);
}

static bool load_elements(struct xml_file *file, struct config *config,
                          struct assignment *assignment)
{
    const xmlNode *root = xmlDocGetRootElement(file->doc);
    if (!document_has_version(file))
        return false;
    for (const xmlNode *element = element_first(root); element; element = element_next(element))
        if (!load_element(file, element, config, assignment))
            return false;
    if (assignment->role == 0)
        return xml_fail(file, EBADMSG, xml_line(root),
                        "dcamp: " ASSIGNMENT_ELEMENT " is missing; a share says what its node is");
    return document_check_rows(file, root, config, "");
}

static bool load(struct xml_file *file, const char *bytes, size_t len, struct config *config,
                 struct assignment *assignment)
{
    document_directory(file->name, config->schema_dir, sizeof config->schema_dir);
    if (!document_fits(file, len, DOCUMENT_SIZE_MAX) || !xml_parse(file, bytes, len, "dcamp") ||
        !load_elements(file, config, assignment) ||
        !xml_validate(file, "dcamp.xsd", config->schema_dir))
        return false;
    document_loaded(config);
    return true;
}

struct config *share_load(const char *name, const char *bytes, size_t len,
                          struct assignment *assignment, char error[CONFIG_ERROR_SIZE])
{
    struct xml_file file;
    struct config *config = config_new();
    *assignment = (struct assignment){.role = 0};
    fields_reset(assignment, assignment_fields.fields, assignment_fields.n);
    xml_open(&file, name, error);
    if (!config)
        xml_fail(&file, ENOMEM, 0, "out of memory");
    if (config && !load(&file, bytes, len, config, assignment)) {
        config_free(config);
        config = NULL;
    }
    xml_close(&file);
    errno = file.code;
    return config;
}
