#include "cli/revoke.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomicfile.h"
#include "base/hex.h"
#include "base/text.h"
#include "cli/markup.h"
#include "cli/order.h"
#include "cli/rollout.h"
#include "cli/roster.h"
#include "cli/snmpd_files.h"

#define LINE_SIZE 256

struct revocation {
    struct question *question;
    const char *node;
    char engine[2 * ENGINE_ID_MAX + 1]; /* hexadecimal */
    bool collected;                     /* it was a collector */
    char *before;                       /* the text of the document, */
    struct packed file;                 /* packed */
    char *after;                        /* the same, with the revocation */
    struct packed packed;
};

/* -- The document ---------------------------------------------------------------------------- */

static const char *find_last(const char *text, const char *what)
{
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, what)); at++)
        last = at;
    return last;
}

/* Whether an attribute has this value, in whatever case. */
static bool has_value(const char *text, const char *value)
{
    size_t len = strlen(value);
    for (const char *at = text; (at = strcasestr(at, value)); at++)
        if (at > text && strchr("\"'", at[-1]) && at[len] == at[-1])
            return true;
    return false;
}

/* Where the keys are written, counted from the start of the text: at the end of the list of those
 * that are revoked or, if there is none, at the end of the document. False: *why says why not. */
static bool find_place(const char *text, const char *engine, size_t *place, bool *is_list,
                       const char **why)
{
    char *plain = markup_plain(text);
    const char *list = plain ? find_last(plain, "</revoked>") : NULL;
    const char *end = list || !plain ? list : find_last(plain, "</tree>");
    *place = end ? (size_t)(end - plain) : 0;
    *why = NULL;
    if (!plain)
        *why = "no memory";
    else if (!end)
        *why = "it has no </tree>";
    else if (has_value(plain, engine))
        *why = "it has that engine already: take back=\"yes\" out, if it is there, and push it";
    *is_list = list != NULL;
    free(plain);
    return !*why;
}

char *revoke_in_text(const char *text, const char *engine, const char *node, const char **why)
{
    char line[LINE_SIZE], *to = NULL;
    size_t place;
    bool is_list;
    if (!find_place(text, engine, &place, &is_list, why))
        return NULL;
    text_format(line, sizeof line,
                is_list ? "  <keys engine=\"%s\" node=\"%s\"/>\n  "
                        : "  <revoked>\n    <keys engine=\"%s\" node=\"%s\"/>\n  </revoked>\n",
                engine, node);
    if (asprintf(&to, "%.*s%s%s", (int)place, text, line, text + place) >= 0)
        return to;
    *why = "no memory";
    return NULL;
}

/* The file, as it was read, has to be the document that the tree works by, so that nothing else is
 * changed along with it. */
static bool change_document(struct revocation *revocation, const struct standing *standing)
{
    struct question *question = revocation->question;
    const char *path = question->command->config, *why;
    char error[512];
    if (!standing->tree.in_force ||
        memcmp(revocation->file.digest, standing->tree.digest, PACKED_DIGEST) != 0)
        return question_fail(question, EXIT_USAGE,
                             "%s is not the document that the tree works by: dcamp config push it, "
                             "or take the file that was pushed",
                             path);
    revocation->after =
        revoke_in_text(revocation->before, revocation->engine, revocation->node, &why);
    if (!revocation->after)
        return question_fail(question, EXIT_USAGE, "%s: %s", path, why);
    return packed_text(&revocation->packed, revocation->after, strlen(revocation->after), error) ||
           question_fail(question, EXIT_USAGE, "%s: %s", path, error);
}

static bool write_document(const struct revocation *revocation)
{
    const char *path = revocation->question->command->config;
    int code = atomicfile_replace(path, revocation->after, strlen(revocation->after), 0644);
    return code == 0 ||
           question_fail(revocation->question, EXIT_BROKEN,
                         "the tree works by it, but %s cannot be written: %s; it needs "
                         "<revoked><keys engine=\"%s\"/></revoked>",
                         path, strerror(code), revocation->engine);
}

/* -- Who it is ------------------------------------------------------------------------------- */

static const struct member *find_member(const struct roster *roster, const char *name)
{
    for (size_t i = 0; i < roster->n; i++)
        if (strcmp(roster->list[i].name, name) == 0)
            return &roster->list[i];
    return NULL;
}

/* Asks the parent of the node for the engine ID, for the node has proved to it that it has the keys
 * of that engine. Anybody may answer at the address of the node. */
