#include "cli/export.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/text.h"
#include "cli/keep.h"
#include "cli/output.h"
#include "cli/station.h"
#include "snmpv3/session.h"

#define ENGINE_PATIENCE_S 3 /* a node that is up says its engine ID at once */

struct exporting;
typedef bool put_station(struct exporting *exporting, const struct station *station);

/* The form that a management system wants. */
struct form {
    const char *begin;
    put_station *put;
    mode_t mode; /* of a file that has it */
    bool json;   /* it consists of the targets */
};

struct exporting {
    const struct form *form;
    struct output output;
    struct question *question;      /* of the round */
    FILE *to;                       /* in memory, until all of it is there */
    const char *before;             /* what the file has; "": nothing */
    json_t *targets;                /* of Prometheus */
    const struct credential *users; /* for snmptrapd: the user whose keys are made */
    size_t silent;                  /* nodes that did not say their engine ID */
};

/* -- Nagios ---------------------------------------------------------------------------------- */

static void put_service(FILE *to, const char *template, const char *host, const char *lines)
{
    fprintf(to, "define service {\n    use %s\n    host_name %s\n%s}\n", template, host, lines);
}

static bool put_nagios(struct exporting *exporting, const struct station *station)
{
    FILE *to = exporting->to;
    const char *name = station->member->name;
    fprintf(to,
            "\n# %s\ndefine host {\n    use dcamp-node\n    host_name %s\n    address %s\n"
            "    _DCAMP_PORT %s\n    max_check_attempts 3\n}\n",
            station->member->role, name, station->address.host, station->address.port);
    put_service(
        to, "dcamp-check", name,
        "    service_description dcamp freshness\n    check_command check_dcamp!freshness\n");
    put_service(to, "dcamp-check", name,
                "    service_description dcamp alarms\n    check_command check_dcamp!alarms\n");
    put_service(to, "dcamp-other", name, "    _DCAMP_RULE !node-lost\n");
    put_service(to, "dcamp-alarm", name,
                "    service_description dcamp node-lost\n"
                "    check_command check_dcamp!freshness\n");
    if (station->collects)
        put_service(to, "dcamp-check", name,
                    "    service_description dcamp tree\n    check_command check_dcamp!tree\n");
    return true;
}

/* -- Icinga ---------------------------------------------------------------------------------- */

static bool put_icinga(struct exporting *exporting, const struct station *station)
{
    FILE *to = exporting->to;
    fprintf(to,
            "\nobject Host \"%s\" {\n  address = \"%s\"\n  check_command = \"dummy\"\n"
            "  vars.dcamp_port = %s\n",
            station->member->name, station->address.host, station->address.port);
    if (station->member->group[0])
        fprintf(to, "  vars.dcamp_group = \"%s\"\n", station->member->group);
    if (station->collects)
        fputs("  vars.dcamp_collector = true\n", to);
    fputs("}\n", to);
    return true;
}

/* -- Prometheus ------------------------------------------------------------------------------ */

static bool add_target(struct exporting *exporting, const struct station *station,
                       const char *module)
{
    const struct member *member = station->member;
    const struct address *address = &station->address;
    char target[HOST_SIZE + PORT_SIZE + 3];
    bool colons = strchr(address->host, ':') != NULL;
    text_format(target, sizeof target, "%s%s%s:%s", colons ? "[" : "", address->host,
                colons ? "]" : "", address->port);
    json_t *of = json_pack("{s:[s], s:{s:s, s:s, s:s, s:s}}", "targets", target, "labels",
                           "__param_module", module, "dcamp_node", member->name, "dcamp_group",
                           member->group, "dcamp_role", member->role);
    return json_array_append_new(exporting->targets, of) == 0 ||
           question_no_memory(exporting->question);
}

static bool put_prometheus(struct exporting *exporting, const struct station *station)
{
    return add_target(exporting, station, "dcamp") &&
           (!station->collects || add_target(exporting, station, "dcamp_tree"));
}

/* -- snmptrapd ------------------------------------------------------------------------------- */

/* NULL: the node has not said it. */
static const struct snmp_engine *ask_engine(struct exporting *exporting,
                                            const struct station *station)
{
    struct client *client = exporting->question->client;
    char numbers[PEER_ADDRESS_SIZE];
    if (member_is_away(station->member) || address_resolve(&station->address, numbers))
        return NULL;
    client_turn(client, numbers);
    client_extend(client, clock_mono_ns() + ENGINE_PATIENCE_S * NS_PER_S);
    return client_discover(client) ? client_engine(client) : NULL;
}

