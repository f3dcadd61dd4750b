#include "calculate/expression_evaluate.h"

#include <math.h>

#include "calculate/expression_node.h"

/* What cannot be computed gives a result that is not finite: 1 / 0, 0 / 0, log(0), log(-1). */
static double of_one(enum node_kind kind, double a)
{
    switch (kind) {
    case NODE_NEGATE:
        return -a;
    case NODE_ABS:
        return fabs(a);
    case NODE_LOG:
        return log(a);
    default:
        return NAN;
    }
}

static double of_two(enum node_kind kind, double a, double b)
{
    switch (kind) {
    case NODE_ADD:
        return a + b;
    case NODE_SUBTRACT:
        return a - b;
    case NODE_MULTIPLY:
        return a * b;
    case NODE_DIVIDE:
        return a / b;
    case NODE_MIN:
        return fmin(a, b);
    case NODE_MAX:
        return fmax(a, b);
    case NODE_LESS:
        return a < b;
    case NODE_LESS_EQUAL:
        return a <= b;
    case NODE_GREATER:
        return a > b;
    case NODE_GREATER_EQUAL:
        return a >= b;
    case NODE_EQUAL:
        return a == b;
    case NODE_NOT_EQUAL:
        return a != b;
    default:
        return NAN;
    }
}

static double step(const struct node *node, const double *inputs, const double *stack, size_t *used)
{
    if (node->kind == NODE_NAME)
        return inputs[node->name];
    if (node->kind < NODE_NAME)
        return node->number;
    double last = stack[--*used];
    if (node->kind < NODE_ADD)
        return of_one(node->kind, last);
    double first = stack[--*used];
    return of_two(node->kind, first, last);
}

bool expression_evaluate(const struct expression *expression, expression_value_fn *lookup,
                         void *context, double *result)
{
    double inputs[EXPRESSION_NAMES_MAX], stack[EXPRESSION_STACK_MAX];
    size_t used = 0;
    for (size_t i = 0; i < expression->n_names; i++)
        if (!lookup(context, i, expression->names[i], &inputs[i]))
            return false;
    for (size_t i = 0; i < expression->n_nodes; i++) {
        double value = step(&expression->nodes[i], inputs, stack, &used);
        if (!isfinite(value))
            return false;
        stack[used++] = value;
    }
    *result = stack[0] + 0.0; /* "-0" becomes 0 */
    return true;
}
