#include "load/scenario.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The state while an expression is parsed. */
struct parser {
    const char *text, *at, *end;
    struct scenario *scenario;
    struct scenario_error *error;
    int status;
    uint32_t depth;
    uint32_t node_room, part_room, name_room;
};

/* -- Errors ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Continuation octets of UTF-8 characters do not count as columns. */
static void find_place(const struct parser *parser, const char *at, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (const char *c = parser->text; c < at; c++) {
        if (*c == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)*c & 0xc0) != 0x80) {
            ++*column;
        }
    }
}

static bool fail(struct parser *parser, const char *at, int status, const char *text)
{
    if (parser->status == 0) {
        parser->status = status;
        find_place(parser, at, &parser->error->line, &parser->error->column);
        text_format(parser->error->text, sizeof parser->error->text, "%s", text);
    }
    return false;
}

static bool fail_memory(struct parser *parser)
{
    return fail(parser, parser->at, ENOMEM, "out of memory");
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

static size_t word_length(const struct parser *parser)
{
    size_t len = 0;
    while (parser->at + len < parser->end && is_word(parser->at[len]))
        len++;
    return len;
}

/* "expected X, found Y". What is found may be anything; it is shown as far as it is readable. */
static bool fail_expected(struct parser *parser, const char *expected)
{
    char found[48], text[MESSAGE_SIZE];
    size_t len = word_length(parser);
    int shown = len > 32 ? 32 : (int)len;
    if (parser->at == parser->end)
        text_format(found, sizeof found, "the end");
    else if (shown > 0)
        text_format(found, sizeof found, "\"%.*s\"", shown, parser->at);
    else if (*parser->at > ' ' && *parser->at <= '~')
        text_format(found, sizeof found, "\"%c\"", *parser->at);
    else
        text_format(found, sizeof found, "the octet 0x%02x", (unsigned)(unsigned char)*parser->at);
    text_format(text, sizeof text, "expected %s, found %s", expected, found);
    return fail(parser, parser->at, EINVAL, text);
}

/* -- Words ----------------------------------------------------------------------------------- */

static void skip_blanks(struct parser *parser)
{
    while (parser->at < parser->end && is_blank(*parser->at))
        parser->at++;
}

static bool comes(struct parser *parser, char c)
{
    skip_blanks(parser);
    return parser->at < parser->end && *parser->at == c;
}

static bool take(struct parser *parser, char c, const char *expected)
{
    if (!comes(parser, c))
        return fail_expected(parser, expected);
    parser->at++;
    return true;
}

static bool comes_digit(struct parser *parser)
{
    skip_blanks(parser);
    return parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9';
}

static bool take_number(struct parser *parser, const char *what, uint64_t least, uint64_t most,
                        uint64_t *number)
{
    if (!comes_digit(parser))
        return fail_expected(parser, what);
    const char *begin = parser->at;
    size_t len = word_length(parser);
    bool is_good = true;
    *number = 0;
    for (size_t i = 0; i < len && is_good; i++) {
        is_good = begin[i] >= '0' && begin[i] <= '9' && *number <= most / 10;
        *number = *number * 10 + (uint64_t)(begin[i] - '0');
    }
    if (!is_good || *number < least || *number > most)
        return fail_expected(parser, what);
    parser->at += len;
    return true;
}

/* -- The tree -------------------------------------------------------------------------------- */

/* Makes room for one more element; the room is doubled, so that adding many is cheap. */
static bool make_room(struct parser *parser, void **elements, uint32_t n, uint32_t *room,
                      size_t size)
{
    if (n < *room)
        return true;
    uint32_t more = *room ? *room * 2 : 16;
    void *grown = reallocarray(*elements, more, size);
    if (!grown)
        return fail_memory(parser);
    *elements = grown;
    *room = more;
    return true;
}

static bool add_node(struct parser *parser, const struct scenario_node *node, uint32_t *place)
{
    struct scenario *scenario = parser->scenario;
    void *nodes = scenario->node;
    if (!make_room(parser, &nodes, scenario->n_nodes, &parser->node_room, sizeof *node))
        return false;
    scenario->node = nodes;
    *place = scenario->n_nodes;
    scenario->node[scenario->n_nodes++] = *node;
    return true;
}

static bool add_part(struct parser *parser, uint32_t place)
{
    struct scenario *scenario = parser->scenario;
    void *parts = scenario->part;
    if (!make_room(parser, &parts, scenario->n_parts, &parser->part_room, sizeof place))
        return false;
    scenario->part = parts;
    scenario->part[scenario->n_parts++] = place;
    return true;
}

static bool find_name(struct parser *parser, const char *at, const char *name, size_t len,
                      uint32_t *place)
{
    struct scenario *scenario = parser->scenario;
    for (*place = 0; *place < scenario->n_names; ++*place)
        if (strncmp(scenario->name[*place].text, name, len) == 0 &&
            !scenario->name[*place].text[len])
            return true;
    if (scenario->n_names == SCENARIO_NAMES_MAX)
        return fail(parser, at, EINVAL, "there are more than 256 names of operations");
    void *names = scenario->name;
    if (!make_room(parser, &names, scenario->n_names, &parser->name_room, sizeof *scenario->name))
        return false;
    scenario->name = names;
    struct scenario_name *added = &scenario->name[scenario->n_names++];
    *added = (struct scenario_name){0};
    memcpy(added->text, name, len);
    find_place(parser, at, &added->line, &added->column);
    return true;
}

static bool nameless(struct parser *parser, uint32_t *place)
{
    return find_name(parser, parser->at, SCENARIO_ONCE, strlen(SCENARIO_ONCE), place);
}

/* -- How many operations --------------------------------------------------------------------- */

static const struct scenario_node *part_of(const struct scenario *scenario,
                                           const struct scenario_node *node, uint32_t i)
{
    return &scenario->node[scenario->part[node->first + i]];
}

static bool count_list(const struct scenario *scenario, struct scenario_node *node)
{
    node->is_idle = true;
    for (uint32_t i = 0; i < node->n; i++) {
        const struct scenario_node *part = part_of(scenario, node, i);
        if (__builtin_add_overflow(node->least, part->least, &node->least) ||
            __builtin_add_overflow(node->most, part->most, &node->most))
            return false;
        node->mean += part->mean;
        node->is_idle = node->is_idle && part->is_idle;
    }
    return true;
}

static void count_random(const struct scenario *scenario, struct scenario_node *node)
{
    node->least = UINT64_MAX;
    node->is_idle = true;
    for (uint32_t i = 0; i < node->n; i++) {
        const struct scenario_node *part = part_of(scenario, node, i);
        node->least = part->least < node->least ? part->least : node->least;
        node->most = part->most > node->most ? part->most : node->most;
        node->mean += part->mean / node->n;
        node->is_idle = node->is_idle && part->is_idle;
    }
}

static bool count_loop(const struct scenario *scenario, struct scenario_node *node)
{
    static const struct scenario_node one = {.least = 1, .most = 1, .mean = 1};
    const struct scenario_node *part = node->n ? part_of(scenario, node, 0) : &one;
    node->mean = part->mean * (double)node->times;
    node->is_idle = node->times == 0 || (part->is_idle && node->pause_ms == 0);
    return !__builtin_mul_overflow(part->least, node->times, &node->least) &&
           !__builtin_mul_overflow(part->most, node->times, &node->most);
}

static bool count(struct parser *parser, struct scenario_node *node, const char *begin)
{
    bool is_counted = true;
    if (node->kind == SCENARIO_IS_LIST)
        is_counted = count_list(parser->scenario, node);
    else if (node->kind == SCENARIO_IS_RANDOM)
        count_random(parser->scenario, node);
    else if (node->kind == SCENARIO_IS_LOOP)
        is_counted = count_loop(parser->scenario, node);
    else
        node->least = node->most = 1, node->mean = 1;
    return is_counted || fail(parser, begin, EINVAL, "this stands for 2^64 operations or more");
}

/* -- Expressions ----------------------------------------------------------------------------- */

static bool take_expression(struct parser *parser, uint32_t *place);

static bool take_once(struct parser *parser, struct scenario_node *node)
{
    if (comes(parser, ')'))
        return nameless(parser, &node->operation);
    size_t len = word_length(parser);
    if (!text_is_name(parser->at, len))
        return fail_expected(parser,
                             "\")\", or a name of 1 to 32 of the characters A-Z a-z 0-9 . _ -");
    const char *name = parser->at;
    parser->at += len;
    return find_name(parser, name, name, len, &node->operation);
}

/* Nested expressions add their parts to the scenario first, so the parts of this expression are
 * collected separately until all are there. */
static bool take_parts(struct parser *parser, struct scenario_node *node)
{
    uint32_t *parts = NULL, room = 0, n = 0;
    bool is_good = true;
    do {
        void *grown = parts;
        is_good = make_room(parser, &grown, n, &room, sizeof *parts);
        parts = grown;
        is_good = is_good && take_expression(parser, &parts[n]);
        n++;
    } while (is_good && comes(parser, ',') && take(parser, ',', "\",\""));
    node->first = parser->scenario->n_parts;
    node->n = n;
    for (uint32_t i = 0; i < n && is_good; i++)
        is_good = add_part(parser, parts[i]);
    free(parts);
    return is_good;
}

static const struct form *find_form(struct parser *parser, size_t *len);

static bool take_body(struct parser *parser, struct scenario_node *node)
{
    uint32_t place;
    size_t len;
    if (comes_digit(parser))
        return nameless(parser, &node->operation);
    if (!find_form(parser, &len))
        return fail_expected(parser,
                             "how often, from 0 to 10^18, or once(, list(, random( or loop(");
    if (!take_expression(parser, &place) || !take(parser, ',', "\",\" and how often"))
        return false;
    node->first = parser->scenario->n_parts;
    node->n = 1;
    return add_part(parser, place);
}

static bool take_loop(struct parser *parser, struct scenario_node *node)
{
    if (!take_body(parser, node) ||
        !take_number(parser, "how often, from 0 to 10^18", 0, SCENARIO_TIMES_MAX, &node->times))
        return false;
    return !comes(parser, ',') || (take(parser, ',', "\",\"") &&
                                   take_number(parser, "a pause in milliseconds, from 0 to 10^12",
                                               0, SCENARIO_PAUSE_MAX, &node->pause_ms));
}

struct form {
    const char *word;
    enum scenario_kind kind;
    bool (*take)(struct parser *parser, struct scenario_node *node);
    const char *ends; /* what may follow its last part */
};

static const struct form forms[] = {
    {"once", SCENARIO_IS_ONCE, take_once, "\")\""},
    {"list", SCENARIO_IS_LIST, take_parts, "\",\" or \")\""},
    {"random", SCENARIO_IS_RANDOM, take_parts, "\",\" or \")\""},
    {"loop", SCENARIO_IS_LOOP, take_loop, "\",\" or \")\""},
};

/* Returns NULL if what follows is none. */
static const struct form *find_form(struct parser *parser, size_t *len)
{
    skip_blanks(parser);
    *len = word_length(parser);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strlen(forms[i].word) == *len && memcmp(forms[i].word, parser->at, *len) == 0)
            return &forms[i];
    return NULL;
}

