#include "cli/zabbix.h"

#include <stdlib.h>
#include <string.h>

#include "base/credentials.h"
#include "base/text.h"
#include "cli/http.h"
#include "cli/keep.h"
#include "cli/zabbix_api.h"
#include "cli/zabbix_plan.h"

#define IMPORT "/usr/share/dcamp/nms/zabbix/dcamp-zabbix-6.0.yaml"
#define NAMES_AT_ONCE 1000
#define PATIENCE_S 60 /* the hundreds of items of a host are made meanwhile */

struct zabbix {
    struct question *question; /* of the round */
    const struct census *census;
    FILE *changes;
    struct http *http;
    char url[1024];
    char auth[CREDENTIAL_SIZE]; /* a token; "": nobody has logged in */
    bool ends_session;          /* the token is that of a login, which must be ended */
    struct sheet *sheet;
    size_t told; /* rows and refusals of this round */
};

static const struct sheet_column columns[] = {
    {"host", "HOST", SHEET_TEXT}, {"action", "ACTION", SHEET_TEXT}, {"what", "WHAT", SHEET_TEXT}};

#define COLUMNS (sizeof columns / sizeof *columns)

/* -- What is told ---------------------------------------------------------------------------- */

static bool checks(const struct zabbix *zabbix)
{
    return command_has(zabbix->question->command, COMMAND_CHECK);
}

static bool watches(const struct zabbix *zabbix)
{
    return command_has(zabbix->question->command, COMMAND_WATCH);
}

static void tell(struct zabbix *zabbix, const char *host, const char *action, const char *what)
{
    const char *const texts[COLUMNS] = {host, action, what};
    struct sheet_value values[COLUMNS];
    zabbix->told++;
    if (watches(zabbix)) {
        fprintf(zabbix->changes, "dcamp: %s: %s in Zabbix%s%s\n", host, action, what[0] ? ": " : "",
                what);
        return;
    }
    for (size_t i = 0; i < COLUMNS; i++)
        values[i] = (struct sheet_value){.given = true, .text = texts[i], .len = strlen(texts[i])};
    if (!sheet_add(zabbix->sheet, values))
        question_no_memory(zabbix->question);
}

/* -- Its API --------------------------------------------------------------------------------- */

/* about: the host that it concerns, or what it is for; takes the params. NULL: question->status
 * says why. */
static json_t *call(struct zabbix *zabbix, const char *about, const char *method, json_t *params)
{
    struct question *question = zabbix->question;
    const char *text;
    char error[512];
    size_t len;
    char *body = zabbix_request(method, params, zabbix->auth[0] ? zabbix->auth : NULL);
    if (!body) {
        question_no_memory(question);
        return NULL;
    }
    bool answered = http_post(zabbix->http, body, &text, &len, error);
    zabbix_forget(body);
    if (!answered) {
        question_fail(question, EXIT_SILENT, "%s", error);
        return NULL;
    }
    json_t *result = zabbix_result(text, len, error);
    if (!result)
        question_fail(question, EXIT_REFUSED, "%s: Zabbix does not take %s: %s", about, method,
                      error);
    return result;
}

/* "https://zabbix.example.org/zabbix", or the file below it. */
static void take_url(struct zabbix *zabbix, const char *url)
{
    static const char file[] = "/api_jsonrpc.php";
    size_t len = strlen(url), n = sizeof file - 1;
    bool whole = len >= n && strcmp(url + len - n, file) == 0;
    while (len > 0 && url[len - 1] == '/')
        len--;
    text_format(zabbix->url, sizeof zabbix->url, "%.*s%s", (int)len, url, whole ? "" : file);
}

static void begin_session(struct zabbix *zabbix, const struct credentials *credentials)
{
    json_t *session = call(
        zabbix, credentials->user, "user.login",
        json_pack("{s:s, s:s}", "username", credentials->user, "password", credentials->password));
    const char *token = json_string_value(session);
    if (token && token[0] && strlen(token) < sizeof zabbix->auth) {
        text_format(zabbix->auth, sizeof zabbix->auth, "%s", token);
        zabbix->ends_session = true;
    } else if (session) {
        question_fail(zabbix->question, EXIT_BROKEN, "user.login of Zabbix gives no session");
    }
    json_decref(session);
}

