#include "cli/zabbix_plan.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/station.h"
#include "cli/zabbix_api.h"

struct planning {
    struct zabbix_plan *plan;
    const struct zabbix_site *site;
    const struct roster *roster;
    json_t *hosts;   /* those with the tag, by name */
    json_t *strange; /* the names of others that nodes have */
    json_t *nodes;   /* the names of the nodes */
    json_t *own;     /* values of the tag, and whether they are of this tree */
    char *error;
};

/* -- Steps ----------------------------------------------------------------------------------- */

static struct zabbix_step *add_step(struct planning *planning, enum zabbix_verb verb,
                                    const char *host)
{
    struct zabbix_plan *plan = planning->plan;
    if (plan->n == plan->room) {
        size_t room = plan->room * 2 + 64;
        struct zabbix_step *steps = reallocarray(plan->steps, room, sizeof *steps);
        if (!steps) {
            plan->no_memory = true;
            return NULL;
        }
        plan->steps = steps;
        plan->room = room;
    }
    struct zabbix_step *step = &plan->steps[plan->n++];
    *step = (struct zabbix_step){.verb = verb};
    text_format(step->host, sizeof step->host, "%s", host);
    text_clean(step->host, sizeof step->host, '?');
    return step;
}

/* Takes the params; NULL: there was no memory for them. */
static void add_request(struct planning *planning, struct zabbix_step *step, const char *method,
                        json_t *params)
{
    planning->plan->no_memory |= !params;
    step->methods[step->n] = method;
    step->params[step->n] = params;
    step->n += params != NULL;
}

static void add_what(struct zabbix_step *step, const char *what)
{
    size_t len = strlen(step->what);
    text_format(step->what + len, sizeof step->what - len, "%s%s", len ? ", " : "", what);
}

/* -- Interfaces ------------------------------------------------------------------------------ */

static bool is_number(const char *host)
{
    unsigned char octets[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, host, octets) == 1 || inet_pton(AF_INET6, host, octets) == 1;
}

/* Numbers as Zabbix has them: authPriv, and the protocols that Net-SNMP has for it. */
static json_t *make_details(const struct zabbix_site *site, const char *bulk)
{
    const struct usm_credential *login = site->login;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "version", "3", "bulk", bulk,
                     "securityname", login->user, "securitylevel", "2", "authprotocol",
                     login->auth == AUTH_SHA512 ? "5" : "3", "authpassphrase",
                     site->macros ? "{$DCAMP.AUTH}" : login->auth_secret, "privprotocol",
                     login->priv == PRIV_AES256 ? "3" : "1", "privpassphrase",
                     site->macros ? "{$DCAMP.PRIV}" : login->priv_secret, "contextname", "");
}

static json_t *make_interface(const struct zabbix_site *site, const struct station *station)
{
    const char *host = station->address.host;
    bool number = is_number(host);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "type", "2", "main", "1", "useip",
                     number ? "1" : "0", "ip", number ? host : "", "dns", number ? "" : host,
                     "port", station->address.port, "details", make_details(site, "1"));
}

/* The SNMP interface of a host; NULL: it has none. */
static const json_t *find_interface(const json_t *host)
{
    const json_t *interface;
    size_t i;
    json_array_foreach(json_object_get(host, "interfaces"), i, interface)
    {
        if (strcmp(zabbix_text(interface, "type"), "2") == 0 &&
            strcmp(zabbix_text(interface, "main"), "1") == 0)
            return interface;
    }
    return NULL;
}

static bool is_address(const json_t *interface, const struct address *address)
{
    bool number = is_number(address->host);
    return strcmp(zabbix_text(interface, "useip"), number ? "1" : "0") == 0 &&
           strcmp(zabbix_text(interface, number ? "ip" : "dns"), address->host) == 0 &&
           strcmp(zabbix_text(interface, "port"), address->port) == 0;
}

static bool has_all(const json_t *object, json_t *wanted)
{
    const char *name;
    json_t *value;
    json_object_foreach(wanted, name, value)
    {
        if (strcmp(zabbix_text(object, name), json_string_value(value)) != 0)
            return false;
    }
    return true;
}

