#include "calculate/expression.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/expression_error.h"
#include "calculate/expression_token.h"

/* Operator precedence parsing (V. R. Pratt: Top Down Operator Precedence. POPL 1973): the right
 * operand of an operator extends over what binds more tightly than the operator itself. */

struct parser {
    const char *text;
    struct token token, previous;
    unsigned depth;
    struct expression *expression;
    struct expression_error *error;
};

/* How tightly an operator binds, by the rule of the grammar that it belongs to. */
enum binding {
    BINDING_COMPARISON,
    BINDING_SUM,
    BINDING_PRODUCT,
    BINDING_OPERAND /* tighter than all operators */
};

static enum binding binding_of(enum node_kind kind)
{
    switch (kind) {
    case NODE_MULTIPLY:
    case NODE_DIVIDE:
        return BINDING_PRODUCT;
    case NODE_ADD:
    case NODE_SUBTRACT:
        return BINDING_SUM;
    default:
        return BINDING_COMPARISON;
    }
}

struct function {
    const char *name;
    enum node_kind kind;
    bool takes_many; /* two or more values; else exactly one */
};

static const struct function functions[] = {
    {"min", NODE_MIN, true},
    {"max", NODE_MAX, true},
    {"abs", NODE_ABS, false},
    {"log", NODE_LOG, false},
};
#define N_FUNCTIONS (sizeof functions / sizeof functions[0])

static int advance(struct parser *parser)
{
    parser->previous = parser->token;
    return token_read(parser->text, parser->token.at + parser->token.len, &parser->token,
                      parser->error);
}

/* Fails with "..., not TOKEN" or "... at the end", at the current token. */
static int fail_expecting(struct parser *parser, const char *what, const char *hint)
{
    const struct token *token = &parser->token;
    if (token->kind == TOKEN_END)
        return expression_fail(parser->error, token->at + 1, "%s at the end%s", what, hint);
    return expression_fail(parser->error, token->at + 1, "%s, not \"%.*s\"%s", what,
                           (int)token->len, parser->text + token->at, hint);
}

/* The hint to be given if something is missing after the token before the current one. */
static const char *hint_after(const struct parser *parser)
{
    const struct token *previous = &parser->previous;
    if (previous->kind != TOKEN_NAME)
        return "";
    return expression_minus_hint(parser->text + previous->at, previous->len);
}

static struct node *append(struct parser *parser, enum node_kind kind, size_t at)
{
    struct expression *expression = parser->expression;
    struct node *node = &expression->nodes[expression->n_nodes++];
    *node = (struct node){.kind = kind, .column = (unsigned)at + 1};
    return node;
}

static int append_name(struct parser *parser, const struct token *token)
{
    struct expression *expression = parser->expression;
    const char *name = parser->text + token->at;
    size_t i = 0;
    while (i < expression->n_names && (strlen(expression->names[i]) != token->len ||
                                       memcmp(expression->names[i], name, token->len) != 0))
        i++;
    if (i == EXPRESSION_NAMES_MAX)
        return expression_fail(parser->error, token->at + 1, "there are more than %d sensors",
                               EXPRESSION_NAMES_MAX);
    if (i == expression->n_names) {
        memcpy(expression->names[i], name, token->len);
        expression->names[i][token->len] = '\0';
        expression->n_names++;
    }
    append(parser, NODE_NAME, token->at)->name = i;
    return 0;
}

static int parse_binary(struct parser *parser, enum binding least);

/* Goes one level deeper; at is where the level begins. */
static int enter(struct parser *parser, size_t at)
{
    if (parser->depth == EXPRESSION_DEPTH_MAX)
        return expression_fail(parser->error, at + 1,
                               "parentheses, functions and signs are nested more than %d deep",
                               EXPRESSION_DEPTH_MAX);
    parser->depth++;
    return 0;
}

static int close_group(struct parser *parser, size_t open_at)
{
    if (parser->token.kind == TOKEN_CLOSE)
        return advance(parser);
    char what[64];
    snprintf(what, sizeof what, "an operator or the \")\" for column %zu is expected", open_at + 1);
    return fail_expecting(parser, what, hint_after(parser));
}

static int parse_group(struct parser *parser)
{
    size_t at = parser->token.at;
    int error = enter(parser, at);
    if (error || (error = advance(parser)) || (error = parse_binary(parser, BINDING_COMPARISON)))
        return error;
    parser->depth--;
    return close_group(parser, at);
}

static int find_function(struct parser *parser, const struct token *token,
                         const struct function **function)
{
    const char *name = parser->text + token->at;
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        *function = &functions[i];
        if (strlen(functions[i].name) == token->len &&
            memcmp(functions[i].name, name, token->len) == 0)
            return 0;
    }
    return expression_fail(parser->error, token->at + 1,
                           "there is no function \"%.*s\"; there are min, max, abs and log",
                           (int)token->len, name);
}

/* The first argument has been parsed. Parses the others, each of which is combined with the result
 * of those before it. */