static bool ask_parent(struct revocation *revocation, const struct member *parent)
{
    struct client *client = revocation->question->client;
    struct cell id;
    cell_start(&id, MIB_dcampChildEngineId);
    cell_add_text(&id, revocation->node);
    client_turn(client, parent->address);
    question_progress(revocation->question);
    if (!client_get(client, &id, 1) || id.kind != CELL_TEXT || id.text_len == 0 ||
        id.text_len > ENGINE_ID_MAX)
        return false;
    hex_from_octets(revocation->engine, (const uint8_t *)id.text, id.text_len, HEX_LOWER);
    return true;
}

static bool take_engine(struct revocation *revocation, const struct roster *roster,
                        const struct member *member)
{
    const struct command *command = revocation->question->command;
    const struct member *parent = member ? find_member(roster, member->parent) : NULL;
    struct snmpd_engine given;
    if (!command->engine_id)
        return parent && ask_parent(revocation, parent);
    bool good = snmpd_read_engine(command->engine_id, strlen(command->engine_id), &given);
    if (good)
        hex_from_octets(revocation->engine, given.id, given.len, HEX_LOWER);
    return good;
}

/* Finds out the engine ID. False: question->status says why. Afterwards the client asks the root
 * again. */
static bool identify(struct revocation *revocation)
{
    struct question *question = revocation->question;
    struct roster roster = {.list = NULL};
    char address[PEER_ADDRESS_SIZE];
    const char *why = address_resolve(&question->command->login.address, address);
    bool good =
        (!why || question_fail(question, EXIT_SILENT, "%s", why)) && roster_read(question, &roster);
    const struct member *member = good ? find_member(&roster, revocation->node) : NULL;
    if (good && !take_engine(revocation, &roster, member))
        good =
            question_fail(question, EXIT_USAGE,
                          member ? "no parent says which engine ID %s has: give it by --engine-id"
                                 : "the tree has no node %s: give its engine ID by --engine-id",
                          revocation->node);
    revocation->collected = member && strcmp(member->role, "collector") == 0;
    roster_free(&roster);
    if (good)
        client_turn(question->client, address);
    return good;
}

/* -- The order ------------------------------------------------------------------------------- */

/* Whether all other nodes work by the document; the revoked node itself is not expected to. */
static bool others_follow(const struct revocation *revocation)
{
    struct question question = *revocation->question;
    struct roster roster = {.list = NULL};
    question.status = EXIT_GOOD;
    bool good = roster_read(&question, &roster);
    for (size_t i = 0; good && i < roster.n; i++)
        good = strcmp(roster.list[i].name, revocation->node) == 0 ||
               member_is_away(&roster.list[i]) ||
               member_is_current(&roster.list[i], revocation->packed.digest);
    roster_free(&roster);
    return good;
}

static void tell_what_is_left(const struct revocation *revocation)
{
    FILE *to = revocation->question->to;
    fprintf(to, "%s is shut out. Its own keys open nothing but itself.\n", revocation->node);
    if (revocation->collected)
        fputs(
            "As a collector it had the keys of dcampPoll at the nodes below it: dcamp key rotate\n"
            "changes them.\n",
            to);
    fprintf(to, "Receivers still take its notifications: take engine 0x%s out of snmptrapd.conf.\n",
            revocation->engine);
}

static void revoke(struct revocation *revocation)
{
    struct question *question = revocation->question;
    struct standing standing;
    struct order order;
    if (!order_next(question, &standing, &order) || !identify(revocation) ||
        !change_document(revocation, &standing))
        return;
    order.document = &revocation->packed;
    if (!order_give(question, &order) || !write_document(revocation))
        return;
    rollout_follow(question, &order, false);
    if (question->status == EXIT_CUT && others_follow(revocation))
        question->status = EXIT_GOOD;
    if (question->command->format == SHEET_TABLE)
        tell_what_is_left(revocation);
}

enum exit_status key_revoke_run(const struct command *command, struct client *client, FILE *to,
                                FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct revocation revocation = {.question = &question, .node = command->words[0]};
    if (!text_is_name(revocation.node, strlen(revocation.node)))
        question_fail(&question, EXIT_USAGE, "%s: this is no name of a node", revocation.node);
    else if ((revocation.before = order_read_text(&question, &revocation.file)))
        revoke(&revocation);
    packed_free(&revocation.file);
    packed_free(&revocation.packed);
    free(revocation.before);
    free(revocation.after);
    return question.status;
}