/* The setting for bulk requests stays as the host has it: some agents can do without. */
static void compare_interface(struct planning *planning, struct zabbix_step *step,
                              const struct station *station, const json_t *host)
{
    const json_t *interface = find_interface(host), *has = json_object_get(interface, "details");
    const char *bulk = zabbix_text(has, "bulk");
    if (!interface) {
        json_t *params = make_interface(planning->site, station);
        if (params &&
            json_object_set_new(params, "hostid", json_string(zabbix_text(host, "hostid"))) != 0)
            planning->plan->no_memory = true;
        add_request(planning, step, "hostinterface.create", params);
        add_what(step, "interface");
        return;
    }
    json_t *details = make_details(planning->site, bulk[0] ? bulk : "1");
    bool same_address = is_address(interface, &station->address);
    planning->plan->no_memory |= !details;
    if (same_address && has_all(has, details)) {
        json_decref(details);
        return;
    }
    bool number = is_number(station->address.host);
    add_what(step, same_address ? "login" : "address");
    add_request(planning, step, "hostinterface.update",
                json_pack("{s:s, s:s, s:s, s:s, s:o}", "interfaceid",
                          zabbix_text(interface, "interfaceid"), "useip", number ? "1" : "0",
                          number ? "ip" : "dns", station->address.host, "port",
                          station->address.port, "details", details));
}

/* -- Groups, templates, tags ----------------------------------------------------------------- */

void zabbix_group(const struct member *member, char name[NAME_SIZE + 8])
{
    text_format(name, NAME_SIZE + 8, ZABBIX_GROUP "%s%s", member->group[0] ? "/" : "",
                member->group);
}

static bool is_group_of_ours(const char *name)
{
    size_t len = sizeof ZABBIX_GROUP - 1;
    return strncmp(name, ZABBIX_GROUP, len) == 0 && (!name[len] || name[len] == '/');
}

/* Takes the element. */
static void append(struct planning *planning, json_t *array, json_t *element)
{
    if (json_array_append_new(array, element) != 0)
        planning->plan->no_memory = true;
}

static json_t *group_id(const struct planning *planning, const char *name)
{
    return json_pack("{s:s}", "groupid", zabbix_text(planning->site->groups, name));
}

/* The groups that a host is to be in; those of other people stay. NULL: it is in its group already,
 * and in no other one of ours. */
static json_t *other_groups(struct planning *planning, const struct member *member,
                            const json_t *host)
{
    char wanted[NAME_SIZE + 8];
    const json_t *group;
    size_t i;
    bool has = false, other = false;
    json_t *groups = json_array();
    zabbix_group(member, wanted);
    json_array_foreach(json_object_get(host, "groups"), i, group)
    {
        const char *name = zabbix_text(group, "name");
        has |= strcmp(name, wanted) == 0;
        if (strcmp(name, wanted) != 0 && is_group_of_ours(name))
            other = true;
        else
            append(planning, groups, json_pack("{s:s}", "groupid", zabbix_text(group, "groupid")));
    }
    if (!has)
        append(planning, groups, group_id(planning, wanted));
    if (!has || other)
        return groups;
    json_decref(groups);
    return NULL;
}

static json_t *template_id(const char *id)
{
    return json_pack("{s:s}", "templateid", id);
}

/* The templates that a host is to have; NULL: it has ours already. */
static json_t *other_templates(struct planning *planning, const json_t *host)
{
    const char *wanted = planning->site->template_id;
    const json_t *linked;
    size_t i;
    json_t *templates = json_array();
    json_array_foreach(json_object_get(host, "parentTemplates"), i, linked)
    {
        const char *id = zabbix_text(linked, "templateid");
        if (strcmp(id, wanted) == 0) {
            json_decref(templates);
            return NULL;
        }
        append(planning, templates, template_id(id));
    }
    append(planning, templates, template_id(wanted));
    return templates;
}

static bool is_tag_of_ours(const json_t *tag)
{
    return strcmp(zabbix_text(tag, "tag"), ZABBIX_TAG) == 0 ||
           strcmp(zabbix_text(tag, "tag"), ZABBIX_LEFT_TAG) == 0;
}

static json_t *make_tag(const char *name, const char *value)
{
    return json_pack("{s:s, s:s}", "tag", name, "value", value);
}

/* All tags of a host, with ours as they are to be. */
static json_t *make_tags(struct planning *planning, const json_t *host, bool left)
{
    const json_t *tag;
    size_t i;
    json_t *tags = json_array();
    json_array_foreach(json_object_get(host, "tags"), i, tag)
    {
        if (!is_tag_of_ours(tag))
            append(planning, tags, make_tag(zabbix_text(tag, "tag"), zabbix_text(tag, "value")));
    }
    append(planning, tags, make_tag(ZABBIX_TAG, planning->site->root));
    if (left)
        append(planning, tags, make_tag(ZABBIX_LEFT_TAG, ""));
    return tags;
}

/* The value of a tag; NULL: the host does not have it. */
static const char *find_tag(const json_t *host, const char *name)
{
    const json_t *tag;
    size_t i;
    json_array_foreach(json_object_get(host, "tags"), i, tag)
    {
        if (strcmp(zabbix_text(tag, "tag"), name) == 0)
            return zabbix_text(tag, "value");
    }
    return NULL;
}

/* -- Whose it is ----------------------------------------------------------------------------- */

