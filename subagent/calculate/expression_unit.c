#include "calculate/expression_node.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

struct typed {
    struct unit unit;
    bool is_number; /* built of numbers alone: goes with any unit */
};

struct check {
    const struct expression *expression;
    struct unit_names names;
    struct expression_error *error;
};

static int unit_of_name(struct check *check, const struct node *node, expression_unit_fn *lookup,
                        void *context, struct typed *result)
{
    const char *name = check->expression->names[node->name];
    const char *text = lookup(context, name);
    if (!text)
        return expression_fail(check->error, node->column, "there is no sensor \"%s\"%s", name,
                               expression_minus_hint(name, strlen(name)));
    if (unit_parse(&check->names, text, &result->unit))
        return 0;
    if (check->names.count == UNIT_NAMES_MAX)
        return expression_fail(check->error, node->column, "there are more than %d base units",
                               UNIT_NAMES_MAX);
    return expression_fail(check->error, node->column,
                           "the unit \"%.64s\" of \"%s\" is not understood", text, name);
}

static int multiplied(struct check *check, const struct node *node, const struct typed *a,
                      const struct typed *b, struct typed *result)
{
    int sign = node->kind == NODE_DIVIDE ? -1 : 1;
    result->is_number = a->is_number && b->is_number;
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

static int alike(struct check *check, const struct node *node, const struct typed *a,
                 const struct typed *b, struct typed *result)
{
    if (!a->is_number && !b->is_number && !unit_equal(&a->unit, &b->unit))
        return fail_different(check, node, &a->unit, &b->unit);
    *result = a->is_number ? *b : *a;
    if (node->kind >= NODE_LESS)
        *result = (struct typed){.is_number = false};
    return 0;
}

/* The operands are the last of the stack; the result takes their place. */
static int step(struct check *check, const struct node *node, struct typed *stack, size_t *used)
{
    if (node->kind < NODE_ADD) {
        struct typed *operand = &stack[*used - 1];
        if (node->kind == NODE_LOG)
            operand->unit = (struct unit){{0}};
        return 0;
    }
    struct typed a = stack[*used - 2], b = stack[*used - 1];
    struct typed *result = &stack[--*used - 1];
    if (node->kind == NODE_MULTIPLY || node->kind == NODE_DIVIDE)
        return multiplied(check, node, &a, &b, result);
    return alike(check, node, &a, &b, result);
}

int expression_unit(const struct expression *expression, expression_unit_fn *lookup, void *context,
                    char text[UNIT_SIZE], struct expression_error *error)
{
    struct check check = {.expression = expression, .error = error};
    struct typed stack[EXPRESSION_STACK_MAX];
    size_t used = 0;
    for (size_t i = 0; i < expression->n_nodes; i++) {
        const struct node *node = &expression->nodes[i];
        int failed = 0;
        if (node->kind == NODE_NUMBER || node->kind == NODE_NAME)
            stack[used++] = (struct typed){.is_number = node->kind == NODE_NUMBER};
        if (node->kind == NODE_NAME)
            failed = unit_of_name(&check, node, lookup, context, &stack[used - 1]);
        else if (node->kind != NODE_NUMBER)
            failed = step(&check, node, stack, &used);
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
