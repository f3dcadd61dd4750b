#include "cli/export.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/text.h"
#include "cli/address.h"
#include "cli/order.h"
#include "cli/roster.h"
#include "snmpv3/session.h"

#define ENGINE_PATIENCE_S 3 /* a node that is up says its engine ID at once */

struct exporting {
    struct question *question;
    FILE *to;                       /* in memory, until all of it is there */
    json_t *targets;                /* of Prometheus */
    const struct credential *users; /* of snmptrapd: its keys can be made */
    size_t silent;                  /* nodes that did not say their engine ID */
};

/* A node that has an address, taken apart. */
struct station {
    const struct member *member;
    struct address address;
    bool collects; /* so that there are nodes below it */
};

typedef bool put_station(struct exporting *exporting, const struct station *station);

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

/* NULL: it has not said it. */
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

static bool put_snmptrapd(struct exporting *exporting, const struct station *station)
{
    const struct snmp_engine *engine = ask_engine(exporting, station);
    struct keys keys = {.credential = NULL};
    question_progress(exporting->question);
    if (!engine) {
        exporting->silent++;
        fprintf(exporting->to, "# %s, %s port %s: no answer, so its engine ID is not known\n",
                station->member->name, station->address.host, station->address.port);
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

/* What is written into another program's configuration must not be more than a host and a port. */
static bool take_station(struct station *station, const struct member *member)
{
    static const char host[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:-_%";
    *station = (struct station){.member = member,
                                .collects = strcmp(member->role, "collector") == 0 ||
                                            strcmp(member->role, "root") == 0};
    bool group = !member->group[0] || text_is_name(member->group, strlen(member->group));
    return group && address_split(member->address, "161", &station->address) &&
           strspn(station->address.host, host) == strlen(station->address.host);
}

static bool put_all(struct exporting *exporting, const struct roster *roster, put_station *put)
{
    bool good = true;
    for (size_t i = 0; good && i < roster->n; i++) {
        struct station station;
        if (take_station(&station, &roster->list[i]))
            good = put(exporting, &station);
        else
            good = question_fail(exporting->question, EXIT_BROKEN,
                                 "%s: the root has no address or group of it that makes sense",
                                 roster->list[i].name);
    }
    return good;
}

static bool read_tree(struct question *question, struct roster *roster)
{
    struct standing standing;
    if (question->command->format != SHEET_TABLE)
        return question_fail(question, EXIT_USAGE,
                             "export has forms of its own: neither --json nor --tsv");
    return order_ask_root(question, &standing) && roster_read(question, roster);
}

/* Into memory, and if all went well from there to where it is wanted. */
static void export_roster(struct exporting *exporting, const struct roster *roster,
                          const char *begin, put_station *put)
{
    struct question *question = exporting->question;
    char *text = NULL;
    size_t len = 0;
    exporting->to = open_memstream(&text, &len);
    if (!exporting->to) {
        question_no_memory(question);
        return;
    }
    fputs(begin, exporting->to);
    bool good = put_all(exporting, roster, put);
    if (good && exporting->targets)
        good = (json_dumpf(exporting->targets, exporting->to, JSON_INDENT(2)) == 0 &&
                putc('\n', exporting->to) != EOF) ||
               question_no_memory(question);
    if (fclose(exporting->to) != 0)
        good = question_no_memory(question);
    if (good)
        fwrite(text, 1, len, question->to);
    if (text)
        explicit_bzero(text, len);
    free(text);
}

static enum exit_status export_as(struct exporting *exporting, const char *begin, put_station *put)
{
    struct question *question = exporting->question;
    struct roster roster = {.list = NULL};
    if (read_tree(question, &roster))
        export_roster(exporting, &roster, begin, put);
    if (question->status == EXIT_GOOD && exporting->silent > 0)
        question_fail(question, EXIT_CUT, "%zu of %zu nodes did not say their engine ID",
                      exporting->silent, roster.n);
    roster_free(&roster);
    return question->status;
}

enum exit_status export_nagios_run(const struct command *command, struct client *client, FILE *to,
                                   FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct exporting exporting = {.question = &question};
    return export_as(&exporting, "# Made by dcamp export nagios, for the templates of dcamp.cfg.\n",
                     put_nagios);
}

enum exit_status export_icinga_run(const struct command *command, struct client *client, FILE *to,
                                   FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct exporting exporting = {.question = &question};
    return export_as(&exporting, "/* Made by dcamp export icinga. */\n", put_icinga);
}

enum exit_status export_prometheus_run(const struct command *command, struct client *client,
                                       FILE *to, FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct exporting exporting = {.question = &question, .targets = json_array()};
    if (!exporting.targets)
        question_no_memory(&question);
    else
        export_as(&exporting, "", put_prometheus);
    json_decref(exporting.targets);
    return question.status;
}

enum exit_status export_snmptrapd_run(const struct command *command, struct client *client,
                                      FILE *to, FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct credential *all = NULL;
    struct exporting exporting = {.question = &question,
                                  .users = keys_set(&all, &command->login.credential)};
    if (!exporting.users)
        question_no_memory(&question);
    else if (exporting.users->invalid)
        question_fail(&question, EXIT_USAGE, "%s", exporting.users->invalid);
    else
        export_as(&exporting,
                  "# Made by dcamp export snmptrapd.\n"
                  "authUser log,execute dcampTrap priv\noutputOption n\n",
                  put_snmptrapd);
    keys_free(&all);
    return question.status;
}
