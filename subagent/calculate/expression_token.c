#include "calculate/expression_token.h"

#include <string.h>

#include "base/text.h"
#include "calculate/expression_error.h"

#define DIGITS "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

struct symbol {
    const char *text;
    enum token_kind kind;
    enum node_kind node; /* of an operator */
};

/* The longer symbols come first. */
static const struct symbol symbols[] = {
    {"<=", TOKEN_OPERATOR, NODE_LESS_EQUAL}, {">=", TOKEN_OPERATOR, NODE_GREATER_EQUAL},
    {"==", TOKEN_OPERATOR, NODE_EQUAL},      {"!=", TOKEN_OPERATOR, NODE_NOT_EQUAL},
    {"<", TOKEN_OPERATOR, NODE_LESS},        {">", TOKEN_OPERATOR, NODE_GREATER},
    {"+", TOKEN_OPERATOR, NODE_ADD},         {"-", TOKEN_OPERATOR, NODE_SUBTRACT},
    {"*", TOKEN_OPERATOR, NODE_MULTIPLY},    {"/", TOKEN_OPERATOR, NODE_DIVIDE},
    {"(", TOKEN_OPEN, NODE_NUMBER},          {")", TOKEN_CLOSE, NODE_NUMBER},
    {",", TOKEN_COMMA, NODE_NUMBER},
};
#define N_SYMBOLS (sizeof symbols / sizeof symbols[0])

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

static int read_name(const char *text, struct token *token, struct expression_error *error)
{
    token->kind = TOKEN_NAME;
    token->len = strspn(text + token->at, LETTERS DIGITS "._-");
    if (token->len < NAME_SIZE)
        return 0;
    return expression_fail(error, token->at + 1,
                           "the name \"%.*s...\" is longer than %d characters", NAME_SIZE - 1,
                           text + token->at, NAME_SIZE - 1);
}

/* The span includes letters, so that "1e5" is a bad number and not a number followed by a name. */
static int read_number(const char *text, struct token *token, struct expression_error *error)
{
    token->kind = TOKEN_NUMBER;
    token->node = NODE_NUMBER;
    token->len = strspn(text + token->at, LETTERS DIGITS "._");
    if (!text_to_decimal(text + token->at, token->len, &token->number))
        return expression_fail(
            error, token->at + 1,
            "\"%.*s%s\" is not a decimal number of at most 15 significant digits",
            (int)(token->len < DECIMAL_SIZE ? token->len : DECIMAL_SIZE), text + token->at,
            token->len > DECIMAL_SIZE ? "..." : "");
    if (text[token->at + token->len] == '%') {
        token->node = NODE_PERCENT;
        token->len++;
    }
    return 0;
}

static int refuse(const char *text, size_t at, struct expression_error *error)
{
    unsigned char c = (unsigned char)text[at];
    if (c == '=')
        return expression_fail(error, at + 1, "\"=\" is not an operator; equality is \"==\"");
    if (c == '%')
        return expression_fail(error, at + 1,
                               "\"%%\" has no meaning here; it may follow a number directly, once");
    if (c < 0x20 || c >= 0x7f)
        return expression_fail(error, at + 1, "the octet 0x%02x has no meaning here", c);
    return expression_fail(error, at + 1, "\"%c\" has no meaning here", c);
}

int token_read(const char *text, size_t at, struct token *token, struct expression_error *error)
{
    at += strspn(text + at, " \t");
    *token = (struct token){.kind = TOKEN_END, .at = at};
    if (text[at] == '\0')
        return 0;
    if (is_one_of(text[at], LETTERS))
        return read_name(text, token, error);
    if (is_one_of(text[at], DIGITS "."))
        return read_number(text, token, error);
    for (size_t i = 0; i < N_SYMBOLS; i++) {
        token->len = strlen(symbols[i].text);
        token->kind = symbols[i].kind;
        token->node = symbols[i].node;
        if (strncmp(text + at, symbols[i].text, token->len) == 0)
            return 0;
    }
    return refuse(text, at, error);
}
