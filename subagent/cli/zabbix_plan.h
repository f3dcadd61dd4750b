/* Nodes of a tree compared with hosts of Zabbix: what is to be done so that each node is a host.
 * Only hosts that this command has made are ever changed: those with the tag dcamp:root. Pure. */
#ifndef DCAMP_CLI_ZABBIX_PLAN_H
#define DCAMP_CLI_ZABBIX_PLAN_H

#include <jansson.h>

#include "cli/roster.h"
#include "snmpv3/credential.h"

#define ZABBIX_TEMPLATE "dCAMP by SNMP"
#define ZABBIX_GROUP "dCAMP"         /* and dCAMP/GROUP, for each group of the tree */
#define ZABBIX_TAG "dcamp:root"      /* its value is the name of the root */
#define ZABBIX_LEFT_TAG "dcamp:left" /* of a host that was disabled since its node had left */
#define ZABBIX_WHAT_SIZE 160
#define ZABBIX_NAME_SIZE 129

enum zabbix_verb {
    ZABBIX_CREATE,
    ZABBIX_CHANGE,
    ZABBIX_DISABLE,
    ZABBIX_DELETE,
    ZABBIX_LEAVE, /* it is not to be touched; what says why */
    ZABBIX_VERBS
};

/* One host. */
struct zabbix_step {
    enum zabbix_verb verb;
    char host[ZABBIX_NAME_SIZE]; /* clean */
    char what[ZABBIX_WHAT_SIZE]; /* what is not as it should be */
    size_t n;                    /* requests, in their order */
    const char *methods[2];
    json_t *params[2];
};

struct zabbix_plan {
    struct zabbix_step *steps; /* in the order of the nodes; then hosts without a node */
    size_t n, room;
    bool no_memory;
};

/* What is the same for all. */
struct zabbix_site {
    const char *root;
    const char *template_id;
    const json_t *groups; /* names to identifiers; those that are missing are not in it */
    const struct usm_credential *login; /* as whom Zabbix asks the nodes */
    bool macros;  /* with {$DCAMP.AUTH} and {$DCAMP.PRIV}, not its passphrases */
    bool deletes; /* hosts without a node; else they are disabled */
};

/* The name of the host group of a node. */
void zabbix_group(const struct member *member, char name[NAME_SIZE + 8]);

/* tagged: all hosts that have the tag, as host.get gives them with tags, groups, templates and
 * interfaces. named: those that have the names of nodes. They stay the caller's. False: error says
 * which host or node makes no sense, or that there is no memory, and there is no plan. */
bool zabbix_plan_make(struct zabbix_plan *plan, const struct zabbix_site *site,
                      const struct roster *roster, const json_t *tagged, const json_t *named,
                      char error[512]);
void zabbix_plan_free(struct zabbix_plan *plan);

#endif
