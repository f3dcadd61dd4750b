#include "calculate/expression_unit.h"

#include <string.h>

#include "base/text.h"
#include "calculate/expression_error.h"
#include "calculate/expression_node.h"

struct operand_unit {
    struct unit unit;
    bool is_plain; /* made of numbers without "%" only: goes with any unit */
};

struct check {
    const struct expression *expression;
    expression_unit_fn *lookup;
    void *context;
    struct unit_names names;
    struct expression_error *error;
};

static int fail_too_many(struct check *check, const struct node *node)
{
    return expression_fail(check->error, node->column, "there are more than %d base units",
                           UNIT_NAMES_MAX);
}

static int unit_of_name(struct check *check, const struct node *node, struct unit *unit)
{
    const char *name = check->expression->names[node->name];
    const char *text = check->lookup(check->context, name);
    if (!text)
        return expression_fail(check->error, node->column, "there is no sensor \"%s\"%s", name,
                               expression_minus_hint(name, strlen(name)));
    if (unit_parse(&check->names, text, unit))
        return 0;
    if (check->names.count == UNIT_NAMES_MAX)
        return fail_too_many(check, node);
    return expression_fail(check->error, node->column,
                           "the unit \"%.64s\" of \"%s\" is not understood", text, name);
}

/* A number or a sensor. */
static int leaf(struct check *check, const struct node *node, struct operand_unit *result)
{
    *result = (struct operand_unit){.is_plain = node->kind == NODE_NUMBER};
    if (node->kind == NODE_NAME)
        return unit_of_name(check, node, &result->unit);
    if (node->kind == NODE_PERCENT && !unit_parse(&check->names, "%", &result->unit))
        return fail_too_many(check, node);
    return 0;
}

static int multiplied(struct check *check, const struct node *node, const struct operand_unit *a,
                      const struct operand_unit *b, struct operand_unit *result)
{
    int sign = node->kind == NODE_DIVIDE ? -1 : 1;
    result->is_plain = a->is_plain && b->is_plain;
    if (unit_multiply(&a->unit, &b->unit, sign, &result->unit))
        return 0;
    return expression_fail(check->error, node->column, "a unit gets an exponent beyond %d",
                           UNIT_EXPONENT_MAX);
}

static int fail_different(struct check *check, const struct node *node, const struct unit *a,
                          const struct unit *b)
{
    char left[UNIT_SIZE], right[UNIT_SIZE];
    if (!unit_print(&check->names, a, left))
        text_format(left, sizeof left, "...");
    if (!unit_print(&check->names, b, right))
        text_format(right, sizeof right, "...");
    return expression_fail(check->error, node->column,
                           "the units differ: \"%s\" before this and \"%s\" after it", left, right);
}

static int alike(struct check *check, const struct node *node, const struct operand_unit *a,
                 const struct operand_unit *b, struct operand_unit *result)
{
    if (!a->is_plain && !b->is_plain && !unit_equal(&a->unit, &b->unit))
        return fail_different(check, node, &a->unit, &b->unit);
    *result = a->is_plain ? *b : *a;
    if (node->kind >= NODE_LESS)
        *result = (struct operand_unit){.is_plain = false};
    return 0;
}

/* The operands, if there are any, are at the end of the stack; the result takes their place. */
static int step(struct check *check, const struct node *node, struct operand_unit *stack,
                size_t *used)
{
    if (node->kind <= NODE_NAME)
        return leaf(check, node, &stack[(*used)++]);
    if (node->kind < NODE_ADD) {
        struct operand_unit *operand = &stack[*used - 1];
        if (node->kind == NODE_LOG)
            operand->unit = (struct unit){{0}};
        return 0;
    }
    struct operand_unit a = stack[*used - 2], b = stack[*used - 1];
    struct operand_unit *result = &stack[--*used - 1];
    if (node->kind == NODE_MULTIPLY || node->kind == NODE_DIVIDE)
        return multiplied(check, node, &a, &b, result);
    return alike(check, node, &a, &b, result);
}

int expression_unit(const struct expression *expression, expression_unit_fn *lookup, void *context,
                    char text[UNIT_SIZE], struct expression_error *error)
{
    struct check check = {
        .expression = expression, .lookup = lookup, .context = context, .error = error};
    struct operand_unit stack[EXPRESSION_STACK_MAX];
    size_t used = 0;
    for (size_t i = 0; i < expression->n_nodes; i++) {
        int failed = step(&check, &expression->nodes[i], stack, &used);
        if (failed)
            return failed;
    }
    char printed[UNIT_SIZE] = "";
    if (!unit_print(&check.names, &stack[0].unit, printed))
        return expression_fail(error, 1, "the unit of the result is longer than %d characters",
                               UNIT_SIZE - 1);
    memcpy(text, printed, sizeof printed);
    return 0;
}
