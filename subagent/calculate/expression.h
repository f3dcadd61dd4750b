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
 * it, it has the unit "%", and its value is the number as written: "100% * mem.used / mem.total" is
 * in percent, and "cpu.busy > 90%" is true above 90, not above 0.9.
 *
 * A name is that of a sensor: a letter, then as many of [A-Za-z0-9._-] as follow, up to 32 in all.
 * It takes every such character: "a-b" and "a-" are names, so that a minus after a name needs a
 * blank before it: "a - b", "a -b". After anything else it needs none: "3-a", "(a)-b".
 *
 * The functions are min and max of two or more values, abs of one, and log (natural) of one. These
 * words are functions only before a "("; elsewhere they are names. */
#ifndef DCAMP_CALCULATE_EXPRESSION_H
#define DCAMP_CALCULATE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"
#include "calculate/unit.h"

#define EXPRESSION_TEXT_MAX 255 /* octets: a DisplayString */
#define EXPRESSION_DEPTH_MAX 32 /* parentheses, functions and signs in each other */
#define EXPRESSION_NAMES_MAX 32 /* different sensors */

/* It does not change once it is parsed. */
struct expression;

struct expression_error {
    size_t column; /* counted from 1; one past the end of the text if something is missing there */
    char text[MESSAGE_SIZE];
};

/* Returns 0; EINVAL with the error; or ENOMEM (the error says so, too). After an error, *expression
 * is unchanged. */
int expression_parse(const char *text, struct expression **expression,
                     struct expression_error *error);
void expression_free(struct expression *expression);

/* The sensors that the expression refers to, each once, in the order of their first appearance;
 * NULL after the last one. */
const char *expression_names(const struct expression *expression, size_t i);

/* How many sensors those are: at most EXPRESSION_NAMES_MAX. */
size_t expression_name_count(const struct expression *expression);

#endif
