/* What an expression is made of. For the files expression*.c only. */
#ifndef DCAMP_CALCULATE_EXPRESSION_NODE_H
#define DCAMP_CALCULATE_EXPRESSION_NODE_H

#include "calculate/expression.h"

/* The order matters: first the leaves, then what takes one value, then what takes two values, and
 * of those the comparisons last. */
enum node_kind {
    /* these take no value: up to NODE_NAME */
    NODE_NUMBER,
    NODE_PERCENT, /* a number of the unit "%" */
    NODE_NAME,
    /* these take one value: up to NODE_LOG */
    NODE_NEGATE,
    NODE_ABS,
    NODE_LOG,
    /* these take two values: from NODE_ADD on */
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_DIVIDE,
    NODE_MIN,
    NODE_MAX,
    NODE_LESS, /* comparisons: from this one on */
    NODE_LESS_EQUAL,
    NODE_GREATER,
    NODE_GREATER_EQUAL,
    NODE_EQUAL,
    NODE_NOT_EQUAL
};

struct node {
    enum node_kind kind;
    unsigned column; /* of the operator, name or number; for min and max, of the argument itself */
    union {
        double number;
        size_t name; /* index into names */
    };
};

/* The tree in postorder: the operands of a node come right before it. min and max of more than two
 * values are several times min or max of two. Every node comes from an octet of its own in the
 * text, and between two leaves there is at least one octet: this limits the number of nodes and the
 * stack. */
#define EXPRESSION_NODES_MAX EXPRESSION_TEXT_MAX
#define EXPRESSION_STACK_MAX ((EXPRESSION_TEXT_MAX + 1) / 2)

struct expression {
    size_t n_names;
    char names[EXPRESSION_NAMES_MAX][NAME_SIZE];
    size_t n_nodes;
    struct node nodes[];
};

#endif
