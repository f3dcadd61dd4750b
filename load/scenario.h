/* Load scenarios: an expression says what is done, how often, and in which order. Pure.
 *
 * The language is that of the JVM test framework of 2015 that dCAMP continues, with names as the
 * only addition:
 *
 *     expression = once / list / random / loop
 *     once       = "once" "(" [ name ] ")"               one operation; without a name, "once"
 *     list       = "list" "(" expression *( "," expression ) ")"      one after the other
 *     random     = "random" "(" expression *( "," expression ) ")"    one of them, by chance
 *     loop       = "loop" "(" [ expression "," ] number [ "," pause ] ")"
 *
 * loop(e, n, pause) does e n times, with the pause after each time, including the last one; loop(n)
 * and loop(n, pause) do one operation without a name n times. Numbers are decimal integers: n is
 * from 0 to 10^18, a pause is in milliseconds, from 0 to 10^12. A name is 1 to 32 of the characters
 * A-Z a-z 0-9 . _ -. Blanks, tabs and ends of lines may stand between any two words. */
#ifndef DCAMP_LOAD_SCENARIO_H
#define DCAMP_LOAD_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

#define SCENARIO_TEXT_MAX (1 << 20) /* octets */
#define SCENARIO_DEPTH_MAX 256      /* nested expressions */
#define SCENARIO_NAMES_MAX 256      /* different operations */
#define SCENARIO_TIMES_MAX UINT64_C(1000000000000000000)
#define SCENARIO_PAUSE_MAX UINT64_C(1000000000000)
#define SCENARIO_ONCE "once" /* the name of an operation that has none */

enum scenario_kind { SCENARIO_IS_ONCE, SCENARIO_IS_LIST, SCENARIO_IS_RANDOM, SCENARIO_IS_LOOP };

/* An expression. Its parts are n numbers in scenario.part, from first on; these are indexes of
 * scenario.node. A loop of one operation without a name has no parts. */
struct scenario_node {
    enum scenario_kind kind;
    uint32_t first, n;
    uint32_t operation;   /* of once and of such a loop: an index of scenario.name */
    uint64_t times;       /* of a loop */
    uint64_t pause_ms;    /* of a loop */
    uint64_t least, most; /* how many operations it stands for, depending on chance */
    double mean;          /* the average number of operations */
    bool is_idle;         /* it never has any operation or pause, whatever is chosen by chance */
};

/* A name of operations, and where it occurs first, in the same units as in errors. */
struct scenario_name {
    char text[NAME_SIZE];
    size_t line, column;
};

/* It does not change after it was parsed; the root is the last node. */
struct scenario {
    struct scenario_node *node;
    uint32_t n_nodes;
    uint32_t *part;
    uint32_t n_parts;
    struct scenario_name *name; /* of operations, in the order of their first appearance */
    uint32_t n_names;
    uint32_t depth; /* of nested expressions; 1 if there is only one */
};

struct scenario_error {
    size_t line, column; /* from 1, in characters of UTF-8 */
    char text[MESSAGE_SIZE];
};

/* Returns EINVAL with the error, or ENOMEM (the error says so, too); then there is nothing to
 * release. The text need not end with a NUL and may contain any octets. */
int scenario_parse(struct scenario *scenario, const char *text, size_t len,
                   struct scenario_error *error);
void scenario_release(struct scenario *scenario);

const struct scenario_node *scenario_root(const struct scenario *scenario);

#endif
