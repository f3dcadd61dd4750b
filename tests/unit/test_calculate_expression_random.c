/* Random expressions: a tree is made, evaluated as a tree, printed with no more parentheses than it
 * needs and some that it does not, and must give the same double after parsing. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/expression.h"
#include "calculate/expression_evaluate.h"

#include "unit.h"

#define ROUNDS 30000
#define DEPTH 6

struct tree {
    char what; /* one of operators[], 'n' number, 'v' sensor, '_' sign, 'm' 'M' 'A' 'L' functions */
    double number;
    size_t n_parts;
    struct tree *parts[4];
};

static const char operators[] = "+-*/<l>g=!";

static unsigned below(uint64_t *seed, unsigned limit)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (unsigned)((*seed * UINT64_C(2685821657736338717)) >> 33) % limit;
}

static struct tree *make(uint64_t *seed, unsigned depth)
{
    struct tree *tree = calloc(1, sizeof *tree);
    assert_non_null(tree);
    unsigned kind = depth == 0 ? below(seed, 4) : below(seed, 20);
    if (kind < 2) {
        tree->what = 'n';
        tree->number = below(seed, 2000) / 8.0;
        return tree;
    }
    if (kind < 4) {
        tree->what = 'v';
        tree->number = below(seed, 5);
        return tree;
    }
    tree->n_parts = kind < 7 ? 1 : kind < 9 ? 2 + below(seed, 3) : 2;
    tree->what = kind < 7   ? "_AL"[kind - 4]
                 : kind < 9 ? "mM"[kind - 7]
                            : operators[below(seed, 10)];
    for (size_t i = 0; i < tree->n_parts; i++)
        tree->parts[i] = make(seed, depth - 1);
    return tree;
}

static void drop(struct tree *tree)
{
    for (size_t i = 0; i < tree->n_parts; i++)
        drop(tree->parts[i]);
    free(tree);
}

static const char *const names[] = {"a", "b-c", "d.e", "log", "x-"};
static const double values[] = {3, -0.5, 0, 1e6, 17.25};

static bool value_of(void *context, size_t position, const char *name, double *value)
{
    (void)context;
    (void)position;
    for (size_t i = 0; i < 5; i++)
        if (strcmp(names[i], name) == 0)
            return *value = values[i], true;
    return false;
}

/* Not a number, and so is everything above it, where there is no result. */
static double combine(char what, double a, double b)
{
    double result = what == '+'   ? a + b
                    : what == '-' ? a - b
                    : what == '*' ? a * b
                    : what == '/' ? a / b
                    : what == '<' ? a < b
                    : what == 'l' ? a <= b
                    : what == '>' ? a > b
                    : what == 'g' ? a >= b
                    : what == '=' ? a == b
                    : what == '!' ? a != b
                    : what == 'm' ? (a < b ? a : b)
                                  : (a > b ? a : b);
    return isnan(a) || isnan(b) || !isfinite(result) ? NAN : result;
}

static double reference(const struct tree *tree)
{
    if (tree->n_parts == 0)
        return tree->what == 'n' ? tree->number : values[(int)tree->number];
    double result = reference(tree->parts[0]);
    if (tree->what == '_')
        return -result;
    if (tree->what == 'A')
        return fabs(result);
    if (tree->what == 'L')
        return result > 0 ? log(result) : NAN;
    for (size_t i = 1; i < tree->n_parts; i++)
        result = combine(tree->what, result, reference(tree->parts[i]));
    return result;
}

static int level(const struct tree *tree)
{
    const char *at = strchr(operators, tree->what);
    return !at ? 4 : at - operators < 2 ? 2 : at - operators < 4 ? 3 : 1;
}

struct output {
    char text[4096];
    uint64_t *seed;
};

static void put(struct output *out, const char *piece)
{
    assert_true(strlen(out->text) + strlen(piece) < sizeof out->text);
    strcat(out->text, piece);
}

static void blank(struct output *out, bool needed)
{
    if (needed || below(out->seed, 2))
        put(out, below(out->seed, 4) ? " " : "\t ");
}

static void print(struct output *out, const struct tree *tree, int least);

static void print_call(struct output *out, const struct tree *tree)
{
    put(out, tree->what == 'm'   ? "min"
             : tree->what == 'M' ? "max"
             : tree->what == 'A' ? "abs"
                                 : "log");
    blank(out, false);
    put(out, "(");
    for (size_t i = 0; i < tree->n_parts; i++) {
        put(out, i ? "," : "");
        blank(out, false);
        print(out, tree->parts[i], 1);
        blank(out, false);
    }
    put(out, ")");
}

static void print_binary(struct output *out, const struct tree *tree)
{
    static const char *const symbols[] = {"+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!="};
    int here = level(tree);
    /* A comparison takes no comparison on either side. */
    print(out, tree->parts[0], here == 1 ? 2 : here);
    blank(out, tree->what == '-');
    put(out, symbols[strchr(operators, tree->what) - operators]);
    blank(out, false);
    print(out, tree->parts[1], here + 1);
}

static void print_leaf(struct output *out, const struct tree *tree)
{
    char text[32];
    snprintf(text, sizeof text, "%.10g", tree->number);
    put(out, tree->what == 'n' ? text : names[(int)tree->number]);
    put(out, tree->what == 'n' && below(out->seed, 4) == 0 ? "%" : "");
}

static void print(struct output *out, const struct tree *tree, int least)
{
    bool group = level(tree) < least || below(out->seed, 12) == 0;
    put(out, group ? "(" : "");
    if (tree->what == '_') {
        put(out, "-");
        blank(out, false);
        print(out, tree->parts[0], 4);
    } else if (level(tree) < 4) {
        print_binary(out, tree);
    } else if (tree->n_parts > 0) {
        print_call(out, tree);
    } else {
        print_leaf(out, tree);
    }
    put(out, group ? ")" : "");
}

static void test_random_expressions(void **state)
{
    (void)state;
    uint64_t seed = 1;
    unsigned checked = 0, unavailable = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct tree *tree = make(&seed, below(&seed, DEPTH));
        struct output out = {.seed = &seed};
        print(&out, tree, 1);
        struct expression *e = NULL;
        struct expression_error error;
        double ours = NAN, exact = reference(tree);
        if (strlen(out.text) <= EXPRESSION_TEXT_MAX) {
            if (expression_parse(out.text, &e, &error) != 0)
                fail_msg("\"%s\", column %zu: %s", out.text, error.column, error.text);
            bool available = expression_evaluate(e, value_of, NULL, &ours);
            if (isnan(exact) ? available : !available || ours != exact)
                fail_msg("\"%s\": %.17g instead of %.17g", out.text, ours, exact);
            checked++;
            unavailable += !available;
        }
        expression_free(e);
        drop(tree);
    }
    assert_true(checked > ROUNDS / 2 && unavailable > 100 && unavailable < checked / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