static void put_user(FILE *to, const struct usm_credential *login, const struct snmp_engine *engine,
                     const struct keys *keys)
{
    char id[2 * ENGINE_ID_MAX + 1], auth[2 * USM_LENGTH_KU_HASHBLOCK + 1], priv[sizeof auth];
    size_t used = login->priv == PRIV_AES256 ? 32 : 16;
    hex_from_octets(id, engine->id, engine->len, HEX_LOWER);
    hex_from_octets(auth, keys->auth.octets, keys->auth.len, HEX_LOWER);
    hex_from_octets(priv, keys->priv.octets, used, HEX_LOWER);
    fprintf(to, "createUser -e 0x%s dcampTrap %s -l 0x%s %s -l 0x%s\n", id,
            login->auth == AUTH_SHA512 ? "SHA-512" : "SHA-256", auth,
            login->priv == PRIV_AES256 ? "AES-256" : "AES", priv);
    explicit_bzero(auth, sizeof auth);
    explicit_bzero(priv, sizeof priv);
}

/* The line of a node in a text that was written before, with its end; NULL: it has none. */
static const char *find_user(const char *text, const char *name, size_t *len)
{
    static const char begin[] = "createUser -e 0x";
    char head[NAME_SIZE + 4];
    text_format(head, sizeof head, "# %s\n", name);
    const char *at = strncmp(text, head, strlen(head)) == 0 ? text : NULL;
    for (const char *line = text; !at && (line = strchr(line, '\n')); line++)
        at = strncmp(line + 1, head, strlen(head)) == 0 ? line + 1 : NULL;
    at = at ? at + strlen(head) : NULL;
    *len = at ? strcspn(at, "\n") + 1 : 0;
    return at && strncmp(at, begin, sizeof begin - 1) == 0 && at[*len - 1] ? at : NULL;
}

/* A node that is silent now keeps the line that the file has of it. */
static void put_silent(struct exporting *exporting, const struct station *station)
{
    const char *name = station->member->name;
    size_t len;
    const char *line = find_user(exporting->before, name, &len);
    exporting->silent++;
    if (line)
        fprintf(exporting->to, "# %s\n%.*s", name, (int)len, line);
    else
        fprintf(exporting->to, "# %s, %s port %s: no answer, so its engine ID is not known\n", name,
                station->address.host, station->address.port);
}

static bool put_snmptrapd(struct exporting *exporting, const struct station *station)
{
    const struct snmp_engine *engine = ask_engine(exporting, station);
    struct keys keys = {.credential = NULL};
    question_progress(exporting->question);
    if (!engine) {
        put_silent(exporting, station);
        return true;
    }
    if (!keys_localize(exporting->users, engine->id, engine->len, &keys))
        return question_fail(exporting->question, EXIT_BROKEN, "the keys for %s cannot be made",
                             station->member->name);
    fprintf(exporting->to, "# %s\n", station->member->name);
    put_user(exporting->to, &exporting->question->command->login.credential, engine, &keys);
    keys_forget(&keys);
    return true;
}

/* -- All of it ------------------------------------------------------------------------------- */

static bool put_all(struct exporting *exporting, const struct roster *roster, put_station *put)
{
    bool good = true;
    for (size_t i = 0; good && i < roster->n; i++) {
        struct station station;
        if (station_take(&station, &roster->list[i]))
            good = put(exporting, &station);
        else
            good = question_fail(exporting->question, EXIT_BROKEN,
                                 "%s: the root has no address or group of it that makes sense",
                                 roster->list[i].name);
    }
    return good;
}

static bool put_targets(struct exporting *exporting)
{
    return (json_dumpf(exporting->targets, exporting->to, JSON_INDENT(2)) == 0 &&
            putc('\n', exporting->to) != EOF) ||
           question_no_memory(exporting->question);
}