/* Whether a node was the root when the hosts were made, for the root may be another one now: it
 * must still be a node of this tree, and Zabbix must have it at its address, as a host of the same
 * tree. */
static bool was_root(const struct planning *planning, const char *name)
{
    const json_t *host = json_object_get(planning->hosts, name);
    const char *tag = host ? find_tag(host, ZABBIX_TAG) : NULL;
    struct station station;
    if (!tag || strcmp(tag, name) != 0)
        return false;
    for (size_t i = 0; i < planning->roster->n; i++) {
        const struct member *member = &planning->roster->list[i];
        if (strcmp(member->name, name) == 0)
            return station_take(&station, member) &&
                   is_address(find_interface(host), &station.address);
    }
    return false;
}

static bool is_own(struct planning *planning, const json_t *host)
{
    const char *value = find_tag(host, ZABBIX_TAG);
    if (!value || strcmp(value, planning->site->root) == 0)
        return value != NULL;
    json_t *known = json_object_get(planning->own, value);
    if (!known) {
        known = json_boolean(was_root(planning, value));
        if (json_object_set_new(planning->own, value, known) != 0)
            planning->plan->no_memory = true;
    }
    return json_is_true(known);
}

/* -- Hosts beside nodes ---------------------------------------------------------------------- */

static void create(struct planning *planning, const struct station *station)
{
    const char *name = station->member->name;
    char group[NAME_SIZE + 8];
    struct zabbix_step *step = add_step(planning, ZABBIX_CREATE, name);
    if (!step)
        return;
    zabbix_group(station->member, group);
    add_what(step, group);
    add_request(planning, step, "host.create",
                json_pack("{s:s, s:s, s:[o], s:[o], s:[o], s:[o]}", "host", name, "name", name,
                          "groups", group_id(planning, group), "templates",
                          template_id(planning->site->template_id), "tags",
                          make_tag(ZABBIX_TAG, planning->site->root), "interfaces",
                          make_interface(planning->site, station)));
}

/* Adds a part that is to be changed; value NULL: it is as it should be. */
static void differs(struct planning *planning, struct zabbix_step *step, json_t *params,
                    const char *name, json_t *value, const char *what)
{
    if (!value)
        return;
    add_what(step, what);
    if (json_object_set_new(params, name, value) != 0)
        planning->plan->no_memory = true;
}

static void compare_host(struct planning *planning, struct zabbix_step *step,
                         const struct station *station, const json_t *host)
{
    const struct member *member = station->member;
    const char *tag = find_tag(host, ZABBIX_TAG);
    bool left = find_tag(host, ZABBIX_LEFT_TAG) != NULL;
    json_t *params = json_pack("{s:s}", "hostid", zabbix_text(host, "hostid"));
    if (strcmp(zabbix_text(host, "name"), member->name) != 0)
        differs(planning, step, params, "name", json_string(member->name), "visible name");
    differs(planning, step, params, "groups", other_groups(planning, member, host), "group");
    differs(planning, step, params, "templates", other_templates(planning, host), "template");
    if (left)
        differs(planning, step, params, "status", json_string("0"), "it is back");
    if (left || !tag || strcmp(tag, planning->site->root) != 0)
        differs(planning, step, params, "tags", make_tags(planning, host, false), "tag");
    if (json_object_size(params) == 1)
        json_decref(params);
    else
        add_request(planning, step, "host.update", params);
}

static void compare(struct planning *planning, const struct station *station, const json_t *host)
{
    struct zabbix_step *step = add_step(planning, ZABBIX_CHANGE, station->member->name);
    if (!step)
        return;
    compare_host(planning, step, station, host);
    compare_interface(planning, step, station, host);
    if (step->n == 0)
        planning->plan->n--;
}

static void leave(struct planning *planning, const char *name, const json_t *host)
{
    struct zabbix_step *step = add_step(planning, ZABBIX_LEAVE, name);
    const char *value = find_tag(host, ZABBIX_TAG);
    if (!step)
        return;
    if (value)
        text_format(step->what, sizeof step->what,
                    "the host is of the tree of %.64s, as its tag " ZABBIX_TAG " says", value);
    else
        text_format(step->what, sizeof step->what,
                    "there is such a host or template already, which has not the tag " ZABBIX_TAG
                    " with the value %s",
                    planning->site->root);
    text_clean(step->what, sizeof step->what, '?');
}

static bool plan_node(struct planning *planning, const struct member *member)
{
    struct station station;
    const json_t *host = json_object_get(planning->hosts, member->name);
    if (!station_take(&station, member)) {
        text_format(planning->error, 512,
                    "%s: the root has no address or group of it that makes sense", member->name);
        return false;
    }
    if (host && is_own(planning, host))
        compare(planning, &station, host);
    else if (host || json_object_get(planning->strange, member->name))
        leave(planning, member->name, host);
    else
        create(planning, &station);
    return true;
}

