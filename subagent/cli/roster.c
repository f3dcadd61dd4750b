#include "cli/roster.h"

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/text.h"

/* -- What there is to be known --------------------------------------------------------------- */

enum {
    ADDRESS,
    ROLE,
    PARENT,
    LEVEL,
    GROUP,
    STATE,
    AGE,
    TERM,
    SERIAL,
    DIGEST,
    DEVIATIONS,
    DCAMPD_VERSION,
    ERROR,
    FOUND,
    COLUMNS
};

static const enum mib_object objects[COLUMNS] = {
    [ADDRESS] = MIB_dcampTreeAddress,
    [ROLE] = MIB_dcampTreeRole,
    [PARENT] = MIB_dcampTreeParent,
    [LEVEL] = MIB_dcampTreeLevel,
    [GROUP] = MIB_dcampTreeGroup,
    [STATE] = MIB_dcampTreeState,
    [AGE] = MIB_dcampTreeAge,
    [TERM] = MIB_dcampTreeTerm,
    [SERIAL] = MIB_dcampTreeNodeSerial,
    [DIGEST] = MIB_dcampTreeNodeDigest,
    [DEVIATIONS] = MIB_dcampTreeNodeDeviations,
    [DCAMPD_VERSION] = MIB_dcampTreeVersion,
    [ERROR] = MIB_dcampTreeError,
    [FOUND] = MIB_dcampTreeFound,
};

const struct sheet_column member_columns[MEMBER_COLUMNS] = {
    {"name", "NAME", SHEET_TEXT},       {"role", "ROLE", SHEET_TEXT},
    {"state", "STATE", SHEET_TEXT},     {"parent", NULL, SHEET_TEXT},
    {"group", "GROUP", SHEET_TEXT},     {"serial", "SERIAL", SHEET_NUMBER},
    {"digest", NULL, SHEET_TEXT},       {"term", NULL, SHEET_NUMBER},
    {"address", "ADDRESS", SHEET_TEXT}, {"level", NULL, SHEET_NUMBER},
    {"age", "AGE", SHEET_SPAN},         {"deviations", NULL, SHEET_NUMBER},
    {"version", NULL, SHEET_TEXT},      {"error", "REASON", SHEET_TEXT},
    {"found", NULL, SHEET_TEXT}};

/* -- The table ------------------------------------------------------------------------------- */

static bool make_room(struct roster *roster)
{
    if (roster->n < roster->room)
        return true;
    size_t room = roster->room * 2 + 64;
    struct member *list = reallocarray(roster->list, room, sizeof *list);
    if (!list)
        return false;
    roster->list = list;
    roster->room = room;
    return true;
}

struct reading {
    struct question *question;
    struct roster *roster;
};

static bool take_member(void *context, const struct cell *cell)
{
    struct reading *reading = context;
    struct roster *roster = reading->roster;
    struct member member = {.role = "", .state = "", .found = "", .level = -1, .age_ms = -1};
    size_t at = 0;
    question_progress(reading->question);
    if (!cell_index_text(cell, &at, member.name, sizeof member.name) ||
        !text_is_name(member.name, strlen(member.name)))
        return true;
    if (roster->n == ROSTER_MAX)
        return question_fail(reading->question, EXIT_BROKEN, "more nodes than any tree has");
    if (!make_room(roster))
        return question_no_memory(reading->question);
    roster->list[roster->n++] = member;
    return true;
}

static bool take_text(char *to, size_t size, const struct cell *cell)
{
    char *clean = sheet_clean(cell->text, cell->kind == CELL_TEXT ? cell->text_len : 0);
    text_format(to, size, "%s", clean ? clean : "");
    free(clean);
    return clean != NULL;
}

static int64_t number_of(const struct cell *cell, int64_t missing)
{
    return cell->kind == CELL_NUMBER ? cell->number : missing;
}

/* What the root says of a node; false: no memory. */
static bool fill_member(struct member *member, const struct cell *cells)
{
    const struct cell *digest = &cells[DIGEST], *error = &cells[ERROR];
    member->role = cell_label(&cells[ROLE]);
    member->state = cell_label(&cells[STATE]);
    member->found = cells[FOUND].kind == CELL_NUMBER ? cell_label(&cells[FOUND]) : "";
    member->state_number = number_of(&cells[STATE], 0);
    member->level = number_of(&cells[LEVEL], -1);
    member->age_ms = number_of(&cells[AGE], -1);
    member->serial = number_of(&cells[SERIAL], 0);
    member->term = number_of(&cells[TERM], 0);
    member->deviations = number_of(&cells[DEVIATIONS], 0);
    if (digest->kind == CELL_TEXT && digest->text_len == PACKED_DIGEST)
        hex_from_octets(member->digest, (const uint8_t *)digest->text, PACKED_DIGEST, HEX_LOWER);
    member->error = sheet_clean(error->text, error->kind == CELL_TEXT ? error->text_len : 0);
    return take_text(member->parent, sizeof member->parent, &cells[PARENT]) &&
           take_text(member->group, sizeof member->group, &cells[GROUP]) &&
           take_text(member->address, sizeof member->address, &cells[ADDRESS]) &&
           take_text(member->version, sizeof member->version, &cells[DCAMPD_VERSION]) &&
           member->error;
}

