/* Fuzz target: any text as an expression, then its unit, value and cycles; and as a unit. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "calculate/expression.h"
#include "calculate/expression_evaluate.h"
#include "calculate/expression_cycle.h"
#include "calculate/expression_unit.h"
#include "main.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash >> 8;
}

static const char *unit_of(void *context, const char *name)
{
    static const char *const units[] = {"", "B", "s", "B/s", "%", "1/s", "s^9", "a b", NULL};
    (void)context;
    return units[hash_of(name) % 9];
}

static bool value_of(void *context, size_t i, const char *name, double *value)
{
    static const double values[] = {0, 1, -1, 1e-9, 1e300, INFINITY, NAN};
    expect(name == expression_names(context, i));
    *value = values[hash_of(name) % 7];
    return hash_of(name) % 8 != 7;
}

/* Every other sensor is defined by the same expression. */
static const struct expression *expression_of(void *context, const char *name)
{
    return hash_of(name) % 2 ? context : NULL;
}

static void check_names(const struct expression *expression)
{
    size_t count = expression_name_count(expression);
    expect(count <= EXPRESSION_NAMES_MAX && !expression_names(expression, count));
    for (size_t i = 0; i < count; i++) {
        const char *name = expression_names(expression, i);
        expect(name && text_is_name(name, strlen(name)));
    }
}

static void check_expression(const struct expression *expression, size_t size)
{
    struct expression_error error = {0};
    char unit[UNIT_SIZE] = "", cycle[MESSAGE_SIZE] = "";
    double result = 0;
    check_names(expression);
    if (expression_unit(expression, unit_of, NULL, unit, &error) != 0)
        expect(error.column >= 1 && error.column <= size && error.text[0] != '\0');
    expression_evaluate(expression, value_of, (void *)(uintptr_t)expression, &result);
    expect(isfinite(result));
    bool cyclic = expression_cycle("start-1", expression_of, (void *)(uintptr_t)expression, cycle);
    expect(cyclic == (strstr(cycle, " -> ") != NULL));
}

static void check_unit(const char *text)
{
    struct unit_names names = {0};
    struct unit unit, again;
    char printed[UNIT_SIZE];
    if (!unit_parse(&names, text, &unit) || !unit_print(&names, &unit, printed))
        return;
    expect(unit_parse(&names, printed, &again) && unit_equal(&unit, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct expression *expression = NULL;
    struct expression_error error = {0};
    char *text = malloc(size + 1);
    expect(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    size_t len = strlen(text);
    if (expression_parse(text, &expression, &error) == 0) {
        expect(error.column == 0);
        check_expression(expression, len);
        expression_free(expression);
    } else {
        expect(error.column >= 1 && error.column <= len + 1);
        expect(text_is_printable(error.text, strlen(error.text)) || strchr(error.text, ';') ||
               strchr(error.text, '|'));
    }
    check_unit(text);
    free(text);
    return 0;
}