/* The node of a host has left the tree. A host that is disabled already stays, unless such hosts
 * are deleted. */
static void plan_left(struct planning *planning, const char *name, const json_t *host)
{
    const char *id = zabbix_text(host, "hostid");
    bool deletes = planning->site->deletes;
    if (!deletes && strcmp(zabbix_text(host, "status"), "0") != 0)
        return;
    struct zabbix_step *step = add_step(planning, deletes ? ZABBIX_DELETE : ZABBIX_DISABLE, name);
    if (!step)
        return;
    add_what(step, "its node is not in the tree");
    if (deletes)
        add_request(planning, step, "host.delete", json_pack("[s]", id));
    else
        add_request(planning, step, "host.update",
                    json_pack("{s:s, s:s, s:o}", "hostid", id, "status", "1", "tags",
                              make_tags(planning, host, true)));
}

static bool plan_all(struct planning *planning)
{
    const char *name;
    json_t *host;
    for (size_t i = 0; i < planning->roster->n; i++)
        if (!plan_node(planning, &planning->roster->list[i]))
            return false;
    json_object_foreach(planning->hosts, name, host)
    {
        if (!json_object_get(planning->nodes, name) && is_own(planning, host))
            plan_left(planning, name, host);
    }
    return true;
}

/* -- What there is --------------------------------------------------------------------------- */

static bool has_ids(const json_t *array, const char *name)
{
    const json_t *element;
    size_t i;
    json_array_foreach(array, i, element)
    {
        if (!zabbix_is_id(zabbix_text(element, name)))
            return false;
    }
    return json_is_array(array);
}

static bool is_host(const json_t *host)
{
    return zabbix_is_id(zabbix_text(host, "hostid")) && zabbix_text(host, "host")[0] &&
           zabbix_text(host, "status")[0] && json_is_array(json_object_get(host, "tags")) &&
           has_ids(json_object_get(host, "groups"), "groupid") &&
           has_ids(json_object_get(host, "parentTemplates"), "templateid") &&
           has_ids(json_object_get(host, "interfaces"), "interfaceid");
}

static bool take_hosts(struct planning *planning, const json_t *tagged)
{
    json_t *host;
    size_t i;
    json_array_foreach(tagged, i, host)
    {
        if (!is_host(host)) {
            text_format(planning->error, 512, "what it answers of hosts cannot be used");
            return false;
        }
        if (json_object_set(planning->hosts, zabbix_text(host, "host"), host) != 0)
            planning->plan->no_memory = true;
    }
    return json_is_array(tagged);
}

/* Hosts and templates share their names. */
static void take_names(struct planning *planning, const json_t *named)
{
    const json_t *host;
    size_t i;
    json_array_foreach(named, i, host)
    {
        if (json_object_set_new(planning->strange, zabbix_text(host, "host"), json_true()) != 0)
            planning->plan->no_memory = true;
    }
    for (i = 0; i < planning->roster->n; i++)
        if (json_object_set_new(planning->nodes, planning->roster->list[i].name, json_true()) != 0)
            planning->plan->no_memory = true;
}

static bool make(struct planning *planning, const json_t *tagged, const json_t *named)
{
    if (!planning->hosts || !planning->strange || !planning->nodes || !planning->own) {
        planning->plan->no_memory = true;
        return true;
    }
    if (!take_hosts(planning, tagged))
        return false;
    take_names(planning, named);
    return planning->plan->no_memory || plan_all(planning);
}

bool zabbix_plan_make(struct zabbix_plan *plan, const struct zabbix_site *site,
                      const struct roster *roster, const json_t *tagged, const json_t *named,
                      char error[512])
{
    struct planning planning = {.plan = plan,
                                .site = site,
                                .roster = roster,
                                .hosts = json_object(),
                                .strange = json_object(),
                                .nodes = json_object(),
                                .own = json_object(),
                                .error = error};
    *plan = (struct zabbix_plan){.steps = NULL};
    text_format(error, 512, "what it answers of hosts cannot be used");
    bool good = make(&planning, tagged, named);
    json_decref(planning.hosts);
    json_decref(planning.strange);
    json_decref(planning.nodes);
    json_decref(planning.own);
    if (good && plan->no_memory)
        text_format(error, 512, "no memory");
    if (good && !plan->no_memory)
        return true;
    zabbix_plan_free(plan);
    return false;
}

void zabbix_plan_free(struct zabbix_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        for (size_t j = 0; j < plan->steps[i].n; j++)
            json_decref(plan->steps[i].params[j]);
    free(plan->steps);
    *plan = (struct zabbix_plan){.steps = NULL};
}