static bool log_in(struct zabbix *zabbix)
{
    struct credentials credentials;
    char error[512];
    bool good = credentials_read(zabbix->question->command->token_file, &credentials, error) ||
                question_fail(zabbix->question, EXIT_USAGE, "%s", error);
    if (good && credentials.token[0])
        text_format(zabbix->auth, sizeof zabbix->auth, "%s", credentials.token);
    else if (good)
        begin_session(zabbix, &credentials);
    explicit_bzero(&credentials, sizeof credentials);
    return zabbix->auth[0] != '\0';
}

static bool open_api(struct zabbix *zabbix)
{
    const struct command *command = zabbix->question->command;
    char error[512];
    const struct http_setup setup = {
        .url = zabbix->url,
        .type = "application/json-rpc",
        .ca = command->ca,
        .timeout_s = command->timeout_s > PATIENCE_S ? command->timeout_s : PATIENCE_S,
        .what = "export zabbix"};
    zabbix->auth[0] = '\0';
    zabbix->ends_session = false;
    zabbix->http = http_open(&setup, error);
    return (zabbix->http || question_fail(zabbix->question, EXIT_USAGE, "%s", error)) &&
           log_in(zabbix);
}

/* If the session cannot be ended here, it ends by itself later. */
static void close_api(struct zabbix *zabbix)
{
    struct question quiet = *zabbix->question, *question = zabbix->question;
    quiet.errors = fopen("/dev/null", "w");
    if (zabbix->ends_session && quiet.errors) {
        zabbix->question = &quiet;
        json_decref(call(zabbix, "session", "user.logout", json_array()));
        zabbix->question = question;
    }
    if (quiet.errors)
        fclose(quiet.errors);
    http_close(zabbix->http);
    zabbix->http = NULL;
    explicit_bzero(zabbix->auth, sizeof zabbix->auth);
}

/* -- What Zabbix has ------------------------------------------------------------------------- */

/* The identifier of the template in id. */
static bool find_template(struct zabbix *zabbix, char id[ZABBIX_ID_SIZE])
{
    json_t *templates = call(
        zabbix, ZABBIX_TEMPLATE, "template.get",
        json_pack("{s:[s], s:{s:s}}", "output", "templateid", "filter", "host", ZABBIX_TEMPLATE));
    const char *found = zabbix_text(json_array_get(templates, 0), "templateid");
    bool good = zabbix_is_id(found);
    text_format(id, ZABBIX_ID_SIZE, "%s", good ? found : "");
    if (templates && !good)
        question_fail(zabbix->question, EXIT_USAGE,
                      "Zabbix has no template \"" ZABBIX_TEMPLATE "\", or does not show it to this "
                      "user: import " IMPORT " (Configuration, Templates, Import)");
    json_decref(templates);
    return good;
}

/* Names of groups that nodes are to be in, each once, to identifiers that are not known yet. */
static json_t *name_groups(const struct roster *roster)
{
    json_t *groups = json_object();
    char name[NAME_SIZE + 8];
    for (size_t i = 0; i < roster->n; i++) {
        zabbix_group(&roster->list[i], name);
        if (json_object_set_new(groups, name, json_string("")) != 0) {
            json_decref(groups);
            return NULL;
        }
    }
    return groups;
}

static json_t *keys_of(json_t *object)
{
    json_t *keys = json_array(), *value;
    const char *name;
    json_object_foreach(object, name, value)
    {
        (void)value;
        json_array_append_new(keys, json_string(name));
    }
    return keys;
}