static const struct form *take_word(struct parser *parser)
{
    size_t len;
    const struct form *form = find_form(parser, &len);
    if (form)
        parser->at += len;
    else
        fail_expected(parser, "once(, list(, random( or loop(");
    return form;
}

static bool take_expression(struct parser *parser, uint32_t *place)
{
    skip_blanks(parser);
    const char *begin = parser->at;
    const struct form *form = take_word(parser);
    if (!form)
        return false;
    if (parser->depth == SCENARIO_DEPTH_MAX)
        return fail(parser, begin, EINVAL, "more than 256 expressions are in each other");
    if (++parser->depth > parser->scenario->depth)
        parser->scenario->depth = parser->depth;
    struct scenario_node node = {.kind = form->kind};
    bool is_good = take(parser, '(', "\"(\"") && form->take(parser, &node) &&
                   take(parser, ')', form->ends) && count(parser, &node, begin) &&
                   add_node(parser, &node, place);
    parser->depth--;
    return is_good;
}

int scenario_parse(struct scenario *scenario, const char *text, size_t len,
                   struct scenario_error *error)
{
    struct parser parser = {
        .text = text, .at = text, .end = text + len, .scenario = scenario, .error = error};
    uint32_t root;
    *scenario = (struct scenario){0};
    *error = (struct scenario_error){0};
    if (len > SCENARIO_TEXT_MAX)
        fail(&parser, text, EINVAL, "the expression is longer than 1 MiB");
    else if (take_expression(&parser, &root)) {
        skip_blanks(&parser);
        if (parser.at < parser.end)
            fail_expected(&parser, "the end of the expression");
    }
    if (parser.status != 0)
        scenario_release(scenario);
    return parser.status;
}

void scenario_release(struct scenario *scenario)
{
    free(scenario->node);
    free(scenario->part);
    free(scenario->name);
    *scenario = (struct scenario){0};
}

const struct scenario_node *scenario_root(const struct scenario *scenario)
{
    return &scenario->node[scenario->n_nodes - 1];
}
