#include "cli/show.h"

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "cli/node_document.h"
#include "cli/output.h"

enum { NODE, ROOT, TERM, EPOCH, SERIAL, HELD, SAME, DIGEST, COLUMNS };

static const struct sheet_column columns[COLUMNS] = {
    [NODE] = {"node", "NODE", SHEET_TEXT},         [ROOT] = {"root", "ROOT", SHEET_TEXT},
    [TERM] = {"term", "TERM", SHEET_NUMBER},       [EPOCH] = {"epoch", "EPOCH", SHEET_NUMBER},
    [SERIAL] = {"serial", "SERIAL", SHEET_NUMBER}, [HELD] = {"held", "HELD", SHEET_TRUTH},
    [SAME] = {"same", "SAME", SHEET_TRUTH},        [DIGEST] = {"digest", "DIGEST", SHEET_TEXT}};

/* The tree document that a node works by. */
struct shown {
    struct standing standing;
    const struct known *by; /* the order by which it has it */
    bool held;              /* it has the document itself; else only a share that was made of it */
    uint8_t digest[PACKED_DIGEST];
    int64_t serial; /* 0: it does not know it yet */
};

/* Asks for the serial and the digest of the tree document of which the share was made. */
static bool ask_share(struct question *question, struct cell cells[2])
{
    cell_scalar(&cells[0], MIB_dcampTreeSerial);
    cell_scalar(&cells[1], MIB_dcampTreeDigest);
    return question_get(question, cells, 2);
}

static bool look(struct question *question, struct shown *shown)
{
    struct cell cells[2];
    const struct known *tree = &shown->standing.tree;
    if (!order_ask(question, &shown->standing) || !ask_share(question, cells))
        return false;
    bool has_share = cells[1].kind == CELL_TEXT && cells[1].text_len == PACKED_DIGEST;
    shown->held = tree->in_force;
    shown->by = shown->held ? tree : &shown->standing.share;
    if (!shown->held && !has_share)
        return question_fail(question, EXIT_USAGE, "%s is in no tree", shown->standing.name);
    memcpy(shown->digest, shown->held ? (const void *)tree->digest : cells[1].text, PACKED_DIGEST);
    /* A root that has just taken another document still works by a share of the one before. */
    if (has_share && memcmp(cells[1].text, shown->digest, PACKED_DIGEST) == 0 &&
        cells[0].kind == CELL_NUMBER)
        shown->serial = cells[0].number;
    return true;
}

/* packed NULL: there is no file to compare it with. */
static void print(struct question *question, const struct shown *shown, const struct packed *packed)
{
    char digest[2 * PACKED_DIGEST + 1];
    bool same = packed && memcmp(packed->digest, shown->digest, PACKED_DIGEST) == 0;
    const char *name = shown->standing.name, *root = shown->by->root;
    hex_from_octets(digest, shown->digest, PACKED_DIGEST, HEX_LOWER);
    const struct sheet_value values[COLUMNS] = {
        [NODE] = {.given = true, .text = name, .len = strlen(name)},
        [ROOT] = {.given = true, .text = root, .len = strlen(root)},
        [TERM] = {.given = true, .number = shown->by->term},
        [EPOCH] = {.given = true, .number = shown->by->epoch},
        [SERIAL] = {.given = shown->serial > 0, .number = shown->serial},
        [HELD] = {.given = true, .number = shown->held},
        [SAME] = {.given = packed != NULL, .number = same},
        [DIGEST] = {.given = true, .text = digest, .len = strlen(digest)}};
    if (packed && !same)
        question->status = EXIT_CUT;
    struct sheet *sheet = sheet_new(columns, COLUMNS);
    if (!sheet || !sheet_add(sheet, values))
        question_no_memory(question);
    else
        question_print(question, sheet);
    sheet_free(sheet);
}

/* -- Its text -------------------------------------------------------------------------------- */

static void write_text(struct question *question, const char *text, size_t len)
{
    struct output output = {.path = question->command->output, .mode = 0644};
    char *before = output.path ? output_read(&output, question) : NULL;
    if (!output.path)
        fwrite(text, 1, len, question->to);
    else if (before)
        output_write(&output, question, before, text, len, question->errors, "the tree document");
    free(before);
}

static void show_text(struct question *question)
{
    struct standing standing;
    size_t len;
    char *text =
        order_ask(question, &standing) ? node_document_text(question, &standing, &len) : NULL;
    if (text)
        write_text(question, text, len);
    free(text);
}

/* Whether the options go together, which the table of subcommands does not say. */
static bool check_options(struct question *question)
{
    const struct command *command = question->command;
    bool text = command_has(command, COMMAND_TEXT);
    if (!text && command_has(command, COMMAND_OUTPUT))
        return question_fail(question, EXIT_USAGE, "--output is of the text: give --text as well");
    if (text && command_has(command, COMMAND_CONFIG))
        return question_fail(question, EXIT_USAGE,
                             "--text and --config: one of the two; config diff compares texts");
    return !text || command->format == SHEET_TABLE ||
           question_fail(question, EXIT_USAGE,
                         "--text prints the document itself: no --json, no "
                         "--tsv");
}

enum exit_status config_show_run(const struct command *command, struct client *client, FILE *to,
                                 FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct shown shown = {.serial = 0};
    struct packed packed = {.octets = NULL};
    bool compares = command_has(command, COMMAND_CONFIG);
    if (!check_options(&question))
        return question.status;
    if (command_has(command, COMMAND_TEXT))
        show_text(&question);
    else if ((!compares || order_read(&question, &packed)) && look(&question, &shown))
        print(&question, &shown, compares ? &packed : NULL);
    packed_free(&packed);
    return question.status;
}