/* All of it in memory; NULL: question->status says why. */
static char *make_text(struct exporting *exporting, const struct roster *roster, size_t *len)
{
    const struct form *form = exporting->form;
    char *text = NULL;
    exporting->silent = 0;
    exporting->to = open_memstream(&text, len);
    if (!exporting->to) {
        question_no_memory(exporting->question);
        return NULL;
    }
    fputs(form->begin, exporting->to);
    bool good = put_all(exporting, roster, form->put) && (!form->json || put_targets(exporting));
    if (fclose(exporting->to) != 0)
        good = question_no_memory(exporting->question);
    if (good)
        return text;
    free(text);
    return NULL;
}

static void forget(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

static void write_out(struct exporting *exporting, const struct census *census, const char *text,
                      size_t len, FILE *changes)
{
    char what[NAME_SIZE + 64];
    text_format(what, sizeof what, "%zu nodes of the tree of %s", census->roster.n,
                census->head.root);
    if (exporting->output.path)
        output_write(&exporting->output, exporting->question, exporting->before, text, len, changes,
                     what);
    else
        fwrite(text, 1, len, exporting->question->to);
}

static void apply(void *context, struct question *question, const struct census *census,
                  FILE *changes)
{
    struct exporting *exporting = context;
    char *before = exporting->output.path ? output_read(&exporting->output, question) : NULL;
    size_t len = 0;
    if (exporting->output.path && !before)
        return;
    exporting->question = question;
    exporting->before = before ? before : "";
    exporting->targets = json_array();
    char *text = exporting->targets ? make_text(exporting, &census->roster, &len) : NULL;
    if (!exporting->targets)
        question_no_memory(question);
    if (text)
        write_out(exporting, census, text, len, changes);
    if (question->status == EXIT_GOOD && exporting->silent > 0)
        question_fail(question, EXIT_CUT, "%zu of %zu nodes did not say their engine ID",
                      exporting->silent, census->roster.n);
    json_decref(exporting->targets);
    forget(text);
    forget(before);
}

/* Whether the options go together. */
static bool check_options(struct question *question)
{
    const struct command *command = question->command;
    if (command->format != SHEET_TABLE)
        return question_fail(question, EXIT_USAGE,
                             "export has forms of its own: neither --json nor --tsv");
    if (command->output)
        return true;
    return !(command_has(command, COMMAND_WATCH) || command->run) ||
           question_fail(question, EXIT_USAGE, "%s needs --output FILE",
                         command->run ? "--run" : "--watch");
}

static enum exit_status export_as(struct exporting *exporting, struct question *question,
                                  const struct form *form)
{
    const struct command *command = question->command;
    exporting->form = form;
    exporting->output =
        (struct output){.path = command->output, .run = command->run, .mode = form->mode};
    return check_options(question) ? keep_run(question, apply, exporting) : question->status;
}

enum exit_status export_nagios_run(const struct command *command, struct client *client, FILE *to,
                                   FILE *errors)
{
    static const struct form form = {
        .begin = "# Made by dcamp export nagios, for the templates of dcamp.cfg.\n",
        .put = put_nagios,
        .mode = 0644};
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct exporting exporting = {.users = NULL};
    return export_as(&exporting, &question, &form);
}

enum exit_status export_icinga_run(const struct command *command, struct client *client, FILE *to,
                                   FILE *errors)
{
    static const struct form form = {
        .begin = "/* Made by dcamp export icinga. */\n", .put = put_icinga, .mode = 0644};
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct exporting exporting = {.users = NULL};
    return export_as(&exporting, &question, &form);
}

enum exit_status export_prometheus_run(const struct command *command, struct client *client,
                                       FILE *to, FILE *errors)
{
    static const struct form form = {
        .begin = "", .put = put_prometheus, .mode = 0644, .json = true};
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct exporting exporting = {.users = NULL};
    return export_as(&exporting, &question, &form);
}

enum exit_status export_snmptrapd_run(const struct command *command, struct client *client,
                                      FILE *to, FILE *errors)
{
    static const struct form form = {.begin = "# Made by dcamp export snmptrapd.\n"
                                              "authUser log,execute dcampTrap priv\n"
                                              "outputOption n\n",
                                     .put = put_snmptrapd,
                                     .mode = 0600};
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct credential *all = NULL;
    struct exporting exporting = {.users = keys_set(&all, &command->login.credential)};
    if (!exporting.users)
        question_no_memory(&question);
    else if (exporting.users->invalid)
        question_fail(&question, EXIT_USAGE, "%s", exporting.users->invalid);
    else
        export_as(&exporting, &question, &form);
    keys_free(&all);
    return question.status;
}
