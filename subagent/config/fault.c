#include "config/fault.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "config/xml.h"

/* -- Values ---------------------------------------------------------------------------------- */

/* True if the expression itself is wrong, and not its length or its characters. */
static bool wrong_expression(const char *value, char text[FAULT_SIZE])
{
    struct expression *expression = NULL;
    struct expression_error error;
    if (strlen(value) > EXPRESSION_TEXT_MAX || expression_parse(value, &expression, &error) == 0) {
        expression_free(expression);
        return false;
    }
    text_format(text, FAULT_SIZE, "expression, column %zu: %s", error.column, error.text);
    return true;
}

void fault_of_value(const struct field *field, const char *value, char text[FAULT_SIZE])
{
    char quoted[XML_QUOTE_SIZE];
    struct nearest nearest = {.text = value};
    if (field->type == FIELD_EXPRESSION && wrong_expression(value, text))
        return;
    if (field->type == FIELD_METRIC)
        for (size_t i = 0; i < metric_count; i++)
            nearest_offer(&nearest, metric_registry[i].name);
    xml_quote(quoted, value);
    if (field->type == FIELD_HEX || field->type == FIELD_KEY)
        text_format(text, FAULT_SIZE, "%s is not %s", field->name, field->expect);
    else if (nearest.best)
        text_format(text, FAULT_SIZE, "%s=%s is not a metric; did you mean \"%s\"?", field->name,
                    quoted, nearest.best);
    else
        text_format(text, FAULT_SIZE, "%s=%s is not %s", field->name, quoted, field->expect);
}

/* -- Rows ------------------------------------------------------------------------------------ */

static void offer_rows(struct nearest *nearest, const struct config *config, enum row_kind kind)
{
    for (struct index_node *node = index_first(&config->rows[kind]); node; node = index_next(node))
        nearest_offer(nearest, ((struct row *)node)->name);
}

void fault_hint(const struct config *config, enum row_kind kind, const char *name,
                char hint[NAME_SIZE + 32])
{
    struct nearest nearest = {.text = name};
    offer_rows(&nearest, config, kind);
    if (nearest.best)
        snprintf(hint, NAME_SIZE + 32, "did you mean \"%s\"?", nearest.best);
    else
        snprintf(hint, NAME_SIZE + 32, "add it or name another");
}

bool expression_has_no_fault(const struct sensor_row *row, derived_row_fn *rows, void *context,
                             bool complete, const struct config *config, char text[FAULT_SIZE])
{
    struct derived_fault fault;
    if (!row->expression[0] || derived_check(row, rows, context, complete, &fault))
        return true;
    struct nearest nearest = {.text = fault.unknown};
    if (fault.unknown[0])
        offer_rows(&nearest, config, ROW_SENSOR);
    text_format(text, FAULT_SIZE, "expression, column %zu: %s%s%s%s", fault.error.column,
                fault.error.text, nearest.best ? "; did you mean \"" : "",
                nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
    return false;
}

/* The fields that name another row. */
static const struct reference {
    enum row_kind of;
    const char *field;
    enum row_kind to;
} references[] = {
    {ROW_SENSOR, "filter", ROW_FILTER},        {ROW_AGGREGATE, "filter", ROW_FILTER},
    {ROW_OBJECT, "filter", ROW_FILTER},        {ROW_RELAY, "filter", ROW_FILTER},
    {ROW_THRESHOLD, "sensor", ROW_SENSOR},     {ROW_THRESHOLD, "disabled-by", ROW_THRESHOLD},
    {ROW_CHILD, "credential", ROW_CREDENTIAL}, {ROW_CHILD, "behind", ROW_CHILD},
};

/* What a threshold watches may be an aggregate, or belong to children, which know it although this
 * configuration does not. */
static bool is_elsewhere(const struct config *config, const struct row *row,
                         const struct reference *reference)
{
    const struct threshold_row *threshold = (const struct threshold_row *)row;
    return reference->of == ROW_THRESHOLD && reference->to == ROW_SENSOR &&
           (threshold->children[0] || threshold->groups[0] ||
            config_find(config, ROW_AGGREGATE, threshold->sensor));
}

static const struct sensor_row *sensor_row_of(void *context, const char *name)
{
    return (const struct sensor_row *)config_find(context, ROW_SENSOR, name);
}

/* A credential without secrets can be used only for children that have keys, and the keys must be
 * as long as its protocols need them: RFC 7860, RFC 3826. Returns the field that is at fault; NULL:
 * none is. */
static const struct field *fault_of_keys(const struct config *config, const struct child_row *child,
                                         char text[FAULT_SIZE])
{
    const struct credential_row *credential =
        (const struct credential_row *)config_find(config, ROW_CREDENTIAL, child->credential);
    bool has_keys = child->auth_key != NULL;
    if (!credential || (!has_keys && credential->secrets[0]))
        return NULL;
    if (!has_keys) {
        text_format(text, FAULT_SIZE,
                    "credential=\"%s\" has no secrets, and the child has no keys; give it engine, "
                    "auth-key and priv-key, or the credential secrets",
                    child->credential);
        return row_field(ROW_CHILD, "credential");
    }
    unsigned auth = credential->auth == CREDENTIAL_SHA512 ? 64 : 32;
    unsigned priv = credential->priv == CREDENTIAL_AES256 ? 32 : 16;
    if (key_length(child->auth_key) != auth) {
        text_format(text, FAULT_SIZE, "auth-key does not have %u digits, as with %s", 2 * auth,
                    auth == 64 ? "SHA-512" : "SHA-256");
        return row_field(ROW_CHILD, "auth-key");
    }
    if (key_length(child->priv_key) < priv) {
        text_format(text, FAULT_SIZE, "priv-key has fewer than %u digits, which %s needs", 2 * priv,
                    priv == 32 ? "AES-256" : "AES-128");
        return row_field(ROW_CHILD, "priv-key");
    }
    return NULL;
}

const struct field *fault_of_references(const struct config *config, const struct row *row,
                                        const char *where, char text[FAULT_SIZE])
{
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        const struct reference *reference = &references[i];
        char name[MESSAGE_SIZE], hint[NAME_SIZE + 32];
        if (reference->of != row->kind || is_elsewhere(config, row, reference))
            continue;
        const struct field *field = row_field(row->kind, reference->field);
        name[field_text(row, field, name)] = '\0';
        if (!name[0] || config_find(config, reference->to, name))
            continue;
        fault_hint(config, reference->to, name, hint);
        text_format(text, FAULT_SIZE, "%s=\"%s\" is not a %s of this %s; %s", field->name, name,
                    row_type(reference->to)->element, where, hint);
        return field;
    }
    if (row->kind == ROW_CHILD)
        return fault_of_keys(config, (const struct child_row *)row, text);
    if (row->kind == ROW_SENSOR &&
        !expression_has_no_fault((const struct sensor_row *)row, sensor_row_of,
                                 (struct config *)config, true, config, text))
        return row_field(ROW_SENSOR, "expression");
    return NULL;
}
