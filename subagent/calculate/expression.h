/* Expressions over the values of sensors, by which a derived sensor is defined. Pure.
 *
 *     comparison = sum [ ( "<" / "<=" / ">" / ">=" / "==" / "!=" ) sum ]     1 if true, else 0
 *     sum        = product *( ( "+" / "-" ) product )
 *     product    = operand *( ( "*" / "/" ) operand )
 *     operand    = number [ "%" ] / name / "-" operand / "(" comparison ")"
 *                / function "(" comparison *( "," comparison ) ")"
 *
 * Operators of one line group from the left; comparisons do not chain. Between tokens there may be
 * blanks and tabs, but none between a number and its "%".
 *
 * A number is digits, or digits, a point and digits: see text_to_decimal. With a "%" directly after
 * it, it is of the unit "%"; its value is the number as written: "100% * mem.used / mem.total" is
 * in percent, and "cpu.busy > 90%" is true above 90, not above 0.9.
 *
 * A name is that of a sensor: a letter, then as many of [A-Za-z0-9._-] as there are, up to 32 in
 * all. It takes what it can: "a-b" and "a-" are names, so that a minus after a name needs a blank
 * before it: "a - b", "a -b". After anything else it needs none: "3-a", "(a)-b".
 *
 * Functions: min and max of two or more values, abs, log (natural) of one. These words are
 * functions only before a "(": elsewhere they are names. */
#ifndef DCAMP_CALCULATE_EXPRESSION_H
#define DCAMP_CALCULATE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"
#include "calculate/unit.h"

#define EXPRESSION_TEXT_MAX 255 /* octets: a DisplayString */
#define EXPRESSION_DEPTH_MAX 32 /* parentheses, functions and signs in each other */
#define EXPRESSION_NAMES_MAX 32 /* different sensors */

/* Immutable once parsed. */
struct expression;

struct expression_error {
    size_t column; /* from 1; one past the end where something is missing there */
    char text[MESSAGE_SIZE];
};

/* EINVAL with the error, ENOMEM (the error says so, too); then *expression is unchanged. */
int expression_parse(const char *text, struct expression **expression,
                     struct expression_error *error);
void expression_free(struct expression *expression);

/* The sensors that it refers to, each once, in the order of their first appearance; NULL after the
 * last one. */
const char *expression_names(const struct expression *expression, size_t i);

/* How many those are: at most EXPRESSION_NAMES_MAX. */
size_t expression_name_count(const struct expression *expression);

/* The unit of a sensor's values, as unit.h has it; NULL where there is no such sensor. The text
 * must stay until expression_unit returns. */
typedef const char *expression_unit_fn(void *context, const char *name);

/* The unit of the result. What is built of numbers without "%" alone has none, yet may be added to
 * and compared with anything: "cpu - 10" is in percent if cpu is. For everything else:
 *   + - min max and comparisons need the same unit on both sides; a comparison has no unit;
 *   * / multiply and divide the units, too;
 *   abs and the sign keep the unit;
 *   log takes the number in whatever unit it is; its result has none.
 * EINVAL with the error and the column of the operator, name or number, 1 for the whole; then text
 * is unchanged. */
int expression_unit(const struct expression *expression, expression_unit_fn *lookup, void *context,
                    char text[UNIT_SIZE], struct expression_error *error);

/* The value of a sensor; false where it has none now. Its name is expression_names(expression, i),
 * so that who keeps the sensors in that order needs no look-up by name. */
typedef bool expression_value_fn(void *context, size_t i, const char *name, double *value);

/* Asks once for each name, in the order of expression_names, up to the first without a value.
 * False, and no change, if the result is unavailable: an input is missing or not finite, a division
 * by 0, the log of 0 or less, a step that is not finite. Allocates nothing. */
bool expression_evaluate(const struct expression *expression, expression_value_fn *lookup,
                         void *context, double *result);

/* The expression of a derived sensor; NULL where the name is no derived sensor. It must stay until
 * expression_cycle returns. */
typedef const struct expression *expression_of_fn(void *context, const char *name);

/* Looks for a sensor that is defined by itself, among all that the named one refers to, directly or
 * not, and itself. ELOOP with a description such as "a -> b -> a", with "..." where it does not
 * fit; 0 if there is none; ENOMEM. Takes time for each reference once. */
int expression_cycle(const char *name, expression_of_fn *of, void *context,
                     char text[MESSAGE_SIZE]);

#endif