static bool read_groups(struct zabbix *zabbix, json_t *groups)
{
    json_t *found = call(zabbix, "host groups", "hostgroup.get",
                         json_pack("{s:[s, s], s:{s:o}}", "output", "groupid", "name", "filter",
                                   "name", keys_of(groups)));
    const json_t *group;
    size_t i;
    bool good = found != NULL;
    json_array_foreach(found, i, group)
    {
        const char *name = zabbix_text(group, "name"), *id = zabbix_text(group, "groupid");
        if (zabbix_is_id(id) && json_object_get(groups, name))
            json_object_set_new(groups, name, json_string(id));
    }
    json_decref(found);
    return good;
}

static bool create_group(struct zabbix *zabbix, const char *name, json_t **id)
{
    *id = NULL;
    if (checks(zabbix)) {
        tell(zabbix, name, "to be created", "host group");
        return true;
    }
    json_t *made = call(zabbix, name, "hostgroup.create", json_pack("{s:s}", "name", name));
    const char *text = json_string_value(json_array_get(json_object_get(made, "groupids"), 0));
    bool good = made && text && zabbix_is_id(text);
    if (good) {
        *id = json_string(text);
        tell(zabbix, name, "created", "host group");
    } else if (made) {
        question_fail(zabbix->question, EXIT_BROKEN, "%s: Zabbix does not say which group it made",
                      name);
    }
    json_decref(made);
    return good;
}

/* Names to identifiers; NULL: question->status says why. */
static json_t *make_groups(struct zabbix *zabbix)
{
    json_t *groups = name_groups(&zabbix->census->roster), *id, *made;
    const char *name;
    bool good = groups ? read_groups(zabbix, groups) : question_no_memory(zabbix->question);
    json_t *names = good ? keys_of(groups) : NULL;
    for (size_t i = 0; good && i < json_array_size(names); i++) {
        name = json_string_value(json_array_get(names, i));
        id = json_object_get(groups, name);
        if (json_string_length(id) > 0)
            continue;
        good = create_group(zabbix, name, &made);
        if (made)
            json_object_set_new(groups, name, made);
    }
    json_decref(names);
    if (good)
        return groups;
    json_decref(groups);
    return NULL;
}

static json_t *ask_tagged(struct zabbix *zabbix)
{
    return call(zabbix, "hosts", "host.get",
                json_pack("{s:[s, s, s, s], s:[{s:s, s:s, s:s}], s:[s, s], s:[s, s], s:[s], s:s}",
                          "output", "hostid", "host", "name", "status", "tags", "tag", ZABBIX_TAG,
                          "operator", "4", "value", "", "selectTags", "tag", "value",
                          "selectGroups", "groupid", "name", "selectParentTemplates", "templateid",
                          "selectInterfaces", "extend"));
}

/* Adds the hosts or templates that there are of a list of names. */
static bool add_named(struct zabbix *zabbix, json_t *all, const char *method, json_t *names)
{
    json_t *found = call(zabbix, "hosts", method,
                         json_pack("{s:[s], s:{s:O}}", "output", "host", "filter", "host", names));
    bool good = found && json_array_extend(all, found) == 0;
    if (found && !good)
        question_fail(zabbix->question, EXIT_BROKEN, "%s: what Zabbix answers cannot be used",
                      method);
    json_decref(found);
    return good;
}

/* Hosts and templates with names of nodes, whoever has made them. */
static json_t *ask_named(struct zabbix *zabbix)
{
    const struct roster *roster = &zabbix->census->roster;
    json_t *all = json_array();
    bool good = true;
    for (size_t from = 0; good && from < roster->n; from += NAMES_AT_ONCE) {
        json_t *names = json_array();
        for (size_t i = from; i < roster->n && i < from + NAMES_AT_ONCE; i++)
            json_array_append_new(names, json_string(roster->list[i].name));
        good = add_named(zabbix, all, "host.get", names) &&
               add_named(zabbix, all, "template.get", names);
        json_decref(names);
    }
    if (good)
        return all;
    json_decref(all);
    return NULL;
}

/* -- What is done ---------------------------------------------------------------------------- */

