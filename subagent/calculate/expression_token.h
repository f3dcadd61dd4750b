/* The tokens of an expression. For the files expression*.c only. */
#ifndef DCAMP_CALCULATE_EXPRESSION_TOKEN_H
#define DCAMP_CALCULATE_EXPRESSION_TOKEN_H

#include "calculate/expression_node.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_OPERATOR, /* one that takes two values; but "-" may also be a sign */
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMA
};

struct token {
    enum token_kind kind;
    size_t at, len;      /* in the text */
    enum node_kind node; /* what a number or an operator becomes */
    double number;
};

/* Reads the token at or after an offset. Returns 0, or EINVAL with the error. */
int token_read(const char *text, size_t at, struct token *token, struct expression_error *error);

#endif