static int parse_more_arguments(struct parser *parser, const struct function *function)
{
    if (!function->takes_many && parser->token.kind == TOKEN_COMMA)
        return expression_fail(parser->error, parser->token.at + 1, "%s takes one value",
                               function->name);
    if (function->takes_many && parser->token.kind == TOKEN_CLOSE)
        return expression_fail(parser->error, parser->token.at + 1, "%s takes two or more values",
                               function->name);
    while (parser->token.kind == TOKEN_COMMA) {
        int error = advance(parser);
        size_t at = parser->token.at;
        if (error || (error = parse_binary(parser, BINDING_COMPARISON)))
            return error;
        append(parser, function->kind, at);
    }
    return 0;
}

/* The name has been read; the current token is the parenthesis. */
static int parse_call(struct parser *parser, const struct token *name)
{
    const struct function *function;
    size_t open_at = parser->token.at;
    int error = find_function(parser, name, &function);
    if (error || (error = enter(parser, name->at)) || (error = advance(parser)) ||
        (error = parse_binary(parser, BINDING_COMPARISON)) ||
        (error = parse_more_arguments(parser, function)))
        return error;
    parser->depth--;
    if (!function->takes_many)
        append(parser, function->kind, name->at);
    return close_group(parser, open_at);
}

static int parse_name(struct parser *parser)
{
    struct token name = parser->token;
    int error = advance(parser);
    if (error)
        return error;
    return parser->token.kind == TOKEN_OPEN ? parse_call(parser, &name)
                                            : append_name(parser, &name);
}

static int parse_operand(struct parser *parser);

static int parse_sign(struct parser *parser)
{
    size_t at = parser->token.at;
    int error = enter(parser, at);
    if (error || (error = advance(parser)) || (error = parse_operand(parser)))
        return error;
    parser->depth--;
    append(parser, NODE_NEGATE, at);
    return 0;
}

static int parse_operand(struct parser *parser)
{
    const struct token *token = &parser->token;
    switch (token->kind) {
    case TOKEN_NUMBER:
        append(parser, token->node, token->at)->number = token->number;
        return advance(parser);
    case TOKEN_NAME:
        return parse_name(parser);
    case TOKEN_OPEN:
        return parse_group(parser);
    case TOKEN_OPERATOR:
        if (token->node == NODE_SUBTRACT)
            return parse_sign(parser);
        break;
    case TOKEN_END:
    case TOKEN_CLOSE:
    case TOKEN_COMMA:
        break;
    }
    return fail_expecting(parser, "a number, a sensor, a function or \"(\" is expected", "");
}

/* Parses an operand and the operators after it that bind at least as tightly as `least`. */
static int parse_binary(struct parser *parser, enum binding least)
{
    int error = parse_operand(parser);
    bool compared = false;
    while (!error && parser->token.kind == TOKEN_OPERATOR) {
        struct token found = parser->token;
        enum binding binding = binding_of(found.node);
        if (binding < least)
            break;
        if (compared)
            return expression_fail(parser->error, found.at + 1,
                                   "comparisons do not chain; put one into parentheses");
        if ((error = advance(parser)) || (error = parse_binary(parser, binding + 1)))
            return error;
        append(parser, found.node, found.at);
        compared = binding == BINDING_COMPARISON;
    }
    return error;
}

static int parse_all(struct parser *parser)
{
    size_t len = strlen(parser->text);
    if (len > EXPRESSION_TEXT_MAX)
        return expression_fail(parser->error, EXPRESSION_TEXT_MAX + 1,
                               "the expression is longer than %d characters", EXPRESSION_TEXT_MAX);
    int error = advance(parser);
    if (error)
        return error;
    if (parser->token.kind == TOKEN_END)
        return expression_fail(parser->error, 1, "the expression is empty");
    if ((error = parse_binary(parser, BINDING_COMPARISON)))
        return error;
    if (parser->token.kind == TOKEN_END)
        return 0;
    if (parser->token.kind == TOKEN_CLOSE)
        return expression_fail(parser->error, parser->token.at + 1, "this \")\" has no \"(\"");
    return fail_expecting(parser, "an operator is expected", hint_after(parser));
}

int expression_parse(const char *text, struct expression **expression,
                     struct expression_error *error)
{
    struct parser parser = {.text = text, .error = error};
    parser.expression =
        calloc(1, sizeof *parser.expression + EXPRESSION_NODES_MAX * sizeof(struct node));
    if (!parser.expression) {
        expression_fail(error, 1, "out of memory");
        return ENOMEM;
    }
    int failed = parse_all(&parser);
    if (failed) {
        free(parser.expression);
        return failed;
    }
    struct expression *shrunk = realloc(
        parser.expression, sizeof *shrunk + parser.expression->n_nodes * sizeof(struct node));
    if (shrunk)
        parser.expression = shrunk;
    *expression = parser.expression;
    return 0;
}

void expression_free(struct expression *expression)
{
    free(expression);
}

const char *expression_names(const struct expression *expression, size_t i)
{
    return i < expression->n_names ? expression->names[i] : NULL;
}

size_t expression_name_count(const struct expression *expression)
{
    return expression->n_names;
}
