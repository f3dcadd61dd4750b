/* What an expression is made of. For the files expression*.c only. */
#ifndef DCAMP_CALCULATE_EXPRESSION_NODE_H
#define DCAMP_CALCULATE_EXPRESSION_NODE_H

#include "calculate/expression.h"

enum node_kind {
    NODE_NUMBER,
    NODE_NAME,
    /* of one value */
    NODE_NEGATE,
    NODE_ABS,
    NODE_LOG,
    /* of two values */
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_DIVIDE,
    NODE_MIN,
    NODE_MAX,
    NODE_LESS,
    NODE_LESS_EQUAL,
    NODE_GREATER,
    NODE_GREATER_EQUAL,
    NODE_EQUAL,
    NODE_NOT_EQUAL
};

struct node {
    enum node_kind kind;
    unsigned column; /* of the operator or name; of an argument of min and max, its own */
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

/* Fills the error; returns EINVAL. */
int expression_fail(struct expression_error *error, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Said after a name that may have swallowed a minus; else "". */
const char *expression_minus_hint(const char *name, size_t len);

#endif
