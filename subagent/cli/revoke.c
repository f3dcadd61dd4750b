#include "cli/revoke.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomicfile.h"
#include "base/hex.h"
#include "base/text.h"
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
    char *text;                         /* of the document, with it */
    struct packed packed;               /* that */
};

/* -- The document ---------------------------------------------------------------------------- */

static const char *find_last(const char *text, const char *what)
{
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, what)); at++)
        last = at;
    return last;
}

/* Of a list that is there already, its end; else the end of all of it. */
char *revoke_in_text(const char *text, const char *engine, const char *node, const char **why)
{
    char line[LINE_SIZE];
    const char *list = find_last(text, "</revoked>"), *end = find_last(text, "</tree>");
    const char *at = list ? list : end;
    *why = NULL;
    if (!at)
        *why = "it has no </tree>";
    else if (strcasestr(text, engine))
        *why = "it has that engine already: take back=\"yes\" out, if it is there, and push it";
    if (*why)
        return NULL;
    if (list)
        text_format(line, sizeof line, "  <keys engine=\"%s\" node=\"%s\"/>\n  ", engine, node);
    else
        text_format(line, sizeof line,
                    "  <revoked>\n    <keys engine=\"%s\" node=\"%s\"/>\n  </revoked>\n", engine,
                    node);
    size_t before = (size_t)(at - text), added = strlen(line), after = strlen(at);
    char *to = malloc(before + added + after + 1);
    if (!to) {
        *why = "no memory";
        return NULL;
    }
    memcpy(to, text, before);
    memcpy(to + before, line, added);
    memcpy(to + before + added, at, after + 1);
    return to;
}

/* NULL: an errno says why. What is behind a NUL is no XML. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    if (!file)
        return NULL;
    ssize_t len = getdelim(&text, &room, '\0', file);
    int code = len < 0 ? errno : 0;
    fclose(file);
    if (len >= 0)
        return text;
    free(text);
    errno = code ? code : ENODATA;
    return NULL;
}

/* The file, as it was read, has to be the document that the tree works by: nothing else is to
 * change by the way. */
static bool change_document(struct revocation *revocation, const struct packed *file,
                            const struct standing *standing)
{
    struct question *question = revocation->question;
    const char *path = question->command->config, *why;
    char error[512];
    if (!standing->tree.in_force || memcmp(file->digest, standing->tree.digest, PACKED_DIGEST) != 0)
        return question_fail(question, EXIT_USAGE,
                             "%s is not the document that the tree works by: dcamp config push it, "
                             "or take the file that was pushed",
                             path);
    char *text = read_text(path);
    if (!text)
        return question_fail(question, EXIT_USAGE, "%s: %s", path, strerror(errno));
    revocation->text = revoke_in_text(text, revocation->engine, revocation->node, &why);
    free(text);
    if (!revocation->text)
        return question_fail(question, EXIT_USAGE, "%s: %s", path, why);
    return packed_text(&revocation->packed, revocation->text, strlen(revocation->text), error) ||
           question_fail(question, EXIT_USAGE, "%s: %s", path, error);
}

/* It stays whose it was, and as readable. */
static bool write_document(const struct revocation *revocation)
{
    const char *path = revocation->question->command->config, *slash = strrchr(path, '/');
    char dir[PATH_MAX];
    struct stat file;
    text_format(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    int code = stat(path, &file) == 0 ? 0 : errno;
    if (code == 0)
        code = atomicfile_write(dir[0] ? dir : "/", slash ? slash + 1 : path, revocation->text,
                                strlen(revocation->text), false);
    if (code == 0 && chmod(path, file.st_mode & 07777) != 0)
        code = errno;
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

/* Asks its parent, to which it has proved that it has the keys of that engine: who answers at its
 * address may be anybody. */
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

/* False: question->status says why. Afterwards the root is asked again. */
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

/* It does not work by the document itself, and is not to. */
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

static void revoke(struct revocation *revocation, const struct packed *file)
{
    struct question *question = revocation->question;
    struct standing standing;
    struct order order;
    if (!order_next(question, &standing, &order) || !identify(revocation) ||
        !change_document(revocation, file, &standing))
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
    struct packed file = {.octets = NULL};
    if (!text_is_name(revocation.node, strlen(revocation.node)))
        question_fail(&question, EXIT_USAGE, "%s: this is no name of a node", revocation.node);
    else if (order_read(&question, &file))
        revoke(&revocation, &file);
    packed_free(&file);
    packed_free(&revocation.packed);
    free(revocation.text);
    return question.status;
}