/* A row that is gone by now has no state. */
static bool read_member(struct question *question, struct member *member)
{
    struct cell cells[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        cell_start(&cells[i], objects[i]);
        cell_add_text(&cells[i], member->name);
    }
    return question_get(question, cells, COLUMNS) &&
           (fill_member(member, cells) || question_no_memory(question));
}

/* Removes the nodes whose rows are gone by now. */
static void drop_gone(struct roster *roster)
{
    size_t kept = 0;
    for (size_t i = 0; i < roster->n; i++) {
        if (roster->list[i].state_number != 0)
            roster->list[kept++] = roster->list[i];
        else
            free(roster->list[i].error);
    }
    roster->gone = roster->n - kept;
    roster->n = kept;
}

bool roster_read(struct question *question, struct roster *roster)
{
    struct reading reading = {question, roster};
    struct cell state;
    cell_start(&state, MIB_dcampTreeState);
    bool good = question_walk(question, &state, 30, take_member, &reading);
    for (size_t i = 0; good && i < roster->n; i++)
        good = read_member(question, &roster->list[i]);
    if (good)
        drop_gone(roster);
    return good;
}

void roster_free(struct roster *roster)
{
    for (size_t i = 0; i < roster->n; i++)
        free(roster->list[i].error);
    free(roster->list);
    *roster = (struct roster){.list = NULL};
}

/* -- Their number ---------------------------------------------------------------------------- */

struct counting {
    struct question *question;
    const uint8_t *digest;
    struct roll *roll;
};

static bool is_away(int64_t state)
{
    return state == dcampTreeState_unreachable || state == dcampTreeState_lost;
}

static bool count_state(void *context, const struct cell *cell)
{
    struct counting *counting = context;
    struct roll *roll = counting->roll;
    int64_t state = number_of(cell, 0);
    question_progress(counting->question);
    roll->all++;
    roll->up += state == dcampTreeState_up;
    roll->stuck += state == dcampTreeState_refused || state == dcampTreeState_clone;
    roll->away += is_away(state);
    return true;
}

static bool count_digest(void *context, const struct cell *cell)
{
    struct counting *counting = context;
    question_progress(counting->question);
    counting->roll->current += cell->kind == CELL_TEXT && cell->text_len == PACKED_DIGEST &&
                               memcmp(cell->text, counting->digest, PACKED_DIGEST) == 0;
    return true;
}

bool roster_count(struct question *question, const uint8_t *digest, struct roll *roll)
{
    struct counting counting = {question, digest, roll};
    struct cell column;
    *roll = (struct roll){.all = 0};
    cell_start(&column, MIB_dcampTreeState);
    if (!question_walk(question, &column, 30, count_state, &counting))
        return false;
    if (!digest || roll->up == 0)
        return true;
    cell_start(&column, MIB_dcampTreeNodeDigest);
    return question_walk(question, &column, roll->all, count_digest, &counting);
}

bool member_is_current(const struct member *member, const uint8_t *digest)
{
    char text[2 * PACKED_DIGEST + 1];
    hex_from_octets(text, digest, PACKED_DIGEST, HEX_LOWER);
    return member->state_number == dcampTreeState_up && strcmp(member->digest, text) == 0;
}

bool member_is_away(const struct member *member)
{
    return is_away(member->state_number);
}

/* -- For programs ---------------------------------------------------------------------------- */

static struct sheet_value of_text(const char *text)
{
    return (struct sheet_value){.given = true, .text = text, .len = strlen(text)};
}

static struct sheet_value of_number(int64_t number)
{
    return (struct sheet_value){.given = number >= 0, .number = number};
}

void member_values(const struct member *member, struct sheet_value values[MEMBER_COLUMNS])
{
    const struct sheet_value all[MEMBER_COLUMNS] = {
        of_text(member->name),     of_text(member->role),
        of_text(member->state),    of_text(member->parent),
        of_text(member->group),    of_number(member->serial),
        of_text(member->digest),   of_number(member->term),
        of_text(member->address),  of_number(member->level),
        of_number(member->age_ms), of_number(member->deviations),
        of_text(member->version),  of_text(member->error ? member->error : ""),
        of_text(member->found)};
    memcpy(values, all, sizeof all);
}