static void do_step(struct zabbix *zabbix, struct zabbix_step *step)
{
    static const char *const done[ZABBIX_VERBS] = {"created", "changed", "disabled", "deleted", ""};
    static const char *const due[ZABBIX_VERBS] = {"to be created", "to be changed",
                                                  "to be disabled", "to be deleted", ""};
    bool good = true;
    if (step->verb == ZABBIX_LEAVE) {
        zabbix->told++;
        question_fail(zabbix->question, EXIT_REFUSED, "%s: left alone: %s", step->host, step->what);
        return;
    }
    for (size_t i = 0; good && !checks(zabbix) && i < step->n; i++) {
        json_t *result = call(zabbix, step->host, step->methods[i], json_incref(step->params[i]));
        good = result != NULL;
        json_decref(result);
    }
    if (good)
        tell(zabbix, step->host, checks(zabbix) ? due[step->verb] : done[step->verb], step->what);
    else
        zabbix->told++;
}

/* If nobody answers any more, the rest is left. */
static void do_plan(struct zabbix *zabbix, const struct zabbix_plan *plan)
{
    for (size_t i = 0; i < plan->n && zabbix->question->status != EXIT_SILENT; i++)
        do_step(zabbix, &plan->steps[i]);
}

static void compare(struct zabbix *zabbix, const struct zabbix_site *site)
{
    struct zabbix_plan plan;
    char error[512];
    json_t *tagged = ask_tagged(zabbix), *named = tagged ? ask_named(zabbix) : NULL;
    if (named) {
        if (zabbix_plan_make(&plan, site, &zabbix->census->roster, tagged, named, error)) {
            do_plan(zabbix, &plan);
            zabbix_plan_free(&plan);
        } else {
            question_fail(zabbix->question, EXIT_BROKEN, "%s", error);
        }
    }
    json_decref(tagged);
    json_decref(named);
}

static void work(struct zabbix *zabbix)
{
    const struct command *command = zabbix->question->command;
    char id[ZABBIX_ID_SIZE];
    if (!find_template(zabbix, id))
        return;
    json_t *groups = make_groups(zabbix);
    const struct zabbix_site site = {.root = zabbix->census->head.root,
                                     .template_id = id,
                                     .groups = groups,
                                     .login = &command->login.credential,
                                     .macros = command_has(command, COMMAND_MACROS),
                                     .deletes = command_has(command, COMMAND_DELETE)};
    if (groups)
        compare(zabbix, &site);
    json_decref(groups);
}

/* -- A round --------------------------------------------------------------------------------- */

static void finish(struct zabbix *zabbix)
{
    struct question *question = zabbix->question;
    const struct command *command = question->command;
    if (watches(zabbix))
        return;
    if (question->status == EXIT_GOOD || zabbix->told > 0)
        question_print(question, zabbix->sheet);
    if (question->status != EXIT_GOOD)
        return;
    if (zabbix->told == 0 && command->format == SHEET_TABLE)
        fprintf(question->to, "Nothing to do: Zabbix has the %zu nodes of the tree of %s.\n",
                zabbix->census->roster.n, zabbix->census->head.root);
    if (zabbix->told > 0 && checks(zabbix))
        question->status = EXIT_CUT;
}

static void apply(void *context, struct question *question, const struct census *census,
                  FILE *changes)
{
    struct zabbix *zabbix = context;
    zabbix->question = question;
    zabbix->census = census;
    zabbix->changes = changes;
    zabbix->told = 0;
    if (open_api(zabbix))
        work(zabbix);
    close_api(zabbix);
    finish(zabbix);
}

enum exit_status export_zabbix_run(const struct command *command, struct client *client, FILE *to,
                                   FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct zabbix zabbix = {.sheet = sheet_new(columns, COLUMNS)};
    take_url(&zabbix, command->api);
    if (!zabbix.sheet)
        question_no_memory(&question);
    else if (command_has(command, COMMAND_CHECK) && command_has(command, COMMAND_WATCH))
        question_fail(&question, EXIT_USAGE, "--check and --watch: one of the two");
    else
        keep_run(&question, apply, &zabbix);
    sheet_free(zabbix.sheet);
    return question.status;
}
