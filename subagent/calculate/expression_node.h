/* What an expression is made of. For the files expression*.c only. */
#ifndef DCAMP_CALCULATE_EXPRESSION_NODE_H
#define DCAMP_CALCULATE_EXPRESSION_NODE_H

#include "calculate/expression.h"

/* The order counts: leaves, then what takes one value, then two; of those, comparisons last. */
enum node_kind {
    /* of no value: up to NODE_NAME */
    NODE_NUMBER,
    NODE_PERCENT, /* a number of the unit "%" */
    NODE_NAME,
    /* of one value: up to NODE_LOG */
    NODE_NEGATE,
    NODE_ABS,
    NODE_LOG,
    /* of two values: from NODE_ADD on */
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_DIVIDE,
    NODE_MIN,
    NODE_MAX,
    NODE_LESS, /* comparisons: from here on */
    NODE_LESS_EQUAL,
    NODE_GREATER,
    NODE_GREATER_EQUAL,
    NODE_EQUAL,
    NODE_NOT_EQUAL
};

struct node {
    enum node_kind kind;
    unsigned column; /* of the operator, name or number; of an argument of min and max, its own */
    union {
        double number;
        size_t name; /* index into names */
    };
};

/* The tree in postorder: a node's values are the ones right before it. min and max of more than two
 * are min and max of two, several times. Every node comes from an octet of its own, and of two
 * leaves one octet at least lies between: that bounds nodes and stack. */
#define EXPRESSION_NODES_MAX EXPRESSION_TEXT_MAX
#define EXPRESSION_STACK_MAX ((EXPRESSION_TEXT_MAX + 1) / 2)

struct expression {
    size_t n_names;
    char names[EXPRESSION_NAMES_MAX][NAME_SIZE];
    size_t n_nodes;
    struct node nodes[];
};

#endif
