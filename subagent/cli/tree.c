#include "cli/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/forest.h"
#include "cli/roster.h"
#include "cli/order.h"
#include "cli/span.h"

#define WIDTH 100
#define NAME_WIDTH 40
#define GROUP_WIDTH 14

enum { NAME, ROLE, STATE, GROUP, SERIAL, AGE, DEVIATIONS, REASON, SHOWN };

static const struct sheet_column shown[SHOWN] = {[NAME] = {"name", "NAME", SHEET_TEXT},
                                                 [ROLE] = {"role", "ROLE", SHEET_TEXT},
                                                 [STATE] = {"state", "STATE", SHEET_TEXT},
                                                 [GROUP] = {"group", "GROUP", SHEET_TEXT},
                                                 [SERIAL] = {"serial", "SERIAL", SHEET_NUMBER},
                                                 [AGE] = {"age", "AGE", SHEET_SPAN},
                                                 [DEVIATIONS] = {"deviations", "DEV", SHEET_NUMBER},
                                                 [REASON] = {"error", "REASON", SHEET_TEXT}};

/* -- For people ------------------------------------------------------------------------------ */

#define LINE_SIZE 400

struct line {
    char name[LINE_SIZE], group[NAME_SIZE], reason[MESSAGE_SIZE + NAME_SIZE + 40];
};

static void write_line(struct line *line, const struct member *member,
                       const struct forest_place *place)
{
    char indent[FOREST_INDENT_SIZE];
    forest_indent(indent, place->depth);
    text_format(line->name, sizeof line->name, "%s%s", indent, member->name);
    forest_cut(line->name, NAME_WIDTH);
    text_format(line->group, sizeof line->group, "%s", member->group);
    forest_cut(line->group, GROUP_WIDTH);
    if (place->astray && member->state_number == dcampTreeState_up)
        text_format(line->reason, sizeof line->reason, "its parent %s is not above it; %s",
                    member->parent, member->error);
    else
        text_format(line->reason, sizeof line->reason, "%s", member->error);
}

static struct sheet_value of_text(const char *text)
{
    return (struct sheet_value){.given = true, .text = text, .len = strlen(text)};
}

static void line_values(const struct line *line, const struct member *member,
                        struct sheet_value values[SHOWN])
{
    values[NAME] = of_text(line->name);
    values[ROLE] = of_text(member->role);
    values[STATE] = of_text(member->state);
    values[GROUP] = of_text(line->group);
    values[SERIAL] = (struct sheet_value){.given = member->serial > 0, .number = member->serial};
    values[AGE] = (struct sheet_value){.given = member->age_ms >= 0, .number = member->age_ms};
    values[DEVIATIONS] =
        (struct sheet_value){.given = member->deviations > 0, .number = member->deviations};
    values[REASON] = of_text(line->reason);
}

static void widen(size_t *width, size_t needed)
{
    *width = needed > *width ? needed : *width;
}

/* Columns left for the reason, so that no line is wider than WIDTH. */
static size_t reason_width(const struct roster *roster, const struct forest_place *places)
{
    size_t widths[REASON], all = 0;
    for (size_t i = 0; i < REASON; i++)
        widths[i] = strlen(shown[i].heading);
    for (size_t i = 0; i < roster->n; i++) {
        const struct member *member = &roster->list[places[i].node];
        struct line line;
        char text[SPAN_SIZE];
        write_line(&line, member, &places[i]);
        widen(&widths[NAME], strlen(line.name));
        widen(&widths[ROLE], strlen(member->role));
        widen(&widths[STATE], strlen(member->state));
        widen(&widths[GROUP], strlen(line.group));
        widen(&widths[SERIAL], (size_t)snprintf(NULL, 0, "%" PRId64, member->serial));
        widen(&widths[DEVIATIONS], (size_t)snprintf(NULL, 0, "%" PRId64, member->deviations));
        span_format(text, member->age_ms);
        widen(&widths[AGE], strlen(text));
    }
    for (size_t i = 0; i < REASON; i++)
        all += widths[i] + 2;
    return all + strlen("REASON") < WIDTH ? WIDTH - all : strlen("REASON");
}

static bool add_lines(struct sheet *sheet, const struct roster *roster,
                      const struct forest_place *places)
{
    size_t width = reason_width(roster, places);
    bool good = true;
    for (size_t i = 0; good && i < roster->n; i++) {
        const struct member *member = &roster->list[places[i].node];
        struct sheet_value values[SHOWN];
        struct line line;
        write_line(&line, member, &places[i]);
        forest_cut(line.reason, width);
        line_values(&line, member, values);
        good = sheet_add(sheet, values);
    }
    return good;
}

/* -- For programs ---------------------------------------------------------------------------- */

static bool add_rows(struct sheet *sheet, const struct roster *roster,
                     const struct forest_place *places)
{
    bool good = true;
    for (size_t i = 0; good && i < roster->n; i++) {
        struct sheet_value values[MEMBER_COLUMNS];
        member_values(&roster->list[places[i].node], values);
        good = sheet_add(sheet, values);
    }
    return good;
}

/* -- All of it ------------------------------------------------------------------------------- */

/* NULL: no memory. */
static struct forest_place *place_members(const struct roster *roster)
{
    struct forest_node *nodes = reallocarray(NULL, roster->n + 1, sizeof *nodes);
    struct forest_place *places = reallocarray(NULL, roster->n + 1, sizeof *places);
    for (size_t i = 0; nodes && i < roster->n; i++)
        nodes[i] = (struct forest_node){roster->list[i].name, roster->list[i].parent};
    if (!nodes || !places || !forest_layout(nodes, roster->n, places)) {
        free(places);
        places = NULL;
    }
    free(nodes);
    return places;
}

static void print_tree(struct question *question, const struct roster *roster)
{
    bool table = question->command->format == SHEET_TABLE;
    struct forest_place *places = place_members(roster);
    struct sheet *sheet =
        table ? sheet_new(shown, SHOWN) : sheet_new(member_columns, MEMBER_COLUMNS);
    if (!places || !sheet ||
        !(table ? add_lines(sheet, roster, places) : add_rows(sheet, roster, places)))
        question_no_memory(question);
    else
        question_print(question, sheet);
    sheet_free(sheet);
    free(places);
}

enum exit_status tree_run(const struct command *command, struct client *client, FILE *to,
                          FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct roster roster = {.list = NULL};
    struct standing standing;
    if (order_ask_root(&question, &standing) && roster_read(&question, &roster))
        print_tree(&question, &roster);
    roster_free(&roster);
    return question.status;
}
